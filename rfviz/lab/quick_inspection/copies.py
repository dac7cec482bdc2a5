"""Equal and nearly equal rows: hash codes give candidates, distances decide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.datasets import Dataset
from rfviz.features import RandomBinning
from rfviz.features.draws import generator
from rfviz.lab.quick_inspection.neighbours import NeighbourResult
from rfviz.lab.quick_inspection.sample import Sample

__all__ = ["CopyResult", "NearCopyResult", "exact_copies", "near_copies", "near_distance"]

_HASH_CELLS = 20_000_000
# Of points strewn at random, the share that may have a neighbour this near by chance.
_BY_CHANCE = 1e-3
_LARGEST_SHARE = 0.1
_REPETITIONS = 16
_MOST_CANDIDATES = 2_000_000
# The median of the volume that holds five points, in units of the mean volume of one: the median of a Gamma(5) law.
_FIVE = 4.670909


@dataclass(frozen=True, eq=False)
class CopyResult:
    """Rows of a whole data set that are equal in every column.

    Attributes
    ----------
    group : ndarray of shape (n,), int
        The group of equal rows that each row belongs to.
    n_extra : int
        Rows that repeat an earlier one: the rows less the groups.
    n_conflicting : int
        Rows in groups whose labels differ.
    n_across : int
        Test rows with an exact copy among the training rows, where the data have a split.
    largest : int
        Rows in the largest group.
    """

    group: np.ndarray
    n_extra: int
    n_conflicting: int
    n_across: int
    largest: int

    def to_frame(self, most: int = 10) -> pd.DataFrame:
        """Return the largest groups: how many rows, and the first of them, counted from 1."""
        counts = np.bincount(self.group)
        order = [g for g in np.argsort(-counts, kind="stable")[:most] if counts[g] > 1]
        members = [(np.flatnonzero(self.group == g)[:6] + 1).tolist() for g in order]
        return pd.DataFrame({"equal rows": counts[order], "rows": [", ".join(map(str, m)) for m in members]})


@dataclass(frozen=True, eq=False)
class NearCopyResult:
    """Pairs of rows that are nearer than chance would have them, but not equal.

    Attributes
    ----------
    pairs : ndarray of shape (n_pairs, 2), int
        Rows of the data set, nearest pair first.
    distance : ndarray of shape (n_pairs,)
    threshold : float
        Distance up to which a pair counts.
    n_rows : int
        Rows that were hashed.
    n_near : int
        Rows in at least one of the pairs.
    n_candidates : int
        Pairs that shared a code, so that their distance was measured.
    n_all : int
        Pairs that an exact search would measure.
    recall_bound : float
        Chance, at least, that a pair at the threshold is found.
    n_known, n_found : int
        Pairs of nearest neighbours within the threshold that the exact search of a sample knows, and those that hashing
        found.
    """

    pairs: np.ndarray
    distance: np.ndarray
    threshold: float
    n_rows: int
    n_near: int
    n_candidates: int
    n_all: int
    recall_bound: float
    n_known: int
    n_found: int

    def to_frame(self, most: int = 10) -> pd.DataFrame:
        """Return the nearest pairs, rows counted from 1."""
        pairs = self.pairs[:most] + 1
        return pd.DataFrame({"row": pairs[:, 0], "and row": pairs[:, 1], "distance": self.distance[:most]})


def exact_copies(dataset: Dataset) -> CopyResult:
    """Group the rows of the whole data set that are equal, number by number.

    Rows are hashed to 64 bits first; rows that share a hash are compared.
    """
    X, n = dataset.X + np.float32(0.0), dataset.n_samples  # −0 becomes 0, which equals it
    words = np.ascontiguousarray(X).view(np.uint32)
    factors = generator(0, 1).integers(1, 2**63, (X.shape[1],), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    code = np.empty(n, np.uint64)
    step = max(_HASH_CELLS // (8 * X.shape[1]), 1)
    for start in range(0, n, step):
        block = words[start : start + step].astype(np.uint64)
        block ^= block >> np.uint64(15)
        code[start : start + step] = (block * factors).sum(axis=1, dtype=np.uint64)
    _, first, group = np.unique(code, return_index=True, return_inverse=True)
    wrong = np.flatnonzero(~(X[first[group]] == X).all(axis=1))
    for row in wrong.tolist():  # different rows of one hash, which chance hardly ever brings about
        same = next((r for r in wrong.tolist() if r < row and (X[r] == X[row]).all()), None)
        group[row] = group.max() + 1 if same is None else group[same]
    _, group, counts = np.unique(group, return_inverse=True, return_counts=True)
    conflicting = 0
    if dataset.target_names and dataset.y is not None:
        kinds = np.unique(np.column_stack([group, dataset.y]), axis=0)
        conflicting = int(counts[np.bincount(kinds[:, 0], minlength=len(counts)) > 1].sum())
    across, split = 0, dataset.n_train
    if split is not None:
        across = int(np.isin(group[split:], group[:split]).sum())
    return CopyResult(group, n - len(counts), conflicting, across, int(counts.max(initial=0)))


def near_distance(result: NeighbourResult, dimension: float) -> float:
    """Return the distance up to which two rows count as near copies; 0 where no distance would tell.

    A tenth of the typical distance to the fifth neighbour, or less where the data are so crowded, in `dimension`
    dimensions, that more than one row in a thousand would have a neighbour so near by chance.

    Parameters
    ----------
    result : NeighbourResult
    dimension : float
        The intrinsic dimension.
    """
    if result.distance.shape[1] < 5 or not np.isfinite(dimension):
        return 0.0
    share = (_BY_CHANCE / _FIVE) ** (1.0 / max(dimension, 0.5))
    return float(np.median(result.distance[:, 4])) * min(share, _LARGEST_SHARE)


def near_copies(sample: Sample, threshold: float, known: NeighbourResult | None = None) -> NearCopyResult:
    """Find the pairs of different rows within a distance through the boxes of random grids.

    Rows that share a box of one of 16 random grids (:class:`rfviz.features.RandomBinning`) are candidates; their
    distance is then measured exactly. Two rows at the threshold share a box of one grid with probability at least 1/e,
    whatever the direction, since ‖·‖₁ ≤ √d‖·‖₂.

    Parameters
    ----------
    sample : Sample
    threshold : float
        Greater than 0.
    known : NeighbourResult, optional
        Exact neighbours of rows of the sample, to count which of them hashing has found.
    """
    X, d = sample.X, sample.X.shape[1]
    grids = RandomBinning(_REPETITIONS, gamma=1.0 / (np.sqrt(d) * threshold), random_state=0).fit(X[:1])
    codes = grids.codes(X)
    candidates = np.unique(np.concatenate([_sharing(codes[:, p]) for p in range(_REPETITIONS)]), axis=0)
    distance = _measured(X, candidates)
    chosen = np.flatnonzero((distance <= threshold) & (distance > 0))
    chosen = chosen[np.argsort(distance[chosen], kind="stable")]
    pairs = sample.rows[candidates[chosen]]
    bound = 1.0 - (1.0 - np.exp(-1.0)) ** _REPETITIONS
    n = len(X)
    n_known, n_found = _recall(sample, known, threshold, candidates)
    return NearCopyResult(
        pairs, distance[chosen], threshold, n, len(np.unique(pairs)), len(candidates), n * (n - 1) // 2, float(bound),
        n_known, n_found,
    )  # fmt: skip


def _sharing(code: np.ndarray) -> np.ndarray:
    """Return the pairs of rows with equal codes, shape (n_pairs, 2); of a crowded box as many as memory allows."""
    order = np.argsort(code, kind="stable")
    ordered, pairs, left = code[order], [np.empty((0, 2), np.int64)], _MOST_CANDIDATES // _REPETITIONS
    # Rows of one box are adjacent: compare each with the next, the one after that, and so on.
    for apart in range(1, len(code)):
        same = np.flatnonzero(ordered[apart:] == ordered[:-apart])
        if not len(same) or left <= 0:
            break
        same = same[:left]
        left -= len(same)
        pairs.append(np.sort(np.column_stack([order[same], order[same + apart]]), axis=1))
    return np.concatenate(pairs)


def _measured(X: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the distance of each pair."""
    step = max(4_000_000 // X.shape[1], 1)
    parts = (pairs[start : start + step] for start in range(0, len(pairs), step))
    return np.concatenate([np.zeros(0), *(np.linalg.norm(X[p[:, 0]] - X[p[:, 1]], axis=1) for p in parts)])


def _recall(sample: Sample, known: NeighbourResult | None, threshold: float, candidates: np.ndarray) -> tuple[int, int]:
    """Count the known pairs of nearest neighbours within the threshold, and those among the candidates."""
    if known is None:
        return 0, 0
    # Nothing is said of pairs a rounding error beyond the threshold.
    near = np.flatnonzero((known.distance[:, 0] < 0.999 * threshold) & np.isin(known.rows, sample.rows))
    other = known.rows[known.neighbours[near, 0]]
    there = np.isin(other, sample.rows)
    pairs = np.sort(np.column_stack([known.rows[near][there], other[there]]), axis=1)
    pairs = np.unique(pairs, axis=0)
    found = sample.rows[candidates] @ np.array([sample.n_samples, 1])
    return len(pairs), int(np.isin(pairs @ np.array([sample.n_samples, 1]), found).sum())
