"""Features that pick a few inputs, and boxes of grids: one pass that reads what it needs and writes the result."""

from __future__ import annotations

import importlib
from itertools import pairwise
from typing import Any

import numpy as np

from rfviz.cuda.epilogues import row_stride
from rfviz.cuda.kernel import Kernel, Launch

__all__ = ["BIN_CODES", "BIN_COLUMNS", "COSINE_SUMS", "SAMPLES", "STUMPS"]

# Rows that a thread does: ROWS in the source.
SAMPLES = 8
# A 64-bit integer holds the numbers of bins up to here; farther ones have the bits of their floating-point numbers.
_FARTHEST = 2.0**62


# --- stumps -----------------------------------------------------------------------------------------------------------


def _stumps(xp: Any, X: Any, columns: Any, thresholds: Any, scale: float, out: Any) -> None:
    # Checking the indices, which are known to be right, would take NumPy three times as long as fetching.
    options = {"mode": "clip"} if xp is np else {}
    xp.take(X, columns.astype(np.intp), axis=1, out=out, **options)
    xp.multiply(out >= thresholds, out.dtype.type(2.0 * scale), out=out)
    out -= out.dtype.type(scale)


def _launch_stumps(X: Any, columns: Any, thresholds: Any, scale: float, out: Any) -> Launch | None:
    ld, ld_out = row_stride(X), row_stride(out)
    if ld is None or ld_out is None:
        return None
    rows, features = out.shape
    return features, rows, (X, ld, rows, columns, thresholds, features, X.dtype.type(scale), out, ld_out)


def _sample_stumps(rng: np.random.Generator, dtype: Any) -> tuple[Any, ...]:
    X = rng.standard_normal((11, 7)).astype(dtype)
    columns, thresholds = rng.integers(0, 7, 37, dtype=np.int32), rng.standard_normal(37).astype(dtype)
    return X, columns, thresholds, 0.5, np.full((11, 37), np.nan, dtype)


#: ``STUMPS(xp, X, columns, thresholds, scale, out)``: ±scale, as X[:, columns] reaches the thresholds; columns int32.
STUMPS = Kernel("gathers", "stumps", _stumps, _launch_stumps, _sample_stumps, result=4, rows_each=SAMPLES)


# --- cosines of sums of a few angles ----------------------------------------------------------------------------------


def _cosine_sums(
    xp: Any,
    angles: Any,
    logs: Any,
    entries: tuple[Any, ...],
    log_entries: tuple[Any, ...],
    biases: Any,
    amplitudes: Any,
    out: Any,
) -> None:
    sums = _sums(xp, angles, entries)
    sums += biases[:, None]
    xp.cos(sums, out=sums)
    sums *= amplitudes[:, None]
    if logs is not None:
        sums *= xp.exp(_sums(xp, logs, log_entries))
    out[...] = sums[:, : out.shape[0]].T


def _sums(xp: Any, table: Any, entries: tuple[Any, ...]) -> Any:
    """Sum a few rows of a table for each feature: the product with a sparse matrix."""
    ends, columns, numbers = entries
    module = importlib.import_module("scipy.sparse" if xp is np else f"{xp.__name__}x.scipy.sparse")
    return module.csr_matrix((numbers, columns, ends), shape=(ends.shape[0] - 1, table.shape[0])) @ table


def _launch_cosine_sums(
    angles: Any,
    logs: Any,
    entries: tuple[Any, ...],
    log_entries: tuple[Any, ...],
    biases: Any,
    amplitudes: Any,
    out: Any,
) -> Launch | None:
    ld, ld_out = row_stride(angles), row_stride(out)
    if ld is None or ld_out is None or ld % SAMPLES or (logs is not None and row_stride(logs) != ld):
        return None
    rows, features = out.shape
    return (
        features,
        rows,
        (
            angles,
            angles if logs is None else logs,
            ld,
            rows,
            *entries,
            *log_entries,
            biases,
            amplitudes,
            features,
            int(logs is not None),
            out,
            ld_out,
        ),
    )


def _sample_sums(rng: np.random.Generator, dtype: Any) -> tuple[Any, ...]:
    angles, logs = (rng.standard_normal((6, 2 * SAMPLES)).astype(dtype) for _ in range(2))
    counts = rng.integers(0, 4, 37)
    ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    n = int(ends[-1])

    def drawn() -> tuple[Any, ...]:
        return ends, rng.integers(0, 6, n, dtype=np.int32), rng.integers(-3, 4, n).astype(dtype)

    biases, amplitudes = (rng.standard_normal(37).astype(dtype) for _ in range(2))
    return angles, logs, drawn(), drawn(), biases, amplitudes, np.full((11, 37), np.nan, dtype)


#: ``COSINE_SUMS(xp, angles, logs, entries, log_entries, biases, amplitudes, out)``: amplitude·cos(Σ multiple·angle +
#: bias)·exp(Σ power·log), of tables of shape (inputs, samples); their samples are the rows of `out`, rounded up to a
#: multiple of SAMPLES; entries are (ends, columns, numbers), int32 and REAL.
COSINE_SUMS = Kernel(
    "gathers", "cosine_sums", _cosine_sums, _launch_cosine_sums, _sample_sums, result=6, rows_each=SAMPLES
)


# --- boxes of grids ---------------------------------------------------------------------------------------------------


def _bin_codes(xp: Any, X: Any, rates: Any, offsets: Any, multipliers: Any, out: Any) -> None:
    out[...] = 0
    for j in range(X.shape[1]):
        place = xp.multiply(rates[j][:, None], X[:, j][None, :])
        xp.subtract(place, offsets[j][:, None], out=place)
        xp.ceil(place, out=place)
        sizes = xp.abs(place)
        bits = sizes.view(np.int64) * xp.sign(place).astype(np.int64)
        far = sizes >= _FARTHEST
        number = xp.where(far, bits, xp.where(far, 0.0, place).astype(np.int64))
        out += number * multipliers[j]  # modulo 2⁶⁴, as the sum


def _launch_codes(X: Any, rates: Any, offsets: Any, multipliers: Any, out: Any) -> Launch | None:
    ld = row_stride(X)
    if ld is None or not out.flags.c_contiguous:
        return None
    (rows, dimensions), grids = X.shape, rates.shape[1]
    return grids, rows, (X, ld, rows, dimensions, rates, offsets, multipliers, grids, out)


def _grids(rng: np.random.Generator, width: float = 1.0) -> tuple[Any, ...]:
    X, rates = rng.standard_normal((11, 5)), rng.uniform(0.5, 2.0, (5, 37)) / width
    return X, rates, rng.random((5, 37)), rng.integers(-(2**63), 2**63, 5, dtype=np.int64)


def _sample_codes(rng: np.random.Generator, dtype: Any) -> tuple[Any, ...]:
    return *_grids(rng), np.full((37, 11), -7)


#: ``BIN_CODES(xp, X, rates, offsets, multipliers, out)``: codes of boxes, of shape (grids, rows), int64, of rows in
#: float64, rates and offsets of shape (columns, grids).
BIN_CODES = Kernel("gathers", "bin_codes", _bin_codes, _launch_codes, _sample_codes, result=4, rows_each=SAMPLES)


def _bin_columns(xp: Any, X: Any, rates: Any, offsets: Any, multipliers: Any, bins: Any, ends: Any, out: Any) -> None:
    codes = xp.empty((rates.shape[1], X.shape[0]), dtype=np.int64)
    _bin_codes(xp, X, rates, offsets, multipliers, codes)
    edges = [int(end) for end in (ends if xp is np else ends.get())]
    for p, (low, high) in enumerate(pairwise(edges)):
        own = bins[low:high]
        if low == high:
            out[:, p] = -1
            continue
        place = xp.minimum(xp.searchsorted(own, codes[p]), high - low - 1)
        out[:, p] = xp.where(own[place] == codes[p], place + low, -1)


def _launch_columns(
    X: Any, rates: Any, offsets: Any, multipliers: Any, bins: Any, ends: Any, out: Any
) -> Launch | None:
    launch = _launch_codes(X, rates, offsets, multipliers, out)
    return launch and (*launch[:2], (*launch[2][:-1], bins, ends, out))


def _sample_columns(rng: np.random.Generator, dtype: Any) -> tuple[Any, ...]:
    X, rates, offsets, multipliers = _grids(rng, 4.0)  # boxes so wide that rows share them
    codes = np.empty((37, 11), np.int64)
    _bin_codes(np, X, rates, offsets, multipliers, codes)
    known = [np.unique(row[: p % 7]) for p, row in enumerate(codes)]  # of some grids no box, of others a few
    ends = np.concatenate([[0], np.cumsum([len(k) for k in known])]).astype(np.int64)
    return X, rates, offsets, multipliers, np.concatenate(known), ends, np.full((11, 37), -7)


#: ``BIN_COLUMNS(xp, X, rates, offsets, multipliers, bins, ends, out)``: places of the rows' boxes among the known ones,
#: which rise between two ends, of shape (rows, grids), int64; −1 where a box is not known.
BIN_COLUMNS = Kernel(
    "gathers", "bin_columns", _bin_columns, _launch_columns, _sample_columns, result=6, rows_each=SAMPLES
)
