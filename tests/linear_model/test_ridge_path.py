"""Ridge for every m against refitting scikit-learn's Ridge for each."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes, load_digits
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from rfviz.backend import to_host
from rfviz.errors import DataError, MemoryBudgetError, ParameterError
from rfviz.features import FeatureMap, RandomFourier, RandomMaxout
from rfviz.linear_model import (
    ConditionWarning,
    RidgePathClassifier,
    RidgePathRegressor,
    default_grid,
    largest_affordable_m,
)
from rfviz.linear_model.cholesky_path import largest_eigenvalue, solve_path
from rfviz.linear_model.dual_path import DualSystem
from rfviz.linear_model.normal_equations import NormalEquations
from rfviz.linear_model.sparse_path import SparseSystem

X, Y_LABELS = load_digits(return_X_y=True)
X = X / 16.0
TRAIN, TEST = slice(0, 700), slice(700, 1100)
GRID = [10, 64, 130, 300]


def unscaled(feature_map, rows):
    return np.concatenate([to_host(block) for block in feature_map.transform_blocks(X[rows], scaled=False)])


def codes(y):
    return np.where(y[:, None] == np.arange(10), 1.0, -1.0)


@pytest.mark.parametrize("solver", ["primal", "dual"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("scheme", [RandomMaxout, RandomFourier])
def test_equals_refitting_ridge_for_each_m(solver, fit_intercept, scheme):
    path = RidgePathClassifier(
        scheme(300, dtype="float64"), m_grid=GRID, alphas=2.0, solver=solver, fit_intercept=fit_intercept
    ).fit(X[TRAIN], Y_LABELS[TRAIN])
    H = unscaled(path.feature_map_, TRAIN)
    for m in GRID:
        ridge = Ridge(alpha=2.0, fit_intercept=fit_intercept).fit(H[:, :m], codes(Y_LABELS[TRAIN]))
        np.testing.assert_allclose(path.coef_path_[m], ridge.coef_.T, atol=1e-9)
        np.testing.assert_allclose(path.intercept_path_[m], ridge.intercept_, atol=1e-8)


def test_score_path_is_the_error_of_each_prediction():
    path = RidgePathClassifier(RandomMaxout(300), m_grid=GRID, alphas=1.0).fit(X[TRAIN], Y_LABELS[TRAIN])
    errors = path.error_path(X[TEST], Y_LABELS[TEST])
    assert errors == pytest.approx([np.mean(path.predict(X[TEST], m) != Y_LABELS[TEST]) for m in GRID])
    assert path.score(X[TEST], Y_LABELS[TEST]) == pytest.approx(1 - errors[-1])
    assert errors[-1] < 0.5 * errors[0]


def test_penalty_on_scaled_features_is_alpha_over_m():
    path = RidgePathClassifier(RandomMaxout(100, dtype="float64"), m_grid=[100], alphas=50.0).fit(
        X[TRAIN], Y_LABELS[TRAIN]
    )
    Phi = path.feature_map_.transform(X[TRAIN])
    ridge = Ridge(alpha=0.5).fit(Phi, codes(Y_LABELS[TRAIN]))
    np.testing.assert_allclose(path.coef_path_[100] * 10, ridge.coef_.T, atol=1e-8)


def test_blocks_of_rows_do_not_matter(monkeypatch):
    whole = RidgePathClassifier(RandomMaxout(200, dtype="float64"), m_grid=[50, 200], alphas=1.0, solver="primal")
    whole.fit(X[TRAIN], Y_LABELS[TRAIN])
    monkeypatch.setattr("rfviz.linear_model.scoring._CHUNK_ROWS", 97)
    parts = RidgePathClassifier(RandomMaxout(200, dtype="float64"), m_grid=[50, 200], alphas=1.0, solver="primal")
    parts.fit(X[TRAIN], Y_LABELS[TRAIN])
    np.testing.assert_allclose(parts.coef_path_[200], whole.coef_path_[200], atol=1e-9)


def test_regression_targets():
    data, target = load_diabetes(return_X_y=True)
    path = RidgePathRegressor(RandomFourier(200, gamma=1.0, dtype="float64"), m_grid=[20, 200], alphas=0.5).fit(
        data, target
    )
    H = np.concatenate([to_host(block) for block in path.feature_map_.transform_blocks(data, scaled=False)])
    ridge = Ridge(alpha=0.5).fit(H, target)
    np.testing.assert_allclose(path.predict(data), ridge.predict(H), rtol=1e-8)
    assert path.predict(data).shape == target.shape
    assert path.error_path(data, target)[-1] == pytest.approx(np.mean((ridge.predict(H) - target) ** 2))
    assert path.score(data, target) == pytest.approx(ridge.score(H, target))
    both = np.stack([target, -target], axis=1)
    two = RidgePathRegressor(RandomFourier(200, gamma=1.0, dtype="float64"), m_grid=[200], alphas=0.5).fit(data, both)
    np.testing.assert_allclose(two.predict(data), np.stack([ridge.predict(H), -ridge.predict(H)], axis=1), rtol=1e-7)
    assert two.error_path(data, both) == pytest.approx(path.error_path(data, target)[-1:])  # the mean over targets


def test_text_labels_and_two_classes():
    names = np.array(["even", "odd"])[Y_LABELS % 2]
    path = RidgePathClassifier(RandomMaxout(400), alphas=1.0).fit(X[TRAIN], names[TRAIN])
    assert set(path.predict(X[TEST])) <= {"even", "odd"}
    assert path.score(X[TEST], names[TEST]) > 0.9


class SparseBins(FeatureMap):
    """A stand-in for a sparse scheme: one-hot codes of random cells."""

    _weights = ("weights_",)

    def __init__(self, n_components=60, *, random_state=0, device="cpu", dtype="float32"):
        self.n_components = n_components
        self.random_state = random_state
        self.device = device
        self.dtype = dtype

    def _draw(self, n_features):
        rng = np.random.default_rng(self.seed_)
        self.weights_ = rng.standard_normal((self.n_components, n_features))

    def _slice_weights(self, n_components):
        return {"weights_": self.weights_[:n_components]}

    def transform_blocks(self, X, block_rows=None, scaled=True):
        H = np.asarray(X) @ self.weights_.T
        yield sparse.csr_matrix(np.where(np.quantile(np.abs(H), 0.8) < H, H, 0.0))


def test_sparse_features_stay_sparse_and_equal_ridge():
    path = RidgePathClassifier(SparseBins(60), m_grid=[20, 60], alphas=1.0).fit(X[TRAIN], Y_LABELS[TRAIN])
    H = next(path.feature_map_.transform_blocks(X[TRAIN])).toarray()
    for m in (20, 60):
        ridge = Ridge(alpha=1.0).fit(H[:, :m], codes(Y_LABELS[TRAIN]))
        np.testing.assert_allclose(path.coef_path_[m], ridge.coef_.T, atol=1e-4)
    assert path.error_path(X[TRAIN], Y_LABELS[TRAIN]).shape == (2,)


@pytest.mark.parametrize("centred", [True, False])
def test_three_systems_agree(centred):
    rng = np.random.default_rng(0)
    H, Y = rng.standard_normal((80, 30)) + 2.0, rng.standard_normal((80, 3))
    systems = [NormalEquations(30, 3, centred, exact=True), DualSystem(centred), SparseSystem(centred)]
    for system in systems:
        for part in (slice(0, 50), slice(50, 80)):
            block = H[part].copy()
            system.add(sparse.csr_matrix(block) if isinstance(system, SparseSystem) else block, Y[part])
    scales = [system.mean_square() for system in systems]
    assert scales == pytest.approx([scales[0]] * 3)
    solutions = [system.solve([0.5, 5.0], [10, 30]) for system in systems]
    for a in range(2):
        for j in range(2):
            for other in solutions[1:]:
                np.testing.assert_allclose(other[a][j][0], solutions[0][a][j][0], atol=1e-5)
                np.testing.assert_allclose(other[a][j][1], solutions[0][a][j][1], atol=1e-4)


def test_gpu_path_equals_host(fake_gpu):
    host, gpu = (
        RidgePathClassifier(
            RandomMaxout(120, device=device), m_grid=[30, 120], alphas=[0.1, 10.0], solver="primal"
        ).fit(X[TRAIN], Y_LABELS[TRAIN])
        for device in ("cpu", "cuda")
    )
    np.testing.assert_allclose(gpu.coef_path_[120], host.coef_path_[120], atol=1e-4)
    assert isinstance(gpu.coef_path_[120], np.ndarray)
    np.testing.assert_allclose(
        gpu.error_path(X[TEST], Y_LABELS[TEST]), host.error_path(X[TEST], Y_LABELS[TEST]), atol=0.006
    )


def test_condition_bound_bounds():
    rng = np.random.default_rng(1)
    H = rng.standard_normal((50, 20)) @ np.diag(np.logspace(0, 3, 20))
    gram = np.asfortranarray(H.T @ H)
    for alpha in (1e-3, 1.0):
        exact = np.linalg.cond(gram + alpha * np.eye(20))
        assert (largest_eigenvalue(gram) + alpha) / alpha >= 0.999 * exact


def test_ill_conditioned_systems_are_solved_in_float64_with_a_warning():
    rng = np.random.default_rng(2)
    H = rng.standard_normal((400, 50)).astype(np.float32)
    H[:, 1] = H[:, 0] + 1e-4 * H[:, 1]
    H *= 100
    Y = rng.standard_normal((400, 1))
    system = NormalEquations(50, 1, centred=False, exact=True)
    system.add(H.copy(), Y)
    with pytest.warns(ConditionWarning, match="solved in float64"):
        full = np.tril(system.gram) + np.tril(system.gram, -1).T
        coef = solve_path(full, system.cross, 1e-2, [50])[0]
    exact = np.linalg.solve(full + 0.01 * np.eye(50), system.cross)
    np.testing.assert_allclose(coef, exact, rtol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solve_path(full, system.cross, 1e-2, [50], quiet=True)


def test_a_penalty_below_the_rounding_is_refused():
    H = np.random.default_rng(4).standard_normal((20, 50)).astype(np.float32)
    system = NormalEquations(50, 1, centred=False)
    system.add(1000 * H, np.ones((20, 1)))
    assert system.solve([1e-6], [50], quiet=True) == [None]
    with pytest.raises(np.linalg.LinAlgError, match="larger alpha"), pytest.warns(ConditionWarning):
        system.solve([1e-6], [50])


def test_a_float32_factor_is_refined_to_float64_digits():
    rng = np.random.default_rng(3)
    H = (rng.standard_normal((3000, 200)) + 1.0).astype(np.float32)
    Y = rng.standard_normal((3000, 2))
    system = NormalEquations(200, 2)
    system.add(H.copy(), Y)
    refined, exact = (system.solve([5.0], [60, 200], precision)[0] for precision in ("float32", "float64"))
    for one, other in zip(refined, exact, strict=True):
        np.testing.assert_allclose(one[0], other[0], atol=1e-9 * np.abs(other[0]).max())


def test_default_grid():
    grid = default_grid(2000)
    assert grid[0] == 10 and grid[-1] == 2000 and 15 <= len(grid) <= 21
    assert (grid % 2 == 0).all() and (np.diff(grid) > 0).all()
    assert list(default_grid(1)) == [1]


def test_bad_input(monkeypatch):
    with pytest.raises(DataError, match="two classes"):
        RidgePathClassifier(RandomMaxout(20)).fit(X[TRAIN], np.zeros(700, dtype=int))
    with pytest.raises(ParameterError, match="alphas must be 'auto' or positive"):
        RidgePathClassifier(RandomMaxout(20), alphas=0.0).fit(X[TRAIN], Y_LABELS[TRAIN])
    with pytest.raises(ParameterError, match="m_grid must be an integer from 1 to 20"):
        RidgePathClassifier(RandomMaxout(20), m_grid=[50]).fit(X[TRAIN], Y_LABELS[TRAIN])
    with pytest.raises(ParameterError, match="m must be one of"):
        RidgePathClassifier(RandomMaxout(20), m_grid=[20], alphas=1.0).fit(X[TRAIN], Y_LABELS[TRAIN]).predict(
            X[TEST], m=7
        )
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.01")
    with pytest.raises(MemoryBudgetError, match=rf"about {largest_affordable_m(10_000_000)}"):
        RidgePathClassifier(RandomMaxout(2000, device="cpu"), solver="primal").fit(X[TRAIN], Y_LABELS[TRAIN])


def test_progress_can_stop_the_fit():
    class StoppedError(Exception):
        pass

    def progress(share, text):
        raise StoppedError

    with pytest.raises(StoppedError):
        RidgePathClassifier(RandomMaxout(20)).fit(X[TRAIN], Y_LABELS[TRAIN], progress=progress)


def test_what_cannot_be_fitted_is_told_in_a_sentence():
    with pytest.raises(ParameterError, match="feature_map must be a feature map"):
        RidgePathClassifier(StandardScaler()).fit(X[TRAIN], Y_LABELS[TRAIN])
    with pytest.raises(DataError, match="requires y to be passed, but the target y is None"):
        RidgePathClassifier(RandomMaxout(20)).fit(X[TRAIN], None)
    with pytest.raises(DataError, match=r"y holds 1 class, 1\. Use other data"):
        RidgePathClassifier(RandomMaxout(20)).fit(X[TRAIN], np.ones(len(X[TRAIN]), dtype=int))
