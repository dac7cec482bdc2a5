"""Numbers as tables write them: with signs of percent and money, and marks between thousands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["currencies", "written_numbers"]

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


def written_numbers(known: pd.Series, share: float, counts: np.ndarray | None = None) -> tuple[np.ndarray, str] | None:
    """Return the numbers that the cells of a column hold as text; None if they are no numbers.

    Parameters
    ----------
    known : Series of str
        The cells that hold something, or each different one once.
    share : float
        Of the cells that must be numbers, all written in one way.
    counts : ndarray of int, optional
        How many cells each stands for; one by default.

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
    weights = np.ones(len(cells)) if counts is None else counts
    least = share * weights.sum()
    signs = {cell["before"] + cell["after"] for cell in cells if cell}
    if len(signs) != 1 or weights[[cell is not None for cell in cells]].sum() < least:
        return None  # no numbers, or amounts that cannot be compared
    sign = signs.pop()
    numbers = [cell["number"] if cell else "" for cell in cells]
    for name, (between, decimal, form) in _MARKS.items():
        fits = [bool(form.fullmatch(number)) for number in numbers]
        if weights[fits].sum() < least or (name == "comma" and _has_decimal_comma(numbers)):
            continue
        values = [
            float(cell["sign"] + number.replace(between, "").replace(decimal, ".")) if cell and fit else np.nan
            for cell, number, fit in zip(cells, numbers, fits, strict=True)
        ]
        left_out = [f"the sign {sign}"] if sign else []
        left_out += [f"the {name} between thousands"] if any(between in number for number in numbers) else []
        return np.array(values), f"read without {' and '.join(left_out)}" if left_out else ""
    return None


def currencies(known: pd.Series, counts: np.ndarray, share: float) -> list[str]:
    """Return the signs of a column of amounts in several currencies, the most frequent first; empty for any other.

    The parameters are those of :func:`written_numbers`.
    """
    if not any(map(_matched, known.iloc[:_FIRST])):
        return []
    found: dict[str, float] = {}
    amounts = 0
    for cell, count in zip(map(_matched, known), counts.tolist(), strict=True):
        if cell:
            sign = cell["before"] or cell["after"]
            amounts += count
            found[sign] = found.get(sign, 0) + count
    money = sorted((sign for sign in found if sign and sign in _MONEY), key=lambda sign: -found[sign])
    return money if len(money) > 1 and amounts >= share * counts.sum() else []


def _matched(cell: object) -> re.Match[str] | None:
    return _CELL.fullmatch(str(cell).translate(_SAME).strip())


def _has_decimal_comma(numbers: list[str]) -> bool:
    """Return whether some number can only be read with its comma before decimals."""
    with_comma, with_point = _MARKS["comma"][2], _MARKS["point"][2]
    return any(with_point.fullmatch(number) and not with_comma.fullmatch(number) for number in numbers)
