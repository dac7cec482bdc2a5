"""Tables in parts: statistics of all rows whatever the parts, rows drawn at random, and parts that do not fit."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.datasets.files import Preparation, TableStatistics, parts, read_file
from rfviz.datasets.files.parts import parts_of
from rfviz.datasets.rows import open_rows
from rfviz.errors import DataError

rng = np.random.default_rng(0)
N = 3000
TABLE = pd.DataFrame(rng.standard_normal((N, 3)), columns=list("abc")).assign(
    count=rng.integers(0, 9, N),
    key=np.arange(N),
    town=rng.choice(["Oslo", "Rome", "Bern"], N),
    seen=rng.random(N) > 0.3,
    day=pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, N), "D"),
    label=np.where(np.arange(N) < N - 1, "no", "yes"),
)
TABLE.loc[rng.random(N) < 0.1, "b"] = np.nan
TABLE.loc[7, "c"] = np.inf
TABLE.loc[rng.random(N) < 0.1, "town"] = None


def write(folder, cuts=(1000, 1000, 2200), **last):
    """Write the table in parts, one of them without rows; the last one with some columns replaced."""
    folder.mkdir(exist_ok=True)
    for number, rows in enumerate(np.split(np.arange(N), cuts)):
        part = TABLE.iloc[rows]
        (part.assign(**last) if number == len(cuts) else part).to_parquet(folder / f"part-{number}.parquet")
    return folder


@pytest.mark.parametrize("n_parts", [2, 9, 40])
def test_statistics_of_any_parts_are_those_of_the_table(n_parts):
    draw = np.random.default_rng(n_parts)
    whole = TableStatistics.of([TABLE])
    order = draw.permutation(N)
    cuts = np.sort(draw.integers(0, N, n_parts))
    of_parts = TableStatistics.of([TABLE.iloc[rows] for rows in np.split(order, cuts)])
    assert of_parts.n_rows == whole.n_rows and list(of_parts.columns) == list(TABLE)
    for name, column in whole.columns.items():
        other = of_parts.columns[name]
        for exact in ("n_known", "n_missing", "counts"):
            assert getattr(other, exact) == getattr(column, exact), (name, exact)
        for number in ("low", "high", "mean", "squares"):
            np.testing.assert_allclose(getattr(other, number), getattr(column, number), rtol=1e-10, atol=1e-12)
    numbers = TABLE.a
    assert whole.columns["a"].mean == pytest.approx(numbers.mean(), rel=1e-12)
    assert whole.columns["a"].variance == pytest.approx(numbers.var(ddof=0), rel=1e-12)
    assert whole.columns["b"].n_missing == TABLE.b.isna().sum() and whole.columns["c"].n_missing == 1
    assert whole.columns["label"].counts == {"no": N - 1, "yes": 1} and whole.columns["key"].counts is None
    assert whole.columns["count"].counts == TABLE["count"].value_counts().to_dict()
    frame = whole.to_frame().set_index("column")
    assert frame.loc["count", ["lowest", "highest", "different values"]].tolist() == [0, 8, 9]


def test_a_small_folder_is_the_table(tmp_path):
    upload = read_file(write(tmp_path / "small"))
    assert upload.n_rows == N and upload.table.whole is None and upload.notes == ()
    assert [column.kind for column in upload.columns] == [*["number"] * 5, "category", "category", "date", "category"]
    made = upload.prepare(Preparation(label="label", leave_out=("day", "town"), missing="drop rows", max_samples=N))
    assert made.n_samples == int((TABLE.b.notna() & np.isfinite(TABLE.c)).sum()) and made.target_names == ("no", "yes")


def test_of_a_large_folder_rows_are_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "SAMPLE_ROWS", 400)
    said = []
    upload = read_file(write(tmp_path / "large"), progress=lambda share, text: said.append((share, text)))
    assert said[-1] == (1.0, "3,000 of 3,000 rows of large read")
    assert upload.n_rows == 400 and upload.table.whole.n_rows == N
    assert upload.notes == ("400 of 3,000 rows, drawn at random",)
    assert upload.table.whole.columns["b"].n_missing == TABLE.b.isna().sum()
    # The same rows whatever the parts, in their order, and spread over the whole table.
    keys = upload.table.quantity("key")
    other = read_file(write(tmp_path / "other", (5, 90, 91, 2999)))
    np.testing.assert_array_equal(other.table.quantity("key"), keys)
    assert (np.diff(keys) > 0).all()
    assert np.histogram(keys, 10, (0, N))[0].min() > 20
    # The last part's label is unknown to the drawn rows, but not to the statistics.
    assert set(upload.table.words["label"].categories) == {"no"}
    assert upload.table.whole.columns["label"].counts["yes"] == 1


def test_each_row_is_drawn_as_often_as_any_other(monkeypatch):
    drawn = np.zeros(50)
    for seed in range(2000):
        monkeypatch.setattr(parts, "_SEED", seed)
        drawn[parts.sampled_rows(50, 10)] += 1
    z = (drawn - 400) / np.sqrt(2000 * 0.2 * 0.8)
    assert np.abs(z).max() < 4.5  # one false alarm in 3,000 runs; the seeds are fixed


def test_a_file_above_the_memory_limit_is_read_in_blocks(tmp_path):
    TABLE.to_parquet(tmp_path / "one.parquet")
    assert parts_of(tmp_path / "one.parquet") is None
    datasets.set_memory_limit(400_000)
    found = parts_of(tmp_path / "one.parquet")
    assert found is not None and found.n_rows == N and parts.sample_size(N, len(found.columns)) == 1000


def test_arrays_in_a_folder(tmp_path):
    folder = tmp_path / "arrays"
    folder.mkdir()
    X = TABLE[["a", "c"]].to_numpy(np.float32)
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", TABLE["count"].to_numpy())
    upload = read_file(folder)
    assert upload.table.names == ("column 1", "column 2", "y") and upload.suggestion.label == "y"
    np.testing.assert_array_equal(upload.table.quantity("column 1"), X[:, 0])
    np.save(folder / "y.npy", TABLE["count"].to_numpy()[1:])
    with pytest.raises(DataError, match=r"a row for each of the 2,999 labels in arrays/y\.npy; it has the shape"):
        read_file(folder)
    np.save(folder / "y.npy", np.array([None] * N), allow_pickle=True)
    with pytest.raises(DataError, match=r"y\.npy cannot be read as an \.npy file"):
        read_file(folder)


def test_the_data_folder_offers_tables_in_parts(data_folder, monkeypatch):
    monkeypatch.setattr(parts, "SAMPLE_ROWS", 400)
    write(data_folder / "large")
    (data_folder / "pictures").mkdir()
    TABLE.to_parquet(data_folder / "single.parquet")
    assert [name for name in datasets.names() if name.startswith("folder:")] == ["folder:large", "folder:single"]
    spec = datasets.spec("folder:large")
    assert spec.summary.startswith("3,000 rows of 9 columns in 4 files. Pages use 400 of them, drawn at random. large,")
    said = []
    found = datasets.load("folder:large", lambda share, text: said.append(text), missing="drop rows")
    assert found.n_samples < 400 and "400 of 3,000 rows, drawn at random" in found.provenance
    assert "3,000 of 3,000 rows of large read" in said
    said.clear()
    again = datasets.load("folder:large", lambda share, text: said.append(text), missing="drop rows", max_samples=100)
    assert again.n_samples == 100 and "3,000 of 3,000 rows of large read" not in said
    write(data_folder / "large", (10,))
    os.utime(data_folder / "large" / "part-0.parquet", ns=(1, 2**62))
    assert datasets.spec("folder:large").extra["stamp"] != spec.extra["stamp"]


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ({"more": 1}, "part-0.parquet has no column 'more', and part-3.parquet has one. Write all parts with the same"),
        ({"a": "x"}, "'a' holds numbers in part-0.parquet and words in part-3.parquet. Write all parts with the same"),
        ({"seen": 1}, "'seen' holds true and false in part-0.parquet and numbers in part-3.parquet"),
    ],
)
def test_parts_that_differ(tmp_path, last, message):
    with pytest.raises(DataError, match=message):
        read_file(write(tmp_path / "parts", **last))


def test_parts_that_lack_something(tmp_path):
    folder = write(tmp_path / "parts", b=None)  # a part without a single value of a column
    assert read_file(folder).table.n_missing("b") > 800
    path = folder / "part-2.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"part-2\.parquet is damaged, or not a Parquet file .*Write it again"):
        read_file(folder)
    TABLE.drop(columns="b").to_parquet(path)
    with pytest.raises(DataError, match=r"part-2\.parquet has no column 'b', and part-0\.parquet has one"):
        read_file(folder)
    for number in range(4):
        TABLE.iloc[:0].to_parquet(folder / f"part-{number}.parquet")
    with pytest.raises(DataError, match=r"parts has no rows\. Add one row per sample"):
        read_file(folder)
    for path in folder.iterdir():
        path.unlink()
    with pytest.raises(DataError, match=r"holds no \.parquet files and no X\.npy"):
        read_file(folder)


def test_a_zarr_store_is_told_what_to_become(data_folder):
    store = data_folder / "cells.zarr"
    (store / "X").mkdir(parents=True)
    (store / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    sentence = (
        "cells.zarr is a Zarr store, which rfviz does not read. "
        "Save its arrays with numpy.save as X.npy and y.npy in one folder."
    )
    loads = (lambda: read_file(store), lambda: open_rows(store), lambda: datasets.load("folder:cells"))
    for load in loads:
        with pytest.raises(DataError) as raised:
            load()
        assert str(raised.value) == sentence
    assert datasets.spec("folder:cells").summary == f"Cannot be used: {sentence}"
    np.save(store / "X.npy", np.eye(4))  # what it says helps, whatever the name of the folder
    assert read_file(store).n_rows == 4


_READ = """
import resource, sys
import pandas, pyarrow.parquet
from rfviz.datasets.files import parts, read_file
parts.SAMPLE_ROWS, parts._BLOCK_ROWS = 2000, 20_000
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
upload = read_file(sys.argv[1])
print(upload.n_rows, upload.table.whole.n_rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux counts kilobytes")
def test_memory_does_not_grow_with_the_rows(tmp_path):
    block = pd.DataFrame(rng.standard_normal((50_000, 20)), columns=[f"c{place}" for place in range(20)])
    block.to_parquet(tmp_path / "part-0.parquet")
    for number in range(1, 40):
        (tmp_path / f"part-{number}.parquet").hardlink_to(tmp_path / "part-0.parquet")
    command = [sys.executable, "-c", _READ, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    drawn, n_rows, kilobytes = map(int, done.stdout.split())
    assert (drawn, n_rows) == (2000, 2_000_000)
    assert kilobytes < 0.4 * 2_000_000 * 20 * 8 / 1000
