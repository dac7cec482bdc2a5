"""The data folder: which files are offered, under which names and with which parameters."""

import json
import os

import numpy as np
import pytest

from rfviz import datasets
from rfviz.datasets.data_folder import FOLDER, data_folder
from rfviz.datasets.files import folder, formats, read_upload
from rfviz.errors import DataError, ParameterError

X = np.random.default_rng(0).standard_normal((50, 3)).astype(np.float32)
Y = np.arange(50) % 4


def _offered():
    return [name for name in datasets.names() if name.startswith(FOLDER)]


def _params(key):
    return [p.name for p in datasets.spec(key).params]


def test_no_folder(monkeypatch, tmp_path):
    assert data_folder() is None and _offered() == []
    monkeypatch.setenv("RFVIZ_DATA", str(tmp_path / "absent"))
    assert data_folder() == tmp_path / "absent" and _offered() == [] and folder.specs() == {}
    monkeypatch.setenv("RFVIZ_DATA", "  ")
    assert data_folder() is None


def test_setting_wins_over_the_environment(monkeypatch, tmp_path):
    (tmp_path / "one").mkdir()
    monkeypatch.setenv("RFVIZ_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    datasets.set_folder(tmp_path / "one")
    assert data_folder() == tmp_path / "one"
    datasets.set_folder(None)
    assert data_folder() == tmp_path
    with pytest.raises(DataError, match="does not exist or is not a folder"):
        datasets.set_folder(tmp_path / "two")


def test_which_files_are_offered(data_folder, save):
    save("b", X=X)
    save(".hidden", X=X)
    (data_folder / "a.CSV").write_text("u,v\n1,2\n")
    (data_folder / "notes.txt").write_text("x")
    (data_folder / "a.meta.json").write_text("{}")
    (data_folder / "dir.npz").mkdir()
    np.savez(data_folder / "two\nlines.npz", X=X)
    (data_folder / "sub").mkdir()
    np.savez(data_folder / "sub" / "c.npz", X=X)
    assert _offered() == ["folder:a", "folder:b"]


def test_same_stem_twice_and_names_of_built_in_data(data_folder, save):
    save("circle", X=X)
    (data_folder / "circle.csv").write_text("u,v\n1,2\n3,4\n5,6\n")
    assert _offered() == ["folder:circle", "folder:circle.csv"]
    assert datasets.load("circle").n_features == 2
    assert datasets.load("folder:circle").n_features == 3
    assert datasets.load("folder:circle.csv").n_samples == 3
    assert datasets.load("folder:circle.csv").name == "circle.csv"


def test_no_way_out_of_the_folder(data_folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    np.savez(outside / "x.npz", X=X)
    for name in (f"folder:{outside}/x", f"folder:../{outside.name}/x", "folder:"):
        with pytest.raises(DataError, match="There is no data set"):
            datasets.load(name)


def test_only_parameters_that_make_sense(data_folder, save):
    assert _params(save("numbers", X=X)) == ["max_samples", "random_state", "missing"]
    assert _params(save("bytes", X=X.astype(np.uint8), y=Y)) == ["max_samples", "random_state"]
    assert _params(save("few", X=np.eye(3, dtype=np.uint8))) == []
    sequence = {"X": np.zeros((50, 2, 2), np.uint8), "y": Y, "frame": np.arange(50)}
    assert _params(save("sequence", **sequence)) == ["only_class", "max_samples", "random_state"]
    assert _params(save("angles", **(sequence | {"y": Y / 3}))) == ["max_samples", "random_state", "missing"]
    (data_folder / "t.csv").write_text("a,label,time\n1,2,3\n")
    assert _params("folder:t") == ["only_class", "max_samples", "random_state", "missing"]
    with pytest.raises(ParameterError, match="missing must be the name of a parameter"):
        datasets.load("folder:bytes", missing="error")


def test_slider_ends_at_the_number_of_rows(save):
    param = datasets.spec(save("a", X=X)).params[0]
    assert (param.default, param.ui_high, param.high) == (50, 50, 1_000_000)
    assert datasets.load("folder:a", max_samples=1_000_000).n_samples == 50


def test_summary_and_extra(save, data_folder):
    spec = datasets.spec(save("a", X=np.zeros((50, 4, 5, 3), np.uint8)))
    assert spec.summary.startswith("50 images of 4×5×3 pixels. a.npz, ") and spec.source == "folder"
    assert spec.extra["n_samples"] == 50 and spec.extra["n_features"] == 60 and spec.extra["image_shape"] == (4, 5, 3)
    (data_folder / "t.csv").write_text("a,b\n1,2\n")
    assert datasets.spec("folder:t").summary == "Rows of 2 columns. t.csv, 8 bytes."


COLOURS = ("red", "green", "blue")
MIXED = "size,colour,when,price,label\n" + "".join(
    f"{i % 7},{COLOURS[i % 3]},2024-01-{i % 28 + 1:02},{'' if i == 5 else i + 0.5},{'no' if i % 2 else 'yes'}\n"
    for i in range(60)
)


def test_words_and_dates_are_prepared_as_uploads_are(data_folder):
    (data_folder / "mixed.csv").write_text(MIXED)
    proposed = read_upload("mixed.csv", MIXED.encode()).prepare()
    found = datasets.load("folder:mixed")
    np.testing.assert_array_equal(found.X, proposed.X)
    assert (
        found.feature_names == proposed.feature_names == ("size", "price", "colour=blue", "colour=green", "colour=red")
    )
    assert found.target_names == ("no", "yes") and found.y.tolist() == proposed.y.tolist()
    assert found.provenance == (
        "File mixed.csv of the data folder; 1 row with missing values left out: price (1); "
        "one column per word: colour; columns standardised."
    )
    filled = datasets.load("folder:mixed", missing="impute mean")
    assert filled.n_samples == found.n_samples + 1 and "1 missing number replaced by the mean" in filled.provenance
    some = datasets.load("folder:mixed", max_samples=20)
    assert some.n_samples == 20 and {tuple(row) for row in some.X} <= {tuple(row) for row in found.X}


def test_words_in_a_sequence(data_folder):
    lines = [f"{i},{'ab'[i % 2]},{'cd'[i // 20]}" for i in range(40)]
    (data_folder / "s.csv").write_text("frame,kind,label\n" + "\n".join(lines) + "\n")
    found = datasets.load("folder:s", only_class=1)
    assert found.order.tolist() == list(range(20, 40)) and found.feature_names == ("kind=b",)


def test_words_in_too_large_a_table(data_folder, monkeypatch):
    (data_folder / "mixed.csv").write_text(MIXED)
    monkeypatch.setattr(formats, "MAX_BYTES", 1000)
    with pytest.raises(
        DataError, match=r"above 1.0 kB only numbers are read.*'colour' \(such as 'red'\), 'when'.*Drop"
    ):
        datasets.load("folder:mixed")


def test_words_that_leave_nothing(data_folder):
    (data_folder / "t.csv").write_text("note,label\n" + "".join(f"sentence {i} of many,{i % 2}\n" for i in range(500)))
    with pytest.raises(DataError, match=r"^t\.csv: No column of numbers is left"):
        datasets.load("folder:t")


def test_bad_file_is_listed_with_its_problem(data_folder):
    (data_folder / "bad.npz").write_bytes(b"nonsense")
    (data_folder / "bad2.csv").write_bytes(b"\xff")
    (data_folder / "bad3.npz").write_bytes(b"PK\x03\x04 nonsense")
    assert "Cannot be used: bad.npz is named like an .npz file" in datasets.spec("folder:bad").summary
    assert "Cannot be used: bad3.npz is damaged" in datasets.spec("folder:bad3").summary
    assert datasets.spec("folder:bad").params == ()
    for name in ("folder:bad", "folder:bad2", "folder:bad3"):
        with pytest.raises(DataError, match="bad"):
            datasets.load(name, max_samples=3)


def test_headers_are_read_once_per_version(save, monkeypatch, data_folder):
    key = save("a", X=X)
    calls = []
    layout = folder.npz_layout
    monkeypatch.setattr(folder, "npz_layout", lambda file: calls.append(file) or layout(file))
    monkeypatch.setattr(formats, "read_npz", lambda file: pytest.fail("an array was read"))
    first = datasets.spec(key)
    assert datasets.spec(key) is first and len(calls) == 1
    save("a", X=X[:40])
    os.utime(data_folder / "a.npz", ns=(1, 1))
    assert datasets.spec(key).extra["n_samples"] == 40 and len(calls) == 2
    assert datasets.spec(key).extra["stamp"] != first.extra["stamp"]
    size = (data_folder / "a.npz").stat().st_size
    save("a", X=X[10:])
    os.utime(data_folder / "a.npz", ns=(2, 2))
    assert (data_folder / "a.npz").stat().st_size == size
    assert datasets.spec(key).extra["stamp"].startswith("2-") and len(calls) == 3  # of one size, but another version


def test_file_that_disappears(save, data_folder):
    key = save("a", X=X)
    spec = datasets.spec(key)
    (data_folder / "a.npz").unlink()
    with pytest.raises(DataError, match=r"a\.npz was removed or renamed"):
        spec.load()
    assert _offered() == []


def test_sidecar(save, data_folder):
    key = save("a", X=X, y=Y, C=Y)
    content = {"source": "a.org", "licence": "CC0", "classes": list("wxyz"), "feature_names": ["p", "q", "r"]}
    (data_folder / "a.meta.json").write_text(json.dumps(content))
    data = datasets.load(key)
    assert data.target_names == tuple("wxyz") and data.feature_names == ("p", "q", "r") and data.name == "a"
    assert data.provenance == (
        "File a.npz of the data folder; from a.org; licence: CC0; its categorical codes (C) are left out."
    )
    (data_folder / "a.meta.json").write_text(json.dumps({"feature_names": ["p"]}))
    assert datasets.load(key).feature_names == ("column 1", "column 2", "column 3")


def test_the_sidecar_overrides_the_preparation(data_folder):
    (data_folder / "t.csv").write_text("size,weight,kind\n" + "".join(f"{i},{i * i},{i % 3}\n" for i in range(30)))
    sidecar = data_folder / "t.meta.json"
    sidecar.write_text(json.dumps({"preparation": {"label": "kind", "leave_out": ["size"], "scale": "standardise"}}))
    data = datasets.load("folder:t", max_samples=20)
    assert data.feature_names == ("weight",) and data.target_names == ("0", "1", "2") and data.n_samples == 20
    assert abs(data.X.mean()) < 0.5 and "columns standardised" in data.provenance
    for wrong in ({"label": "colour"}, {"lable": "kind"}, {"scale": 7}):
        sidecar.write_text(json.dumps({"preparation": wrong}))
        with pytest.raises((DataError, ParameterError), match=r"no column 'colour'|no preparation|scale must be"):
            datasets.load("folder:t")


def test_missing_values_have_remedies(data_folder):
    (data_folder / "t.csv").write_text("a,b,y\n1,1e999,0\n2,3,1\n,5,1\n4,4,0\n6,8,0\n")
    with pytest.raises(DataError, match=r"^t\.csv: 2 missing or infinite values in 2 columns: 'a' \(1\), 'b' \(1\)"):
        datasets.load("folder:t")
    assert datasets.load("folder:t", missing="drop rows").X.tolist() == [[2, 3], [4, 4], [6, 8]]
    filled = datasets.load("folder:t", missing="impute mean")
    assert filled.X.tolist() == [[1, 5], [2, 3], [3.25, 5], [4, 4], [6, 8]]


def test_subsample_is_nested_and_split(save):
    key = save("a", X_train=X[:40], X_test=X[40:], y_train=Y[:40], y_test=Y[40:])
    small, large = datasets.load(key, max_samples=10), datasets.load(key, max_samples=20)
    assert (small.n_train, large.n_train) == (8, 16)
    rows = [[np.flatnonzero((row == X).all(axis=1))[0] for row in data.X] for data in (small, large)]
    assert rows[0] == sorted(rows[0]) and set(rows[0]) < set(rows[1])
    np.testing.assert_array_equal(Y[rows[1]], large.y)


def test_reports_progress(save):
    seen = []
    datasets.load(save("a", X=X), progress=lambda *a: seen.append(a))
    assert seen == [(None, "reading a.npz…")]
