"""What a column holds: numbers, categories, dates or free text, recognised once and shown before any use."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rfviz.datasets.files.gaps import gap_rows, is_mark, words_among
from rfviz.datasets.files.written_dates import numbered_days, seconds_of, written_dates
from rfviz.datasets.files.written_numbers import EXACT, currencies, numbers_of, spread_places, written_numbers
from rfviz.datasets.wording import counted, one_line

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "CATEGORY",
    "DATE",
    "EMPTY",
    "NUMBER",
    "TEXT",
    "Column",
    "Kind",
    "are_beyond_floats",
    "days_of",
    "describe_numbers",
    "different_words",
    "is_plain",
    "recognise",
]

Kind = Literal["number", "category", "date", "text", "empty"]
NUMBER: Kind = "number"
CATEGORY: Kind = "category"
DATE: Kind = "date"
TEXT: Kind = "text"
EMPTY: Kind = "empty"
# Share of the cells from which a column counts as numbers or dates; its other cells then count as missing.
_SHARE = 0.95
# Numbers are names, not quantities, when more than this share of them is written like one.
_CODES, _CODE, _DIGIT = 0.01, re.compile(r"0\d|[A-Za-z]{1,2}\d{3,}$"), re.compile(r"\d")
_LETTERED = re.compile(r"(?!\d+$)[A-Za-z]{0,2}(\d{5,})[A-Za-z]{0,2}")
# A column of more words, or of words that differ in most rows, identifies rows and holds no categories.
_MAX_WORDS, _FEW_WORDS = 1000, 12
# Words that are looked at for signs of several currencies.
_LOOKED_AT = 20_000
# Cells of a column that pandas does not count the words of faster.
_FEW_CELLS = 200
_LIKE_NUMBER = re.compile(r"\W*(\d|inf|nan)", re.I)


@dataclass(frozen=True)
class Column:
    """The description of one column.

    Attributes
    ----------
    kind : {"number", "category", "date", "text", "empty"}
    n_missing : int
        Cells without a value, or with one that is not finite.
    n_distinct : int
        Different values (in 20,000 rows, spread evenly, where there are more).
    span : str
        Smallest to largest number or date; the most frequent words.
    note : str
        Conclusions that should be known; may be empty.
    odd : str
        An oddity of some cells, as a part of a sentence; may be empty.
    odd_rows : ndarray of int
        The rows of these cells, from 0; empty if it is an oddity of the column as a whole.
    gaps : tuple of (str, int)
        Words that count as missing, and how many cells hold each; not of very many different words.
    """

    name: str
    kind: Kind
    n_missing: int
    n_distinct: int
    span: str
    note: str = ""
    odd: str = ""
    odd_rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64), compare=False, repr=False)
    gaps: tuple[tuple[str, int], ...] = ()

    @property
    def is_usable(self) -> bool:
        """Return whether it has values to compute with."""
        return self.kind in (NUMBER, CATEGORY, DATE)


@dataclass(frozen=True, eq=False)
class _Words:
    """The different words of a column.

    Attributes
    ----------
    codes : ndarray of int, shape (n_rows,)
        The number of each cell's word, -1 where the cell is missing.
    words : list of str
        In the order of the column.
    """

    codes: np.ndarray
    words: list[str]

    @property
    def counts(self) -> np.ndarray:
        """Return the number of cells that hold each word."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.words))

    @property
    def n_missing(self) -> int:
        return int(np.count_nonzero(self.codes < 0))

    @cached_property
    def marks(self) -> list[str]:
        """Return the words that may stand for a missing value."""
        return list(filter(is_mark, self.words))

    def without(self, words: Collection[str]) -> _Words:
        """Return the same, with cells that hold one of these words missing."""
        if not words:
            return self
        keeps = np.array([word not in words for word in self.words])
        places = np.append(np.where(keeps, np.cumsum(keeps) - 1, -1), -1)
        return _Words(places[self.codes], [word for word in self.words if word not in words])

    def with_meant(self) -> _Words:
        """Return the same, with those marks missing that are not words like the others."""
        return self.without(frozenset(self.marks) - self.meant())

    def meant(self) -> frozenset[str]:
        """Return the marks that are words like the others."""
        marks = self.marks
        return words_among(marks, self.without(marks).words) if marks else frozenset()

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Return the value of each cell for values of the words, nan where it is missing."""
        return np.append(values, np.nan)[self.codes]


def is_plain(series: pd.Series) -> bool:
    """Return whether a column arrives as real numbers."""
    from pandas import StringDtype
    from pandas.api.types import is_bool_dtype, is_complex_dtype, is_numeric_dtype

    dtype = series.dtype
    if isinstance(dtype, StringDtype):  # what most columns of words are, of which there may be thousands
        return False
    return is_numeric_dtype(dtype) and not is_bool_dtype(dtype) and not is_complex_dtype(dtype)


def are_beyond_floats(series: pd.Series) -> bool:
    """Return whether these are whole numbers that floats would confuse with their neighbours, as long identifiers."""
    dtype = series.dtype
    if getattr(dtype, "kind", "") not in "iu" or getattr(dtype, "itemsize", 8) != 8 or series.isna().all():
        return False
    return bool(series.max() > EXACT or series.min() < -EXACT)


def days_of(series: pd.Series) -> np.ndarray | None:
    """Return the seconds since 1970 where a column of numbers holds days such as 20240131; else None."""
    is_own = isinstance(series.dtype, np.dtype)
    return numbered_days(series.to_numpy() if is_own else series.to_numpy(np.float64, na_value=np.nan), _SHARE)


def recognise(name: str, series: pd.Series, step: int) -> tuple[Column, Any]:
    """Describe a column, and return its values.

    Parameters
    ----------
    step : int
        One of so many rows is looked at where that is enough.

    Returns
    -------
    column : Column
    values : ndarray, Categorical, array of pandas or None
        Numbers, dates in seconds since 1970, categories, or free text; None of an empty column.
    """
    import pandas as pd
    from pandas.api.types import is_complex_dtype

    dtype = series.dtype
    if is_complex_dtype(dtype):
        n_missing = int(series.isna().sum())
        return Column(name, TEXT, n_missing, 0, "", "complex numbers, which are not used"), series.array
    if is_plain(series):
        return _of_numbers(name, series, step)
    if isinstance(dtype, pd.PeriodDtype):
        series = series.dt.to_timestamp()
    if getattr(series.dtype, "kind", "") == "M":
        dates = pd.to_datetime(series, utc=True)
        return _date_column(name, dates, int(dates.isna().sum())), seconds_of(dates)
    if getattr(dtype, "kind", "") == "m":
        seconds = series.dt.total_seconds().to_numpy(dtype=np.float64, na_value=np.nan)
        return _number_column(name, seconds, step, "durations, in seconds")
    return _of_words(name, series, step)


def describe_numbers(name: str, values: np.ndarray, step: int, note: str = "", odd: str = "") -> Column:
    """Describe a column of numbers of any type, of which those that are not finite are missing."""
    n_infinite = int(np.isinf(values).sum()) if values.dtype.kind == "f" else 0
    infinite = f"{n_infinite:,} infinite, which count as missing" if n_infinite else ""
    note = "; ".join(filter(None, [note, odd, infinite]))
    known = values[np.isfinite(values)]
    if known.size == 0:
        return Column(name, EMPTY, values.size, 0, "", note or "no value at all")
    part = values[::step]
    n_distinct = len(np.unique(part[np.isfinite(part)]))
    low, high = (f"{value:,.6g}".replace("-", "−").replace("e+0", "e") for value in (known.min(), known.max()))
    span = low if low == high else f"{low} to {high}"
    return Column(name, NUMBER, int(values.size - known.size), n_distinct, span, note, odd)


def different_words(series: pd.Series, known: Collection[str]) -> tuple[np.ndarray, list[str]]:
    """Return the number of each cell's word, -1 where it is missing, and the words; marks among `known` are words."""
    found = _words_of(series)
    found = found.without([mark for mark in found.marks if mark not in known])
    return found.codes, found.words


def _words_of(series: pd.Series) -> _Words:
    """Return the words of a column, each once; every different one is looked at once, however many cells hold it."""
    import pandas as pd

    is_text = isinstance(series.dtype, pd.StringDtype)
    # Words that differ only in blanks are one, and blanks alone are none.
    distinct: dict[str, int] = {}
    if is_text and len(series) <= _FEW_CELLS:  # a table may have thousands of columns
        cells = series.tolist()
        numbers: dict[Any, int] = {}
        for cell in dict.fromkeys(cells):
            word = one_line(cell, 200) if isinstance(cell, str) else ""
            numbers[cell] = distinct.setdefault(word, len(distinct)) if word else -1
        return _Words(np.fromiter(map(numbers.__getitem__, cells), np.int64, len(cells)), list(distinct))
    codes, found = pd.factorize(series if is_text else series.astype(object))
    merged = np.full(len(found) + 1, -1, dtype=np.int64)
    for place, word in enumerate(np.asarray(found, dtype=object)):
        word = one_line(word, 200)
        if word:
            merged[place] = distinct.setdefault(word, len(distinct))
    return _Words(merged[codes], list(distinct))


def _number_column(
    name: str, values: np.ndarray, step: int, note: str, odd: str = ""
) -> tuple[Column, np.ndarray | None]:
    column = describe_numbers(name, values, step, note, odd)
    return column, None if column.kind == EMPTY else values


def _of_numbers(name: str, series: pd.Series, step: int) -> tuple[Column, Any]:
    """Recognise days such as 20240131, and whole numbers that floats would confuse with their neighbours."""
    seconds = days_of(series)
    if seconds is not None:
        wrong = np.isfinite(series.to_numpy(dtype=np.float64, na_value=np.nan)) & np.isnan(seconds)
        odd = _odd_cells(series.to_numpy()[wrong], np.ones(np.count_nonzero(wrong)), "dates")
        column, _ = _of_numbered_days(name, seconds, odd)
        return replace(column, odd_rows=np.flatnonzero(wrong)), seconds
    n_missing, note = int(series.isna().sum()), "whole numbers of more than 15 digits"
    if not n_missing:
        return _number_column(name, series.to_numpy(dtype=f"{series.dtype.kind}8"), step, note)
    known = series.dropna()
    n_distinct = known.nunique()
    if known.astype(np.float64).nunique() < n_distinct:
        return _too_long(name, n_missing, n_distinct, str(known.iloc[0])), series.array
    return _number_column(name, series.to_numpy(dtype=np.float64, na_value=np.nan), step, note)


def _too_long(name: str, n_missing: int, n_distinct: int, first: str) -> Column:
    note = "whole numbers of too many digits to compute with, which are not used"
    return Column(name, TEXT, n_missing, n_distinct, f"{first}, …", note)


def _of_numbered_days(name: str, seconds: np.ndarray, odd: str) -> tuple[Column, np.ndarray]:
    """Describe a column of numbers that are days."""
    import pandas as pd

    days = pd.to_datetime(pd.Series(seconds), unit="s")
    return _date_column(name, days, int(np.isnan(seconds).sum()), odd, "days as whole numbers"), seconds


def _date_column(name: str, dates: pd.Series, n_missing: int, odd: str = "", note: str = "") -> Column:
    """Describe a column of dates, by all of them or by each different one."""
    if dates.isna().all():
        return Column(name, EMPTY, n_missing, 0, "", "no value at all")
    span = f"{dates.min():%Y-%m-%d} to {dates.max():%Y-%m-%d}"
    return Column(name, DATE, n_missing, int(dates.nunique()), span, "; ".join(filter(None, [note, odd])), odd)


def _of_words(name: str, series: pd.Series, step: int) -> tuple[Column, Any]:
    """Recognise a column of text: perhaps numbers or dates with a few odd cells, else categories or free text."""
    if step > 1:  # words that differ in most of many rows are free text, which a part of them shows
        part = _words_of(series.iloc[::step])
        column, _ = _of_different_words(name, part, 1)
        if column.kind == TEXT and column.n_distinct > _MAX_WORDS:
            gaps = gap_rows(series, part.meant())
            return replace(column, n_missing=int(gaps.sum())), series.mask(gaps).array
    found = _words_of(series)
    column, values = _of_different_words(name, found, step)
    if found.marks:
        meant = found.meant() if column.kind in (CATEGORY, TEXT) else frozenset()
        counts = zip(found.words, found.counts.tolist(), strict=True)
        column = replace(column, gaps=tuple((word, n) for word, n in counts if is_mark(word) and word not in meant))
    if column.kind == TEXT:
        gaps = found.with_meant().codes < 0
        return replace(column, n_missing=int(gaps.sum())), series.mask(gaps).array
    return replace(column, odd_rows=_odd_rows(column, found, values)) if column.odd else column, values


def _odd_rows(column: Column, found: _Words, values: Any) -> np.ndarray:
    """Return the rows whose cells are not numbers or dates, as the others are, or words that may stand for a gap."""
    if column.kind in (NUMBER, DATE):
        return np.flatnonzero(np.isnan(values) & (found.without(found.marks).codes >= 0))
    meant = found.meant()
    return np.flatnonzero(np.isin(found.codes, [place for place, word in enumerate(found.words) if word in meant]))


def _of_different_words(name: str, found: _Words, step: int) -> tuple[Column, Any]:
    """Recognise a column by its different words; of free text, without its cells."""
    sure, said = found.without(found.marks), ""
    if not sure.words:
        return Column(name, EMPTY, len(found.codes), 0, "", "no value at all"), None
    if any(map(_DIGIT.search, sure.words)):
        recognised = _as_numbers(name, sure, step)
        if recognised is not None:
            return recognised
        dated, said = _as_dates(name, sure)
        if dated is not None:
            return dated
        said = said or _several_currencies(sure)
    return _as_categories(name, found.with_meant(), said)


def _as_numbers(name: str, found: _Words, step: int) -> tuple[Column, Any] | None:
    """Return a column of words as numbers, where nearly all of them are, in whichever way they are written."""
    words, counts = np.array(found.words, dtype=object), found.counts
    places = spread_places(len(words), _LOOKED_AT)
    if not any(map(_LIKE_NUMBER.match, words[places])):
        return None
    is_code = np.array([_CODE.match(word) is not None for word in words[places]])
    if counts[places[is_code]].sum() > _CODES * counts[places].sum():
        return None
    values, note = _plain_numbers(words), ""
    odd = np.isnan(values)
    written = written_numbers(found.words, _SHARE, counts) if any(map(_DIGIT.search, words[odd])) else None
    if written is not None and counts[np.isnan(written[0])].sum() < counts[odd].sum():
        values, note = written
        odd = np.isnan(values)
    if counts[odd].sum() > (1 - _SHARE) * counts.sum() or _are_lettered(words[odd], words[~odd]):
        return None
    if np.nanmax(np.abs(values)) > EXACT and len(np.unique(values[~odd])) < np.count_nonzero(~odd):
        return _too_long(name, found.n_missing, len(words), words[0]), None
    cells = found.spread(values)
    seconds = None if note else numbered_days(cells, _SHARE)
    if seconds is not None:
        odd = np.isnan(seconds[np.unique(found.codes, return_index=True)[1]][-len(words) :])
        return _of_numbered_days(name, seconds, _odd_cells(words[odd], counts[odd], "dates"))
    return _number_column(name, cells, step, note, _odd_cells(words[odd], counts[odd], "numbers"))


def _are_lettered(odd: np.ndarray, numbers: np.ndarray) -> bool:
    """Return whether odd cells are numbers like the others with a letter, as C536379 among invoices: all are names.

    Years (c1850 among 1848) and other short numbers may be quantities with a remark.
    """
    lengths = {len(found[1]) for word in odd if (found := _LETTERED.fullmatch(word))}
    return bool(lengths) and sum(len(word) in lengths and word.isdigit() for word in numbers) >= _SHARE * len(numbers)


def _plain_numbers(words: np.ndarray) -> np.ndarray:
    """Return the numbers that words are as they stand, nan for one that is none; only nan if few of very many are."""
    step = max(len(words) // _LOOKED_AT, 1)
    if step > 1 and np.isnan(numbers_of(words[::step])).mean() > 0.5:
        return np.full(len(words), np.nan)
    return numbers_of(words)


def _as_dates(name: str, found: _Words) -> tuple[tuple[Column, np.ndarray] | None, str]:
    """Return a column of words as dates, if nearly all of them are, or else a note on its dates."""
    words, counts = np.array(found.words, dtype=object), found.counts
    read = written_dates(found.words, _SHARE, counts)
    if read is None:
        return None, ""
    dates, said = read
    if dates is None:
        return None, said
    wrong = dates.isna().to_numpy()
    seconds = found.spread(seconds_of(dates))
    odd = " and ".join(filter(None, [said, _odd_cells(words[wrong], counts[wrong], "dates")]))
    return (_date_column(name, dates, int(np.isnan(seconds).sum()), odd), seconds), ""


def _as_categories(name: str, found: _Words, odd: str) -> tuple[Column, pd.Categorical | None]:
    """Return a column of words as categories, or as free text, whose words are too many."""
    import pandas as pd

    words, counts = found.words, found.counts
    order = np.argsort(-counts, kind="stable")
    span = ", ".join(one_line(words[place], 20) for place in order[:4]) + (", …" if len(words) > 4 else "")
    if len(words) > _MAX_WORDS or (len(words) > _FEW_WORDS and len(words) > 0.5 * counts.sum()):
        note = f"{odd or 'free text or names of rows'}, which are not used"
        return Column(name, TEXT, found.n_missing, len(words), span, note, odd), None
    meant = [place for place in order.tolist() if is_mark(words[place]) and words[place][:1].isalpha()]
    if meant:
        held = " and ".join(f"“{words[place]}” in {counted(int(counts[place]), 'cell')}" for place in meant)
        count = "counts as a word" if len(meant) == 1 else "count as words"
        odd = "; ".join(filter(None, [odd, f"holds {held}, which {count} like the others"]))
    ordered = sorted(range(len(words)), key=words.__getitem__)
    rank = np.empty(len(words) + 1, dtype=np.int64)
    rank[ordered], rank[-1] = np.arange(len(words)), -1
    dtype = _dtype_of(tuple(words[place] for place in ordered))
    categories = pd.Categorical.from_codes(rank[found.codes], dtype=dtype, validate=False)  # pyright: ignore
    return Column(name, CATEGORY, found.n_missing, len(words), span, odd, odd), categories


@lru_cache(maxsize=64)
def _dtype_of(words: tuple[str, ...]) -> pd.CategoricalDtype:
    """Return the type of columns of these words, of which a table may have thousands."""
    import pandas as pd

    return pd.CategoricalDtype(pd.Index(words, dtype=object))


def _several_currencies(found: _Words) -> str:
    """Say where a column of words holds amounts of several currencies."""
    signs = currencies(found.words[:_LOOKED_AT], found.counts[:_LOOKED_AT], _SHARE)
    return f"holds amounts in several currencies ({' and '.join(signs)})" if signs else ""


def _odd_cells(cells: np.ndarray, counts: np.ndarray, what: str) -> str:
    n = int(counts.sum())
    if not n:
        return ""
    example = f"(such as {one_line(cells[0], 20)!r})"
    if n == 1:
        return f"has 1 cell that is no {what[:-1]} {example} and counts as missing"
    return f"has {n:,} cells that are no {what} {example} and count as missing"
