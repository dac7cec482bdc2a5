"""Kernels of random maxout features, exact: the inner product, the collision probability and their series.

h(x) = max_{j≤q} ⟨w_j, x⟩ with w_j ~ N(0, I). For unit vectors of cosine ρ

    κ_q(ρ) = P(the same j attains both maxima),        K_q(ρ) = E h(x)h(z) = (E M)² + ∫₀^ρ κ_q(r) dr,

M the largest of q independent standard normals; and E h(x)h(z) = ‖x‖‖z‖ K_q(ρ) in general. ("Random Maxout Features",
whose own Theorem 1 is wrong: see :func:`maxout_theorem1_as_printed`.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.kernels._inputs import check_range, pairwise_cosines
from rfviz.kernels._maxout_quadrature import MaxoutProfile, evaluate, profile

__all__ = [
    "collision_rho",
    "collision_series",
    "expected_max",
    "expected_max_squared",
    "maxout",
    "maxout_by_argmax",
    "maxout_collision",
    "maxout_rho",
    "maxout_theorem1_as_printed",
]

_COSINE = "a cosine"


def maxout(X: Any, Y: Any = None, pool_size: int = 4) -> Any:
    """Return the maxout kernel ‖x‖‖z‖ K_q(cos) between all rows of `X` and `Y`.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        NumPy or CuPy; computed in float64 whatever its type.
    Y : array-like of shape (n_samples_Y, n_features), optional
        `X` where None, with an exact diagonal.
    pool_size : int
        q, from 1 (the linear kernel) to 4096.

    Returns
    -------
    array of shape (n_samples_X, n_samples_Y)
        float64, on the device of `X`. A zero row gives zeros.

    Raises
    ------
    ParameterError
        If `pool_size` is out of range.
    DataError
        If `X` or `Y` is not a finite matrix.
    """
    maxima = profile(pool_size)
    xp, cosines, norms_X, norms_Y = pairwise_cosines(X, Y)
    kernel = _kernel(xp, maxima, cosines)
    # One product of norms, in the memory of the cosines: as symmetric as they are.
    kernel *= xp.multiply(norms_X[:, None], norms_Y[None, :], out=cosines)
    return kernel


def maxout_collision(X: Any, Y: Any = None, pool_size: int = 4) -> Any:
    """Return the probability that two rows have the same argmax: 1 − E Hamming distance per code.

    Parameters
    ----------
    X, Y, pool_size
        As for :func:`maxout`.

    Returns
    -------
    array of shape (n_samples_X, n_samples_Y)
        From 0 to 1. 1/q between a zero row, where all projections tie, and any other row.

    Raises
    ------
    ParameterError, DataError
        As for :func:`maxout`.
    """
    maxima = profile(pool_size)
    xp, cosines, _, _ = pairwise_cosines(X, Y)
    return _collision(xp, maxima, cosines)


def maxout_rho(rho: Any, pool_size: int = 4) -> np.ndarray:
    """Return K_q(ρ) = E h(x)h(z) for unit vectors of cosine ρ; its derivative is :func:`collision_rho`.

    Parameters
    ----------
    rho : float or array-like
        Cosines from −1 to 1; an excess of rounding size is clipped.
    pool_size : int
        q, from 1 to 4096.

    Returns
    -------
    ndarray of the shape of `rho`
        Absolute error below 1e-12. q = 1: ρ; q = 2: ρ/2 + (√(1−ρ²) + ρ asin ρ)/π; K(0) = (E M)², K(1) = E M².

    Raises
    ------
    ParameterError
        If `rho` or `pool_size` is out of range.
    """
    return _kernel(np, profile(pool_size), check_range("rho", rho, -1.0, 1.0, _COSINE))


def collision_rho(rho: Any, pool_size: int = 4) -> np.ndarray:
    """Return κ_q(ρ) = P(same argmax) for unit vectors of cosine ρ.

    Parameters
    ----------
    rho, pool_size
        As for :func:`maxout_rho`.

    Returns
    -------
    ndarray of the shape of `rho`
        Absolute error below 1e-12, as a function of the angle. q = 2: 1 − θ/π; κ(0) = 1/q, κ(1) = 1, κ(−1) = 0 (q > 1).

    Raises
    ------
    ParameterError
        If `rho` or `pool_size` is out of range.
    """
    return _collision(np, profile(pool_size), check_range("rho", rho, -1.0, 1.0, _COSINE))[()]


def expected_max(pool_size: int) -> float:
    """Return E M, the mean of the largest of q independent standard normals: h₁(q) in the paper."""
    return profile(pool_size).mean


def expected_max_squared(pool_size: int) -> float:
    """Return E M², the mean square of the largest of q independent standard normals: σ²(q) in the paper, and K_q(1)."""
    return profile(pool_size).mean_square


def collision_series(pool_size: int) -> np.ndarray:
    """Return the first coefficients of κ_q(ρ) = Σ a_i ρ^i.

    a_0 = 1/q, a_1 = h₁²/(q−1), a_2 = q h₂²/((q−1)(q−2)), where h_i = E φ_i(M) with normalised Hermite polynomials φ_i.

    Parameters
    ----------
    pool_size : int
        q, from 1 to 4096.

    Returns
    -------
    ndarray of shape (3,)
        a_0, a_1, a_2; their limits where the formulas are 0/0 (q ≤ 2).
    """
    maxima = profile(pool_size)
    q = maxima.pool_size
    hermite_2 = (maxima.mean_square - 1.0) / np.sqrt(2.0)
    a_1 = maxima.mean**2 / (q - 1) if q > 1 else 0.0
    a_2 = q * hermite_2**2 / ((q - 1) * (q - 2)) if q > 2 else 0.0
    return np.array([1 / q, a_1, a_2])


def maxout_theorem1_as_printed(rho: Any, pool_size: int = 4) -> np.ndarray:
    """Return σ²(q) ρ κ_q(ρ), which Theorem 1 of the paper prints for E h(x)h(z): **wrong** for q > 1 and −1 < ρ < 1.

    At ρ = −1 it is wrong for q > 2; for q = 2 both are 0. The proof makes two mistakes. It drops the terms in which the
    argmaxes of x and z differ, as products of independent and centred variables: conditioned on being maxima they are
    not centred. And where the argmaxes agree it takes ρσ² for the mean product, as if the projection were the largest
    for x alone. At ρ = 0, h(x) and h(z) are independent, so that E h(x)h(z) = (E M)² > 0, where this formula gives 0.
    At q = 4 and ρ = 0.3 the means are 1.04 (different argmax) and 1.34 (the same), not 0 and 0.465; E h(x)h(z) is 1.15.
    Use :func:`maxout_rho`; this is for comparison with it.

    Parameters
    ----------
    rho, pool_size
        As for :func:`maxout_rho`.

    Returns
    -------
    ndarray of the shape of `rho`
    """
    maxima = profile(pool_size)
    rho = check_range("rho", rho, -1.0, 1.0, _COSINE)
    return maxima.mean_square * rho * _collision(np, maxima, rho)


def maxout_by_argmax(rho: Any, pool_size: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Return E h(x)h(z) given the same argmax, and given different ones: the two cases of the proof of Theorem 1.

    With q ∬ st φ₂(s, t) Φ₂(s, t)^{q−1} ds dt for the first times κ; the second follows from it and from K. The proof
    has ρσ² and 0 in their places.

    Parameters
    ----------
    rho, pool_size
        As for :func:`maxout_rho`.

    Returns
    -------
    same, different : ndarray of the shape of `rho`
        Absolute error below 1e-9 times the inverse probability of the case; nan where that is below 1e-6.

    Raises
    ------
    ParameterError
        If `rho` or `pool_size` is out of range.
    """
    maxima = profile(pool_size)
    rho = check_range("rho", rho, -1.0, 1.0, _COSINE)
    kappa, product = _collision(np, maxima, rho), evaluate(maxima.same_argmax, np.arccos(rho))
    rest = _kernel(np, maxima, rho) - product
    cases = ((product, kappa), (rest, 1.0 - kappa))
    same, different = (np.where(p > 1e-6, value / np.maximum(p, 1e-6), np.nan) for value, p in cases)
    return same[()], different[()]


def _kernel(xp: Any, maxima: MaxoutProfile, rho: Any) -> Any:
    return maxima.mean_square - (1.0 - rho) * evaluate(maxima.contraction, xp.arccos(rho))


def _collision(xp: Any, maxima: MaxoutProfile, rho: Any) -> Any:
    kappa = xp.clip(evaluate(maxima.collision, xp.arccos(rho)), 0.0, 1.0)
    return xp.where(rho >= 1.0, 1.0, kappa)
