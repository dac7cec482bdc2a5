"""Which of the first lines names the columns: each rule where it is right, and on ordinary tables."""

import io

import numpy as np
import pandas as pd
import pytest

from rfviz.datasets.files.upload import read_upload

N = 40
HEAD = "num,val,col\n"
BODY = "".join(f"{i},{i * 1.5},{['red', 'blue'][i % 2]}\n" for i in range(N))
NAMES = [a + b for a in "abcdefgh" for b in "klmno"]
NUMBERED = ("column 1", "column 2", "column 3")
GUESSED = "so it was read as data, and the columns are numbered"
UNKNOWN = "Nothing tells whether the first line names the columns; it was taken for their names."


def read(text, name="a.csv"):
    return read_upload(name, text.encode())


@pytest.mark.parametrize(
    "row",
    [
        lambda i: f"{['red', 'blue', 'green'][i % 3]},{'SML'[i % 3]},{['yes', 'no'][i % 2]}",
        lambda i: f"ID{i:04d},{i * 1.5},{i % 7}",
        lambda i: f"{i if i else '?'},{i * 1.5},{i % 7}",
        lambda i: f"ID{i}  {i * 0.01:.2f}  {i * 0.02:.2f}",
        lambda i: f"{i % 5},Mr. {'ABCDEFGHIJ'[i % 10]} {'klmn'[i // 10]},{20 + i % 30}",
        lambda i: f"{i % 3},{'first' if i == 0 else 'ab'[i % 2]},{i}",
        lambda i: f"2020-01-{i % 28 + 1:02d},{i},x{i}y",
        lambda i: f"${i * 7:,}.50,{i}%,{i}".replace(",", ";"),
        lambda i: f"1853,{i},{i % 4}" if i == 0 else f"{i * 7},{i},{i % 4}",
        lambda i: f"{NAMES[i]},{'XYZ'[i % 3]}{chr(65 + i % 26)}{chr(65 + i // 26)},{'u' * i}",  # nothing in the first
        lambda i: f"{NAMES[i]},{NAMES[(i + 3) % N]},{'w' * (i + 1)}",  # pairs
        lambda i: f"{1990 + i},{1991 + i},{1992 + i}",  # years, but so are those below
    ],
)
def test_a_first_line_like_the_others_is_a_sample(row):
    found = read("".join(row(i) + "\n" for i in range(N)), "a.data")
    assert found.table.names == NUMBERED and found.n_rows == N
    assert any(GUESSED in note for note in found.notes)


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("id,size,town", lambda i: f"{i},{i * 1.5},{['Bern', 'Wien'][i % 2]}"),
        ("town,size,kind", lambda i: f"{['Bern', 'Wien'][i % 2]},{'SML'[i % 3]},x"),
        ("2018,2019,2020", lambda i: f"{i},{i * 3},{i % 5}"),
        ("1990,1991,town", lambda i: f"{i},{i * 3},{['Bern', 'Wien'][i % 2]}"),
        ("country,2010,2015", lambda i: f"land {chr(65 + i % 26)},{i},{i * 3}"),
        ("sample,400.5,402.3", lambda i: f"{i},{i % 7 / 8},{i % 5 / 8}"),
        ("day,5,10", lambda i: f"2020-01-{i % 28 + 1:02d},{i % 7 / 8:.3f},{i % 5 / 8:.3f}"),
        ("place,1/22/20,1/23/20", lambda i: f"place {i},{i},{i * 2}"),
        ("Q1,Q2,Q3", lambda i: f"A{i % 3},B{i % 4},A{i % 5}"),
        ("?,size,town", lambda i: f"{i},{i * 1.5},{['Bern', 'Wien'][i % 2]}"),
        ("name,ISO,town", lambda i: f"{NAMES[i]},{'XYZ'[i % 3]}{chr(65 + i % 26)}{chr(65 + i // 26)},{'u' * (i + 1)}"),
        ("yes,no,kind", lambda i: f"{i},{i % 3},{['yes', 'no'][i % 2]}"),
    ],
)
def test_a_first_line_unlike_the_others_names_the_columns(header, row):
    found = read(header + "\n" + "".join(row(i) + "\n" for i in range(N)))
    assert found.table.names == tuple(header.split(",")) and found.n_rows == N


def test_a_header_is_told_where_it_was_guessed_and_only_there():
    names = "".join(f"{a}{b},{b}{a}\n" for a in "abcdefg" for b in "hijklmn")
    assert read("first,last\n" + names).notes == (UNKNOWN,)
    # A number that is a year, above one column of numbers, may be either.
    populations = "".join(
        f"{a}{b},{i * 0.5}\n" for i, (a, b) in enumerate(zip("abcdefghij", "klmnopqrst", strict=True))
    )
    found = read("state,2022\n" + populations)
    assert (found.table.names, found.notes) == (("state", "2022"), (UNKNOWN,))
    (note,) = read("2018,2019,2020\n" + "".join(f"{i},{i * 3},{i % 5}\n" for i in range(N))).notes
    assert note.startswith("The first line (2018, 2019, 2020) was taken for names of columns")
    assert read(HEAD + BODY).notes == () and read((HEAD + BODY) * 2).table.names == ("num", "val", "col")


def test_headers_of_many_numbers():
    spectra = np.random.default_rng(0).normal(size=(30, 50))
    frame = pd.DataFrame(spectra, columns=[400 + 0.5 * i for i in range(50)])
    assert read(frame.to_csv(index=False)).n_rows == 30
    rising = np.sort(spectra, axis=1)  # samples that rise from column to column, such as quantiles
    assert read(pd.DataFrame(rising).to_csv(index=False, header=False)).n_rows == 30
    assert read(pd.DataFrame(spectra).to_csv(index=False)).table.names[:2] == ("0", "1")


@pytest.mark.parametrize(
    ("above", "n"),
    [
        ("Sales 2023,,\n,,\n", 2),
        ("Sales 2023\n\n", 1),
        ("Sales of 2023, in Bern\n\n", 1),
        ('"Source","a list"\n\n"Updated","2020"\n\n', 2),
    ],
)
def test_titles_above_the_table_are_left_out_and_told(above, n):
    found = read(above + HEAD + BODY)
    assert found.table.names == ("num", "val", "col") and found.n_rows == N
    assert found.notes[0].startswith(f"{n} line{'s' * (n > 1)} above the table")


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "5,,\n" + BODY,  # a sample that lacks most of its values
        "num,,\n" + BODY,  # a header that names one column of three
        ",a,b\n" + BODY,  # the index of pandas
        "a,b\n1,2\n3,\n,5\n6,7\n",
        "a\n1\n2\n3\n4\n",
    ],
)
def test_lines_with_gaps_are_no_titles(text):
    assert read(text).n_rows == text.count("\n") - 1


def test_lines_of_units_and_second_headers_are_no_samples():
    units = read(HEAD + "(s),(m),\n" + BODY)
    assert (units.n_rows, units.table.names) == (N, ("num", "val", "col"))
    assert units.notes == ("1 line below the names holds no sample ((s), (m)) and is left out.",)
    assert read(HEAD + "seconds,metres,\n" + BODY).n_rows == N
    answers = "".join(f"{i},yes,no\n" for i in range(N))
    asked = read("id,What do you like?,\n,Tea,Coffee\n" + answers)
    assert asked.table.names == ("id", "Tea (What do you like?)", "Coffee (What do you like?)") and asked.n_rows == N
    told = read("id,smokes,drinks\n,Response,Response\n" + answers)
    assert told.table.names == ("id", "smokes", "drinks") and told.n_rows == N


def test_headers_of_several_levels_as_pandas_writes_them():
    columns = pd.MultiIndex.from_product([["left", "right"], ["a", "b"]], names=["side", "kind"])
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 4)), columns=columns)
    found = read(frame.to_csv())
    assert found.n_rows == 20 and "a (left)" in found.table.names and "b (right)" in found.table.names
    np.testing.assert_allclose(found.table.values("b (left)"), frame["left", "b"])


@pytest.mark.parametrize(
    "first",
    [
        "?,?,red",  # signs of missing values
        "T,0,red",  # one word, such as a trace of rain, and a number
        ",0.5,red",
        ",,red",
        ",,green",  # the only one of its class
        "x,0.5,green",
    ],
)
def test_a_first_sample_with_gaps_or_a_word_is_a_sample(first):
    assert read(HEAD + first + "\n" + BODY).n_rows == N + 1


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_names_of_several_lines_in_quotation_marks(end):
    text = '"Code\n(region)";"Name";Value\n' + "".join(f"{i};t{i % 7};{i * 2}\n" for i in range(N))
    found = read(text.replace("\n", end))
    assert found.table.names == ("Code (region)", "Name", "Value") and found.n_rows == N
    np.testing.assert_array_equal(found.table.values("Value"), 2 * np.arange(N))


@pytest.mark.parametrize("separator", [";", "|", "\t"])
def test_the_separator_that_a_first_line_tells(separator):
    found = read(f"sep={separator}\n" + (HEAD + BODY).replace(",", separator))
    assert found.table.names == ("num", "val", "col") and found.n_rows == N
    np.testing.assert_array_equal(found.table.values("val"), 1.5 * np.arange(N))
    assert read("sep=x\n1\n2\n3\n").table.names == ("sep=x",)


@pytest.mark.parametrize("rows", [BODY.replace("\n", ",\n"), BODY.replace("\n", ",,\n")])
@pytest.mark.parametrize("header", [HEAD, HEAD.replace("\n", ",\n")])
def test_a_separator_at_the_end_of_each_line_is_no_column(header, rows):
    found = read(header + rows)
    assert found.table.names == ("num", "val", "col") and found.n_rows == N
    assert "A separator ends each line, which is no column." in found.notes
    np.testing.assert_array_equal(found.table.values("val"), 1.5 * np.arange(N))


def test_columns_without_a_name_keep_their_values():
    found = read("num,val,\n" + BODY)
    assert found.table.names == ("num", "val", "column 3") and list(found.table.values("column 3"))[:2] == [
        "red",
        "blue",
    ]
    twice = read("a,a,a.1,a\n" + "".join(f"{i},{i * 2},{i * 3},{i * 4}\n" for i in range(9)))
    assert len(set(twice.table.names)) == 4 and twice.table.names[:1] == ("a",)
    assert [twice.table.values(name)[1] for name in twice.table.names] == [1, 2, 3, 4]


def test_rows_shorter_than_the_line_of_names():
    found = read("a,b,c,d\n" + "".join(f"{i},{i * 2}\n" for i in range(9)))
    assert found.table.names == ("a", "b", "c", "d") and found.table.n_missing("d") == 9


def test_a_frame_that_pandas_writes_comes_back():
    rng = np.random.default_rng(1)
    for n_columns in (1, 2, 5, 12):
        frame = pd.DataFrame(rng.normal(size=(25, n_columns)), columns=[f"x{i}" for i in range(n_columns)])
        frame["kind"] = rng.choice(["a", "b"], 25)
        buffer = io.StringIO()
        frame.to_csv(buffer, index=False)
        found = read(buffer.getvalue())
        assert found.notes == () and found.table.names == tuple(frame.columns)
        np.testing.assert_allclose(found.table.matrix, frame.iloc[:, :-1])
