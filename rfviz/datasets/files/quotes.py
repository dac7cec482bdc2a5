"""Quotation marks round cells that are not the usual double ones: they belong to the way of writing, not to the values.

A column is written in them where nearly all its cells begin and end with them; an apostrophe within a word stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rfviz.datasets.files.written_numbers import numbers_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CLOSING", "quotes_of", "unquoted_rows", "without_quotes"]

#: The mark that opens, and the one that closes; double ones are left where they were doubled, or follow a blank.
CLOSING = {"'": "'", '"': '"', "`": "`", "‘": "’", "“": "”", "„": "“", "«": "»", "»": "«"}
_NEARLY_ALL, _FEWEST = 0.9, 3


def quotes_of(rows: Sequence[Sequence[str]]) -> dict[int, str]:
    """Return the columns whose cells stand in quotation marks, with the mark that opens.

    Parameters
    ----------
    rows : sequence of sequence of str
        Of which the first may name the columns.
    """
    found: dict[int, str] = {}
    for place in range(max(map(len, rows))):
        # A table may have thousands of columns, of which one cell tells most often that they have none.
        shown = next((cell for row in rows[1:] if len(row) > place and (cell := row[place].strip())), "")
        if shown[:1] not in CLOSING:
            continue
        cells = [cell for row in rows[1:] if len(row) > place and (cell := row[place].strip())]
        n = sum(_is_within(cell, shown[0]) for cell in cells)
        if n >= max(_FEWEST, _NEARLY_ALL * len(cells)):
            found[place] = shown[0]
    return found


def unquoted_rows(rows: list[list[str]], quotes: dict[int, str]) -> list[list[str]]:
    """Return rows without the marks of :func:`quotes_of`, and the first without any that stand round all its cells."""
    first = [cell.strip() for cell in rows[0]]
    opens = next((cell[0] for cell in first if cell), "")
    if opens in CLOSING and all(not cell or _is_within(cell, opens) for cell in first):
        rows = [[cell[1:-1] for cell in first], *rows[1:]]
    if not quotes:
        return rows
    return [[_without(cell, quotes[place]) if place in quotes else cell for place, cell in enumerate(r)] for r in rows]


def without_quotes(series: pd.Series, opens: str, is_code: bool) -> pd.Series:
    """Return a column of text without its quotation marks, as numbers if all cells are; as it is if few have any.

    Parameters
    ----------
    opens : str
        The mark before a cell.
    is_code : bool
        Whether digits stay text.
    """
    import pandas as pd

    text = series.str.strip()
    closes = CLOSING[opens]
    are_within = text.str.startswith(opens) & text.str.endswith(closes) & (text.str.len() > 1)
    within = are_within.to_numpy(dtype=bool, na_value=False)
    if within.sum() < _NEARLY_ALL * series.notna().sum():
        return series
    bare = text.str.slice(1, -1).str.replace("\\" + closes, closes, regex=False)
    bare = bare.str.replace(2 * closes, closes, regex=False) if opens == closes else bare
    text = text.mask(within, bare)
    text = text.mask((text == "").to_numpy(dtype=bool, na_value=False))
    known = text.dropna()
    if is_code or not len(known) or np.isnan(numbers_of(known)).any():
        return text
    return pd.Series(pd.to_numeric(text))


def _is_within(cell: str, opens: str) -> bool:
    return len(cell) > 1 and cell[0] == opens and cell[-1] == CLOSING[opens]


def _without(cell: str, opens: str) -> str:
    text = cell.strip()
    return text[1:-1] if _is_within(text, opens) else cell
