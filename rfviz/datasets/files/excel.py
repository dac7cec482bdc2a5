"""A sheet of an Excel workbook (.xlsx) → a pandas table, through python-calamine or openpyxl."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from rfviz.datasets import memory
from rfviz.datasets.files.content import File, check_columns, open_archive, reading
from rfviz.datasets.files.written_numbers import EXACT
from rfviz.datasets.wording import one_line
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["excel_layout", "excel_sheets", "read_excel"]

# By the name that pandas has for each: the module. The first is several times as quick.
_ENGINES = {"calamine": "python_calamine", "openpyxl": "openpyxl"}
# Bytes of memory that a byte of the sheet's XML may take as cells.
_EXPANDS = 4


def excel_sheets(file: File) -> tuple[str, ...]:
    """Return the names of the sheets that have rows, in their order.

    Raises
    ------
    DataError
        If the file is damaged, no sheet has rows, or nothing is installed that reads it.
    """
    with _opened(file) as book:
        names = tuple(str(name) for name in book.sheet_names if len(_parsed(book, str(name), 1)))
    if not names:
        raise DataError(f"{file.name} has no sheet with rows below its first. Choose another workbook.")
    return names


def excel_layout(file: File, sheet: str) -> tuple[tuple[str, ...], None]:
    """Return the names of the columns of a sheet; how many rows it has is not known before it is read."""
    with _opened(file) as book:
        return tuple(map(str, _parsed(book, sheet, 0).columns)), None


def read_excel(file: File, sheet: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read a sheet, whose first row names the columns; of formulas, the values that the workbook holds.

    Raises
    ------
    DataError
        If the file is damaged, or the sheet holds no table.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    with _opened(file) as book:
        frame = _parsed(book, sheet)
    check_columns(file, frame.shape[1])
    # A workbook holds all numbers as floats.
    numbers = frame.select_dtypes("number")
    long = [one_line(name, 30) for name, series in numbers.items() if (series.abs() > EXACT).any()]
    note = f"Numbers of more than 15 digits are rounded in a workbook: {one_line(', '.join(long), 80)}."
    return frame, (note,) if long else ()


def _parsed(book: pd.ExcelFile, sheet: str, n_rows: int | None = None) -> pd.DataFrame:
    import pandas as pd

    # As objects, or cells of text that hold digits, such as postal codes, would become numbers without their zeros;
    # and whether “NA” is a word, the column says.
    frame = pd.read_excel(book, sheet_name=sheet, nrows=n_rows, dtype=object, keep_default_na=False, na_values=[""])
    assert not isinstance(frame, dict)  # as of several sheets
    return frame.infer_objects()


def _opened(file: File) -> pd.ExcelFile:
    import pandas as pd

    engine = next((name for name, module in _ENGINES.items() if importlib.util.find_spec(module)), None)
    if engine is None:
        raise DataError(
            f"{file.name} is a workbook, which needs python-calamine or openpyxl to be read: "
            "pip install python-calamine, or save the sheet as 'CSV UTF-8'."
        )
    with reading(file, "a workbook", "Save it again as .xlsx"):
        _check_parts(file)
        return pd.ExcelFile(file.open(), engine=engine)  # pyright: ignore[reportArgumentType] - newer than its stubs


def _check_parts(file: File) -> None:
    """Refuse a workbook that expands beyond the memory limit, whatever sizes it announces, or defines entities."""
    n_bytes = 0
    with open_archive(file, images=False, workbook=True) as archive:
        for member in archive.infolist():
            with archive.open(member) as part:
                while block := part.read(1 << 20):
                    n_bytes += len(block)
                    memory.check(_EXPANDS * n_bytes, file.name, "Save fewer rows, or Parquet")
                    if b"<!ENTITY" in block:
                        raise DataError(f"{file.name} is refused: it defines XML entities. Save it again as .xlsx.")
