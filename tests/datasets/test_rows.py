"""What every source of rows promises: the rows of the table in their order, whatever it is made of and read by."""

import re

import numpy as np
import pandas as pd
import pytest

from rfviz.datasets.rows import ArrayRows, FrameRows, ParquetRows, open_rows
from rfviz.errors import DataError, ParameterError
from rfviz.features import RandomMaxout
from rfviz.linear_model import RidgePathClassifier

N = 230
rng = np.random.default_rng(0)
TABLE = pd.DataFrame(rng.standard_normal((N, 3)), columns=["a", "b", "c"]).assign(
    town=rng.choice(["Oslo", "Rome"], N), count=rng.integers(0, 9, N)
)
TABLE.loc[[0, 77, 100, 229], "b"] = np.nan
TABLE.loc[[3, 150], "town"] = None
X = rng.standard_normal((N, 3)).astype(np.float32)
OF_ARRAYS = pd.DataFrame(X, columns=["column 1", "column 2", "column 3"])


def parquet(folder, cuts=(1, 1, 100, 203)):
    """Write a table in parts of 1, 0, 99, 103 and 27 rows."""
    files = []
    for number, rows in enumerate(np.split(np.arange(N), cuts)):
        files.append(folder / f"part-{number}.parquet")
        TABLE.iloc[rows].reset_index(drop=True).to_parquet(files[-1], row_group_size=40)
    return ParquetRows("parts", files), TABLE


def structures(folder):
    table = TABLE.assign(place=[{"name": str(row), "x": float(row)} for row in range(N)])
    table.to_parquet(folder / "one.parquet")
    leaves = {"place.name": [str(row) for row in range(N)], "place.x": np.arange(N, dtype=float)}
    flat = table.drop(columns="place").assign(**leaves)
    return ParquetRows("one.parquet", [folder / "one.parquet"]), flat


def arrays(folder):
    np.save(folder / "X.npy", X)
    return ArrayRows("arrays", folder / "X.npy"), OF_ARRAYS


def labelled(folder):
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", TABLE["count"].to_numpy())
    return ArrayRows("arrays", folder / "X.npy", folder / "y.npy"), OF_ARRAYS.assign(y=TABLE["count"])


def frame(_):
    return FrameRows(TABLE.set_index(rng.permutation(N))), TABLE


SOURCES = {"parts": parquet, "structures": structures, "arrays": arrays, "labels": labelled, "frame": frame}


@pytest.fixture(params=SOURCES)
def source(request, tmp_path):
    return SOURCES[request.param](tmp_path)


def joined(batches):
    return pd.concat(list(batches))


def same(found, expected):
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, check_index_type=False, check_column_type=False)


@pytest.mark.parametrize("size", [1, 7, 100, N, 10 * N])
def test_all_rows_come_in_their_order(source, size):
    rows, table = source
    assert rows.n_rows == N and rows.columns == tuple(table)
    for _ in range(2):
        batches = list(rows.batches(size))
        assert max(map(len, batches)) <= size and min(map(len, batches)) > 0
        same(joined(batches), table)


def test_columns_come_as_asked(source):
    rows, table = source
    for names in ([rows.columns[-1]], [rows.columns[2], rows.columns[0]], []):
        found = joined(rows.batches(50, names))
        same(found, table[names])
    with pytest.raises(DataError, match=rf"{rows.name} has no column 'z'\. Its columns: {rows.columns[0]}, "):
        rows.batches(50, ["z"])


@pytest.mark.parametrize("left_out", [[], [0], [229, 5, 77, 5], range(1, 229), range(N)])
def test_rows_that_are_left_out_leave_the_places_of_others(source, left_out):
    rows, table = source
    found = list(rows.batches(60, leave_out=np.array(left_out, dtype=int)))
    same(joined([table.iloc[:0], *found]), table.drop(index=list(left_out)))


def test_a_source_is_left_as_it_was(source):
    rows, table = source
    for batch in rows.batches(64):
        batch.iloc[:, 0] = 7.0
    same(joined(rows.batches(64)), table)


def test_sizes_below_one_are_refused(source):
    with pytest.raises(ParameterError, match="size must be at least 1"):
        source[0].batches(0)


@pytest.mark.parametrize("more", [-27, -5, 5])
@pytest.mark.parametrize("kind", ["parts", "arrays"])
def test_a_file_that_changes_is_noticed(tmp_path, kind, more):
    rows, _ = SOURCES[kind](tmp_path)
    batches = rows.batches(40)
    next(batches)  # of the first part, while the last one is written anew
    if kind == "parts":
        TABLE.iloc[: 27 + more].to_parquet(tmp_path / "part-4.parquet")
    else:  # an open map still is that of the old file
        assert sum(map(len, batches)) == N - 40
        (tmp_path / "X.npy").unlink()
        np.save(tmp_path / "X.npy", np.resize(X, (N + more, 3)))
        batches = rows.batches(40)
    with pytest.raises(DataError, match=rf"{rows.name} had 230 rows at first, and has {N + more} now\. Load it again"):
        list(batches)


@pytest.mark.parametrize("kind", ["parts", "arrays"])
def test_a_damaged_or_missing_file_is_one_sentence(tmp_path, kind):
    rows, _ = SOURCES[kind](tmp_path)
    last = max(tmp_path.iterdir())
    whole = last.read_bytes()
    for content in (whole[: len(whole) // 2], b""):
        last.write_bytes(content)
        with pytest.raises(DataError, match=f"{last.name} .*again") as raised:
            list(rows.batches(50))
        assert "\n" not in str(raised.value)
    last.unlink()
    with pytest.raises(DataError, match=last.name):
        list(rows.batches(50))


def test_a_changed_file_has_another_stamp(tmp_path):
    rows, _ = parquet(tmp_path)
    TABLE.iloc[:5].to_parquet(tmp_path / "part-4.parquet")
    files = sorted(tmp_path.iterdir())
    other = ParquetRows("parts", files)
    assert (other.n_rows, other.n_files) == (N - 22, 5) and other.stamp != rows.stamp
    assert other.n_bytes == sum(path.stat().st_size for path in files)


def test_names_are_shown_once_and_on_one_line(tmp_path):
    table = pd.DataFrame({"a\nb": [1.0, 2.0], "a b": [3.0, 4.0]})
    table.to_parquet(tmp_path / "odd.parquet")
    rows = ParquetRows("odd", [tmp_path / "odd.parquet"])
    assert len(set(rows.columns)) == 2 and not any("\n" in name for name in rows.columns)
    assert rows.own_columns == ("a\nb", "a b")
    (batch,) = rows.batches(10, [rows.columns[1]])
    assert batch.iloc[:, 0].tolist() == [3.0, 4.0]
    twice = FrameRows(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    assert twice.columns == ("a", "a (2)") and joined(twice.batches(1)).to_numpy().tolist() == [[1, 2]]


def test_an_index_that_is_a_range_is_a_column(tmp_path):
    """Pandas writes it to the head of the file, and stores no values of it."""
    table = TABLE.set_axis(pd.RangeIndex(5, 5 + 2 * N, 2, name="number"))
    table.to_parquet(tmp_path / "one.parquet")
    rows = ParquetRows("one", [tmp_path / "one.parquet"])
    assert rows.columns == (*TABLE.columns, "number")
    for names in (["number"], ["number", "a"], ["a", "number"]):
        found = joined(rows.batches(30, names))
        same(found, table.reset_index()[names])


def test_numbers_and_labels_come_as_arrays(source):
    """Every column of numbers but the label by default; no gaps, and none where the columns are named."""
    rows, table = source
    label = rows.columns[-1]
    numbers = [name for name in table if table[name].dtype.kind in "fi" and not table[name].hasnans and name != label]
    parts = list(rows.arrays(label, numbers, size=50))
    assert len(parts) >= 5 and max(len(y) for _, y in parts) <= 50
    X, y = (np.concatenate(some) for some in zip(*parts, strict=True))
    np.testing.assert_array_equal(X, table[numbers])
    np.testing.assert_array_equal(y, table[label])
    if "b" in table:
        with pytest.raises(DataError, match=r"column 'b' has gaps, the first in row 1\. Fill them, or drop"):
            next(rows.arrays(label))
        with pytest.raises(DataError, match=r"column 'b' has gaps, the first in row 1\."):
            next(rows.arrays("b", ["a"]))
    else:
        np.testing.assert_array_equal(np.concatenate([some for some, _ in rows.arrays(label)]), table[numbers])


def test_a_model_learns_the_same_from_arrays_as_from_all_rows(tmp_path):
    table = TABLE[["a", "c"]].assign(is_late=TABLE["count"] > 3, label=np.where(TABLE.a > 0, "yes", "no"))
    for number, part in enumerate(np.array_split(np.arange(N), 3)):
        table.iloc[part].to_parquet(tmp_path / f"part-{number}.parquet")
    rows, expected = open_rows(tmp_path), table[["a", "c", "is_late"]].to_numpy(float)
    np.testing.assert_array_equal(np.concatenate([some for some, _ in rows.arrays("label")]), expected)
    path = RidgePathClassifier(RandomMaxout(20, dtype="float64"), alphas=1.0)
    path.fit_blocks(rows.arrays("label", ["a", "c"], size=31), classes=["no", "yes"])
    whole = RidgePathClassifier(RandomMaxout(20, dtype="float64"), alphas=1.0, solver="primal")
    whole.fit(expected[:, :2], table.label.to_numpy(str))
    np.testing.assert_allclose(path.coef_path_[20], whole.coef_path_[20], rtol=0, atol=1e-10)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "bool"])
def test_arrays_are_single_where_the_file_is_and_else_double(tmp_path, dtype):
    np.save(tmp_path / "X.npy", (3 * X).astype(dtype))
    np.save(tmp_path / "labels.npy", X[:, 0])
    rows = open_rows(tmp_path / "X.npy", tmp_path / "labels.npy")
    first, y = next(rows.arrays("y", size=100))
    assert first.dtype == ("float32" if dtype == "float32" else "float64") and not isinstance(first, np.memmap)
    np.testing.assert_array_equal(first, (3 * X).astype(dtype)[:100])
    np.testing.assert_array_equal(y, X[:100, 0])


def test_what_has_no_arrays_is_one_sentence(tmp_path):
    rows, _ = parquet(tmp_path)
    cases = {
        "the column 'town' holds no numbers": lambda: rows.arrays("count", ["a", "town"]),
        "parts has no column 'z'. Its columns: a, b, c, town, count": lambda: rows.arrays("z"),
        "no column of numbers next to 'town'": lambda: FrameRows(TABLE[["town"]].dropna(), "parts").arrays("town"),
        "size must be at least 1": lambda: rows.arrays("count", ["a"], 0),
        "must hold a matrix of numbers with a row for each": lambda: open_rows(tmp_path / "X.npy", tmp_path / "y.npy"),
        "cannot be read as an .npy file": lambda: open_rows(tmp_path / "X.npy", tmp_path / "objects.npy"),
        "holds no .parquet files and no X.npy": lambda: open_rows(tmp_path / "empty"),
        "nothing.parquet was removed or renamed": lambda: open_rows(tmp_path / "nothing.parquet"),
    }
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", X[1:, 0])
    np.save(tmp_path / "objects.npy", np.array([None, 1]), allow_pickle=True)
    (tmp_path / "empty").mkdir()
    for message, read in cases.items():
        with pytest.raises((DataError, ParameterError), match=re.escape(message)):
            list(read())
