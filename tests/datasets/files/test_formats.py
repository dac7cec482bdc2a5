"""Formats of other programs: ARFF, LIBSVM, Stata, JSON of many forms, vectors and bytes in Parquet and Arrow."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from rfviz.datasets.files import read_file, read_upload
from rfviz.errors import DataError
from tests.datasets.files.samples import csv, npz, parquet, table


def cells(upload):
    """Return the first rows of a file as lists, and the names of its columns."""
    return [list(upload.table.head.columns), *upload.table.head.values.tolist()]


# --- ARFF, LIBSVM, Stata ----------------------------------------------------------------------------------------------

ARFF = rb"""% about
@RELATION weather
@attribute 'out look' {sunny, 'very rainy', "a,b"}
@attribute temperature REAL
@attribute "code" string
@attribute play	{yes,no}
@data
% in between
sunny,85,'007',no
'very rainy',?,'it\'s',yes
'a,b', -1.5e2 ,NA,?
"""


def test_arff():
    found = read_upload("a.arff", ARFF)
    assert found.table.names == ("out look", "temperature", "code", "play") and found.n_rows == 3
    head = found.table.head
    assert head["out look"].tolist() == ["sunny", "very rainy", "a,b"]
    assert head["code"].tolist() == ["007", "it's", "NA"]
    np.testing.assert_array_equal(head["temperature"], [85, np.nan, -150])
    assert head["play"].isna().tolist() == [False, False, True]


def test_arff_agrees_with_the_reader_of_scipy():
    from scipy.io.arff import loadarff

    rng = np.random.default_rng(0)
    rows = [
        f"{a:.6g},{b},{c}"
        for a, b, c in zip(rng.normal(size=50), rng.integers(9, size=50), ["u", "v"] * 25, strict=True)
    ]
    text = (
        "@relation r\n@attribute a numeric\n@attribute b integer\n@attribute c {u,v}\n@data\n" + "\n".join(rows) + "\n"
    )
    expected, _ = loadarff(io.StringIO(text))
    found = read_upload("a.arff", text.encode()).table
    for name in "ab":
        np.testing.assert_array_equal(found.quantity(name), expected[name])
    assert found.words["c"].tolist() == [word.decode() for word in expected["c"]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"@relation r\n@attribute a numeric\n@data\n{0 1}\n{0 2}\n{0 3}\n", "sparse ARFF"),
        (b"a,b\n1,2\n3,4\n5,6\n", "has no line @attribute"),
        (b"@attribute a real\n@attribute a real\n@data\n1,2\n", "two columns named 'a'"),
        (b"@attribute a real\n@data\n1,2\n3,4\n5,\n", "rows of more cells than it has lines @attribute"),
        (b"@attribute a real\n@data\n'2\n", "damaged, or not an ARFF file"),
    ],
)
def test_what_is_no_such_arff(content, said):
    with pytest.raises(DataError, match=said):
        read_upload("a.arff", content)


@pytest.mark.parametrize("name", ["a.libsvm", "a.svm", "a.txt", "a.scale", "heart_scale"])
def test_libsvm_is_known_by_its_name_or_its_lines(name):
    from sklearn.datasets import dump_svmlight_file

    X = np.round(np.random.default_rng(0).normal(size=(20, 4)), 3) * (np.arange(20)[:, None] % 3 > 0)
    X[0], y = 1.0, np.where(np.arange(20) % 2, 1, -1)
    buffer = io.BytesIO()
    dump_svmlight_file(X, y, buffer, zero_based=False)
    found = read_upload(name, buffer.getvalue())
    np.testing.assert_allclose(found.table.numbers([f"feature {i}" for i in range(1, 5)], np.arange(20)), X)
    assert found.table.quantity("label").tolist() == y.tolist() and "a line does not name are 0" in found.notes[0]


def test_what_looks_a_little_like_libsvm_is_text():
    found = read_upload("a.txt", b"1 10:30\n2 11:30\n3 midnight\n4 12:00\n")
    assert "label" not in found.table.names
    with pytest.raises(DataError, match="ends in none of"):
        read_upload("notes", b"1 10:30\n2 11:30\n3 midnight\n4 12:00\n")
    with pytest.raises(DataError, match="not a table in LIBSVM's form"):
        read_upload("a.libsvm", b"1,2 1:3\n1 2:4\n")


def test_libsvm_of_huge_columns_is_refused_before_it_is_expanded():
    with pytest.raises(DataError, match="columns, and at most"):
        read_upload("a.libsvm", b"1 1:2\n0 2000000000:4\n1 3:3\n")


def test_stata_keeps_words_and_numbers():
    frame = pd.DataFrame(
        {"age": [31.5, np.nan, 12.0], "town": ["Bern", "Wien", ""], "kind": pd.Categorical(["a", "b", "a"])}
    )
    for version in (114, 117, 118):
        buffer = io.BytesIO()
        frame.to_stata(buffer, write_index=False, version=version)
        found = read_upload("a.dta", buffer.getvalue()).table
        np.testing.assert_array_equal(found.quantity("age"), frame["age"])
        assert found.words["kind"].tolist() == ["a", "b", "a"] and found.names == ("age", "town", "kind")
        with pytest.raises(DataError, match="damaged, or not a Stata file"):
            read_upload("a.dta", buffer.getvalue()[:200])


# --- JSON -------------------------------------------------------------------------------------------------------------

PEOPLE = [{"a": i, "b": f"w{i % 2}"} for i in range(6)]
LISTS = [[i, f"w{i % 2}"] for i in range(6)]


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ({"meta": {"n": 6}, "data": PEOPLE}, "rows under “data” are read, and not meta"),
        ({"columns": ["a", "b"], "index": [*range(6)], "data": LISTS}, "and not columns, index"),
        ({"meta": {"view": {"columns": [{"name": "a"}, {"name": "b"}]}}, "data": LISTS}, "and not meta"),
        ([["a", "b"], *LISTS], ""),
        ({f"id {i}": row for i, row in enumerate(PEOPLE)}, "Each object in the object is a row; its key (id 0, id 1"),
        ({str(i): row for i, row in enumerate(PEOPLE)}, "its key (0, 1"),
        (
            {
                "type": "FeatureCollection",
                "features": [{"properties": row, "geometry": {"type": "Point"}} for row in PEOPLE],
            },
            "shapes of the GeoJSON are left out",
        ),
    ],
)
def test_rows_in_json_of_other_forms(content, note):
    for name in ("a.json", "a.geojson"):
        found = read_upload(name, json.dumps(content).encode())
        assert cells(found) == [["a", "b"], *LISTS]
        assert note in " ".join(found.notes)
    assert cells(read_upload("a.json", b"\xef\xbb\xbf" + json.dumps(content, indent=1).encode())) == [
        ["a", "b"],
        *LISTS,
    ]


def test_lists_without_names_are_numbered():
    assert cells(read_upload("a.json", json.dumps(LISTS).encode()))[0] == ["column 1", "column 2"]
    lines = "\n".join(map(json.dumps, LISTS)).encode()
    assert cells(read_upload("a.jsonl", lines)) == [["column 1", "column 2"], *LISTS]
    words = [["u", "v"], ["x", "y"], ["z", "w"]]
    assert cells(read_upload("a.json", json.dumps(words).encode())) == [["column 1", "column 2"], *words]


def test_columns_of_pandas_stay_columns():
    frame = pd.DataFrame(PEOPLE)
    assert cells(read_upload("a.json", frame.to_json().encode())) == [["a", "b"], *LISTS]
    wide = pd.DataFrame({f"c{i}": [i, i + 1, i + 2] for i in range(9)})
    assert read_upload("a.json", wide.to_json().encode()).table.names == tuple(wide)


# --- Arrow and Parquet ------------------------------------------------------------------------------------------------


def vectors():
    pa = pytest.importorskip("pyarrow")
    kind = pa.struct(
        [
            ("type", pa.int8()),
            ("size", pa.int32()),
            ("indices", pa.list_(pa.int32())),
            ("values", pa.list_(pa.float64())),
        ]
    )
    rows = [
        {"type": 1, "size": None, "indices": None, "values": [1.0, 2.0, 3.0]},
        {"type": 0, "size": 3, "indices": [2], "values": [5.0]},
        None,
        {"type": 0, "size": 3, "indices": [], "values": []},
    ]
    return pa, pa.table(
        {
            "features": pa.array(rows, kind),
            "word": pa.array([b"caf\xc3\xa9", b"x", None, b"y"], pa.binary()),
            "hash": pa.array([b"\xff\x00", b"\x01", b"\x02", b"\x03"], pa.binary()),
            "shape": pa.array([b"\x01\x02"] * 4, pa.binary()),
            "point": pa.array([None, *[b"\x01\x01\0\0\0" + bytes(16)] * 3], pa.binary()),
            "empty": pa.nulls(4),
            "list": pa.array([[1], [2], [3], [4]]),
        }
    ).replace_schema_metadata({b"geo": json.dumps({"columns": {"shape": {}}}).encode()})


def check(found):
    assert found.table.names == ("features.0", "features.1", "features.2", "word", "empty")
    entries = [found.table.quantity(f"features.{i}") for i in range(3)]
    np.testing.assert_array_equal(np.transpose(entries), [[1, 2, 3], [0, 0, 5], [np.nan] * 3, [0, 0, 0]])
    assert found.table.words["word"].tolist() == ["café", "x", np.nan, "y"]
    for said in (
        "Columns of bytes are left out: hash.",
        "Columns of shapes (GeoParquet) are left out: shape, point.",
        "Nested columns are left out: list.",
    ):
        assert said in found.notes


def test_vectors_of_spark_and_bytes_that_are_words_are_columns(tmp_path):
    pa, rows = vectors()
    from pyarrow import parquet as pq

    buffer = io.BytesIO()
    pq.write_table(rows, buffer)
    check(read_upload("a.parquet", buffer.getvalue()))
    for writer, name in ((pa.ipc.new_file, "a.arrow"), (pa.ipc.new_stream, "a.arrow"), (pa.ipc.new_stream, "a.arrows")):
        buffer = io.BytesIO()
        with writer(buffer, rows.schema) as opened:
            opened.write_table(rows)
        check(read_upload(name, buffer.getvalue()))
    for part in range(2):
        pq.write_table(rows.slice(2 * part, 2), tmp_path / f"part-{part}.parquet")
    check(read_file(tmp_path))


def test_vectors_that_differ_in_length_are_refused():
    pa, rows = vectors()
    from pyarrow import parquet as pq

    longer = rows["features"].to_pylist()
    longer[0]["values"].append(4.0)
    buffer = io.BytesIO()
    pq.write_table(pa.table({"v": pa.array(longer, rows["features"].type)}), buffer)
    with pytest.raises(DataError, match="vectors of the column 'v' have between 3 and 4 entries"):
        read_upload("a.parquet", buffer.getvalue())
    longer[0] = {"type": 0, "size": 2_000_000_000, "indices": [], "values": []}
    buffer = io.BytesIO()
    pq.write_table(pa.table({"v": pa.array(longer[:1] * 4, rows["features"].type)}), buffer)
    with pytest.raises(DataError, match="2,000,000,000 entries, and at most"):
        read_upload("a.parquet", buffer.getvalue())


# --- arrays -----------------------------------------------------------------------------------------------------------


def test_arrays_under_other_usual_names():
    X, y = np.random.default_rng(0).normal(size=(9, 3)), np.arange(9) % 2
    expected = read_upload("a.npz", npz(X=X, y=y)).prepare()
    for names in (("data", "target"), ("arr_0", "arr_1"), ("x", "labels"), ("features", "label")):
        found = read_upload("a.npz", npz(**dict(zip(names, (X, y), strict=True))))
        np.testing.assert_array_equal(found.prepare().X, expected.X)
        assert found.prepare().target_names == expected.target_names and f"{names[0]} as X" in found.notes[0]
    split = read_upload("a.npz", npz(x_train=X[:6], y_train=y[:6], x_test=X[6:], y_test=y[6:]))
    assert split.table.n_train == 6 and split.n_rows == 9
    assert read_upload("a.npz", npz(points=X)).n_rows == 9
    assert "not used: data" in " ".join(read_upload("a.npz", npz(X=X, data=y)).notes)


# --- files that are no data -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"<!DOCTYPE html><html>\n<body>please log in</body>\n</html>\n", r"is a web page \(HTML\)"),
        ("a.xls", b"\n <HTML><table></table></HTML>", r"is a web page \(HTML\)"),
        ("a.csv", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "pointer of Git LFS"),
        ("a.parquet", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "pointer of Git LFS"),
        ("a.csv", b"\xef\xbb\xbf<?xml version='1.0'?>\n<r>\n<a/>\n</r>\n", "is an XML document"),
        ("a.sav", b"$FL2@(#) SPSS", "is an SPSS file"),
        ("a.json", csv(), "named like JSON, but begins with 'height"),
        ("a.csv.zst", b"\x28\xb5\x2f\xfd\0", "compressed with Zstandard"),
    ],
)
def test_what_is_no_data_is_called_by_its_name(name, content, said):
    with pytest.raises(DataError, match=said):
        read_upload(name, content)


def test_text_under_more_names():
    for name in ("a.dat", "a.tab", "a.data"):
        assert read_upload(name, csv()).columns == read_upload("a.csv", csv()).columns
    assert len(table()) == read_upload("a.parquet", parquet()).n_rows


def test_folders_that_name_a_column_add_it(tmp_path):
    expected = []
    for year in (2020, 2021):
        for town in ("Bern", "Z%C3%BCrich"):
            folder = tmp_path / "sales" / f"year={year}" / f"town={town}"
            folder.mkdir(parents=True)
            frame = pd.DataFrame({"a": [float(year), len(town)]})
            (folder / "part-0.parquet").write_bytes(parquet(frame))
            expected += [[a, year, town.replace("%C3%BC", "ü")] for a in frame["a"]]
    found = read_file(tmp_path / "sales")
    assert cells(found) == [["a", "year", "town"], *expected] and found.n_rows == 8
    from rfviz import datasets

    datasets.set_folder(tmp_path)
    try:
        assert datasets.load("folder:sales").n_samples == 8
    finally:
        datasets.set_folder(None)
    (tmp_path / "sales" / "year=2022").mkdir()
    (tmp_path / "sales" / "year=2022" / "part-0.parquet").write_bytes(parquet(pd.DataFrame({"a": [1.0]})))
    with pytest.raises(DataError, match="do not all name the same columns: year=2022 does not"):
        read_file(tmp_path / "sales")


def test_codes_in_the_names_of_folders_keep_their_zeros(tmp_path):
    for code in ("01", "10", "__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / f"code={code}").mkdir()
        (tmp_path / f"code={code}" / "a.parquet").write_bytes(parquet(pd.DataFrame({"a": [1.0, 2.0]})))
    assert read_file(tmp_path).table.head["code"].fillna("none").tolist() == ["01", "01", "10", "10", "none", "none"]
