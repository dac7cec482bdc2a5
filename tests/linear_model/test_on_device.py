"""The linear algebra of ridge regression on a GPU: same solutions, half the products, few ways to the host."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from rfviz.backend import get_device, to_host
from rfviz.experiments.accuracy.maxout_table import maxout_table
from rfviz.features import RandomFourier, RandomMaxout
from rfviz.linear_model import ConditionWarning, RidgePathClassifier
from rfviz.linear_model import cholesky_path as triangular
from rfviz.linear_model.cholesky_path import solve_path
from rfviz.linear_model.normal_equations import NormalEquations
from rfviz.linear_model.path import gram_bytes
from rfviz.linear_model.scoring import Solutions

rng = np.random.default_rng(0)
X = rng.standard_normal((300, 6))
y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
GRID = [2, 11, 40]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("centred", [True, False])
def test_normal_equations_are_the_same_on_the_gpu(fake_gpu, exact, centred, monkeypatch):
    monkeypatch.setattr("rfviz.linear_model.normal_equations._FLOAT32_ROWS", 100)
    monkeypatch.setattr("rfviz.linear_model.normal_equations._PANEL", 7)
    H, Y = rng.standard_normal((300, 40)).astype("float32") + 1, rng.standard_normal((300, 3))
    systems = [NormalEquations(40, 3, centred, xp, exact) for xp in (np, fake_gpu)]
    for system in systems:
        for start in range(0, 300, 70):
            system.add(system.xp.asarray(H[start : start + 70]), Y[start : start + 70])
        assert not np.triu(to_host(system.gram), 1).any()  # half the work
    on_host, on_gpu = (system.solve([1.0], GRID)[0] for system in systems)
    for (coef, intercept), (other, other_intercept) in zip(on_host, on_gpu, strict=True):
        np.testing.assert_allclose(to_host(other), coef, rtol=0, atol=1e-5)
        np.testing.assert_allclose(to_host(other_intercept), intercept, rtol=0, atol=1e-5)
    # The definition, in float64.
    D = np.hstack([H, np.ones((300, 1))])[:, : 40 + centred].astype(float)
    penalty = np.eye(40 + centred)
    penalty[40:] = 0
    np.testing.assert_allclose(on_host[-1][0], np.linalg.solve(D.T @ D + penalty, D.T @ Y)[:40], atol=1e-5)


def test_without_a_symmetric_update_the_whole_product_serves(fake_gpu):
    H, Y = rng.standard_normal((50, 12)), rng.standard_normal((50, 2))
    solutions = []
    for missing in (False, True):
        if missing:
            del __import__("sys").modules["cupy.cublas"].syrk
        system = NormalEquations(12, 2, xp=fake_gpu)
        system.add(fake_gpu.asarray(H[:30]), Y[:30])
        system.add(fake_gpu.asarray(H[30:]), Y[30:])
        solutions.append(system.solve([0.5], [12])[0][0][0].get())
    np.testing.assert_allclose(*solutions, rtol=0, atol=1e-12)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("columns", [1, 3, 512])
def test_solutions_together_are_those_of_each(fake_gpu, monkeypatch, columns, precision):
    monkeypatch.setattr(triangular, "_COLUMNS", columns)
    H, C = rng.standard_normal((60, 20)), rng.standard_normal((20, 2))
    gram = H.T @ H
    path = solve_path(fake_gpu.asarray(gram), fake_gpu.asarray(C), 0.3, [5, 20], fake_gpu, precision)
    for m, coef in zip((5, 20), path, strict=True):
        expected = np.linalg.solve(gram[:m, :m] + 0.3 * np.eye(m), C[:m])
        np.testing.assert_allclose(coef.get(), expected, rtol=0, atol=1e-8 if precision == "float32" else 1e-12)


def test_a_factorisation_that_breaks_off_is_noticed(fake_gpu):
    # CuPy says nothing of it by itself, and what it returns is finite.
    gram = np.diag([1.0, -1.0, 1.0])
    assert np.isfinite(fake_gpu.linalg.cholesky(fake_gpu.asarray(gram)).get()).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConditionWarning)
        parts = fake_gpu.asarray(gram), fake_gpu.asarray(np.ones((3, 1))), 0.1, [3], fake_gpu
        assert solve_path(*parts, quiet=True) is None
        with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
            solve_path(*parts)


def test_scores_of_many_models_are_one_product(fake_gpu, monkeypatch):
    H = rng.standard_normal((30, 20)).astype("float32")
    models = [(rng.standard_normal((m, k)), rng.standard_normal(k)) for m, k in ((3, 2), (20, 1), (11, 4))]
    expected = [H[:, : len(coef)].astype(float) @ coef + intercept for coef, intercept in models]
    gets = []
    whole = fake_gpu.ndarray.get
    monkeypatch.setattr(fake_gpu.ndarray, "get", lambda self: (gets.append(self.shape), whole(self))[1])
    for given in (models, [tuple(map(fake_gpu.asarray, model)) for model in models]):
        found = Solutions(given).scores(fake_gpu.asarray(H))
        for scores, exact in zip(found, expected, strict=True):
            np.testing.assert_allclose(scores, exact, rtol=0, atol=1e-5)
    assert gets == [(30, 7)] * 2
    for scores, exact in zip(Solutions(models).scores(H), expected, strict=True):
        np.testing.assert_allclose(scores, exact, rtol=0, atol=1e-5)


@pytest.mark.parametrize("solver", ["auto", "primal", "dual"])
@pytest.mark.parametrize("alphas", ["auto", 1.0])
def test_a_path_is_the_same_on_the_gpu(fake_gpu, solver, alphas):
    paths = [
        RidgePathClassifier(RandomFourier(40, gamma=0.3, device=d), m_grid=GRID, alphas=alphas, solver=solver).fit(X, y)
        for d in ("cpu", "cuda")
    ]
    scores = [path.decision_path(X) for path in paths]
    np.testing.assert_allclose(paths[0].alpha_, paths[1].alpha_, rtol=1e-6)
    for a, b in zip(*scores, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=2e-4)
    assert fake_gpu.memory.used < 1000 and all(isinstance(c, np.ndarray) for c in paths[1].coef_path_.values())


def test_ways_to_the_host_do_not_grow_with_the_grid(fake_gpu, monkeypatch):
    whole, gets = fake_gpu.ndarray.get, []
    monkeypatch.setattr(fake_gpu.ndarray, "get", lambda self: (gets.append(self.nbytes), whole(self))[1])
    counts = []
    for grid in ([40], list(range(2, 41, 2))):
        gets.clear()
        RidgePathClassifier(RandomMaxout(40, device="cuda"), m_grid=grid, solver="primal").fit(X, y)
        # Beside the solutions themselves, two arrays for each m.
        counts.append(len(gets) - 2 * len(grid))
    assert max(counts) < 20  # one for each penalty that is compared, and each block
    assert max(gets) < X.shape[0] * 40 * 4  # never the features


def test_weights_stay_on_the_device_while_they_are_resident(fake_gpu):
    feature_map = RandomMaxout(30, device="cuda").fit(X)
    expected = feature_map.transform(X)
    n_bytes = feature_map.weights_.nbytes
    with feature_map.resident():
        held = fake_gpu.memory.used
        assert held == n_bytes
        fake_gpu.memory.log.clear()
        for start in (0, 100, 200):
            part = next(feature_map.transform_blocks(X[start : start + 100], scaled=True))
            np.testing.assert_allclose(part.get(), expected[start : start + 100], rtol=0, atol=1e-6)
        smaller = feature_map.prefix(7)  # has weights of its own
        np.testing.assert_allclose(smaller.transform(X), expected[:, :7] * np.sqrt(30 / 7), rtol=0, atol=1e-5)
        del part
        assert fake_gpu.memory.used == held
    assert fake_gpu.memory.used < 1000
    with RandomMaxout(3, device="cpu").fit(X).resident():
        pass


def test_table_1_is_the_same_on_the_gpu(fake_gpu):
    tables = [
        maxout_table((X, y), (X[:80], y[:80]), (5, 20), (1, 2, 4), (0, 1), n_held=50, device=device)
        for device in ("cpu", "cuda")
    ]
    np.testing.assert_allclose(tables[0].errors, tables[1].errors, rtol=0, atol=1.1 / 80)
    np.testing.assert_array_equal(tables[0].alphas, tables[1].alphas)
    assert fake_gpu.memory.used < 1000 and get_device("cuda").is_gpu


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_memory_stays_within_what_is_checked(fake_gpu, precision):
    m = 400
    host = RidgePathClassifier(RandomMaxout(m), alphas=[1.0, 10.0], solver="primal", precision=precision).fit(X, y)
    path = clone(host).set_params(feature_map__device="cuda")
    fake_gpu.memory.reset_peak()
    before = fake_gpu.memory.used
    path.fit(X, y)
    blocks = 4 * 300 * (2 * m + 10) + 8 * m * 60 * 8  # features and their buffers; right-hand sides
    assert 0.5 * gram_bytes(m, True) < fake_gpu.memory.peak - before < gram_bytes(m, True) + blocks
    np.testing.assert_allclose(path.coef_path_[m], host.coef_path_[m], rtol=0, atol=1e-5)


def test_weights_travel_and_are_rearranged_once(fake_gpu, monkeypatch):
    monkeypatch.setattr("rfviz.linear_model.scoring._UPLOADED_BYTES", 1)
    monkeypatch.setattr("rfviz.linear_model.scoring._CHUNK_ROWS", 40)
    log = []
    for rows in (80, 300):
        fake_gpu.memory.log.clear()
        RidgePathClassifier(RandomMaxout(40, pool_size=3, device="cuda"), m_grid=[40], alphas=1.0, solver="primal").fit(
            X[:rows], y[:rows]
        )
        log.append(fake_gpu.memory.log.count(4 * 40 * 3 * 6))
    assert log[0] == log[1] == 2  # as they were drawn, and by feature
