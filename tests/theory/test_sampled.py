"""What a sample of rows predicts: its own leave-one-out errors, its population's curve, and measured digits."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.splits import make_split
from rfviz.errors import DataError, ParameterError
from rfviz.features import RandomFourier, RandomMaxout, RandomProjection
from rfviz.linear_model import RidgePathClassifier
from rfviz.theory import KernelSpectrum, best_penalty, predicted_error, sampled_curve

K = 300
EIGENVALUES, POWER = np.arange(1, K + 1.0) ** -1.5, np.arange(1, K + 1.0) ** -2.0
NOISE = 0.05
SPECTRUM = KernelSpectrum(EIGENVALUES, POWER, NOISE, 10**9, is_centred=False)


def drawn(n, seed):
    """Draw rows of the model: their kernel matrix and their targets."""
    g = np.random.default_rng(seed)
    X = g.normal(size=(n, K))
    return (X * EIGENVALUES) @ X.T, X @ np.sqrt(POWER) + np.sqrt(NOISE) * g.normal(size=n)


def test_with_the_exact_kernel_the_errors_are_those_of_leaving_out_each_row():
    Kx, y = drawn(40, 0)
    Kx, y = Kx + 3.0, y * np.exp(0.5 * y) + 7.0  # neither centred nor alike
    curve, alphas = sampled_curve(Kx, y), np.array([1e-4, 0.03, 0.5, 5.0])
    found = curve.predict(40, np.inf, alphas).test
    for alpha, error in zip(alphas, found, strict=True):
        left = []
        for i in range(40):
            rest = np.delete(np.arange(40), i)
            centre = np.eye(39) - 1 / 39
            k = centre @ (Kx[rest, i] - Kx[np.ix_(rest, rest)].mean(axis=1))
            a = np.linalg.solve(centre @ Kx[np.ix_(rest, rest)] @ centre + alpha * np.eye(39), y[rest] - y[rest].mean())
            left.append((y[i] - y[rest].mean() - k @ a) ** 2)
        assert error == pytest.approx(np.mean(left) / y.var(), rel=0.02)


@pytest.mark.parametrize("n", [60, 200, 600])
def test_a_sample_knows_the_curve_of_its_population(n):
    """Fewer rows than the sample, as many, and more: the mean over samples is the curve of the known spectrum."""
    m = np.array([5, 20, 40, 100, 400])
    curves = [sampled_curve(*drawn(200, seed)) for seed in range(12)]
    for predict, known in (
        (lambda curve: curve.predict(n, m).test, best_penalty(SPECTRUM, n, m)[1].test),
        (lambda curve: curve.predict(n, m, 0.3).test, predicted_error(SPECTRUM, n, m, 0.3).test),
    ):
        found = np.array([predict(curve) for curve in curves])
        error = found.std(axis=0, ddof=1) / np.sqrt(len(curves))
        apart = np.abs(found.mean(axis=0) - known / SPECTRUM.variance)
        assert np.all(apart < 0.04 * known / SPECTRUM.variance + 4.0 * error)


@pytest.mark.slow
@pytest.mark.parametrize("feature_map", [RandomFourier(), RandomMaxout(pool_size=4)])
def test_digits_are_met(feature_map):
    """Three quarters of the rows are trained on, which the spectrum of all rows taken for the population misses."""
    split = make_split(datasets.load("digits"), "none")
    Y = np.where(np.eye(10)[split.y_train], 1.0, -1.0)
    truth = np.where(np.eye(10)[split.y_test], 1.0, -1.0)
    m = [40, 150, 600]
    measured = []
    for seed in range(3):
        drawn = type(feature_map)(**feature_map.get_params() | {"n_components": m[-1], "random_state": seed})
        path = RidgePathClassifier(drawn, m_grid=m).fit(split.X_train, split.y_train)
        measured.append([np.square(scores - truth).sum(axis=1).mean() for scores in path.decision_path(split.X_test)])
    base = np.square(truth - Y.mean(axis=0)).sum(axis=1).mean()
    kernel = feature_map.fit(split.X_train).kernel(split.X_train)
    found = sampled_curve(kernel, Y).predict(len(Y), m).test
    np.testing.assert_allclose(found, np.mean(measured, axis=0) / base, rtol=0.09)


def test_enough_features_are_within_the_share_and_one_fewer_is_not():
    curve = sampled_curve(*drawn(200, 0))
    m = curve.features_needed(200)
    before, at, exact = curve.predict(200, [m - 1, m, np.inf]).test
    assert at <= 1.05 * exact < before
    assert curve.features_needed(200, within=0.5) < m
    with pytest.raises(ParameterError, match="within must be a positive share"):
        curve.features_needed(200, within=0.0)


def test_a_small_sample_does_not_claim_to_know_the_kernel_of_many_rows():
    g = np.random.default_rng(0)
    X, w = g.normal(size=(150, 2)), g.normal(size=(2, 40))
    y = np.cos(3.0 * X @ w).sum(axis=1)  # needs far more directions than 150 rows show
    rough = sampled_curve(RandomFourier(gamma=5.0).fit(X).kernel(X), y)
    assert rough.knows_exact(150) and not rough.knows_exact(100_000) and rough.features_needed(100_000) is None
    smooth = sampled_curve(RandomProjection().fit(X).kernel(X), X @ [1.0, 2.0] + g.normal(size=150))
    assert smooth.knows_exact(100_000) and smooth.features_needed(100_000) >= 2
    # What few features hold is known whatever the number of rows.
    assert rough.predict(100_000, 20).is_reliable or smooth.predict(100_000, 1).is_reliable
    assert not rough.predict(100_000, np.inf).is_reliable


@pytest.mark.parametrize(
    ("settings", "message"),
    [((1, 5), "n must be at least 2"), ((9, 0), "m must be at least 1"), ((9, 5, 0.0), "alpha must be a positive")],
)
def test_settings_out_of_range(settings, message):
    with pytest.raises(ParameterError, match=message):
        sampled_curve(*drawn(20, 0)).predict(*settings)


def test_a_constant_target_is_refused():
    with pytest.raises(DataError, match="same in all rows"):
        sampled_curve(np.eye(9), np.ones(9))
