"""The columns of a file: numbers, categories, dates or free text, recognised once and shown before any use."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rfviz.datasets.files.images import Pictures
from rfviz.datasets.files.statistics import TableStatistics
from rfviz.datasets.files.written_numbers import currencies, written_numbers
from rfviz.datasets.wording import one_line
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "CATEGORY",
    "DATE",
    "EMPTY",
    "NUMBER",
    "TEXT",
    "Column",
    "Drawn",
    "Kind",
    "Table",
    "table_of_frame",
    "unique_names",
]

Kind = Literal["number", "category", "date", "text", "empty"]
NUMBER: Kind = "number"
CATEGORY: Kind = "category"
DATE: Kind = "date"
TEXT: Kind = "text"
EMPTY: Kind = "empty"
# A column counts as numbers or dates when so many of its cells are; the others then count as missing.
_SHARE = 0.95
# A column of more words, or of words that differ in most rows, identifies rows and holds no categories.
_MAX_WORDS, _FEW_WORDS = 1000, 12
# Words for a missing value, besides those that pandas knows.
# In small letters; “na” only in capitals, as “Na” is sodium.
_UNKNOWN = frozenset((
    "", "?", "-", "--", "none", "unknown", "missing", "not available", "n.a.", "n.a", "n/a", "#n/a", "NA", "<na>",
    "nan", "null",
))  # fmt: skip
_DATE = re.compile(r"\s*(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{4}[./]\d{1,2}[./]\d{1,2})")
_DATE_FORMATS = ("ISO8601", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%Y.%m.%d")
# Distinct numbers are counted in so many rows, spread evenly; cells are checked so many at a time.
_COUNTED_ROWS, _BLOCK_CELLS = 20_000, 8_000_000
_HEAD_ROWS = 8
# Beyond it a float does not hold every whole number.
_EXACT = 2**53


@dataclass(frozen=True)
class Column:
    """The description of one column.

    Attributes
    ----------
    name : str
    kind : {"number", "category", "date", "text", "empty"}
    n_missing : int
        Cells without a value, or with one that is not finite.
    n_distinct : int
        Different values (in 20,000 rows, spread evenly, where there are more).
    span : str
        Smallest to largest number or date; the most frequent words.
    note : str
        What was concluded and should be known; may be empty.
    odd : str
        What is wrong with some cells, as a part of a sentence; may be empty.
    """

    name: str
    kind: Kind
    n_missing: int
    n_distinct: int
    span: str
    note: str = ""
    odd: str = ""

    @property
    def is_usable(self) -> bool:
        """Return whether it has values to compute with."""
        return self.kind in (NUMBER, CATEGORY, DATE)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Where the rows of a table were drawn from.

    Attributes
    ----------
    rows : ndarray of int
        The place of each of them among all rows, rising.
    n_rows : int
        Of all.
    read : callable
        ``read()`` yields all rows in their order, as DataFrames with the columns of the table.
    """

    rows: np.ndarray
    n_rows: int
    read: Callable[[], Iterator[pd.DataFrame]]


@dataclass(frozen=True, eq=False)
class Table:
    """The columns of a file, in the form that a preparation uses.

    Attributes
    ----------
    names : tuple of str
        All columns in the order of the file.
    n_rows : int
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
        The cells of columns of free text, as they were read; nothing is computed from them.
    whole : TableStatistics or None
        Of all rows of the file, where these were drawn from more.
    drawn : Drawn or None
        Which ones these are, where all can be read again.
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
    whole: TableStatistics | None = field(default=None, repr=False)
    drawn: Drawn | None = field(default=None, repr=False)

    def __contains__(self, name: object) -> bool:
        return name in self.places or name in self.described

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Return the descriptions of all columns."""
        step = max(self.n_rows // _COUNTED_ROWS, 1)
        return tuple(
            self.described.get(name) or _describe_numbers(name, self.matrix[:, self.places[name]], step)
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
                parsed[name] = _same_quantity(name, cells[name])
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
    def _matrix_gaps(self) -> np.ndarray:
        counts = np.zeros(self.matrix.shape[1], dtype=np.int64)
        if self.matrix.dtype.kind == "f":
            for start, stop in _row_blocks(self.matrix):
                block = np.isfinite(self.matrix[start:stop])
                counts += len(block) - block.sum(axis=0)
        return counts


def table_of_frame(frame: pd.DataFrame, class_names: tuple[str, ...] = ()) -> Table:
    """Recognise what every column of `frame` holds."""
    names = unique_names(one_line(name, 60) for name in frame.columns)
    step = max(len(frame) // _COUNTED_ROWS, 1)
    numeric: list[int] = []
    parsed: dict[str, np.ndarray] = {}
    words: dict[str, pd.Categorical] = {}
    texts: dict[str, Any] = {}
    described: dict[str, Column] = {}
    for place, (name, (_, series)) in enumerate(zip(names, frame.items(), strict=True)):
        if _is_plain(series):
            if _is_beyond_floats(series):
                parsed[name] = series.to_numpy()
                described[name] = _describe_numbers(name, parsed[name], step, "whole numbers of more than 15 digits")
            else:
                numeric.append(place)
            continue
        described[name], values = _recognise(name, series, step)
        if isinstance(values, np.ndarray):
            parsed[name] = values
        elif values is not None:
            words[name] = values
        elif described[name].kind == TEXT:
            texts[name] = series.array
    head = frame.iloc[:_HEAD_ROWS].copy()
    head.columns = names
    return Table(
        names=tuple(names),
        n_rows=len(frame),
        matrix=_matrix(frame if len(numeric) == len(names) else frame.iloc[:, numeric]),
        places={names[place]: number for number, place in enumerate(numeric)},
        parsed=parsed,
        words=words,
        described=described,
        head=head,
        class_names=class_names,
        texts=texts,
    )


def _is_plain(series: pd.Series) -> bool:
    """Return whether a column arrives as real numbers."""
    from pandas.api.types import is_bool_dtype, is_complex_dtype, is_numeric_dtype

    dtype = series.dtype
    return is_numeric_dtype(dtype) and not is_bool_dtype(dtype) and not is_complex_dtype(dtype)


def _is_beyond_floats(series: pd.Series) -> bool:
    """Return whether these are whole numbers that floats would confuse with their neighbours, as long identifiers."""
    dtype = series.dtype
    if not (isinstance(dtype, np.dtype) and dtype.kind in "iu" and dtype.itemsize == 8 and len(series)):
        return False
    return bool(series.max() > _EXACT or series.min() < -_EXACT)


def _matrix(frame: pd.DataFrame) -> np.ndarray:
    """Return columns of numbers as one array, which shares the memory of `frame` where they have one type."""
    if all(isinstance(dtype, np.dtype) for dtype in frame.dtypes):
        return frame.to_numpy() if frame.shape[1] else np.empty((len(frame), 0))
    return frame.to_numpy(dtype=np.float64, na_value=np.nan)


def _row_blocks(matrix: np.ndarray) -> list[tuple[int, int]]:
    step = max(_BLOCK_CELLS // max(matrix.shape[1], 1), 1)
    return [(start, start + step) for start in range(0, len(matrix), step)]


def unique_names(names: Iterable[str]) -> list[str]:
    """Return the names, each once and none empty."""
    used: set[str] = set()
    found = []
    for place, name in enumerate(names, start=1):
        base = name or f"column {place}"
        new, number = base, 1
        while new in used:
            number += 1
            new = f"{base} ({number})"
        used.add(new)
        found.append(new)
    return found


def _recognise(name: str, series: pd.Series, step: int) -> tuple[Column, np.ndarray | pd.Categorical | None]:
    import pandas as pd
    from pandas.api.types import is_complex_dtype

    dtype = series.dtype
    if is_complex_dtype(dtype):
        return Column(name, TEXT, 0, 0, "", "complex numbers, which are not used"), None
    if isinstance(dtype, pd.DatetimeTZDtype) or (isinstance(dtype, np.dtype) and dtype.kind == "M"):
        return _dates(name, series)
    if isinstance(dtype, np.dtype) and dtype.kind == "m":
        return _numbers(name, series.dt.total_seconds().to_numpy(dtype=np.float64), step, "durations, in seconds")
    return _words(name, series, step)


def _numbers(name: str, values: np.ndarray, step: int, note: str, odd: str = "") -> tuple[Column, np.ndarray | None]:
    column = _describe_numbers(name, values, step, "; ".join(filter(None, [note, odd])))
    column = replace(column, odd=odd)
    return column, None if column.kind == EMPTY else values


def _describe_numbers(name: str, values: np.ndarray, step: int, note: str = "") -> Column:
    n_infinite = int(np.isinf(values).sum()) if values.dtype.kind == "f" else 0
    if n_infinite:
        note = "; ".join(filter(None, [note, f"{n_infinite:,} infinite, which count as missing"]))
    known = values[np.isfinite(values)]
    if known.size == 0:
        return Column(name, EMPTY, values.size, 0, "", note or "no value at all")
    part = values[::step]
    n_distinct = len(np.unique(part[np.isfinite(part)]))
    low, high = (f"{value:,.6g}".replace("-", "−").replace("e+0", "e") for value in (known.min(), known.max()))
    span = low if low == high else f"{low} to {high}"
    return Column(name, NUMBER, int(values.size - known.size), n_distinct, span, note)


def _dates(name: str, series: pd.Series, odd: str = "") -> tuple[Column, np.ndarray | None]:
    import pandas as pd

    series = pd.to_datetime(series, utc=True)
    missing = series.isna().to_numpy()
    if missing.all():
        return Column(name, EMPTY, len(series), 0, "", "no value at all"), None
    stamps = series.dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    seconds = np.where(missing, np.nan, stamps.astype(np.int64) / 1e6)
    low, high = series.min(), series.max()
    span = f"{low:%Y-%m-%d} to {high:%Y-%m-%d}"
    return Column(name, DATE, int(missing.sum()), int(series.nunique()), span, odd, odd), seconds


def _words(name: str, series: pd.Series, step: int) -> tuple[Column, np.ndarray | pd.Categorical | None]:
    """Recognise a column of text: perhaps numbers or dates with a few odd cells, else categories or free text.

    Every different word is looked at once, however many cells hold it.
    """
    import pandas as pd

    if step > 1:  # words that differ in most of many rows are free text, which a part of them shows
        column, _ = _words(name, series.iloc[::step], 1)
        if column.kind == TEXT and column.n_distinct > _MAX_WORDS:
            n_missing = int((series.isna() | series.isin(list(_UNKNOWN))).sum())
            return replace(column, n_missing=n_missing), None
    codes, words = _different_words(series)
    n_missing = int(np.count_nonzero(codes < 0))
    if not len(words):
        return Column(name, EMPTY, len(series), 0, "", "no value at all"), None
    counts = np.bincount(codes[codes >= 0], minlength=len(words))
    total = int(counts.sum())
    known = pd.Series(words, dtype=object)
    numbers = pd.Series(pd.to_numeric(known, errors="coerce"), dtype=np.float64).to_numpy()
    odd = np.isnan(numbers)
    is_number = counts[odd].sum() <= (1 - _SHARE) * total and not _is_code(known.loc[~odd], counts[~odd])
    if is_number and np.nanmax(np.abs(numbers)) > _EXACT and len(np.unique(numbers[~odd])) < np.count_nonzero(~odd):
        note = "whole numbers of too many digits to compute with, which are not used"
        return Column(name, TEXT, n_missing, len(words), f"{words[0]}, …", note), None
    if is_number:
        return _numbers(name, _spread(numbers, codes), step, "", _odd_cells(known.loc[odd], counts[odd], "numbers"))
    written = None if _is_code(known, counts) else written_numbers(known, _SHARE, counts)
    if written is not None:
        numbers, note = written
        odd = np.isnan(numbers)
        return _numbers(name, _spread(numbers, codes), step, note, _odd_cells(known.loc[odd], counts[odd], "numbers"))
    looks_like_date = _DATE.match(words[0]) is not None
    if looks_like_date:
        dates = _parse_dates(known, counts)
        odd = dates.isna().to_numpy()
        if counts[odd].sum() <= (1 - _SHARE) * total:
            cells = pd.Series(pd.array(dates).take(codes, allow_fill=True), index=series.index)
            return _dates(name, cells, _odd_cells(known.loc[odd], counts[odd], "dates"))
    order = np.argsort(-counts, kind="stable")
    frequent = [one_line(words[place], 20) for place in order[:4]]
    span = ", ".join(frequent) + (", …" if len(words) > 4 else "")
    odd_text = _several_ways(known, counts, looks_like_date)
    if len(words) > _MAX_WORDS or (len(words) > _FEW_WORDS and len(words) > 0.5 * total):
        note = f"{odd_text or 'free text or names of rows'}, which are not used"
        return Column(name, TEXT, n_missing, len(words), span, note, odd_text), None
    ordered = sorted(range(len(words)), key=words.__getitem__)
    rank = np.empty(len(words) + 1, dtype=np.int64)
    rank[ordered], rank[-1] = np.arange(len(words)), -1
    categories = pd.Categorical.from_codes(rank[codes], [words[place] for place in ordered])  # pyright: ignore
    return Column(name, CATEGORY, n_missing, len(words), span, odd_text, odd_text), categories


def _different_words(series: pd.Series) -> tuple[np.ndarray, list[str]]:
    """Return the number of each cell's word, -1 where it is missing, and the words in the order of the file."""
    import pandas as pd

    is_text = isinstance(series.dtype, pd.StringDtype)
    codes, found = pd.factorize(series if is_text else series.astype(object))
    words = [one_line(word, 200) for word in np.asarray(found, dtype=object)]
    # Words that differ only in blanks are one.
    distinct: dict[str, int] = {}
    merged = np.full(len(words) + 1, -1, dtype=np.int64)
    for place, word in enumerate(words):
        if word not in _UNKNOWN and word.lower() not in _UNKNOWN:
            merged[place] = distinct.setdefault(word, len(distinct))
    return merged[codes], list(distinct)


def _spread(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the value of each cell, nan where it is missing."""
    return np.append(values, np.nan)[codes]


def _is_code(known: pd.Series, counts: np.ndarray) -> bool:
    """Return whether numbers are names, such as postal codes: written with a zero in front."""
    if not len(known):
        return False
    return bool(counts[known.str.match(r"0\d").to_numpy(dtype=bool)].sum() > 0.01 * counts.sum())


def _parse_dates(known: pd.Series, counts: np.ndarray) -> pd.Series:
    """Return the dates in the one format that fits most cells."""
    import pandas as pd

    with warnings.catch_warnings():  # of formats that it would have to guess
        warnings.simplefilter("ignore")
        parsed = [pd.to_datetime(known, errors="coerce", utc=True, format=form) for form in _DATE_FORMATS]
    return min(parsed, key=lambda dates: int(counts[dates.isna().to_numpy()].sum()))


def _same_words(series: pd.Series, known: pd.Index) -> pd.Categorical:
    """Return the categories of cells in the order of those that are known, others behind them."""
    import pandas as pd

    codes, words = _different_words(series)
    categories = [*known, *(word for word in words if word not in known)]
    places = pd.Index(categories).get_indexer(pd.Index(words, dtype=object))
    return pd.Categorical.from_codes(np.append(places, -1)[codes], categories)  # pyright: ignore


def _same_quantity(name: str, series: pd.Series) -> np.ndarray:
    if _is_plain(series):
        return series.to_numpy(dtype=np.float64, na_value=np.nan) if series.dtype.kind == "f" else series.to_numpy()
    if series.dtype.kind in "mM" or series.isna().all():
        _, values = _recognise(name, series, 1)
        return values if isinstance(values, np.ndarray) else np.full(len(series), np.nan)
    raise DataError(
        f"The column {name!r} holds numbers or dates that are written as text, which are read in the drawn rows only. "
        "Leave it out, or write it as numbers or dates."
    )


def _several_ways(known: pd.Series, counts: np.ndarray, looks_like_date: bool) -> str:
    """Say where a column of words holds amounts of several currencies, or dates written in several ways."""
    part, weight = known.iloc[:_COUNTED_ROWS], counts[:_COUNTED_ROWS]
    least = _SHARE * weight.sum()
    if looks_like_date:
        is_date = part.str.match(_DATE).to_numpy(dtype=bool)
        return "holds dates written in several ways" if weight[is_date].sum() >= least else ""
    signs = currencies(part, weight, _SHARE)
    return f"holds amounts in several currencies ({' and '.join(signs)})" if signs else ""


def _odd_cells(cells: pd.Series, counts: np.ndarray, what: str) -> str:
    if cells.empty:
        return ""
    n = int(counts.sum())
    example = f"(such as {one_line(cells.iloc[0], 20)!r})"
    if n == 1:
        return f"has 1 cell that is no {what[:-1]} {example} and counts as missing"
    return f"has {n:,} cells that are no {what} {example} and count as missing"
