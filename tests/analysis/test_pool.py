"""The pool of the first feature: that of the map that a chart is drawn with, and the pairs of the first points."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from rfviz import datasets
from rfviz.analysis.mapping import points_for
from rfviz.analysis.pairs import first_pairs
from rfviz.analysis.pool import first_pool, pool_of
from rfviz.experiments.distance_saturation.compute import prepare_pairs
from rfviz.experiments.hashing.compute import first_places
from rfviz.experiments.hashing.points import hash_codes, prepare_hash_points
from rfviz.features import MapSpec, RandomFourier, RandomMaxout

MAXOUT = MapSpec(RandomMaxout, n_components=60, pool_size=5, random_state=3)


@pytest.fixture(scope="module")
def dataset():
    return datasets.from_arrays(np.random.default_rng(0).normal(size=(90, 6)))  # in all directions


def test_the_first_feature_is_that_of_the_chart(dataset):
    points = prepare_pairs(dataset, "unit norm")
    pool = first_pool(points, MAXOUT, 40)
    X = points_for(MAXOUT.make(), points)
    first = MAXOUT.make().fit(X).transform(X)[:40, 0]
    assert pool.directions.shape == (5, X.shape[1]) and pool.projections.shape == (40, 5)
    np.testing.assert_allclose(pool.projections.max(axis=1) / np.sqrt(60), first, rtol=1e-5)


def test_the_winners_are_the_first_symbols_of_the_codes(dataset):
    points = prepare_hash_points(dataset, "unit norm", "cosine")
    codes = hash_codes(points, MAXOUT)
    pool = first_pool(points, MAXOUT, 64)
    np.testing.assert_array_equal(pool.projections.argmax(axis=1), codes[:64, 0])
    assert len(set(codes[:64, 0])) > 2
    angle, share = first_places(points, MAXOUT, codes, 64)
    X = points.original[:64] / np.linalg.norm(points.original[:64], axis=1, keepdims=True)
    np.testing.assert_allclose(angle, np.degrees(np.arccos(1 - pdist(X, "cosine"))), atol=1e-3)
    np.testing.assert_allclose(share, pdist(codes[:64], "hamming"))


def test_pairs_of_the_first_points_keep_their_order():
    X = np.random.default_rng(0).normal(size=(9, 3))
    np.testing.assert_array_equal(first_pairs(pdist(X), 9, 4), pdist(X[:4]))
    np.testing.assert_array_equal(first_pairs(pdist(X), 9, 20), pdist(X))


def test_a_map_without_a_pool_has_none(dataset):
    assert pool_of(dataset.X, MapSpec(RandomFourier, n_components=8), 4) is None
