"""Parquet tables, as uploads and as files of the data folder."""

import sys

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.datasets.files.arrow import parquet_layout
from rfviz.datasets.files.content import File
from rfviz.datasets.files.meta import Meta
from rfviz.datasets.files.upload import read_path, read_upload
from rfviz.errors import DataError, MemoryBudgetError


@pytest.fixture
def write(tmp_path):
    def save(frame):
        path = tmp_path / "a.parquet"
        frame.to_parquet(path)
        return path

    return save


@pytest.fixture(params=["upload", "path"])
def read(request):
    """Return ``read(path)``, which reads a file at a path, or its bytes."""
    if request.param == "path":
        return lambda path: read_path(path, "From a test", Meta())
    return lambda path: read_upload(path.name, path.read_bytes())


def _refused(read, path, *texts):
    with pytest.raises(DataError) as caught:
        read(path)
    message = str(caught.value)
    assert path.name in message and "\n" not in message and message.endswith(".") and len(message) < 500, message
    for text in texts:
        assert text in message, message


def test_columns_of_every_type(read, write):
    frame = pd.DataFrame(
        {
            "a": pd.array([1, None, 3], dtype="Int64"),
            "b": [True, False, True],
            "c": np.float32([0.5, np.inf, 1]),
            "class": pd.Categorical(["x", None, "y"]),
            "when": pd.to_datetime(["2020-01-01", "2020-01-02", None]),
            "index": [3, 2, 1],
        }
    )
    path = write(frame)
    assert parquet_layout(File.at(path)) == (tuple(frame.columns), 3)
    found = read(path)
    table = found.table
    np.testing.assert_array_equal(table.values("a"), [1, np.nan, 3])
    np.testing.assert_array_equal(table.values("c"), [0.5, np.inf, 1])
    assert table.values("class").tolist()[::2] == ["x", "y"] and table.n_missing("class") == 1
    assert np.diff(table.values("when"))[0] == 86_400 and table.n_missing("when") == 1
    assert [table.kind(name) for name in table.names] == ["number", "category", "number", "category", "date", "number"]
    assert (found.suggestion.label, found.suggestion.order) == (None, "index")  # no value of “class” comes twice


def test_columns_of_one_type_are_not_copied(write):
    table = read_path(write(pd.DataFrame(np.eye(5, dtype=np.float32))), "x", Meta()).table
    assert table.matrix.dtype == np.float32 and table.matrix.tolist() == np.eye(5).tolist()


def test_the_index_of_pandas_is_a_column(read, write):
    path = write(pd.DataFrame({"a": [1, 2, 4]}, index=pd.Index([5, 6, 7], name="frame")))
    assert read(path).table.values("frame").tolist() == [5, 6, 7]


def test_nested_columns_are_left_out(read, write):
    nested = read(write(pd.DataFrame({"a": [1.0, 2, 3], "b": [[1], [2], [3]], "c": [{"x": 1}] * 3})))
    assert nested.table.names == ("a", "c.x") and nested.notes == ("Nested columns are left out: b.",)
    _refused(read, write(pd.DataFrame({"b": [[1], [2], [3]]})), "no column of numbers, text or dates", "Flatten")


def test_damaged_files(read, write):
    path = write(pd.DataFrame({"a": np.arange(1000.0)}))
    whole = path.read_bytes()
    for content, text in (
        (b"", "is empty"),
        (b"PAR1", "damaged, or not a Parquet file"),
        (whole[: len(whole) // 2], "damaged, or not a Parquet file"),
        (b"x" * 1000, "its bytes are those of text"),
    ):
        path.write_bytes(content)
        _refused(read, path, text)
    _refused(read, write(pd.DataFrame({"a": []})), "no rows")


def test_altered_bytes(read, write):
    path = write(pd.DataFrame({"a": np.arange(50.0), "y": ["u", "v"] * 25}))
    whole = np.frombuffer(path.read_bytes(), np.uint8)
    rng = np.random.default_rng(0)
    for _ in range(60):
        content = whole.copy()
        content[rng.integers(0, content.size, 3)] = rng.integers(0, 256, 3)
        path.write_bytes(content.tobytes())
        try:
            read(path)
        except (DataError, MemoryBudgetError) as error:
            assert "\n" not in str(error)


def test_the_size_is_checked_before_the_file_is_read(write):
    path = write(pd.DataFrame({"a": np.zeros(100_000)}))
    datasets.set_memory_limit(1_000_000)
    with pytest.raises(MemoryBudgetError, match=r"a\.parquet \(100,000 rows\) needs about 4\.0 MB"):
        read_upload(path.name, path.read_bytes())


def test_without_pyarrow(read, write, monkeypatch):
    path = write(pd.DataFrame({"a": [1, 2, 3]}))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    _refused(read, path, "needs pyarrow", "rfviz[files]")
