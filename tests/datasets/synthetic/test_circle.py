import numpy as np
import pytest

from rfviz import datasets
from rfviz.errors import ParameterError


@pytest.mark.parametrize("evenly", [False, True])
@pytest.mark.parametrize("n", [2, 3, 100, 5000])
def test_unit_norm(n, evenly):
    data = datasets.load("circle", n_samples=n, evenly_spaced=evenly)
    assert data.X.shape == (n, 2) and data.X.dtype == np.float32 and data.X.flags.c_contiguous
    # Each coordinate is rounded by at most 2**-25, twice that in the norm.
    assert np.abs(np.hypot(*data.X.astype(float).T) - 1).max() < 2**-23
    assert data.y is None and data.n_train is None


def test_evenly_spaced_angles():
    X = datasets.load("circle", n_samples=8, evenly_spaced=True).X.astype(float)
    turns = np.arctan2(X[:, 1], X[:, 0]) / (2 * np.pi) % 1
    np.testing.assert_allclose(turns, np.arange(8) / 8, atol=1e-7)


def test_order_is_the_rank_of_the_angle():
    data = datasets.load("circle", n_samples=200, random_state=3)
    X = data.X.astype(float)[np.argsort(data.order)]
    assert sorted(data.order) == list(range(200))
    assert (np.diff(np.arctan2(X[:, 1], X[:, 0]) % (2 * np.pi)) > -1e-6).all()


def test_seed_and_prefix():
    data = datasets.load("circle", n_samples=50, random_state=1)
    np.testing.assert_array_equal(data.X, datasets.load("circle", n_samples=80, random_state=1).X[:50])
    assert not np.array_equal(data.X, datasets.load("circle", n_samples=50, random_state=2).X)


def test_angles_are_uniform():
    # Without preferred direction, |mean of n unit vectors|² · n is about exponential(1) for each seed: the mean over
    # 200 seeds is 1 with standard error 200**-0.5, and |z| > 5 has a false-alarm rate below 1e-5.
    means = [datasets.load("circle", n_samples=100, random_state=s).X.astype(float).mean(axis=0) for s in range(200)]
    z = (100 * np.square(means).sum(axis=1).mean() - 1) * 200**0.5
    assert abs(z) < 5


@pytest.mark.parametrize(
    "bad", [{"n_samples": 1}, {"n_samples": 5001}, {"n_samples": 10.0}, {"random_state": -1}, {"evenly_spaced": 1}]
)
def test_rejects(bad):
    with pytest.raises(ParameterError, match=next(iter(bad))):
        datasets.load("circle", **bad)
