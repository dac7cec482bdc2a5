"""The width gamma of a stationary kernel: given, learnt from data, or one a column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances

from rfviz.errors import DataError, ParameterError
from rfviz.features.precision import evenly, largest_entry, rounding, square_unit
from rfviz.kernels._inputs import pairwise_squared_distances
from rfviz.params import Param

__all__ = ["check_widths", "known_width", "l1_gamma", "learnt_gamma", "width_in_use"]


def learnt_gamma(rule: str, spectrum: str, X: Any) -> float:
    """Return a width that suits the data; 1 where all rows are equal, up to rounding.

    Parameters
    ----------
    rule : {"scale", "median"}
        ``"scale"``: from the variance of all entries of `X`. ``"median"``: from the median distance over all pairs of
        up to 500 rows, taken evenly over `X`, so that the same data always give the same width.
    spectrum : {"gaussian", "laplacian", "cauchy", "matern", "own"}
        With d columns, v the variance and M the median, the widths are 1/(d·v) and 1/M² (M of Euclidean distances) for
        the Gaussian and the Matérn kernel, 1/(d·√v) and 1/M (M of ‖·‖₁) for the Laplacian, and 1/√(d·v) and 1/M
        (Euclidean) for the Cauchy kernel and an own one. Each makes the kernel of a typical pair neither 0 nor 1.
    X : ndarray or CSR matrix of shape (n, d)
        A CSR matrix without duplicate entries.

    Returns
    -------
    float

    Raises
    ------
    DataError
        If no double holds the width.
    """
    if spectrum == "laplacian":
        return l1_gamma(rule, X)
    typical = _median_distance(X, _euclidean) if rule == "median" else np.sqrt(X.shape[1]) * _deviation(X)
    return _width_from(rule, typical, 1.0 if spectrum in ("cauchy", "own") else 2.0)


def l1_gamma(rule: str, X: Any) -> float:
    """Return a width that suits the data: one over a typical ‖x − z‖₁. 1 where all rows are equal, up to rounding.

    Parameters
    ----------
    rule : {"scale", "median"}
        ``"scale"``: 1/(n_features · standard deviation of all entries of X). ``"median"``: one over the median of
        ‖x − z‖₁ over the pairs of up to 500 rows, taken evenly from X.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        A CSR matrix without duplicate entries.

    Raises
    ------
    DataError
        If no double holds the width.
    """
    typical = _median_distance(X, manhattan_distances) if rule == "median" else X.shape[1] * _deviation(X)
    return _width_from(rule, typical)


def _width_from(rule: str, length: float, power: float = 1.0) -> float:
    """Return length^−power, the width for a typical length of data; 1 where that is 0.

    Raises
    ------
    DataError
        If no double holds it.
    """
    if length == 0:
        return 1.0
    with np.errstate(over="ignore", under="ignore"):
        gamma = float(np.float64(length) ** -power)
    if not 0.0 < gamma < np.inf:
        raise DataError(
            f"gamma={rule!r} of data whose typical distance is {length:.3g} is a number that no double holds. Scale "
            "the data."
        )
    return gamma


def check_widths(param: Param, value: Any) -> np.ndarray:
    """Return an array of widths, one a column, in float64, checked.

    Raises
    ------
    ParameterError
        Unless it is a line of numbers that are each a legal width.
    """
    rule = f"{param.rule}, or an array of such numbers, one for each column"
    try:
        widths = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(param.name, rule, value, "Give one number for each column.") from None
    if widths.ndim != 1 or not widths.size:
        raise ParameterError(param.name, rule, f"shape {widths.shape}", "Give one number for each column.")
    low, high = (-np.inf if param.low is None else param.low), (np.inf if param.high is None else param.high)
    wrong = ~(np.isfinite(widths) & (widths > low) & (widths <= high))
    if wrong.any():
        column = int(np.flatnonzero(wrong)[0])
        remedy = f"That is the entry of column {column}; drop columns that should not count from the data."
        raise ParameterError(param.name, rule, float(widths[column]), remedy)
    return widths


def width_in_use(gamma: Any, n_features: int, learn: Callable[[str], float]) -> float | np.ndarray:
    """Return the width that a map is fitted with.

    Parameters
    ----------
    gamma : float, str or array of shape (n_features,)
        The map's parameter.
    n_features : int
    learn : callable
        ``learn(rule)`` gives the width that a word stands for.

    Raises
    ------
    ParameterError
        For an array of another length.
    """
    if isinstance(gamma, str):
        return learn(gamma)
    if not np.ndim(gamma):
        return float(gamma)
    widths = np.array(gamma, dtype=np.float64)
    if len(widths) != n_features:
        rule = f"must be one number, or one for each of the {n_features} columns"
        raise ParameterError("gamma", rule, f"{len(widths)} numbers", "Count the columns of X.")
    return widths


def known_width(feature_map: Any) -> float | np.ndarray:
    """Return the width of a map, fitted or not.

    Raises
    ------
    ParameterError
        Where it is still to be learnt from data.
    """
    if hasattr(feature_map, "gamma_"):
        return feature_map.gamma_
    gamma = feature_map.gamma
    if isinstance(gamma, str):
        raise ParameterError("gamma", "must be a number before the map is fitted", gamma, "Call fit first.")
    return np.asarray(gamma, dtype=np.float64) if np.ndim(gamma) else float(gamma)


def _deviation(X: Any) -> float:
    """Return the standard deviation of all entries of a dense or sparse matrix; 0 where rounding explains it."""
    largest = largest_entry(X)
    if largest == 0.0:
        return 0.0
    unit = float(square_unit(largest))
    if sparse.issparse(X):
        size, data = X.shape[0] * X.shape[1], X.data / np.float64(unit)
        mean = data.sum() / size
        # Around the mean, zeros included: the mean of squares less the squared mean would cancel.
        deviation = float(np.sqrt((np.sum((data - mean) ** 2) + (size - data.size) * mean**2) / size))
    else:
        deviation = float(np.std(X if unit == 1.0 else X / unit, dtype=np.float64))
    found = unit * deviation
    return found if found > rounding(X.dtype, largest) else 0.0


def _median_distance(X: Any, distances: Callable[[Any], np.ndarray]) -> float:
    """Return the median distance of up to 500 rows, taken evenly; of the positive ones if most are equal; 0 if all are.

    Parameters
    ----------
    X : ndarray or CSR matrix
    distances : callable
        All distances of the rows of a matrix, shape (n, n).
    """
    rows = evenly(X)
    largest = largest_entry(rows)
    if largest == 0.0:
        return 0.0
    apart = distances(rows.astype(np.float64) / largest)[np.triu_indices(rows.shape[0], 1)]
    apart[apart <= X.shape[1] * rounding(X.dtype, 1.0)] = 0.0
    if not (apart.size and np.median(apart) > 0):
        apart = apart[apart > 0]
    return largest * float(np.median(apart)) if apart.size else 0.0


def _euclidean(rows: Any) -> np.ndarray:
    if sparse.issparse(rows):  # around zero, where the squares of rows do not swamp their distance
        return euclidean_distances(rows)
    return np.sqrt(pairwise_squared_distances(rows)[1])
