"""Every test gets its own empty cache and no data folder, whatever the environment says."""

import os
from pathlib import Path

import numpy as np
import pytest

from rfviz import datasets
from rfviz.datasets.data_folder import FOLDER

REAL = Path(os.environ.get("RFVIZ_DATA") or Path(__file__).parents[3] / "shared" / "data")


@pytest.fixture(autouse=True)
def isolated(monkeypatch, tmp_path_factory):
    monkeypatch.delenv("RFVIZ_DATA", raising=False)
    monkeypatch.delenv("RFVIZ_DATA_LIMIT_GB", raising=False)
    monkeypatch.setenv("RFVIZ_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    datasets.set_folder(None)
    datasets.set_memory_limit(None)


@pytest.fixture
def real_folder():
    """Use the folder of real data sets, or skip and say so: they are no part of the project."""
    if not (REAL / "umist_28x23.npz").is_file():
        pytest.skip(f"no real data in {REAL} (set RFVIZ_DATA)")
    datasets.set_folder(REAL)
    return REAL


@pytest.fixture
def data_folder(tmp_path):
    """Use an empty data folder."""
    datasets.set_folder(tmp_path)
    return tmp_path


@pytest.fixture
def save(data_folder):
    """Return ``save(name, X=..., y=...)``, which writes an .npz into the data folder and returns its key."""

    def write(name, **arrays):
        np.savez_compressed(data_folder / f"{name}.npz", **arrays)
        return FOLDER + name

    return write
