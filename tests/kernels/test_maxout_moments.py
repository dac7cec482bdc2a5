import math

import numpy as np
import pytest

from rfviz import kernels
from rfviz.errors import ParameterError

from .brute_force import expectations

DISTANCE = np.linspace(0.0, 2.0, 201)
POOLS = (1, 2, 3, 12, 128, 1024)


@pytest.mark.parametrize("q", POOLS)
def test_distance_is_the_kernel_without_cancellation(q):
    difference = kernels.expected_max_squared(q) - kernels.maxout_rho(1 - DISTANCE**2 / 2, q)
    np.testing.assert_allclose(kernels.maxout_distance(DISTANCE, q) ** 2, 2 * difference, rtol=0, atol=1e-12)


def test_closed_form_of_pairs_down_to_the_smallest_distances():
    # q = 2: σ² − K = ∫₀^θ (1 − t/π) sin t dt = θ²/2 − θ³/3π + O(θ⁴).
    for theta in (1e-9, 1e-6, 1e-4):
        expected = theta * math.sqrt(1 - 2 * theta / (3 * math.pi))
        assert kernels.maxout_distance(2 * math.sin(theta / 2), 2) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("q", POOLS)
def test_isometry_at_zero_and_contraction_everywhere(q):
    small = np.logspace(-12, -5, 8)
    np.testing.assert_allclose(kernels.maxout_distance(small, q) / small, 1.0, rtol=2e-5)
    embedded, slope = kernels.maxout_distance(DISTANCE, q), kernels.maxout_distance_slope(DISTANCE, q)
    assert (embedded <= DISTANCE).all()
    assert slope[0] == pytest.approx(1.0, abs=1e-12)
    assert (np.diff(slope) < 1e-12).all()
    assert embedded[-1] == kernels.maxout_plateau(q)


@pytest.mark.parametrize("q", POOLS)
def test_slope_is_the_derivative(q):
    distance, step = np.linspace(0.05, 1.95, 39), 1e-5
    difference = kernels.maxout_distance(distance + step, q) - kernels.maxout_distance(distance - step, q)
    np.testing.assert_allclose(difference / (2 * step), kernels.maxout_distance_slope(distance, q), rtol=0, atol=1e-8)


def test_plateaus():
    assert kernels.maxout_plateau(1) == pytest.approx(2.0, abs=1e-14)
    assert kernels.maxout_plateau(2) == pytest.approx(math.sqrt(2), abs=1e-14)


@pytest.mark.parametrize("fraction", [0.01, 0.5, 0.9, 0.999, 1.0])
def test_saturation_distance_inverts_the_curve(fraction):
    for q in POOLS:
        reached = kernels.maxout_distance(kernels.saturation_distance(q, fraction), q)
        assert reached == pytest.approx(fraction * kernels.maxout_plateau(q), abs=1e-12)


def test_larger_pools_saturate_earlier():
    radii = [kernels.saturation_distance(q) for q in (1, 2, 3, 4, 8, 32, 128, 1024, 4096)]
    assert radii[0] == pytest.approx(1.8, abs=1e-12)
    assert (np.diff(radii) < 0).all()


@pytest.mark.parametrize("theta", [0.05, 0.7, 1.8])
@pytest.mark.parametrize("q", [1, 2, 6, 200])
def test_moments_against_brute_force(q, theta):
    """The two-part integrals, same and different argmax, know nothing of Price's theorem."""
    square, fourth, product_square = expectations(
        theta, q, lambda s, t: (s - t) ** 2, lambda s, t: (s - t) ** 4, lambda s, t: (s * t) ** 2
    )
    mean, variance = kernels.maxout_squared_distance_moments(2 * math.sin(theta / 2), q)
    assert mean == pytest.approx(square, rel=1e-8)
    assert variance == pytest.approx(fourth - square**2, rel=1e-7)
    mean, variance = kernels.maxout_product_moments(math.cos(theta), q)
    assert variance == pytest.approx(product_square - mean**2, rel=1e-7)


def test_closed_forms_of_single_projections():
    mean, variance = kernels.maxout_squared_distance_moments(DISTANCE, 1)
    np.testing.assert_allclose(mean, DISTANCE**2, rtol=1e-13)
    np.testing.assert_allclose(variance, 2 * DISTANCE**4, rtol=1e-13)
    rho = np.linspace(-1, 1, 50)
    np.testing.assert_allclose(kernels.maxout_product_moments(rho, 1), (rho, 1 + rho**2), rtol=0, atol=1e-13)


@pytest.mark.parametrize("q", POOLS)
def test_small_distances_are_those_of_one_gaussian(q):
    """At small angles the argmaxes agree: h(x) − h(z) ~ N(0, δ²)."""
    distance = np.logspace(-10, -6, 5)
    mean, variance = kernels.maxout_squared_distance_moments(distance, q)
    np.testing.assert_allclose(mean / distance**2, 1.0, rtol=1e-5)
    np.testing.assert_allclose(variance / distance**4, 2.0, rtol=1e-4)


def test_monte_carlo():
    # 4 × 4 z-scores beyond 4.7: a false alarm in 1 of 24,000 seeds.
    rng = np.random.default_rng(11)
    for rho, q in [(-0.95, 2), (-0.3, 4), (0.5, 16), (0.98, 9)]:
        first, other = rng.standard_normal((2, 100_000, q))
        second = (rho * first + math.sqrt(1 - rho**2) * other).max(axis=1)
        first = first.max(axis=1)
        distances = kernels.maxout_squared_distance_moments(math.sqrt(2 - 2 * rho), q)
        products = kernels.maxout_product_moments(rho, q)
        for sample, (mean, variance) in [((first - second) ** 2, distances), (first * second, products)]:
            deviation = (sample - mean) ** 2
            scores = (sample.mean() - mean) / math.sqrt(variance / sample.size)
            assert abs(scores) < 4.7, (rho, q)
            assert abs(deviation.mean() - variance) < 4.7 * deviation.std() / math.sqrt(sample.size), (rho, q)


@pytest.mark.parametrize("distance", [-0.1, 2.1, float("nan")])
def test_impossible_distances(distance):
    for function in (kernels.maxout_distance, kernels.maxout_distance_slope, kernels.maxout_squared_distance_moments):
        with pytest.raises(ParameterError, match="distance must be a distance of unit vectors, from 0 to 2"):
            function(distance, 4)


@pytest.mark.parametrize("fraction", [0, 1.01, float("nan"), "most", True])
def test_impossible_fractions(fraction):
    with pytest.raises(ParameterError, match="fraction"):
        kernels.saturation_distance(4, fraction)
