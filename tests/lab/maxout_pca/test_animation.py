"""Every frame of an animation is what the computation gives for that number of features, one by one."""

import itertools

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from rfviz import datasets
from rfviz.analysis.embedding import embed, exact_components, prepare_points
from rfviz.errors import DataError
from rfviz.features import MapSpec, RandomMaxout, map_class
from rfviz.lab.maxout_pca.animation import embedding_over_m, turned_to_agree

GRID = (10, 24, 60)


@pytest.fixture(scope="module")
def points():
    return prepare_points(datasets.load("turning_head"), "unit norm", 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["RandomMaxout", "RandomFourier", "RandomBinning", "HybridCompositional"])
def test_embeddings_are_those_of_each_m(name, points):
    spec = MapSpec(map_class(name), n_components=24, random_state=2)
    exact = exact_components(points, spec, 2)
    for m, frame in zip(GRID, embedding_over_m(points, spec, 2, GRID, exact), strict=True):
        alone = embed(points, spec.replace(n_components=m), 2, exact).features
        np.testing.assert_allclose(
            pdist(frame.coordinates), pdist(alone.coordinates), atol=1e-4 * np.ptp(frame.coordinates)
        )
        np.testing.assert_allclose(frame.explained, alone.explained, atol=1e-5)


def test_frames_are_turned_but_not_bent(points):
    spec = MapSpec(RandomMaxout, n_components=200, pool_size=12, random_state=0)
    values = (10, 12, 16, 20, 30, 60, 200)
    frames = embedding_over_m(points, spec, 2, values)
    # As if an eigenvector's sign had flipped, and two had traded places.
    flipped = type(frames[2])("x", frames[2].coordinates[:, ::-1] * [1, -1], frames[2].explained[::-1], None, "")
    turned = turned_to_agree([*frames[:2], flipped, *frames[3:]])
    np.testing.assert_array_equal(turned[-1].coordinates, frames[-1].coordinates)
    for frame, other in zip(turned, frames, strict=True):
        np.testing.assert_allclose(pdist(frame.coordinates), pdist(other.coordinates), atol=1e-12)
        assert frame.explained.sum() == pytest.approx(other.explained.sum())
    jumps = [np.abs(a.coordinates - b.coordinates).max() for a, b in itertools.pairwise(turned)]
    assert max(jumps) < 0.5 * np.ptp(frames[-1].coordinates)


def test_too_many_points_for_an_animation_are_refused():
    many = prepare_points(datasets.load("circle", n_samples=2500), "unit norm", 2)
    with pytest.raises(DataError, match="up to 2,000 points"):
        embedding_over_m(many, MapSpec(RandomMaxout, n_components=20), 2, (10, 20))
