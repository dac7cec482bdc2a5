"""The page on Maxout-PCA draws what is computed, and a point can be selected."""

from dataclasses import replace

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.embedding import embed, exact_components, prepare_points
from rfviz.experiments.maxout_pca.describe import explanation
from rfviz.features import MapSpec, RandomMaxout, registry
from rfviz.params import defaults
from tests.app_pages import EMBEDDING, UNFOLDED, array, changed, opened, specs


@pytest.mark.parametrize("dimensions", [2, 3])
def test_embedding_draws_the_principal_components(dimensions):
    at = opened(EMBEDDING, {"dimensions": str(dimensions), "n_components": 500, "pool_size": 4} | UNFOLDED)
    points = prepare_points(datasets.load("turning_head"), "unit norm", dimensions)
    spec = MapSpec(RandomMaxout, n_components=500, pool_size=4, random_state=0)
    expected = embed(points, spec, dimensions, exact_components(points, spec, dimensions))
    for spec, projection in zip(specs(at), (expected.features, expected.plain, expected.exact), strict=True):
        marks = spec["data"][0]
        assert marks["type"] == ("scatter3d" if dimensions == 3 else "scatter")
        drawn = np.column_stack([array(marks[axis]) for axis in "xyz"[:dimensions]])
        # An axis may point either way; which one must not matter to a reader.
        signs = np.sign(np.sum(drawn * projection.coordinates, axis=0))
        np.testing.assert_allclose(drawn, projection.coordinates * signs, atol=1e-6)
    assert float(at.metric[0].value) == pytest.approx(expected.features.order.spearman, abs=1e-4)
    frame = expected.to_frame()
    tables = [table.value for table in at.dataframe]
    assert any(list(t.columns) == list(frame.columns) and np.allclose(t.iloc[:, 1:], frame.iloc[:, 1:]) for t in tables)
    assert len(specs(at)[0]["layout"].get("images", [])) == (33 if dimensions == 2 else 0)


def test_embedding_order_is_recovered():
    assert float(opened(EMBEDDING, UNFOLDED).metric[0].value) > 0.98


def test_embedding_lists_the_frames_whose_place_disagrees():
    at = opened(EMBEDDING, {"data.order_noise": 3} | UNFOLDED)
    tables = [t.value for t in at.dataframe if "places apart" in t.value.columns]
    assert len(tables) == 1
    assert (tables[0]["places apart"] >= 1).all()


def test_embedding_of_classes_has_no_order_and_a_legend():
    at = opened(EMBEDDING, {"data": "digits", "n_components": 200})
    assert not at.metric
    names = [t.get("name") for t in specs(at)[0]["data"] if t.get("showlegend")]
    assert names == [str(digit) for digit in range(10)]


def ring(at):
    """Return where the selected point is ringed; None where none is."""
    marks = specs(at)[0]["data"]
    found = [t for t in marks if t.get("marker", {}).get("symbol") == "circle-open"]
    return [array(found[0][axis])[0] for axis in "xy"] if found else None


def test_a_selected_point_is_a_setting_of_the_page():
    at = opened(EMBEDDING, {"n_components": 200}, {"point": "7"})
    points = specs(at)[0]["data"][0]
    assert ring(at) == [array(points[axis])[6] for axis in "xy"] and not at.toast
    at.session_state["embedding:picked"] = 32
    at.run()
    assert at.session_state[f"{EMBEDDING}.point"] == 33
    assert ring(at) == [array(specs(at)[0]["data"][0][axis])[32] for axis in "xy"]
    at.run()
    assert at.session_state[f"{EMBEDDING}.point"] == 33, "a click counts once, and what it chose stays"
    at.session_state["embedding:picked"] = None  # a double click
    at.run()
    assert at.session_state[f"{EMBEDDING}.point"] == 0 and ring(at) is None


def test_other_data_have_other_points():
    at = opened(EMBEDDING, {"n_components": 200}, {"point": "7"})
    assert changed(at, EMBEDDING, {"data": "circle"}).session_state[f"{EMBEDDING}.point"] == 0
    assert changed(at, EMBEDDING, {"point": 9}).session_state[f"{EMBEDDING}.point"] == 9
    # A step back, a pin and a preset set both at once.
    at.session_state[f"{EMBEDDING}:set"] = {"data", "point"}
    changed(at, EMBEDDING, {"data": "turning_head", "point": 9})
    assert at.session_state[f"{EMBEDDING}.point"] == 9 and ring(at)
    # More than there are.
    at = opened(EMBEDDING, {"n_components": 200}, {"point": "34"})
    assert at.session_state[f"{EMBEDDING}.point"] == 33 and len(at.toast) == 1


@pytest.mark.slow
@pytest.mark.parametrize("scheme", list(registry()))
def test_settings_are_those_that_the_scheme_declares(scheme):
    at = opened(EMBEDDING, {"map": scheme})
    values = defaults(registry()[scheme].params)
    declared = {p.name for p in registry()[scheme].params if p.applies(values)} - {"dtype"}
    assert all(f"{EMBEDDING}.{name}" in at.session_state for name in declared)


def test_whether_the_points_need_the_map_is_said():
    """The turning head's order is in plain components too; where they show less of it, the map is what finds it."""
    points = prepare_points(datasets.load("turning_head"), "unit norm", 2)
    spec = MapSpec(RandomMaxout, n_components=500, pool_size=4, random_state=0)
    result = embed(points, spec, 2, exact_components(points, spec, 2))
    assert "Plain PCA, without the map, does as well" in explanation(result)
    worse = replace(result.plain, order=replace(result.plain.order, spearman=0.6))
    words = explanation(replace(result, plain=worse))
    assert "does as well" not in words and "finds less of it (ρ = 0.6000)" in words


def test_the_swaps_that_were_found_are_counted():
    at = opened(EMBEDDING)
    words = next(m.value for m in at.markdown if "What am I seeing" in m.value)
    assert "all 6 that were swapped on purpose are among them" in words
    none = opened(EMBEDDING, {"data.order_noise": 0})
    assert not any("on purpose" in m.value for m in none.markdown)
