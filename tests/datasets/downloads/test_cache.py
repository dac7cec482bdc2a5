"""Downloads without a network: watched, worded, stored without pickle. Nothing here opens a connection."""

import re
import socket
import threading
from email.message import Message
from urllib.error import HTTPError, URLError

import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from rfviz import datasets
from rfviz.datasets.downloads import cache, pixels, umist
from rfviz.errors import DataError, MemoryBudgetError, ParameterError

FETCHERS = {
    "mnist": "fetch_openml",
    "umist": "fetch_openml",
    "cifar10": "fetch_openml",
    "olivetti": "fetch_olivetti_faces",
    "adult": "fetch_openml",
    "kddcup99": "fetch_kddcup99",
    "activity": "fetch_openml",
}


@pytest.fixture(autouse=True)
def fast(monkeypatch):
    monkeypatch.setattr(cache, "_TICK_SECONDS", 0.01)


def _replace(monkeypatch, name, function):
    monkeypatch.setattr(sklearn.datasets, FETCHERS[name], function)


def _raising(error):
    def fetch(*args, **kwargs):
        raise error

    return fetch


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("mnist", "MNIST could not be downloaded from OpenML: "),
        ("umist", "UMIST faces could not be downloaded from OpenML: "),
        ("olivetti", "Olivetti faces could not be downloaded from figshare: "),
        ("cifar10", "CIFAR-10 could not be downloaded from OpenML: "),
        ("adult", "Adult could not be downloaded from OpenML: "),
        ("kddcup99", "KDD Cup 1999 could not be downloaded from figshare: "),
        ("activity", "Human activity could not be downloaded from OpenML: "),
    ],
)
def test_no_network_is_one_sentence(monkeypatch, name, start):
    _replace(monkeypatch, name, _raising(URLError(socket.gaierror(-2, "Name or service not known"))))
    with pytest.raises(DataError) as caught:
        datasets.load(name)
    assert str(caught.value) == (
        f"{start}no network connection (Name or service not known). "
        f"Check the connection, or put {name}.npz in the data folder."
    )
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            HTTPError("u", 503, "Service Unavailable", Message(), None),
            "the server answered 503 Service Unavailable. Try",
        ),
        (TimeoutError("timed out"), "no answer within 20 s. Check the connection"),
        (URLError(TimeoutError("timed out")), "no answer within 20 s"),
        (ConnectionResetError(104, "Connection reset by peer"), "no network connection (Connection reset by peer)"),
        (PermissionError(13, "Permission denied"), "the cache folder cannot be used (Permission denied). Make room"),
        (OSError("The SHA256 checksum differs\nfrom"), "not what was expected (The SHA256 checksum differs)"),
        (ValueError(), "not what was expected (ValueError)"),
        (SystemExit(), "not what was expected (SystemExit)"),
    ],
)
def test_every_failure_has_a_reason(monkeypatch, error, text):
    _replace(monkeypatch, "mnist", _raising(error))
    with pytest.raises(DataError) as caught:
        datasets.load("mnist")
    assert text in str(caught.value) and "\n" not in str(caught.value)


def test_no_storm_of_attempts(monkeypatch):
    calls = []

    def fetch(*args, **kwargs):
        calls.append((kwargs["n_retries"], kwargs["delay"], socket.getdefaulttimeout()))
        raise URLError("down")

    _replace(monkeypatch, "mnist", fetch)
    with pytest.raises(DataError, match=r"no network connection \(down\)"):
        datasets.load("mnist")
    assert calls == [(1, 0.5, 20.0)]
    assert socket.getdefaulttimeout() is None


def test_cache_folder_that_cannot_be_made(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RFVIZ_CACHE", str(tmp_path / "file" / "sub"))
    with pytest.raises(DataError, match=r"cache folder cannot be used.*RFVIZ_CACHE"):
        datasets.load("mnist")


class _Hanging:
    """A fetch that does not return until it is let go."""

    def __init__(self):
        self.calls, self.go = 0, threading.Event()

    def __call__(self, *args, **kwargs):
        self.calls += 1
        self.go.wait(10)
        raise URLError("let go")


@pytest.fixture
def hanging(monkeypatch):
    fetch = _Hanging()
    _replace(monkeypatch, "mnist", fetch)
    yield fetch
    fetch.go.set()
    for thread in threading.enumerate():
        if thread.name.startswith("download-"):
            thread.join(5)


def test_callback_stops_the_waiting(hanging):
    texts = []

    def progress(fraction, text):
        assert fraction is None and threading.current_thread() is threading.main_thread()
        texts.append(text)
        if len(texts) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        datasets.load("mnist", progress=progress)
    assert any(thread.name.startswith("download-") for thread in threading.enumerate()), "the download goes on"
    assert re.fullmatch(r"downloading MNIST from OpenML \(about 15 MB\)… \d s", texts[-1])


def test_second_call_joins_the_running_download(hanging):
    def stop(fraction, text):
        if hanging.calls:
            raise RuntimeError("stopped")

    for _ in range(3):
        with pytest.raises(RuntimeError, match="stopped"):
            datasets.load("mnist", progress=stop)
    assert hanging.calls == 1


def test_another_download_waits_and_says_so(hanging, monkeypatch):
    _replace(monkeypatch, "olivetti", _raising(URLError("never")))

    def stop(fraction, text):
        if hanging.calls:
            raise RuntimeError(text)

    with pytest.raises(RuntimeError, match="downloading MNIST"):
        datasets.load("mnist", progress=stop)
    with pytest.raises(RuntimeError, match=r"^waiting for another download to end… 0 s"):
        datasets.load("olivetti", progress=stop)


def test_waiting_has_an_end(hanging, monkeypatch):
    monkeypatch.setattr(cache, "_LIMIT_SECONDS", 0.05)
    with pytest.raises(DataError, match=r"MNIST could not be downloaded from OpenML: no end after"):
        datasets.load("mnist")


def _mnist(*args, **kwargs):
    X = np.zeros((70_000, 784), np.uint8)
    X[:, 0], X[:, 1] = np.arange(70_000) // 256, np.arange(70_000) % 256
    return Bunch(data=X, target=np.array([str(i % 10) for i in range(70_000)], dtype=object))


def test_mnist_is_split_stored_and_read_back(monkeypatch):
    _replace(monkeypatch, "mnist", _mnist)
    data = datasets.load("mnist", max_samples=700)
    assert data.X.shape == (700, 784) and data.n_train == 600 and data.image_shape == (28, 28)
    assert data.target_names == tuple("0123456789") and np.bincount(data.y).tolist() == [70] * 10
    # The first two pixels hold the row number (modulo 2**16).
    rows = np.rint(data.X[:, :2] * 255) @ [256, 1]
    assert (rows[:600] < 60_000).all() and (np.diff(rows[:600]) > 0).sum() >= 598
    np.testing.assert_array_equal(rows.astype(int)[:500] % 10, data.y[:500])
    # From the cache from now on, which holds no pickle.
    _replace(monkeypatch, "mnist", _raising(URLError("offline")))
    np.testing.assert_array_equal(datasets.load("mnist", max_samples=700).X, data.X)
    assert [p.name for p in (cache.cache_home() / "rfviz").iterdir()] == ["mnist.npz"]
    # A damaged cache is fetched again.
    (cache.cache_home() / "rfviz" / "mnist.npz").write_bytes(b"damaged")
    with pytest.raises(DataError, match="offline"):
        datasets.load("mnist")


@pytest.mark.parametrize("name", FETCHERS)
def test_wrong_shapes_are_refused(monkeypatch, name):
    _replace(monkeypatch, name, lambda *a, **k: Bunch(data=np.zeros((3, 4)), target=np.zeros(3)))
    with pytest.raises(DataError, match=r"returned .*\(3, 4\) and \(3,\)"):
        datasets.load(name)


def test_pixels_that_are_not_bytes_are_refused():
    assert pixels.as_bytes(np.array([0.0, 255]), "T").dtype == np.uint8
    for bad in ([0.5], [-1.0], [256.0], [np.nan]):
        with np.errstate(invalid="ignore"), pytest.raises(DataError, match="not whole numbers from 0 to 255"):
            pixels.as_bytes(np.array(bad), "T")


def test_mnist_asks_for_memory_first(monkeypatch):
    _replace(monkeypatch, "mnist", lambda *a, **k: pytest.fail("fetched before the check"))
    datasets.set_memory_limit(500_000_000)
    with pytest.raises(MemoryBudgetError, match=r"Unpacking MNIST needs about 1\.1 GB"):
        datasets.load("mnist")


def test_olivetti(monkeypatch):
    homes = []

    def fetch(data_home, **kwargs):
        homes.append(data_home)
        X = np.linspace(0, 1, 400 * 4096, dtype=np.float32).reshape(400, 4096)
        return Bunch(data=X, target=np.arange(400) // 10)

    _replace(monkeypatch, "olivetti", fetch)
    data = datasets.load("olivetti")
    assert data.X.shape == (400, 4096) and data.image_shape == (64, 64) and data.X.max() == 1
    assert data.y.tolist() == (np.arange(400) // 10).tolist() and len(data.target_names) == 40
    # A folder of its own, so that no pickle of an earlier run is ever read; it is gone afterwards.
    home = cache.cache_home()
    assert homes[0] != str(home) and homes[0].startswith(str(home))
    assert [p.name for p in home.iterdir()] == ["rfviz"]


def _smooth_faces(rng):
    """Return 575 smooth pictures of 112×92, no two alike."""
    y, x = np.mgrid[:112, :92] / 92
    shift = rng.random((575, 1, 1))
    return np.rint(127 + 127 * np.sin(5 * y + 3 * x * shift + 6 * shift)).astype(np.uint8)


@pytest.mark.parametrize(("by_column", "as_text"), [(False, False), (True, True)])
def test_umist_is_upright_whichever_way_it_is_stored(monkeypatch, by_column, as_text):
    images = _smooth_faces(np.random.default_rng(0))
    flat = (images.transpose(0, 2, 1) if by_column else images).reshape(575, -1)
    person = 1 + np.arange(575) * 20 // 575
    target = person.astype(str).astype(object) if as_text else person.astype(float)
    _replace(monkeypatch, "umist", lambda *a, **k: Bunch(data=flat.astype(float), target=target))
    data = datasets.load("umist")
    np.testing.assert_array_equal(np.rint(data.X * 255).reshape(575, 112, 92), images)
    assert data.target_names == tuple(str(i) for i in range(1, 21)) and data.y.tolist() == (person - 1).tolist()
    one = datasets.load("umist", only_class=3)
    assert one.order.tolist() == list(range(np.count_nonzero(person == 4)))
    np.testing.assert_array_equal(one.X, data.X[person == 4])
    with pytest.raises(ParameterError, match="only_class must be an integer from -1 to 19"):
        datasets.load("umist", only_class=20)


def test_upright_on_real_faces(real_folder):
    with np.load(real_folder / "orl_faces.npz") as stored:
        images = stored["X"]
    for flat in (images.reshape(400, -1), images.transpose(0, 2, 1).reshape(400, -1)):
        np.testing.assert_array_equal(umist.upright(flat, 112, 92), images)
