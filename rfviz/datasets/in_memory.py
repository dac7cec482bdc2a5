"""Tables and arrays in memory as data sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.errors import DataError

__all__ = ["from_arrays", "from_frame"]


def from_frame(data: Any, label: Any = None, **choices: Any) -> Dataset:
    """Return a table as a data set: words become columns of zeros and ones, gaps are dealt with, columns standardised.

    Parameters
    ----------
    data : DataFrame, or table of another library
        As :func:`rfviz.inspect` takes it.
    label : column, or array-like of shape (n_samples,), optional
        The classes, or the number to predict. Without it, a column that is named like a label is taken.
    **choices
        Fields of :class:`rfviz.datasets.files.Preparation`, which says what each does: ``leave_out=["id"]``,
        ``scale="none"``.

    Raises
    ------
    DataError
        If it is not a table, or too little is left of it.

    Examples
    --------
    >>> import pandas as pd
    >>> from rfviz import datasets
    >>> datasets.from_frame(pd.DataFrame({"a": [1, 2, 4], "kind": ["x", "y", "x"]}), label="kind")
    <Dataset table: 3 rows of 1 number, 2 classes>
    """
    from rfviz.datasets.files.frames import frame_of, with_label
    from rfviz.datasets.files.own import own_spec_of
    from rfviz.datasets.files.upload import upload_of_frame

    frame, notes = frame_of(data)
    frame, label = with_label(frame, label)
    chosen = choices if label is None else {"label": label, **choices}
    return own_spec_of(upload_of_frame(frame, notes=notes), chosen).load()


def from_arrays(X: Any, y: Any = None, name: str = "array") -> Dataset:
    """Return numbers as a data set, as they are.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers.
    y : array-like of shape (n_samples,), optional
        Classes (words, whole numbers or booleans), or numbers to predict (of a floating-point type).
    name : str
        How sentences and charts name it.

    Raises
    ------
    DataError
        If these are not finite numbers, or not as many labels as rows.

    Examples
    --------
    >>> from rfviz import datasets
    >>> datasets.from_arrays([[0.0, 1.0], [1.0, 0.0]], ["a", "b"])
    <Dataset array: 2 rows of 2 numbers, 2 classes>
    """
    try:
        values = np.ascontiguousarray(X, dtype=np.float32)
    except (TypeError, ValueError):
        raise DataError("X must hold numbers only. For a table of numbers and words use datasets.from_frame.") from None
    if values.ndim != 2:
        raise DataError(f"X must be of shape (n_samples, n_features); it has {values.ndim} dimension(s).")
    n_wrong = int(np.count_nonzero(~np.isfinite(values)))
    if n_wrong:
        raise DataError(f"X must hold finite numbers; {n_wrong:,} are not. Fill them in, or drop these rows.")
    if y is None:
        return Dataset(name, values)
    labels = np.asarray(y)
    if labels.ndim != 1 or len(labels) != len(values):
        raise DataError(f"y must hold one label for each of {len(values):,} rows; its shape is {labels.shape}.")
    if labels.dtype.kind == "f":
        if not np.isfinite(labels).all():
            raise DataError("y must hold finite numbers. Fill in the others, or drop these rows.")
        return Dataset(name, values, labels.astype(np.float64))
    classes, codes = np.unique(labels.astype(str) if labels.dtype == object else labels, return_inverse=True)
    return Dataset(name, values, codes.astype(np.int64), tuple(map(str, classes)))
