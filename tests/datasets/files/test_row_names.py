"""An index without a name, as each format of pandas saves it: left out where it just tells rows apart, else kept."""

import io

import numpy as np
import pandas as pd
import pytest

from rfviz.datasets.files import read_upload

N = 40


def saved(frame, name):
    buffer = io.BytesIO()
    if name == "a.xlsx":
        frame.to_excel(buffer, engine="openpyxl")
    elif name == "a.parquet":
        frame.to_parquet(buffer)
    elif name == "a.feather":
        frame.reset_index(names="__index_level_0__").to_feather(buffer)
    else:
        orient = "index" if name == "rows.json" else "columns"
        buffer.write(frame.to_json(orient=orient, date_format="iso").encode())
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["a.xlsx", "a.parquet", "a.feather", "rows.json", "columns.json"])
@pytest.mark.parametrize(
    ("index", "how"),
    [
        (np.flatnonzero(np.arange(60) % 3), "numbers"),
        ([f"land {number}" for number in range(N)], "names"),
        (pd.date_range("2020", periods=N), ""),
        (range(1980, 1980 + N), ""),
    ],
)
def test_an_index_without_a_name_is_kept_where_it_holds_values(name, index, how):
    frame = pd.DataFrame({"size": np.arange(N) * 1.5, "kind": ["x", "y"] * (N // 2)}, index=list(index))
    found = read_upload(name, saved(frame, name))
    values = [column for column in found.columns if column.name not in frame]
    assert len(values) == (not how) and all(column.n_distinct == N and not column.n_missing for column in values)
    np.testing.assert_array_equal(found.table.values("size"), frame["size"])
    assert any(f"{how} the rows, and is left out." in note for note in found.notes) == bool(how)


def test_a_column_of_numbers_that_has_a_name_stays():
    frame = pd.DataFrame({"rank": range(1, N + 1), "Unnamed: 0": range(N), "size": np.arange(N) * 1.5})
    assert read_upload("a.csv", frame.to_csv(index=False).encode()).table.names == ("rank", "Unnamed: 0", "size")


def test_a_separator_at_the_start_of_each_line_is_no_column():
    rows = "|num|kind|\n" + "".join(f"|{i}|{['red', 'blue'][i % 2]}|\n" for i in range(N))
    found = read_upload("a.txt", rows.encode())
    assert found.table.names == ("num", "kind") and found.n_rows == N
    assert "The first column has no name, holds nothing, and is left out." in found.notes
