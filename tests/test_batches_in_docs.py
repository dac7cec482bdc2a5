"""The recipe for Ray and Spark of docs/large-data.md: the answer of one array, whatever computes the batches."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rfviz.features import RandomMaxout
from rfviz.linear_model import RidgePathClassifier

DOCS = (Path(__file__).parent.parent / "docs" / "large-data.md").read_text(encoding="utf-8")
RECIPE, RAY, SPARK = (
    next(block for block in re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL) if sign in block)
    for sign in ("def begin(", "map_batches", "mapInPandas")
)

rng = np.random.default_rng(0)
X = rng.standard_normal((300, 3))
TABLE = pd.DataFrame(X, columns=list("abc")).assign(digit=(X[:, 0] > 0).astype(int) + 3 * (X[:, 1] > 1))


def run(code, **names):
    """Run code of the page with the names that it leaves to its reader; 20 features in float64 do here."""
    given = {"pd": pd, "RandomMaxout": lambda m: RandomMaxout(20, dtype="float64")}
    given["RidgePathClassifier"] = lambda feature_map: RidgePathClassifier(feature_map, m_grid=[5, 20], alphas=[0.1, 5])
    exec(RECIPE + code, names := given | names)
    return names["path"]


def check(path):
    whole = RidgePathClassifier(RandomMaxout(20, dtype="float64"), m_grid=[5, 20], alphas=[0.1, 5])
    whole.fit_blocks([(TABLE[list("abc")], TABLE.digit)], classes=range(10))
    np.testing.assert_array_equal(path.alpha_, whole.alpha_)
    for m in (5, 20):
        np.testing.assert_allclose(path.coef_path_[m], whole.coef_path_[m], rtol=0, atol=1e-10)


@pytest.mark.parametrize("cuts", [(), (1, 2, 170), (299,)])
def test_sums_of_batches_in_any_order(cuts):
    batches = np.split(np.arange(len(TABLE)), cuts)[::-1]
    code = """
path = RidgePathClassifier(RandomMaxout(2000))
sums_of = begin(path, TABLE[:1], "digit", range(10))
finish(path, map(sums_of, batches))
"""
    check(run(code, TABLE=TABLE, batches=[TABLE.iloc[rows] for rows in batches]))


@pytest.mark.slow
def test_ray():
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        check(run(RAY, rows=ray.data.from_pandas([TABLE.iloc[:70], TABLE.iloc[70:]])))
    finally:
        ray.shutdown()


@pytest.mark.slow
def test_spark():
    sql = pytest.importorskip("pyspark.sql")
    session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        check(run(SPARK, rows=session.createDataFrame(TABLE).repartition(3)))
    finally:
        session.stop()
