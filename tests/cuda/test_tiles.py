"""Blocks that fit a GPU's cache: their shapes, and that maps come out the same however they are cut."""

import numpy as np
import pytest

from rfviz.cuda import cache_bytes, row_tiles, tile_shape
from rfviz.cuda import tiles as cutting
from rfviz.features import RandomFourier, RandomMaxout, RandomReLU, SharedPoolMaxout, SigmoidalRidge
from rfviz.features.tiles import by_feature

X = np.random.default_rng(0).standard_normal((101, 9))
ROWS, COLUMNS = cutting._ROWS, cutting._COLUMNS  # noqa: SLF001 – timed on a GPU, and of use to nobody else


@pytest.fixture
def cache_of(fake_gpu, monkeypatch):
    def of(n_bytes):
        cache_bytes.cache_clear()
        monkeypatch.setattr(fake_gpu.cuda.runtime, "deviceGetAttribute", lambda attribute, device: n_bytes)
        return fake_gpu

    yield of
    cache_bytes.cache_clear()


@pytest.mark.parametrize("megabytes", [0, 3, 6, 40, 50, 96])
@pytest.mark.parametrize(
    ("rows", "columns", "group"), [(16_384, 10_000, 4), (16_384, 500, 1), (100, 50, 16), (1, 1, 1)]
)
def test_products_of_a_tile_fill_half_of_the_cache(cache_of, megabytes, rows, columns, group):
    xp, cache = cache_of(megabytes * 2**20), (megabytes or 4) * 2**20
    high, wide = tile_shape(xp, rows, columns, 4, group)
    assert 1 <= high <= rows and 1 <= wide <= columns
    n_bytes = high * wide * group * 4
    if (high, wide) != (rows, columns):
        # Nearly full, or as small as a product that uses the whole chip may be.
        smallest = ROWS * COLUMNS * 4
        assert 0.25 * cache < n_bytes <= max(0.5 * cache, smallest)
    parts = list(row_tiles(xp, rows, columns, 4))
    assert [p.start for p in parts[1:]] == [p.stop for p in parts[:-1]] and parts[-1].stop == rows
    assert max(p.stop - p.start for p in parts) * columns * 4 <= max(0.5 * cache, ROWS // 2 * columns * 4)


def test_rows_are_not_cut_again_on_the_host():
    assert list(row_tiles(np, 5000, 10_000, 4)) == [slice(0, 5000)]


@pytest.mark.parametrize("n_bytes", [2_000, 20_000, 10**7])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("scheme", "setting"),
    [
        (RandomMaxout, {"pool_size": 3}), (RandomMaxout, {"pool_size": 16}), (RandomReLU, {}), (SigmoidalRidge, {}),
        (RandomFourier, {}), (RandomFourier, {"paired": False}), (RandomFourier, {"draw": "structured"}),
        (SharedPoolMaxout, {"n_projections": 30}),
    ],
)  # fmt: skip
def test_the_map_is_the_same_however_it_is_cut(cache_of, monkeypatch, n_bytes, dtype, scheme, setting):
    for name in ("_ROWS", "_COLUMNS"):
        monkeypatch.setattr(cutting, name, 16)
    cache_of(n_bytes)
    products = []
    on_gpu, on_host = (scheme(37, device=d, dtype=dtype, **setting).fit(X) for d in ("cuda", "cpu"))
    found = on_gpu.transform(X)
    products.append(found)
    np.testing.assert_allclose(found, on_host.transform(X), rtol=0, atol=2e-5 if dtype == "float32" else 1e-13)


def test_the_array_of_all_projections_is_never_formed(cache_of, monkeypatch):
    for name in ("_ROWS", "_COLUMNS"):
        monkeypatch.setattr(cutting, name, 16)
    xp = cache_of(4_000)
    feature_map = RandomMaxout(50, pool_size=16, device="cuda").fit(X)
    xp.memory.log.clear()
    feature_map.transform(X)
    weights = feature_map.weights_.nbytes
    # Nothing but the weights and the result is larger than half of the cache, and a row and column of slack.
    others = sorted(n for n in xp.memory.log if n not in (weights, 101 * 50 * 4))
    assert others[-1] < 101 * 16 * 50 * 4 / 8


def test_weights_are_rearranged_once_and_in_place(fake_gpu):
    host = np.arange(24.0).reshape(2, 3, 4)
    weights = {"weights_": fake_gpu.asarray(host)}
    turned = by_feature(fake_gpu, weights)
    assert turned.flags.c_contiguous and np.array_equal(turned.get(), host.transpose(1, 0, 2))
    assert np.array_equal(weights["weights_"].get(), host)
    used = fake_gpu.memory.used
    again = by_feature(fake_gpu, weights)
    assert np.array_equal(again.get(), turned.get()) and fake_gpu.memory.used == used == host.nbytes
