"""Stata's files → a pandas table, with the words of its labels in place of their codes."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from rfviz.datasets import memory
from rfviz.datasets.files.content import File, check_columns, reading

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MARKS", "read_stata", "stata_layout"]

#: With which such files begin, by version and order of bytes.
MARKS = (b"<stata_dta>", *(bytes((version, order, 1)) for version in (105, 108, *range(110, 116)) for order in (1, 2)))
# Bytes of memory that a byte of the file may take as a cell: short words become objects.
_EXPANDS = 20


def stata_layout(file: File, part: str = "") -> tuple[tuple[str, ...], None]:
    """Return the names of the columns; how many rows there are is known once the file is read."""
    return tuple(map(str, _read(file, 1).columns)), None


def read_stata(file: File) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read all columns, in the order of the file.

    Raises
    ------
    DataError
        If the file is damaged.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    frame = _read(file, None)
    check_columns(file, frame.shape[1])
    return frame, ()


def _read(file: File, n_rows: int | None) -> pd.DataFrame:
    from pandas.io.stata import StataReader

    memory.check(_EXPANDS * file.n_bytes, file.name, "Save fewer rows, or Parquet")

    def read(are_labelled: bool) -> pd.DataFrame:
        with file.open() as stream, StataReader(stream, convert_categoricals=are_labelled) as rows:
            return rows.read(n_rows)

    with reading(file, "a Stata file", "Save it as CSV"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of labels of a part of the codes, which stay numbers
        try:
            return read(are_labelled=True)
        except ValueError:  # one word stands for two codes
            return read(are_labelled=False)
