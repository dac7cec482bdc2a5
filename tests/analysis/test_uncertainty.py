"""Intervals and sets from predictions of each row by all others hold what they promise, also where noise is large."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rfviz.analysis.uncertainty import class_sets, find_intervals
from rfviz.errors import DataError, ParameterError


def noisy(seed, spread, n=1000):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, spread(X) * rng.normal(size=n)


def test_intervals_hold_nine_tenths_and_widths_follow_the_noise():
    X, residuals = noisy(0, lambda X: np.exp(X[:, 1]))
    found = find_intervals(X, residuals)
    assert abs(found.inside.mean() - 0.9) < 0.005 and abs(found.inside_own.mean() - 0.9) < 0.005
    loud = X[:, 1] > 1.0
    assert found.inside[loud].mean() < 0.65 and found.inside_own[loud].mean() > 0.8
    assert np.corrcoef(np.log(found.widths), X[:, 1])[0, 1] > 0.9


def test_where_noise_is_even_widths_are():
    X, residuals = noisy(1, lambda X: 1.0)
    found = find_intervals(X, residuals, level=0.8)
    assert abs(found.inside.mean() - 0.8) < 0.005
    np.testing.assert_allclose(found.widths, found.width, rtol=0.25)
    assert abs(found.width - 1.2816) < 0.12


def test_sets_hold_the_label_as_often_as_asked_and_several_classes_between_them():
    rng = np.random.default_rng(2)
    given = rng.integers(0, 2, 2000)
    score = (2 * given - 1) + rng.normal(size=2000)
    sets = class_sets(np.column_stack([-score, score]), given, level=0.95)
    assert abs(sets[np.arange(2000), given].mean() - 0.95) < 0.005
    assert sets[np.abs(score) < 0.3].all() and (sets[np.abs(score) > 1.5].sum(axis=1) == 1).all()


def test_the_likeliest_class_of_a_row_stays_though_most_rows_are_surer():
    """Of classes that are far apart the one in ten rows that may be missed would have no class at all."""
    given = np.arange(300) % 3
    scores = np.where(given[:, None] == np.arange(3), 1.0, -1.0) + 0.1 * np.random.default_rng(3).normal(size=(300, 3))
    sets = class_sets(scores, given, level=0.9)
    assert (sets == (given[:, None] == np.arange(3))).all()


@pytest.mark.parametrize("level", [0.55, 0.8, 0.9])
def test_a_share_that_is_a_whole_number_of_rows_is_not_rounded_to_one_more(level):
    n = 100
    own = np.arange(1.0, n + 1)
    sets = class_sets(np.column_stack([own, np.full(n, 1e3)]), np.zeros(n, dtype=int), level)
    assert sets[:, 0].sum() == round(level * n)
    X = np.random.default_rng(5).normal(size=(n, 2))
    assert find_intervals(X, own, level).width == round(level * n)


def test_array_likes_are_taken_and_others_refused():
    X, residuals = noisy(4, lambda X: 1.0, n=80)
    expected = find_intervals(X, residuals)
    for kind in (pd.DataFrame, np.ndarray.tolist, sparse.csr_matrix):
        found = find_intervals(kind(X), pd.Series(residuals))
        np.testing.assert_allclose(found.widths, expected.widths, rtol=1e-4)
    scores, given = np.column_stack([X[:, 0], -X[:, 0]]), (X[:, 0] < 0).astype(int)
    np.testing.assert_array_equal(class_sets(pd.DataFrame(scores), given.tolist()), class_sets(scores, given))
    with pytest.raises(ParameterError, match="level"):
        find_intervals(X, residuals, level=1.0)
    with pytest.raises(DataError, match="residuals must hold one value for each of the 80 rows"):
        find_intervals(X, residuals[:5])
    for wrong in (given + 1, given.astype(str), given[:0]):
        with pytest.raises(DataError, match="given must hold"):
            class_sets(scores, wrong)
