"""Covariance of maxout features that share projections: against closed forms, limits and simulation."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import comb

from rfviz import kernels
from rfviz.errors import ParameterError

ALARM = 1e-5
ANGLES = (0.3, 1.0, 2.0, 3.1)


@pytest.mark.parametrize("q", [1, 2, 4, 16])
@pytest.mark.parametrize("theta", ANGLES)
def test_sharing_everything_is_the_variance_of_one_feature(q, theta):
    variance = kernels.maxout_product_moments(np.cos(theta), q)[1]
    assert kernels.maxout_overlap_covariance(theta, q, q) == pytest.approx(variance, abs=1e-4)
    assert kernels.maxout_overlap_covariance(theta, q, 0) == 0


@pytest.mark.parametrize(("q", "shared"), [(2, 1), (4, 1), (4, 3), (8, 2)])
@pytest.mark.parametrize("theta", [0.5, 1.5])
def test_overlap_by_simulation(q, shared, theta):
    # Two features over the same draw, many times: z-test of the mean product of their centred products.
    rng = np.random.default_rng(q + 10 * shared)
    samples = 400_000
    u, v = rng.standard_normal((2, samples, 2 * q - shared))
    z = np.cos(theta) * u + np.sin(theta) * v
    first, second = slice(0, q), slice(q - shared, 2 * q - shared)
    mean = float(kernels.maxout_rho(np.cos(theta), q))
    one, two = (u[:, s].max(axis=1) * z[:, s].max(axis=1) - mean for s in (first, second))
    products = one * two
    z_score = (products.mean() - kernels.maxout_overlap_covariance(theta, q, shared)) / (products.std() / samples**0.5)
    assert abs(z_score) < stats.norm.isf(ALARM / 2 / 8)


@pytest.mark.parametrize("theta", ANGLES)
def test_pool_is_the_hypergeometric_mean(theta):
    q, P = 4, 11
    shares = [comb(q, j) * comb(P - q, q - j) / comb(P, q) for j in range(q + 1)]
    expected = sum(s * kernels.maxout_overlap_covariance(theta, q, j) for j, s in enumerate(shares))
    assert kernels.maxout_pool_covariance(np.cos(theta), q, P) == pytest.approx(expected, rel=1e-4)


@pytest.mark.slow
def test_overlaps_that_are_interpolated_agree_with_all_of_them():
    q, P, theta = 32, 80, 0.9
    law = stats.hypergeom(P, q, q)
    expected = sum(law.pmf(j) * kernels.maxout_overlap_covariance(theta, q, j) for j in range(1, q + 1))
    assert kernels.maxout_pool_covariance(np.cos(theta), q, P) == pytest.approx(expected, rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("q", [2, 16])
def test_between_independent_features_and_copies(q):
    rho = np.linspace(-1, 1, 9)
    one = kernels.maxout_product_moments(rho, q)[1]
    np.testing.assert_array_equal(kernels.maxout_pool_covariance(rho, q, q), one)
    previous = one
    for P in (2 * q, 10 * q, 100 * q):
        pool = kernels.maxout_pool_covariance(rho, q, P)
        # Never above independent maxout on as many projections (Hoeffding), and falling with P.
        assert (pool <= q * one / P + 1e-4).all() and (pool >= 0).all() and (pool <= previous + 1e-9).all()
        previous = pool
    assert kernels.maxout_pool_covariance(rho, q, 10**9).max() < 1e-6


def test_fewer_projections_than_indices_are_refused():
    with pytest.raises(ParameterError, match="n_projections must be at least pool_size, 8; got 7"):
        kernels.maxout_pool_covariance(0.5, 8, 7)
