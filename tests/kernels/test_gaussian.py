import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from rfviz import kernels
from rfviz.errors import DataError, ParameterError


@pytest.fixture(name="X")
def points():
    return np.random.default_rng(0).standard_normal((30, 5))


@pytest.mark.parametrize("gamma", [1e-3, 0.4, 20])
def test_against_scikit_learn(X, gamma):
    np.testing.assert_allclose(kernels.gaussian(X, X[:7] + 1, gamma), rbf_kernel(X, X[:7] + 1, gamma), atol=1e-13)


def test_diagonal_symmetry_and_positive_semidefiniteness(X):
    X[4] = X[2]
    # Far from the origin, where squared norms swamp the distances.
    kernel = kernels.gaussian(X + 1e6, gamma=3.0)
    np.testing.assert_array_equal(np.diag(kernel), 1.0)
    np.testing.assert_array_equal(kernel, kernel.T)
    assert kernel.max() == 1.0
    np.testing.assert_allclose(kernel, kernels.gaussian(X, gamma=3.0), atol=1e-8)
    assert np.linalg.eigvalsh(kernel).min() > -1e-12


def test_float32_input_is_computed_in_float64(X):
    X32 = X.astype(np.float32)
    kernel = kernels.gaussian(X32, gamma=0.5)
    assert kernel.dtype == np.float64
    np.testing.assert_allclose(kernel, kernels.gaussian(X32.astype(float), gamma=0.5), rtol=1e-14)


def test_the_input_is_left_alone(X):
    before = X.copy()
    for kernel in (kernels.gaussian, kernels.maxout, kernels.maxout_collision, kernels.linear):
        kernel(X)
        kernel(X, X)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("gamma", [0, -1, float("inf"), "scale"])
def test_impossible_gamma(X, gamma):
    with pytest.raises(ParameterError, match="gamma must be a finite number greater than 0"):
        kernels.gaussian(X, gamma=gamma)


def test_linear(X):
    np.testing.assert_allclose(kernels.linear(X, X[:3]), X @ X[:3].T)
    np.testing.assert_allclose(kernels.linear(X), kernels.maxout(X, pool_size=1), atol=1e-13)
    with pytest.raises(DataError):
        kernels.linear(X, np.ones((2, 4)))
