"""The page on random binning draws what is computed."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.experiments.binning.compute import boxes, plane_grids, shared_boxes
from rfviz.features import MapSpec, RandomBinning
from tests.app_pages import UNFOLDED, array, changed, opened, prose, specs

SLUG = "binning"
LAW = MapSpec(RandomBinning, gamma=2.0, random_state=0)


@pytest.fixture(scope="module")
def grids():
    return plane_grids(datasets.load("moons"), LAW)


def chart(at, kind):
    """Return the first chart with a trace of that kind."""
    return next(spec for spec in specs(at) if any(t["type"] == kind for t in spec["data"]))


def traces(spec, kind):
    return [t for t in spec["data"] if t["type"] == kind]


@pytest.mark.slow
def test_default_draws_a_grid_and_the_share_of_boxes(grids):
    at = opened(SLUG)
    shared = shared_boxes(grids, 0, 100)
    picture = chart(at, "heatmap")
    np.testing.assert_allclose(array(traces(picture, "heatmap")[0]["z"]), shared.estimate, atol=1e-6)
    np.testing.assert_allclose(array(traces(picture, "contour")[0]["z"]), shared.exact, atol=1e-6)
    points = next(t for t in specs(at)[0]["data"] if t.get("customdata"))
    np.testing.assert_allclose(array(points["x"]), grids.points[:, 0])
    view = boxes(grids, 0, 0)
    looks = list(zip(points["marker"]["color"], points["marker"]["symbol"], strict=True))
    for box in range(min(len(view.sizes), 6)):
        assert len({look for look, own in zip(looks, view.box, strict=True) if own == box}) == 1


@pytest.mark.parametrize(
    "state",
    [
        {"p": 1},
        {"p": 4000},
        {"shown": 9},
        {"gamma": 5.0},
        {"profile": "hat"},
        {"profile": "rational"},
        {"point": 40},
        {"seed": 3},
    ],
)
def test_every_control_changes_a_picture(state):
    at = opened(SLUG)
    before = specs(at)
    after = specs(changed(at, SLUG, state))
    assert not at.error
    assert [spec["data"] for spec in after] != [spec["data"] for spec in before]
    assert [spec["layout"]["height"] for spec in after] == [spec["layout"]["height"] for spec in before]


@pytest.mark.parametrize("name", ["circles", "spirals", "xor", "circle"])
def test_every_data_set_of_the_plane(name):
    at = opened(SLUG, {"data": name})
    assert not at.error and len(specs(at)) == 2


def test_preset_of_figure_2():
    at = opened(SLUG)
    next(b for b in at.button if b.label == "Figure 2 of the paper").click().run()
    assert not at.exception and not at.error
    pairs = array(traces(chart(at, "heatmap"), "heatmap")[0]["z"])
    assert pairs.shape == (100, 100) and set(np.unique(pairs)) == {0.0, 1.0}
    assert any("one block for each box" in m for m in prose(at))


def test_folded_parts():
    at = opened(SLUG, UNFOLDED)
    assert len(at.dataframe) == 1 and "predicted" in at.dataframe[0].value.columns
    assert len(specs(at)) == 3
