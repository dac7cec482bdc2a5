"""Predicted learning curves against closed forms of their limits, against data drawn from the model, and on images."""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

from rfviz.errors import DataError, ParameterError
from rfviz.features import RandomFourier, RandomMaxout
from rfviz.theory import KernelSpectrum, best_penalty, features_needed, kernel_spectrum, predicted_error
from tests.datasets.conftest import REAL

K = 400
EIGENVALUES = np.arange(1, K + 1.0) ** -1.5
POWER = np.arange(1, K + 1.0) ** -2.0
SPECTRUM = KernelSpectrum(EIGENVALUES, POWER, 0.01, 10_000, is_centred=False)
FEATURES = np.array([10, 50, 90, 110, 200, 1000])


def test_infinitely_many_features_are_kernel_ridge_regression():
    n, alpha = 60, 0.3
    excess = lambda k: (EIGENVALUES / (EIGENVALUES + k)).sum() + alpha / k - n  # noqa: E731
    k = brentq(excess, 1e-9, 10.0, xtol=1e-15)
    q = np.square(EIGENVALUES / (EIGENVALUES + k)).sum()
    error = (np.sum(POWER * np.square(k / (EIGENVALUES + k))) + 0.01) / (1.0 - q / n)
    found = predicted_error(SPECTRUM, n, [np.inf, 1e9], alpha)
    np.testing.assert_allclose(found.test, error, rtol=1e-4)
    np.testing.assert_allclose(found.train, (alpha / (n * k)) ** 2 * error, rtol=2e-4)


def test_infinitely_many_rows_leave_what_the_features_cannot_hold():
    m = 20
    k = brentq(lambda k: (EIGENVALUES / (EIGENVALUES + k)).sum() - m, 1e-9, 10.0, xtol=1e-15)
    left = np.sum(POWER * k / (EIGENVALUES + k)) + 0.01
    np.testing.assert_allclose(predicted_error(SPECTRUM, 1e9, m, 1e-3).test, left, rtol=1e-4)


def test_an_infinite_penalty_leaves_the_mean():
    found = predicted_error(SPECTRUM, 100, FEATURES, 1e12)
    np.testing.assert_allclose(found.test, SPECTRUM.variance, rtol=1e-6)
    np.testing.assert_allclose(found.train, SPECTRUM.variance, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "noise"), [(1e-6, 0.0), (0.03, 0.0), (0.03, 0.2), (2.0, 0.2)])
def test_data_drawn_from_the_model_are_met(alpha, noise):
    n, n_draws = 100, 200
    test, train = np.zeros((2, len(FEATURES), n_draws))
    for draw in range(n_draws):
        g = np.random.default_rng(draw)
        X = g.normal(size=(2 * n, K))
        y = X @ np.sqrt(POWER) + np.sqrt(0.01 + noise) * g.normal(size=2 * n)
        for place, m in enumerate(FEATURES):
            H = (X * np.sqrt(EIGENVALUES)) @ g.normal(size=(K, m)) / np.sqrt(m)
            scores = H @ (H[:n].T @ np.linalg.solve(H[:n] @ H[:n].T + alpha * np.eye(n), y[:n]))
            errors = np.square(scores - y)
            test[place, draw], train[place, draw] = errors[n:].mean(), errors[:n].mean()
    found = predicted_error(SPECTRUM, n, FEATURES, alpha, noise=noise)
    for measured, predicted in ((test, found.test), (train, found.train)):
        error = measured.std(axis=1) / np.sqrt(n_draws)
        assert np.all(np.abs(measured.mean(axis=1) - predicted) < 0.02 * predicted + 4.0 * error + 1e-9)


def test_the_error_is_largest_where_features_are_as_many_as_rows():
    for n in (20, 30, 45, 60, 80, 100, 130, 160, 200, 240):
        m = np.arange(max(n - 15, 2), n + 16)
        peak = predicted_error(SPECTRUM, n, m, 1e-9, noise=1.0)
        assert m[peak.test.argmax()] == n
        assert best_penalty(SPECTRUM, n, m, noise=1.0)[1].test.max() < 0.5 * peak.test.max()


def test_with_the_best_penalty_more_features_are_never_worse():
    m = np.unique(np.geomspace(2, 100_000, 80).astype(int))
    alpha, found = best_penalty(SPECTRUM, 100, m, noise=0.1)
    assert np.all(np.diff(found.test) < 1e-4 * found.test[1:])
    for place in (10, 40, 70):
        error = lambda a, m=m[place]: float(predicted_error(SPECTRUM, 100, m, np.exp(a), noise=0.1).test)  # noqa: E731
        best = minimize_scalar(error, bounds=(np.log(alpha[place]) - 3, np.log(alpha[place]) + 3), method="bounded")
        assert found.test[place] == pytest.approx(best.fun, rel=1e-3)


@pytest.mark.parametrize("alpha", [None, 1e-6, 1.0])
def test_the_features_needed_are_the_first_that_stay_within_the_share(alpha):
    def error(m):
        if alpha is None:
            return best_penalty(SPECTRUM, 100, m)[1].test
        return predicted_error(SPECTRUM, 100, m, alpha).test

    m = features_needed(SPECTRUM, 100, alpha, within=0.1)
    limit = 1.1 * error(np.array([np.inf]))[0]
    assert error(np.array([m - 1]))[0] > limit >= error(np.geomspace(m, 1e6, 50)).max() * (1 - 1e-6)


def test_merged_levels_change_nothing_that_shows():
    alone = KernelSpectrum(EIGENVALUES[:40], POWER[:40], 0.0, 10_000)
    near = np.repeat(EIGENVALUES[:40], 5) * 1.001 ** np.tile([4, 3, 2, 1, 0], 40)
    twins = KernelSpectrum(near, np.repeat(POWER[:40] / 5, 5), 0.0, 10_000)
    assert len(alone.levels[0]) == 40 and len(twins.levels[0]) < 120
    values, counts, power = twins.levels
    assert counts.sum() == 200 and power.sum() == pytest.approx(twins.power.sum())
    assert (values * counts).sum() == pytest.approx(twins.trace)


def test_a_kernel_matrix_is_decomposed_and_its_mean_taken_away():
    g = np.random.default_rng(1)
    H, y = g.normal(size=(50, 6)) + 3.0, g.normal(size=50)
    found = kernel_spectrum(H @ H.T, y)
    covariance = np.cov(H.T, bias=True)
    np.testing.assert_allclose(found.eigenvalues, np.linalg.eigvalsh(covariance)[::-1], rtol=1e-9)
    assert found.variance == pytest.approx(y.var())
    fit = np.linalg.lstsq(np.column_stack([H, np.ones(50)]), y, rcond=None)[0]
    residual = y - np.column_stack([H, np.ones(50)]) @ fit
    assert found.rest == pytest.approx(np.mean(residual**2))
    free = np.trace(covariance @ np.linalg.inv(covariance + 0.5 * np.eye(6)))
    assert found.effective_dimension(0.5) == pytest.approx(free)
    assert len(kernel_spectrum(H @ H.T, y, is_centred=False).eigenvalues) == 6


def kernel_and_target(slope, along, n=900):
    """Return a kernel matrix with eigenvalues i^-slope in random directions, and a target of known power along them."""
    g = np.random.default_rng(7)
    basis = np.linalg.qr(g.normal(size=(n, n)) - np.eye(n)[:1])[0]
    values = np.arange(1, n + 1.0) ** -slope
    y = basis @ (np.sqrt(n * values**along) * g.choice([-1.0, 1.0], size=n))
    return (basis * values) @ basis.T * n, y


@pytest.mark.parametrize(("slope", "along"), [(1.1, 1.0), (1.5, 1.3), (2.5, 0.5)])
def test_a_sketch_predicts_what_all_eigenvalues_do(slope, along):
    K, y = kernel_and_target(slope, along)
    exact, sketch = kernel_spectrum(K, y), kernel_spectrum(K, y, top=150)
    assert sketch.trace == pytest.approx(exact.trace, rel=1e-6)
    assert sketch.variance == pytest.approx(exact.variance, rel=1e-6)
    m = np.array([20, 50, 90, 100, 110, 300, 2000, np.inf])
    for alpha in (1e-6, 0.1, 10.0):
        errors = [predicted_error(one, 100, m, alpha, from_population=True).test for one in (exact, sketch)]
        np.testing.assert_allclose(errors[1], errors[0], rtol=0.01)


def test_a_sketch_of_a_kernel_of_few_features_is_all_of_it():
    g = np.random.default_rng(1)
    H, y = g.normal(size=(120, 6)), g.normal(size=120)
    exact, sketch = kernel_spectrum(H @ H.T, y), kernel_spectrum(H @ H.T, y, top=20)
    np.testing.assert_allclose(sketch.eigenvalues, exact.eigenvalues, rtol=1e-9)
    assert sketch.rest == pytest.approx(exact.rest)
    all_of_it = kernel_spectrum(H @ H.T, y, top=120)
    np.testing.assert_array_equal(all_of_it.eigenvalues, exact.eigenvalues)
    with pytest.raises(DataError, match="negative eigenvalues"):
        kernel_spectrum(np.diag([-1.0, *np.full(79, 0.9)]), g.normal(size=80), is_centred=False, top=10)
    with pytest.raises(ParameterError, match="top must be at least 1"):
        kernel_spectrum(H @ H.T, y, top=0)


@pytest.mark.parametrize(
    ("matrix", "y", "words"),
    [
        (np.eye(3), [1.0, 1.0, 1.0], "same in all rows"),
        (np.ones((3, 3)), [0.0, 1.0, 2.0], "tells none of them apart"),
        (np.diag([1.0, 1.0, -1.0]), [0.0, 1.0, 2.0], "negative eigenvalues"),
        (np.full((3, 3), np.nan), [0.0, 1.0, 2.0], "finite"),
    ],
)
def test_what_is_no_kernel_or_no_target_is_refused(matrix, y, words):
    with pytest.raises(DataError, match=words):
        kernel_spectrum(matrix, np.array(y))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n": 1}, "n must be at least 2"),
        ({"m": 0}, "m must be at least 1"),
        ({"alpha": 0.0}, "alpha must be a positive number"),
        ({"alpha": np.inf}, "alpha must be a positive number"),
        ({"noise": -1.0}, "noise must not be negative"),
        ({"n": 10_000, "from_population": True}, "n must be at least 2 and below 10,000"),
    ],
)
def test_what_cannot_be_predicted_is_refused(changes, words):
    with pytest.raises(ParameterError, match=words):
        predicted_error(SPECTRUM, **{"n": 10, "m": 10, "alpha": 1.0} | changes)
    with pytest.raises(ParameterError, match="K must be square"):
        kernel_spectrum(np.eye(3), np.zeros(4))
    with pytest.raises(ParameterError, match="within must be a positive share"):
        features_needed(SPECTRUM, 10, within=0.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        lambda m, seed: RandomFourier(m, gamma=3.0, random_state=seed, dtype="float64"),
        lambda m, seed: RandomMaxout(m, pool_size=4, random_state=seed, dtype="float64"),
    ],
)
def test_the_prediction_meets_images_away_from_the_peak(make):
    if not (REAL / "mnist.npz").exists():
        pytest.skip(f"no real data in {REAL} (set RFVIZ_DATA)")
    data = np.load(REAL / "mnist.npz")
    N, n, draws = 1500, 150, 12
    X = data["X_train"][:N].reshape(N, -1) / 255.0
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    Y = np.eye(10)[data["y_train"][:N]]
    spectrum = kernel_spectrum(make(2, 0).fit(X).kernel(X), Y)
    m_grid, alphas = [40, 300, 1500], [1e-6, 0.1]
    errors = np.empty((draws, len(m_grid), len(alphas)))
    for draw in range(draws):
        order = np.random.default_rng(draw).permutation(N)
        for place, m in enumerate(m_grid):
            H = make(m, draw).fit(X[:2]).transform(X)[order]
            mean, answer = H[:n].mean(axis=0), Y[order[:n]].mean(axis=0)
            A, B, T = H[:n] - mean, H[n:] - mean, Y[order] - answer
            for which, alpha in enumerate(alphas):
                W = A.T @ np.linalg.solve(A @ A.T + alpha * np.eye(n), T[:n])
                errors[draw, place, which] = np.square(B @ W - T[n:]).sum(axis=1).mean()
    found = predicted_error(spectrum, n, np.array(m_grid)[:, None], alphas, from_population=True).test
    standard = errors.std(axis=0) / np.sqrt(draws)
    assert np.all(np.abs(errors.mean(axis=0) - found) < 0.05 * found + 3.0 * standard)
