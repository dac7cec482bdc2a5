import numpy as np
import pytest

from rfviz import datasets
from rfviz.errors import ParameterError


def test_digits():
    data = datasets.load("digits")
    assert data.X.shape == (1797, 64) and data.X.dtype == np.float32 and data.X.flags.c_contiguous
    assert data.X.min() == 0 and data.X.max() == 1 and data.image_shape == (8, 8)
    assert data.y.dtype == np.int64 and data.target_names == tuple("0123456789")
    assert np.bincount(data.y).min() > 170


def test_has_no_parameters():
    with pytest.raises(ParameterError, match="Known parameters: none"):
        datasets.load("digits", n_samples=3)
