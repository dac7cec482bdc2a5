"""Numbers with signs and with marks between thousands."""

import numpy as np
import pandas as pd
import pytest

from rfviz.datasets.files import read_upload
from rfviz.datasets.files.table import table_of_frame
from rfviz.datasets.files.written_numbers import written_numbers


@pytest.mark.parametrize(
    ("cells", "values", "left_out"),
    [
        (["12.5%", "3 %", "-7%"], [12.5, 3, -7], "the sign %"),
        (["$1,234.50", "-$5", "$0"], [1234.5, -5, 0], "the sign $ and the comma between thousands"),
        (["1.234,56 €", "5 €"], [1234.56, 5], "the sign € and the point between thousands"),
        (["1,234", "12,345,678", "1"], [1234, 12345678, 1], "the comma between thousands"),
        (["1,5", "1,234"], [1.5, 1.234], ""),
        (["1\u202f234", "12\u00a0000", "7"], [1234, 12000, 7], "the blank between thousands"),
        (["1’234", "\u221212"], [1234, -12], "the apostrophe between thousands"),
    ],
)
def test_what_people_write_is_read(cells, values, left_out):
    found, note = written_numbers(pd.Series(cells), 0.95)
    np.testing.assert_allclose(found, values)
    assert note == (f"read without {left_out}" if left_out else "")


@pytest.mark.parametrize(
    "cells",
    [
        ["5%", "$5"],
        ["5%", "5"],
        ["a 1", "b 2"],
        ["10:30", "9:15"],
        ["12,34,5", "1"],
        ["v1.2", "v1.3"],
        ["1-2", "3-4"],
        ["1.2.3", "1.2.4"],
    ],
)
def test_what_is_no_single_kind_of_number_is_none(cells):
    assert written_numbers(pd.Series(cells), 0.95) is None


def test_few_odd_cells_count_as_missing_and_codes_stay_words():
    prices = [f"${number:,}" for number in range(1000, 1099)]
    price, code = table_of_frame(pd.DataFrame({"price": [*prices, "ask"], "code": ["01,234", "1,234"] * 50})).columns
    assert (price.kind, price.n_missing) == ("number", 1)
    assert price.note == (
        "read without the sign $ and the comma between thousands; has 1 cell that is no number (such as 'ask') "
        "and counts as missing"
    )
    assert code.kind == "category"


def test_a_file_of_them_can_be_used():
    rows = "".join(f'{i}.5%,"${1000 + 7 * i * i:,}",{"ab"[i % 2]}\n' for i in range(30))
    upload = read_upload("shop.csv", f"share,price,label\n{rows}".encode())
    dataset = upload.prepare(upload.suggestion.replace({"scale": "none"}))
    assert dataset.n_features == 2 and dataset.target_names == ("a", "b")
    assert dataset.X[:, 1].max() == 1000 + 7 * 29 * 29
