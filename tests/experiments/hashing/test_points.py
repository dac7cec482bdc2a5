"""Points to be hashed: neighbours and pairs by brute force, and their codes."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from rfviz import datasets
from rfviz.errors import DataError, MemoryBudgetError, ParameterError
from rfviz.experiments.hashing.points import exact_neighbours, hash_codes, hash_titles, make_hash, prepare_hash_points
from rfviz.features import MapSpec, RandomFourier, RandomMaxout

rng = np.random.default_rng(0)


@pytest.fixture(scope="module")
def digits():
    return prepare_hash_points(datasets.load("digits"), "unit norm", max_points=400)


def maxout(m, q, seed=0):
    return MapSpec(RandomMaxout, n_components=m, pool_size=q, random_state=seed)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_neighbours_by_brute_force(metric):
    X = rng.standard_normal((60, 5))
    queries = np.array([3, 17, 59])
    distance = cdist(X[queries], X, metric)
    distance[np.arange(3), queries] = np.inf
    found, seconds = exact_neighbours(X, queries, 7, metric)
    np.testing.assert_array_equal(found, np.argsort(distance, axis=1)[:, :7])
    assert seconds > 0


def test_a_query_among_its_equals_is_not_its_own_neighbour():
    X = np.repeat(rng.standard_normal((4, 3)), 5, axis=0)
    found, _ = exact_neighbours(X, np.arange(20), 4, "euclidean")
    assert found.shape == (20, 4)
    assert not (found == np.arange(20)[:, None]).any()
    assert (found // 5 == np.arange(20)[:, None] // 5).all()


def test_each_pair_is_counted_once(digits):
    heads = prepare_hash_points(datasets.load("turning_head"), "unit norm")
    n = len(heads.original)
    assert len(heads.far) == len(heads.distinct) == n * (n - 1) // 2 == 528  # near pairs are among them
    assert 10_000 < len(digits.distinct) < len(digits.pairs)  # of many rows a sample, some pairs in it twice
    unordered = {tuple(sorted(pair)) for pair in digits.pairs.tolist()}
    assert {tuple(sorted(pair)) for pair in digits.pairs[digits.distinct].tolist()} == unordered
    assert len(unordered) == len(digits.distinct)


def test_pairs_are_of_different_points(digits):
    assert (digits.far[:, 0] != digits.far[:, 1]).all()
    assert digits.far.min() == 0 and digits.far.max() == 399
    first, second = digits.original[digits.pairs.T]
    np.testing.assert_allclose(np.cos(np.radians(digits.angles)), (first * second).sum(axis=1), atol=1e-9)


def test_few_coordinates_give_the_same_angles_and_codes_of_the_same_law():
    heads = prepare_hash_points(datasets.load("turning_head"), "unit norm")
    assert heads.coordinates.shape[1] < heads.original.shape[1]
    gram = heads.original @ heads.original.T
    i, j = heads.pairs.T
    np.testing.assert_allclose(np.cos(np.radians(heads.angles)), gram[i, j], atol=1e-9)


def test_codes_in_steps_are_the_codes(digits, monkeypatch):
    whole = hash_codes(digits, maxout(40, 5))
    monkeypatch.setattr("rfviz.experiments.hashing.points._STEP", 1)
    seen = []
    in_steps = hash_codes(digits, maxout(40, 5), lambda share, text: seen.append(share))
    assert (whole != in_steps).mean() < 1e-4  # products of other shapes are rounded otherwise, and near ties turn
    assert seen == sorted(seen) and len(seen) > 10


@pytest.mark.parametrize(
    ("data", "how", "message"),
    [
        (datasets.Dataset("few", np.eye(4, dtype=np.float32)), "unit norm", "at least 5 points; few has 4"),
        (datasets.Dataset("zeros", np.zeros((9, 2), np.float32)), "none", "no angle"),
    ],
)
def test_points_that_cannot_be_searched(data, how, message):
    with pytest.raises(DataError, match=message):
        prepare_hash_points(data, how)


def test_only_hashes_hash(digits):
    assert {"RandomMaxout", "RandomProjection"} <= set(hash_titles())
    with pytest.raises(ParameterError, match="must be a hash"):
        make_hash(digits, MapSpec(RandomFourier))


def test_codes_beyond_memory_are_refused(digits, monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.0001")
    with pytest.raises(MemoryBudgetError):
        hash_codes(digits, maxout(4096, 64))
