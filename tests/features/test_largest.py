"""Largest projections on a GPU: maps come out the same however few rows have their products at a time."""

import numpy as np
import pytest

from rfviz.backend import smaller_blocks
from rfviz.features import RandomFourier, RandomMaxout, SharedPoolMaxout, StructuredMaxout, maxout
from rfviz.features.maxout import by_feature

X = np.random.default_rng(0).standard_normal((101, 9))


@pytest.mark.parametrize("n_bytes", [1, 2_000, 20_000, 10**9])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("scheme", "setting"),
    [
        (RandomMaxout, {"pool_size": 3}),
        (RandomMaxout, {"pool_size": 16}),
        (SharedPoolMaxout, {"n_projections": 30}),
        (StructuredMaxout, {"pool_size": 3}),
        (RandomFourier, {"draw": "structured"}),
        (RandomFourier, {"draw": "structured", "spectrum": "matern", "paired": False}),
    ],
)
def test_the_map_is_the_same_however_it_is_cut(fake_gpu, monkeypatch, n_bytes, dtype, scheme, setting):
    monkeypatch.setattr(maxout, "_PRODUCT_BYTES", n_bytes)
    on_gpu, on_host = (scheme(37, device=d, dtype=dtype, **setting).fit(X) for d in ("cuda", "cpu"))
    tolerance = 2e-5 if dtype == "float32" else 1e-13
    np.testing.assert_allclose(on_gpu.transform(X), on_host.transform(X), rtol=0, atol=tolerance)


def test_products_take_no_more_memory_than_they_may(fake_gpu, monkeypatch):
    feature_map = RandomMaxout(50, pool_size=16, device="cuda").fit(X)
    weights, result = feature_map.weights_.nbytes, 101 * 50 * 4
    for allowed in (40_000, 70_000):
        monkeypatch.setattr(maxout, "_PRODUCT_BYTES", allowed)
        for share in (1.0, 0.5):
            fake_gpu.memory.log.clear()
            with smaller_blocks(share):
                feature_map.transform(X)
            others = [n for n in fake_gpu.memory.log if n not in (weights, result)]
            assert allowed * share / 2 < max(others) <= allowed * share


def test_weights_are_rearranged_once_and_in_place(fake_gpu):
    host = np.arange(24.0).reshape(2, 3, 4)
    weights = {"weights_": fake_gpu.asarray(host)}
    turned = by_feature(fake_gpu, weights)
    assert turned.flags.c_contiguous and np.array_equal(turned.get(), host.transpose(1, 0, 2))
    assert np.array_equal(weights["weights_"].get(), host)
    used = fake_gpu.memory.used
    again = by_feature(fake_gpu, weights)
    assert np.array_equal(again.get(), turned.get()) and fake_gpu.memory.used == used == host.nbytes
