"""Arc-cosine kernels against their definition by quadrature, and their limits."""

import numpy as np
import pytest
from scipy.integrate import quad

from rfviz import kernels
from rfviz.errors import ParameterError

every_degree = pytest.mark.parametrize("degree", [0, 1])


@every_degree
@pytest.mark.parametrize("theta", [0.1, 1.0, 2.0, 3.0])
def test_against_the_expectation_over_directions(degree, theta):
    # Two Gaussian projections are r·cos(φ) and r·cos(φ − θ), r² of mean 2, φ uniform.
    def product(phi):
        return (np.cos(phi) * np.cos(phi - theta)) ** degree

    both_positive = quad(product, theta - np.pi / 2, np.pi / 2)[0] / (2 * np.pi)
    assert kernels.arccos_rho(np.cos(theta), degree) == pytest.approx(2 * 2**degree * both_positive, abs=1e-9)


@every_degree
def test_ends_and_derivative(degree):
    np.testing.assert_allclose(kernels.arccos_rho([-1.0, 1.0], degree), [0.0, 1.0], atol=1e-12)
    rho, step = np.linspace(-0.9, 0.9, 7), 1e-6
    slope = (kernels.arccos_rho(rho + step) - kernels.arccos_rho(rho - step)) / (2 * step)
    np.testing.assert_allclose(slope, kernels.arccos_rho(rho, 0), rtol=1e-7)


def test_norms_symmetry_and_zero_rows():
    X = np.random.default_rng(0).standard_normal((12, 5))
    X[3] = 0.0
    K = kernels.arccos(X)
    assert np.array_equal(K, K.T)
    np.testing.assert_allclose(np.diag(K), (X**2).sum(axis=1), rtol=1e-12)
    assert (K[3] == 0).all()
    assert np.linalg.eigvalsh(K).min() > -1e-10
    np.testing.assert_allclose(kernels.arccos(2 * X, X[:4]), 2 * K[:, :4], rtol=1e-12)
    np.testing.assert_allclose(kernels.arccos(2 * X, degree=0), kernels.arccos(X, degree=0), atol=1e-12)


def test_degree_and_range():
    for degree in (2, -1, True, "relu"):
        with pytest.raises(ParameterError, match=r"degree must be 0 \(step\) or 1 \(ReLU\)"):
            kernels.arccos(np.eye(2), degree=degree)
    with pytest.raises(ParameterError, match="rho must be a cosine"):
        kernels.arccos_rho(1.5)
