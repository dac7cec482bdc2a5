"""Tables in parts, which need not fit into memory: statistics of all rows in one pass, and rows drawn at random.

A folder of Parquet files is one table, its rows in the order of their names; so is a folder that holds ``X.npy``, rows
of numbers, and perhaps ``y.npy``, their labels. A single Parquet file that does not fit into the memory limit is read
in the same way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.datasets import memory
from rfviz.datasets.files.arrow import flat_frame, flat_leaves
from rfviz.datasets.files.blocks import mapped, no_parts
from rfviz.datasets.files.content import File, reading
from rfviz.datasets.files.meta import Meta
from rfviz.datasets.files.parquet import needed_bytes, open_parquet
from rfviz.datasets.files.statistics import TableStatistics
from rfviz.datasets.files.table import Drawn, Table, names_of_columns, own_names, table_of_frame
from rfviz.datasets.wording import counted, drawn_note, one_line
from rfviz.errors import DataError
from rfviz.progress import Progress, silent

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "SAMPLE_ROWS",
    "Parts",
    "is_folder_of_parts",
    "parts_of",
    "read_parts",
    "sample_size",
    "sampled_rows",
    "statuses",
]

#: Rows that are drawn of a larger table, for everything that needs rows in memory; of wide tables fewer.
SAMPLE_ROWS = 100_000
_CELL_BYTES, _FEWEST = 40, 1000
_BLOCK_ROWS, _BLOCK_CELLS = 65_536, 8_000_000
_SEED = 0


@dataclass(frozen=True)
class Parts:
    """A table whose parts are read one after the other.

    Attributes
    ----------
    name : str
        Of the folder or file.
    names : tuple of str
        Of the columns.
    n_rows, n_files, n_bytes : int
    stamp : str
        Differs where a file has changed.
    read : callable
        Yields the rows as DataFrames with these columns, about `rows` at a time: ``read(rows)``.
    """

    name: str
    names: tuple[str, ...]
    n_rows: int
    n_files: int
    n_bytes: int
    stamp: str
    read: Callable[[int], Iterator[pd.DataFrame]] = field(repr=False, compare=False)

    @property
    def block_rows(self) -> int:
        """Return how many rows are read at a time."""
        return max(min(_BLOCK_ROWS, _BLOCK_CELLS // len(self.names)), 1)

    @property
    def n_sampled(self) -> int:
        """Return how many rows are drawn."""
        return sample_size(self.n_rows, len(self.names))

    @property
    def facts(self) -> str:
        """Return one line on what they hold, and which rows pages use."""
        few = "" if self.n_sampled == self.n_rows else f" Pages use {self.n_sampled:,} of them, drawn at random."
        return f"{self.n_rows:,} rows of {counted(len(self.names), 'column')} in {counted(self.n_files, 'file')}.{few}"


def is_folder_of_parts(path: Path) -> bool:
    """Return whether a folder is one table: several Parquet files, or X.npy; or a Zarr store, which is refused."""
    try:
        found = [entry.name.lower() for entry in os.scandir(path) if entry.is_file() and entry.name[0] not in "._"]
    except OSError:
        return False
    return path.suffix.lower() == ".zarr" or "x.npy" in found or sum(name.endswith(".parquet") for name in found) > 1


def statuses(path: Path) -> list[os.stat_result]:
    """Return the statuses of the files in a folder."""
    found = []
    for entry in path.iterdir():
        with suppress(FileNotFoundError):  # removed just now
            if entry.is_file():
                found.append(entry.stat())
    return found


def parts_of(path: Path) -> Parts | None:
    """Return the parts of a folder, or of a Parquet file that does not fit into memory; None for any other file.

    Raises
    ------
    DataError
        If there is no part in the folder, one is damaged or has other columns than the first one, or none has rows.
    """
    if path.is_dir():
        rows = next((found for found in (path / "X.npy", path / "x.npy") if found.is_file()), None)
        if rows is not None:
            return _of_arrays(path, rows)
        files = sorted(found for found in path.glob("*.parquet") if found.name[0] not in "._")
        if not files:
            raise no_parts(path, ".parquet files and no X.npy")
        return _of_parquet(path, files)
    if path.suffix.lower() != ".parquet":
        return None
    file = File.at(path)
    try:
        with reading(file, "a Parquet file", "Write it again"), open_parquet(file) as opened:
            is_large = needed_bytes(file, opened) > memory.memory_limit()
    except DataError:  # who reads it as a whole says more of what is wrong with it
        return None
    return _of_parquet(path, [path]) if is_large else None


def read_parts(parts: Parts, meta: Meta, progress: Progress = silent) -> tuple[Table, tuple[str, ...]]:
    """Read all rows once: statistics of all, and a table of rows drawn at random, the same at every time.

    Parameters
    ----------
    parts : Parts
    meta : Meta
        Names of classes.
    progress : callable

    Returns
    -------
    table : Table
        ``whole`` are the statistics of all rows, where they are not all in it.
    notes : tuple of str
        What was drawn.
    """
    import pandas as pd

    chosen = sampled_rows(parts.n_rows, parts.n_sampled)
    whole: TableStatistics | None = None
    taken, start = [], 0
    for frame in parts.read(parts.block_rows):
        statistics = TableStatistics.of([frame])
        whole = statistics if whole is None else whole.merge(statistics)
        inside = chosen[slice(*np.searchsorted(chosen, (start, start + len(frame))))] - start
        taken.append(frame.iloc[inside])
        start += len(frame)
        progress(start / parts.n_rows, f"{start:,} of {parts.n_rows:,} rows of {parts.name} read")
    if start != parts.n_rows:
        raise DataError(
            f"{parts.name} holds {start:,} rows, and its headers announce {parts.n_rows:,}. Write it again."
        )
    table = table_of_frame(pd.concat(taken, ignore_index=True), meta.class_names)
    table = replace(table, own_names=own_names(table.names, parts.names))
    if len(chosen) == parts.n_rows:
        return table, ()
    drawn = Drawn(chosen, start, partial(parts.read, parts.block_rows))
    return replace(table, whole=whole, drawn=drawn), (drawn_note(len(chosen), parts.n_rows),)


def sample_size(n_rows: int, n_columns: int) -> int:
    """Return how many rows of a table are drawn."""
    fitting = memory.memory_limit() // (4 * _CELL_BYTES * max(n_columns, 1))
    return min(n_rows, SAMPLE_ROWS, max(fitting, _FEWEST))


def sampled_rows(n_rows: int, size: int) -> np.ndarray:
    """Return which rows of a table are drawn, rising; each is as likely as any other, whatever the parts."""
    if size >= n_rows:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(_SEED).choice(n_rows, size, replace=False, shuffle=False))


def _of_parquet(path: Path, files: list[Path]) -> Parts:
    names: dict[str, str] = {}
    n_rows = 0
    for place in files:
        file = File.at(place)
        with reading(file, "a Parquet file", "Write it again"), open_parquet(file) as opened:
            n_rows += opened.metadata.num_rows
            kinds = {name: _kind(kind) for name, kind in flat_leaves(opened.schema_arrow)}
        if not names:
            names = kinds
        _compare(names, kinds, place.name, files[0].name)
        names |= {name: kind for name, kind in kinds.items() if kind != "no values"}
    return _parts(
        path, [file.stat() for file in files], list(names), n_rows, partial(_parquet_frames, files, list(names))
    )


def _kind(kind: Any) -> str:
    from pyarrow import types

    if types.is_null(kind):
        return "no values"
    if types.is_temporal(kind):
        return "dates"
    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    return "numbers" if is_number else "true and false" if types.is_boolean(kind) else "words"


def _compare(first: dict[str, str], other: dict[str, str], name: str, first_name: str) -> None:
    odd = sorted({*first} ^ {*other})
    if odd:
        lacking, having = (name, first_name) if odd[0] in first else (first_name, name)
        raise DataError(
            f"{lacking} has no column {one_line(odd[0], 40)!r}, and {having} has one. "
            "Write all parts with the same columns."
        )
    for column, kind in first.items():
        if "no values" not in (kind, other[column]) and other[column] != kind:
            raise DataError(
                f"The column {one_line(column, 40)!r} holds {kind} in {first_name} and {other[column]} in {name}. "
                "Write all parts with the same types."
            )


def _parquet_frames(files: list[Path], names: list[str], rows: int) -> Iterator[pd.DataFrame]:
    import pyarrow as pa

    shown = names_of_columns(names)
    for place in files:
        file = File.at(place)
        with reading(file, "a Parquet file", "Write it again"), open_parquet(file) as opened:
            first_row = 0
            for batch in opened.iter_batches(batch_size=rows, use_threads=False):
                frame, _ = flat_frame(pa.Table.from_batches([batch]), first_row)
                first_row += len(frame)
                frame = frame.reindex(columns=names)
                frame.columns = shown
                yield frame


def _of_arrays(path: Path, rows: Path) -> Parts:
    X = mapped(rows)
    label = next((found for found in (path / "y.npy", path / "Y.npy") if found.exists()), None)
    y, labels = None, ""
    if label is not None:
        y = mapped(label)
        labels = f" with a row for each of the {y.size:,} labels in {path.name}/{label.name}"
    if X.ndim != 2 or X.dtype.kind not in "fiub" or not X.shape[1] or (y is not None and y.shape != X.shape[:1]):
        raise DataError(
            f"{path.name}/{rows.name} must hold a matrix of numbers{labels}; it has the shape {X.shape} and the type "
            f"{X.dtype}. Save it again."
        )
    names = [f"column {number}" for number in range(1, X.shape[1] + 1)] + ([] if y is None else ["y"])
    files = [file.stat() for file in (rows, label) if file is not None]
    return _parts(path, files, names, len(X), partial(_array_frames, rows, label, names))


def _array_frames(path: Path, label: Path | None, names: list[str], rows: int) -> Iterator[pd.DataFrame]:
    import pandas as pd

    X, y = mapped(path), None if label is None else mapped(label)
    for start in range(0, len(X), rows):
        frame = pd.DataFrame(np.array(X[start : start + rows]), columns=names[: X.shape[1]])
        yield frame if y is None else frame.assign(y=np.array(y[start : start + rows]))


def _parts(
    path: Path,
    files: list[os.stat_result],
    names: list[str],
    n_rows: int,
    read: Callable[[int], Iterator[pd.DataFrame]],
) -> Parts:
    if not names:
        raise DataError(f"{path.name} has no column of numbers, text or dates. Flatten lists.")
    if not n_rows:
        raise DataError(f"{path.name} has no rows. Add one row per sample.")
    n_bytes = sum(file.st_size for file in files)
    newest = max(file.st_mtime_ns for file in files)
    return Parts(path.name, tuple(names), n_rows, len(files), n_bytes, f"{newest}-{n_bytes}-{len(files)}", read)
