"""Rows of a table that need not fit into memory, block by block: of Parquet files, of memory maps, of a DataFrame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from rfviz.datasets.files.arrow import flat_frame, flat_leaves, left_out, open_parquet, told_schema
from rfviz.datasets.files.content import File, reading
from rfviz.datasets.files.table import names_of_columns
from rfviz.datasets.wording import one_line
from rfviz.errors import DataError, ParameterError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ArrayRows", "FileRows", "FrameRows", "ParquetRows", "RowSource", "open_rows", "parquet_files"]

# As Hive names the folder of rows that have no value.
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


class RowSource(ABC):
    """The rows of a table, read from the first to the last as often as one asks.

    Parameters
    ----------
    name : str
        Of the table, for messages.
    columns : sequence of str
        Each name once.
    """

    def __init__(self, name: str, n_rows: int, columns: Sequence[str]) -> None:
        self.name, self.n_rows, self.columns = name, n_rows, tuple(columns)

    def batches(
        self, size: int, columns: Sequence[str] | None = None, leave_out: np.ndarray | None = None
    ) -> Iterator[pd.DataFrame]:
        """Yield the rows in their order, in DataFrames whose index is the place of each row in the table, from 0.

        Parameters
        ----------
        size : int
            Rows that are read at a time, at most.
        columns : sequence of str, optional
            Columns to read, in this order; by default all.
        leave_out : ndarray of int, optional
            Places of rows to pass over.

        Raises
        ------
        DataError
            If there is no such column, a file is damaged, or there are now more or fewer rows than `n_rows`.
        """
        if size < 1:
            raise ParameterError("size", "must be at least 1", size, "Try 50000.")
        names = self.columns if columns is None else tuple(columns)
        unknown = [name for name in names if name not in self.columns]
        if unknown:
            known = one_line(", ".join(self.columns[:20]), 160)
            raise DataError(f"{self.name} has no column {one_line(unknown[0], 40)!r}. Its columns: {known}.")
        return self._placed(size, names, leave_out)

    def _placed(self, size: int, names: tuple[str, ...], leave_out: np.ndarray | None) -> Iterator[pd.DataFrame]:
        start = 0
        for frame in self._frames(size, names):
            # The caller may hold what the source holds: its index is not changed.
            placed = frame.set_axis(range(start, start + len(frame)))
            start += len(frame)
            if leave_out is not None:
                placed = placed.loc[~placed.index.isin(leave_out)]
            if len(placed):
                yield placed
        if start != self.n_rows:
            raise DataError(f"{self.name} had {self.n_rows:,} rows at first, and has {start:,} now. Load it again.")

    def arrays(
        self, label: str, columns: Sequence[str] | None = None, size: int = 50_000
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield columns of numbers and the labels next to them, for ``RidgePathClassifier.fit_blocks``.

        Parameters
        ----------
        label : str
            The column of labels or targets.
        columns : sequence of str, optional
            By default all columns of numbers but the label.
        size : int
            Rows of an array, at most.

        Yields
        ------
        X : ndarray of shape (at most size, n_columns), float32 or float64
        y : ndarray of shape (at most size,)

        Raises
        ------
        DataError
            As :meth:`batches`, or for text among the columns, or gaps.
        """
        names = None if columns is None else [columns] if isinstance(columns, str) else list(columns)
        for batch in self.batches(size, None if names is None else [*names, label]):
            names = names or _numeric(batch, label, self.name)
            y = _without_gaps(batch.loc[:, [label]], self.name)[label].to_numpy()
            yield _floats(batch.loc[:, names], self.name), y

    @abstractmethod
    def _frames(self, size: int, names: tuple[str, ...]) -> Iterator[pd.DataFrame]:
        """Yield all rows with these columns, `size` at a time at most."""


def _numeric(batch: pd.DataFrame, label: str, name: str) -> list[str]:
    """Return the columns of numbers next to the label."""
    if label not in batch:
        raise DataError(f"{name} has no column {label!r}. Its columns: {one_line(', '.join(batch), 160)}.")
    found = [column for column in batch.select_dtypes(["number", "bool"]) if column != label]
    if not found:
        raise DataError(f"{name} has no column of numbers next to {label!r}. Add one.")
    return found


def _without_gaps(batch: pd.DataFrame, name: str) -> pd.DataFrame:
    for column, cells in batch.items():
        if cells.hasnans:
            row = int(batch.index[cells.isna()][0]) + 1
            raise DataError(
                f"In {name} the column {column!r} has gaps, the first in row {row:,}. Fill them, or drop those rows."
            )
    return batch


def _floats(batch: pd.DataFrame, name: str) -> np.ndarray:
    for column, cells in _without_gaps(batch, name).items():
        if cells.dtype.kind not in "fiub":
            raise DataError(f"In {name} the column {column!r} holds no numbers. Leave it out of columns.")
    is_single = all(dtype == np.float32 for dtype in batch.dtypes)
    return batch.to_numpy(dtype=np.float32 if is_single else np.float64)


class FrameRows(RowSource):
    """The rows of a DataFrame in memory."""

    def __init__(self, frame: pd.DataFrame, name: str = "table") -> None:
        super().__init__(name, len(frame), names_of_columns(frame.columns))
        self._frame = frame.set_axis(list(self.columns), axis=1)

    def _frames(self, size: int, names: tuple[str, ...]) -> Iterator[pd.DataFrame]:
        for start in range(0, self.n_rows, size):
            yield self._frame.iloc[start : start + size].loc[:, list(names)]


class FileRows(RowSource):
    """The rows of files.

    Attributes
    ----------
    own_columns : tuple of str
        The names of the columns in the files; :attr:`columns` are those under which they are shown.
    stamp : str
        Differs once a file has changed.
    notes : tuple of str
        Which columns are left out.
    """

    notes: tuple[str, ...] = ()

    def __init__(self, name: str, files: Sequence[Path], n_rows: int, columns: Sequence[str]) -> None:
        super().__init__(name, n_rows, names_of_columns(columns))
        if not columns:
            raise DataError(f"{name} has no column of numbers, text or dates. Flatten lists.")
        if not n_rows:
            raise DataError(f"{name} has no rows. Add one row per sample.")
        self.own_columns = tuple(columns)
        statuses = [file.stat() for file in files]
        self.n_files, self.n_bytes = len(files), sum(status.st_size for status in statuses)
        self.stamp = f"{max(status.st_mtime_ns for status in statuses)}-{self.n_bytes}-{self.n_files}"


class ParquetRows(FileRows):
    """The rows of Parquet files with the same columns, file by file; structures are cut into columns.

    Parameters
    ----------
    files : sequence of Path
    root : Path, optional
        The folder in which they lie, if folders in it are named ``column=value``, which adds that column.

    Raises
    ------
    DataError
        If a file is damaged or has other columns than the first one, or none has rows.
    """

    def __init__(self, name: str, files: Sequence[Path], root: Path | None = None) -> None:
        found: dict[str, str] = {}
        n_rows = 0
        self._named = {} if root is None else _named_in_folders(files, root)
        for path in files:
            file = File.at(path)
            with reading(file, "a Parquet file", "Write it again"), open_parquet(file) as opened:
                n_rows += opened.metadata.num_rows
                schema = told_schema(opened)
                kinds = {leaf: _kind(kind) for leaf, kind in flat_leaves(schema)}
            if not found:
                self.notes = left_out(schema)
            found = found or kinds
            _compare(found, kinds, path.name, files[0].name)
            found |= {leaf: kind for leaf, kind in kinds.items() if kind != "no values"}
        super().__init__(name, files, n_rows, list(found | next(iter(self._named.values()), {})))
        self._files = tuple(files)

    def _frames(self, size: int, names: tuple[str, ...]) -> Iterator[pd.DataFrame]:
        import pyarrow as pa

        own = [self.own_columns[self.columns.index(name)] for name in names]
        for path in self._files:
            file = File.at(path)
            with reading(file, "a Parquet file", "Write it again"), open_parquet(file) as opened:
                first_row = 0
                # Without a field there would be no rows: an index that is a range is none, and all are read.
                wanted = _fields_of(told_schema(opened), own) or None
                for batch in opened.iter_batches(batch_size=size, columns=wanted, use_threads=False):
                    frame, _ = flat_frame(pa.Table.from_batches([batch]), first_row)
                    first_row += len(frame)
                    frame = frame.assign(**self._named.get(path, {}))
                    if odd := [name for name in own if name not in frame]:
                        raise DataError(
                            f"The column {one_line(odd[0], 40)!r} of {path.name} holds words or numbers in some rows, "
                            "and other bytes in others. Write it as text or as numbers."
                        )
                    yield frame.reindex(columns=own).set_axis(list(names), axis=1)


def parquet_files(folder: Path) -> tuple[list[Path], bool]:
    """Return the Parquet files of a folder, or else those in its folders ``column=value``, and whether it is these."""

    def among(pattern: str) -> list[Path]:
        found = (path for path in folder.glob(pattern) if path.name[0] not in "._" and path.is_file())
        return sorted(found)

    here = among("*.parquet")
    return (here, False) if here else (among("*=*/**/*.parquet"), True)


def _named_in_folders(files: Sequence[Path], root: Path) -> dict[Path, dict[str, Any]]:
    """Return the columns, with their single value, that the names of the folders of each file add.

    Raises
    ------
    DataError
        If they are not the same columns for all files.
    """
    found: dict[Path, dict[str, Any]] = {}
    for path in files:
        parts = [part.partition("=") for part in path.relative_to(root).parent.parts]
        found[path] = {unquote(name): unquote(value) for name, equals, value in parts if equals}
        if found[path].keys() != found[files[0]].keys():
            raise DataError(
                f"The folders of {root.name} do not all name the same columns: {path.relative_to(root).parent} does "
                "not. Give each file a folder for each of them."
            )
    for name in found[files[0]]:
        values = [columns[name] for columns in found.values()]
        # Whole numbers stay such, but not codes with zeros in front.
        are_whole = all(value == str(int(value)) for value in values if value.isdecimal()) and all(
            value.isdecimal() or value == _NO_VALUE for value in values
        )
        for columns in found.values():
            cell = columns[name]
            columns[name] = None if cell == _NO_VALUE else int(cell) if are_whole else cell
    return found


def _fields_of(schema: Any, leaves: Collection[str]) -> list[str]:
    """Return the fields of a schema that hold some of its leaves."""
    import pyarrow as pa

    return [field.name for field in schema if any(name in leaves for name, _ in flat_leaves(pa.schema([field])))]


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


class ArrayRows(FileRows):
    """The rows of an ``.npy`` file of numbers, as ``column 1`` and so on, and perhaps their labels, ``y``, of another.

    Raises
    ------
    DataError
        If a file is damaged, or they do not fit each other.
    """

    def __init__(self, name: str, rows: Path, label: Path | None = None) -> None:
        X = _mapped(rows)
        y, labels = None, ""
        if label is not None:
            y = _mapped(label)
            labels = f" with a row for each of the {y.size:,} labels in {label.parent.name}/{label.name}"
        if X.ndim != 2 or X.dtype.kind not in "fiub" or not X.shape[1] or (y is not None and y.shape != X.shape[:1]):
            raise DataError(
                f"{rows.parent.name}/{rows.name} must hold a matrix of numbers{labels}; it has the shape {X.shape} and "
                f"the type {X.dtype}. Save it again."
            )
        columns = [f"column {number}" for number in range(1, X.shape[1] + 1)]
        super().__init__(
            name, [rows] if label is None else [rows, label], len(X), columns if y is None else [*columns, "y"]
        )
        self._rows, self._label = rows, label

    def _frames(self, size: int, names: tuple[str, ...]) -> Iterator[pd.DataFrame]:
        import pandas as pd

        X = _mapped(self._rows)
        y = None if self._label is None else _mapped(self._label)
        numbers = [name for name in names if name != "y" or y is None]
        places = [self.columns.index(name) for name in numbers]
        for start in range(0, len(X), size):
            rows = slice(start, start + size)
            # A whole row of a memory map lies in one place.
            read = np.array(X[rows])
            frame = pd.DataFrame(read if len(places) == X.shape[1] else read[:, places], columns=numbers)
            if y is not None and "y" in names:
                frame["y"] = np.array(y[rows])
            yield frame.loc[:, list(names)]


def open_rows(path: str | Path, labels: str | Path | None = None) -> FileRows:
    """Return the rows of a Parquet file, of an ``.npy`` file, or of a folder.

    Parameters
    ----------
    path : str or Path
        A folder holds Parquet files, in the order of their names, perhaps in folders ``column=value``, or ``X.npy`` and
        perhaps ``y.npy``.
    labels : str or Path, optional
        Of an ``.npy`` file: the one that holds the labels of its rows.

    Raises
    ------
    DataError
        If there is no such file, one is damaged or has other columns than the first one, or none has rows.
    """
    path = Path(path)
    if path.suffix.lower() == ".npy":
        return ArrayRows(path.name, path, None if labels is None else Path(labels))
    if not path.is_dir():
        return ParquetRows(path.name, [path])
    rows = next((found for found in (path / "X.npy", path / "x.npy") if found.is_file()), None)
    if rows is not None:
        return ArrayRows(path.name, rows, next((y for y in (path / "y.npy", path / "Y.npy") if y.is_file()), None))
    files, are_named = parquet_files(path)
    if not files and path.suffix.lower() == ".zarr":
        raise DataError(
            f"{path.name} is a Zarr store, which rfviz does not read. "
            "Save its arrays with numpy.save as X.npy and y.npy in one folder."
        )
    if not files:
        raise DataError(f"The folder {path.name!r} holds no .parquet files and no X.npy. Name one that does.")
    return ParquetRows(path.name, files, path if are_named else None)


def _mapped(path: Path) -> np.ndarray:
    """Return the array of an ``.npy`` file, read where it is used; never a pickle."""
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(
            f"{path.name} cannot be read as an .npy file ({error}). Save it again with numpy.save."
        ) from None
