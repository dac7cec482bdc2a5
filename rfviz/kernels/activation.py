"""The kernel of any function of one Gaussian projection.

For w ~ N(0, I) and points of norms r, s with cosine ρ, ⟨w, x⟩ and ⟨w, z⟩ are r u and s v, with standard normal u and v
of correlation ρ. By Mehler's formula

    E f(r u) g(s v) = Σ_k a_k(r) b_k(s) ρ^k,   a_k(r) = E f(r t) h_k(t),  b_k(s) = E g(s t) h_k(t),

with h_k the Hermite polynomials of norm one and t ~ N(0, 1). This serves wide angles, where a hundred terms are enough
whatever f and g are. For narrow ones, where it would take many more, see :mod:`rfviz.kernels._narrow_angles`.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from rfviz.backend import map_ordered, single_threaded_blas, to_host, worker_count
from rfviz.errors import DataError
from rfviz.kernels._inputs import check_range, pairwise_cosines
from rfviz.kernels._narrow_angles import WIDEST, expectations
from rfviz.kernels._sampled import Function, Integrated, Sampled

__all__ = ["activation", "activation_rho"]

# Standard deviations of a projection that are looked at: more for a function that grows so fast that 10 leave some out.
_REACHES = 10.0, 20.0, 40.0
_LEFT_OUT = 1e-9
# Samples of a function over 20 standard deviations; what the series may leave out.
_SAMPLES, _TAIL = 2048, 1e-13
# Rows and columns of a tile, which stays in a processor's cache; pairs from which several threads help.
_TILE, _PARALLEL_FROM = 256, 300_000
_EPSILON = float(np.finfo(np.float64).eps)


def activation(X: Any, Y: Any = None, f: Function = np.tanh, g: Function | None = None) -> np.ndarray:
    """Return E f(⟨w, x⟩) g(⟨w, z⟩) between all rows of `X` and `Y`, for w ~ N(0, I).

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
    Y : array-like of shape (n_samples_Y, n_features), optional
        `X` where None.
    f, g : callable
        Of an array, elementwise; `g` is `f` where None.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y), float64
        Relative to √(E f² E g²), the error is below 2e-6, and below 5e-5 where both functions jump, at any angle and
        for norms up to 1000 of functions that change over lengths of 1 or more, such as sin x and exp(−x²); those of
        sin 3x change over a third of that, so that they are as good up to a third of that norm.

    Raises
    ------
    DataError
        If `X` or `Y` is not a finite matrix, or a function has no finite value somewhere.
    SlowKernelError
        If so many rows have nearly the same direction that it would take minutes.

    Warns
    -----
    PrecisionWarning
        If the function changes too fast along the projections of nearly equal rows.
    """
    cosines, norms_X, norms_Y = map(to_host, pairwise_cosines(X, Y)[1:])
    return _expectations(f, g, norms_X, None if Y is None else norms_Y, cosines)


def activation_rho(rho: Any, f: Function, g: Function | None = None) -> np.ndarray:
    """Return E f(u) g(v) for standard normal u and v of correlation ρ; see :func:`activation`.

    Parameters
    ----------
    rho : float or array-like
        From −1 to 1; an excess of rounding size is clipped.
    """
    cosines = check_range("rho", rho, -1.0, 1.0, "a cosine")
    flat = cosines.reshape(1, -1)
    return _expectations(f, g, np.ones(1), np.ones(flat.shape[1]), flat).reshape(cosines.shape)


def _expectations(
    f: Function, g: Function | None, norms_X: np.ndarray, norms_Y: np.ndarray | None, cosines: np.ndarray
) -> np.ndarray:
    """Return E f(r u) g(s v) of all pairs of rows; without `norms_Y` they are the same on both sides."""
    one = f if isinstance(f, Integrated) else Integrated(f)
    other = one if g is None else g if isinstance(g, Integrated) else Integrated(g)
    left, right = _sides(one, other, norms_X, norms_Y)
    alone = left is right
    kernel = np.empty(cosines.shape)
    i, j = _wide(left, right, cosines, kernel, alone)
    if len(i):
        kernel[i, j] = values = _narrow(left, right, left.which[i], right.which[j], cosines[i, j])
        if alone:
            kernel[j, i] = values
    return kernel


def _sides(f: Integrated, g: Integrated, norms_X: np.ndarray, norms_Y: np.ndarray | None) -> tuple[_Side, _Side]:
    """Return the functions at the norms of either side, one object where both are the same.

    Raises
    ------
    DataError
        For a function that grows too fast.
    """
    longest = 0.0
    for reach in _REACHES:
        left = right = _Side(f, norms_X, reach)
        if norms_Y is not None or g is not f:
            right = _Side(g, norms_X if norms_Y is None else norms_Y, reach)
        if max(left.left_out, right.left_out) < _LEFT_OUT:
            return left, right
        longest = max(left.norms.max(), right.norms.max())
    raise DataError(
        f"A function grows so fast that its mean square over projections of a row of norm {longest:.3g} lies beyond "
        f"{_REACHES[-1]:g} standard deviations. Scale the rows down, or take a function that grows more slowly."
    )


class _Side(Sampled):
    """A function at the norms of the rows of one side.

    Attributes
    ----------
    coefficients : ndarray of shape (n_norms, n_terms)
        Of the Hermite polynomials.
    left_out : float
        The largest share of E f² near the ends of the samples.
    """

    def __init__(self, function: Integrated, norms: np.ndarray, reach: float) -> None:
        super().__init__(function, norms, reach)
        hermite, roots, ends = _weighted_hermite(reach)
        self.coefficients, self.left_out = np.empty((len(self.norms), hermite.shape[1])), 0.0
        for start in range(0, len(self.norms), _TILE):
            part = slice(start, start + _TILE)
            samples = self.samples(np.arange(len(self.norms))[part], len(hermite))
            self.coefficients[part] = samples @ hermite
            samples *= roots  # before they are squared, which the normal law may compensate for
            samples /= np.maximum(np.abs(samples).max(axis=1, keepdims=True), 1e-300)
            squares = np.square(samples, out=samples)
            shares = squares[:, ends].sum(axis=1) / np.maximum(squares.sum(axis=1), 1e-300)
            self.left_out = max(self.left_out, float(shares.max()))


@functools.lru_cache(maxsize=len(_REACHES))
def _weighted_hermite(reach: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return weights of samples in coefficients, a row each; roots of the normal law; and which lie near the ends."""
    count = round(_SAMPLES * reach / _REACHES[0])
    step = 2.0 * reach / count
    t = step * np.arange(count) - reach
    weights = step * np.exp(-0.5 * t * t) / math.sqrt(2.0 * math.pi)
    hermite = np.empty((1 + _terms(math.cos(WIDEST)), count))
    hermite[0], hermite[1] = 1.0, t
    for k in range(1, len(hermite) - 1):
        hermite[k + 1] = (t * hermite[k] - math.sqrt(k) * hermite[k - 1]) / math.sqrt(k + 1)
    return (hermite * weights).T, np.exp(-0.25 * t * t), np.abs(t) > 0.9 * reach


def _terms(rho: float) -> int:
    """Return the number of terms of the series that count at correlations up to `rho`."""
    return math.ceil(math.log(_TAIL) / math.log(rho)) if rho > 1e-300 else 0


# --- wide angles ------------------------------------------------------------------------------------------------------


def _wide(
    left: _Side, right: _Side, cosines: np.ndarray, kernel: np.ndarray, alone: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Write sums of the series to `kernel`; return the pairs at narrow angles, where they do not hold, each once."""
    (n, p), widest = cosines.shape, math.cos(WIDEST)

    def tile(corner: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        rows, columns = (slice(start, start + _TILE) for start in corner)
        rho = cosines[rows, columns]
        sizes = np.abs(rho)
        narrow = sizes > widest
        terms = 1 + _terms(float(np.max(sizes, initial=0.0, where=~narrow)))
        a, b = (side.coefficients[side.which[part], :terms].T for side, part in ((left, rows), (right, columns)))
        a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
        total, term = np.zeros_like(rho), np.empty_like(rho)
        for k in range(terms - 1, -1, -1):
            total *= rho
            total += np.multiply.outer(a[k], b[k], out=term)
        kernel[rows, columns] = total
        if alone:
            kernel[columns, rows] = total.T
            if corner[0] == corner[1]:
                narrow = np.triu(narrow)
        i, j = np.nonzero(narrow)
        return (i + corner[0]).astype(np.int32), (j + corner[1]).astype(np.int32)

    corners = [(i, j) for i in range(0, n, _TILE) for j in range(0, p, _TILE) if not alone or j >= i]
    with single_threaded_blas():
        found = list(map_ordered(tile, corners, worker_count() if n * p > _PARALLEL_FROM else 1))
    none = np.zeros(0, dtype=np.int32)
    i, j = (np.concatenate([none, *part]) for part in (zip(*found, strict=True) if found else ((), ())))
    return i, j


# --- narrow angles ----------------------------------------------------------------------------------------------------


def _narrow(left: _Side, right: _Side, a: np.ndarray, b: np.ndarray, cosines: np.ndarray) -> np.ndarray:
    """Return E f(r u) g(s v) of pairs of norms, at correlations near 1 or −1."""
    values, signs = np.empty(len(a)), np.where(cosines < 0, -1.0, 1.0)
    sizes = np.minimum(np.abs(cosines), 1.0)
    angles = np.where(sizes > 1.0 - 4 * _EPSILON, 0.0, np.arccos(sizes))
    same = (angles == 0.0) & (left.norms[a] == right.norms[b])
    for sign in (1.0, -1.0):
        chosen = np.flatnonzero(same & (signs == sign))
        if len(chosen):  # one variable, and the mean of a product
            rows, places = np.unique(a[chosen], return_inverse=True)
            product = Sampled(left.function.times(right.function, sign), left.norms[rows], left.reach)
            values[chosen] = product.means()[product.which[places]]
    others = np.flatnonzero(~same)
    values[others] = expectations(left, right, a[others], b[others], angles[others], signs[others])
    return values
