"""Row blocks: whose they are, how many are alive, what happens when the iteration or the memory ends."""

import gc
import warnings

import numpy as np
import pytest
from scipy import sparse

from rfviz.backend import blas_info, memory_budget
from rfviz.errors import MemoryBudgetError, ParameterError
from rfviz.features import DeviceFallbackWarning, RandomMaxout, binning, blocks
from tests.features.cases import CASES, IDS, dense, make

X = np.random.default_rng(0).standard_normal((2000, 10))
FEW = X[:400]  # seven blocks of 60
every_case = pytest.mark.parametrize("case", CASES, ids=IDS)


@pytest.fixture
def parallel(monkeypatch):
    """Use worker threads also for small jobs."""
    for module in (blocks, binning):
        monkeypatch.setattr(module, "_PARALLEL_FROM", 0)
        monkeypatch.setattr(module, "worker_count", lambda: 2)


def _threads() -> int:
    return blas_info()["threads"]


def _spoil(block):
    entries = block.data if hasattr(block, "indptr") else block
    entries[:] = np.nan


def assert_same(found, expected):
    """Assert that features are equal up to the rounding of the largest of them, if that is above 1."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * max(1.0, np.abs(expected).max()))


@every_case
@pytest.mark.usefixtures("parallel")
def test_a_block_is_the_callers_to_change(case):
    feature_map = make(case).fit(FEW)
    expected = feature_map.transform(FEW)
    kept = []
    for block in feature_map.transform_blocks(FEW, 60):
        kept.append(dense(block).copy())
        _spoil(block)
    assert_same(np.vstack(kept), dense(expected))


@every_case
@pytest.mark.usefixtures("fake_gpu")
def test_a_block_on_the_gpu_is_the_callers_to_change(case):
    feature_map = make(case, device="cuda").fit(FEW)
    kept = []
    for block in feature_map.transform_blocks(FEW, 60):
        kept.append(dense(block))
        _spoil(block)
    assert_same(np.vstack(kept), dense(feature_map.transform(FEW)))


@pytest.mark.usefixtures("parallel")
def test_abandoned_iteration_stops_and_restores_the_threads():
    before = _threads()
    computed = []

    class Counted(RandomMaxout):
        def _map_block(self, *args):
            computed.append(1)
            return super()._map_block(*args)

    feature_map = Counted(20, device="cpu").fit(X)
    iterator = feature_map.transform_blocks(X, 10)
    next(iterator)
    del iterator
    gc.collect()
    assert len(computed) <= 4  # one taken, two running, one waiting
    assert _threads() == before


@pytest.mark.usefixtures("parallel")
def test_an_error_in_a_block_reaches_the_caller_and_restores_the_threads():
    before = _threads()

    class Failing(RandomMaxout):
        def _map_block(self, *args):
            raise ZeroDivisionError("in a worker")

    feature_map = Failing(20, device="cpu").fit(X)
    with pytest.raises(ZeroDivisionError, match="in a worker"):
        feature_map.transform(X)
    assert _threads() == before


def test_input_is_checked_before_the_first_block_is_asked_for():
    feature_map = RandomMaxout(20, device="cpu").fit(X)
    with pytest.raises(ValueError, match="3 features"):
        feature_map.transform_blocks(X[:, :3])
    for block_rows in (0, -1, 2.5, True):
        with pytest.raises(ParameterError, match="block_rows must be an integer of at least 1"):
            feature_map.transform_blocks(X, block_rows)


def test_blocks_stay_small_however_many_features():
    feature_map = RandomMaxout(100_000, pool_size=1, device="cpu").fit(X)
    block = next(feature_map.transform_blocks(X))
    assert block.nbytes < 32 * 2**20  # the C library maps anything larger anew for every block


# --- memory -----------------------------------------------------------------------------------------------------------


def test_gpu_out_of_memory_goes_on_with_smaller_blocks(fake_gpu):
    feature_map = RandomMaxout(1000, device="cuda").fit(X)
    expected = feature_map.transform(X)
    fake_gpu.memory.reset_peak()
    fake_gpu.memory.limit = 5_000_000  # all 2000 rows need 8 MB for the result alone
    for data in (X, sparse.csr_matrix(X)):
        with pytest.warns(DeviceFallbackWarning, match=r"cuda:0: going on with blocks of \d+ rows"):
            result = feature_map.transform(data)
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-6)
        assert fake_gpu.memory.peak <= fake_gpu.memory.limit
    with pytest.warns(DeviceFallbackWarning) as caught:
        rows = sum(block.shape[0] for block in feature_map.transform_blocks(X))
    assert rows == len(X)
    assert len(caught) <= 4  # halvings start from the data, not from the largest block there is
    assert fake_gpu.memory.used < 1000


def test_gpu_too_small_for_the_weights_falls_back_to_the_cpu(fake_gpu):
    feature_map = RandomMaxout(1000, device="cuda").fit(X)
    expected = feature_map.transform(X)
    fake_gpu.memory.limit = 100_000
    with pytest.warns(DeviceFallbackWarning, match="cuda:0: computed on the CPU instead"):
        result = feature_map.transform(X)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-6)
    assert fake_gpu.memory.used < 1000
    with pytest.raises(fake_gpu.cuda.memory.OutOfMemoryError):  # blocks were asked for on the GPU
        next(feature_map.transform_blocks(X))


def test_other_gpu_errors_are_not_hidden(fake_gpu):
    feature_map = RandomMaxout(10, device="cuda").fit(X)
    fake_gpu.matmul = lambda *args, **kwargs: 1 / 0
    with pytest.raises(ZeroDivisionError):
        feature_map.transform(X)


def test_gpu_allocations_do_not_grow_with_the_rows(fake_gpu):
    feature_map = RandomMaxout(100, device="cuda").fit(X)
    for _ in feature_map.transform_blocks(X, 50):
        pass
    block = 50 * 100 * 4
    weights = feature_map.weights_.nbytes
    # Weights (once more while they are rearranged), block, the caller's last one, products of one tile, the input three
    # times (in use, on its way and scaled).
    assert fake_gpu.memory.peak <= 2 * weights + 2 * block + 4 * block + 3 * 50 * 10 * 4
    fewer = fake_gpu.memory.peak
    for _ in feature_map.transform_blocks(np.concatenate([X, X]), 50):
        pass
    assert fake_gpu.memory.peak == fewer


@every_case
def test_weights_beyond_the_budget_are_refused_with_the_largest_that_fits(case, monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    assert memory_budget() == 1_000_000
    with pytest.raises(MemoryBudgetError, match=r"needs .* GB; .*largest n_components that fits") as caught:
        make(case, 1_000_000).fit(X)
    largest = int(str(caught.value).split()[-1].rstrip("."))
    make(case, largest).fit(X)
    with pytest.raises(MemoryBudgetError):
        make(case, int(1.1 * largest) + 2).fit(X)


def test_a_result_beyond_the_budget_is_refused_with_the_largest_that_fits(monkeypatch):
    feature_map = RandomMaxout(1000, device="cpu").fit(X)
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.004")
    with pytest.raises(
        MemoryBudgetError, match=r"2000 × 1000 needs 0.008 GB.*largest .* about 500; or use transform_blocks"
    ):
        feature_map.transform(X)
    assert feature_map.prefix(500).transform(X).shape == (2000, 500)
    assert sum(len(block) for block in feature_map.transform_blocks(X)) == 2000


def test_no_warning_in_the_normal_case(fake_gpu):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RandomMaxout(10).fit_transform(X)
    assert fake_gpu.memory.log  # it was the GPU that computed
    assert blas_info()["threads"] >= 1
