"""Every frame of a film is what the analysis gives at that number of features, one by one."""

import itertools

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from rfviz import datasets
from rfviz.analysis.cooccurrence import exact_map, pixel_map, sample_features
from rfviz.analysis.embedding import embed, exact_components, prepare_points
from rfviz.analysis.frames_cooccurrence import cooccurrence_over_features
from rfviz.analysis.frames_embedding import embedding_over_m, turned_to_agree
from rfviz.errors import DataError
from rfviz.skeleton import preset

GRID = (10, 24, 60)


@pytest.fixture(scope="module")
def points():
    return prepare_points(datasets.load("turning_head"), "unit norm", 2)


@pytest.mark.parametrize("scheme", ["RandomMaxout", "RandomFourier", "RandomBinning", "HybridCompositional"])
def test_embeddings_are_those_of_each_m(scheme, points):
    setting = {"n_components": 24, "random_state": 2}
    exact = exact_components(points, scheme, setting, 2)
    for m, frame in zip(GRID, embedding_over_m(points, scheme, setting, 2, GRID, exact), strict=True):
        alone = embed(points, scheme, setting | {"n_components": m}, 2, exact).features
        np.testing.assert_allclose(
            pdist(frame.coordinates), pdist(alone.coordinates), atol=1e-4 * np.ptp(frame.coordinates)
        )
        np.testing.assert_allclose(frame.explained, alone.explained, atol=1e-5)


def test_frames_are_turned_but_not_bent(points):
    setting = {"n_components": 200, "pool_size": 12, "random_state": 0}
    values = (10, 12, 16, 20, 30, 60, 200)
    frames = embedding_over_m(points, "RandomMaxout", setting, 2, values)
    # As if an eigenvector's sign had flipped, and two had traded places.
    flipped = type(frames[2])("x", frames[2].coordinates[:, ::-1] * [1, -1], frames[2].explained[::-1], None, "")
    turned = turned_to_agree([*frames[:2], flipped, *frames[3:]])
    np.testing.assert_array_equal(turned[-1].coordinates, frames[-1].coordinates)
    for frame, other in zip(turned, frames, strict=True):
        np.testing.assert_allclose(pdist(frame.coordinates), pdist(other.coordinates), atol=1e-12)
        assert frame.explained.sum() == pytest.approx(other.explained.sum())
    jumps = [np.abs(a.coordinates - b.coordinates).max() for a, b in itertools.pairwise(turned)]
    assert max(jumps) < 0.5 * np.ptp(frames[-1].coordinates)


def test_too_many_points_for_a_film_are_refused():
    many = prepare_points(datasets.load("circle", n_samples=2500), "unit norm", 2)
    with pytest.raises(DataError, match="up to 2,000 points"):
        embedding_over_m(many, "RandomMaxout", {"n_components": 20}, 2, (10, 20))


def test_maps_of_pixels_are_those_of_each_number_of_features():
    skeleton = preset("2 convolutions", (12, 12, 1), shrink=True)
    sample, exact, counts = sample_features(skeleton, 20_000, 0), exact_map(skeleton, 30), (1000, 5000, 20_000)
    for count, found in zip(counts, cooccurrence_over_features(sample, 30, counts, exact), strict=True):
        alone = pixel_map(sample_features(skeleton, count, 0), 30, count)
        np.testing.assert_array_equal(found.correlation, alone.correlation)
        np.testing.assert_allclose(found.rms, alone.rms)
