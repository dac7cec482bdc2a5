"""Values that are probably no values: codes for missing ones, slips, words in two spellings, times as numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from rfviz.datasets.files.table import CATEGORY, DATE, NUMBER
from rfviz.datasets.wording import counted
from rfviz.inspection.drawing import MOST_BARS, plot_bars
from rfviz.inspection.ends import FEWEST, stand_apart
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.raw import NAMED_LIKE_KEYS, Raw
from rfviz.inspection.totals import TotalRows, total_rows
from rfviz.inspection.words import plural, quoted, sentences

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["ValueResult", "Values", "inspect_values", "plot_odd_values", "written"]

# That numbers stand apart is told if chance would do it once in two hundred tables.
_FALSE_ALARM = 0.005
# Different values that a column of times has at least.
_DISTINCT = 10
# Days that programs write where none is known: first and last days of calendars, and day 0 of spreadsheets and of Unix.
_PLACEHOLDERS = (
    "0001-01-01",
    "1601-01-01",
    "1753-01-01",
    "1899-12-30",
    "1899-12-31",
    "1900-01-01",
    "1904-01-01",
    "1970-01-01",
    "1980-01-01",
    "2038-01-19",
    "2079-06-06",
    "2099-12-31",
    "9999-12-31",
)
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
# Columns, and rows, that a sentence names.
_NAMED = 3
# What to do about each kind that harms.
_ADVICE = {
    "codes": "Empty these cells if what they hold stands for a missing value",
    "far values": "Look up the rows with values far off, which are often slips",
    "total rows": "Leave rows that are sums out, or they count twice",
}
_SHORT_FOR = {"y": "yes", "n": "no", "t": "true", "f": "false", "m": "male", "w": "female"}


@dataclass(frozen=True, eq=False)
class ValueResult:
    """Odd ones among the values of all rows.

    Attributes
    ----------
    found : tuple of Claim
        Kinds are those of :attr:`Values.kinds`.
    n_columns : int
        All that were looked at.
    """

    found: tuple[Claim, ...]
    n_rows: int
    n_columns: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row per oddity."""
        rows = [(odd.columns[0], _said(odd), len(odd.rows)) for odd in self.found]
        return pd.DataFrame(rows, columns=["column", "what is odd", "rows"])


def inspect_values(raw: Raw) -> ValueResult:
    """Look at all rows for values that are probably no values."""
    # A label may be misspelt, or a target hold a slip, as any column.
    names = [*raw.columns, *([] if raw.label is None else [raw.label])]
    kinds = {name: raw.table.kind(name) for name in names}
    n_compared = sum(kind in (NUMBER, DATE) for kind in kinds.values())
    totals = [_total_rows(raw, totals) for totals in total_rows(raw, names)]
    found: list[Claim] = []
    for name, kind in kinds.items():
        if kind in (NUMBER, DATE):
            found += _apart(raw, name, _FALSE_ALARM / n_compared, Claims(totals).rows)
        if kind == NUMBER and (span := _as_time(name, raw.numbers(name))) is not None:
            found.append(Claim("times", span, (name,), raw.n_rows))
    found += [claim for name in names if kinds[name] == CATEGORY for claim in _spellings(raw, name)]
    found += totals
    found += [claim for name in names for claim in _odd_cells(raw, name)]
    return ValueResult(tuple(found), raw.n_rows, len(names))


def _apart(raw: Raw, name: str, false_alarm: float, totals: np.ndarray) -> Iterator[Claim]:
    """Yield the codes for missing values and the slips of a column of numbers or dates, apart from rows of totals."""
    values, is_date = raw.numbers(name), raw.table.kind(name) == DATE
    known = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    if len(known) < FEWEST:
        return
    known = known.astype(np.float64)
    is_key = not is_date and bool(NAMED_LIKE_KEYS.search(name)) and bool((np.rint(known) == known).all())
    for odd in stand_apart(known, false_alarm, _PLACEHOLDER_SECONDS if is_date else None):
        if odd.kind == "far" and is_key:  # what names something is not far from others
            continue
        rows = raw.file_rows(np.flatnonzero(np.isin(values, odd.values)))
        if np.isin(rows, totals).all():
            continue
        shown, low, high = odd.values.tolist(), odd.low, odd.high
        if is_date:
            shown, low, high = list(map(_day, shown)), _day(low), _day(high)
        of = {"low": low, "high": high}
        yield Claim(
            "codes" if odd.kind == "code" else "far values", tuple(shown), (name,), len(known), of=of, rows=rows
        )


_PLACEHOLDER_SECONDS = frozenset(np.array(_PLACEHOLDERS, dtype="datetime64[s]").astype(np.float64).tolist())


def _day(seconds: float) -> str:
    """Return the day, with the time of day if there is one, of seconds since 1970."""
    text = str(np.datetime64(round(seconds), "s"))
    return text.removesuffix("T00:00:00").replace("T", " ")


def _total_rows(raw: Raw, totals: TotalRows) -> Claim:
    of = {"word": totals.word, "in": totals.column, "sum of": totals.summed}
    return Claim("total rows", len(totals.rows), totals.columns, raw.n_rows, of=of, rows=raw.file_rows(totals.rows))


def _odd_cells(raw: Raw, name: str) -> Iterator[Claim]:
    """Yield what the reader saw in a column of text: cells unlike the others, or several ways of writing."""
    column = raw.table.described.get(name)
    if column is None or not column.odd:
        return
    rows = column.odd_rows if raw.rows is None else np.intersect1d(column.odd_rows, raw.rows)
    if len(rows) or not len(column.odd_rows):
        cells = tuple(raw.cells([name], rows)[name].dropna().unique()) if column.kind == CATEGORY else ()
        yield Claim("odd cells", len(rows), (name,), raw.n_rows, of={"said": column.odd, "words": cells}, rows=rows)


def written(value: float) -> str:
    """Write a number, whole ones with all digits, others with six or as far as hundredths: −999, 1,000,000, 0.125."""
    size = abs(value)
    form = ",.0f" if value == round(value) and size < 1e15 else ",.2f" if 1e4 <= size < 1e15 else ",.6g"
    return f"{value:{form}}".replace("-", "−").replace("e+0", "e").replace("e+", "e")


def _written(values: tuple[Any, ...]) -> list[str]:
    """Write numbers, or days; what may be years without a comma."""
    are_years = all(isinstance(value, float) and value.is_integer() and 1000 <= value < 3000 for value in values)
    return [value if isinstance(value, str) else f"{value:.0f}" if are_years else written(value) for value in values]


def _as_time(name: str, values: np.ndarray) -> tuple[str, str] | None:
    """Return the first and the last day where whole numbers may be times since 1970, or None if they are not."""
    known = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    if len(known) < FEWEST:
        return None
    low, high = float(known.min()), float(known.max())
    earliest, latest = _SECONDS if _NAMED_LIKE_TIMES.search(name) else _LIKELY_SECONDS
    for unit in (1.0, 1e3, 1e6, 1e9):
        if low >= earliest * unit and high <= latest * unit and high - low > _DAY * unit:
            if (np.rint(known) != known).any() or len(np.unique(known)) <= _DISTINCT:
                return None
            first, last = (str(np.datetime64(int(end / unit), "s"))[:10] for end in (low, high))
            return first, last
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


def _spellings(raw: Raw, name: str) -> Iterator[Claim]:
    """Yield words that are one word in several spellings."""
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
        return
    shown = max(several, key=lambda places: int(counts[places].sum()))
    shown = sorted(shown, key=lambda place: -counts[place])
    # The rows that would change, were the most frequent spelling kept.
    rare = [place for places in several for place in places if place != max(places, key=lambda p: int(counts[p]))]
    rows = raw.file_rows(np.flatnonzero(np.isin(codes, rare)))
    spelt = tuple(words[place] for place in shown)
    yield Claim("spellings", spelt, (name,), raw.n_rows, of={"others": len(several) - 1}, rows=rows)


def _said(claim: Claim) -> str:
    """Say what is odd, as a part of a sentence."""
    column, of = f"“{claim.columns[0]}”", claim.of
    if claim.what == "odd cells":
        return f"{column} {of['said']}{_in_rows(claim.rows)}"
    if claim.what == "times":
        return f"{column} may hold Unix times ({claim.value[0]} to {claim.value[1]})"
    if claim.what == "spellings":
        spelt = ", ".join(f"“{word}”" for word in claim.value[:4])
        more = f", and {counted(of['others'], 'other word')} in several spellings" if of["others"] else ""
        return f"{column} spells what is probably one word as {spelt}{more}"
    if claim.what == "total rows":
        return _said_of_totals(claim)
    *shown, low, high = _written((*claim.value[:_NAMED], of["low"], of["high"]))
    more = ", …" if len(claim.value) > _NAMED else ""
    rows = f"{counted(len(claim.rows), 'row')} ({_first_of(claim.rows)})"
    return f"{column} is {', '.join(shown)}{more} in {rows}, while all others lie from {low} to {high}"


def _said_of_totals(claim: Claim) -> str:
    of = claim.of
    where = quoted(claim.columns) if len(claim.columns) <= _NAMED else f"{len(claim.columns):,} columns"
    word = f" with “{of['word']}” in “{of['in']}”" if of["word"] else ""
    if len(claim.rows) == 1:
        return f"row {claim.rows[0] + 1}{word} is the sum of {of['sum of']} in {where}"
    return f"{len(claim.rows):,} rows{word} ({_first_of(claim.rows)}) are sums of {of['sum of']} in {where}"


def _first_of(rows: np.ndarray) -> str:
    """Return the first rows, counted from 1."""
    return ", ".join(f"{row + 1}" for row in rows[:_NAMED].tolist()) + ", …" * (len(rows) > _NAMED)


def _in_rows(rows: np.ndarray) -> str:
    return f", in {plural(len(rows), 'row', 'rows')} {_first_of(rows)}" if len(rows) else ""


class Values(Question[ValueResult]):
    """Which values are probably no values: codes for missing ones, slips, sums, words in two spellings."""

    name, key = "Odd values", "values"
    method = (
        "**Odd values.** A code for a missing value is a repeated number at an end of its column: the only one below "
        "0; a 0 while all others are at least a third of their span away; nines; or one farther than the span. A slip "
        "is at least three times as far from the median as any other. That they stand apart is tested against the "
        "spacings of the next numbers: one false alarm in two hundred tables. Words that differ only in capitals, "
        "blanks, and marks between letters. A row is a total if its numbers are the sums of others."
    )
    kinds: ClassVar = {
        "odd columns": "Columns that hold something odd, and that were looked at: `columns`, the label among them.",
        "codes": (
            "Repeated numbers or days at one end of the column that are probably codes for a missing value: all of "
            "`rows`, while its other known values lie from `low` to `high`."
        ),
        "far values": "The same for numbers or days so far off that they are probably slips.",
        "times": "The first and the last day, if the whole numbers are seconds, or thousandths of these, since 1970.",
        "spellings": (
            "Words of the column that differ only in capitals, blanks and marks; `others` words have several "
            "spellings, too. The rows are those of all spellings but the most frequent of each."
        ),
        "total rows": (
            "Rows that hold, in each of these columns of numbers, the sums of the rows that `sum of` names (all that "
            "are not totals; those between it and the total before or after it; or those with equal values in some "
            "columns), up to the rounding of what is written. Gaps count as 0."
        ),
        "odd cells": "Cells that are no numbers or days as the others are, or words that may stand for a gap.",
    }

    def applies(self, inspection: Inspection) -> bool:
        return not inspection.has_images

    def compute(self, inspection: Inspection) -> ValueResult:
        inspection.progress(0.1, "Odd values")
        return inspect_values(inspection.raw)

    def claims(self, result: ValueResult, inspection: Inspection) -> Iterator[Claim]:
        odd = tuple(dict.fromkeys(column for one in result.found for column in one.columns[:1]))
        yield Claim("odd columns", len(odd), odd, result.n_rows, of={"columns": result.n_columns})
        yield from result.found

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        found = claims[1:]
        if not found:
            rows = counted(claims[0].n_rows, "row")
            none = "No number lies far beyond all others, as a slip or a code for a missing value does"
            return self.say("fine", f"{none}, and no word is written in two ways ({rows}).")
        shown, rest = found[:_NAMED], found[_NAMED:]
        said = list(map(_said, shown))
        more = {claim.columns[0] for claim in rest} - {claim.columns[0] for claim in shown}
        if more:
            said.append(f"{counted(len(more), 'more column')} {plural(len(more), 'has', 'have')} odd values")
        kinds = {claim.what for claim in found}
        advice = [_ADVICE[kind] for kind in _ADVICE if kind in kinds]
        named = Claims(found)
        # A value of 0 may mean none of it, and not a gap.
        status = "warning" if any(claim.what in _ADVICE and claim.value != (0,) for claim in found) else "look"
        return self.say(status, sentences([*said, *advice])).about(named.rows, named.columns)

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
    return plot_bars(
        [odd.columns[0] for odd in shown], np.array([len(odd.rows) for odd in shown]), "rows", ":,", revision
    )
