"""Normalising points and writing them in a basis of their span."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from rfviz import datasets
from rfviz.analysis.points import NORMALISATION, centred_gram, normalise, span_coordinates, squared_distances
from rfviz.analysis.splits import make_split
from rfviz.errors import DataError, ParameterError
from rfviz.features import RandomMaxout


def test_unit_norm():
    X = normalise(np.array([[3.0, 4.0], [0.0, 2.0]], np.float32), "unit norm")
    np.testing.assert_allclose(X, [[0.6, 0.8], [0.0, 1.0]])


def test_standardise_leaves_constant_columns_at_zero():
    X = normalise(np.array([[1.0, 5.0], [3.0, 5.0]]), "standardise")
    np.testing.assert_allclose(X, [[-1.0, 0.0], [1.0, 0.0]])


def test_standardise_rows():
    X = normalise(np.array([[1.0, 3.0], [0.2, 0.6], [5.0, 5.0]]), "standardise rows")
    np.testing.assert_allclose(X, [[-1.0, 1.0], [-1.0, 1.0], [0.0, 0.0]])


def test_input_is_not_changed():
    X = np.ones((3, 2))
    for how in NORMALISATION.choices:
        normalise(X, how)
    assert (X == 1).all()


def test_row_of_zeros_is_named():
    with pytest.raises(DataError, match="row 1"):
        normalise(np.array([[1.0, 0.0], [0.0, 0.0]]), "unit norm")


def test_unknown_normalisation():
    with pytest.raises(ParameterError, match="must be one of"):
        normalise(np.ones((2, 2)), "whiten")


@pytest.mark.parametrize("shape", [(7, 100), (20, 5)])
def test_span_keeps_inner_products(shape):
    X = np.random.default_rng(0).standard_normal(shape)
    Z = span_coordinates(X)
    assert Z.shape == (shape[0], min(shape))
    np.testing.assert_allclose(Z @ Z.T, X @ X.T, atol=1e-12 * shape[1])


@pytest.mark.slow
def test_span_has_the_law_of_the_original():
    """Mean kernel estimates over seeds agree within 4.5 standard errors for all pairs (false alarms: 1 in 3,000)."""
    X = np.random.default_rng(1).standard_normal((5, 60))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    Z = span_coordinates(X)
    estimates = {}
    for name, points in (("original", X), ("span", Z)):
        maps = [RandomMaxout(40, pool_size=4, random_state=seed, dtype="float64") for seed in range(300)]
        estimates[name] = np.array([(Phi := m.fit_transform(points)) @ Phi.T for m in maps])
    gap = estimates["original"].mean(axis=0) - estimates["span"].mean(axis=0)
    error = np.sqrt((estimates["original"].var(axis=0) + estimates["span"].var(axis=0)) / 300)
    assert np.abs(gap / error).max() < 4.5


def test_squared_distances_match_scipy():
    X = np.random.default_rng(2).standard_normal((30, 8))
    np.testing.assert_allclose(squared_distances(X @ X.T), pdist(X, "sqeuclidean"), atol=1e-11)


def test_centred_gram_keeps_digits_far_from_the_origin():
    X = np.random.default_rng(3).standard_normal((20, 50)).astype(np.float32)
    far = X + np.float32(100.0)
    exact = pdist(far.astype(np.float64), "sqeuclidean")
    centred = squared_distances(centred_gram(far))
    direct = squared_distances((far @ far.T).astype(np.float64))
    assert np.abs(centred - exact).max() < 1e-3 < np.abs(direct - exact).max()


def test_columns_are_standardised_by_the_rows_that_are_learned_from():
    X = np.array([[1.0], [3.0], [50.0]])
    np.testing.assert_allclose(normalise(X, "standardise", np.array([0, 1])), [[-1], [1], [48]])
    assert abs(normalise(X, "standardise").mean()) < 1e-12


def test_test_rows_do_not_move_the_scale_of_training_rows():
    dataset = datasets.load("breast_cancer")
    split = make_split(dataset, "standardise")
    np.testing.assert_allclose(split.X_train.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(split.X_train.std(axis=0), 1, atol=1e-4)
    moved = dataset.X.copy()
    moved[split.test_rows] += 100
    np.testing.assert_array_equal(make_split(replace(dataset, X=moved), "standardise").X_train, split.X_train)
