"""Each row's prediction by the others: against fits that leave it out, and against scikit-learn's."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge, RidgeCV

from rfviz.linear_model.leave_one_out import leave_one_out, leave_one_out_of_kernel


def drawn(n, m, k=2, seed=0):
    rng = np.random.default_rng(seed)
    H = 3.0 + rng.standard_normal((n, m))
    return H, H @ rng.standard_normal((m, k)) + 2.0 * rng.standard_normal((n, k)) - 5.0


@pytest.mark.parametrize("shape", [(40, 7), (12, 30)])
def test_predictions_are_those_of_fits_without_the_row(shape):
    H, Y = drawn(*shape)
    found = leave_one_out(H, Y, [0.5])
    for row in range(len(H)):
        others = np.arange(len(H)) != row
        expected = Ridge(alpha=0.5).fit(H[others], Y[others]).predict(H[[row]])[0]
        np.testing.assert_allclose(found.predictions[row], expected, rtol=1e-9)


@pytest.mark.parametrize("shape", [(40, 7), (12, 30)])
def test_a_kernel_predicts_as_the_features_whose_products_it_holds(shape):
    H, Y = drawn(*shape)
    predict = leave_one_out_of_kernel(H @ H.T)
    for columns in (Y, Y[:, :1]):  # one decomposition, two penalties
        found = predict(columns)
        for row in range(len(H)):
            others = np.arange(len(H)) != row
            expected = Ridge(alpha=found.alpha).fit(H[others], columns[others]).predict(H[[row]])
            np.testing.assert_allclose(found.predictions[row], expected.ravel(), rtol=1e-6)
        np.testing.assert_allclose(found.leverages, leave_one_out(H, columns, [found.alpha]).leverages, rtol=1e-6)
        assert found.errors.min() == pytest.approx(np.mean((found.predictions - columns) ** 2))


def test_leverages_are_shares_of_the_own_target():
    H, Y = drawn(30, 5, k=1)
    found = leave_one_out(H, Y, [2.0])
    moved = Y.copy()
    moved[4] += 1.0
    before, after = (Ridge(alpha=2.0).fit(H, y).predict(H)[4] for y in (Y, moved))
    assert found.leverages[4] == pytest.approx(float(np.squeeze(after - before)))


def test_the_penalty_is_that_of_scikit_learn():
    H, Y = drawn(60, 20, k=1)
    alphas = np.logspace(-3, 4, 12)
    expected = RidgeCV(alphas, store_cv_results=True).fit(H, Y[:, 0])
    found = leave_one_out(H, Y, alphas)
    assert found.alpha == pytest.approx(expected.alpha_)
    np.testing.assert_allclose(found.errors, expected.cv_results_.mean(axis=0), rtol=1e-6)


def test_many_rows_go_in_blocks():
    H, Y = drawn(9000, 3, k=1)
    found = leave_one_out(H.astype(np.float32), Y, [1.0])
    expected = RidgeCV([1.0], store_cv_results=True).fit(H, Y[:, 0])
    assert found.errors[0] == pytest.approx(expected.cv_results_.mean(), rel=1e-5)


def test_a_row_that_is_alone_in_its_direction_is_not_predicted_by_itself():
    H = np.zeros((20, 2))
    H[:10, 0], H[19, 1] = 1.0, 1.0
    Y = np.r_[np.ones(10), -np.ones(9), 100.0][:, None]
    found = leave_one_out(H, Y, [1e-9])
    assert np.isfinite(found.predictions).all()
    assert found.predictions[19, 0] == pytest.approx(-1.0, abs=1e-3)
