"""Features of a pool by a rule of order, by sorting the projections themselves."""

import numpy as np
import pytest

from rfviz.features import RandomPool
from tests.kernels.test_order_statistics import RULES

X = np.random.default_rng(0).standard_normal((40, 5))


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("pool_size", [2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 31, 32])
def test_every_rule_is_that_of_sorted_projections(fake_gpu, device, pool_size):
    for rule, taken in RULES.items():
        feature_map = RandomPool(6, pool_size=pool_size, rule=rule, device=device, dtype="float64").fit(X)
        expected = taken(np.einsum("qmd,nd->nmq", feature_map.weights_, X)) / np.sqrt(6)
        np.testing.assert_allclose(feature_map.transform(X), expected, rtol=0, atol=1e-12)
