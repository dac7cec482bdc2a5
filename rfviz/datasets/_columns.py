"""What the columns of a table hold: numbers, categories, dates or free text, found once and shown before any use."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rfviz.datasets._text import one_line
from rfviz.datasets._written import written_numbers

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CATEGORY", "DATE", "EMPTY", "NUMBER", "TEXT", "Column", "Table", "tidy"]

NUMBER, CATEGORY, DATE, TEXT, EMPTY = "number", "category", "date", "text", "empty"
# A column counts as numbers or dates when so many of its cells are; the others then count as missing.
_SHARE = 0.95
# Words that differ in most rows name the rows; they are no categories.
_MOST_WORDS, _FEW_WORDS = 1000, 12
# What tables write where nothing is known, beside what pandas takes for it.
_UNKNOWN = ("", "?", "-", "none", "unknown", "missing")
_DATE = re.compile(r"\s*(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{4}[./]\d{1,2}[./]\d{1,2})")
_FORMATS = ("ISO8601", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%Y.%m.%d")
# Distinct values are counted in so many rows, spread evenly.
_COUNTED = 20_000


@dataclass(frozen=True)
class Column:
    """One column, looked at.

    Attributes
    ----------
    name : str
    kind : {"number", "category", "date", "text", "empty"}
    n_missing : int
        Cells without a value, or with one that is not finite.
    n_distinct : int
        Different values among those there (in 20,000 rows, spread evenly, where there are more).
    span : str
        Smallest to largest number or date; the most frequent words.
    note : str
        What was concluded and should be known; empty else.
    """

    name: str
    kind: str
    n_missing: int
    n_distinct: int
    span: str
    note: str = ""


@dataclass(frozen=True, eq=False)
class Table:
    """Columns and their values, in a form that a preparation can use.

    Attributes
    ----------
    columns : tuple of Column
    values : dict of str to ndarray or pandas.Categorical
        By name: float64 with nan for numbers; seconds since 1970 for dates; categories for words. None of free text.
    n_rows : int
    head : DataFrame
        The first rows as they were found.
    """

    columns: tuple[Column, ...]
    values: dict[str, np.ndarray | pd.Categorical] = field(repr=False)
    n_rows: int
    head: pd.DataFrame = field(repr=False)

    def column(self, name: str) -> Column | None:
        """The column of that name, if there is one."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}


def tidy(frame: pd.DataFrame, n_head: int = 8) -> Table:
    """Look at every column of `frame`.

    Parameters
    ----------
    frame : DataFrame of shape (n_rows, n_columns)
    n_head : int
        Rows of the beginning to keep for showing.
    """
    names = _unique([one_line(name, 60) for name in frame.columns])
    columns, values = [], {}
    step = max(len(frame) // _COUNTED, 1)
    for name, (_, series) in zip(names, frame.items(), strict=True):
        column, kept = _examine(name, series, step)
        columns.append(column)
        if kept is not None:
            values[name] = kept
    head = frame.iloc[:n_head, :].copy()
    head.columns = names
    return Table(tuple(columns), values, len(frame), head)


def _unique(names: list[str]) -> list[str]:
    """The names, each once and none empty: cutting may have made two alike."""
    taken: set[str] = set()
    found = []
    for place, name in enumerate(names, start=1):
        base = name or f"column {place}"
        new, number = base, 1
        while new in taken:
            number += 1
            new = f"{base} ({number})"
        taken.add(new)
        found.append(new)
    return found


def _examine(name: str, series: pd.Series, step: int) -> tuple[Column, np.ndarray | pd.Categorical | None]:
    import pandas as pd
    from pandas.api.types import is_bool_dtype, is_complex_dtype, is_numeric_dtype

    dtype = series.dtype
    if is_complex_dtype(dtype):
        return Column(name, TEXT, 0, 0, "", "complex numbers, which are not used"), None
    if is_numeric_dtype(dtype) and not is_bool_dtype(dtype):
        return _numbers(name, series.to_numpy(dtype=np.float64, na_value=np.nan), step)
    if (isinstance(dtype, np.dtype) and dtype.kind == "M") or isinstance(dtype, pd.DatetimeTZDtype):
        return _dates(name, series)
    if isinstance(dtype, np.dtype) and dtype.kind == "m":
        return _numbers(name, series.dt.total_seconds().to_numpy(dtype=np.float64), step, "durations, in seconds")
    return _words(name, series, step)


def _numbers(name: str, values: np.ndarray, step: int, note: str = "") -> tuple[Column, np.ndarray | None]:
    finite = np.isfinite(values)
    n_infinite = int(np.isinf(values).sum())
    if n_infinite:
        note = "; ".join(filter(None, [note, f"{n_infinite:,} infinite, which count as missing"]))
        values = np.where(finite, values, np.nan)
    known = values[finite]
    if known.size == 0:
        return Column(name, EMPTY, values.size, 0, "", note or "no value at all"), None
    part = values[::step]
    n_distinct = len(np.unique(part[np.isfinite(part)]))
    low, high = (f"{value:,.6g}".replace("-", "−").replace("e+0", "e") for value in (known.min(), known.max()))
    span = low if low == high else f"{low} to {high}"
    return Column(name, NUMBER, int(values.size - known.size), n_distinct, span, note), values


def _dates(name: str, series: pd.Series, note: str = "") -> tuple[Column, np.ndarray | None]:
    import pandas as pd

    series = pd.to_datetime(series, utc=True)
    missing = series.isna().to_numpy()
    if missing.all():
        return Column(name, EMPTY, len(series), 0, "", "no value at all"), None
    stamps = series.dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    seconds = np.where(missing, np.nan, stamps.astype(np.int64) / 1e6)
    low, high = series.min(), series.max()
    span = f"{low:%Y-%m-%d} to {high:%Y-%m-%d}"
    return Column(name, DATE, int(missing.sum()), int(series.nunique()), span, note), seconds


def _words(name: str, series: pd.Series, step: int) -> tuple[Column, np.ndarray | pd.Categorical | None]:
    """A column of text: perhaps numbers or dates with a few odd cells, else categories or free text."""
    import pandas as pd

    missing = series.isna()
    text = series.astype(object).where(~missing, None).map(lambda v: None if v is None else one_line(v, 200))
    missing = missing | text.map(lambda word: str(word).lower() in _UNKNOWN, na_action="ignore").fillna(False).astype(
        bool
    )
    known = text[~missing]
    if known.empty:
        return Column(name, EMPTY, len(series), 0, "", "no value at all"), None
    numbers = pd.to_numeric(known, errors="coerce").astype(np.float64)
    odd = numbers.isna()
    if odd.mean() <= 1 - _SHARE and not _is_code(known[~odd]):
        values = np.full(len(series), np.nan)
        values[~missing.to_numpy()] = numbers.to_numpy()
        return _numbers(name, values, step, _odd(known[odd], "numbers"))
    written = None if _is_code(known) else written_numbers(known, _SHARE)
    if written is not None:
        values = np.full(len(series), np.nan)
        values[~missing.to_numpy()], note = written
        odd_note = _odd(known[np.isnan(written[0])], "numbers")
        return _numbers(name, values, step, "; ".join(filter(None, [note, odd_note])))
    if _DATE.match(known.iloc[0]):
        dates = _parsed_dates(known)
        if dates.isna().mean() <= 1 - _SHARE:
            return _dates(name, dates.reindex(series.index), _odd(known[dates.isna()], "dates"))
    counts = known.value_counts()
    if len(counts) > _MOST_WORDS or (len(counts) > _FEW_WORDS and len(counts) > 0.5 * len(known)):
        note = "free text or names of rows, which are not used"
        return Column(name, TEXT, int(missing.sum()), len(counts), _shown(counts), note), None
    words = pd.Categorical(text.where(~missing), categories=sorted(counts.index))
    return Column(name, CATEGORY, int(missing.sum()), len(counts), _shown(counts)), words


def _is_code(known: pd.Series) -> bool:
    """Whether numbers are names, such as postal codes: written with a zero in front."""
    return bool(len(known)) and bool(known.str.match(r"0\d").mean() > 0.01)


def _parsed_dates(known: pd.Series) -> pd.Series:
    import pandas as pd

    best = None
    with warnings.catch_warnings():  # of formats that it would have to guess
        warnings.simplefilter("ignore")
        for how in _FORMATS:
            dates = pd.to_datetime(known, errors="coerce", utc=True, format=how)
            if best is None or dates.isna().sum() < best.isna().sum():
                best = dates
    return best


def _odd(cells: pd.Series, what: str) -> str:
    if cells.empty:
        return ""
    return f"{len(cells):,} cells are no {what} (such as {one_line(cells.iloc[0], 20)!r}) and count as missing"


def _shown(counts: pd.Series) -> str:
    words = [one_line(word, 20) for word in counts.index[:4]]
    return ", ".join(words) + (", …" if len(counts) > 4 else "")
