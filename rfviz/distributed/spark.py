"""Random features and ridge regression on Spark's dataframes, by ``mapInArrow``.

::

    rows = spark.read.parquet("folder")
    path = rfviz.distributed.spark.fit(RidgePathClassifier(RandomMaxout(2000)), rows, label="digit", classes=range(10))
    made = rfviz.distributed.spark.transform(path.feature_map_, rows.drop("digit"))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rfviz.distributed.blocks import begin, check_dense, features, fit_packed, packed_sums
from rfviz.features import FeatureMap
from rfviz.linear_model.ridge_base import RidgeBase

__all__ = ["fit", "transform"]


def transform(feature_map: FeatureMap, rows: Any) -> Any:
    """Return the random features of a ``pyspark.sql.DataFrame`` of numbers, computed when they are asked for.

    Raises
    ------
    ParameterError
        For a map with sparse features.
    """
    check_dense(feature_map)
    kind = "float" if feature_map.dtype == "float32" else "double"
    schema = ", ".join(f"`{name}` {kind}" for name in feature_map.get_feature_names_out())

    def compute(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            yield pa.RecordBatch.from_pandas(features(feature_map, batch.to_pandas()), preserve_index=False)

    return rows.mapInArrow(compute, schema)


def fit(path: RidgeBase, rows: Any, label: str, columns: Sequence[str] | None = None, classes: Any = None) -> RidgeBase:
    """Fit a ridge path to all rows of a ``pyspark.sql.DataFrame``, in one pass.

    Parameters
    ----------
    path : RidgePathClassifier or RidgePathRegressor
        Is fitted, and returned.
    rows : pyspark.sql.DataFrame
    label : str
        The column to predict.
    columns : sequence of str, optional
        Features; by default all others.
    classes : array-like, optional
        All labels; needed where `label` is no number.

    Raises
    ------
    DataError
        Where there are no rows, or no such column.
    """
    names = begin(path, rows.limit(1).toPandas(), label, columns, classes)

    def sums(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        packed = packed_sums(path, (batch.to_pandas() for batch in batches), label, names)
        yield pa.RecordBatch.from_pydict({"sums": pa.array(packed, pa.binary())})

    made = rows.mapInArrow(sums, "sums binary")
    return fit_packed(path, (bytes(row["sums"]) for row in made.toLocalIterator()))
