"""The kernel of order statistics against maxout's, against simple cases, and against many draws."""

import numpy as np
import pytest

from rfviz import kernels
from rfviz.errors import ParameterError

RHO = np.linspace(-1, 1, 101)
# What a rule takes of the numbers along the last axis, by NumPy alone.
RULES = {
    "largest": lambda z: z.max(axis=-1),
    "second largest": lambda z: np.sort(z, axis=-1)[..., -2],
    "median": lambda z: np.median(z, axis=-1),
    "smallest": lambda z: z.min(axis=-1),
    "range": lambda z: np.ptp(z, axis=-1),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("q", [2, 3, 4, 5, 8, 31, 32])
def test_weights_of_a_rule(q, rule):
    numbers = np.random.default_rng(q).standard_normal((50, q))
    found = np.sort(numbers, axis=1) @ kernels.order_weights(q, rule)
    np.testing.assert_allclose(found, RULES[rule](numbers), rtol=0, atol=1e-14)


@pytest.mark.parametrize("q", [2, 5, 16, 32])
def test_the_largest_and_the_smallest_have_the_kernel_of_maxout(q):
    exact = kernels.maxout_rho(RHO, q)
    for rule in ("largest", "smallest"):
        np.testing.assert_allclose(kernels.order_statistic_rho(RHO, q, rule), exact, atol=5e-4)


def test_the_median_of_two_is_linear_and_their_range_twice_an_absolute_value():
    np.testing.assert_allclose(kernels.order_statistic_rho(RHO, 2, "median"), RHO / 2, atol=5e-4)
    absolute = 2 / np.pi * (np.sqrt(1 - RHO**2) + RHO * np.arcsin(RHO))
    np.testing.assert_allclose(kernels.order_statistic_rho(RHO, 2, "range"), 2 * absolute, atol=1e-3)
    assert np.allclose(
        kernels.order_statistic_rho(RHO, 2, "second largest"), kernels.order_statistic_rho(RHO, 2, "smallest")
    )


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("q", [3, 6])
def test_many_draws(q, rule):
    rng = np.random.default_rng(q)
    for rho in (1.0, 0.6, -0.5):
        u = rng.standard_normal((200_000, q))
        v = rho * u + np.sqrt(1 - rho**2) * rng.standard_normal(u.shape)
        products = RULES[rule](u) * RULES[rule](v)
        z = (products.mean() - kernels.order_statistic_rho(rho, q, rule)) / (products.std() / np.sqrt(len(u)))
        assert abs(z) < 4.5


def test_bad_rules_and_sizes():
    with pytest.raises(ParameterError, match="rule must be one of 'largest'"):
        kernels.order_statistic_rho(0.5, 4, "mode")
    with pytest.raises(ParameterError, match="pool_size must be an integer from 2 to 32"):
        kernels.order_statistic_rho(0.5, 1, "median")
