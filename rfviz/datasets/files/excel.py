"""A sheet of an Excel workbook (.xlsx) → a pandas table, through python-calamine or openpyxl."""

from __future__ import annotations

import importlib.util
import math
from datetime import date
from typing import TYPE_CHECKING, Any

from rfviz.datasets import memory
from rfviz.datasets.files.content import File, check_columns, open_archive, reading
from rfviz.datasets.files.heading import Heading, find_heading
from rfviz.datasets.files.row_names import without_row_names
from rfviz.datasets.files.written_numbers import EXACT
from rfviz.datasets.wording import counted, one_line
from rfviz.errors import DataError, require

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["excel_layout", "excel_sheets", "read_excel"]

# By the name that pandas has for each: the module. The first is several times as quick.
_ENGINES = {"calamine": "python_calamine", "openpyxl": "openpyxl"}
# Bytes of memory that a byte of the sheet's XML may take as cells.
_EXPANDS = 4
# Rows that tell where a table begins; numbers and dates among them at least, where a sheet holds more than notes.
_HEAD_ROWS, _FEWEST_QUANTITIES = 60, 3


def excel_sheets(file: File) -> tuple[str, ...]:
    """Return the names of the sheets that have rows: tables before notes, and hidden sheets last.

    Raises
    ------
    DataError
        If the file is damaged, no sheet has rows, or nothing is installed that reads it.
    """
    with _opened(file) as book:
        ranks = {str(name): _rank(book, str(name)) for name in book.sheet_names}
    names = sorted((name for name, rank in ranks.items() if rank is not None), key=lambda name: ranks[name] or 0)
    if not names:
        raise DataError(f"{file.name} has no sheet with rows below its first. Choose another workbook.")
    return tuple(names)


def _rank(book: pd.ExcelFile, sheet: str) -> int | None:
    """Return whether a sheet is a table (0), words alone, as notes are (1), or hidden (2); None if it has no rows."""
    frame = _cells(book, sheet, _HEAD_ROWS)
    if len(frame) < 2:
        return None
    if _is_hidden(book, sheet):
        return 2
    is_quantity = frame.map(lambda cell: isinstance(cell, (int, float, date)) and not _is_empty(cell)).to_numpy()
    n_wide = int((frame.notna().sum(axis=1) > 1).sum())
    # A sheet of one column is a table if it holds numbers.
    return 0 if is_quantity.sum() >= _FEWEST_QUANTITIES and (n_wide > 1 or frame.shape[1] == 1) else 1


def _is_hidden(book: pd.ExcelFile, sheet: str) -> bool:
    held: Any = book.book
    if hasattr(held, "sheets_metadata"):
        return any(one.name == sheet and not str(one.visible).endswith(".Visible") for one in held.sheets_metadata)
    return held[sheet].sheet_state != "visible"


def excel_layout(file: File, sheet: str) -> tuple[tuple[str, ...], None]:
    """Return the names of the columns of a sheet; how many rows it has is not known before it is read."""
    with _opened(file) as book:
        return tuple(map(str, _table(_cells(book, sheet, _HEAD_ROWS))[0].columns)), None


def read_excel(file: File, sheet: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read a sheet, whose first rows name the columns; of formulas, the values that the workbook holds.

    Raises
    ------
    DataError
        If the file is damaged, or the sheet holds no table.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    with _opened(file) as book:
        cells = _cells(book, sheet)
        hidden = [str(name) for name in book.sheet_names if _is_hidden(book, str(name))]
    check_columns(file, cells.shape[1])
    frame, notes = _table(cells)
    if hidden:
        shown = one_line(", ".join(f"“{name}”" for name in hidden), 60)
        notes += (
            f"{counted(len(hidden), 'sheet')} of the workbook {'is' if len(hidden) == 1 else 'are'} hidden: {shown}.",
        )
    # A workbook holds all numbers as floats.
    numbers = frame.select_dtypes("number")
    long = [one_line(name, 30) for name, series in numbers.items() if (series.abs() > EXACT).any()]
    note = f"Numbers of more than 15 digits are rounded in a workbook: {one_line(', '.join(long), 80)}."
    return frame, (*notes, note) if long else notes


def _cells(book: pd.ExcelFile, sheet: str, n_rows: int | None = None) -> pd.DataFrame:
    """Return the cells of a sheet, without the rows and columns that are empty."""
    import pandas as pd

    # As objects, or cells of text that hold digits, such as postal codes, would become numbers without their zeros;
    # and whether “NA” is a word, the column says.
    cells = pd.read_excel(
        book, sheet_name=sheet, header=None, nrows=n_rows, dtype=object, keep_default_na=False, na_values=[""]
    )
    assert not isinstance(cells, dict)  # as of several sheets
    return cells.dropna(how="all").dropna(how="all", axis="columns").reset_index(drop=True)


def _table(cells: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the table in cells, whose first rows hold titles, names of columns or neither; and notes on them."""
    import pandas as pd

    top = [["" if _is_empty(cell) else str(cell) for cell in row] for row in cells.head(_HEAD_ROWS).to_numpy()]
    # A cell alone at the left is a line of its own, as a title is, and not a row with gaps.
    lines = [row[:1] if row[0] and not any(row[1:]) else row for row in top]
    heading = find_heading(lines) if len(top) > 1 else Heading(tuple(top[0]) if top else (), len(top), ())
    heading = _with_groups(heading, top)
    frame = cells.iloc[heading.n_rows :].reset_index(drop=True)
    if heading.names:
        frame.columns = pd.Index([*heading.names], dtype=object)
    else:
        frame.columns = [f"column {number}" for number in range(1, frame.shape[1] + 1)]
    frame, said = without_row_names(frame.infer_objects(), heading.names)
    return frame, (*heading.notes, *said)


def _with_groups(heading: Heading, top: list[list[str]]) -> Heading:
    """Return a heading with the row below it where that names the columns that a merged cell spans, such as years."""
    row, *below = top[heading.n_rows :] or [[]]
    unnamed = [place for place, name in enumerate(heading.names) if not name]
    # A group begins behind the names of the rows, which the row of its parts lacks, and no sample does.
    is_below = bool(below) and not row[0] and heading.names[:1] not in ((), ("",)) and all(cells[0] for cells in below)
    if not unnamed or not is_below or not all(row[place] for place in unnamed):
        return heading
    names, group = [], ""
    for name, part in zip(heading.names, row, strict=True):
        group = name or group
        names.append(f"{part} ({group})" if part and group else part or name)
    note = "The names of two rows, of which the first spans several columns, are joined."
    return Heading(tuple(names), heading.n_rows + 1, (*heading.notes, note))


def _is_empty(cell: object) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _opened(file: File) -> pd.ExcelFile:
    import pandas as pd

    engine = next((name for name, module in _ENGINES.items() if importlib.util.find_spec(module)), None)
    if engine is None:
        require("python_calamine", f"{file.name} is a workbook, which", "or save the sheet as 'CSV UTF-8'")
    with reading(file, "a workbook", "Save it again as .xlsx"):
        _check_parts(file)
        return pd.ExcelFile(file.open(), engine=engine)  # pyright: ignore[reportArgumentType] - newer than its stubs


def _check_parts(file: File) -> None:
    """Refuse a workbook that expands beyond the memory limit, whatever sizes it announces, or defines entities."""
    n_bytes = 0
    with open_archive(file, "a workbook", "Save it again as .xlsx") as archive:
        for member in archive.infolist():
            with archive.open(member) as part:
                while block := part.read(1 << 20):
                    n_bytes += len(block)
                    memory.check(_EXPANDS * n_bytes, file.name, "Save fewer rows, or Parquet")
                    if b"<!ENTITY" in block:
                        raise DataError(f"{file.name} is refused: it defines XML entities. Save it again as .xlsx.")
