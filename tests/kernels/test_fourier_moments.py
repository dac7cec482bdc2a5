import math

import numpy as np
import pytest

from rfviz import kernels
from rfviz.errors import ParameterError

K = np.linspace(0.0, 1.0, 41)


def z_scores(sample, mean, variance):
    deviation = (sample - mean) ** 2
    root = math.sqrt(sample.size)
    return (sample.mean() - mean) / math.sqrt(variance) * root, (deviation.mean() - variance) / deviation.std() * root


@pytest.mark.parametrize("distance", [0.2, 0.9, 2.5])
def test_monte_carlo_gaussian(distance):
    # 3 × 8 z-scores beyond 4.7: a false alarm in 1 of 16,000 seeds.
    rng = np.random.default_rng(3)
    omega, shift = rng.standard_normal(200_000), rng.uniform(0, 2 * np.pi, 200_000)
    x, z, k = 0.3, 0.3 + distance, math.exp(-(distance**2) / 2)
    shifted = [math.sqrt(2) * np.cos(omega * point + shift) for point in (x, z)]
    pair = np.cos(omega * distance)
    for sample, paired in [(pair, True), (shifted[0] * shifted[1], False)]:
        scores = z_scores(sample, k, kernels.fourier_product_variance(k, paired=paired))
        assert max(map(abs, scores)) < 4.7
    for sample, paired in [(2 - 2 * pair, True), ((shifted[0] - shifted[1]) ** 2, False)]:
        scores = z_scores(sample, *kernels.fourier_squared_distance_moments(k, paired=paired))
        assert max(map(abs, scores)) < 4.7


@pytest.mark.parametrize("paired", [True, False])
def test_gaussian_is_the_special_case_of_k_to_the_fourth(paired):
    general = kernels.fourier_product_variance(K, K**4, paired=paired)
    np.testing.assert_allclose(kernels.fourier_product_variance(K, paired=paired), general, atol=1e-15)
    general = kernels.fourier_squared_distance_moments(K, K**4, paired=paired)
    np.testing.assert_allclose(kernels.fourier_squared_distance_moments(K, paired=paired), general, atol=1e-14)


def test_laplacian_by_monte_carlo():
    # k(2δ) = k(δ)² and Cauchy frequencies. 4 z-scores beyond 4.5: a false alarm in 1 of 37,000 seeds.
    rng = np.random.default_rng(5)
    omega, shift = rng.standard_cauchy(200_000), rng.uniform(0, 2 * np.pi, 200_000)
    k = math.exp(-0.7)
    difference = np.cos(shift) - np.cos(0.7 * omega + shift)
    moments = kernels.fourier_squared_distance_moments(k, k * k, paired=False)
    assert max(map(abs, z_scores(2 * difference**2, *moments))) < 4.5
    variance = kernels.fourier_product_variance(k, k * k)
    assert max(map(abs, z_scores(np.cos(0.7 * omega), k, variance))) < 4.5


def test_which_form_is_better_per_output_feature():
    """A pair makes two features: it estimates the kernel better everywhere, but distances only of points apart."""
    k = K[1:-1]
    assert (2 * kernels.fourier_product_variance(k) < kernels.fourier_product_variance(k, paired=False)).all()
    pairs = 2 * kernels.fourier_squared_distance_moments(k)[1]
    shifted = kernels.fourier_squared_distance_moments(k, paired=False)[1]
    np.testing.assert_array_equal(pairs < shifted, k < math.sqrt(2) - 1)


def test_equal_points_have_no_distance():
    for paired in (True, False):
        np.testing.assert_array_equal(kernels.fourier_squared_distance_moments(1.0, paired=paired), (0.0, 0.0))


def test_impossible_values():
    with pytest.raises(ParameterError, match="kernel must be a value of a normalised kernel"):
        kernels.fourier_product_variance(1.2)
    with pytest.raises(ParameterError, match="kernel_double"):
        kernels.fourier_squared_distance_moments(0.5, 3.0)


def test_lone_cosine_by_monte_carlo():
    # 3 × 2 z-scores beyond 4.5: a false alarm in 1 of 24,000 seeds.
    rng = np.random.default_rng(7)
    omega = rng.standard_normal(200_000)
    for x, z in [(0.3, 1.2), (-0.4, 0.5), (0.8, 0.8)]:
        k, s, *twice = (math.exp(-(d**2) / 2) for d in (x - z, x + z, 2 * x, 2 * z))
        moments = kernels.fourier_lone_cosine_moments(k, s, sum(twice))
        assert max(map(abs, z_scores(np.cos(omega * x) * np.cos(omega * z), *moments))) < 4.5


def test_lone_cosine_out_of_range():
    with pytest.raises(ParameterError, match="kernel_twice must be a sum of two values"):
        kernels.fourier_lone_cosine_moments(0.5, 0.5, 2.5)
