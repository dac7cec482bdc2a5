"""Ridge and stochastic losses on random binning, whose features stay sparse, against scikit-learn on that matrix."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes, load_digits
from sklearn.linear_model import Ridge

from rfviz.errors import MemoryBudgetError
from rfviz.features import RandomBinning
from rfviz.linear_model import RidgePathClassifier, RidgePathRegressor, StochasticPath
from rfviz.linear_model.sparse_path import SparseSystem

X, LABELS = load_digits(return_X_y=True)
X = X / 16.0
TRAIN, TEST = slice(0, 400), slice(400, 700)
GRID = [5, 20, 60]
ROUTES = ["dual", "primal", "gradients"]


def codes(y):
    return np.where(y[:, None] == np.arange(10), 1.0, -1.0)


@pytest.fixture(scope="module")
def binning():
    return RandomBinning(60, gamma=0.1, dtype="float64", device="cpu").fit(X[TRAIN])


def features(feature_map, rows):
    return sparse.vstack(list(feature_map.transform_blocks(X[rows], scaled=False)), format="csr")


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("rows", [slice(0, 400), slice(0, 40)])
def test_every_route_gives_scikit_learns_ridge(route, centred, rows, binning):
    H, Y = features(binning, rows), codes(LABELS[rows])
    system = SparseSystem(centred, binning.columns, route)
    half = H.shape[0] // 2
    # A relative residual of 1e-7 leaves the coefficients that times the condition, here up to 5e4.
    tolerance = 1e-4 if route == "gradients" else 1e-7
    system.add(H[:half], Y[:half])
    system.solve([1.0], GRID)  # what is known of fewer rows must not live on
    system.add(H[half:], Y[half:])
    for alpha, path in zip([0.3, 10.0], system.solve([0.3, 10.0], GRID, "float64"), strict=True):
        for m, (coef, intercept) in zip(GRID, path, strict=True):
            ridge = Ridge(alpha=alpha, fit_intercept=centred).fit(H[:, : binning.columns(m)].toarray(), Y)
            np.testing.assert_allclose(coef, ridge.coef_.T, atol=tolerance)
            np.testing.assert_allclose(intercept, ridge.intercept_, atol=10 * tolerance)


@pytest.mark.parametrize("solver", ["auto", "dual", "primal"])
def test_path_equals_ridge_on_the_csr_matrix(solver, binning):
    path = RidgePathClassifier(
        RandomBinning(60, gamma=0.1, dtype="float64"), m_grid=GRID, alphas=2.0, solver=solver, fit_intercept=False
    ).fit(X[TRAIN], LABELS[TRAIN])
    H = features(binning, TRAIN)
    for m in GRID:
        columns = binning.columns(m)
        ridge = Ridge(alpha=2.0, fit_intercept=False, solver="sparse_cg", tol=1e-10).fit(
            H[:, :columns], codes(LABELS[TRAIN])
        )
        assert path.coef_path_[m].shape == (columns, 10)
        np.testing.assert_allclose(path.coef_path_[m], ridge.coef_.T, atol=1e-5)
        expected = np.argmax(ridge.predict(features(binning, TEST)[:, :columns]), axis=1)
        assert np.mean(path.predict(X[TEST], m) == expected) > 0.995
    errors = path.error_path(X[TEST], LABELS[TEST])
    assert errors[-1] < 0.3 and errors[-1] < errors[0]


def test_the_chosen_penalty_does_as_well_as_the_best():
    path = RidgePathClassifier(RandomBinning(150), m_grid=[150]).fit(X[TRAIN], LABELS[TRAIN])
    fixed = (RidgePathClassifier(RandomBinning(150), m_grid=[150], alphas=a) for a in np.logspace(-2, 4, 7))
    best = min(p.fit(X[TRAIN], LABELS[TRAIN]).error_path(X[TEST], LABELS[TEST])[0] for p in fixed)
    assert path.error_path(X[TEST], LABELS[TEST])[0] < best + 0.02


def test_regression():
    data, target = load_diabetes(return_X_y=True)
    path = RidgePathRegressor(RandomBinning(80, dtype="float64"), m_grid=[10, 80], alphas=3.0).fit(data, target)
    H = path.feature_map_.transform(data) * np.sqrt(80)
    ridge = Ridge(alpha=3.0).fit(H.toarray(), target)
    np.testing.assert_allclose(path.predict(data), ridge.predict(H.toarray()), rtol=1e-6)


@pytest.fixture
def route_of(monkeypatch):
    """Return a function that solves a system, and returns the way it went by the size of the matrix that it made.

    Panels of the small matrix are the only sparse results that are opened: nothing as large as the dense features.
    """
    opened = []
    original = sparse.csr_matrix.toarray
    monkeypatch.setattr(sparse.csr_matrix, "toarray", lambda self, *a: opened.append(self.shape) or original(self, *a))

    def solve(system, shape, alphas, m_grid):
        system.solve(alphas, m_grid)
        sides = {columns for _, columns in opened}
        return {(shape[0],): "dual", (shape[1],): "primal", (): "gradients"}[tuple(sides)]

    return solve


@pytest.mark.parametrize("route", ROUTES)
def test_nothing_as_large_as_the_dense_matrix_is_made(route, binning, route_of):
    H = features(binning, TRAIN)
    system = SparseSystem(True, binning.columns, route)
    system.add(H, codes(LABELS[TRAIN]))
    assert route_of(system, H.shape, [1.0], GRID) == route


@pytest.mark.parametrize(("shape", "route"), [((60, 4000), "dual"), ((20_000, 200), "primal")])
def test_the_small_side_is_chosen(shape, route, route_of):
    H = sparse.random(*shape, density=0.02, format="csr", random_state=np.random.default_rng(0))
    system = SparseSystem()
    system.add(H, np.ones((shape[0], 3)))
    assert route_of(system, shape, np.logspace(-2, 4, 8), [shape[1]]) == route


def test_gradients_where_no_matrix_fits(monkeypatch, binning, route_of):
    H = features(binning, TRAIN)
    system = SparseSystem(True, binning.columns)
    system.add(H, codes(LABELS[TRAIN]))
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.0005")
    assert route_of(system, H.shape, [1.0], GRID[:1]) == "gradients"


def test_gpu_path_equals_host(fake_gpu):
    host, gpu = (
        RidgePathClassifier(RandomBinning(60, device=device), m_grid=[20, 60], alphas=[0.1, 10.0]).fit(
            X[TRAIN], LABELS[TRAIN]
        )
        for device in ("cpu", "cuda")
    )
    assert fake_gpu.memory.log
    np.testing.assert_allclose(gpu.coef_path_[60], host.coef_path_[60], atol=1e-8)
    assert np.array_equal(gpu.predict(X[TEST]), host.predict(X[TEST]))


def test_more_entries_than_memory(monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.002")
    with pytest.raises(MemoryBudgetError, match=r"sparse features of 400 rows, and coefficients on .* columns, needs"):
        RidgePathClassifier(RandomBinning(200), m_grid=[200], alphas=1.0).fit(X[TRAIN], LABELS[TRAIN])


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_stochastic_losses(loss):
    path = StochasticPath(RandomBinning(150), loss=loss, m_grid=[20, 150], epochs=10).fit(X[TRAIN], LABELS[TRAIN])
    errors = path.error_path(X[TEST], LABELS[TEST])
    assert path.coef_path_[150].shape == (path.feature_map_.columns(150), 10)
    assert errors[-1] < 0.2 and errors[-1] < errors[0]
