import numpy as np
import pytest
from sklearn.datasets import load_sample_image

from rfviz import datasets
from rfviz.errors import ParameterError


def test_patches_are_pieces_of_the_photographs():
    data = datasets.load("photo_patches")
    assert data.X.shape == (884, 24 * 24 * 3) and data.image_shape == (24, 24, 3)
    assert data.target_names == ("temple", "flower") and np.bincount(data.y).tolist() == [442, 442]
    for code, name in enumerate(["china.jpg", "flower.jpg"]):
        photograph = load_sample_image(name)
        for place in (0, 25, 26, 200, 441):
            top, left = 24 * (place // 26), 24 * (place % 26)
            (row,) = np.flatnonzero((data.y == code) & (data.order == place))
            pixels = np.rint(data.X[row] * 255).reshape(24, 24, 3)
            np.testing.assert_array_equal(pixels, photograph[top : top + 24, left : left + 24])


def test_no_row_is_black_and_none_occurs_twice():
    X = datasets.load("photo_patches").X
    assert np.linalg.norm(X, axis=1).min() > 0
    assert len(np.unique(X, axis=0)) == len(X)


def test_a_larger_sample_holds_the_smaller():
    small, large = (datasets.load("photo_patches", max_samples=n, random_state=2) for n in (20, 100))
    assert np.bincount(small.y).tolist() == [10, 10]
    rows = {row.tobytes() for row in large.X}
    assert all(row.tobytes() in rows for row in small.X)


def test_rejects():
    with pytest.raises(ParameterError, match="max_samples must be an integer from 2"):
        datasets.load("photo_patches", max_samples=1)
