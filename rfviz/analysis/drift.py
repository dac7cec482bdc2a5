"""Whether two samples have one distribution, and where they differ: maximum mean discrepancy on Fourier features."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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

__all__ = [
    "FEWEST_ROWS",
    "WANDERING",
    "WITNESS_ROWS",
    "DriftProfile",
    "DriftResult",
    "Rows",
    "find_drift",
    "profile_of",
]

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
# Mean square, of a column of variance 1, below which block means do not vary.
_ROUNDING = 1e-20
#: Correlation of neighbouring blocks from which blocks do not count as independent.
WANDERING = 0.35
_PAIR_ALARM = 0.01
_NO_VARIANCE = 1e-12
# Of a profile: its blocks at least and at most, the numbers that it keeps of all of them together if that is more than
# at least, features of each bandwidth, and columns of which it keeps all correlations; and blocks of a sample that is
# compared with it. They keep a profile of 40 columns below 20 kB.
_PROFILE_BLOCKS, _PROFILE_MEANS, _PROFILE_FEATURES, _PROFILE_PAIRS, _COMPARED_BLOCKS = (16, 32), 8500, 64, 30, 64
# Rows of such a block at least: blocks of two sizes are exchangeable only if their means are nearly normal.
_COMPARED_ROWS = 10
# Steps of a number that a profile keeps: of shares, of correlations, and of means of blocks to either side of 0.
_SHARE_STEPS, _CORRELATION_STEPS, _MEAN_STEPS = 65_535, 32_767, 127


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
    is_together : bool
        Whether the combination of columns was compared.
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
    is_together: bool = True

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

    With a profile the level holds if its blocks have as many rows as those of the first sample, and nearly otherwise:
    at 0.05, 250 rows and a profile of 8,000 with one distribution differ in 8 of 100 cases.

    Memory is bounded: rows are read in chunks, twice. The cost is O(n·d·m).

    Parameters
    ----------
    first, second : array-like or sparse matrix of shape (n_rows, n_columns), or Rows
        Rows in the order in which they may depend on each other; NaN and infinite values count as missing. Memory maps
        and other :class:`Rows` are read in chunks. The second may be a :class:`DriftProfile`.
    categories : sequence of int
        Columns of words, as whole numbers from 0; a profile knows its own.

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
    if isinstance(second, DriftProfile):
        return _from_profile(_read(first, "first"), second, random_state, progress)
    sides = (_read(first, "first"), _read(second, "second"))
    n_rows, n_columns = (len_of(sides[0]), len_of(sides[1])), [side.shape[1] for side in sides]
    _check_rows(n_rows)
    if n_columns[0] != n_columns[1] or not n_columns[0]:
        raise DataError(f"Samples must have the same columns; these have {n_columns[0]} and {n_columns[1]}.")
    categories = as_places(categories, n_columns[0])
    layouts = _layouts(n_rows)
    coding = _coding_of(sides, layouts, categories, random_state)
    with single_threaded_blas():
        counts = np.concatenate(
            [_count(side, layout, coding, progress) for side, layout in zip(sides, layouts, strict=True)]
        )
        is_first = np.arange(len(counts)) < layouts[0].n_blocks
        shares = counts / counts.sum(axis=2, keepdims=True)
        halves = np.stack([shares[is_first].mean(axis=0), shares[~is_first].mean(axis=0)])
        pooled = shares.mean(axis=0)
        features = coding.features(pooled)
        means = np.einsum("kdb,dbf->kdf", shares - pooled, features, optimize=True)
        found = _Samples(sides, layouts, n_rows, is_first, halves, pooled, features, means)

        def joint_of(is_in: np.ndarray) -> _Joint | None:
            if _n_varying(halves[:, is_in]) < 2 or coding.n_columns > _JOINT_COLUMNS:
                return None
            return _Joint(sides, layouts, coding, halves, is_in, random_state, _JOINT_FEATURES, progress)

        return _compared(found, coding, joint_of, random_state)


def _check_rows(n_rows: tuple[int, int]) -> None:
    if min(n_rows) < FEWEST_ROWS:
        raise DataError(f"Samples are compared from {FEWEST_ROWS} rows on; here are {n_rows[0]:,} and {n_rows[1]:,}.")


@dataclass(frozen=True, eq=False)
class _Samples:
    """Two samples as means of blocks.

    Attributes
    ----------
    sides : tuple of Rows
        Both samples, or the first one alone: a profile has no rows.
    layouts : tuple of _Layout
        Of both.
    halves : ndarray of shape (2, d, n_bins)
        Shares of the bins in either sample.
    pooled : ndarray of shape (d, n_bins)
        Those that the features were made for.
    features : ndarray of shape (d, n_bins, m)
    means : ndarray of shape (n_blocks, d, m)
        Of each block, those of the second sample times `ratio`.
    ratio : float
        The root of the rows of a block of the second sample for one of the first.
    """

    sides: tuple[Rows, ...]
    layouts: tuple[_Layout, _Layout]
    n_rows: tuple[int, int]
    is_first: np.ndarray
    halves: np.ndarray
    pooled: np.ndarray
    features: np.ndarray
    means: np.ndarray
    ratio: float = 1.0


def _compared(
    samples: _Samples, coding: _Coding, joint_of: Callable[[np.ndarray], _Joint | None], random_state: int
) -> DriftResult:
    """Return the differences of two samples; `joint_of` returns the combination of the columns that are given."""
    layouts, halves, pooled, is_first = samples.layouts, samples.halves, samples.pooled, samples.is_first
    n_used = (layouts[0].n_used, layouts[1].n_used)
    signs = _permuted(is_first, random_state)
    found = _of_columns(signs, _levelled(samples.means, is_first, samples.ratio))
    # The copula of a column with few values depends on their shares: where these differ it cannot be compared.
    is_in = (_p_values(found.scores, found.largest).min(axis=1) > 0.05) | (pooled.max(axis=1) <= _ATOM)
    joint, fused = joint_of(is_in), np.empty((len(signs), 0))
    if joint is not None:
        # The largest of three bandwidths counts as one more column.
        joint_means = [_levelled(means, is_first, samples.ratio) for means in joint.means]
        fused = _one_scale(_joint_statistics(signs, joint_means)).max(axis=1, keepdims=True)
        fused = (fused - fused.mean()) / fused.std()
    largest = np.column_stack([found.largest, found.summed[1:], fused[1:]]).max(axis=1)
    columns = _p_values(found.scores, largest)
    column_p, values_p = columns.min(axis=1), columns[:, :-1].min(axis=1)
    of_all, together = (_p_values(scores[0], largest).min(initial=1.0) for scores in (found.summed, fused))
    features = samples.features
    variance = np.einsum("db,dbf->df", pooled, features**2) - np.einsum("db,dbf->df", pooled, features) ** 2
    block_rows = sum(n_used) / len(is_first)
    own_rows = block_rows if samples.ratio == 1.0 else n_used[0] / layouts[0].n_blocks
    alike, neighbours = _alikeness(samples.means, is_first, variance, own_rows)
    p_value, pairs, extremes = min(column_p.min(), of_all, together), (), (np.empty(0, int), np.empty(0, int))
    if joint is not None and together <= 0.05:
        pairs = joint.pairs(max(alike, 1.0))
    if p_value <= 0.05:
        # Where no column stands out, the sum of all does.
        is_named = (column_p <= 0.05) | (column_p.min() > 0.05 >= of_all)
        extremes = _extremes(samples, coding, is_named, joint if together <= 0.05 else None)
    return DriftResult(
        float(p_value),
        column_p,
        values_p,
        float(together),
        _distances(halves, coding),
        halves[:, :, -1].T,
        pairs,
        extremes,
        samples.n_rows,
        n_used,
        round(block_rows),
        alike,
        *neighbours,
        joint is not None,
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


def _levelled(means: np.ndarray, is_first: np.ndarray, ratio: float) -> np.ndarray:
    """Return means of blocks that can be permuted, of which those of the second sample are times `ratio`.

    So all of them vary alike, but what all rows share counts once in the first sample and `ratio` times in the second.
    A reflection makes it count alike: it keeps the distribution of independent normal numbers, and turns the
    difference of the samples' means into that of the two groups of blocks, up to a factor.
    """
    if ratio == 1.0:
        return means
    shared = np.where(is_first, 1.0, ratio)
    normal = shared / np.linalg.norm(shared) - len(means) ** -0.5
    return means - np.multiply.outer(2.0 / (normal @ normal) * normal, np.tensordot(normal, means, axes=1))


# --- columns as bins --------------------------------------------------------------------------------------------------


class _Coding:
    """How values become bins: quantiles of samples, words by themselves, the last for missing values.

    A number's first 16 bits in float32, less the median, tell its bin: no search, and fine steps near the median.
    The unit is a power of two about as large as usual differences: it rounds nothing, and keeps them in range.

    Parameters
    ----------
    centre, unit : ndarray of shape (d,)
    bins : ndarray of shape (d, 65536), uint8
        The bin of each cell.
    words : dict of int to ndarray
        Of columns of words, the bin of each word.
    n_bins : int
        The last one is for missing values.
    """

    def __init__(
        self,
        centre: np.ndarray,
        unit: np.ndarray,
        bins: np.ndarray,
        words: dict[int, np.ndarray],
        n_bins: int,
        seed: int,
    ) -> None:
        self.n_columns, self.centre, self.unit, self.bins, self._words = len(centre), centre, unit, bins, words
        self.is_word = np.zeros(self.n_columns, dtype=bool)
        self.is_word[list(words)] = True
        self.n_bins = n_bins
        self.waves = generator(seed, 1).standard_normal((self.n_columns, self.n_bins))

    def only(self, columns: np.ndarray, seed: int) -> _Coding:
        """Return the coding of some columns."""
        words = {place: self._words[column] for place, column in enumerate(columns.tolist()) if column in self._words}
        return _Coding(self.centre[columns], self.unit[columns], self.bins[columns], words, self.n_bins, seed)

    def codes(self, block: Any) -> np.ndarray:
        """Return the bins of rows, one row a column, shape (d, n)."""
        block = np.asarray(block)
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = block / self.unit
            scaled -= self.centre
            scaled += 0.0  # there is one zero
            values = np.ascontiguousarray(scaled.T, dtype=np.float32)
        if np.isinf(values).any():  # those of the sample are not missing because they are beyond all usual ones
            np.clip(values, -_LARGEST, _LARGEST, out=values, where=np.isfinite(block.T))
        cells = values.view(np.uint32) >> np.uint32(16)
        found = np.empty(cells.shape, dtype=np.uint8)
        for column, lookup in enumerate(self.bins):
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

    def scores(self, halves: np.ndarray, units: slice = slice(None)) -> np.ndarray:
        """Return the normal score of each bin within each sample, shape (2, d, n_bins), float32; 0 where missing.

        The samples in the slice `units` give words their units.
        """
        known = halves[:, :, :-1]
        total = np.maximum(known.sum(axis=2, keepdims=True), 1e-300)
        ranks = (np.cumsum(known, axis=2) - 0.5 * known) / total
        scores = np.zeros(halves.shape)
        scores[:, :, :-1] = ndtri(np.clip(ranks, 1e-6, 1.0 - 1e-6))
        for column in self._words:
            scores[:, column, :-1] = self.waves[column, :-1]
        weights = known / total
        # Both samples in the same units: of words the shares may differ, and the scores must not.
        weights[:, self.is_word] = weights[units, self.is_word].mean(axis=0)
        inner = scores[:, :, :-1]
        inner -= (weights * inner).sum(axis=2, keepdims=True)
        spread = np.sqrt((weights * inner**2).sum(axis=2, keepdims=True))
        inner /= np.where(spread > 1e-6, spread, np.inf)
        return scores.astype(np.float32)


def _cells() -> tuple[np.ndarray, np.ndarray]:
    """Return the cells of known numbers in the order of these, and the first float32 of each, as float64."""
    starts = (np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)).view(np.float32)
    usable = np.isfinite(starts)
    cells = np.flatnonzero(usable)[np.argsort(starts[usable], kind="stable")]
    return cells, starts[cells].astype(np.float64)


def _coding_of(
    sides: Sequence[Rows], layouts: Sequence[_Layout], categories: Sequence[int], seed: int, keeps_words: bool = False
) -> _Coding:
    """Return the coding by quantiles of all samples together; `keeps_words` where words have their bins already."""
    total = sum(layout.n_rows for layout in layouts)
    parts = [
        np.asarray(side[layout.some(max(_SAMPLE_ROWS * layout.n_rows // total, FEWEST_ROWS))], dtype=np.float64)
        for side, layout in zip(sides, layouts, strict=True)
    ]
    sample = np.concatenate(parts)
    d = sample.shape[1]
    is_word = np.zeros(d, dtype=bool)
    is_word[list(categories)] = True
    centre, unit = np.zeros(d), np.ones(d)
    n_bins = max(_BINS, _WORDS if is_word.any() else 0) + 2
    bins = np.full((d, 1 << 16), n_bins - 1, dtype=np.uint8)
    cells, values = _cells()
    # Of a cell the smallest value decides, so that a value that is an edge stays below it. Cells of negative
    # numbers begin at their largest value, and end where the next ones begin.
    is_negative = np.signbit(values)
    for column in np.flatnonzero(~is_word).tolist():
        known = sample[:, column]
        known = known[np.isfinite(known)]
        if not len(known):
            continue
        unit[column] = _unit_of(known)
        known = known / unit[column]
        centre[column] = np.median(known)
        edges = np.unique(np.quantile(known - centre[column], np.arange(1, _BINS) / _BINS, method="lower"))
        below = np.searchsorted(edges, values, side="left")
        ends = np.searchsorted(edges, np.concatenate([[-np.inf], values[:-1]]), side="right")
        bins[column, cells] = np.where(is_negative, ends, below)
    code = _words_as_they_are if keeps_words else _frequent_words
    words = {column: code(sample[:, column]) for column in np.flatnonzero(is_word).tolist()}
    return _Coding(centre, unit, bins, words, n_bins, seed)


def _words_as_they_are(values: np.ndarray) -> np.ndarray:
    return np.arange(_WORDS)


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
    varied, together, n = np.zeros(means.shape[1]), np.zeros(means.shape[1]), 0
    usual = np.maximum(variance.sum(axis=1), 1e-300)
    for side in (means[is_first], means[~is_first]):
        centred = (side - side.mean(axis=0)) / np.sqrt(usual)[:, None]
        varied += np.square(centred).sum(axis=(0, 2))
        together += (centred[1:] * centred[:-1]).sum(axis=(0, 2))
        n += len(side) - 1
    # A column that is constant within each sample varies by rounding alone, in which neighbours are alike.
    varied[varied <= _ROUNDING * max(n, 1)] = 0.0
    n_varying = max(int((variance.sum(axis=1) > 1e-12).sum()), 1)
    each = np.divide(together, varied, out=np.zeros(len(varied)), where=varied > 0)
    of_all = float(together[varied > 0].sum()) / max(float(varied.sum()), 1e-300)
    mean_square = float(varied.sum()) / max(n, 1)
    return mean_square * block_rows / n_varying, (of_all, each)


# --- all columns together ---------------------------------------------------------------------------------------------


def _n_varying(halves: np.ndarray) -> int:
    """Return the number of columns that have several values in both samples."""
    return int((halves.max(axis=2).max(axis=0) < 1.0).sum())


class _Joint:
    """Means of random Fourier features of normal scores, by block, with and without the parts of single columns.

    Parameters
    ----------
    halves : ndarray of shape (n_sides, d, n_bins)
    is_in : ndarray of bool, shape (d,)
        Columns that count.
    n_features : int
        Of each bandwidth.
    """

    def __init__(
        self,
        sides: Sequence[Rows],
        layouts: Sequence[_Layout],
        coding: _Coding,
        halves: np.ndarray,
        is_in: np.ndarray,
        seed: int,
        n_features: int,
        progress: Progress,
    ) -> None:
        self.scores = coding.scores(halves)
        self.scores[:, ~is_in] = 0.0
        self.is_word = coding.is_word  # whose scores follow no order
        self.n_used = tuple(layout.n_used for layout in layouts)
        self.maps = _joint_maps(_n_varying(halves[:, is_in]), sum(self.n_used), coding.n_columns, seed, n_features)
        self.n_first = layouts[0].n_blocks
        parts = [
            _joint_sums(side, layout, coding, lookup, self.maps, progress)
            for side, layout, lookup in zip(sides, layouts, self.scores, strict=True)
        ]
        first, second, self.means = (np.concatenate([part[k] for part in parts], axis=-2) for k in range(3))
        self.correlations = np.stack([_correlations(part[3]) for part in parts])
        self.centres = self.means.mean(axis=1)
        self.offsets = np.empty_like(self.centres)
        for number, features in enumerate(self.means):
            features -= self.of_columns(number, first, second)
            self.offsets[number] = features.mean(axis=0)
            features -= self.offsets[number]

    @property
    def apart(self) -> np.ndarray:
        """The difference of the means of both samples, shape (n_bandwidths, n_features)."""
        return self.means[:, : self.n_first].mean(axis=1) - self.means[:, self.n_first :].mean(axis=1)

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
        Z = _normal(codes, self.scores[side])
        return self.maps[number].transform(Z) - self.of_columns(number, Z, Z * Z)

    def pairs(self, alike: float, most: int = 20) -> tuple[tuple[int, int, float, float], ...]:
        """Return the pairs of columns of numbers whose rank correlation differs beyond chance."""
        r = self.correlations
        if not len(r):
            return ()
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


def _joint_maps(n_varying: int, n_rows: int, d: int, seed: int, n_features: int) -> list[RandomFourier]:
    return [
        placed(RandomFourier(n_features, gamma=phase / (2.0 * n_varying), random_state=seed + number), n_rows, d).fit(
            np.zeros((1, d), dtype=np.float32)
        )
        for number, phase in enumerate(_PHASES)
    ]


def _joint_sums(
    side: Rows,
    layout: _Layout,
    coding: _Coding,
    scores: np.ndarray,
    maps: Sequence[RandomFourier],
    progress: Progress,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return means by block of normal scores, of their squares and of their features, and the product of the scores."""
    k, d = layout.n_blocks, coding.n_columns
    first, second, sizes, product = np.zeros((k, d)), np.zeros((k, d)), np.zeros((k, 1)), np.zeros((d, d))
    means = np.zeros((len(maps), k, maps[0].n_components))
    for rows, block in layout.chunks():
        progress(0.4 + 0.5 * block[0] / k, "Comparing combinations")
        Z = _normal(coding.codes(side[rows]), scores)
        starts = np.flatnonzero(np.diff(block, prepend=-1))
        at = block[starts]
        sizes[at, 0] += np.diff(starts, append=len(block))
        first[at] += _sums(Z, starts)
        second[at] += _sums(Z * Z, starts)
        product += Z.T @ Z
        for features, feature_map in zip(means, maps, strict=True):
            features[at] += _sums(feature_map.transform(Z), starts)
    return first / sizes, second / sizes, means / sizes, product


def _normal(codes: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the normal scores of bins, shape (n, d)."""
    Z = np.empty((codes.shape[1], codes.shape[0]), dtype=np.float32)
    for column, lookup in enumerate(scores):
        Z[:, column] = lookup[codes[column]]
    return Z


def _correlations(product: np.ndarray) -> np.ndarray:
    size = np.sqrt(np.maximum(np.diag(product), 1e-300))
    return np.clip(product / np.outer(size, size), -0.999, 0.999)


def _sums(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the sums of rows that follow each other, from each start to the next."""
    if len(starts) > 16:
        return np.add.reduceat(values, starts, axis=0)
    # Several times quicker where blocks are long.
    return np.stack([part.sum(axis=0) for part in np.split(values, starts[1:])])


def _joint_statistics(signs: np.ndarray, means: Sequence[np.ndarray]) -> np.ndarray:
    scale = np.sqrt(signs.shape[1])
    parts = [np.square(signs @ (scale * part).astype(np.float32)).sum(axis=1) for part in means]
    return np.column_stack(parts)


# --- profiles ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class DriftProfile:
    """What a comparison needs of a sample, and no row of it: see :func:`profile_of`.

    All numbers are rounded already, so that nothing changes when they are written to a file and read again.

    Attributes
    ----------
    n_rows : int
    is_word : ndarray of bool, shape (d,)
        Columns of words.
    is_joint : ndarray of bool, shape (d,)
        Columns whose combination can be compared.
    centre, unit : ndarray of shape (d,), float64
        Median, and power of two near the usual distance from it.
    steps : ndarray of shape (d, 63), uint16
        The cells at which the bins of a column begin: its quantiles, as differences from the median in steps of one
        in 128.
    shares : ndarray of shape (d, n_bins), uint16
        Of the rows, in 65,535ths.
    scale : ndarray of shape (d, m), float16
        The largest deviation of a block's mean of each feature, in 127ths.
    means : ndarray of shape (n_blocks, n_varying), int8
        Deviations of blocks, of the features with a scale above 0.
    joint : ndarray of shape (3, 3, n_features), float32
        Centres, means and scales of the random features, by bandwidth.
    joint_means : ndarray of shape (3, n_blocks, n_features), int8
    correlations : ndarray of shape (n_pairs,), int16
        Of normal scores, above the diagonal; empty if there are too many columns.
    """

    n_rows: int
    is_word: np.ndarray
    is_joint: np.ndarray
    centre: np.ndarray
    unit: np.ndarray
    steps: np.ndarray
    shares: np.ndarray
    scale: np.ndarray
    means: np.ndarray
    joint: np.ndarray
    joint_means: np.ndarray
    correlations: np.ndarray

    @property
    def n_columns(self) -> int:
        return len(self.centre)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that it holds as arrays, for a file."""
        return {name: np.asarray(value) for name, value in vars(self).items()}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray]) -> DriftProfile:
        """Return the profile that :meth:`arrays` came from.

        Raises
        ------
        DataError
            If an array is missing, or its shape, type or values are not those of a profile.
        """
        try:
            found = cls(int(arrays["n_rows"]), **{name: arrays[name] for name in _PROFILE_TYPES})
        except (KeyError, TypeError, ValueError, OverflowError):
            raise DataError("The profile lacks a part. Make it again: rfviz profile FILE -o PROFILE.npz") from None
        damaged = DataError("The profile is damaged. Make it again: rfviz profile FILE -o PROFILE.npz")
        types = {name: (np.dtype(dtype), n) for name, (dtype, n) in _PROFILE_TYPES.items()}
        if any((getattr(found, name).dtype, getattr(found, name).ndim) != held for name, held in types.items()):
            raise damaged
        d, n_bins, m, k = found.n_columns, found.shares.shape[-1], found.scale.shape[-1], len(found.means)
        f, n_in = found.joint.shape[-1], int(found.is_joint.sum())
        shapes = {
            "is_word": (d,),
            "is_joint": (d,),
            "centre": (d,),
            "unit": (d,),
            "steps": (d, _BINS - 1),
            "shares": (d, n_bins),
            "scale": (d, m),
            "means": (k, int((found.scale > 0).sum())),
            "joint": (len(_PHASES), 3, f) if n_in else (0, 3, f),
            "joint_means": (len(_PHASES), k, f) if n_in else (0, k, f),
            "correlations": (n_in * (n_in - 1) // 2 if n_in <= _PROFILE_PAIRS else 0,),
        }
        has_words = bool(found.is_word.any())
        is_right = (
            all(getattr(found, name).shape == shape for name, shape in shapes.items())
            and d > 0
            and n_bins == max(_BINS, _WORDS if has_words else 0) + 2
            and m == (n_bins - 1 if has_words else _WAVES) + _QUESTIONS - 1
            and 2 <= k <= _PROFILE_BLOCKS[1]
            and found.n_rows >= FEWEST_ROWS
            and all(np.isfinite(found.arrays()[name]).all() for name in ("centre", "unit", "scale", "joint"))
            and bool((found.unit > 0).all() and (found.scale >= 0).all() and found.shares.any(axis=1).all())
            and (f == _PROFILE_FEATURES or not n_in)
        )
        if not is_right:
            raise damaged
        return found

    def only(self, columns: Sequence[int]) -> DriftProfile:
        """Return the profile of some columns, in this order; of their combination only if all it is made of are there.

        The columns of the combination keep their order.
        """
        places = np.array(columns, dtype=np.intp)
        joint = np.flatnonzero(self.is_joint)
        is_whole = [column for column in columns if self.is_joint[column]] == joint.tolist()
        of_means = np.cumsum((self.scale > 0).ravel()).reshape(self.scale.shape) - 1
        kept = of_means[places][self.scale[places] > 0]
        return replace(
            self,
            is_word=self.is_word[places],
            is_joint=self.is_joint[places] & is_whole,
            centre=self.centre[places],
            unit=self.unit[places],
            steps=self.steps[places],
            shares=self.shares[places],
            scale=self.scale[places],
            means=self.means[:, kept],
            joint=self.joint if is_whole else self.joint[:0],
            joint_means=self.joint_means if is_whole else self.joint_means[:0],
            correlations=self.correlations if is_whole else self.correlations[:0],
        )

    def quantiles(self, column: int, n: int) -> np.ndarray:
        """Return n values of a column as evenly spread as its known ones: bins of words, or numbers within their bins.

        Beyond the outer quantiles it knows no number: there they are these quantiles.
        """
        shares = self.shares[column, :-1].astype(np.float64)
        if not shares.any():
            return np.empty(0)
        upper = np.cumsum(shares) / shares.sum()
        places = (np.arange(n) + 0.5) / n
        bins = np.searchsorted(upper, places, side="right")
        if self.is_word[column]:
            return bins.astype(np.float64)
        _, values = _cells()
        steps = self.steps[column]
        edges = values[np.minimum(steps[steps < len(values)], len(values) - 1)]
        edges = edges if len(edges) else np.zeros(1)
        low, high = edges[np.clip(bins - 1, 0, len(edges) - 1)], edges[np.clip(bins, 0, len(edges) - 1)]
        below = np.concatenate([[0.0], upper])[bins]
        within = (places - below) / np.maximum(upper[bins] - below, 1e-300)
        return (low + within * (high - low) + self.centre[column]) * self.unit[column]


# The type of each array of a profile, and how many axes it has.
_PROFILE_TYPES: dict[str, tuple[Any, int]] = {
    "is_word": (bool, 1),
    "is_joint": (bool, 1),
    "centre": (np.float64, 1),
    "unit": (np.float64, 1),
    "steps": (np.uint16, 2),
    "shares": (np.uint16, 2),
    "scale": (np.float16, 2),
    "means": (np.int8, 2),
    "joint": (np.float32, 3),
    "joint_means": (np.int8, 3),
    "correlations": (np.int16, 1),
}


def profile_of(
    rows: Any, categories: Sequence[int] = (), together: Sequence[int] | None = None, progress: Progress = silent
) -> DriftProfile:
    """Return what a comparison with a sample needs of it: some kB, and no row.

    It holds of each column its median and 63 quantiles, to about 1 in 128 of their distance from the median, the
    shares of its values between them, of its words and of its gaps; and of up to 32 blocks of rows the means of
    features, rounded to 8 bits.

    Parameters
    ----------
    rows : array-like or sparse matrix of shape (n_rows, n_columns), or Rows
        As :func:`find_drift` takes them.
    categories : sequence of int
        Columns of words, as whole numbers from 0 to 99; larger ones count as one word.
    together : sequence of int, optional
        Columns whose combination is compared, too; by default all. Those that do not vary are left out.

    Raises
    ------
    DataError
        If there are fewer than 40 rows, or no column.

    Examples
    --------
    >>> A = np.random.default_rng(0).standard_normal((2000, 3))
    >>> B = np.random.default_rng(1).standard_normal((2000, 3)) + [0, 0.5, 0]
    >>> find_drift(B, profile_of(A)).columns()
    array([1])
    """
    side = _read(rows, "rows")
    n, d = len_of(side), side.shape[1]
    _check_rows((n, n))
    if not d:
        raise DataError("Samples must have columns; this one has none.")
    categories = as_places(categories, d)
    n_features = (d - len(categories)) * (_WAVES + 2) + 32 * len(categories) + len(_PHASES) * _PROFILE_FEATURES
    n_blocks = int(np.clip(_PROFILE_MEANS // n_features, *_PROFILE_BLOCKS))
    layout = _Layout(n, min(n_blocks, n // _BLOCK_ROWS), n)
    coding = _coding_of((side,), (layout,), categories, 0, keeps_words=True)
    with single_threaded_blas():
        counts = _count(side, layout, coding, progress)
        by_block = counts / counts.sum(axis=2, keepdims=True)
        shares = np.rint(by_block.mean(axis=0) * _SHARE_STEPS).astype(np.uint16)
        pooled = _of_steps(shares)
        features = coding.features(pooled)
        means = np.einsum("kdb,dbf->kdf", by_block - by_block.mean(axis=0), features, optimize=True)
        scale, rounded = _rounded(means)
        is_joint = np.zeros(d, dtype=bool)
        is_joint[range(d) if together is None else list(together)] = True
        is_joint &= pooled.max(axis=1) < 1.0 - 0.5 / _SHARE_STEPS
        n_in = int(is_joint.sum())
        is_joint &= 2 <= n_in <= _JOINT_COLUMNS
        joint, joint_means = np.empty((0, 3, 0), dtype=np.float32), np.empty((0, len(means), 0), dtype=np.int8)
        correlations = np.empty(0, dtype=np.int16)
        if is_joint.any():
            columns = np.flatnonzero(is_joint)
            made = _Joint(
                (_SomeColumns(side, columns),),
                (layout,),
                coding.only(columns, 0),
                pooled[None, columns],
                np.ones(n_in, dtype=bool),
                0,
                _PROFILE_FEATURES,
                progress,
            )
            parts = [_rounded(part) for part in made.means]
            joint_means = np.stack([part for _, part in parts])
            scales = np.stack([scale for scale, _ in parts])
            joint = np.stack([made.centres, made.offsets, scales], axis=1).astype(np.float32)
            if n_in <= _PROFILE_PAIRS:
                upper = made.correlations[0][np.triu_indices(n_in, 1)]
                correlations = np.rint(upper * _CORRELATION_STEPS).astype(np.int16)
    steps = _steps_of(coding)
    return DriftProfile(
        n,
        coding.is_word,
        is_joint,
        coding.centre,
        coding.unit,
        steps,
        shares,
        scale,
        rounded[:, scale > 0],
        joint,
        joint_means,
        correlations,
    )


def _from_profile(first: Rows, profile: DriftProfile, random_state: int, progress: Progress) -> DriftResult:
    """Compare rows with a profile, whose quantiles make the bins, and whose shares make the features."""
    n_rows = len_of(first), profile.n_rows
    _check_rows(n_rows)
    if first.shape[1] != profile.n_columns:
        raise DataError(f"Samples must have the same columns; these have {first.shape[1]} and {profile.n_columns}.")
    own = _Layout(n_rows[0], min(_COMPARED_BLOCKS, n_rows[0] // _COMPARED_ROWS), n_rows[0])
    layouts = own, _Layout(n_rows[1], len(profile.means), n_rows[1])
    ratio = float(np.sqrt(n_rows[1] / layouts[1].n_blocks * own.n_blocks / n_rows[0]))
    coding = _coding_of_profile(profile)
    with single_threaded_blas():
        counts = _count(first, own, coding, progress)
        shares = counts / counts.sum(axis=2, keepdims=True)
        pooled = _of_steps(profile.shares)
        halves = np.stack([shares.mean(axis=0), pooled])
        features = coding.features(pooled)
        means = np.zeros((own.n_blocks + layouts[1].n_blocks, *profile.scale.shape))
        means[: own.n_blocks] = np.einsum("kdb,dbf->kdf", shares - pooled, features, optimize=True)
        means[own.n_blocks :, profile.scale > 0] = ratio * _deviations(profile.means, profile.scale[profile.scale > 0])
        is_first = np.arange(len(means)) < own.n_blocks
        samples = _Samples((first,), layouts, n_rows, is_first, halves, pooled, features, means, ratio)

        def joint_of(is_in: np.ndarray) -> _Joint | None:
            if not profile.is_joint.any() or not is_in[profile.is_joint].all():
                return None
            return _JointOfProfile(first, layouts, coding, halves, profile, ratio, progress)

        return _compared(samples, coding, joint_of, random_state)


class _SomeColumns:
    """Some columns of rows."""

    def __init__(self, side: Rows, columns: np.ndarray) -> None:
        self._side, self._columns, self.shape = side, columns, (len_of(side), len(columns))

    def __getitem__(self, rows: Any, /) -> np.ndarray:
        return np.asarray(self._side[rows])[:, self._columns]


class _JointOfProfile(_Joint):
    """Means of random features of rows and of a profile, of the columns of its combination."""

    def __init__(
        self,
        side: Rows,
        layouts: tuple[_Layout, _Layout],
        coding: _Coding,
        halves: np.ndarray,
        profile: DriftProfile,
        ratio: float,
        progress: Progress,
    ) -> None:
        self._columns = np.flatnonzero(profile.is_joint)
        inner = coding.only(self._columns, 0)
        self.scores = inner.scores(halves[:, self._columns], slice(1, 2))
        self.is_word = profile.is_word  # of all columns, as pairs are
        self.n_used = tuple(layout.n_used for layout in layouts)
        self.n_first, self._ratio = layouts[0].n_blocks, ratio
        self.maps = _joint_maps(len(self._columns), self.n_used[0], len(self._columns), 0, _PROFILE_FEATURES)
        self.centres, self.offsets = profile.joint[:, 0].astype(np.float64), profile.joint[:, 1].astype(np.float64)
        rows = _SomeColumns(side, self._columns)
        first, second, own, product = _joint_sums(rows, layouts[0], inner, self.scores[0], self.maps, progress)
        for number, features in enumerate(own):
            features -= self.of_columns(number, first, second) + self.offsets[number]
        theirs = np.stack(
            [
                _deviations(part, scale)
                for part, scale in zip(profile.joint_means, profile.joint[:, 2].astype(np.float64), strict=True)
            ]
        )
        self.means = np.concatenate([own, ratio * theirs], axis=1)
        d, places = profile.n_columns, np.ix_(self._columns, self._columns)
        self.correlations = np.zeros((2 if len(profile.correlations) else 0, d, d))
        if len(profile.correlations):
            upper = np.zeros((len(self._columns),) * 2)
            upper[np.triu_indices(len(upper), 1)] = profile.correlations / _CORRELATION_STEPS
            self.correlations[0][places], self.correlations[1][places] = _correlations(product), upper + upper.T

    @property
    def apart(self) -> np.ndarray:
        return self.means[:, : self.n_first].mean(axis=1) - self.means[:, self.n_first :].mean(axis=1) / self._ratio

    def left(self, number: int, codes: np.ndarray, side: int) -> np.ndarray:
        return super().left(number, codes[self._columns], side)


def _rounded(means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return means of blocks about 0 as whole numbers of 8 bits, and the unit of each feature in float16."""
    scale = (np.abs(means).max(axis=0) / (_MEAN_STEPS - 1)).astype(np.float16)  # rounded, it may be a little smaller
    scale[scale < 1e-6] = 0.0
    unit = np.where(scale > 0, scale, np.inf).astype(np.float64)
    return scale, np.clip(np.rint(means / unit), -_MEAN_STEPS, _MEAN_STEPS).astype(np.int8)


def _deviations(rounded: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return the means of blocks again, about 0."""
    means = rounded * scale.astype(np.float64)
    return means - means.mean(axis=0)


def _of_steps(shares: np.ndarray) -> np.ndarray:
    return shares / shares.sum(axis=1, keepdims=True, dtype=np.float64)


def _steps_of(coding: _Coding) -> np.ndarray:
    """Return where in the order of cells the bins of each column begin, once for each bin."""
    cells, _ = _cells()
    steps = np.full((coding.n_columns, _BINS - 1), len(cells), dtype=np.uint16)
    for column in np.flatnonzero(~coding.is_word).tolist():
        bins = coding.bins[column, cells].astype(np.int64)
        if bins[0] == coding.n_bins - 1:  # no value is known
            continue
        rises = np.diff(bins, prepend=0)
        found = np.repeat(np.arange(len(cells)), np.maximum(rises, 0))
        steps[column, : len(found)] = found
    return steps


def _coding_of_profile(profile: DriftProfile) -> _Coding:
    cells, _ = _cells()
    d, n_bins = profile.shares.shape
    bins = np.full((d, 1 << 16), n_bins - 1, dtype=np.uint8)
    for column in np.flatnonzero(~profile.is_word).tolist():
        if profile.shares[column, :-1].any():
            bins[column, cells] = np.searchsorted(profile.steps[column], np.arange(len(cells)), side="right")
    words = {column: np.arange(_WORDS) for column in np.flatnonzero(profile.is_word).tolist()}
    return _Coding(profile.centre, profile.unit, bins, words, n_bins, 0)


# --- rows -------------------------------------------------------------------------------------------------------------


def _extremes(
    samples: _Samples, coding: _Coding, is_named: np.ndarray, joint: _Joint | None, most: int = 100
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of either sample where the witness function is farthest on its own side; of a profile none."""
    halves = samples.halves
    features = coding.features(halves.mean(axis=0) if len(samples.sides) > 1 else samples.pooled)
    witness = np.einsum("dbf,df->db", features, np.einsum("db,dbf->df", halves[0] - halves[1], features))
    witness[~is_named] = 0.0
    found = [np.empty(0, int), np.empty(0, int)]
    for number, (side, layout) in enumerate(zip(samples.sides, samples.layouts, strict=False)):
        rows = layout.some(WITNESS_ROWS)
        codes = coding.codes(side[rows])
        height = np.zeros(len(rows))
        for column in np.flatnonzero(is_named).tolist():
            height += witness[column, codes[column]]
        if joint is not None:
            for k, apart in enumerate(joint.apart):
                height += joint.left(k, codes, number) @ apart
        sign = 1.0 if number else -1.0
        found[number] = rows[np.argsort(sign * height, kind="stable")[:most]]
    return found[0], found[1]
