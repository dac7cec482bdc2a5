"""Tables in memory, of whichever library, → a pandas table; and labels that are given next to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.datasets.files.arrow import flat_frame
from rfviz.datasets.files.written_numbers import EXACT
from rfviz.datasets.wording import counted, one_line, reason
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["frame_of", "with_label", "without_loss"]

# What tables of other libraries call their way to pandas: cuDF and xarray, of more than two dimensions, and Dask.
_CONVERSIONS = ("to_pandas", "to_dataframe", "compute")
_LABEL_NAMES = ("label", "label of the rows")


def frame_of(data: Any) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return a table in memory as a DataFrame, with the names of its columns where it has any.

    Parameters
    ----------
    data : object
        A DataFrame; a table that other libraries can read (pyarrow, polars, DuckDB), or that converts itself to pandas;
        or an array of shape (n_rows, n_columns), of which masked cells are missing.

    Returns
    -------
    frame : DataFrame
    notes : tuple of str
        A sentence on each part that was left out.

    Raises
    ------
    DataError
        If it is not a table.
    """
    import pandas as pd

    if isinstance(data, pd.DataFrame):
        return data, ()
    what = f"data must be a DataFrame, an array of rows and columns or the path of a file, not {type(data).__name__}"
    try:
        if hasattr(data, "__arrow_c_stream__") and not isinstance(data, pd.Series):
            import pyarrow as pa

            return flat_frame(pa.table(data))
        for conversion in filter(partial(hasattr, data), _CONVERSIONS):
            with suppress(ValueError):  # of too many dimensions for this one
                return frame_of(_with_index_columns(getattr(data, conversion)()))
        values = data if isinstance(data, np.ma.MaskedArray) else np.asarray(data)
        if values.dtype.names is not None and values.ndim == 1:
            return pd.DataFrame(values), ()
    except Exception as error:  # each library fails in its own way on other objects
        raise error if isinstance(error, DataError) else DataError(f"{what} ({reason(error)}).") from None
    if values.ndim != 2:
        raise DataError(f"{what} of {counted(values.ndim, 'dimension')}.")
    return pd.DataFrame(values, columns=[f"column {place + 1}" for place in range(values.shape[1])]), ()


def _with_index_columns(data: Any) -> Any:
    """Return a table of pandas with the names of its index as columns; anything else as it is."""
    import pandas as pd

    named = isinstance(data, pd.DataFrame) and any(name is not None for name in data.index.names)
    return data.reset_index() if named else data


def without_loss(found: pd.Series, cells: Sequence[Any]) -> pd.Series:
    """Return a column as pandas has inferred it from cells, or these as objects where it has rounded whole numbers."""
    import pandas as pd

    if found.dtype.kind != "f" or not (found.abs() > EXACT).any():
        return found
    is_rounded = any(isinstance(cell, int) and abs(cell) > EXACT for cell in cells)
    return pd.Series(cells, index=found.index, dtype=object) if is_rounded else found


def with_label(frame: pd.DataFrame, label: Any) -> tuple[pd.DataFrame, Any]:
    """Return a table with the labels of its rows as a column, and the name of that column.

    Parameters
    ----------
    label : object
        The name or the place of a column; or labels, one a row: a Series with the index of `frame`, in whichever order,
        a table of one column, or an array or a list, which are taken in their order.

    Raises
    ------
    DataError
        If there is not one label a row, or a Series has another index.
    """
    import pandas as pd

    if label is None or isinstance(label, (str, int, np.integer)) or _is_column(frame, label):
        return frame, label
    if isinstance(label, type) or not hasattr(label, "__len__"):
        raise DataError(f"label must be the name of a column, or one value per row, not {type(label).__name__}.")
    names = list(label) if isinstance(label, (list, tuple, pd.Index)) else []
    if len(names) != len(frame) and names and all(_is_column(frame, name) for name in names):
        if len(names) == 1:
            return frame, names[0]
        raise DataError(
            f"label names {len(names)} columns, and one is predicted at a time. Give one of them, and leave out the "
            "others."
        )
    series = _as_series(label)
    if len(series) != len(frame):
        raise DataError(f"label has {len(series):,} values, and the table {len(frame):,} rows. Give one value per row.")
    if isinstance(label, (pd.Series, pd.DataFrame)):
        series = _aligned(series, frame.index)
    name = series.name if isinstance(series.name, str) else _LABEL_NAMES[0]
    if _is_column(frame, name):
        if any(column.equals(series) for other, column in frame.items() if other == name):
            return frame, name
        name = next((other for other in _LABEL_NAMES if not _is_column(frame, other)), f"{name} (label)")
    frame = frame.set_axis(pd.Index(list(frame.columns), dtype=object, tupleize_cols=False), axis=1)
    frame[name] = series.set_axis(frame.index)
    return frame, name


def _is_column(frame: pd.DataFrame, name: object) -> bool:
    try:
        return name in set(frame.columns)
    except TypeError:  # a list, or a tuple that holds one
        return False


def _as_series(label: Any) -> pd.Series:
    """Return labels of whichever kind as a Series, with missing ones where they are masked."""
    import pandas as pd

    if not isinstance(label, (pd.Series, pd.DataFrame)) and hasattr(label, "to_pandas"):
        label = label.to_pandas()
    shape = np.shape(label) if isinstance(label, (np.ndarray, pd.DataFrame)) else (len(label),)
    if len(shape) > 2 or shape[1:] not in ((), (1,)) or isinstance(label, (Mapping, Set)):
        held = f"has the shape {shape}" if len(shape) > 1 else f"is a {type(label).__name__}"
        raise DataError(f"label {held}, and one column is predicted at a time. Give one value per row.")
    if isinstance(label, pd.DataFrame):
        return label.iloc[:, 0]
    return pd.Series(label.ravel() if isinstance(label, np.ndarray) else label)


def _aligned(series: pd.Series, index: pd.Index) -> pd.Series:
    """Return labels in the order of the rows of a table.

    Raises
    ------
    DataError
        If their index is not that of the rows.
    """
    if series.index.equals(index):
        return series
    labelled = set(series.index)
    lacking = next((row for row in index if row not in labelled), None)
    if lacking is None and series.index.is_unique and index.is_unique:
        return series.reindex(index)
    what = "some values occur twice" if lacking is None else f"the row {one_line(lacking, 30)} has no label"
    raise DataError(
        f"label is a Series whose index is not that of the table ({what}). Give it the index of the table, or "
        "label.to_numpy(), whose values are taken in their order."
    )
