"""Stochastic gradients against exact solvers, on both devices, in bounded memory."""

import pickle
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from rfviz.errors import DataError, MemoryBudgetError, ParameterError
from rfviz.features import RandomFourier, RandomMaxout, RandomProjection
from rfviz.linear_model.descent import Descent
from rfviz.linear_model.losses import LOSSES
from rfviz.linear_model.stochastic import StochasticClassifier

X, y = load_digits(return_X_y=True)
X = X / 16
FEATURES = RandomProjection(64, dtype="float64")
every_loss = pytest.mark.parametrize("loss", LOSSES)
every_optimizer = pytest.mark.parametrize("optimizer", ["adagrad", "sgd"])
every_task = pytest.mark.parametrize("n_classes", [2, 4])


def subset(n_classes, n_samples=400):
    rows = np.flatnonzero(y < n_classes)[:n_samples]
    return X[rows], y[rows]


def objective(model, Phi, y, loss, alpha):
    labels = np.searchsorted(model.classes_, y)
    data_term = LOSSES[loss](Phi @ model.coef_.T + model.intercept_, labels)[0].mean()
    return data_term + alpha / 2 * np.sum(model.coef_**2)


def exact(Phi, y, loss, alpha):
    C = 1 / (alpha * len(y))
    if loss == "logistic":
        return LogisticRegression(C=C, tol=1e-8, max_iter=5000).fit(Phi, y)
    if loss == "exponential":
        return _exact_exponential(Phi, y, alpha)
    # Its intercept is penalised; the more its column is scaled up, the less so.
    kind = "crammer_singer" if len(np.unique(y)) > 2 else "ovr"
    return LinearSVC(C=C, loss="hinge", multi_class=kind, intercept_scaling=10, tol=1e-5, max_iter=50_000).fit(Phi, y)


def _exact_exponential(Phi, y, alpha):
    """Return the minimum by a quasi-Newton method."""
    classes, labels = np.unique(y, return_inverse=True)
    columns = 1 if len(classes) == 2 else len(classes)

    def value(flat):
        W = flat.reshape(columns, -1)
        loss, by_score = LOSSES["exponential"](Phi @ W[:, :-1].T + W[:, -1], labels)
        slope = np.column_stack([by_score.T @ Phi / len(y) + alpha * W[:, :-1], by_score.mean(axis=0)])
        return loss.mean() + alpha / 2 * np.sum(W[:, :-1] ** 2), slope.ravel()

    found = minimize(value, np.zeros(columns * (Phi.shape[1] + 1)), jac=True, options={"gtol": 1e-7, "maxiter": 5000})
    W = found.x.reshape(columns, -1)
    return SimpleNamespace(classes_=classes, coef_=W[:, :-1], intercept_=W[:, -1])


@every_loss
@every_optimizer
@every_task
def test_converges_to_the_exact_solution(loss, optimizer, n_classes):
    data, labels = subset(n_classes)
    alpha = {"logistic": 0.01, "hinge": 0.1, "exponential": 0.01}[loss]
    model = StochasticClassifier(FEATURES, loss, alpha, epochs=40, batch_size=16, optimizer=optimizer)
    model.fit(data, labels)
    Phi = model.feature_map_.transform(data)
    best = objective(exact(Phi, labels, loss, alpha), Phi, labels, loss, alpha)
    assert 0.999 * best < objective(model, Phi, labels, loss, alpha) < 1.02 * best
    assert model.loss_curve_[-1] == pytest.approx(best, rel=0.1)


@every_loss
@every_task
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_step_follows_finite_differences(loss, n_classes, fit_intercept):
    # One batch, one SGD step of rate 1 from zero, where every logistic gradient and (off ties) hinge gradient is known.
    rng = np.random.default_rng(0)
    data, labels = subset(n_classes, 50)
    Phi = FEATURES.fit(data).transform(data)
    columns = 1 if n_classes == 2 else n_classes
    settings = StochasticClassifier(FEATURES, loss, 0.1, optimizer="sgd", fit_intercept=fit_intercept).get_params()
    start = [rng.standard_normal((64, columns)), rng.standard_normal(columns) * fit_intercept]
    descent = Descent(settings, (1.0, 1.0), None, [part.copy() for part in start])
    descent.learn(Phi, labels, np.array([len(Phi)]))
    cooling = 1.01**-0.5  # of the first step
    for part, before in enumerate(start[: 1 + fit_intercept]):
        for place in [np.unravel_index(i, before.shape) for i in range(0, before.size, 13)]:
            ends = []
            for change in (1e-6, -1e-6):
                moved = [array.copy() for array in start]
                moved[part][place] += change
                value = LOSSES[loss](Phi @ moved[0] + moved[1], labels)[0].mean()
                ends.append(value + 0.05 * np.sum(moved[0] ** 2))
            step = (before - descent.weights[part])[place]
            assert step == pytest.approx(cooling * (ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-8)


# Not the exponential: its first gradients are its largest, so that AdaGrad's last steps hardly scatter.
@pytest.mark.slow
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
@every_optimizer
def test_averaging_lowers_the_variance(loss, optimizer):
    # Of the path's last part, that is: where few steps have been made, the seeds have the way there in common.
    data, labels = subset(4)
    spread = {}
    for average in (True, False):
        models = [
            StochasticClassifier(
                FEATURES, loss, 0.1, batch_size=4, optimizer=optimizer, average=average, random_state=seed
            ).fit(data, labels)
            for seed in range(8)
        ]
        spread[average] = np.var([model.coef_ for model in models], axis=0).mean()
    assert spread[True] < 0.8 * spread[False]


@every_loss
@pytest.mark.parametrize("feature_map", [RandomFourier(200), RandomMaxout(200)])
def test_learns_digits(loss, feature_map):
    model = StochasticClassifier(feature_map, loss, epochs=20, batch_size=64).fit(X[:1000], y[:1000])
    assert model.score(X[1000:], y[1000:]) > 0.9
    assert model.coef_.shape == (10, 200) and model.coef_.dtype == np.float32
    assert np.all(np.diff(model.loss_curve_[:4]) < 0) and len(model.loss_curve_) == 20


def test_a_large_mean_of_the_features_does_no_harm():
    data, labels = subset(4)
    settings = {"alpha": 1e-2, "epochs": 40, "batch_size": 16}
    plain = StochasticClassifier(Shifted(0.0), **settings).fit(data, labels)
    shifted = StochasticClassifier(Shifted(100.0), **settings).fit(data, labels)
    np.testing.assert_allclose(shifted.decision_function(data), plain.decision_function(data), atol=1e-6)


class Shifted(TransformerMixin, BaseEstimator):
    """The data as features, plus a constant."""

    def __init__(self, by=0.0):
        self.by = by

    def fit(self, X, y=None):
        return self

    def transform_blocks(self, X):
        for start in range(0, len(X), 100):
            yield X[start : start + 100] + self.by


class Sparse(Shifted):
    def transform_blocks(self, X):
        for block in super().transform_blocks(X):
            yield sparse.csr_array(block)


def test_sparse_features():
    data, labels = subset(4)
    model = StochasticClassifier(Sparse(), alpha=1e-2, epochs=60, batch_size=16).fit(data, labels)
    best = objective(exact(data, labels, "logistic", 1e-2), data, labels, "logistic", 1e-2)
    assert objective(model, data, labels, "logistic", 1e-2) < 1.02 * best


class Spy(RandomFourier):
    """Counts rows of blocks; the whole feature matrix must not be asked for."""

    most, seen = 0, 0

    def transform(self, X):
        raise AssertionError("the feature matrix was formed")

    def transform_blocks(self, X, block_rows=None, scaled=True):
        for block in super().transform_blocks(X, 64, scaled):
            Spy.most, Spy.seen = max(Spy.most, block.shape[0]), Spy.seen + block.shape[0]
            yield block


def test_memory_is_weights_and_a_block():
    m, data = 4000, np.tile(X, (3, 1))
    labels = np.tile(y, 3) % 2
    model = StochasticClassifier(Spy(m), epochs=1)
    tracemalloc.start()
    try:
        model.fit(data, labels).predict(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert Spy.most == 64
    assert Spy.seen == 2 * len(data) + 256
    # The feature matrix would be 86 MB and a Gram matrix 64 MB; the input, copied in a new order, is 2.8 MB.
    assert peak < 15e6


@every_loss
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_device_and_container(loss, kind, fake_gpu):
    data, labels = subset(4)
    settings = {"loss": loss, "epochs": 3, "batch_size": 30}
    here = StochasticClassifier(RandomFourier(50, dtype="float64", device="cpu"), **settings).fit(data, labels)
    there = StochasticClassifier(RandomFourier(50, dtype="float64", device="cuda"), **settings)
    there.fit(kind(data), labels)
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=0, atol=1e-10)
    np.testing.assert_allclose(there.decision_function(kind(data)), here.decision_function(data), atol=1e-10)
    state = there._descent.squares  # noqa: SLF001 – partial_fit goes on from it, and it is stored with the model
    assert all(isinstance(part, np.ndarray) for part in (there.coef_, there.intercept_, *state))
    for model in (here, there):
        model.partial_fit(data[:100], labels[:100])
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=0, atol=1e-10)


@pytest.mark.parametrize("block_rows", [7, 64, 1000])
def test_batches_do_not_depend_on_blocks(block_rows, monkeypatch):
    data, labels = subset(4)
    model = StochasticClassifier(RandomFourier(50, dtype="float64"), batch_size=50, epochs=3)
    expected = model.fit(data, labels).coef_
    blocks = RandomFourier.transform_blocks
    monkeypatch.setattr(RandomFourier, "transform_blocks", lambda self, X: blocks(self, X, block_rows))
    monkeypatch.setattr("rfviz.linear_model.descent._CHUNK_BYTES", 100_000)
    np.testing.assert_allclose(model.fit(data, labels).coef_, expected, rtol=0, atol=1e-12)


def test_random_state():
    data, labels = subset(4)
    coefs = [StochasticClassifier(FEATURES, random_state=seed).fit(data, labels).coef_ for seed in (0, 0, 1)]
    np.testing.assert_array_equal(coefs[0], coefs[1])
    assert not np.allclose(coefs[0], coefs[2])


@every_task
def test_labels_as_text(n_classes):
    data, labels = subset(n_classes)
    words = np.array(["zero", "one", "two", "three"])[labels]
    model = StochasticClassifier(FEATURES, epochs=20, batch_size=16).fit(data, words)
    assert set(model.predict(data)) <= set(words) and model.score(data, words) > 0.95
    share = model.predict_proba(data)
    np.testing.assert_allclose(share.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[share.argmax(axis=1)], model.predict(data))


def test_partial_fit_streams():
    data, labels = subset(4)
    model = StochasticClassifier(FEATURES, batch_size=50)
    with pytest.raises(ParameterError, match="classes must be passed on the first call"):
        model.partial_fit(data, labels)
    for start in range(0, len(data), 100):
        model.partial_fit(data[start : start + 100], labels[start : start + 100], classes=[3, 2, 1, 0])
    assert len(model.loss_curve_) == 4 and model.score(data, labels) > 0.8
    # Cut where batches end, the rest of the stream may come at once.
    whole = StochasticClassifier(FEATURES, batch_size=50)
    whole.partial_fit(data[:100], labels[:100], range(4)).partial_fit(data[100:], labels[100:])
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=0, atol=1e-12)
    again = pickle.loads(pickle.dumps(model)).partial_fit(data, labels)
    np.testing.assert_array_equal(again.coef_, model.partial_fit(data, labels).coef_)


def test_partial_fit_one_row_at_first():
    data, labels = subset(2)
    model = StochasticClassifier(FEATURES).partial_fit(data[:1], labels[:1], classes=[0, 1])
    assert np.isfinite(model.coef_).all()


def test_partial_fit_refuses_other_labels():
    data, labels = subset(3)
    model = StochasticClassifier(FEATURES).partial_fit(data, labels, classes=[0, 1, 2])
    with pytest.raises(DataError, match="y holds 7, which is not among the 3 classes"):
        model.partial_fit(data[:2], [0, 7])
    with pytest.raises(DataError, match="not what the first call said"):
        model.partial_fit(data, labels, classes=[0, 1])


@pytest.mark.parametrize(
    ("target", "message"),
    [(np.zeros(30), "at least two classes"), (np.linspace(0, 1, 30), "Unknown label type")],
)
def test_targets_that_are_no_classes(target, message):
    with pytest.raises(DataError, match=message):
        StochasticClassifier(FEATURES).fit(X[:30], target)


@pytest.mark.parametrize(
    "bad",
    [
        {"loss": "squared"},
        {"alpha": -1.0},
        {"epochs": 0},
        {"batch_size": 0},
        {"learning_rate": 0.0},
        {"learning_rate": "fast"},
        {"optimizer": "adam"},
        {"average": "yes"},
        {"feature_map": LogisticRegression()},
    ],
)
def test_parameters_that_break_their_rule(bad):
    with pytest.raises(ParameterError, match=next(iter(bad))):
        StochasticClassifier(**{"feature_map": FEATURES, **bad}).fit(X, y)


def test_progress_reports_and_stops():
    seen = []
    model = StochasticClassifier(FEATURES, epochs=3).fit(X, y, progress=lambda share, text: seen.append((share, text)))
    shares = [share for share, _ in seen]
    assert shares == sorted(shares) and shares[-1] == 1 and seen[-1][1].startswith("Epoch 3 of 3, loss ")

    def stop(share, text):
        raise KeyboardInterrupt

    before = model.coef_.copy()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y, progress=stop)
    np.testing.assert_array_equal(model.coef_, before)


def test_hinge_has_no_probabilities():
    assert not hasattr(StochasticClassifier(FEATURES, "hinge"), "predict_proba")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_divergence_is_an_error():
    with pytest.raises(ParameterError, match="learning_rate must keep the loss finite"):
        StochasticClassifier(FEATURES, "hinge", optimizer="sgd", learning_rate=1e300, alpha=1.0).fit(X, y)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_features_that_overflow():
    with pytest.raises(DataError, match="in float32 would overflow"):
        StochasticClassifier(RandomProjection(20)).fit(1e38 * X.astype(np.float32), y)


def test_weights_that_do_not_fit(monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "1e-4")
    with pytest.raises(MemoryBudgetError, match="largest number of features that fits is about 208"):
        StochasticClassifier(RandomFourier(300, dtype="float64")).fit(X, y)
