"""Dependence is measured whatever its form, and p-values are those of independent columns."""

import numpy as np
import pytest

from rfviz.analysis.dependence import find_dependence
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
