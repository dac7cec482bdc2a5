"""Dependence is measured whatever its form, and p-values are those of independent columns."""

import numpy as np
import pytest

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
        X[:, 5] = generator.geometric(0.2, 300)
        found.append(find_dependence(X, [3, 5]).p_value[upper])
    p = np.concatenate(found)
    assert abs(np.mean(p) - 0.5) < 0.05 and 0.03 < np.mean(p <= 0.05) < 0.07 and np.mean(p <= 0.001) < 0.006


@pytest.mark.parametrize("form", ["square", "wave", "circle", "spread", "words", "gaps"])
def test_forms_of_dependence_are_found(form):
    X, words = normal(1, 2000, 4), []
    angle = 2 * np.pi * np.random.default_rng(2).random(2000)
    x = X[:, 0].copy()
    X[:, 1] = {
        "square": x**2, "wave": np.sin(4 * x), "circle": np.sin(angle), "spread": X[:, 1] * np.where(x > 0, 3, 1),
        "words": np.digitize(x, [-0.5, 0.5]), "gaps": np.where(X[:, 2] > 0, np.nan, x**2),
    }[form]  # fmt: skip
    if form == "circle":
        X[:, 0] = np.cos(angle)
    if form == "words":
        words = [1]
    result = find_dependence(X, words)
    assert result.adjusted[0, 1] < 1e-6 and result.strength[0, 1] > (0.45 if form == "spread" else 0.8)
    assert np.isnan(result.correlation[0, 1]) if words else abs(result.correlation[0, 1]) < 0.1
    assert result.adjusted[0, 3] > 0.01 and result.strength[0, 3] < 0.25
    np.testing.assert_array_equal(result.strength, result.strength.T)


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
