"""Rows that travel to the GPU while it computes: the right ones, whether a copy comes early or as late as it may."""

import numpy as np
import pytest
from scipy import sparse

from rfviz.backend import RowStream, get_device, stream_blocks
from rfviz.features import RandomProjection

X = np.random.default_rng(0).standard_normal((103, 4))


@pytest.fixture(params=[False, True], ids=["late", "eager"])
def gpu(fake_gpu, request, monkeypatch):
    monkeypatch.setattr(fake_gpu.cuda.Stream, "eager", request.param)
    return get_device("cuda")


@pytest.mark.parametrize("rows", [1, 7, 50, 103, 1000])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_blocks_are_the_rows_in_order(gpu, rows, dtype):
    for data in (X, np.asfortranarray(X), X.astype("float32"), X[::-1]):
        found = [block.get() for block in stream_blocks(data, rows, gpu, dtype)]
        assert [len(block) for block in found[:-1]] == [rows] * (len(found) - 1)
        np.testing.assert_array_equal(np.concatenate(found), data.astype(dtype))
    assert gpu.xp.memory.used == 0


@pytest.mark.parametrize("rows", [7, 103])
def test_zeros_may_follow_the_columns(gpu, rows):
    stream = RowStream(X, gpu, "float32", 8)
    found = np.concatenate([stream.block(i, min(i + rows, 103)).get() for i in range(0, 103, rows)])
    np.testing.assert_array_equal(found, np.pad(X, ((0, 0), (0, 4))).astype("float32"))
    stream.close()


def test_the_next_rows_are_under_way_while_a_block_is_used(gpu):
    copied = []
    whole = gpu.xp.ndarray.set
    gpu.xp.ndarray.set = lambda self, array, stream=None: (copied.append(array.copy()), whole(self, array, stream))[1]
    try:
        for number, block in enumerate(stream_blocks(X, 20, gpu, "float64")):
            assert len(copied) == min(number + 2, 6)
            assert block.shape[0] == (20 if number < 5 else 3)
    finally:
        gpu.xp.ndarray.set = whole
    np.testing.assert_array_equal(np.concatenate(copied), X)


def test_rows_out_of_turn_and_blocks_that_shrink(gpu):
    stream = RowStream(X, gpu, "float64")
    for start, stop in ((0, 40), (40, 80), (40, 60), (60, 80), (0, 10), (90, 103), (10, 100), (100, 103)):
        np.testing.assert_array_equal(stream.block(start, stop).get(), X[start:stop])
    stream.close()
    np.testing.assert_array_equal(stream.block(5, 9).get(), X[5:9])
    stream.close()
    assert gpu.xp.memory.used == 0


def test_abandoned_blocks_leave_nothing_under_way(gpu):
    blocks = stream_blocks(X, 10, gpu, "float32")
    first = next(blocks).get()
    blocks.close()
    np.testing.assert_array_equal(first, X[:10].astype("float32"))
    assert gpu.xp.memory.used == 0


def test_two_buffers_whatever_the_number_of_rows(gpu):
    gpu.xp.memory.reset_peak()
    for _ in stream_blocks(X, 10, gpu, "float64"):
        pass
    assert gpu.xp.memory.peak == 2 * 10 * 4 * 8


def test_without_a_gpu_blocks_are_views():
    cpu = get_device("cpu")
    blocks = list(stream_blocks(X, 40, cpu, "float64"))
    assert all(np.shares_memory(block, X) for block in blocks) and [len(b) for b in blocks] == [40, 40, 23]
    found = list(stream_blocks(sparse.csr_matrix(X), 40, cpu, "float32"))
    assert all(sparse.issparse(block) and block.dtype == "float32" for block in found)


def test_sparse_rows_go_as_they_are(gpu):
    found = [block.get().toarray() for block in stream_blocks(sparse.csr_matrix(X), 40, gpu, "float64")]
    np.testing.assert_array_equal(np.concatenate(found), X)


def test_no_rows(gpu):
    assert list(stream_blocks(X[:0], 10, gpu, "float64")) == []


def test_features_of_many_blocks(gpu):
    feature_map = RandomProjection(11, device="cuda", dtype="float64").fit(X)
    found = np.concatenate([block.get() for block in feature_map.transform_blocks(X, 9)])
    np.testing.assert_allclose(
        found, RandomProjection(11, device="cpu", dtype="float64").fit(X).transform(X), atol=1e-13
    )
