"""Linear SVMs for every number of features: the same as scikit-learn's on features that are computed by hand."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.svm import LinearSVC

from rfviz.errors import ParameterError
from rfviz.features import RandomBinning, RandomFourier
from rfviz.linear_model import LinearSVMPath


@pytest.fixture(scope="module")
def rows():
    X, y = make_moons(200, noise=0.2, random_state=0)
    return X.astype(np.float32), np.array(["lower", "upper"])[y]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_each_m_is_scikit_learns_fit_on_cosines_by_hand(rows, n_classes):
    X, y = rows
    if n_classes == 3:
        y = np.where(X[:, 0] > 1.2, "right", y)
    path = LinearSVMPath(RandomFourier(60, gamma=2.0, paired=False, random_state=1), m_grid=[20, 60]).fit(X, y)
    # √2 cos(ω·x + b), from the weights alone.
    drawn = path.feature_map_
    omega, b = np.asarray(drawn.frequencies_, float).reshape(60, 2), np.asarray(drawn.phases_, float).ravel()
    whole = np.sqrt(2) * np.cos(X.astype(float) @ omega.T + b)
    for m, scores in zip([20, 60], path.decision_path(X), strict=True):
        svm = LinearSVC(random_state=0).fit(whole[:, :m] / np.sqrt(m), y)
        expected = svm.decision_function(whole[:, :m] / np.sqrt(m))
        np.testing.assert_allclose(scores, expected, atol=2e-3)
        assert path.error(scores, y) == pytest.approx(1 - svm.score(whole[:, :m] / np.sqrt(m), y), abs=0.01)


def test_boxes_are_columns_of_a_sparse_matrix(rows):
    X, y = rows
    path = LinearSVMPath(RandomBinning(30, gamma=1.0, random_state=0), m_grid=[5, 30]).fit(X, y)
    assert path.coef_path_[5].shape[0] == path.feature_map_.columns(5) < path.coef_path_[30].shape[0]
    assert path.score(X, y, m=30) > 0.95


def test_a_penalty_of_nothing_is_refused(rows):
    with pytest.raises(ParameterError, match="C must be"):
        LinearSVMPath(RandomFourier(10), C=0.0).fit(*rows)
