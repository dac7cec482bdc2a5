"""The width gamma of a stationary kernel: learnt from data, one for each column, and too large for the precision."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances

from rfviz.errors import ParameterError
from rfviz.params import Param

__all__ = ["PrecisionWarning", "check_columns", "check_phases", "learnt_gamma"]

# Rows whose distances the median is taken over.
_MEDIAN_ROWS = 500
# The largest rounding error of a phase that a map accepts in silence.
_PHASE_ERROR = 0.01


class PrecisionWarning(UserWarning):
    """Phases are so large that their rounding errors show in the features."""


def learnt_gamma(rule: str, spectrum: str, X: Any) -> float:
    """A width that suits the data; 1 where all of them are equal.

    Parameters
    ----------
    rule : {"scale", "median"}
        ``"scale"``: from the variance of all entries of `X`. ``"median"``: from the median distance over all pairs of
        up to 500 rows, taken evenly over `X`, so that the same data always give the same width.
    spectrum : {"gaussian", "laplacian", "cauchy", "matern"}
        With d columns, v the variance and M the median, the widths are 1/(d·v) and 1/M² (M of Euclidean distances) for
        the Gaussian and the Matérn kernel, 1/(d·√v) and 1/M (M of ‖·‖₁) for the Laplacian, and 1/√(d·v) and 1/M
        (Euclidean) for the Cauchy kernel. Each makes the kernel of a typical pair neither 0 nor 1.
    X : ndarray or CSR matrix of shape (n, d)

    Returns
    -------
    float
    """
    if rule == "median":
        typical = _median_distance(X, spectrum == "laplacian")
        gamma = typical**-2 if spectrum in ("gaussian", "matern") else 1.0 / typical
    else:
        variance, columns = _variance(X), X.shape[1]
        if not variance > 0:
            return 1.0
        if spectrum == "laplacian":
            gamma = 1.0 / (columns * np.sqrt(variance))
        else:
            gamma = 1.0 / (columns * variance)
            gamma = np.sqrt(gamma) if spectrum == "cauchy" else gamma
    return float(gamma) if np.isfinite(gamma) and gamma > 0 else 1.0


def check_columns(param: Param, value: Any) -> np.ndarray:
    """An array of widths, one for each column, in float64.

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
    wrong = ~(np.isfinite(widths) & (widths > param.low) & (widths <= param.high))
    if wrong.any():
        column = int(np.flatnonzero(wrong)[0])
        remedy = f"That is the entry of column {column}; remove columns that should not count from the data."
        raise ParameterError(param.name, rule, float(widths[column]), remedy)
    return widths


def check_phases(X: Any, scale: Any, gamma: Any, dtype: str, axes: bool) -> None:
    """Warn where the phases ω·x of the data lose digits: cosines of numbers much larger than 1 are noise in float32.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    scale : float or ndarray of shape (d,)
        What unit frequencies are multiplied with.
    gamma : float or ndarray
        For the message.
    dtype : {"float32", "float64"}
    axes : bool
        Whether a typical phase is Σ|x_j| (heavy-tailed coordinates) rather than ‖x‖, times the scale.
    """
    with np.errstate(over="ignore"):
        rows = abs(X) if axes else X.multiply(X) if sparse.issparse(X) else None
        weights = np.broadcast_to(np.asarray(scale, dtype=np.float64), X.shape[1:]) ** (1 if axes else 2)
        if rows is None:
            sums = np.einsum("ij,ij,j->i", X, X, weights, dtype=np.float64)
        else:
            sums = np.asarray(rows @ weights).ravel()
        largest = float(np.max(sums) if axes else np.sqrt(np.max(sums)))
    error = largest * float(np.finfo(dtype).eps)
    if not error <= _PHASE_ERROR:
        width = f"gamma={gamma:.3g}" if np.ndim(gamma) == 0 else f"gamma up to {np.max(gamma):.3g}"
        remedy = "Use a smaller gamma, centre or standardise the data" + (
            ", or use dtype='float64'." if dtype == "float32" else "."
        )
        warnings.warn(
            f"With {width} the phases of these data reach {largest:.3g} radians, and {dtype} knows them to "
            f"{error:.1g} radians only, so that the features are partly noise. {remedy}",
            PrecisionWarning,
            stacklevel=4,
        )


def _variance(X: Any) -> float:
    """Variance of all entries."""
    if sparse.issparse(X):
        size = X.shape[0] * X.shape[1]
        mean = X.data.sum(dtype=np.float64) / size
        # Around the mean, zeros included: the mean of squares less the squared mean would cancel.
        return float(np.sum((X.data - mean) ** 2) + (size - X.data.size) * mean**2) / size
    return float(np.var(X, dtype=np.float64))


def _median_distance(X: Any, city_block: bool) -> float:
    """Median over the pairs of different rows; of the positive ones where most rows are equal, 1 where all are."""
    rows = np.unique(np.linspace(0, X.shape[0] - 1, min(X.shape[0], _MEDIAN_ROWS)).astype(int))
    sample = X[rows].astype(np.float64)
    if sparse.issparse(sample):
        sample = sparse.csr_matrix(sample)
    distances = manhattan_distances(sample) if city_block else euclidean_distances(sample)
    distances = distances[np.triu_indices(len(rows), 1)]
    median = float(np.median(distances)) if distances.size else 0.0
    if not median > 0:
        positive = distances[distances > 0]
        median = float(np.median(positive)) if positive.size else 1.0
    return median
