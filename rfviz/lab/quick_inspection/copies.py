"""Equal and nearly equal rows: hash codes give candidates, distances decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.features import RandomBinning
from rfviz.features.draws import generator
from rfviz.lab.quick_inspection.neighbours import NeighbourResult
from rfviz.lab.quick_inspection.raw import Raw
from rfviz.lab.quick_inspection.sample import Sample

__all__ = ["CopyResult", "NearCopyResult", "exact_copies", "near_copies", "near_distance"]

_HASH_CELLS = 4_000_000
# Of points strewn at random, the share that may have a neighbour this near by chance.
_BY_CHANCE = 1e-3
_LARGEST_SHARE = 0.1
_REPETITIONS = 16
_MOST_CANDIDATES = 2_000_000
# Copies may be chance where independent columns would bring this share of them: columns that depend bring many more.
_LEAST_BY_CHANCE, _ROWS_OF_A_VALUE = 0.01, 3
# The median of the volume that holds five points, in units of the mean volume of one: the median of a Gamma(5) law.
_FIVE = 4.670909


@dataclass(frozen=True, eq=False)
class CopyResult:
    """Rows of a whole table that are equal in every column but the label.

    Attributes
    ----------
    group : ndarray of shape (n,), int
        The group of equal rows that each row belongs to.
    rows : ndarray of shape (n,), int
        The row of the file that each is, from 0.
    repeats : ndarray of int
        Rows of the file, from 0, that repeat an earlier one.
    n_conflicting : int
        Rows in groups whose labels differ.
    n_across : int
        Test rows with an exact copy among the training rows, where the data have a split.
    largest : int
        Rows in the largest group.
    ignored : tuple of str
        Columns that number the rows, which were not compared.
    by_chance : float
        Pairs of equal rows to expect, were the columns independent; as far as that is at least a hundredth of those
        that there are.
    """

    group: np.ndarray
    rows: np.ndarray
    repeats: np.ndarray
    n_conflicting: int
    n_across: int
    largest: int
    ignored: tuple[str, ...] = ()
    by_chance: float = 0.0

    @property
    def n_extra(self) -> int:
        """Rows that repeat an earlier one."""
        return len(self.repeats)

    @property
    def may_be_chance(self) -> bool:
        """Return whether rows may be equal just because the columns take few values."""
        return self.by_chance > 0

    def to_frame(self, most: int = 10) -> pd.DataFrame:
        """Return the largest groups: how many rows, and the first of them, counted from 1."""
        counts = np.bincount(self.group)
        order = [g for g in np.argsort(-counts, kind="stable")[:most] if counts[g] > 1]
        members = [(self.rows[np.flatnonzero(self.group == g)[:6]] + 1).tolist() for g in order]
        return pd.DataFrame({"equal rows": counts[order], "rows": [", ".join(map(str, m)) for m in members]})


@dataclass(frozen=True, eq=False)
class NearCopyResult:
    """Pairs of rows that are nearer than chance would have them, but not equal.

    Attributes
    ----------
    pairs : ndarray of shape (n_pairs, 2), int
        Rows of the file, from 0, nearest pair first.
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
    nearest : ndarray of shape (n_sample,)
        Distance of each different row of the sample to its nearest other one.
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
    nearest: np.ndarray

    def nearest_frame(self) -> pd.DataFrame:
        """Return how far each different row of the sample is from its nearest other one."""
        return pd.DataFrame({"to its nearest row": self.nearest})

    def to_frame(self, most: int = 10) -> pd.DataFrame:
        """Return the nearest pairs, rows counted from 1."""
        pairs = self.pairs[:most] + 1
        return pd.DataFrame({"row": pairs[:, 0], "and row": pairs[:, 1], "distance": self.distance[:most]})


def exact_copies(raw: Raw, ignored: Sequence[str] = ()) -> CopyResult:
    """Group the rows of the whole table that are equal, cell by cell: numbers, words, text, and what is empty.

    Rows are hashed to 64 bits first; rows that share a hash are compared.

    Parameters
    ----------
    raw : Raw
    ignored : sequence of str
        Columns that tell rows apart by number only.
    """
    n = raw.n_rows
    columns = [name for name in (raw.columns or raw.table.names) if name not in ignored]
    inside = [raw.table.places[name] for name in columns if name in raw.table.places]
    apart = [_words_of(raw, name) for name in columns if name not in raw.table.places]
    code = np.zeros(n, np.uint64)
    factors = generator(0, 1).integers(1, 2**63, (len(columns),), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    step = max(_HASH_CELLS // max(len(inside), 1), 1)
    for start in range(0, n if inside else 0, step):
        words = _mixed(_cells(raw, inside, slice(start, start + step)))
        code[start : start + step] = (words * factors[: len(inside)]).sum(axis=1, dtype=np.uint64)
    for words, factor in zip(apart, factors[len(inside) :], strict=True):
        code += _mixed(words.astype(np.uint64)) * factor
    _, first, group, counts = np.unique(code, return_index=True, return_inverse=True, return_counts=True)
    again = np.flatnonzero(first[group] != np.arange(n))
    same = (_cells(raw, inside, again) == _cells(raw, inside, first[group[again]])).all(axis=1)
    for words in apart:
        same &= words[again] == words[first[group[again]]]
    for row in again[~same].tolist():  # different rows of one hash, which chance hardly ever brings about
        counts[group[row]] -= 1
        group[row] = len(counts)
        counts = np.append(counts, 1)
    again = again[same]
    conflicting = 0
    if raw.target_names and raw.y is not None:
        chosen = np.flatnonzero((counts[group] > 1) & raw.labelled)
        kinds = np.unique(np.column_stack([group[chosen], raw.y[chosen]]), axis=0)
        mixed = np.flatnonzero(np.bincount(kinds[:, 0], minlength=len(counts)) > 1)
        conflicting = int(np.isin(group[chosen], mixed).sum())
    split, across = raw.n_train, 0
    if split is not None:
        across = int(np.isin(group[split:], group[:split]).sum())
    everywhere = raw.file_rows(np.arange(n))
    n_pairs = float(np.sum(counts * (counts - 1.0)) / 2.0)
    by_chance = _by_chance(raw, columns, _LEAST_BY_CHANCE * n_pairs) if n_pairs else 0.0
    return CopyResult(
        group, everywhere, everywhere[again], conflicting, across, int(counts.max(initial=0)), tuple(ignored), by_chance
    )


def _by_chance(raw: Raw, columns: Sequence[str], least: float) -> float:
    """Return how many pairs of rows are equal by chance if columns are independent; 0 for fewer than `least`.

    A column whose values have hardly more than one row each tells rows apart, and leaves nothing to chance.
    """
    n = raw.n_rows
    n_pairs = 0.5 * n * (n - 1.0)
    for name in columns:
        values = raw.numbers(name) if name in raw.table.places else _words_of(raw, name)
        counts = np.unique(values, return_counts=True)[1].astype(np.float64)
        n_pairs *= float(np.sum(counts * (counts - 1.0))) / (n * (n - 1.0))
        if n_pairs < least or len(counts) * _ROWS_OF_A_VALUE > n:
            return 0.0
    return n_pairs


def _cells(raw: Raw, places: list[int], rows: slice | np.ndarray) -> np.ndarray:
    """Return numbers as whole ones of 64 bits, equal where the numbers are; all gaps are equal."""
    matrix = raw.table.matrix
    part = matrix[rows] if raw.rows is None else matrix[raw.rows[rows]]
    part = part if len(places) == matrix.shape[1] else part[:, places]
    values = part.astype(np.float64) + 0.0  # −0 becomes 0, which equals it
    values[np.isnan(values)] = np.nan  # of all its bit patterns one
    return values.view(np.uint64)


def _words_of(raw: Raw, name: str) -> np.ndarray:
    """Return the number of each cell's content, for a column that is no part of the table's numbers."""
    table = raw.table
    if name in table.words or name in table.texts:
        return raw.codes(name).astype(np.int64)
    if name not in table.parsed:
        return np.zeros(raw.n_rows, dtype=np.int64)
    values = raw.numbers(name)
    return (np.where(np.isnan(values), np.nan, values + 0.0) if values.dtype.kind == "f" else values).view(np.int64)


def _mixed(words: np.ndarray) -> np.ndarray:
    """Return words whose every bit depends on all bits: numbers differ in their first bits, sums keep their last."""
    words = (words ^ (words >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return words ^ (words >> np.uint64(29))


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


def near_copies(sample: Sample, threshold: float, known: NeighbourResult) -> NearCopyResult:
    """Find the pairs of different rows within a distance through the boxes of random grids.

    Rows that share a box of one of 16 random grids (:class:`rfviz.features.RandomBinning`) are candidates; their
    distance is then measured exactly. Two rows at the threshold share a box of one grid with probability at least 1/e,
    whatever the direction, since ‖·‖₁ ≤ √d‖·‖₂.

    Parameters
    ----------
    sample : Sample
    threshold : float
        Greater than 0.
    known : NeighbourResult
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
        n_known, n_found, known.distance[:, 0],
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


def _recall(sample: Sample, known: NeighbourResult, threshold: float, candidates: np.ndarray) -> tuple[int, int]:
    """Count the known pairs of nearest neighbours within the threshold, and those among the candidates."""
    # Nothing is said of pairs a rounding error beyond the threshold.
    near = np.flatnonzero((known.distance[:, 0] < 0.999 * threshold) & np.isin(known.rows, sample.rows))
    other = known.rows[known.neighbours[near, 0]]
    there = np.isin(other, sample.rows)
    pairs = np.sort(np.column_stack([known.rows[near][there], other[there]]), axis=1)
    pairs = np.unique(pairs, axis=0)
    one_number = np.array([sample.rows.max(initial=0) + 1, 1])
    return len(pairs), int(np.isin(pairs @ one_number, sample.rows[candidates] @ one_number).sum())
