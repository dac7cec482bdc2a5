"""The page on random binning: what it draws is what the analysis computes, and the analysis agrees with the map."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.binning import boxes, pair_shares, plane_grids, shared_boxes
from rfviz.errors import DataError
from tests.app_pages import array, changed, opened, specs

SLUG = "binning"
UNFOLDED = {f"details-{number}": True for number in range(3)}


@pytest.fixture(scope="module")
def grids():
    return plane_grids(datasets.load("moons"), 2.0)


def chart(at, kind):
    """The first chart with a trace of that kind."""
    return next(spec for spec in specs(at) if any(t["type"] == kind for t in spec["data"]))


def traces(spec, kind):
    return [t for t in spec["data"] if t["type"] == kind]


# --- analysis ---------------------------------------------------------------------------------------------------------


def test_the_share_of_boxes_is_the_maps_own_estimate(grids):
    shared = shared_boxes(grids, 5, 300)
    x, y = np.meshgrid(*grids.axes)
    plane = np.column_stack([x.ravel(), y.ravel()])[::97]
    smaller = grids.feature_map.prefix(300)
    expected = np.mean(smaller.codes(plane) == smaller.codes(grids.points[5:6]), axis=1)
    np.testing.assert_allclose(shared.estimate.ravel()[::97], expected, atol=1e-6)
    np.testing.assert_allclose(shared.exact.ravel()[::97], smaller.kernel(plane, grids.points[5:6])[:, 0], atol=1e-12)


def test_the_error_falls_as_expected(grids):
    # Sum over seeds and points of the squared error against its exact expectation, at P = 64 grids of each draw.
    ratios = []
    for seed in range(12):
        drawn = plane_grids(datasets.load("moons"), 2.0, random_state=seed, n_repetitions=64)
        shared = shared_boxes(drawn, 3, 64)
        assert shared.p_grid[-1] == 64
        ratios.append((shared.rms[-1] / shared.predicted[-1]) ** 2)
    z = (np.mean(ratios) - 1.0) / (np.std(ratios, ddof=1) / np.sqrt(len(ratios)))
    assert abs(z) < 6.0  # a false alarm in 10,000 for a t law of 11 degrees of freedom


def test_boxes_hold_their_points_between_their_lines(grids):
    for repetition in (0, 7):
        view = boxes(grids, repetition, 11)
        left, right, bottom, top = view.own
        inside = (
            (grids.points[:, 0] > left) & (grids.points[:, 0] <= right)
            & (grids.points[:, 1] > bottom) & (grids.points[:, 1] <= top)
        )  # fmt: skip
        assert np.array_equal(inside, view.box == view.box[11])
        assert view.sizes.sum() == len(grids.points) and (np.diff(view.sizes) <= 0).all()
        assert right - left == pytest.approx(view.pitch[0]) and top - bottom == pytest.approx(view.pitch[1])
        for lines, pitch in zip(view.lines, view.pitch, strict=True):
            np.testing.assert_allclose(np.diff(lines), pitch)


def test_pairs_of_one_grid_are_blocks(grids):
    shares, order = pair_shares(grids, 1, 4)
    same = grids.codes[order, 4][:, None] == grids.codes[order, 4][None]
    np.testing.assert_allclose(shares, same)
    three, _ = pair_shares(grids, 3, 4)
    codes = grids.codes[order, 4:7]
    np.testing.assert_allclose(three, (codes[:, None] == codes[None]).mean(axis=2), atol=1e-6)
    assert np.abs(np.diff(shares, axis=0)).sum(axis=0).max() <= 2  # each column is one run of ones


def test_data_that_are_no_plane():
    with pytest.raises(DataError, match=r"two columns; .* has 64"):
        plane_grids(datasets.load("digits"), 1.0)


# --- page -------------------------------------------------------------------------------------------------------------


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
    [{"p": 1}, {"p": 4000}, {"shown": 9}, {"gamma": 5.0}, {"profile": "hat"}, {"profile": "rational"}, {"point": 40},
     {"seed": 3}],
)  # fmt: skip
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
    assert any("one block for each box" in m.value for m in at.markdown)


def test_folded_parts():
    at = opened(SLUG, UNFOLDED)
    assert len(at.dataframe) == 1 and "predicted" in at.dataframe[0].value.columns
    assert len(specs(at)) == 3
