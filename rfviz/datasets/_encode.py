"""Columns of a table as one matrix: gaps filled in, words as zeros and ones, scaled; by scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rfviz.datasets import _limits
from rfviz.datasets._columns import CATEGORY, DATE, Table
from rfviz.datasets._text import counted, one_line
from rfviz.errors import DataError

if TYPE_CHECKING:
    from rfviz.datasets._preparation import Preparation

__all__ = ["MOST_FEATURES", "encoded"]

# Of what one-hot encoding may make; numbers that a file itself holds are bounded by the memory limit alone.
MOST_FEATURES = 5000
_BLOCK_CELLS = 4_000_000
_DAY = 86_400.0


def encoded(
    table: Table, features: list[str], rows: np.ndarray, keep: np.ndarray, n_train: int | None, how: Preparation
) -> tuple[np.ndarray, tuple[str, ...], list[str]]:
    """The matrix of some rows, by what all of them say.

    Parameters
    ----------
    table : Table
    features : list of str
        Columns to use.
    rows : ndarray of int
        Rows of the table that can be used.
    keep : ndarray of int
        Those of `rows` that are wanted.
    n_train : int, optional
        Only so many of `rows` may say what to fill in and how to scale.
    how : Preparation

    Returns
    -------
    X : ndarray of shape (keep.size, n_features), float32, C-contiguous, finite
    names : tuple of str
    notes : list of str
    """
    parts = [_Numbers(table, [f for f in features if table.column(f).kind != CATEGORY])]
    words = [f for f in features if table.column(f).kind == CATEGORY]
    if words:
        parts.append(_Words(table, words, how.most_words))
    parts = [part for part in parts if part.names]
    fitting = rows if n_train is None else rows[: max(n_train, 1)]
    for part in parts:
        part.fit(fitting, rows)
    width = sum(len(part.made) for part in parts)
    size = f"{rows[keep].size:,} rows of {width:,} columns"
    _limits.check(keep.size * width * 20, size, "Keep fewer rows or words, or leave columns out")
    X = np.concatenate([part.block(rows[keep]) for part in parts], axis=1)
    names = tuple(name for part in parts for name in part.made)
    X = _scaled(X, parts, fitting, how.scale)
    return _checked(X, names), names, [note for part in parts for note in part.notes]


class _Numbers:
    """Numbers, and dates as days since the first one, with medians where a value is missing."""

    def __init__(self, table: Table, names: list[str]) -> None:
        self.table, self.names, self.made, self.notes = table, names, list(names), []

    def fit(self, rows: np.ndarray, every: np.ndarray) -> None:
        from sklearn.impute import SimpleImputer

        self._imputer = SimpleImputer(strategy="median", keep_empty_features=True)
        self._first = {n: np.nanmin(self.table.values[n]) for n in self.names if self.table.column(n).kind == DATE}
        sample = self._values(rows)
        self._imputer.fit(sample)
        gaps = int(np.isnan(sample).sum())
        self.notes = [f"{counted(gaps, 'missing number')} replaced by the median of the column"] if gaps else []
        if self._first:
            self.notes.append(f"dates as days since the first: {one_line(', '.join(self._first), 60)}")

    def block(self, rows: np.ndarray) -> np.ndarray:
        return self._imputer.transform(self._values(rows))

    def _values(self, rows: np.ndarray) -> np.ndarray:
        _limits.check(rows.size * len(self.names) * 20, f"{rows.size:,} rows of {len(self.names):,} numbers",
                      "Save fewer rows or columns")  # fmt: skip
        X = np.empty((rows.size, len(self.names)))
        for place, name in enumerate(self.names):
            X[:, place] = self.table.values[name][rows]
            if name in self._first:
                X[:, place] = (X[:, place] - self._first[name]) / _DAY
        return X


class _Words:
    """Categories as zeros and ones, the most frequent word where one is missing."""

    def __init__(self, table: Table, names: list[str], most: int) -> None:
        self.table, self.names, self.most, self.notes = table, names, most, []

    def fit(self, rows: np.ndarray, every: np.ndarray) -> None:
        from sklearn.impute import SimpleImputer
        from sklearn.preprocessing import OneHotEncoder

        found = [np.unique(column[column >= 0]) for column in self._codes(every).T]
        n_words = dict(zip(self.names, map(len, found), strict=True))
        width = sum(min(n, self.most) for n in n_words.values())
        if width > MOST_FEATURES:
            raise DataError(
                f"One column a word would make {width:,} columns of {len(self.names):,} categories, and at most "
                f"{MOST_FEATURES:,} are made. Allow fewer words a category, or leave categories out."
            )
        # Positions of words, so that the encoder handles small numbers instead of text.
        self._imputer = SimpleImputer(missing_values=-1, strategy="most_frequent", keep_empty_features=True)
        codes = self._codes(rows)
        # All words are told in advance, so that none of a test row is a surprise.
        self._encoder = OneHotEncoder(
            categories=found, max_categories=self.most, drop="if_binary", handle_unknown="ignore", sparse_output=False,
            dtype=np.float64,
        )  # fmt: skip
        self._encoder.fit(self._imputer.fit_transform(codes))
        self.made = [self._named(name) for name in self._encoder.get_feature_names_out(self.names)]
        gaps, cut = int((codes < 0).sum()), [n for n, count in n_words.items() if count > self.most]
        self.notes = [f"{counted(gaps, 'missing word')} replaced by the most frequent"] if gaps else []
        self.notes.append(f"one column a word: {one_line(', '.join(self.names), 80)}")
        if cut:
            self.notes.append(f"rare words share a column in {one_line(', '.join(cut), 60)}")

    def block(self, rows: np.ndarray) -> np.ndarray:
        return self._encoder.transform(self._imputer.transform(self._codes(rows)))

    def _codes(self, rows: np.ndarray) -> np.ndarray:
        return np.stack([np.asarray(self.table.values[n].codes)[rows] for n in self.names], axis=1).astype(np.int32)

    def _named(self, made: str) -> str:
        """``colour=red`` from the encoder's ``colour_3``."""
        name, _, position = made.rpartition("_")
        if made.endswith("_infrequent_sklearn"):
            return f"{made.removesuffix('_infrequent_sklearn')}=(others)"
        return f"{name}={self.table.values[name].categories[int(position)]}"


def _scaled(X: np.ndarray, parts: list, rows: np.ndarray, how: str) -> np.ndarray:
    from sklearn.preprocessing import StandardScaler, normalize

    if how == "unit norm":
        return normalize(X)
    if how == "none":
        return X
    scaler, step = StandardScaler(), max(_BLOCK_CELLS // X.shape[1], 1)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for start in range(0, rows.size, step):
            scaler.partial_fit(np.concatenate([p.block(rows[start : start + step]) for p in parts], axis=1))
        return scaler.transform(X)


def _checked(X: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    with np.errstate(over="ignore"):
        X = np.ascontiguousarray(X, dtype=np.float32)
    finite = np.isfinite(X).all(axis=0)
    if not finite.all():
        shown = one_line(", ".join(names[place] for place in np.flatnonzero(~finite)[:4]), 80)
        raise DataError(
            f"Values beyond ±3.4e38, the range of 32-bit numbers, come of the columns {shown}. "
            "Leave them out, or rescale them (a logarithm, or another unit)."
        )
    if (X[:1] == X).all():
        raise DataError(
            f"All {counted(len(X), 'row')} are equal in the {counted(X.shape[1], 'column')} used. Leave out fewer "
            "columns, or choose other data."
        )
    return X
