"""Points to be hashed, with their exact neighbours and a sample of pairs, and their codes."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from rfviz.analysis.mapping import points_for
from rfviz.analysis.points import normalise, span_coordinates
from rfviz.backend import check_memory
from rfviz.datasets import Dataset
from rfviz.errors import DataError, ParameterError
from rfviz.features import FeatureMap, HashingMap, MapSpec, registry
from rfviz.features.draws import uniform
from rfviz.features.hashing import code_dtype, row_angles
from rfviz.params import Param
from rfviz.progress import Progress, silent

__all__ = [
    "MAX_POINTS",
    "METRIC",
    "NEIGHBOURS",
    "HashPoints",
    "exact_neighbours",
    "exact_order",
    "hash_codes",
    "hash_titles",
    "make_hash",
    "prepare_hash_points",
    "query_rows",
]

METRIC = Param(
    "metric",
    "cosine",
    "choice",
    choices=("cosine", "euclidean"),
    label="Exact distance",
    help="What counts as near: the angle (cosine) or the Euclidean distance. At unit norm both agree.",
)
MAX_POINTS = 5000
#: Neighbours of each query that are known, at most.
NEIGHBOURS = 50
_QUERIES, _PAIRS = 200, 10_000
# Multiply-adds between two reports of progress: a fifth of a second or so.
_STEP = 4_000_000_000
# Numbers of the rows of pairs that are gathered at once.
_GATHER = 1_000_000
# Bits of a symbol beyond which it is a name, and no number to look at.
_SMALL = 32


@dataclass(frozen=True, eq=False)
class HashPoints:
    """Points with their exact neighbours and a sample of pairs: constant while a slider moves.

    Attributes
    ----------
    name : str
        The data set.
    original : ndarray of shape (n, n_features)
        The normalised points.
    coordinates : ndarray of shape (n, r)
        The same in a basis of their span, for maps that do not mind a rotation.
    metric : {"cosine", "euclidean"}
    queries : ndarray of shape (n_queries,)
        Rows that are searched for.
    neighbours : ndarray of shape (n_queries, k)
        Exact nearest rows of each query but itself, nearest first; by scikit-learn.
    seconds : float
        Of that search, per query.
    near, far : ndarray of shape (n_pairs, 2)
        Pairs of rows: queries with their neighbours, and all pairs, or pairs drawn at random where there are many.
    """

    name: str
    original: np.ndarray
    coordinates: np.ndarray
    metric: str
    queries: np.ndarray
    neighbours: np.ndarray
    seconds: float
    near: np.ndarray
    far: np.ndarray

    @property
    def bytes_per_point(self) -> int:
        """Memory that exact search needs per point, in float32."""
        return 4 * self.original.shape[1]

    @functools.cached_property
    def pairs(self) -> np.ndarray:
        """Both kinds of pairs, far ones first."""
        return np.vstack([self.far, self.near])

    @functools.cached_property
    def distinct(self) -> np.ndarray:
        """Places in `pairs` that hold each pair of rows once, whichever row comes first."""
        low, high = self.pairs.min(axis=1), self.pairs.max(axis=1)
        return np.sort(np.unique(low * len(self.original) + high, return_index=True)[1])

    @functools.cached_property
    def angles(self) -> np.ndarray:
        """Angle in degrees of each of `pairs`."""
        return self._over_pairs(row_angles, self.coordinates)  # the same in any basis

    def measured(self, measure: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
        """Return the distance of each of `pairs` by the measure of a law; angles are cached."""
        if measure is row_angles:
            return self.angles
        return self._over_pairs(measure, self.original)

    def _over_pairs(self, measure: Callable[[np.ndarray, np.ndarray], np.ndarray], X: np.ndarray) -> np.ndarray:
        step = max(_GATHER // X.shape[1], 1)
        parts = (self.pairs[start : start + step] for start in range(0, len(self.pairs), step))
        return np.concatenate([measure(X[part[:, 0]], X[part[:, 1]]) for part in parts])


def hash_titles() -> dict[str, str]:
    """Return what the feature maps that are hashes are called as such, by the names of their classes."""
    return {name: cls.hash_label or cls.label for name, cls in registry().items() if issubclass(cls, HashingMap)}


@functools.cache
def query_rows(n: int) -> np.ndarray:
    """Return the rows of `n` points that are searched for, in rising order: some, chosen at random."""
    rows = np.sort(np.argsort(uniform(0, 0, 1.0, np.empty((n, 1)))[:, 0], kind="stable")[:_QUERIES])
    rows.flags.writeable = False
    return rows


def prepare_hash_points(
    dataset: Dataset, how: str, metric: str = "cosine", max_points: int = MAX_POINTS, progress: Progress = silent
) -> HashPoints:
    """Normalise the first points, search the exact neighbours of some of them, and draw pairs.

    Parameters
    ----------
    how : str
        See :func:`rfviz.analysis.points.normalise`.
    metric : {"cosine", "euclidean"}
        By which points are near.

    Raises
    ------
    DataError
        For fewer than five points, or rows of zeros where the angle counts.
    MemoryBudgetError
        If the distances of the search would not fit.
    """
    metric = METRIC.validate(metric)
    X = normalise(dataset.X[:max_points], how)
    n = len(X)
    if n < 5:
        raise DataError(f"Searching for neighbours needs at least 5 points; {dataset.name} has {n}. Take more points.")
    if metric == "cosine" and not np.linalg.norm(X, axis=1).all():
        raise DataError("A row of zeros has no angle to the others. Choose the Euclidean distance, or other data.")
    check_memory(3 * 8 * min(n, _QUERIES) * n, "cpu", f"Distances to {n} points", "Choose fewer points.")
    progress(0.1, f"Searching the neighbours among {n:,} points")
    queries = query_rows(n)
    neighbours, seconds = exact_neighbours(X, queries, min(NEIGHBOURS, n - 1), metric)
    near = np.column_stack([np.repeat(queries, neighbours.shape[1]), neighbours.ravel()])
    return HashPoints(dataset.name, X, span_coordinates(X), metric, queries, neighbours, seconds, near, _far_pairs(n))


def _far_pairs(n: int) -> np.ndarray:
    """Return all pairs of n rows, or random ones where there are too many."""
    if n * (n - 1) // 2 <= _PAIRS:
        return np.column_stack(np.triu_indices(n, 1))
    drawn = (uniform(0, 1, 1.0, np.empty((_PAIRS, 2))) * (n, n - 1)).astype(np.int64)
    drawn[:, 1] += drawn[:, 1] >= drawn[:, 0]  # two different rows
    return drawn


def exact_neighbours(X: np.ndarray, queries: np.ndarray, k: int, metric: str) -> tuple[np.ndarray, float]:
    """Return the `k` nearest rows of each query but itself, by brute force, and the seconds per query.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    queries : ndarray of int, shape (n_queries,)
        Rows of `X`.
    k : int
        Below n.
    metric : {"cosine", "euclidean"}

    Returns
    -------
    neighbours : ndarray of int, shape (n_queries, k)
        Rows of `X`, the nearest first.
    seconds : float
    """
    X = X.astype(np.float32)
    search = NearestNeighbors(n_neighbors=k + 1, algorithm="brute", metric=metric).fit(X)
    started = time.perf_counter()
    found = search.kneighbors(X[queries], return_distance=False)
    seconds = (time.perf_counter() - started) / len(queries)
    other = found != queries[:, None]
    other[other.all(axis=1), -1] = False  # a query among its equals may not have found itself
    return found[other].reshape(len(queries), k), seconds


def exact_order(points: HashPoints, row: int, k: int) -> np.ndarray:
    """Return the `k` exact nearest rows of one, nearest first."""
    X, x = points.original, points.original[row]
    if points.metric == "cosine":
        norms = np.linalg.norm(X, axis=1)
        apart = 1.0 - (X @ x) / (norms * norms[row])
    else:
        apart = np.linalg.norm(X - x, axis=1)
    apart[row] = np.inf
    return np.argsort(apart, kind="stable")[:k]


def make_hash(points: HashPoints, spec: MapSpec[FeatureMap]) -> Any:
    """Make the map and fit it on these points.

    Raises
    ------
    ParameterError
        For a map that is not a hash, or a parameter that breaks its rule.
    """
    if not issubclass(spec.cls, HashingMap):
        known = ", ".join(hash_titles())
        raise ParameterError("feature map", "must be a hash", spec.cls.__name__, f"Choose one of {known}.")
    hashing_map = spec.resolve(points.original).make()
    return hashing_map.fit(points_for(hashing_map, points))


def hash_codes(points: HashPoints, spec: MapSpec[FeatureMap], progress: Progress = silent) -> np.ndarray:
    """Return the codes of all points, shape (n, m), computed in steps between which `progress` can stop it.

    Where symbols are 64-bit numbers (boxes of random binning), those that occur are numbered from 0, place by place:
    equal symbols stay equal, and are small.

    Raises
    ------
    ParameterError
        For a map that is not a hash, or a parameter that breaks its rule.
    MemoryBudgetError
        If the codes would not fit.
    """
    progress(0.0, "Drawing the hash functions")
    hashing_map = make_hash(points, spec)
    X, m, bits = points_for(hashing_map, points), hashing_map.n_components, hashing_map.symbol_bits
    what = f"Codes of {len(X)} points with {m} symbols"
    check_memory(len(X) * m * ((bits + 7) // 8), "cpu", what, "Choose shorter codes or fewer points.")
    codes = np.empty((len(X), m), code_dtype(1 << bits) if bits <= _SMALL else np.int64)
    rows = max(int(_STEP // max(hashing_map.multiply_adds(1, X.shape[1]), 1)), 16)
    for start in range(0, len(X), rows):
        progress(start / len(X), f"Hashing {len(X):,} points into {m:,} symbols")
        codes[start : start + rows] = hashing_map.codes(X[start : start + rows])
    return codes if bits <= _SMALL else _number_symbols(codes)


def _number_symbols(codes: np.ndarray) -> np.ndarray:
    small = np.empty(codes.shape, code_dtype(len(codes)))
    for place in range(codes.shape[1]):
        small[:, place] = np.unique(codes[:, place], return_inverse=True)[1]
    return small
