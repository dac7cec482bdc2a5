"""What every engine does with a block of rows: its features, and its sums as bytes, without pickle."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from rfviz.errors import DataError, ParameterError
from rfviz.features import FeatureMap
from rfviz.linear_model import NormalEquations
from rfviz.linear_model.ridge_base import RidgeBase

__all__ = ["begin", "check_dense", "features", "fit_packed", "packed_sums"]


def check_dense(feature_map: FeatureMap) -> None:
    """Refuse a map that is not fitted, or whose features are sparse."""
    check_is_fitted(feature_map)
    if feature_map.sparse_output:
        name = type(feature_map).__name__
        raise ParameterError("feature_map", "must have dense features", name, "Use another map.")


def features(feature_map: FeatureMap, X: pd.DataFrame) -> pd.DataFrame:
    """Return the features of some rows as columns; of no rows, no rows."""
    names = [str(name) for name in feature_map.get_feature_names_out()]
    rows = X if hasattr(feature_map, "feature_names_in_") else X.to_numpy()
    made = feature_map.transform(rows) if len(X) else np.empty((0, len(names)), feature_map.dtype)
    return pd.DataFrame(made, columns=names)


def begin(path: RidgeBase, head: pd.DataFrame, label: str, columns: Sequence[str] | None, classes: Any) -> list[str]:
    """Draw the map of a path by the first rows, and return the columns that it uses."""
    if not len(head):
        raise DataError("The table holds no rows. Give at least one.")
    if label not in head:
        raise DataError(f"The table has no column {label!r}. Its columns: {', '.join(map(str, head.columns[:20]))}.")
    names = [str(name) for name in head.columns if name != label] if columns is None else list(columns)
    path.begin(head[names], head[label].to_numpy(), classes)
    return names


def packed_sums(path: RidgeBase, tables: Iterable[pd.DataFrame], label: str, names: Sequence[str]) -> list[bytes]:
    """Return the sums of all rows of some tables as one array of bytes; none where there are no rows."""
    found = (path.sums_of(table[list(names)], table[label].to_numpy()) for table in tables if len(table))
    merged = _merged(found)
    if merged is None:
        return []
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **merged.state())
    return [stream.getvalue()]


def fit_packed(path: RidgeBase, parts: Iterable[bytes]) -> RidgeBase:
    """Fit a path to sums that :func:`packed_sums` gave, of which two are in memory at a time."""
    merged = _merged(map(_unpacked, parts))
    if merged is None:
        raise DataError("The table holds no rows. Give at least one.")
    return path.fit_sums(merged)


def _merged(sums: Iterable[NormalEquations]) -> NormalEquations | None:
    merged: NormalEquations | None = None
    for some in sums:
        merged = some if merged is None else merged.merge(some)
    return merged


def _unpacked(packed: bytes) -> NormalEquations:
    with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
        return NormalEquations.from_state(dict(arrays))
