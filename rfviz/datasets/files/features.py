"""Columns of a table → one matrix: gaps filled in, words as zeros and ones, scaled."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.datasets import memory
from rfviz.datasets.files.preparation import Preparation
from rfviz.datasets.files.table import CATEGORY, DATE, Table
from rfviz.datasets.wording import counted, one_line
from rfviz.errors import DataError

if TYPE_CHECKING:
    from sklearn.preprocessing import StandardScaler

__all__ = ["MAX_FEATURES", "Features", "gap_list"]

#: Columns that one-hot encoding may make; the memory limit alone bounds the numbers of a file.
MAX_FEATURES = 5000
_BLOCK_CELLS = 4_000_000
_DAY = 86_400.0
_LARGEST_SCALED = 1e140
_RARE = "_infrequent_sklearn"


class Features:
    """Columns of a table as one matrix, scaled and filled by what some of its rows say.

    Parameters
    ----------
    names : list of str
        Columns to use.
    rows : ndarray of int
        Rows of the table that can be used.
    n_fit : int
        The number of `rows`, from the first, that determine fill values and scales.

    Attributes
    ----------
    names, sources : tuple of str
        The name of each feature, and the column that it comes from.
    notes : list of str
        The steps in words.
    """

    def __init__(self, table: Table, names: list[str], rows: np.ndarray, n_fit: int, preparation: Preparation) -> None:
        fitting = rows[: max(n_fit, 1)]
        # Where rows without a label are left out, a column may have no value left.
        held = [name for name in names if not table.n_missing(name) or not table.lacks([name])[rows].all()]
        if not held:
            raise DataError(
                f"No column has a value in the {counted(rows.size, 'row')} that can be used. Choose another label, or "
                "other data."
            )
        beyond = _beyond(table, held, rows, preparation.scale)
        # If nothing else is left, they are refused once the numbers are computed.
        held = [name for name in held if name not in beyond] or held
        numbers = [name for name in held if table.kind(name) != CATEGORY]
        words = [name for name in held if table.kind(name) == CATEGORY]
        self._parts: list[_Numbers | _Words] = []
        if numbers:
            self._parts.append(_Numbers(table, numbers, rows, fitting, preparation.missing))
        if words:
            self._parts.append(_Words(table, words, rows, fitting, preparation.most_words))
        self._table, self._fitting, self._scale = table, fitting, preparation.scale
        self.names = tuple(name for part in self._parts for name in part.made)
        self.sources = tuple(name for part in self._parts for name in part.sources)
        self.notes = [note for part in self._parts for note in part.notes]
        if beyond and held != beyond:
            self.notes.append(f"left out, as 32 bits do not hold their values: {one_line(', '.join(beyond), 80)}")
        if empty := [name for name in names if name not in (*held, *beyond)]:
            self.notes.append(f"no value in the rows used: {one_line(', '.join(empty), 80)}")

    def matrix(self, table: Table, rows: np.ndarray) -> np.ndarray:
        """Return the features of some rows, of this table or of one like it.

        Returns
        -------
        ndarray of shape (rows.size, n_features), float32, C-contiguous, finite
        """
        # Chosen rows as the file has them, as float32, and the mask of finite cells; computed features as float64.
        is_plain = self._scale == "none" and all(part.is_plain for part in self._parts)
        cell_bytes = table.matrix.dtype.itemsize + 5 if is_plain else 20
        size = f"{rows.size:,} rows of {len(self.names):,} columns"
        memory.check(rows.size * len(self.names) * cell_bytes, size, "Keep fewer rows (max_samples), words or columns")
        return _as_float32(self._scaled(self._blocks(table, rows)), self.names)

    def exact(self, rows: np.ndarray) -> np.ndarray:
        """Return the features of some rows of the table as :meth:`matrix` does, but in double precision.

        In single precision one value far off makes all others of its column equal.

        Returns
        -------
        ndarray of shape (rows.size, n_features), float64
        """
        return self._scaled(self._blocks(self._table, rows)).astype(np.float64, copy=False)

    def _blocks(self, table: Table, rows: np.ndarray) -> np.ndarray:
        blocks = [part.block(table, rows) for part in self._parts]
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=1)

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        if self._scale == "none":
            return X
        from sklearn.preprocessing import normalize

        X = X.astype(np.float64, copy=False)
        if self._scale == "unit norm":
            return np.asarray(normalize(X))
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return np.asarray(self._scaler.transform(X))

    @cached_property
    def _scaler(self) -> StandardScaler:
        from sklearn.preprocessing import StandardScaler

        scaler, rows = StandardScaler(), self._fitting
        step = max(_BLOCK_CELLS // len(self.names), 1)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            for start in range(0, rows.size, step):
                scaler.partial_fit(self._blocks(self._table, rows[start : start + step]).astype(np.float64, copy=False))
        return scaler


def _beyond(table: Table, names: list[str], rows: np.ndarray, scale: str) -> list[str]:
    """Return the columns with values that are beyond the range of 32-bit numbers, or whose squares no float holds."""
    most = float(np.finfo(np.float32).max) if scale == "none" else _LARGEST_SCALED
    found = []
    for name in names:
        values = table.quantity(name) if table.kind(name) != CATEGORY else np.zeros(0)
        if values.dtype == np.float64 and values.size:
            used = np.abs(values[rows])
            if used.max(initial=0.0, where=np.isfinite(used)) > most:
                found.append(name)
    return found


def gap_list(gaps: dict[str, int]) -> str:
    """Return ``"age (3), town (12)"`` for numbers of gaps by column."""
    return one_line(", ".join(f"{one_line(name, 40)} ({n:,})" for name, n in gaps.items()), 80)


class _Numbers:
    """Numbers, and dates as days since the first one, with gaps filled in."""

    def __init__(self, table: Table, names: list[str], rows: np.ndarray, fitting: np.ndarray, missing: str) -> None:
        self.table, self.made, self.sources = table, list(names), list(names)
        self.rows, self.fitting = rows, fitting
        self.average = np.mean if missing == "impute mean" else np.median
        # Dates are told by their days since the first; long whole numbers by their distance from the least, or floats
        # would make neighbours equal.
        dates = [name for name in names if table.kind(name) == DATE]
        self.origins: dict[str, Any] = {name: np.nanmin(table.quantity(name)) for name in dates}
        self.units = dict.fromkeys(dates, _DAY)
        self.origins |= {name: low for name in names if (low := _least_of_long(table, name)) is not None}
        self.fills: dict[str, float] = {}
        gaps: dict[str, int] = {}
        for name in names:
            if table.n_missing(name) and (n_gaps := int(np.count_nonzero(~np.isfinite(table.quantity(name)[rows])))):
                gaps[name] = n_gaps
                self.fills[name] = self._usual(name)
        self.notes = []
        if gaps:
            word = "mean" if missing == "impute mean" else "median"
            replaced = f"{counted(sum(gaps.values()), 'missing number')} replaced by the {word} of the column"
            self.notes.append(f"{replaced}: {gap_list(gaps)}")
        if dates:
            self.notes.append(f"dates as days since the first: {one_line(', '.join(dates), 60)}")

    @property
    def is_plain(self) -> bool:
        """Return whether the values are those of the file."""
        return not self.fills and not self.origins

    def block(self, table: Table, rows: np.ndarray) -> np.ndarray:
        X = table.numbers(self.made, rows)
        if table is not self.table:  # which may lack values where this one lacks none
            for name in filter(table.n_missing, self.made):
                self.fills.setdefault(name, self._usual(name))
        if self.is_plain:
            return X
        X = X.astype(np.float64, copy=False)
        for place, name in enumerate(self.made):
            column, origin, unit = X[:, place], self.origins.get(name, 0), self.units.get(name, 1)
            if name in self.origins:
                column[:] = (table.quantity(name)[rows] - origin) / unit
            if name in self.fills:
                column[~np.isfinite(column)] = (self.fills[name] - origin) / unit
        return X

    def _usual(self, name: str) -> float:
        values = self.table.quantity(name)
        known = values[self.fitting][np.isfinite(values[self.fitting])]
        known = known if known.size else values[self.rows][np.isfinite(values[self.rows])]
        return float(self.average(known.astype(np.float64))) if known.size else 0.0


def _least_of_long(table: Table, name: str) -> np.integer[Any] | None:
    """Return the least of whole numbers that floats do not hold; None of others, and where their span is as long."""
    values = table.parsed.get(name)
    if values is None or values.dtype.kind not in "iu":
        return None
    low, high = values.min(), values.max()
    return low if int(high) - int(low) < np.iinfo(np.int64).max else None


class _Words:
    """Categories as zeros and ones, the most frequent word where one is missing."""

    is_plain = False

    def __init__(self, table: Table, names: list[str], rows: np.ndarray, fitting: np.ndarray, most: int) -> None:
        from sklearn.preprocessing import OneHotEncoder

        self.table, self.names = table, names
        self.known = [np.unique(column[column >= 0]) for column in self._codes(table, rows).T]
        n_words = dict(zip(names, map(len, self.known), strict=True))
        width = sum(min(n, most) for n in n_words.values())
        if width > MAX_FEATURES:
            raise DataError(
                f"One column per word would make {width:,} columns of {len(names):,} categories, and at most "
                f"{MAX_FEATURES:,} are made. Allow fewer words per category, or leave categories out."
            )
        codes, every = self._codes(table, fitting), self._codes(table, rows)
        # Of the other rows, where none of these has a word.
        judging = np.where((codes >= 0).any(axis=0), codes, -1), np.where((codes >= 0).any(axis=0), -1, every)
        self.usual = [np.bincount(column[column >= 0]).argmax() for column in np.concatenate(judging).T]
        # Codes of words, so that the encoder handles small numbers instead of text. All words are given in advance, so
        # that those of test rows have columns too.
        self.encoder = OneHotEncoder(
            categories=self.known,  # pyright: ignore[reportArgumentType] - scikit-learn's default is taken for its type
            max_categories=most,
            drop="if_binary",
            handle_unknown="ignore",
            sparse_output=False,
            dtype=np.float64,
        )
        self.encoder.fit(self._filled(codes))
        made = self.encoder.get_feature_names_out(names)
        self.made, self.sources = [self._name(name) for name in made], [_source(name) for name in made]
        counts = (self._codes(table, rows) < 0).sum(axis=0)
        gaps = {name: int(n) for name, n in zip(names, counts, strict=True) if n}
        self.notes = []
        if gaps:
            replaced = f"{counted(sum(gaps.values()), 'missing word')} replaced by the most frequent"
            self.notes.append(f"{replaced}: {gap_list(gaps)}")
        self.notes.append(f"one column per word: {one_line(', '.join(names), 80)}")
        if cut := [name for name, n in n_words.items() if n > most]:
            self.notes.append(f"rare words share a column in {one_line(', '.join(cut), 60)}")

    def block(self, table: Table, rows: np.ndarray) -> np.ndarray:
        codes = self._filled(self._codes(table, rows))
        if table is self.table:
            return np.asarray(self.encoder.transform(codes))
        # Words that the encoder does not know have zeros in all columns; it would warn of each.
        new = np.stack([~np.isin(column, known) for column, known in zip(codes.T, self.known, strict=True)], axis=1)
        X = np.asarray(self.encoder.transform(np.where(new, self.usual, codes)))
        for name, rows_of in zip(self.names, new.T, strict=True):
            if rows_of.any():
                X[np.ix_(rows_of, [source == name for source in self.sources])] = 0.0
        return X

    def _codes(self, table: Table, rows: np.ndarray) -> np.ndarray:
        columns = [np.asarray(table.words[name].codes)[rows] for name in self.names]
        return np.stack(columns, axis=1).astype(np.int32)

    def _filled(self, codes: np.ndarray) -> np.ndarray:
        return np.where(codes < 0, self.usual, codes)

    def _name(self, made: str) -> str:
        """Return ``colour=red`` for the encoder's ``colour_3``."""
        name = _source(made)
        if made.endswith(_RARE):
            return f"{name}=(others)"
        return f"{name}={self.table.words[name].categories[int(made.rpartition('_')[2])]}"


def _source(made: str) -> str:
    """Return ``colour`` for the encoder's ``colour_3``."""
    return made.removesuffix(_RARE) if made.endswith(_RARE) else made.rpartition("_")[0]


def _as_float32(X: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    with np.errstate(over="ignore"):
        X = np.ascontiguousarray(X, dtype=np.float32)
    finite = np.isfinite(X).all(axis=0)
    if not finite.all():
        where = np.flatnonzero(~finite)
        shown = one_line(", ".join(names[place] for place in where[:4]), 80)
        raise DataError(
            f"Values beyond ±3.4e38, the range of 32-bit numbers, in {counted(where.size, 'column')}: {shown}. "
            "Leave them out, or rescale them (a logarithm, or another unit)."
        )
    return X
