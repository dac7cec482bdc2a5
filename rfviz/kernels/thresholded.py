"""The kernel of ReLUs with a threshold: the arc-cosine kernel of degree 1 where it is zero, more local above."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr, owens_t

from rfviz.errors import ParameterError
from rfviz.kernels._inputs import check_range

__all__ = ["thresholded_relu_rho", "thresholded_relu_square"]


def thresholded_relu_rho(rho: Any, threshold: float = 0.0) -> np.ndarray:
    """Return E h(a) h(b) / E h(a)² for standard normal a, b of correlation ρ and h(a) = max(0, a − threshold).

    Parameters
    ----------
    rho : float or array-like
        Cosines from −1 to 1; an excess of rounding size is clipped.
    threshold : float
        At least 0. The larger, the closer two directions must be for their units to be positive together.

    Returns
    -------
    ndarray of the shape of `rho`
        From 0 at ρ = −1 to 1 at ρ = 1.

    Raises
    ------
    ParameterError
        If `rho` or `threshold` is out of range.
    """
    square = thresholded_relu_square(threshold)
    rho, t = check_range("rho", rho, -1.0, 1.0, "a cosine"), float(threshold)
    # Moments of a bivariate normal law above t (Rosenbaum 1961): `both` is P(a > t, b > t), by Owen's T function.
    apart = np.maximum(1.0 + rho, 1e-300)  # opposite directions: a limit that overflows nowhere
    slope = np.sqrt((1.0 - rho) / apart)
    both = ndtr(-t) - 2.0 * owens_t(t, slope)
    value = (rho + t * t) * both - 2.0 * t * _density(t) * ndtr(-t * slope)
    value += np.sqrt(1.0 - rho * rho) * np.exp(-t * t / apart) / (2.0 * np.pi)
    return np.maximum(value, 0.0) / square


def thresholded_relu_square(threshold: float) -> float:
    """Return E max(0, a − threshold)² for a standard normal a.

    Raises
    ------
    ParameterError
        If `threshold` is negative or no finite number.
    """
    if not np.isfinite(threshold) or threshold < 0:
        raise ParameterError("threshold", "must be a finite number of at least 0", threshold, "Try threshold=1.")
    t = float(threshold)
    return float((1.0 + t * t) * ndtr(-t) - t * _density(t))


def _density(t: float) -> float:
    return float(np.exp(-t * t / 2.0) / np.sqrt(2.0 * np.pi))
