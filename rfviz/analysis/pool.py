"""The pool of a map's first feature: its directions, and how far each point lies along them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rfviz.analysis.mapping import Points, points_for
from rfviz.features import FeatureMap, MapSpec, RandomMaxout

__all__ = ["Pool", "first_pool", "pool_of"]


@dataclass(frozen=True, eq=False)
class Pool:
    """The directions of one feature, of which the one that a point lies farthest along wins.

    Attributes
    ----------
    directions : ndarray of shape (q, r)
    points : ndarray of shape (n, r)
        In the coordinates of the directions.
    """

    directions: np.ndarray
    points: np.ndarray

    @property
    def projections(self) -> np.ndarray:
        """How far each point lies along each direction, times its length: an array of shape (n, q)."""
        return self.points @ self.directions.T


def first_pool(points: Points, spec: MapSpec[FeatureMap], n: int) -> Pool | None:
    """Return the pool of a map's first feature with the first `n` points, or None if the map has no pool."""
    feature_map = spec.resolve(points.original).make()
    return pool_of(points_for(feature_map, points), spec.resolve(points.original), n)


def pool_of(X: np.ndarray, spec: MapSpec[FeatureMap], n: int) -> Pool | None:
    """Return the pool of the first feature of a map that is fitted to `X`; see :func:`first_pool`.

    A map with fewer features has the first ones of a larger map, so that only one is drawn.
    """
    if spec.cls is not RandomMaxout:
        return None
    feature_map = spec.make(n_components=1).fit(X)
    assert isinstance(feature_map, RandomMaxout)
    directions, points = feature_map.weights_[:, 0], X[:n]
    return Pool(np.asarray(directions, dtype=np.float64), np.asarray(points, dtype=np.float64))
