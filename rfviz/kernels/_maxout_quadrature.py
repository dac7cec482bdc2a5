"""Quadrature behind the maxout kernel: four smooth functions of the angle, as Chebyshev series, for any pool size.

Let x, z be unit vectors at angle θ, s_j = ⟨w_j, x⟩ and t_j = ⟨w_j, z⟩ with w_1 … w_q ~ N(0, I), h = max s_j and
h' = max t_j. For a smooth f, Price's theorem leaves only the event that one and the same j attains both maxima,

    d/dρ E f(h, h') = E[∂₁∂₂f(h, h'); same argmax],                        ρ = cos θ,

so that every moment is an integral over the angle of  E[g; same argmax] = q E[g(s, t) Φ₂(s, t; ρ)^{q−1}].  Writing
s, t = a cos(θ/2) ± b sin(θ/2) with independent normal a, b, log Φ₂ on a grid of (θ, a, b) does not depend on q: it is
tabulated once, and a pool size costs one exponential of the table.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.polynomial.legendre import leggauss
from scipy.special import log_ndtr, ndtr, owens_t

from rfviz.backend import array_namespace
from rfviz.params import Param

__all__ = ["POOL_SIZE", "MaxoutProfile", "evaluate", "plane_cdf", "profile"]

POOL_SIZE = Param(
    name="pool_size",
    default=4,
    kind="int",
    low=1,
    high=4096,
    log=True,
    ui_high=1024,
    symbol="q",
    label="Pool size",
    help="Number of random projections of which a feature takes the largest. Larger pools see smaller distances.",
)

# The integrands are entire and decay like Gaussians, so the trapezoidal rule converges geometrically. Halving a step,
# or doubling the degree, changes no result by more than 1e-13, whatever the pool size.
_STEP_A, _STEP_B, _RADIUS = 0.1, 0.15, 9.6
_DEGREE = 56
# Temporaries that stay in a processor's cache, or that fill a GPU.
_CHUNK_HOST, _CHUNK_DEVICE = 1 << 14, 1 << 23


@dataclass(frozen=True, eq=False)
class MaxoutProfile:
    """Series and moments of one pool size.

    The series are Chebyshev coefficients in 2θ/π − 1; u stands for sin(θ/2), half the distance of the unit vectors.

    Parameters
    ----------
    pool_size : int
        q.
    mean, mean_square, mean_fourth : float
        E M, E M², E M⁴ for M the largest of q independent standard normals.
    collision : ndarray
        κ(θ) = P(same argmax).
    contraction : ndarray
        (E M² − K(θ)) / (1 − cos θ) = E (h − h')² / 4u²: 1 at θ = 0.
    fourth : ndarray
        E (h − h')⁴ / 48u⁴: 1 at θ = 0.
    product : ndarray
        (E M⁴ − E h²h'²) / 8u².
    same_argmax : ndarray
        E hh' 1{same argmax}.
    """

    pool_size: int
    mean: float
    mean_square: float
    mean_fourth: float
    collision: np.ndarray
    contraction: np.ndarray
    fourth: np.ndarray
    product: np.ndarray
    same_argmax: np.ndarray


@dataclass(frozen=True, eq=False)
class _Table:
    """All that does not depend on the pool size."""

    theta: np.ndarray  # (nodes,)
    log_cdf: np.ndarray  # (nodes, points): log Φ₂
    weights: np.ndarray  # (points, 3): the normal density times 1, a², b²
    to_series: np.ndarray  # (nodes, nodes): values at the nodes to Chebyshev coefficients
    mean_1: np.ndarray  # (nodes, nodes): values to their means over the angles up to each node, see _running_mean
    mean_3: np.ndarray


def profile(pool_size: int) -> MaxoutProfile:
    """Return the profile of a pool size, computed in a few milliseconds at the first request.

    Raises
    ------
    ParameterError
        If `pool_size` is not an integer from 1 to 4096.
    """
    return _profile(POOL_SIZE.validate(pool_size))


def evaluate(series: np.ndarray, theta: Any) -> Any:
    """Evaluate a series of a profile at angles from 0 to π: an array of the shape, and on the device, of `theta`."""
    xp = array_namespace(theta)
    flat = theta.reshape(-1)
    out = xp.empty_like(flat)
    step = _CHUNK_HOST if xp is np else _CHUNK_DEVICE
    for start in range(0, flat.size, step):
        out[start : start + step] = _clenshaw(xp, series, flat[start : start + step] * (2 / math.pi) - 1.0)
    return out.reshape(theta.shape)


@lru_cache(maxsize=128)
def _profile(q: int) -> MaxoutProfile:
    table = _table()
    # Rows: q E[g Φ₂^{q−1}] at the nodes, for g = 1, a², b².
    same, a_square, b_square = q * (np.exp((q - 1) * table.log_cdf) @ table.weights).T
    # f = h²h'²:  ∂₁∂₂f = 4st.   f = (h − h')⁴:  ∂₁∂₂f = −12 (s − t)² = −48 u² b².
    product = a_square * np.cos(table.theta / 2) ** 2 - b_square * np.sin(table.theta / 2) ** 2
    values = (same, table.mean_1 @ same, table.mean_3 @ b_square, table.mean_1 @ product, product)
    mean, mean_square, mean_fourth = (_moment_of_max(q, power) for power in (1, 2, 4))
    return MaxoutProfile(q, mean, mean_square, mean_fourth, *(_trim(table.to_series @ v) for v in values))


def _moment_of_max(q: int, power: int) -> float:
    """Return E M^power for M the largest of `q` independent standard normals."""
    x, step = np.linspace(-10.0, 11.0, 421, retstep=True)
    density = q * np.exp((q - 1) * log_ndtr(x) - x * x / 2) / math.sqrt(2 * math.pi)
    return float(step * (density @ x**power))


_table_lock = threading.Lock()


def _table() -> _Table:
    """Return the table, built by whichever thread comes first while the others wait."""
    with _table_lock:
        return _build_table()


@lru_cache(maxsize=1)
def _build_table() -> _Table:
    count = round(_RADIUS / _STEP_A)
    # Off the origin and, in b, symmetric about it: half of the plane is enough.
    a = (np.arange(-count, count) + 0.25) * _STEP_A
    b = (np.arange(round(_RADIUS / _STEP_B)) + 0.5) * _STEP_B
    a, b = (grid.ravel() for grid in np.meshgrid(a, b, indexing="ij"))
    within = a * a + b * b < _RADIUS**2
    a, b = a[within], b[within]
    density = np.exp(-(a * a + b * b) / 2) * (_STEP_A * _STEP_B / math.pi)
    unit = -np.cos(np.linspace(0.0, math.pi, _DEGREE + 1))
    theta = (unit + 1) * (math.pi / 2)
    # A logarithm of rounding noise (the true Φ₂ below 1e-17) is harmless: only its exponential is used.
    log_cdf = np.log(np.maximum([_bivariate_cdf(angle, a, b) for angle in theta], 1e-300))
    to_series = np.linalg.inv(chebyshev.chebvander(unit, _DEGREE))
    return _Table(
        theta=theta,
        log_cdf=log_cdf,
        weights=np.stack([density, density * a * a, density * b * b], axis=1),
        to_series=to_series,
        mean_1=_running_mean(theta, to_series, 1),
        mean_3=_running_mean(theta, to_series, 3),
    )


def _bivariate_cdf(theta: float, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return P(U ≤ s, V ≤ t) for correlation cos θ at s, t = a cos(θ/2) ± b sin(θ/2), by Owen's T function."""
    cos, sin = math.cos(theta / 2), math.sin(theta / 2)
    s, t = a * cos + b * sin, a * cos - b * sin
    with np.errstate(divide="ignore"):
        # (t − ρs)/√(1−ρ²) = a sin − b cos: in this form nothing is lost where θ is small or close to π.
        tails = owens_t(s, (a * sin - b * cos) / s) + owens_t(t, (a * sin + b * cos) / t)
    return (ndtr(s) + ndtr(t) - ((s < 0) != (t < 0))) / 2 - tails


def plane_cdf(theta: float, grid: np.ndarray) -> np.ndarray:
    """Return P(U ≤ s, V ≤ t) for normals of correlation cos θ, 0 < θ < π, at all pairs (s, t) of grid points."""
    s, t = np.meshgrid(grid, grid, indexing="ij")
    cos, sin = math.cos(theta / 2), math.sin(theta / 2)
    return np.clip(_bivariate_cdf(theta, (s + t) / (2 * cos), (s - t) / (2 * sin)), 0.0, 1.0)


def _running_mean(theta: np.ndarray, to_series: np.ndarray, power: int) -> np.ndarray:
    """Build the matrix from values f(θ_j) to the means of f over 0 ≤ t ≤ θ_i, weighted by sin^power(t/2) d sin(t/2).

    With u = sin(θ/2): ∫₀^θ f sin t dt = 2u² × mean of power 1, ∫₀^θ f sin²(t/2) sin t dt = u⁴ × mean of power 3.
    Taking means of smooth functions, not differences of integrals, is what spares the small angles all cancellation.
    """
    x, gauss = leggauss(64)
    x, gauss = (x + 1) / 2, gauss / 2
    angles = theta[1:, None] * x
    weights = gauss * np.sin(angles / 2) ** power * np.cos(angles / 2)
    weights /= weights.sum(axis=1, keepdims=True)
    interpolate = chebyshev.chebvander(angles * (2 / math.pi) - 1, _DEGREE) @ to_series
    at_zero = np.zeros((1, theta.size))
    at_zero[0, 0] = 1.0
    return np.concatenate([at_zero, np.einsum("ij,ijk->ik", weights, interpolate)])


def _trim(series: np.ndarray) -> np.ndarray:
    """Drop the trailing coefficients that together are below rounding: half of them for small pools."""
    tail = np.cumsum(np.abs(series[::-1]))[::-1]
    trimmed = series[: max(1, int((tail > 1e-14 * np.abs(series).max()).sum()))].copy()
    trimmed.flags.writeable = False
    return trimmed


def _clenshaw(xp: Any, series: np.ndarray, x: Any) -> Any:
    """Evaluate a Chebyshev series at `x` by Clenshaw's recurrence, in four buffers."""
    twice = 2 * x
    older, old, new = xp.zeros_like(x), xp.zeros_like(x), xp.empty_like(x)
    for coefficient in series[:0:-1]:
        xp.multiply(twice, old, out=new)
        new -= older
        new += float(coefficient)
        older, old, new = old, new, older
    return x * old - older + float(series[0])
