"""All rows of a table in parts, prepared as the drawn ones: they are those of the table in memory."""

import numpy as np
import pandas as pd
import pytest

from rfviz.datasets.files import Preparation, PreparedRows, parts, read_file
from rfviz.errors import DataError

N, DRAWN = 3000, 400
rng = np.random.default_rng(0)
TABLE = pd.DataFrame(rng.standard_normal((N, 2)), columns=list("ab")).assign(
    whole=rng.integers(0, 9, N),
    town=rng.choice(["Oslo", "Rome", "Bern"], N),
    seen=rng.random(N) > 0.3,
    day=pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, N), "D"),
    wait=pd.to_timedelta(rng.integers(0, 900, N), "s"),
    label=rng.choice(["no", "yes"], N),
)
TABLE.loc[rng.random(N) < 0.1, "b"] = np.nan
TABLE.loc[rng.random(N) < 0.1, "town"] = None


@pytest.fixture(autouse=True)
def few_are_drawn(monkeypatch):
    """Draw 400 rows, and read 700 at a time."""
    monkeypatch.setattr(parts, "SAMPLE_ROWS", DRAWN)
    monkeypatch.setattr(parts, "_BLOCK_ROWS", 700)


def drawn_from(folder, table=TABLE, cuts=(1000, 2200), **preparation):
    folder.mkdir(exist_ok=True)
    for number, rows in enumerate(np.split(np.arange(len(table)), cuts)):
        table.iloc[rows].to_parquet(folder / f"part-{number}.parquet")
    return read_file(folder).prepare(Preparation(**{"label": "label"} | preparation))


def joined(rows):
    batches = list(rows.arrays())
    assert len(batches) > 1
    return np.concatenate([X for X, _ in batches]), np.concatenate([y for _, y in batches])


def places_of(dataset, samples=slice(None)):
    """Return the places of drawn rows among all rows of the table."""
    return dataset.origin.table.source_rows[dataset.rows[samples]]


def usable(*columns):
    return TABLE[list(columns)].notna().all(axis=1).to_numpy()


@pytest.mark.parametrize("missing", ["drop rows", "impute", "impute mean"])
@pytest.mark.parametrize("scale", ["none", "standardise", "unit norm"])
def test_a_drawn_row_is_the_same_among_all(tmp_path, missing, scale):
    dataset = drawn_from(tmp_path / "parts", missing=missing, scale=scale)
    table = PreparedRows(dataset)
    X, y = joined(table)
    rows = np.flatnonzero(usable("b", "town")) if missing == "drop rows" else np.arange(N)
    assert len(table) == N and len(X) == len(y) == len(rows)
    at = np.searchsorted(rows, places_of(dataset))
    np.testing.assert_array_equal(X[at], dataset.X)
    np.testing.assert_array_equal(y[at], dataset.y)
    assert (np.array(dataset.target_names)[y] == TABLE.label.to_numpy()[rows]).all()


def test_values_are_those_of_the_table(tmp_path):
    dataset = drawn_from(tmp_path / "parts", scale="none", missing="impute")
    X, _ = joined(PreparedRows(dataset))
    made = dict(zip(dataset.feature_names, X.T, strict=True))
    np.testing.assert_array_equal(made["a"], TABLE.a.to_numpy(np.float32))
    np.testing.assert_array_equal(made["whole"], TABLE.whole)
    np.testing.assert_array_equal(made["seen=True"], TABLE.seen)
    np.testing.assert_array_equal(made["wait"], TABLE.wait.dt.total_seconds())
    known = usable("town")
    np.testing.assert_array_equal(made["town=Rome"][known], TABLE.town[known] == "Rome")
    assert len(np.unique(made["b"][~usable("b")])) == 1
    days = (TABLE.day - TABLE.day.min()).dt.days
    assert len(np.unique(made["day"] - days)) == 1, "days since the first of the drawn rows"


def test_rows_that_are_tested_on_are_left_out(tmp_path):
    dataset = drawn_from(tmp_path / "parts", missing="impute", scale="none")
    others = PreparedRows(dataset, np.arange(100))
    assert len(others) == N - 100
    rest = np.setdiff1d(np.arange(N), places_of(dataset, slice(100)))
    np.testing.assert_array_equal(joined(others)[0], joined(PreparedRows(dataset))[0][rest])


def test_scalings_are_applied_in_their_order(tmp_path):
    dataset = drawn_from(tmp_path / "parts", missing="impute", scale="none")
    X, _ = joined(PreparedRows(dataset, scalings=(lambda X: X + 1, lambda X: 2.0 * X)))
    assert X.dtype == np.float32
    np.testing.assert_allclose(X, 2 * (joined(PreparedRows(dataset))[0] + 1), rtol=1e-6)


def test_numbers_to_predict(tmp_path):
    dataset = drawn_from(tmp_path / "parts", label="a", missing="drop rows")
    _, y = joined(PreparedRows(dataset))
    np.testing.assert_array_equal(y, TABLE.a[usable("b", "town")])


@pytest.mark.parametrize("label", ["late", 7, None])
def test_a_class_that_no_drawn_row_has_is_left_out(tmp_path, label):
    table = TABLE[["a", "whole"]].assign(label=[1, 2] * (N // 2) if label == 7 else TABLE.label)
    table.loc[np.arange(5), "label"] = label
    dataset = drawn_from(tmp_path / "parts", table)
    assert len(dataset.target_names) == 2 and not (places_of(dataset) < 5).any()
    X, y = joined(PreparedRows(dataset))
    assert len(X) == N - 5 and set(y) == {0, 1}


def test_a_word_that_no_drawn_row_has_is_none_of_those_that_are_known(tmp_path):
    table = TABLE[["a", "label"]].assign(colour=rng.choice(["red", "green", "blue"], N))
    table.loc[np.arange(5), "colour"] = "mauve"
    dataset = drawn_from(tmp_path / "parts", table, scale="none")
    X, _ = joined(PreparedRows(dataset))
    words = [name.startswith("colour=") for name in dataset.feature_names]
    np.testing.assert_array_equal(X[:, words].sum(axis=1), (np.arange(N) >= 5).astype(float))


def test_a_label_may_lie_in_a_file_of_its_own(tmp_path):
    X, y = rng.standard_normal((N, 3)).astype(np.float32), rng.integers(0, 3, N)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    dataset = read_file(tmp_path).prepare(Preparation(label="y", scale="none"))
    found, codes = joined(PreparedRows(dataset))
    np.testing.assert_array_equal(found, X)
    np.testing.assert_array_equal(codes, y)


def test_it_says_how_far_it_is_and_can_be_stopped(tmp_path):
    table, said = PreparedRows(drawn_from(tmp_path / "parts")), []

    def progress(share, text):
        said.append((share, text))
        if len(said) > 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(table.batches(progress))
    assert said[0] == (700 / N, "700 of 3,000 rows read")


def test_data_that_hold_all_rows_are_refused(tmp_path):
    with pytest.raises(DataError, match="is not drawn from a larger table"):
        PreparedRows(drawn_from(tmp_path / "small", TABLE.iloc[:300], (100, 200)))


def test_rows_need_no_labels_and_know_their_places(tmp_path):
    dataset = drawn_from(tmp_path / "parts", label=None, missing="drop rows", scale="none")
    table = PreparedRows(dataset)
    batches = list(table.batches())
    assert all(batch.y is None for batch in batches)
    places = np.concatenate([batch.rows for batch in batches])
    np.testing.assert_array_equal(places, np.flatnonzero(usable("b", "town")))
    drawn = np.searchsorted(places, places_of(dataset))
    np.testing.assert_array_equal(np.concatenate([batch.X for batch in batches])[drawn], dataset.X)
    with pytest.raises(DataError, match=r"parts has no labels\. Choose a column as the label"):
        list(table.arrays())


def test_a_gap_is_an_error_where_none_is_allowed(tmp_path):
    table = TABLE[["a", "whole", "label"]].copy()
    table.loc[4, "a"] = np.nan
    dataset = drawn_from(tmp_path / "parts", table, missing="error")
    with pytest.raises(DataError, match=r"Row 5 of parts lacks a value\. Use missing='drop rows'"):
        list(PreparedRows(dataset).arrays())


def test_numbers_written_as_text_are_refused(tmp_path):
    table = TABLE[["a", "label"]].assign(price=[f"{value:,.2f} €" for value in rng.random(N) * 1e4])
    dataset = drawn_from(tmp_path / "parts", table)
    assert "price" in dataset.feature_names
    with pytest.raises(DataError, match="column 'price' holds numbers or dates that are written as text"):
        list(PreparedRows(dataset).arrays())


def test_parts_that_changed_are_noticed(tmp_path):
    dataset = drawn_from(tmp_path / "parts")
    TABLE.iloc[:10].to_parquet(tmp_path / "parts" / "part-2.parquet")
    with pytest.raises(DataError, match=r"had 3,000 rows at first, and has 2,210 now\. Load"):
        list(PreparedRows(dataset).arrays())
