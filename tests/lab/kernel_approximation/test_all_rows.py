"""The page on kernel approximation with all rows of a table in parts."""

from dataclasses import replace

import numpy as np
import pytest

from rfviz.cache import Cache
from rfviz.errors import ParameterError
from rfviz.experiments.kernel_approximation import describe
from rfviz.features import (
    RandomFourier,
)
from rfviz.lab.kernel_approximation.page import PAGE
from rfviz.lab.page import compute
from rfviz.lab.preset import Preset
from rfviz.words import number
from tests.app_pages import array, changed, opened, prose, run_to_its_end, specs
from tests.experiments.kernel_approximation.large_table import table, written

SLUG = "kernel-approximation"
ALL_ROWS = "RMSE, all rows ÷ mean k(x, x)"
SMALL = {"points": 16, "m_max": 40, "draws": 2, "maps": ["RandomFourier"], "data": "folder:large"}


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a table in parts, of which 200 rows are drawn, and load it."""
    yield from written(tmp_path, monkeypatch)


def computed(setting, cache=None):
    panel = Preset(setting)
    source = PAGE.source(panel)
    return compute(PAGE, source, PAGE.settings(panel, source), cache or Cache())


def test_it_is_offered_where_there_are_more_rows(write):
    write(table())
    offered = lambda at: any(box.label == "All rows" for box in [*at.toggle, *at.checkbox])  # noqa: E731
    at = opened(SLUG, SMALL)
    assert offered(at) and not any("part" in c.value for c in at.caption) and len(specs(at)) >= 2
    assert not offered(opened(SLUG, {**SMALL, "data": "digits"}))


@pytest.mark.slow
def test_the_page_draws_all_rows_next_to_the_points(write):
    write(table())
    at = opened(SLUG, SMALL)
    before = array(specs(at)[0]["data"][1]["y"])
    at = run_to_its_end(changed(at, SLUG, {"all_rows": True}))
    assert not at.warning and not at.error and not at.exception
    (curve,) = [t for t in specs(at)[0]["data"] if t.get("name") == "Random Fourier, all rows"]
    found = computed({**SMALL, "all_rows": True})
    (result,) = found.result.maps
    unit = result.unit
    np.testing.assert_allclose(array(curve["y"]), result.all_rows.average("rmse") / unit)
    np.testing.assert_array_equal(array(specs(at)[0]["data"][1]["y"]), before)
    np.testing.assert_allclose(found.charts[0].frame[ALL_ROWS], result.all_rows.average("rmse") / unit)
    assert any("**All 1,500 rows** (23,864 pairs of a point and a row): Random Fourier RMSE" in m for m in prose(at))
    assert "all rows of the file: Random Fourier from" in found.charts[0].alt
    alone = computed(SMALL)
    assert "all rows" not in alone.charts[0].words + alone.charts[0].alt + " ".join(alone.charts[0].frame.columns)


def test_what_is_stopped_keeps_the_passes_that_are_done(write):
    write(table())
    panel = Preset({**SMALL, "draws": 8, "maps": ["RandomFourier", "RandomMaxout"], "all_rows": True})
    source, cache = PAGE.source(panel), Cache()
    settings = PAGE.settings(panel, source)
    work = PAGE.work(source, settings, cache)
    assert [part.title for part in work.parts[:3]] == [
        "Random Fourier, draws 1 to 5",
        "Random maxout, q = 4, draws 1 to 5",
        "Random Fourier, draws 6 to 8",
    ]

    def progress(share, words):
        if share > 2.5 / 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work.run_missing(progress)
    assert len(work.missing()) == 2
    maps = PAGE.collect(source, settings, work, cache).maps
    assert [result.all_rows.n_draws for result in maps] == [5, 5]
    said = describe.all_rows(maps, settings.place)
    assert "a row, 5 of 8 draws so far): Random Fourier RMSE" in said
    work.run_missing(lambda share, words: None)
    maps = PAGE.collect(source, settings, work, cache).maps
    assert [result.all_rows.n_draws for result in maps] == [8, 8]
    assert "so far" not in describe.all_rows(maps, settings.place)


@pytest.mark.parametrize(("far", "holds"), [(0, True), (15, False)])
def test_the_sentence_is_true(write, far, holds):
    """One row of a hundred is thirty times as large: maxout's error on it is, too, and no point is one of them."""
    write(table(far=far))
    setting = {**SMALL, "points": 64, "normalise": "none", "maps": ["RandomMaxout"], "all_rows": True, "draws": 3}
    found = computed(setting)
    (result,) = found.result.maps
    ratio = result.all_rows.average("rmse") / result.errors.average("rmse")
    assert ((ratio < 1.1) == holds).all() and (ratio > 1 / 1.1).all()
    said = found.charts[0].words
    assert ("holds for the whole table, within 10%" in said) == holds
    assert ("does **not** hold for the whole table: Random maxout" in said) == (not holds)
    at = found.settings.place
    largest = result.all_rows.average("maximum")[at]
    ratio = largest / result.errors.average("maximum")[at]
    assert f"maximum error **{number(largest / result.unit)}**, {number(ratio)} times" in said


def test_a_map_without_a_kernel_fails_alone(write, monkeypatch):
    write(table())

    def kernel(self, X, Y=None):
        raise ParameterError("kernel", "must have a closed form", "RandomFourier", "This map has none.")

    monkeypatch.setattr(RandomFourier, "kernel", kernel)
    at = opened(SLUG, {**SMALL, "maps": ["RandomFourier", "RandomMaxout"], "all_rows": True})
    at = run_to_its_end(at)
    assert not at.error and not at.exception
    names = [t.get("name") for t in specs(at)[0]["data"]]
    assert "Random maxout, q = 4, all rows" in names and "Random Fourier, all rows" not in names
    assert any("Random Fourier" in w.value and "closed form" in w.value for w in at.warning)


def test_a_script_reads_all_rows_too(write):
    write(table())
    found = computed({**SMALL, "all_rows": True})
    code = PAGE.script(found.source, found.settings).replace("result.figure(name).show()", "pass")
    names = {}
    exec(code, names)
    (result,) = found.result.maps
    np.testing.assert_allclose(names["frames"]["kernel-error"][ALL_ROWS], result.all_rows.average("rmse") / result.unit)
    assert "all_rows" not in PAGE.script(found.source, replace(found.settings, all_rows=False))
