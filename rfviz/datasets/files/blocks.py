"""Tables larger than memory, block by block: Parquet files, folders of them, memory maps of NumPy."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rfviz.datasets.rows import mapped
from rfviz.errors import DataError, ParameterError

__all__ = ["no_parts", "row_blocks"]


def row_blocks(
    source: str | Path, label: str | Path, columns: Sequence[str] | None = None, rows: int = 50_000
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows of a table that need not fit into memory, for ``RidgePathClassifier.fit_blocks``.

    Parameters
    ----------
    source : str or Path
        A Parquet file, a folder of them (in the order of their names), or an ``.npy`` file of shape (n, d).
    label : str or Path
        The column of labels or targets; for ``.npy`` the file that holds them.
    columns : sequence of str, optional
        Features; by default all columns of numbers but the label. For Parquet only.
    rows : int
        Of a block, at most.

    Yields
    ------
    X : ndarray of shape (at most rows, d), float32 or float64
    y : ndarray of shape (at most rows,)

    Raises
    ------
    DataError
        For a file that is missing or damaged, has other columns than the first one, text among the features, or gaps.
    """
    source = Path(source)
    if rows < 1:
        raise ParameterError("rows", "must be at least 1", rows, "Try 50000.")
    if source.suffix == ".npy":
        return _of_arrays(source, Path(label), rows)
    files = sorted(source.glob("*.parquet")) if source.is_dir() else [source]
    if not files:
        raise no_parts(source, ".parquet files")
    return _of_parquet(files, str(label), columns, rows)


def _of_arrays(source: Path, label: Path, rows: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    X, y = (mapped(path) for path in (source, label))
    if X.ndim != 2 or len(X) != len(y) or X.dtype.kind not in "fiub":
        raise DataError(
            f"{source.name} must hold a matrix of numbers with a row for each of the {len(y)} labels in "
            f"{label.name}; it has the shape {X.shape} and the type {X.dtype}. Save it again."
        )
    for start in range(0, len(X), rows):
        part = slice(start, start + rows)
        yield _floats(X[part]), np.array(y[part])


def no_parts(folder: Path, wanted: str) -> DataError:
    """Return the error for a folder that holds nothing that is read."""
    if folder.suffix.lower() == ".zarr":
        return DataError(
            f"{folder.name} is a Zarr store, which rfviz does not read. "
            "Save its arrays with numpy.save as X.npy and y.npy in one folder."
        )
    return DataError(f"The folder {folder.name!r} holds no {wanted}. Name one that does.")


def _of_parquet(
    files: list[Path], label: str, columns: Sequence[str] | None, rows: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    parquet = importlib.import_module("pyarrow.parquet")
    names = None if columns is None else [columns] if isinstance(columns, str) else list(columns)
    for path in files:
        try:
            with parquet.ParquetFile(path) as opened:
                names = _checked_names(path, opened.schema_arrow, names, label)
                for batch in opened.iter_batches(batch_size=rows, columns=[*names, label], use_threads=False):
                    yield _block(path, batch, names, label)
        except (OSError, ValueError) as error:  # PyArrow's own are both
            if isinstance(error, DataError):
                raise
            reason = (str(error).splitlines() or [""])[0]
            raise DataError(f"{path.name} cannot be read as a Parquet file ({reason}). Write it again.") from None


def _checked_names(path: Path, schema: Any, names: list[str] | None, label: str) -> list[str]:
    numeric = {field.name for field in schema if _is_number(field.type)}
    if label not in schema.names:
        raise DataError(f"{path.name} has no column {label!r}. Its columns: {', '.join(schema.names[:20])}.")
    if names is None:
        names = [name for name in schema.names if name in numeric and name != label]
    for name in names:
        if name not in numeric:
            is_there = "holds no numbers" if name in schema.names else "is missing"
            raise DataError(f"In {path.name} the column {name!r} {is_there}. Leave it out of columns.")
    if not names:
        raise DataError(f"{path.name} has no column of numbers next to {label!r}. Add one.")
    return names


def _is_number(kind: Any) -> bool:
    types = importlib.import_module("pyarrow.types")
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


def _block(path: Path, batch: Any, names: list[str], label: str) -> tuple[np.ndarray, np.ndarray]:
    gaps = [name for name in (*names, label) if batch.column(name).null_count]
    if gaps:
        raise DataError(f"In {path.name} the column {gaps[0]!r} has gaps. Fill them, or drop those rows.")
    parts = [_floats(batch.column(name).to_numpy(zero_copy_only=False)) for name in names]
    return np.stack(parts, axis=1), np.asarray(batch.column(label).to_numpy(zero_copy_only=False))


def _floats(numbers: np.ndarray) -> np.ndarray:
    return np.array(numbers, dtype=np.float32 if numbers.dtype == np.float32 else np.float64)
