"""Values that are probably no values: codes for missing ones, slips, words in two spellings, times as numbers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.datasets.files.table import CATEGORY, NUMBER
from rfviz.datasets.wording import counted
from rfviz.lab.quick_inspection.raw import Raw

__all__ = ["OddValues", "ValueResult", "inspect_values"]

_FEWEST, _DISTINCT = 30, 10
# Rows that a sentinel has at least, and the share of the rows that are odd at most.
_REPEATED, _MOST_ODD = 3, 0.4
# Odd values are this many robust deviations off the median, and this many times as far as any other.
_FAR, _TIMES = 20.0, np.log(20.0)
# A code for a missing value may be nearer: as far from the others as half of the span that nine tenths of them have.
_CODE_GAP = 0.5
_SECONDS = (3.0e8, 2.2e9)  # from 1979 to 2039
_DAY = 86_400.0
_SHORT_FOR = {"y": "yes", "n": "no", "t": "true", "f": "false", "m": "male", "w": "female"}


@dataclass(frozen=True, eq=False)
class OddValues:
    """What is odd in one column.

    Attributes
    ----------
    column : str
    kind : {"code", "far", "spelling", "time", "cells"}
    text : str
        A part of a sentence that begins with the column.
    rows : ndarray of int
        Rows of the file, from 0, that hold it; empty where it is the column as a whole.
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
    n_rows : int
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
        if (span := _as_time(values)) is not None:
            found.append(OddValues(name, "time", f"reads as Unix time ({span})", nothing))
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
    inner = np.percentile(v[:: max(len(v) // 20_000, 1)], (0.5, 5, 25, 50, 75, 95, 99.5))
    spread = (inner[4] - inner[2]) / 1.349
    reach, middle = max(high - inner[3], inner[3] - low), inner[5] - inner[1]
    ends_with_code = (_is_round(abs(low)) and v[v > low].min(initial=high) - low > _CODE_GAP * middle) or (
        _is_round(abs(high)) and high - v[v < high].max(initial=low) > _CODE_GAP * middle
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
        shown = ", ".join(f"{value:,.6g}".replace("-", "−") for value in odd[:3]) + (", …" if len(odd) > 3 else "")
        between = f"{rest[0]:,.4g} to {rest[-1]:,.4g}".replace("-", "−")
        kind = "code" if len(odd) == 1 and n_odd >= _REPEATED else "far"
        text = f"is {shown} in {counted(n_odd, 'row')}, while all others lie from {between}"
        found.append(OddValues(name, kind, text, rows))
    return found


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
        is_code = place == 1 and n_odd >= max(_REPEATED, 0.002 * total) and _is_round(float(abs(ends[0])))
        if is_code and gap > _CODE_GAP * (q[4] - q[0]) and len(rest) >= _DISTINCT:
            return place
        spread = (q[3] - q[1]) / 1.349
        if spread <= 0 or (n_odd > 0.01 * total and place > 1):
            continue
        off, next_off = (q[2] - ends[place - 1]) / spread, (q[2] - ends[place]) / spread
        further = np.arcsinh(off) - np.arcsinh(max(next_off, 1.0))
        if off > _FAR and further > _TIMES:
            return place
    return 0


def _is_round(value: float) -> bool:
    """Return whether a number is one that people write for "none": nines, or a power of ten, or 0."""
    if value == 0:
        return True
    digits = f"{value:.0f}" if value == round(value) else ""
    return len(digits) >= 2 and (set(digits) == {"9"} or (digits[0] == "1" and set(digits[1:]) == {"0"}))


def _as_time(values: np.ndarray) -> str | None:
    """Return the first and the last day where whole numbers are times since 1970; None where they are not."""
    part = values[:: max(len(values) // 2000, 1)].astype(np.float64)
    part = part[np.isfinite(part)]
    if len(part) < _FEWEST or not (np.rint(part) == part).all():
        return None
    for unit in (1.0, 1e3, 1e6, 1e9):
        low, high = float(part.min()) / unit, float(part.max()) / unit
        if low >= _SECONDS[0] and high <= _SECONDS[1] and high - low > _DAY and len(np.unique(part)) > _DISTINCT:
            first, last = (str(np.datetime64(int(end), "s"))[:10] for end in (low, high))
            return f"{first} to {last}"
    return None


def _spoken(word: str) -> str:
    """Return what a word has in common with its other spellings: of a number its value, else letters and digits."""
    try:
        return repr(float(word) + 0.0)  # −0 is 0
    except ValueError:
        return "".join(c for c in word.casefold() if c.isalnum())


def _spellings(raw: Raw, name: str) -> list[OddValues]:
    """Return words that are one word in several spellings."""
    words = [str(word) for word in raw.table.words[name].categories]
    codes = raw.codes(name)
    counts = np.bincount(codes[codes >= 0], minlength=len(words))
    groups: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(words):
        if counts[place]:
            groups[_spoken(word)].append(place)
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
    return [OddValues(name, "spelling", f"spells one word as {spelt}{more}", rows)]
