import numpy as np
import pytest

from rfviz import datasets
from rfviz.errors import MemoryBudgetError, ParameterError


@pytest.mark.parametrize("d", [2, 3, 1000])
def test_unit_norm(d):
    data = datasets.load("sphere", n_samples=50, dimension=d)
    assert data.X.shape == (50, d) and data.X.dtype == np.float32 and data.X.flags.c_contiguous
    assert np.abs(np.linalg.norm(data.X.astype(float), axis=1) - 1).max() < 1e-6


def test_defaults_and_prefix():
    data = datasets.load("sphere")
    assert data.X.shape == (500, 3)
    np.testing.assert_array_equal(data.X[:100], datasets.load("sphere", n_samples=100).X)
    assert not np.array_equal(data.X, datasets.load("sphere", random_state=1).X)


def test_cosines_have_the_variance_of_uniform_points():
    # For independent uniform points the cosine has variance 1/d. Disjoint pairs are independent, so the mean of c² over
    # 10,000 of them has a standard error of sqrt(var(c²)/10000), var(c²) = 3/(d(d+2)) - 1/d²; |z| > 5: below 1e-6.
    d = 10
    X = datasets.load("sphere", n_samples=20_000, dimension=d).X.astype(float)
    squares = (X[::2] * X[1::2]).sum(axis=1) ** 2
    z = (squares.mean() - 1 / d) / np.sqrt((3 / (d * (d + 2)) - 1 / d**2) / squares.size)
    assert abs(z) < 5


def test_rejects():
    with pytest.raises(ParameterError, match="dimension must be an integer from 2 to 1000"):
        datasets.load("sphere", dimension=1)


def test_memory_limit_is_asked_first():
    datasets.set_memory_limit(1_000_000)
    with pytest.raises(MemoryBudgetError, match=r"400\.0 MB of memory; the limit is 1\.0 MB\. Lower n_samples"):
        datasets.load("sphere", n_samples=20_000, dimension=1000)
