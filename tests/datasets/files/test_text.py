"""Tables in text: an upload and a file of the data folder give the same table, or the same sentence."""

import codecs
import gzip
import io
import json

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.datasets.files import content, formats
from rfviz.datasets.files.content import File
from rfviz.datasets.files.meta import Meta
from rfviz.datasets.files.suggest import LABELS, ORDERS, first_named
from rfviz.datasets.files.text import text_layout
from rfviz.datasets.files.upload import read_path, read_upload
from rfviz.errors import DataError, MemoryBudgetError


@pytest.fixture(params=["upload", "path"])
def read(request, tmp_path):
    """Return ``read(content, name)``, which reads a file in memory, or one at a path."""

    def read(content, name="a.csv", meta=None):
        content = content if isinstance(content, bytes) else content.encode("utf-8")
        if request.param == "upload" and meta is None:
            return read_upload(name, content)
        (tmp_path / name).write_bytes(content)
        return read_path(tmp_path / name, "From a test", meta or Meta())

    return read


def _values(upload):
    """Return the columns of numbers, and the words of the others."""
    return {
        name: values.tolist() if isinstance(values := upload.table.values(name), np.ndarray) else list(values)
        for name in upload.table.names
    }


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " , "])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_separators_and_ends_of_lines(read, separator, end, start):
    lines = ["u,Label,v,Frame", "1,cat,2.5,7", "3,dog,4,8", "5,cat,6,9"]
    found = read(start + end.join(lines).replace(",", separator) + end)
    assert _values(found) == {
        "u": [1, 3, 5],
        "Label": ["cat", "dog", "cat"],
        "v": [2.5, 4, 6],
        "Frame": [7, 8, 9],
    }
    assert (found.suggestion.label, found.suggestion.order) == ("Label", "Frame")


@pytest.mark.parametrize(
    ("text", "names", "first"),
    [
        ("# made by hand\n# of 2020, of us\na,b\n1,2\n3,4\n5,6\n", ["a", "b"], [1, 3, 5]),
        ("% of Octave\n\n1 2\n3 4\n5 6\n", ["column 1", "column 2"], [1, 3, 5]),
        ("#id,size\n1,2\n3,4\n5,6\n", ["#id", "size"], [1, 3, 5]),
        ("name,size\n#1,2\n#2,4\n#3,6\n", ["name", "size"], ["#1", "#2", "#3"]),
        ("#1,2\n#2,4\n#3,6\n#4,8\n", ["column 1", "column 2"], ["#1", "#2", "#3", "#4"]),
        ("a  b\n 1   2\n3 4 \n5 6\n", ["a", "b"], [1, 3, 5]),
        ("some words\nthree of them here\nand these two\nand no more\n", ["some words"], None),
    ],
    ids=["comments", "Octave", "names", "data", "all", "blanks", "words"],
)
def test_comments_above_the_table_and_blanks_between_its_cells(read, text, names, first):
    found = read(text)
    assert list(found.table.names) == names
    assert first is None or list(found.table.values(names[0])) == first


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"])
def test_encodings(read, encoding):
    # The one letter that is not ASCII stands behind the first block that is looked at.
    long = "x" * 97
    text = "a,kind\n" + f"1,{long}\n" * 12_000 + "2,größe\n"
    found = read(text.encode(encoding))
    assert list(found.table.values("kind").categories) == ["größe", long]
    assert bool(found.notes) == (encoding not in ("utf-8", "utf-8-sig"))


@pytest.mark.parametrize(
    ("header", "label", "order"),
    [
        ("x,y,label", "label", None),
        ("x,y", "y", None),
        ("X, Target ,TIME", "Target", "TIME"),
        ("a,target,index,order", "target", "order"),
        ("a,b", None, None),
    ],
)
def test_roles_of_columns_by_their_names(read, tmp_path, header, label, order):
    n_columns = len(header.split(","))
    content = header + "\n" + "".join(",".join(str(i + k) for k in range(n_columns)) + "\n" for i in range(3))
    found = read(content).suggestion
    assert (found.label, found.order) == (label, order)
    # The header alone says the same.
    (tmp_path / "b.csv").write_text(content)
    names = [name.strip() for name in text_layout(File.at(tmp_path / "b.csv")).header]
    assert (first_named(names, LABELS), first_named(names, ORDERS)) == (label, order)


def test_without_names(read):
    found = read("1,2\n3,4\n5,\n")
    np.testing.assert_array_equal(found.table.matrix, [[1, 2], [3, 4], [5, np.nan]])
    assert found.table.names == ("column 1", "column 2") and found.suggestion.label is None
    assert read("1,,2\n3,4,5\n6,7,8\n").table.matrix.shape == (3, 3)


def test_names_of_the_sidecar_for_columns_without(read):
    meta = Meta(feature_names=("u", "v"))
    assert read("1,2\n3,4\n5,6\n", meta=meta).table.names == ("u", "v")
    assert read("1,2,3\n3,4,5\n5,6,7\n", meta=meta).table.names == ("column 1", "column 2", "column 3")
    assert read("a,b\n3,4\n5,6\n7,8\n", meta=meta).table.names == ("a", "b")


N_ROWS = 40
RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("index", "how"),
    [
        (range(N_ROWS), "numbers"),
        (range(1, N_ROWS + 1), "numbers"),
        (RNG.permutation(N_ROWS), "numbers"),  # shuffled
        (RNG.choice(500, N_ROWS, replace=False), "numbers"),  # drawn
        (np.flatnonzero(np.arange(60) % 3), "numbers"),  # filtered
        ([f"land {number}" for number in range(N_ROWS)], "names"),
        ([f"Digit {number % 9}" for number in range(N_ROWS)], ""),
        (range(1980, 1980 + N_ROWS), ""),
        (range(0, 10 * N_ROWS, 10), ""),
        (pd.date_range("2020", periods=N_ROWS), ""),
        (pd.date_range("2020", periods=N_ROWS).strftime("%Y%m%d"), ""),
        (np.arange(N_ROWS) / 8, ""),
        ([number % 5 for number in range(N_ROWS)], ""),
        ([None, *range(1, N_ROWS)], ""),
    ],
)
def test_a_first_column_without_a_name_is_left_out_only_where_it_just_tells_rows_apart(read, index, how):
    frame = pd.DataFrame({"a": np.arange(N_ROWS) * 1.5, "b": 1}, index=index)
    found = read(frame.to_csv())
    assert found.table.names == (("a", "b") if how else ("column 1", "a", "b")) and found.n_rows == N_ROWS
    said = f"has no name, {how} the rows, and is left out." if how else "it is kept as “column 1”."
    assert any(note.startswith("The first column") and note.endswith(said) for note in found.notes)
    # Saved twice: pandas has given it a name.
    twice = read(pd.read_csv(io.StringIO(frame.to_csv())).to_csv())
    assert twice.table.names == (("a", "b") if how else ("Unnamed: 0", "a", "b"))
    np.testing.assert_array_equal(twice.table.values("a"), frame["a"])


def test_a_first_column_of_one_that_has_no_name_is_kept(read):
    assert read("\n" + "".join(f"{number}\n" for number in range(9))).n_rows == 9
    assert read(pd.DataFrame(np.eye(3)).to_csv()).table.matrix.tolist() == np.eye(3).tolist()
    assert read(pd.DataFrame(np.eye(3)).to_csv(index=False)).table.matrix.tolist() == np.eye(3).tolist()


@pytest.mark.parametrize(("separator", "mark"), [(" ", '"'), ("\t", '"'), (",", ""), (";", '"')])
@pytest.mark.parametrize("named", [lambda i: f"Car {i}" if i else "Car", lambda i: f"{i + 1}"])
def test_tables_that_r_writes_with_names_of_rows(read, separator, mark, named):
    rows = [[f"{mark}{cell}{mark}" for cell in ("mpg", "kind")]]
    rows += [[f"{mark}{named(i)}{mark}", f"{i * 1.5}", f"{mark}{['a b', 'c'][i % 2]}{mark}"] for i in range(N_ROWS)]
    found = read("".join(separator.join(row) + "\n" for row in rows))
    assert found.table.names == ("mpg", "kind") and found.n_rows == N_ROWS
    np.testing.assert_array_equal(found.table.values("mpg"), 1.5 * np.arange(N_ROWS))
    assert list(found.table.values("kind"))[:2] == ["a b", "c"]
    assert any("one fewer than the others have cells" in note for note in found.notes)
    assert any("has no name" in note and "is left out" in note for note in found.notes)


def test_a_line_of_too_few_names_is_refused_where_the_first_column_does_not_name_the_rows(read):
    with pytest.raises(DataError, match="more cells than the first line has names"):
        read("x,y,z\n" + "".join(f"{i % 3},{i},{i * 2},{i % 4}\n" for i in range(N_ROWS)))


@pytest.mark.parametrize("marks", ["''", "``", "‘’", "“”", "„“", "«»"])
def test_quotation_marks_that_all_cells_of_a_column_have_are_not_values(read, marks):
    quoted = marks[0] + "{}" + marks[1]
    header = ",".join(map(quoted.format, ("age", "sex", "n", "code")))
    rows = []
    for i in range(N_ROWS):
        age, sex, code = map(quoted.format, (f"{i}-{i + 4}", "MF"[i % 2], i % 3))
        rows.append(f"{age},{sex},{i},{code}")
    found = read("\n".join([header, *rows]) + "\n")
    assert found.table.names == ("age", "sex", "n", "code")
    assert [column.kind for column in found.columns] == ["text", "category", "number", "number"]
    assert list(found.table.words["sex"])[:2] == ["M", "F"] and found.table.values("code")[:4].tolist() == [0, 1, 2, 0]
    assert any(f"Cells stand between {marks[0]} and {marks[1]}" in note for note in found.notes)
    assert read("\n".join(rows) + "\n").n_rows == N_ROWS


def test_single_quotation_marks_hold_separators_and_apostrophes(read):
    rows = [f"'{i}, {i + 4}',{i},{['yes', 'no'][i % 2]}\n" for i in range(N_ROWS)]
    found = read("'ages',n,sure\n" + "".join(rows))
    assert found.table.names == ("ages", "n", "sure") and found.table.head["ages"][0] == "0, 4"
    words = [r"'it\'s'", "'he''s'", "'you're'"]
    found = read("w,n\n" + "".join(f"{words[i % 3]},{i}\n" for i in range(N_ROWS)))
    assert list(found.table.values("w"))[:3] == ["it's", "he's", "you're"]


def test_apostrophes_are_not_quotation_marks(read):
    words = ["'t Hooft", "rock 'n'", "d'Alembert", "the '60s'"]
    found = read("w,n\n" + "".join(f"{words[i % 4]},{i}\n" for i in range(N_ROWS)))
    assert list(found.table.values("w"))[:4] == words and found.notes == ()
    # A few cells in quotation marks among others have them for themselves.
    found = read("w,n\n" + "".join(f"{'plain' if i % 4 else chr(39) + 'so' + chr(39)},{i}\n" for i in range(N_ROWS)))
    assert list(found.table.values("w"))[:2] == ["'so'", "plain"]


def test_numbers_of_every_form(read):
    found = read(f"a,b,c,d,y\n1e999,True,18446744073709551616,,1\n-1e-400,False,1,nan,\n{10**30},True,2,3,2\n")
    table = found.table
    np.testing.assert_array_equal(table.values("a"), [np.inf, 0, 1e30])
    np.testing.assert_array_equal(table.values("c"), [2.0**64, 1, 2])
    np.testing.assert_array_equal(table.values("d"), [np.nan, np.nan, 3])
    assert list(table.values("b")) == ["True", "False", "True"] and table.is_numeric("b")
    assert [table.n_missing(name) for name in table.names] == [1, 0, 0, 2, 1]


def test_labels_of_every_kind(read):
    def labels(column):
        found = read("a,y\n" + "".join(f"{i},{word}\n" for i, word in enumerate(column)))
        return found.prepare().target_names, found.prepare().y.tolist()

    assert labels(["True", "False", "True"]) == (("False", "True"), [1, 0, 1])
    assert labels(["b", "", "a", "b"]) == (("a", "b"), [1, 0, 1])
    assert labels(["10", "9", "", "10"]) == (("9", "10"), [1, 0, 1])
    assert labels(["1.5", "2.5", "3"]) == ((), [1.5, 2.5, 3])


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ("", ["is empty"]),
        ("\n \n\n", ["holds no text"]),
        ("a,b\n", ["has a single line"]),
        ("a,b\n\n\n \n", ["has a single line"]),
        ("a,b\n1,2\n3,4\n", ["has 2 rows, and at least 3 are needed"]),
        ("a,b\n1,2\n3,4,5\n", ["line 3 has 3 cells, and those before have 2"]),
        ("a,b\n1,2,3\n4,5,6\n", ["the rows have more cells than the first line has names"]),
        ('a,b\n1,"2\n', ["a quotation mark is opened and never closed"]),
        (codecs.BOM_UTF32_LE + b"a,b\n1,2\n3,", ["begins like UTF-32, but is not"]),
        (b"\xff\xfea,b\n1,2\n3", ["begins like UTF-16, but is not"]),
        (b"\x1f\x8b\x08\x00", ["compressed with gzip"]),
        (b"a,b\n1,\x00\n", ["it holds 1 control characters"]),
        (b"a,b\n" + b"1,2\n" * 400_000 + b"1,\x00\n", ["it holds 1 control characters"]),
        ("<!DOCTYPE html><html>\n<body>please log in</body>\n</html>\n", ["is a web page (HTML)"]),
        ("\n <HTML>\n<body>\n<p>\n</body>", ["is a web page (HTML)"]),
        ("<?xml version='1.0'?>\n<r>\n<a/>\n</r>\n", ["is an XML document. Save the table as CSV"]),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", ["git lfs pull"]),
        (b"a" * 17_000_000, ["a first line of more than 16,777,216 characters"]),
    ],
)
def test_bad_text_is_one_sentence(read, content, texts):
    with pytest.raises(DataError) as caught:
        read(content)
    message = str(caught.value)
    assert "a.csv" in message and "\n" not in message and message.endswith(".") and len(message) < 500, message
    for text in texts:
        assert text in message, message


@pytest.mark.slow
def test_more_columns_than_an_upload_may_have(tmp_path):
    wide = ",".join(f"c{i}" for i in range(20_001)) + "\n" + ("1," * 20_000 + "2\n") * 3
    with pytest.raises(DataError, match="20,001 columns, and at most 20,000 are read"):
        read_upload("wide.csv", wide.encode())
    (tmp_path / "wide.csv").write_text(wide)
    assert read_path(tmp_path / "wide.csv", "x", Meta()).table.matrix.shape == (3, 20_001)


@pytest.mark.slow
def test_a_header_of_more_than_a_megabyte(tmp_path):
    names = [f"a rather long name of a column, as of a gene, {i}" for i in range(21_000)]
    pd.DataFrame(np.ones((4, 21_000)), columns=names).to_csv(tmp_path / "wide.csv", index=False)
    assert read_path(tmp_path / "wide.csv", "x", Meta()).table.names == tuple(names)


def test_text_is_bounded_before_it_is_read(read, monkeypatch):
    datasets.set_memory_limit(300_000)
    monkeypatch.setattr(pd, "read_csv", lambda *a, **k: pytest.fail("read before the check"))
    with pytest.raises(
        MemoryBudgetError, match=r"a\.csv \(10,002 lines\) needs about (400.1|800.2) kB.*Save fewer rows"
    ):
        read("a,b\n" + "1,2\n" * 10_000)


def test_words_of_a_large_file_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "MAX_BYTES", 100)
    path = tmp_path / "a.csv"
    path.write_text("size,colour,label\n" + "1,red,x\n2,blue,y\n" * 20)
    with pytest.raises(DataError, match=r"above 100 bytes only numbers are read.*: 'colour' \(such as 'red'\)\. Drop"):
        read_path(path, "x", Meta())
    path.write_text("size,label\n" + "1,x\n2,y\n" * 20)
    assert read_path(path, "x", Meta()).suggestion.label == "label"


def test_an_upload_of_too_many_bytes(monkeypatch):
    monkeypatch.setattr(content, "MAX_BYTES", 1000)
    with pytest.raises(DataError, match="and a file may have at most"):
        read_upload("a.csv", b"x" * 1001)


def test_missing_file(tmp_path):
    for name in ("a.csv", "a.parquet", "a.npz"):
        with pytest.raises(DataError, match=rf"{name} was removed or renamed"):
            read_path(tmp_path / name, "x", Meta())


def test_a_first_line_that_is_a_sample_with_words_is_no_header():
    rows = "".join(f"{i}.5,{i % 7},{'red' if i % 2 else 'blue'}\n" for i in range(30))
    upload = read_upload("plain.csv", rows.encode())
    assert upload.n_rows == 30 and [c.name for c in upload.columns] == ["column 1", "column 2", "column 3"]
    named = read_upload("named.csv", ("1990,1991,town\n" + rows).encode())
    assert named.n_rows == 30 and [c.name for c in named.columns] == ["1990", "1991", "town"]


def test_cells_of_many_lines_do_not_hide_the_separator():
    rows = "".join(f'{i},"hours:\n9~12\n13~17\nclosed\n",{i * 2}\n' for i in range(40))
    found = read_upload("a.csv", ("id,text,n\n" + rows).encode())
    assert found.table.names == ("id", "text", "n") and found.n_rows == 40


def test_zeros_in_front_stay():
    text = "zip,size\n" + "".join(f"{1081 * (i + 1):05d},{i}\n" for i in range(40))
    column, _ = read_upload("towns.csv", text.encode()).columns
    assert column.kind != "number" and "01081" in column.span


def test_whole_numbers_that_no_float_holds_stay_apart():
    long = "".join(f"{15 * 10**17 + i},{2**63 + i},{10**30 + i},{i},{i % 3}\n" for i in range(60))
    upload = read_upload("ids.csv", ("tweet,hash,huge,x,label\n" + long).encode())
    tweet, hashed, huge, _, _ = upload.columns
    assert tweet.n_distinct == hashed.n_distinct == huge.n_distinct == 60
    assert (tweet.kind, hashed.kind, huge.kind) == ("number", "number", "text")
    assert np.isfinite(upload.prepare().X).all()


def test_text_of_many_words_is_seen_by_a_part_of_it():
    n = 60_000
    text = "name,town,x\n" + "".join(f"name {i},{'abc'[i % 3] if i % 5 else '?'},{i}\n" for i in range(n))
    name, town, _ = read_upload("people.csv", text.encode()).columns
    assert name.kind == "text" and name.n_distinct > 1000 and name.n_missing == 0
    assert town.kind == "category" and town.n_distinct == 3 and town.n_missing == n // 5


@pytest.mark.parametrize(
    ("cells", "odd"),
    [
        (lambda i: f"{'$€'[i % 2]}{i}", "holds amounts in several currencies ($ and €)"),
        (lambda i: ("2021-04-%02d", "%02d/04/2021")[i % 2] % (i % 28 + 1), "holds dates written in several ways"),
        (lambda i: f"${i}", ""),
        (lambda i: f"2021-04-{i % 28 + 1:02d}", ""),
        (lambda i: f"word {i}", ""),
    ],
)
def test_cells_that_are_written_in_several_ways_are_said_to_be(cells, odd):
    column, _ = read_upload("odd.csv", ("c,x\n" + "".join(f"{cells(i)},{i}\n" for i in range(80))).encode()).columns
    assert column.odd == odd


def test_a_table_that_is_compressed_or_written_as_json_is_that_table():
    frame = pd.DataFrame({"a": [1.5, 2, 4, 8], "b": list("xyxy"), "label": [0, 1, 0, 1]})
    plain = read_upload("t.csv", frame.to_csv(index=False).encode())
    packed = read_upload("t.csv.gz", gzip.compress(frame.to_csv(index=False).encode()))
    lines = frame.to_json(orient="records", lines=True).encode()
    for other in (packed, read_upload("t.jsonl", lines), read_upload("t.jsonl.gz", gzip.compress(lines))):
        assert other.columns == plain.columns and other.stem == "t"
        np.testing.assert_array_equal(other.prepare().X, plain.prepare().X)
    arrays = (
        frame.to_json(orient="records"),
        frame.to_json(orient="records", indent=1),
        frame.to_json(),
        json.dumps({"rows": json.loads(frame.to_json(orient="records"))}),
        json.dumps(frame.to_dict(orient="list")),
        lines.decode(),
    )
    for text in arrays:
        other = read_upload("t.json", text.encode())
        assert other.columns == plain.columns
        np.testing.assert_array_equal(other.prepare().X, plain.prepare().X)
    nested = read_upload("n.jsonl", b'{"a": 1, "b": {"c": 2}}\n{"a": 2}\n\n{"a": 5, "d": [1]}\n')
    assert [c.name for c in nested.columns] == ["a"] and nested.notes == ("Nested columns are left out: b, d.",)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("bomb.csv.gz", lambda: gzip.compress(b"1,2,3\n" * 1_000_000, 1) * 40, "expands to more than"),
        (
            "cut.csv.gz",
            lambda: gzip.compress(b"a,b\n" + b"1,2\n" * 900)[:-20],
            "is damaged, or not compressed with gzip",
        ),
        ("twice.csv.gz", lambda: gzip.compress(gzip.compress(b"a,b")), "is compressed twice. Unpack it first"),
        ("mixed.jsonl", lambda: b'{"a": 1}\n[3, 4]\n[5, 6]\n', "line 2 is not a JSON object"),
        ("cut.jsonl", lambda: b'{"a": 1}\n{"a": \n', "line 2 is not a JSON value"),
        ("deep.jsonl", lambda: b'{"a": ' + b"[" * 200_000, "is damaged, or not JSON with one object per row"),
        ("a.json", lambda: b"[]", "holds no numbers or words"),
        ("b.json", lambda: b'[{"a": 1}, 2]', "item 2 of the array is not a JSON object"),
        ("c.json", lambda: b'{"a": [1, 2], "b": [1]}', "nor of lists that are equally long"),
        ("d.json", lambda: b"3", "is named like JSON, but begins with '3'"),
        ("a.feather", lambda: b"ARROW1\0\0", "is damaged, or not an Arrow file"),
        ("a.db", lambda: b"SQLite format 3\0", "is damaged, or not an SQLite database"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_remedy(name, content, said):
    with pytest.raises(DataError, match=said) as caught:
        read_upload(name, content())
    assert str(caught.value).startswith(name.removesuffix(".gz"))
