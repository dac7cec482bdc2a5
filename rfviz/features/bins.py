"""Joint bins of randomly shifted grids as one 64-bit integer each, and the positions of such integers in sorted lists.

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

from rfviz.backend import Device, RowStream, map_ordered, worker_count
from rfviz.cuda import BIN_CODES, BIN_COLUMNS
from rfviz.features.blocks import halving

__all__ = ["Grids", "as_csr", "csr_on_gpu", "dense_rows", "different", "joint_codes", "on_gpu", "on_host", "places"]

# Pitches and shifts, float64 of shape (P, d), and multipliers, int64 of shape (d,); on the host.
Grids = tuple[np.ndarray, np.ndarray, np.ndarray]

# Codes of a tile: its buffers take 1 MB and stay in the cache.
_TILE_ROWS, _TILE_REPETITIONS = 1024, 64
# A 64-bit integer holds the numbers of bins up to here.
_FARTHEST = 2.0**62
# Additions of a hash below which one thread is as fast as several.
_PARALLEL_FROM = 20_000_000
_BLOCK_BYTES, _FEWEST_ROWS = 32_000_000, 16
# Bytes of a code on a GPU with all that is made of it; those of a block; and its rows.
_GPU_BYTES, _GPU_BLOCK_BYTES, _GPU_ROWS = 48, 1_000_000_000, 16_384
# Bytes of the codes that are sorted at a time.
_SORTED_BYTES = 64_000_000


def dense_rows(X: Any, start: int, stop: int) -> np.ndarray:
    """Return rows of `X`, an array or a CSR matrix, as doubles whatever their type: a bin is the same in any."""
    rows = X[start:stop]
    return (rows.toarray() if sparse.issparse(rows) else rows).astype(np.float64, copy=False)


def joint_codes(X: np.ndarray, pitches: np.ndarray, shifts: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
    """Return the codes of the joint bins of the rows of `X` in every repetition, on the host.

    Parameters
    ----------
    X : ndarray of shape (n, d), float64
    pitches, shifts : ndarray of shape (P, d), float64
    multipliers : ndarray of shape (d,), int64

    Returns
    -------
    ndarray of shape (P, n), int64
    """
    codes = np.zeros((pitches.shape[0], X.shape[0]), dtype=np.int64)
    columns = np.ascontiguousarray(X.T)
    for start in range(0, codes.shape[0], _TILE_REPETITIONS):
        part = slice(start, start + _TILE_REPETITIONS)
        rates = 1.0 / pitches[part]
        offsets = shifts[part] * rates
        if _add_cut_columns(columns, rates, offsets, multipliers, codes[part]):
            continue
        place, number = np.empty(codes[part].shape), np.empty(codes[part].shape, dtype=np.int64)
        for j in range(columns.shape[0]):
            np.multiply(rates[:, j, None], columns[j], out=place)
            np.subtract(place, offsets[:, j, None], out=place)
            _number(place, out=number)
            np.multiply(number, multipliers[j], out=number)  # modulo 2⁶⁴, as the sum
            codes[part] += number
    return codes


def _number(place: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Return the number of each place's bin, int64; `place` is overwritten.

    A bin that is too far for an integer to number has the bits of its floating-point number, with its sign: they are
    beyond all other numbers, and different where the floating-point numbers are.
    """
    np.ceil(place, out=place)
    number = np.empty(place.shape, dtype=np.int64) if out is None else out
    far = np.abs(place) >= _FARTHEST
    if not far.any():
        number[...] = place
        return number
    number[...] = np.where(far, 0.0, place)
    number[far] = np.abs(place[far]).view(np.int64) * np.sign(place[far]).astype(np.int64)
    return number


def _add_cut_columns(columns: np.ndarray, rates: np.ndarray, offsets: np.ndarray, multipliers: Any, out: Any) -> bool:
    """Add the codes, by the columns that a grid cuts within the data; False, undone, where that is most of them.

    In many dimensions most pitches are wider than the data, and all rows are in one bin of those columns.
    """
    low, high = (_number(extreme * rates - offsets) for extreme in (columns.min(axis=1), columns.max(axis=1)))
    repetition, column = np.nonzero(low != high)
    if 3 * len(column) > low.size:
        return False
    out += (low * multipliers).sum(axis=1)[:, None]
    together = max(_TILE_ROWS * _TILE_REPETITIONS // max(columns.shape[1], 1), 1)
    for start in range(0, len(column), together):
        p, j = repetition[start : start + together], column[start : start + together]
        place = columns[j]
        place *= rates[p, j, None]
        place -= offsets[p, j, None]
        number = _number(place)
        number -= low[p, j, None]
        number *= multipliers[j, None]
        firsts = np.flatnonzero(np.diff(p, prepend=-1))
        out[p[firsts]] += np.add.reduceat(number, firsts, axis=0)
    return True


def on_host(
    X: Any, grids: Grids, finish: Callable[[Any], Any] | None = None, block_rows: int | None = None
) -> Iterator[Any]:
    """Yield ``finish(codes)``, or the codes, of consecutive rows of `X`, on all cores of the host if they are many."""
    n_samples, (n_repetitions, n_columns) = X.shape[0], grids[0].shape
    parallel = n_samples * n_repetitions * n_columns >= _PARALLEL_FROM
    workers = min(worker_count(), n_samples) if parallel else 1
    fitting = max(_BLOCK_BYTES // (8 * n_repetitions), _FEWEST_ROWS)
    rows = block_rows or max(min(_TILE_ROWS, fitting, -(-n_samples // workers)), 1)

    def compute(start: int) -> Any:
        codes = joint_codes(dense_rows(X, start, start + rows), *grids)
        return codes if finish is None else finish(codes)

    return map_ordered(compute, range(0, n_samples, rows), workers)


def on_gpu(
    X: Any, grids: Grids, finish: Callable[[Any], Any], device: Device, block_rows: int | None = None
) -> Iterator[Any]:
    """Yield ``finish(codes)`` for consecutive rows of `X` on a GPU, fewer at a time where memory does not suffice."""

    def compute(xp: Any, rows: Any, arrays: tuple[Any, Any, Any]) -> Any:
        codes = xp.empty((arrays[0].shape[1], rows.shape[0]), dtype=np.int64)
        BIN_CODES(xp, rows, *arrays, codes)
        return finish(codes)

    return _gpu_blocks(X, grids, compute, device, block_rows)


def csr_on_gpu(
    X: Any, grids: Grids, known: tuple[Any, Any], device: Device, scale: float, dtype: str, block_rows: int | None
) -> Iterator[Any]:
    """Yield CSR matrices of consecutive rows of `X` on a GPU; as :func:`as_csr`, known bins on the device."""
    n_columns = known[0].shape[0]

    def compute(xp: Any, rows: Any, arrays: tuple[Any, Any, Any]) -> Any:
        columns = xp.empty((rows.shape[0], arrays[0].shape[1]), dtype=np.int64)
        BIN_COLUMNS(xp, rows, *arrays, *known, columns)
        seen = columns >= 0
        starts = xp.zeros(rows.shape[0] + 1, dtype=np.int64)
        starts[1:] = xp.cumsum(seen.sum(axis=1))
        index = np.int32 if max(n_columns, columns.size) < 2**31 else np.int64
        indices = columns[seen].astype(index)
        ones = xp.full(indices.shape, scale, dtype=dtype)
        return device.csr_matrix((ones, indices, starts.astype(index)), (rows.shape[0], n_columns))

    return _gpu_blocks(X, grids, compute, device, block_rows)


def _gpu_blocks(
    X: Any, grids: Grids, compute: Callable[..., Any], device: Device, block_rows: int | None
) -> Iterator[Any]:
    """Yield ``compute(xp, rows, arrays)`` for consecutive rows.

    The arrays are one over the pitches, the shifts times that, both of shape (d, P), and the multipliers.
    """
    fitting = max(_GPU_BLOCK_BYTES // (_GPU_BYTES * grids[0].shape[0]), _FEWEST_ROWS)
    with device.activate():
        rates = 1.0 / device.asarray(grids[0])
        offsets = device.asarray(grids[1]) * rates
        turned = (device.xp.ascontiguousarray(array.T) for array in (rates, offsets))
        arrays = *turned, device.asarray(grids[2])
        del rates, offsets
    stream = RowStream(X, device, np.float64)

    def block(start: int, stop: int) -> Any:
        with device.activate():
            rows = device.asarray(dense_rows(X, start, stop)) if sparse.issparse(X) else stream.block(start, stop)
            return compute(device.xp, rows, arrays)

    rows = min(block_rows or min(_GPU_ROWS, fitting), X.shape[0])
    try:
        yield from halving(block, X.shape[0], rows, device, stream.close)
    finally:
        stream.close()


def places(codes: np.ndarray, bins: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the columns of codes among the bins that are known, on the host.

    Parameters
    ----------
    codes : ndarray of shape (P, n), int64
    bins : ndarray of shape (n_bins,), int64
        Those of every repetition one after another, each repetition's rising.
    ends : ndarray of shape (P + 1,)
        Where each repetition's bins begin and end.

    Returns
    -------
    columns : ndarray of shape (P, n), int64
        Positions in `bins`, arbitrary where the bin is not known.
    known : ndarray of shape (P, n), bool
    """
    columns, known = np.empty(codes.shape, dtype=np.int64), np.empty(codes.shape, dtype=bool)
    for p in range(codes.shape[0]):
        own = bins[int(ends[p]) : int(ends[p + 1])]
        place = np.minimum(np.searchsorted(own, codes[p]), own.shape[0] - 1)
        known[p] = own[place] == codes[p]
        columns[p] = place + int(ends[p])
    return columns, known


def as_csr(codes: np.ndarray, bins: np.ndarray, ends: np.ndarray, scale: float, dtype: str) -> Any:
    """Convert codes of shape (P, rows) to a CSR matrix of shape (rows, n_bins): `scale` for each bin that is known."""
    columns, known = places(codes, bins, ends)
    starts = np.zeros(codes.shape[1] + 1, dtype=np.int64)
    starts[1:] = np.cumsum(known.sum(axis=0))
    index = np.int32 if max(len(bins), codes.size) < 2**31 else np.int64
    indices = np.ascontiguousarray(columns.T)[np.ascontiguousarray(known.T)].astype(index)
    ones = np.full(indices.shape, scale, dtype=dtype)
    return sparse.csr_matrix((ones, indices, starts.astype(index)), (codes.shape[1], int(ends[-1])))


def different(device: Device, X: Any, grids: Grids) -> Iterator[Any]:
    """Return the different codes of the rows of `X` in each repetition, rising: an array on the device for each."""
    n_samples, n_repetitions = X.shape[0], grids[0].shape[0]
    together = max(_SORTED_BYTES // (8 * n_samples), 1)
    for start in range(0, n_repetitions, together):
        part = grids[0][start : start + together], grids[1][start : start + together], grids[2]
        codes = list(on_gpu(X, part, lambda codes: codes, device) if device.is_gpu else on_host(X, part))
        whole = codes[0] if len(codes) == 1 else device.xp.concatenate(codes, axis=1)
        yield from map(device.xp.unique, whole)
