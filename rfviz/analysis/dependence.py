"""How strongly the columns of a table depend on each other, whether or not they correlate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chndtrinc, gammaincc
from scipy.stats import chi2, false_discovery_control

from rfviz.backend import single_threaded_blas
from rfviz.errors import DataError
from rfviz.inputs import as_places, as_rows
from rfviz.progress import Progress, silent

__all__ = ["ConditionalDependence", "DependenceResult", "find_conditional_dependence", "find_dependence"]

_FEWEST_ROWS = 40
# Waves over the ranks of a column, at most; words of a column that count as themselves, and rows that each must have.
_WAVES, _WORDS, _WORD_ROWS = 8, 11, 5
# A direction of less variance, of the largest, is what rounding leaves: kept, it would correlate with all others.
_LEAST_VARIANCE = 1e-4
# Waves of a column that is held constant, times those of others; less of a direction than this share is what they miss.
_GIVEN, _LEAST_LEFT = 6, 0.01
# Pairs that are compared at once.
_PAIRS = 20_000
# Of columns with gaps of their own: rows of all pairs together, but rows of one pair at least; and how many of the
# strongest pairs are measured again by all their rows.
_ROWS_OF_PAIRS, _ROWS_OF_A_PAIR, _AGAIN = 10_000_000, 1000, 100


@dataclass(frozen=True, eq=False)
class DependenceResult:
    """How strongly pairs of columns depend on each other, by the rows that both know.

    Attributes
    ----------
    strength : ndarray of shape (d, d)
        From 0 to 1: how well the better known one of two columns follows from the other, as a correlation.
    correlation : ndarray of shape (d, d)
        Spearman's; nan for words.
    p_value : ndarray of shape (d, d)
        Of the hypothesis that a pair is independent, for rows that are.
    adjusted : ndarray of shape (d, d)
        P-values adjusted for the number of pairs: of all pairs with at most q, a share q at most is expected to be
        independent (Benjamini and Hochberg).
    freedom : ndarray of int, shape (d, d)
        Degrees of freedom; 0 for a pair that was not measured, as fewer than 40 rows know both, or one of them hardly
        varies in these.
    both : ndarray of int, shape (d, d)
        Rows that know both, by which the pair was measured.
    neighbours : ndarray of shape (d,)
        How alike rows are that follow each other, as a correlation. Where it is large for both columns of a pair, the
        p-value is too small.
    """

    strength: np.ndarray
    correlation: np.ndarray
    p_value: np.ndarray
    adjusted: np.ndarray
    freedom: np.ndarray
    both: np.ndarray
    neighbours: np.ndarray
    n_rows: int

    def visible(self, q: float, power: float = 0.95) -> float:
        """Return the least strength that gives a dependence an adjusted p-value of `q`, in whichever pair it is.

        Parameters
        ----------
        q : float
            The adjusted p-value.
        power : float
            How often it does.

        Returns
        -------
        float
            From 0 to 1; 1 where no dependence would do so in some pair, or no pair was measured.
        """
        measured = np.triu(self.freedom, 1) > 0
        freedom, both = np.unique(np.stack([self.freedom[measured], self.both[measured]]), axis=1)
        if not freedom.size:
            return 1.0
        needed = chi2.isf(q / np.count_nonzero(measured), freedom)
        return float(np.minimum(np.sqrt(chndtrinc(needed, freedom, 1.0 - power) / both), 1.0).max())


def find_dependence(X: Any, categories: Sequence[int] = (), progress: Progress = silent) -> DependenceResult:
    r"""Measure how strongly the columns of a table depend on each other.

    Each column becomes up to eight cosine waves over its ranks; words, and numbers of few values, become indicators of
    those that at least five rows have. The strength of a pair is that of redundancy analysis (van den Wollenberg 1977):
    the largest share of the variance of a combination of one column's waves or indicators that those of the other
    column explain, over the largest variance that a combination has; of the two directions the larger counts, adjusted
    for the degrees of freedom (Ezekiel 1930), and its root is told. So a word counts by the rows that have it. Of
    numbers of many values it is the largest canonical correlation, as in the randomized dependence coefficient
    (Lopez-Paz, Hennig, Schölkopf 2013), whose random waves over ranks these fixed ones replace; it is never told as
    less than the rank correlation.

    The statistic is Pillai's trace, the sum of the squared canonical correlations. Its p-value is that of the gamma law
    with the mean and the variance that permutations of the rows give (Kazi-Aoual et al. 1995), for rare words make the
    variance larger than that of the χ² law.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
        NaN where a value is missing.
    categories : sequence of int
        Columns of words, as whole numbers from 0.

    Raises
    ------
    DataError
        For fewer than 40 rows, or a single column, or anything but numbers.
    ParameterError
        If `categories` names a column that is not there.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal((1000, 3))
    >>> x[:, 1] = x[:, 0] ** 2
    >>> result = find_dependence(x)
    >>> bool(result.strength[0, 1] > 0.98), bool(abs(result.correlation[0, 1]) < 0.2)
    (True, True)
    """
    X = as_rows(X, gaps=True).astype(np.float64, copy=False)
    n, d = X.shape
    categories = as_places(categories, d)
    if n < _FEWEST_ROWS or d < 2:
        raise DataError(
            f"Dependence is measured of two columns and {_FEWEST_ROWS} rows at least; here are {d} and {n:,}."
        )
    is_word = np.zeros(d, dtype=bool)
    is_word[list(categories)] = True
    found = _Pairs(X, is_word)
    found.measure_all(progress)
    measured = np.triu(found.freedom, 1) > 0
    adjusted = np.ones((d, d))
    if measured.any():
        adjusted[measured] = false_discovery_control(found.p_value[measured])
    adjusted = np.minimum(adjusted, adjusted.T)
    return DependenceResult(
        found.strength, found.correlation, found.p_value, adjusted, found.freedom, found.both, found.neighbours, n
    )


class _Pairs:
    """What :class:`DependenceResult` holds of each pair of columns, filled in pair by pair or many pairs at once."""

    def __init__(self, X: np.ndarray, is_word: np.ndarray) -> None:
        d = X.shape[1]
        self._known, self._is_word = np.isfinite(X), is_word
        self._numbered = np.stack([np.unique(column, return_inverse=True)[1] for column in X.T], axis=1)
        self.strength, self.correlation, self.p_value = np.eye(d), np.full((d, d), np.nan), np.ones((d, d))
        self.freedom, self.both = np.zeros((d, d), dtype=np.int64), np.zeros((d, d), dtype=np.int64)
        self.neighbours = np.zeros(d)

    def measure_all(self, progress: Progress) -> None:
        """Measure all pairs.

        Columns that are known in the same rows are compared at once. Where many columns have gaps of their own, each
        pair of them is compared by some of its rows, and the strongest pairs by all of them.
        """
        groups = self._known_alike()
        pairs = [(a, b) for b in range(len(groups)) for a in range(b + 1)]
        most = max(_ROWS_OF_PAIRS // len(pairs), _ROWS_OF_A_PAIR)
        by_some = np.zeros_like(self.strength, dtype=bool)
        for number, (a, b) in enumerate(pairs):
            progress(number / len(pairs), "Pairs of columns")
            one, other = groups[a], groups[b]
            rows = np.flatnonzero(self._known[:, one[0]] & self._known[:, other[0]])
            if a != b and len(rows) > most:
                by_some[np.ix_(one, other)] = True
                rows = rows[:: -(-len(rows) // most)]
            self._measure(rows, one, other)
        strongest = np.argwhere(by_some)
        strongest = strongest[np.argsort(-self.strength[by_some], kind="stable")[:_AGAIN]]
        for pair in strongest:
            self._measure(np.flatnonzero(self._known[:, pair].all(axis=1)), pair[:1], pair[1:])

    def _known_alike(self) -> list[np.ndarray]:
        """Return the columns in groups that are known in the same rows."""
        groups = dict[bytes, list[int]]()
        for column, known in enumerate(self._known.T):
            groups.setdefault(np.packbits(known).tobytes(), []).append(column)
        return [np.array(columns) for columns in groups.values()]

    def _measure(self, rows: np.ndarray, one: np.ndarray, other: np.ndarray) -> None:
        """Measure the pairs of columns of two groups by rows that all of them know, or of one group with itself."""
        self.both[np.ix_(one, other)] = self.both[np.ix_(other, one)] = len(rows)
        if len(rows) < _FEWEST_ROWS:
            return
        left = right = _Columns(self._numbered[np.ix_(rows, one)], self._is_word[one])
        if one is other:
            self.neighbours[one] = left.neighbours
        else:
            right = _Columns(self._numbered[np.ix_(rows, other)], self._is_word[other])
        of_pairs = self.strength, self.correlation, self.p_value, self.freedom
        for i, j, *found in _compared(left, right):
            for values, part in zip(of_pairs, found, strict=True):
                values[one[i], other[j]] = values[other[j], one[i]] = part


class _Columns:
    """Columns without gaps, as waves or indicators.

    Parameters
    ----------
    numbered : ndarray of int, shape (n, d)
        The place of each value among those that its column can have.
    is_word : ndarray of bool, shape (d,)

    Attributes
    ----------
    waves : ndarray of shape (n, d, width)
        See :func:`_waves`; zeros where a column has fewer.
    whitening : ndarray of shape (d, width, width)
        What makes the waves of a column orthonormal.
    ranks : ndarray of shape (n, d)
        Centred, of length 1; zeros for words.
    sizes : ndarray of int, shape (d,)
        Directions that a column has.
    leverage : ndarray of shape (d,)
        The sum of the squared leverages of the rows: large where few rows carry a direction.
    neighbours : ndarray of shape (d,)
        See :class:`DependenceResult`.
    """

    def __init__(self, numbered: np.ndarray, is_word: np.ndarray) -> None:
        n, d = numbered.shape
        made = [_waves(column, bool(word)) for column, word in zip(numbered.T, is_word, strict=True)]
        width = max(waves.shape[1] for waves, _, _ in made)
        self.waves, self.whitening = np.zeros((n, d, width), dtype=np.float32), np.zeros((d, width, width))
        self.ranks, self.sizes = np.zeros((n, d)), np.zeros(d, dtype=np.int64)
        self.leverage, self.neighbours = np.zeros(d), np.zeros(d)
        for column, (waves, whitening, ranks) in enumerate(made):
            size = whitening.shape[1]
            if not size:
                continue
            white = waves @ whitening
            self.waves[:, column, : waves.shape[1]], self.sizes[column] = waves, size
            self.whitening[column, : waves.shape[1], :size] = whitening
            self.leverage[column] = np.sum(np.einsum("ij,ij->i", white, white) ** 2)
            self.neighbours[column] = np.einsum("ij,ij->", white[1:], white[:-1]) / size
            if not is_word[column]:
                self.ranks[:, column] = ranks / np.linalg.norm(ranks)


def _compared(one: _Columns, other: _Columns) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield, some pairs at a time, their places, and strength, rank correlation, p-value and degrees of freedom."""
    n, d, width = one.waves.shape
    with single_threaded_blas():
        blocks = (one.waves.reshape(n, -1).T @ other.waves.reshape(n, -1)).reshape(d, width, -1, other.waves.shape[2])
        ranks = one.ranks.T @ other.ranks
    pairs = np.argwhere(np.triu(np.ones(ranks.shape, dtype=bool), 1) if one is other else np.ones(ranks.shape)).T
    for start in range(0, pairs.shape[1], _PAIRS):
        i, j = pairs[:, start : start + _PAIRS]
        block = blocks[i, :, j].astype(np.float64)
        from_one = one.whitening[i].transpose(0, 2, 1) @ block
        from_other = other.whitening[j].transpose(0, 2, 1) @ block.transpose(0, 2, 1)
        share = np.maximum(_explained(from_one, one.sizes[i], n), _explained(from_other, other.sizes[j], n))
        trace = np.sum((from_one @ other.whitening[j]) ** 2, axis=(1, 2))
        r = np.clip(ranks[i, j], -1.0, 1.0)
        strength, freedom = np.maximum(np.sqrt(share), np.abs(r)), one.sizes[i] * other.sizes[j]
        mean, variance = _moments(n, one.sizes[i], one.leverage[i], other.sizes[j], other.leverage[j])
        p_value = np.where(freedom > 0, gammaincc(mean**2 / variance, trace * mean / variance), 1.0)
        has_ranks = np.abs(one.ranks).max(axis=0)[i] * np.abs(other.ranks).max(axis=0)[j] > 0
        yield i, j, strength, np.where(has_ranks, r, np.nan), p_value, freedom


def _explained(products: np.ndarray, size: np.ndarray | int, n: int) -> np.ndarray:
    """Return the share that some columns explain of the best explained combination of others, less what chance does.

    Parameters
    ----------
    products : ndarray of shape (k, width, other width)
        Orthonormal columns times others, of which the combination that varies most has length 1.
    size : int, or ndarray of shape (k,)
        Orthonormal columns.
    n : int
        Rows.
    """
    largest = np.linalg.eigvalsh(products.transpose(0, 2, 1) @ products)[:, -1]
    return np.clip(1.0 - (1.0 - largest) * (n - 1) / np.maximum(n - 1 - size, 1), 0.0, 1.0)


def _moments(
    n: int, one: np.ndarray, leverage: np.ndarray, other: np.ndarray, other_leverage: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of Pillai's trace over all permutations of the rows (Kazi-Aoual et al. 1995).

    Parameters
    ----------
    n : int
        Rows.
    one, other : ndarray of int
        Directions of both columns, at least 1.
    leverage, other_leverage : ndarray
        Sums of the squared leverages.
    """
    one, other = (np.maximum(size, 1).astype(np.float64) for size in (one, other))

    def even(k: np.ndarray) -> np.ndarray:
        return (n - 1) * k - k**2

    def uneven(k: np.ndarray, squares: np.ndarray) -> np.ndarray:
        return n * (n + 1) * squares - (n - 1) * (k**2 + 2 * k)

    variance = 2.0 * even(one) * even(other) / ((n - 1) ** 2 * (n + 1) * (n - 2))
    variance += uneven(one, leverage) * uneven(other, other_leverage) / ((n + 1.0) * n * (n - 1) * (n - 2) * (n - 3))
    return one * other / (n - 1), variance


@dataclass(frozen=True, eq=False)
class ConditionalDependence:
    """How strongly pairs of columns depend on each other among rows that agree in a third one.

    Attributes
    ----------
    strength : ndarray of shape (n_pairs,)
        From 0 to 1, as in :class:`DependenceResult`, of the parts of both that the third column does not explain.
    p_value, adjusted : ndarray of shape (n_pairs,)
        Of the hypothesis that a pair is independent given the third column; adjusted for the number of pairs.
    """

    strength: np.ndarray
    p_value: np.ndarray
    adjusted: np.ndarray


def find_conditional_dependence(
    X: Any, pairs: Any, given: int, categories: Sequence[int] = (), progress: Progress = silent
) -> ConditionalDependence:
    r"""Measure how strongly pairs of columns depend on each other among rows that agree in another column.

    The waves of both columns are predicted by least squares from more waves of the third one, and their residuals
    correlated, as in the randomized conditional correlation test (Strobl, Zhang, Visweswaran 2019). Its law depends on
    how the noise of both varies with the third column; here the products of residuals, :math:`g_i`, have

    .. math:: n\,\bar g^\top \Big(\tfrac1n \sum_i g_i g_i^\top\Big)^{-1} \bar g

    which follows a χ² law in large tables whatever the noise is.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
        NaN where a value is missing.
    pairs : array-like of int, shape (n_pairs, 2)
    given : int
        The column that is held constant.
    categories : sequence of int
        Columns of words, as whole numbers from 0.

    Raises
    ------
    DataError
        For anything but numbers.
    ParameterError
        If `pairs`, `given` or `categories` names a column that is not there.

    Examples
    --------
    >>> z, e, f = np.random.default_rng(0).standard_normal((3, 2000))
    >>> X = np.column_stack([z + e, z + f, z])
    >>> found = find_conditional_dependence(X, np.array([[0, 1]]), given=2)
    >>> bool(find_dependence(X).p_value[0, 1] < 1e-9), bool(found.p_value[0] > 0.01)
    (True, True)
    """
    X = as_rows(X, gaps=True).astype(np.float64, copy=False)
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    as_places([*pairs.ravel().tolist(), given], X.shape[1], "pairs and given")
    strength, p_value = np.zeros(len(pairs)), np.ones(len(pairs))
    words = set(as_places(categories, X.shape[1]))
    with single_threaded_blas():
        for number, columns in enumerate(pairs.tolist()):
            progress(number / len(pairs), "Pairs of columns")
            values = X[:, [*columns, given]]
            values = values[np.isfinite(values).all(axis=1)]
            if len(values) < _FEWEST_ROWS:
                continue
            *both, held = (
                _waves(np.unique(cells, return_inverse=True)[1], column in words, times)[:2]
                for cells, column, times in zip(values.T, (*columns, given), (1, 1, _GIVEN), strict=True)
            )
            one, other = (_left(*waves, held[0] @ held[1]) for waves in both)
            if one[0].shape[1] and other[0].shape[1]:
                strength[number], p_value[number] = _left_over(*one, *other)
    adjusted = false_discovery_control(p_value) if len(pairs) else p_value
    return ConditionalDependence(strength, p_value, adjusted)


def _left(waves: np.ndarray, whitening: np.ndarray, held: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the residuals of waves after regression on the orthonormal columns `held`.

    Returns
    -------
    left : ndarray of shape (n, k)
        Orthonormal directions, without those that `held` explains nearly completely.
    waves : ndarray of shape (n, width)
        Coefficients of the waves in these directions; the combination that varies most has length 1.
    """
    white = waves @ whitening
    white -= held @ (held.T @ white)
    values, vectors = np.linalg.eigh(white.T @ white)
    kept = values > _LEAST_LEFT
    left = white @ (vectors[:, kept] / np.sqrt(values[kept]))
    if not kept.any():
        return left, left
    rest = left.T @ waves
    return left, left @ rest / np.linalg.norm(rest, 2)


def _left_over(one: np.ndarray, waves: np.ndarray, other: np.ndarray, other_waves: np.ndarray) -> tuple[float, float]:
    """Return strength and p-value of the dependence between the residuals of two columns; see :func:`_left`."""
    n = len(one)
    share = max(
        float(_explained((source.T @ target)[None], source.shape[1], n)[0])
        for source, target in ((one, other_waves), (other, waves))
    )
    products = n * (one[:, :, None] * other[:, None, :]).reshape(n, -1)
    mean = products.mean(axis=0)
    statistic = n * float(mean @ np.linalg.lstsq(products.T @ products / n, mean, rcond=None)[0])
    return float(np.sqrt(share)), float(chi2.sf(statistic, len(mean)))


def _waves(numbered: np.ndarray, is_word: bool, times: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a column as cosine waves over its ranks, or as indicators where it holds words or few values.

    Parameters
    ----------
    numbered : ndarray of int, shape (n,)
        The place of each value among those that the column can have.
    times : int
        How many waves for one that a column has by itself.

    Returns
    -------
    waves : ndarray of shape (n, width)
        Centred; the combination of them that varies most has length 1.
    whitening : ndarray of shape (width, size)
        What makes them orthonormal, but for directions of nearly no variance; of size 0 for a constant.
    ranks : ndarray of shape (n,)
        Centred.
    """
    n, counts = len(numbered), np.bincount(numbered)
    place = ((np.cumsum(counts) - 0.5 * counts) / n)[numbered]
    if is_word or np.count_nonzero(counts) <= _WORDS + 1:
        waves = _indicators(numbered, counts)
    else:
        waves = _cosines(place, times * int(np.clip(round(n ** (1 / 3) / 1.5), 3, _WAVES)))
    waves -= waves.mean(axis=0)
    values, vectors = np.linalg.eigh(waves.T @ waves)
    largest = max(float(values[-1]), 1.0)
    kept = values > _LEAST_VARIANCE * largest
    return waves / np.sqrt(largest), vectors[:, kept] * np.sqrt(largest / values[kept]), place - 0.5


def _cosines(place: np.ndarray, waves: int) -> np.ndarray:
    """Return waves over ranks between 0 and 1."""
    found = np.empty((len(place), waves))
    before, now = 1.0, np.cos(np.pi * place)
    double = 2.0 * now
    for wave in range(waves):  # cos (k + 1)θ = 2 cos θ cos kθ − cos (k − 1)θ, quicker than a cosine
        found[:, wave] = now
        before, now = now, double * now - before
    return found


def _indicators(numbered: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return indicators of the frequent words of a column, and one of all others together.

    Others that are fewer than a word must have count as the rarest of the frequent words. Of words that are equally
    frequent those that come first are chosen, whatever they are called: so a name and its code have the same ones.
    """
    first = np.zeros(len(counts), dtype=np.int64)
    first[numbered[::-1]] = np.arange(len(numbered))[::-1]  # of rows with one number the last that is assigned stays
    order = np.lexsort([first, -counts])
    often = order[: min(_WORDS, int(np.count_nonzero(counts >= _WORD_ROWS)))]
    place = np.full(len(counts), len(often))
    place[often] = np.arange(len(often))
    if len(numbered) - counts[often].sum() < _WORD_ROWS:
        place = np.minimum(place, max(len(often) - 1, 0))
    return (place[numbered][:, None] == np.arange(place.max() + 1)).astype(np.float64)
