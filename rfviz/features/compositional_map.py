"""Evaluating compositional features: cosines of a few angles each, for blocks of samples.

On the processor, angles lie as one row a column of the data, samples side by side. A feature adds up a few of those
rows, so that every step is a long, contiguous pass that stays in the cache; a general sparse product would walk over
single numbers. On a GPU a thread adds up a feature of a few samples, or it is that sparse product.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rfviz.cuda import COSINE_SUMS, SAMPLES
from rfviz.errors import MemoryBudgetError
from rfviz.features.compositional_rows import SINE
from rfviz.skeleton import Skeleton

__all__ = ["Arrays", "device_arrays", "map_on_device", "map_on_host"]

Arrays = dict[str, Any]
_MOST_ENTRIES = int(np.iinfo(np.int32).max)
# Samples and features of a tile: its angles take 1 MB in float32.
_SAMPLES, _FEATURES = 256, 1024
# Entries of a feature that are added for all features of a tile at once; what few features have beyond, one by one.
_SLOTS = 8


def _tables(xp: Any, X: Any, skeleton: Skeleton, multiple: int = 1) -> tuple[Any, Any]:
    """Return angles and logarithms of moduli, a row a column and a last row of 0; None if all moduli are 1.

    Columns, a sample each, are a multiple of `multiple`; what those beyond the samples hold means nothing.
    """
    n = X.shape[0]
    shape = (X.shape[1] + 1, -(-n // multiple) * multiple)
    angles, moduli = xp.empty(shape, dtype=X.dtype), None
    angles[-1] = 0.0
    for group in skeleton.inputs:
        turned, radius = group.base.angles(xp, X[:, group.columns].T)
        angles[group.columns, :n] = turned
        if radius is not None:
            if moduli is None:
                moduli = xp.zeros(shape, dtype=X.dtype)
            # What is 0 becomes too small to tell from it, but stays a number.
            moduli[group.columns, :n] = xp.log(xp.maximum(radius, X.dtype.type(1e-30)))
    return angles, moduli


def map_on_host(X: np.ndarray, weights: Arrays, skeleton: Skeleton, amplitude: np.ndarray, out: np.ndarray) -> None:
    """Write the features of `X`, each times its amplitude, to `out`.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_columns)
        In the dtype of `out`.
    weights : dict
        The fitted arrays of the map, by name.
    skeleton : Skeleton
    amplitude : ndarray of shape (n_features,)
    out : ndarray of shape (n_samples, n_components)
        Columns beyond `n_features` become zero.
    """
    n_features = len(weights["kinds_"])
    out[:, n_features:] = 0.0
    buffers = np.empty((2, min(_FEATURES, n_features), min(_SAMPLES, max(len(out), 1))), dtype=out.dtype)
    for start in range(0, X.shape[0], _SAMPLES):
        rows = slice(start, min(start + _SAMPLES, X.shape[0]))
        part: Any = X[rows]
        block = part.toarray() if sparse.issparse(part) else part
        angles, moduli = _tables(np, block, skeleton)
        for first in range(0, n_features, _FEATURES):
            part = slice(first, min(first + _FEATURES, n_features))
            tile, spare = (b.ravel()[: (part.stop - first) * len(block)].reshape(-1, len(block)) for b in buffers)
            _add_angles(angles, weights, part, tile, spare)
            np.cos(tile, out=tile)
            tile *= amplitude[part, None]
            if moduli is not None:
                _multiply_moduli(moduli, weights, part, tile, spare)
            out[rows, part] = tile.T


def _add_angles(angles: np.ndarray, weights: Arrays, part: slice, tile: np.ndarray, spare: np.ndarray) -> None:
    ends, columns, multiples = (weights[name] for name in ("ends_", "columns_", "multiples_"))
    starts = ends[part.start : part.stop].astype(np.intp)
    counts = ends[part.start + 1 : part.stop + 1] - starts
    present = counts > 0
    chosen = np.full(len(starts), len(angles) - 1)
    chosen[present] = columns[starts[present]]
    np.take(angles, chosen, axis=0, out=tile, mode="clip")
    _scale_rows(tile, present, starts, multiples)
    for slot in range(1, _SLOTS):
        rows = np.flatnonzero(counts > slot)
        if not len(rows):
            break
        entries = starts[rows] + slot
        term = np.take(angles, columns[entries], axis=0, out=spare[: len(rows)], mode="clip")
        term *= multiples[entries].astype(tile.dtype)[:, None]
        tile[rows] += term
    for row in np.flatnonzero(counts > _SLOTS):
        entries = slice(starts[row] + _SLOTS, starts[row] + counts[row])
        tile[row] += multiples[entries].astype(tile.dtype) @ angles[columns[entries]]
    tile[weights["kinds_"][part] == SINE] += tile.dtype.type(np.pi / 2)


def _scale_rows(tile: np.ndarray, present: np.ndarray, starts: np.ndarray, multiples: np.ndarray) -> None:
    """Multiply by the first multiple, which is 1 for most features."""
    first = np.ones(len(starts), dtype=tile.dtype)
    first[present] = multiples[starts[present]]
    rows = np.flatnonzero(first != 1)
    tile[rows] *= first[rows, None]


def _multiply_moduli(logs: np.ndarray, weights: Arrays, part: slice, tile: np.ndarray, spare: np.ndarray) -> None:
    """Multiply by the product of powers, by way of logarithms: a factor may overflow where the product does not."""
    ends = weights["modulus_ends_"][part.start : part.stop + 1].astype(np.intp)
    counts = np.diff(ends)
    spare[:] = 0.0
    for slot in range(int(counts.max(initial=0))):
        rows = np.flatnonzero(counts > slot)
        entries = ends[rows] + slot
        powers = weights["powers_"][entries].astype(tile.dtype)
        spare[rows] += logs[weights["modulus_columns_"][entries]] * powers[:, None]
    tile *= np.exp(spare, out=spare)


def device_arrays(weights: Arrays, dtype: str) -> Arrays:
    """Convert the map's arrays for a GPU: entries of two sparse matrices in 32-bit indices, and the biases."""
    for name in ("ends_", "modulus_ends_"):
        if len(weights[name]) and weights[name][-1] > _MOST_ENTRIES:
            raise MemoryBudgetError(
                f"The features have {weights[name][-1]:,} entries; a GPU's kernel counts to {_MOST_ENTRIES:,}. "
                "Use fewer features, or device='cpu'.",
                "cuda",
            )
    arrays = {"bias": np.where(weights["kinds_"] == SINE, np.pi / 2, 0.0).astype(dtype)}
    for name in ("ends_", "columns_", "modulus_ends_", "modulus_columns_"):
        arrays[name] = weights[name].astype(np.int32)
    for name in ("multiples_", "powers_"):
        arrays[name] = weights[name].astype(dtype)
    return arrays


def map_on_device(xp: Any, X: Any, arrays: Arrays, skeleton: Skeleton, amplitude: Any, out: Any) -> None:
    """Map rows as :func:`map_on_host`, on a GPU, with the arrays of :func:`device_arrays`."""
    X = X.toarray() if hasattr(X, "indptr") else X
    angles, moduli = _tables(xp, X, skeleton, SAMPLES)
    n_features = arrays["bias"].shape[0]
    entries = tuple(arrays[name] for name in ("ends_", "columns_", "multiples_"))
    powers = tuple(arrays[name] for name in ("modulus_ends_", "modulus_columns_", "powers_"))
    COSINE_SUMS(xp, angles, moduli, entries, powers, arrays["bias"], amplitude, out[:, :n_features])
    out[:, n_features:] = 0.0
