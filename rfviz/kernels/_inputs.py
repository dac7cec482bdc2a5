"""Checks and pairwise products shared by the kernels: rows in, cosines or squared distances out."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz import backend
from rfviz.backend import array_namespace, check_memory
from rfviz.errors import DataError, ParameterError

__all__ = ["as_pair", "as_rows", "check_range", "pairwise_cosines", "pairwise_squared_distances"]

# Cosines and distances that come out of float32 products overshoot their range by about this much at most.
_ROUNDING = 1e-5
_EPSILON = float(np.finfo(np.float64).eps)
# Of squared distances: rows that the middle is taken from; the share of ‖x‖² + ‖y‖² below which the rows are subtracted
# from each other; and numbers at once.
_SOME, _CLOSE, _AT_ONCE = 1000, 1e-4, 4_000_000


def as_pair(X: Any, Y: Any = None) -> tuple[Any, Any, Any]:
    """Return the namespace and both matrices in float64, on the device that `X` is on; `Y` is `X` itself where None.

    Raises
    ------
    DataError
        For anything but two matrices of finite numbers with equally many columns, on the same device.
    MemoryBudgetError
        Where a matrix of all pairs of rows would not fit.
    """
    X = as_rows(X, "X")
    xp = array_namespace(X)
    if Y is not None:
        Y = as_rows(Y, "Y")
        if array_namespace(Y) is not xp:
            raise DataError("X and Y must be on the same device. Move one of them first.")
        if Y.shape[1] != X.shape[1]:
            raise DataError(f"X and Y must have equally many columns; got {X.shape[1]} and {Y.shape[1]}.")
    else:
        Y = X
    _check_room(xp, "A kernel matrix", X.shape[0], Y.shape[0])
    return xp, X, Y


def check_range(name: str, value: Any, low: float, high: float, meaning: str) -> np.ndarray:
    """Return `value` as a float64 array within `low` and `high`; what rounding pushed over an end is put on it.

    Raises
    ------
    ParameterError
        If a value is not a number or is out of range by more than rounding explains.
    """
    rule = f"must be {meaning}, from {low:g} to {high:g}"
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(name, rule, value, "Give a number or an array of numbers.") from None
    inside = (array >= low - _ROUNDING) & (array <= high + _ROUNDING)
    if not inside.all():
        raise ParameterError(name, rule, float(array[~inside].flat[0]), f"Clip {name} to this range.")
    return np.clip(array, low, high)


def pairwise_cosines(X: Any, Y: Any = None) -> tuple[Any, Any, Any, Any]:
    """Return the cosines of the angles between all rows of `X` and all rows of `Y`, and the lengths of the rows.

    Returns
    -------
    xp : module
        NumPy or CuPy.
    cosines : array of shape (n_samples_X, n_samples_Y)
        Within −1 and 1; 0 for a zero row (but 1 for a row with itself).
    norms_X, norms_Y : array of shape (n_samples_X,) and (n_samples_Y,)
    """
    xp, X, Y_rows = as_pair(X, Y)
    unit_X, norms_X = _normalise(xp, X)
    unit_Y, norms_Y = (unit_X, norms_X) if Y is None else _normalise(xp, Y_rows)
    cosines = backend.inner_products(unit_X, unit_Y)
    xp.clip(cosines, -1.0, 1.0, out=cosines)
    # The angle near 0 is the root of 1 - cosine: 1e-16 of rounding would part equal rows by 1e-8.
    cosines[cosines > 1.0 - 4 * _EPSILON] = 1.0
    if Y is None:
        xp.fill_diagonal(cosines, 1.0)
    return xp, cosines, norms_X, norms_Y


def pairwise_squared_distances(X: Any, Y: Any = None) -> tuple[Any, Any]:
    """Return the namespace and ‖x − y‖² for all pairs of rows, each good to 1e-12 of itself."""
    xp, X, Y = as_pair(X, Y)
    distances = xp.empty((X.shape[0], Y.shape[0]), dtype=np.float64)
    if not distances.size:
        return xp, distances
    # Distances do not see the origin; rounding does. It is least around the middle of most rows, which one far row,
    # such as a code for a missing value, does not move.
    some = xp.sort(Y[:: len(Y) // _SOME + 1], axis=0)
    A = X - some[len(some) // 2]
    B = A if Y is X else Y - some[len(some) // 2]
    with np.errstate(over="ignore", invalid="ignore"):
        squares_A, squares_B = (A * A).sum(axis=1), (B * B).sum(axis=1)
        distances = backend.inner_products(A, B)
        step = max(_AT_ONCE // len(Y), 1)
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            part, sizes = distances[rows], squares_A[rows, None] + squares_B
            part *= -2.0
            part += sizes
            # The sum of large squares loses the digits of a small difference, and is not a number where they overflow.
            i, j = xp.nonzero(~(part >= _CLOSE * sizes))
            together = max(_AT_ONCE // max(X.shape[1], 1), 1)
            for first in range(0, len(i), together):
                pair = i[first : first + together], j[first : first + together]
                difference = X[rows][pair[0]] - Y[pair[1]]
                part[pair] = (difference * difference).sum(axis=1)
    return xp, distances


def _check_room(xp: Any, what: str, n_rows: int, n_columns: int) -> None:
    """Refuse a matrix of doubles that would not fit on the host; a GPU says so itself."""
    if xp is np:
        check_memory(8 * n_rows * n_columns, "cpu", f"{what} of {n_rows} × {n_columns}", "Use fewer rows.")


def as_rows(X: Any, name: str) -> Any:
    """Convert `X` to a float64 matrix: a CuPy array stays where it is, anything else becomes a NumPy array.

    Sparse rows become dense, on the device that they are on.

    Raises
    ------
    DataError
        For anything but a matrix of finite numbers; the message begins with `name`.
    """
    rule = f"{name} must be a matrix of finite numbers, one sample a row"
    if hasattr(X, "toarray"):
        _check_room(array_namespace(X), "A dense matrix", *X.shape)
        X = X.toarray()
    try:
        xp = array_namespace(X)
        X = xp.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{rule}; it could not be read as numbers ({error}).") from error
    if X.ndim != 2:
        raise DataError(f"{rule}; got {X.ndim} dimension(s). For a single sample use {name}.reshape(1, -1).")
    if not bool(xp.isfinite(X).all()):
        raise DataError(f"{rule}; it holds NaN or infinity. Impute or drop those samples first.")
    return X


def _normalise(xp: Any, X: Any) -> tuple[Any, Any]:
    """Return rows of length 1 and their former lengths; a zero row stays zero."""
    # Through the largest entry first, so that squares neither overflow nor vanish.
    scale = xp.abs(X).max(axis=1) if X.shape[1] else xp.zeros(X.shape[0])
    unit = X / xp.where(scale > 0, scale, 1.0)[:, None]
    norms = xp.sqrt((unit * unit).sum(axis=1))
    unit /= xp.where(norms > 0, norms, 1.0)[:, None]
    return unit, norms * scale
