"""Text of rows and cells → a pandas table: which encoding, which separator, which decimal sign, said where in doubt."""

from __future__ import annotations

import codecs
import re
import statistics
from collections import Counter
from typing import TYPE_CHECKING

from rfviz.datasets import _limits
from rfviz.datasets._content import Content, worded
from rfviz.datasets._table import _cells, _is_data
from rfviz.datasets._text import one_line
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MAX_COLUMNS", "read_text"]

MAX_COLUMNS = 20_000
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
# The lines that are looked at to find out how cells are separated.
_SAMPLE_BYTES, _SAMPLE_LINES = 1 << 20, 60
# Per cell: text of up to 8 characters, a number, and what the reader holds meanwhile.
_CELL_BYTES = 40
# No text holds these, but for a stray one.
_CONTROLS = bytes({*range(32)} - {9, 10, 12, 13, 26, 27})
_LONGER = "{}: the rows have more cells than the first line has names. Give every column a name."
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")
_DECIMAL_POINT = re.compile(r"\s*[-+]?\d*\.\d+\s*")


def read_text(content: Content) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read a table of commas, semicolons or tabs.

    Returns
    -------
    frame : DataFrame
        As pandas types the columns; names are unique text.
    notes : tuple of str
        What was concluded that the file does not say itself.

    Raises
    ------
    DataError
        If it is no text, has no header and rows, or rows longer than the header.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    encoding, notes = _encoding(content)
    with worded(content, "a table", "Save it as 'CSV UTF-8'"):
        lines = _first_lines(content, encoding)
        separator = _separator(lines)
        cells = _cells(lines[0], separator)
        if len(cells) > MAX_COLUMNS:
            raise DataError(
                f"{content.name} has {len(cells):,} columns, and at most {MAX_COLUMNS:,} are read. "
                "Leave some out, or save the numbers as X of an .npz file."
            )
        if len(_cells(lines[1], separator)) > len(cells):
            raise DataError(_LONGER.format(content.name))
        n_lines = content.data.count(b"\n") + content.data.count(b"\r") + 1
        # Characters grow on the way: a byte may take four, and a table holds them beside the file.
        needed = max(n_lines * len(cells) * _CELL_BYTES, 4 * len(content.data))
        _limits.check(needed, f"{content.name} ({n_lines:,} lines)", "Save fewer rows or columns")
        headless = _is_data(cells)
        comma = _has_decimal_comma(lines[not headless :], separator)
        frame = _parsed(content, encoding, separator, None if headless else 0, "," if comma else ".")
    if headless:
        frame.columns = [f"column {number}" for number in range(1, frame.shape[1] + 1)]
        notes.append("The first line holds numbers, so it was read as data, and the columns are numbered.")
    if comma:
        notes.append("Numbers are written with a decimal comma.")
    if separator != ",":
        notes.append(f"Cells are separated by {_SEPARATORS[separator]}.")
    return _named(frame, cells, headless, notes), tuple(notes)


def _encoding(content: Content) -> tuple[str, list[str]]:
    data = content.data
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        if _decodes(data, "utf-16"):
            return "utf-16", ["The text is UTF-16, as its first bytes say."]
        raise DataError(f"{content.name} begins like UTF-16, but is not. Save it as 'CSV UTF-8'.")
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls:
        raise DataError(
            f"{content.name} is not text: it holds {controls:,} control characters, and a table holds none. "
            "Save it as 'CSV UTF-8', without compression."
        )
    if _decodes(data, "utf-8"):
        return "utf-8-sig", []
    if _decodes(data, "cp1252"):
        return "cp1252", [
            "The text is not UTF-8, so it was read as Windows-1252 (Western European). Where letters look wrong, save "
            "it as 'CSV UTF-8'."
        ]
    raise DataError(f"{content.name} is text in neither UTF-8 nor Windows-1252. Save it as 'CSV UTF-8'.")


def _decodes(data: bytes, encoding: str) -> bool:
    """Whether all of `data` is text in that encoding, looked at piece by piece."""
    decoder, step = codecs.getincrementaldecoder(encoding)(), 1 << 20
    try:
        for start in range(0, len(data), step):
            decoder.decode(data[start : start + step], final=start + step >= len(data))
    except UnicodeDecodeError:
        return False
    return True


def _first_lines(content: Content, encoding: str) -> list[str]:
    text = content.data[:_SAMPLE_BYTES].decode(encoding, errors="ignore")
    cut = len(content.data) > _SAMPLE_BYTES
    lines = [line for line in text.splitlines() if line.strip()][: _SAMPLE_LINES + 1]
    if not lines:
        raise DataError(f"{content.name} holds no text. A table needs a line of column names and one line a sample.")
    if len(lines) == 1 and cut:
        raise DataError(
            f"{content.name} has a first line of more than {_SAMPLE_BYTES:,} characters: not a table. "
            "Write one line a sample."
        )
    if len(lines) == 1:
        raise DataError(
            f"{content.name} has a single line. A table needs a line of column names and one line a sample."
        )
    return lines[:_SAMPLE_LINES]


def _separator(lines: list[str]) -> str:
    """The separator that cuts most lines into the same number of cells, more than one."""

    def score(separator: str) -> tuple[float, int]:
        counts = [len(_cells(line, separator)) for line in lines]
        usual = statistics.mode(counts)
        return (counts.count(usual) / len(counts) if usual > 1 else 0.0, usual)

    return max(_SEPARATORS, key=score)


def _has_decimal_comma(lines: list[str], separator: str) -> bool:
    if separator == ",":
        return False
    cells = [cell for line in lines for cell in _cells(line, separator)]
    return sum(map(bool, map(_DECIMAL_COMMA.fullmatch, cells))) > sum(map(bool, map(_DECIMAL_POINT.fullmatch, cells)))


def _parsed(content: Content, encoding: str, separator: str, header: int | None, decimal: str) -> pd.DataFrame:
    import pandas as pd

    try:
        frame = pd.read_csv(
            content.open(), sep=separator, header=header, encoding=encoding, decimal=decimal, low_memory=False,
            skipinitialspace=True,
        )  # fmt: skip
    except pd.errors.ParserError as error:
        raise DataError(_ragged(content, str(error))) from None
    # Pandas takes cells beyond the header for an index, and says nothing.
    if not isinstance(frame.index, pd.RangeIndex):
        raise DataError(_LONGER.format(content.name))
    if len(frame) == 0:
        raise DataError(f"{content.name} has column names but no rows. Add one line a sample.")
    return frame


def _ragged(content: Content, said: str) -> str:
    """What pandas said about lines of unequal length, or about a quotation mark without its partner."""
    if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", said):
        expected, line, saw = found.groups()
        return (
            f"{content.name}: line {line} has {saw} cells, and those before have {expected}. Give every line as many; "
            "text that holds a separator belongs in quotation marks."
        )
    if "EOF inside string" in said:
        return f"{content.name}: a quotation mark is opened and never closed. Close it, or leave it out."
    return f"{content.name} is damaged, or not a table ({one_line(said, 120).rstrip('.')}). Save it as 'CSV UTF-8'."


def _named(frame: pd.DataFrame, cells: list[str], headless: bool, notes: list[str]) -> pd.DataFrame:
    """The table under names that can be shown, each once; the index that pandas writes is no column."""
    if not headless and cells and not cells[0].strip() and frame.shape[1] > 1:
        frame = frame.drop(columns=frame.columns[0])
        cells = cells[1:]
        notes.append("The first column has no name and is left out.")
    counts = Counter(cells)
    repeated = sorted(cell.strip() for cell, count in counts.items() if count > 1 and cell.strip())
    if repeated and not headless:
        notes.append(f"Names that occur twice were numbered: {one_line(', '.join(repeated), 60)}.")
    return frame
