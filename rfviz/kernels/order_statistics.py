"""The kernel of order statistics of several Gaussian projections, and of their differences, by quadrature.

R = Σ_a c_a z_(a) of the sorted projections z_(1) ≤ … ≤ z_(q) of one point, R' that of another of cosine ρ. With N_s the
number of projections up to s, and C(n) = c_1 + … + c_n, Hoeffding's formula gives

    Cov(R, R') = ∬ Cov(C(N_s), C(N'_t)) ds dt.

N_s and N'_t are sums of q independent pairs of indicators of correlation r(s, t), so that the covariance inside is
Σ_k b_k(s) b_k(t) r^k over k = 1 … q, with b_k the coefficients of C in the Krawtchouk polynomials of norm one.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import comb, ndtr

from rfviz.errors import ParameterError
from rfviz.kernels._inputs import check_range, pairwise_cosines

__all__ = ["ORDER_RULES", "order_statistic", "order_statistic_rho", "order_weights"]

#: The rules: which of the sorted projections a feature is.
ORDER_RULES = ("largest", "second largest", "median", "smallest", "range")
_MOST = 32
# Of the grid of s and t, and of the angles between which curves are interpolated.
_CELLS, _STEP, _ANGLES = 120, 0.05, 65


def order_weights(pool_size: int, rule: str) -> np.ndarray:
    """Return the weights c of the sorted projections, the smallest first.

    Parameters
    ----------
    pool_size : int
        q, from 2 to 32.
    rule : {"largest", "second largest", "median", "smallest", "range"}
        The median of an even number is the mean of the two in the middle.

    Raises
    ------
    ParameterError
        For any other value.
    """
    if rule not in ORDER_RULES:
        raise ParameterError("rule", f"must be one of {', '.join(map(repr, ORDER_RULES))}", rule, "Try 'median'.")
    if not 2 <= pool_size <= _MOST:
        raise ParameterError("pool_size", f"must be an integer from 2 to {_MOST}", pool_size, "Try pool_size=4.")
    weights = np.zeros(pool_size)
    if rule == "median":
        np.add.at(weights, [(pool_size - 1) // 2, pool_size // 2], 0.5)  # of an odd number the same place twice
    elif rule == "smallest":
        weights[0] = 1.0
    else:
        weights[-2 if rule == "second largest" else -1] = 1.0
        weights[0] -= rule == "range"
    return weights


def order_statistic(X: Any, Y: Any = None, pool_size: int = 4, rule: str = "median") -> np.ndarray:
    """Return E R(x) R(z) between all rows of `X` and `Y`, R an order statistic of q Gaussian projections.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
    Y : array-like of shape (n_samples_Y, n_features), optional
        `X` where None.
    pool_size, rule
        See :func:`order_weights`.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y), float64

    Raises
    ------
    ParameterError, DataError
    """
    _, cosines, norms_X, norms_Y = pairwise_cosines(X, Y)
    return order_statistic_rho(cosines, pool_size, rule) * np.outer(norms_X, norms_Y)


def order_statistic_rho(rho: Any, pool_size: int = 4, rule: str = "median") -> np.ndarray:
    """Return E R R' for unit vectors of cosine ρ; the error is below 1e-3 of the value at ρ = 1."""
    cosines = check_range("rho", rho, -1.0, 1.0, "a cosine")
    return _profile(pool_size, rule)(np.arccos(cosines))


@functools.lru_cache(maxsize=32)
def _profile(pool_size: int, rule: str) -> CubicSpline:
    """Return E R R' as a function of the angle."""
    steps = np.concatenate([[0.0], np.cumsum(order_weights(pool_size, rule))])
    s = _STEP * np.arange(-_CELLS, _CELLS + 1)
    p, n = ndtr(s), np.arange(pool_size + 1)
    subsets = np.asarray(comb(pool_size, n))[:, None]
    binomial = subsets * p ** n[:, None] * (1.0 - p) ** (pool_size - n[:, None])
    # The coefficients of C in products of k standardised indicators, each of which is `one` or `zero`.
    one, zero = np.sqrt((1.0 - p) / p), -np.sqrt(p / (1.0 - p))
    products = np.array([_symmetric([one] * count + [zero] * (pool_size - count)) for count in n])
    coefficients = np.einsum("ns,n,nks->ks", binomial, steps, products) / np.sqrt(subsets)
    mean = _STEP * float(np.sum(steps[-1] * np.heaviside(s, 0.5) - coefficients[0]))
    angles, spread = np.linspace(0.0, np.pi, _ANGLES), np.outer(np.sqrt(p * (1.0 - p)), np.sqrt(p * (1.0 - p)))
    found = []
    for joint in _joint(s, angles):
        correlation, inside = joint / spread, np.zeros_like(joint)
        for row in coefficients[:0:-1]:
            inside = (inside + np.outer(row, row)) * correlation
        found.append(_STEP**2 * inside.sum() + mean**2)
    return CubicSpline(angles, found)


def _symmetric(factors: Sequence[np.ndarray]) -> np.ndarray:
    """Return the elementary symmetric polynomials of the factors, of order 0 to their number, in rows."""
    found = np.zeros((len(factors) + 1, len(factors[0])))
    found[0] = 1.0
    for factor in factors:
        found[1:] = found[1:] + factor * found[:-1]
    return found


def _joint(s: np.ndarray, angles: np.ndarray) -> list[np.ndarray]:
    """Return P(u ≤ s, v ≤ t) − P(u ≤ s)P(v ≤ t) of normal u and v on the grid of all s and t, at each angle.

    Its derivative by the correlation is the density (Plackett), which is integrated from a right angle on.
    """
    nodes, weights = np.polynomial.legendre.leggauss(4)
    squares, products = s[:, None] ** 2 + s**2, np.outer(s, s)
    found, middle = [np.zeros_like(squares)] * len(angles), len(angles) // 2
    for direction in (-1, 1):
        total = np.zeros_like(squares)
        for place in range(middle, middle + direction * middle, direction):
            near, far = angles[place], angles[place + direction]
            for node, weight in zip(nodes, weights, strict=True):
                sine, cosine = np.cos(at := 0.5 * (near + far + node * (far - near))), np.sin(at)
                density = np.exp(-(squares - 2.0 * products * sine) / (2.0 * cosine**2)) / (2.0 * np.pi)
                total = total + 0.5 * weight * (near - far) * density
            found[place + direction] = total
    return found
