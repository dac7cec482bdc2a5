"""Parquet, Feather and Arrow files → a pandas table, through PyArrow; sizes are checked before anything is expanded."""

from __future__ import annotations

import importlib
import json
import struct
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.datasets import memory
from rfviz.datasets.files.content import MAX_COLUMNS, File, bytes_of_table, check_table, reading
from rfviz.datasets.files.row_names import without_row_names
from rfviz.datasets.files.written_numbers import EXACT
from rfviz.datasets.wording import one_line
from rfviz.errors import DataError, require

if TYPE_CHECKING:
    import pandas as pd
    from pyarrow import parquet

__all__ = [
    "arrow_layout",
    "flat_frame",
    "flat_leaves",
    "left_out",
    "needed_bytes",
    "open_parquet",
    "parquet_layout",
    "read_arrow",
    "read_parquet",
    "told_schema",
]

# A footer may announce text and lists of any length.
_MAX_FOOTER_BYTES, _MAX_FOOTER_ITEMS = 20_000_000, 1_000_000

# Number of levels of nested structures that are cut into columns.
_MOST_LEVELS = 5
# Kinds of message of the format: a dictionary of words, and a block of rows.
_DICTIONARY, _ROWS = 2, 3
# The fields of a vector of Spark; rows that tell what bytes hold.
_VECTOR = ["type", "size", "indices", "values"]
_TELLING_ROWS = 1000
# How the kind of an extension of Arrow is named, and the kinds of shapes, in two to four dimensions.
_EXTENSION = b"ARROW:extension:name"
_WKB_KINDS = {1000 * dimension + kind for dimension in range(4) for kind in range(1, 8)}


def _import_pyarrow(file: File) -> Any:
    """Return the package pyarrow, with its parts for files.

    Raises
    ------
    DataError
        If it is not installed.
    """
    require("pyarrow", file.name, "or save it as CSV")
    for part in ("ipc", "parquet"):
        importlib.import_module(f"pyarrow.{part}")
    return importlib.import_module("pyarrow")


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
    """Read the columns of numbers, text, booleans and dates, also those within structures; see :func:`read_arrow`."""
    with reading(file, "a Parquet file", "Write it again"), open_parquet(file) as opened:
        check_table(file, opened.metadata.num_rows, len(_names(file, opened)), needed_bytes(file, opened))
        return _without_index(*flat_frame(opened.read(use_threads=False)))


def needed_bytes(file: File, opened: parquet.ParquetFile) -> int:
    """Return the memory that a Parquet file needs to be read as a whole."""
    meta = opened.metadata
    expanded = sum(meta.row_group(group).total_byte_size for group in range(meta.num_row_groups))
    return bytes_of_table(file, meta.num_rows, len(_names(file, opened)), _copies(file) * expanded)


def open_parquet(file: File) -> parquet.ParquetFile:
    """Open a file whose footer is not trusted."""
    return _import_pyarrow(file).parquet.ParquetFile(
        file.open() if file.is_upload else file.content,
        thrift_string_size_limit=_MAX_FOOTER_BYTES,
        thrift_container_size_limit=_MAX_FOOTER_ITEMS,
    )


def _names(file: File, opened: parquet.ParquetFile) -> list[str]:
    """Return the names of the columns that are read."""
    if opened.metadata.num_rows <= 0:
        raise DataError(f"{file.name} has no rows. Add one row per sample.")
    return _flat_names(file, told_schema(opened))


def _copies(file: File) -> int:
    """Return how often the cells are held at a time: those of an upload may be words, which expand."""
    return 2 if file.is_upload else 1


def arrow_layout(file: File) -> tuple[tuple[str, ...], None]:
    """Return the names of the columns that are read; the number of rows is not said at the head of such a file."""
    arrow = _import_pyarrow(file)
    with reading(file, "an Arrow file", "Write it again"), _opened(file, arrow) as opened:
        return tuple(_flat_names(file, opened.schema)), None


def read_arrow(file: File) -> tuple[pd.DataFrame, tuple[str, ...]]:
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
    arrow = _import_pyarrow(file)
    with reading(file, "an Arrow file", "Write it again"):
        expanded, n_rows = _announced(file, arrow)
        with _opened(file, arrow) as opened:
            n_columns = len(_leaves(opened.schema))
            check_table(file, n_rows, n_columns, bytes_of_table(file, n_rows, n_columns, _copies(file) * expanded))
            table = opened.read_all()
        # Offsets of an altered file may point anywhere.
        table.validate(full=True)
        if not table.num_rows:
            raise DataError(f"{file.name} has no rows. Add one row per sample.")
        _flat_names(file, _told(table.slice(0, _TELLING_ROWS)).schema)
        return _without_index(*flat_frame(table))


def _without_index(frame: pd.DataFrame, notes: tuple[str, ...]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return a table without the index that pandas has written under a name of its own, if it only numbers rows."""
    kept, said = without_row_names(frame, list(frame.columns))
    return kept, (*notes, *said)


def _source(file: File, arrow: Any) -> Any:
    return arrow.py_buffer(file.content) if isinstance(file.content, bytes) else arrow.memory_map(str(file.content))


def _is_stream(file: File) -> bool:
    """Return whether a file is a stream of messages, without the table of contents that other such files end with."""
    return not file.head(6).startswith(b"ARROW1")


def _opened(file: File, arrow: Any) -> Any:
    return (arrow.ipc.open_stream if _is_stream(file) else arrow.ipc.open_file)(_source(file, arrow))


def _announced(file: File, arrow: Any) -> tuple[int, int]:
    """Return how many bytes the blocks of a file take once they are expanded, and how many rows they have.

    PyArrow tells neither before it has expanded them, nor whether they are compressed, and none of its pools of memory
    has a limit; so their metadata are read here.
    """
    source = _source(file, arrow)
    whole = source if isinstance(source, arrow.Buffer) else source.read_buffer()
    n_bytes = n_rows = 0
    # After eight bytes of its own, a file that is not a stream itself is the stream of its messages.
    for message in arrow.ipc.MessageReader.open_stream(whole if _is_stream(file) else whole[8:]):
        length, buffers, is_packed = _block(memoryview(message.metadata))
        body = memoryview(message.body) if message.body is not None else memoryview(b"")
        n_rows += length
        for start, size in buffers:
            # A compressed buffer says first how long it is expanded, or -1 where it is not compressed.
            announced = struct.unpack_from("<q", body, start)[0] if is_packed and size >= 8 else size
            n_bytes += max(announced, size)
    return n_bytes, n_rows


def _block(data: memoryview) -> tuple[int, list[tuple[int, int]], bool]:
    """Return the rows of a message, place and size of its buffers, and whether they are compressed."""

    def field(table: int, slot: int) -> int:
        """Return the place of a field of a table of this format (FlatBuffers); 0 where it is left out."""
        fields = table - struct.unpack_from("<i", data, table)[0]
        at = 4 + 2 * slot
        offset = struct.unpack_from("<H", data, fields + at)[0] if at < struct.unpack_from("<H", data, fields)[0] else 0
        return table + offset if offset else 0

    def follow(place: int) -> int:
        return place + struct.unpack_from("<I", data, place)[0]

    message = follow(0)
    kind = data[field(message, 1)] if field(message, 1) else 0
    if kind not in (_DICTIONARY, _ROWS):
        return 0, [], False
    block = follow(field(message, 2))
    is_rows = kind == _ROWS
    block = block if is_rows else follow(field(block, 1))
    length = struct.unpack_from("<q", data, field(block, 0))[0] if is_rows and field(block, 0) else 0
    found = follow(field(block, 2)) if field(block, 2) else 0
    n = struct.unpack_from("<I", data, found)[0] if found else 0
    buffers = [struct.unpack_from("<qq", data, found + 4 + 16 * number) for number in range(n)]
    return length, buffers, bool(field(block, 3))


def _flat_names(file: File, schema: Any) -> list[str]:
    """Return the names of the columns that hold numbers, text, booleans or dates, also those within structures.

    Raises
    ------
    DataError
        If there are none.
    """
    flat = [name for name, _ in flat_leaves(schema)]
    if not flat:
        names = one_line(", ".join(one_line(name, 30) for name in schema.names), 60)
        remedy = "Save these as numbers or text" if all(map(_is_bytes, schema.types)) else "Flatten lists"
        raise DataError(f"{file.name} has no column of numbers, text or dates, but {names}. {remedy}.")
    return flat


def told_schema(opened: parquet.ParquetFile) -> Any:
    """Return the schema of a file, in which vectors and bytes that are words are what they stand for."""
    schema = opened.schema_arrow
    if not any(_is_vector(kind) or _is_bytes(kind) for kind in schema.types):
        return schema
    import pyarrow as pa

    batches = opened.iter_batches(batch_size=_TELLING_ROWS, use_threads=False)
    return _told(pa.Table.from_batches([*islice(batches, 1)], schema)).schema


def _told(table: Any) -> Any:
    """Return a table in which vectors of Spark are structures of numbers, and bytes that are words are text."""
    import pyarrow as pa

    for place, kind in enumerate(table.schema.types):
        name, column = table.schema.names[place], table.column(place)
        if _is_vector(kind):
            table = table.set_column(place, name, _entries(name, column))
        elif _is_bytes(kind) and name not in _shapes(table.schema) and (words := _words(column)) is not None:
            table = table.set_column(place, name, words)
        elif _is_bytes(kind) and _are_shapes(column):
            table = table.set_column(place, pa.field(name, kind, metadata={_EXTENSION: b"geoarrow.wkb"}), column)
    return table


def _is_vector(kind: Any) -> bool:
    """Return whether a type is that of the vectors of Spark, which lists all entries (1) or those that are not 0."""
    from pyarrow import types

    return types.is_struct(kind) and [kind.field(i).name for i in range(kind.num_fields)] == _VECTOR


def _entries(name: str, column: Any) -> Any:
    """Return vectors as structures of numbers.

    Raises
    ------
    DataError
        If they are not all as long, or too long.
    MemoryBudgetError
        If they would not fit into the memory limit.
    """
    import pyarrow as pa

    rows = column.to_pylist()
    lengths = {len(row["values"]) if row["type"] else row["size"] for row in rows if row is not None}
    n = max(lengths, default=0)
    if len(lengths) > 1 or n > MAX_COLUMNS:
        what = f"have between {min(lengths):,} and {n:,} entries. Make them all as long"
        what = what if len(lengths) > 1 else f"have {n:,} entries, and at most {MAX_COLUMNS:,} are read. Save fewer"
        raise DataError(f"The vectors of the column {one_line(name, 40)!r} {what}.")
    memory.check(16 * n * len(rows), f"{len(rows):,} vectors of {n:,} entries", "Save fewer rows or entries")
    dense = np.full((len(rows), n), np.nan)
    for place, row in enumerate(rows):
        if row is not None and row["type"]:
            dense[place] = row["values"]
        elif row is not None:
            dense[place] = 0.0
            dense[place, row["indices"]] = row["values"]
    return pa.StructArray.from_arrays([pa.array(entries) for entries in dense.T], [str(i) for i in range(n)])


def _is_bytes(kind: Any) -> bool:
    from pyarrow import types

    return types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)


def _words(column: Any) -> Any:
    """Return a column of bytes as text, or None if they are not."""
    import pyarrow as pa

    try:
        words = column.cast(pa.binary()).cast(pa.string())
    except pa.ArrowInvalid:
        return None
    has_controls = importlib.import_module("pyarrow.compute").match_substring_regex(words, r"[\x00-\x08\x0e-\x1f]")
    return None if any(chunk.true_count for chunk in has_controls.chunks) else words


def _are_shapes(column: Any) -> bool:
    """Return whether bytes are points, lines and areas in the form WKB: the order of bytes, and a known kind."""
    known = column.drop_null()
    first = known[0].as_py() if len(known) else b""
    return len(first) > 5 and first[0] < 2 and int.from_bytes(first[1:5], "little" if first[0] else "big") in _WKB_KINDS


def _shapes(schema: Any) -> set[str]:
    """Return the columns that hold shapes, as their file says or their bytes show."""
    found = {field.name for field in schema if (field.metadata or {}).get(_EXTENSION, b"").startswith(b"geoarrow")}
    try:
        return found | set(json.loads((schema.metadata or {})[b"geo"])["columns"])
    except (ValueError, TypeError, KeyError):  # most files are not GeoParquet
        return found


def left_out(schema: Any) -> tuple[str, ...]:
    """Return notes on the columns of a told schema that are not read; see :func:`told_schema`."""
    shapes = _shapes(schema)
    found: dict[str, list[str]] = {}
    for name, kind in _leaves(schema):
        if _is_flat(kind):
            continue
        is_shape = name in shapes or "geoarrow" in str(kind)
        what = (
            "Columns of shapes (GeoParquet)"
            if is_shape
            else "Columns of bytes"
            if _is_bytes(kind)
            else "Nested columns"
        )
        found.setdefault(what, []).append(one_line(name, 30))
    return tuple(f"{what} are left out: {one_line(', '.join(out), 80)}." for what, out in found.items())


def flat_frame(table: Any, first_row: int = 0) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the columns that :func:`flat_leaves` lists, and a note on those that are left out.

    Parameters
    ----------
    first_row : int
        Place of its first row in its file, where it is a part of it.
    """
    from pyarrow import types

    index = _index_of(table.schema)
    table = _told(table)
    notes = left_out(table.schema)
    for _ in range(_MOST_LEVELS):
        if not any(types.is_struct(kind) for kind in table.schema.types):
            break
        table = table.flatten()
    table = table.select([place for place, kind in enumerate(table.schema.types) if _is_flat(kind)])
    columns = [_as_held(column) for column in table.columns]
    long = {place: column for place, column in enumerate(columns) if _is_beyond_floats(column)}
    table = type(table).from_arrays(columns, names=table.column_names)
    # The metadata of pandas would turn columns into an index, which hides them.
    frame = table.to_pandas(ignore_metadata=True)
    for place, column in long.items():
        frame.isetitem(place, column.to_pandas(types_mapper=_nullable))
    if index is not None:
        name, start, step = index
        frame[name] = start + step * np.arange(first_row, first_row + len(frame))
    return frame, notes


def _as_held(column: Any) -> Any:
    """Return a column as pandas takes it: decimal numbers, which it would hold as objects, as floats or as text."""
    import pyarrow as pa

    if not pa.types.is_decimal(column.type):
        return column
    floats = column.cast(pa.float64())
    return column.cast(pa.string()) if _ends(floats) > EXACT else floats


def _is_beyond_floats(column: Any) -> bool:
    """Return whether pandas would round whole numbers of a column, for it makes floats of them where one is missing."""
    import pyarrow as pa

    return bool(column.null_count) and pa.types.is_integer(column.type) and _ends(column) > EXACT


def _ends(column: Any) -> float:
    """Return the largest absolute value of a column of numbers; 0 where it has none."""
    ends = importlib.import_module("pyarrow.compute").min_max(column).as_py()
    return max((abs(end) for end in ends.values() if end is not None), default=0)


def _nullable(kind: Any) -> Any:
    import pandas as pd
    import pyarrow as pa

    return {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}.get(kind)


def _index_of(schema: Any) -> tuple[str, int, int] | None:
    """Return name, start and step of an index that pandas has written as a range and not as a column; else None."""
    try:
        for index in (schema.pandas_metadata or {}).get("index_columns", ()):
            if isinstance(index, dict) and index["kind"] == "range" and index["name"] not in (None, *schema.names):
                return str(index["name"]), int(index["start"]), int(index["step"])
    except (ValueError, TypeError, KeyError):  # written by another program
        pass
    return None


def flat_leaves(schema: Any) -> list[tuple[str, Any]]:
    """Return names and types of the columns of numbers, text, booleans, dates or nothing at all, structures cut up."""
    return [(name, kind) for name, kind in _leaves(schema) if _is_flat(kind)]


def _leaves(schema: Any) -> list[tuple[str, Any]]:
    """Return names and types of all columns, structures cut up."""
    from pyarrow import int64, types

    leaves = [(field.name, field.type) for field in schema]
    for _ in range(_MOST_LEVELS):
        cut: list[tuple[str, Any]] = []
        for name, kind in leaves:
            parts = [kind.field(place) for place in range(kind.num_fields)] if types.is_struct(kind) else []
            cut += [(f"{name}.{part.name}", part.type) for part in parts] if types.is_struct(kind) else [(name, kind)]
        leaves = cut
    index = _index_of(schema)
    return leaves if index is None else [*leaves, (index[0], int64())]


def _is_flat(kind: Any) -> bool:
    """Return whether a type of PyArrow is that of numbers, text, booleans, dates, or nothing at all."""
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    return not (types.is_nested(kind) or _is_bytes(kind))
