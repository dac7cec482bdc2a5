"""JSON → a pandas table: one object per line, an array of objects, or lists by column; nested values are left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rfviz.datasets import memory
from rfviz.datasets.files.content import File, check_columns, reading
from rfviz.datasets.files.frames import without_loss
from rfviz.datasets.wording import one_line
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_json"]

# Bytes of memory that a byte of the file may take as an object.
_EXPANDS = 12
_REMEDY = "Write one object per line, or an array of objects, or save CSV"


def read_json(file: File) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read numbers, words, booleans and null; objects and lists inside a row are left out.

    Raises
    ------
    DataError
        If a row is not an object, or there is none.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    import pandas as pd

    memory.check(_EXPANDS * file.n_bytes, file.name, "Save fewer rows, or Parquet")
    rows: list[dict[str, Any]] = []
    names: dict[str, None] = {}
    nested: dict[str, None] = {}
    with reading(file, "JSON with one object per row", "Save it as CSV"):
        for where, found in _array(file) if _is_array(file) else _lines(file):
            if not isinstance(found, dict):
                raise DataError(f"{file.name}: {where} is no JSON object. {_REMEDY}.")
            nested |= dict.fromkeys(name for name, value in found.items() if isinstance(value, (dict, list)))
            names |= dict.fromkeys(found)
            check_columns(file, len(names))
            rows.append(found)
    flat = [name for name in names if name not in nested]
    if not rows or not flat:
        raise DataError(f"{file.name} holds no numbers or words. {_REMEDY}.")
    columns = {name: [row.get(name) for row in rows] for name in flat}
    frame = pd.DataFrame({name: without_loss(pd.Series(cells), cells) for name, cells in columns.items()})
    return frame, (f"Nested columns are left out: {one_line(', '.join(nested), 80)}.",) if nested else ()


def _is_array(file: File) -> bool:
    """Return whether a file is one JSON value: many are named ``.json`` and hold one object per line."""
    if file.suffix != ".json":
        return False
    with file.open() as stream:
        first = next((line for line in stream if line.strip()), b"")
    # A text that is certainly one value is not parsed twice.
    if first.lstrip().startswith(b"[") or file.n_bytes <= len(first) + 1:
        return True
    try:
        return not isinstance(json.loads(first), dict)
    except ValueError:
        return True


def _array(file: File) -> Iterator[tuple[str, Any]]:
    """Yield the rows of an array, or of lists by column, either of them alone in an object or not."""
    with file.open() as stream:
        found = json.load(stream)
    if isinstance(found, dict) and len(found) == 1:
        inner = next(iter(found.values()))
        found = inner if isinstance(inner, list) and any(isinstance(item, dict) for item in inner) else found
    if isinstance(found, dict):
        found = [dict(zip(found, values, strict=True)) for values in zip(*_columns(file, found), strict=True)]
    if not isinstance(found, list):
        raise DataError(f"{file.name} holds a single JSON value. {_REMEDY}.")
    yield from ((f"item {number} of the array", item) for number, item in enumerate(found, start=1))


def _columns(file: File, found: dict[str, Any]) -> list[list[Any]]:
    """Return the columns of an object of lists, or of objects with the same keys, as pandas writes them."""
    columns = list(found.values())
    if columns and all(isinstance(column, dict) and column.keys() == columns[0].keys() for column in columns):
        return [list(column.values()) for column in columns]
    if columns and all(isinstance(column, list) and len(column) == len(columns[0]) for column in columns):
        return columns
    raise DataError(f"{file.name} is an object, but not of lists that are equally long. {_REMEDY}.")


def _lines(file: File) -> Iterator[tuple[str, Any]]:
    with file.open() as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                yield f"line {number}", json.loads(line)
