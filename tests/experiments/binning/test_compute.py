"""Random grids against the feature map that they belong to."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.errors import DataError
from rfviz.experiments.binning.compute import boxes, pair_shares, plane_grids, shared_boxes
from rfviz.features import MapSpec, RandomBinning

LAW = MapSpec(RandomBinning, gamma=2.0, random_state=0)


@pytest.fixture(scope="module")
def grids():
    return plane_grids(datasets.load("moons"), LAW)


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
        drawn = plane_grids(datasets.load("moons"), LAW.replace(random_state=seed), n_repetitions=64)
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
            (grids.points[:, 0] > left)
            & (grids.points[:, 0] <= right)
            & (grids.points[:, 1] > bottom)
            & (grids.points[:, 1] <= top)
        )
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
        plane_grids(datasets.load("digits"), LAW)
