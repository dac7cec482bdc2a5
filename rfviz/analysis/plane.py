"""A plane through the space of the inputs, cut into cells at which classifiers predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz.errors import DataError
from rfviz.inputs import as_rows

__all__ = ["RESOLUTION", "Plane", "plane_of"]

RESOLUTION = 200
# Room around the outermost points, as a share of their range.
_ROOM = 0.12


@dataclass(frozen=True, eq=False)
class Plane:
    """A square piece of a plane.

    Attributes
    ----------
    origin : ndarray of shape (d,), float64
        The point with the coordinates (0, 0).
    axes : ndarray of shape (2, d), float64
        Orthonormal directions across and up.
    x, y : (low, high)
        Where the piece begins and ends; both ranges have the same length.
    explained : float
        Share of the variance of the points that lies in the plane; 1 where the points lie in it themselves.
    """

    origin: np.ndarray
    axes: np.ndarray
    x: tuple[float, float]
    y: tuple[float, float]
    explained: float

    @property
    def is_slice(self) -> bool:
        """Return whether the plane is only a slice of the space: points project onto it, and lie elsewhere."""
        return len(self.origin) > 2

    def ticks(self, resolution: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the coordinates of the middles of the cells across and up, each of shape (resolution,)."""
        steps = (np.arange(resolution) + 0.5) / resolution
        return self.x[0] + steps * (self.x[1] - self.x[0]), self.y[0] + steps * (self.y[1] - self.y[0])

    def grid(self, resolution: int = RESOLUTION) -> np.ndarray:
        """Return the middles of all cells as points of the input space, row by row, the lowest row first.

        Returns
        -------
        ndarray of shape (resolution², d), float32
        """
        across, up = self.ticks(resolution)
        rows = self.origin + up[:, None, None] * self.axes[1] + across[None, :, None] * self.axes[0]
        return rows.reshape(resolution**2, -1).astype(np.float32)

    def project(self, X: np.ndarray) -> np.ndarray:
        """Return the coordinates of the points of the plane that are nearest to the rows of `X`, shape (n, 2)."""
        return (np.asarray(X, dtype=np.float64) - self.origin) @ self.axes.T


def plane_of(X: Any) -> Plane:
    """Return the plane itself for two columns, else that of the first two principal components through the mean.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The training points; all lie, projected, inside the piece, with a little room around them.

    Raises
    ------
    DataError
        For data with a single column, or without two directions in which they vary, or of anything but finite numbers.
    """
    X = as_rows(X).astype(np.float64, copy=False)
    if X.shape[1] < 2:
        raise DataError("A decision surface needs at least two columns; these data have one. Choose other data.")
    if X.shape[1] == 2:
        origin, axes, explained = np.zeros(2), np.eye(2), 1.0
    else:
        origin = X.mean(axis=0)
        _, lengths, axes = np.linalg.svd(X - origin, full_matrices=False)
        if len(lengths) < 2 or lengths[1] <= 1e-9 * max(lengths[0], 1e-300):
            raise DataError("The points vary in less than two directions, so they span no plane. Choose other data.")
        # A component may point either way; this one looks to where its largest entry is positive.
        axes = axes[:2] * np.sign(axes[:2][np.arange(2), np.abs(axes[:2]).argmax(axis=1)])[:, None]
        explained = float((lengths[:2] ** 2).sum() / (lengths**2).sum())
    low, high = _range((X - origin) @ axes.T)
    return Plane(origin, axes, (low[0], high[0]), (low[1], high[1]), explained)


def _range(coordinates: np.ndarray) -> tuple[list[float], list[float]]:
    """Return the corners of the square that holds all points, so that a circle is seen as one."""
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    half = max(float((high - low).max()), 1e-6) * (0.5 + _ROOM)
    middle = 0.5 * (low + high)
    return (middle - half).tolist(), (middle + half).tolist()
