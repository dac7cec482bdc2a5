"""What a column holds is decided by the column: missing words, dates, numbers, names, long whole numbers."""

import io
import json
import sqlite3
from datetime import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from rfviz.datasets.files import Preparation, PreparedRows, read_file, read_upload
from rfviz.datasets.files.upload import upload_of_frame
from rfviz.errors import DataError

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("pyarrow.ipc")
pytest.importorskip("openpyxl")
N = 60


def column(cells, name="c"):
    """Return the column of a table in memory that holds these cells, and its table."""
    upload = upload_of_frame(pd.DataFrame({name: cells, "v": range(len(cells))}))
    return upload.columns[0], upload.table


def written(cells):
    """Return the same cells as read from CSV, JSON and a workbook."""
    frame = pd.DataFrame({"c": cells, "v": range(len(cells))})
    yield read_upload("a.csv", frame.to_csv(index=False).encode()).columns[0]
    yield read_upload("a.json", frame.to_json(orient="records").encode()).columns[0]
    book = io.BytesIO()
    frame.to_excel(book, index=False, engine="openpyxl")
    yield read_upload("a.xlsx", book.getvalue()).columns[0]


# --- words for a missing value ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ("+ -", ""),
        ("- + 0", ""),
        ("- + ++ trace", ""),
        ("− - +", ""),
        ("- yes no", "-"),
        ("- x", "-"),
        ("-- no", "--"),
        ("NA NO NE", ""),
        ("NA CAN USA", "NA"),
        ("NA yes no", "NA"),
        ("NA A SA", "NA"),
        ("NA TA Gd Ex", "NA"),
        ("NAN MAG HGU", ""),
        ("NA OK", "NA"),
        ("Na K", ""),
        ("None Minor Major", ""),
        ("None red blue", "None"),
        ("none mild severe", ""),
        ("None True False", "None"),
        ("UNKNOWN DELTA MILITARY", ""),
        ("unknown known", ""),
        ("Null Smith Nan None", ""),
        ("null smith", "null"),
        ("NULL SMITH", "NULL"),
        ("nan red blue", "nan"),
        ("NaN Red Blue", "NaN"),
        ("? + -", "?"),
        ("n/a red n.a.", "n/a n.a."),
        ("N/A USA CAN", "N/A"),
        (r"\N USA CAN Peru", r"\N"),
        (". red blue", "."),
        (". + -", ""),
        ("#VALUE! red #DIV/0! blue #REF!", "#VALUE! #DIV/0! #REF!"),
    ],
)
def test_a_word_is_missing_unless_it_is_written_like_the_others(words, missing):
    words, missing = words.split(), missing.split()
    cells = [words[i % len(words)] for i in range(N)]
    found, table = column(cells)
    assert set(table.words["c"].categories) == set(words) - set(missing)
    n_missing = sum(map(cells.count, missing))
    for one in (found, *written(cells)):
        assert (one.kind, one.n_distinct, one.n_missing) == ("category", len(words) - len(missing), n_missing)


@pytest.mark.parametrize("gap", [".", "#DIV/0!", "#NUM!", "1.#IND", "-1.#INF"])
def test_signs_of_programs_that_a_fourth_of_all_numbers_have_are_gaps(gap):
    for found in written([gap if i % 4 == 0 else str(i) for i in range(N)]):
        assert (found.kind, found.n_missing) == ("number", len(range(0, N, 4)))


def test_a_word_that_may_mean_a_gap_is_told_and_a_sign_is_not():
    cells = ["None", "Minor", "Major"] * 20
    assert column(cells)[0].odd == "holds “None” in 20 cells, which counts as a word like the others"
    assert column(["None", "red", "blue"] * 20)[0].odd == ""
    assert column(["+", "-"] * 30)[0].odd == ""
    two = column(["None", "Unknown", "Minor", "Major", "Severe"] * 12)[0].odd
    assert two == "holds “None” in 12 cells and “Unknown” in 12 cells, which count as words like the others"


@pytest.mark.parametrize("mark", ["-", "NA", "None", "unknown", "?", "n.a."])
def test_among_numbers_and_dates_such_words_are_missing(mark):
    for cells in ([str(i) for i in range(50)], [f"2020-01-{i % 28 + 1:02d}" for i in range(50)]):
        found, _ = column([mark] * 20 + cells)
        assert found.kind in ("number", "date") and found.n_missing == 20 and not found.odd
        assert all(other.n_missing == 20 for other in written([mark] * 20 + cells))


@pytest.mark.parametrize("n", [300, 45_000])
@pytest.mark.parametrize("dtype", ["str", object])
def test_gaps_in_free_text_are_counted_once_and_everywhere_alike(n, dtype):
    cells = pd.Series(
        ["-" if i % 3 == 0 else " ? " if i % 50 == 1 else f"some words, {i}" for i in range(n)], dtype=dtype
    )
    found, table = column(cells)
    gaps = cells.str.strip().isin(["-", "?"])
    assert found.kind == "text" and found.n_missing == gaps.sum()
    np.testing.assert_array_equal(pd.isna(table.texts["c"]), gaps)
    np.testing.assert_array_equal(pd.factorize(table.texts["c"])[0] < 0, gaps)


def test_other_rows_of_a_table_in_parts_have_the_same_words(tmp_path, monkeypatch):
    monkeypatch.setattr("rfviz.datasets.files.parts.SAMPLE_ROWS", 40)
    country = ["NA", "NO", "NE", "-", None] * 12
    for part in range(3):
        pd.DataFrame({"c": country, "x": np.arange(N) / 7}).to_parquet(tmp_path / f"{part}.parquet")
    dataset = read_file(tmp_path).prepare(Preparation(scale="none", missing="impute"))
    X = np.concatenate([batch.X for batch in PreparedRows(dataset).batches()])
    for word in ("NA", "NO", "NE"):
        own = X[:, dataset.feature_names.index(f"c={word}")] == 1
        np.testing.assert_array_equal(
            own[np.isin(country * 3, ["NA", "NO", "NE"])], np.array(["NA", "NO", "NE"] * 36) == word
        )


# --- dates ------------------------------------------------------------------------------------------------------------

DAYS = [datetime(1999, 1, 3, 5, 7, 9).replace(year=1999 + i % 21, month=i % 12 + 1, day=i % 28 + 1) for i in range(N)]


@pytest.mark.parametrize(
    "form",
    [
        "%d/%m/%Y %H:%M",
        "%m/%d/%Y %I:%M:%S %p",
        "%d.%m.%Y %H:%M:%S",
        "%d-%m-%Y",
        "%m/%d/%y",
        "%d-%b-%Y",
        "%b %d %Y",
        "%b %d, %Y",
        "%B %d, %Y",
        "%A, %d %B %Y",
        "%d.%m.%y",
        "%a, %d %b %Y %H:%M:%S +0000",
        "%a %b %d %H:%M:%S +0000 %Y",
        "%a, %d %b %Y %H:%M:%S GMT",
        "%Y%m%d",
        "%Y/%m/%d %H:%M",
        "%Y-%m-%dT%H:%M:%SZ",
        "%Y-%m-%d %H:%M:%S.%f",
        "%d%b%Y",
        "%Y-%m-%d%H:%M:%S",
        "%d %b %y",
        "%m-%d-%Y",
    ],
)
def test_dates_in_one_form_are_dates(form):
    found, table = column([day.strftime(form) for day in DAYS])
    assert found.kind == "date" and found.n_missing == 0 and "several ways" not in found.note
    truth = np.array([datetime.strptime(day.strftime(form), form) for day in DAYS], dtype="M8[s]").astype(float)
    np.testing.assert_array_equal(table.values("c"), truth)


def test_digits_cut_short_and_single_digits_are_read_too():
    found, table = column([f"{day.day}/{day.month}/{day.year} {day.hour}:{day.minute:02d}" for day in DAYS])
    assert found.kind == "date"
    np.testing.assert_array_equal(
        table.values("c"), np.array([day.replace(second=0) for day in DAYS], dtype="M8[s]").astype(float)
    )


def test_the_column_says_whether_the_day_or_the_month_comes_first():
    for form in ("%d/%m/%Y", "%m/%d/%Y"):
        cells = [day.strftime(form) for day in DAYS]
        # Days up to the twelfth come first, so that no single cell tells.
        cells.sort(key=lambda cell: max(map(int, cell.split("/")[:2])) > 12)
        found, table = column(cells)
        truth = np.array([datetime.strptime(cell, form) for cell in cells], dtype="M8[s]").astype(float)
        assert found.kind == "date" and found.odd == ""
        np.testing.assert_array_equal(table.values("c"), truth)


def test_where_no_cell_tells_which_comes_first_it_is_said():
    cells = [f"{i % 12 + 1:02d}/{i % 11 + 1:02d}/2020" for i in range(N)]
    found, table = column(cells)
    assert found.odd == "is read with the day first, but could be with the month first"
    truth = np.array([datetime.strptime(cell, "%d/%m/%Y") for cell in cells], dtype="M8[s]").astype(float)
    np.testing.assert_array_equal(table.values("c"), truth)
    # The same day of each month, over years, and a day and a month that are alike.
    found, table = column([f"{i % 12 + 1}/1/{2015 + i // 12}" for i in range(N)])
    assert set(pd.to_datetime(table.values("c"), unit="s").day) == {1}
    assert column([f"{i % 12 + 1:02d}/{i % 12 + 1:02d}/2020" for i in range(N)])[0].odd == ""


def test_years_of_two_digits_are_not_far_ahead():
    cells = [f"7/{i % 28 + 1}/{(1962 + i % 45) % 100:02d}" for i in range(N)]
    found, table = column(cells)
    assert found.span.startswith("1962-07") and found.span[14:18] == "2006"
    assert pd.to_datetime(table.values("c"), unit="s").year.tolist() == [1962 + i % 45 for i in range(N)]


@pytest.mark.parametrize(
    "cell",
    [
        lambda i: f"1005-{i % 12:02d}-073-{9000 + i}",
        lambda i: f"{i % 12 + 1}.{i % 28 + 1}.{i % 7}",
        lambda i: f"{i % 5}-{i % 7}",
        lambda i: f"{i % 24}:{i % 60:02d}",
        lambda i: f"555-{1000 + i}",
        lambda i: f"Room {i % 12}, May 3 2020",
        lambda i: f"{i % 9 + 1}/{i % 5 + 1}",
        lambda i: f"{i % 28 + 1}.{i % 12 + 1},2020",
        lambda i: f"2020-{i % 12 + 13}-01",
    ],
)
def test_codes_and_words_are_no_dates(cell):
    found, _ = column([cell(i) for i in range(N)])
    assert found.kind in ("category", "text") and "dates" not in found.note


def test_that_dates_are_written_in_several_ways_is_said_only_of_dates():
    mixed = [(f"{i % 28 + 1:02d}/04/2021", f"2021-04-{i % 28 + 1:02d}")[i % 2] for i in range(N)]
    assert column(mixed)[0].odd == "holds dates written in several ways"
    found, _ = column([*(day.strftime("%d/%m/%Y") for day in DAYS[:40]), *(f"words {i}" for i in range(20))])
    assert found.kind == "text" and found.odd == ""
    # A few cells that are none do not matter, and are told.
    found, _ = column([*(day.strftime("%d/%m/%Y") for day in DAYS[:58]), "soon", "2021-01-01"])
    assert found.kind == "date" and found.odd == "has 2 cells that are no dates (such as 'soon') and count as missing"


def test_whole_numbers_that_are_days_are_dates_and_others_are_not():
    days = np.array([int(day.strftime("%Y%m%d")) for day in DAYS])
    truth = np.array(DAYS, dtype="M8[D]").astype("M8[s]").astype(float)
    for cells in (days, days.astype(float), days.astype(str), pd.array(days, dtype="Int64")):
        found, table = column(cells)
        assert (found.kind, found.note) == ("date", "days as whole numbers")
        np.testing.assert_array_equal(table.values("c"), truth)
    gaps = np.where(np.arange(N) < 3, np.nan, days)
    assert column(gaps)[0].n_missing == 3
    found, _ = column(np.where(np.arange(N) < 2, 0, days))
    assert (found.kind, found.n_missing) == ("date", 2) and "has 2 cells that are no dates (such as '0')" in found.odd
    assert column(np.where(np.arange(N) % 3 > 0, days, 20201301))[0].kind == "number"
    assert column(days + 0.5)[0].kind == column(20_150_000 + np.arange(N))[0].kind == "number"


def test_other_rows_of_days_as_numbers_are_days_too(tmp_path, monkeypatch):
    monkeypatch.setattr("rfviz.datasets.files.parts.SAMPLE_ROWS", 40)
    for part in range(3):
        days = [int(day.strftime("%Y%m%d")) for day in DAYS]
        pd.DataFrame({"day": days, "x": range(N), "label": ["a", "b"] * 30}).to_parquet(tmp_path / f"{part}.parquet")
    dataset = read_file(tmp_path).prepare(Preparation(label="label", scale="none"))
    X = np.concatenate([batch.X for batch in PreparedRows(dataset).batches()])
    first = min(DAYS[row % N] for row in dataset.origin.table.source_rows)
    truth = [(day.date() - first.date()).days for day in DAYS] * 3
    np.testing.assert_array_equal(X[:, dataset.feature_names.index("day")], truth)


# --- numbers ----------------------------------------------------------------------------------------------------------

ODD = "has 1 cell that is no number (such as '{}') and counts as missing"
FEW = [str(i) for i in range(58)]


@pytest.mark.parametrize(
    ("cells", "values", "note"),
    [
        ([*FEW, "1,338", "12,345"], [*range(58), 1338, 12345], "read without the comma between thousands"),
        ([*FEW, "1.5", "1,338"], [*range(58), 1.5, 1338], "read without the comma between thousands"),
        ([*FEW, "58", "1,5"], [*range(59), 1.5], ""),
        ([*FEW, "1.234", "3,5"], [*range(58), 1234, 3.5], "read without the point between thousands"),
        ([*FEW, "1e5", "1,338"], [*range(58), 1e5, 1338], "read without the comma between thousands"),
        (["1 234,5", "12 000", "7,25"] * 20, [1234.5, 12000, 7.25] * 20, "read without the blank between thousands"),
        (["5%"] * 59 + ["6"], [5.0] * 59 + [np.nan], f"read without the sign %; {ODD.format('6')}"),
        ([*FEW, "58", "x"], [*range(59), np.nan], ODD.format("x")),
    ],
)
def test_numbers_of_which_few_have_marks(cells, values, note):
    found, table = column(cells)
    assert (found.kind, found.note) == ("number", note)
    np.testing.assert_array_equal(table.values("c"), values)


def test_numbers_of_which_some_have_a_letter_in_front_are_names():
    invoices = [f"{'C' if i % 25 == 0 else ''}{536365 + i}" for i in range(100)]
    found, _ = column(invoices)
    assert (found.kind, found.n_missing, found.n_distinct) == ("text", 0, 100)
    assert column([*map(str, range(99)), "C5"])[0].kind == "number"
    # One in a thousand is enough where all have as many digits; a remark on a quantity is not.
    for odd in ("C536379", "536379A"):
        found, _ = column([*(str(536365 + i) for i in range(999)), odd])
        assert (found.kind, found.n_missing) == ("text", 0)
    assert column([*(str(1850 + i) for i in range(99)), "c1849"])[0].kind == "number"
    assert column([*(str(5363 * i) for i in range(1, 400)), "E536379"])[0].kind == "number"


IDS = [None if i == 7 else 2**53 + 1 + i for i in range(N)]


def _files_of_ids():
    rows = [{"id": i, "x": k} for k, i in enumerate(IDS)]
    table = pa.table({"id": pa.array(IDS, pa.int64()), "x": range(N)})
    packed, arrow = io.BytesIO(), io.BytesIO()
    parquet.write_table(table, packed)
    with pa.ipc.new_file(arrow, table.schema) as writer:
        writer.write_table(table)
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE t (id INTEGER, x)")
    database.executemany("INSERT INTO t VALUES (:id, :x)", rows)
    database.commit()
    text = "id,x\n" + "".join(f"{'' if row['id'] is None else row['id']},{row['x']}\n" for row in rows)
    return {
        "a.parquet": packed.getvalue(),
        "a.arrow": arrow.getvalue(),
        "a.db": database.serialize(),
        "a.csv": text.encode(),
        "a.json": json.dumps(rows).encode(),
        "b.json": json.dumps({"id": IDS, "x": list(range(N))}).encode(),
    }


def test_long_whole_numbers_with_a_gap_keep_their_digits():
    for name, content in _files_of_ids().items():
        found = read_upload(name, content).columns[0]
        assert (found.n_missing, found.n_distinct, found.kind) == (1, N - 1, "text"), name
        assert "too many digits to compute with" in found.note
    for cells in (
        pd.array(IDS, dtype="Int64"),
        pd.Series(IDS, dtype=object),
        pa.chunked_array([IDS]).to_pandas(types_mapper=pd.ArrowDtype),
    ):
        assert column(cells)[0].n_distinct == N - 1
    exact, table = column(pd.array([i or 0 for i in IDS], dtype="Int64"))
    assert exact.kind == "number" and table.values("c").tolist() == [i or 0 for i in IDS]
    # Floats that stay apart are numbers, as times in nanoseconds.
    stamps = [None if i == 3 else 1_700_000_000_000_000_000 + i * 10**9 for i in range(N)]
    found, table = column(pd.array(stamps, dtype="Int64"))
    assert found.kind == "number" and np.nanmax(table.values("c")) == stamps[-1]


def test_a_workbook_holds_no_long_whole_numbers_and_it_is_said():
    for ids in (IDS, [i or 1 for i in IDS]):
        frame = pd.DataFrame({"id": pd.Series(ids, dtype=object), "x": range(N)})
        frame.to_excel(buffer := io.BytesIO(), index=False, engine="openpyxl")
        notes = read_upload("a.xlsx", buffer.getvalue()).notes
        assert notes == ("Numbers of more than 15 digits are rounded in a workbook: id.",)


def test_exact_decimals_of_many_digits_stay_apart():
    long = pa.array([None, *(Decimal(10**20 + i) for i in range(N - 1))], pa.decimal128(25, 0))
    short = pa.array([Decimal(i) / 4 for i in range(N)], pa.decimal128(9, 2))
    parquet.write_table(pa.table({"long": long, "short": short}), buffer := io.BytesIO())
    found = read_upload("a.parquet", buffer.getvalue())
    assert [c.n_distinct for c in found.columns] == [N - 1, N]
    np.testing.assert_array_equal(found.table.values("short"), np.arange(N) / 4)


# --- an index that pandas keeps in the header -------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_a_named_index_of_numbers_in_a_row_is_a_column(tmp_path, ending):
    def write(index, name):
        frame = pd.DataFrame({"x": np.arange(N) ** 0.5}, index=index)
        getattr(frame, f"to_{ending}")(tmp_path / name)
        return read_file(tmp_path / name).table

    table = write(pd.RangeIndex(100, 100 + 3 * N, 3, name="customer"), f"a.{ending}")
    assert table.names == ("x", "customer")
    np.testing.assert_array_equal(table.values("customer"), 100 + 3 * np.arange(N))
    assert (
        write(pd.RangeIndex(N), f"b.{ending}").names == write(pd.RangeIndex(N, name="x"), f"c.{ending}").names == ("x",)
    )


def test_a_named_index_of_a_table_in_parts_is_a_column(tmp_path, monkeypatch):
    monkeypatch.setattr("rfviz.datasets.files.parts._BLOCK_ROWS", 25)
    for part in range(2):
        frame = pd.DataFrame({"x": np.arange(N)}, index=pd.RangeIndex(part * N, (part + 1) * N, name="key"))
        frame.to_parquet(tmp_path / f"{part}.parquet")
    np.testing.assert_array_equal(read_file(tmp_path).table.values("key"), np.arange(2 * N))


# --- names of columns -------------------------------------------------------------------------------------------------

LONG = "Do you consider yourself to be a fan of the expanded universe of the films?"


def test_columns_keep_their_own_names_and_are_shown_by_short_ones():
    own = ["y ", "the  label", "two\nlines", LONG, "", "y", "x" * 61, "x" * 62]
    table = upload_of_frame(pd.DataFrame(np.arange(24).reshape(3, 8), columns=own)).table
    assert all(len(name) <= 64 and name.isprintable() and name.strip() for name in table.names)
    assert len(set(table.names)) == 8 and [table.own_name(name) for name in table.names] == own
    for place, name in enumerate(own):
        assert table.values(table.find(name))[0] == place
    for place, name in enumerate(table.names):  # what is shown may be used, too
        assert table.values(table.find(name))[0] == place
    assert table.find(-1) == table.names[7] and table.find(2) == table.names[2]
    for name in ("z", 8, -9, True, 1.5, ["y"]):
        with pytest.raises(DataError, match="There is no column"):
            table.find(name)


def test_names_that_are_numbers_are_names_and_not_places():
    table = upload_of_frame(pd.DataFrame(np.arange(9).reshape(3, 3), columns=[2, 1, "0"])).table
    assert [table.values(table.find(name))[0] for name in (2, 1, "0")] == [0, 1, 2]
    for name in (0, -1):
        with pytest.raises(DataError, match=f"There is no column {name}"):
            table.find(name)


def test_a_name_of_several_columns_means_all_where_they_may_be_several():
    upload = upload_of_frame(pd.DataFrame(np.random.default_rng(0).normal(size=(9, 4)), columns=["a", "a", "b", "c"]))
    assert upload.table.names == ("a", "a (2)", "b", "c")
    with pytest.raises(DataError, match=r"2 columns are named 'a'.* names that are shown: a, a \(2\)"):
        upload.prepare(Preparation(label="a"))
    assert upload.prepare(Preparation(label="a (2)")).n_features == 3
    assert upload.prepare(Preparation(leave_out=("a",))).feature_names == ("b", "c")


def test_a_label_of_a_file_may_have_any_name(tmp_path):
    text = f"a,b,{LONG},y \n" + "".join(f"{i},{i * i},{['no', 'yes'][i % 2]},{'pq'[i % 2]}\n" for i in range(30))
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    upload = read_file(tmp_path / "a.csv")
    for name, classes in ((LONG, ("no", "yes")), ("y ", ("p", "q")), ("y", ("p", "q"))):
        assert upload.prepare(Preparation(label=name)).target_names == classes
    again = Preparation.from_json(Preparation(label=LONG, leave_out="ab").to_json())
    assert again.label == LONG and again.leave_out == ("ab",)


# --- the words of short and of long columns ---------------------------------------------------------------------------


def test_short_columns_hold_the_words_that_long_ones_do():
    cells = ["a ", "a", " b", "", "  ", None, "c\nd", "x" * 300, "NA"]
    short, few = column(cells * 2)
    long, many = column(cells * 100)
    assert short.span == long.span and 50 * short.n_missing == long.n_missing
    assert list(few.values("c"))[: len(cells)] == list(many.values("c"))[: len(cells)]
    assert list(few.values("c").categories) == list(many.values("c").categories)
