"""Parquet from memory → a pandas table, nested columns left out, sizes asked before anything is expanded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rfviz.datasets import _limits
from rfviz.datasets._content import Content, worded
from rfviz.datasets._csv_text import MAX_COLUMNS
from rfviz.datasets._table import _pyarrow
from rfviz.datasets._text import one_line
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_parquet"]

_CELL_BYTES = 40
# A footer may announce anything; text and lists in it are bounded, so that none fills the memory by itself.
_FOOTER_BYTES = 20_000_000


def read_parquet(content: Content) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read the flat columns.

    Raises
    ------
    DataError
        If it is damaged, has no rows, or no column that is flat.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    parquet = _pyarrow(content)
    with worded(content, "a Parquet file", "Write it again"):
        file = parquet.ParquetFile(
            content.open(), thrift_string_size_limit=_FOOTER_BYTES, thrift_container_size_limit=1_000_000
        )
        meta, schema = file.metadata, file.schema_arrow
        flat = [place for place, field in enumerate(schema) if _is_flat(field.type)]
        nested = [one_line(field.name, 30) for place, field in enumerate(schema) if place not in set(flat)]
        if meta.num_rows <= 0:
            raise DataError(f"{content.name} has no rows. Add one row a sample.")
        if not flat:
            raise DataError(
                f"{content.name} has no column of numbers, text or dates, but {one_line(', '.join(nested), 60)}. "
                "Flatten lists and structures."
            )
        if len(flat) > MAX_COLUMNS:
            raise DataError(f"{content.name} has {len(flat):,} columns, and at most {MAX_COLUMNS:,} are read. "
                            "Leave some out.")  # fmt: skip
        expanded = sum(meta.row_group(group).total_byte_size for group in range(meta.num_row_groups))
        needed = max(2 * expanded, meta.num_rows * len(flat) * _CELL_BYTES)
        _limits.check(needed, f"{content.name} ({meta.num_rows:,} rows)", "Save fewer rows or columns")
        table = file.read(use_threads=False)
        # The pandas metadata would turn columns into an index, which is not ours to hide.
        frame = table.select(flat).to_pandas(ignore_metadata=True)
    notes = (f"Nested columns are left out: {one_line(', '.join(nested), 80)}.",) if nested else ()
    return frame, notes


def _is_flat(kind) -> bool:
    """Whether cells are numbers, text, booleans or dates."""
    import pyarrow.types as types

    if types.is_dictionary(kind):
        kind = kind.value_type
    return not (types.is_nested(kind) or types.is_binary(kind) or types.is_large_binary(kind)
                or types.is_fixed_size_binary(kind) or types.is_null(kind))  # fmt: skip
