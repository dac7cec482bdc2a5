"""Text of rows and cells → a pandas table: encoding, separator and decimal sign are found, and said where in doubt."""

from __future__ import annotations

import csv
import io
import re
import statistics
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from rfviz.datasets.files.content import File, bytes_of_table, check_table, reading
from rfviz.datasets.files.heading import find_heading
from rfviz.datasets.files.quotes import CLOSING, quotes_of, unquoted_rows, without_quotes
from rfviz.datasets.files.row_names import without_row_names
from rfviz.datasets.files.stray_rows import without_stray_rows
from rfviz.datasets.files.text_encoding import Encoding, encoding_of
from rfviz.datasets.files.written_numbers import EXACT
from rfviz.datasets.wording import counted, one_line
from rfviz.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

__all__ = ["TextLayout", "read_text", "text_layout"]

_USUAL = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
# They separate cells only where nothing else does.
_UNUSUAL = {"^": "carets", "~": "tildes", "::": "double colons"}
_SEPARATORS = _USUAL | _UNUSUAL
# Blanks separate cells where nothing else does, most lines have as many, and most cells are numbers.
_BLANKS, _MOSTLY = " ", 0.9
_BLANK_CELL = re.compile(r'"[^"]*"|\S+')
# A control character, which no text holds, instead of a separator of two signs.
_ONE_SIGN = "\x1f"
_HINT = re.compile(r"sep=([^\w\n\r ])\s*", re.I)  # as Excel reads and writes it
_COMMENTS = ("#", "%")
# Lines that show how cells are separated. The second size is for tables of very many columns.
_SAMPLE_LINES, _SAMPLE_BYTES = 60, (1 << 20, 1 << 24)
# Columns at the left, one more than may have been saved without a name.
_MOST_UNNAMED = 4
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
        Lines before the first sample.
    is_spaced : bool
        Whether blanks follow separators.
    header : tuple of str
        The names of the columns; empty if there are none.
    codes : tuple of int
        Columns of numbers that begin with a zero, such as postal codes: they are read as text.
    n_surplus : int
        Cells behind the last name, all of them empty: a separator ends each row.
    quote : str
        The mark round cells that may hold a separator.
    quotes : dict of int to str
        Other marks round the cells of columns, as :func:`quotes_of` finds them.
    n_row_names : int
        First columns, without a name, that by their first lines only name or number the rows.
    notes : tuple of str
        Conclusions, since the file does not say it.
    """

    encoding: Encoding
    separator: str
    decimal: str
    n_skipped: int
    is_spaced: bool
    header: tuple[str, ...]
    n_columns: int
    codes: tuple[int, ...]
    n_surplus: int
    quote: str
    quotes: dict[int, str]
    n_row_names: int
    notes: tuple[str, ...]


def text_layout(file: File, whole: bool = False) -> TextLayout:
    """Find the form of a table.

    Parameters
    ----------
    whole : bool
        Whether to check the encoding of all bytes, not only of the first lines.

    Raises
    ------
    DataError
        If it is not text, has fewer than two lines, or rows that are longer than the line of names.
    """
    with reading(file, "a table", _REMEDY):
        encoding = encoding_of(file, file.n_bytes if whole else _SAMPLE_BYTES[0])
        lines, n_above, hint = _first_lines(file, encoding)
    notes = list(encoding.notes)
    if n_above > bool(hint):
        n = n_above - bool(hint)
        notes.append(f"{counted(n, 'line')} of comments before the table {'is' if n == 1 else 'are'} left out.")
    separator = hint or _separator([line for line in lines[:_SAMPLE_LINES] if line.strip()])
    rows, ends, quote = _even_rows(lines, separator)
    quotes = quotes_of(rows[:_SAMPLE_LINES])
    rows = unquoted_rows(rows, quotes)
    marks = sorted({*quotes.values(), *quote.strip('"')})
    notes.extend(f"Cells stand between {mark} and {CLOSING[mark]}, and are read without these marks." for mark in marks)
    rows, are_named = _with_name_of_rows(rows)
    heading = find_heading(rows[:_SAMPLE_LINES])
    names, samples = list(heading.names), rows[heading.n_rows :]
    notes.extend(heading.notes)
    if are_named:
        notes.append("The line of names has one fewer than the others have cells, as where R writes names of rows.")
    n_columns = len(names or samples[0])
    n_surplus = max(max(map(len, samples)) - n_columns, 0)
    if n_surplus and any("".join(row[n_columns:]).strip() for row in samples):
        n_surplus = 0
    if len(samples[0]) > n_columns + n_surplus:
        raise DataError(_longer_rows(file))
    decimal = "," if _has_decimal_comma(samples[:_SAMPLE_LINES], separator) else "."
    if decimal == ",":
        notes.append("Numbers are written with a decimal comma.")
    if separator != ",":
        notes.append(f"Cells are separated by {_SEPARATORS.get(separator, 'blanks')}.")
    return TextLayout(
        encoding=encoding,
        separator=separator,
        decimal=decimal,
        n_skipped=n_above + (ends[heading.n_rows - 1] if heading.n_rows else 0),
        is_spaced=any(f"{separator} " in line for line in lines[:_SAMPLE_LINES]),
        header=tuple(names),
        n_columns=n_columns,
        codes=_codes(samples),
        n_surplus=n_surplus,
        quote=quote,
        quotes=quotes,
        n_row_names=_count_row_names(names, samples),
        notes=tuple(notes),
    )


def _with_name_of_rows(rows: list[list[str]]) -> tuple[list[list[str]], bool]:
    """Return rows of which the first has a name for each cell, an empty one for names of rows that it does not name.

    Whether it was added is said, too. Cells of a last column that is empty come of separators at the ends of rows.
    """
    first, *others = rows[:_SAMPLE_LINES]
    padded = ["", *first]
    is_longer = len(others) > 1 and all(len(row) == len(padded) for row in others) and any(row[-1] for row in others)
    if is_longer and _count_row_names(padded, others) and find_heading([padded, *others]).names == tuple(padded):
        return [padded, *rows[1:]], True
    return rows, False


def _count_row_names(names: list[str], rows: list[list[str]]) -> int:
    """Return how many of the first columns only tell rows apart, by the first of these."""
    import pandas as pd

    rows = [row for row in rows[:_SAMPLE_LINES] if len(row) == len(names)]
    cells = [[cell or None for cell in row[:_MOST_UNNAMED]] for row in rows]
    frame = pd.DataFrame(cells)
    return frame.shape[1] - without_row_names(frame, names[:_MOST_UNNAMED])[0].shape[1]


def _codes(rows: list[list[str]]) -> tuple[int, ...]:
    """Return the columns in which whole numbers begin with a zero."""
    found = {
        place for row in rows for place, cell in enumerate(row) if cell.startswith(("0", " ")) and _CODE.fullmatch(cell)
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
    for place, opens in layout.quotes.items():
        if place < frame.shape[1] and frame.iloc[:, place].dtype == "str":
            frame.isetitem(place, without_quotes(frame.iloc[:, place], opens, place in layout.codes))
    frame, said = without_stray_rows(frame, layout.header, layout.codes)
    notes = [*layout.notes, *said]
    n_columns = _n_used(frame, layout)
    if n_columns < frame.shape[1]:
        notes.append("A separator ends each line, which is no column.")
        frame = frame.iloc[:, :n_columns]
    given = layout.header or (names if len(names) == n_columns else ())
    frame.columns, repeated = _distinct(given[:n_columns] or ("",) * n_columns)
    frame, said = without_row_names(frame, layout.header[:n_columns])
    notes.extend(said)
    if repeated:
        notes.append(f"Names that occur twice were numbered: {one_line(', '.join(sorted(repeated)), 60)}.")
    return frame, tuple(notes)


def _n_used(frame: pd.DataFrame, layout: TextLayout) -> int:
    """Return the number of columns without those at the end that have neither a name nor a value."""
    n = frame.shape[1]
    names = layout.header + ("",) * (n - len(layout.header))
    while layout.header and n > 1 and not names[n - 1].strip() and frame.iloc[:, n - 1].isna().all():
        n -= 1
    return n


def _distinct(names: Sequence[str]) -> tuple[list[str], set[str]]:
    """Return one name for each column, numbered where there is none or it occurs before, and the names that do."""
    given = [name if name.strip() else f"column {place}" for place, name in enumerate(names, start=1)]
    used, distinct, repeated = set(given), [], set()
    seen: Counter[str] = Counter()
    for name in given:
        shown = name
        while seen[name] and shown in used:
            shown = f"{name}.{seen[name]}"
            seen[name] += 1
        if seen[name]:
            repeated.add(name.strip())
        seen[name] += not seen[name]
        used.add(shown)
        distinct.append(shown)
    return distinct, repeated


def _first_lines(file: File, encoding: Encoding) -> tuple[list[str], int, str]:
    """Return the first lines, how many are left out above them, and the separator if one of these tells it."""
    size, most = _SAMPLE_BYTES
    lines, n_above, hint = _lines(file, encoding, size)
    if sum(bool(line.strip()) for line in lines) < 2 and file.n_bytes > size:
        size = most
        lines, n_above, hint = _lines(file, encoding, size)
    filled = [line.strip() for line in lines if line.strip()]
    n_filled = len(filled)
    if not n_filled:
        raise DataError(f"{file.name} holds no text. A table needs a line of column names and one line per sample.")
    if n_filled == 1 and file.n_bytes > size:
        raise DataError(
            f"{file.name} has a first line of more than {size:,} characters: not a table. Write one line per sample."
        )
    if n_filled == 1:
        raise DataError(f"{file.name} has a single line. A table needs a line of column names and one line per sample.")
    return lines, n_above, hint


def _lines(file: File, encoding: Encoding, n_bytes: int) -> tuple[list[str], int, str]:
    """Return the lines among the first bytes, the last of them perhaps cut, but no comments above the table."""
    text = file.head(n_bytes).decode(encoding.name, errors="ignore" if encoding.errors == "strict" else encoding.errors)
    lines = list(io.StringIO(text, newline=""))
    told = _HINT.fullmatch(lines[0]) if lines else None
    start = int(told is not None)
    filled = [number for number, line in enumerate(lines) if line.strip() and number >= start]
    n_comments = next((i for i, number in enumerate(filled) if not _is_comment(lines[number])), len(filled))
    # "#id,size" above "1,2" belongs to the table: a comment has a blank after its sign, or is cut in another way.
    cut = _separators(lines[filled[min(n_comments, len(filled) - 1)]] if filled else "")
    while n_comments and cut and not _is_remark(above := lines[filled[n_comments - 1]]) and _separators(above) == cut:
        n_comments -= 1
    above = filled[n_comments - 1] + 1 if n_comments else start
    return lines[above:], above, told[1] if told else ""


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(_COMMENTS)


def _is_remark(line: str) -> bool:
    """Return whether a blank follows the sign of a comment."""
    return _is_comment(line) and line.lstrip()[1:2].isspace()


def _even_rows(lines: list[str], separator: str) -> tuple[list[list[str]], list[int], str]:
    """Return the rows as :func:`_rows` does, and the mark round cells: a single one if rows are alike by this alone."""
    found = *_rows(lines, separator, '"'), '"'
    if separator == _BLANKS or not any("'" in line for line in lines[:_SAMPLE_LINES]) or _are_alike(found[0]):
        return found
    single = *_rows(lines, separator, "'"), "'"
    return single if _are_alike(single[0]) else found


def _are_alike(rows: list[list[str]]) -> bool:
    """Return whether the first rows have as many cells, more than one; the last may be cut."""
    lengths = set(map(len, rows[:_SAMPLE_LINES][:-1]))
    return len(lengths) == 1 and min(lengths) > 1


def _rows(lines: list[str], separator: str, quote: str) -> tuple[list[list[str]], list[int]]:
    """Return the cells of the rows that hold anything, and after how many lines each ends; but no comments."""
    rows, ends = _quoted_rows(lines, separator, quote) or _plain_rows(lines, separator)
    usual = statistics.mode(map(len, rows[:_SAMPLE_LINES]))
    kept = [i for i, row in enumerate(rows) if usual == 1 or len(row) > 1 or not _is_comment(row[0])]
    return [rows[i] for i in kept], [ends[i] for i in kept]


def _quoted_rows(lines: list[str], separator: str, quote: str = '"') -> tuple[list[list[str]], list[int]] | None:
    """Return the rows whose cells in quotation marks may hold several lines; None if such a mark is never closed."""
    rows, ends = [], []
    sign = _ONE_SIGN if len(separator) > 1 else separator
    escape = None if quote == '"' else "\\"
    reader = csv.reader(
        (line.replace(separator, sign) for line in lines), delimiter=sign, quotechar=quote, escapechar=escape
    )
    if separator == _BLANKS:
        return None
    try:
        for row in reader:
            if any(cell.strip() for cell in row) or len(row) > 1:
                rows.append(row)
                ends.append(reader.line_num)
    except csv.Error:
        return None
    return (rows, ends) if len(rows) > 1 else None


def _plain_rows(lines: list[str], separator: str) -> tuple[list[list[str]], list[int]]:
    places = [number for number, line in enumerate(lines) if line.strip()]
    return [_cells(lines[number], separator) for number in places], [number + 1 for number in places]


def _separator(lines: list[str]) -> str:
    """Return the separator that cuts most rows into the same number of cells, more than one."""

    def score(separator: str) -> tuple[float, int]:
        rows, _ = _quoted_rows(lines, separator) or _plain_rows(lines, separator)
        counts = list(map(len, rows))
        usual = statistics.mode(counts)
        return (counts.count(usual) / len(counts) if usual > 1 else 0.0, usual)

    scores = {separator: score(separator) for separator in _SEPARATORS}
    found = max(_USUAL, key=scores.__getitem__)
    if scores[found][1] < 2:
        unusual = max(_UNUSUAL, key=scores.__getitem__)
        found = unusual if scores[unusual][0] >= _MOSTLY and unusual in lines[0] else found
    cells = [_BLANK_CELL.findall(line) for line in lines[1:]]
    usual = statistics.mode([len(row) for row in cells])
    # Words in quotation marks are cells, too; without them blanks may stand between the words of a text.
    numbers = [cell[0] == '"' or _is_number(cell) for row in cells for cell in row if len(row) == usual]
    is_blank = scores[found][1] < 2 and usual > 1 and len(numbers) >= _MOSTLY * usual * len(cells)
    return _BLANKS if is_blank and sum(numbers) >= len(numbers) / 2 else found


def _separators(line: str) -> tuple[tuple[str, int], ...]:
    """Return the separators in a line, with their numbers."""
    return tuple((separator, line.count(separator)) for separator in _SEPARATORS if separator in line)


def _cells(line: str, separator: str) -> list[str]:
    if separator == _BLANKS:
        return [cell.strip('"') for cell in _BLANK_CELL.findall(line)]
    sign = _ONE_SIGN if len(separator) > 1 else separator
    # A line that the csv module cannot split (one cell of 128 kB, say) counts as one cell.
    try:
        return next(csv.reader([line.replace(separator, sign)], delimiter=sign), [line])
    except csv.Error:
        return [line]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _has_decimal_comma(rows: list[list[str]], separator: str) -> bool:
    if separator == ",":
        return False
    cells = [cell for row in rows for cell in row]
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
    except ValueError as error:
        if found := re.search(r"Too many columns specified: expected \d+ and found (\d+)", str(error)):
            shorter = replace(layout, n_columns=int(found[1]), n_surplus=0)
            return _parse(file, shorter).reindex(columns=range(layout.n_columns))
        raise DataError(_parser_error(file, layout, str(error))) from None
    # Pandas makes an index of cells beyond the header, without a warning.
    if not isinstance(frame.index, pd.RangeIndex):
        raise DataError(_longer_rows(file))
    if len(frame) == 0:
        raise DataError(f"{file.name} has column names but no rows. Add one line per sample.")
    have_gaps = [bool(has) for has in frame.isna().any()]
    places = [
        place
        for place, kind in enumerate(dtype.kind for dtype in frame.dtypes)
        if (have_gaps[place] and kind not in "iubf") or (kind == "f" and _are_beyond_floats(frame.iloc[:, place]))
    ]
    if places:
        # Among words, “NA” and “None”, which pandas takes for gaps, may be words; and among whole numbers that no float
        # holds, one gap makes floats.
        cells = _read_csv(file, layout, usecols=places, dtype=str, keep_default_na=False, na_values=[""])
        for place, (_, series) in zip(places, cells.items(), strict=True):
            frame.isetitem(place, series)
    return frame


def _read_csv(file: File, layout: TextLayout, **options: Any) -> pd.DataFrame:
    import pandas as pd

    with _samples(file, layout) as stream:
        return pd.read_csv(
            stream,
            sep={_BLANKS: r"\s+"}.get(layout.separator, layout.separator if len(layout.separator) == 1 else _ONE_SIGN),
            header=None,
            names=range(layout.n_columns + layout.n_surplus),
            decimal=layout.decimal,
            low_memory=False,
            skipinitialspace=layout.is_spaced,
            quotechar=layout.quote,
            escapechar=None if layout.quote == '"' else "\\",
            **options,
        )


def _samples(file: File, layout: TextLayout) -> TextIO:
    """Open the text at the first sample."""
    stream = io.TextIOWrapper(file.open(), layout.encoding.name, layout.encoding.errors, newline="")
    for _ in range(layout.n_skipped):
        stream.readline()
    if len(layout.separator) == 1:
        return stream
    with stream:
        return io.StringIO(stream.read().replace(layout.separator, _ONE_SIGN), newline="")


def _are_beyond_floats(series: pd.Series) -> bool:
    """Return whether a column of floats was written as whole numbers that no float holds."""
    values = series.to_numpy()
    is_long = np.isfinite(values) & (np.abs(values) > EXACT)
    return bool(is_long.any() and (np.rint(values[is_long]) == values[is_long]).all())


def _longer_rows(file: File) -> str:
    return f"{file.name}: the rows have more cells than the first line has names. Give every column a name."


def _parser_error(file: File, layout: TextLayout, message: str) -> str:
    """Return what pandas says about lines of unequal length, or an open quotation mark, as a sentence."""
    if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message):
        expected, line, cells = found.groups()
        return (
            f"{file.name}: line {int(line) + layout.n_skipped:,} has {cells} cells, and those before have {expected}. "
            "Give every line as many; text that holds a separator belongs in quotation marks."
        )
    if "EOF inside string" in message:
        return f"{file.name}: a quotation mark is opened and never closed. Close it, or leave it out."
    return f"{file.name} is damaged, or not a table ({one_line(message, 120).rstrip('.')}). {_REMEDY}."
