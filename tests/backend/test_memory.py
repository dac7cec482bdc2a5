"""The memory budget, and what is refused for lack of it."""

import pytest

from rfviz.backend import (
    check_memory,
    devices,
    gigabytes,
    is_device_failure,
    is_device_lost,
    is_out_of_memory,
    memory_budget,
    return_free_memory,
)
from rfviz.errors import MemoryBudgetError
from tests.fake_cupy import CUDARuntimeError


@pytest.mark.parametrize("limit", ["0.5", "1e-6", "0"])
def test_budget_from_the_environment(monkeypatch, limit):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", limit)
    assert memory_budget() == int(float(limit) * 1e9)


@pytest.mark.parametrize("limit", ["nan", "-1", "much", "", "inf", "1e300"])
def test_a_limit_that_makes_no_sense_is_not_one(monkeypatch, limit):
    monkeypatch.setattr(devices, "_container_headroom", lambda: 1e6)
    monkeypatch.setenv("RFVIZ_MEMORY_GB", limit)
    assert memory_budget() == int(0.6e6)


def test_gpu_budget(fake_gpu):
    assert memory_budget("cuda") == int(0.8 * fake_gpu.memory.limit)
    held = fake_gpu.empty(1_000_000)
    assert memory_budget("cuda") == int(0.8 * (fake_gpu.memory.limit - held.nbytes))


def test_check_memory(monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "1")
    check_memory(10**9, "cpu", "This", "Use less.")
    with pytest.raises(MemoryBudgetError, match=r"This needs 1.5 GB; the budget on cpu is 1 GB\. Use less\.") as caught:
        check_memory(1_500_000_000, "cpu", "This", "Use less.")
    assert is_out_of_memory(caught.value)
    assert gigabytes(4e13) == "40,000 GB" and gigabytes(123) == "1.23e-07 GB"


def test_is_out_of_memory(fake_gpu):
    fake_gpu.memory.limit = 10
    with pytest.raises(fake_gpu.cuda.memory.OutOfMemoryError) as caught:
        fake_gpu.empty(100)
    assert is_out_of_memory(caught.value) and is_out_of_memory(MemoryError())
    assert not is_out_of_memory(ValueError())


@pytest.mark.parametrize(
    ("text", "full", "lost"),
    [
        ("cudaErrorMemoryAllocation: out of memory", True, False),
        ("CUDA_ERROR_OUT_OF_MEMORY: out of memory", True, False),
        ("CUBLAS_STATUS_ALLOC_FAILED", True, False),
        ("CUSOLVER_STATUS_INVALID_VALUE", False, False),
        ("cudaErrorIllegalAddress: an illegal memory access was encountered", False, True),
        ("CUDA_ERROR_LAUNCH_TIMEOUT: the launch timed out and was terminated", False, True),
        ("cudaErrorECCUncorrectable: uncorrectable ECC error encountered", False, True),
    ],
)
def test_what_the_driver_says_is_told_apart(text, full, lost):
    error = CUDARuntimeError(text)
    assert is_device_failure(error)
    assert (is_out_of_memory(error), is_device_lost(error)) == (full, lost)
    assert not is_out_of_memory(RuntimeError(text)) and not is_device_lost(RuntimeError(text))  # of somebody else


def test_a_library_that_cupy_cannot_load_is_the_devices_failure():
    error = ImportError("CuPy failed to load libcusolver.so.11")
    assert is_device_failure(error) and not is_device_lost(error)
    assert not is_device_failure(ImportError("No module named 'x'", name="x"))


@pytest.mark.parametrize("error", [OSError, AttributeError, TypeError])
def test_where_the_c_library_cannot_return_memory_nothing_happens(monkeypatch, error):
    return_free_memory()

    def refuse(name):
        raise error

    monkeypatch.setattr("ctypes.CDLL", refuse)
    return_free_memory()
