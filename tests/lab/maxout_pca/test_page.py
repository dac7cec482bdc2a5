"""The page on Maxout-PCA draws what is computed, and a point can be selected."""

import re
from dataclasses import replace

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.embedding import embed, exact_components, kept_neighbours, locally_linear, prepare_points
from rfviz.experiments.maxout_pca.describe import explanation, locally_linear_words
from rfviz.features import MapSpec, RandomMaxout, registry
from rfviz.params import defaults
from tests.app_pages import EMBEDDING, UNFOLDED, array, changed, opened, prose, specs


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
    words = next(m for m in prose(at) if "lie on a curve" in m)
    assert "all 6 that were swapped on purpose are among them" in words
    none = opened(EMBEDDING, {"data.order_noise": 0})
    assert not any("on purpose" in m for m in prose(none))


@pytest.mark.parametrize(("data", "order"), [("turning_head", True), ("moons", False)])
def test_locally_linear_embedding_stands_next_to_it(data, order):
    at = opened(EMBEDDING, {"data": data, "n_components": 200, "details-3": True})
    assert not at.error and not at.exception
    points = prepare_points(datasets.load(data), "unit norm", 2)
    found, drawn = locally_linear(points, 2), specs(at)[-1]
    xy = np.concatenate([np.column_stack([array(t["x"]), array(t["y"])]) for t in drawn["data"] if "customdata" in t])
    np.testing.assert_allclose(np.sort(xy[:, 0]), np.sort(found.coordinates[:, 0]), atol=1e-5)
    assert drawn["layout"]["xaxis"]["title"]["text"] == "axis 1"
    (said,) = [markdown for markdown in prose(at) if "**Locally linear embedding**" in markdown]
    kept = float(re.search(r", ([\d.]+)% are among", said)[1])
    assert abs(kept - 100 * kept_neighbours(found, points.neighbours)) < 0.5
    assert ("The order along its curve" in said) == order


def test_of_two_embeddings_the_one_that_shows_more_of_the_order_is_named():
    points = prepare_points(datasets.load("turning_head"), "unit norm", 2)
    result = embed(points, MapSpec(RandomMaxout, n_components=200), 2)

    def said(ours, theirs):
        features = replace(result.features, order=replace(result.features.order, spearman=ours))
        other = replace(result.plain, order=replace(result.plain.order, spearman=theirs))
        return locally_linear_words(replace(result, features=features), other)

    assert said(0.99, 0.91).endswith(
        "ρ = 0.9100 with the given one, that of the features 0.9900: the features show more of it."
    )
    assert said(0.6, 0.91).endswith("this embedding shows more of it.")
    assert said(0.99, 0.991).endswith("one shows it as well as the other.")
    assert said(0.1, 0.4).endswith("neither shows it.")
