"""Reading CSV and Parquet tables."""

import sys

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.datasets import _table
from rfviz.errors import DataError, MemoryBudgetError


@pytest.fixture
def write(tmp_path):
    def save(content, name="a.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return save


@pytest.fixture
def parquet(tmp_path):
    def save(frame):
        path = tmp_path / "a.parquet"
        frame.to_parquet(path)
        return path

    return save


def _refused(path, *texts):
    with pytest.raises(DataError) as caught:
        _table.read(path)
    message = str(caught.value)
    assert path.name in message and "\n" not in message and message.endswith(".") and len(message) < 500, message
    for text in texts:
        assert text in message, message


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_reads(write, separator, end, start):
    lines = ["u,Label,v,Frame", "1,cat,2.5,7", "3,dog,4,8"]
    raw = _table.read(write(start + end.join(lines).replace(",", separator) + end))
    assert raw.X.tolist() == [[1, 2.5], [3, 4]] and raw.feature_names == ("u", "v")
    assert raw.y.tolist() == ["cat", "dog"] and raw.order.tolist() == [7, 8]


@pytest.mark.parametrize(
    ("header", "label", "order"),
    [
        ("x,y,label", "label", None),
        ("x,y", "y", None),
        ("X, Target ,TIME", " Target ", "TIME"),
        ("a,class,target,index,order", "target", "order"),
        ("a,b", None, None),
    ],
)
def test_roles_of_columns(write, header, label, order):
    columns = _table.inspect(write(header + "\n" + ",".join("1" * len(header.split(","))) + "\n"))
    assert (columns.label, columns.order) == (label, order)
    assert columns.n_features == len(header.split(",")) - (label is not None) - (order is not None)


def test_without_names(write):
    raw = _table.read(write("1,2\n3,4\n5,\n"))
    np.testing.assert_array_equal(raw.X, [[1, 2], [3, 4], [5, np.nan]])
    assert raw.feature_names == () and raw.y is None
    assert _table.read(write("1,,2\n3,4,5\n")).X.shape == (2, 3)


def test_what_pandas_writes(write, tmp_path):
    pd.DataFrame(np.eye(2)).to_csv(tmp_path / "a.csv")
    raw = _table.read(tmp_path / "a.csv")
    assert raw.X.tolist() == [[1, 0], [0, 1]] and raw.notes == ("its first, unnamed column is left out",)
    pd.DataFrame(np.eye(2)).to_csv(tmp_path / "a.csv", index=False)
    assert _table.read(tmp_path / "a.csv").X.tolist() == [[1, 0], [0, 1]]


def test_numbers_in_every_dress(write):
    raw = _table.read(
        write(f"a,b,c,d,y\n1e999,True,18446744073709551616,,1\n-1e-400,False,1,nan,\n{10**30},True,2,3,2\n")
    )
    np.testing.assert_array_equal(raw.X, [[np.inf, 1, 2.0**64, np.nan], [0, 0, 1, np.nan], [1e30, 1, 2, 3]])
    np.testing.assert_array_equal(raw.y, [1, np.nan, 2])


def test_labels_of_every_kind(write):
    assert _table.read(write("a,y\n1,True\n2,False\n")).y.dtype == bool
    raw = _table.read(write("a,y\n1,b\n2,\n3,a\n"))
    assert raw.y.tolist() == ["b", "", "a"] and raw.y_missing.tolist() == [False, True, False]
    raw = _table.read(write("a,y\n1,True\n2,\n"))
    assert raw.y_missing.tolist() == [False, True]


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ("", ["is empty"]),
        ("\n \n\n", ["is empty"]),
        ("a,b\n", ["no rows"]),
        ("y,time\n1,2\n", ["no columns beside"]),
        ("a,b\n1,cat\n2,3\n", ["text or dates", "'b' (such as 'cat')", "leave unknown cells empty"]),
        ("a,b\n1,?\n2,3\n", ["'b' (such as '?')"]),
        ("a;b\n1,5;2,5\n", ["'a' (such as '1,5')"]),
        ("a,when,y\n1,2020-01-01,0\n", ["'when' (such as '2020-01-01')"]),
        ("a,time\n1,noon\n", ["'time' (such as 'noon')"]),
        (",".join("abcdefgh") + "\n" + ",".join("zzzzzzzz") + "\n", ["and 4 more"]),
        ("a,b\n1,2\n3,4,5\n", ["damaged or not a table", "Expected 2 fields in line 3, saw 3"]),
        ("a,b\n1,2,3\n4,5,6\n", ["the second line has more cells than the first"]),
        ('a,b\n1,"2\n', ["damaged or not a table"]),
        (b"a,b\n1,\xff\n", ["UTF-8", "0xff"]),
        (b"\xff\xfea\x00,\x00b\x00", ["UTF-8", "0xff"]),
        (b"\x1f\x8b\x08\x00", ["UTF-8", "without compression"]),
        (b"a,b\n1,\x00\n", ["'b'"]),
        (b"a" * 10_000_001, ["first line of 10,000,000 characters"]),
        (f"a\n{'9' * 400}\n", ["'a' (such as"]),
    ],
)
def test_bad_csv(write, content, texts):
    _refused(write(content), *texts)


def test_csv_is_bounded_before_it_is_read(write, monkeypatch):
    path = write("a,b\n" + "1,2\n" * 10_000)
    datasets.set_memory_limit(300_000)
    monkeypatch.setattr(pd, "read_csv", lambda *a, **k: pytest.fail("read before the check"))
    with pytest.raises(MemoryBudgetError, match=r"a\.csv \(10,001 lines\) needs about 400\.0 kB.*Save fewer rows"):
        _table.read(path)


def test_one_endless_label_does_not_fill_the_memory(write):
    path = write("a,y\n1," + "x" * 100_000 + "\n" + "1,b\n" * 10_000)
    datasets.set_memory_limit(100_000_000)
    with pytest.raises(MemoryBudgetError, match="labels of 100,000 characters"):
        _table.read(path)


def test_missing_file(tmp_path):
    for name in ("a.csv", "a.parquet"):
        _refused(tmp_path / name, "is not in")


def test_parquet(parquet):
    frame = pd.DataFrame(
        {
            "a": pd.array([1, None, 3], dtype="Int64"),
            "b": [True, False, True],
            "c": np.float32([0.5, np.inf, 1]),
            "class": pd.Categorical(["x", None, "y"]),
            "index": [3, 2, 1],
        }
    )
    path = parquet(frame)
    assert _table.inspect(path) == _table.Columns(("a", "b", "c", "class", "index"), "class", "index", 3, 3)
    raw = _table.read(path)
    np.testing.assert_array_equal(raw.X, [[1, 1, 0.5], [np.nan, 0, np.inf], [3, 1, 1]])
    assert raw.y.tolist() == ["x", "", "y"] and raw.y_missing.tolist() == [False, True, False]
    assert raw.order.tolist() == [3, 2, 1] and raw.feature_names == ("a", "b", "c")


def test_parquet_index_is_a_column(parquet):
    raw = _table.read(parquet(pd.DataFrame({"a": [1, 2]}, index=pd.Index([5, 6], name="frame"))))
    assert raw.order.tolist() == [5, 6]


@pytest.mark.parametrize(
    "column",
    [["a", "b"], [[1], [2]], pd.to_datetime(["2020", "2021"]), pd.Categorical(["u", "v"]), [{"a": 1}, {"a": 2}]],
)
def test_parquet_columns_that_are_not_numbers(parquet, column):
    _refused(parquet(pd.DataFrame({"a": [1.0, 2], "b": column})), "'b' (such as")


def test_bad_parquet(parquet, tmp_path):
    path = parquet(pd.DataFrame({"a": np.arange(1000.0)}))
    whole = path.read_bytes()
    for content in (b"", b"PAR1", whole[: len(whole) // 2], b"x" * 1000):
        path.write_bytes(content)
        _refused(path, "damaged, or not a Parquet file")
    _refused(parquet(pd.DataFrame({"a": []})), "no rows")


def test_parquet_fuzz(parquet):
    path = parquet(pd.DataFrame({"a": np.arange(50.0), "y": ["u", "v"] * 25}))
    whole = np.frombuffer(path.read_bytes(), np.uint8)
    rng = np.random.default_rng(0)
    for _ in range(60):
        content = whole.copy()
        content[rng.integers(0, content.size, 3)] = rng.integers(0, 256, 3)
        path.write_bytes(content.tobytes())
        try:
            _table.read(path)
        except (DataError, MemoryBudgetError) as error:
            assert "\n" not in str(error)


def test_parquet_is_bounded_before_it_is_read(parquet):
    path = parquet(pd.DataFrame({"a": np.zeros(100_000)}))
    datasets.set_memory_limit(1_000_000)
    with pytest.raises(MemoryBudgetError, match=r"a\.parquet \(100,000 rows\) needs about 2\.0 MB"):
        _table.read(path)


def test_without_pyarrow(parquet, monkeypatch):
    path = parquet(pd.DataFrame({"a": [1, 2]}))
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    _refused(path, "needs pyarrow", "pip install pyarrow")
