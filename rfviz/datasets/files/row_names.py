"""A first column without a name: numbers or names of the rows, as pandas and R save them, or values like any others.

It is left out only where it certainly tells nothing but which row is which, and what was done is said in any case.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rfviz.datasets.files.recognise import DATE, NUMBER, days_of, is_plain, recognise

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["without_row_names"]

# What pandas calls a first column without a name, and in Parquet and Arrow files an index without one, wherever it is.
_UNNAMED, _INDEX = re.compile(r"\s*(Unnamed: 0(\.\d+)*)?\s*"), re.compile(r"__index_level_\d+__")
# From as many rows on, some of the numbers 0, 1, 2, … may be missing, as of rows that were drawn.
_FEWEST_DRAWN = 20


def without_row_names(frame: pd.DataFrame, names: Sequence[str]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return a table without columns that only name or number the rows, and a sentence on each that may.

    Parameters
    ----------
    names : sequence of str
        Of the columns as the file has them; empty if it names none.
    """
    out: list[int] = []
    notes: list[str] = []
    for place, name in enumerate(names):
        is_first = len(out) == place and _UNNAMED.fullmatch(name)
        if len(out) == frame.shape[1] - 1 or not (is_first or _INDEX.fullmatch(name)):
            continue
        column = "The first column" if not place else f"Column {place + 1}"
        column += f", “{name.strip()}”," if name.strip() else " has no name,"
        series = frame.iloc[:, place]
        how = _how_rows_are_told(series)
        if not name.strip() and series.isna().all():  # behind a separator at the start of each line
            out.append(place)
            notes.append(f"{column} holds nothing, and is left out.")
        elif how:
            out.append(place)
            notes.append(f"{column} {how} the rows, and is left out.")
        elif not name.strip():
            notes.append(f"{column} but does not just number or name the rows: it is kept as “column {place + 1}”.")
    kept = [place for place in range(frame.shape[1]) if place not in out]
    return (frame.iloc[:, kept] if out else frame), tuple(notes)


def _how_rows_are_told(series: pd.Series) -> str:
    """Return whether a column only "numbers" the rows or "names" them; empty if it does neither."""
    if series.isna().any() or not series.is_unique:
        return ""
    if is_plain(series):
        return "numbers" if days_of(series) is None and _are_row_numbers(series.to_numpy()) else ""
    column, values = recognise("", series, 1)
    if column.kind == NUMBER and not column.n_missing:
        return "numbers" if _are_row_numbers(values) else ""
    return "" if column.kind in (NUMBER, DATE) or column.n_distinct < len(series) else "names"


def _are_row_numbers(values: np.ndarray) -> bool:
    """Return whether different numbers are 0, 1, 2, … or 1, 2, 3, … in any order, or some of them that were drawn."""
    low, high, n = values.min(), values.max(), len(values)
    if low < 0 or (values != np.rint(values)).any():
        return False
    steps = np.diff(values)
    are_shuffled = (steps > 0).any() and (steps < 0).any()
    return bool((low <= 1 and high - low == n - 1) or (n >= _FEWEST_DRAWN and (are_shuffled or high < 2 * n)))
