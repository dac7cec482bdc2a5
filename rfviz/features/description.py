"""Descriptions of a feature map: its look in charts, its laws over draws, and one feature step by step."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = [
    "BY_COLUMN",
    "NO_SPREAD",
    "DistanceLaw",
    "Look",
    "ProductLaw",
    "Step",
    "number",
    "pool_steps",
    "projection_step",
    "scaled_step",
]

#: The reason why a feature map has no :class:`DistanceLaw` if its kernel does not depend on the distance alone.
BY_COLUMN = (
    "This kernel looks at the columns one by one, so that points at one distance have many kernels: there is no single "
    "curve."
)
#: The same, where the mean may be such a function, but the variance has not been worked out.
NO_SPREAD = "How much the features of this map scatter has not been worked out, so there is no exact band."
# Terms of a sum that are written out.
_TERMS = 3


@dataclass(frozen=True)
class Look:
    """Colour, dash and symbol of the curves of a feature map, the same in every chart.

    Attributes
    ----------
    colour : str
        Hexadecimal; a contrast of at least 3:1 on a light and on a dark background, and apart from that of every other
        map. The maxout family is blue to violet, the products are pink, and their baseline brown.
    dash, symbol : str
        Plotly's names. No two maps share a symbol, so that no distinction rests on colour alone.
    """

    colour: str
    dash: str
    symbol: str


Curve = Callable[[np.ndarray], np.ndarray]
Moments = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class DistanceLaw:
    """Mean and variance of ‖Φ(x) − Φ(z)‖² over draws of the map, given ‖x − z‖.

    Attributes
    ----------
    moments : callable
        Input distances, shape (k,), to the mean and the variance of the squared embedded distance at this map's number
        of features, each of shape (k,). The mean is k(x,x) + k(z,z) − 2k(x,z).
    slope : float
        Limit of embedded over input distance where the latter goes to zero.
    plateau : float or None
        Largest expected embedded distance, or None if it grows without bound.
    max_distance : float
        Largest input distance the law speaks of: 2 on the unit sphere, infinite for a kernel on all of space.
    unit_norm : bool
        Whether the law holds for unit vectors only.
    as_printed : callable or None
        The curve that follows from the paper's formula, where that is known to be wrong.
    """

    moments: Moments
    slope: float
    plateau: float | None
    max_distance: float
    unit_norm: bool
    as_printed: Curve | None = None

    def band(self, distance: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the expected curve and one standard deviation either side: root of the squared mean ± s.d.

        Parameters
        ----------
        distance : ndarray of shape (k,)
            Input distances.

        Returns
        -------
        mean, low, high : ndarray of shape (k,)
            √μ, √max(μ − s, 0) and √(μ + s), with μ and s² the mean and variance of the squared distance.
        """
        mean, variance = self.moments(distance)
        deviation = np.sqrt(np.maximum(variance, 0.0))
        return np.sqrt(np.maximum(mean, 0.0)), np.sqrt(np.maximum(mean - deviation, 0.0)), np.sqrt(mean + deviation)

    def saturation_radius(self, share: float = 0.9) -> float | None:
        """Return the input distance where the embedded one reaches `share` of its plateau; None without one."""
        if self.plateau is None:
            return None
        high = self.max_distance
        if not np.isfinite(high):
            high = 1.0
            while self._expected(np.array([high]))[0] < share * self.plateau:
                high *= 2.0
        low = 0.0
        # The expected distance grows with the input distance for every stationary or maxout kernel, so bisect, sixteen
        # ways at a time because the curves are vectorised.
        for _ in range(12):
            grid = np.linspace(low, high, 17)
            reached = self._expected(grid) >= share * self.plateau
            first = int(np.argmax(reached)) if reached.any() else 16
            low, high = grid[max(first - 1, 0)], grid[first]
        return float(0.5 * (low + high))

    def _expected(self, distance: np.ndarray) -> np.ndarray:
        return np.sqrt(np.maximum(self.moments(distance)[0], 0.0))


@dataclass(frozen=True)
class ProductLaw:
    """The error of the kernel estimate ⟨Φ(x), Φ(z)⟩ over draws of the map, for all pairs of n given points.

    Attributes
    ----------
    variance : callable
        Number of features m to the exact variance of the estimate, shape (n, n). NaN where it is not known: for an odd
        number of paired Fourier features of an orthogonal draw, unless the last cosine begins a block.
    bias : callable or None
        m to the exact mean of the estimate less the kernel, shape (n, n), or None if that is zero for every m.
    bound : callable or None
        ``bound(m, probability)``: a half-width, a float or of shape (n, n), that the absolute error of any one pair
        exceeds with at most that probability, whatever the points; None if no bound with explicit constants is known.
    bound_name : str
        What the bound is called: ``"Hoeffding"``.
    """

    variance: Callable[[int], np.ndarray]
    bias: Callable[[int], np.ndarray] | None = None
    bound: Callable[[int, float], np.ndarray | float] | None = None
    bound_name: str = ""


@dataclass(frozen=True)
class Step:
    """One step of a computation.

    Attributes
    ----------
    words : str
        The operation, in one sentence.
    latex : str
        The same with the numbers of the point, without dollar signs.
    value : float
        What it gives.
    competes : bool
        Whether its value is one of a pool from which a later step chooses.
    wins : bool
        Whether it is the one that is chosen.
    weights : tuple of float
        Of a projection.
    """

    words: str
    latex: str
    value: float
    competes: bool = False
    wins: bool = False
    weights: tuple[float, ...] = ()


def number(value: float) -> str:
    """Return a number in LaTeX with four digits, without an exponent in letters."""
    text = f"{value:.4g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    return rf"{mantissa}\cdot10^{{{int(exponent)}}}"


def projection_step(
    w: np.ndarray, x: np.ndarray, name: str, offset: float = 0.0, competes: bool = False, wins: bool = False
) -> Step:
    """Return the step ⟨w, x⟩ + offset; of long sums the largest terms are written out.

    Parameters
    ----------
    w, x : ndarray of shape (n_features,)
    name : str
        The left side in LaTeX.
    offset : float
    competes, wins : bool
    """
    w, x = w.astype(np.float64), x.astype(np.float64)
    value = float(w @ x) + offset
    chosen = np.sort(np.argsort(-np.abs(w * x), kind="stable")[:_TERMS])
    terms = [_product(float(w[j]), float(x[j])) for j in chosen]
    if len(w) > _TERMS:
        terms.append(rf"\dots\text{{ ({len(w) - _TERMS:,} more)}}")
    if offset:
        terms.append(_signed(offset))
    what = "Multiply each coordinate of the point by its random weight, and add up."
    return Step(what, f"{name}={'+'.join(terms)}={number(value)}", value, competes, wins, tuple(w.tolist()))


def scaled_step(
    scale: float,
    value: float,
    words: str = "Scale the feature, so that products of features add up to the estimate of the kernel.",
) -> Step:
    """Return the last step: the scale of a feature in the map times its value."""
    found = scale * value
    return Step(words, rf"\Phi_\ell={number(scale)}\cdot {_signed(value)}={number(found)}", found)


def pool_steps(weights: np.ndarray, x: np.ndarray) -> list[Step]:
    """Return the projections of a pool, of shape (pool_size, n_features), and which of them is the largest."""
    values = [float(w.astype(np.float64) @ x.astype(np.float64)) for w in weights]
    best = int(np.argmax(values))
    steps = [
        projection_step(w, x, rf"\langle w_{{{j + 1}}},x\rangle", competes=True, wins=j == best)
        for j, w in enumerate(weights)
    ]
    latex = rf"\max_{{j\le {len(values)}}}\langle w_j,x\rangle=\langle w_{{{best + 1}}},x\rangle={number(values[best])}"
    return [*steps, Step(f"The largest wins: projection {best + 1}.", latex, values[best])]


def _product(one: float, other: float) -> str:
    return rf"{_signed(one)}\cdot {_signed(other)}"


def _signed(value: float) -> str:
    return f"({number(value)})" if math.copysign(1.0, value) < 0 else number(value)
