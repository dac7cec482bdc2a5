"""A mixture of maps: boxes of random grids and waves side by side, whose kernel is the mixture of both kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.experiments.binning.compute import PlaneGrids, SharedBoxes
from rfviz.features import RandomFourier

__all__ = ["MixedMaps", "mixed_maps"]


@dataclass(frozen=True, eq=False)
class MixedMaps:
    """The estimate of a mixture of two kernels around one point.

    Attributes
    ----------
    share : float
        a of the features (√a · boxes, √(1 − a) · waves).
    boxes : SharedBoxes
    waves, waves_exact : ndarray of shape (121, 121)
        The estimate by P waves, a cosine and a sine each, and the Gaussian kernel; rows go up.
    """

    share: float
    boxes: SharedBoxes
    waves: np.ndarray
    waves_exact: np.ndarray

    @property
    def estimate(self) -> np.ndarray:
        """The inner product of both parts, shape (121, 121)."""
        return self.share * self.boxes.estimate + (1.0 - self.share) * self.waves

    @property
    def exact(self) -> np.ndarray:
        """The mixture of both kernels, shape (121, 121)."""
        return self.share * self.boxes.exact + (1.0 - self.share) * self.waves_exact

    @property
    def error(self) -> float:
        """Root mean square over the picture of (estimate − exact)."""
        return float(np.sqrt(np.mean((self.estimate - self.exact) ** 2)))

    def expected(self, share: float) -> float:
        """Return the root mean square error over draws with this share of boxes: the draws are independent."""
        k, of_boxes = self.waves_exact, self.boxes.exact
        variance = share**2 * of_boxes * (1.0 - of_boxes) + (1.0 - share) ** 2 * (1.0 + k**4 - 2.0 * k**2) / 2.0
        return float(np.sqrt(np.mean(variance) / self.boxes.n_repetitions))

    def to_frame(self, grids: PlaneGrids) -> pd.DataFrame:
        """Return the middle of each cell of the picture, with the mixture's kernel, estimated and exact."""
        x, y = np.meshgrid(*grids.axes)
        return pd.DataFrame(
            {"x₁": x.ravel(), "x₂": y.ravel(), "estimate": self.estimate.ravel(), "exact": self.exact.ravel()}
        )


def mixed_maps(grids: PlaneGrids, boxes: SharedBoxes, share: float) -> MixedMaps:
    """Draw as many waves as there are grids, and mix both estimates around the same point.

    Parameters
    ----------
    share : float
        Of the boxes' kernel, from 0 to 1.
    """
    gamma, point = float(grids.feature_map.gamma_), grids.points[boxes.row]
    seed = int(grids.feature_map.seed_) % 2**31
    drawn = RandomFourier(2 * boxes.n_repetitions, gamma=gamma, random_state=seed, device="cpu").fit(grids.points)
    frequencies = np.asarray(drawn.frequencies_, dtype=np.float64).reshape(-1, 2)
    # cos(ω·δ) = cos(ω₁δ₁) cos(ω₂δ₂) − sin(ω₁δ₁) sin(ω₂δ₂): products of two small matrices.
    across, up = (
        np.outer(frequencies[:, j], axis - value) for j, (axis, value) in enumerate(zip(grids.axes, point, strict=True))
    )
    waves = (np.cos(up).T @ np.cos(across) - np.sin(up).T @ np.sin(across)) / len(frequencies)
    squares = np.add.outer((grids.axes[1] - point[1]) ** 2, (grids.axes[0] - point[0]) ** 2)
    return MixedMaps(share, boxes, waves, np.exp(-gamma * squares))
