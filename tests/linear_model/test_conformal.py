"""Prediction intervals and sets: the definition with as many fits as rows, and coverage over splits."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge

from rfviz.errors import DataError, ParameterError
from rfviz.features import RandomFourier
from rfviz.linear_model import prediction_intervals, prediction_sets


def rows(n, seed, classes=False):
    generator = np.random.default_rng(seed)
    X = generator.uniform(-2, 2, (n, 2))
    signal, noise = np.sin(2 * X[:, 0]) + X[:, 1], generator.standard_normal(n) * (0.2 + 0.4 * (X[:, 1] > 0))
    features = RandomFourier(40, gamma=0.5, device="cpu", dtype="float64").fit_transform(X)
    return features, np.digitize(signal + noise, [-0.7, 0.7]) if classes else signal + noise


def without_each(H, Y, H_new, alpha):
    """Return predictions of each row, and of new ones, by a model fitted without it."""
    keep = ~np.eye(len(H), dtype=bool)
    models = [Ridge(alpha).fit(H[k], Y[k]) for k in keep]
    own = np.array([model.predict(H[[i]])[0] for i, model in enumerate(models)])
    return own, np.stack([model.predict(H_new) for model in models], axis=1)


def test_intervals_are_those_of_as_many_fits_as_rows():
    (H, y), (H_new, _) = rows(39, 0), rows(300, 1)
    own, new = without_each(H, y, H_new, 0.3)
    size = np.abs(y - own)
    expected = np.column_stack([np.sort(new - size, axis=1)[:, 3], np.sort(new + size, axis=1)[:, 35]])
    np.testing.assert_allclose(prediction_intervals(H, y, H_new, 0.9, 0.3), expected, rtol=1e-8)
    assert np.isinf(prediction_intervals(H, y, H_new, 0.99)).all()


def test_sets_are_those_of_as_many_fits_as_rows():
    (H, y), (H_new, _) = rows(60, 0, True), rows(20, 1)
    own, new = without_each(H, np.where(y[:, None] == np.arange(3), 1.0, -1.0), H_new, 0.3)
    lower = np.sum(new < own[np.arange(60), y][:, None], axis=1)
    classes, sets = prediction_sets(H, y, H_new, 0.8, 0.3)
    np.testing.assert_array_equal(classes, [0, 1, 2])
    np.testing.assert_array_equal(sets, lower < 0.8 * 61)


@pytest.mark.parametrize("level", [0.8, 0.9])
@pytest.mark.parametrize("classes", [False, True])
def test_coverage_is_the_level(classes, level):
    shares = []
    for seed in range(40):
        (H, y), (H_new, y_new) = rows(150, 2 * seed, classes), rows(100, 2 * seed + 1, classes)
        if classes:
            _, sets = prediction_sets(H, y, H_new, level)
            shares.append(sets[np.arange(100), y_new].mean())
        else:
            low, high = prediction_intervals(H, y, H_new, level).T
            shares.append(np.mean((low <= y_new) & (y_new <= high)))
    z = (np.mean(shares) - level) / (np.std(shares, ddof=1) / np.sqrt(len(shares)))
    assert abs(z) < 3.9  # of four such tests one in 2,600 fails by chance


def test_a_level_out_of_range_is_refused():
    H, y = rows(20, 0)
    with pytest.raises(ParameterError, match="level"):
        prediction_intervals(H, y, H, 1.5)


def test_array_likes_are_taken_as_arrays_are_and_no_new_row_is_no_error():
    (H, y), (H_new, _) = rows(60, 2), rows(9, 3)
    expected = prediction_intervals(H, y, H_new)
    for kind in (pd.DataFrame, np.ndarray.tolist, sparse.csr_matrix):
        found = prediction_intervals(kind(H), pd.Series(y, index=np.arange(60) + 5), kind(H_new))
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert prediction_intervals(H, y, H_new[:0]).shape == (0, 2)
    labels = pd.Series(np.where(y > 0, "high", "low"), dtype="category")
    classes, sets = prediction_sets(pd.DataFrame(H), labels, H_new[:0])
    assert classes.tolist() == ["high", "low"] and sets.shape == (0, 2)


def test_what_cannot_be_used_is_refused_in_a_sentence():
    H, y = rows(20, 0)
    for alpha in (-1.0, 0.0, np.nan, "much"):
        with pytest.raises(ParameterError, match="alpha must be a finite number greater than 0"):
            prediction_intervals(H, y, H, alpha=alpha)
    with pytest.raises(DataError, match=r"y must hold one value for each of the 20 rows; its shape is \(7,\)"):
        prediction_intervals(H, y[:7], H)
    with pytest.raises(DataError, match="H_new must have the 40 columns of H; it has 3"):
        prediction_intervals(H, y, H[:, :3])
    with pytest.raises(DataError, match=r"H must be a matrix of finite numbers.*1 of its values are NaN"):
        prediction_intervals(np.where(np.arange(800).reshape(20, 40) == 5, np.nan, H), y, H)
    with pytest.raises(DataError, match="H must hold 3 rows"):
        prediction_intervals(H[:2], y[:2], H)
    with pytest.raises(DataError, match="two classes at least"):
        prediction_sets(H, np.zeros(20, dtype=int), H)
