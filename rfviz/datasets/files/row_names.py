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

__all__ = ["count_row_names"]

# What pandas calls a column without a name, and in Parquet and Arrow files an index without one.
_UNNAMED = re.compile(r"\s*(Unnamed: 0(\.\d+)*|__index_level_0__)?\s*")
# From as many rows on, some of the numbers 0, 1, 2, … may be missing, as of rows that were drawn.
_FEWEST_DRAWN = 20


def count_row_names(frame: pd.DataFrame, names: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """Return how many of the first columns only name or number the rows, and what is to be said of such columns.

    Parameters
    ----------
    names : sequence of str
        Of the columns as the file has them; empty if it names none.
    """
    notes: list[str] = []
    n = 0
    while n < min(len(names), frame.shape[1]) - 1 and _UNNAMED.fullmatch(names[n]):
        column = ("The first column" if not n else f"Column {n + 1}") + (
            f", “{names[n].strip()}”," if names[n].strip() else " has no name,"
        )
        how = _how_rows_are_told(frame.iloc[:, n])
        if not how:
            if not names[n].strip():
                notes.append(f"{column} but does not just number or name the rows: it is kept as “column {n + 1}”.")
            break
        notes.append(f"{column} {how} the rows, and is left out.")
        n += 1
    return n, tuple(notes)


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
