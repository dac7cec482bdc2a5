"""The width gamma of a kernel of ‖x − z‖₁: learnt from data, one a column, or too large for the data's digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import manhattan_distances

from rfviz.errors import DataError, ParameterError, warn
from rfviz.params import Param

__all__ = [
    "MEDIAN_ROWS",
    "LostBinsWarning",
    "check_widths",
    "deviation",
    "evenly",
    "known_width",
    "l1_gamma",
    "largest_entry",
    "median_distance",
    "rounding",
    "square_unit",
    "warn_of_lost_bins",
    "width_from",
    "width_in_use",
]

# Rows whose distances the median is taken over, and others that stand for all.
MEDIAN_ROWS = 500
# The largest rounding error of the data, in bins, that is accepted in silence.
_BIN_ERROR = 0.01


class LostBinsWarning(UserWarning):
    """Bins are so narrow that the rounding of the data decides which of them a point is in."""


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
    typical = median_distance(X, manhattan_distances) if rule == "median" else X.shape[1] * deviation(X)
    return width_from(rule, typical)


def width_from(rule: str, length: float, power: float = 1.0) -> float:
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


def warn_of_lost_bins(X: Any, gamma: Any) -> None:
    """Warn where the numbers of `X`, in their own precision, do not tell in which bin they are.

    Bins are computed in double precision, but a number of size x in float32 stands for all within 6e-8·x of it, which
    is 6e-8·γx bins of the typical width 1/γ.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    gamma : float or ndarray of shape (n_features,)
    """
    largest = abs(X).max(axis=0)
    largest = (largest.toarray() if sparse.issparse(largest) else np.asarray(largest)).ravel().astype(np.float64)
    with np.errstate(over="ignore"):
        reach = float(np.max(largest * gamma))
    error = 0.5 * float(np.finfo(X.dtype).eps) * reach
    if error <= _BIN_ERROR:
        return
    width = f"gamma={gamma:.3g}" if np.ndim(gamma) == 0 else f"gamma up to {np.max(gamma):.3g}"
    remedy = "Use a smaller gamma, or centre the data" + (", or pass float64." if X.dtype == np.float32 else ".")
    warn(
        f"With {width} the data reach {reach:.3g} bins from zero, and {X.dtype.name} knows them to {error:.1g} bins "
        f"only, so that rounding decides which near points share a bin. {remedy}",
        LostBinsWarning,
    )


def deviation(X: Any) -> float:
    """Return the standard deviation of all entries of a dense or sparse matrix; 0 where rounding explains it."""
    largest = largest_entry(X)
    if largest == 0.0:
        return 0.0
    unit = float(square_unit(largest))
    found = unit * _deviation(X, unit)
    return found if found > rounding(X.dtype, largest) else 0.0


def largest_entry(X: Any) -> float:
    """Return the largest absolute value of a dense or sparse matrix."""
    entries = X.data if sparse.issparse(X) else X
    return float(max(entries.max(initial=0.0), -entries.min(initial=0.0)))


def median_distance(X: Any, distances: Callable[[Any], np.ndarray]) -> float:
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


def _deviation(X: Any, unit: float) -> float:
    if not sparse.issparse(X):
        return float(np.std(X if unit == 1.0 else X / unit, dtype=np.float64))
    size, data = X.shape[0] * X.shape[1], X.data / np.float64(unit)
    mean = data.sum() / size
    # Around the mean, zeros included: the mean of squares less the squared mean would cancel.
    return float(np.sqrt((np.sum((data - mean) ** 2) + (size - data.size) * mean**2) / size))


def square_unit(size: Any) -> np.ndarray:
    """Return 1, or the size of numbers whose squares would overflow or vanish: what to divide them by first."""
    return np.where((size == 0) | ((size > 1e-100) & (size < 1e100)), 1.0, size)


def evenly(X: Any) -> Any:
    """Return up to 500 rows of a matrix, taken evenly."""
    return X[np.unique(np.linspace(0, X.shape[0] - 1, min(X.shape[0], MEDIAN_ROWS)).astype(int))]


def rounding(dtype: Any, size: Any) -> Any:
    """Return how far apart numbers of this size and type are by rounding alone."""
    return 2.0 * float(np.finfo(dtype).eps) * size
