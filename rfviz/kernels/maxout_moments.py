"""Distances under random maxout features: the mean curve, its slope and plateau, and the exact spread around it.

All for unit vectors x, z. With m features the embedded squared distance ‖Φ(x) − Φ(z)‖² is the mean of m independent
copies of (h(x) − h(z))²: it has the mean given here and 1/m of the variance. Both are exact, see `_maxout_quadrature`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq

from rfviz.kernels._inputs import check_range
from rfviz.kernels._maxout_quadrature import MaxoutProfile, evaluate, profile
from rfviz.kernels.maxout import maxout_rho
from rfviz.params import Param

__all__ = [
    "maxout_distance",
    "maxout_distance_slope",
    "maxout_plateau",
    "maxout_product_moments",
    "maxout_squared_distance_moments",
    "saturation_distance",
]

_FRACTION = Param("fraction", 0.9, "float", low=0.0, high=1.0, open_low=True)


def maxout_distance(distance: Any, pool_size: int = 4) -> np.ndarray:
    """Return the embedded distance √(2(σ² − K_q)) of unit vectors at given Euclidean distances.

    Parameters
    ----------
    distance : float or array-like
        δ = 2 sin(θ/2), from 0 to 2.
    pool_size : int
        q, from 1 (the identity) to 4096.

    Returns
    -------
    ndarray of the shape of `distance`
        The limit of ‖Φ(x) − Φ(z)‖ as the number of features grows. Relative error below 1e-12 down to δ = 0: the
        difference σ² − K is never formed.

    Raises
    ------
    ParameterError
        If `distance` or `pool_size` is out of range.
    """
    maxima = profile(pool_size)
    distance = _check_distance(distance)
    return distance * np.sqrt(_contraction(maxima, distance))


def maxout_distance_slope(distance: Any, pool_size: int = 4) -> np.ndarray:
    """Return the derivative of :func:`maxout_distance`: how much a small change of distance still shows.

    κ_q δ / √(2(σ² − K_q)): 1 at δ = 0, where the embedding is an isometry, and falling as δ grows (q > 1).

    Parameters
    ----------
    distance, pool_size
        As for :func:`maxout_distance`.

    Returns
    -------
    ndarray of the shape of `distance`
    """
    maxima = profile(pool_size)
    distance = _check_distance(distance)
    kappa = np.clip(evaluate(maxima.collision, _angle(distance)), 0.0, 1.0)
    return kappa / np.sqrt(_contraction(maxima, distance))


def maxout_plateau(pool_size: int) -> float:
    """Return √(2(σ² − K_q(−1))): the largest embedded distance of unit vectors, that of opposite ones."""
    return float(maxout_distance(2.0, pool_size))


def saturation_distance(pool_size: int, fraction: float = 0.9) -> float:
    """Return the saturation radius: the input distance at which the embedded distance reaches a share of its plateau.

    Everything farther apart than this is squeezed into the last 1 − `fraction` of the embedded range, and can hardly be
    told apart. Unlike the point where the slope falls below a bound, it can be read off the curve, exists for every
    pool size, and is a statement about all larger distances, not about one.

    Parameters
    ----------
    pool_size : int
        q, from 1 to 4096. The radius shrinks, slowly, as q grows.
    fraction : float
        Share of the plateau, between 0 and 1.

    Returns
    -------
    float
        A distance between 0 and 2.

    Raises
    ------
    ParameterError
        If a parameter is out of range.
    """
    maxima = profile(pool_size)
    fraction = _FRACTION.validate(fraction)
    plateau = _contraction(maxima, np.array(2.0))

    def excess(half_distance: float) -> float:
        return float(half_distance**2 * _contraction(maxima, np.array(2.0 * half_distance)) - fraction**2 * plateau)

    half: Any = brentq(excess, 0.0, 1.0, xtol=1e-14) if fraction < 1 else 1.0
    return 2.0 * half


def maxout_squared_distance_moments(distance: Any, pool_size: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and variance of (h(x) − h(z))², one feature's contribution to the squared embedded distance.

    The mean is 2(σ² − K_q). The fourth moment follows from Price's theorem, which leaves the same-argmax event alone:
    E (h − h')⁴ = 12 ∫_ρ^1 E[(h − h')²; same argmax] dr. q = 1: mean δ², variance 2δ⁴.

    Parameters
    ----------
    distance, pool_size
        As for :func:`maxout_distance`.

    Returns
    -------
    mean, variance : ndarray of the shape of `distance`
        Divide the variance by the number of features for that of ‖Φ(x) − Φ(z)‖².

    Raises
    ------
    ParameterError
        If `distance` or `pool_size` is out of range.
    """
    maxima = profile(pool_size)
    distance = _check_distance(distance)
    contraction = _contraction(maxima, distance)
    fourth = evaluate(maxima.fourth, _angle(distance))
    square = distance * distance
    return square * contraction, square * square * np.maximum(3.0 * fourth - contraction**2, 0.0)


def maxout_product_moments(rho: Any, pool_size: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and variance of h(x)h(z), one feature's contribution to the kernel estimate.

    Parameters
    ----------
    rho : float or array-like
        Cosines from −1 to 1.
    pool_size : int
        q, from 1 to 4096.

    Returns
    -------
    mean, variance : ndarray of the shape of `rho`
        For vectors that are not of unit length, times ‖x‖‖z‖ and ‖x‖²‖z‖². q = 1: ρ and 1 + ρ². Divide the variance
        by the number of features for that of ⟨Φ(x), Φ(z)⟩.

    Raises
    ------
    ParameterError
        If `rho` or `pool_size` is out of range.
    """
    maxima = profile(pool_size)
    mean = maxout_rho(rho, pool_size)
    rho = check_range("rho", rho, -1.0, 1.0, "a cosine")
    square = maxima.mean_fourth - 4.0 * (1.0 - rho) * evaluate(maxima.product, np.arccos(rho))
    return mean, np.maximum(square - mean**2, 0.0)


def _check_distance(distance: Any) -> np.ndarray:
    return check_range("distance", distance, 0.0, 2.0, "a distance of unit vectors")


def _angle(distance: np.ndarray) -> np.ndarray:
    return np.asarray(2.0 * np.arcsin(distance / 2.0))


def _contraction(maxima: MaxoutProfile, distance: np.ndarray) -> np.ndarray:
    """Return (embedded distance / distance)², at most 1."""
    return np.minimum(evaluate(maxima.contraction, _angle(distance)), 1.0)
