"""The two toy data sets of categories and of signs: their values, their rules, and that these are interactions."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.errors import MemoryBudgetError, ParameterError

both = pytest.mark.parametrize("name", ["categorical_toy", "binary_toy"])


def z_scores(values, y):
    """Return the standardised correlation of each value with the labels: near normal where they are independent."""
    y = y - y.mean()
    values = values - values.mean(axis=0)
    return (values.T @ y) / np.sqrt((values**2).sum(axis=0) * np.mean(y**2))


def test_categories_are_uniform_integers():
    data = datasets.load("categorical_toy", n_samples=20_000, n_categories=5, dimension=6)
    counts = np.array([np.bincount(column.astype(int), minlength=5) for column in data.X.T])
    assert np.array_equal(data.X, np.rint(data.X)) and counts.shape == (6, 5)
    # 30 counts, binomial(20000, 0.2), s.d. 56.6: |z| > 5 is a false alarm in 1 of 50,000.
    assert np.abs((counts - 4000) / 56.6).max() < 5


def test_categorical_rule():
    data = datasets.load("categorical_toy", n_samples=2000)
    a, b, c, d = data.X[:, :4].T
    np.testing.assert_array_equal(data.y, (a == b) != (c == d))
    assert {0, 1} == set(data.y)


def test_no_category_alone_tells_the_label():
    """48 z-scores of single categories and 6 of further columns' agreement; |z| > 5: a false alarm in 1 of 30,000."""
    data = datasets.load("categorical_toy", n_samples=20_000, dimension=12)
    one_hot = (data.X[:, :, None] == np.arange(4)).reshape(20_000, -1).astype(float)
    assert np.abs(z_scores(one_hot, data.y)).max() < 5
    irrelevant = np.column_stack([data.X[:, i] == data.X[:, j] for i, j in [(0, 2), (1, 3), (4, 5), (0, 5)]])
    assert np.abs(z_scores(irrelevant.astype(float), data.y)).max() < 5
    agree = np.column_stack([data.X[:, 0] == data.X[:, 1]]).astype(float)
    assert abs(z_scores(agree, data.y)[0]) > 20


@pytest.mark.parametrize("parity", [1, 2, 5])
def test_signs_and_their_parity(parity):
    data = datasets.load("binary_toy", n_samples=20_000, parity=parity)
    assert set(np.unique(data.X)) == {-1, 1}
    np.testing.assert_array_equal(2 * data.y - 1, data.X[:, :parity].prod(axis=1))
    shares = (data.X > 0).sum(axis=0)
    assert np.abs((shares - 10_000) / 70.7).max() < 5  # 10 counts: a false alarm in 1 of 170,000
    if parity > 1:
        singles = z_scores(data.X.astype(float), data.y)
        less = data.X[:, : parity - 1].prod(axis=1, keepdims=True).astype(float)
        assert max(np.abs(singles).max(), abs(z_scores(less, data.y)[0])) < 5


@both
def test_noise_turns_labels_round_and_leaves_the_rows(name):
    clean, noisy = (datasets.load(name, n_samples=10_000, noise=noise) for noise in (0, 20))
    np.testing.assert_array_equal(clean.X, noisy.X)
    turned = np.count_nonzero(clean.y != noisy.y)
    assert abs(turned - 2000) / 40 < 5  # binomial(10000, 0.2): a false alarm in 1 of 1.7 million


@both
def test_seed_and_prefix(name):
    data = datasets.load(name, n_samples=50, random_state=1)
    larger = datasets.load(name, n_samples=80, random_state=1)
    np.testing.assert_array_equal(data.X, larger.X[:50])
    np.testing.assert_array_equal(data.y, larger.y[:50])
    assert not np.array_equal(data.X, datasets.load(name, n_samples=50, random_state=2).X)
    assert data.X.dtype == np.float32 and data.y.dtype == np.int64 and len(data.feature_names) == data.n_features


@pytest.mark.parametrize(
    ("name", "bad", "text"),
    [
        ("categorical_toy", {"dimension": 3}, "dimension must be an integer from 4 to 100; got 3"),
        ("categorical_toy", {"n_categories": 1}, "n_categories must be an integer from 2"),
        ("binary_toy", {"parity": 0}, "parity must be an integer from 1 to 20; got 0"),
        ("binary_toy", {"parity": 6, "dimension": 5}, "parity must be at most dimension, 5; got 6. Lower it"),
        ("binary_toy", {"noise": 51}, "noise must be an integer from 0 to 50"),
    ],
)
def test_rejects(name, bad, text):
    with pytest.raises(ParameterError, match=text):
        datasets.load(name, **bad)


@both
def test_memory_limit(name):
    datasets.set_memory_limit(100_000)
    with pytest.raises(MemoryBudgetError, match="Lower n_samples or dimension"):
        datasets.load(name, n_samples=20_000)
