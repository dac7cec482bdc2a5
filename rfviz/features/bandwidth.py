"""The width gamma of a stationary kernel: learnt from data, and too large for the precision of the phases."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances

from rfviz.errors import PrecisionWarning, warn
from rfviz.features.widths import deviation, l1_gamma, median_distance, width_from
from rfviz.kernels._inputs import pairwise_squared_distances

__all__ = ["PrecisionWarning", "check_phases", "learnt_gamma"]

# The largest rounding error of a phase that a map accepts in silence.
_PHASE_ERROR = 0.01


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
    typical = median_distance(X, _euclidean) if rule == "median" else np.sqrt(X.shape[1]) * deviation(X)
    return width_from(rule, typical, 1.0 if spectrum in ("cauchy", "own") else 2.0)


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
        if np.ndim(scale):
            X = X.multiply(scale).tocsr() if sparse.issparse(X) else X * scale
        if sparse.issparse(X):
            sums = np.asarray((abs(X) if axes else X.multiply(X)).sum(axis=1))
        else:
            sums = np.abs(X).sum(axis=1) if axes else np.einsum("ij,ij->i", X, X)  # one pass, no copy
        largest = float(np.max(sums) if axes else np.sqrt(np.max(sums))) * (1.0 if np.ndim(scale) else float(scale))
    error = largest * float(np.finfo(dtype).eps)
    if not error <= _PHASE_ERROR:
        width = f"gamma={gamma:.3g}" if np.ndim(gamma) == 0 else f"gamma up to {np.max(gamma):.3g}"
        remedy = "Use a smaller gamma, centre or standardise the data" + (
            ", or use dtype='float64'." if dtype == "float32" else "."
        )
        warn(
            f"With {width} the phases of these data reach {largest:.3g} radians, and {dtype} knows them to "
            f"{error:.1g} radians only, so that the features are partly noise. {remedy}",
            PrecisionWarning,
        )


def _euclidean(rows: Any) -> np.ndarray:
    if sparse.issparse(rows):  # around zero, where the squares of rows do not swamp their distance
        return euclidean_distances(rows)
    return np.sqrt(pairwise_squared_distances(rows)[1])
