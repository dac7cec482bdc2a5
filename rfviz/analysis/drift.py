"""Whether two samples have one distribution, and where they differ: maximum mean discrepancy on Fourier features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.special import ndtri
from scipy.stats import norm

from rfviz.backend import single_threaded_blas
from rfviz.errors import DataError
from rfviz.features import RandomFourier
from rfviz.features.draws import generator
from rfviz.features.placement import placed
from rfviz.inputs import as_places, as_rows
from rfviz.progress import Progress, silent

__all__ = ["FEWEST_ROWS", "WANDERING", "WITNESS_ROWS", "DriftResult", "Rows", "find_drift"]

#: Rows of each sample at least.
FEWEST_ROWS = 40
#: Rows of each sample, drawn evenly, among which those are looked for that are least like the other one.
WITNESS_ROWS = 10_000
# Blocks of both samples together, rows of one at least, and how many times more of them the larger sample may have.
_BLOCKS, _BLOCK_ROWS, _MOST_UNEQUAL = 128, 5, 8
_PERMUTATIONS = 9999
# Bins of a column, one more for missing values; words beyond count as one; waves over the ranks of a column.
_BINS, _WORDS, _WAVES = 64, 100, 8
# Questions about each column, in this order: how its values are spread, how far they reach, and how many are missing.
_QUESTIONS = 3
_CHUNK_ROWS, _SAMPLE_ROWS = 8192, 20_000
_LARGEST = np.finfo(np.float32).max
# Mean squared phases of the bandwidths: the smaller, the wider the kernel.
_PHASES = (0.5, 2.0, 8.0)
_JOINT_FEATURES = 256
# Columns that the test of combinations takes at most: it looks at pairs of them.
_JOINT_COLUMNS = 1000
# Share of rows beyond which their common value counts as an atom of the distribution.
_ATOM = 0.1
#: Correlation of neighbouring blocks from which blocks do not count as independent.
WANDERING = 0.35
_PAIR_ALARM = 0.01
_NO_VARIANCE = 1e-12


class Rows(Protocol):
    """Rows that are read some at a time: an array, a memory map, or columns of a file; NaN where a value is missing."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and columns."""
        ...

    def __getitem__(self, rows: Any, /) -> Any:
        """Return some rows."""
        ...


@dataclass(frozen=True, eq=False)
class DriftResult:
    """Differences between two samples.

    Attributes
    ----------
    p_value : float
        Of the hypothesis that both samples have the same distribution.
    column_p, together_p : ndarray of shape (n_columns,), float
        Of each column, and of the combination of columns given each of them by itself. They are corrected for their
        number: where nothing differs, any of them, or `p_value`, is at most 0.05 in one case of twenty.
    values_p : ndarray of shape (n_columns,)
        Of the known values of each column: larger than `column_p` where only its gaps differ. Corrected in the same
        way.
    distances : ndarray of shape (n_columns,)
        Of the known values of each column the largest difference of the distribution functions; of words, half the sum
        of the differences of their shares.
    missing : ndarray of shape (n_columns, 2)
        Share of missing values in either sample.
    pairs : tuple of (int, int, float, float)
        Pairs of columns of numbers whose rank correlation differs, the most certain first, with the correlation in
        either.
    rows : (ndarray of int, ndarray of int)
        Of either sample the rows, of some drawn evenly, that are least like the other one, the farthest first; empty
        if nothing differs.
    n_used : (int, int)
        Rows that were used: of a sample that is much larger than the other one, stretches.
    block_rows : int
        Rows that follow each other and were permuted as one.
    alike : float
        How many times more the means of blocks vary than those of independent rows would; about 1 for such.
    neighbours : float
        Correlation of the means of blocks that follow each other within a sample, over all columns.
    column_neighbours : ndarray of shape (n_columns,)
        The same of each column by itself.
    """

    p_value: float
    column_p: np.ndarray
    values_p: np.ndarray
    together_p: float
    distances: np.ndarray
    missing: np.ndarray
    pairs: tuple[tuple[int, int, float, float], ...]
    rows: tuple[np.ndarray, np.ndarray]
    n_rows: tuple[int, int]
    n_used: tuple[int, int]
    block_rows: int
    alike: float
    neighbours: float
    column_neighbours: np.ndarray

    @property
    def apart(self) -> np.ndarray:
        """How far apart each column is: the distance of its known values, or the difference of its gaps."""
        return np.maximum(self.distances, np.abs(self.missing[:, 0] - self.missing[:, 1]))

    def steady(self, columns: Any) -> float:
        """Return the larger one of `neighbours` and those of some columns."""
        return float(max(self.neighbours, *self.column_neighbours[columns].tolist(), -1.0))

    @property
    def wanders(self) -> bool:
        """Whether neighbouring blocks are alike: rows change slowly within a sample, and p-values are too small.

        All columns together, or one that differs at the level of 0.05.
        """
        return self.steady(self.columns()) > WANDERING

    def columns(self, level: float = 0.05) -> np.ndarray:
        """Return the columns that differ by themselves, the farthest first."""
        found = np.flatnonzero(self.column_p <= level)
        return found[np.argsort(-self.apart[found], kind="stable")]

    def to_frame(self, names: Sequence[str]) -> pd.DataFrame:
        """Return one row per column, the farthest apart first."""
        order = np.argsort(-self.apart, kind="stable")
        return pd.DataFrame(
            {
                "column": [names[column] for column in order],
                "distance": self.distances[order],
                "p-value": self.column_p[order],
                "missing in the first": self.missing[order, 0],
                "missing in the second": self.missing[order, 1],
            }
        )


def find_drift(
    first: Any, second: Any, categories: Sequence[int] = (), random_state: int = 0, progress: Progress = silent
) -> DriftResult:
    r"""Compare two samples: column by column, and in how their columns go together.

    All statistics are squared distances of mean embeddings, :math:`\|\bar\Phi(A) - \bar\Phi(B)\|^2`. Of each column:
    cosine waves over its ranks, squared normal scores (which see a change of scale or of tails best), and whether a
    value is missing; of words, one feature a word. The first two are summed over all columns as well, for changes that
    are small in each. Of the combination: :class:`rfviz.features.RandomFourier` of three bandwidths on normal scores
    that are taken within each sample, so that all columns have the same distribution in both and only their copula is
    left. All are brought to one scale and fused: the largest counts.

    The p-value is the share of 9,999 permutations that reach as much. Blocks of rows are permuted, not rows: rows may
    depend on others that are near, in the order given, if the dependence is shorter than a block. Where it is not,
    `wanders` says so, and p-values are too small.

    These are guarantees: if both samples have one distribution, `p_value` is at most α in a share α of all cases; the
    columns' and `together_p` are corrected for their number. Any change of a single column's distribution that 64
    bins show is found as rows grow. For combinations that is not guaranteed: with a fixed number of random features
    there are changes that no sample size reveals (arXiv 2407.08976). Changes of correlations and of groups of rows are
    found best. Of two samples of 250 rows and four columns, at level 0.05, a spread of one column that is
    1.4 times as large is found in 99 of 100 cases, and a shift by 0.4 deviations in 95; two humps instead of one, with
    the same mean and spread, in hardly any.

    Memory is bounded: rows are read in chunks, twice. The cost is O(n·d·m).

    Parameters
    ----------
    first, second : array-like or sparse matrix of shape (n_rows, n_columns), or Rows
        Rows in the order in which they may depend on each other; NaN and infinite values count as missing. Memory maps
        and other :class:`Rows` are read in chunks.
    categories : sequence of int
        Columns of words, as whole numbers from 0.

    Raises
    ------
    DataError
        If a sample has fewer than 40 rows, holds anything but numbers, or the columns differ in number.
    ParameterError
        If `categories` names a column that is not there.

    Examples
    --------
    >>> A = np.random.default_rng(0).standard_normal((2000, 3))
    >>> B = np.random.default_rng(1).standard_normal((2000, 3)) + [0, 0.5, 0]
    >>> find_drift(A, B).columns()
    array([1])
    """
    sides = (_read(first, "first"), _read(second, "second"))
    n_rows, n_columns = (len_of(sides[0]), len_of(sides[1])), [side.shape[1] for side in sides]
    if min(n_rows) < FEWEST_ROWS:
        raise DataError(f"Samples are compared from {FEWEST_ROWS} rows on; here are {n_rows[0]:,} and {n_rows[1]:,}.")
    if n_columns[0] != n_columns[1] or not n_columns[0]:
        raise DataError(f"Samples must have the same columns; these have {n_columns[0]} and {n_columns[1]}.")
    categories = as_places(categories, n_columns[0])
    layouts = _layouts(n_rows)
    n_used = (layouts[0].n_used, layouts[1].n_used)
    coding = _Coding(sides, layouts, categories, random_state)
    with single_threaded_blas():
        counts = np.concatenate(
            [_count(side, layout, coding, progress) for side, layout in zip(sides, layouts, strict=True)]
        )
        is_first = np.arange(len(counts)) < layouts[0].n_blocks
        signs = _permuted(is_first, random_state)
        shares = counts / counts.sum(axis=2, keepdims=True)
        halves = np.stack([shares[is_first].mean(axis=0), shares[~is_first].mean(axis=0)])
        pooled = shares.mean(axis=0)
        features = coding.features(pooled)
        means = np.einsum("kdb,dbf->kdf", shares - pooled, features, optimize=True)
        found = _of_columns(signs, means)
        # The copula of a column with few values depends on their shares: where these differ it cannot be compared.
        is_in = (_p_values(found.scores, found.largest).min(axis=1) > 0.05) | (pooled.max(axis=1) <= _ATOM)
        joint, fused = None, np.empty((len(signs), 0))
        if _n_varying(halves[:, is_in]) >= 2 and coding.n_columns <= _JOINT_COLUMNS:
            joint = _Joint(sides, layouts, coding, halves, is_in, random_state, progress)
            # The largest of three bandwidths counts as one more column.
            fused = _one_scale(_joint_statistics(signs, joint)).max(axis=1, keepdims=True)
            fused = (fused - fused.mean()) / fused.std()
    largest = np.column_stack([found.largest, found.summed[1:], fused[1:]]).max(axis=1)
    columns = _p_values(found.scores, largest)
    column_p, values_p = columns.min(axis=1), columns[:, :-1].min(axis=1)
    of_all, together = (_p_values(scores[0], largest).min(initial=1.0) for scores in (found.summed, fused))
    variance = np.einsum("db,dbf->df", pooled, features**2) - np.einsum("db,dbf->df", pooled, features) ** 2
    block_rows = sum(n_used) / len(counts)
    alike, neighbours = _alikeness(means, is_first, variance, block_rows)
    p_value, pairs, extremes = min(column_p.min(), of_all, together), (), (np.empty(0, int), np.empty(0, int))
    if joint is not None and together <= 0.05:
        pairs = joint.pairs(max(alike, 1.0))
    if p_value <= 0.05:
        # Where no column stands out, the sum of all does.
        is_named = (column_p <= 0.05) | (column_p.min() > 0.05 >= of_all)
        extremes = _extremes(sides, layouts, coding, is_named, halves, joint if together <= 0.05 else None)
    return DriftResult(
        float(p_value),
        column_p,
        values_p,
        float(together),
        _distances(halves, coding),
        halves[:, :, -1].T,
        pairs,
        extremes,
        n_rows,
        n_used,
        round(block_rows),
        alike,
        *neighbours,
    )


def _read(rows: Any, name: str) -> Rows:
    """Return rows that are read some at a time as they are, and any other array-like as an array."""
    if sparse.issparse(rows):
        return _SparseRows(rows.tocsr())
    is_array = isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.dtype.kind in "fiub"
    is_other = not isinstance(rows, np.ndarray | pd.DataFrame | pd.Series) and len(getattr(rows, "shape", ())) == 2
    return rows if is_array or is_other else as_rows(rows, name, gaps=True)


class _SparseRows:
    """Rows of a sparse matrix, of which only some at a time become an array."""

    def __init__(self, matrix: Any) -> None:
        self._matrix, self.shape = matrix, tuple(matrix.shape)

    def __getitem__(self, rows: Any, /) -> np.ndarray:
        return self._matrix[rows].toarray()


def len_of(rows: Rows) -> int:
    """Return the number of rows."""
    return int(rows.shape[0])


# --- blocks -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Layout:
    """Blocks of rows of a sample: all that there are, or as many as are wanted, evenly spread."""

    n_rows: int
    n_blocks: int
    n_used: int

    def chunks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield rows of the sample, some at a time, and the block that each belongs to."""
        for start in range(0, self.n_used, _CHUNK_ROWS):
            place = np.arange(start, min(start + _CHUNK_ROWS, self.n_used))
            block = place * self.n_blocks // self.n_used
            skipped = block * (self.n_rows - self.n_used) // max(self.n_blocks - 1, 1)
            yield place + skipped, block

    def some(self, n: int) -> np.ndarray:
        """Return rows spread evenly."""
        return np.unique(np.linspace(0, self.n_rows - 1, min(n, self.n_rows)).astype(np.int64))


def _layouts(n_rows: tuple[int, int]) -> tuple[_Layout, _Layout]:
    """Return blocks of about one size, for means of blocks of different size would not be exchangeable."""
    few = min(n_rows)
    used = tuple(min(n, _MOST_UNEQUAL * few) for n in n_rows)
    size = max(sum(used) / _BLOCKS, _BLOCK_ROWS)
    size = min(size, max(few / 16, 1.0))  # the smaller sample needs some blocks, too
    first, second = (_Layout(n, max(round(n_used / size), 2), n_used) for n, n_used in zip(n_rows, used, strict=True))
    return first, second


def _permuted(is_first: np.ndarray, random_state: int) -> np.ndarray:
    """Return weights of blocks whose sum is a difference of means: as they are, then permuted; shape (1 + 9999, k)."""
    k, n_first = len(is_first), int(is_first.sum())
    order = np.argsort(generator(random_state, 0).random((_PERMUTATIONS, k), dtype=np.float32), axis=1)
    signs = np.full((1 + _PERMUTATIONS, k), -1.0 / (k - n_first), dtype=np.float32)
    signs[0, is_first] = 1.0 / n_first
    np.put_along_axis(signs[1:], order[:, :n_first], np.float32(1.0 / n_first), axis=1)
    return signs


# --- columns as bins --------------------------------------------------------------------------------------------------


class _Coding:
    """How values become bins: quantiles of both samples together, words by themselves, the last for missing values."""

    def __init__(
        self, sides: tuple[Rows, Rows], layouts: tuple[_Layout, _Layout], categories: Sequence[int], seed: int
    ) -> None:
        total = sum(layout.n_rows for layout in layouts)
        parts = [
            np.asarray(side[layout.some(max(_SAMPLE_ROWS * layout.n_rows // total, FEWEST_ROWS))], dtype=np.float64)
            for side, layout in zip(sides, layouts, strict=True)
        ]
        sample = np.concatenate(parts)
        self.n_columns = d = sample.shape[1]
        self.is_word = np.zeros(d, dtype=bool)
        self.is_word[list(categories)] = True
        self.n_bins = max(_BINS, _WORDS if self.is_word.any() else 0) + 2
        self._centre, self._unit = np.zeros(d), np.ones(d)
        # A number's first 16 bits in float32, less the median, tell its bin: no search, and fine steps near the median.
        # The unit is a power of two about as large as usual differences: it rounds nothing, and keeps them in range.
        self._bins = np.full((d, 1 << 16), self.n_bins - 1, dtype=np.uint8)
        starts = (np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)).view(np.float32)
        usable = np.isfinite(starts)
        order = np.argsort(starts[usable], kind="stable")
        cells = np.flatnonzero(usable)[order]
        values = starts[cells].astype(np.float64)
        # Of a cell the smallest value decides, so that a value that is an edge stays below it. Cells of negative
        # numbers begin at their largest value, and end where the next ones begin.
        is_negative = np.signbit(values)
        self.waves = generator(seed, 1).standard_normal((d, self.n_bins))
        for column in range(d):
            known = sample[:, column]
            known = known[np.isfinite(known)]
            if not len(known):
                continue
            if self.is_word[column]:
                continue
            self._unit[column] = _unit_of(known)
            known = known / self._unit[column]
            self._centre[column] = np.median(known)
            edges = np.unique(np.quantile(known - self._centre[column], np.arange(1, _BINS) / _BINS, method="lower"))
            bins = np.searchsorted(edges, values, side="left")
            ends = np.searchsorted(edges, np.concatenate([[-np.inf], values[:-1]]), side="right")
            self._bins[column, cells] = np.where(is_negative, ends, bins)
        self._words = {column: _frequent_words(sample[:, column]) for column in np.flatnonzero(self.is_word).tolist()}

    def codes(self, block: Any) -> np.ndarray:
        """Return the bins of rows, one row a column, shape (d, n)."""
        block = np.asarray(block)
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.ascontiguousarray((block / self._unit - self._centre + 0.0).T, dtype=np.float32)
        if np.isinf(values).any():  # those of the sample are not missing because they are beyond all usual ones
            np.clip(values, -_LARGEST, _LARGEST, out=values, where=np.isfinite(block.T))
        cells = values.view(np.uint32) >> np.uint32(16)
        found = np.empty(cells.shape, dtype=np.uint8)
        for column, lookup in enumerate(self._bins):
            if column in self._words:
                found[column] = self._word_codes(values[column], self._words[column])
            else:
                np.take(lookup, cells[column], out=found[column])
        return found

    def _word_codes(self, values: np.ndarray, known: np.ndarray) -> np.ndarray:
        is_known = np.isfinite(values) & (values >= 0)
        word = np.where(is_known, values, 0).astype(np.int64)
        code = np.where(word < len(known), known[np.minimum(word, len(known) - 1)], _WORDS)
        return np.where(is_known, code, self.n_bins - 1).astype(np.uint8)

    def features(self, pooled: np.ndarray) -> np.ndarray:
        """Return the features of each bin of each column, shape (d, n_bins, m), for shares of the bins."""
        d, n_bins = pooled.shape
        known = pooled[:, :-1]
        below = np.cumsum(known, axis=1) - 0.5 * known
        ranks = below / np.maximum(known.sum(axis=1, keepdims=True), 1e-300)
        waves = np.arange(1, _WAVES + 1)
        found = np.zeros((d, n_bins, (n_bins - 1 if self.is_word.any() else _WAVES) + _QUESTIONS - 1))
        found[:, :-1, :_WAVES] = np.cos(np.pi * ranks[:, :, None] * waves) / waves
        # Half of the squared score has the variance of the first wave.
        found[:, :-1, -2] = 0.5 * ndtri(np.clip(ranks, 1e-6, 1.0 - 1e-6)) ** 2
        for column in self._words:
            # A rare word counts for less, but not for as little as it is rare.
            found[column] = 0.0
            found[column, :-1, : n_bins - 1] = np.diag((known[column] + 0.01) ** -0.5)
        # About the mean of known values, so that more gaps do not count as a change of these.
        weights = known / np.maximum(known.sum(axis=1, keepdims=True), 1e-300)
        found[:, :-1] -= np.einsum("db,dbf->df", weights, found[:, :-1])[:, None]
        found[:, -1, -1] = 1.0
        for column in self._words:
            found[column, -1, -1] = (pooled[column, -1] + 0.01) ** -0.5
        return found

    def scores(self, halves: np.ndarray) -> np.ndarray:
        """Return the normal score of each bin within each sample, shape (2, d, n_bins), float32; 0 where missing."""
        known = halves[:, :, :-1]
        total = np.maximum(known.sum(axis=2, keepdims=True), 1e-300)
        ranks = (np.cumsum(known, axis=2) - 0.5 * known) / total
        scores = np.zeros(halves.shape)
        scores[:, :, :-1] = ndtri(np.clip(ranks, 1e-6, 1.0 - 1e-6))
        for column in self._words:
            scores[:, column, :-1] = self.waves[column, :-1]
        weights = known / total
        # Both samples in the same units: of words the shares may differ, and the scores must not.
        weights[:, self.is_word] = weights[:, self.is_word].mean(axis=0)
        inner = scores[:, :, :-1]
        inner -= (weights * inner).sum(axis=2, keepdims=True)
        spread = np.sqrt((weights * inner**2).sum(axis=2, keepdims=True))
        inner /= np.where(spread > 1e-6, spread, np.inf)
        return scores.astype(np.float32)


def _unit_of(known: np.ndarray) -> float:
    """Return a power of two near the usual distance from the median."""
    size = max(float(np.abs(known).max()), 1e-300)
    scaled = known / size  # whose differences do not overflow
    far = np.abs(scaled - np.median(scaled))
    usual = float(np.median(far[far > 0])) if (far > 0).any() else 1.0
    return float(np.ldexp(1.0, int(np.clip(np.log2(usual) + np.log2(size), -1000, 1000))))


def _frequent_words(values: np.ndarray) -> np.ndarray:
    """Return the bin of each word: the most frequent have one of their own."""
    known = values[np.isfinite(values) & (values >= 0)].astype(np.int64)
    counts = np.bincount(known, minlength=1)
    bins = np.full(len(counts), _WORDS, dtype=np.int64)
    often = np.argsort(-counts, kind="stable")[:_WORDS]
    bins[often] = np.arange(len(often))
    return bins


def _count(side: Rows, layout: _Layout, coding: _Coding, progress: Progress) -> np.ndarray:
    """Count the values of each block in each bin, shape (n_blocks, d, n_bins)."""
    counts = np.zeros((layout.n_blocks, coding.n_columns, coding.n_bins))
    for rows, block in layout.chunks():
        progress(0.4 * block[0] / layout.n_blocks, "Comparing columns")
        codes = coding.codes(side[rows])
        first, n = int(block[0]), int(block[-1] - block[0]) + 1
        offset = (block - first) * coding.n_bins
        for column in range(coding.n_columns):
            found = np.bincount(offset + codes[column], minlength=n * coding.n_bins)
            counts[first : first + n, column] += found.reshape(n, coding.n_bins)
    return counts


@dataclass(frozen=True, eq=False)
class _Columns:
    """How far columns are apart.

    Attributes
    ----------
    scores : ndarray of shape (d, 3)
        Of each column and each question, on one scale.
    largest : ndarray of shape (9999,)
        The largest of all scores, for each permutation.
    summed : ndarray of shape (1 + 9999, k)
        Sums over the columns, for each permutation; none of a single column.
    """

    scores: np.ndarray
    largest: np.ndarray
    summed: np.ndarray


def _of_columns(signs: np.ndarray, means: np.ndarray) -> _Columns:
    """Return the squared distances of the means of each column, and of all, compared with those of permutations."""
    _, d, m = means.shape
    scores, largest = np.empty((d, _QUESTIONS)), np.full(len(signs) - 1, -np.inf)
    sums = np.zeros((len(signs), _QUESTIONS - 1))
    scale = np.float32(np.sqrt(signs.shape[1]))
    step = max(512 // m, 1)
    for start in range(0, d, step):
        part = np.ascontiguousarray(means[:, start : start + step], dtype=np.float32)
        squares = np.square(signs @ (scale * part.reshape(len(part), -1))).reshape(len(signs), -1, m)
        found = np.stack([squares[:, :, :-2].sum(axis=2), squares[:, :, -2], squares[:, :, -1]], axis=2)
        usual = found[:, :, :-1].mean(axis=0)
        sums += (found[:, :, :-1] / np.where(usual > _NO_VARIANCE, usual, np.inf)).sum(axis=1)
        one_scale = _one_scale(found.reshape(len(signs), -1))
        scores[start : start + step] = one_scale[0].reshape(-1, _QUESTIONS)
        np.maximum(largest, one_scale[1:].max(axis=1), out=largest)
    return _Columns(scores, largest, _one_scale(sums if d > 1 else sums[:, :0]))


def _one_scale(statistics: np.ndarray) -> np.ndarray:
    """Return statistics as normal scores: the cube root of a sum of squares is nearly normal (Wilson, Hilferty)."""
    roots = np.cbrt(np.maximum(statistics, 0.0))
    mean, spread = roots.mean(axis=0), roots.std(axis=0)
    return np.where(spread > 1e-6 * np.maximum(mean, 1e-30), (roots - mean) / np.maximum(spread, 1e-30), 0.0)


def _p_values(scores: np.ndarray, largest: np.ndarray) -> np.ndarray:
    """Return the share of permutations whose largest score is at least as large as each of these."""
    null = np.sort(largest)
    return (1.0 + len(null) - np.searchsorted(null, scores - 1e-6)) / (1.0 + len(null))


def _distances(halves: np.ndarray, coding: _Coding) -> np.ndarray:
    known = halves[:, :, :-1].sum(axis=2, keepdims=True)
    shares = halves[:, :, :-1] / np.where(known > 0, known, 1.0)
    differences = np.where((known > 0).all(axis=0), shares[0] - shares[1], 0.0)
    words = 0.5 * np.abs(differences).sum(axis=1)
    return np.where(coding.is_word, words, np.abs(np.cumsum(differences, axis=1)).max(axis=1))


def _alikeness(
    means: np.ndarray, is_first: np.ndarray, variance: np.ndarray, block_rows: float
) -> tuple[float, tuple[float, np.ndarray]]:
    """Return how much more block means vary than those of independent rows, and the correlations of neighbours.

    These are that of all columns, and that of each.
    """
    varied, together, n, n_pairs = np.zeros(means.shape[1]), np.zeros(means.shape[1]), 0, 0
    usual = np.maximum(variance.sum(axis=1), 1e-300)
    for side in (means[is_first], means[~is_first]):
        centred = (side - side.mean(axis=0)) / np.sqrt(usual)[:, None]
        varied += np.square(centred).sum(axis=(0, 2))
        together += (centred[1:] * centred[:-1]).sum(axis=(0, 2))
        n += len(side) - 1
        n_pairs += len(side) - 1
    n_varying = max(int((variance.sum(axis=1) > 1e-12).sum()), 1)
    each = together / max(n_pairs, 1) / np.maximum(varied / max(n, 1), 1e-300)
    mean_square = float(varied.sum()) / max(n, 1)
    of_all = float(together.sum()) / max(n_pairs, 1) / max(mean_square, 1e-300)
    return mean_square * block_rows / n_varying, (of_all, each)


# --- all columns together ---------------------------------------------------------------------------------------------


def _n_varying(halves: np.ndarray) -> int:
    """Return the number of columns that have several values in both samples."""
    return int((halves.max(axis=2).max(axis=0) < 1.0).sum())


class _Joint:
    """Means of random Fourier features of normal scores, by block, with and without the parts of single columns."""

    def __init__(
        self,
        sides: tuple[Rows, Rows],
        layouts: tuple[_Layout, _Layout],
        coding: _Coding,
        halves: np.ndarray,
        is_in: np.ndarray,
        seed: int,
        progress: Progress,
    ) -> None:
        d, n_varying = coding.n_columns, _n_varying(halves[:, is_in])
        self.scores = coding.scores(halves)
        self.scores[:, ~is_in] = 0.0
        self.is_word = coding.is_word  # whose scores follow no order
        self.n_used = tuple(layout.n_used for layout in layouts)
        self.maps = [
            placed(
                RandomFourier(_JOINT_FEATURES, gamma=phase / (2.0 * n_varying), random_state=seed + number),
                sum(self.n_used),
                d,
            ).fit(np.zeros((1, d), dtype=np.float32))
            for number, phase in enumerate(_PHASES)
        ]
        self.n_first = layouts[0].n_blocks
        self.products = np.zeros((2, d, d))
        n_blocks = sum(layout.n_blocks for layout in layouts)
        self.means = np.zeros((len(_PHASES), n_blocks, _JOINT_FEATURES))
        first, second = np.zeros((n_blocks, d)), np.zeros((n_blocks, d))
        sizes, before = np.zeros((n_blocks, 1)), 0
        for number, (side, layout) in enumerate(zip(sides, layouts, strict=True)):
            for rows, block in layout.chunks():
                progress(0.4 + 0.5 * block[0] / layout.n_blocks, "Comparing combinations")
                Z = self.normal(coding.codes(side[rows]), number)
                starts = np.flatnonzero(np.diff(block, prepend=-1))
                at = before + block[starts]
                sizes[at, 0] += np.diff(starts, append=len(block))
                first[at] += _sums(Z, starts)
                second[at] += _sums(Z * Z, starts)
                self.products[number] += Z.T @ Z
                for features, feature_map in zip(self.means, self.maps, strict=True):
                    features[at] += _sums(feature_map.transform(Z), starts)
            before += layout.n_blocks
        self.means /= sizes
        self.centres = self.means.mean(axis=1)
        for number, features in enumerate(self.means):
            features -= self.of_columns(number, first / sizes, second / sizes)
            features -= features.mean(axis=0)

    def normal(self, codes: np.ndarray, side: int) -> np.ndarray:
        """Return the normal scores of bins, shape (n, d)."""
        Z = np.empty((codes.shape[1], codes.shape[0]), dtype=np.float32)
        for column, lookup in enumerate(self.scores[side]):
            Z[:, column] = lookup[codes[column]]
        return Z

    def of_columns(self, number: int, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Return what single columns contribute to the features of one bandwidth, for scores and their squares.

        By Stein's lemma the coefficients are the mean derivatives of a feature.
        """
        W = np.asarray(self.maps[number].frequencies_, dtype=np.float64)
        cosine, sine = self.centres[number][0::2], self.centres[number][1::2]
        linear, square = first @ W.T, -0.5 * (second @ np.square(W).T)
        found = np.empty((len(first), 2 * len(W)))
        found[:, 0::2] = -sine * linear + cosine * square
        found[:, 1::2] = cosine * linear + sine * square
        return found

    def left(self, number: int, codes: np.ndarray, side: int) -> np.ndarray:
        """Return the features of rows less what single columns contribute, for one bandwidth."""
        Z = self.normal(codes, side)
        return self.maps[number].transform(Z) - self.of_columns(number, Z, Z * Z)

    def pairs(self, alike: float, most: int = 20) -> tuple[tuple[int, int, float, float], ...]:
        """Return the pairs of columns of numbers whose rank correlation differs beyond chance."""
        r = np.empty_like(self.products)
        for number, product in enumerate(self.products):
            size = np.sqrt(np.maximum(np.diag(product), 1e-300))
            r[number] = np.clip(product / np.outer(size, size), -0.999, 0.999)
        numbers = np.flatnonzero(~self.is_word)
        if len(numbers) < 2:
            return ()
        one, other = (numbers[places] for places in np.triu_indices(len(numbers), 1))
        error = np.sqrt(alike * sum(1.0 / max(n - 3, 1) for n in self.n_used))
        z = np.abs(np.arctanh(r[0]) - np.arctanh(r[1]))[one, other] / error
        order = np.argsort(-z, kind="stable")[:most]
        order = order[z[order] > norm.isf(_PAIR_ALARM / 2 / len(z))]
        return tuple(
            (int(one[k]), int(other[k]), float(r[0, one[k], other[k]]), float(r[1, one[k], other[k]])) for k in order
        )


def _sums(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the sums of rows that follow each other, from each start to the next."""
    if len(starts) > 16:
        return np.add.reduceat(values, starts, axis=0)
    # Several times quicker where blocks are long.
    return np.stack([part.sum(axis=0) for part in np.split(values, starts[1:])])


def _joint_statistics(signs: np.ndarray, joint: _Joint) -> np.ndarray:
    scale = np.sqrt(signs.shape[1])
    parts = [
        np.square(signs @ (scale * joint.means[number]).astype(np.float32)).sum(axis=1)
        for number in range(len(_PHASES))
    ]
    return np.column_stack(parts)


# --- rows -------------------------------------------------------------------------------------------------------------


def _extremes(
    sides: tuple[Rows, Rows],
    layouts: tuple[_Layout, _Layout],
    coding: _Coding,
    is_named: np.ndarray,
    halves: np.ndarray,
    joint: _Joint | None,
    most: int = 100,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of either sample where the witness function is farthest on its own side."""
    pooled = halves.mean(axis=0)
    features = coding.features(pooled)
    witness = np.einsum("dbf,df->db", features, np.einsum("db,dbf->df", halves[0] - halves[1], features))
    witness[~is_named] = 0.0
    found = []
    for number, (side, layout, sign) in enumerate(zip(sides, layouts, (-1.0, 1.0), strict=True)):
        rows = layout.some(WITNESS_ROWS)
        codes = coding.codes(side[rows])
        height = np.zeros(len(rows))
        for column in np.flatnonzero(is_named).tolist():
            height += witness[column, codes[column]]
        if joint is not None:
            for k, means in enumerate(joint.means):
                apart = means[: joint.n_first].mean(axis=0) - means[joint.n_first :].mean(axis=0)
                height += joint.left(k, codes, number) @ apart
        found.append(rows[np.argsort(sign * height, kind="stable")[:most]])
    return found[0], found[1]
