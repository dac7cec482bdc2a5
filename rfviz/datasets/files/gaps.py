r"""Words that stand for a missing value, such as NA, None, ? and -: whether they do, the other words of a column say.

In a column of numbers or dates such a word is missing, as any word is. In a column of words it is a value if it is
written like the others: "-" next to "+", "NA" (Namibia) among codes of two capitals, "None" next to "Minor". What no
language has for a word, such as "?", "N/A", "nan" and the \N of databases, is missing in every column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["gap_rows", "is_mark", "words_among"]

# In small letters; “na” only in capitals, as “Na” is sodium.
_MARKS = frozenset(
    [
        "",
        "?",
        "-",
        "--",
        "none",
        "unknown",
        "missing",
        "not available",
        "n.a.",
        "n.a",
        "n/a",
        "#n/a",
        "<na>",
        "nan",
        "null",
        r"\n",  # as databases write it
        ".",  # as SAS and Stata do
        "#div/0!",  # what spreadsheets write instead of a result
        "#value!",
        "#ref!",
        "#name?",
        "#num!",
        "#null!",
        "1.#ind",  # what programs of Windows write for values that are not finite
        "-1.#ind",
        "1.#qnan",
        "1.#inf",
        "-1.#inf",
    ]
)
_NA = "NA"
_LONGEST_MARK = max(map(len, _MARKS))
_SIGNS = frozenset("+-−±.")
# Written so by programs; as a name it begins with a capital.
_OF_PROGRAMS = ("nan", "null")
# Share of the other words that must be written like it, and the share of codes that must.
_MOST, _NEARLY_ALL, _FEWEST_CODES, _LONGEST_CODE = 0.5, 0.9, 2, 3


def is_mark(word: str) -> bool:
    """Return whether a word may stand for a missing value."""
    return len(word) <= _LONGEST_MARK and (word == _NA or word.lower() in _MARKS)


def words_among(marks: Iterable[str], others: Sequence[str]) -> frozenset[str]:
    """Return the marks of a column of words that are words like the others.

    Parameters
    ----------
    marks : iterable of str
        Words for which :func:`is_mark` holds.
    others : sequence of str
        The other words of the column, each once.
    """
    if {word.lower() for word in others} <= {"true", "false"}:
        return frozenset()
    forms = list(map(_form, others))
    return frozenset(mark for mark in marks if _is_like(mark, forms))


def gap_rows(series: pd.Series, words: frozenset[str]) -> np.ndarray:
    """Return which cells of a column of words are missing, or hold a mark that is not among `words`."""
    import pandas as pd

    missing = series.isna().to_numpy(dtype=bool, copy=True)
    if not isinstance(series.dtype, pd.StringDtype):
        marks = [is_mark(word := str(cell).strip()) and word not in words for cell in series]
        return missing | np.array(marks, dtype=bool)
    text = series.str.strip()
    near = np.flatnonzero((text.str.lower().isin(list(_MARKS)) | (text == _NA)).to_numpy(dtype=bool) & ~missing)
    codes, found = pd.factorize(text.iloc[near])
    is_gap = np.array([is_mark(word) and word not in words for word in found], dtype=bool)
    missing[near[is_gap[codes]]] = True
    return missing


def _is_like(mark: str, others: list[str]) -> bool:
    """Return whether a mark has the form of the other words of its column."""
    form = _form(mark)
    n = others.count(form)
    if form == "signs":
        return n > 0
    if form.endswith("capitals"):
        return n >= max(_FEWEST_CODES, _NEARLY_ALL * len(others))
    if not mark.replace(" ", "").isalpha() or (mark.lower() in _OF_PROGRAMS and mark != mark.capitalize()):
        return False
    return n > _MOST * len(others)


def _form(word: str) -> str:
    """Return how a word is written: in signs, a few capitals (a code), capitals, as a name, or in small letters."""
    if word and _SIGNS.issuperset(word):
        return "signs"
    if word.isalpha() and word.isupper() and 1 < len(word) <= _LONGEST_CODE:
        return f"{len(word)} capitals"
    if not word[:1].isalpha():
        return ""
    if word.isupper():
        return "CAPITALS"
    return "Name" if word[0].isupper() else "small" if word[0].islower() else ""
