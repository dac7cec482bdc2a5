import numpy as np
import pytest
from scipy.special import hyp1f1
from sklearn.gaussian_process.kernels import Matern
from sklearn.metrics.pairwise import laplacian_kernel

from rfviz import kernels
from rfviz.errors import DataError, ParameterError

X = np.random.default_rng(0).standard_normal((30, 5))
Y = X[:7] + 1.0
X[4] = X[2]
EVERY = {
    "laplacian": kernels.laplacian,
    "cauchy": kernels.cauchy,
    "matern": kernels.matern,
    "rough": lambda *args, **keywords: kernels.matern(*args, nu=0.7, **keywords),
}
every_kernel = pytest.mark.parametrize("kernel", EVERY.values(), ids=EVERY)


@pytest.mark.parametrize("gamma", [1e-3, 0.4, 20])
def test_laplacian_against_scikit_learn(gamma):
    np.testing.assert_allclose(kernels.laplacian(X, Y, gamma), laplacian_kernel(X, Y, gamma), rtol=1e-12)


@pytest.mark.parametrize("gamma", [1e-3, 0.4, 20])
@pytest.mark.parametrize("nu", [0.1, 0.5, 0.9, 1.0, 1.5, 2.0, 2.5, 7.3, 50.0])
def test_matern_against_scikit_learn(gamma, nu):
    expected = Matern(length_scale=1 / np.sqrt(2 * gamma), nu=nu)(X, Y)
    np.testing.assert_allclose(kernels.matern(X, Y, gamma, nu), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("gamma", [1e-3, 0.4, 20])
def test_cauchy_by_brute_force(gamma):
    expected = [[np.prod([1 / (1 + (gamma * (a - b)) ** 2) for a, b in zip(x, y, strict=True)]) for y in Y] for x in X]
    np.testing.assert_allclose(kernels.cauchy(X, Y, gamma), expected, rtol=1e-12)


def test_cauchy_of_thousands_of_columns_is_a_number():
    wide = np.random.default_rng(0).standard_normal((3, 5000)) * 1e3
    kernel = kernels.cauchy(wide)
    np.testing.assert_array_equal(kernel, np.eye(3))


def test_matern_tends_to_the_gaussian_kernel():
    errors = [np.abs(kernels.matern(X, Y, 0.3, nu) - kernels.gaussian(X, Y, 0.3)).max() for nu in (0.5, 2.5, 10, 50)]
    assert (np.diff(errors) < 0).all() and errors[-1] < 0.01


@pytest.mark.parametrize("nu", [0.1, 0.3, 1.0, 1.2, 3.0, 50.0])
def test_matern_of_near_points(nu):
    # From where the Bessel function overflows on, the kernel goes to 1 without a jump, and never above it.
    distance = np.concatenate([[0.0], np.logspace(-200, -1, 400)])
    kernel = kernels.matern_rho(distance, nu)
    assert kernel[0] == 1.0 and kernel.max() == 1.0 and (np.diff(kernel) <= 1e-12).all()


NEAR = np.array([[0.0, 0.0], [2**-10, 0.0], [2**-10, 2**-23], [0.5, 0.25]])


@pytest.mark.parametrize("nu", [0.1, 0.5, 0.7, 1.5])
@pytest.mark.parametrize("far", [999_999.0, -1e12, 1e200])
def test_a_code_for_missing_values_costs_the_other_rows_no_digits(far, nu):
    # 1 − k is as exact as k: the square of a small distance must not be the difference of two large ones.
    expected = Matern(length_scale=1.0, nu=nu)(NEAR)
    for X in (np.vstack([NEAR, [[far, far]]]), np.vstack([NEAR, NEAR + far, NEAR + far])):
        found = kernels.matern(X, gamma=0.5, nu=nu)
        np.testing.assert_allclose(1.0 - found[:4, :4], 1.0 - expected, rtol=1e-9, atol=5e-15)
        assert found[:4, 4:].max() == 0.0
        squares = -np.log(kernels.gaussian(X, X, gamma=1.0)[:4, :4])
        np.testing.assert_allclose(squares, np.square(NEAR[:, None] - NEAR).sum(axis=2), rtol=1e-9, atol=5e-16)


def test_near_rows_in_both_of_two_far_groups():
    X = np.vstack([NEAR, NEAR + 4096.0])  # a shift that no digit is lost by
    expected = Matern(length_scale=1.0, nu=0.5)(NEAR)
    found = kernels.matern(X, gamma=0.5, nu=0.5)
    np.testing.assert_allclose(found[4:, 4:], expected, rtol=0, atol=1e-14)
    assert np.array_equal(found, found.T) and found[:4, 4:].max() == 0.0


@every_kernel
def test_diagonal_symmetry_and_positive_semidefiniteness(kernel):
    K = kernel(X + 1e3, gamma=0.8)
    np.testing.assert_array_equal(np.diag(K), 1.0)
    np.testing.assert_array_equal(K, K.T)
    assert K[4, 2] == pytest.approx(1.0, abs=1e-6) and K.min() >= 0.0
    assert np.linalg.eigvalsh(K).min() > -1e-9
    np.testing.assert_allclose(kernel(X, Y, gamma=0.8), kernel(np.vstack([X, Y]), gamma=0.8)[:30, 30:], atol=1e-12)


@every_kernel
@pytest.mark.parametrize("gamma", [0, -1, np.inf, np.nan, "scale"])
def test_impossible_gamma(kernel, gamma):
    with pytest.raises(ParameterError, match="gamma must be a finite number greater than 0"):
        kernel(X, gamma=gamma)


@every_kernel
def test_impossible_data(kernel):
    with pytest.raises(DataError):
        kernel(X, np.ones((2, 4)))
    with pytest.raises(DataError):
        kernel(np.array([[np.nan]]))


@pytest.mark.parametrize("nu", [0, 0.05, 51, np.inf, "smooth"])
def test_impossible_nu(nu):
    with pytest.raises(ParameterError, match=r"nu must be a finite number from 0\.1 to 50; got"):
        kernels.matern(X, nu=nu)


# --- the covariance of two orthogonal frequencies ---------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 4, 7, 64, 784])
def test_orthogonal_covariance_against_scipy(d):
    k = np.array([1.0, 0.999, 0.9, 0.5, 0.2, 0.05, 1e-3])
    expected = hyp1f1(d, d / 2, np.log(k)) - k * k
    np.testing.assert_allclose(kernels.orthogonal_covariance(k, d), expected, rtol=0, atol=1e-9)


def test_orthogonal_covariance_of_one_column_and_no_kernel():
    assert kernels.orthogonal_covariance(0.5, 1) == 0.0
    assert abs(kernels.orthogonal_covariance(0.0, 3)) < 1e-5
    with pytest.raises(ParameterError, match="kernel"):
        kernels.orthogonal_covariance(-0.5, 3)


@pytest.mark.parametrize("distance", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("d", [2, 5])
def test_orthogonal_covariance_by_simulation(distance, d):
    # A z-score beyond 5 in one of 6 tests: a false alarm in 300,000 runs.
    rng, size = np.random.default_rng(d), 100_000
    first, second = rng.standard_normal((2, size, d))
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second -= (first * second).sum(axis=1, keepdims=True) * first
    second /= np.linalg.norm(second, axis=1, keepdims=True)
    lengths = np.sqrt(rng.chisquare(d, (2, size)))
    products = np.cos(first[:, 0] * lengths[0] * distance) * np.cos(second[:, 0] * lengths[1] * distance)
    k = np.exp(-(distance**2) / 2)
    z = (products.mean() - k * k - kernels.orthogonal_covariance(k, d)) / products.std() * np.sqrt(size)
    assert abs(z) < 5
