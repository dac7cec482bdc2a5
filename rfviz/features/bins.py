"""Joint bins of randomly shifted grids as one 64-bit integer each, and where such integers stand in sorted lists.

A joint bin is a vector of d integers, b_j = ⌈(x_j − u_j)/δ_j⌉. Its code is Σ_j a_j·b_j modulo 2⁶⁴ with random 64-bit
multipliers a_j. Two different joint bins share a code with probability at most 2^(v−64), where 2^v is the largest power
of two that divides all differences b_j − b'_j; v is 0 unless all are even. So a million pairs of different joint bins
collide somewhere with a probability of about 1e-13, and even bins that all lie a multiple of 65,536 apart with 1e-8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from rfviz.backend import Device, map_ordered, worker_count
from rfviz.features.blocks import halving

__all__ = ["Grids", "as_csr", "dense_rows", "different", "joint_codes", "on_gpu", "on_host", "places"]

# Pitches and shifts, float64, and multipliers, int64: each of shape (P, d), on the host.
Grids = tuple[np.ndarray, np.ndarray, np.ndarray]

# Codes of a tile: its buffers take 1 MB and stay in the cache.
_TILE_ROWS, _TILE_REPETITIONS = 1024, 64
# Bins beyond this are one bin: a 64-bit integer holds them.
_FARTHEST = 2.0**62
# Additions of a hash below which one thread is as fast as several.
_PARALLEL_FROM = 20_000_000
_BLOCK_BYTES, _FEWEST_ROWS = 32_000_000, 16
# Bytes of a code on a GPU with all that is made of it; those of a block; and its rows.
_GPU_BYTES, _GPU_BLOCK_BYTES, _GPU_ROWS = 48, 1_000_000_000, 16_384
# Bytes of the codes that are sorted at a time.
_SORTED_BYTES = 64_000_000


def dense_rows(X: Any, start: int, stop: int) -> np.ndarray:
    """Rows of `X`, an array or a CSR matrix, as an array of doubles whatever their type: a bin is the same in any."""
    rows = X[start:stop]
    return (rows.toarray() if sparse.issparse(rows) else rows).astype(np.float64, copy=False)


def joint_codes(xp: Any, X: Any, pitches: Any, shifts: Any, multipliers: Any) -> Any:
    """Codes of the joint bins of the rows of `X` in every repetition.

    Parameters
    ----------
    xp : module
        ``numpy`` or ``cupy``.
    X : array of shape (n, d), float64
    pitches, shifts : array of shape (P, d), float64
    multipliers : array of shape (P, d), int64

    Returns
    -------
    array of shape (P, n), int64
    """
    codes = xp.zeros((pitches.shape[0], X.shape[0]), dtype=np.int64)
    rates, offsets, columns = 1.0 / pitches, shifts / pitches, xp.ascontiguousarray(X.T)
    reach = float((abs(columns).max(axis=1) * rates.max(axis=0)).max()) if columns.size else 0.0
    step = _TILE_REPETITIONS if xp is np else codes.shape[0]
    for start in range(0, codes.shape[0], step):
        part = slice(start, start + step)
        total = codes[part]
        place, number = xp.empty(total.shape, dtype=np.float64), xp.empty(total.shape, dtype=np.int64)
        for j in range(columns.shape[0]):
            xp.multiply(rates[part, j, None], columns[j], out=place)
            xp.subtract(place, offsets[part, j, None], out=place)
            xp.ceil(place, out=place)
            if not reach < _FARTHEST:
                xp.clip(place, -_FARTHEST, _FARTHEST, out=place)
            number[...] = place
            xp.multiply(number, multipliers[part, j, None], out=number)  # modulo 2⁶⁴, as the sum
            xp.add(total, number, out=total)
    return codes


def on_host(
    X: Any, grids: Grids, finish: Callable[[Any], Any] | None = None, block_rows: int | None = None
) -> Iterator[Any]:
    """``finish(codes)``, or the codes, of consecutive rows of `X` on the host, on all cores where there are many."""
    n_samples, (n_repetitions, n_columns) = X.shape[0], grids[0].shape
    parallel = n_samples * n_repetitions * n_columns >= _PARALLEL_FROM
    workers = min(worker_count(), n_samples) if parallel else 1
    fitting = max(_BLOCK_BYTES // (8 * n_repetitions), _FEWEST_ROWS)
    rows = block_rows or max(min(_TILE_ROWS, fitting, -(-n_samples // workers)), 1)

    def compute(start: int) -> Any:
        codes = joint_codes(np, dense_rows(X, start, start + rows), *grids)
        return codes if finish is None else finish(codes)

    return map_ordered(compute, range(0, n_samples, rows), workers)


def on_gpu(
    X: Any, grids: Grids, finish: Callable[[Any], Any], device: Device, block_rows: int | None = None
) -> Iterator[Any]:
    """``finish(codes)`` for consecutive rows of `X` on a GPU, with fewer rows where its memory does not suffice."""
    fitting = max(_GPU_BLOCK_BYTES // (_GPU_BYTES * grids[0].shape[0]), _FEWEST_ROWS)
    with device.activate():
        arrays = [device.asarray(array) for array in grids]

    def compute(start: int, stop: int) -> Any:
        with device.activate():
            return finish(joint_codes(device.xp, device.asarray(dense_rows(X, start, stop)), *arrays))

    rows = min(block_rows or min(_GPU_ROWS, fitting), X.shape[0])
    yield from halving(compute, X.shape[0], rows, device, lambda: None)


def places(xp: Any, codes: Any, bins: Any, ends: np.ndarray) -> tuple[Any, Any]:
    """Columns of codes among the bins that are known.

    Parameters
    ----------
    xp : module
    codes : array of shape (P, n), int64
    bins : array of shape (n_bins,), int64
        Those of every repetition one after another, each repetition's rising.
    ends : ndarray of shape (P + 1,)
        Where each repetition's bins begin and end; on the host.

    Returns
    -------
    columns : array of shape (P, n), int64
        Places in `bins`, arbitrary where the bin is not known.
    known : array of shape (P, n), bool
    """
    columns, known = xp.empty(codes.shape, dtype=np.int64), xp.empty(codes.shape, dtype=bool)
    for p in range(codes.shape[0]):
        own = bins[int(ends[p]) : int(ends[p + 1])]
        place = xp.minimum(xp.searchsorted(own, codes[p]), own.shape[0] - 1)
        known[p] = own[place] == codes[p]
        columns[p] = place + int(ends[p])
    return columns, known


def as_csr(codes: Any, device: Device, bins: Any, ends: np.ndarray, scale: float, dtype: str) -> Any:
    """Codes of shape (P, rows) as a CSR matrix of shape (rows, n_bins): `scale` for each bin that is known."""
    xp = device.xp
    columns, known = places(xp, codes, bins, ends)
    starts = xp.zeros(codes.shape[1] + 1, dtype=np.int64)
    starts[1:] = xp.cumsum(known.sum(axis=0))
    index = np.int32 if max(len(bins), codes.size) < 2**31 else np.int64
    indices = xp.ascontiguousarray(columns.T)[xp.ascontiguousarray(known.T)].astype(index)
    ones = xp.full(indices.shape, scale, dtype=dtype)
    return device.csr_matrix((ones, indices, starts.astype(index)), (codes.shape[1], int(ends[-1])))


def different(device: Device, X: Any, grids: Grids) -> Iterator[Any]:
    """The different codes of the rows of `X` in each repetition, rising: an array on the device for each."""
    n_samples, n_repetitions = X.shape[0], grids[0].shape[0]
    together = max(_SORTED_BYTES // (8 * n_samples), 1)
    for start in range(0, n_repetitions, together):
        part = tuple(grid[start : start + together] for grid in grids)
        codes = list(on_gpu(X, part, lambda codes: codes, device) if device.is_gpu else on_host(X, part))
        whole = codes[0] if len(codes) == 1 else device.xp.concatenate(codes, axis=1)
        yield from map(device.xp.unique, whole)
