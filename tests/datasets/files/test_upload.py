"""Uploads: what is recognised in them, and what a preparation makes of them."""

import warnings

import numpy as np
import pandas as pd
import pytest

from rfviz import datasets
from rfviz.datasets.files import Preparation, read_upload
from rfviz.errors import DataError, MemoryBudgetError, ParameterError
from tests.datasets.files.samples import csv, npz, parquet, picture, zipped

N = 40
RNG = np.random.default_rng(0)
PEOPLE = pd.DataFrame(
    {
        "height": RNG.normal(170, 10, N),
        "weight": [np.nan if i % 8 == 0 else 60.0 + i for i in range(N)],
        "town": [None if i % 10 == 0 else ["Bern", "Köln", "Wien"][i % 3] for i in range(N)],
        "born": pd.date_range("1990-01-01", periods=N).strftime("%Y-%m-%d"),
        "name": [f"person number {i}" for i in range(N)],
        "smoker": [["yes", "no"][i % 2] for i in range(N)],
        "label": ["ill" if i % 4 == 0 else "well" for i in range(N)],
    }
)


@pytest.fixture
def people():
    return read_upload("people.csv", csv(PEOPLE))


def kinds(upload):
    return {column.name: column.kind for column in upload.columns}


# --- what is found ----------------------------------------------------------------------------------------------------


def test_columns_are_what_they_hold(people):
    assert kinds(people) == {
        "height": "number",
        "weight": "number",
        "town": "category",
        "born": "date",
        "name": "text",
        "smoker": "category",
        "label": "category",
    }
    weight, town = people.table.column("weight"), people.table.column("town")
    assert (weight.n_missing, weight.n_distinct, weight.span) == (5, 35, "61 to 99")
    assert (town.n_missing, town.n_distinct) == (4, 3)
    assert people.table.column("born").span == "1990-01-01 to 1990-02-09"
    assert len(people.table.head) == 8 and people.facts.startswith("40 rows, 7 columns")
    assert people.balance("label").to_dict("list") == {
        "value": ["well", "ill"],
        "rows": [30, 10],
        "share": [0.75, 0.25],
    }


def test_what_is_suggested(people):
    assert people.suggestion == Preparation(label="label", leave_out=("born",), missing="impute", scale="standardise")


def test_decimal_commas():
    upload = read_upload("a.csv", csv(PEOPLE[["height", "weight"]], sep=";", decimal=","))
    np.testing.assert_allclose(upload.table.values("height"), PEOPLE["height"])
    assert any("decimal comma" in note for note in upload.notes)


def test_parquet_gives_what_csv_gives(people):
    upload = read_upload("people.parquet", parquet(PEOPLE))
    np.testing.assert_allclose(upload.prepare().X, people.prepare().X, rtol=1e-6)


def test_numbers_with_a_few_odd_cells_and_codes_of_digits():
    cells = [*map(str, range(50)), "n.k.", "1e5"]
    column = read_upload("a.csv", csv(pd.DataFrame({"a": cells, "b": 1.5}))).table.column("a")
    assert (column.kind, column.n_missing) == ("number", 1) and "n.k." in column.note
    codes = pd.DataFrame({"code": ["01234", "x", "09999", "01234", "3000"], "b": 1.5})
    assert read_upload("a.csv", csv(codes)).table.column("code").kind == "category"


def test_cells_of_words_that_are_alike_after_trimming():
    words = [" red", "red", "red  ", "blue", "?", "None"] * 5
    table = read_upload("a.csv", csv(pd.DataFrame({"colour": words, "b": range(30)}))).table
    assert list(table.values("colour").categories) == ["blue", "red"] and table.n_missing("colour") == 10


def test_infinite_numbers_are_missing():
    column = read_upload("a.csv", b"a,b\n1,1\ninf,2\n-inf,3\n4,4\n").table.column("a")
    assert column.n_missing == 2 and "infinite" in column.note


@pytest.mark.slow
def test_a_table_of_ten_thousand_columns():
    wide = pd.DataFrame(RNG.normal(size=(20, 10_000)).round(3), columns=[f"c{i}" for i in range(10_000)])
    assert read_upload("wide.csv", csv(wide)).prepare().X.shape == (20, 10_000)
    assert read_upload("wide.npz", npz(X=wide.to_numpy())).prepare().X.shape == (20, 10_000)


# --- what comes of it -------------------------------------------------------------------------------------------------


def test_one_column_a_word_and_medians(people):
    found = people.prepare(people.suggestion.replace({"scale": "none"}))
    assert found.feature_names == ("height", "weight", "town=Bern", "town=Köln", "town=Wien", "smoker=yes")
    assert (
        found.target_names == ("ill", "well") and found.y.tolist() == (PEOPLE["label"] == "well").astype(int).tolist()
    )
    assert found.X[0, 1] == np.float32(PEOPLE["weight"].median())
    most = PEOPLE["town"].mode()[0]
    assert found.X[0, 2:5].tolist() == [float(word == most) for word in ("Bern", "Köln", "Wien")]
    assert "5 missing numbers" in found.provenance and "4 missing words" in found.provenance


def test_rows_are_dropped_where_asked(people):
    found = people.prepare(people.suggestion.replace({"missing": "drop rows"}))
    assert found.n_samples == PEOPLE[["height", "weight", "town"]].dropna().shape[0]


def test_standardised_columns_and_rows_of_norm_one(people):
    X = people.prepare().X
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(X.std(axis=0), 1, atol=1e-5)
    X = people.prepare(people.suggestion.replace({"scale": "unit norm"})).X
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, atol=1e-6)


def test_scaling_here_and_on_the_page_do_not_fight(people):
    """Twice standardised is once, twice of unit norm is once."""
    from rfviz.analysis.points import normalise

    for scale in ("standardise", "unit norm"):
        X = people.prepare(people.suggestion.replace({"scale": scale})).X
        np.testing.assert_allclose(normalise(X, scale), X, atol=2e-6)


def test_values_do_not_depend_on_how_many_rows_are_kept(people):
    few = people.prepare(people.suggestion.replace({"max_samples": 12}))
    every = people.prepare()
    rows = [int(np.flatnonzero((row == every.X).all(axis=1))[0]) for row in few.X]
    assert rows == sorted(rows) and len(few.X) == 12
    assert few.target_names == every.target_names
    more = people.prepare(people.suggestion.replace({"max_samples": 20}))
    assert {tuple(row) for row in few.X} < {tuple(row) for row in more.X}


def test_rare_words_share_a_column():
    words = [f"w{i}" for i in range(40) for _ in range(1 + (i < 3) * 30)]
    upload = read_upload("a.csv", csv(pd.DataFrame({"word": words, "x": np.arange(len(words)) % 7})))
    found = upload.prepare(Preparation(most_words=4, scale="none"))
    assert found.feature_names == ("x", "word=w0", "word=w1", "word=w2", "word=(others)")
    assert found.X[:, 1:].sum(axis=1).tolist() == [1.0] * len(words)


def test_dates_as_order_and_as_days(people):
    found = people.prepare(Preparation(label="smoker", order="born", scale="none", missing="impute"))
    assert (np.diff(found.order) == 86_400).all()
    found = people.prepare(Preparation(scale="none", missing="impute", categories="drop"))
    assert found.feature_names == ("height", "weight", "born") and found.X[:, 2].tolist() == list(range(N))


def test_labels_as_classes_or_as_a_quantity(people):
    preparation = Preparation(label="weight", scale="none", missing="impute")
    assert people.prepare(preparation).y.dtype == np.float64  # 35 values are too many for classes
    assert len(people.prepare(preparation.replace({"target": "classes"})).target_names) == 35
    with pytest.raises(DataError, match="not whole"):
        people.prepare(preparation.replace({"label": "height", "target": "classes"}))
    with pytest.raises(DataError, match="words"):
        people.prepare(preparation.replace({"label": "town", "target": "numbers"}))


def test_a_split_that_the_file_brings():
    X = np.vstack([np.ones((20, 2)) + RNG.normal(size=(20, 2)), 100 + RNG.normal(size=(10, 2))])
    data = npz(X_train=X[:20], y_train=np.arange(20) % 2, X_test=X[20:], y_test=np.arange(10) % 2)
    found = read_upload("split.npz", data).prepare()
    assert found.n_train == 20 and found.target_names == ("0", "1")
    np.testing.assert_allclose(found.X[:20].mean(axis=0), 0, atol=1e-6)  # the test rows have no say
    assert found.X[20:].mean() > 10


def test_images_keep_their_shape_or_get_a_common_one():
    same = read_upload("a.zip", zipped((f"{'ab'[i % 2]}/{i}.png", picture((20, 16), seed=i)) for i in range(6)))
    found = same.prepare()
    assert found.image_shape == (20, 16, 3) and found.target_names == ("a", "b")
    # In natural order within folders: the pixels are those that were saved.
    pixels = np.random.default_rng(2).integers(0, 256, (20, 16, 3), dtype=np.uint8)
    np.testing.assert_allclose(found.X[1], pixels.ravel() / np.float32(255), rtol=1e-6)
    assert found.order is None  # classes come first; the numbers can still be chosen
    by_number = same.prepare(same.suggestion.replace({"order": "number in the name"}))
    assert by_number.order is not None and by_number.order.tolist() == [0, 2, 4, 1, 3, 5]
    sizes = read_upload("b.zip", zipped((f"{i}.png", picture((100 + i, 50))) for i in range(5)))
    assert sizes.prepare().image_shape == (32, 16, 3)
    assert sizes.prepare(Preparation(scale="none", side=48, colour="grey")).image_shape == (48, 24)


def test_only_the_images_that_are_kept_are_decoded(monkeypatch):
    upload = read_upload("a.zip", zipped((f"{i}.png", picture(seed=i)) for i in range(12)))
    read = []
    monkeypatch.setattr(
        type(upload.pictures),
        "one",
        lambda self, row, shape, colour: read.append(row) or np.zeros((*shape, 3), np.uint8),
    )
    upload.prepare(upload.suggestion.replace({"max_samples": 4}))
    assert len(read) == 4


def test_images_that_cannot_be_read_are_passed_over_and_named():
    wrong = {"a/3.png": b"", "b/7.jpg": b"RIFF....WEBP", "b/9.png": picture()[:20]}
    members = [*((f"{'ab'[i % 2]}/1{i}.png", picture((8, 8), seed=i)) for i in range(6)), *wrong.items()]
    upload = read_upload("a.zip", zipped(members))
    assert upload.notes == (
        "3 images skipped (damaged, too large or neither PNG nor JPEG): 'a/3.png', 'b/7.jpg' and 1 more.",
    )
    found = upload.prepare()
    assert found.n_samples == 6 and found.target_names == ("a", "b") and "3 images skipped" in found.provenance
    with pytest.raises(DataError, match=r"its image 'a/3\.png' is damaged, or neither PNG nor JPEG"):
        read_upload("a.zip", zipped(wrong.items()))


def test_images_in_an_npz():
    pixels = RNG.integers(0, 256, (9, 6, 5), dtype=np.uint8)
    found = read_upload("a.npz", npz(X=pixels, y=np.array(list("abc") * 3))).prepare()
    assert found.image_shape == (6, 5) and found.target_names == ("a", "b", "c")
    np.testing.assert_allclose(found.X, pixels.reshape(9, -1) / np.float32(255), rtol=1e-6)


# --- what is refused, and the choices themselves ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"label": "nobody"}, "There is no column 'nobody'"),
        ({"label": "name"}, "free text"),
        ({"order": "town"}, "no order"),
        ({"leave_out": ("height", "weight", "town", "smoker", "born")}, "No column of numbers"),
    ],
)
def test_choices_that_cannot_be(people, changes, message):
    with pytest.raises(DataError, match=message):
        people.prepare(people.suggestion.replace(changes))


def test_words_that_would_make_too_many_columns():
    frame = pd.DataFrame({f"c{i}": [f"w{j % 40}" for j in range(200)] for i in range(200)})
    upload = read_upload("a.csv", csv(frame.assign(x=np.arange(200))))
    with pytest.raises(DataError, match="One column per word would make 8,000 columns"):
        upload.prepare(Preparation(most_words=200))


def test_a_file_that_would_not_fit():
    datasets.set_memory_limit(1_000_000)
    with pytest.raises(MemoryBudgetError, match=r"needs about .* of memory; the limit is 1.0 MB"):
        read_upload("a.csv", csv(pd.DataFrame(RNG.normal(size=(5000, 20)))))


def test_preparations_are_values():
    preparation = Preparation(label="a", leave_out=["b", "c"], max_samples=50)
    again = Preparation.from_json(preparation.to_json())
    assert preparation == again and hash(preparation) == hash(again)
    assert Preparation().to_json() == "{}"
    for text in ("{", "[1]", '{"nothing": 1}', "null", "[" * 100_000):
        with pytest.raises(DataError):
            Preparation.from_json(text)
    for wrong in ({"missing": "perhaps"}, {"most_words": 1}, {"max_samples": 0}, {"side": -1}):
        with pytest.raises(ParameterError):
            Preparation(**wrong)


def test_no_warning_leaks(people):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_upload("people.csv", csv(PEOPLE)).prepare(Preparation(label="town", order="born", missing="impute"))


def test_nothing_but_the_name_of_a_path_is_kept():
    assert read_upload("../../etc/people.csv", csv(PEOPLE)).name == "people.csv"
    assert read_upload("C:\\x\\people.csv", csv(PEOPLE)).prepare().name == "people"
