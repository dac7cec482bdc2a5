"""Tables in memory of other libraries, and labels next to a table: by index, by place, by name."""

import numpy as np
import pandas as pd
import pytest

from rfviz.datasets.files.frames import frame_of, with_label
from rfviz.datasets.files.upload import upload_of_frame
from rfviz.errors import DataError

pa = pytest.importorskip("pyarrow")

N = 30
FRAME = pd.DataFrame({"a": np.arange(N) / 3, "b": np.arange(N) % 4})
LABELS = ["p" if i % 3 else "q" for i in range(N)]


class Streamed:
    """A table of a library that only gives its rows to others, as polars and DuckDB do."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class Convertible:
    """A table of a library that converts itself to pandas by one of two methods."""

    def __init__(self, frame, refuses=False):
        self.frame, self.refuses = frame, refuses

    def to_pandas(self):
        if self.refuses:
            raise ValueError("too many dimensions")
        return self.frame

    def to_dataframe(self):
        return self.frame


@pytest.mark.parametrize("make", [lambda table: table, Streamed, lambda table: table.to_batches()[0]])
def test_tables_of_arrow_keep_their_names_and_digits(make):
    table = pa.table(
        {"a": FRAME["a"], "y": LABELS, "l": [[1]] * N, "id": pa.array([None, *range(2**60, 2**60 + N - 1)])}
    )
    frame, notes = frame_of(make(table))
    assert list(frame) == ["a", "y", "id"] and notes == ("Nested columns are left out: l.",)
    assert frame["y"].tolist() == LABELS and frame["id"].nunique() == N - 1 and frame["id"].isna().sum() == 1


def test_tables_that_convert_themselves_keep_names_and_dimensions():
    for refuses in (False, True):
        assert frame_of(Convertible(FRAME, refuses))[0] is FRAME
    dimensions = FRAME.set_index([pd.Index(range(N), name="lat"), pd.Index(LABELS, name="lon")])
    assert list(frame_of(Convertible(dimensions))[0]) == ["lat", "lon", "a", "b"]


def test_masked_cells_are_missing():
    for values in (np.arange(30.0), np.arange(30), np.arange(30) % 2 == 0):
        masked = np.ma.array(values.reshape(10, 3), mask=np.arange(30).reshape(10, 3) % 7 == 0)
        frame, _ = frame_of(masked)
        np.testing.assert_array_equal(frame.isna(), masked.mask)
        assert list(frame) == ["column 1", "column 2", "column 3"]
        assert upload_of_frame(frame).table.n_missing("column 1") == masked.mask[:, 0].sum()


def test_fields_of_records_are_columns():
    records = np.array([(1, 0.5)] * 5, dtype=[("n", "i4"), ("x", "f8")])
    assert frame_of(records)[0].to_dict("list") == {"n": [1] * 5, "x": [0.5] * 5}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (np.zeros(5), "not ndarray of 1 dimension."),
        (np.zeros((2, 2, 2)), "not ndarray of 3 dimensions."),
        (pd.Series(range(5)), "not Series of 1 dimension."),
        ([[1], [2, 3]], r"not list \(setting an array element with a sequence"),
        (pa.array([1, 2]), "not Int64Array of 1 dimension."),
        (None, "not NoneType of 0 dimensions."),
        (Convertible(None, refuses=True), "not Convertible of 0 dimensions."),
    ],
)
def test_what_is_no_table_is_refused_in_a_sentence(data, said):
    with pytest.raises(DataError, match=f"an array of rows and columns or the path of a file, {said}"):
        frame_of(data)


def _labels(frame, label):
    """Return the labels of the rows in their order, and the name of their column."""
    labelled, name = with_label(frame, label)
    return list(labelled.iloc[:, list(labelled.columns).index(name)]), name


@pytest.mark.parametrize(
    "label",
    [
        LABELS,
        tuple(LABELS),
        np.array(LABELS),
        np.array(LABELS, dtype=object)[:, None],
        pd.Categorical(LABELS),
        pd.Index(LABELS),
        pa.array(LABELS),
        pa.chunked_array([LABELS]),
        pd.Series(LABELS),
        pd.Series(LABELS)[::-1],
        pd.DataFrame({0: LABELS}),
        pd.DataFrame({0: LABELS})[::-1],
    ],
)
def test_labels_of_every_kind_come_to_their_rows(label):
    assert _labels(FRAME, label) == (LABELS, "label")


def test_masked_labels_are_missing():
    mask = np.arange(N) % 5 == 0
    for values in (np.arange(N), np.arange(N) / 2, np.array(LABELS)):
        labels, _ = _labels(FRAME, np.ma.array(values, mask=mask))
        np.testing.assert_array_equal(pd.isna(labels), mask)
        assert [one for one in labels if not pd.isna(one)] == values[~mask].tolist()


@pytest.mark.parametrize(
    "index",
    [
        [f"row {i}" for i in range(N)],
        np.random.default_rng(0).permutation(N),
        pd.MultiIndex.from_product([range(5), range(6)]),
        pd.date_range("2020-01-01", periods=N),
    ],
)
def test_a_series_is_matched_by_its_index(index):
    frame, series = FRAME.set_index(pd.Index(index)), pd.Series(LABELS, index=index)
    shuffled = series.sample(frac=1, random_state=1)
    assert _labels(frame, series)[0] == _labels(frame, shuffled)[0] == LABELS
    with pytest.raises(DataError, match=r"whose index is not that of the table .*label\.to_numpy\(\)"):
        with_label(frame, series.set_axis([f"other {i}" for i in range(N)]))
    assert _labels(frame, series.set_axis([f"other {i}" for i in range(N)]).to_numpy())[0] == LABELS


def test_an_index_that_repeats_is_taken_as_it_is_or_refused():
    frame, series = FRAME.set_index(np.arange(N) // 2), pd.Series(LABELS, index=np.arange(N) // 2)
    assert _labels(frame, series)[0] == LABELS
    with pytest.raises(DataError, match="some values occur twice"):
        with_label(frame, series[::-1])


def test_labels_keep_their_own_name_where_it_is_free():
    assert _labels(FRAME, pd.Series(LABELS, name="kind")) == (LABELS, "kind")
    assert _labels(FRAME, pd.Series(LABELS, name="a")) == (LABELS, "label")
    assert _labels(FRAME.assign(label=1), LABELS) == (LABELS, "label of the rows")
    # The column itself is no other column.
    labelled, name = with_label(FRAME, FRAME["b"])
    assert labelled is FRAME and name == "b"


@pytest.mark.parametrize(
    "columns",
    [
        [0, 1],
        [("u", 1), ("v", 2)],
        pd.MultiIndex.from_tuples([("u", "x"), ("v", "y")]),
        pd.period_range("2020", periods=2),
        pd.CategoricalIndex(["u", "v"]),
        pd.interval_range(0, 2),
        [None, "v"],
        ["u", "u"],
        [b"u", frozenset("v")],
    ],
)
def test_labels_go_next_to_columns_of_any_names(columns):
    frame = FRAME.set_axis(pd.Index(columns, tupleize_cols=False) if isinstance(columns, list) else columns, axis=1)
    labels, name = _labels(frame, np.array(LABELS))
    assert (labels, name) == (LABELS, "label") and frame.shape == (N, 2)
    for place, column in enumerate(columns):
        if column is not None:
            assert with_label(frame, column) == (frame, column) or list(columns).count(column) > 1
        assert list(with_label(frame, LABELS)[0].iloc[:, place]) == list(FRAME.iloc[:, place])


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ([1, 2], "label has 2 values, and the table 30 rows"),
        (np.zeros((N, 2)), r"label has the shape \(30, 2\), and one column is predicted at a time"),
        (FRAME, r"label has the shape \(30, 2\)"),
        (set(LABELS), "label is a set"),
        (dict(enumerate(LABELS)), "label is a dict"),
        (1.5, "the name of a column, or one value per row, not float"),
        (iter(LABELS), "the name of a column, or one value per row, not list_iterator"),
        (["a", "b"], "label names 2 columns, and one is predicted at a time"),
    ],
)
def test_labels_that_cannot_be_are_refused_in_a_sentence(label, said):
    with pytest.raises(DataError, match=said):
        with_label(FRAME, label)


def test_a_list_of_one_name_is_that_name():
    assert with_label(FRAME, ["a"]) == (FRAME, "a") and with_label(FRAME, ("b",)) == (FRAME, "b")


@pytest.mark.parametrize(
    "cell",
    [
        lambda i: [i],
        lambda i: np.arange(2),
        lambda i: {"k": i},
        lambda i: {i % 2},
        lambda i: ([i],),
        lambda i: None if i else [1],
        lambda i: pd.Series([i]),
    ],
)
def test_cells_that_cannot_be_compared_become_text(cell):
    cells = [cell(i) for i in range(N)]
    table = upload_of_frame(FRAME.assign(c=pd.Series(cells, dtype=object))).table
    assert table.kind("c") in ("text", "category") and table.n_missing("c") == sum(one is None for one in cells)
    nested = pd.array(pa.array([[1, 2]] * N), dtype=pd.ArrowDtype(pa.list_(pa.int64())))
    assert upload_of_frame(FRAME.assign(c=nested)).table.kind("c") == "category"


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (pd.period_range("2020-01", periods=N, freq="M"), "date"),
        (pd.array(pd.date_range("2020-01-01", periods=N).date, dtype=pd.ArrowDtype(pa.date32())), "date"),
        (pd.array(pd.to_timedelta(range(N), "h"), dtype=pd.ArrowDtype(pa.duration("s"))), "number"),
        (pd.arrays.IntervalArray.from_breaks(range(N + 1)), "text"),
        (pd.array([None, *range(N - 1)], dtype=pd.ArrowDtype(pa.int64())), "number"),
        (pd.array([True, None] * (N // 2), dtype="boolean"), "category"),
        (pd.Series(["a\udcff", "x"] * (N // 2), dtype=object), "category"),
        (np.ones(N) * 1j, "text"),
    ],
)
def test_columns_of_every_type_of_pandas(cells, kind):
    table = upload_of_frame(FRAME.assign(c=cells)).table
    assert table.kind("c") == kind and table.n_missing("c") == pd.isna(pd.Series(cells)).sum()
