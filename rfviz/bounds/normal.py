"""Expected errors, without a guarantee: errors from the exact variance, by Chebyshev or as if they were normal."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_ndtr, ndtri

__all__ = ["chebyshev", "normal", "normal_over_pairs"]

# Halvings of the logarithm of an error: from a factor of 1e12 down to 1e-8.
_HALVINGS = 36


def chebyshev(variance: np.ndarray, delta: float) -> np.ndarray:
    """Return the error that is exceeded with probability δ at most, whatever the law: √(v/δ).

    Parameters
    ----------
    variance : ndarray
        Of the estimates.
    delta : float
        Above 0, below 1.

    Returns
    -------
    ndarray of the shape of `variance`
    """
    return np.sqrt(np.asarray(variance) / delta)


def normal(variance: np.ndarray, delta: float) -> np.ndarray:
    """Return the error that a normal variable of this variance exceeds with probability δ: the limit of many features.

    Parameters
    ----------
    variance, delta
        As for :func:`chebyshev`.

    Returns
    -------
    ndarray of the shape of `variance`
    """
    return -ndtri(delta / 2.0) * np.sqrt(np.asarray(variance))


def normal_over_pairs(variances: np.ndarray, n_pairs: int, delta: float) -> float:
    """Return the largest error of many pairs, were each of them normal: the union of their exact tails is δ.

    Pairs of one draw err together, so that the union is more than the truth; but for small δ not much more.

    Parameters
    ----------
    variances : ndarray of shape (k,)
        Of the pairs, or of a fair sample of them.
    n_pairs : int
        How many pairs there are.
    """
    deviations = np.sqrt(np.asarray(variances, dtype=np.float64))
    deviations = deviations[deviations > 0]
    if not len(deviations):
        return 0.0
    target = math.log(delta) - math.log(2.0 * n_pairs / len(variances))
    low, high = math.log(deviations.max()) - 14.0, math.log(deviations.max()) + 14.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        above = np.logaddexp.reduce(log_ndtr(-math.exp(middle) / deviations)) > target
        low, high = (middle, high) if above else (low, middle)
    return math.exp(high)
