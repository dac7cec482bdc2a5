"""How strongly the columns of a table depend on each other, whether or not they correlate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2, false_discovery_control, rankdata

from rfviz.backend import single_threaded_blas
from rfviz.errors import DataError
from rfviz.progress import Progress, silent

__all__ = ["DependenceResult", "find_dependence"]

_FEWEST_ROWS = 40
# Waves over the ranks of a column, at most; words of a column that count as themselves, and rows that each must have.
_WAVES, _WORDS, _WORD_ROWS = 8, 11, 5
# A direction of less variance is what rounding leaves: kept, it would correlate with all others.
_LEAST_VARIANCE = 1e-6
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
    waves = int(np.clip(round(n ** (1 / 3) / 1.5), 3, _WAVES))
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
        found = _white(
            _indicators(values) if is_word[column] else np.cos(np.pi * place[:, None] * np.arange(1, waves + 1))
        )
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
