"""Numbers as tables write them: with signs of percent and money, and marks between thousands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["written_numbers"]

_MONEY = "$€£¥"
_FIRST = 100
_CELL = re.compile(rf"(?P<sign>[+-]?)(?P<before>[{_MONEY}]?)\s*(?P<number>\d.*?)\s*(?P<after>[%{_MONEY}]?)")
# The mark between thousands, the mark before decimals, and the form of a number with them.
_MARKS = {
    "comma": (",", ".", re.compile(r"(\d{1,3}(,\d{3})+|\d+)(\.\d+)?")),
    "point": (".", ",", re.compile(r"(\d{1,3}(\.\d{3})+|\d+)(,\d+)?")),
    "blank": (" ", ".", re.compile(r"\d{1,3}( \d{3})*(\.\d+)?")),
    "apostrophe": ("'", ".", re.compile(r"\d{1,3}('\d{3})*(\.\d+)?")),
}
_SAME = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "’": "'", "−": "-"})


def written_numbers(known: pd.Series, share: float) -> tuple[np.ndarray, str] | None:
    """Return the numbers that the cells of a column hold as text; None if they are no numbers.

    Parameters
    ----------
    known : Series of str
        The cells that hold something.
    share : float
        Of the cells that must be numbers, all written in one way.

    Returns
    -------
    values : ndarray of shape (n_cells,)
        nan for cells that are no numbers. A percentage keeps its size: 12.5% is 12.5.
    note : str
        What was left out in reading them.
    """
    if not any(map(_matched, known.iloc[:_FIRST])):
        return None  # words, most often, and there may be a million of them
    cells = [_matched(cell) for cell in known]
    signs = {cell["before"] + cell["after"] for cell in cells if cell}
    if len(signs) != 1 or sum(map(bool, cells)) < share * len(cells):
        return None  # no numbers, or amounts that cannot be compared
    sign = signs.pop()
    numbers = [cell["number"] if cell else "" for cell in cells]
    for name, (between, decimal, form) in _MARKS.items():
        fits = [bool(form.fullmatch(number)) for number in numbers]
        if sum(fits) < share * len(cells) or (name == "comma" and _has_decimal_comma(numbers)):
            continue
        values = [
            float(cell["sign"] + number.replace(between, "").replace(decimal, ".")) if cell and fit else np.nan
            for cell, number, fit in zip(cells, numbers, fits, strict=True)
        ]
        left_out = [f"the sign {sign}"] if sign else []
        left_out += [f"the {name} between thousands"] if any(between in number for number in numbers) else []
        return np.array(values), f"read without {' and '.join(left_out)}" if left_out else ""
    return None


def _matched(cell: object) -> re.Match[str] | None:
    return _CELL.fullmatch(str(cell).translate(_SAME).strip())


def _has_decimal_comma(numbers: list[str]) -> bool:
    """Return whether some number can only be read with its comma before decimals."""
    with_comma, with_point = _MARKS["comma"][2], _MARKS["point"][2]
    return any(with_point.fullmatch(number) and not with_comma.fullmatch(number) for number in numbers)
