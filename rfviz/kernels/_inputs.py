"""Checks and pairwise products shared by the kernels: rows in, cosines or squared distances out."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.backend import array_namespace
from rfviz.backend.lapack import inner_products
from rfviz.errors import DataError, ParameterError

__all__ = ["as_pair", "check_range", "pairwise_cosines", "pairwise_squared_distances"]

# Cosines and distances that come out of float32 products overshoot their range by about this much at most.
_ROUNDING = 1e-5
_EPSILON = float(np.finfo(np.float64).eps)


def as_pair(X: Any, Y: Any = None) -> tuple[Any, Any, Any]:
    """Return the namespace and both matrices in float64, on the device that `X` is on; `Y` is `X` itself where None.

    Raises
    ------
    DataError
        For anything but two matrices of finite numbers with equally many columns, on the same device.
    """
    X = _as_rows(X, "X")
    xp = array_namespace(X)
    if Y is None:
        return xp, X, X
    Y = _as_rows(Y, "Y")
    if array_namespace(Y) is not xp:
        raise DataError("X and Y must be on the same device. Move one of them first.")
    if Y.shape[1] != X.shape[1]:
        raise DataError(f"X and Y must have equally many columns; got {X.shape[1]} and {Y.shape[1]}.")
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
    cosines = inner_products(unit_X, unit_Y)
    xp.clip(cosines, -1.0, 1.0, out=cosines)
    # The angle near 0 is the root of 1 - cosine: 1e-16 of rounding would part equal rows by 1e-8.
    cosines[cosines > 1.0 - 4 * _EPSILON] = 1.0
    if Y is None:
        xp.fill_diagonal(cosines, 1.0)
    return xp, cosines, norms_X, norms_Y


def pairwise_squared_distances(X: Any, Y: Any = None) -> tuple[Any, Any]:
    """Return the namespace and ‖x − y‖² for all pairs of rows: never negative, 0 on the diagonal if `Y` is None."""
    xp, X, Y_rows = as_pair(X, Y)
    # Distances do not see the origin; rounding does. It is least around the centre of the data.
    centre = Y_rows.mean(axis=0) if Y_rows.shape[0] else 0.0
    X = X - centre
    Y_rows = X if Y is None else Y_rows - centre
    squares_X, squares_Y = (X * X).sum(axis=1), (Y_rows * Y_rows).sum(axis=1)
    distances = inner_products(X, Y_rows)
    distances *= -2.0
    distances += squares_X[:, None] + squares_Y[None, :]
    xp.maximum(distances, 0.0, out=distances)
    if Y is None:
        xp.fill_diagonal(distances, 0.0)
    return xp, distances


def _as_rows(X: Any, name: str) -> Any:
    """Convert `X` to a float64 matrix: a CuPy array stays where it is, anything else becomes a NumPy array."""
    rule = f"{name} must be a dense matrix of finite numbers, one sample a row"
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
