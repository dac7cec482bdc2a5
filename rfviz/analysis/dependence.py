"""How strongly the columns of a table depend on each other, whether or not they correlate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2, false_discovery_control, rankdata

from rfviz.backend import single_threaded_blas
from rfviz.errors import DataError
from rfviz.progress import Progress, silent

__all__ = ["ConditionalDependence", "DependenceResult", "find_conditional_dependence", "find_dependence"]

_FEWEST_ROWS = 40
# Waves over the ranks of a column, at most; words of a column that count as themselves, and rows that each must have.
_WAVES, _WORDS, _WORD_ROWS = 8, 11, 5
# A direction of less variance is what rounding leaves: kept, it would correlate with all others.
_LEAST_VARIANCE = 1e-6
# Waves of a column that is held constant, times those of others; less of a direction than this share is what they miss.
_GIVEN, _LEAST_LEFT = 6, 0.01
# Pairs whose canonical correlations are computed at once.
_PAIRS = 20_000


@dataclass(frozen=True, eq=False)
class DependenceResult:
    """How strongly pairs of columns depend on each other.

    Attributes
    ----------
    strength : ndarray of shape (d, d)
        From 0 to 1: the largest correlation of a function of one column with a function of the other one.
    correlation : ndarray of shape (d, d)
        Spearman's; nan for words.
    p_value : ndarray of shape (d, d)
        Of the hypothesis that a pair is independent, for rows that are.
    adjusted : ndarray of shape (d, d)
        P-values adjusted for the number of pairs: of all pairs with at most q, a share q at most is expected to be
        independent (Benjamini and Hochberg).
    neighbours : ndarray of shape (d,)
        How alike rows are that follow each other, as a correlation. Where it is large for both columns of a pair, the
        p-value is too small.
    n_rows : int
    """

    strength: np.ndarray
    correlation: np.ndarray
    p_value: np.ndarray
    adjusted: np.ndarray
    neighbours: np.ndarray
    n_rows: int


def find_dependence(X: np.ndarray, categories: Sequence[int] = (), progress: Progress = silent) -> DependenceResult:
    """Measure how strongly the columns of a table depend on each other.

    Each column becomes up to eight cosine waves over its ranks, words become indicators; both are made uncorrelated,
    and directions of nearly no variance are cut. Between two columns the largest canonical correlation is the strength,
    as in the randomized dependence coefficient (Lopez-Paz, Hennig, Schölkopf 2013), whose random waves over ranks these
    fixed ones replace. n times the sum of the squared canonical correlations is the statistic: where columns are
    independent, and rows too, it follows a χ² law.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        NaN where a value is missing.
    categories : sequence of int
        Columns of words, as whole numbers from 0.
    progress : callable

    Raises
    ------
    DataError
        For fewer than 40 rows, or a single column.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal((1000, 3))
    >>> x[:, 1] = x[:, 0] ** 2
    >>> result = find_dependence(x)
    >>> bool(result.strength[0, 1] > 0.98), bool(abs(result.correlation[0, 1]) < 0.2)
    (True, True)
    """
    n, d = X.shape
    if n < _FEWEST_ROWS or d < 2:
        raise DataError(
            f"Dependence is measured of two columns and {_FEWEST_ROWS} rows at least; here are {d} and {n:,}."
        )
    is_word = np.zeros(d, dtype=bool)
    is_word[list(categories)] = True
    waves = _n_waves(n)
    width = max(waves, _WORDS if is_word.any() else 0)
    Q, ranks = np.zeros((n, d, width), dtype=np.float32), np.zeros((n, d), dtype=np.float32)
    known, sizes, neighbours = np.isfinite(X), np.zeros(d, dtype=np.int64), np.zeros(d)
    for column in range(d):
        progress(0.5 * column / d, "Ranks of columns")
        rows = np.flatnonzero(known[:, column])
        if len(rows) < _FEWEST_ROWS:
            continue
        values = X[rows, column]
        place = (rankdata(values) - 0.5) / len(values)
        found = _white(_indicators(values) if is_word[column] else _cosines(place, waves))
        sizes[column] = found.shape[1]
        Q[rows, column, : found.shape[1]] = found
        spread = place.std()
        if not is_word[column] and spread > 0:
            ranks[rows, column] = (place - place.mean()) / (spread * np.sqrt(len(rows)))
        neighbours[column] = np.mean(np.sum(found[1:] * found[:-1], axis=0)) if found.shape[1] else 0.0
    progress(0.5, "Pairs of columns")
    both = known.astype(np.float32).T @ known.astype(np.float32)
    counts = np.diag(both)
    # What is missing in one column is left out in the other one, too.
    scale = np.sqrt(np.outer(counts, counts)) / np.maximum(both, 1.0)
    with single_threaded_blas():
        flat = Q.reshape(n, d * width)
        blocks = (flat.T @ flat).reshape(d, width, d, width).transpose(0, 2, 1, 3)
        correlation = np.clip((ranks.T @ ranks) * scale, -1.0, 1.0).astype(np.float64)
    squares = np.einsum("ijkl,ijkl->ij", blocks, blocks).astype(np.float64) * scale**2
    freedom = np.outer(sizes, sizes)
    p_value = np.where(freedom > 0, chi2.sf(squares * both, np.maximum(freedom, 1)), 1.0)
    one, other = np.triu_indices(d, 1)
    strength = np.eye(d)
    for start in range(0, len(one), _PAIRS):
        i, j = one[start : start + _PAIRS], other[start : start + _PAIRS]
        part = blocks[i, j]
        largest = np.linalg.eigvalsh(part @ part.transpose(0, 2, 1))[:, -1]
        strength[i, j] = strength[j, i] = np.clip(np.sqrt(np.maximum(largest, 0.0)) * scale[i, j], 0.0, 1.0)
    has_no_ranks = is_word | (np.abs(ranks).max(axis=0) == 0)
    correlation[has_no_ranks] = correlation[:, has_no_ranks] = np.nan
    adjusted = np.ones((d, d))
    adjusted[one, other] = adjusted[other, one] = false_discovery_control(p_value[one, other])
    return DependenceResult(strength, correlation, p_value, adjusted, neighbours, n)


@dataclass(frozen=True, eq=False)
class ConditionalDependence:
    """How strongly pairs of columns depend on each other among rows that agree in a third one.

    Attributes
    ----------
    strength : ndarray of shape (n_pairs,)
        From 0 to 1, as in :class:`DependenceResult`, of what the third column does not say of either.
    p_value, adjusted : ndarray of shape (n_pairs,)
        Of the hypothesis that a pair is independent given the third column; adjusted for the number of pairs.
    """

    strength: np.ndarray
    p_value: np.ndarray
    adjusted: np.ndarray


def find_conditional_dependence(
    X: np.ndarray, pairs: np.ndarray, given: int, categories: Sequence[int] = (), progress: Progress = silent
) -> ConditionalDependence:
    r"""Measure how strongly pairs of columns depend on each other among rows that agree in another column.

    The waves of both columns are predicted by least squares from more waves of the third one, and what is left of them
    correlated, as in the randomized conditional correlation test (Strobl, Zhang, Visweswaran 2019). Its law depends on
    how the noise of both varies with the third column; here the products of what is left, :math:`g_i`, have

    .. math:: n\,\bar g^\top \Big(\tfrac1n \sum_i g_i g_i^\top\Big)^{-1} \bar g

    which follows a χ² law in large tables whatever the noise is.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        NaN where a value is missing.
    pairs : ndarray of int, shape (n_pairs, 2)
    given : int
        The column that is held constant.
    categories : sequence of int
        Columns of words, as whole numbers from 0.
    progress : callable

    Examples
    --------
    >>> z, e, f = np.random.default_rng(0).standard_normal((3, 2000))
    >>> X = np.column_stack([z + e, z + f, z])
    >>> found = find_conditional_dependence(X, np.array([[0, 1]]), given=2)
    >>> bool(find_dependence(X).p_value[0, 1] < 1e-9), bool(found.p_value[0] > 0.01)
    (True, True)
    """
    strength, p_value = np.zeros(len(pairs)), np.ones(len(pairs))
    words = set(categories)
    with single_threaded_blas():
        for number, columns in enumerate(pairs.tolist()):
            progress(number / len(pairs), "Pairs of columns")
            values = X[:, [*columns, given]]
            values = values[np.isfinite(values).all(axis=1)]
            n = len(values)
            if n < _FEWEST_ROWS:
                continue
            *both, held = (
                _white(
                    _indicators(cells)
                    if column in words
                    else _cosines((rankdata(cells) - 0.5) / n, _n_waves(n) * (_GIVEN if column == given else 1))
                )
                for column, cells in zip((*columns, given), values.T, strict=True)
            )
            one, other = (_left(waves - held @ (held.T @ waves)) for waves in both)
            if one.shape[1] and other.shape[1]:
                products = (one[:, :, None] * other[:, None, :]).reshape(n, -1)
                mean = products.mean(axis=0)
                spread = products.T @ products / n
                statistic = n * float(mean @ np.linalg.lstsq(spread, mean, rcond=None)[0])
                p_value[number] = chi2.sf(statistic, len(mean))
                strength[number] = min(float(np.linalg.norm(one.T @ other / n, 2)), 1.0)
    adjusted = false_discovery_control(p_value) if len(pairs) else p_value
    return ConditionalDependence(strength, p_value, adjusted)


def _left(waves: np.ndarray) -> np.ndarray:
    """Return uncorrelated directions of unit variance of what is left of orthonormal waves, but for nearly nothing."""
    values, vectors = np.linalg.eigh(waves.T @ waves)
    kept = values > _LEAST_LEFT
    return waves @ (vectors[:, kept] * np.sqrt(len(waves) / values[kept]))


def _n_waves(n: int) -> int:
    return int(np.clip(round(n ** (1 / 3) / 1.5), 3, _WAVES))


def _cosines(place: np.ndarray, waves: int) -> np.ndarray:
    """Return waves over ranks between 0 and 1."""
    return np.cos(np.pi * place[:, None] * np.arange(1, waves + 1))


def _indicators(values: np.ndarray) -> np.ndarray:
    """Return indicators of the frequent words of a column."""
    words, counts = np.unique(values, return_counts=True)
    often = words[np.argsort(-counts, kind="stable")][: min(_WORDS, int(np.count_nonzero(counts >= _WORD_ROWS)))]
    return (values[:, None] == often).astype(np.float64)


def _white(features: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of what the centred features span, but for directions of nearly no variance."""
    centred = features - features.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred / max(len(features), 1))
    kept = values > _LEAST_VARIANCE * max(len(values), 1)
    return centred @ (vectors[:, kept] / np.sqrt(values[kept] * len(features)))
