"""Features of all rows of a table of which a page holds some: those of the table in memory, whole or not at all."""

import errno
import io
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rfviz import cli, datasets
from rfviz.analysis.points import Scaling
from rfviz.analysis.splits import all_rows_of
from rfviz.datasets.files import Preparation, parts, read_file
from rfviz.errors import DataError
from rfviz.features import RandomBinning, RandomMaxout
from rfviz.lab import export
from rfviz.lab.growing_npz import GrowingNpz
from rfviz.lab.page import MapExport

N, DRAWN = 1500, 200
rng = np.random.default_rng(0)
TABLE = pd.DataFrame(rng.standard_normal((N, 3)).astype(np.float32), columns=list("abc")).assign(
    label=rng.choice(["no", "yes"], N)
)


@pytest.fixture(autouse=True)
def few_are_drawn(monkeypatch):
    monkeypatch.setattr(parts, "SAMPLE_ROWS", DRAWN)
    monkeypatch.setattr(parts, "_BLOCK_ROWS", 370)
    yield
    datasets.set_folder(None)


def write(folder, table=TABLE):
    folder.mkdir()
    for number, rows in enumerate(np.split(np.arange(len(table)), [400, 1100])):
        table.iloc[rows].to_parquet(folder / f"part-{number}.parquet")
    return folder


def export_of(folder, feature_map, how="standardise", **preparation):
    dataset = read_file(folder).prepare(Preparation(**{"label": "label", "scale": "none"} | preparation))
    scaling = Scaling(dataset.X, how)
    return MapExport("map", feature_map, scaling(dataset.X), all_rows_of(dataset, scaling)), scaling


def held_in(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
    if isinstance(path, io.BytesIO):
        path.seek(0)
    with np.load(path, allow_pickle=False) as held:
        return dict(held)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("gaps", [0, 100])
def test_features_are_those_of_the_table_in_memory(tmp_path, dtype, gaps):
    table = TABLE.copy()
    table.loc[np.sort(rng.choice(N, gaps, replace=False)), "b"] = np.nan
    found, scaling = export_of(write(tmp_path / "parts", table), RandomMaxout(12, dtype=dtype), missing="drop rows")
    said = []
    fitted = export.write_features(found, tmp_path / "all.npz", all_rows=True, progress=lambda *one: said.append(one))
    assert said[-1] == (1.0, "1,500 of 1,500 rows read")
    held, rows = held_in(tmp_path / "all.npz"), np.flatnonzero(table.b.notna())
    assert len(held["Phi"]) == N - gaps and held["Phi"].dtype == dtype
    expected = fitted.transform(scaling(table[list("abc")].to_numpy()[rows]))
    np.testing.assert_allclose(held["Phi"], expected, rtol=0, atol=1e-6)
    assert (held["target_names"][held["y"]] == table.label.to_numpy()[rows]).all()
    if gaps:
        np.testing.assert_array_equal(held["rows"], rows)
    else:
        assert set(held) == {"Phi", "y", "target_names"}
    # The map is the one that the page fits: on its rows alone.
    drawn = parts.sampled_rows(N, DRAWN)
    at = np.searchsorted(rows, drawn[np.isin(drawn, rows)])
    np.testing.assert_array_equal(held["Phi"][at], fitted.transform(found.X))
    assert export.feature_bytes(found, all_rows=True) == N * 12 * np.dtype(dtype).itemsize
    # In memory, as for a download, it is the same file.
    assert export.features_in_memory(found, all_rows=True) == (tmp_path / "all.npz").read_bytes()
    assert len(held_in(io.BytesIO(export.features_in_memory(found)))["Phi"]) == len(found.X)


def test_a_sparse_map(tmp_path):
    found, scaling = export_of(write(tmp_path / "parts"), RandomBinning(8), label=None, leave_out=("label",))
    fitted = export.write_features(found, tmp_path / "all.npz", all_rows=True)
    expected = fitted.transform(scaling(TABLE[list("abc")].to_numpy()))
    made = sparse.load_npz(tmp_path / "all.npz")
    assert made.shape == expected.shape and abs(made - expected).max() < 1e-6 and made.nnz == expected.nnz
    assert "y" not in held_in(tmp_path / "all.npz")


def test_a_stop_or_a_full_disk_leaves_nothing(tmp_path, monkeypatch):
    found, _ = export_of(write(tmp_path / "parts"), RandomMaxout(12))
    out = tmp_path / "out"
    out.mkdir()

    def stop(share, text):
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export.write_features(found, out / "all.npz", all_rows=True, progress=stop)
    assert not list(out.iterdir())
    append, said = GrowingNpz.append, []

    def full(self, name, rows):
        said.append(name)
        if len(said) > 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        append(self, name, rows)

    monkeypatch.setattr(GrowingNpz, "append", full)
    with pytest.raises(DataError, match=r"all\.npz cannot be written \(No space left on device\), and nothing of it"):
        export.write_features(found, out / "all.npz", all_rows=True)
    assert not list(out.iterdir())
    with pytest.raises(DataError, match=r"cannot be written \(No such file or directory\)"):
        export.write_features(found, tmp_path / "nowhere" / "all.npz")


def test_no_usable_row_is_one_sentence(tmp_path):
    found, _ = export_of(write(tmp_path / "parts"), RandomMaxout(12))
    found.all_rows.batches = lambda *_: iter(())
    with pytest.raises(DataError, match="No row of the table can be used"):
        export.write_features(found, tmp_path / "all.npz", all_rows=True)
    assert not (tmp_path / "all.npz").exists() and not (tmp_path / "all.npz.part").exists()


@pytest.mark.parametrize("in_memory", [False, True])
def test_arrays_that_grow(tmp_path, in_memory):
    with GrowingNpz(None if in_memory else tmp_path) as growing:
        for row in range(9):
            growing.append("small", np.array([row]))
            growing.append("large", np.full((2, 1), row, dtype=np.float32).T)
        with (tmp_path / "a.npz").open("wb") as file:
            growing.save(file)
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]
    held = held_in(tmp_path / "a.npz")
    np.testing.assert_array_equal(held["small"], np.arange(9))
    np.testing.assert_array_equal(held["large"], np.repeat(np.arange(9), 2).reshape(9, 2))


@pytest.mark.slow
@pytest.mark.parametrize("page", ["distance-saturation", "hashing", "kernel-approximation", "kitchen-sinks"])
def test_the_command_writes_the_features_of_the_maps_of_a_page(tmp_path, capsys, page):
    command = ["run", page, "--data", str(write(tmp_path / "parts")), "--label", "label", "--rows", "150", "--features"]
    assert cli.main([*command, "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr()
    files = sorted((tmp_path / "out").glob("*features.npz"))
    assert files and all(str(path) in said.out for path in files) and "1,500 of 1,500 rows read" in said.err
    for path in files:
        held = held_in(path)
        assert len(held["Phi"]) == len(held["y"]) == N and np.isfinite(held["Phi"]).all()


def test_the_command_without_a_large_table_or_a_map(tmp_path, capsys):
    assert cli.main(["run", "quick-inspection", "--features", "--json"]) == 2
    assert "--features writes files. Name a folder for them: --out DIR" in capsys.readouterr().err
    TABLE.iloc[:150].to_csv(tmp_path / "small.csv", index=False)
    out = tmp_path / "out"
    assert (
        cli.main(
            ["run", "maxout-pca", "--data", str(tmp_path / "small.csv"), "--features", "--out", str(out), "--quiet"]
        )
        == 0
    )
    assert len(held_in(out / "maxout-pca-features.npz")["Phi"]) == 150


def test_a_stopped_command_says_that_nothing_is_left(tmp_path, capsys, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(export, "write_features", stopped)
    command = ["run", "maxout-pca", "--data", str(write(tmp_path / "parts")), "--features", "--quiet"]
    assert cli.main([*command, "--out", str(tmp_path / "out")]) == 130
    said = capsys.readouterr().err
    assert "maxout-pca-features.npz was not complete, and nothing of it is left" in said and "Stopped" in said


_WRITE = """
import resource, sys
from rfviz.analysis.splits import all_rows_of
from rfviz.datasets.files import Preparation, parts, read_file
from rfviz.features import RandomMaxout
from rfviz.lab import export
from rfviz.lab.page import MapExport
parts.SAMPLE_ROWS, parts._BLOCK_ROWS = 2000, 10_000
dataset = read_file(sys.argv[1]).prepare(Preparation(scale="none"))
found = MapExport("map", RandomMaxout(400, device="cpu"), dataset.X, all_rows_of(dataset))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
export.write_features(found, sys.argv[2], all_rows=True)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux counts kilobytes")
def test_memory_does_not_grow_with_the_rows(tmp_path):
    (tmp_path / "arrays").mkdir()
    np.save(tmp_path / "arrays" / "X.npy", rng.standard_normal((400_000, 4)).astype(np.float32))
    command = [sys.executable, "-c", _WRITE, str(tmp_path / "arrays"), str(tmp_path / "all.npz")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (tmp_path / "all.npz").stat().st_size > 640e6
    assert int(done.stdout) < 150_000
