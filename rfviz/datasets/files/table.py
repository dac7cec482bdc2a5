"""The columns of a file, in the form that a preparation uses."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from rfviz.datasets.files.images import Pictures
from rfviz.datasets.files.recognise import (
    CATEGORY,
    DATE,
    EMPTY,
    NUMBER,
    TEXT,
    Column,
    Kind,
    are_beyond_floats,
    days_of,
    describe_numbers,
    different_words,
    is_plain,
    recognise,
)
from rfviz.datasets.files.statistics import TableStatistics
from rfviz.datasets.files.written_dates import numbered_days
from rfviz.datasets.wording import one_line
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

    from rfviz.datasets.rows import RowSource

__all__ = [
    "CATEGORY",
    "DATE",
    "EMPTY",
    "NUMBER",
    "TEXT",
    "Column",
    "Kind",
    "Table",
    "names_of_columns",
    "own_names",
    "table_of_frame",
]

# Rows, spread evenly, in which distinct numbers are counted; cells that are checked at a time.
_COUNTED_ROWS, _BLOCK_CELLS = 20_000, 8_000_000
_HEAD_ROWS = 8
# Most characters of a name that are shown.
_LONGEST_NAME = 60


@dataclass(frozen=True, eq=False)
class Table:
    """The columns of a file, in the form that a preparation uses.

    Attributes
    ----------
    names : tuple of str
        All columns in the order of the file.
    matrix : ndarray of shape (n_rows, n_numbers)
        The columns that the file holds as numbers, in its own type; a value that is not finite is missing.
    places : dict of str to int
        Column of `matrix` by name.
    parsed : dict of str to ndarray
        The values of other columns of numbers, float64 with nan, and of dates, seconds since 1970.
    words : dict of str to pandas.Categorical
        The values of columns of categories.
    described : dict of str to Column
        The columns that are not in `matrix`, among them free text and empty ones, which have no values.
    head : DataFrame
        The first rows as the file has them.
    label, order : str or None
        The columns that play these parts, where the form of the file says so.
    pictures : Pictures or None
        One image a row, of a file of images.
    n_train : int or None
        Rows before it are for training, where the file has a split.
    class_names : tuple of str
        Names by whole-number label.
    texts : dict of str to array of pandas
        The cells of columns of free text, as they were read, but for those that count as missing; nothing is computed
        from them.
    own_names : mapping of str to hashable
        The names that columns have in their source, where they differ from those in `names`: these are text on one
        line, short enough to be shown, and each occurs once.
    whole : TableStatistics or None
        Of all rows of the file, where these were drawn from more.
    source : RowSource or None
        All rows of the file, where these were drawn from more, and all can be read again.
    source_rows : ndarray of int
        The place of each of these rows among all rows, rising; empty if there is no `source`.
    """

    names: tuple[str, ...]
    n_rows: int
    matrix: np.ndarray = field(repr=False)
    places: dict[str, int] = field(repr=False)
    parsed: dict[str, np.ndarray] = field(repr=False)
    words: dict[str, pd.Categorical] = field(repr=False)
    described: dict[str, Column] = field(repr=False)
    head: pd.DataFrame = field(repr=False)
    label: str | None = None
    order: str | None = None
    pictures: Pictures | None = None
    n_train: int | None = None
    class_names: tuple[str, ...] = ()
    texts: dict[str, Any] = field(default_factory=dict, repr=False)
    own_names: Mapping[str, Hashable] = field(default_factory=dict, repr=False)
    whole: TableStatistics | None = field(default=None, repr=False)
    source: RowSource | None = field(default=None, repr=False)
    source_rows: np.ndarray = field(default_factory=lambda: np.arange(0), repr=False)

    def __contains__(self, name: object) -> bool:
        return name in self.places or name in self.described

    def own_name(self, name: str) -> Any:
        """Return the name that a column has in its source."""
        return self.own_names.get(name, name)

    def find(self, name: Any) -> str:
        """Return the column that a user names: as its source does, or as it is shown, or by its place.

        A whole number counts the columns from 0, and from the last one if it is negative, unless the source names
        columns by whole numbers.

        Raises
        ------
        DataError
            If there is no such column, or there are several.
        """
        found = self.find_all(name)
        if len(found) > 1:
            raise DataError(
                f"{len(found):,} columns are named {one_line(name, 40)!r}. Give each a name of its own, or use the "
                f"names that are shown: {one_line(', '.join(found), 120)}."
            )
        return found[0]

    def find_all(self, name: Any) -> list[str]:
        """Return the columns that a user names, of which there may be several with the same name; see :meth:`find`."""
        try:
            found = self._by_own_name.get(name, [])
        except TypeError:  # a list, say
            found = []
        if not found and isinstance(name, str):
            found = [shown for shown in (name, one_line(name, _LONGEST_NAME)) if shown in self][:1]
        elif not found and _is_whole(name) and not any(map(_is_whole, self.own_names.values())):
            found = list(self.names[name : name + 1 or None])
        if not found:
            known = one_line(", ".join(self.names), 160) or "none"
            shown = one_line(name, 40)
            raise DataError(f"There is no column {shown if _is_whole(name) else repr(shown)}. Known: {known}.")
        return found

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Return the descriptions of all columns."""
        step = max(self.n_rows // _COUNTED_ROWS, 1)
        return tuple(
            self.described.get(name) or describe_numbers(name, self.matrix[:, self.places[name]], step)
            for name in self.names
        )

    def column(self, name: str | None) -> Column | None:
        """Return the description of the column of that name, if there is one."""
        return next((column for column in self.columns if column.name == name), None)

    def kind(self, name: str) -> Kind:
        """Return the kind of a column, without describing all of them."""
        if name in self.described:
            return self.described[name].kind
        return EMPTY if self._matrix_gaps[self.places[name]] == self.n_rows else NUMBER

    @property
    def missing_words(self) -> dict[str, int]:
        """The words that count as missing, and how many cells hold each, the most frequent first."""
        found: dict[str, int] = {}
        for word, n in (pair for column in self.described.values() for pair in column.gaps):
            found[word] = found.get(word, 0) + n
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    def n_missing(self, name: str) -> int:
        """Return the number of cells of a column that have no finite value."""
        return self.described[name].n_missing if name in self.described else int(self._matrix_gaps[self.places[name]])

    def is_numeric(self, name: str) -> bool:
        """Return whether the file holds a column as numbers or booleans, without words or dates among them."""
        return name in self.places or (name in self.words and set(self.words[name].categories) <= {"False", "True"})

    def has_several(self, name: str) -> bool:
        """Return whether a column holds different values."""
        if name in self.described:
            return self.described[name].n_distinct > 1
        values = self.matrix[:, self.places[name]]
        known = values[np.isfinite(values)]
        return bool(known.size and (known != known[0]).any())

    def values(self, name: str) -> np.ndarray | pd.Categorical | None:
        """Return the values of a column; None for free text and empty columns."""
        if name in self.described:
            return self.words.get(name, self.parsed.get(name))
        return None if self.kind(name) == EMPTY else self.quantity(name)

    def quantity(self, name: str) -> np.ndarray:
        """Return the values of a column of numbers or dates; nan where one is missing."""
        return self.parsed[name] if name in self.parsed else self.matrix[:, self.places[name]]

    def numbers(self, names: Sequence[str], rows: np.ndarray) -> np.ndarray:
        """Return some rows of columns of numbers and dates, in a type that holds them all."""
        inside = [name for name in names if name in self.places]
        places = [self.places[name] for name in inside]
        is_whole = places == list(range(self.matrix.shape[1]))
        part = self.matrix[rows] if is_whole else self.matrix[np.ix_(rows, np.array(places, dtype=np.intp))]
        if len(inside) == len(names):
            return part
        X = np.empty((rows.size, len(names)))
        X[:, [place for place, name in enumerate(names) if name in self.places]] = part
        for place, name in enumerate(names):
            if name not in self.places:
                X[:, place] = self.parsed[name][rows]
        return X

    def lacks(self, names: Iterable[str]) -> np.ndarray:
        """Return which rows lack a value in any of these columns."""
        wanted = [name for name in names if self.n_missing(name)]
        lacking = np.zeros(self.n_rows, dtype=bool)
        if places := [self.places[name] for name in wanted if name in self.places]:
            for start, stop in _row_blocks(self.matrix):
                lacking[start:stop] = ~np.isfinite(self.matrix[start:stop][:, places]).all(axis=1)
        for name in wanted:
            if name in self.parsed:
                lacking |= ~np.isfinite(self.parsed[name])
            elif name in self.words:
                lacking |= np.asarray(self.words[name].codes) < 0
        return lacking

    def like(self, frame: pd.DataFrame, names: Iterable[str]) -> Table:
        """Return other rows of some of these columns, read as these were: words have the same codes, new ones higher.

        Raises
        ------
        DataError
            For numbers or dates that were read from text: how they are written, these rows may not tell.
        """
        used, cells = list(names), dict(frame.items())
        plain = [name for name in used if name in self.places]
        dtype = self.matrix.dtype if self.matrix.dtype.kind == "f" else np.float64  # other rows may lack values
        parsed: dict[str, np.ndarray] = {}
        words: dict[str, pd.Categorical] = {}
        described: dict[str, Column] = {}
        for name in used:
            if name in self.words:
                words[name] = _same_words(cells[name], self.words[name].categories)
                n_missing = int(np.count_nonzero(np.asarray(words[name].codes) < 0))
            elif name in self.parsed:
                parsed[name] = _same_quantity(self.described[name], cells[name])
                n_missing = int(np.count_nonzero(~np.isfinite(parsed[name])))
            else:
                continue
            described[name] = replace(self.described[name], n_missing=n_missing)
        return Table(
            names=tuple(used),
            n_rows=len(frame),
            matrix=frame[plain].to_numpy(dtype=dtype, na_value=np.nan),
            places={name: place for place, name in enumerate(plain)},
            parsed=parsed,
            words=words,
            described=described,
            head=frame.iloc[:0],
            class_names=self.class_names,
        )

    @cached_property
    def _by_own_name(self) -> dict[Any, list[str]]:
        found: dict[Any, list[str]] = {}
        for name in self.names:
            found.setdefault(self.own_name(name), []).append(name)
        return found

    @cached_property
    def _matrix_gaps(self) -> np.ndarray:
        counts = np.zeros(self.matrix.shape[1], dtype=np.int64)
        if self.matrix.dtype.kind == "f":
            for start, stop in _row_blocks(self.matrix):
                block = np.isfinite(self.matrix[start:stop])
                counts += len(block) - block.sum(axis=0)
        return counts


def table_of_frame(frame: pd.DataFrame, class_names: tuple[str, ...] = ()) -> Table:
    """Recognise what every column of `frame` holds."""
    names = names_of_columns(frame.columns)
    step = max(len(frame) // _COUNTED_ROWS, 1)
    numeric: list[int] = []
    found: dict[Kind, dict[str, Any]] = {kind: {} for kind in (NUMBER, DATE, CATEGORY, TEXT, EMPTY)}
    described: dict[str, Column] = {}
    # To look up the name of each of thousands of columns takes longer than to read them.
    numbered = frame.set_axis(range(frame.shape[1]), axis=1)
    for place, (name, (_, series)) in enumerate(zip(names, numbered.items(), strict=True)):
        if is_plain(series) and not are_beyond_floats(series) and days_of(series) is None:
            numeric.append(place)
            continue
        described[name], values = recognise(name, series, step)
        found[described[name].kind][name] = values
    head = frame.iloc[:_HEAD_ROWS].copy()
    head.columns = names
    return Table(
        names=tuple(names),
        n_rows=len(frame),
        matrix=_matrix(frame if len(numeric) == len(names) else frame.iloc[:, numeric]),
        places={names[place]: number for number, place in enumerate(numeric)},
        parsed=found[NUMBER] | found[DATE],
        words=found[CATEGORY],
        described=described,
        head=head,
        class_names=class_names,
        texts=found[TEXT],
        own_names=own_names(names, frame.columns),
    )


def names_of_columns(own: Iterable[Hashable]) -> list[str]:
    """Return the names under which columns are shown: on one line, not too long, each once and none empty."""
    given = list(own)
    shown = [one_line(name, _LONGEST_NAME) or f"column {place}" for place, name in enumerate(given, start=1)]
    # Before another name is shortened to it, a name that can be shown as it is goes to its own column.
    order = sorted(range(len(given)), key=lambda place: _differs(shown[place], given[place]))
    used: set[str] = set()
    for place in order:
        base, number = shown[place], 1
        while shown[place] in used:
            number += 1
            shown[place] = f"{base} ({number})"
        used.add(shown[place])
    return shown


def own_names(shown: Sequence[str], own: Iterable[Hashable]) -> dict[str, Hashable]:
    """Return the names of columns in their source, by the names that are shown, where they differ."""
    return {name: given for name, given in zip(shown, own, strict=True) if _differs(name, given)}


def _differs(shown: str, own: Hashable) -> bool:
    return not isinstance(own, str) or shown != own


def _is_whole(name: object) -> TypeGuard[int]:
    return isinstance(name, (int, np.integer)) and not isinstance(name, bool)


def _matrix(frame: pd.DataFrame) -> np.ndarray:
    """Return columns of numbers as one array, which shares the memory of `frame` where they have one type."""
    if all(isinstance(dtype, np.dtype) for dtype in frame.dtypes):
        return frame.to_numpy() if frame.shape[1] else np.empty((len(frame), 0))
    return frame.to_numpy(dtype=np.float64, na_value=np.nan)


def _row_blocks(matrix: np.ndarray) -> list[tuple[int, int]]:
    step = max(_BLOCK_CELLS // max(matrix.shape[1], 1), 1)
    return [(start, start + step) for start in range(0, len(matrix), step)]


def _same_words(series: pd.Series, known: pd.Index) -> pd.Categorical:
    """Return the categories of cells in the order of those that are known, others behind them."""
    import pandas as pd

    codes, words = different_words(series, known)
    categories = [*known, *(word for word in words if word not in known)]
    places = pd.Index(categories).get_indexer(pd.Index(words, dtype=object))
    return pd.Categorical.from_codes(np.append(places, -1)[codes], categories)  # pyright: ignore


def _same_quantity(column: Column, series: pd.Series) -> np.ndarray:
    if is_plain(series) and column.kind == DATE:
        days = numbered_days(series.to_numpy(dtype=np.float64, na_value=np.nan), 0.0)
        return np.full(len(series), np.nan) if days is None else days
    if is_plain(series):
        is_exact = series.dtype.kind != "f" and not series.hasnans
        return series.to_numpy() if is_exact else series.to_numpy(dtype=np.float64, na_value=np.nan)
    if series.dtype.kind in "mM" or series.isna().all():
        _, values = recognise(column.name, series, 1)
        return values if isinstance(values, np.ndarray) else np.full(len(series), np.nan)
    raise DataError(
        f"The column {column.name!r} holds numbers or dates that are written as text, which are read in the drawn rows "
        "only. Leave it out, or write it as numbers or dates."
    )
