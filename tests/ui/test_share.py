"""What Share offers of data that a page holds a part of: all rows, or the command that writes them."""

import re
import shlex

import numpy as np
import pytest

from rfviz import cli, datasets
from rfviz.datasets.files import parts
from rfviz.lab import export
from rfviz.lab.preset import write_preset
from tests import app_pages

N, DRAWN = 5000, 2000


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Use a data folder with a table of which rows are drawn."""
    monkeypatch.setattr(parts, "SAMPLE_ROWS", DRAWN)
    (tmp_path / "data" / "large").mkdir(parents=True)
    rng = np.random.default_rng(0)
    np.save(tmp_path / "data" / "large" / "X.npy", rng.standard_normal((N, 4)).astype(np.float32))
    np.save(tmp_path / "data" / "large" / "y.npy", rng.integers(0, 2, N))
    datasets.set_folder(tmp_path / "data")
    yield tmp_path / "data"
    datasets.set_folder(None)


def shared(**query):
    """Return the labels of the downloads and the captions of the dialog."""
    at = app_pages.opened("maxout-pca", query={"data": "folder:large", "n_components": "100", **query})
    next(button for button in at.button if button.label == "Share").click()
    at.run()
    assert not at.exception
    return [button.label for button in at.get("download_button")], [caption.value for caption in at.caption]


def test_of_two_dialogs_that_are_asked_for_at_once_one_is_opened():
    at = app_pages.opened("distance-saturation", query={"data": "own"})
    assert len(at.get("file_uploader")) == 1
    next(button for button in at.button if button.label == "Share").click()
    at.run()
    assert not at.exception and not at.error and len(at.get("file_uploader")) == 1


@pytest.mark.slow
def test_all_rows_can_be_had(table, tmp_path, monkeypatch):
    labels, captions = shared()
    assert {"All rows (NPZ, 2.0 MB)", "Drawn rows (NPZ, 800.0 kB)", "First 1,000 (NPZ, 400.0 kB)"} <= {*labels}
    assert not any("rfviz run" in caption for caption in captions)
    monkeypatch.setattr(export, "MOST_BYTES", 1_000_000)
    labels, captions = shared()
    assert "Drawn rows (NPZ, 800.0 kB)" in labels and not any("All rows" in label for label in labels)
    words = next(caption for caption in captions if caption.startswith("All rows would take 2.0 MB, more than"))
    # The very command writes them.
    (tmp_path / "settings.json").write_text(write_preset("maxout-pca", {"data": "folder:large", "n_components": 100}))
    monkeypatch.chdir(tmp_path)
    command = shlex.split(re.search("`rfviz (.*)`", words)[1].replace("FOLDER", "data"))
    assert cli.main(command) == 0
    with np.load(tmp_path / "results" / "maxout-pca-features.npz", allow_pickle=False) as held:
        assert held["Phi"].shape == (N, 100) and len(held["y"]) == N
