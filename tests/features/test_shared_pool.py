"""Maxout over a shared pool: brute force, its index sets, its variance, and what it becomes for a large pool."""

import numpy as np
import pytest
from scipy import sparse, stats

from rfviz.errors import MemoryBudgetError, ParameterError
from rfviz.features import RandomMaxout, SharedPoolMaxout
from rfviz.features.shared_pool_maxout import _distinct
from tests.features.cases import unit_rows

ALARM = 1e-5
X = unit_rows(6, 4) * np.array([[0.4, 1.0, 1.7, 0.9, 0.0, 1.0]]).T
PAIRS = np.triu_indices(4)


@pytest.mark.parametrize("m", [1, 255, 700])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_by_brute_force(m, container):
    feature_map = SharedPoolMaxout(m, pool_size=3, n_projections=10, dtype="float64", device="cpu").fit(X)
    many = np.tile(X, (60, 1))  # more than one tile
    features = feature_map.transform(container(many))
    for feature in range(m):
        lines = feature_map.projections_[feature_map.indices_[:, feature]]
        np.testing.assert_allclose(features[:, feature], (many @ lines.T).max(axis=1) / np.sqrt(m), rtol=0, atol=1e-13)


def test_indices_are_different_and_every_set_is_as_likely():
    draws = np.random.default_rng(0).random((2, 60_000))
    chosen = _distinct(draws, 5)
    assert (chosen[0] != chosen[1]).all() and chosen.min() == 0 and chosen.max() == 4
    counts = np.bincount(chosen[0] * 5 + chosen[1], minlength=25).reshape(5, 5)
    observed = counts[~np.eye(5, dtype=bool)]
    assert stats.chisquare(observed).pvalue > ALARM
    everything = _distinct(np.random.default_rng(1).random((7, 500)), 7)
    assert (np.sort(everything, axis=0) == np.arange(7)[:, None]).all()


@pytest.mark.slow
@pytest.mark.parametrize(("q", "P", "m"), [(4, 6, 200), (4, 40, 20), (2, 16, 500)])
def test_mean_and_variance_by_z_scores(q, P, m):
    data, seeds = X[:4], 700
    estimates = np.empty((seeds, len(PAIRS[0])))
    for seed in range(seeds):
        feature_map = SharedPoolMaxout(m, pool_size=q, n_projections=P, random_state=seed, dtype="float64").fit(data)
        features = feature_map.transform(data)
        estimates[seed] = (features @ features.T)[PAIRS]
    z = (estimates.mean(axis=0) - feature_map.kernel(data)[PAIRS]) / (estimates.std(axis=0) / np.sqrt(seeds))
    assert (np.abs(z) < stats.norm.isf(ALARM / 2 / len(z))).all()
    law = feature_map.product_law(data)
    expected = law.variance(m)[PAIRS]
    # The estimates are skewed where the pool is small: the error of their variance is taken from their fourth moment.
    squares = (estimates - estimates.mean(axis=0)) ** 2
    z = (squares.mean(axis=0) * seeds / (seeds - 1) - expected) / (squares.std(axis=0) / np.sqrt(seeds))
    assert (np.abs(z) < stats.norm.isf(ALARM / 2 / len(z))).all()
    independent = RandomMaxout(m, pool_size=q).fit(data).product_law(data).variance(m)[PAIRS]
    assert (expected > independent).all()
    # The test has power: the variance of independent features would be found out.
    alarms = (squares.mean(axis=0) - independent) / (squares.std(axis=0) / np.sqrt(seeds))
    assert (np.abs(alarms) > 6).any()


def test_a_large_pool_has_the_variance_of_independent_maxout():
    shared = SharedPoolMaxout(300, n_projections=10_000_000).product_law(X).variance(300)
    independent = RandomMaxout(300).product_law(X).variance(300)
    np.testing.assert_allclose(shared, independent, rtol=2e-3, atol=1e-12)


def test_more_features_from_the_same_projections_err_less_than_independent_ones():
    P, q = 400, 4
    shared = SharedPoolMaxout(pool_size=q, n_projections=P).product_law(X[:4]).variance(20 * P)
    independent = RandomMaxout(pool_size=q).product_law(X[:4]).variance(P // q)
    assert (shared < independent).all()


def test_fewer_projections_than_a_feature_takes_are_refused():
    with pytest.raises(ParameterError, match=r"n_projections must be at least pool_size, 8, .*got 7. Try n_proj"):
        SharedPoolMaxout(pool_size=8, n_projections=7).fit(X)


def test_a_pool_beyond_memory_names_the_projections(monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    with pytest.raises(MemoryBudgetError, match="Choose fewer projections"):
        SharedPoolMaxout(10, n_projections=1_000_000).fit(X)


def test_groups_of_projections_share_a_rectangle():
    image = np.ones((2, 48))
    feature_map = SharedPoolMaxout(
        500, pool_size=3, n_projections=64, receptive_field=(2, 4), image_shape=(6, 8), device="cpu"
    ).fit(image)
    seen = feature_map.projections_ != 0
    for indices in feature_map.indices_.T:
        assert len(set(indices)) == 3 and len({i // 6 for i in indices}) == 1
        assert (seen[indices] == seen[indices[0]]).all()
    assert feature_map.indices_.max() < 60  # 64 projections make ten groups of six
