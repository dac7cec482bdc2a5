"""Random features and ridge regression on Ray's data sets, by ``map_batches``.

::

    rows = ray.data.read_parquet("folder")
    path = rfviz.distributed.ray.fit(RidgePathClassifier(RandomMaxout(2000)), rows, label="digit", classes=range(10))
    made = rfviz.distributed.ray.transform(path.feature_map_, rows.drop_columns(["digit"]))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from rfviz.distributed.blocks import begin, check_dense, features, fit_packed, packed_sums
from rfviz.features import FeatureMap
from rfviz.linear_model.ridge_base import RidgeBase

__all__ = ["fit", "transform"]

_ROWS = 50_000


def transform(feature_map: FeatureMap, rows: Any) -> Any:
    """Return the random features of a ``ray.data.Dataset`` of numbers, computed by batch when they are asked for.

    Raises
    ------
    ParameterError
        For a map with sparse features.
    """
    check_dense(feature_map)

    def compute(batch: pd.DataFrame) -> pd.DataFrame:
        return features(feature_map, batch)

    return rows.map_batches(compute, batch_format="pandas")


def fit(
    path: RidgeBase, rows: Any, label: str, columns: Sequence[str] | None = None, classes: Any = None,
    batch_size: int = _ROWS,
) -> RidgeBase:  # fmt: skip
    """Fit a ridge path to all rows of a ``ray.data.Dataset``, in one pass.

    Parameters
    ----------
    path : RidgePathClassifier or RidgePathRegressor
        Is fitted, and returned.
    rows : ray.data.Dataset
    label : str
        The column to predict.
    columns : sequence of str, optional
        Features; by default all others.
    classes : array-like, optional
        All labels; needed where `label` is no number.
    batch_size : int
        Rows whose sums, O(m²) numbers, come back together.

    Raises
    ------
    DataError
        Where there are no rows, or no such column.
    """
    names = begin(path, rows.limit(1).to_pandas(), label, columns, classes)

    def sums(batch: pd.DataFrame) -> dict[str, list[bytes]]:
        return {"sums": packed_sums(path, [batch], label, names)}

    made = rows.map_batches(sums, batch_format="pandas", batch_size=batch_size)
    return fit_packed(path, (row["sums"] for row in made.iter_rows()))
