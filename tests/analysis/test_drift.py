"""The test of two samples keeps its level, and finds single columns, combinations, gaps and words."""

import numpy as np
import pytest

from rfviz.analysis.drift import find_drift
from rfviz.errors import DataError


def normal(seed, n=1000, d=4):
    return np.random.default_rng(seed).standard_normal((n, d))


def test_p_values_of_equal_distributions_are_uniform():
    p = np.array([find_drift(normal((0, seed), 150, 3), normal((1, seed), 150, 3)).p_value for seed in range(25)])
    assert abs(np.mean(p) - 0.5) < 4 / np.sqrt(12 * 25) and p.min() < 0.3


@pytest.mark.parametrize("kind", ["shift", "scale", "gaps", "words"])
def test_a_column_is_found_and_its_neighbours_are_not(kind):
    A, B = normal(1), normal(2)
    if kind == "words":
        A[:, 2], B[:, 2] = np.arange(1000) % 4, np.arange(1000) % 5
    else:
        B[:, 2] = {"shift": B[:, 2] + 0.5, "scale": 1.7 * B[:, 2], "gaps": np.where(B[:, 0] > 1, np.nan, B[:, 2])}[kind]
    result = find_drift(A, B, categories=[2] if kind == "words" else [])
    assert result.columns().tolist() == [2] and result.p_value <= 0.001 and result.together_p > 0.05
    assert result.distances.argmax() == 2 and len(result.to_frame(list("abcd"))) == 4


def test_the_distance_is_that_of_kolmogorov_and_smirnov():
    A, B = normal(3, 5000, 1), normal(4, 5000, 1) + 0.5
    assert find_drift(A, B).distances[0] == pytest.approx(0.197, abs=0.02)  # 2Φ(0.25) − 1


def test_a_combination_is_found_without_a_pair_that_correlates():
    A, B = normal(5, 4000), normal(6, 4000)
    assert find_drift(A, B).together_p > 0.05
    B[:, 3] = np.abs(B[:, 3]) * np.sign(B[:, 0] * B[:, 1])
    result = find_drift(A, B)
    assert result.together_p <= 0.001 and not len(result.columns()) and not result.pairs
    B = normal(6, 4000)
    B[:, 1] = 0.3 * B[:, 0] + np.sqrt(0.91) * B[:, 1]
    ((one, other, before, after),) = find_drift(A, B).pairs
    assert (one, other) == (0, 1) and abs(before) < 0.05 and after == pytest.approx(0.3, abs=0.05)


def test_neighbours_that_are_alike_raise_no_alarm_where_blocks_are_longer():
    x = np.zeros((40_000, 2))
    e = normal(7, 40_000, 2)
    for i in range(1, len(x)):
        x[i] = 0.8 * x[i - 1] + e[i]
    result = find_drift(x[:20_000], x[20_000:])
    assert result.p_value > 0.01 and 5 < result.alike < 12 and not result.wanders  # (1 + 0.8)/(1 − 0.8) = 9
    assert find_drift(e[:20_000], e[20_000:]).alike == pytest.approx(1.0, abs=0.35)
    walk = np.cumsum(e[:4000], axis=0)
    assert find_drift(walk[:2000], walk[2000:]).wanders


def test_rows_far_from_the_median_and_infinite_ones_have_a_place():
    A, B = normal(8), normal(9)
    for sample in (A, B):
        sample[:, 1] = 1e9 + 1e-2 * sample[:, 1]
        sample[0, 0] = np.inf
    assert find_drift(A, B).p_value > 0.01
    B[:, 1] += 1e-2
    result = find_drift(A, B)
    assert result.columns().tolist() == [1] and result.missing[0, 0] == pytest.approx(0.001, abs=1e-4)


def test_samples_that_cannot_be_compared_are_refused():
    with pytest.raises(DataError, match="from 40 rows on; here are 39 and 1,000"):
        find_drift(normal(0, 39), normal(1))
    with pytest.raises(DataError, match="these have 4 and 3"):
        find_drift(normal(0), normal(1, d=3))
