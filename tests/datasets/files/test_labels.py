import numpy as np
import pytest

from rfviz.datasets.files.labels import encode
from rfviz.errors import DataError


@pytest.mark.parametrize(
    ("raw", "codes", "names"),
    [
        (np.array([2, 0, 2], np.uint8), [1, 0, 1], ("0", "2")),
        (np.array([-1, 1, -1], np.int8), [0, 1, 0], ("-1", "1")),
        (np.array([1.0, 3.0, 1.0]), [0, 1, 0], ("1", "3")),
        (np.array([True, False]), [1, 0], ("False", "True")),
        (np.array(["b", "a", "b"]), [1, 0, 1], ("a", "b")),
        (np.array([b"b", b"\xff", b"b"]), [0, 1, 0], ("b", "�")),
        (np.array(["10", "9", "10"]), [1, 0, 1], ("9", "10")),
        (np.array(["-2", "5"]), [0, 1], ("-2", "5")),
        (np.array(["", "a"]), [0, 1], ("", "a")),
        (np.array([2**64 - 1, 0], np.uint64), [1, 0], ("0", "18446744073709551615")),
    ],
)
def test_classes(raw, codes, names):
    labels = encode(raw)
    assert labels.y.dtype == np.int64 and labels.y.tolist() == codes and labels.names == names


def test_names_from_the_sidecar():
    assert encode(np.array([0, 2]), ("zero", "one", "two")).names == ("zero", "two")
    assert encode(np.array(["0", "2"]), ("zero", "one", "two")).names == ("zero", "two")
    # Names that do not cover all labels would be guesses.
    assert encode(np.array([0, 3]), ("zero", "one", "two")).names == ("0", "3")
    assert encode(np.array([-1, 1]), ("zero", "one", "two")).names == ("-1", "1")


@pytest.mark.parametrize("raw", [np.array([0.5, 1.0]), np.arange(1001), np.array([1e300, 0.0])])
def test_regression(raw):
    labels = encode(raw)
    assert labels.y.dtype == np.float64 and labels.names == ()
    np.testing.assert_array_equal(labels.y, raw)


def test_text_that_identifies_rows():
    with pytest.raises(DataError, match="1,001 distinct values, and at most 1,000"):
        encode(np.array([f"name {i}" for i in range(1001)]))
