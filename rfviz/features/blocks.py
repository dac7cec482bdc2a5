"""Mapping rows block by block, on the CPU's cores or on a GPU, in bounded memory."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
from scipy import sparse

from rfviz import backend
from rfviz.backend import (
    Device,
    array_namespace,
    block_share,
    is_out_of_memory,
    map_ordered,
    matmul,
    product_precision,
    single_threaded_blas,
    wanted_precision,
    worker_count,
)
from rfviz.errors import warn

__all__ = ["BLOCK_ROWS", "DeviceFallbackWarning", "Scratch", "gpu_blocks", "halving", "host_blocks", "project"]

# Rows of a block: enough for the matrix product to run at full speed (800 or more at 10,000 features), few enough that
# a block stays below 32 MiB. The C library recycles memory of that size; anything larger is mapped, and zeroed by the
# kernel, anew for every block, which costs a tenth of a cheap map's time.
BLOCK_ROWS, _BLOCK_BYTES = 1024, 32_000_000
_GPU_BLOCK_ROWS, _GPU_BLOCK_BYTES = 16_384, 1_000_000_000
_MIN_GPU_ROWS = 64
# Float32 numbers in 16 bytes: NVIDIA asks for rows of a multiple where tensor cores shall be at their best, and Hopper
# fetches tiles of no other matrix by itself. On an H100 products of 203 columns take half of the time so.
_ALIGNED = 4
# Multiply-adds below which one thread is as fast as several.
_PARALLEL_FROM = 300_000_000
# Share of non-zeros from which the dense product of sparse rows is the faster one.
_DENSE_FROM = 0.05

# map_block(xp, X, weights, scale, out, scratch) writes the features of the rows X, times scale, to out
MapBlock = Callable[..., None]


class DeviceFallbackWarning(UserWarning):
    """A computation did not fit on the GPU and went on with smaller blocks or on the CPU."""


class Scratch:
    """One reusable buffer: a block's worth of memory that is allocated once, not once a block."""

    def __init__(self, xp: Any) -> None:
        self._xp = xp
        self._buffer: Any = None

    def like(self, array: Any) -> Any:
        """Return an uninitialised contiguous array of the shape and dtype of `array`."""
        return self.empty(array.shape, array.dtype)

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """Return an uninitialised contiguous array; the next one reuses its memory."""
        size = math.prod(shape)
        if self._buffer is None or self._buffer.size < size or self._buffer.dtype != dtype:
            self._buffer = self._xp.empty(size, dtype=dtype)
        return self._buffer[:size].reshape(shape)

    def release(self) -> None:
        """Free the buffer."""
        self._buffer = None


def project(X: Any, W: Any, out: Any, exact: bool = False) -> Any:
    """Compute ``out[...] = X @ W.T`` for dense or CSR rows `X` (n, d) and weights `W` (m, d), on either array module.

    In the precision that :func:`rfviz.backend.product_precision` asks for, unless the product must be `exact`.
    """
    if hasattr(X, "indptr"):
        out[...] = X @ W[:, : X.shape[1]].T
        return out
    return matmul(array_namespace(out), X, W.T, out=out, exact=exact)


def _rows_within(most: int, budget_bytes: int, n_components: int, dtype: str) -> int:
    return max(min(most, budget_bytes // (n_components * np.dtype(dtype).itemsize)), 16)


def host_blocks(
    map_block: MapBlock,
    X: Any,
    weights: dict[str, np.ndarray],
    scale: Any,
    n_components: int,
    dtype: str,
    block_rows: int | None,
    multiply_adds: int,
    out: np.ndarray | None,
) -> Iterator[np.ndarray]:
    """Yield blocks from the CPU, in order, in the rows of `out` or fresh arrays.

    Large jobs run a block a core with one BLAS thread each, so that the passes other than the matrix product (maximum,
    cosine), which NumPy runs on one core, are spread over all of them too.
    """
    n_samples = X.shape[0]
    densify = sparse.issparse(X) and X.nnz >= _DENSE_FROM * n_samples * X.shape[1]
    parallel = multiply_adds >= _PARALLEL_FROM and (densify or not sparse.issparse(X))
    workers = min(worker_count(), n_samples) if parallel else 1
    if block_rows is None:
        widest = max(n_components, X.shape[1])
        block_rows = min(_rows_within(BLOCK_ROWS, _BLOCK_BYTES, widest, dtype), max(-(-n_samples // workers), 1))
    local, precision = threading.local(), wanted_precision()

    def compute(start: int) -> np.ndarray:
        rows = X[start : start + block_rows].astype(dtype, copy=False)
        rows = rows.toarray() if densify else rows
        target = np.empty((rows.shape[0], n_components), dtype) if out is None else out[start : start + block_rows]
        if not hasattr(local, "scratch"):
            local.scratch = Scratch(np)
        # A small product wakes the other threads for longer than it takes; many sessions at once would queue for them.
        with nullcontext() if parallel else single_threaded_blas(), product_precision(precision):
            map_block(np, rows, weights, scale, target, local.scratch)
        return target

    return map_ordered(compute, range(0, n_samples, block_rows), workers)


def on_device(weights: dict[str, Any], device: Device, projections: tuple[str, ...] = ()) -> dict[str, Any]:
    """Move weights to a GPU within their dictionary, which is returned.

    Where products are in TF32, columns of zeros make the rows of `projections` a multiple of 16 bytes. Weights
    on the device already stay as they are: other blocks of rows may be on their way to it.
    """
    aligning = wanted_precision() == "tf32"
    with device.activate():
        for name, value in weights.items():  # in the dictionary, where a map that rearranges them once leaves them
            weights[name] = there = device.asarray(value)
            missing = -value.shape[-1] % _ALIGNED if aligning and name in projections else 0
            if missing and there is not value and there.dtype == np.float32:
                zeros = device.xp.zeros((*there.shape[:-1], missing), dtype=there.dtype)
                weights[name] = device.xp.concatenate([there, zeros], axis=-1)
    return weights


def gpu_blocks(
    map_block: MapBlock,
    X: Any,
    weights: dict[str, np.ndarray],
    scale: Any,
    n_components: int,
    dtype: str,
    block_rows: int | None,
    device: Device,
    out_dtype: Any = None,
    projections: tuple[str, ...] = (),
) -> Iterator[Any]:
    """Yield blocks from a GPU, in order; a block that does not fit is tried again with half the rows.

    The blocks are of `out_dtype`, that of the features where it is None (hash codes are integers of floats). Dense rows
    have as many columns as the weights named in `projections`, whose rows :func:`on_device` may fill up with zeros.

    Raises
    ------
    cupy.cuda.memory.OutOfMemoryError
        Where not even the smallest block fits.
    """
    n_samples = X.shape[0]
    most, budget = int(_GPU_BLOCK_ROWS * block_share()), int(_GPU_BLOCK_BYTES * block_share())
    rows = min(block_rows or _rows_within(most, budget, n_components, dtype), n_samples)
    on_device(weights, device, () if sparse.issparse(X) else projections)
    n_columns = next((weights[name].shape[-1] for name in projections if name in weights), None)
    scratch, stream = Scratch(device.xp), backend.RowStream(X, device, dtype, n_columns)

    # A function of its own, so that a block that fails leaves nothing behind that would hold device memory.
    def compute(start: int, stop: int) -> Any:
        with device.activate():
            block = stream.block(start, stop)
            target = device.xp.empty((block.shape[0], n_components), dtype=out_dtype or dtype)
            map_block(device.xp, block, weights, scale, target, scratch)
            return target

    def release() -> None:
        scratch.release()
        stream.close()

    try:
        yield from halving(compute, n_samples, rows, device, release)
    finally:
        stream.close()


def fits_on_gpu(compute: Callable[[], None], device: Device) -> bool:
    """Return whether `compute` comes to its end in the GPU's memory; warn where it does not."""
    try:
        compute()
        return True
    except Exception as error:
        if not is_out_of_memory(error):
            raise
    # Only here, where the error and the arrays in its traceback are gone, is there anything to give back.
    device.release()
    warn(f"Out of memory on {device.name}: computed on the CPU instead.", DeviceFallbackWarning)
    return False


def halving(
    compute: Callable[[int, int], Any], n_samples: int, rows: int, device: Device, release: Callable[[], None]
) -> Iterator[Any]:
    """Yield ``compute(start, stop)`` for all rows, some at a time; half as many from where memory does not suffice."""
    start = 0
    while start < n_samples:
        stop, fits = min(start + rows, n_samples), True
        try:
            yield compute(start, stop)  # not by way of a variable, which would hold the last block in memory
        except Exception as error:
            if not is_out_of_memory(error) or rows <= _MIN_GPU_ROWS:
                raise
            fits = False
        if fits:
            start = stop
            continue
        release()
        device.release()
        rows = max(rows // 2, _MIN_GPU_ROWS)
        warn(f"Out of memory on {device.name}: going on with blocks of {rows} rows.", DeviceFallbackWarning)
