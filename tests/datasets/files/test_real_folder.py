"""The data folder with real data sets in it."""

import numpy as np
import psutil
import pytest

from rfviz import datasets
from rfviz.datasets.files import folder
from rfviz.errors import DataError

EXPECTED = {
    "a9a": (48_842, 123, None),
    "cifar10_25k": (25_000, 3072, (32, 32, 3)),
    "kddcup99_10pct": (494_021, 38, None),
    "mnist": (70_000, 784, (28, 28)),
    "orl_faces": (400, 10_304, (112, 92)),
    "phoneme_esl": (4509, 256, None),
    "umist_28x23": (575, 644, (28, 23)),
    "wisdm_har": (5418, 43, None),
}


def test_listing_knows_the_shapes_from_the_heads_of_files(real_folder, monkeypatch):
    monkeypatch.setattr(folder, "_examined", {})
    before = psutil.Process().io_counters().read_chars
    specs = folder.specs()
    read = psutil.Process().io_counters().read_chars - before
    for name, shape in EXPECTED.items():
        extra = specs[f"folder:{name}"].extra
        assert (extra["n_samples"], extra["n_features"], extra["image_shape"]) == shape
    assert read < 0.05 * sum(path.stat().st_size for path in real_folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", [name for name in EXPECTED if name not in ("wisdm_har", "cifar10_25k")])
def test_loads_with_defaults(real_folder, name):
    data = datasets.load(f"folder:{name}")
    n, d, image_shape = EXPECTED[name]
    assert data.X.shape == (min(n, 2000), d) and data.X.dtype == np.float32 and data.X.flags.c_contiguous
    assert np.isfinite(data.X).all() and data.image_shape == image_shape
    assert "licence: " in data.provenance and data.y.max() == len(data.target_names) - 1
    if image_shape:
        assert 0 <= data.X.min() < 0.1 and 0.9 < data.X.max() <= 1


def test_one_person_turns(real_folder):
    data = datasets.load("folder:umist_28x23", only_class=17)
    assert data.X.shape == (33, 644) and data.order.tolist() == list(range(33)) and set(data.y) == {17}


def test_split_keeps_its_proportion(real_folder):
    data = datasets.load("folder:mnist", max_samples=700)
    assert data.n_train == 600
    with np.load(real_folder / "mnist.npz") as stored:
        train = {row.tobytes(): y for row, y in zip(stored["X_train"], stored["y_train"], strict=True)}
    found = [train.get(np.rint(row * 255).astype(np.uint8).tobytes()) for row in data.X]
    assert found[:600] == data.y[:600].tolist() and found[600:].count(None) >= 99


def test_names_and_categories_from_the_sidecar(real_folder):
    data = datasets.load("folder:kddcup99_10pct", max_samples=500)
    assert data.feature_names[:2] == ("duration", "src_bytes") and data.target_names[11] == "normal"
    assert len(np.unique(data.y)) == 23 and "categorical codes (C) are left out" in data.provenance


def test_split_by_speaker(real_folder):
    data = datasets.load("folder:phoneme_esl", max_samples=1_000_000)
    with np.load(real_folder / "phoneme_esl.npz") as stored:
        assert data.n_train == stored["is_train"].sum()
        np.testing.assert_array_equal(data.X[: data.n_train], stored["X"][stored["is_train"]])


def test_labels_of_minus_one_and_one(real_folder):
    data = datasets.load("folder:a9a")
    assert data.target_names == ("-1", "1") and set(data.y) == {0, 1} and data.n_train == 1333


def test_missing_values(real_folder):
    with pytest.raises(
        DataError,
        match=r"615 missing or infinite values in 3 columns: "
        r"'column 34' \(381\), 'column 35' \(131\), 'column 36' \(103\)",
    ):
        datasets.load("folder:wisdm_har")
    everything = 1_000_000
    dropped = datasets.load("folder:wisdm_har", missing="drop rows", max_samples=everything)
    imputed = datasets.load("folder:wisdm_har", missing="impute mean", max_samples=everything)
    assert dropped.X.shape == (5418 - 474, 43) and imputed.X.shape == (5418, 43)
    assert np.isfinite(imputed.X).all() and dropped.target_names == imputed.target_names


def test_colour_images(real_folder):
    data = datasets.load("folder:cifar10_25k", max_samples=50)
    assert data.X.shape == (50, 3072) and data.image_shape == (32, 32, 3) and data.n_train == 40
