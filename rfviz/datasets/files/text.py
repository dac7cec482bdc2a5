"""Text of rows and cells → a pandas table: encoding, separator and decimal sign are found, and said where in doubt."""

from __future__ import annotations

import codecs
import csv
import re
import statistics
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.datasets.files.content import File, bytes_of_table, check_table, reading
from rfviz.datasets.files.written_numbers import EXACT
from rfviz.datasets.wording import counted, one_line
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TextLayout", "read_text", "text_layout"]

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
# Blanks separate cells where nothing else does, most lines have as many, and most cells are numbers.
_BLANKS, _MOSTLY = " ", 0.9
_COMMENTS = ("#", "%")
# Lines that show how cells are separated. The second size is for tables of very many columns.
_SAMPLE_LINES, _SAMPLE_BYTES = 60, (1 << 20, 1 << 24)
# Control characters that no text holds.
_CONTROLS = bytes({*range(32)} - {9, 10, 12, 13, 26, 27})
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")
_DECIMAL_POINT = re.compile(r"\s*[-+]?\d*\.\d+\s*")
_CODE = re.compile(r"\s*0\d+\s*")
_REMEDY = "Save it as 'CSV UTF-8'"


@dataclass(frozen=True)
class TextLayout:
    """The form of a table in text.

    Attributes
    ----------
    n_skipped : int
        Lines of comments before the table.
    is_spaced : bool
        Whether blanks follow separators.
    header : tuple of str
        The cells of the first line; empty if that is data already.
    codes : tuple of int
        Columns of numbers that begin with a zero, such as postal codes: they are read as text.
    notes : tuple of str
        Conclusions, since the file does not say it.
    """

    encoding: str
    separator: str
    decimal: str
    n_skipped: int
    is_spaced: bool
    header: tuple[str, ...]
    n_columns: int
    codes: tuple[int, ...]
    notes: tuple[str, ...]

    @property
    def has_index(self) -> bool:
        """Return whether the first column is the nameless index that pandas writes."""
        return self.n_columns > 1 and bool(self.header) and not self.header[0].strip()


def text_layout(file: File, whole: bool = False) -> TextLayout:
    """Find the form of a table.

    Parameters
    ----------
    whole : bool
        Whether to check the encoding of all bytes, not only of the first lines.

    Raises
    ------
    DataError
        If it is not text, has fewer than two lines, or a second line that is longer than the first.
    """
    with reading(file, "a table", _REMEDY):
        encoding, notes = _encoding(file, whole)
        many, n_skipped = _first_lines(file, encoding)
    if n_skipped:
        notes.append(
            f"{counted(n_skipped, 'line')} of comments before the table {'is' if n_skipped == 1 else 'are'} left out."
        )
    lines = many[:_SAMPLE_LINES]
    separator = _separator(lines)
    first = _cells(lines[0], separator)
    if len(_cells(lines[1], separator)) > len(first):
        raise DataError(_longer_rows(file))
    is_data = _is_data(first) or _is_sample(first, [_cells(line, separator) for line in lines[1:]])
    if is_data:
        notes.append("The first line holds numbers, so it was read as data, and the columns are numbered.")
    decimal = "," if _has_decimal_comma(lines[not is_data :], separator) else "."
    if decimal == ",":
        notes.append("Numbers are written with a decimal comma.")
    if separator != ",":
        notes.append(f"Cells are separated by {_SEPARATORS.get(separator, 'blanks')}.")
    is_spaced = any(f"{separator} " in line for line in lines)
    header = () if is_data else tuple(first)
    codes = _codes(many[not is_data :], separator)
    return TextLayout(encoding, separator, decimal, n_skipped, is_spaced, header, len(first), codes, tuple(notes))


def _codes(lines: list[str], separator: str) -> tuple[int, ...]:
    """Return the columns in which whole numbers begin with a zero."""
    found = {
        place
        for line in lines
        if f"{separator}0" in line or line.startswith(("0", '"0')) or '"0' in line or " 0" in line
        for place, cell in enumerate(_cells(line, separator))
        if _CODE.fullmatch(cell)
    }
    return tuple(sorted(found))


def read_text(file: File, names: tuple[str, ...] = ()) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read a table.

    Parameters
    ----------
    names : tuple of str
        Names for columns that have none in the file, used if there is one for each.

    Returns
    -------
    frame : DataFrame
        Columns as pandas types them; their names are unique.
    notes : tuple of str
        Conclusions that the file does not state.

    Raises
    ------
    DataError
        If it is not text, has no rows, or rows longer than the header.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    with reading(file, "a table", _REMEDY):
        layout = text_layout(file, whole=True)
        n_lines = _count_lines(file)
        needed = bytes_of_table(file, n_lines, layout.n_columns, 4 * file.n_bytes)
        check_table(file, n_lines, layout.n_columns, needed, "lines")
        frame = _parse(file, layout)
    notes = list(layout.notes)
    if not layout.header:
        given = len(names) == frame.shape[1]
        frame.columns = names if given else [f"column {number}" for number in range(1, frame.shape[1] + 1)]
    if layout.has_index:
        frame = frame.drop(columns=frame.columns[0])
        notes.append("The first column has no name and is left out.")
    counts = Counter(layout.header[layout.has_index :])
    if repeated := sorted(cell.strip() for cell, count in counts.items() if count > 1 and cell.strip()):
        notes.append(f"Names that occur twice were numbered: {one_line(', '.join(repeated), 60)}.")
    return frame, tuple(notes)


def _encoding(file: File, whole: bool) -> tuple[str, list[str]]:
    """Return the encoding, and notes on it."""
    n_bytes = file.n_bytes if whole else _SAMPLE_BYTES[0]
    if file.head(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        if _decodes(file, "utf-16", n_bytes):
            return "utf-16", ["The text is UTF-16, as its first bytes say."]
        raise DataError(f"{file.name} begins like UTF-16, but is not. {_REMEDY}.")
    controls = sum(len(block) - len(block.translate(None, _CONTROLS)) for block in file.blocks(n_bytes))
    if controls:
        raise DataError(
            f"{file.name} is not text: it holds {controls:,} control characters, and a table holds none. "
            f"{_REMEDY}, without compression."
        )
    if _decodes(file, "utf-8", n_bytes):
        return "utf-8-sig", []
    if _decodes(file, "cp1252", n_bytes):
        return "cp1252", [
            "The text is not UTF-8, so it was read as Windows-1252 (Western European). Where letters look wrong, save "
            "it as 'CSV UTF-8'."
        ]
    raise DataError(f"{file.name} is text in neither UTF-8 nor Windows-1252. {_REMEDY}.")


def _decodes(file: File, encoding: str, n_bytes: int) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in file.blocks(n_bytes):
            # Most blocks are ASCII, which is seen far faster than decoded. A character may begin in the block before.
            if encoding == "utf-16" or decoder.getstate()[0] or not block.isascii():
                decoder.decode(block)
        decoder.decode(b"", final=n_bytes >= file.n_bytes)
    except UnicodeDecodeError:
        return False
    return True


def _first_lines(file: File, encoding: str) -> tuple[list[str], int]:
    """Return the first lines that hold anything, and how many lines of comments are before them."""
    size, most = _SAMPLE_BYTES
    lines, n_skipped = _lines(file, encoding, size)
    if len(lines) < 2 and file.n_bytes > size:
        size, (lines, n_skipped) = most, _lines(file, encoding, most)
    if not lines:
        raise DataError(f"{file.name} holds no text. A table needs a line of column names and one line per sample.")
    if len(lines) == 1 and file.n_bytes > size:
        raise DataError(
            f"{file.name} has a first line of more than {size:,} characters: not a table. Write one line per sample."
        )
    if len(lines) == 1:
        raise DataError(f"{file.name} has a single line. A table needs a line of column names and one line per sample.")
    return lines, n_skipped


def _lines(file: File, encoding: str, n_bytes: int) -> tuple[list[str], int]:
    """Return the lines among the first bytes that hold anything, the last of them perhaps cut, but no comments."""
    lines = file.head(n_bytes).decode(encoding, errors="ignore").splitlines()
    comments = [number for number, line in enumerate(lines) if line.lstrip().startswith(_COMMENTS)]
    above = next((place for place, number in enumerate(comments) if place != number), len(comments))
    # "#id,size" above "1,2" belongs to the table: a comment has a blank after its sign, or is cut in another way.
    cut = _separators(next((line for line in lines[above:] if line.strip()), lines[-1] if lines else ""))
    while above and cut and not lines[above - 1].lstrip()[1:2].isspace() and _separators(lines[above - 1]) == cut:
        above -= 1
    return [line for line in lines[above:] if line.strip()], above


def _separator(lines: list[str]) -> str:
    """Return the separator that cuts most lines into the same number of cells, more than one."""

    def score(separator: str) -> tuple[float, int]:
        counts = [len(_cells(line, separator)) for line in lines]
        usual = statistics.mode(counts)
        return (counts.count(usual) / len(counts) if usual > 1 else 0.0, usual)

    found = max(_SEPARATORS, key=score)
    cells = [line.split() for line in lines[1:]]
    usual = statistics.mode([len(row) for row in cells])
    numbers = [_is_number(cell) for row in cells for cell in row if len(row) == usual]
    is_blank = score(found)[1] < 2 and usual > 1 and len(numbers) >= _MOSTLY * usual * len(cells)
    return _BLANKS if is_blank and sum(numbers) >= len(numbers) / 2 else found


def _separators(line: str) -> tuple[tuple[str, int], ...]:
    """Return the separators in a line, with their numbers."""
    return tuple((separator, line.count(separator)) for separator in _SEPARATORS if separator in line)


def _cells(line: str, separator: str) -> list[str]:
    if separator == _BLANKS:
        return line.split()
    # A line that the csv module cannot split (one cell of 128 kB, say) counts as one cell.
    try:
        return next(csv.reader([line], delimiter=separator), [line])
    except csv.Error:
        return [line]


def _is_data(cells: list[str]) -> bool:
    """Return whether the first line is a sample: numbers and empty cells, but not the 0,1,2… that pandas writes."""
    named = cells[1:] if cells[0] == "" else cells
    if len(named) > 1 and named == [str(i) for i in range(len(named))]:
        return False
    return any(map(_is_number, cells)) and all(cell.strip() == "" or _is_number(cell) for cell in cells)


def _is_sample(first: list[str], others: list[list[str]]) -> bool:
    """Return whether the first line is a sample with words: its numbers stand over numbers, its words over the same."""
    below = [[row[place] for row in others if len(row) > place] for place in range(len(first))]
    numbers = [place for place, cell in enumerate(first) if _is_number(cell)]
    words = [place for place, cell in enumerate(first) if cell.strip() and place not in numbers]
    return (
        bool(numbers)
        and bool(words)
        and all(all(_is_number(cell) or not cell.strip() for cell in below[place]) for place in numbers)
        and all(first[place] in below[place] for place in words)
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _has_decimal_comma(lines: list[str], separator: str) -> bool:
    if separator == ",":
        return False
    cells = [cell for line in lines for cell in _cells(line, separator)]
    return sum(map(bool, map(_DECIMAL_COMMA.fullmatch, cells))) > sum(map(bool, map(_DECIMAL_POINT.fullmatch, cells)))


def _count_lines(file: File) -> int:
    """Return the number of lines, whichever way they end."""
    end = b"\n" if b"\n" in file.head(_SAMPLE_BYTES[0]) else b"\r"
    return sum(block.count(end) for block in file.blocks()) + 1


def _parse(file: File, layout: TextLayout) -> pd.DataFrame:
    import pandas as pd

    try:
        # Not in blocks of rows: a code such as 007 would be a number in some of them and text in others.
        frame = _read_csv(file, layout, dtype=dict.fromkeys(layout.codes, str))
    except pd.errors.ParserError as error:
        raise DataError(_parser_error(file, str(error))) from None
    # Pandas makes an index of cells beyond the header, without a warning.
    if not isinstance(frame.index, pd.RangeIndex):
        raise DataError(_longer_rows(file))
    if len(frame) == 0:
        raise DataError(f"{file.name} has column names but no rows. Add one line per sample.")
    places = [place for place, (_, series) in enumerate(frame.items()) if _is_concluded_too_early(series)]
    if places:
        cells = _read_csv(file, layout, usecols=places, dtype=str, keep_default_na=False, na_values=[""])
        for place, (_, series) in zip(places, cells.items(), strict=True):
            frame.isetitem(place, series)
    return frame


def _read_csv(file: File, layout: TextLayout, **options: Any) -> pd.DataFrame:
    import pandas as pd

    with file.open() as stream:
        return pd.read_csv(
            stream,
            sep=r"\s+" if layout.separator == _BLANKS else layout.separator,
            skiprows=layout.n_skipped,
            header=0 if layout.header else None,
            encoding=layout.encoding,
            decimal=layout.decimal,
            low_memory=False,
            skipinitialspace=layout.is_spaced,
            **options,
        )


def _is_concluded_too_early(series: pd.Series) -> bool:
    """Return whether cells must be looked at as the file has them.

    In a column of words, “NA” and “None”, which pandas takes for gaps, may be words; and of whole numbers that no float
    holds, one gap makes floats.
    """
    if series.dtype.kind != "f":
        return series.dtype.kind not in "iub" and series.hasnans
    values = series.to_numpy()
    is_long = np.isfinite(values) & (np.abs(values) > EXACT)
    return bool(is_long.any() and (np.rint(values[is_long]) == values[is_long]).all())


def _longer_rows(file: File) -> str:
    return f"{file.name}: the rows have more cells than the first line has names. Give every column a name."


def _parser_error(file: File, message: str) -> str:
    """Return what pandas says about lines of unequal length, or an open quotation mark, as a sentence."""
    if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message):
        expected, line, cells = found.groups()
        return (
            f"{file.name}: line {line} has {cells} cells, and those before have {expected}. Give every line as many; "
            "text that holds a separator belongs in quotation marks."
        )
    if "EOF inside string" in message:
        return f"{file.name}: a quotation mark is opened and never closed. Close it, or leave it out."
    return f"{file.name} is damaged, or not a table ({one_line(message, 120).rstrip('.')}). {_REMEDY}."
