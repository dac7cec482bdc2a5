"""Reading .npz files: what is understood, and one clear sentence for everything else."""

import io
import warnings
import zipfile

import numpy as np
import pytest

from rfviz import datasets
from rfviz.datasets.files.content import File
from rfviz.datasets.files.npz import npz_layout, read_npz
from rfviz.errors import DataError, MemoryBudgetError

RNG = np.random.default_rng(0)
X = RNG.standard_normal((6, 3)).astype(np.float32)
Y = np.array([0, 1, 0, 1, 0, 1], np.uint8)
IMAGES = RNG.integers(0, 256, (6, 4, 5), dtype=np.uint8)


def read(path):
    return read_npz(File.at(path))


@pytest.fixture
def write(tmp_path):
    def save(**arrays):
        path = tmp_path / "a.npz"
        np.savez_compressed(path, **arrays)
        return path

    return save


def _refused(path, *texts):
    """Return the sentence with which `path` is refused, holding `texts`, already by its headers or only when read."""
    with pytest.raises(DataError) as caught:
        read(path)
    message = str(caught.value)
    assert "a.npz" in message and "\n" not in message and message.endswith(".") and len(message) < 400, message
    for text in texts:
        assert text in message, message


def _npy(array):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array)
    return buffer.getvalue()


def _zip(path, members, **options):
    with zipfile.ZipFile(path, "w", **options) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_reads_what_was_written(write):
    raw = read(write(X=X, y=Y, frame=np.arange(6), speaker=np.array(["a"] * 6), C=np.zeros((6, 2))))
    np.testing.assert_array_equal(raw.X, X)
    np.testing.assert_array_equal(raw.y, Y)
    assert raw.order.tolist() == list(range(6)) and raw.n_train is None and raw.image_shape is None
    assert raw.notes == ("its categorical codes (C) are left out", "not used: speaker")


def test_two_parts(write):
    raw = read(write(X_train=X[:4], X_test=X[4:], y_train=Y[:4], y_test=Y[4:]))
    np.testing.assert_array_equal(raw.X, X)
    np.testing.assert_array_equal(raw.y, Y)
    assert raw.n_train == 4
    np.testing.assert_array_equal(read(write(X_train=X[:4], X_test=X[4:], y=Y)).y, Y)
    alone = read(write(X_train=X, y_train=Y))
    assert alone.n_train is None and alone.y is not None


@pytest.mark.parametrize(
    ("images", "shape"),
    [(IMAGES, (4, 5)), (IMAGES[..., None], (4, 5)), (np.stack([IMAGES] * 3, axis=3), (4, 5, 3))],
)
def test_images(write, images, shape):
    raw = read(write(X=images))
    assert raw.image_shape == shape and raw.X.shape == (6, np.prod(shape))
    np.testing.assert_array_equal(raw.X.reshape(images.shape), images)


@pytest.mark.parametrize("white", [1, 16, 255])
@pytest.mark.parametrize("parts", [("X",), ("X_train", "X_test")])
def test_images_of_numbers_become_bytes(write, white, parts):
    """As scikit-learn has digits from 0 to 16, and networks have images from 0 to 1."""
    images = np.clip(IMAGES, 0, 240) / 255.0 * white
    raw = read(write(**dict(zip(parts, np.split(images, len(parts)), strict=True))))
    assert raw.X.dtype == np.uint8 and raw.image_shape == (4, 5)
    np.testing.assert_array_equal(raw.X.reshape(images.shape), np.clip(IMAGES, 0, 240))
    assert f"pixels from 0 to {white} are kept as 256 shades" in raw.notes


@pytest.mark.parametrize(("odd", "usual"), [(3.0, -1), (300, 0), (np.nan, 1.0)])
def test_pixels_of_no_scale_are_refused(write, odd, usual):
    with pytest.raises(DataError, match="must lie between 0 and 1, 16 or 255, none of them missing"):
        read(write(X=np.where(IMAGES > 127, odd, usual)))


def test_bytes_in_two_axes_are_numbers(write):
    assert read(write(X=IMAGES[:, 0])).image_shape is None


def test_is_train_puts_training_rows_first(write):
    mark = np.array([0, 1, 0, 1, 1, 0], bool)
    raw = read(write(X=X, y=Y[:, None], order=np.arange(6), is_train=mark))
    assert raw.n_train == 3 and raw.order.tolist() == [1, 3, 4, 0, 2, 5]
    np.testing.assert_array_equal(raw.X, X[raw.order])
    np.testing.assert_array_equal(raw.y, Y[raw.order])


def test_fortran_order_and_version_2(write, tmp_path):
    np.testing.assert_array_equal(read(write(X=np.asfortranarray(X))).X, X)
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, X, version=(2, 0))
    np.testing.assert_array_equal(read(_zip(tmp_path / "b.npz", {"X.npy": buffer.getvalue()})).X, X)


@pytest.mark.parametrize(
    ("arrays", "texts"),
    [
        ({}, ["no array X", "it holds nothing", "np.savez_compressed(path, X=X, y=y)"]),
        ({"Z": X, "W": X}, ["no array X", "it holds Z, W"]),
        ({"data": X, "indices": Y, "indptr": Y, "shape": Y}, ["SciPy sparse", "toarray"]),
        ({"X_test": X}, ["X_test but no X_train"]),
        ({"X": X[:0]}, ["empty", "0 rows and 3 columns"]),
        ({"X": X[:, :0]}, ["empty", "6 rows and 0 columns"]),
        ({"X": X[0]}, ["shape (3,)", "one row per sample"]),
        ({"X": np.float32(3)}, ["shape ()", "one row per sample"]),
        ({"X": np.zeros((2, 3, 4, 5), np.uint8)}, ["(2, 3, 4, 5)", "flatten"]),
        ({"X": np.zeros((2, 3, 4, 3, 1), np.uint8)}, ["(2, 3, 4, 3, 1)"]),
        ({"X": X.astype(complex)}, ["complex128", "Save real numbers"]),
        ({"X": X.astype(str)}, ["holds text", "Encode"]),
        ({"X": np.array([["a", 1]], object)}, ["Python objects", "pickle", "as numbers"]),
        ({"X": X, "y": np.array(["a"] * 6, object)}, ["array y holds Python objects"]),
        ({"X": np.zeros(6, [("a", "f4")])}, ["type [('a', '<f4')]"]),
        ({"X": np.zeros((6, 2), "M8[s]")}, ["datetime64"]),
        ({"X": X, "y": Y[:5]}, ["y has the shape (5,)", "6 rows"]),
        ({"X": X, "y": np.eye(6)}, ["y has the shape (6, 6)"]),
        ({"X": X, "frame": np.arange(7)}, ["frame has the shape (7,)"]),
        ({"X": X, "order": np.array(["a"] * 6)}, ["order has the type <U1", "must hold numbers"]),
        ({"X": X, "is_train": np.arange(6)}, ["is_train has the type int64", "booleans"]),
        ({"X_train": X, "X_test": X[:, :2]}, ["X_train has the shape (6, 3) and X_test (6, 2)"]),
        ({"X_train": X, "X_test": X, "y_train": Y}, ["one of its two parts only", "y_test is missing"]),
        ({"X_train": X[:4], "X_test": X[4:], "y_train": Y, "y_test": Y}, ["y_train has the shape (6,)", "4 rows"]),
        ({"X_train": IMAGES, "X_test": IMAGES / 255}, ["images of the type uint8, and X_test of float64"]),
    ],
)
def test_wrong_arrays_are_refused_by_their_headers(write, arrays, texts):
    path = write(**arrays)
    _refused(path, *texts)
    with pytest.raises(DataError):
        npz_layout(File.at(path))


def test_files_that_are_not_npz(tmp_path, write):
    path = tmp_path / "a.npz"
    for content in (b"", b"not a zip", _npy(X), b"PK\x03\x04" + b"\0" * 100):
        path.write_bytes(content)
        _refused(path, "damaged or cut short", "write it with numpy.savez_compressed")
    whole = write(X=X).read_bytes()
    for cut in (10, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:cut])
        _refused(path, "damaged")
    path.unlink()
    _refused(path, "was removed or renamed")
    path.mkdir()
    _refused(path, "could not be read: Is a directory")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY",
        b"not an array",
        b"\x93NUMPY\x01\x00\xff\xff{",
        b"\x93NUMPY\x01\x00\x08\x00{'a': 1}",
        b"\x93NUMPY\x01\x00\x10\x00__import__('os')",
        # A header of version 2 that announces 4 GB of itself.
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b" " * 100,
    ],
)
def test_broken_headers(tmp_path, content):
    _refused(_zip(tmp_path / "a.npz", {"X.npy": content}), "damaged, or not an .npz file")


def test_unknown_version(tmp_path):
    _refused(_zip(tmp_path / "a.npz", {"X.npy": b"\x93NUMPY\x09\x00" + _npy(X)[8:]}), "unknown format version 9.0")


def _with_shape(shape):
    """Return the file of X, its header claiming another shape."""
    head, data = _npy(X)[:128], _npy(X)[128:]
    text = head[10:].decode().replace("(6, 3)", shape).rstrip()
    return head[:10] + text.ljust(117).encode() + b"\n" + data


@pytest.mark.parametrize("shape", ["(9, 3)", "(5, 3)", "(-6,-3)", "(6000000000, 3)", "(0, 3)"])
def test_lying_headers(tmp_path, shape):
    _refused(_zip(tmp_path / "a.npz", {"X.npy": _with_shape(shape)}), "X is cut short or altered", "header announces")


def test_altered_bytes_fail_the_checksum(tmp_path):
    path = _zip(tmp_path / "a.npz", {"X.npy": _npy(np.zeros((100, 3)))})
    content = bytearray(path.read_bytes())
    content[1000] ^= 1
    path.write_bytes(content)
    _refused(path, "damaged", "CRC")


def test_words_of_others_are_cut(tmp_path, write):
    path = write(X=X)
    content = bytearray(path.read_bytes())
    # The name in the member's own header now runs on through its bytes, and zipfile quotes all of it.
    content[26:28] = b"\x80\x00"
    path.write_bytes(content)
    _refused(path, "File name in directory 'X.npy' and header", "…")


def test_encrypted_or_unknown_compression(tmp_path):
    path = _zip(tmp_path / "a.npz", {"X.npy": _npy(X)})
    content = bytearray(path.read_bytes())
    central = content.index(b"PK\x01\x02")
    for offset, value, text in ((8, 1, "is encrypted"), (10, 97, "compression method is not supported")):
        altered = content.copy()
        altered[central + offset] = value
        altered[offset - 2] = value
        path.write_bytes(altered)
        _refused(path, text)


def test_fuzz(tmp_path, write):
    whole = write(X=X, y=np.array(list("ababab")), frame=np.arange(6)).read_bytes()
    path = tmp_path / "a.npz"
    rng = np.random.default_rng(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(150):
            content = np.frombuffer(whole, np.uint8).copy()
            content[rng.integers(0, content.size, rng.integers(1, 6))] = rng.integers(0, 256)
            path.write_bytes(content.tobytes())
            try:
                read(path)
            except (DataError, MemoryBudgetError) as error:
                assert "\n" not in str(error)


def test_expanded_size_is_bounded(write):
    path = write(X=np.zeros((1000, 1000)))
    assert path.stat().st_size < 20_000
    datasets.set_memory_limit(4_000_000)
    with pytest.raises(
        MemoryBudgetError, match=r"a\.npz, expanded, needs about 9\.0 MB.*limit is 4\.0 MB\. Save fewer"
    ):
        read(path)
    assert npz_layout(File.at(path)).n_samples == 1000


def test_no_pickle_is_ever_loaded(write, monkeypatch):
    import pickle

    path = write(X=X, extra=np.array([{}, set()], object))
    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, lambda *a, **k: pytest.fail("a pickle was read"))
    assert read(path).notes == ("not used: extra",)


def test_permission(write):
    path = write(X=X)
    path.chmod(0)
    try:
        path.read_bytes()
    except PermissionError:
        _refused(path, "could not be read: Permission denied")
    finally:
        path.chmod(0o600)
