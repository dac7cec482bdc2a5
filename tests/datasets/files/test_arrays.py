"""From arrays to a data set: missing values, labels, choice of rows, conversion."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.datasets.files.arrays import Arrays
from rfviz.datasets.parameters import max_samples_param
from rfviz.errors import DataError, MemoryBudgetError

NAN, INF = np.nan, np.inf


def _dataset(X, *, missing="error", only_class=-1, max_samples=1_000_000, random_state=0, **arrays):
    choice = {"missing": missing, "only_class": only_class, "max_samples": max_samples, "random_state": random_state}
    return Arrays(np.asarray(X), **arrays).dataset("t", "From a test", **choice)


@pytest.mark.parametrize("dtype", ["bool", "i1", "u2", "i8", "u8", "f2", "f4", "f8", ">f4", "longdouble"])
def test_converts_every_type(dtype):
    data = _dataset(np.array([[1, 0], [1, 1], [0, 1]], dtype=dtype))
    assert data.X.dtype == np.dtype("float32") and data.X.dtype.isnative and data.X.flags.c_contiguous
    assert data.X.tolist() == [[1, 0], [1, 1], [0, 1]]


@pytest.mark.parametrize("order", ["C", "F"])
def test_never_shares_memory_with_the_source(order):
    X = np.asarray(np.eye(3, dtype=np.float32), order=order)
    data = _dataset(X)
    assert not np.shares_memory(data.X, X) and data.X.flags.c_contiguous


def test_images_are_divided_by_255():
    pixels = np.array([[0, 255, 51, 102]] * 3, np.uint8)
    assert _dataset(pixels, image_shape=(2, 2)).X[0].tolist() == np.float32([0, 1, 0.2, 0.4]).tolist()
    assert _dataset(np.array([[0, 255], [1, 0], [2, 0]], np.uint8)).X[0].tolist() == [0, 255]


@pytest.mark.parametrize("shape", [(300, 5), (200, 3, 3)])
def test_images_keep_their_size(shape):
    pixels = np.random.default_rng(0).integers(0, 256, (4, *shape), dtype=np.uint8)
    data = _dataset(pixels.reshape(4, -1), image_shape=shape)
    assert data.image_shape == shape and (np.rint(data.X * 255) == pixels.reshape(4, -1)).all()


def test_missing_values_are_counted_by_column():
    X = [[1, NAN, INF], [2, NAN, 3], [3, 1, 1]]
    with pytest.raises(
        DataError,
        match=r"^3 missing or infinite values in 2 columns: 'column 2' \(2\), 'column 3' \(1\)\. Use missing=",
    ):
        _dataset(X)
    with pytest.raises(DataError, match=r"'b' \(2\), 'c' \(1\)"):
        _dataset(X, feature_names=("a", "b", "c"))
    X = np.ones((3, 100))
    X[0] = NAN
    with pytest.raises(DataError, match=r"'column 4' \(1\) and 96 more"):
        _dataset(X)


def test_drop_rows():
    X = [[1, NAN], [2, 3], [-INF, 4], [5, 6], [7, 8]]
    data = _dataset(X, missing="drop rows", y=np.array(list("abcde")), order=np.arange(5))
    assert data.X.tolist() == [[2, 3], [5, 6], [7, 8]] and data.order.tolist() == [1, 3, 4]
    # Codes do not depend on the rows that are left.
    assert data.y.tolist() == [1, 3, 4] and data.target_names == tuple("abcde")
    assert data.provenance == "From a test; 2 rows with missing values left out: column 1 (1), column 2 (1)."
    with pytest.raises(DataError, match=r"1 of 3 rows are left because of missing values, and at least 3 are needed"):
        _dataset([[NAN, 1], [INF, 2], [1, 3]], missing="drop rows")


def test_impute_mean_uses_training_rows():
    X = [[1.0, 5], [3, NAN], [INF, 7], [100, 100]]
    assert _dataset(X, missing="impute mean").X[2, 0] == np.float32((1 + 3 + 100) / 3)
    data = _dataset(X, missing="impute mean", n_train=3)
    assert data.X.tolist() == [[1, 5], [3, 6], [2, 7], [100, 100]] and data.n_train == 3
    assert "2 missing numbers replaced by the mean of the column: column 1 (1), column 2 (1)" in data.provenance


def test_a_column_without_any_value_is_not_used():
    data = _dataset([[NAN, 1], [NAN, 2], [NAN, 4]], feature_names=("Only Nan", "a"))
    assert data.feature_names == ("a",) and "not used: Only Nan" in data.provenance
    with pytest.raises(DataError, match="No column of numbers is left next to the label and the order"):
        _dataset([[NAN], [NAN], [INF]], missing="impute mean")


def test_missing_labels_and_order():
    y = np.array([1.0, NAN, 2.0, 1.0])
    with pytest.raises(DataError, match="1 of 4 rows have no"):
        _dataset(np.eye(4), y=y)
    for missing in ("drop rows", "impute mean"):
        data = _dataset(np.eye(4), y=y, missing=missing)
        assert data.y.tolist() == [0, 1, 0] and data.target_names == ("1", "2") and "left out: y (1)" in data.provenance
    assert _dataset(np.eye(4), order=y, missing="drop rows").order.tolist() == [1, 2, 1]
    text = _dataset(np.eye(4), y=np.array(["a", "", "b", "a"]), missing="drop rows")
    assert text.target_names == ("a", "b")


def test_beyond_float32():
    for huge in (1e39, -1e300):
        found = _dataset([[1, huge], [1, 2], [2, 3]], feature_names=("small", "big"))
        assert found.feature_names == ("small",) and "32 bits do not hold their values: big" in found.provenance
    with pytest.raises(DataError, match=r"Values beyond ±3.4e38.*in 1 column: big\. Leave"):
        _dataset([[1e39], [2], [3]], feature_names=("big",))


def test_only_class():
    arrays = {"y": np.array([5, 7, 5, 7, 7]), "order": np.arange(5), "n_train": 3}
    data = _dataset(np.eye(5), only_class=1, **arrays)
    assert data.order.tolist() == [1, 3, 4] and data.y.tolist() == [1, 1, 1] and data.n_train == 1
    assert data.target_names == ("5", "7")
    with pytest.raises(DataError, match="There is no class 2: the classes are 0 to 1"):
        _dataset(np.eye(5), only_class=2, **arrays)
    with pytest.raises(DataError, match="have none"):
        _dataset(np.eye(5), only_class=0, y=np.linspace(0, 1, 5))
    # One side only is no split.
    assert _dataset(np.eye(5), only_class=0, **(arrays | {"n_train": 4})).n_train is None


@pytest.mark.parametrize("y", [[0, 1] * 20, list(range(40)), ["a", "b"] * 20, [b"a", b"b"] * 20, [True, False] * 20])
def test_labels_of_every_type(y):
    data = _dataset(np.eye(40), y=np.array(y))
    names = sorted({value.decode() if isinstance(value, bytes) else value for value in y})
    assert data.target_names == tuple(map(str, names)) and data.y.dtype == np.int64
    assert len(_dataset(np.eye(40), y=np.arange(40) + 0.5).target_names) == 0


def test_names_of_columns_that_are_named_like_the_label():
    table = Arrays(np.eye(3), y=np.arange(3), feature_names=("y", "y", "order")).table()
    assert table.names == ("y", "y (2)", "order", "y (3)") and table.label == "y (3)"


def test_subsample_keeps_rows_together():
    X = np.arange(1000.0)[:, None]
    arrays = {"y": (np.arange(1000) % 2), "order": np.arange(1000), "n_train": 800}
    small, large = (_dataset(X, max_samples=k, **arrays) for k in (10, 100))
    assert small.X[:, 0].tolist() == small.order.tolist() == sorted(small.order)
    assert small.n_train == 8 and large.n_train == 80 and set(small.order) < set(large.order)
    np.testing.assert_array_equal(large.y, large.order % 2)
    assert np.bincount(large.y).tolist() == [50, 50]
    assert _dataset(X, max_samples=10, random_state=1, **arrays).order.tolist() != small.order.tolist()


def test_memory():
    X = np.arange(20_000.0).reshape(-1, 2)
    datasets.set_memory_limit(50_000)
    with pytest.raises(MemoryBudgetError, match=r"10,000 rows of 2 columns needs.*Keep fewer rows \(max_samples\)"):
        _dataset(X)
    assert _dataset(X, max_samples=1000).n_samples == 1000


@pytest.mark.parametrize("n", [None, 1, 2, 25, 575, 70_000, 10**8])
def test_max_samples_param(n):
    param = max_samples_param(n)
    assert param.validate(param.default) <= 2000
    assert param.validate(1_000_000) == 1_000_000
    assert param.stops()
