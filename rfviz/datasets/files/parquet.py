"""Parquet → a pandas table: nested columns are left out, and the size is checked before anything is expanded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rfviz.datasets import memory
from rfviz.datasets.files.content import File, reading
from rfviz.datasets.files.text import MAX_COLUMNS
from rfviz.datasets.wording import one_line
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    from pyarrow import parquet

__all__ = ["parquet_layout", "read_parquet"]

# A footer may announce text and lists of any length.
_MAX_FOOTER_BYTES, _MAX_FOOTER_ITEMS = 20_000_000, 1_000_000


def parquet_layout(file: File) -> tuple[tuple[str, ...], int]:
    """Return the names of the flat columns and the number of rows, from the footer alone.

    Raises
    ------
    DataError
        If the file is damaged, has no rows, or no column that is flat.
    """
    with reading(file, "a Parquet file", "Write it again"), _open(file) as opened:
        schema = opened.schema_arrow
        return tuple(schema[place].name for place in _flat_columns(file, opened)), opened.metadata.num_rows


def read_parquet(file: File) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read the flat columns.

    Returns
    -------
    frame : DataFrame
    notes : tuple of str
        Which columns were left out.

    Raises
    ------
    DataError
        If the file is damaged, has no rows, or no column that is flat.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    with reading(file, "a Parquet file", "Write it again"), _open(file) as opened:
        flat = _flat_columns(file, opened)
        if file.is_upload and len(flat) > MAX_COLUMNS:
            raise DataError(
                f"{file.name} has {len(flat):,} columns, and at most {MAX_COLUMNS:,} are read. Leave some out."
            )
        meta, schema = opened.metadata, opened.schema_arrow
        expanded = sum(meta.row_group(group).total_byte_size for group in range(meta.num_row_groups))
        # As of text: an upload may hold words, which expand, and each of its columns is described.
        copies, cell_bytes = (2, 40) if file.is_upload else (1, 20)
        needed = max(copies * expanded, meta.num_rows * len(flat) * cell_bytes)
        memory.check(needed, f"{file.name} ({meta.num_rows:,} rows)", "Save fewer rows or columns")
        table = opened.read(use_threads=False)
        # The metadata of pandas would turn columns into an index, which hides them.
        frame = table.select(flat).to_pandas(ignore_metadata=True)
    nested = [one_line(field.name, 30) for place, field in enumerate(schema) if place not in set(flat)]
    return frame, (f"Nested columns are left out: {one_line(', '.join(nested), 80)}.",) if nested else ()


def _open(file: File) -> parquet.ParquetFile:
    try:
        from pyarrow import parquet
    except ImportError:
        raise DataError(f"{file.name} needs pyarrow to be read: pip install pyarrow, or save it as CSV.") from None
    return parquet.ParquetFile(
        file.open() if file.is_upload else file.content,
        thrift_string_size_limit=_MAX_FOOTER_BYTES,
        thrift_container_size_limit=_MAX_FOOTER_ITEMS,
    )


def _flat_columns(file: File, opened: parquet.ParquetFile) -> list[int]:
    """Return the positions of the columns whose cells are numbers, text, booleans or dates."""
    if opened.metadata.num_rows <= 0:
        raise DataError(f"{file.name} has no rows. Add one row a sample.")
    flat = [place for place, field in enumerate(opened.schema_arrow) if _is_flat(field.type)]
    if not flat:
        names = ", ".join(one_line(name, 30) for name in opened.schema_arrow.names)
        raise DataError(
            f"{file.name} has no column of numbers, text or dates, but {one_line(names, 60)}. "
            "Flatten lists and structures."
        )
    return flat


def _is_flat(kind: Any) -> bool:
    """Return whether a type of PyArrow is that of numbers, text, booleans or dates."""
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    is_other = (
        types.is_nested,
        types.is_binary,
        types.is_large_binary,
        types.is_fixed_size_binary,
        types.is_null,
    )
    return not any(test(kind) for test in is_other)
