"""Sigmoidal kernels against quadrature in the plane, Monte Carlo and limits; the mixtures they are made of."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import erf, expit

from rfviz.errors import ParameterError
from rfviz.kernels import SIGMOIDS, arccos, sigmoidal, sigmoidal_product_variance
from rfviz.kernels.sigmoid import _mixture

FUNCTIONS = {"erf": erf, "tanh": np.tanh, "logistic": expit}
ACCURACY = {"erf": 1e-12, "tanh": 2e-9, "logistic": 1e-9}
ALARM = 1e-5
X = np.random.default_rng(0).standard_normal((6, 3)) * np.array([[0.0, 0.1, 0.5, 1.0, 1.5, 1.0]]).T
X[5] = -X[3]
every = pytest.mark.parametrize("activation", SIGMOIDS)


@every
def test_mixtures_are_the_functions(activation):
    mixture, z = _mixture(activation), np.concatenate([np.linspace(0, 8, 2001), np.geomspace(8, 1e6, 100)])
    tau = erf(np.outer(z, mixture.slope)) @ mixture.weight
    np.testing.assert_allclose(
        mixture.offset + mixture.size * tau, FUNCTIONS[activation](z), rtol=0, atol=ACCURACY[activation] / 4
    )
    exact = (FUNCTIONS[activation](z) - mixture.offset) / mixture.size
    rest = np.exp(-np.outer(z**2, mixture.rate)) @ mixture.mass
    np.testing.assert_allclose(1.0 - rest, exact**2, rtol=0, atol=ACCURACY[activation] / 2)


def by_quadrature(x, z, scale, bias, functions):
    """Return E f(u)g(v) for each pair, u = ⟨w, x⟩ + b and v likewise, by the trapezoidal rule in the plane."""
    covariance = scale**2 * (np.array([[x @ x, x @ z], [x @ z, z @ z]]) + bias)
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    nodes = np.linspace(-8.0, 8.0, 161)
    weights = np.exp(-(nodes**2) / 2)
    weights /= weights.sum()
    u, v = (root[i, 0] * nodes[:, None] + root[i, 1] * nodes[None, :] for i in range(2))
    return [weights @ (f(u) * g(v)) @ weights for f, g in functions]


@every
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("scale", [0.1, 0.5])
def test_by_quadrature(activation, bias, scale):
    f = FUNCTIONS[activation]
    K, variance = sigmoidal(X, None, activation, scale, bias), sigmoidal_product_variance(X, activation, scale, bias)
    for i, x in enumerate(X):
        for j, z in enumerate(X[: i + 1]):
            mean, square = by_quadrature(x, z, scale, bias, [(f, f), (lambda t: f(t) ** 2, lambda t: f(t) ** 2)])
            assert K[i, j] == pytest.approx(mean, abs=2e-9)
            assert variance[1][i, j] == pytest.approx(square - mean**2, abs=1e-8)
    assert np.array_equal(variance[0], K)


@every
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("scale", [0.3, 4.0, 100.0])
def test_by_monte_carlo(activation, bias, scale):
    # Also where quadrature fails. False-alarm rate of 1e-5 for all pairs together.
    rng, f, n = np.random.default_rng(1), FUNCTIONS[activation], 100_000
    w, b = rng.standard_normal((n, 3)) * scale, rng.standard_normal((n, 1)) * scale * bias
    features = f(w @ X.T + b)
    K, variance = sigmoidal_product_variance(X, activation, scale, bias)
    for i in range(len(X)):
        for j in range(i, len(X)):
            products = features[:, i] * features[:, j]
            error = products - K[i, j]
            z = stats.norm.isf(ALARM / 84)
            assert abs(error.mean()) <= z * products.std() / np.sqrt(n) + 1e-9
            squares = error**2
            assert abs(squares.mean() - variance[i, j]) <= z * squares.std() / np.sqrt(n) + 1e-8


def test_limits():
    # Steep sigmoids are signs, whose kernel is 1 − 2θ/π; shallow ones are linear.
    rows = X[1:]
    for activation in ("erf", "tanh"):
        steep = sigmoidal(rows, None, activation, 1e5, False)
        np.testing.assert_allclose(steep, 2.0 * arccos(rows, degree=0) - 1.0, rtol=0, atol=1e-3)
        slope = 2.0 / np.sqrt(np.pi) if activation == "erf" else 1.0
        shallow = sigmoidal(rows, None, activation, 1e-3, False) / 1e-6
        np.testing.assert_allclose(shallow, slope**2 * rows @ rows.T, rtol=1e-4, atol=0)
    np.testing.assert_allclose(
        sigmoidal(rows, None, "logistic", 2.0), 0.25 + 0.25 * sigmoidal(rows, None, "tanh", 1.0), rtol=0, atol=1e-14
    )


@every
def test_tiles_and_threads_do_not_matter(activation, monkeypatch):
    expected = sigmoidal(X, X[:4], activation)
    for name, value in (("_TILE", 2), ("_PARALLEL_FROM", 0)):
        monkeypatch.setattr(f"rfviz.kernels.sigmoid.{name}", value)
        assert np.array_equal(sigmoidal(X, X[:4], activation), expected)
        alone = sigmoidal(X, None, activation)
        assert np.array_equal(alone, alone.T)
        np.testing.assert_allclose(alone[:, :4], expected, rtol=0, atol=1e-14)


def test_bad_parameters():
    with pytest.raises(ParameterError, match="activation must be one of 'erf', 'tanh', 'logistic'; got 'relu'"):
        sigmoidal(X, activation="relu")
    for scale in (0.0, -1.0, np.nan, "wide"):
        with pytest.raises(ParameterError, match="scale must be a finite number greater than 0"):
            sigmoidal(X, scale=scale)
