"""The test of two samples keeps its level, and finds single columns, combinations, gaps and words."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import binom, ks_2samp

from rfviz.analysis.drift import find_drift
from rfviz.errors import DataError, ParameterError


def normal(seed, n=1000, d=4):
    return np.random.default_rng(seed).standard_normal((n, d))


@pytest.mark.slow
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


@pytest.mark.parametrize("seed", [13, 23, 27, 51])
def test_of_few_values_the_distance_is_that_of_all_rows(seed):
    """A value that many rows have is an edge of bins, on whichever side of the median it lies."""
    g = np.random.default_rng(seed)
    values = np.round(g.normal(size=9) * 300.0, 2)
    A, B = (g.choice(values, (600, 1), p=g.dirichlet(np.ones(9))) for _ in range(2))
    expected = ks_2samp(A[:, 0], B[:, 0]).statistic
    assert find_drift(A, B).distances[0] == pytest.approx(expected, abs=0.004)  # blocks, of 5 rows or 6, count alike


def test_words_have_no_rank_correlation():
    g = np.random.default_rng(5)
    word = g.integers(0, 4, 2000).astype(float)
    A, B = normal(6, 1000, 3), normal(7, 1000, 3)
    A[:, 1], B[:, 1] = word[:1000], word[1000:]
    A[:, 2], B[:, 2] = np.where(word[:1000] > 1, A[:, 2] + 3, A[:, 2]), np.where(word[1000:] > 1, B[:, 2], B[:, 2] + 3)
    found = find_drift(A, B, categories=[1])
    assert found.together_p <= 0.05 and not any(1 in pair[:2] for pair in found.pairs)


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


@pytest.mark.parametrize("words", [True, False])
def test_a_column_that_is_constant_within_each_sample_does_not_change_gradually(words):
    A, B = normal(8, 1064, 3), normal(9, 1064, 3)
    A[:, 1], B[:, 1] = (0, 1) if words else (0.1, 0.3)
    result = find_drift(A, B, categories=[1] if words else [])
    assert result.columns().tolist() == [1] and result.column_neighbours[1] == 0 and not result.wanders


def test_rows_far_from_the_median_and_infinite_ones_have_a_place():
    A, B = normal(8), normal(9)
    for sample in (A, B):
        sample[:, 1] = 1e9 + 1e-2 * sample[:, 1]
        sample[0, 0] = np.inf
    assert find_drift(A, B).p_value > 0.01
    B[:, 1] += 1e-2
    result = find_drift(A, B)
    assert result.columns().tolist() == [1] and result.missing[0, 0] == pytest.approx(0.001, abs=1e-4)


@pytest.mark.parametrize("scale", [2.0**1000, 2.0**-1000])
def test_the_size_of_numbers_does_not_matter(scale):
    A, B = normal(10, 300), normal(11, 300)
    same, apart = find_drift(A, B), find_drift(scale * A, scale * (B + 5.0))
    assert find_drift(scale * A, scale * B).p_value == same.p_value
    assert len(apart.columns()) == 4 and not apart.missing.any()
    # One value beyond all others does not count as missing, nor hide another difference.
    A[0, 0] = 1e300
    B[:, 1] += 1.0
    result = find_drift(A, B)
    assert result.columns().tolist() == [1] and not result.missing.any()


def planted(kind, seed, n=250):
    generator = np.random.default_rng((seed, 5))
    A, B = generator.standard_normal((n, 4)), generator.standard_normal((n, 4))
    B[:, 1] *= 1.4 if kind == "spread of one" else 1.0
    B *= 1.2 if kind == "spread of all" else 1.0
    B = generator.standard_t(2, (n, 4)) if kind == "tails" else B
    return find_drift(A, B, random_state=seed)


@pytest.mark.parametrize("kind", ["spread of one", "spread of all", "tails"])
def test_a_change_of_spread_or_tails_is_found_in_few_rows(kind):
    # benchmarks/drift.py measures 0.97 to 1.00; ten draws fall short of 0.9 by as much once in 7,000.
    found = sum(planted(kind, seed).p_value <= 0.05 for seed in range(10))
    assert binom.cdf(found, 10, 0.9) > 1.5e-4


def test_many_small_changes_are_found_though_no_column_stands_out():
    result = find_drift(normal(12, 600, 30), normal(13, 600, 30) + 0.12)
    assert result.p_value <= 1e-3 and result.column_p.min() > 1e-3


def test_a_change_of_gaps_alone_is_told_from_one_of_values():
    for words in (False, True):
        A, B = (np.random.default_rng(seed).integers(0, 4, (1500, 3)).astype(float) for seed in (14, 15))
        A, B = (A, B) if words else (normal(14, 1500, 3), normal(15, 1500, 3))
        B[np.random.default_rng(16).random(1500) < 0.3, 1] = np.nan
        result = find_drift(A, B, categories=[1] if words else [])
        assert result.columns().tolist() == [1] and result.values_p[1] > 0.05
        assert result.distances[1] < 0.06 and result.apart[1] == pytest.approx(0.3, abs=0.05)
        B[:, 1] = np.minimum(B[:, 1] + 1.0, 3.0)
        assert find_drift(A, B, categories=[1] if words else []).values_p[1] <= 1e-3


def test_array_likes_are_compared_as_arrays_are():
    A, B = np.maximum(normal(17, 300), 0.0), np.maximum(normal(18, 200) + 0.3, 0.0)
    expected = find_drift(A, B)
    kinds = (pd.DataFrame, np.ndarray.tolist, sparse.csr_matrix, sparse.coo_array, np.asfortranarray)
    for kind in kinds:
        assert find_drift(kind(A), kind(B)).p_value == expected.p_value
    frame = pd.DataFrame(A).astype("Float64").mask(A > 2)  # pd.NA
    assert find_drift(frame, B).missing[0, 0] == pytest.approx(np.mean(A[:, 0] > 2), abs=0.01)
    with pytest.raises(DataError, match=r"first must be a matrix of numbers.*could not convert string to float: 'a'"):
        find_drift(pd.DataFrame({"x": list("ab") * 50}), B[:, :1])
    with pytest.raises(DataError, match=r"second must be a matrix of numbers.*got 1 dimension"):
        find_drift(A, B[:, 0])
    with pytest.raises(ParameterError, match="categories must be places of columns, from 0 to 3; got \\[4\\]"):
        find_drift(A, B, categories=[4])


def test_samples_that_cannot_be_compared_are_refused():
    with pytest.raises(DataError, match="from 40 rows on; here are 39 and 1,000"):
        find_drift(normal(0, 39), normal(1))
    with pytest.raises(DataError, match="these have 4 and 3"):
        find_drift(normal(0), normal(1, d=3))


def test_a_gradual_change_of_one_column_is_told_though_others_do_not_change():
    noise = normal(12, 1500, 7)
    noise[:, 6] += np.linspace(-2.0, 2.0, 1500)  # a gradual change
    result = find_drift(noise[:750], noise[750:])
    assert result.columns(0.001).tolist() == [6] and result.neighbours < 0.35
    assert result.column_neighbours[6] > 0.6 and np.abs(result.column_neighbours[:6]).max() < 0.35 and result.wanders
