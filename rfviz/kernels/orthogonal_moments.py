"""Covariance of two frequencies of one orthogonal block: the effect of orthogonal draws on the variance."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from rfviz.kernels._inputs import check_range

__all__ = ["orthogonal_covariance"]

# Beyond this exponent the kernel is below 1e-60, and the covariance below 1e-6 in three dimensions or more.
_LARGEST = 140.0
_KNOTS = 1500


def orthogonal_covariance(kernel: Any, n_features: int) -> np.ndarray:
    """Return the covariance of cos ω·δ and cos ω'·δ for two frequencies of one orthogonal block, Gaussian spectrum.

    The two are at right angles, in a uniformly random direction, and their lengths are independent and follow χ_d. Both
    ω + ω' and ω − ω' then have a uniform direction and the length √χ²_2d, and the product of the cosines is half the
    sum of the cosines of these. With z = γ‖δ‖² = −log k, the mean of such a cosine is ₁F₁(d; d/2; −z), so the
    covariance is that less k² = e^(−2z). It is negative where k is not small: the frequencies of a block share work.

    By Kummer's transformation it is summed as Σ_j P(J = j)·a_j, with J ~ Poisson(z) and
    a_j the product of (i − d/2)/(i + d/2) over i from 0 to j − 1, terms of at most 1 that lose no digits.

    Parameters
    ----------
    kernel : array-like
        k(δ), from 0 to 1.
    n_features : int
        d, the number of columns and the size of a block.

    Returns
    -------
    ndarray of the shape of `kernel`

    Raises
    ------
    ParameterError
        If a kernel value is out of range.

    References
    ----------
    F. Yu et al., "Orthogonal Random Features", 2016; K. Choromanski et al., "The Geometry of Random Features", 2018.
    """
    k = check_range("kernel", kernel, 0.0, 1.0, "a value of the Gaussian kernel")
    if n_features < 2:
        return np.zeros_like(k)  # there are no two frequencies in a block
    with np.errstate(divide="ignore"):
        z = np.minimum(-np.log(k), _LARGEST)
    return _mean_cosine(n_features)(np.sqrt(z)) - k * k


@lru_cache(maxsize=32)
def _mean_cosine(n_features: int) -> CubicSpline:
    """Return ₁F₁(d; d/2; −z) as a function of √z."""
    root = np.linspace(0.0, np.sqrt(_LARGEST), _KNOTS)
    z, half = root**2, n_features / 2.0
    weight, factor, total = np.exp(-z), 1.0, np.exp(-z)
    for j in range(int(_LARGEST + 12 * np.sqrt(_LARGEST))):
        factor *= (j - half) / (j + half)
        weight = weight * z / (j + 1)
        total += factor * weight
    return CubicSpline(root, total)
