"""Doubly stochastic gradients: the same as with stored weights, near the exact kernel machine, in little memory."""

import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.kernel_ridge import KernelRidge

from rfviz import kernels
from rfviz.backend import to_host
from rfviz.errors import DataError, MemoryBudgetError, ParameterError
from rfviz.features import CompositionalFeatures, RandomFourier, RandomMaxout
from rfviz.linear_model import (
    DoublyStochasticClassifier,
    DoublyStochasticRegressor,
    RidgePathClassifier,
    RidgePathRegressor,
)
from rfviz.linear_model.doubly_stochastic import BLOCK
from rfviz.linear_model.losses import LOSSES

X, y = load_digits(return_X_y=True)
X = (X / 16)[np.random.default_rng(0).permutation(len(X))]
y = y[np.random.default_rng(0).permutation(len(y))]
TRAIN, TEST = slice(0, 1300), slice(1300, None)
PLAIN = {"n_components": 320, "dtype": "float64", "device": "cpu"}


def stored(model, data, m):
    """Return all features in one matrix, from the weights of each block."""
    blocks = [model.feature_block(k).transform_blocks(data, scaled=False) for k in range(-(-m // BLOCK))]
    return np.hstack([np.concatenate([to_host(part) for part in block]) for block in blocks])[:, :m].astype(np.float64)


@pytest.mark.parametrize("loss", ["ridge", "logistic"])
@pytest.mark.parametrize("scheme", [RandomFourier, RandomMaxout])
def test_the_same_as_with_stored_weights(loss, scheme):
    m, s, batch, alpha = 600, 8, 100, 1e-3
    feature_map = scheme(m, dtype="float64", device="cpu")
    model = DoublyStochasticClassifier(
        feature_map, loss=loss, alpha=alpha, features_per_step=s, batch_size=batch, random_state=3
    ).fit(X[TRAIN], y[TRAIN])
    F = stored(model, X[TRAIN], m)
    codes = np.where(np.arange(10) == y[TRAIN][:, None], 1.0, -1.0)
    width = np.linalg.eigvalsh(np.cov(stored(model, X[:512], BLOCK), rowvar=False, bias=True))[-1] / BLOCK
    rng, order = np.random.RandomState(3), []
    coef, intercept = np.zeros((m, 10)), codes.mean(axis=0) if loss == "ridge" else np.zeros(10)
    for step in range(m // s):
        if len(order) < batch:
            order = list(rng.permutation(1300))
        rows, order = np.array(order[:batch]), order[batch:]
        scores = F[rows] @ coef + intercept  # those of features to come are zero
        slope = scores - codes[rows] if loss == "ridge" else LOSSES["logistic"](scores, y[TRAIN][rows])[1]
        rate = model.learning_rate_ / np.sqrt(1 + step / 100)
        new = slice(step * s, (step + 1) * s)
        centre = F[rows, new].mean(axis=0)
        coef *= 1 - rate * alpha
        coef[new] = -rate * (F[rows, new] - centre).T @ slope / (batch * s)
        intercept = intercept - centre @ coef[new] - rate * width * slope.mean(axis=0)
    np.testing.assert_allclose(model.coef_, coef.T, rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, intercept, rtol=0, atol=1e-9)
    predicted = stored(model, X[TEST], m) @ coef + intercept
    np.testing.assert_allclose(model.decision_function(X[TEST]), predicted, rtol=0, atol=1e-8)


@pytest.mark.parametrize("alpha", [1e-6, 0.01])
def test_the_path_is_what_shorter_runs_give(alpha):
    setting = {"loss": "ridge", "alpha": alpha}
    model = DoublyStochasticClassifier(RandomFourier(700, gamma=0.02), m_grid=[10, 256, 300, 700], **setting)
    model.fit(X[TRAIN], y[TRAIN])
    assert model.m_grid_.tolist() == [16, 256, 304, 700]
    F = stored(model, X[TEST], 700)
    for m, scores in zip(model.m_grid_, model.decision_path(X[TEST]), strict=True):
        linear = F[:, :m] @ model.coef_path_[m] + model.intercept_path_[m]
        np.testing.assert_allclose(scores, linear, rtol=0, atol=1e-4)
        assert (model.predict(X[TEST], m) == np.argmax(scores, axis=1)).all()
        short = DoublyStochasticClassifier(RandomFourier(int(m), gamma=0.02), **setting)
        expected = short.fit(X[TRAIN], y[TRAIN]).decision_function(X[TEST])
        np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["ridge", "logistic"])
def test_comes_close_to_the_exact_kernel_machine(loss):
    gamma = 1 / (64 * X.var())
    exact = KernelRidge(alpha=1e-3, kernel="rbf", gamma=gamma)
    codes = np.where(np.arange(10) == y[:, None], 1.0, -1.0)
    best = np.mean(np.argmax(exact.fit(X[TRAIN], codes[TRAIN]).predict(X[TEST]), axis=1) != y[TEST])
    few, many = (
        1
        - DoublyStochasticClassifier(RandomFourier(m, gamma=gamma), loss=loss)
        .fit(X[TRAIN], y[TRAIN])
        .score(X[TEST], y[TEST])
        for m in (128, 2048)
    )
    assert many < best + 0.025 and many < 0.5 * few


@pytest.mark.slow
def test_regression_comes_close_to_the_exact_function():
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (600, 2))
    target = np.sin(3 * points[:, 0]) * points[:, 1]
    model = DoublyStochasticRegressor(RandomFourier(3000, gamma=2.0), batch_size=128).fit(points[:400], target[:400])
    exact = KernelRidge(kernel="rbf", gamma=2.0, alpha=1e-3).fit(points[:400], target[:400])
    error, best = (np.sqrt(np.mean((f.predict(points[400:]) - target[400:]) ** 2)) for f in (model, exact))
    assert error < best + 0.1 * target.std()


def test_centred_kernel_sets_the_step():
    data = np.random.default_rng(1).standard_normal((400, 5))
    model = DoublyStochasticRegressor(RandomFourier(256, gamma=0.3), features_per_step=16).fit(data, data[:, 0])
    K = kernels.gaussian(data, gamma=0.3)
    K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    spectrum = np.linalg.eigvalsh(K) / 400
    expected = 1 / (spectrum[-1] + spectrum.sum() * (1 / 16 + 1 / 256))
    assert model.learning_rate_ == pytest.approx(expected, rel=0.15)  # from one block of random features


@pytest.mark.slow
def test_memory_does_not_grow_with_the_weights():
    data = np.random.default_rng(0).standard_normal((64, 600)).astype(np.float32)
    labels = np.arange(64) % 2
    peaks = []
    for m in (1024, 8192):
        model = DoublyStochasticClassifier(RandomFourier(m, device="cpu"), features_per_step=256, batch_size=32)
        tracemalloc.start()
        model.fit(data, labels).predict(data)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # 7168 more features have weights of 17 MB (cos/sin pairs: half); their coefficients take 57 kB.
    assert peaks[1] - peaks[0] < 1_000_000
    assert len(pickle.dumps(model)) < 8192 * 8 + data.nbytes + 50_000


def test_devices_and_containers_agree(fake_gpu):
    plain = DoublyStochasticClassifier(RandomMaxout(300, device="cpu"), batch_size=64).fit(X[:200], y[:200])
    for data, device in ((X, "cuda"), (sparse.csr_matrix(X), "cpu"), (sparse.csr_matrix(X), "cuda")):
        model = DoublyStochasticClassifier(RandomMaxout(300, device=device), batch_size=64).fit(data[:200], y[:200])
        np.testing.assert_allclose(
            model.decision_function(data[200:260]), plain.decision_function(X[200:260]), atol=1e-3
        )


def test_progress_is_told_and_may_stop():
    heard = []
    DoublyStochasticRegressor(RandomFourier(100)).fit(
        X[:50], X[:50, 30], progress=lambda share, text: heard.append((share, text))
    )
    assert [share for share, _ in heard] == sorted(share for share, _ in heard) and heard[-1] == (
        1.0,
        "feature 100 of 100",
    )

    def stop(share, text):
        raise KeyboardInterrupt

    model = DoublyStochasticRegressor(RandomFourier(100))
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:50], X[:50, 30], progress=stop)
    assert not hasattr(model, "coef_")


@pytest.mark.filterwarnings("ignore:(overflow|invalid)")
def test_bad_input(monkeypatch):
    with pytest.raises(ParameterError, match="features_per_step must divide 256; got 24"):
        DoublyStochasticRegressor(RandomFourier(100), features_per_step=24).fit(X, y)
    with pytest.raises(ParameterError, match="feature_map must have features that all count the same"):
        DoublyStochasticClassifier(CompositionalFeatures(100)).fit(X, y)
    with pytest.raises(ParameterError, match="feature_map must have transform_blocks"):
        DoublyStochasticClassifier(KernelRidge()).fit(X, y)
    with pytest.raises(ParameterError, match="loss must be one of"):
        DoublyStochasticClassifier(RandomFourier(100), loss="hinge").fit(X, y)
    with pytest.raises(DataError, match="at least two classes"):
        DoublyStochasticClassifier(RandomFourier(100)).fit(X, 0 * y)
    with pytest.raises(DataError, match="not finite"):
        DoublyStochasticRegressor(RandomMaxout(2000), learning_rate=1e12).fit(X, y.astype(float))
    assert not hasattr(DoublyStochasticClassifier(RandomFourier(100), loss="ridge"), "predict_proba")
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    with pytest.raises(MemoryBudgetError, match="The largest n_components that fits is about 12500"):
        DoublyStochasticClassifier(RandomFourier(1_000_000)).fit(X, y)


@pytest.mark.parametrize("numbers", [False, True])
def test_curve_of_errors(numbers):
    target = X[:, 20] * X[:, 30] if numbers else y
    machine = DoublyStochasticRegressor if numbers else DoublyStochasticClassifier
    path = machine(RandomFourier(512), m_grid=[20, 100, 512], random_state=1)
    if not numbers:
        path.set_params(loss="ridge")
    errors = path.fit(X[TRAIN], target[TRAIN]).error_path(X[TEST], target[TEST])
    assert path.m_grid_.tolist() == [32, 112, 512] and path.coef_path_[112].shape == (112, 1 if numbers else 10)
    assert (np.diff(errors) < 0).all()
    kind = RidgePathRegressor if numbers else RidgePathClassifier
    ridge = kind(RandomFourier(512, random_state=1), m_grid=[512])
    assert errors[-1] > 0.8 * ridge.fit(X[TRAIN], target[TRAIN]).error_path(X[TEST], target[TEST])[0]
