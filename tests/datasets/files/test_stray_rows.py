"""Rows that are not samples: left out where that is certain, told where it is not, and kept in ordinary tables."""

import numpy as np
import pytest

from rfviz.datasets.files.upload import read_upload

N = 40
HEAD = "num,val,col\n"
BODY = "".join(f"{i},{i * 1.5},{['red', 'blue'][i % 2]}\n" for i in range(N))
TOWNS = [f"town {a}{b}" for a in "abcd" for b in "efghi"]
SALES = "town,shops,sales\n" + "".join(f"{town},{i},{i * 3}\n" for i, town in enumerate(TOWNS, start=1))


def read(text):
    return read_upload("a.csv", text.encode())


@pytest.mark.parametrize("separator", [",", ";"])
def test_a_header_that_is_repeated_is_no_sample(separator):
    found = read(((HEAD + BODY) * 3).replace(",", separator))
    assert found.n_rows == 3 * N
    assert "The line of names occurs again, in rows 41, 82, which are left out." in found.notes
    np.testing.assert_array_equal(found.table.values("num"), np.tile(np.arange(N), 3))
    assert found.table.is_numeric("val")


@pytest.mark.parametrize("again", ["\ufeff" + HEAD, HEAD.upper()])
def test_a_header_of_a_file_that_was_put_behind_another_is_no_sample(again):
    found = read(HEAD + BODY + again + BODY)
    assert found.n_rows == 2 * N and found.table.is_numeric("num")
    assert "The line of names occurs again, in row 41, which is left out." in found.notes


def test_words_that_are_names_of_columns_are_samples():
    # One of them, a table of one column, and a code that keeps its zeros.
    assert read("num,col\n" + "".join(f"{w},x\n" for w in ["num", "a", "b", "num", "c"])).n_rows == 5
    assert read("word\n" + "word\nother\nword\nthird\n").n_rows in (4, 5)
    zips = read("zip,col\n" + "".join(f"0{i},x{i % 2}\n" for i in range(10, 30)) + "zip,col\n")
    assert zips.n_rows == 20 and zips.columns[0].kind != "number"


def test_comments_among_the_rows_are_left_out():
    found = read(HEAD + BODY + "# note\n" + BODY + "# another, later\n".replace(",", ""))
    assert found.n_rows == 2 * N and found.table.is_numeric("num")
    assert "Comments stand among the rows, in rows 41, 82, which are left out." in found.notes
    assert read("tag,n\n" + "".join(f"#{i},{i}\n" for i in range(9))).n_rows == 9
    assert read("tag,n\n" + "".join(f"#{i},{i if i else ''}\n" for i in range(9))).n_rows == 9


@pytest.mark.parametrize(
    "remarks",
    ["Source: the ministry,,\n", '"* estimated",,\n', "\n\nSource: the ministry\n(1) of last year\n", ",,\n,,\n"],
)
def test_remarks_and_empty_rows_below_the_table_are_left_out(remarks):
    found = read(SALES + remarks)
    assert found.n_rows == len(TOWNS) and "below the table" in found.notes[0]


@pytest.mark.parametrize(
    "last",
    [
        "Zug,,\n",  # a sample without values
        "Source: the ministry,5,\n",
        "town zz,7,\nSource: the ministry,,3\n",
    ],
)
def test_samples_with_gaps_are_no_remarks(last):
    assert read(SALES + last).n_rows == len(TOWNS) + last.count("\n")
    texts = [f"a sentence of more than forty letters, number {i}" for i in range(9)]
    reviews = "text,stars,place\n" + "".join(f'"{text}",,\n' for text in texts)
    assert read(reviews).n_rows == 9


@pytest.mark.parametrize("name", ["Total", "TOTAL:", "Grand Total", "Summe", "合计"])
def test_the_sum_of_all_rows_is_left_out_and_told(name):
    found = read(SALES + f"{name},{sum(range(21))},{3 * sum(range(21))}\n")
    assert found.n_rows == len(TOWNS)
    assert any("is the sum of the other rows, and is left out" in note for note in found.notes)
    marked = "town,sales\n" + "".join(f'{town},"{i},500"\n' for i, town in enumerate(TOWNS, start=1))
    assert read(marked + f'{name},"220,000"\n').n_rows == len(TOWNS)
    assert read(marked + f'{name},"221,000"\n').n_rows == len(TOWNS) + 1


def test_a_row_that_is_named_like_a_sum_is_told_and_kept():
    found = read(SALES + "Total,7,9\n")
    assert (
        found.n_rows == len(TOWNS) + 1 and "Row 21 is named “Total”: leave it out if it sums up others." in found.notes
    )
    groups = "".join(f"{year},{sex},{n}\n" for year in range(9) for sex, n in (("f", 2), ("m", 3), ("Total", 5)))
    found = read("year,sex,n\n" + groups)
    assert found.n_rows == 27 and "9 rows are named “Total”: leave them out if they sum up others." in found.notes
    # A brand of petrol.
    brands = "".join(f"{i},{['Shell', 'Total', 'BP'][i % 3]},{[9, 2, 5][i % 3] + i}\n" for i in range(60))
    assert read("id,brand,price\n" + brands).notes == ()
    assert read("id,kind\n" + "".join(f"{i},{['sum', 'mean'][i % 2]}\n" for i in range(9))).notes == ()


def test_columns_of_several_types_are_looked_at():
    rows = "".join(f"{10**30 + i},{['True', ''][i % 2]},{i},x\n" for i in range(9))
    found = read("huge,flag,n,word\n" + rows + ",,,\n")
    assert found.n_rows == 9 and found.columns[0].n_distinct == 9
