"""Laws over draws of a feature map: of the distances that it maps to, and of the error of its kernel estimate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["BY_COLUMN", "NO_SPREAD", "DistanceLaw", "ProductLaw"]

#: The reason why a feature map has no :class:`DistanceLaw`, where its kernel is no function of the distance.
BY_COLUMN = (
    "This kernel looks at the columns one by one, so that points at one distance have many kernels: there is no single "
    "curve."
)
#: The same, where the mean may be such a function, but the variance has not been worked out.
NO_SPREAD = "How much the features of this map scatter has not been worked out, so there is no exact band."

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
        Largest expected embedded distance; None where it grows without bound.
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
        m to the exact mean of the estimate less the kernel, shape (n, n); None where that is zero for every m.
    bound : callable or None
        ``bound(m, probability)``: a half-width, a float or of shape (n, n), that the absolute error of any one pair
        exceeds with at most that probability, whatever the points; None where none with explicit constants is known.
    bound_name : str
        What the bound is called: ``"Hoeffding"``.
    """

    variance: Callable[[int], np.ndarray]
    bias: Callable[[int], np.ndarray] | None = None
    bound: Callable[[int, float], np.ndarray | float] | None = None
    bound_name: str = ""
