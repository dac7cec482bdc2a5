"""The page on kernel approximation: what it draws is what the analysis computes, and it answers what cannot be done."""

import re

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.kernel_sample import error_grid, prepare_sample
from rfviz.experiments.kernel_approximation.compute import kernel_errors
from rfviz.features import MapSpec, RandomFourier, RandomMaxout, registry
from rfviz.features.base import FeatureMap
from rfviz.lab.kernel_approximation.page import figure_3
from rfviz.params import defaults
from tests.app_pages import OFFLINE, array, changed, opened, prose, specs
from tests.charts import opacity

SLUG = "kernel-approximation"
UNFOLDED = {f"details-{number}": True for number in range(5)}
SMALL = {"points": 16, "m_max": 200, "draws": 4}


def named(spec, name):
    (found,) = [t for t in spec["data"] if t.get("name") == name]
    return found


def test_draws_the_measured_errors():
    at = opened(SLUG, {**SMALL, "pool_size": 8, "relative": False} | UNFOLDED)
    sample = prepare_sample(datasets.load("digits"), "unit norm", 16)
    expected = kernel_errors(sample, MapSpec(RandomMaxout, pool_size=8), error_grid(200), 4)
    charts = specs(at)
    np.testing.assert_allclose(array(named(charts[0], "Random maxout, q = 8")["y"]), expected.errors.average("rmse"))
    np.testing.assert_allclose(array(named(charts[0], "Random maxout, q = 8: theory")["y"]), expected.reference.rmse)
    m = at.session_state[f"{SLUG}.m"]
    place = error_grid(200).tolist().index(m)
    (image,) = charts[2]["layout"]["images"]
    np.testing.assert_array_equal(opacity(image) > 0, expected.density.counts[place] > 0)
    table = at.dataframe[0].value
    rows = table[table["map"] == "Random maxout, q = 8"]
    np.testing.assert_allclose(rows["RMSE"], expected.errors.average("rmse"))


@pytest.mark.slow
@pytest.mark.parametrize("name", OFFLINE)
def test_every_data_set_without_download_works(name):
    at = opened(SLUG, {**SMALL, "data": name})
    assert not at.error and not at.warning
    assert len(specs(at)) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("scheme", list(registry()))
def test_every_scheme_races_or_says_why_not(scheme):
    at = opened(SLUG, {**SMALL, "maps": [scheme]})
    assert not at.error
    assert specs(at) or "closed form" in at.warning[0].value
    params = registry()[scheme].params
    declared = {p.name for p in params if p.applies(defaults(params))} - {"n_components", "dtype"}
    assert all(f"{SLUG}.{name}" in at.session_state for name in declared)


@pytest.mark.parametrize("metric", ["mae", "maximum", "correlation"])
@pytest.mark.parametrize("how", ["none", "standardise"])
def test_measures_and_normalisations(metric, how):
    at = opened(SLUG, {**SMALL, "metric": metric, "normalise": how})
    assert not at.error
    assert len(named(specs(at)[0], "Random Fourier")["x"]) > 0


def test_further_pools_add_curves_and_clouds():
    at = opened(SLUG, {**SMALL, "pools": [4, 16, 1]})
    names = [t.get("name") for t in specs(at)[0]["data"]]
    assert [n for n in names if n and n.endswith(("q = 4", "q = 16", "q = 1"))] == [
        "Random maxout, q = 4",
        "Random maxout, q = 1",
        "Random maxout, q = 16",
    ]


def test_no_map_is_no_failure():
    at = opened(SLUG, {"maps": []})
    assert not at.error and at.info and not specs(at)


def test_odd_numbers_show_their_bias():
    at = opened(SLUG, UNFOLDED)
    button = next(b for b in at.button if b.label == "A biased map")
    button.click().run()
    assert not at.exception
    charts = specs(at)
    assert (array(charts[0]["data"][1]["x"]) % 2 == 1).all()
    marks = [t for chart in charts for t in chart["data"] if t.get("name") == "Random Fourier: bias"]
    assert len(array(marks[0]["x"])) > 2


@pytest.mark.slow
def test_setting_of_figure_3(monkeypatch):
    monkeypatch.delenv("RFVIZ_DATA", raising=False)
    at = opened(SLUG)
    next(b for b in at.button if b.label == "Figure 3, deep").click().run(timeout=120)
    assert not at.exception and not at.error and not at.warning
    assert at.session_state[f"{SLUG}.data"] == "photo_patches"
    assert at.session_state[f"{SLUG}.skeleton"] == "deep"
    assert {**figure_3("deep"), "skeleton": "flat"} == figure_3("flat"), "the other button's, that takes twice as long"
    assert "8,128 pairs of 128 points" in "\n".join(prose(at))
    drawn = specs(at)[0]
    for label in ("Compositional, kept once", "Compositional, as drawn", "Hybrid compositional"):
        assert array(named(drawn, label)["x"])[-1] == 10_000
    # The hybrid's variance is known exactly; merging equal features never errs more than drawing as many.
    np.testing.assert_allclose(
        array(named(drawn, "Hybrid compositional")["y"]),
        array(named(drawn, "Hybrid compositional: theory")["y"]),
        rtol=0.6,
    )
    once, all_drawn = (array(named(drawn, f"Compositional, {how}")["y"])[-1] for how in ("kept once", "as drawn"))
    assert once < all_drawn


def test_figure_3_uses_cifar10_where_the_data_folder_has_it(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "cifar10_few.npz", X=rng.integers(0, 256, (40, 32, 32, 3), np.uint8), y=np.arange(40) % 10)
    monkeypatch.setenv("RFVIZ_DATA", str(tmp_path))
    assert figure_3("flat")["data"] == "cifar10"
    monkeypatch.delenv("RFVIZ_DATA")
    assert figure_3("flat")["data"] == datasets.DEFAULT_COLOUR_IMAGES


def test_a_map_that_cannot_be_computed_leaves_the_others(monkeypatch):
    monkeypatch.setattr(registry()["RandomFourier"], "_kernel", FeatureMap._kernel)  # noqa: SLF001
    at = opened(SLUG, {**SMALL, "points": 32})
    assert not at.error and "Random Fourier: kernel must have a closed form" in at.warning[0].value
    assert named(specs(at)[0], "Random maxout, q = 4")


def test_too_large_a_request_is_refused_before_it_starts(monkeypatch):
    at = opened(SLUG, SMALL)
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    changed(at, SLUG, {"points": 512, "draws": 50})
    assert len(at.warning) == 2 and "Choose fewer points or draws" in at.warning[0].value
    assert not specs(at)
    monkeypatch.delenv("RFVIZ_MEMORY_GB")
    assert specs(changed(at, SLUG, SMALL))


def test_impossible_address_is_corrected_with_a_notice():
    at = opened(SLUG, {}, {"m": "160", "draws": "0", "metric": "<b>", "points": "1e9", "maps": "Nothing,"})
    assert not at.error
    assert at.session_state[f"{SLUG}.m"] == 162 and at.session_state[f"{SLUG}.draws"] == 1
    assert at.session_state[f"{SLUG}.metric"] == "rmse"
    assert len(at.toast) >= 4


def test_a_smaller_largest_m_keeps_the_marked_one_on_the_grid():
    at = opened(SLUG, {**SMALL, "m_max": 2000, "m": 2000})
    changed(at, SLUG, {"m_max": 100, "odd": True})
    assert not at.error
    assert at.session_state[f"{SLUG}.m"] == 99


@pytest.mark.slow
def test_shared_pool_preset_says_what_equal_projections_give():
    at = opened(SLUG)
    next(b for b in at.button if b.label == "Shared pool").click().run()
    assert not at.exception and not at.error and not at.warning
    said = "\n".join(prose(at))
    numbers = re.search(
        r"make 100 independent features, with an exact RMSE ÷ mean k\(x, x\) of ([\d.]+)\. Shared, they make 2,000 "
        r"features with ([\d.]+); more features do not fall below ([\d.]+),.* independent features reach ([\d.]+), but "
        r"take 8,000",
        said,
    )
    alone, shared, floor, many = map(float, numbers.groups())
    assert many < floor < shared < alone
    drawn = specs(at)[0]
    # What is measured agrees with the exact curve, which the story is made of; all pairs of a draw err together, so
    # that the mean square of twenty draws is about as sure as a chi-squared of twenty degrees.
    measured, exact = (array(named(drawn, f"Shared-pool maxout, q = 4{more}")["y"]) for more in ("", ": theory"))
    np.testing.assert_allclose(measured, exact, rtol=0.6)


def test_receptive_fields_are_offered_for_images_and_have_an_exact_kernel():
    at = opened(SLUG, {**SMALL, "maps": ["RandomMaxout"], "receptive_field": (3, 5)})
    assert not at.error and not at.warning
    measured, exact = (array(named(specs(at)[0], f"Random maxout, q = 4{more}")["y"]) for more in ("", ": theory"))
    np.testing.assert_allclose(measured, exact, rtol=0.5)
    assert f"{SLUG}.receptive_field" not in opened(SLUG, {**SMALL, "data": "sphere"}).session_state


DRAWN = ["independent", "orthogonal", "structured", "Sobol"]


def test_draws_race_on_one_chart():
    at = opened(SLUG)
    next(b for b in at.button if b.label == "Better draws").click().run()
    assert not at.exception and not at.error and not at.warning
    spec = specs(at)[0]
    curves = {how: named(spec, f"Random Fourier, {how}") for how in DRAWN}
    last = {how: array(curve["y"])[-1] for how, curve in curves.items()}
    assert last["orthogonal"] < 0.6 * last["independent"] and last["structured"] < 0.6 * last["independent"]
    looks = {(c["line"]["color"], c["line"]["dash"], c["marker"]["symbol"]) for c in curves.values()}
    assert len({colour for colour, *_ in looks}) == len({symbol for *_, symbol in looks}) == 4
    # Of two of them the variance is known, and is what is measured: ten draws, whose errors vary by a tenth each.
    for how in ("independent", "orthogonal"):
        exact = array(named(spec, f"Random Fourier, {how}: theory")["y"])
        np.testing.assert_allclose(array(curves[how]["y"]), exact, rtol=0.25)
    assert "not known: Random Fourier, structured; Random Fourier, Sobol." in "\n".join(c.value for c in at.caption)


def test_a_draw_from_an_address_is_one_curve_with_its_name():
    at = opened(SLUG, SMALL | {"maps": ["RandomFourier"]}, {"draw": "orthogonal"})
    assert named(specs(at)[0], "Random Fourier, orthogonal")
    assert not at.toast
    nothing = changed(at, SLUG, {"draw": []})
    assert named(specs(nothing)[0], "Random Fourier")


def test_draws_that_a_kernel_does_not_allow_say_so_and_leave_the_others():
    at = opened(SLUG, SMALL | {"maps": ["RandomFourier"], "spectrum": "laplacian", "draw": ["iid", "structured"]})
    assert not at.error and len(at.warning) == 1
    assert "draw must be 'iid' or 'qmc' for the spectrum 'laplacian'" in at.warning[0].value
    assert named(specs(at)[0], "Random Fourier, independent")


def test_smoothness_is_there_for_the_matern_kernel_alone():
    at = opened(SLUG, SMALL | {"maps": ["RandomFourier"], "spectrum": "matern"})
    assert f"{SLUG}.nu" in at.session_state
    assert f"{SLUG}.nu" not in opened(SLUG, SMALL | {"maps": ["RandomFourier"]}).session_state


def test_a_click_rings_the_pair_in_every_cloud_and_writes_out_its_feature():
    chosen = {**SMALL, "maps": ["RandomMaxout", "RandomFourier"], "pools": []}
    at = opened(SLUG, chosen)
    n_charts = len(specs(at))
    at.session_state["cloud-1:placed"] = (1, [(0.4, 0.4)])
    at.run()
    assert not at.exception and not at.error and not at.warning and len(specs(at)) == n_charts
    rows = [box.value - 1 for box in at.number_input if box.label in ("Row x", "Row z")]
    X = prepare_sample(datasets.load("digits"), "unit norm", 16).original
    for number, cls in ((1, RandomFourier), (2, RandomMaxout)):
        params = {"pool_size": at.session_state[f"{SLUG}.pool_size"]} if cls is RandomMaxout else {"gamma": 1.0}
        for m in (at.session_state[f"{SLUG}.m"], 10):
            at.session_state[f"{SLUG}.m"] = m
            at.run()
            ring = specs(at)[number]["data"][-1]
            fitted = cls(n_components=m, **params).fit(X)
            x, z = fitted.transform(X[rows]).astype(float)
            assert array(ring["x"])[0] == pytest.approx(float(fitted.kernel(X[rows])[0, 1]), abs=1e-6)
            assert array(ring["y"])[0] == pytest.approx(x @ z, abs=1e-5)
    words = "\n".join(prose(at))
    assert f"rows {rows[0] + 1} and {rows[1] + 1} of the 16 points" in words
    assert at.session_state[f"{SLUG}.steps-map"].startswith("Random maxout") and "wins" in words


def test_the_pair_that_was_clicked_is_the_nearest():
    at = opened(SLUG, {**SMALL, "points": 32, "maps": ["RandomFourier"], "paired": True})
    X = prepare_sample(datasets.load("digits"), "unit norm", 32).original
    fitted = RandomFourier(n_components=at.session_state[f"{SLUG}.m"], gamma=1.0, paired=True).fit(X)
    Phi = fitted.transform(X).astype(float)
    kernel, estimate = fitted.kernel(X)[3, 29], Phi[3] @ Phi[29]
    at.session_state["cloud-0:placed"] = (1, [(float(kernel), float(estimate))])
    at.run()
    assert [box.value for box in at.number_input if box.label in ("Row x", "Row z")] == [4, 30]
    at.session_state[f"{SLUG}.points"] = 16  # of which there is no row 30
    at.run()
    assert not at.exception and not at.error and not any("Your pair" in m for m in prose(at))
