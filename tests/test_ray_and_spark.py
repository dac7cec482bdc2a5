"""Ridge regression on Ray's data sets and Spark's dataframes: the answer of one array, where they are installed."""

import numpy as np
import pandas as pd
import pytest

from rfviz.errors import DataError, ParameterError
from rfviz.features import RandomFourier
from rfviz.linear_model import RidgePathClassifier

rng = np.random.default_rng(0)
X = rng.standard_normal((300, 3))
LABELS = np.where(X[:, 0] > 0, "yes", "no")
TABLE = pd.DataFrame(X, columns=list("abc")).assign(label=LABELS)


def path_of():
    return RidgePathClassifier(RandomFourier(20, gamma=0.3, dtype="float64"), m_grid=[5, 20], alphas=[0.1, 5.0])


def check(engine, rows):
    path = engine.fit(path_of(), rows, "label", classes=["no", "yes"])
    whole = path_of().fit_blocks([(TABLE[list("abc")], LABELS)], classes=["no", "yes"])
    for m in whole.coef_:
        np.testing.assert_allclose(path.coef_path_[m], whole.coef_path_[m], rtol=0, atol=1e-10)
    with pytest.raises(DataError, match="has no column 'missing'"):
        engine.fit(path_of(), rows, "missing")
    with pytest.raises(ParameterError, match="must hold all labels"):
        engine.fit(path_of(), rows, "label")
    return path.feature_map_


@pytest.mark.slow
def test_ray():
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    from rfviz.distributed import ray as engine

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        rows = ray.data.from_pandas([TABLE.iloc[:70], TABLE.iloc[70:]])
        feature_map = check(engine, rows)
        made = engine.transform(feature_map, rows.drop_columns(["label"])).to_pandas()
        expected = feature_map.transform(TABLE[list("abc")].to_numpy())
        np.testing.assert_allclose(np.sort(made.to_numpy(float), axis=0), np.sort(expected, axis=0))
    finally:
        ray.shutdown()


@pytest.mark.slow
def test_spark():
    sql = pytest.importorskip("pyspark.sql")
    from rfviz.distributed import spark as engine

    session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        rows = session.createDataFrame(TABLE).repartition(3)
        feature_map = check(engine, rows)
        made = engine.transform(feature_map, rows.drop("label")).toPandas()
        expected = feature_map.transform(TABLE[list("abc")].to_numpy())
        np.testing.assert_allclose(np.sort(made.to_numpy(float), axis=0), np.sort(expected, axis=0))
    finally:
        session.stop()
