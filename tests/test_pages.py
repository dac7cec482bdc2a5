"""Every page runs, shows what the analysis computes, and answers what cannot be done with one sentence.

Streamlit's own test client runs the pages within the navigation, without a browser; ``tests/browser`` does the rest.
"""

import warnings

import pytest

from rfviz import datasets
from rfviz.analysis.points import NORMALISATION
from rfviz.features import registry
from rfviz.ui.plain import plain
from tests.app_pages import (
    EMBEDDING,
    OFFLINE,
    PAGES,
    SATURATION,
    SMALL,
    UNFOLDED,
    assert_refused,
    changed,
    opened,
    prose,
    specs,
)

every_page = pytest.mark.parametrize("slug", PAGES)
every_chart_page = pytest.mark.parametrize("slug", [SATURATION, EMBEDDING])


# --- every page -------------------------------------------------------------------------------------------------------


# The defaults of those that run long take 5 to 10 seconds each.
@pytest.mark.parametrize(
    ("slug", "settings"),
    [(slug, SMALL.get(slug, {})) for slug in PAGES]
    + [pytest.param(slug, {}, marks=pytest.mark.slow) for slug in SMALL],
    ids=[*PAGES, *(f"{slug}-defaults" for slug in SMALL)],
)
def test_runs_and_says_what_it_is(slug, settings):
    with warnings.catch_warnings():  # one that reaches Python ends in the server's log, where no user looks
        warnings.simplefilter("error")
        for category in (DeprecationWarning, ResourceWarning):
            warnings.filterwarnings("ignore", category=category)
        at = opened(slug, settings | UNFOLDED)
    assert len(at.title) == 1
    assert not at.error and not at.warning
    assert any(PAGES[slug].question in markdown for markdown in prose(at))


@every_page
def test_is_short_and_documented(slug):
    source = PAGES[slug].path.read_text(encoding="utf-8")
    assert len(source.splitlines()) < 120
    assert source.startswith('"""')


def test_home_lists_data_sets_schemes_and_device():
    at = opened("home", UNFOLDED)
    text = "\n".join(prose(at))
    for spec in datasets.specs().values():
        assert f"| {plain(spec.title)} |" in text and f"| {plain(spec.summary)} |" in text
    assert all(scheme.label in text for scheme in registry().values())
    assert "CPU" in text or "GPU" in text


@pytest.mark.slow
@pytest.mark.parametrize("name", OFFLINE)
def test_every_data_set_without_download_works(name):
    at = opened(EMBEDDING, {"data": name, "n_components": 200})
    assert not at.error
    assert not at.warning
    assert specs(at)


HOW = NORMALISATION.choices


# Each map on one of the pages: tests/lab/test_pages.py computes every option of both.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("slug", "scheme", "how"),
    [((SATURATION, EMBEDDING)[i % 2], name, HOW[i % len(HOW)]) for i, name in enumerate(registry())],
)
def test_every_map_and_every_normalisation_works(slug, scheme, how):
    at = opened(slug, {"map": scheme, "normalise": how, "n_components": 200} | UNFOLDED)
    assert not at.error
    assert len(specs(at)[0]["data"]) >= 2
    assert len(at.dataframe) >= 1


@every_chart_page
def test_folded_parts_hold_nothing_until_opened(slug):
    at = opened(slug)
    assert not at.dataframe
    assert changed(at, slug, UNFOLDED).dataframe
    # A link opens them too, and says what it cannot open.
    assert opened(slug, query={"open": "numbers"}).dataframe
    at = opened(slug, query={"open": "numbers,<script>"})
    assert at.dataframe and len(at.toast) == 1 and "script" not in at.toast[0].value


@every_chart_page
def test_chart_keeps_its_view_while_a_parameter_moves(slug):
    at = opened(slug, {"seed": 0})
    before = specs(at)[0]["layout"]
    after = specs(changed(at, slug, {"seed": 1}))[0]["layout"]
    assert before["uirevision"] == after["uirevision"]
    assert before["height"] == after["height"]


@every_chart_page
def test_chart_forgets_its_view_with_its_data(slug):
    at = opened(slug, {"data": "turning_head"})
    before = specs(at)[0]["layout"]["uirevision"]
    assert specs(changed(at, slug, {"data": "digits"}))[0]["layout"]["uirevision"] != before


@every_chart_page
def test_preset_restores_every_setting_of_the_paper(slug):
    at = opened(slug)
    at.button[0].click().run()
    paper = specs(at)
    other = {"map": "RandomFourier", "data": "sphere", "n_components": 100, "gamma": 5.0, "seed": 3,
             "normalise": "none", "data.n_samples": 30, "compare": [0.5]}  # fmt: skip
    assert specs(changed(at, slug, other)) != paper
    at.button[0].click().run()
    assert not at.exception
    assert specs(at) == paper
    assert at.session_state[f"{slug}.map"] == "RandomMaxout"


@every_chart_page
def test_address_sets_the_controls(slug):
    at = opened(slug, query={"pool_size": "16", "n_components": "500", "data": "digits"})
    held = [at.session_state[f"{slug}.{name}"] for name in ("pool_size", "n_components", "data")]
    assert held == [16, 500, "digits"]
    assert not at.toast


@every_chart_page
def test_impossible_address_is_corrected_with_a_notice(slug):
    query = {"pool_size": "99999", "n_components": "abc", "map": "<script>", "data": "../../etc/passwd"}
    at = opened(slug, query=query)
    assert not at.error
    assert len(at.toast) == len(query)
    largest = max({p.name: p for p in registry()["RandomMaxout"].params}["pool_size"].stops())
    assert at.session_state[f"{slug}.pool_size"] == largest
    assert at.session_state[f"{slug}.map"] == "RandomMaxout"
    # Said once: the controls are now in order.
    assert not changed(at, slug, {}).toast


@every_chart_page
def test_session_that_holds_a_file_that_is_gone(slug):
    at = opened(slug, {"data": "folder:gone"})
    assert not at.error
    assert specs(at)


@every_chart_page
def test_too_large_a_request_is_refused_before_it_starts(slug, monkeypatch):
    at = opened(slug, {"n_components": 200, "seed": 11})
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    changed(at, slug, {"n_components": 20_000, "pool_size": 100})
    text = assert_refused(at)
    assert "20000" in text.replace(",", "")
    monkeypatch.delenv("RFVIZ_MEMORY_GB")
    assert specs(changed(at, slug, {"n_components": 200}))


@every_chart_page
def test_points_without_a_direction_are_refused(slug, tmp_path):
    (tmp_path / "zeros.csv").write_text("a,b\n" + "0,0\n" * 3 + "1,2\n3,4\n5,7\n", encoding="utf-8")
    datasets.set_folder(tmp_path)
    try:
        at = opened(slug, {"data": "folder:zeros", "normalise": "unit norm"})
        assert "normalisation" in assert_refused(at)
        assert specs(changed(at, slug, {"normalise": "standardise"}))
    finally:
        datasets.set_folder(None)


@every_chart_page
def test_file_that_cannot_be_read_gives_a_warning_and_the_default(slug, tmp_path):
    expected = [spec["data"] for spec in specs(opened(slug))]
    (tmp_path / "damaged.npz").write_bytes(b"PK\x03\x04 this is no archive")
    datasets.set_folder(tmp_path)
    try:
        at = opened(slug, {"data": "folder:damaged"})
    finally:
        datasets.set_folder(None)
    assert len(at.warning) == 1
    assert "damaged.npz" in at.warning[0].value
    assert not at.error
    assert [spec["data"] for spec in specs(at)] == expected
