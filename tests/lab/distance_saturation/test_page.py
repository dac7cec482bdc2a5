"""The page on distance saturation draws what is computed."""

import json

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.experiments.distance_saturation.compute import prepare_pairs, saturation
from rfviz.features import MapSpec, RandomMaxout, registry
from tests.app_pages import SATURATION, UNFOLDED, array, opened, prose, specs
from tests.charts import opacity


def curves(spec, grid):
    """Return the lines of a chart over exactly this grid."""
    lines = [t for t in spec["data"] if t["type"] == "scatter" and t["mode"] == "lines"]
    return [array(t["y"]) for t in lines if np.array_equal(array(t["x"]), grid)]


def saturation_of(pool_sizes, n_components=1000):
    pairs = prepare_pairs(datasets.load("circle"), "unit norm")
    spec = MapSpec(RandomMaxout, n_components=n_components, random_state=0)
    return saturation(pairs, [spec.replace(pool_size=q) for q in pool_sizes], [f"q = {q}" for q in pool_sizes])


@pytest.mark.parametrize(("state", "pool_sizes"), [({}, [8, 32]), ({"pool_size": 16, "compare": [4, 64]}, [16, 4, 64])])
def test_saturation_draws_the_exact_law(state, pool_sizes):
    at = opened(SATURATION, {"printed": False, **state})
    (spec,) = specs(at)
    grid = np.linspace(0.0, 2.0, 201)
    drawn = curves(spec, grid)
    assert len(drawn) == len(pool_sizes)
    for curve, q in zip(drawn, pool_sizes, strict=True):
        law = registry()["RandomMaxout"](n_components=1000, pool_size=q).distance_law()
        np.testing.assert_allclose(curve, law.band(grid)[0], atol=1e-12)
    for image, curve in zip(spec["layout"]["images"], saturation_of(pool_sizes).curves, strict=True):
        np.testing.assert_array_equal(opacity(image) > 0, curve.counts > 0)


def test_saturation_table_is_the_result():
    at = opened(SATURATION, {"pool_size": 12, "compare": [2]} | UNFOLDED)
    expected = saturation_of([12, 2]).to_frame()
    shown = at.dataframe[0].value
    pd.testing.assert_frame_equal(shown, expected[shown.columns], check_dtype=False)


def test_saturation_draws_the_printed_formula_on_demand():
    with_it = specs(opened(SATURATION, {"printed": True}))[0]["data"]
    without = specs(opened(SATURATION, {"printed": False}))[0]["data"]
    assert len(with_it) == len(without) + 2


def test_saturation_keeps_a_value_that_is_compared_with_itself_once():
    spec = specs(opened(SATURATION, {"pool_size": 8, "compare": [8, 32], "printed": False}))[0]
    assert len(curves(spec, np.linspace(0.0, 2.0, 201))) == 2


def test_half_a_million_pairs_are_drawn_as_density():
    at = opened(SATURATION, {"data.n_samples": 1000, "n_components": 100})
    (spec,) = specs(at)
    assert not at.error
    assert max(np.size(array(t["x"])) for t in spec["data"] if t["type"] == "scatter") < 2000
    assert len(json.dumps(spec)) < 500_000


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"spectrum": "laplacian"}, "looks at the columns one by one"),
        ({"draw": "qmc"}, "How much this way of drawing scatters is not known"),
        ({"spectrum": "matern", "nu": 0.5}, "cusp"),
        ({"spectrum": "matern"}, "Near points are"),
        ({"draw": "orthogonal"}, "Near points are"),
    ],
)
def test_saturation_says_why_a_curve_is_missing(setting, said):
    at = opened(SATURATION, {"map": "RandomFourier", "n_components": 200} | setting)
    assert not at.error and not at.warning
    assert said in "\n".join(prose(at))
    names = [t.get("name", "") for t in specs(at)[0]["data"]]
    assert any("expected" in name or "exact mean" in name for name in names)
    assert any("linear regime" in name for name in names) == (said.startswith("Near points are"))


def main_traces(at):
    """Return the traces of the page's chart; the directions of a pool have one of their own."""
    return next(s for s in specs(at) if "distance of points" in s["layout"]["xaxis"]["title"]["text"])["data"]


def clicked(at, x, y):
    """Click in the chart, as its script says it."""
    at.session_state["saturation:placed"] = (1, [(x, y)])
    return at.run()


def test_a_click_marks_the_nearest_pair_and_writes_out_its_feature():
    at = opened(SATURATION, {"printed": False})
    plain = main_traces(at)
    clicked(at, 1.4, 0.88)
    pairs = prepare_pairs(datasets.load("circle"), "unit norm")
    mark = main_traces(at)[-1]
    assert mark["mode"] == "markers" and len(main_traces(at)) == len(plain) + 1
    (before, *again), after = array(mark["x"]), array(mark["y"])
    assert again == [before] and abs(before - 1.4) < 0.02 and abs(after[0] - 0.88) < 0.02
    one, other = (at.session_state[f"{SATURATION}.steps-{name}"] for name in ("x", "z"))
    assert np.linalg.norm(pairs.original[one - 1] - pairs.original[other - 1]) == pytest.approx(before, abs=1e-5)
    words = "\n".join(prose(at))
    assert f"rows {one} and {other} are {before:.3f} apart" in words and f"**x**, row {one}:" in words
    # It is the same pair when a slider moves, at its new distance.
    at.session_state[f"{SATURATION}.pool_size"] = 64
    at.run()
    moved = main_traces(at)[-1]
    assert array(moved["x"])[0] == before and array(moved["y"])[0] < after[0] - 0.1
    assert not at.exception and not at.error and not at.warning


def test_a_pair_of_rows_that_are_gone_is_forgotten():
    at = clicked(opened(SATURATION, {"data.n_samples": 100}), 2.0, 0.9)
    n_traces = len(main_traces(at))
    at.session_state[f"{SATURATION}.data.n_samples"] = 5
    at.run()
    assert len(main_traces(at)) == n_traces - 1 and not at.exception and not at.error


@pytest.mark.parametrize("scheme", ["RandomMaxout", "RandomFourier"])
def test_the_series_is_drawn_of_maxout_alone(scheme):
    at = opened(SATURATION, {"map": scheme, "n_components": 50} | {f"details-{number}": True for number in range(5)})
    assert not at.error and not at.exception
    drawn = [t["name"] for spec in specs(at) for t in spec["data"] if t.get("name") == "a₀ + a₁ρ"]
    tables = [frame.value for frame in at.dataframe if "a₁" in frame.value]
    assert len(drawn) == len(tables) == (scheme == "RandomMaxout")
