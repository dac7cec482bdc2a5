"""Recursive feature machines: their derivatives, the matrix that follows from these, and the columns that it finds."""

import numpy as np
import pytest
from sklearn.base import clone

from rfviz.errors import DataError, ParameterError
from rfviz.features import RandomFourier, RandomReLU
from rfviz.linear_model import RecursiveClassifier, RecursiveRegressor, RidgePathClassifier

PLAIN = RandomFourier(200, gamma="median", device="cpu")
EXACT = RandomFourier(200, gamma="median", device="cpu", dtype="float64")


def table(n, d, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def two_targets(X):
    return np.column_stack([X[:, 0] * X[:, 1] + X[:, 2], np.sin(X[:, 2]) - X[:, 3] ** 2])


@pytest.fixture(scope="module", params=["diagonal", "full"])
def fitted(request):
    X = table(400, 5)
    return RecursiveRegressor(EXACT, matrix=request.param, rounds=3).fit(X, two_targets(X))


def differences(f, X, j, step):
    shift = step * np.eye(X.shape[1])[j]
    return (f(X + shift) - f(X - shift)) / (2 * step)


def test_gradients_are_those_of_the_predictions(fitted):
    X = table(20, 5, seed=1)
    expected = np.stack([differences(fitted.predict, X, j, 1e-5) for j in range(5)], axis=2)
    np.testing.assert_allclose(fitted.gradients(X), expected, rtol=1e-5, atol=1e-7)


def test_interactions_are_the_mixed_derivatives_of_the_predictions(fitted):
    X, columns = table(30, 5, seed=2), [3, 0, 1]

    def second(i, j):
        return differences(lambda A: differences(fitted.predict, A, i, 1e-4), X, j, 1e-4)

    expected = [[np.sqrt(np.mean(np.sum(second(i, j) ** 2, axis=1))) for i in columns] for j in columns]
    np.testing.assert_allclose(fitted.interactions(X, columns), expected, rtol=1e-3, atol=1e-3)


def test_the_matrix_is_the_average_gradient_outer_product_of_an_independent_machine():
    # One round of ridge regression, written down with nothing but the frequencies; all rows are looked at.
    X = table(300, 4)
    y = X[:, 0] * X[:, 1]
    two, one = (RecursiveRegressor(EXACT, rounds=rounds).fit(X, y) for rounds in (2, 1))
    W = one.feature_map_.frequencies_
    order = np.random.default_rng(0).permutation(300)
    train = order[60:]
    H = np.sqrt(2) * np.concatenate([np.cos(X @ W.T), np.sin(X @ W.T)], axis=1)

    def ridge(rows):
        centred = H[rows] - H[rows].mean(axis=0)
        penalised = centred.T @ centred + one.history_[0].alpha * np.eye(200)
        return np.linalg.solve(penalised, centred.T @ (y[rows] - y[rows].mean()))

    beta = ridge(train)
    outer = np.zeros((4, 4))
    for x in X[train]:
        jacobian = np.sqrt(2) * np.concatenate([-np.sin(W @ x)[:, None] * W, np.cos(W @ x)[:, None] * W])
        gradient = jacobian.T @ beta
        outer += np.outer(gradient, gradient) / len(train)
    np.testing.assert_allclose(one.agop_, outer, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(one.feature_importances_, np.diag(outer) / np.trace(outer), rtol=1e-6)
    np.testing.assert_array_equal(one.matrix_, np.eye(4))
    # What predicts has then learnt the held-out rows, too.
    everything = (H - H.mean(axis=0)) @ ridge(order) + y.mean()
    np.testing.assert_allclose(one.predict(X), everything, rtol=1e-6, atol=1e-9)
    assert two.best_round_ == 1
    np.testing.assert_allclose(two.matrix_, np.diag(4 * np.diag(outer) / np.trace(outer)), rtol=1e-6)


def test_it_finds_the_two_columns_of_a_product_of_signs():
    X = table(6000, 20)
    y = np.where(X[:, 3] * X[:, 11] > 0, "same", "other")
    machine = RecursiveClassifier(RandomFourier(400, gamma="median", device="cpu"), rounds=5).fit(X[:4000], y[:4000])
    assert set(np.argsort(machine.feature_importances_)[-2:].tolist()) == {3, 11}
    assert machine.feature_importances_[[3, 11]].sum() > 0.9
    shares = [one.importances[[3, 11]].sum() for one in machine.history_]
    assert np.all(np.diff(shares[:4]) > 0)
    first = RidgePathClassifier(machine.feature_map_, m_grid=[400]).fit(X[:4000], y[:4000])
    assert machine.score(X[4000:], y[4000:]) > max(0.92, first.score(X[4000:], y[4000:]) + 0.1)
    pairs = machine.interactions(X[:500], [3, 11, 0])
    assert pairs[0, 1] > 5 * max(pairs[0, 2], pairs[1, 2])


def test_the_full_matrix_finds_directions():
    X = table(3500, 8)
    axes = np.linalg.qr(table(8, 2, seed=5))[0]
    y = (np.prod(X @ axes, axis=1) > 0).astype(int)
    full, diagonal = (RecursiveClassifier(PLAIN, matrix=kind).fit(X[:2000], y[:2000]) for kind in ("full", "diagonal"))
    assert full.score(X[2000:], y[2000:]) > diagonal.score(X[2000:], y[2000:]) + 0.05
    values, found = np.linalg.eigh(full.agop_)
    assert np.linalg.svd(found[:, -2:].T @ axes)[1].min() > 0.97 and values[-2] > 10 * values[-3]


def test_several_classes_and_targets_and_the_same_seed():
    X = table(600, 6)
    y = (X[:, 0] > 0).astype(int) + 2 * (X[:, 1] > 0)
    machine = RecursiveClassifier(PLAIN, rounds=3).fit(X, y)
    assert machine.decision_function(X).shape == (600, 4) and machine.score(X, y) > 0.85
    np.testing.assert_array_equal(clone(machine).fit(X, y).predict(X), machine.predict(X))
    targets = RecursiveRegressor(PLAIN, rounds=3).fit(X, two_targets(X))
    assert targets.predict(X).shape == (600, 2) and targets.score(X, two_targets(X)) > 0.8


def test_where_nothing_can_be_learnt_the_mean_is_predicted():
    X = table(50, 3)
    machine = RecursiveRegressor(PLAIN).fit(X, np.zeros(50))
    np.testing.assert_array_equal(machine.predict(X), 0.0)
    np.testing.assert_allclose(machine.feature_importances_, 1 / 3)
    assert len(machine.history_) == 1


def test_bad_parameters_and_data_are_refused():
    X, y = table(50, 3), np.arange(50) % 2
    for feature_map in (
        RandomFourier(101),
        RandomFourier(paired=False),
        RandomFourier(draw="structured"),
        RandomReLU(),
    ):
        with pytest.raises(ParameterError, match="even number of paired features"):
            RecursiveClassifier(feature_map).fit(X, y)
    with pytest.raises(ParameterError, match="diagonal"):
        RecursiveClassifier(PLAIN, matrix="round").fit(X, y)
    with pytest.raises(DataError, match="5 at least"):
        RecursiveRegressor(PLAIN).fit(X[:3], y[:3])
