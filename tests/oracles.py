"""Kernels and expectations from their definitions, by NumPy and SciPy alone: what the library is compared with."""

import itertools

import numpy as np
from scipy import integrate, special, stats

__all__ = [
    "angle_kernel",
    "cosines",
    "dual",
    "largest_moments",
    "largest_times_opposite",
    "mean_of",
    "pools",
    "relu_rho",
    "thresholded",
]

# Midpoints of a square that holds two normal variables; functions with kinks are integrated to 1e-4 of their size.
_HALF, _CELLS = 8.0, 801
_POINTS = (np.arange(_CELLS) + 0.5) * (2 * _HALF / _CELLS) - _HALF
_DENSITY = stats.norm.pdf(_POINTS) * (2 * _HALF / _CELLS)


def dual(f, covariance, g=None):
    """Return E f(a) g(b) for two normal variables of mean 0 with this covariance matrix."""
    (aa, ab), (_, bb) = covariance
    lower = ab / np.sqrt(aa)
    rest = np.sqrt(max(bb - lower**2, 0.0))
    first = f(np.sqrt(aa) * _POINTS) * _DENSITY
    second = (g or f)(lower * _POINTS[:, None] + rest * _POINTS[None, :]) @ _DENSITY
    return float(first @ second)


def mean_of(f):
    """Return E f(a) of a standard normal variable."""
    return integrate.quad(lambda a: f(a) * stats.norm.pdf(a), -12, 12, points=[0.0], limit=200, epsabs=1e-13)[0]


def cosines(X, Z):
    """Return the cosines of all pairs of rows; 0 for a row of zeros."""
    return np.array([[x @ z / (np.sqrt((x @ x) * (z @ z)) or 1.0) for z in Z] for x in X])


def angle_kernel(function, X):
    """Return ‖x‖‖z‖ f(cosine) of all pairs of rows."""
    lengths = np.linalg.norm(X, axis=1)
    values = [[function(round(rho, 12)) for rho in row] for row in np.clip(cosines(X, X), -1.0, 1.0)]
    return np.outer(lengths, lengths) * np.array(values)


def thresholded(rho, threshold, power=1):
    """Return E h(a) h(b) for normal a, b of correlation ρ, with h(a) the given power of (a − threshold)⁺."""
    spread = np.sqrt(max(1.0 - rho * rho, 1e-18))

    def given(a):
        gap = (rho * a - threshold) / spread
        above = special.ndtr(gap) if power == 0 else spread * (stats.norm.pdf(gap) + gap * special.ndtr(gap))
        return (a - threshold) ** power * above * stats.norm.pdf(a)

    middle = threshold / rho if rho > 0 else threshold + 1.0
    ends = sorted({threshold, max(middle, threshold), threshold + 13.0})
    pieces = itertools.pairwise(ends)
    return sum(integrate.quad(given, low, high, epsabs=1e-13, limit=400)[0] for low, high in pieces)


def relu_rho(rho):
    """Return 2 E max(0, a) max(0, b)."""
    return 2.0 * thresholded(rho, 0.0)


def largest_moments(q):
    """Return E M and E M² of the largest of q standard normal variables."""

    def moment(power):
        return mean_of(lambda a: a**power * q * special.ndtr(a) ** (q - 1))

    return moment(1), moment(2)


def largest_times_opposite(q):
    """Return E M M', M the largest of q standard normal variables and M' that of their opposites: −E max · min."""
    if q == 1:
        return -1.0
    low, high = _POINTS[:, None], _POINTS[None, :]
    between = np.maximum(special.ndtr(high) - special.ndtr(low), 0.0) ** (q - 2) * np.heaviside(high - low, 0.5)
    return -q * (q - 1) * float((_DENSITY * _POINTS) @ between @ (_DENSITY * _POINTS))


def pools(rho, q, n=400_000, seed=0):
    """Draw q standard normal variables and their partners of correlation ρ, n times."""
    generator = np.random.default_rng(seed)
    one, other = generator.standard_normal((2, n, q))
    return one, rho * one + np.sqrt(1.0 - rho * rho) * other
