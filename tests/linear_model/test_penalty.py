"""The choice of the penalty: against fits to all rows but one, and against scikit-learn's RidgeCV."""

import functools

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, make_friedman1
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from rfviz.backend import to_host
from rfviz.features import RandomBinning, RandomFourier, RandomReLU
from rfviz.linear_model import NormalEquations, RidgePathClassifier, RidgePathRegressor
from rfviz.linear_model.dual_path import DualSystem
from rfviz.linear_model.penalty import PenaltySearch
from rfviz.linear_model.sparse_path import SparseSystem
from rfviz.linear_model.system import LeftOut

rng = np.random.default_rng(0)
H = rng.standard_normal((40, 12)) + 3.0
Y = np.stack([H[:, 0] * H[:, 1], np.sin(H[:, 2])], axis=1)
WEIGHTS = rng.uniform(0.2, 2.0, 40)


@functools.cache
def refits(n, m, alpha, is_weighted, intercept, step):
    """Return the weighted mean squared error of each step-th row, predicted by scikit-learn's Ridge on all others."""
    errors, own = [], WEIGHTS[:n] if is_weighted else np.ones(n)
    for i in range(0, n, step):
        rest, model = np.delete(np.arange(n), i), Ridge(alpha, fit_intercept=intercept, solver="svd")
        model.fit(H[rest, :m], Y[rest], sample_weight=own[rest])
        errors.append(own[i] * np.mean((model.predict(H[[i], :m]) - Y[i]) ** 2))
    return np.mean(errors)


def systems(intercept):
    return {
        "primal": NormalEquations(12, 2, intercept, exact=True),
        "dual": DualSystem(intercept),
        **{f"sparse {route}": SparseSystem(intercept, route=route) for route in ("primal", "dual", "gradients")},
    }


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["equal", "weighted"])
@pytest.mark.parametrize("n", [8, 24])
@pytest.mark.parametrize("kind", systems(True))
def test_leave_one_out_errors_are_those_of_refits(kind, n, weights, intercept):
    own = None if weights is None else weights[:n]
    system = systems(intercept)[kind]
    for part in (slice(0, 5), slice(5, n)):
        block = sparse.csr_matrix(H[part]) if kind.startswith("sparse") else H[part]
        system.add(block.copy(), Y[part], None if own is None else own[part])
    # Conjugate gradients leave out a few of the rows, here every one of 32 or fewer.
    step = 1 if kind.endswith("dual") else 2
    rows = np.arange(0, n, step)
    left_out = LeftOut(rows, H[rows], Y[rows], None if own is None else own[rows])
    for alpha in (0.01, 100.0):
        for m, (model, error) in zip([5, 12], system.evaluate(alpha, [5, 12], left_out), strict=True):
            # A float32 factor, if the condition allows it, has leverages of its precision.
            tolerance = 1e-3 if kind == "sparse primal" else 1e-5
            expected = refits(n, m, alpha, weights is not None, intercept, step)
            assert error == pytest.approx(expected, rel=tolerance)
            ridge = Ridge(alpha, fit_intercept=intercept, solver="svd").fit(H[:n, :m], Y[:n], sample_weight=own)
            np.testing.assert_allclose(model[0], ridge.coef_.T, rtol=0, atol=1e-5)


@pytest.mark.parametrize("least", [-6.3, -2.1, 0.0, 0.4, 3.4])
@pytest.mark.parametrize("together", [True, False])
def test_the_search_finds_the_least_error(least, together):
    """Of a curve as wide as those of ridge regression, to less than a per cent, in few evaluations."""
    tried = []

    def curve(alpha, m):
        return 1.0 + 0.1 * (np.clip(np.log10(alpha), -7, 4) - least - 0.03 * m) ** 2

    def evaluate(alpha, m_grid):
        tried.append(alpha)
        return [((m, alpha), curve(alpha, m)) for m in m_grid]

    search = PenaltySearch(evaluate)
    search.refine(1.0, [10, 20], together)
    for m in (10, 20):
        assert curve(search.best(m), m) < 1.01 * min(curve(alpha, m) for alpha in np.logspace(-7, 4, 1101))
        assert search.models[m] == (m, search.best(m))
    assert len(tried) < 30
    alphas, errors = search.table([10, 20])
    assert errors.shape == (len(alphas), 2) and np.nanmin(errors[:, 0]) == search.errors[10][search.best(10)]


def test_a_penalty_that_cannot_be_solved_is_not_chosen():
    search = PenaltySearch(lambda alpha, grid: None if alpha < 1e-3 else [(alpha, alpha) for _ in grid])
    search.refine(1.0, [5], together=True)
    assert search.best(5) == pytest.approx(1e-3, rel=0.1) and search.models[5] == search.best(5)


def test_named_penalties_are_compared_for_every_m():
    X, y = load_diabetes(return_X_y=True)
    alphas = [1e-3, 1.0, 1e3, 1e6]
    path = RidgePathRegressor(RandomFourier(60, gamma=2.0, dtype="float64"), m_grid=[10, 60], alphas=alphas[::-1])
    path.fit(X[:200], y[:200])
    assert path.alphas_.tolist() == alphas and path.cv_errors_.shape == (4, 2)
    Phi = np.concatenate([to_host(block) for block in path.feature_map_.transform_blocks(X, scaled=False)])
    for j, m in enumerate((10, 60)):
        peer = RidgeCV(alphas).fit(Phi[:200, :m], y[:200])
        assert path.alpha_[j] == peer.alpha_ and path.cv_errors_[:, j].min() == pytest.approx(-peer.best_score_)
        np.testing.assert_allclose(path.predict(X[200:], m), peer.predict(Phi[200:, :m]), rtol=1e-8)


def test_every_row_that_chooses_the_penalty_is_learnt_from():
    X, y = load_digits(return_X_y=True)
    path = RidgePathClassifier(RandomFourier(80, gamma=1e-3), m_grid=[80]).fit(X[:900], y[:900])
    again = RidgePathClassifier(RandomFourier(80, gamma=1e-3), m_grid=[80], alphas=path.alpha_[0])
    np.testing.assert_allclose(path.coef_, again.fit(X[:900], y[:900]).coef_, rtol=0, atol=1e-4)
    compared = [
        RidgePathClassifier(RandomFourier(80, gamma=1e-3), m_grid=[80], alphas=[1.0, 10.0], random_state=seed)
        for seed in (0, 0, 1)
    ]
    first, same, other = (one.fit(X, y).cv_errors_ for one in compared)
    np.testing.assert_array_equal(first, same)
    assert (first != other).all()


# --- against RidgeCV --------------------------------------------------------------------------------------------------


def linear_and_noise(seed):
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((1200, 20)) / np.sqrt(20)
    clean = X @ generator.standard_normal(20)
    noisy = clean + 0.5 * generator.standard_normal(1200)
    return X[:200], noisy[:200], X[200:], clean[200:], RandomReLU(1000, dtype="float64", random_state=seed)


def parts(X, y, seed, feature_map, size):
    A, B, a, b = train_test_split(X, y, train_size=size, random_state=seed)
    return A, a, B, b, feature_map.set_params(random_state=seed)


def standardised(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def tables():
    fourier = {"n_components": 1000, "dtype": "float64"}
    return {
        "linear and noise": linear_and_noise,
        "diabetes": lambda s: parts(*standardised(load_diabetes), s, RandomFourier(gamma=0.02, **fourier), 221),
        "friedman": lambda s: parts(
            *make_friedman1(2000, noise=1.0, random_state=s), s, RandomFourier(gamma=0.6, **fourier), 400
        ),
        "breast cancer": lambda s: parts(
            *standardised(load_breast_cancer), s, RandomFourier(gamma=1 / 30, **fourier), 400
        ),
        "digits": lambda s: parts(*load_digits(return_X_y=True), s, RandomFourier(gamma=5e-4, **fourier), 400),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", tables())
def test_the_default_is_as_good_as_leave_one_out_over_all_rows_and_a_fine_grid(name):
    """The squared error of test rows is within 5% of RidgeCV's for every m, over eight draws of rows and features.

    And more features do not hurt: no error is above 1.05 times that of fewer features, plus two standard errors.
    """
    grid, ours, peers = [50, 100, 200, 400, 1000], [], []
    for seed in range(8):
        X, y, X_new, y_new, feature_map = tables()[name](seed)
        is_classes = y.dtype.kind == "i"
        intercept = name != "linear and noise"
        kind = RidgePathClassifier if is_classes else RidgePathRegressor
        path = kind(feature_map, m_grid=grid, fit_intercept=intercept).fit(X, y)
        classes = path.classes_[-1:] if is_classes and len(path.classes_) == 2 else getattr(path, "classes_", None)
        codes, new = (np.where(t[:, None] == classes, 1.0, -1.0) if is_classes else t[:, None] for t in (y, y_new))
        Phi, Phi_new = (np.concatenate(list(path.feature_map_.transform_blocks(A, scaled=False))) for A in (X, X_new))
        mine, theirs = [], []
        for m, outputs in zip(grid, path.decision_path(X_new), strict=True):
            mine.append(np.mean((outputs.reshape(len(new), -1) - new) ** 2))
            part = Phi[:, :m]
            unit = np.square(part - intercept * part.mean(axis=0)).sum() / min(m, len(part))
            peer = RidgeCV(unit * np.logspace(-5, 4, 37), fit_intercept=intercept).fit(part, codes)
            theirs.append(np.mean((peer.predict(Phi_new[:, :m]).reshape(len(new), -1) - new) ** 2))
        ours.append(mine)
        peers.append(theirs)
    ratio = np.mean(ours, axis=0) / np.mean(peers, axis=0)
    assert (ratio < 1.05).all(), dict(zip(grid, ratio.round(3).tolist(), strict=True))
    ours = np.array(ours)
    for j in range(1, len(grid)):
        growth = ours[:, j] - 1.05 * ours[:, :j].min(axis=1)
        assert growth.mean() < 2 * growth.std(ddof=1) / np.sqrt(8), f"{grid[j]} features do worse than fewer"


@pytest.mark.slow
def test_sparse_features_are_as_good_as_leave_one_out():
    X, y = load_digits(return_X_y=True)
    path = RidgePathClassifier(RandomBinning(150, gamma=3e-3), m_grid=[20, 150]).fit(X[:700], y[:700])
    Phi = path.feature_map_.transform(X).toarray() * np.sqrt(150)
    codes = np.where(y[:, None] == np.arange(10), 1.0, -1.0)
    for m, scores in zip([20, 150], path.decision_path(X[700:]), strict=True):
        part = Phi[:, : path.feature_map_.columns(m)]
        peer = RidgeCV(m * np.logspace(-4, 4, 33)).fit(part[:700], codes[:700])
        errors = [np.mean((found - codes[700:]) ** 2) for found in (scores, peer.predict(part[700:]))]
        assert errors[0] < 1.05 * errors[1]
