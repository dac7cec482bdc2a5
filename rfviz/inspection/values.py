"""Values that are probably no values: codes for missing ones, slips, words in two spellings, times as numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rfviz.datasets.files.table import CATEGORY, NUMBER
from rfviz.datasets.wording import counted
from rfviz.inspection.drawing import MOST_BARS, plot_bars
from rfviz.inspection.finding import Finding
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.raw import Raw
from rfviz.inspection.words import plural, sentences

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["OddValues", "ValueResult", "Values", "far_off", "inspect_values", "plot_odd_values", "written"]

_FEWEST, _DISTINCT = 30, 10
# Rows that a sentinel has at least, and the share of the rows that are odd at most.
_REPEATED, _MOST_ODD = 3, 0.4
# Odd values are this many robust deviations off the median, and this many times as far as any other.
_FAR, _TIMES = 20.0, np.log(20.0)
# A code for a missing value may be nearer: as far from the others as half of the span that nine tenths of them have, or
# as all of it where it is not a number that people write for "none".
_CODE_GAP, _OTHER_CODE_GAP = 0.5, 1.0
_SECONDS = (3.0e8, 2.2e9)  # from 1979 to 2039
_LIKELY_SECONDS = (9.4e8, 1.9e9)  # from 1999 to 2030, of columns whose name tells of no time
_DAY = 86_400.0
_NAMED_LIKE_TIMES = re.compile(r"time|date|stamp|epoch|unix|created|updated|(^|[\W_])(ts|at)($|[\W_])", re.I)
# What may stand behind the last letter, or between letters, and leave a word the same; the latter not in words of few
# letters, where A-B is not AB.
_LAST = re.compile(r"(?<=[^\W\d_])[.,;:]+$")
_MARKS = re.compile(r"(?<=[^\W\d_])[\s_.,;:'’–-]+(?=[^\W\d_])")
_BLANKS = re.compile(r"(?<!\d)\s+|\s+(?!\d)")
_QUOTED = re.compile(r"""(["'])(.*)\1|“(.*)”|‘(.*)’""")
_WHOLE = re.compile(r"[+-]?\d{1,15}(\.0*)?")
_FEW_LETTERS, _FEW_WORDS = 3, 6
_SHORT_FOR = {"y": "yes", "n": "no", "t": "true", "f": "false", "m": "male", "w": "female"}


@dataclass(frozen=True, eq=False)
class OddValues:
    """Odd values of one column.

    Attributes
    ----------
    kind : {"code", "far", "spelling", "time", "cells"}
    text : str
        A part of a sentence that begins with the column.
    rows : ndarray of int
        Rows of the file, from 0, that hold it; empty if it is the column as a whole.
    """

    column: str
    kind: str
    text: str
    rows: np.ndarray


@dataclass(frozen=True, eq=False)
class ValueResult:
    """Odd values of all rows.

    Attributes
    ----------
    found : tuple of OddValues
    """

    found: tuple[OddValues, ...]
    n_rows: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row per oddity."""
        rows = [(odd.column, odd.text, len(odd.rows)) for odd in self.found]
        return pd.DataFrame(rows, columns=["column", "what is odd", "rows"])


def inspect_values(raw: Raw) -> ValueResult:
    """Look at all rows for values that are probably no values."""
    found: list[OddValues] = []
    nothing = np.empty(0, dtype=np.int64)
    # A label may be misspelt, or a target hold a slip, as any column.
    label = [] if raw.label is None else [raw.label]
    kinds = {name: raw.table.kind(name) for name in [*raw.columns, *label]}
    for name in (name for name in kinds if kinds[name] == NUMBER):
        values = raw.numbers(name)
        found += _far_values(raw, name, values)
        if (span := _as_time(name, values)) is not None:
            found.append(OddValues(name, "time", f"may hold Unix times ({span})", nothing))
    for name in (name for name in kinds if kinds[name] == CATEGORY):
        found += _spellings(raw, name)
    for name in kinds:
        column = raw.table.described.get(name)
        if column is not None and column.odd:
            found.append(OddValues(name, "cells", column.odd, nothing))
    return ValueResult(tuple(found), raw.n_rows)


def _far_values(raw: Raw, name: str, values: np.ndarray) -> list[OddValues]:
    """Return values that lie far beyond all others: a code for a missing value, or slips."""
    known = np.isfinite(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)
    v = values[known].astype(np.float64)
    if len(v) < _FEWEST:
        return []
    low, high = float(v.min()), float(v.max())
    # What most columns are is seen without sorting all rows.
    some = v[:: max(len(v) // 20_000, 1)]
    inner, between = np.percentile(some, (25, 50, 75)), some[(some > low) & (some < high)]
    spread, reach = (inner[2] - inner[0]) / 1.349, max(high - inner[1], inner[1] - low)
    middle = float(np.subtract(*np.percentile(between, (95, 5)))) if len(between) else 0.0
    ends_with_code = _may_be_code(low, v[v > low].min(initial=high) - low, middle) or (
        _may_be_code(high, high - v[v < high].max(initial=low), middle)
    )
    if high == low or (spread > 0 and reach <= _FAR * spread and not ends_with_code):
        return []
    found = []
    distinct, counts = np.unique(v, return_counts=True)
    if len(distinct) < _DISTINCT:
        return []
    for ends in (distinct, -distinct[::-1]):
        sizes = counts if ends is distinct else counts[::-1]
        place = _isolated(ends, sizes)
        if not place:
            continue
        sign = 1.0 if ends is distinct else -1.0
        cut = sign * 0.5 * (ends[place - 1] + ends[place])
        mask = known & (values < cut if sign > 0 else values > cut)
        rows = raw.file_rows(np.flatnonzero(mask))
        odd = np.sort(sign * ends[:place])
        n_odd = int(sizes[:place].sum())
        # The ends of the rest, so that one sees how far the odd ones are.
        rest = np.sort(sign * ends[place:])
        shown = ", ".join(map(written, odd[:3].tolist())) + (", …" if len(odd) > 3 else "")
        between = f"{written(float(rest[0]))} to {written(float(rest[-1]))}"
        kind = "code" if len(odd) == 1 and n_odd >= _REPEATED else "far"
        text = f"is {shown} in {counted(n_odd, 'row')}, while all others lie from {between}"
        found.append(OddValues(name, kind, text, rows))
    return found


def far_off(values: np.ndarray) -> np.ndarray:
    """Return which of some numbers without gaps lie far beyond all others, as slips do; shape (n,)."""
    distinct, counts = np.unique(values, return_counts=True)
    low, high = (_isolated(ends, n) for ends, n in ((distinct, counts), (-distinct[::-1], counts[::-1])))
    return (values < distinct[low]) | (values > distinct[len(distinct) - 1 - high])


def _isolated(ends: np.ndarray, counts: np.ndarray) -> int:
    """Return how many of the smallest different values lie far below all others; 0 where none do."""
    total = int(counts.sum())
    below = np.cumsum(counts)
    most = int(np.searchsorted(below, _MOST_ODD * total, side="right"))
    # Of many values only a repeated one is a code; slips are few.
    for place in range(1, min(most, 20, len(ends) - _DISTINCT // 2) + 1):
        n_odd = int(below[place - 1])
        rest, weights = ends[place:], counts[place:]
        share = np.cumsum(weights) / weights.sum()
        q = rest[np.searchsorted(share, (0.05, 0.25, 0.5, 0.75, 0.95))]
        gap = float(ends[place] - ends[place - 1])
        is_repeated = place == 1 and n_odd >= max(_REPEATED, 0.002 * total)
        if is_repeated and _may_be_code(float(ends[0]), gap, q[4] - q[0]) and len(rest) >= _DISTINCT:
            return place
        spread = (q[3] - q[1]) / 1.349
        if spread <= 0 or (n_odd > 0.01 * total and place > 1):
            continue
        off, next_off = (q[2] - ends[place - 1]) / spread, (q[2] - ends[place]) / spread
        further = np.arcsinh(off) - np.arcsinh(max(next_off, 1.0))
        if off > _FAR and further > _TIMES:
            return place
    return 0


def _may_be_code(value: float, gap: float, span: float) -> bool:
    """Return whether a number is as far from all others as a code is: nearer for nines, powers of ten, and 0."""
    size = abs(value)
    if size != round(size):
        return False
    digits = f"{size:.0f}"
    is_usual = size == 0 or (len(digits) >= 2 and (set(digits) == {"9"} or digits == f"1{'0' * (len(digits) - 1)}"))
    return gap > (_CODE_GAP if is_usual else _OTHER_CODE_GAP) * span


def written(value: float) -> str:
    """Write a number, whole ones with all digits, others with six or as far as hundredths: −999, 1,000,000, 0.125."""
    size = abs(value)
    form = ",.0f" if value == round(value) and size < 1e15 else ",.2f" if 1e4 <= size < 1e15 else ",.6g"
    return f"{value:{form}}".replace("-", "−").replace("e+0", "e").replace("e+", "e")


def _as_time(name: str, values: np.ndarray) -> str | None:
    """Return the first and the last day where whole numbers may be times since 1970, or None if they are not."""
    known = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    if len(known) < _FEWEST:
        return None
    low, high = float(known.min()), float(known.max())
    earliest, latest = _SECONDS if _NAMED_LIKE_TIMES.search(name) else _LIKELY_SECONDS
    for unit in (1.0, 1e3, 1e6, 1e9):
        if low >= earliest * unit and high <= latest * unit and high - low > _DAY * unit:
            if (np.rint(known) != known).any() or len(np.unique(known)) <= _DISTINCT:
                return None
            first, last = (str(np.datetime64(int(end / unit), "s"))[:10] for end in (low, high))
            return f"{first} to {last}"
    return None


def _spoken(word: str, n_words: int) -> str:
    """Return what a word has in common with its other spellings.

    That is a whole number, or a word without capitals, blanks, quotes around it, and marks between its letters. Signs
    have a meaning: ``<1`` is not ``>1``, nor ``C++`` ``C#``.

    Parameters
    ----------
    n_words : int
        Words of its column; of many single letters ``a`` and ``A`` are two.
    """
    if quoted := _QUOTED.fullmatch(word):
        word = next(filter(None, quoted.groups()[1:]), "")
    if _WHOLE.fullmatch(word):
        return str(int(float(word)))
    is_plain = word.islower() or word.isupper() or word.capitalize() == word  # not so mW, which is not MW
    if (len(word) > _FEW_LETTERS + 1 or is_plain) and (len(word) > 1 or n_words <= _FEW_WORDS):
        word = word.lower()
    word = _LAST.sub("", word)
    if sum(map(str.isalpha, word)) > _FEW_LETTERS:
        word = _MARKS.sub("", word)
    return _BLANKS.sub("", word)


def _spellings(raw: Raw, name: str) -> list[OddValues]:
    """Return words that are one word in several spellings."""
    words = [str(word) for word in raw.table.words[name].categories]
    codes = raw.codes(name)
    counts = np.bincount(codes[codes >= 0], minlength=len(words))
    groups: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(words):
        if counts[place]:
            groups[_spoken(word, len(words))].append(place)
    for short, whole in _SHORT_FOR.items():
        if short in groups and whole in groups:
            groups[whole] += groups.pop(short)
    several = [places for key, places in groups.items() if len(places) > 1 and key]
    if not several:
        return []
    shown = max(several, key=lambda places: int(counts[places].sum()))
    shown = sorted(shown, key=lambda place: -counts[place])
    spelt = ", ".join(f"“{words[place]}”" for place in shown[:4])
    more = f", and {counted(len(several) - 1, 'other word')} in several spellings" if len(several) > 1 else ""
    # The rows that would change, were the most frequent spelling kept.
    rare = [place for places in several for place in places if place != max(places, key=lambda p: int(counts[p]))]
    rows = raw.file_rows(np.flatnonzero(np.isin(codes, rare)))
    return [OddValues(name, "spelling", f"spells what is probably one word as {spelt}{more}", rows)]


class Values(Question[ValueResult]):
    """Which values are probably no values: codes for missing ones, slips, words in two spellings."""

    name, key = "Odd values", "values"
    method = (
        "**Odd values.** A repeated round number (−999, 9999, 0) farther from all others than half of their span, "
        "or another whole one farther than all of it; or numbers 20 times as far from the middle as the nearest "
        "others. Words that differ only in capitals, blanks, and marks between letters."
    )

    def applies(self, inspection: Inspection) -> bool:
        return not inspection.has_images

    def compute(self, inspection: Inspection) -> ValueResult:
        inspection.progress(0.1, "Odd values")
        return inspect_values(inspection.raw)

    def describe(self, result: ValueResult, inspection: Inspection) -> Finding:
        if not result.found:
            rows = counted(result.n_rows, "row")
            none = "No number lies far beyond all others, as a slip or a code for a missing value does"
            return self.say("fine", f"{none}, and no word is written in two ways ({rows}).")
        shown = [f"“{odd.column}” {odd.text}" for odd in result.found[:3]]
        rest = set[str]({odd.column for odd in result.found[3:]}) - {odd.column for odd in result.found[:3]}
        if rest:
            shown.append(f"{counted(len(rest), 'more column')} {plural(len(rest), 'has', 'have')} odd values")
        status = "warning" if any(odd.kind in ("code", "far") for odd in result.found) else "look"
        rows = np.concatenate([odd.rows for odd in result.found])
        return self.say(status, sentences(shown)).about(rows, [odd.column for odd in result.found])

    def pictures(self, result: ValueResult) -> Iterator[Picture]:
        if any(len(odd.rows) for odd in result.found):
            yield Picture("odd", result, plot_odd_values, "How many rows of each column hold odd values.")


def plot_odd_values(result: ValueResult, revision: str = "") -> go.Figure:
    """Draw how many rows of each column hold values that are probably no values.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    shown = sorted((odd for odd in result.found if len(odd.rows)), key=lambda odd: -len(odd.rows))[:MOST_BARS]
    return plot_bars([odd.column for odd in shown], np.array([len(odd.rows) for odd in shown]), "rows", ":,", revision)
