"""Evaluating compositional features: cosines of a few angles each, for blocks of samples.

Angles lie as one row a column of the data, samples side by side, and a feature adds up a few of those rows. On the
processor that is SciPy's sparse product, tile by tile, so that what it writes is still in the cache when the cosine is
taken; it holds the interpreter for a moment a tile only, and blocks of rows are mapped on all cores. On a GPU a thread
adds up a feature of a few samples, or it is that sparse product.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rfviz.cuda import COSINE_SUMS, SAMPLES
from rfviz.errors import MemoryBudgetError
from rfviz.features.compositional_rows import SINE
from rfviz.skeleton import Skeleton

__all__ = ["Arrays", "device_arrays", "host_arrays", "map_on_device", "map_on_host"]

Arrays = dict[str, Any]
_MOST_ENTRIES = int(np.iinfo(np.int32).max)
# Samples of a tile, and numbers in it: 1 MB in float32. Rows of a power of two would share few places of the cache,
# which makes turning them a third slower; small tiles leave the cores waiting for the interpreter.
_SAMPLES, _TILE = 240, 262_144


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


def host_arrays(weights: Arrays, dtype: str, n_columns: int) -> Arrays:
    """Convert the map's arrays for the processor: two sparse matrices, the second None where no modulus counts.

    Parameters
    ----------
    weights : dict
        The fitted arrays of the map, by name.
    dtype : str
    n_columns : int
        Of the data.
    """

    def rows(ends: str, columns: str, numbers: str) -> sparse.csr_matrix:
        parts = weights[numbers].astype(dtype), weights[columns].astype(np.int32), weights[ends]
        return sparse.csr_matrix(parts, shape=(len(weights["kinds_"]), n_columns))

    return {
        "multiples": rows("ends_", "columns_", "multiples_"),
        "powers": rows("modulus_ends_", "modulus_columns_", "powers_") if len(weights["powers_"]) else None,
        "bias": _bias(weights, dtype),
    }


def map_on_host(X: np.ndarray, arrays: Arrays, skeleton: Skeleton, amplitude: np.ndarray, out: np.ndarray) -> None:
    """Write the features of `X`, each times its amplitude, to `out`.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_columns)
        In the dtype of `out`.
    arrays : dict
        Of :func:`host_arrays`.
    skeleton : Skeleton
    amplitude : ndarray of shape (n_features,)
    out : ndarray of shape (n_samples, n_components)
        Columns beyond `n_features` become zero.
    """
    n_features = len(arrays["bias"])
    out[:, n_features:] = 0.0
    for start in range(0, X.shape[0], _SAMPLES):
        rows = slice(start, min(start + _SAMPLES, X.shape[0]))
        some: Any = X[rows]
        angles, moduli = _tables(np, some.toarray() if sparse.issparse(some) else some, skeleton)
        step = max(_TILE // angles.shape[1], 1)
        for first in range(0, n_features, step):
            part = slice(first, min(first + step, n_features))
            tile = arrays["multiples"][part] @ angles[:-1]
            tile += arrays["bias"][part, None]
            np.cos(tile, out=tile)
            tile *= amplitude[part, None]
            if moduli is not None and arrays["powers"] is not None:
                # By way of logarithms: a factor may overflow where the product does not.
                tile *= np.exp(arrays["powers"][part] @ moduli[:-1])
            out[rows, part] = tile.T


def _bias(weights: Arrays, dtype: str) -> np.ndarray:
    return np.where(weights["kinds_"] == SINE, np.pi / 2, 0.0).astype(dtype)


def device_arrays(weights: Arrays, dtype: str) -> Arrays:
    """Convert the map's arrays for a GPU: entries of two sparse matrices in 32-bit indices, and the biases."""
    for name in ("ends_", "modulus_ends_"):
        if len(weights[name]) and weights[name][-1] > _MOST_ENTRIES:
            raise MemoryBudgetError(
                f"The features have {weights[name][-1]:,} entries; a GPU's kernel counts to {_MOST_ENTRIES:,}. "
                "Use fewer features, or device='cpu'.",
                "cuda",
            )
    arrays = {"bias": _bias(weights, dtype)}
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
