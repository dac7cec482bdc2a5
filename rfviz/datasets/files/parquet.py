"""Parquet → a pandas table: lists are left out, and the size is checked before anything is expanded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rfviz.datasets import memory
from rfviz.datasets.files.arrow import check_columns, flat_frame, flat_names, import_pyarrow
from rfviz.datasets.files.content import File, reading
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    from pyarrow import parquet

__all__ = ["needed_bytes", "open_parquet", "parquet_layout", "read_parquet"]

# A footer may announce text and lists of any length.
_MAX_FOOTER_BYTES, _MAX_FOOTER_ITEMS = 20_000_000, 1_000_000


def parquet_layout(file: File) -> tuple[tuple[str, ...], int]:
    """Return the names of the columns that are read and the number of rows, from the footer alone.

    Raises
    ------
    DataError
        If the file is damaged, has no rows, or no such column.
    """
    with reading(file, "a Parquet file", "Write it again"), open_parquet(file) as opened:
        return tuple(_names(file, opened)), opened.metadata.num_rows


def read_parquet(file: File) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read the columns of numbers, text, booleans and dates, also those within structures.

    Returns
    -------
    frame : DataFrame
    notes : tuple of str
        Which columns were left out.

    Raises
    ------
    DataError
        If the file is damaged, has no rows, or no such column.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    with reading(file, "a Parquet file", "Write it again"), open_parquet(file) as opened:
        names, meta = _names(file, opened), opened.metadata
        check_columns(file, names)
        needed = needed_bytes(file, opened)
        memory.check(needed, f"{file.name} ({meta.num_rows:,} rows)", "Save fewer rows or columns")
        return flat_frame(opened.read(use_threads=False))


def needed_bytes(file: File, opened: parquet.ParquetFile) -> int:
    """Return the memory that a file needs to be read as a whole."""
    meta = opened.metadata
    expanded = sum(meta.row_group(group).total_byte_size for group in range(meta.num_row_groups))
    # As of text: an upload may hold words, which expand, and each of its columns is described.
    copies, cell_bytes = (2, 40) if file.is_upload else (1, 20)
    return max(copies * expanded, meta.num_rows * len(_names(file, opened)) * cell_bytes)


def open_parquet(file: File) -> parquet.ParquetFile:
    """Open a file whose footer is not trusted."""
    return import_pyarrow(file).parquet.ParquetFile(
        file.open() if file.is_upload else file.content,
        thrift_string_size_limit=_MAX_FOOTER_BYTES,
        thrift_container_size_limit=_MAX_FOOTER_ITEMS,
    )


def _names(file: File, opened: parquet.ParquetFile) -> list[str]:
    """Return the names of the columns that are read."""
    if opened.metadata.num_rows <= 0:
        raise DataError(f"{file.name} has no rows. Add one row per sample.")
    return flat_names(file, opened.schema_arrow)
