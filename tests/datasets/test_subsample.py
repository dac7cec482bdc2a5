import numpy as np
import pytest

from rfviz.datasets.subsample import nested_order, subsample

RNG = np.random.default_rng(0)
N, N_TRAIN = 700, 600
CODES = RNG.choice(4, N, p=[0.6, 0.3, 0.09, 0.01])


@pytest.mark.parametrize("codes", [None, CODES])
@pytest.mark.parametrize("n_train", [None, N_TRAIN, 0, N])
def test_is_a_permutation_fixed_by_the_seed(codes, n_train):
    order = nested_order(N, codes, n_train, 5)
    assert sorted(order) == list(range(N))
    np.testing.assert_array_equal(order, nested_order(N, codes, n_train, 5))
    assert not np.array_equal(order, nested_order(N, codes, n_train, 6))


def test_every_prefix_holds_train_and_test_in_proportion():
    train = np.cumsum(nested_order(N, CODES, N_TRAIN) < N_TRAIN)
    k = np.arange(1, N + 1)
    assert np.abs(train - k * N_TRAIN / N).max() <= 1
    assert 0 < train[1] < 2


def test_every_prefix_holds_classes_in_proportion():
    order = nested_order(N, CODES)
    shares = np.cumsum(np.eye(4)[CODES[order]], axis=0)
    expected = np.outer(np.arange(1, N + 1), np.bincount(CODES) / N)
    # Each class is ahead by less than one row; all four together may so hold one back by less than four.
    assert (shares - expected).max() <= 1 + 1e-9 and (shares - expected).min() > -4
    assert set(CODES[order[:4]]) == {0, 1, 2, 3}


def test_classes_are_in_proportion_within_the_training_part():
    rows = nested_order(N, CODES, N_TRAIN)[:140]
    train = rows[rows < N_TRAIN]
    expected = np.bincount(CODES[:N_TRAIN]) / N_TRAIN * train.size
    assert np.abs(np.bincount(CODES[train], minlength=4) - expected).max() < 4


def test_ties_are_broken_at_random():
    # Ten classes of one size: which five a sample of five holds must depend on the seed.
    codes = np.repeat(np.arange(10), 10)
    assert len({tuple(sorted(codes[nested_order(100, codes, None, s)[:5]])) for s in range(20)}) > 10


def test_subsample_is_nested_and_keeps_the_order():
    rows = np.arange(100, 100 + N)
    small, large = (subsample(rows, k, CODES, N_TRAIN, 0) for k in (50, 200))
    assert small.size == 50 and set(small) < set(large) and (np.diff(small) > 0).all()
    assert subsample(rows, N, CODES, None, 0) is rows and subsample(rows, None, None, None, 0) is rows


def test_every_row_is_as_likely():
    # 40 of 200 rows over 400 seeds: counts are binomial(400, 0.2), sd 8; |z| > 6 among 200 rows: below 1e-6.
    counts = np.bincount(np.concatenate([nested_order(200, None, None, s)[:40] for s in range(400)]), minlength=200)
    assert np.abs((counts - 80) / 8).max() < 6
