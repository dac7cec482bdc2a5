"""Errors over all rows of a table in parts: those of the whole table in memory, however it is cut."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.analysis.kernel_sample import other_rows, prepare_sample
from rfviz.cache import Cache
from rfviz.datasets.files import parts
from rfviz.errors import DataError, ParameterError
from rfviz.experiments.kernel_approximation import all_rows, describe
from rfviz.experiments.kernel_approximation.all_rows import join_draws, row_errors
from rfviz.experiments.kernel_approximation.compute import METRICS, kernel_errors
from rfviz.features import (
    CompositionalFeatures,
    MapSpec,
    RandomBinning,
    RandomFourier,
    RandomMaxout,
    RandomProjection,
)
from rfviz.lab.kernel_approximation.page import PAGE
from rfviz.lab.page import compute
from rfviz.lab.preset import Preset
from rfviz.words import number
from tests.app_pages import array, changed, opened, run_to_its_end, specs

SLUG = "kernel-approximation"
ALL_ROWS = "RMSE, all rows ÷ mean k(x, x)"
N, DRAWN, POINTS, GRID = 1500, 200, 16, (2, 10, 30)
SMALL = {"points": POINTS, "m_max": 40, "draws": 2, "maps": ["RandomFourier"], "data": "folder:large"}
SPECS = [
    MapSpec(RandomFourier, gamma=0.5, paired=False),
    MapSpec(RandomFourier, gamma="scale"),
    MapSpec(RandomMaxout, pool_size=3),
    MapSpec(RandomProjection),
    MapSpec(RandomBinning, gamma=0.2),
    MapSpec(CompositionalFeatures, skeleton="flat", deduplicate=True),
]


def table(n=N, far=0):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(3 + rng.standard_normal((n, 4)) * [1, 2, 3, 4], columns=list("abcd"))
    frame.loc[rng.choice(n, far, replace=False), list("abcd")] *= 30
    return frame


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a table in parts, of which 200 rows are drawn, and load it."""
    monkeypatch.setattr(parts, "SAMPLE_ROWS", DRAWN)
    monkeypatch.setattr(parts, "_BLOCK_ROWS", 450)
    datasets.set_folder(tmp_path)

    def load(frame, cuts=(500, 1300), **preparation):
        (tmp_path / "large").mkdir(exist_ok=True)
        for old in (tmp_path / "large").iterdir():
            old.unlink()
        for place, rows in enumerate(np.split(np.arange(len(frame)), cuts)):
            frame.iloc[rows].to_parquet(tmp_path / "large" / f"{place}.parquet")
        return datasets.load("folder:large", max_samples=DRAWN, **preparation)

    yield load
    datasets.set_folder(None)


def asked(dataset, how="standardise"):
    sample = prepare_sample(dataset, how, POINTS)
    return sample, other_rows(dataset, sample, how)


def brute_force(frame, dataset, how, spec, seed):
    """Return exact kernel and estimates (G, pairs) of a point and a row, all in memory, by maps that are not nested."""
    X = frame.to_numpy(np.float32).astype(float)
    chosen = np.sort(np.random.default_rng(0).permutation(DRAWN)[:POINTS])
    places = parts.sampled_rows(N, DRAWN)[dataset.row_numbers[chosen]]
    points = X[places]
    if how == "standardise":
        X = (X - points.mean(axis=0)) / points.std(axis=0)
    elif how == "unit norm":
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
    i, j = np.meshgrid(np.arange(N), places, indexing="ij")
    # Once: a row that is a point has its pair with a later point only.
    wanted = np.where(np.isin(i, places), i < j, True)
    estimated = []
    for m in GRID:
        own = spec.make(n_components=m, random_state=seed).fit(X[places])
        Phi = own.transform(X)
        Phi = Phi.toarray() if hasattr(Phi, "toarray") else Phi
        estimated.append((Phi.astype(float) @ Phi[places].astype(float).T)[wanted])
    return own.kernel(X, X[places])[wanted], np.array(estimated)


@pytest.mark.parametrize("how", ["standardise", "unit norm", "none"])
@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_measures_are_those_of_all_pairs_in_memory(write, how, spec):
    frame = table()
    dataset = write(frame)
    sample, others = asked(dataset, how)
    found = row_errors(sample, others, spec, GRID, [0, 1])
    assert found.n_rows == N and found.n_pairs == (N - POINTS) * POINTS + POINTS * (POINTS - 1) // 2
    for seed in (0, 1):
        exact, estimated = brute_force(frame, dataset, how, spec, seed)
        assert exact.size == found.n_pairs
        error = estimated - exact
        size = 2e-6 * np.abs(exact).max()  # features are rounded to float32
        np.testing.assert_allclose(found.rmse[seed], np.sqrt((error**2).mean(axis=1)), rtol=1e-5, atol=size)
        np.testing.assert_allclose(found.mae[seed], np.abs(error).mean(axis=1), rtol=1e-5, atol=size)
        np.testing.assert_allclose(found.maximum[seed], np.abs(error).max(axis=1), rtol=1e-5, atol=size)
        correlation = [np.corrcoef(row, exact)[0, 1] for row in estimated]
        np.testing.assert_allclose(found.correlation[seed], correlation, atol=1e-5)


@pytest.mark.parametrize("spec", [SPECS[0].replace(dtype="float64"), SPECS[2]], ids=str)
def test_the_cuts_of_the_file_and_of_the_blocks_do_not_matter(write, monkeypatch, spec):
    results = []
    for cuts, rows, n_bytes in (((500, 1300), 450, 16_000_000), ((7, 8, 1400), 137, 1), ((701,), 10_000, 40_000)):
        monkeypatch.setattr(parts, "_BLOCK_ROWS", rows)
        monkeypatch.setattr(all_rows, "_BYTES", n_bytes)
        results.append(row_errors(*asked(write(table(), cuts)), spec, GRID, [0, 1]))
    for name in METRICS:
        for other in results[1:]:
            np.testing.assert_allclose(other.metric(name), results[0].metric(name), rtol=1e-6)


def test_draws_may_come_in_several_passes_and_are_those_of_the_points(write):
    sample, others = asked(write(table()))
    whole = row_errors(sample, others, SPECS[0], GRID, range(3))
    joined = join_draws([row_errors(sample, others, SPECS[0], GRID, draws) for draws in (range(2), range(2, 3))])
    for name in METRICS:
        np.testing.assert_array_equal(joined.metric(name), whole.metric(name))
    # The pairs of the points are among all: no error of theirs is larger than the largest of all.
    assert (whole.maximum >= kernel_errors(sample, SPECS[0], GRID, 3).errors.maximum - 1e-9).all()


def test_columns_without_a_rotation_where_there_are_more_of_them_than_points(write):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((N, 20)), columns=[f"c{number}" for number in range(20)])
    sample, others = asked(write(frame))
    found = row_errors(sample, others, SPECS[0], GRID, [0])
    assert (found.maximum >= kernel_errors(sample, SPECS[0], GRID, 1).errors.maximum - 1e-9).all()


def test_a_gpu_gives_the_same(write, fake_gpu):
    sample, others = asked(write(table()))
    for spec in (SPECS[2], SPECS[4], SPECS[5]):
        host, there = (row_errors(sample, others, spec.replace(device=at), GRID, [0]) for at in ("cpu", "cuda"))
        for name in METRICS:
            np.testing.assert_allclose(there.metric(name), host.metric(name), rtol=1e-5, atol=1e-7)


def test_labels_are_not_needed(write):
    frame = table().assign(label=["yes", "no"] * (N // 2))
    results = []
    for one in (frame, frame.drop(columns="label")):
        dataset = write(one)
        assert (dataset.y is None) == ("label" not in one)
        results.append(row_errors(*asked(dataset), SPECS[0], GRID, [0]))
    for name in METRICS:
        np.testing.assert_array_equal(results[0].metric(name), results[1].metric(name))


def test_a_constant_kernel_has_no_correlation(write):
    frame = table().assign(b=0.0, c=0.0, d=0.0)
    frame["a"] = frame.a.abs()
    found = row_errors(*asked(write(frame), "unit norm"), SPECS[0], GRID, [0])
    assert np.isnan(found.correlation).all() and (found.rmse > 0).all()


def test_rows_that_cannot_be_used_are_left_out(write):
    frame = table()
    frame.loc[:49, "a"] = np.nan
    found = row_errors(*asked(write(frame, missing="drop rows")), SPECS[0], GRID, [0])
    assert found.n_rows == N - 50


def test_it_says_how_far_it_is_and_stops(write, monkeypatch):
    monkeypatch.setattr(all_rows, "_BYTES", 1)
    said = []

    def progress(share, words):
        said.append((share, words))
        if len(said) == 4:
            raise KeyboardInterrupt

    sample, others = asked(write(table()))
    with pytest.raises(KeyboardInterrupt):
        row_errors(sample, others, SPECS[0], GRID, [0], progress)
    assert said[0][1].endswith(f" of {N - POINTS:,} rows") and 0 < said[0][0] < said[-1][0] < 1


def test_bad_rows_are_one_sentence(write, tmp_path):
    frame = table()
    sample, others = asked(write(frame), "unit norm")
    file = tmp_path / "large" / "1.parquet"
    frame.iloc[500:1300].mul(0.0).to_parquet(file)
    with pytest.raises(DataError, match=r"some of the 1,500 rows of large are\. Choose another normalisation"):
        row_errors(sample, others, SPECS[0], GRID, [0])
    frame.iloc[500:1200].to_parquet(file)
    with pytest.raises(DataError, match=r"had 1,500 rows at first, and has 1,400 now\. Load it again"):
        row_errors(sample, others, SPECS[0], GRID, [0])
    file.write_bytes(file.read_bytes()[:2000])
    with pytest.raises(DataError, match=r"1\.parquet"):
        row_errors(sample, others, SPECS[0], GRID, [0])
    with pytest.raises(DataError, match=r"digits is not drawn from a larger table\. Choose a folder"):
        other_rows(datasets.load("digits"), sample)


# --- the page ---------------------------------------------------------------------------------------------------------


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
    assert any(
        "**All 1,500 rows** (23,864 pairs of a point and a row): Random Fourier RMSE" in m.value for m in at.markdown
    )
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
