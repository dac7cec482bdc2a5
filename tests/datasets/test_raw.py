import numpy as np
import pytest

from rfviz import datasets
from rfviz.datasets._raw import Raw, finish, max_samples_param
from rfviz.errors import DataError, MemoryBudgetError

NAN, INF = np.nan, np.inf


def _finish(X, *, missing="error", only_class=-1, max_samples=None, random_state=0, **raw):
    choice = {"missing": missing, "only_class": only_class, "max_samples": max_samples, "random_state": random_state}
    return finish(Raw(np.asarray(X), **raw), "t", "From a test.", **choice)


@pytest.mark.parametrize("dtype", ["bool", "i1", "u2", "i8", "u8", "f2", "f4", "f8", ">f4", "longdouble"])
def test_converts_every_type(dtype):
    data = _finish(np.array([[1, 0], [1, 1]], dtype=dtype))
    assert data.X.dtype == np.dtype("float32") and data.X.dtype.isnative and data.X.flags.c_contiguous
    assert data.X.tolist() == [[1, 0], [1, 1]]


def test_never_shares_memory_with_the_source():
    X = np.eye(3, dtype=np.float32)
    assert not np.shares_memory(_finish(X).X, X)
    assert _finish(np.asfortranarray(X)).X.flags.c_contiguous


def test_images_are_divided_by_255():
    data = _finish(np.array([[0, 255, 51, 102]], np.uint8), image_shape=(2, 2))
    assert data.X.tolist() == np.float32([[0, 1, 0.2, 0.4]]).tolist()
    assert _finish(np.array([[0, 255]], np.uint8)).X.tolist() == [[0, 255]]


def test_missing_values_are_counted_by_column():
    X = [[1, NAN, INF], [2, NAN, 3]]
    with pytest.raises(DataError, match=r"^3 missing or infinite values in columns 1 \(2\), 2 \(1\)\. Use missing="):
        _finish(X)
    with pytest.raises(DataError, match=r"columns 'b' \(2\), 'c' \(1\)"):
        _finish(X, feature_names=("a", "b", "c"))
    with pytest.raises(DataError, match=r"columns 0 \(1\), 1 \(1\), 2 \(1\), 3 \(1\) and 96 more"):
        _finish(np.full((1, 100), NAN))


def test_drop_rows():
    data = _finish(
        [[1, NAN], [2, 3], [-INF, 4], [5, 6]], missing="drop rows", y=np.array(list("abcd")), order=np.arange(4)
    )
    assert data.X.tolist() == [[2, 3], [5, 6]] and data.order.tolist() == [1, 3]
    # Codes do not depend on what was dropped.
    assert data.y.tolist() == [1, 3] and data.target_names == ("a", "b", "c", "d")
    with pytest.raises(DataError, match="Every row has a missing"):
        _finish([[NAN], [INF]], missing="drop rows")


def test_impute_mean_uses_training_rows():
    X = [[1.0, 5], [3, NAN], [INF, 7], [100, 100]]
    assert _finish(X, missing="impute mean").X[2, 0] == np.float32((1 + 3 + 100) / 3)
    data = _finish(X, missing="impute mean", n_train=3)
    assert data.X.tolist() == [[1, 5], [3, 6], [2, 7], [100, 100]] and data.n_train == 3
    with pytest.raises(DataError, match="no finite value to take the mean of in column 'Only Nan'"):
        _finish([[NAN], [NAN]], missing="impute mean", feature_names=("Only Nan",))


def test_missing_labels_and_order():
    y = np.array([1.0, NAN, 2.0])
    for missing in ("error", "impute mean"):
        with pytest.raises(DataError, match="1 of 3 rows have no"):
            _finish(np.eye(3), y=y, missing=missing)
    data = _finish(np.eye(3), y=y, missing="drop rows")
    assert data.y.tolist() == [0, 1] and data.target_names == ("1", "2")
    assert _finish(np.eye(3), order=y, missing="drop rows").order.tolist() == [1, 2]
    text = _finish(np.eye(3), y=np.array(["a", "", "b"]), y_missing=np.array([0, 1, 0], bool), missing="drop rows")
    assert text.target_names == ("a", "b")


def test_beyond_float32():
    with pytest.raises(DataError, match=r"Values beyond ±3.4e38.*in column 'big'\. Rescale"):
        _finish([[1, 1e39]], feature_names=("small", "big"))


def test_only_class():
    raw = {"y": np.array([5, 7, 5, 7, 7]), "order": np.arange(5), "n_train": 3}
    data = _finish(np.eye(5), only_class=1, **raw)
    assert data.order.tolist() == [1, 3, 4] and data.y.tolist() == [1, 1, 1] and data.n_train == 1
    assert data.target_names == ("5", "7")
    with pytest.raises(DataError, match="There is no class 2: the classes are 0 to 1"):
        _finish(np.eye(5), only_class=2, **raw)
    with pytest.raises(DataError, match="have none"):
        _finish(np.eye(5), only_class=0, y=np.linspace(0, 1, 5))
    # One side only is no split.
    assert _finish(np.eye(5), only_class=0, **(raw | {"n_train": 4})).n_train is None


def test_subsample_keeps_rows_together():
    X = np.arange(1000.0)[:, None]
    raw = {"y": (np.arange(1000) % 2), "order": np.arange(1000), "n_train": 800}
    small, large = (_finish(X, max_samples=k, **raw) for k in (10, 100))
    assert small.X[:, 0].tolist() == small.order.tolist() == sorted(small.order)
    assert small.n_train == 8 and large.n_train == 80 and set(small.order) < set(large.order)
    np.testing.assert_array_equal(large.y, large.order % 2)
    assert np.bincount(large.y).tolist() == [50, 50]
    assert _finish(X, max_samples=10, random_state=1, **raw).order.tolist() != small.order.tolist()


def test_memory():
    datasets.set_memory_limit(50_000)
    with pytest.raises(MemoryBudgetError, match=r"t \(10,000 rows\) needs.*Lower max_samples"):
        _finish(np.zeros((10_000, 2)))
    assert _finish(np.zeros((10_000, 2)), max_samples=1000).n_samples == 1000


@pytest.mark.parametrize("n", [None, 1, 2, 25, 575, 70_000, 10**8])
def test_max_samples_param(n):
    param = max_samples_param(n)
    assert param.validate(param.default) <= 2000
    assert param.validate(1_000_000) == 1_000_000
    assert param.stops()
