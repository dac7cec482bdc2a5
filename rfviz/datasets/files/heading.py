"""Which of the first rows of a table name its columns: they differ in kind from the cells below them.

A word above numbers names a column, and so does a word that a column of few words holds nowhere else. A number above
numbers is a sample, as is a word that occurs below; but years in a row (2018, 2019, 2020) are names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from rfviz.datasets.files.gaps import is_mark
from rfviz.datasets.files.written_dates import is_written_date
from rfviz.datasets.files.written_numbers import is_written_number
from rfviz.datasets.wording import counted, one_line

__all__ = ["Heading", "find_heading"]

# Rows above the names, and rows of names, that are looked for; columns that are looked at, spread evenly.
_MOST_ABOVE, _MOST_NAMING, _MOST_COLUMNS = 12, 4, 400
# Share of the cells of a column that have its kind.
_NEARLY_ALL = 0.9
# Numbers that rise from column to column name these, as wavelengths do, where there are this many.
_FEWEST_RISING, _FEWEST_WHOLE_BELOW = 5, 10
_FEWEST_CODES = 5
_FIRST_YEAR, _LAST_YEAR = 1800, 2100
_UNIT = re.compile(r"[(\[].*[)\]]")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Heading:
    """The rows above the first sample.

    Attributes
    ----------
    names : tuple of str
        Of the columns; empty if the first row is a sample.
    n_rows : int
        Rows before the first sample.
    notes : tuple of str
        Conclusions, since the table does not say it.
    """

    names: tuple[str, ...]
    n_rows: int
    notes: tuple[str, ...]


@dataclass
class _Votes:
    """What the cells of a row say: cells that certainly name a column, that probably do, and that are samples."""

    surely: int = 0
    likely: int = 0
    samples: int = 0
    n_numbers: int = 0
    are_numbers_names: bool = False

    @property
    def naming(self) -> int:
        return self.surely + self.likely

    @property
    def is_heading(self) -> bool:
        """Return whether the row names columns, which it does if nothing speaks against it."""
        return self.surely > 0 or self.likely >= self.samples


def find_heading(rows: list[list[str]]) -> Heading:
    """Find the names of the columns among the first rows of a table.

    Parameters
    ----------
    rows : list of list of str
        The cells of its first rows, as many as are looked at, at least two.
    """
    first = _rows_above(rows)
    notes = [_said_of_titles(rows[:first])] if first else []
    votes = _votes(rows[first], rows[first + 1 :])
    if not votes.is_heading:
        return Heading((), first, (*notes, _said_of_samples(rows[first])))
    last = _last_naming(rows, first)
    if last > first:
        notes.append(_said_of_others(rows[first + 1 : last + 1], _are_joined(rows[first : last + 1])))
    elif not votes.naming and not votes.samples:
        notes.append("Nothing tells whether the first line names the columns; it was taken for their names.")
    elif (votes.samples or votes.are_numbers_names) and not _is_certain(rows, first):
        shown = one_line(", ".join(cell.strip() for cell in rows[first] if cell.strip()), 60)
        notes.append(f"The first line ({shown}) was taken for names of columns, since it differs from those below.")
    return Heading(tuple(_names(rows[first : last + 1])), last + 1, tuple(notes))


def _is_certain(rows: list[list[str]], first: int) -> bool:
    """Return whether words above numbers, and no cell against them, name the columns, copies of that row apart."""
    if _are_counted(rows[first]):
        return True
    votes = _votes(rows[first], [row for row in rows[first + 1 :] if row != rows[first]])
    return votes.surely > 0 and not votes.samples


def _said_of_titles(rows: list[list[str]]) -> str:
    title = " ".join(cell.strip() for row in rows for cell in row if cell.strip())
    lines = f"{counted(len(rows), 'line')} above the table {'is' if len(rows) == 1 else 'are'} left out"
    return f"{lines}: {one_line(title, 60)}." if title else f"{lines}."


def _said_of_others(rows: list[list[str]], are_joined: bool) -> str:
    cells = one_line(", ".join(dict.fromkeys(cell.strip() for row in rows for cell in row if cell.strip())), 60)
    lines = f"{counted(len(rows), 'line')} below the names {'holds' if len(rows) == 1 else 'hold'} no sample ({cells})"
    if are_joined:
        return f"{lines} and {'is' if len(rows) == 1 else 'are'} joined to the names."
    return f"{lines} and {'is' if len(rows) == 1 else 'are'} left out."


def _said_of_samples(row: list[str]) -> str:
    known = [cell for cell in row if cell.strip()]
    what = "holds numbers" if all(map(is_written_number, known)) else "is like the lines below"
    return f"The first line {what}, so it was read as data, and the columns are numbered."


def _rows_above(rows: list[list[str]]) -> int:
    """Return the number of titles and empty rows above a row of names, 0 where this is in doubt."""
    filled = [_n_filled(row) for row in rows]
    usual = int(np.median(filled))
    width = int(np.median([_width(row) for row in rows]))
    most = max(usual // 3, 1)
    first = 0
    while first < min(_MOST_ABOVE, len(rows) - 2) and (
        (usual > 2 and filled[first] <= most) or (_width(rows[first]) < width and len(rows[first]) != len(rows[-1]))
    ):
        first += 1
    if not first or first == _MOST_ABOVE or filled[first] < usual // 2:
        return 0
    votes = _votes(rows[first], rows[first + 1 :])
    # Lines that are cut in another way belong to no row of the table.
    is_apart = all(len(row) < len(rows[-1]) for row in rows[:first])
    if is_apart and (first > 1 or _width(rows[0]) <= 1):
        return first if votes.is_heading or all(_width(row) <= 1 for row in rows[:first]) else 0
    return first if votes.is_heading and votes.naming else 0


def _last_naming(rows: list[list[str]], first: int) -> int:
    """Return the last row that belongs to the names, those of units and second headers among them."""
    last = first
    for place in range(first + 1, min(first + _MOST_NAMING, len(rows) - 1)):
        row, below = rows[place], rows[place + 1 :]
        votes = _votes(row, below)
        cells = [cell.strip() for cell in row if cell.strip()]
        are_units = bool(cells) and all(map(_UNIT.fullmatch, cells)) and votes.surely > 0
        is_alone = not votes.samples and (votes.surely > 1 or (votes.surely and votes.are_numbers_names))
        if are_units or is_alone or _is_second(rows[first], row, below, votes):
            last = place
        elif not (cells and len(cells) == 1 and last > first + 1):  # the name of an index, as pandas writes it
            break
    return last


def _is_second(names: list[str], row: list[str], below: list[list[str]], votes: _Votes) -> bool:
    """Return whether a row names the answers to a question: it lacks what all others have, such as their number."""
    if votes.n_numbers or len(below) < 2:
        return False
    lacks = any(
        not row[place].strip() and names[place].strip() and all(len(r) > place and r[place].strip() for r in below)
        for place in range(min(len(row), len(names)))
    )
    unnamed = [place for place, name in enumerate(names) if not name.strip()]
    fills = [place for place in unnamed if len(row) > place and row[place].strip()]
    return lacks and (2 * len(fills) > len(unnamed) > 0 or (votes.likely > 1 and not votes.samples))


def _names(rows: list[list[str]]) -> list[str]:
    """Return one name for each column: of several rows, the lower with those above it where these are not enough."""
    top, *others = rows
    if not _are_joined(rows):
        return top
    group, groups, below = "", [], [[row[i].strip() if len(row) > i else "" for row in others] for i in range(len(top))]
    for name, parts in zip(top, below, strict=True):
        group = name.strip() or (group if any(parts) else "")
        groups.append(group)
    named = []
    for group, (*between, last) in zip(groups, below, strict=True):
        above = ", ".join(filter(None, [group, *between]))
        is_enough = groups.count(group) == 1 or not last
        named.append(group if is_enough else f"{last} ({above})" if above else last)
    return named


def _are_joined(rows: list[list[str]]) -> bool:
    """Return whether the names in the first of several rows are not enough: a name is empty or occurs twice."""
    top = [cell.strip() for cell in rows[0]]
    return len(rows) > 1 and len(set(filter(None, top))) < sum(
        bool(name) or any(len(row) > place and row[place].strip() for row in rows[1:]) for place, name in enumerate(top)
    )


def _votes(row: list[str], below: list[list[str]]) -> _Votes:
    votes = _Votes()
    numbers: list[int] = []
    step = max(len(row) // _MOST_COLUMNS, 1)
    lacks = _lacks_a_cell(row, below)
    for place in range(0, len(row), step):
        kind = _kind(row[place])
        if not kind:
            continue
        known = [cell for r in below if len(r) > place and _kind(cell := r[place])]
        usual = _usual_kind(known)
        if kind == usual == "number":
            numbers.append(place)
        elif kind == usual == "date":
            votes.samples += 1
        elif usual in ("number", "date"):
            votes.surely += 1
        elif kind == usual == "word":
            _vote_of_word(votes, row[place].strip(), [cell.strip() for cell in known], lacks)
    votes.n_numbers = len(numbers)
    votes.are_numbers_names = _are_names(row, numbers, below, 3 if votes.surely else _FEWEST_RISING)
    if votes.are_numbers_names:
        votes.likely += len(numbers)
    elif not _is_one_year(row, numbers, below):
        votes.samples += len(numbers)
    if not votes.naming:
        votes.samples += _n_below(row, below, step)
    return votes


def _vote_of_word(votes: _Votes, word: str, known: list[str], lacks: bool) -> None:
    """Let a word above words vote: those of a few classes, and codes of one form, tell whether it is one of them.

    A row that `lacks` a cell hardly names columns: a code of capitals, such as ID, is a sample of it where all codes
    below are as long.
    """
    if word in known or _is_code_like(word, known) or (lacks and _are_capitals([word, *known])):
        votes.samples += 1
    elif 2 * len(set(known)) <= len(known):
        votes.likely += 1


def _n_below(row: list[str], below: list[list[str]], step: int) -> int:
    """Return how many words of a row occur in whichever column below, as in pairs of names."""
    words = {cell.strip() for r in below for cell in r[::step]}
    return sum(_kind(cell) == "word" and cell.strip() in words for cell in row[::step])


def _is_code_like(word: str, known: list[str]) -> bool:
    """Return whether a word has digits, and is but for these like nearly all words below."""
    form = _DIGITS.sub("9", word)
    return form != word and sum(_DIGITS.sub("9", cell) == form for cell in known) >= _NEARLY_ALL * len(known)


def _are_capitals(codes: list[str]) -> bool:
    """Return whether words are codes of as many capitals, two to four."""
    return len(codes) > _FEWEST_CODES and all(
        len(code) == len(codes[0]) and 1 < len(code) < 5 and code.isalpha() and code.isupper() for code in codes
    )


def _lacks_a_cell(row: list[str], below: list[list[str]]) -> bool:
    """Return whether a cell is empty that nearly all rows below have, but for the first, of names of rows."""
    empty = [place for place in range(1, len(row)) if not row[place].strip()]
    most = _NEARLY_ALL * len(below)
    return any(sum(len(r) > place and bool(r[place].strip()) for r in below) > most for place in empty)


def _are_names(row: list[str], places: list[int], below: list[list[str]], fewest: int) -> bool:
    """Return whether numbers above numbers name their columns: years, steps, or whole numbers above decimals."""
    values = [_number(row[place]) for place in places]
    if len(values) < 2 or not np.isfinite(values).all():
        return False
    others = [[r[place] for place in places] for r in below if len(r) > places[-1]]
    steps = np.diff(values)
    if _are_counted(row):
        return True
    if steps[0] and (steps == steps[0]).all() and all(_is_year(row[place]) for place in places):
        return sum(_is_year(cells[0]) for cells in others) < 0.5 * len(others)
    if len(values) >= fewest and (steps > 0).all():
        n_rising = sum(all(_number(a) < _number(b) for a, b in pairwise(cells)) for cells in others)
        return n_rising < 0.5 * len(others)
    if all(row[place].strip().isdigit() for place in places) and len(others) >= _FEWEST_WHOLE_BELOW:
        return all("." in cell or not cell.strip() for cells in others for cell in cells)
    return False


def _is_one_year(row: list[str], places: list[int], below: list[list[str]]) -> bool:
    """Return whether the one number of a row is a year, and those below are none: it may be a name or a sample."""
    if len(places) != 1 or len(row) == 1 or not _is_year(row[places[0]]):
        return False
    return sum(_is_year(r[places[0]]) for r in below if len(r) > places[0]) < 0.5 * len(below)


def _is_year(cell: str) -> bool:
    return cell.strip().isdigit() and _FIRST_YEAR <= int(cell) <= _LAST_YEAR


def _are_counted(row: list[str]) -> bool:
    """Return whether these are the names 0, 1, 2, … that pandas writes, perhaps behind the empty one of an index."""
    cells = [cell.strip() for cell in row]
    named = cells[1:] if cells[0] == "" else cells
    return len(named) > 1 and named == [str(number) for number in range(len(named))]


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return np.nan


def _usual_kind(cells: list[str]) -> str:
    kinds = list(map(_kind, cells))
    usual = max(("number", "date"), key=kinds.count)
    return usual if kinds and kinds.count(usual) >= _NEARLY_ALL * len(kinds) else "word" if kinds else ""


@lru_cache(maxsize=100_000)
def _kind(cell: str) -> str:
    """Return whether a cell holds a number, a date or a word; empty if it holds nothing, or a sign of that."""
    text = cell.strip()
    if is_mark(text):
        return ""
    if not _DIGITS.search(text):
        return "word"
    return "number" if is_written_number(text) else "date" if is_written_date(text) else "word"


def _n_filled(row: list[str]) -> int:
    return sum(bool(cell.strip()) for cell in row)


def _width(row: list[str]) -> int:
    """Return the number of cells up to the last that holds anything."""
    return max((place for place, cell in enumerate(row, start=1) if cell.strip()), default=0)
