"""Random features, ridge regression and a quick inspection on Dask's arrays and dataframes.

Sums and statistics of partitions are merged in a tree. A worker holds a block of features and a few sums, O(m²),
whatever the number of rows; in float64 the answer is that of one array in memory. Weights are drawn once and sent to
the workers. Whatever scheduler Dask uses is used: a ``dask.distributed.Client`` that is open, on this machine or at an
address, or the threads of this process.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from rfviz.datasets.files.own import own_spec_of
from rfviz.datasets.files.parts import sample_size, sampled_rows
from rfviz.datasets.files.statistics import TableStatistics
from rfviz.datasets.files.upload import upload_of_frame
from rfviz.errors import DataError, ParameterError
from rfviz.features import FeatureMap
from rfviz.linear_model import NormalEquations, RidgePath
from rfviz.linear_model.ridge_base import RidgeBase
from rfviz.linear_model.targets import is_numbers

if TYPE_CHECKING:
    from rfviz.lab.quick_inspection.report import InspectionReport

__all__ = ["fit", "inspect", "transform"]

Path = TypeVar("Path", bound=RidgeBase)
# Sums that one task merges.
_MERGED = 4


def transform(feature_map: FeatureMap, X: Any) -> Any:
    """Return the random features of `X`, computed by partition when they are asked for.

    Parameters
    ----------
    feature_map : FeatureMap
        Fitted, with dense features.
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features)

    Returns
    -------
    dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_components)

    Raises
    ------
    ParameterError
        For a map with sparse features, or an `X` that is not Dask's.
    """
    check_is_fitted(feature_map)
    if feature_map.sparse_output:
        name = type(feature_map).__name__
        raise ParameterError("feature_map", "must have dense features", name, "Use another map.")
    dtype = np.dtype(feature_map.dtype)
    if _is_frame(X):
        names = [str(name) for name in feature_map.get_feature_names_out()]
        meta = pd.DataFrame(np.empty((0, len(names)), dtype=dtype), columns=names)
        return X.map_partitions(_frame_of_features, feature_map, meta=meta)
    X = _one_column_chunk(X)
    chunks = (X.chunks[0], (feature_map.n_components,))
    return X.map_blocks(_features, feature_map, dtype=dtype, chunks=chunks, meta=np.empty((0, 0), dtype=dtype))


def fit(path: Path, X: Any, y: Any, classes: Any = None) -> Path:
    """Fit a ridge path to all rows of `X`, for all m and penalties, in one pass over the partitions.

    Several penalties are compared by generalised cross-validation.

    Parameters
    ----------
    path : RidgePathClassifier or RidgePathRegressor
        Is fitted, and returned.
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features)
    y : dask.array.Array or dask.dataframe.Series
        Labels or numbers, in the partitions of `X`.
    classes : array-like, optional
        All labels; where they are not given, `y` is read once more to find them.

    Raises
    ------
    DataError
        For partitions that do not fit each other; the message names the partition, counted from 0.
    ParameterError
        For a map that learns from rows (``gamma="scale"``), unless it is fitted already.
    """
    dask, bag = _dask("dask"), _dask("dask.bag")
    rows, targets = _partitions(X, y)
    sample: Any = None
    for pair in zip(rows, targets, strict=True):
        sample = dask.compute(dask.delayed(_first_rows)(*pair))[0]
        if len(sample[0]):
            break
    if sample is None or not len(sample[0]):
        raise DataError("X holds no rows. Give at least one partition with rows.")
    of_labels = not is_numbers(sample[1]) if isinstance(path, RidgePath) else is_classifier(path)
    if classes is None and of_labels:
        classes = np.unique(np.concatenate(dask.compute(*(dask.delayed(_labels)(part) for part in targets))))
    begun = dask.delayed(path.begin(sample[0], sample[1], classes))
    pairs = enumerate(zip(rows, targets, strict=True))
    sums = [dask.delayed(_sums_of)(begun, one, other, number) for number, (one, other) in pairs]
    return path.fit_sums(bag.from_delayed(sums).fold(_merged, split_every=_MERGED, initial=None).compute())


def inspect(
    table: Any, label: str | None = None, order: str | None = None, leave_out: Sequence[str] = ()
) -> InspectionReport:
    """Inspect a Dask dataframe: statistics of all rows, and everything else by rows drawn at random.

    Parameters
    ----------
    label, order, leave_out
        As :func:`rfviz.inspect` takes them.

    Returns
    -------
    InspectionReport
        That of a folder of the same rows: which of them are drawn depends on their number alone.

    Raises
    ------
    DataError
        Where there are no rows, or partitions have other columns.
    ParameterError
        For anything but a dataframe of Dask.
    """
    from rfviz.lab.quick_inspection.report import InspectionReport

    if not _is_frame(table):
        remedy = "Use dask.dataframe.from_pandas, or rfviz.inspect."
        raise ParameterError("table", "must be a Dask dataframe", type(table).__name__, remedy)
    dask, bag = _dask("dask"), _dask("dask.bag")
    parts = table.to_delayed()
    merged = bag.from_delayed([dask.delayed(_statistics_of)(part) for part in parts])
    whole, sizes = dask.compute(
        merged.fold(TableStatistics.merge, split_every=_MERGED), [dask.delayed(len)(part) for part in parts]
    )
    rows = sampled_rows(whole.n_rows, sample_size(whole.n_rows, len(whole.columns)))
    ends = np.concatenate([[0], np.cumsum(sizes)])
    places = np.searchsorted(rows, ends)
    chosen = [rows[start:stop] - end for start, stop, end in zip(places, places[1:], ends, strict=False)]
    drawn = dask.compute([dask.delayed(_rows_of)(*pair) for pair in zip(parts, chosen, strict=True)])[0]
    upload = upload_of_frame(pd.concat(drawn, ignore_index=True), "table", None if len(rows) == whole.n_rows else whole)
    given = {"label": label, "order": order, "leave_out": tuple(leave_out)}
    return InspectionReport(own_spec_of(upload, {name: value for name, value in given.items() if value is not None}))


def _statistics_of(part: pd.DataFrame) -> list[TableStatistics]:
    return [TableStatistics.of([part])]


def _rows_of(part: pd.DataFrame, rows: np.ndarray) -> pd.DataFrame:
    return part.iloc[rows]


def _dask(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError("rfviz.distributed needs Dask. Install it with: pip install 'rfviz[dask]'") from error


def _is_frame(X: Any) -> bool:
    return hasattr(X, "map_partitions") and hasattr(X, "columns")


def _one_column_chunk(X: Any) -> Any:
    if not (hasattr(X, "map_blocks") and hasattr(X, "chunks")):
        raise ParameterError("X", "must be a Dask array or dataframe", type(X).__name__, "Use dask.array.from_array.")
    return X.rechunk({1: -1}) if X.ndim > 1 and len(X.chunks[1]) > 1 else X


def _partitions(X: Any, y: Any) -> tuple[list[Any], list[Any]]:
    """Return the partitions of both as delayed objects, the rows of one next to those of the other."""
    if not _is_frame(X):
        X = _one_column_chunk(X)
        if hasattr(y, "chunks"):
            y = _one_column_chunk(y)
            if X.chunks[0] != y.chunks[0] and not np.isnan([*X.chunks[0], *y.chunks[0]]).any():
                if X.shape[0] != y.shape[0]:
                    raise DataError(f"X has {X.shape[0]} rows and y has {y.shape[0]}. Give one target a row.")
                y = y.rechunk({0: X.chunks[0]})
    if not hasattr(y, "to_delayed"):
        remedy = "Use dask.array.from_array."
        raise ParameterError("y", "must be a Dask array or series", type(y).__name__, remedy)
    rows, targets = (list(np.ravel(np.array(_delayed(each), dtype=object))) for each in (X, y))
    if len(rows) != len(targets):
        raise DataError(
            f"X has {len(rows)} partitions and y has {len(targets)}. Give columns of one dataframe, or rechunk one."
        )
    return rows, targets


def _delayed(X: Any) -> Any:
    # Dask would merge small partitions of a Parquet table by the bytes of the columns that are read: those of X and
    # those of y into other numbers of partitions.
    return X.to_delayed(optimize_graph=False)


def _features(X: Any, feature_map: FeatureMap) -> np.ndarray:
    return feature_map.transform(X) if len(X) else np.empty((0, feature_map.n_components), feature_map.dtype)


def _frame_of_features(X: pd.DataFrame, feature_map: FeatureMap) -> pd.DataFrame:
    names = [str(name) for name in feature_map.get_feature_names_out()]
    rows = X if hasattr(feature_map, "feature_names_in_") else X.to_numpy()
    return pd.DataFrame(_features(rows, feature_map), columns=names, index=X.index)


def _first_rows(X: Any, y: Any) -> tuple[Any, Any]:
    return X[:1], y[:1]


def _labels(y: Any) -> np.ndarray:
    return np.unique(np.asarray(y))


def _sums_of(path: RidgeBase, X: Any, y: Any, number: int) -> list[NormalEquations | None]:
    if not len(X):
        return [None]
    try:
        return [path.sums_of(X, y)]
    except ValueError as error:
        raise DataError(f"Partition {number}: {error}") from None


def _merged(one: NormalEquations | None, other: NormalEquations | None) -> NormalEquations | None:
    if one is None or other is None:
        return other if one is None else one
    # A copy: what a task is given may be given to it again.
    return NormalEquations.from_state(one.state()).merge(other)
