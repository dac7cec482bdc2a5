"""All rows of a data set, with the values that its file holds: nothing filled in, scaled, encoded or left out."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from rfviz.datasets import Dataset
from rfviz.datasets.files.features import Features
from rfviz.datasets.files.prepare import labels_of, prepare, usable_rows, used_columns
from rfviz.datasets.files.table import CATEGORY, DATE, Table
from rfviz.features.draws import generator
from rfviz.inspection.sample import column_name

__all__ = [
    "NAMED_LIKE_GROUPS",
    "NAMED_LIKE_KEYS",
    "Raw",
    "RowCounts",
    "Whole",
    "count_rows",
    "raw_of",
    "spread_rows",
    "whole_of_table",
]

#: Names of columns that tell rows, and of those that tell people or places, apart.
NAMED_LIKE_KEYS = re.compile(r"(?i:(^|[\W_])(id|ids|no|nr|number|key|index|uuid|rownum|row)$)|[a-z](Id|ID|No|Nr)$")
NAMED_LIKE_GROUPS = re.compile(
    r"patient|subject|person|user|customer|client|session|group|batch|site|speaker|family", re.I
)
# Cells that are prepared for the questions that sample: distances, neighbours, maps, learning.
_WHOLE_ROWS, _WHOLE_CELLS = 20_000, 10_000_000
_FREQUENT = 0.9
_FEWEST_FREQUENT = 30


@dataclass(frozen=True, eq=False)
class Raw:
    """The columns of a data set as they are.

    Attributes
    ----------
    rows : ndarray of int or None
        Rows of the table that count, from 0; None for all.
    columns : tuple of str
        All but the label and those that the user leaves out; dates are among them always.
    label : str or None
        The column of labels.
    used : frozenset of str
        Those among them that something is computed from.
    order : str or None
        The column that gives the order.
    y : ndarray of shape (n,), optional
        Class codes or targets.
    target_names : tuple of str
    labelled : ndarray of bool, shape (n,)
        Rows that have a label.
    """

    table: Table
    rows: np.ndarray | None
    columns: tuple[str, ...]
    label: str | None
    used: frozenset[str]
    order: str | None
    y: np.ndarray | None
    target_names: tuple[str, ...]
    labelled: np.ndarray

    @property
    def label_columns(self) -> tuple[str, ...]:
        """The column that holds the labels, for claims about them; empty if there is no such column."""
        return () if self.label is None else (self.label,)

    @property
    def n_rows(self) -> int:
        return self.table.n_rows if self.rows is None else len(self.rows)

    @property
    def n_train(self) -> int | None:
        """Rows before it are for training, where there is a split."""
        split = self.table.n_train
        return split if split is None or self.rows is None else int(np.searchsorted(self.rows, split))

    def of_kind(self, *kinds: str) -> list[str]:
        """Return the columns of some kinds."""
        return [name for name in self.columns if self.table.kind(name) in kinds]

    def numbers(self, name: str) -> np.ndarray:
        """Return the values of a column of numbers or dates, of any type; nan where one is missing."""
        values = self.table.quantity(name)
        return values if self.rows is None else values[self.rows]

    def codes(self, name: str) -> np.ndarray:
        """Return the number of each cell's word in a column of categories or text; -1 where it is missing."""
        table = self.table
        codes = table.words[name].codes if name in table.words else pd.factorize(table.texts[name])[0]
        codes = np.asarray(codes)
        return codes if self.rows is None else codes[self.rows]

    def lacks(self, name: str) -> np.ndarray:
        """Return which rows lack a value of a column."""
        table = self.table
        if name in table.texts:
            missing = np.asarray(pd.isna(table.texts[name]))
        elif name in table.words:
            missing = np.asarray(table.words[name].codes) < 0
        elif name in table.parsed or name in table.places:
            missing = ~np.isfinite(table.quantity(name))
        else:
            missing = np.ones(table.n_rows, dtype=bool)
        return missing if self.rows is None else missing[self.rows]

    def file_rows(self, places: np.ndarray) -> np.ndarray:
        """Return the rows of the file, from 0, of places among these rows."""
        return places if self.rows is None else self.rows[places]

    def cells(self, names: list[str], rows: np.ndarray) -> pd.DataFrame:
        """Return some rows of the file, from 0, as the file has them: dates as dates, words as words."""
        return pd.DataFrame({name: self._cells(name, rows) for name in names})

    def _cells(self, name: str, rows: np.ndarray) -> np.ndarray:
        table = self.table
        held = table.words.get(name, table.texts.get(name))
        if held is not None:
            return np.asarray(held.take(rows), dtype=object)
        if name not in table.parsed and name not in table.places:
            return np.full(len(rows), None, dtype=object)
        values = table.quantity(name)[rows]
        return pd.to_datetime(pd.Series(values), unit="s").to_numpy() if table.kind(name) == DATE else values


@dataclass(frozen=True, eq=False)
class Whole:
    """Rows of the whole table, prepared as the user chose, for the questions that need numbers without gaps.

    Attributes
    ----------
    dataset : Dataset
        Up to 20,000 rows of all, or more where a class is rare; its ``rows`` are those of the file.
    is_word : ndarray of bool, shape (n_features,)
        Features that are zeros and ones of a category.
    sources : tuple of str
        The column of the file that each feature comes from.
    features : Features or None
        The maker of the features, or None if the data do not come from a table.
    """

    dataset: Dataset
    is_word: np.ndarray
    sources: tuple[str, ...]
    features: Features | None = None

    def exact(self, places: np.ndarray) -> np.ndarray:
        """Return some rows of the data set, by their places, as the table has them: in double precision."""
        if self.features is None:
            return self.dataset.X[places].astype(np.float64)
        return self.features.exact(self.dataset.row_numbers[places])


@dataclass(frozen=True)
class RowCounts:
    """How many rows there are, and how many of them can be used.

    Attributes
    ----------
    which : str
        Which can be used: ``"without gaps"``, ``"with a label"``; empty if all can.
    """

    n_all: int
    n_usable: int
    which: str = ""

    @property
    def counts(self) -> dict[str, int]:
        """Both counts, as claims hold them."""
        return {"all rows": self.n_all, "usable rows": self.n_usable}

    def of_all(self, n: int) -> str:
        """Return what n rows are that were used, to follow "n rows"; an empty string if these are all.

        >>> RowCounts(398, 392, "without gaps").of_all(392)
        ' without gaps (of 398)'
        >>> RowCounts(398, 392, "without gaps").of_all(100)
        ' (drawn from 392 without gaps, of 398)'
        >>> RowCounts(398, 398).of_all(100)
        ' (drawn from 398)'
        """
        if n >= self.n_all:
            return ""
        if n >= self.n_usable:
            return f" {self.which} (of {self.n_all:,})"
        if self.n_usable == self.n_all:
            return f" (drawn from {self.n_all:,})"
        return f" (drawn from {self.n_usable:,} {self.which}, of {self.n_all:,})"


def raw_of(dataset: Dataset) -> Raw:
    """Return the table of a data set, whole where it comes from a file."""
    origin = dataset.origin
    if origin is None or dataset.image_shape:
        X, names = dataset.X, tuple(column_name(dataset, c) for c in range(dataset.n_features))
        # Without columns that are worth a look one by one, a table of images has none.
        shown = () if dataset.image_shape else names
        table = Table(
            names,
            len(X),
            X,
            {name: c for c, name in enumerate(names)},
            {},
            {},
            {},
            pd.DataFrame(),
            n_train=dataset.n_train,
        )
        labelled = np.full(len(X), dataset.y is not None)
        return Raw(table, None, shown, None, frozenset(shown), None, dataset.y, dataset.target_names, labelled)
    table, how = origin.table, origin.preparation
    y, names, labelled = None, (), np.zeros(table.n_rows, dtype=bool)
    if how.label is not None:
        labels = labels_of(table, how.label, how.target)
        y, names, labelled = labels.y, labels.names, ~table.lacks([how.label])
    rows = np.flatnonzero(labelled & (y == how.only_class)) if how.only_class >= 0 and y is not None else None
    if rows is not None and y is not None:
        y, labelled = y[rows], labelled[rows]
    # Dates are left out as features unless the user says otherwise, but they tell rows apart and order them.
    apart = {name for name in how.leave_out if table.kind(name) != DATE} | {how.label}
    columns = tuple(name for name in table.names if name not in apart)
    return Raw(table, rows, columns, how.label, frozenset(origin.sources), how.order, y, names, labelled)


def count_rows(dataset: Dataset) -> RowCounts:
    """Count the rows of the file that a data set comes from, and those that it can be made of."""
    origin, n = dataset.origin, len(dataset.X)
    if origin is None:
        return RowCounts(n, n)
    table, how = origin.table, origin.preparation
    features = [] if dataset.image_shape else used_columns(table, how)
    usable = np.zeros(table.n_rows, dtype=bool)
    usable[usable_rows(table, how, features)[0]] = True
    if how.only_class >= 0 and how.label is not None:
        of_class = table.lacks([how.label]) | (labels_of(table, how.label, how.target).y != how.only_class)
        usable = usable[~of_class]
    lacking = {
        "with a label": [how.label],
        f"with a value of “{how.order}”": [how.order],
        "without gaps": features if how.missing == "drop rows" else [],
    }
    which = [words for words, names in lacking.items() if table.lacks(filter(None, names)).any()]
    return RowCounts(len(usable), int(usable.sum()), " and ".join(which))


def whole_of_table(dataset: Dataset) -> Whole:
    """Return a data set of rows of all its table, more than were asked for where there are more."""
    origin = dataset.origin
    if origin is None or dataset.image_shape:
        names = tuple(column_name(dataset, c) for c in range(dataset.n_features))
        return Whole(replace(dataset, origin=None), np.zeros(dataset.n_features, dtype=bool), names)
    most = min(_WHOLE_ROWS, max(_WHOLE_CELLS // dataset.n_features, 1000))
    classes = dataset.y if dataset.target_names else None
    is_rare = classes is not None and np.bincount(classes).max() > _FREQUENT * len(classes)
    if is_rare and origin.table.n_rows * dataset.n_features <= 2 * _WHOLE_CELLS:
        most = origin.table.n_rows  # all rows of the other classes, which are the ones that learning needs
    if origin.preparation.max_samples < min(most, origin.table.n_rows):
        more = origin.preparation.replace({"max_samples": most})
        made = prepare(origin.table, more, dataset.name, "")
        origin, dataset = made.origin or origin, replace(made, provenance=dataset.provenance)
    is_word = np.array([origin.table.kind(name) == CATEGORY for name in origin.sources], dtype=bool)
    return Whole(replace(dataset, origin=None), is_word, tuple(origin.sources), origin.features)


def spread_rows(
    n: int, most: int, y: np.ndarray | None = None, usable: np.ndarray | None = None, times: int = 3
) -> np.ndarray:
    """Draw rows at random; of classes of which one has nine tenths, at most a few for one row of the others.

    Parameters
    ----------
    y : ndarray of int, shape (n,), optional
        Class codes.
    usable : ndarray of bool, shape (n,), optional
        Rows that may be taken.
    times : int
        How many rows of the frequent class.
    """
    order = generator(0, 3).permutation(n)
    order = order if usable is None else order[usable[order]]
    if y is None or not len(order):
        return order[:most]
    counts = np.bincount(y[order])
    if counts.max() <= _FREQUENT * len(order):
        return order[:most]
    is_frequent = y[order] == counts.argmax()
    others = order[~is_frequent][: most // (times + 1)]
    same = order[is_frequent][: max(times * len(others), _FEWEST_FREQUENT)]
    return generator(0, 4).permutation(np.concatenate([others, same]))
