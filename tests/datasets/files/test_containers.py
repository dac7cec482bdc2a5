"""Files within files: compressed ones, archives of tables or images, and workbooks of several sheets."""

import bz2
import gzip
import io
import lzma
import tarfile

import numpy as np
import pytest

from rfviz.datasets.files import read_upload
from rfviz.errors import DataError, MemoryBudgetError
from tests.datasets.files.samples import csv, npz, parquet, picture, table, zipped


def tar(members, mode="w:gz"):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def workbook(fill):
    book = pytest.importorskip("openpyxl").Workbook()
    fill(book)
    buffer = io.BytesIO()
    book.save(buffer)
    return read_upload("a.xlsx", buffer.getvalue())


def put(sheet, rows):
    for row in rows:
        sheet.append(list(row))


ROWS = [("num", "val"), *((i, i * 1.5) for i in range(30))]


# --- compressed -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["a.csv.gz", "a.csv.bz2", "a.csv.xz", "a.csv", "a.tar.gz", "a.tgz", "a.tar.xz", "a.tar"]
)
def test_a_compressed_table_is_that_table(name):
    plain, content = read_upload("a.csv", csv()), csv()
    if "tar" in name or "tgz" in name:
        content = tar([("data/a.csv", content), ("data/README.txt", b"about")], "w:")
    pack = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "tar": bytes, "tgz": gzip.compress}
    found = read_upload(name, pack.get(name.rsplit(".", 1)[-1], gzip.compress)(content))
    assert found.columns == plain.columns and found.n_rows == plain.n_rows
    said = " ".join(found.notes)
    assert ("compressed with gzip, which its name does not say" in said) == (name == "a.csv")
    assert ("“data/a.csv” is read; 1 other file skipped" in said) == ("ta" in name or "tgz" in name)


def test_a_name_that_promises_compression_is_told_to_be_wrong():
    found = read_upload("a.csv.gz", csv())
    assert found.n_rows == len(table()) and found.notes[0] == "It is not compressed, although its name says so."


def test_several_xz_streams_in_a_row_are_one_file():
    head, tail = csv()[:500], csv()[500:]
    assert (
        read_upload("a.csv.xz", lzma.compress(head) + lzma.compress(tail)).columns
        == read_upload("a.csv", csv()).columns
    )


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv.xz", lambda: lzma.compress(csv())[:-40], "damaged, or not compressed with xz"),
        ("a.csv.bz2", lambda: bz2.compress(csv())[:-40], "damaged, or not compressed with bzip2"),
        pytest.param(
            "a.csv.xz",
            lambda: lzma.compress(b"1,2,3\n" * 1_000_000, preset=0) * 40,
            "expands to more than",
            marks=pytest.mark.slow,
        ),
        ("a.tar", lambda: tar([("a.png", picture())], "w:"), "holds no table (.*a.png.*)"),
        ("a.tar.gz", lambda: tar([("a.csv", csv())])[:-100], "damaged"),
    ],
)
def test_what_is_compressed_and_cannot_be_read(name, content, said):
    with pytest.raises((DataError, MemoryBudgetError), match=said):
        read_upload(name, content())


def test_a_sparse_member_of_a_tar_is_never_expanded():
    info = tarfile.TarInfo("a.csv")
    info.type, info.size = tarfile.GNUTYPE_SPARSE, 0
    with pytest.raises(DataError):
        read_upload("a.tar", info.tobuf(tarfile.GNU_FORMAT) + b"\0" * 1024)


# --- ZIP archives -----------------------------------------------------------------------------------------------------


def test_a_zip_of_one_table_is_that_table():
    for name, content in (("t.csv", csv()), ("t.parquet", parquet())):
        found = read_upload("a.zip", zipped([("README.md", "x"), (f"in/{name}", content)]))
        assert found.columns == read_upload(name, content).columns and found.stem == "a"
        assert f"Of the archive, “in/{name}” is read; 1 other file skipped." in found.notes


def test_tables_and_one_picture_are_tables():
    found = read_upload(
        "a.zip", zipped([("plot.png", picture()), ("s.csv", b"a,b\n1,2\n3,4\n5,6\n"), ("l.csv", csv())])
    )
    assert found.parts == ("l.csv", "s.csv") and found.n_rows == len(table())
    other = found.other("s.csv")
    assert other.n_rows == 3 and "of which “s.csv” is read" in other.notes[0]


def test_images_next_to_their_labels_are_images():
    found = read_upload("a.zip", zipped([("labels.csv", csv()), *((f"{i}.png", picture(seed=i)) for i in range(5))]))
    assert found.pictures is not None and found.n_rows == 5


def test_a_table_in_an_archive_may_shrink_as_much_as_it_likes_but_not_expand_beyond_the_limit():
    many = b"a,b\n" + b"1,2\n" * 100_000
    assert read_upload("a.zip", zipped([("a.csv", many)])).n_rows == 100_000


def test_images_of_which_nothing_else_is_known_have_no_label():
    stored = npz(X=np.zeros((9, 5, 5), np.uint8) + np.arange(9, dtype=np.uint8)[:, None, None])
    for found in (
        read_upload("a.npz", stored),
        read_upload("a.zip", zipped((f"{name}.png", picture(seed=i)) for i, name in enumerate("abc"))),
    ):
        assert found.table.names == () and found.suggestion.label is None and found.prepare().y is None


def folders(**images):
    return read_upload("a.zip", zipped((name, picture(seed=i)) for i, name in enumerate(images["names"])))


def test_folders_of_one_name_in_two_parents_are_two_classes():
    found = folders(names=[f"all/{a}/{c}/{i}.png" for a in ("greek", "latin") for c in ("01", "02") for i in range(3)])
    assert sorted(set(found.table.words["folder"])) == ["greek/01", "greek/02", "latin/01", "latin/02"]
    plain = folders(names=[f"all/{c}/{i}.png" for c in ("cat", "dog") for i in range(3)])
    assert sorted(set(plain.table.words["folder"])) == ["cat", "dog"]
    unlike = folders(names=[f"{a}/{c}/{i}.png" for a, c in (("pets", "cat"), ("wild", "fox")) for i in range(3)])
    assert sorted(set(unlike.table.words["folder"])) == ["cat", "fox"]


def test_folders_train_and_test_are_a_split():
    names = [
        f"data/{a}/{c}/{i}.png"
        for a in ("test", "train")
        for c in ("cat", "dog")
        for i in range(2 + 2 * (a == "train"))
    ]
    found = folders(names=names)
    assert sorted(set(found.table.words["folder"])) == ["cat", "dog"]
    assert found.table.n_train == 8 and "8 images for training, which come first, from 4 others" in " ".join(
        found.notes
    )
    assert found.pictures.names[0].startswith("data/train/") and found.pictures.names[-1].startswith("data/test/")
    assert found.table.words["folder"].tolist() == ["cat"] * 4 + ["dog"] * 4 + ["cat"] * 2 + ["dog"] * 2
    np.testing.assert_array_equal(
        found.pictures.one(8, (20, 16), True),
        read_upload("b.zip", zipped((f"{i}.png", picture(seed=i)) for i in range(4))).pictures.one(0, (20, 16), True),
    )


# --- workbooks --------------------------------------------------------------------------------------------------------


def test_a_hidden_sheet_is_not_taken():
    def fill(book):
        book.active.title, book.active.sheet_state = "_config", "hidden"
        put(book.active, [("key", "value"), *((f"k{i}", i) for i in range(50))])
        put(book.create_sheet("Data"), ROWS)
        book.active = 1

    found = workbook(fill)
    assert (found.part, found.parts, found.n_rows) == ("Data", ("Data", "_config"), 30)
    assert "1 sheet of the workbook is hidden: “_config”." in found.notes
    assert found.other("_config").n_rows == 50


def test_a_sheet_of_notes_is_not_taken_before_a_table():
    def fill(book):
        put(book.active, [("About",), ("a",), ("b",), ("c",)])
        put(book.create_sheet("Columns"), [("name", "meaning"), *((f"c{i}", f"what {i} means") for i in range(40))])
        put(book.create_sheet("Data"), ROWS)

    assert workbook(fill).part == "Data"
    # One column of numbers is a table; and words are one where there is nothing else.
    assert workbook(lambda book: put(book.active, [("x",), (1,), (2,), (5,)])).table.names == ("x",)
    words = workbook(lambda book: put(book.active, [("a", "b"), *[("x", "y"), ("z", "y")] * 3]))
    assert words.table.names == ("a", "b") and words.n_rows == 6


def test_merged_names_are_joined():
    def fill(book):
        put(book.active, [("Region", "Sales", None, "Costs", None), (None, 2019, 2020, 2019, 2020)])
        put(book.active, [(f"r{i}", i, i * 2, i * 3, i * 4) for i in range(30)])
        book.active.merge_cells("B1:C1")
        book.active.merge_cells("D1:E1")

    found = workbook(fill)
    assert found.table.names == ("Region", "2019 (Sales)", "2020 (Sales)", "2019 (Costs)", "2020 (Costs)")
    assert found.n_rows == 30 and "joined" in " ".join(found.notes)


def test_a_column_without_a_name_does_not_make_the_first_row_one_of_names():
    samples = [(f"r{i}", i, i / 2) for i in range(9)]
    for first in ((), ("r", 1, None)):
        found = workbook(lambda book, first=first: put(book.active, [("id", None, "val"), first, *samples]))
        assert found.table.names == ("id", "column 2", "val") and found.n_rows == 9 + bool(first)


def test_titles_and_empty_rows_are_not_samples():
    found = workbook(lambda book: put(book.active, [("Sales of 2020",), (), *ROWS[:10], (), *ROWS[10:]]))
    assert found.table.names == ("num", "val") and found.n_rows == 30
    assert "Sales of 2020" in " ".join(found.notes)


def test_an_archive_of_another_kind_is_called_by_its_name():
    for name, content, said in (
        ("a.csv", zipped([("[Content_Types].xml", "x")]), "bytes are those of an Excel workbook"),
        ("a.zip", npz(), "bytes are those of an .npz file"),
        ("a.csv", zipped([("a.png", picture())]), "bytes are those of a ZIP archive"),
    ):
        with pytest.raises(DataError, match=said):
            read_upload(name, content)
