"""Numbers as tables write them: with signs of percent and money, and marks between thousands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["EXACT", "currencies", "is_written_number", "numbers_of", "spread_places", "written_numbers"]

#: Beyond it a float does not hold every whole number.
EXACT = 2**53

_MONEY = "$€£¥"
_CELL = re.compile(rf"(?P<sign>[+-]?)(?P<before>[{_MONEY}]?)\s*(?P<number>\d[\d.,' ]*?)\s*(?P<after>[%{_MONEY}]?)")
_ANY_MONEY = re.compile(f"[{_MONEY}]")
# Words that show whether a column holds numbers at all, and with which signs.
_FIRST, _SHOWING = 100, 2000
# The mark between thousands, its sign, the sign before decimals, and the form of a number with them.
_MARKS = (
    ("comma", ",", ".", r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"),
    ("point", ".", ",", r"(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?"),
    ("blank", " ", ".", r"(?:\d{1,3}(?: \d{3})+|\d+)(?:\.\d+)?"),
    ("blank", " ", ",", r"(?:\d{1,3}(?: \d{3})+|\d+)(?:,\d+)?"),
    ("apostrophe", "'", ".", r"(?:\d{1,3}(?:'\d{3})+|\d+)(?:\.\d+)?"),
)
_SAME = {"[\u00a0\u202f\u2009]": " ", "’": "'", "−": "-"}


def written_numbers(
    known: Sequence[str], share: float, counts: np.ndarray | None = None
) -> tuple[np.ndarray, str] | None:
    """Return the numbers that the cells of a column hold as text, or None if they are not numbers.

    Parameters
    ----------
    known : sequence of str
        The cells that hold something, or each different one once.
    share : float
        Of the cells that must be numbers, all written in one way.
    counts : ndarray of int, optional
        How many cells each stands for; one by default.

    Returns
    -------
    values : ndarray of shape (n_cells,)
        nan for cells that are not numbers. A percentage keeps its size: 12.5% is 12.5.
    note : str
        The signs that were left out in reading them.
    """
    import pandas as pd

    if not any(map(_matched, known[:_FIRST])):
        return None  # words, most often, and there may be a million of them
    weights = np.ones(len(known)) if counts is None else counts
    before, after = _sign(known, weights)
    cells = pd.Series(known, dtype="str").str.strip()
    for written, meant in _SAME.items():
        cells = cells.str.replace(written, meant, regex=True)
    # Among numbers with marks, those without any.
    plain = np.full(len(cells), np.nan) if before + after else numbers_of(cells)
    has_point = cells.str.contains(".", regex=False).to_numpy(dtype=bool)
    frame = rf"^[+-]?{re.escape(before)}\s*(?:{{}})\s*{re.escape(after)}$"
    for name, between, decimal, form in _MARKS:
        fits = cells.str.contains(frame.format(form)).to_numpy(dtype=bool)
        is_plain = ~np.isnan(plain) & ((decimal == ".") | ~has_point)
        if weights[fits | is_plain].sum() < share * weights.sum():
            continue
        # Some number can only be read with its comma before decimals.
        if name == "comma" and cells[~fits].str.contains(frame.format(_MARKS[1][3])).any():
            continue
        bare = cells.str.replace(rf"[\s%{_MONEY}]", "", regex=True).str.replace(between, "", regex=False)
        numbers = numbers_of(bare.str.replace(decimal, ".", regex=False).where(fits))
        values = np.where(fits, numbers, np.where(is_plain, plain, np.nan))
        left_out = [f"the sign {before + after}"] if before + after else []
        if cells[fits].str.contains(rf"\d{re.escape(between)}\d").any():
            left_out.append(f"the {name} between thousands")
        return values, f"read without {' and '.join(left_out)}" if left_out else ""
    return None


def is_written_number(word: str) -> bool:
    """Return whether a word is a number, as it stands or with signs of money, percent and thousands."""
    try:
        float(word)
    except ValueError:
        return _matched(word) is not None
    return "_" not in word  # which Python, and no table, writes between thousands


def numbers_of(words: Any) -> np.ndarray:
    """Return the numbers that an array of words, or a Series, holds as they stand, nan for a word that is none."""
    import pandas as pd

    return np.asarray(pd.to_numeric(words, errors="coerce"), dtype=np.float64)


def spread_places(n: int, most: int) -> np.ndarray:
    """Return at most a number of the places 0 to n − 1, spread evenly."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(int)


def currencies(known: Sequence[str], counts: np.ndarray, share: float) -> list[str]:
    """Return the signs of a column of amounts in several currencies, the most frequent first; empty for any other.

    The parameters are those of :func:`written_numbers`.
    """
    if not any(_ANY_MONEY.search(word) for word in known[:_FIRST]) or not any(map(_matched, known[:_FIRST])):
        return []
    signs = _signs(known, counts)
    amounts = sum(signs.values())
    money = [sign for (before, after), _ in signs.most_common() if (sign := before + after) and sign in _MONEY]
    money = list(dict.fromkeys(money))
    return money if len(money) > 1 and amounts >= share * counts.sum() else []


def _sign(known: Sequence[str], counts: np.ndarray) -> tuple[str, str]:
    """Return the sign before and the sign after most numbers of a column."""
    showing = spread_places(len(known), _SHOWING)
    signs = _signs([known[int(place)] for place in showing], counts[showing])
    return signs.most_common(1)[0][0] if signs else ("", "")


def _signs(known: Sequence[str], counts: np.ndarray) -> Counter[tuple[str, str]]:
    """Count the cells that are written like numbers, by the signs before and after them."""
    found: Counter[tuple[str, str]] = Counter()
    for cell, count in zip(map(_matched, known), counts.tolist(), strict=True):
        if cell:
            found[cell["before"], cell["after"]] += count
    return found


def _matched(cell: object) -> re.Match[str] | None:
    text = str(cell).strip()
    for written, meant in _SAME.items():
        text = re.sub(written, meant, text)
    return _CELL.fullmatch(text)
