"""CIFAR-10 from the data folder or OpenML; nothing here opens a connection."""

from urllib.error import URLError

import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from rfviz import datasets
from rfviz.datasets.downloads import cifar10
from rfviz.errors import DataError, MemoryBudgetError, ParameterError


def smooth_images(n, seed=0):
    """Return smooth pictures, no two alike, whose colours differ."""
    y, x, colour = np.meshgrid(np.arange(32) / 32, np.arange(32) / 32, np.arange(3), indexing="ij")
    shift = np.random.default_rng(seed).random((n, 1, 1, 1))
    return np.rint(127 + 127 * np.sin(4 * y + 3 * x * shift + 2 * colour + 6 * shift)).astype(np.uint8)


@pytest.fixture
def offline(monkeypatch):
    def fetch(*args, **kwargs):
        raise URLError("offline")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)


@pytest.mark.parametrize("by_colour", [True, False])
def test_colours_are_found_whichever_way_they_are_stored(by_colour):
    images = smooth_images(60)
    flat = (images.transpose(0, 3, 1, 2) if by_colour else images).reshape(60, -1)
    np.testing.assert_array_equal(cifar10.channels_last(flat), images)


def test_download_is_checked_stored_and_read_back(monkeypatch, offline):
    images = np.repeat(smooth_images(100), 200, axis=0)
    X = images.transpose(0, 3, 1, 2).reshape(20_000, -1)
    answer = Bunch(data=X, target=np.array([str(i % 10) for i in range(20_000)], dtype=object))
    with monkeypatch.context() as patched:
        patched.setattr(sklearn.datasets, "fetch_openml", lambda *a, **k: answer)
        data = datasets.load("cifar10", max_samples=500)
    assert data.image_shape == (32, 32, 3) and data.n_train is None
    assert data.target_names == cifar10.CLASSES and np.bincount(data.y).tolist() == [50] * 10
    rows = {image.tobytes() for image in images}
    assert all(np.rint(row * 255).astype(np.uint8).tobytes() in rows for row in data.X)
    # From the cache from now on.
    np.testing.assert_array_equal(datasets.load("cifar10", max_samples=500).X, data.X)


def test_middle_is_cut_out(save, offline):
    images = smooth_images(30)
    save("cifar10_mine", X=images, y=np.arange(30) % 10)
    whole, middle = (datasets.load("cifar10", side=side) for side in ("32", "24"))
    assert middle.image_shape == (24, 24, 3) and middle.X.shape == (30, 24 * 24 * 3)
    expected = whole.X.reshape(30, 32, 32, 3)[:, 4:28, 4:28]
    np.testing.assert_array_equal(middle.X.reshape(expected.shape), expected)
    np.testing.assert_array_equal(np.rint(whole.X * 255), images.reshape(30, -1))
    assert "cifar10_mine.npz of the data folder" in middle.provenance


def test_files_that_are_no_images_of_this_size_are_passed_over(save, data_folder, offline):
    save("cifar10_a", X=np.eye(5))
    (data_folder / "cifar10_b.npz").write_bytes(b"damaged")
    with pytest.raises(DataError, match=r"no network connection \(offline\).*put cifar10.npz in the data folder"):
        datasets.load("cifar10")
    save("cifar10_c", X=smooth_images(12), y=np.arange(12) % 10)
    assert datasets.load("cifar10").n_samples == 12


def test_real_file_keeps_its_split(real_folder, offline):
    data = datasets.load("cifar10", max_samples=1000, side="24")
    assert data.n_train == 800 and data.X.shape == (1000, 1728)
    assert data.target_names == cifar10.CLASSES
    # A photograph is smooth: neighbouring pixels differ far less than pixels at random.
    images = data.X.reshape(-1, 24, 24, 3)
    shuffled = np.random.default_rng(0).permutation(data.X.ravel())
    assert np.abs(np.diff(images, axis=1)).mean() < 0.4 * np.abs(np.diff(shuffled)).mean()


def test_memory_is_asked_for_before_the_download(monkeypatch):
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda *a, **k: pytest.fail("fetched before the check"))
    datasets.set_memory_limit(500_000_000)
    with pytest.raises(MemoryBudgetError, match=r"Unpacking CIFAR-10 needs about 1\.2 GB"):
        datasets.load("cifar10")


def test_rejects():
    with pytest.raises(ParameterError, match="side must be one of '24', '32'"):
        datasets.load("cifar10", side="28")
