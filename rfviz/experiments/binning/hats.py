"""A mixture of hats of one's own: the density of the pitches, and the kernel that it makes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.features.binning import OwnHats, pitch_law
from rfviz.words import number, per_cent

__all__ = ["SEEN", "HatsView", "hats_view"]

#: The part of both axes that is drawn, at γ = 1.
SEEN = 6.0


@dataclass(frozen=True, eq=False)
class HatsView:
    """The density of the pitches, and the kernel of one column, at γ = 1.

    Attributes
    ----------
    density : str
        Its formula.
    pitches, masses : ndarray of shape (n,)
    distances, kernel : ndarray of shape (k,)
    """

    density: str
    pitches: np.ndarray
    masses: np.ndarray
    distances: np.ndarray
    kernel: np.ndarray

    @property
    def heights(self) -> np.ndarray:
        """The density at each pitch, as a share of its largest value."""
        return self.masses / self.masses.max()

    @property
    def at_one(self) -> float:
        """The kernel at distance 1."""
        return float(np.interp(1.0, self.distances, self.kernel))

    def density_frame(self) -> pd.DataFrame:
        """Return the density, as a share of its largest value, one row a pitch."""
        return pd.DataFrame({"pitch": self.pitches, "density": self.heights})

    def kernel_frame(self) -> pd.DataFrame:
        """Return the kernel of one column, one row a distance."""
        return pd.DataFrame({"distance": self.distances, "kernel": self.kernel})

    def explanation(self) -> str:
        """Return what one sees, with its numbers."""
        mean = float(self.masses @ self.pitches)
        wide = float(self.masses[self.pitches > 1.0].sum())
        return (
            f"Pitches of this density (mean {number(mean)} at γ = 1) make the kernel "
            r"$k(t)=\int\max(0,1-t/\delta)\,p(\delta)\,d\delta$: "
            f"two numbers that are 1 apart share a bin with probability {number(self.at_one)}. That takes a pitch "
            f"above 1, which {per_cent(wide)} of the pitches are."
        )


def hats_view(density: str) -> HatsView:
    """Return the mixture of hats that a density of pitches makes."""
    pitches, masses = pitch_law(density)
    distances = np.linspace(0.0, SEEN, 241)
    return HatsView(density, pitches, masses, distances, OwnHats(density).value(distances))
