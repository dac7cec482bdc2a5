"""The memory that one computation may take, and the share of it that a block on a GPU may."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from rfviz.backend.devices import Device, get_device, is_device_failure
from rfviz.errors import MemoryBudgetError

__all__ = [
    "block_share",
    "check_memory",
    "gigabytes",
    "is_out_of_memory",
    "memory_budget",
    "return_free_memory",
    "smaller_blocks",
]

# Share of the free memory that one computation may plan to use.
_CPU_SHARE, _GPU_SHARE = 0.6, 0.8
# Errors of the driver and its libraries when memory outside CuPy's pool, or pinned memory, is full.
_FULL = ("cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", "STATUS_ALLOC_FAILED", "INSUFFICIENT_RESOURCES")
_share: ContextVar[float] = ContextVar("rfviz_block_share", default=1.0)


def memory_budget(device: str | Device = "cpu") -> int:
    """Return the bytes that one computation may plan to use on `device`.

    This is a share of the memory that is free now, or the environment variable ``RFVIZ_MEMORY_GB`` if it is smaller.
    """
    device = get_device(device)
    budget = device.free_bytes() * (_GPU_SHARE if device.is_gpu else _CPU_SHARE)
    with suppress(KeyError, ValueError):
        limit = float(os.environ["RFVIZ_MEMORY_GB"]) * 1e9
        if limit >= 0:  # neither negative nor NaN
            budget = min(budget, limit)
    return int(budget)


def check_memory(needed: int, device: str | Device, what: str, remedy: str) -> None:
    """Refuse a computation before it starts if the bytes that `what` needs exceed the budget of `device`.

    Raises
    ------
    MemoryBudgetError
        ``"<what> needs 12.3 GB; the budget on cpu is 8.1 GB. <remedy>"``
    """
    device = get_device(device)
    budget = memory_budget(device)
    if needed > budget:
        raise MemoryBudgetError(
            f"{what} needs {gigabytes(needed)}; the budget on {device.name} is {gigabytes(budget)}. {remedy}",
            device.name,
        )


def gigabytes(n_bytes: float) -> str:
    """Format a number of bytes: ``"0.25 GB"``, ``"40,000 GB"``."""
    size = n_bytes / 1e9
    return f"{size:,.0f} GB" if size >= 1000 else f"{size:.3g} GB"


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether `error` says that an allocation failed: on the host, in CuPy's pool, or in a library on a GPU."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    return is_device_failure(error) and any(word in str(error) for word in _FULL)


@contextmanager
def smaller_blocks(share: float) -> Generator[None, None, None]:
    """Plan blocks on a GPU with this share of their usual memory, until the context ends."""
    token = _share.set(share)
    try:
        yield
    finally:
        _share.reset(token)


def block_share() -> float:
    """Return the share of its usual memory that a block on a GPU may take."""
    return _share.get()


def return_free_memory() -> None:
    """Return to the operating system what the process has freed; the C library keeps it for its next allocations.

    Does nothing without glibc, whose arenas, one for every few threads, keep the most.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
