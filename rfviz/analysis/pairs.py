"""Points with the distances of all their pairs: what does not change while a slider moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rfviz.analysis.points import normalise, span_coordinates, squared_distances
from rfviz.backend import check_memory
from rfviz.datasets.base import Dataset
from rfviz.errors import DataError

__all__ = ["MAX_POINTS", "PointPairs", "prepare_pairs"]

MAX_POINTS = 2000
_CURVE_POINTS = 201


@dataclass(frozen=True, eq=False)
class PointPairs:
    """Points with the distances of all their pairs: what does not change while a slider moves.

    Attributes
    ----------
    name : str
        The data set.
    coordinates : ndarray of shape (n, r)
        The normalised points in a basis of their span, for maps that do not mind a rotation.
    original : ndarray of shape (n, n_features)
        The normalised points.
    distance : ndarray of shape (n(n − 1)/2,)
        Distance of each pair i < j.
    unit_norm : bool
        Whether every point has norm one.
    """

    name: str
    coordinates: np.ndarray
    original: np.ndarray
    distance: np.ndarray
    unit_norm: bool

    @property
    def reach(self) -> float:
        """Where the axis of input distances ends."""
        return 2.0 if self.unit_norm else float(self.distance.max())

    @property
    def grid(self) -> np.ndarray:
        """Input distances at which exact curves are given."""
        return np.linspace(0.0, self.reach, _CURVE_POINTS)


def prepare_pairs(dataset: Dataset, how: str, max_points: int = MAX_POINTS) -> PointPairs:
    """Normalise the first `max_points` points and measure the distance of all their pairs.

    Parameters
    ----------
    dataset : Dataset
    how : str
        See :func:`rfviz.analysis.points.normalise`.
    max_points : int

    Raises
    ------
    DataError
        For fewer than three points, or points that are all equal.
    """
    X = normalise(dataset.X[:max_points], how)
    if len(X) < 3:
        raise DataError(f"Distances of pairs need at least 3 points; {dataset.name} has {len(X)}. Choose more points.")
    check_memory(5 * 8 * len(X) ** 2, "cpu", f"All pairs of {len(X)} points", "Choose fewer points.")
    coordinates = span_coordinates(X)
    centred = coordinates - coordinates.mean(axis=0)
    distance = np.sqrt(squared_distances(centred @ centred.T))
    if not distance.max() > 0:
        raise DataError(f"All {len(X)} points of {dataset.name} are equal under normalise={how!r}. Choose other data.")
    unit_norm = bool(np.allclose(np.linalg.norm(X, axis=1), 1.0, rtol=0, atol=1e-5))
    return PointPairs(dataset.name, coordinates, X, distance, unit_norm)
