"""Columns that act together are named, by rows that took no part in the search; curves, lines and noise are not."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rfviz.analysis.interactions import find_interactions
from rfviz.errors import DataError

N, D = 1200, 6


def planted(kind, seed=0, n=N, d=D):
    generator = np.random.default_rng((seed, 7))
    X, noise = generator.standard_normal((n, d)), generator.standard_normal(n)
    a, b, c = X[:, :3].T
    line = a - b + 0.5 * c
    return X, {
        "product": lambda: a * b + 0.5 * noise,
        "product among main effects": lambda: np.sin(2 * c) + X[:, 3] + a * b + 0.5 * noise,
        "xor": lambda: (a * b > 0).astype(int),
        "xor, a fifth flipped": lambda: np.where(generator.random(n) < 0.2, a * b > 0, a * b <= 0).astype(int),
        "three": lambda: a * b * c + 0.2 * noise,
        "ring": lambda: (a**2 + b**2 > 1.4).astype(int),
        "linear": lambda: line + noise,
        "plane": lambda: (line > 0).astype(int),
        "plane, a tenth flipped": lambda: np.where(generator.random(n) < 0.1, line > 0, line <= 0).astype(int),
        "three classes": lambda: (line + noise > -1).astype(int) + (line + noise > 1),
        "main effects": lambda: np.sin(2 * a) + b**2 + np.abs(c) + 0.5 * noise,
        "main effects of odds": lambda: (2 * np.sin(2 * a) + b**2 - 1 + generator.logistic(size=n) > 0).astype(int),
        "heavy tail": lambda: a + generator.standard_t(2, n),
        "noise": lambda: noise,
        "classes of noise": lambda: generator.integers(0, 3, n),
    }[kind]()


@pytest.mark.parametrize("kind", ["product", "product among main effects", "xor", "xor, a fifth flipped"])
def test_two_columns_that_act_together_are_found(kind):
    found = find_interactions(*planted(kind))
    assert set(found.columns) == {0, 1} and {0, 1} == set(found.pairs[0].columns)
    assert found.joint > found.additive + 0.05
    assert found.importances.shape == (5, D) and set(np.argsort(found.importances[-1])[-2:].tolist()) == {0, 1}


def test_three_columns_of_which_no_two_act_together_are_found():
    found = find_interactions(*planted("three"))
    assert set(found.columns) == {0, 1, 2} and not found.pairs and found.joint > found.additive + 0.3


def test_a_ring_bends_two_columns():
    found = find_interactions(*planted("ring"))
    assert found.bent.is_real() and set(found.bent.columns) == {0, 1} and not found.columns
    assert found.additive > 0.9 > found.linear + 0.3


CLEAN = ["linear", "plane", "plane, a tenth flipped", "three classes", "heavy tail", "noise", "classes of noise"]


@pytest.mark.parametrize("kind", CLEAN)
def test_lines_and_noise_are_neither_bent_nor_joint(kind):
    found = find_interactions(*planted(kind))
    assert not found.columns and not found.pairs and not found.bent.is_real()


@pytest.mark.parametrize("seed", range(3))
def test_a_class_between_two_others_needs_no_curve(seed):
    generator = np.random.default_rng(seed)
    y = generator.integers(0, 3, 600)
    found = find_interactions(
        np.column_stack([2.5 * y + 0.6 * generator.normal(size=600), generator.normal(size=600)]), y
    )
    assert found.linear > 0.95 and not found.bent.is_real() and not found.columns


@pytest.mark.slow
def test_what_is_said_to_be_too_small_to_notice_is_not_noticed():
    seen = {1.0: 0, 8.0: 0}
    for times in seen:
        for seed in range(8):
            X, _ = planted("noise", seed)
            limit = find_interactions(X, X[:, 2]).noticed
            share = times * limit
            noise = np.random.default_rng((seed, 9)).standard_normal(N)
            product = np.sqrt(share) * X[:, 0] * X[:, 1]
            seen[times] += bool(find_interactions(X, X[:, 2] + product + np.sqrt(1.0 - share) * noise).columns)
    assert seen[1.0] <= 4 and seen[8.0] >= 7


def test_groups_limit_what_can_be_noticed():
    X, y = planted("product")
    few, many = (find_interactions(X, y, groups=np.arange(N) % n) for n in (20, 600))
    assert few.noticed == 1.0 and many.noticed < 0.03 and not few.columns


def test_array_likes_are_taken_and_others_refused():
    X, y = planted("xor", n=400)
    X = np.where(np.abs(X) > 0.2, X, 0.0)
    expected = find_interactions(X, y).together.z
    for kind, labels in ((pd.DataFrame, pd.Series(y, dtype="Int64")), (sparse.csr_matrix, y[:, None])):
        assert find_interactions(kind(X), labels, groups=None).together.z == pytest.approx(expected, rel=1e-6)
    words = np.array(["no", "yes"])[y]
    assert find_interactions(X.tolist(), words.tolist()).together.z == pytest.approx(expected, rel=1e-6)
    with pytest.raises(DataError, match="y must hold two different values"):
        find_interactions(X, np.zeros(400))
    with pytest.raises(DataError, match="groups must hold one value for each of the 400 rows"):
        find_interactions(X, y, groups=[1, 2])


def test_more_rows_make_no_interaction_of_classes_beside_a_plane():
    # Log-odds that add up do not fit flipped labels, and 5,000 rows show it.
    assert not find_interactions(*planted("plane, a tenth flipped", n=5000)).columns


@pytest.mark.parametrize("kind", ["main effects", "main effects of odds"])
def test_curves_of_single_columns_are_no_interaction(kind):
    found = find_interactions(*planted(kind))
    assert not found.columns and found.bent.is_real() and {0, 1} <= set(found.bent.columns) <= {0, 1, 2}


def test_a_column_of_two_values_decides_on_the_sign_of_another():
    X, _ = planted("noise")
    X[:, 4] = X[:, 4] > 0
    y = ((2 * X[:, 4] - 1) * X[:, 1] > 0).astype(int)
    assert set(find_interactions(X, y).columns) == {1, 4}


def grouped(seed, n_groups=100):
    """Return rows of groups that are alike, whose labels have nothing to do with them, and the groups."""
    generator = np.random.default_rng((seed, 8))
    groups = np.repeat(np.arange(n_groups), N // n_groups)
    X = generator.standard_normal((n_groups, D))[groups] + 0.1 * generator.standard_normal((N, D))
    return X, generator.integers(0, 2, n_groups)[groups], groups


def test_what_is_alike_within_groups_only_is_no_interaction():
    X, y, groups = grouped(0)
    assert find_interactions(X, y).columns  # rows of one group on both sides
    apart = find_interactions(X, y, groups=groups)
    assert not apart.columns and not apart.bent.is_real() and apart.n_search + apart.n_judge == N


@pytest.mark.parametrize("n_groups", [50, 1200])
def test_groups_that_do_not_matter_hide_no_interaction(n_groups):
    groups = np.arange(N) % n_groups
    assert set(find_interactions(*planted("product"), groups=groups).columns) == {0, 1}


@pytest.mark.slow
def test_evidence_of_groups_counts_groups():
    z = []
    for seed in range(28):
        X, y, groups = grouped(seed)
        z.append(find_interactions(X, y, groups=groups).together.z)
    assert abs(np.mean(z)) < 0.65 and np.var(z) < 2.1


@pytest.mark.slow
def test_evidence_has_mean_0_and_variance_1_where_there_is_none():
    z = [find_interactions(*planted(kind, seed, 600)).together.z for kind in CLEAN for seed in range(1, 5)]
    # 28 tables: a mean beyond 0.65, or a variance beyond 2.1, would be chance once in a thousand times.
    assert abs(np.mean(z)) < 0.65 and np.var(z) < 2.1


def test_a_group_of_most_rows_leaves_none_to_judge():
    for number in (0, 1):  # searched, or among those that judge
        with pytest.raises(DataError, match="one group holds most of the 1,200 rows"):
            find_interactions(*planted("product"), groups=np.where(np.arange(N) < N // 10, 1 - number, number))


def test_few_rows_and_many_columns_are_refused():
    with pytest.raises(DataError, match=r"200 rows at least.*here are 100"):
        find_interactions(np.zeros((100, 3)), np.zeros(100))
    with pytest.raises(DataError, match="250 at most; here are 300"):
        find_interactions(np.zeros((9000, 300)), np.zeros(9000))


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4])
def test_a_class_that_is_not_among_the_searched_rows_is_no_error(n_classes):
    X, _ = planted("noise", n=300)
    refused = 0
    for row in range(0, 300, 75):
        y = np.arange(300) % n_classes
        y[row] = n_classes
        try:
            found = find_interactions(X, y)
        except DataError as error:
            assert "have one label" in str(error)
            refused += 1
        else:
            assert found.n_search + found.n_judge == 300 and np.isfinite(found.joint)
    # Only of one other class a half of the rows may have nothing else.
    assert (refused > 0) == (n_classes == 1)


def test_rows_that_are_equal_where_they_are_searched_are_refused():
    X = np.ones((300, 2))
    with pytest.raises(DataError, match="have one label or are all equal"):
        find_interactions(X, np.arange(300) % 2)
