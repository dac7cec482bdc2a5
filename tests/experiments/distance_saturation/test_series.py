"""The series of κ and the largest of q normals, by a quadrature that uses nothing of the library."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from rfviz.experiments.distance_saturation.series import collision_frame, plot_collision, pools_frame, series_words
from tests.test_errata import maxima


def mean_of_largest(q, power=1):
    return quad(lambda x: x**power * q * norm.pdf(x) * norm.cdf(x) ** (q - 1), -9, 9, epsabs=1e-11)[0]


@pytest.mark.parametrize("q", [2, 3, 8, 32])
def test_coefficients_and_limits_by_hand(q):
    frame = pools_frame([q, q]).iloc[0]
    h1, h2 = mean_of_largest(q), (mean_of_largest(q, 2) - 1) / math.sqrt(2)
    expected = [1 / q, h1**2 / (q - 1), q * h2**2 / ((q - 1) * (q - 2)) if q > 2 else 0.0]
    np.testing.assert_allclose(frame[["a₀", "a₁", "a₂"]].astype(float), expected, atol=1e-8)
    assert frame["h₁"] == pytest.approx(h1) and frame["√(2 log q)"] == pytest.approx(math.sqrt(2 * math.log(q)))
    assert frame["2 log q ÷ q"] == pytest.approx(2 * math.log(q) / q)


def test_the_curves_are_kappa_and_its_beginnings():
    frame = collision_frame(8)
    near = frame[np.abs(frame["cosine ρ"]) < 0.11]
    exact = np.array([maxima(8, rho)[0] for rho in near["cosine ρ"]])
    np.testing.assert_allclose(near["κ"], exact, atol=1e-6)
    one, two = (np.abs(near[name] - exact).max() for name in ("a₀ + a₁ρ", "a₀ + a₁ρ + a₂ρ²"))
    assert 10 * two < one < 0.01
    assert [t.name for t in plot_collision(8).data] == list(frame.columns[1:])


@pytest.mark.parametrize("q", [1, 2, 8])
def test_what_is_said_of_a_pool(q):
    said = series_words(q)
    if q == 1:
        assert "κ = 1 everywhere" in said and "√" not in said
        return
    h1 = mean_of_largest(q)
    assert f"is **{h1:.3g}**" in said or f"is **{h1:.3f}**" in said
    assert f"√(2 log q) = {math.sqrt(2 * math.log(q)):.3g}" in said
    assert f"{100 * h1 / math.sqrt(2 * math.log(q)):.2g}%" in said
    line = max(abs(maxima(q, rho)[0] - 1 / q - rho * h1**2 / (q - 1)) for rho in (-0.5, 0.5))
    assert f"the straight line is off by up to {line:.2g}" in said
    # For q = 2 there is no square, since κ − ½ is odd.
    assert ("with the square by" in said) == (q > 2)
