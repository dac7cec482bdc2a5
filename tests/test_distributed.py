"""Ridge regression on Dask's arrays and dataframes: the answer of one array in memory, whoever computed the parts."""

import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest

import rfviz
from rfviz import distributed as rd
from rfviz.datasets.files import parts
from rfviz.errors import DataError, ParameterError
from rfviz.features import RandomBinning, RandomFourier, RandomMaxout
from rfviz.linear_model import RidgePathClassifier, RidgePathRegressor

dask = pytest.importorskip("dask")
da, dd = pytest.importorskip("dask.array"), pytest.importorskip("dask.dataframe")
cluster = pytest.importorskip("distributed")

rng = np.random.default_rng(0)
X = rng.standard_normal((300, 4))
Y = np.sin(X[:, 0]) + X[:, 1]
LABELS = np.array(["no", "perhaps", "yes"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 1)]
ROWS = (70, 1, 129, 100)


def path_of(kind=RidgePathRegressor, **options):
    return kind(RandomFourier(24, gamma=0.3, dtype="float64"), m_grid=[6, 24], **{"alphas": [0.1, 5.0], **options})


def same(path, other):
    np.testing.assert_array_equal(path.alpha_, other.alpha_)
    for m in other.coef_path_:
        np.testing.assert_allclose(path.coef_path_[m], other.coef_path_[m], rtol=0, atol=1e-10)
        np.testing.assert_allclose(path.intercept_path_[m], other.intercept_path_[m], rtol=0, atol=1e-10)


@pytest.fixture(scope="module")
def workers():
    """Two processes, as users have them; a cluster within this process does not always answer."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with cluster.LocalCluster(**options) as started, cluster.Client(started, set_as_default=False) as client:
        yield client


@pytest.fixture(params=["threads", pytest.param("processes", marks=pytest.mark.slow)])
def scheduler(request):
    if request.param == "threads":
        with dask.config.set(scheduler="threads"):
            yield
        return
    with request.getfixturevalue("workers").as_current():
        yield


@pytest.mark.usefixtures("scheduler")
def test_arrays_and_frames_equal_blocks_in_memory():
    whole = path_of().fit_blocks([(X, Y)])
    arrays = da.from_array(X, chunks=(ROWS, 3)), da.from_array(Y, chunks=50)
    same(rd.fit(path_of(), *arrays), whole)
    table = pd.DataFrame(X, columns=list("abcd")).assign(y=Y)
    frame = dd.from_pandas(table, npartitions=5)
    some = frame[frame.a < 10.0]  # of unknown length
    fitted = rd.fit(path_of(), some[list("abcd")], some.y)
    same(fitted, whole)
    assert list(fitted.feature_names_in_) == list("abcd")
    empty = dd.concat([frame[frame.a > 10.0], frame])  # partitions without rows
    same(rd.fit(path_of(), empty[list("abcd")], empty.y), whole)


@pytest.mark.usefixtures("scheduler")
def test_labels():
    whole = path_of(RidgePathClassifier).fit_blocks([(X, LABELS)], classes=["no", "perhaps", "yes"])
    order = np.argsort(LABELS)
    rows, labels = da.from_array(X[order], chunks=(80, 4)), da.from_array(LABELS[order], chunks=80)
    path = rd.fit(path_of(RidgePathClassifier), rows, labels)
    same(path, whole)
    assert list(path.classes_) == ["no", "perhaps", "yes"]
    with pytest.raises(DataError, match="Partition 3: The label yes is not among the 2 classes"):
        rd.fit(path_of(RidgePathClassifier), rows, labels, ["no", "perhaps"])


def test_two_selections_of_one_parquet_table(tmp_path):
    """Dask fuses small files by the bytes of the columns that are read: those of X into others than those of y."""
    table = pd.DataFrame(np.tile(X, (1, 10)), columns=[f"c{i}" for i in range(40)]).assign(label=Y)
    for number in range(6):
        table[50 * number : 50 * (number + 1)].to_parquet(tmp_path / f"part-{number}.parquet")
    stored = dd.read_parquet(tmp_path, blocksize=20_000)
    names = list(table.columns[:40])
    with dask.config.set(scheduler="threads"):
        found = rd.fit(path_of(), stored[names], stored["label"])
    same(found, path_of().fit_blocks([(table[names], table["label"])]))


def test_features_are_computed_by_partition():
    feature_map = RandomMaxout(10).fit(X)
    expected = feature_map.transform(X)
    made = rd.transform(feature_map, da.from_array(X, chunks=(ROWS, 2)))
    assert made.shape == (300, 10) and made.chunks[0] == ROWS and made.dtype == np.float32
    np.testing.assert_allclose(made.compute(scheduler="threads"), expected, rtol=0, atol=1e-6)
    named = RandomMaxout(10).fit(pd.DataFrame(X, columns=list("abcd")))
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=3)
    found = rd.transform(named, frame).compute(scheduler="threads")
    assert list(found.columns) == list(named.get_feature_names_out())
    np.testing.assert_allclose(found.to_numpy(), expected, rtol=0, atol=1e-6)


def test_what_does_not_fit_is_said():
    rows, targets = da.from_array(X, chunks=(100, 4)), da.from_array(Y, chunks=100)
    gap = da.where(da.arange(300, chunks=100)[:, None] == 250, np.nan, rows)
    with dask.config.set(scheduler="threads"):
        with pytest.raises(DataError, match="300 rows and y has 299"):
            rd.fit(path_of(), rows, targets[1:])
        with pytest.raises(DataError, match="Partition 2: Input X contains NaN"):
            rd.fit(path_of(), gap, targets)
        with pytest.raises(DataError, match="holds no rows"):
            rd.fit(path_of(), rows[:0], targets[:0])
        with pytest.raises(ParameterError, match="X must be a Dask array or dataframe"):
            rd.fit(path_of(), X, Y)
        with pytest.raises(ParameterError, match="must not depend on which rows"):
            rd.fit(RidgePathRegressor(RandomFourier(10, gamma="scale")), rows, targets)
        with pytest.raises(ParameterError, match="dense features"):
            rd.transform(RandomBinning(3).fit(X), rows)


@pytest.mark.slow
def test_an_inspection_of_all_partitions(monkeypatch, tmp_path):
    monkeypatch.setattr(parts, "SAMPLE_ROWS", 200)
    table = pd.DataFrame(X, columns=list("abcd")).assign(label=LABELS)
    table.loc[rng.random(300) < 0.05, "b"] = np.nan
    table.to_parquet(tmp_path / "one.parquet")
    table.iloc[:0].to_parquet(tmp_path / "two.parquet")
    expected = rfviz.inspect(tmp_path, label="label").findings
    frame = dd.from_pandas(table, npartitions=5)
    with dask.config.set(scheduler="threads"):
        report = rd.inspect(dd.concat([frame[frame.a > 99.0], frame]), label="label")
    pd.testing.assert_frame_equal(report.findings, expected)
    assert "300 rows were read. 200 of them" in report.findings.text[0]
    with pytest.raises(ParameterError, match="table must be a Dask dataframe"):
        rd.inspect(table)


def _slow_rows(rows, folder):
    (folder / f"{os.getpid()}").touch()
    time.sleep(0.2)
    return rows


@pytest.mark.slow
def test_processes_of_their_own_one_of_which_dies(workers, tmp_path):
    rows = da.from_array(X, chunks=(10, 4)).map_blocks(_slow_rows, tmp_path, meta=np.empty((0, 0)))
    killed = []

    def kill():
        while len(begun := list(tmp_path.iterdir())) < 2:
            time.sleep(0.01)
        killed.append(int(begun[0].name))
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with workers.as_current():
        path = rd.fit(path_of(), rows, da.from_array(Y, chunks=10))
    killer.join()
    assert not killer.is_alive() and len(killed) == 1
    same(path, path_of().fit_blocks([(X, Y)]))
