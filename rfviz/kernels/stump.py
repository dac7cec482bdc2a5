"""The kernel of random decision stumps: how much probability lies between two points, column by column."""

from __future__ import annotations

from typing import Any

from scipy.spatial.distance import cdist

from rfviz.backend import special_functions
from rfviz.kernels._inputs import as_pair

__all__ = ["stump"]

_BLOCK = 4_000_000  # numbers held at once where rows are compared column by column on a GPU


def stump(X: Any, Y: Any = None) -> Any:
    """Return the stump kernel mean_d [1 − 2|F(x_d) − F(y_d)|], with F the distribution function of the standard normal.

    It is E sign(x_D − T) sign(y_D − T) for a uniform column D and a threshold T ~ N(0, 1): the signs differ where T
    falls between x_D and y_D. (The stumps are those of Rahimi and Recht, "Weighted Sums of Random Kitchen Sinks", 2008;
    the kernel follows in one line.) It sees each column apart and is stretched where F is steep, so that it is neither
    rotation nor shift invariant.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        NumPy or CuPy; computed in float64 whatever its type. Columns should have mean 0 and variance 1, or most
        thresholds miss the data.
    Y : array-like of shape (n_samples_Y, n_features), optional
        `X` where None.

    Returns
    -------
    array of shape (n_samples_X, n_samples_Y)
        float64, from −1 to 1, with 1 for equal rows, on the device of `X`.

    Raises
    ------
    DataError
        If `X` or `Y` is not a finite matrix.
    """
    xp, X, Y = as_pair(X, Y)
    ndtr = special_functions(xp).ndtr
    U, V = ndtr(X), ndtr(Y)
    distances = cdist(U, V, "cityblock") if xp.__name__ == "numpy" else _city_block(xp, U, V)
    distances *= -2.0 / U.shape[1]
    distances += 1.0
    return distances


def _city_block(xp: Any, U: Any, V: Any) -> Any:
    """Return Σ_d |u_d − v_d| for all pairs of rows, a few rows at a time."""
    distances = xp.empty((U.shape[0], V.shape[0]), dtype=U.dtype)
    rows = max(_BLOCK // max(V.size, 1), 1)
    for first in range(0, U.shape[0], rows):
        part = xp.abs(U[first : first + rows, None, :] - V[None, :, :])
        distances[first : first + rows] = part.sum(axis=2)
    return distances
