"""Rows as wild.py computes with them: a feature for each number and each word, gaps filled in, scaled.

As `kinds` and the options of the quick inspection describe them. Rows that it draws at random, where there are many,
are drawn here again, from other numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from _wild_cells import Cells
from _wild_verdicts import NotCheckable, is_labelled
from scipy.spatial.distance import cdist, pdist
from sklearn.preprocessing import OneHotEncoder

__all__ = ["Features", "LeftOut", "exact_features", "features_of", "median_width", "standardised", "waves"]

# The 19 most frequent of more words have a feature of their own, and all others share one.
_MOST_WORDS = 20
_MOST_ROWS, _MOST_CELLS, _FEWEST = 10_000, 4_000_000, 300
_PENALTIES = np.logspace(-6, 1, 15)


@dataclass(frozen=True, eq=False)
class Features:
    """The usable rows, not scaled.

    Attributes
    ----------
    H : ndarray of shape (n, d)
    rows : ndarray of int, shape (n,)
        Of the file, from 0.
    is_word : ndarray of bool, shape (d,)
        Which features are 1 for a word.
    sources : list of str
        The column of each.
    n_different : ndarray of int, shape (d,)
        Different values of each.
    """

    H: np.ndarray
    rows: np.ndarray
    is_word: np.ndarray
    sources: list[str]
    n_different: np.ndarray

    def drawn(self, most: int = _MOST_ROWS, also: Sequence[int] = (), seed: int = 7) -> np.ndarray:
        """Return places of rows: all, or as many as the inspection draws, and among them some rows of the file."""
        n, d = self.H.shape
        size = min(n, most, max(_MOST_CELLS // d, _FEWEST))
        if size == n:
            return np.arange(n)
        places = np.random.default_rng(seed).permutation(n)[:size]
        return np.union1d(places, np.searchsorted(self.rows, also))


def features_of(cells: Cells) -> Features:
    """Return the features of the usable rows; their number is compared with what is claimed.

    Raises
    ------
    NotCheckable
        Without a column, or where it is not known which rows are usable.
    """
    if "features" not in cells.memory:
        cells.memory["features"] = _features_of(cells)
    return cells.memory["features"]


def _features_of(cells: Cells) -> Features:
    names = cells.used
    if not names:
        raise NotCheckable("no column is used")
    rows = np.flatnonzero(_usable(cells, names))
    numbers = [name for name in names if cells.kinds[name] in ("number", "date")]
    words = [name for name in names if name not in numbers]
    names = [name for name in (*numbers, *words) if not cells.missing(name)[rows].all()]
    parts, is_word, sources = [], [], []
    for name in names:
        if name in numbers:
            values = np.where(cells.missing(name), np.nan, cells.numbers(name))[rows]
            parts.append(np.where(np.isnan(values), np.nanmedian(values), values)[:, None])
        else:
            codes = cells.sorted_codes(name)[rows]
            codes = np.where(codes < 0, np.bincount(codes[codes >= 0]).argmax(), codes)
            encoder = OneHotEncoder(max_categories=_MOST_WORDS, drop="if_binary", sparse_output=False)
            parts.append(encoder.fit_transform(codes[:, None]))
        sources += [name] * parts[-1].shape[1]
        is_word += [name not in numbers] * parts[-1].shape[1]
    H = np.hstack(parts)
    return Features(H, rows, np.array(is_word), sources, np.array([len(np.unique(column)) for column in H.T]))


def _usable(cells: Cells, names: Sequence[str]) -> np.ndarray:
    """Return which rows are used: those with a label and an order, or of these those without gaps, as many as claimed.

    Raises
    ------
    NotCheckable
        If it is neither of these numbers.
    """
    has_all = np.ones(cells.n_rows, dtype=bool)
    if cells.label in cells.frame.columns:
        has_all &= is_labelled(cells)
    for name in cells.orders:
        has_all &= ~cells.missing(name)
    complete = has_all & ~np.any([cells.missing(name) for name in names], axis=0)
    usable = next((part for part in (has_all, complete) if part.sum() == cells.usable), None)
    if usable is None:
        raise NotCheckable(f"which {cells.usable:,} rows can be used: {has_all.sum():,}, complete {complete.sum():,}")
    return usable


def standardised(features: Features, places: np.ndarray, scaled_apart: Mapping[str, Any] | None = None) -> np.ndarray:
    """Return some rows scaled: words by their range, numbers by their deviation over these rows.

    Parameters
    ----------
    scaled_apart : mapping of str to ndarray of bool, optional
        Of columns with values far off, which of the usable rows they are: the others give the scale.
    """
    X = features.H[places]
    spread = np.where(features.is_word, np.ptp(X, axis=0), X.std(axis=0))
    tiny = 1e-13 * np.abs(X).max(axis=0, initial=0.0)
    X = (X - X.mean(axis=0)) / np.where(spread > tiny, spread, 1.0)
    for name, is_far in (scaled_apart or {}).items():
        place = features.sources.index(name)
        most = X[~is_far[places], place]
        X[:, place] = (X[:, place] - most.mean()) / (most.std() or 1.0)
    return X


def median_width(X: np.ndarray) -> float:
    """Return γ by the median distance of up to 500 rows, taken evenly; 1 if it is 0."""
    some = X[np.unique(np.linspace(0, len(X) - 1, min(len(X), 500)).astype(int))]
    middle = float(np.median(pdist(some))) if len(some) > 1 else 0.0
    return middle**-2 if middle > 0 else 1.0


def waves(X: np.ndarray, n_features: int, seed: int) -> np.ndarray:
    """Return random Fourier features of a Gaussian kernel: a cosine and a sine of each frequency."""
    n_waves = (n_features + 1) // 2
    W = np.random.default_rng(seed).normal(size=(X.shape[1], n_waves)) * np.sqrt(2.0 * median_width(X))
    phase = X @ W
    return (np.hstack([np.cos(phase), np.sin(phase)]) / np.sqrt(n_waves))[:, :n_features]


def exact_features(X: np.ndarray, extra: np.ndarray) -> np.ndarray:
    """Return n features whose inner products are the Gaussian kernel of all pairs of n rows, and those of others."""
    values, axes = np.linalg.eigh(np.exp(-median_width(X) * cdist(X, X, "sqeuclidean")) + extra @ extra.T)
    return axes * np.sqrt(np.maximum(values, 0.0))


class LeftOut:
    """Ridge regression on features, each row predicted by the fit to all others.

    Parameters
    ----------
    H : ndarray of shape (n, m)
    """

    def __init__(self, H: np.ndarray) -> None:
        Z = H - H.mean(axis=0)
        self._penalties = _PENALTIES * max(float(np.mean(np.sum(Z**2, axis=0))), 1e-12)
        self._U, self._s = _axes(Z)
        squares = self._U**2
        kept = [self._s**2 / (self._s**2 + penalty) for penalty in self._penalties]
        self._kept = np.array(kept)
        self._leverages = np.minimum(1.0 / len(Z) + squares @ self._kept.T, 1.0 - 1e-9)

    def predict(self, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return predictions and leverages; the penalty has the least of the errors.

        Y : ndarray of shape (n, k)
        """
        middle = Y.mean(axis=0)
        along, best = self._U.T @ (Y - middle), None
        for kept, leverage in zip(self._kept, self._leverages.T, strict=True):
            residual = (Y - middle - self._U @ (kept[:, None] * along)) / (1.0 - leverage)[:, None]
            error = float(np.mean(residual**2))
            if best is None or error < best[0]:
                best = error, Y - residual, leverage
        assert best is not None
        return best[1], best[2]


def _axes(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return left singular vectors and singular values, of long matrices by the products of columns."""
    if len(Z) <= 2 * Z.shape[1]:
        U, s, _ = np.linalg.svd(Z, full_matrices=False)
        return U, s
    values, axes = np.linalg.eigh(Z.T @ Z)
    kept = values > 1e-12 * values[-1]
    s = np.sqrt(values[kept])
    return (Z @ axes[:, kept]) / s, s
