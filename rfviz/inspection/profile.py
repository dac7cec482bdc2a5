"""Two samples to compare: rows of a table, or the profile of another one, and how a profile is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from rfviz.analysis.drift import FEWEST_ROWS, profile_of
from rfviz.analysis.profiles import TableProfile, read_compared
from rfviz.datasets.files.suggest import suggest
from rfviz.datasets.files.table import CATEGORY, NUMBER, Table
from rfviz.errors import DataError
from rfviz.inspection.raw import NAMED_LIKE_KEYS
from rfviz.progress import Progress, silent

__all__ = ["Part", "ProfilePart", "compared_in_profile", "is_sorted", "profile_table", "read_compared", "recoded"]

# Rows that are looked at first for an order.
_FIRST = 1000
# Words of a column that a profile knows, and rows that each of them has at least: a rare one may be a person's name.
_WORDS, _FEWEST_OF_WORD = 30, 5


@dataclass(frozen=True, eq=False)
class Part:
    """One of the two samples: rows of a table, and columns of it.

    Attributes
    ----------
    name : str
        What it is, as a part of a sentence.
    rows : ndarray of int
        Rows of the table, in the order in which they may depend on each other.
    columns : tuple of str
    words : dict of str to ndarray of int
        The number of each row's word, of columns of words; -1 where it is missing.
    """

    name: str
    table: Table
    rows: np.ndarray
    columns: tuple[str, ...]
    words: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return len(self.rows), len(self.columns)

    @cached_property
    def _numbers(self) -> list[str]:
        return [name for name in self.columns if name not in self.words]

    def __getitem__(self, places: np.ndarray) -> np.ndarray:
        """Return some rows as numbers, nan where a value is missing."""
        rows = self.rows[places]
        if not self.words:
            return self.table.numbers(self._numbers, rows)
        found, numbers = np.empty((len(rows), len(self.columns))), self.table.numbers(self._numbers, rows)
        start = 0
        for place, name in enumerate(self.columns):
            if name not in self.words:
                continue
            codes, n_before = self.words[name][rows], place - start
            found[:, place] = np.where(codes < 0, np.nan, codes)
            # Numbers between two columns of words are copied at once, which is quicker than by a mask.
            found[:, start:place], numbers = numbers[:, :n_before], numbers[:, n_before:]
            start = place + 1
        found[:, start:] = numbers
        return found

    def values(self, columns: list[int], most: int) -> np.ndarray:
        """Return the values of some columns in rows that are spread evenly."""
        places = np.unique(np.linspace(0, len(self.rows) - 1, min(len(self.rows), most)).astype(int))
        return self[places][:, columns]


@dataclass(frozen=True, eq=False)
class ProfilePart:
    """The profile of a table, in place of its rows."""

    name: str
    profile: TableProfile

    @property
    def n_rows(self) -> int:
        return self.profile.n_rows

    def values(self, columns: list[int], most: int) -> np.ndarray:
        """Return the quantiles of a column, nan for the share that is missing; nothing of several columns."""
        n, drift = min(self.n_rows, most), self.profile.drift
        if len(columns) != 1:
            return np.empty((0, len(columns)))
        shares = drift.shares[columns[0]] / drift.shares[columns[0]].sum(dtype=np.float64)
        known = drift.quantiles(columns[0], n - round(float(shares[-1]) * n))
        return np.concatenate([known, np.full(n - len(known), np.nan)])[:, None]


def profile_table(
    table: Table, name: str, columns: Sequence[str] | None = None, progress: Progress = silent
) -> TableProfile:
    """Return the profile of a table: of its columns of numbers and of categories.

    Their combination is of those that are features or the label as the laboratory reads the table, without those that
    number its rows or sort them.

    Parameters
    ----------
    name : str
        What the table is called.
    columns : sequence of str, optional
        The columns of the combination; None for the above.

    Raises
    ------
    DataError
        If there are no such columns, or fewer than 40 rows.
    """
    names = tuple(column for column in table.names if table.kind(column) in (NUMBER, CATEGORY))
    if table.pictures is not None or not names:
        raise DataError(f"{name} has no column of numbers or categories, and only tables have a profile.")
    if table.n_rows < FEWEST_ROWS:
        raise DataError(f"{name} has {table.n_rows:,} rows, and a profile is made of {FEWEST_ROWS} at least.")
    words = {column: _frequent(table, column) for column in names if column in table.words}
    together = _joint(table, names) if columns is None else columns
    part = Part(name, table, np.arange(table.n_rows), names, recoded(table, words))
    categories = [place for place, column in enumerate(names) if column in words]
    drift = profile_of(part, categories, [names.index(column) for column in together], progress)
    return TableProfile(name, name, names, words, drift)


def compared_in_profile(table: Table, name: str, columns: Sequence[str], progress: Progress = silent) -> TableProfile:
    """Return the profile of some columns of a table, and of their combination even if others are left out."""
    together = [column for column in _joint(table, table.names) if table.kind(column) in (NUMBER, CATEGORY)]
    if not set(together) <= set(columns):
        together = [column for column in together if column in columns]
    return profile_table(table, name, together, progress).only(columns)


def recoded(table: Table, words: dict[str, tuple[str, ...]]) -> dict[str, np.ndarray]:
    """Return the number of each cell's word among those of a profile, the next number for all others, -1 for none."""
    found: dict[str, np.ndarray] = {}
    for column, known in words.items():
        places = {word: place for place, word in enumerate(known)}
        lookup = [places.get(str(word), len(known)) for word in table.words[column].categories]
        found[column] = np.array([*lookup, -1], dtype=np.int64)[np.asarray(table.words[column].codes)]
    return found


def is_sorted(table: Table, name: str, rows: Any = slice(None)) -> bool:
    """Return whether rows are sorted by a column of numbers, as by a time or a counter."""
    if table.kind(name) != NUMBER:
        return False
    every, values = table.quantity(name)[rows], np.empty(0)
    for values in (every[:_FIRST], every):  # most columns fall and rise within their first rows
        values = values[np.isfinite(values)]
        if (values[1:] < values[:-1]).any() and (values[1:] > values[:-1]).any():
            return False
    return len(values) > 1 and bool(values[0] != values[-1])


def _joint(table: Table, names: Sequence[str]) -> list[str]:
    how = suggest(table)
    apart = {*how.leave_out, how.order}
    return [
        name
        for name in names
        if name not in apart and (name == how.label or not (NAMED_LIKE_KEYS.search(name) or is_sorted(table, name)))
    ]


def _frequent(table: Table, column: str) -> tuple[str, ...]:
    codes, categories = np.asarray(table.words[column].codes), table.words[column].categories
    counts = np.bincount(codes[codes >= 0], minlength=len(categories))
    often = np.argsort(-counts, kind="stable")[:_WORDS]
    return tuple(str(categories[place]) for place in often.tolist() if counts[place] >= _FEWEST_OF_WORD)
