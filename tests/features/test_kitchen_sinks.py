"""Decision stumps and sigmoidal ridge functions: by brute force, on odd columns, and within their bounds."""

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.special import erf, expit
from sklearn.preprocessing import StandardScaler

from rfviz.errors import ParameterError
from rfviz.features import DecisionStumps, SigmoidalRidge

rng = np.random.default_rng(0)
X = rng.standard_normal((30, 5)) * [1.0, 20.0, 0.01, 1.0, 3.0] + [0.0, 100.0, 5.0, -3.0, 0.5]
X[:, 3] = X[0, 3]


def test_stumps_by_brute_force():
    feature_map = DecisionStumps(50, dtype="float64", random_state=4, device="cpu").fit(X)
    features, columns = feature_map.transform(X), feature_map.columns_
    assert set(columns) == set(range(5))
    standardised = StandardScaler().fit_transform(X)
    thresholds = (feature_map.thresholds_ - feature_map.mean_[columns]) / feature_map.scale_[columns]
    for i, x in enumerate(standardised):
        for feature in range(50):
            sign = 1.0 if x[columns[feature]] > thresholds[feature] else -1.0
            assert features[i, feature] == sign / np.sqrt(50)


def test_thresholds_and_columns_have_their_laws():
    plain = DecisionStumps(20_000, standardise=False, dtype="float64").fit(X)
    assert stats.kstest(plain.thresholds_, stats.norm.cdf).pvalue > 1e-5
    assert stats.chisquare(np.bincount(plain.columns_, minlength=5)).pvalue > 1e-5
    # Which column, and which threshold, are independent.
    assert abs(np.corrcoef(plain.columns_, plain.thresholds_)[0, 1]) * np.sqrt(20_000) < stats.norm.isf(0.5e-5)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_learnt_statistics_are_scikit_learns(container, offset):
    data = X * (rng.random(X.shape) < 0.5) + offset
    feature_map = DecisionStumps(10).fit(container(data))
    scaler = StandardScaler().fit(data)
    np.testing.assert_allclose(feature_map.mean_, scaler.mean_, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(feature_map.scale_, scaler.scale_, rtol=1e-9)


@pytest.mark.parametrize("value", [0.0, 7.0, 0.1, 1e30, -1e-300])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_constant_columns(value, container):
    data = np.full((7, 2), value)
    feature_map = DecisionStumps(200, dtype="float64").fit(container(data))
    assert (feature_map.mean_ == value).all() and (feature_map.scale_ == 1.0).all()
    features = feature_map.transform(container(data))
    assert (features == features[0]).all()
    np.testing.assert_array_equal(feature_map.kernel(data), 1.0)


def test_stumps_do_not_mind_units():
    first = DecisionStumps(300, dtype="float64").fit(X)
    second = DecisionStumps(300, dtype="float64").fit(1e3 * X - 7.0)
    assert np.array_equal(first.transform(X), second.transform(1e3 * X - 7.0))
    np.testing.assert_allclose(first.kernel(X), second.kernel(1e3 * X - 7.0), rtol=0, atol=1e-9)
    without = DecisionStumps(300, standardise=False, dtype="float64").fit(X)
    assert not np.array_equal(first.transform(X), without.transform(X))


def test_stumps_need_no_matrix_product(monkeypatch):
    feature_map = DecisionStumps(100, device="cpu").fit(X)
    monkeypatch.setattr("rfviz.features.blocks.project", lambda *args: 1 / 0)
    assert feature_map.transform(X).shape == (30, 100)
    assert feature_map.multiply_adds(30, 5) == feature_map.multiply_adds(30, 5000)


def test_kernel_needs_the_columns_means():
    with pytest.raises(ParameterError, match=r"standardise must be False before the map is fitted; got True. Call fit"):
        DecisionStumps().kernel(X)
    assert DecisionStumps(standardise=False).kernel(X).shape == (30, 30)


@pytest.mark.parametrize(("activation", "function"), [("erf", erf), ("tanh", np.tanh), ("logistic", expit)])
@pytest.mark.parametrize("bias", [True, False])
def test_sigmoids_by_brute_force(activation, function, bias):
    feature_map = SigmoidalRidge(9, activation=activation, scale=0.3, bias=bias, dtype="float64", device="cpu").fit(X)
    features = feature_map.transform(X)
    for i, x in enumerate(X):
        for feature in range(9):
            argument = np.dot(feature_map.weights_[feature], x) + (feature_map.biases_[feature] if bias else 0.0)
            assert features[i, feature] == pytest.approx(function(argument) / 3.0, abs=1e-14)
    assert feature_map.weights_.std() == pytest.approx(0.3, rel=0.5)


@pytest.mark.parametrize("scale", [0, 0.0, -1.0, np.nan, np.inf, "wide", None, True, 1e7])
def test_bad_scale(scale):
    with pytest.raises(
        ParameterError, match=r"scale must be a finite number greater than 0 and at most 1,000,000; got"
    ):
        SigmoidalRidge(scale=scale).fit(X)


def test_bad_words():
    with pytest.raises(ParameterError, match=r"activation must be one of 'erf', 'tanh', 'logistic'; got 'relu'. Try"):
        SigmoidalRidge(activation="relu").fit(X)
    with pytest.raises(ParameterError, match="standardise must be True or False; got 'yes'"):
        DecisionStumps(standardise="yes").fit(X)


MAPS = {
    "stumps": lambda seed: DecisionStumps(16, random_state=seed, dtype="float64"),
    "erf": lambda seed: SigmoidalRidge(16, random_state=seed, dtype="float64"),
    "logistic": lambda seed: SigmoidalRidge(16, activation="logistic", scale=50.0, random_state=seed, dtype="float64"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MAPS)
def test_no_more_estimates_leave_the_bound_than_it_says(name):
    data, seeds, probability = rng.standard_normal((4, 5)), 1000, 0.1
    feature_maps = [MAPS[name](seed).fit(data) for seed in range(seeds)]
    law, kernel = feature_maps[0].product_law(data), feature_maps[0].kernel(data)
    bound = law.bound(16, probability)
    features = [feature_map.transform(data) for feature_map in feature_maps]
    outside = np.mean([np.abs(f @ f.T - kernel) > bound + 1e-12 for f in features], axis=0)
    assert outside.max() <= stats.binom.isf(1e-6, seeds, probability) / seeds
    # The bound is no more than a few times what it could be.
    assert bound < 4 * np.sqrt(law.variance(16).max()) * stats.norm.isf(probability / 2)
