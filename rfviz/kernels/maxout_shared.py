"""Maxout features that share projections: covariances of their products h(x)h(z), and so the error of an estimate.

Features that are the largest of q out of P projections, with index sets drawn at random, make an incomplete
U-statistic (Blom 1976) of the kernel h(x)h(z) in the P projections. Let ζ_j be the covariance of the products of two
features that share j indices, and p_j the hypergeometric probability that they do. Then the estimate by m features has
the variance (ζ_q − C)/m + C with C = Σ_j p_j ζ_j, which is what remains however many features are taken from the pool.
As q ζ_j ≤ j ζ_q (Hoeffding 1948), C is at most q ζ_q/P, the variance of independent maxout on the same P projections.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from scipy.interpolate import CubicSpline
from scipy.special import log_ndtr
from scipy.stats import hypergeom

from rfviz.errors import ParameterError
from rfviz.kernels._inputs import check_range
from rfviz.kernels._maxout_quadrature import POOL_SIZE, evaluate, plane_cdf
from rfviz.kernels.maxout import maxout_rho
from rfviz.kernels.maxout_moments import maxout_product_moments

__all__ = ["maxout_overlap_covariance", "maxout_pool_covariance"]

# The errors of a grid of this step and of one twice as wide are as 1 to 4, which removes them: 1e-5 is left.
_RADIUS, _STEP = 8.0, 1 / 16
_DEGREE = 24
# Probability up to which an overlap does not count, and number of others that are computed; the rest is interpolated.
_RARE, _KNOTS = 1e-9, 8


def maxout_pool_covariance(rho: Any, pool_size: int, n_projections: int) -> np.ndarray:
    """Return C: the covariance of h(x)h(z) of two features whose index sets come from the same pool of projections.

    Parameters
    ----------
    rho : float or array-like
        Cosines from −1 to 1, of unit vectors; else times ‖x‖²‖z‖².
    pool_size : int
        q, indices of a feature.
    n_projections : int
        P, at least q; for P = q both features are the same, for P → ∞ they are independent.

    Returns
    -------
    ndarray of the shape of `rho`
        Error about 1e-5 of the variance of one feature.

    Raises
    ------
    ParameterError
        Where a parameter is out of range, or P < q.
    """
    q = POOL_SIZE.validate(pool_size)
    if n_projections < q:
        raise ParameterError("n_projections", f"must be at least pool_size, {q}", n_projections, f"Try {8 * q}.")
    rho = check_range("rho", rho, -1.0, 1.0, "a cosine")
    if n_projections == q:
        return maxout_product_moments(rho, q)[1]
    return np.maximum(evaluate(_series(q, int(n_projections)), np.asarray(np.arccos(rho))), 0.0)


@lru_cache(maxsize=4096)  # pools of other sizes ask for the same
def maxout_overlap_covariance(theta: float, pool_size: int, shared: int) -> float:
    """Return ζ_j: the covariance of h(x)h(z) of two features that share j of their q projections.

    ζ_j = E[r(A, A')²] − K², where (A, A') are the maxima of the shared projections of x and z, (B, B') those of the
    other q − j, and r(a, a') = E[max(a, B) max(a', B')].

    Parameters
    ----------
    theta : float
        From 0 to π.
    pool_size, shared : int
        q, and j from 0 to q.
    """
    if shared == 0:
        return 0.0
    fine, coarse = (_mean_square(theta, pool_size, shared, stride) for stride in (1, 2))
    return (4.0 * fine - coarse) / 3.0 - float(maxout_rho(math.cos(theta), pool_size)) ** 2


@lru_cache(maxsize=64)
def _series(q: int, n_projections: int) -> np.ndarray:
    """Return C as a Chebyshev series in 2θ/π − 1."""
    overlaps = np.arange(q + 1)
    # The probability itself would take SciPy seconds for a pool of 10⁹; its logarithm is as exact as is needed.
    shares = np.exp(hypergeom.logpmf(overlaps, n_projections, q, q))
    common = overlaps[1:][shares[1:] > _RARE]
    if not len(common):  # a pool so large that its features share nothing
        return np.zeros(1)
    knots = np.unique(np.linspace(common[0], common[-1], min(_KNOTS, len(common))).round().astype(int))
    unit = -np.cos(np.pi * (np.arange(_DEGREE + 1) + 0.5) / (_DEGREE + 1))
    values = []
    for theta in (unit + 1) * (math.pi / 2):
        zeta = [maxout_overlap_covariance(theta, q, int(j)) for j in knots]
        # Sharing nothing costs nothing: the point at 0 belongs to the curve.
        curve = CubicSpline([0, *knots], [0.0, *zeta]) if len(knots) > 2 else None
        every = curve(common) if curve else np.interp(common, knots, zeta)
        values.append(shares[common] @ every)
    return np.linalg.solve(chebyshev.chebvander(unit, _DEGREE), values)


def _mean_square(theta: float, q: int, shared: int, stride: int) -> float:
    """Return E r(A, A')² on a grid of `stride` steps: masses of its cells times means over their corners."""
    grid, cdf = _plane(theta)
    grid, cdf, step = grid[::stride], cdf[::stride, ::stride], _STEP * stride
    r = _product_given(grid, cdf, q - shared, step)
    r *= r
    joint = cdf**shared
    mass = joint[1:, 1:] - joint[1:, :-1] - joint[:-1, 1:] + joint[:-1, :-1]
    return float(np.sum(mass * (r[1:, 1:] + r[1:, :-1] + r[:-1, 1:] + r[:-1, :-1])) / 4.0)


def _product_given(grid: np.ndarray, cdf: np.ndarray, others: int, step: float) -> np.ndarray:
    """Return r(a, a') = a a' + a E(B' − a')₊ + a' E(B − a)₊ + E (B − a)₊(B' − a')₊ at all pairs of grid points."""
    if others == 0:
        return np.outer(grid, grid)
    above = -np.expm1(others * log_ndtr(grid))  # P(B > s)
    both = above[:, None] + above - 1.0 + cdf**others  # P(B > s, B' > t)
    excess = _beyond(above, step)
    return (
        np.outer(grid, grid)
        + np.add.outer(0 * grid, excess) * grid[:, None]
        + np.outer(excess, grid)
        + _beyond(_beyond(both, step).T, step).T
    )


def _beyond(values: np.ndarray, step: float) -> np.ndarray:
    """Integrate from each grid point to the end of the grid, along the last axis, by the trapezoidal rule."""
    sums = np.cumsum(values[..., ::-1], axis=-1)[..., ::-1]
    return step * (sums - 0.5 * (values + values[..., -1:]))


@lru_cache(maxsize=_DEGREE + 8)
def _plane(theta: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the grid, and Φ₂ at its pairs of points."""
    grid = np.arange(-_RADIUS, _RADIUS + _STEP / 2, _STEP) + _STEP / 3  # off the origin, where the formula is 0/0
    return grid, plane_cdf(theta, grid)
