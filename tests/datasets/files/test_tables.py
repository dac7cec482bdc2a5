"""Workbooks, databases, Feather and nested Parquet: one reader for uploads, paths and the data folder."""

import io
import json
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.datasets.files import read_file, read_upload
from rfviz.datasets.files.meta import Meta
from rfviz.datasets.files.upload import read_path
from rfviz.errors import DataError, MemoryBudgetError
from tests.datasets.files.samples import database, table, zipped


def feather(frame=None, **options):
    buffer = io.BytesIO()
    (table() if frame is None else frame).to_feather(buffer, **options)
    return buffer.getvalue()


def workbook(**sheets):
    pytest.importorskip("openpyxl")
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer, engine="openpyxl") as writer:
        for name, frame in (sheets or {"people": table()}).items():
            frame.to_excel(writer, sheet_name=name, index=False)
    return buffer.getvalue()


MAKE = {
    "a.feather": feather,
    "a.arrow": lambda: feather(compression="uncompressed"),
    "a.xlsx": workbook,
    "a.sqlite": database,
}


@pytest.fixture(params=MAKE)
def name(request):
    return request.param


@pytest.mark.parametrize("engine", ["calamine", "openpyxl"])
def test_a_table_is_the_same_in_every_format(name, engine, tmp_path, monkeypatch):
    if engine == "calamine":
        pytest.importorskip("python_calamine")
    elif name != "a.xlsx":
        pytest.skip("reads workbooks")
    else:
        monkeypatch.setattr("rfviz.datasets.files.excel._ENGINES", {"openpyxl": "openpyxl"})
    (tmp_path / name).write_bytes(MAKE[name]())
    expected = read_upload("a.csv", table().to_csv(index=False).encode())
    uploaded, at_path = read_file(tmp_path / name), read_path(tmp_path / name, "From a test", Meta())
    for found in (uploaded, at_path):
        assert found.columns == expected.columns
        for column in ("height", "weight", "when"):  # a gap in every seventh row: rows keep their places
            np.testing.assert_allclose(found.table.quantity(column), expected.table.quantity(column), equal_nan=True)
        assert found.table.words["town"].tolist() == expected.table.words["town"].tolist()
        assert found.notes == ()
    # In the data folder, which looks at the header first.
    datasets.set_folder(tmp_path)
    try:
        assert "rows of 5 columns" in datasets.spec("folder:a").summary.lower()
        assert datasets.load("folder:a").target_names == ("a", "b")
    finally:
        datasets.set_folder(None)


def test_text_of_digits_in_a_workbook_keeps_its_zeros(tmp_path):
    codes = pd.DataFrame({"zip": ["01081", "00501", "10001"] * 10, "height": [1.5, 2, None] * 10})
    (tmp_path / "a.xlsx").write_bytes(workbook(people=codes))
    table = read_file(tmp_path / "a.xlsx").table
    assert set(table.words["zip"]) == {"01081", "00501", "10001"}
    np.testing.assert_array_equal(table.quantity("height"), codes["height"])


def test_one_table_of_several_is_chosen_by_name(tmp_path):
    small, large = pd.DataFrame({"a": [1, 2, 3]}), pd.DataFrame({"b": range(9)})
    empty = pd.DataFrame({"c": []})
    for name, data, first in (
        ("a.db", database(small=small, large=large, empty=empty), "large"),
        ("a.xlsx", workbook(empty=empty, small=small, large=large), "small"),
    ):
        found = read_upload(name, data)
        assert found.part == first and set(found.parts) == {"small", "large"}
        assert found.notes == (f"It holds 2 tables, of which “{first}” is read.",)
        other = found.other("large")
        assert other.table.names == ("b",) and other.n_rows == 9
        with pytest.raises(DataError, match=r"no table or sheet 'none'\. Known: "):
            read_upload(name, data, table="none")
        (tmp_path / name).write_bytes(data)
        (tmp_path / "a.meta.json").write_text(json.dumps({"table": "large"}), encoding="utf-8")
        assert read_file(tmp_path / name, "small").table.names == ("a",)
        datasets.set_folder(tmp_path)
        try:
            assert datasets.load("folder:a").n_samples == 9
        finally:
            datasets.set_folder(None)
        (tmp_path / name).unlink()
    with pytest.raises(DataError, match="It holds a single one: leave the name out"):
        read_upload("a.csv", b"a,b\n1,2\n3,4\n5,6\n", table="a")


def test_a_database_is_neither_changed_nor_run(tmp_path):
    frame = pd.DataFrame({"a": [1, None, 3], "b": [b"\0\1", b"\2", None], "c": ["x", "y\nz", "x"]})
    view = "CREATE VIEW more AS WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t"
    long = "CREATE TABLE long (n, s GENERATED ALWAYS AS (printf('%.*c', n, 'x')))"
    path = tmp_path / "a.db"
    path.write_bytes(database(view, long, "INSERT INTO long (n) VALUES (1), (5), (7)", people=frame))
    before = path.read_bytes()
    found = read_file(path, "people")
    assert found.parts == ("people", "long") and found.table.names == ("a", "c")
    assert found.notes[1] == "Columns of bytes are left out: b." and found.table.n_missing("a") == 1
    assert read_file(path, "long").table.names == ("n",)
    read_path(path, "From a test", Meta(table="people"))
    assert path.read_bytes() == before and [one.name for one in tmp_path.iterdir()] == ["a.db"]


def test_structures_become_columns_and_exact_numbers_floats():
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    price = pa.array(["1.25", None, "-3.50"]).cast(pa.decimal128(10, 2))
    at = pa.struct([("x", pa.int64()), ("y", pa.int64())])
    place = pa.array(
        [{"town": "Bern", "at": {"x": 1, "y": 2}}, {"town": "Wien", "at": {"x": 3, "y": None}}, None],
        pa.struct([("town", pa.string()), ("at", at)]),
    )
    nested = pa.table({"price": price, "place": place, "tags": pa.array([["a"], [], None])})
    buffers = io.BytesIO(), io.BytesIO()
    parquet.write_table(nested, buffers[0])
    with pa.ipc.new_file(buffers[1], nested.schema) as writer:
        writer.write_table(nested)
    for name, buffer in zip(("a.parquet", "a.arrow"), buffers, strict=True):
        found = read_upload(name, buffer.getvalue())
        assert found.table.names == ("price", "place.town", "place.at.x", "place.at.y")
        np.testing.assert_array_equal(found.table.quantity("price"), [1.25, np.nan, -3.5])
        np.testing.assert_array_equal(found.table.quantity("place.at.y"), [2, np.nan, np.nan])
        assert found.notes == ("Nested columns are left out: tags.",)


def test_altered_bytes_end_in_a_sentence(name):
    rng = np.random.default_rng(0)
    whole = np.frombuffer(MAKE[name](), np.uint8)
    for _ in range(25):
        content = whole.copy()
        content[rng.integers(16, content.size, 4)] = rng.integers(0, 256, 4)
        try:
            read_upload(name, content.tobytes())
        except (DataError, MemoryBudgetError) as error:
            assert "\n" not in str(error)
    with pytest.raises(DataError, match="is damaged"):
        read_upload(name, whole[: whole.size // 2].tobytes())


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.xlsx", database, "named like an Excel workbook, but its bytes are those of an SQLite database"),
        ("a.db", lambda: b"a,b\n1,2\n", "named like an SQLite database, but its bytes are those of text"),
        ("a.csv", feather, "named like text, but its bytes are those of an Arrow file"),
        ("a.xlsx", lambda: zipped([("a.png", b"")]), "its bytes are those of a ZIP archive. Rename it"),
        ("a.xlsx", lambda: b"PK\x03\x04 and so on", "is damaged or cut short: .* Save it again as .xlsx"),
        ("a.xls", lambda: b"\xd0\xcf\x11\xe0" * 9, "is an old Excel workbook, .* Save it as .xlsx"),
        ("a.ods", lambda: zipped([("mimetype", b"")]), "of a kind that is not read. Save it as .xlsx"),
        ("a.xlsx", lambda: b"\xd0\xcf\x11\xe0" * 9, "or one with a password. Save it as .xlsx without"),
        ("a.feather", lambda: b"FEA1" * 9, "of the first version. Save it again, or as Parquet"),
        ("a.db", lambda: database(none=pd.DataFrame({"a": []})), "has no table with rows"),
        ("a.xlsx", lambda: workbook(none=pd.DataFrame()), "has no sheet with rows"),
    ],
)
def test_what_is_no_such_table_is_refused_in_a_sentence(name, content, said):
    if name == "a.xlsx" and "damaged" in said:
        pytest.importorskip("openpyxl")  # without it, workbooks are refused before they are looked at
    with pytest.raises(DataError, match=said):
        read_upload(name, content())


def test_what_expands_beyond_the_limit_is_not_expanded():
    zeros = pd.DataFrame({"a": np.zeros(3_000_000)})
    entities = io.BytesIO(workbook())
    with zipfile.ZipFile(entities, "a") as archive:
        archive.writestr("xl/more.xml", "<!DOCTYPE x [<!ENTITY a 'aaaa'>]>")
    with pytest.raises(DataError, match="it defines XML entities"):
        read_upload("a.xlsx", entities.getvalue())
    datasets.set_memory_limit(20_000_000)
    for compression in ("lz4", "zstd"):
        packed = feather(zeros, compression=compression)
        with pytest.raises(MemoryBudgetError, match=r"a\.feather \(3,000,000 rows\) needs about"):
            read_upload("a.feather", packed)
    with zipfile.ZipFile(entities := io.BytesIO(workbook()), "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", b" " * 30_000_000)
    with pytest.raises(MemoryBudgetError, match=r"a\.xlsx needs about"):
        read_upload("a.xlsx", entities.getvalue())


def test_without_a_reader_of_workbooks(monkeypatch):
    content = workbook()
    for module in ("python_calamine", "openpyxl"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DataError, match=r"needs python-calamine, which is not installed: pip install .rfviz.excel."):
        read_upload("a.xlsx", content)
