"""Contradicted labels: found where they were planted, and none where labels are right or classes overlap."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from rfviz.analysis.label_errors import find_label_errors, find_target_errors
from rfviz.errors import DataError

LOADERS = {"digits": load_digits, "iris": load_iris, "wine": load_wine, "cancer": load_breast_cancer}


def real(name):
    X, y = LOADERS[name](return_X_y=True)
    return (X if name == "digits" else StandardScaler().fit_transform(X)), y


def flipped(y, share, seed):
    rng = np.random.default_rng(seed)
    rows = rng.choice(len(y), round(share * len(y)), replace=False)
    y = y.copy()
    y[rows] = (y[rows] + rng.integers(1, y.max() + 1, len(rows))) % (y.max() + 1)
    return y, rows


@pytest.mark.slow
def test_flipped_digits_are_found():
    X, y = real("digits")
    for seed in range(2):
        wrong, rows = flipped(y, 0.05, seed)
        found = find_label_errors(X, wrong, random_state=seed)
        assert np.isin(np.argsort(found.margins)[: len(rows)], rows).mean() >= 0.95
        assert len(found.rows) > 0.5 * len(rows)
        assert np.isin(found.rows, rows).mean() >= 0.98
        np.testing.assert_array_equal(found.given, wrong[found.rows])
        assert (found.proposed == y[found.rows]).mean() > 0.9
        assert (np.diff(found.margins[found.rows]) >= 0).all()


def test_a_single_wrong_label_is_found_among_many():
    X, y = real("digits")
    y = y.copy()
    y[100] = (y[100] + 1) % 10
    assert 100 in find_label_errors(X, y).rows


def test_of_images_more_is_seen_and_nothing_is_said_where_the_model_itself_errs():
    X, y = real("digits")
    rows = np.random.default_rng(0).permutation(len(y))[:600]  # few rows: it matters what is known of images
    wrong, changed = flipped(y[rows], 0.05, 0)
    first = [
        np.isin(np.argsort(find_label_errors(X[rows], wrong, image_shape=shape).margins)[: len(changed)], changed)
        for shape in (None, (8, 8))
    ]
    assert first[1].mean() >= max(first[0].mean(), 0.95)
    found = find_label_errors(X + np.random.default_rng(2).normal(0, 10, X.shape), y, image_shape=(8, 8))
    assert np.mean(found.margins < 0) > 0.3 and not len(found.rows) and len(found.unclear) == 10


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_a_fifth_of_wrong_labels_does_not_pass_for_an_overlap(name):
    X, y = real(name)
    found, n_right, n_wrong = 0, 0, 0
    for seed in range(3):
        wrong, rows = flipped(y, 0.2, seed)
        named = find_label_errors(X, wrong, random_state=seed).rows
        found, n_wrong, n_right = found + len(named), n_wrong + len(rows), n_right + np.isin(named, rows).sum()
    assert n_right / found > 0.9 and n_right / n_wrong > 0.8


@pytest.mark.parametrize("apart", [3.0, 3.8])
def test_the_share_of_wrong_labels_that_is_recognised_is_known_from_right_ones(apart):
    rng = np.random.default_rng(0)
    y = np.arange(240) % 3
    X = rng.standard_normal((240, 2)) + apart * np.array([[1, 0], [-0.5, 0.87], [-0.5, -0.87]])[y]
    clean, tried = find_label_errors(X, y, 80), range(0, 240, 4)
    hits = [row in find_label_errors(X, np.where(np.arange(240) == row, clean.likely, y), 80).rows for row in tried]
    assert 0.2 < np.mean(hits) < 1.0
    # A wrong label spoils the fit a little, and so what is usual: a few more are recognised than is said.
    assert clean.recognised - 0.05 < np.mean(hits) < clean.recognised + 0.15


def test_where_classes_overlap_no_wrong_label_is_recognised():
    rng = np.random.default_rng(3)
    y = np.arange(400) % 2
    found = find_label_errors(rng.standard_normal((400, 3)) + y[:, None], y)
    assert len(found.unclear) == 2 and found.recognised == 0.0


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_no_draw_decides_which_rows_are_told(name):
    X, y = real(name)
    wrong, _ = flipped(y, 0.1, 1)
    told = find_label_errors(X, wrong).rows.tolist()
    assert told and all(find_label_errors(X, wrong, random_state=seed).rows.tolist() == told for seed in (1, 2))
    y = X[:, 0] + 0.1 * np.random.default_rng(0).normal(size=len(X))
    y[::40] += 5.0
    told = find_target_errors(X, y).rows.tolist()
    assert told and all(find_target_errors(X, y, random_state=seed).rows.tolist() == told for seed in (1, 2))


@pytest.mark.slow
def test_of_many_rows_draws_tell_nearly_the_same():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 2400)
    X = rng.standard_normal((2400, 6)) + 3.0 * np.eye(3, 6)[y]
    wrong, _ = flipped(y, 0.1, 0)
    found = [find_label_errors(X, wrong, random_state=seed) for seed in range(2)]
    told = [set(one.rows.tolist()) for one in found]
    single = [set(find_label_errors(X, wrong, 500, random_state=seed).rows.tolist()) for seed in range(2)]
    agree = [len(one & other) / len(one | other) for one, other in (told, single)]
    assert len(told[0]) > 100 and agree[0] > 0.85 and agree[0] > agree[1]
    # How many of them other draws tell is known from the first four: most, and about as many as the next four do.
    shared, about = len(told[0] & told[1]), found[0].again.sum()
    assert 0.9 * shared < about < 1.1 * shared and ((found[0].again < 1) & (found[0].again > 0)).any()
    assert find_label_errors(X[:1000], wrong[:1000]).again is None  # the kernel, without draws


def test_array_likes_are_taken_and_others_refused():
    X, y = real("iris")
    wrong, _ = flipped(y, 0.06, 0)
    names = np.array(["setosa", "versicolor", "virginica"])[wrong]
    expected = find_label_errors(X, wrong).rows.tolist()
    assert expected
    kinds = (pd.DataFrame, np.ndarray.tolist, sparse.csr_matrix)
    columns = (pd.Series(names, dtype="category"), names.tolist(), pd.Series(wrong, dtype="Int64"))
    for kind, labels in zip(kinds, columns, strict=True):
        assert find_label_errors(kind(X), labels).rows.tolist() == expected
    numbers = find_target_errors(X, X[:, 0]).predictions
    found = find_target_errors(sparse.csr_matrix(X), pd.Series(X[:, 0])).predictions
    np.testing.assert_allclose(found, numbers, atol=1e-3)
    with pytest.raises(DataError, match="y must be complete; 1 of its values"):
        find_label_errors(X, [None, *names[1:]])
    with pytest.raises(DataError, match="one value for each of the 150 rows"):
        find_label_errors(X, wrong[:9])
    with pytest.raises(DataError, match="holds a single one"):
        find_label_errors(X, np.zeros(150))
    with pytest.raises(DataError, match="y must hold numbers"):
        find_target_errors(X, names)


@pytest.mark.parametrize("name", LOADERS)
def test_right_labels_are_left_alone(name):
    X, y = real(name)
    assert len(find_label_errors(X, y).rows) <= len(y) // 1000


@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_that_mean_nothing_are_left_alone(n_classes):
    rng = np.random.default_rng(0)
    found = find_label_errors(rng.standard_normal((600, 5)), rng.integers(0, n_classes, 600))
    assert not len(found.rows)
    assert len(found.unclear) == n_classes


def test_classes_that_overlap_are_left_alone_and_named():
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b", "c"], 300)
    X = rng.standard_normal((900, 3))
    X[y == "b", 0] += 1.5
    X[y == "c", 1] += 12.0
    y[600] = "a"  # among c, which overlaps with none: but a overlaps with b
    found = find_label_errors(X, y)
    assert not len(found.rows)
    assert list(found.unclear) == ["a", "b"]


def test_small_classes_are_neither_judged_nor_proposed():
    X, y = real("iris")
    y = np.r_[y, [7, 7]]
    X = np.vstack([X, X[:2]])
    found = find_label_errors(X, y)
    assert 7 in found.unclear
    assert not len(found.rows)


def test_wrong_numbers_are_found_though_they_decide_on_their_own_prediction():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    X[:3] *= 4.0  # rows of high leverage
    y = X[:, 0] - 2 * X[:, 1] + rng.normal(size=400)
    assert not find_target_errors(X, y).n_outlying
    wrong = np.array([0, 1, 50, 99])
    y[wrong] += 15.0
    found = find_target_errors(X, y)
    assert set(found.rows) == set(wrong)
    np.testing.assert_allclose(found.predictions[wrong], (y - 15.0)[wrong], atol=5)


def test_residuals_of_a_heavy_tail_are_no_errors():
    alarmed = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 3))
        found = find_target_errors(X, X[:, 0] + rng.laplace(size=300), n_components=200)
        alarmed += len(found.rows) > 0
    assert alarmed <= 1


@pytest.mark.parametrize(
    ("law", "n_tables", "least"),
    [("steep", 8, 0.5), pytest.param("lognormal", 8, 0.4, marks=pytest.mark.slow), ("growing noise", 24, 0.1)],
)
def test_a_skewed_target_is_judged_by_shares_and_growing_noise_by_the_rows_nearby(law, n_tables, least):
    found, n_right, n_wrong, n_false = 0, 0, 0, 0
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        X = rng.uniform(size=(200, 3)) if law != "lognormal" else rng.normal(size=(200, 3))
        e = rng.normal(size=200)
        laws = {
            "steep": lambda x, e=e: np.exp(6 * x) + 0.1 * e,
            "lognormal": lambda x, e=e: np.exp(2 * x) * (1 + 0.05 * e),
            "growing noise": lambda x, e=e: 3 * x + (0.02 + 0.3 * x) * e,
        }
        y = laws[law](X[:, 0])
        n_false += len(find_target_errors(X, y).rows) > 0
        wrong = rng.choice(200, 4, replace=False)
        y[wrong] = np.where(y[wrong] > np.median(y), np.quantile(y, 0.05), np.quantile(y, 0.95))
        named = find_target_errors(X, y).rows
        found, n_wrong, n_right = found + len(named), n_wrong + len(wrong), n_right + np.isin(named, wrong).sum()
    assert n_false == 0 and n_right >= least * n_wrong and found - n_right <= 4


def test_a_number_that_many_rows_have_is_told_from_those_next_to_it():
    rng = np.random.default_rng(0)
    tip = np.where(rng.random(800) < 0.4, 0.0, rng.gamma(2.0, 1.0, 800))
    paid = np.where(tip > 0, "card", "cash")
    tip[np.flatnonzero(tip > 0)[:8]] = 0.01
    X = np.column_stack([tip, rng.normal(size=(800, 3))])
    assert not len(find_label_errors(X, paid).rows)
