"""Pairs of points by number, and the one nearest to a place in a chart."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from rfviz.analysis.pairs import nearest_mark, pair_index, pair_rows


@pytest.mark.parametrize("n", [2, 3, 4, 17])
def test_pairs_are_numbered_as_condensed_matrices_are(n):
    X = np.random.default_rng(n).standard_normal((n, 2))
    distances = pdist(X)
    for index, distance in enumerate(distances):
        one, other = pair_rows(n, index)
        assert one < other and pair_index(n, one, other) == index
        assert np.linalg.norm(X[one] - X[other]) == pytest.approx(distance)


def test_the_nearest_mark_is_that_of_the_cloud_that_was_clicked():
    rng = np.random.default_rng(0)
    x, clouds = rng.random(500), rng.random((2, 500))
    for index, cloud in ((5, 0), (400, 1), (499, 0)):
        assert nearest_mark((x[index], clouds[cloud, index]), x, clouds, ((0.0, 1.0), (0.0, 1.0))) == index


@pytest.mark.parametrize(
    ("place", "spans", "found"),
    [
        ((2.0, 4.0), ((0.0, 100.0), (0.0, 5.0)), 0),
        ((2.0, 4.0), ((0.0, 2.0), (0.0, 500.0)), 1),
        ((1e300, -1e300), ((0.0, 10.0), (0.0, 5.0)), 2),
        ((2.0, 4.0), ((-100.0, 100.0), (2.0, 5.0)), 0),
    ],
)
def test_distances_in_a_chart_are_measured_by_its_axes(place, spans, found):
    """A tenth of the one axis is as far as a tenth of the other; a place beyond them is at their end."""
    assert nearest_mark(place, np.array([1.0, 2.0, 10.0]), [np.array([5.0, 1.0, 0.0])], spans) == found
