"""Adult, KDD Cup 1999 and activities: from stand-ins for the downloads, from files like them, and from real files."""

import json

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from rfviz import datasets
from rfviz.datasets.downloads import activity, adult, cache, kddcup99, mnist
from rfviz.errors import DataError

N_ADULT, N_KDD = 48_842, 6_000


@pytest.fixture(autouse=True)
def fast(monkeypatch):
    monkeypatch.setattr(cache, "_TICK_SECONDS", 0.01)


def adult_table(first=(25, 226_802), second=(39, 77_516), at=N_ADULT - 32_561):
    """Build a table of Adult's shape; the places of its rows stand in the capital gains."""
    table = pd.DataFrame({name: np.zeros(N_ADULT) for name in adult.NUMERIC})
    table["capital-gain"] = np.arange(N_ADULT, dtype=float)
    for row, values in ((0, first), (at, second)):
        table.loc[row, ["age", "fnlwgt"]] = values
    for place, name in enumerate(adult.CATEGORICAL):
        table[name] = pd.Categorical.from_codes(np.arange(N_ADULT) % (place + 2), [f"w{i}" for i in range(place + 2)])
    table.loc[5, "occupation"] = np.nan
    target = pd.Series(np.where(np.arange(N_ADULT) % 4 == 0, ">50K", "<=50K"), dtype="category")
    return Bunch(data=table, target=target)


@pytest.mark.slow
def test_adult_is_expanded_and_finds_its_split(monkeypatch):
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda *a, **k: adult_table())
    with pytest.raises(DataError, match=r"1 words are missing in 1 of 48,842 rows: occupation \(1\)"):
        datasets.load("adult")
    data = datasets.load("adult", max_samples=50_000, missing="most frequent")
    assert data.X.shape == (N_ADULT, 6 + sum(range(2, 10))) and data.n_train == 32_561
    # The table has the test rows first.
    place = data.X[:, data.feature_names.index("capital-gain")].astype(int)
    np.testing.assert_array_equal(place, np.roll(np.arange(N_ADULT), -(N_ADULT - 32_561)))
    assert data.feature_names[6:8] == ("workclass=w0", "workclass=w1")
    np.testing.assert_array_equal(data.X[:, 6], place % 2 == 0)
    assert data.target_names == ("over 50K", "up to 50K")
    np.testing.assert_array_equal(data.y == 0, place % 4 == 0)
    assert "workclass (2), education (3)" in data.provenance
    assert "missing words replaced by the most frequent: occupation (1)" in data.provenance
    dropped = datasets.load("adult", max_samples=50_000, missing="drop rows")
    assert dropped.n_samples == N_ADULT - 1 and dropped.n_train == 32_561
    assert "1 rows with missing words left out" in dropped.provenance


@pytest.mark.parametrize(
    ("first", "second", "at", "n_train"),
    [((39, 77_516), (25, 226_802), 32_561, 32_561), ((1, 2), (3, 4), 7, None)],
)
def test_adult_in_another_order(monkeypatch, first, second, at, n_train):
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda *a, **k: adult_table(first, second, at))
    data = datasets.load("adult", max_samples=50_000, missing="most frequent")
    assert data.n_train == n_train
    np.testing.assert_array_equal(data.X[:, 3], np.arange(N_ADULT))


@pytest.mark.slow
def test_kddcup99_is_stored_without_pickle_and_expanded(monkeypatch):
    homes = []

    def fetch(data_home, **kwargs):
        homes.append(data_home)
        table = np.zeros((N_KDD, 41), dtype=object)
        table[:, 0] = np.arange(N_KDD) % 7
        table[:, 1:4] = [b"tcp", b"http", b"SF"]
        table[::3, 2] = b"smtp"
        return Bunch(data=table, target=np.where(np.arange(N_KDD) % 2, b"normal.", b"smurf.").astype(object))

    monkeypatch.setattr(sklearn.datasets, "fetch_kddcup99", fetch)
    with pytest.raises(DataError, match="not 494,021 rows of 41"):
        datasets.load("kddcup99", train_rows=200, test_rows=400)
    monkeypatch.setattr(kddcup99, "_N", N_KDD)
    data = datasets.load("kddcup99", train_rows=200, test_rows=400)
    assert data.X.shape == (600, 38 + 4) and data.n_train == 200 and data.target_names == ("attack", "normal")
    assert data.feature_names[-4:] == ("protocol_type=tcp", "service=http", "service=smtp", "flag=SF")
    np.testing.assert_array_equal(data.X[:, -3] + data.X[:, -2], 1)
    home = cache.cache_home()
    assert str(home) not in homes and [p.name for p in (home / "rfviz").iterdir()] == ["kddcup99.npz"]
    kinds = datasets.load("kddcup99", train_rows=200, test_rows=400, target="kind of attack")
    assert kinds.target_names == ("normal", "smurf")
    np.testing.assert_array_equal(kinds.X, data.X)
    more = datasets.load("kddcup99", train_rows=300, test_rows=400)
    np.testing.assert_array_equal(more.X[:200], data.X[:200])


def kdd_file(folder, meta=True):
    rng = np.random.default_rng(0)
    X, C, y = rng.random((500, 2), dtype=np.float32), rng.integers(2, size=(500, 3)), rng.integers(3, size=500)
    np.savez(folder / "kddcup99_own.npz", X=X, C=C.astype(np.uint8), y=y.astype(np.uint8))
    words = {"protocol_type": ["icmp", "tcp"], "service": ["ftp", "http"], "flag": ["REJ", "SF"]}
    content = {
        "full": {
            "classes": ["back", "normal", "smurf"],
            "numeric_columns": ["duration", "src_bytes"],
            "categorical_columns": list(words),
            "categories": words,
        }
    }
    if meta:
        (folder / "kddcup99_own.meta.json").write_text(json.dumps(content), encoding="utf-8")
    return X, C, y


def test_kddcup99_of_the_folder_has_the_names_of_its_meta_file(data_folder):
    X, C, y = kdd_file(data_folder)
    data = datasets.load("kddcup99", train_rows=100, test_rows=400)
    assert data.feature_names[:4] == ("duration", "src_bytes", "protocol_type=icmp", "protocol_type=tcp")
    rows = [np.flatnonzero((row[:2] == X).all(axis=1))[0] for row in data.X]
    assert sorted(rows) == list(range(500))
    np.testing.assert_array_equal(data.X[:, 7], C[rows, 2] == 1)
    np.testing.assert_array_equal(data.y == 1, y[rows] == 1)
    with pytest.raises(DataError, match=r"has 500 rows here, and 200 \+ 6,000 were asked for. Lower"):
        datasets.load("kddcup99", train_rows=200)


def test_kddcup99_without_a_meta_file_names_columns_by_number(data_folder):
    kdd_file(data_folder, meta=False)
    data = datasets.load("kddcup99", train_rows=100, test_rows=100, target="kind of attack")
    assert data.feature_names == (
        "number 1",
        "number 2",
        "protocol_type=0",
        "protocol_type=1",
        "service=0",
        "service=1",
        "flag=0",
        "flag=1",
    )


@pytest.mark.parametrize("C", [np.zeros((500, 3)), np.zeros((3, 500), np.uint8), np.zeros(500, np.uint8)])
def test_categorical_codes_of_the_wrong_kind_are_refused(data_folder, C):
    np.savez(data_folder / "kddcup99.npz", X=np.zeros((500, 2), np.float32), C=C, y=np.arange(500) % 2)
    with pytest.raises(DataError, match="its array C has the type"):
        datasets.load("kddcup99", train_rows=100, test_rows=100)


def test_activity_from_openml(monkeypatch):
    rng = np.random.default_rng(0)
    bunch = Bunch(data=rng.random((10_299, 561)), target=(np.arange(10_299) % 6 + 1).astype(str).astype(object))
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda *a, **k: bunch)
    data = datasets.load("activity", max_samples=12_000)
    assert data.X.shape == (10_299, 561) and data.target_names == activity.HAR_CLASSES
    np.testing.assert_array_equal(data.y, np.arange(10_299) % 6)


def test_activity_says_what_was_done_about_missing_values(data_folder):
    X = np.random.default_rng(0).random((60, 43), dtype=np.float32)
    X[:5, 33] = np.nan
    np.savez(data_folder / "wisdm_own.npz", X=X, y=(np.arange(60) % 6).astype(np.uint8))
    with pytest.raises(DataError, match=r"5 missing or infinite values in 1 column: 'XPEAK' \(5\)"):
        datasets.load("activity")
    filled = datasets.load("activity", missing="impute mean")
    assert filled.X.shape == (60, 43) and filled.target_names == activity.WISDM_CLASSES
    assert "5 missing numbers replaced by the mean of the column: XPEAK (5)." in filled.provenance
    dropped = datasets.load("activity", missing="drop rows")
    assert dropped.n_samples == 55 and "5 rows with missing values left out: XPEAK (5)." in dropped.provenance


def test_activity_of_other_shape_keeps_its_own_names(data_folder):
    np.savez(data_folder / "activity.npz", X=np.eye(30, 4), y=np.array(["sit", "run"] * 15))
    data = datasets.load("activity")
    assert data.target_names == ("run", "sit") and data.feature_names == () and "WISDM" not in data.provenance


def test_real_files(real_folder):
    data = datasets.load("adult", max_samples=50_000)
    assert data.X.shape == (48_842, 123) and data.n_train == 32_561 and set(np.unique(data.X)) == {0, 1}
    # The share of UCI's training rows with more than 50,000 dollars is 24.08 %.
    assert np.mean(data.y[: data.n_train] == data.target_names.index("over 50K")) == pytest.approx(0.2408, abs=1e-4)
    kdd = datasets.load("kddcup99")
    assert kdd.X.shape == (8000, 38 + 3 + 66 + 11) and kdd.feature_names[0] == "duration"
    np.testing.assert_array_equal(kdd.X[:, 38:].sum(axis=1), 3)
    har = datasets.load("activity", missing="drop rows", max_samples=12_000)
    assert har.X.shape == (5418 - 474, 43) and har.target_names == activity.WISDM_CLASSES
    # Who jogs is shaken up and down, who sits is not.
    shaken = har.X[:, har.feature_names.index("YSTANDDEV")]
    jogging, sitting = (shaken[har.y == har.target_names.index(name)] for name in ("jogging", "sitting"))
    assert np.median(jogging) > 10 * np.median(sitting)


def test_folders_are_looked_through_in_order(data_folder):
    assert adult.in_folder() is kddcup99.in_folder() is activity.in_folder() is None
    (data_folder / "a9a.npz").write_bytes(b"PK damaged")
    assert adult.in_folder() is None
    np.savez(data_folder / "adult.npz", X=np.zeros((30, 123), np.uint8), y=np.arange(30) % 2)
    assert adult.in_folder().name == "adult.npz"


def test_mnist_is_read_from_the_data_folder_and_is_one_entry(data_folder):
    assert mnist.in_folder() is None and not datasets.files_of_downloads()
    rows = {f"X_{part}": np.full((20, 28, 28), 255, np.uint8) for part in ("train", "test")}
    labels = {f"y_{part}": np.arange(20, dtype=np.uint8) % 10 for part in ("train", "test")}
    np.savez(data_folder / "mnist.npz", **rows, **labels)
    found = datasets.load("mnist", max_samples=40)
    assert found.X.shape == (40, 784) and found.n_train == 20 and "mnist.npz of the data folder" in found.provenance
    assert datasets.files_of_downloads() == {"folder:mnist"}
    np.savez(data_folder / "mnist.npz", X=np.zeros((40, 64), np.uint8), y=np.arange(40) % 2)
    assert mnist.in_folder() is None  # of another size, so something else


def test_a_file_without_labels_is_not_taken_for_adult(data_folder):
    X = np.zeros((8, 123), np.uint8)
    np.savez(data_folder / "a9a.npz", X=X)
    assert adult.in_folder() is None
    np.savez(data_folder / "a9a.npz", X=X, y=np.arange(8) % 2)
    assert adult.in_folder() == data_folder / "a9a.npz"


@pytest.mark.parametrize(
    ("name", "arrays", "lacks"),
    [
        ("adult", {"X": np.zeros((8, 123), np.uint8)}, "no labels"),
        ("kddcup99", {"X": np.zeros((8, 38)), "y": np.arange(8) % 2}, "has none"),
    ],
)
def test_an_incomplete_file_in_the_cache_is_named(name, arrays, lacks):
    stored = cache.cache_home() / "rfviz" / f"{name}.npz"
    stored.parent.mkdir(parents=True)
    np.savez(stored, **arrays)
    with pytest.raises(DataError, match=lacks):
        datasets.load(name)
