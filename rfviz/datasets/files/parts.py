"""Tables in parts, which need not fit into memory: statistics of all rows in one pass, and rows drawn at random.

A folder of Parquet files is one table, its rows in the order of their names; so is a folder that holds ``X.npy``, rows
of numbers, and perhaps ``y.npy``, their labels. A single Parquet file that does not fit into the memory limit is read
in the same way.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rfviz.datasets import memory
from rfviz.datasets.files.arrow import needed_bytes, open_parquet
from rfviz.datasets.files.content import File, reading
from rfviz.datasets.files.meta import Meta
from rfviz.datasets.files.statistics import TableStatistics
from rfviz.datasets.files.table import Table, own_names, table_of_frame
from rfviz.datasets.rows import FileRows, RowSource, open_rows, parquet_files
from rfviz.datasets.wording import counted, drawn_note
from rfviz.errors import DataError
from rfviz.progress import Progress, silent

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "SAMPLE_ROWS",
    "block_rows",
    "facts_of",
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


def block_rows(rows: RowSource) -> int:
    """Return how many rows of a table are read at a time."""
    return max(min(_BLOCK_ROWS, _BLOCK_CELLS // len(rows.columns)), 1)


def facts_of(rows: FileRows) -> str:
    """Return one line on what a table holds, and which rows pages use."""
    n_sampled = sample_size(rows.n_rows, len(rows.columns))
    few = "" if n_sampled == rows.n_rows else f" Pages use {n_sampled:,} of them, drawn at random."
    columns, files = counted(len(rows.columns), "column"), counted(rows.n_files, "file")
    return f"{rows.n_rows:,} rows of {columns} in {files}.{few}"


def is_folder_of_parts(path: Path) -> bool:
    """Return whether a folder is one table: several Parquet files, or X.npy; or a Zarr store, which is refused.

    Parquet files may lie in folders named ``column=value``.
    """
    try:
        entries = [entry for entry in os.scandir(path) if entry.name[0] not in "._"]
        found = [entry.name.lower() for entry in entries if entry.is_file()]
        if any("=" in entry.name and entry.is_dir() for entry in entries) and parquet_files(path)[1]:
            return bool(parquet_files(path)[0])
    except OSError:
        return False
    return path.suffix.lower() == ".zarr" or "x.npy" in found or sum(name.endswith(".parquet") for name in found) > 1


def statuses(path: Path) -> list[os.stat_result]:
    """Return the statuses of the files in a folder, and of the Parquet files in its folders ``column=value``."""
    found = []
    files, are_named = parquet_files(path)
    for entry in files if are_named and files else path.iterdir():
        with suppress(FileNotFoundError):  # removed just now
            if entry.is_file():
                found.append(entry.stat())
    return found


def parts_of(path: Path) -> FileRows | None:
    """Return the rows of a folder, or of a Parquet file that does not fit into memory; None for any other file.

    Raises
    ------
    DataError
        If there is no part in the folder, one is damaged or has other columns than the first one, or none has rows.
    """
    if path.is_dir():
        return open_rows(path)
    if path.suffix.lower() != ".parquet":
        return None
    file = File.at(path)
    try:
        with reading(file, "a Parquet file", "Write it again"), open_parquet(file) as opened:
            is_large = needed_bytes(file, opened) > memory.memory_limit()
    except DataError:  # reading it as a whole gives a better message
        return None
    return open_rows(path) if is_large else None


def read_parts(rows: FileRows, meta: Meta, progress: Progress = silent) -> tuple[Table, tuple[str, ...]]:
    """Read all rows once: statistics of all, and a table of rows drawn at random, the same at every time.

    Parameters
    ----------
    meta : Meta
        Names of classes.

    Returns
    -------
    table : Table
        ``whole`` are the statistics of all rows, where they are not all in it.
    notes : tuple of str
        A sentence on the drawn rows.
    """
    import pandas as pd

    chosen = sampled_rows(rows.n_rows, sample_size(rows.n_rows, len(rows.columns)))
    whole: TableStatistics | None = None
    taken: list[pd.DataFrame] = []
    for frame in rows.batches(block_rows(rows)):
        statistics = TableStatistics.of([frame])
        whole = statistics if whole is None else whole.merge(statistics)
        start, stop = frame.index[0], frame.index[-1] + 1
        taken.append(frame.iloc[chosen[slice(*np.searchsorted(chosen, (start, stop)))] - start])
        progress(stop / rows.n_rows, f"{stop:,} of {rows.n_rows:,} rows of {rows.name} read")
    table = table_of_frame(pd.concat(taken, ignore_index=True), meta.class_names)
    table = replace(table, own_names=own_names(table.names, rows.own_columns))
    if len(chosen) == rows.n_rows:
        return table, rows.notes
    notes = (*rows.notes, drawn_note(len(chosen), rows.n_rows))
    return replace(table, whole=whole, source=rows, source_rows=chosen), notes


def sample_size(n_rows: int, n_columns: int) -> int:
    """Return how many rows of a table are drawn."""
    fitting = memory.memory_limit() // (4 * _CELL_BYTES * max(n_columns, 1))
    return min(n_rows, SAMPLE_ROWS, max(fitting, _FEWEST))


def sampled_rows(n_rows: int, size: int) -> np.ndarray:
    """Return which rows of a table are drawn, rising; each is as likely as any other, whatever the parts."""
    if size >= n_rows:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(_SEED).choice(n_rows, size, replace=False, shuffle=False))
