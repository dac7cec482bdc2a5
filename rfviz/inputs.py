"""Array-likes as arrays: lists, data frames and sparse matrices in, or one clear sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils import check_array

from rfviz.errors import DataError, ParameterError

__all__ = ["as_numbers", "as_places", "as_rows", "as_vector"]


def as_rows(X: Any, name: str = "X", *, gaps: bool = False, keep_sparse: bool = False) -> Any:
    """Return rows as a matrix in float64, or float32 where they are, shape (n_samples, n_features).

    Parameters
    ----------
    X : array-like or sparse matrix
    name : str
        For messages.
    gaps : bool
        Whether NaN and infinity may stand among the numbers.
    keep_sparse : bool
        Whether a sparse matrix becomes CSR instead of an array.

    Raises
    ------
    DataError
        For anything else.
    """
    rule = f"{name} must be a matrix of {'' if gaps else 'finite '}numbers, one sample a row"
    given: Any = X.tocsr() if sparse.issparse(X) else X
    if sparse.issparse(given) and not keep_sparse:
        given = given.toarray()
    check: Any = check_array  # whose types know neither names of formats nor lists of types
    try:
        found = check(
            given,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            ensure_2d=False,
            allow_nd=True,
            ensure_min_samples=0,
            ensure_min_features=0,
        )
    except (TypeError, ValueError) as error:
        raise DataError(f"{rule}; it could not be read as numbers ({error}).") from None
    if found.ndim != 2:
        raise DataError(f"{rule}; got {found.ndim} dimension(s). For a single column use {name}.reshape(-1, 1).")
    if not gaps:
        values = found.data if sparse.issparse(found) else found
        n_wrong = int(np.count_nonzero(~np.isfinite(values)))
        if n_wrong:
            raise DataError(f"{rule}; {n_wrong:,} of its values are NaN or infinite. Fill them in or drop these rows.")
    return found


def as_vector(y: Any, n: int, name: str = "y") -> np.ndarray:
    """Return one value a row, shape (n,), of whatever type: numbers or labels, none of them missing.

    Parameters
    ----------
    y : array-like of shape (n,) or (n, 1)
    n : int
        Number of rows.
    name : str
        For messages.

    Raises
    ------
    DataError
        For another length or shape, or where a value is missing.
    """
    found = y.to_numpy() if isinstance(y, pd.DataFrame) else y
    shape = np.shape(found)
    if shape not in ((n,), (n, 1)):
        raise DataError(f"{name} must hold one value for each of the {n:,} rows; its shape is {shape}.")
    values = pd.Series(found if len(shape) == 1 else np.ravel(found))
    n_missing = int(values.isna().sum())
    if n_missing:
        raise DataError(f"{name} must be complete; {n_missing:,} of its values are missing. Drop these rows.")
    if isinstance(found, np.ndarray):
        return found.ravel()
    # What pandas holds in arrays of its own would else become objects, and floating-point numbers labels.
    plain: Any = getattr(values.dtype, "numpy_dtype", None)
    is_own = pd.api.types.is_extension_array_dtype(values.dtype)
    return values.to_numpy(dtype=plain) if is_own and plain is not None else np.asarray(values)


def as_numbers(y: Any, n: int, name: str = "y") -> np.ndarray:
    """Return one finite number a row, shape (n,), float64.

    Parameters
    ----------
    y : array-like of shape (n,) or (n, 1)
    n : int
        Number of rows.
    name : str
        For messages.

    Raises
    ------
    DataError
        For another length or shape, or anything but finite numbers.
    """
    found = as_vector(y, n, name)
    try:
        found = found.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must hold numbers; it could not be read as such ({error}).") from None
    n_wrong = int(np.count_nonzero(~np.isfinite(found)))
    if n_wrong:
        raise DataError(f"{name} must be finite; {n_wrong:,} of its values are not. Drop these rows.")
    return found


def as_places(columns: Iterable[Any], n_columns: int, name: str = "categories") -> list[int]:
    """Return places of columns, from 0.

    Raises
    ------
    ParameterError
        For anything but whole numbers of columns that are there.
    """
    places = list(columns)
    if not all(isinstance(place, int | np.integer) and 0 <= place < n_columns for place in places):
        raise ParameterError(name, f"must be places of columns, from 0 to {n_columns - 1}", places)
    return list(map(int, places))
