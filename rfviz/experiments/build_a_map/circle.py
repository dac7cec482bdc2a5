"""One frequency wraps the line onto the unit circle: Figure 1 of the notes on random features."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.experiments.build_a_map.compute import Built
from rfviz.words import number

__all__ = ["WrappedLine", "wrapped_line"]

_END = 3.0
#: The two points that are marked; their distance is 1.
MARKED = (0.0, 1.0)


@dataclass(frozen=True, eq=False)
class WrappedLine:
    """Points of the line, and where the two features of a frequency put them.

    Attributes
    ----------
    omega : float
    places : ndarray of shape (n,)
        Of the line, rising.
    kernel : float
        k(1) of the kernel that all frequencies average to.
    """

    omega: float
    places: np.ndarray
    kernel: float

    @property
    def circle(self) -> np.ndarray:
        """(cos ωx, sin ωx) of each place, shape (n, 2)."""
        return np.column_stack([np.cos(self.omega * self.places), np.sin(self.omega * self.places)])

    def to_frame(self) -> pd.DataFrame:
        """Return the places with their two features."""
        across, up = self.circle.T
        return pd.DataFrame({"x": self.places, "cos ωx": across, "sin ωx": up})

    def summary(self) -> str:
        """Return the picture in one sentence, as alternative text."""
        return (
            f"The line from −{_END:g} to {_END:g}, wrapped onto the unit circle by the frequency ω = "
            f"{number(self.omega)}."
        )

    def explanation(self) -> str:
        """Return what one sees, with its numbers."""
        angle = math.degrees(self.omega * (MARKED[1] - MARKED[0]))
        return (
            f"**One frequency ω = {number(self.omega)} wraps the line onto the unit circle**: x goes to "
            f"(cos ωx, sin ωx), once around every 2π ÷ ω = {number(2 * math.pi / self.omega)}. The two ringed points "
            f"are 1 apart and come to lie {number(angle)}° apart, so the inner product of their features is cos ω = "
            f"{number(math.cos(self.omega))}. The mean over all ω of the density is k(1) = {number(self.kernel)}."
        )


def wrapped_line(built: Built, omega: float) -> WrappedLine:
    """Wrap the line from −3 to 3 by one frequency of the map that was built from a density or a kernel."""
    return WrappedLine(omega, np.linspace(-_END, _END, 121), float(np.interp(1.0, built.places, built.exact)))
