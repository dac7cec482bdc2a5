"""The kernel of ReLUs with a threshold: against quadrature, its limits, and what it refuses."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from rfviz import kernels
from rfviz.errors import ParameterError


@pytest.mark.parametrize("threshold", [0.0, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("rho", [-0.99, -0.5, 0.0, 0.4, 0.9, 0.999])
def test_against_quadrature(threshold, rho):
    spread = np.sqrt(1.0 - rho * rho)

    def given(a):  # (a − t)⁺ times the mean of (b − t)⁺, with b normal of mean ρa
        gap = (rho * a - threshold) / spread
        mean = spread * (stats.norm.pdf(gap) + gap * stats.norm.cdf(gap))
        return (a - threshold) * mean * stats.norm.pdf(a)

    expected = quad(given, threshold, threshold + 12, epsabs=1e-14, limit=200)[0]
    expected /= kernels.thresholded_relu_square(threshold)
    assert kernels.thresholded_relu_rho(rho, threshold) == pytest.approx(expected, rel=1e-6, abs=1e-10)


def test_without_a_threshold_it_is_the_arc_cosine_kernel():
    rho = np.linspace(-1, 1, 401)
    np.testing.assert_allclose(kernels.thresholded_relu_rho(rho), kernels.arccos_rho(rho), rtol=0, atol=1e-14)


@pytest.mark.parametrize("threshold", [0.0, 0.5, 2.0])
def test_rises_from_zero_to_one(threshold):
    values = kernels.thresholded_relu_rho(np.linspace(-1, 1, 2001), threshold)
    assert values[0] == pytest.approx(0, abs=1e-14) and values[-1] == pytest.approx(1, abs=1e-12)
    assert (np.diff(values) >= -1e-14).all()


def test_a_higher_threshold_is_more_local():
    rho = np.array([0.2, 0.6, 0.9])
    low, high = (kernels.thresholded_relu_rho(rho, t) for t in (0.5, 1.5))
    assert (high < low).all()


@pytest.mark.parametrize(("rho", "threshold"), [(1.5, 1.0), (np.nan, 1.0), (0.5, -1.0), (0.5, np.inf)])
def test_refuses_what_is_no_cosine_or_threshold(rho, threshold):
    with pytest.raises(ParameterError):
        kernels.thresholded_relu_rho(rho, threshold)
