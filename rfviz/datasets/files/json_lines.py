"""One JSON object a line → a pandas table: nested values are left out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rfviz.datasets import memory
from rfviz.datasets.files.content import File, reading
from rfviz.datasets.files.text import MAX_COLUMNS
from rfviz.datasets.wording import one_line
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_json_lines"]

# Bytes of memory that a byte of the file may take as an object.
_EXPANDS = 12


def read_json_lines(file: File) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read numbers, words, booleans and null; objects and lists inside a line are left out.

    Raises
    ------
    DataError
        If a line is no object, or there is none.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    import pandas as pd

    memory.check(_EXPANDS * file.n_bytes, file.name, "Save fewer rows, or Parquet")
    rows: list[dict[str, Any]] = []
    names: dict[str, None] = {}
    nested: dict[str, None] = {}
    with reading(file, "one JSON object a line", "Save it as CSV"), file.open() as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            found = json.loads(line)
            if not isinstance(found, dict):
                raise DataError(f"{file.name}: line {number} is no JSON object. Write one object a line, or save CSV.")
            nested |= dict.fromkeys(name for name, value in found.items() if isinstance(value, (dict, list)))
            names |= dict.fromkeys(found)
            if len(names) > MAX_COLUMNS:
                raise DataError(f"{file.name} has more than {MAX_COLUMNS:,} columns, which is the most that are read.")
            rows.append(found)
    flat = [name for name in names if name not in nested]
    if not rows or not flat:
        raise DataError(f"{file.name} holds no numbers or words. Write one JSON object a line, or save CSV.")
    frame = pd.DataFrame({name: [row.get(name) for row in rows] for name in flat})
    return frame, (f"Nested columns are left out: {one_line(', '.join(nested), 80)}.",) if nested else ()
