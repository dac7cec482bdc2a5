"""Drift: whether two parts of the rows, or this file and another one, have one distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA

from rfviz.analysis.drift import FEWEST_ROWS, DriftResult, find_drift
from rfviz.datasets import Dataset
from rfviz.datasets.files.table import CATEGORY, DATE, NUMBER, Table
from rfviz.errors import DataError
from rfviz.lab.finding import Finding
from rfviz.lab.quick_inspection.raw import NAMED_LIKE_KEYS, Raw
from rfviz.lab.quick_inspection.sample import column_name
from rfviz.lab.quick_inspection.text import count, share
from rfviz.progress import Progress, silent

__all__ = ["AUTOMATIC", "Drift", "Part", "compared_columns", "describe", "inspect_drift"]

#: What is compared where nobody says: the other file, training with test rows, or the halves of the rows.
AUTOMATIC = "automatic"
# One false alarm in a thousand tables; a smaller difference of distribution functions is no news.
_ALARM, _LEAST = 1e-3, 0.01
_FEW_VALUES, _DRAWN, _NAMED = 12, 1500, 3
_FIRST = 1000
# Directions in which images vary most.
_DIRECTIONS = 10


@dataclass(frozen=True, eq=False)
class Part:
    """One of the two samples: rows of a table, and columns of it.

    Attributes
    ----------
    name : str
        What it is, as a part of a sentence.
    table : Table
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
    words: dict[str, np.ndarray]

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
        found = np.empty((len(rows), len(self.columns)))
        is_number = np.array([name not in self.words for name in self.columns])
        if is_number.any():
            found[:, is_number] = self.table.numbers(self._numbers, rows)
        for place in np.flatnonzero(~is_number).tolist():
            codes = self.words[self.columns[place]][rows]
            found[:, place] = np.where(codes < 0, np.nan, codes)
        return found


@dataclass(frozen=True, eq=False)
class Drift:
    """What differs between two samples.

    Attributes
    ----------
    first, second : Part
    result : DriftResult
    by_class : bool
        Whether each class was cut into halves by itself.
    only_first, only_second, other_kind : tuple of str
        Columns that are not compared: only one of two files has them, or they hold numbers in one and words in the
        other.
    images : ndarray of int or None
        The row of the file of each image, from 0, where the columns are measures of images.
    """

    first: Part
    second: Part
    result: DriftResult
    by_class: bool
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    other_kind: tuple[str, ...] = ()
    images: np.ndarray | None = None

    @property
    def what(self) -> str:
        """The word for what was compared."""
        return "column" if self.images is None else "measure"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that were compared."""
        return self.first.columns

    @property
    def columns(self) -> np.ndarray:
        """The columns that differ by themselves, by enough to be told, the farthest first."""
        found = self.result.columns(_ALARM)
        return found[self.result.distances[found] >= _LEAST]

    @property
    def together(self) -> bool:
        """Whether the combination of the columns differs."""
        return self.result.together_p <= _ALARM

    def to_frame(self) -> pd.DataFrame:
        """Return one row per column, the farthest apart first."""
        return self.result.to_frame(self.names)

    def words(self, name: str) -> list[str]:
        """Return the words that the numbers of a column stand for; none for numbers."""
        if name not in self.first.words:
            return []
        words = list(map(str, self.first.table.words[name].categories))
        more = max(int(self.second.words[name].max(initial=-1)) + 1 - len(words), 0)
        return words + [f"new word {number + 1}" for number in range(more)]

    def shown(self) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
        """Return the column, or the pair of columns, that differs most, and its values in some rows of each part.

        Words are numbered. The columns are none where nothing differs.
        """
        columns: list[int] = self.columns[:1].tolist()
        if not columns and self.together and self.result.pairs:
            columns = list(self.result.pairs[0][:2])
        values = []
        for part in (self.first, self.second):
            places = np.unique(np.linspace(0, len(part.rows) - 1, min(len(part.rows), _DRAWN)).astype(int))
            values.append(part[places][:, columns] if columns else np.empty((0, 0)))
        return tuple(self.names[column] for column in columns), values[0], values[1]


def compared_columns(dataset: Dataset) -> list[str]:
    """Return the columns whose values can say which rows are compared."""
    if dataset.image_shape:
        return []
    if dataset.origin is None:
        return [column_name(dataset, column) for column in range(dataset.n_features)]
    table = dataset.origin.table
    return [name for name in table.names if table.kind(name) in (NUMBER, CATEGORY, DATE)]


def inspect_drift(raw: Raw, dataset: Dataset, by: str = AUTOMATIC, progress: Progress = silent) -> Drift | None:
    """Compare two parts of the rows, or this file with another one.

    Parameters
    ----------
    raw : Raw
    dataset : Dataset
        Prepared rows of it.
    by : str
        :data:`AUTOMATIC`, or a column: its two most frequent values, or the rows up to its median and those beyond.
    progress : callable

    Returns
    -------
    Drift or None
        None where nobody says what to compare, and the order of the rows means nothing, there are too few rows, or no
        column can be compared.

    Raises
    ------
    DataError
        If somebody says what to compare, and a part has too few rows, or no column can be compared.
    """
    images = None
    if dataset.image_shape:
        if dataset.n_samples < 2 * FEWEST_ROWS:
            return None
        raw, images = _measured(raw, dataset), dataset.row_numbers
    parts = _parts(raw, dataset, by)
    if parts is None:
        return None
    (first_name, first), (second_name, second), by_class = parts
    other, table = _other(dataset, by), raw.table
    names = [name for name in raw.of_kind(NUMBER, CATEGORY) if name not in (raw.order, by)]
    names = [name for name in names if not NAMED_LIKE_KEYS.search(name) and not _is_rising(raw, name)]
    if raw.label is not None and raw.label != by and not by_class and table.kind(raw.label) in (NUMBER, CATEGORY):
        names.append(raw.label)
    apart: tuple[tuple[str, ...], ...] = ()
    if other is not None:
        lacked = tuple(name for name in names if name not in other)
        new = tuple(name for name in other.names if name not in table)
        apart = lacked, new, tuple(name for name in names if name in other and other.kind(name) != table.kind(name))
        names = [name for name in names if name in other and other.kind(name) == table.kind(name)]
    is_asked = by != AUTOMATIC or other is not None
    if not is_asked and (not names or min(len(first), len(second)) < FEWEST_ROWS):
        return None
    if not names:
        raise DataError("There is no column to compare: numbers or categories in both, which do not number the rows.")
    own = {name: np.asarray(table.words[name].codes) for name in names if name in table.words}
    theirs = own if other is None else {name: _words_of(other, name, table) for name in own}
    samples = (
        Part(first_name, table, first, tuple(names), own),
        Part(second_name, other or table, second, tuple(names), theirs),
    )
    categories = [place for place, name in enumerate(names) if name in own]
    result = find_drift(*samples, categories=categories, progress=progress)
    return Drift(*samples, result, by_class, *(apart or ((), (), ())), images)


def _measured(raw: Raw, dataset: Dataset) -> Raw:
    """Return images as a table of measures: brightness, contrast, places along the directions in which they vary most.

    The directions are those of all images together, so that they know nothing of the parts that are compared.
    """
    X = dataset.X.astype(np.float64)
    n_directions = min(_DIRECTIONS, *X.shape)
    along = PCA(n_directions, svd_solver="randomized", random_state=0).fit_transform(X)
    names = ("brightness", "contrast", *(f"direction {place + 1}" for place in range(n_directions)))
    values = np.column_stack([X.mean(axis=1), X.std(axis=1), along])
    table = replace(raw.table, names=names, matrix=values, places={name: place for place, name in enumerate(names)})
    return replace(raw, table=table, columns=names)


def _other(dataset: Dataset, by: str) -> Table | None:
    return dataset.origin.other if dataset.origin is not None and by == AUTOMATIC else None


def _parts(raw: Raw, dataset: Dataset, by: str) -> tuple[tuple[str, np.ndarray], tuple[str, np.ndarray], bool] | None:
    """Return the names and the rows of the two parts, and whether each class was cut by itself."""
    rows = raw.file_rows(np.arange(raw.n_rows))
    other = _other(dataset, by)
    if by != AUTOMATIC:
        return *_parts_by(raw, by, rows), False
    if other is not None and dataset.origin is not None:
        return (
            ("the rows of this file", rows),
            (f"those of {dataset.origin.other_name}", np.arange(other.n_rows)),
            False,
        )
    if raw.n_train is not None and 0 < raw.n_train < raw.n_rows:
        return ("the training rows", rows[: raw.n_train]), ("the test rows", rows[raw.n_train :]), False
    if dataset.rows is None and dataset.order is None:
        return None
    dates = raw.of_kind(DATE)
    column = raw.order or next(iter(dates), None)
    # Files are often sorted by class: each class is cut by itself, and rows follow each other by their place within.
    is_classes = bool(raw.target_names) and raw.y is not None
    usable = np.flatnonzero(raw.labelled) if is_classes else np.arange(raw.n_rows)
    place = usable.astype(np.float64)
    if column is not None:
        place = np.nan_to_num(np.asarray(raw.numbers(column), dtype=np.float64))[usable]
    if is_classes and raw.y is not None:
        place = _place_within(place, raw.y[usable])
    usable = usable[np.argsort(place, kind="stable")]
    cut, said = len(usable) // 2, f"of the rows by “{column}”" if column is not None else "of the file"
    return (
        (f"the first half {said}", rows[usable[:cut]]), (f"the second half {said}", rows[usable[cut:]]), is_classes
    )  # fmt: skip


def _parts_by(raw: Raw, name: str, rows: np.ndarray) -> tuple[tuple[str, np.ndarray], tuple[str, np.ndarray]]:
    """Return the rows of the two most frequent values of a column, or those up to its median and those beyond."""
    table = raw.table
    if name not in table or table.kind(name) not in (NUMBER, CATEGORY, DATE):
        raise DataError(f"There is no column “{name}” of numbers, categories or dates to compare rows by.")
    if name in table.words:
        values, titles = np.asarray(table.words[name].codes)[rows], list(map(str, table.words[name].categories))
        distinct, counts = np.unique(values[values >= 0], return_counts=True)
        shown = [titles[value] for value in distinct.tolist()]
    else:
        values = np.asarray(table.quantity(name)[rows], dtype=np.float64)
        distinct, counts = np.unique(values[np.isfinite(values)], return_counts=True)
        shown = [f"{value:g}" for value in distinct[:_FEW_VALUES].tolist()]
    if len(distinct) < 2:
        raise DataError(f"The column “{name}” has a single value. Compare rows by another one.")
    if name in table.words or (len(distinct) <= _FEW_VALUES and table.kind(name) != DATE):
        one, two = np.sort(np.argsort(-counts, kind="stable")[:2]).tolist()
        return tuple(
            (f"the rows with “{name}” {shown[place]}", rows[values == distinct[place]]) for place in (one, two)
        )  # pyright: ignore[reportReturnType]
    known = np.flatnonzero(np.isfinite(values))
    known = known[np.argsort(values[known], kind="stable")]
    middle = float(np.median(values[known]))
    cut = int(np.searchsorted(values[known], middle, side="right"))
    last = float(values[known[cut - 1]])
    said = str(pd.Timestamp(last, unit="s").date()) if table.kind(name) == DATE else f"{last:.6g}"
    return (
        (f"the rows with “{name}” up to {said}", rows[known[:cut]]),
        (f"the rows with “{name}” beyond {said}", rows[known[cut:]]),
    )


def _place_within(place: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the place of each row among those of its class, from 0 to 1."""
    found = np.empty(len(place))
    for kind in np.unique(y).tolist():
        rows = np.flatnonzero(y == kind)
        found[rows[np.argsort(place[rows], kind="stable")]] = (np.arange(len(rows)) + 0.5) / len(rows)
    return found


def _is_rising(raw: Raw, name: str) -> bool:
    """Return whether a column counts the rows, as row numbers and times do."""
    if raw.table.kind(name) != NUMBER:
        return False
    every = raw.numbers(name)
    for values in (every[:_FIRST], every):  # most columns fall within their first rows
        values = values[np.isfinite(values)]
        if (values[1:] < values[:-1]).any():
            return False
    return len(values) > 1 and bool(values[0] != values[-1])


def _words_of(other: Table, name: str, table: Table) -> np.ndarray:
    """Return the number that each word of another file has in this one; words of their own get numbers behind."""
    mine, theirs = list(table.words[name].categories), list(other.words[name].categories)
    numbers = {word: number for number, word in enumerate(mine)}
    lookup = np.array([numbers.setdefault(word, len(numbers)) for word in theirs] + [-1], dtype=np.int64)
    return lookup[np.asarray(other.words[name].codes)]


def describe(drift: Drift | None) -> Finding | None:
    """Say whether two parts of the rows differ, and by which columns; None where there are no parts."""
    if drift is None:
        return None
    name, result, columns = "Drift", drift.result, drift.columns
    half, _, of = drift.first.name.partition(" half ")
    between = f"{half} and {drift.second.name}" if of else f"{drift.first.name} and {drift.second.name}"
    n, d = sum(result.n_rows), len(drift.names)
    apart = [f"only this file has {_listed(drift.only_first)}"] if drift.only_first else []
    apart += [f"only the other one has {_listed(drift.only_second)}"] if drift.only_second else []
    apart += [f"{_listed(drift.other_kind)}: numbers in one, words in the other"] if drift.other_kind else []
    left_out = f" Not compared: {'; '.join(apart)}." if apart else ""
    if not len(columns) and not drift.together:
        told = "Nothing differs" if result.p_value > _ALARM else "Only small differences"
        text = f"{told} between {between} ({count(n, 'row')}, {count(d, drift.what)}).{left_out}"
        # A column that is gone, or holds something else, is a difference as well.
        return Finding(name, "look" if apart else "fine", text).about(columns=(*drift.only_first, *drift.other_kind))
    parts = []
    if len(columns):
        shown = ", ".join(f"“{drift.names[c]}” ({_by(result, int(c))})" for c in columns[:_NAMED])
        rest = f" and {len(columns) - _NAMED:,} more" if len(columns) > _NAMED else ""
        parts.append(
            f"{len(columns):,} of {count(d, drift.what)} {'differs' if len(columns) == 1 else 'differ'} between "
            f"{between}, by the largest difference of their distribution functions: {shown}{rest}."
        )
    if drift.together:
        parts.append(
            f"The way in which {drift.what}s go together differs as well" if len(columns) else
            f"Between {between} no {drift.what} differs by itself, but the way in which {drift.what}s go together does"
        )  # fmt: skip
        if result.pairs:
            one, other, before, after = result.pairs[0]
            more = f", and {count(len(result.pairs) - 1, 'other pair')} changes" if len(result.pairs) > 1 else ""
            more = more.replace("pairs changes", "pairs change")
            parts[-1] += (
                f": the rank correlation of “{drift.names[one]}” and “{drift.names[other]}” is {before:.2f} in the "
                f"first part and {after:.2f} in the second{more}"
            ).replace("-", "−")
        parts[-1] += "."
    if result.wanders:
        parts.append(
            "Stretches within each part differ, too: the change is gradual, or each row is like the one before it. So "
            "this is no proof of a change between the parts."
        )
    else:
        parts.append("If nothing had changed, chance would show this in at most one of a thousand tables.")
    named = [drift.names[c] for c in columns]
    if drift.together:
        named += [drift.names[c] for pair in result.pairs for c in pair[:2]]
    # Rows of this file: of another one there are none to show.
    side = 0 if drift.second.table is not drift.first.table else 1
    part = (drift.first, drift.second)[side]
    rows = part.rows[result.rows[side]]
    rows = rows if drift.images is None else drift.images[rows]
    if len(rows):
        parts.append(f"Of {part.name}, row {rows[0] + 1:,} is least like the other part.")
    text = " ".join(parts) + left_out
    of_file = [] if drift.images is not None else [*named, *drift.only_first, *drift.other_kind]
    return Finding(name, "look", text).about(rows, of_file)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(f"“{name}”" for name in names[:_NAMED]) + more


def _by(result: DriftResult, column: int) -> str:
    before, after = result.missing[column].tolist()
    gaps = f", missing {share(before)} and {share(after)}" if abs(before - after) >= _LEAST else ""
    return f"{result.distances[column]:.2f}{gaps}"
