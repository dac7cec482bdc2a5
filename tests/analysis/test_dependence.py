"""Dependence is measured whatever its form, and p-values are those of independent columns."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, hypergeom, rankdata, spearmanr

from rfviz.analysis.dependence import find_conditional_dependence, find_dependence
from rfviz.errors import DataError


def normal(seed, n, d):
    return np.random.default_rng(seed).standard_normal((n, d))


def test_p_values_of_independent_columns_are_uniform():
    generator, found = np.random.default_rng(0), []
    upper = np.triu_indices(8, 1)
    for seed in range(30):
        X = normal(seed, 300, 8)
        X[:, 0], X[::4, 1] = np.exp(2 * X[:, 0]), np.nan
        X[:, 2], X[:, 3], X[:, 4] = generator.poisson(0.5, 300), generator.integers(0, 4, 300), X[:, 4] > 1
        X[:, 5], X[:, 7] = generator.geometric(0.2, 300), generator.random(300) < 0.03
        found.append(find_dependence(X, [3, 5]).p_value[upper])
    p = np.concatenate(found)
    assert abs(np.mean(p) - 0.5) < 0.05 and 0.03 < np.mean(p <= 0.05) < 0.07 and np.mean(p <= 0.001) < 0.006


@pytest.mark.parametrize("form", ["square", "wave", "circle", "spread", "words", "gaps"])
def test_forms_of_dependence_are_found(form):
    X, words = normal(1, 2000, 4), []
    angle = 2 * np.pi * np.random.default_rng(2).random(2000)
    x = X[:, 0].copy()
    X[:, 1] = {
        "square": x**2,
        "wave": np.sin(4 * x),
        "circle": np.sin(angle),
        "spread": X[:, 1] * np.where(x > 0, 3, 1),
        "words": np.digitize(x, [-0.5, 0.5]),
        "gaps": np.where(X[:, 2] > 0, np.nan, x**2),
    }[form]
    if form == "circle":
        X[:, 0] = np.cos(angle)
    if form == "words":
        words = [1]
    result = find_dependence(X, words)
    assert result.adjusted[0, 1] < 1e-6 and result.strength[0, 1] > (0.45 if form == "spread" else 0.8)
    assert np.isnan(result.correlation[0, 1]) if words else abs(result.correlation[0, 1]) < 0.1
    assert result.adjusted[0, 3] > 0.01 and result.strength[0, 3] < 0.25
    np.testing.assert_array_equal(result.strength, result.strength.T)


def test_pairs_with_gaps_are_measured_by_the_rows_that_know_both():
    X = normal(5, 3000, 5)
    X[:, 1] += X[:, 0]
    X[:, 2] = np.where(X[:, 0] > 1.0, X[:, 0] + 0.3 * X[:, 2], np.nan)  # known where another column is large
    X[np.abs(X[:, 1]) < 1.0, 3] = np.nan
    X[X[:, 4] < 0, 4] = np.nan
    result = find_dependence(X)
    for i, j in np.argwhere(np.triu(np.ones((5, 5)), 1)):
        rows = np.isfinite(X[:, [i, j]]).all(axis=1)
        assert result.both[i, j] == rows.sum()
        assert result.correlation[i, j] == pytest.approx(spearmanr(*X[rows][:, [i, j]].T).statistic, abs=1e-9)
        alone = find_dependence(X[rows][:, [i, j]])
        assert result.strength[i, j] == pytest.approx(alone.strength[0, 1], abs=1e-5)
        assert result.p_value[i, j] == pytest.approx(alone.p_value[0, 1], rel=1e-2)


@pytest.mark.slow
def test_many_columns_with_gaps_of_their_own_are_compared_and_the_strongest_by_all_rows():
    X = normal(6, 6000, 60)
    X[np.arange(60), np.arange(60)] = np.nan
    X[:, 1] = X[:, 0] + X[:, 1]
    result = find_dependence(X)
    rows, upper = np.isfinite(X[:, :2]).all(axis=1), np.triu_indices(60, 1)
    assert result.both[0, 1] == 5998 and 1000 <= result.both[upper].min() < 5998
    assert result.correlation[0, 1] == pytest.approx(spearmanr(*X[rows, :2].T).statistic, abs=1e-9)
    assert np.count_nonzero(result.adjusted[upper] <= 0.01) == 1


def canonical(x, y):
    """Return the largest canonical correlation of cosines of ranks, without the adjustment for their number."""
    bases = []
    for values in (x, y):
        waves = np.cos(np.pi * np.outer((rankdata(values) - 0.5) / len(values), np.arange(1, 9)))
        bases.append(np.linalg.qr(waves - waves.mean(axis=0)).Q)
    return np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)[0]


def redundancy(one, other):
    """Return the share of the variance of the best explained combination of words, over the largest such variance."""
    table = pd.crosstab(one, other, normalize=True).to_numpy()
    p, q = table.sum(axis=1), table.sum(axis=0)
    across, within = table - np.outer(p, q), np.diag(q) - np.outer(q, q)
    return np.linalg.eigvalsh(across.T @ np.diag(1 / p) @ across)[-1] / np.linalg.eigvalsh(within)[-1]


def adjusted(share, k, n):
    return np.sqrt(max(1 - (1 - share) * (n - 1) / (n - 1 - k), 0))


def test_the_strength_of_numbers_and_of_words_is_that_of_the_textbook():
    X = normal(7, 2000, 2)
    x, y = X[:, 0], np.sin(2 * X[:, 0]) + 0.5 * X[:, 1]
    found = find_dependence(np.column_stack([x, y])).strength[0, 1]
    assert found == pytest.approx(adjusted(canonical(x, y) ** 2, 8, 2000), abs=2e-3)
    generator = np.random.default_rng(7)
    one = generator.choice(4, 2000, p=[0.5, 0.3, 0.15, 0.05])
    other = np.where(generator.random(2000) < 0.4, one % 3, generator.choice(3, 2000, p=[0.6, 0.3, 0.1]))
    expected = max(adjusted(redundancy(one, other), 3, 2000), adjusted(redundancy(other, one), 2, 2000))
    found = find_dependence(np.column_stack([one, other]).astype(float), [0, 1]).strength[0, 1]
    assert found == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("words", [[0, 1], [0], []])
@pytest.mark.parametrize("n_rare", [1, 4, 20])
def test_words_and_codes_of_few_rows_do_not_make_a_dependence(words, n_rare):
    generator = np.random.default_rng(8)
    X = generator.integers(0, 4, (2000, 2)).astype(float)
    X[:n_rare] = 9.0  # a code of its own in both columns
    assert find_dependence(X, words).strength[0, 1] < 0.3


@pytest.mark.parametrize("words", [[0, 1], [0], []])
def test_columns_that_say_the_same_depend_wholly_however_rare_their_words(words):
    generator = np.random.default_rng(9)
    for weights in ([0.6, 0.3, 0.1], [0.99, 0.01], [0.9, 0.05, 0.03, 0.02]):
        x = generator.choice(len(weights), 3000, p=weights)
        renamed = np.array([7, 2, 9, 4])[x]
        assert find_dependence(np.column_stack([x, renamed]).astype(float), words).strength[0, 1] > 0.999
        merged = np.minimum(x, 1)  # follows from x, though not the other way round
        assert find_dependence(np.column_stack([x, merged]).astype(float), words).strength[0, 1] > 0.999


@pytest.mark.parametrize(("n", "k", "hits"), [(400, 5, 1), (2000, 5, 2), (2000, 40, 3), (20_000, 20, 2)])
def test_p_values_of_rare_words_are_those_of_the_exact_test(n, k, hits):
    X = np.zeros((n, 2))
    X[:k, 0] = X[k - hits : 2 * k - hits, 1] = 1.0
    exact = hypergeom(n, k, k).sf(hits - 1)
    assert exact / 10 < find_dependence(X, [0, 1]).p_value[0, 1] < exact * 10


def test_a_dependence_as_strong_as_told_to_be_visible_shows_19_times_of_20():
    runs, shows = 60, 0
    for seed in range(runs):
        X = normal((10, seed), 500, 6)
        result = find_dependence(X)
        r = result.visible(0.01)
        # Ranks of a normal pair correlate by 6/π asin(r/2).
        X[:, 1] = 2 * np.sin(np.pi * r / 6) * X[:, 0] + np.sqrt(1 - (2 * np.sin(np.pi * r / 6)) ** 2) * X[:, 1]
        shows += find_dependence(X).adjusted[0, 1] <= 0.01
    # Fewer by chance, were it nine of ten, in one of a thousand runs.
    assert shows >= binom.ppf(1e-3, runs, 0.9)
    assert find_dependence(normal(0, 60, 6)).visible(0.01) > 0.6
    assert find_dependence(np.zeros((60, 2))).visible(0.01) == 1


def test_constant_and_empty_columns_depend_on_none():
    X = normal(3, 100, 4)
    X[:, 1], X[:, 2] = 5.0, np.nan
    result = find_dependence(X)
    assert result.strength[0, 1] == result.strength[0, 2] == 0 and result.p_value[1, 2] == 1
    with pytest.raises(DataError, match="here are 4 and 39"):
        find_dependence(X[:39])


FORMS = {"line": lambda z: z, "square": np.square, "wave": lambda z: np.sin(3 * z), "steps": np.round}


def common_cause(seed, n=800):
    """Return columns that all depend on the last one, and on it alone, and the pairs of them."""
    z, *noise = np.random.default_rng(seed).standard_normal((len(FORMS) + 2, n))
    columns = [form(z) + 0.5 * e for form, e in zip(FORMS.values(), noise, strict=False)] + [np.exp(z) * noise[-1], z]
    one, other = np.triu_indices(len(FORMS) + 1, 1)
    return np.column_stack(columns), np.column_stack([one, other])


def test_columns_of_one_cause_are_independent_given_it():
    found = []
    for seed in range(30):
        X, pairs = common_cause(seed)
        X[::9, 0] = np.nan
        found.append(find_conditional_dependence(X, pairs, given=5).p_value)
    p = np.concatenate(found)
    assert find_dependence(X).p_value[0, 1] < 1e-6
    assert np.mean(p <= 0.05) < 0.09 and np.mean(p <= 0.001) < 0.01 and abs(np.mean(p) - 0.5) < 0.1


@pytest.mark.parametrize("is_word", [False, True])
def test_what_a_third_column_does_not_say_is_found(is_word):
    z, e, f = normal(4, 1500, 3).T
    given = np.round(np.clip(z, -2, 2)) + 2 if is_word else z
    X = np.column_stack([given + e, given + np.square(e) + 0.5 * f, given])
    found = find_conditional_dependence(X, np.array([[0, 1]]), given=2, categories=[2] if is_word else [])
    assert found.p_value[0] < 1e-6 and found.strength[0] > 0.4
    # Nothing is left of a column that is the third one in another unit.
    X[:, 1] = np.exp(given)
    gone = find_conditional_dependence(X, np.array([[0, 1]]), given=2, categories=[2] if is_word else [])
    assert gone.strength[0] == 0 and gone.p_value[0] == 1


def test_a_column_of_names_follows_wholly_from_that_of_their_codes_though_many_names_are_equally_frequent():
    rng = np.random.default_rng(7)
    names = np.repeat(np.arange(60), 20)
    rng.shuffle(names)
    codes = rng.permutation(60)[names]  # sorted in another way than the names
    words = find_dependence(np.column_stack([names, codes]), categories=[0, 1])
    assert words.strength[0, 1] == pytest.approx(1.0, abs=1e-5)
