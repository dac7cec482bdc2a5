"""JSON → a pandas table: an object or a list a row, or a list a column; nested values are left out."""

from __future__ import annotations

import codecs
import io
import itertools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rfviz.datasets import memory
from rfviz.datasets.files.content import File, check_columns, reading
from rfviz.datasets.files.frames import without_loss
from rfviz.datasets.files.row_names import without_row_names
from rfviz.datasets.wording import one_line, reason
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_json"]

# Bytes of memory that a byte of the file may take as an object.
_EXPANDS = 12
# The column of the keys of rows, which have no name.
_KEY = ""
_REMEDY = "Write one object per line, or an array of objects, or save CSV"


def read_json(file: File) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read numbers, words, booleans and null; objects and lists inside a row are left out.

    Raises
    ------
    DataError
        If a row is neither an object nor a list, or there is none.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    import pandas as pd

    memory.check(_EXPANDS * file.n_bytes, file.name, "Save fewer rows, or Parquet")
    names: dict[str, None] = {}
    nested: dict[str, None] = {}
    with reading(file, "JSON with one object per row", "Save it as CSV"):
        _check_start(file)
        found = _read(file)
        rows = found.objects(file)
        for row in rows:
            nested |= dict.fromkeys(name for name, value in row.items() if isinstance(value, (dict, list)))
            names |= dict.fromkeys(row)
            check_columns(file, len(names))
    flat = [name for name in names if name not in nested]
    if not rows or not flat:
        raise DataError(f"{file.name} holds no numbers or words. {_REMEDY}.")
    columns = {name: [row.get(name) for row in rows] for name in flat}
    frame = pd.DataFrame({name: without_loss(pd.Series(cells), cells) for name, cells in columns.items()})
    notes = (f"Nested columns are left out: {one_line(', '.join(nested), 80)}.",) if nested else ()
    frame, said = without_row_names(frame, flat)
    return frame, (*found.notes, *notes, *said)


@dataclass(frozen=True)
class _Rows:
    """Rows of a JSON text, with the word for their places and, for lists, the names of the columns if they are told."""

    rows: list[Any]
    what: str
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def objects(self, file: File) -> list[dict[str, Any]]:
        """Return the rows as objects."""
        rows = self.rows
        if rows and all(isinstance(row, list) for row in rows):
            return self._named_lists(file)
        for number, row in enumerate(rows, start=1):
            if not isinstance(row, dict):
                raise DataError(f"{file.name}: {self.what.format(number)} is not a JSON object. {_REMEDY}.")
        return rows

    def _named_lists(self, file: File) -> list[dict[str, Any]]:
        """Return lists as objects: the first names the columns if it alone holds nothing but words."""
        names, rows = self.names, self.rows
        if not names and all(isinstance(cell, str) for cell in rows[0]) and not _are_words(rows[1:]):
            names, rows = tuple(rows[0]), rows[1:]
        width = max(map(len, rows), default=0)
        check_columns(file, width)
        if len(names) != width or len(set(names)) != width:
            names = tuple(f"column {number}" for number in range(1, width + 1))
        return [dict(zip(names, row, strict=False)) for row in rows]


def _are_words(rows: list[list[Any]]) -> bool:
    return all(isinstance(cell, str) for row in rows for cell in row)


def _check_start(file: File) -> None:
    """Refuse a text that begins as no table in JSON does."""
    start = file.head(1000).removeprefix(codecs.BOM_UTF8).lstrip()
    if start[:1] not in (b"[", b"{", b""):
        shown = one_line(start.split(b"\n")[0].decode("utf-8", "replace"), 30)
        raise DataError(f"{file.name} is named like JSON, but begins with {shown!r}. Name it .csv if it holds cells.")


def _read(file: File) -> _Rows:
    """Return the rows of a text: of one value, or of one value a line, which is often named ``.json``, too."""
    with file.open() as stream:
        lines = ((number, line) for number, line in enumerate(stream, start=1) if line.strip())
        _, first = next(lines, (0, b""))
        is_one = file.n_bytes <= len(first) + 1
        # A text that is certainly one value is not parsed twice.
        parsed = [] if is_one else _value(first.removeprefix(codecs.BOM_UTF8))
        second = next(lines, None)
        if parsed and second is not None:
            rest = itertools.chain([second], lines)
            return _Rows([*parsed, *(_parsed(file, number, line) for number, line in rest)], "line {}")
    with file.open() as stream:
        return _array(file, json.load(io.TextIOWrapper(stream, encoding="utf-8-sig")))


def _value(line: bytes) -> list[Any]:
    """Return the value in a line, alone in a list, which is empty if the line is only a part of one."""
    try:
        return [json.loads(line)]
    except ValueError:
        return []


def _parsed(file: File, number: int, line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise DataError(f"{file.name}: line {number} is not a JSON value ({reason(error)}). {_REMEDY}.") from None


def _array(file: File, found: Any) -> _Rows:
    """Return the rows of an array, or of lists by column, either of them in an object or not."""
    if isinstance(found, list):
        return _Rows(found, "item {} of the array")
    if not isinstance(found, dict):
        raise DataError(f"{file.name} holds a single JSON value. {_REMEDY}.")
    if found.get("type") == "FeatureCollection" and isinstance(found.get("features"), list):
        rows = [one.get("properties") or {} if isinstance(one, dict) else one for one in found["features"]]
        note = "The shapes of the GeoJSON are left out, and their properties are the columns."
        return _Rows(rows, "feature {}", notes=(note,))
    tables = [name for name, value in found.items() if _is_table(value)]
    if len(tables) == 1:
        inner = found[tables[0]]
        others = one_line(", ".join(name for name in found if name != tables[0]), 60)
        note = (
            (f"Of the object, the rows under “{one_line(tables[0], 30)}” are read, and not {others}.",)
            if others
            else ()
        )
        return _Rows(inner, "item {} of the array", _names_beside(found), note)
    return _by_column(file, found)


def _is_table(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, (dict, list)) for item in value)
        and (any(isinstance(item, dict) for item in value) or len(value) > 1)
    )


def _names_beside(found: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of columns that an object holds beside its rows, as pandas (split) and Socrata write them."""
    columns: Any = found.get("columns")
    if isinstance(meta := found.get("meta"), dict) and isinstance(view := meta.get("view"), dict):
        columns = view.get("columns")
    columns = columns if isinstance(columns, list) else []
    return tuple(str(one.get("name", "")) if isinstance(one, dict) else str(one) for one in columns)


def _by_column(file: File, found: dict[str, Any]) -> _Rows:
    """Return the rows of an object of lists, one a column, or of objects, each a column or a row."""
    columns = list(found.values())
    if columns and all(isinstance(column, list) and len(column) == len(columns[0]) for column in columns):
        return _Rows([dict(zip(found, cells, strict=True)) for cells in zip(*columns, strict=True)], "row {}")
    if columns and all(isinstance(column, dict) for column in columns):
        are_columns = all(column.keys() == columns[0].keys() for column in columns)
        if are_columns and not (all(map(str.isdigit, found)) or _fewer_words(columns[0], found)):
            cells = zip(columns[0], *(column.values() for column in columns), strict=True)
            return _Rows([dict(zip([_KEY, *found], row, strict=True)) for row in cells], "row {}")
        keys = one_line(", ".join(itertools.islice(found, 5)), 40)
        rows = [{_KEY: key} | row for key, row in found.items()]
        return _Rows(rows, "row {}", notes=(f"Each object in the object is a row; its key ({keys}) comes first.",))
    raise DataError(
        f"{file.name} is one object, and neither one with a list of rows nor of lists that are equally long. {_REMEDY}."
    )


def _fewer_words(inner: dict[str, Any], outer: dict[str, Any]) -> bool:
    """Return whether the inner keys are fewer, and not numbers of rows: they name columns, then."""
    return len(inner) < len(outer) and not all(map(str.isdigit, inner))
