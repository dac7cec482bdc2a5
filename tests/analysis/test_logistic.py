"""Logistic regression: a class between two others is seen, and the penalty suits the data."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from scipy.stats import norm

from rfviz.analysis.logistic import fit_logistic


def three_in_a_row(n, seed=0):
    generator = np.random.default_rng(seed)
    y = generator.integers(0, 3, n)
    return np.column_stack([2.5 * y + 0.6 * generator.normal(size=n), generator.normal(size=n)]), y


def right(coef, intercept, X, y):
    scores = X @ coef + intercept
    return np.mean((scores.argmax(axis=1) if scores.shape[1] > 1 else scores[:, 0] > 0) == y)


def test_a_class_between_two_others_is_seen_as_often_as_can_be():
    found = right(*fit_logistic(*three_in_a_row(600)), *three_in_a_row(20_000, 1))
    assert found == pytest.approx(1.0 - 4.0 / 3.0 * norm.sf(1.25 / 0.6), abs=0.005)


def test_without_a_need_of_a_penalty_it_is_the_most_likely_model():
    X, y = three_in_a_row(3000)
    X = X + 2.0 * np.random.default_rng(2).normal(size=X.shape)  # overlap, so that there is one

    def loss(parameters):
        scores = X @ parameters[:6].reshape(2, 3) + parameters[6:]
        return -np.mean(log_softmax(scores, axis=1)[np.arange(len(y)), y])

    coef, intercept = fit_logistic(X, y)
    assert loss(np.concatenate([coef.ravel(), intercept])) - minimize(loss, np.zeros(9)).fun < 2e-4


def test_noise_is_shrunk_and_units_do_not_matter():
    generator = np.random.default_rng(3)
    X, y = generator.normal(size=(120, 100)), generator.integers(0, 2, 120)
    coef, _ = fit_logistic(X, y)
    assert coef.shape == (100, 1) and np.abs(X @ coef).std() < 1.0
    X = generator.normal(size=(2000, 3))
    y = (X[:, 0] + generator.logistic(size=2000) > 0).astype(int)
    coef, intercept = fit_logistic(X, y)
    assert coef[:, 0] == pytest.approx([1.0, 0.0, 0.0], abs=0.2)
    scaled, shifted = fit_logistic(1e-3 * X + 5.0, y)
    np.testing.assert_allclose(1e-3 * scaled, coef, atol=0.01)
    np.testing.assert_allclose(shifted + 5.0 * scaled.sum(axis=0), intercept, atol=0.01)


def test_classes_of_one_row_are_no_hindrance():
    X, y = three_in_a_row(60)
    y[:3] = [7, 8, 9]
    coef, intercept = fit_logistic(X, np.unique(y, return_inverse=True)[1])
    assert coef.shape == (2, 6) and intercept.shape == (6,) and np.isfinite(coef).all()


@pytest.mark.parametrize("n_classes", [2, 5])
def test_single_precision_gives_the_same_model(monkeypatch, n_classes):
    generator = np.random.default_rng(4)
    X = generator.normal(size=(600, 50)) * np.geomspace(1.0, 1e-3, 50) + 7.0
    y = (X[:, :n_classes] + generator.gumbel(size=(600, n_classes))).argmax(axis=1)
    double = fit_logistic(X, y)
    monkeypatch.setattr("rfviz.analysis.logistic._SINGLE_FROM", X.size)
    single = fit_logistic(X, y)
    assert not np.array_equal(single[0], double[0])
    apart = (X @ single[0] + single[1]) - (X @ double[0] + double[1])
    assert np.abs(apart).max() < 0.01 * (X @ double[0]).std()
