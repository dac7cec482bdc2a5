"""Kernels of random sigmoidal ridge functions σ(⟨w, x⟩), w ~ N(0, s²I), and their fourth moments, in closed form.

For σ = erf the kernel is Williams's ("Computing with Infinite Networks", 1997): (2/π) asin of a ratio. The other two
are brought back to it. A logistic variable is a normal one of random scale 2κ, κ with Kolmogorov's distribution
(Andrews and Mallows 1974), so that tanh z = E erf(z/(√2 κ)): a mixture of error functions, and its kernel a mixture of
Williams's. The trapezoidal rule in log κ with 16 nodes gives tanh to 1e-10 everywhere. The logistic function is
½ + ½ tanh(z/2).

Fourth moments, for the variance of the estimate, need E σ²(u)σ²(v). Both 1 − tanh² (the derivative of the mixture) and
1 − erf² (= (4/π) ∫₀¹ exp(−(1+t²)z²)/(1+t²) dt) are mixtures of Gaussians exp(−λz²), whose product has a Gaussian
expectation: a determinant to the power −½.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.stats import kstwobign

from rfviz import backend
from rfviz.backend import map_ordered, worker_count
from rfviz.errors import ParameterError
from rfviz.kernels._inputs import as_pair
from rfviz.params import Param

__all__ = ["SIGMOIDS", "sigmoidal", "sigmoidal_product_variance"]

SIGMOIDS = ("erf", "tanh", "logistic")

_SCALE = Param("scale", 1.0, "float", low=0.0, open_low=True, high=1e6, log=True)
_NODES, _KAPPA = 16, (0.22, 3.0)  # beyond this range κ has a probability of 1e-7, and the rule is good to 1e-10
# Rows and columns of a tile, which stays in a processor's cache; pairs from which several threads help.
_TILE, _PARALLEL_FROM = 256, 300_000


class _Mixture(NamedTuple):
    """σ = offset + size·τ, τ(z) = Σ weight·erf(slope·z), and 1 − τ²(z) = Σ mass·exp(−rate·z²)."""

    offset: float
    size: float
    weight: np.ndarray
    slope: np.ndarray
    mass: np.ndarray
    rate: np.ndarray


@functools.cache
def _mixture(activation: str) -> _Mixture:
    if activation == "erf":
        t, w = leggauss(20)
        t, w = 1.0 + ((t + 1.0) / 2.0) ** 2, w / 2.0
        return _Mixture(0.0, 1.0, np.ones(1), np.ones(1), 4.0 / np.pi * w / t, t)
    kappa = np.geomspace(*_KAPPA, _NODES)
    weight = kstwobign.pdf(kappa) * kappa
    weight, slope = weight / weight.sum(), 1.0 / (np.sqrt(2.0) * kappa)
    mass = weight * slope
    mass /= mass.sum()  # 2/√π but for the rule's error, so that 1 − τ²(0) is exactly 1
    if activation == "tanh":
        return _Mixture(0.0, 1.0, weight, slope, mass, slope**2)
    return _Mixture(0.5, 0.5, weight, slope / 2.0, mass, slope**2 / 4.0)


def sigmoidal(X: Any, Y: Any = None, activation: str = "erf", scale: float = 1.0, bias: bool = True) -> Any:
    """Return E σ(⟨w, x⟩ + b) σ(⟨w, y⟩ + b) between all rows of `X` and `Y`, w ~ N(0, scale²I) and b ~ N(0, scale²).

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        NumPy or CuPy; computed in float64 whatever its type.
    Y : array-like of shape (n_samples_Y, n_features), optional
        `X` where None.
    activation : {"erf", "tanh", "logistic"}
        erf(z) = (2/√π)∫₀ᶻ exp(−t²)dt; tanh(z); 1/(1 + exp(−z)).
    scale : float
        Standard deviation of the weights, positive.
    bias : bool
        Whether there is a b. Without one, the kernel depends on norms and angles about the origin.

    Returns
    -------
    array of shape (n_samples_X, n_samples_Y)
        float64, on the device of `X`: from −1 to 1, for the logistic function from 0 to 1. Absolute error below 1e-14
        for erf and 1e-9 for the others, at 1 and 256 arcsines a pair.

    Raises
    ------
    ParameterError
        For an unknown activation, or a scale that is not positive.
    DataError
        If `X` or `Y` is not a finite matrix.
    """
    return _kernel(*_covariances(X, Y, activation, scale, bias), _mixture(activation), alone=Y is None)


def sigmoidal_product_variance(
    X: Any, activation: str = "erf", scale: float = 1.0, bias: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Return the kernel between all rows of `X`, and the variance of the product of one feature at two rows.

    Parameters
    ----------
    X, activation, scale, bias
        As for :func:`sigmoidal`; NumPy only.

    Returns
    -------
    kernel, variance : ndarray of shape (n_samples, n_samples)
        E σσ' and E σ²σ'² − (E σσ')². A map of m features has 1/m of that variance.

    Raises
    ------
    ParameterError, DataError
        As for :func:`sigmoidal`.
    """
    xp, products, squares, _ = _covariances(X, None, activation, scale, bias)
    mixture = _mixture(activation)
    kernel = _kernel(xp, products, squares, squares, mixture, alone=True)
    offset, size = mixture.offset, mixture.size
    lone = (mixture.mass / np.sqrt(1.0 + 2.0 * np.multiply.outer(squares, mixture.rate))).sum(axis=1)
    squared = 1.0 - lone  # E τ²
    both = 1.0 - np.add.outer(lone, lone) + _gaussian_products(products, squares, mixture)
    # (o + sτ)²(o + sτ')², whose odd terms vanish; E ττ' is the kernel without its offset.
    mean_tau = (kernel - offset**2) / size**2
    fourth = offset**4 + offset**2 * size**2 * (np.add.outer(squared, squared) + 4.0 * mean_tau) + size**4 * both
    return kernel, np.maximum(fourth - kernel**2, 0.0)


def _covariances(X: Any, Y: Any, activation: str, scale: float, bias: bool) -> tuple[Any, Any, Any, Any]:
    """Return the covariances of the two ridge arguments for all pairs, and their variances: products of (x, 1)·s."""
    if activation not in SIGMOIDS:
        rule = "must be one of " + ", ".join(map(repr, SIGMOIDS))
        raise ParameterError("activation", rule, activation, "Try activation='erf'.")
    scale, one = _SCALE.validate(scale), float(bool(bias))
    alone = Y is None
    xp, X, Y = as_pair(X, Y)
    products = scale**2 * (backend.inner_products(X, Y) + one)
    squares_X = scale**2 * ((X * X).sum(axis=1) + one)
    squares_Y = squares_X if alone else scale**2 * ((Y * Y).sum(axis=1) + one)
    if alone:
        xp.fill_diagonal(products, 0.0)
        products += xp.diag(squares_X)
    return xp, products, squares_X, squares_Y


def _kernel(xp: Any, products: Any, squares_X: Any, squares_Y: Any, mixture: _Mixture, alone: bool) -> Any:
    """Return E σσ' by Williams's formula, summed over the mixture twice; half of it is computed of one side `alone`."""
    n, p = products.shape
    out = xp.empty((n, p), dtype=products.dtype)
    weights, slopes = mixture.weight.tolist(), mixture.slope.tolist()
    factors = [
        [np.sqrt(2.0) * t / xp.sqrt(1.0 + 2.0 * t * t * squares) for t in slopes] for squares in (squares_X, squares_Y)
    ]
    side = _TILE if xp is np else max(n, p, 1)

    def fill(corner: tuple[int, int]) -> None:
        rows, columns = (slice(start, start + side) for start in corner)
        part = products[rows, columns]
        total, ratio = xp.zeros_like(part), xp.empty_like(part)
        for w, left in zip(weights, factors[0], strict=True):
            scaled = part * left[rows, None]
            for w_other, right in zip(weights, factors[1], strict=True):
                xp.multiply(scaled, right[columns], out=ratio)
                xp.clip(ratio, -1.0, 1.0, out=ratio)
                xp.arcsin(ratio, out=ratio)
                ratio *= w * w_other
                total += ratio
        if alone and corner[0] == corner[1]:
            total = (total + total.T) / 2.0  # the order of the sums is another one across the diagonal
        out[rows, columns] = total
        if alone:
            out[columns, rows] = total.T

    corners = [(i, j) for i in range(0, n, side) for j in range(0, p, side) if not alone or j >= i]
    for _ in map_ordered(fill, corners, worker_count() if xp is np and n * p >= _PARALLEL_FROM else 1):
        pass
    out *= mixture.size**2 * 2.0 / np.pi
    out += mixture.offset**2
    return out


def _gaussian_products(products: np.ndarray, squares: np.ndarray, mixture: _Mixture) -> np.ndarray:
    """Return E (1 − τ²)(1 − τ'²): each pair of Gaussians leaves 1/√det(I + 2·covariance·diag(rates))."""
    # Rounding may make the determinant of the covariance negative, which it never is.
    determinant = np.maximum(np.outer(squares, squares) - products**2, 0.0)
    total = np.zeros_like(products)
    for mass, rate in zip(mixture.mass, mixture.rate, strict=True):
        for other_mass, other_rate in zip(mixture.mass, mixture.rate, strict=True):
            sums = np.add.outer(2.0 * rate * squares, 2.0 * other_rate * squares)
            total += mass * other_mass / np.sqrt(1.0 + sums + 4.0 * rate * other_rate * determinant)
    return total
