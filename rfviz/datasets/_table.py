"""Reading tables, ``.csv`` and ``.parquet``: one row a sample, a header with the names of the columns."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rfviz.datasets import _limits
from rfviz.datasets._raw import Raw
from rfviz.datasets._text import one_line, reason
from rfviz.errors import DataError, MemoryBudgetError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Columns", "WordsError", "inspect", "read"]

# By name, whatever the case; the first that is there counts. "y" comes last: beside "x" it may be a coordinate.
_LABELS = ("label", "target", "class", "y")
_ORDERS = ("order", "frame", "time", "index")
_LINE_LENGTH = 10_000_000
# Per cell: 8 bytes in the table, 8 as float64 and 4 as float32.
_CELL_BYTES = 20
_REMEDY = "Save fewer rows or columns"


@dataclass(frozen=True)
class Columns:
    """What the top of a table tells.

    Attributes
    ----------
    names : tuple of str
        All columns; empty where the first line is already data.
    label, order : str or None
        The columns that play these parts.
    n_features : int
        Number of columns that are neither.
    n_samples : int or None
        Number of rows; None where only reading the file would tell.
    separator : str
        Of a text file.
    """

    names: tuple[str, ...]
    label: str | None
    order: str | None
    n_features: int
    n_samples: int | None = None
    separator: str = ","


class WordsError(DataError):
    """Columns beside the label hold words or dates, where only numbers are read."""


def inspect(path: Path) -> Columns:
    """Examine the first line of a CSV file, or the footer of a Parquet file.

    Raises
    ------
    DataError
        If it is empty, not UTF-8, too long for a line, or not Parquet.
    """
    try:
        return _inspect_parquet(path) if path.suffix.lower() == ".parquet" else _inspect_csv(path)
    except FileNotFoundError:
        raise DataError(f"{path.name} is not in {path.parent} any more.") from None
    except OSError as error:
        raise DataError(f"{path.name} could not be read: {error.strerror or reason(error)}.") from None


def read(path: Path) -> Raw:
    """Read the whole table.

    Returns
    -------
    Raw
        All columns but the label and the order as float64.

    Raises
    ------
    DataError
        If the file is damaged; a :class:`WordsError` if a column other than the label holds anything but numbers:
        which, and what to do.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    columns = inspect(path)
    try:
        if path.suffix.lower() == ".parquet":
            return _raw(path.name, _read_parquet(path), columns)
        return _raw(path.name, _read_csv(path, columns), columns)
    except DataError:
        raise
    except MemoryError as error:
        if isinstance(error, MemoryBudgetError):
            raise
        raise MemoryBudgetError(f"{path.name} does not fit into the computer's memory. {_REMEDY}.") from None
    # pandas and pyarrow raise many types on malformed files; all say in one line what they stumbled over.
    except Exception as error:
        if isinstance(error, UnicodeDecodeError) and path.suffix.lower() == ".csv":
            raise DataError(_not_utf8(path, error)) from None
        raise DataError(f"{path.name} is damaged or not a table ({reason(error)}). Save it again.") from None


def _inspect_csv(path: Path) -> Columns:
    try:
        with path.open(encoding="utf-8-sig") as stream:
            first, second = _next_line(stream), _next_line(stream)
    except UnicodeDecodeError as error:
        raise DataError(_not_utf8(path, error)) from None
    if not first:
        raise DataError(f"{path.name} is empty. A table needs a line of column names and one line a sample.")
    if len(first) == _LINE_LENGTH:
        raise DataError(f"{path.name} has a first line of {_LINE_LENGTH:,} characters or more: not a table.")
    separator = max(",;\t", key=first.count)
    cells = _cells(first, separator)
    # Pandas would take the excess for an index, and say nothing.
    if len(_cells(second, separator)) > len(cells):
        raise DataError(f"{path.name}: the second line has more cells than the first. Give every column a name.")
    if _is_data(cells):
        return Columns((), None, None, len(cells), separator=separator)
    return _columns(tuple(cells), None, separator)


def _inspect_parquet(path: Path) -> Columns:
    parquet = _pyarrow(path)
    try:
        with parquet.ParquetFile(path) as file:
            names, n_samples = tuple(file.schema_arrow.names), file.metadata.num_rows
    except FileNotFoundError:
        raise
    # An altered footer may announce any length and any name, so memory and encodings fail here too.
    except Exception as error:
        raise DataError(f"{path.name} is damaged, or not a Parquet file ({reason(error)}).") from None
    return _columns(names, n_samples)


def _columns(names: tuple[str, ...], n_samples: int | None, separator: str = ",") -> Columns:
    by_lower = {name.strip().lower(): name for name in reversed(names)}
    label = next((by_lower[n] for n in _LABELS if n in by_lower), None)
    order = next((by_lower[n] for n in _ORDERS if n in by_lower), None)
    # A first column without a name is the index that pandas writes unless told not to.
    n_others = sum(part is not None for part in (label, order)) + (names[0] == "")
    return Columns(names, label, order, len(names) - n_others, n_samples, separator)


def _read_csv(path: Path, columns: Columns) -> pd.DataFrame:
    import pandas as pd

    n_rows = _count_lines(path)
    cells = n_rows * max(len(columns.names), columns.n_features)
    # Text needs more than its length; that it is refused later must not cost all memory first.
    _limits.check(max(cells * _CELL_BYTES, 4 * path.stat().st_size), f"{path.name} ({n_rows:,} lines)", _REMEDY)
    header = 0 if columns.names else None
    frame = pd.read_csv(path, sep=columns.separator, header=header, encoding="utf-8-sig", low_memory=False)
    if columns.names and columns.names[0] == "":
        frame = frame.drop(columns=frame.columns[0])
    return frame


def _read_parquet(path: Path) -> pd.DataFrame:
    with _pyarrow(path).ParquetFile(path) as file:
        meta = file.metadata
        expanded = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
        needed = max(expanded, meta.num_rows * meta.num_columns * _CELL_BYTES)
        _limits.check(needed, f"{path.name} ({meta.num_rows:,} rows)", _REMEDY)
        # The pandas metadata would turn columns into an index, which is not ours to hide.
        return file.read().to_pandas(ignore_metadata=True)


def _raw(file: str, frame: pd.DataFrame, columns: Columns) -> Raw:
    if len(frame) == 0:
        raise DataError(f"{file} has column names but no rows.")
    features = [c for c in frame.columns if c not in (columns.label, columns.order)]
    if not features:
        raise DataError(f"{file} has no columns beside the label and the order, so there is nothing to compute with.")
    frame = _as_numbers(file, frame, [*features, *([columns.order] if columns.order else [])])
    labels = None if columns.label is None else frame[columns.label]
    y, y_missing = (None, None) if labels is None else _label_arrays(file, labels)
    return Raw(
        X=frame[features].to_numpy(dtype=np.float64, na_value=np.nan),
        y=y,
        y_missing=y_missing,
        order=frame[columns.order].to_numpy(dtype=np.float64, na_value=np.nan) if columns.order else None,
        feature_names=tuple(str(c) for c in features) if columns.names else (),
        notes=("its first, unnamed column is left out",) if columns.names and columns.names[0] == "" else (),
    )


def _as_numbers(file: str, frame: pd.DataFrame, names: list) -> pd.DataFrame:
    """`frame` with every column of `names` numeric, or an error that lists those which are not, with an example."""
    import pandas as pd
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    frame, bad = frame.copy(deep=False), []
    for name in names:
        column = frame[name]
        if is_bool_dtype(column.dtype) or (is_numeric_dtype(column.dtype) and column.dtype.kind != "c"):
            continue
        # Whole numbers beyond 64 bits arrive as objects: they are numbers all the same.
        try:
            values = pd.to_numeric(column, errors="coerce").astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            values = pd.Series(np.nan, index=column.index)
        # Dates convert without complaint, to nanoseconds that nobody asked for.
        wrong = column.notna() if column.dtype.kind in "mM" else values.isna() & column.notna()
        if wrong.any():
            bad.append(f"{one_line(name, 40)!r} (such as {one_line(column[wrong].iloc[0], 30)!r})")
        frame[name] = values
    if bad:
        shown = ", ".join(bad[:4]) + (f" and {len(bad) - 4} more" if len(bad) > 4 else "")
        raise WordsError(
            f"{file} has columns that hold text or dates, not numbers: {shown}. Drop them, encode them as numbers, "
            "or leave unknown cells empty; name the column of labels 'label'."
        )
    return frame


def _label_arrays(file: str, labels: pd.Series) -> tuple[np.ndarray, np.ndarray | None]:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    missing = labels.isna().to_numpy()
    if is_bool_dtype(labels.dtype) and not missing.any():
        return labels.to_numpy(dtype=bool), None
    if is_numeric_dtype(labels.dtype) and not is_bool_dtype(labels.dtype):
        return labels.to_numpy(dtype=np.float64, na_value=np.nan), None
    text = ["" if gone else str(value) for value, gone in zip(labels, missing, strict=True)]
    longest = max(map(len, text))
    _limits.check(4 * longest * len(text), f"{file}, with labels of {longest:,} characters,", "Shorten the labels")
    return np.array(text, dtype=str), missing


def _count_lines(path: Path) -> int:
    """Lines of a text file, whichever way they end."""
    feeds = returns = 0
    last = b""
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            feeds += block.count(b"\n")
            returns += block.count(b"\r")
            last = block[-1:]
    return max(feeds, returns) + (last not in b"\r\n")


def _next_line(stream: io.TextIOBase) -> str:
    """The next line that is not blank, up to a length that no table needs; empty at the end."""
    line = stream.readline(_LINE_LENGTH)
    while line and not line.strip():
        line = stream.readline(_LINE_LENGTH)
    return line


def _cells(line: str, separator: str) -> list[str]:
    # What this reader cannot split (a single cell of 128 kB, say) counts as one cell.
    try:
        return next(csv.reader([line], delimiter=separator), [line])
    except csv.Error:
        return [line]


def _is_data(cells: list[str]) -> bool:
    """Whether the first line is a sample, not names: numbers and empty cells, but not the 0,1,2… that pandas writes."""
    named = cells[1:] if cells[0] == "" else cells
    if len(named) > 1 and named == [str(i) for i in range(len(named))]:
        return False
    return any(map(_is_number, cells)) and all(cell.strip() == "" or _is_number(cell) for cell in cells)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _not_utf8(path: Path, error: UnicodeDecodeError) -> str:
    byte = error.object[error.start]
    return f"{path.name} is not text in UTF-8 (byte 0x{byte:02x}). Save it as 'CSV UTF-8', without compression."


def _pyarrow(path: Path):
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise DataError(f"{path.name} needs pyarrow to be read: pip install pyarrow, or save it as CSV.") from None
    return parquet
