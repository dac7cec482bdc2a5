"""Learning curves: against scikit-learn, their sentences where they are true and where they are not, bad input."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

from rfviz import datasets
from rfviz.cache import Cache
from rfviz.datasets import Dataset
from rfviz.errors import DataError, ParameterError
from rfviz.experiments import LearningCurve, as_data
from rfviz.experiments.learning_curve.compute import Population, feature_grid, learn, scaling_law, spread_of_features
from rfviz.features import (
    CompositionalFeatures,
    MapSpec,
    RandomBinning,
    RandomConvolution,
    RandomFourier,
    RandomMaxout,
    RandomReLU,
)

FOURIER = MapSpec(RandomFourier, gamma=3.0)


def population(n=400, is_classification=True):
    g = np.random.default_rng(0)
    X = g.normal(size=(n, 12))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = X[:, 0] * X[:, 1] + 0.2 * X[:, 2]
    if not is_classification:
        return Population(X, ((y - y.mean()) / y.std())[:, None], None)
    codes = np.digitize(y, np.quantile(y, (0.3, 0.7)))
    return Population(X, np.eye(3)[codes], codes)


@pytest.mark.parametrize("is_classification", [False, True])
@pytest.mark.parametrize("cls", [RandomFourier, RandomBinning, RandomMaxout])
def test_errors_are_those_of_scikit_learn(cls, is_classification):
    people, n, grid, alpha = population(is_classification=is_classification), 50, (10, 40, 90), 0.01
    spec = MapSpec(cls)
    found = learn(people, spec, n, grid, alpha, 0.0, 3)
    order = np.random.default_rng([3, n]).permutation(len(people.X))
    fitted = spec.make(n_components=90, random_state=3, dtype="float64").fit(people.X)
    X, Y = people.X[order], people.Y[order]
    variance = np.square(Y - Y.mean(axis=0)).sum(axis=1).mean()
    for place, m in enumerate(grid):
        H = fitted.prefix(m).transform(X)
        H = H.toarray() if hasattr(H, "toarray") else H
        size = np.square(H[:n] - H[:n].mean(axis=0)).sum(axis=1).mean()
        scores = Ridge(alpha * size, solver="svd").fit(H[:n], Y[:n]).predict(H).reshape(Y.shape)
        errors = np.square(scores - Y).sum(axis=1) / variance
        assert found.test[place] == pytest.approx(errors[n:].mean(), rel=1e-6)
        assert found.train[place] == pytest.approx(errors[:n].mean(), rel=1e-6)
        if is_classification:
            assert found.wrong[place] == pytest.approx(np.mean(scores[n:].argmax(axis=1) != people.codes[order][n:]))
        assert is_classification or np.isnan(found.wrong[place])


def test_the_best_penalty_is_that_of_the_least_leave_one_out_error():
    people, n = population(is_classification=False), 30
    found = learn(people, FOURIER, n, (20,), None, 0.3, 1)
    generator = np.random.default_rng([1, n])
    order = generator.permutation(len(people.X))
    Y = people.Y + np.sqrt(0.3 * people.variance) * generator.normal(size=people.Y.shape)
    H = FOURIER.make(n_components=20, random_state=1, dtype="float64").fit(people.X).transform(people.X[order[:n]])
    T, size = Y[order[:n]], np.square(H - H.mean(axis=0)).sum(axis=1).mean()

    def left_out(alpha):
        parts = [np.delete(np.arange(n), row) for row in range(n)]
        return np.mean(
            [
                (Ridge(alpha * size, solver="svd").fit(H[part], T[part]).predict(H[row : row + 1]) - T[row]) ** 2
                for row, part in enumerate(parts)
            ]
        )

    best = left_out(found.alpha[0])
    # Refits have means of their own; the shortcut keeps those of all rows.
    assert best <= 1.05 * min(
        left_out(alpha) for alpha in found.alpha[0] * np.array([0.01, 0.1, 0.4, 2.5, 10.0, 100.0])
    )


def test_the_grid_is_closer_around_n_and_ends_at_the_largest():
    grid = feature_grid(200, 2000)
    assert 200 in grid and grid[-1] == 2000 and np.all(np.diff(grid) > 0)
    assert sum(140 <= m <= 300 for m in grid) >= 9


@pytest.fixture(scope="module")
def cache():
    return Cache()


ALL = datasets.load("digits")
# The kernel of a third of the rows has its eigenvalues in a twentieth of the time.
DIGITS = replace(ALL, X=ALL.X[:600], y=ALL.y[:600])


def curve(cache, data=DIGITS, **settings):
    return LearningCurve(**{"feature_map": FOURIER, "n": 60, "draws": 3} | settings).run(data, cache=cache)


def test_the_error_explodes_where_features_are_as_many_as_rows(cache):
    result = curve(cache)
    assert result.numbers.m_grid[result.numbers.test.mean(axis=0).argmax()] == 60
    assert "largest at m = 60 (" in result.summary()
    assert "With m = n = 60 the features just fit every row" in result.chart().words


def test_the_best_penalty_takes_the_peak_away_and_the_sentence_with_it(cache):
    result = curve(cache, tuned=True)
    error = result.numbers.test.mean(axis=0)
    assert error.max() < 1.2 and "explodes" not in result.chart().words
    assert "With the best penalty for each m there is no peak at m = n." in result.chart().words
    assert f"to {error[-1]:.2f} at m = 600" in result.summary()


def test_a_large_penalty_has_no_peak_and_no_word_of_one(cache):
    words = curve(cache, alpha=1.0).chart().words
    assert "peak" not in words and "explodes" not in words


def test_the_prediction_is_known_without_a_feature(cache, monkeypatch):
    experiment = LearningCurve(feature_map=FOURIER, n=60)
    measured = experiment.run(DIGITS, cache=cache).numbers
    monkeypatch.setattr(RandomFourier, "transform_blocks", None)
    predicted = experiment.predict(as_data(DIGITS), Cache())
    np.testing.assert_array_equal(predicted.test, measured.prediction.test)
    away = np.abs(np.log(measured.m_grid / 60)) > 0.3
    frame = measured.to_frame()[away]
    assert (frame["test error"] / frame["predicted test error"] - 1).abs().max() < 0.15


def test_how_many_features_are_enough_is_said_with_both_numbers(cache):
    result = curve(cache, tuned=True, noise=0.2)
    m, error = result.numbers.m_grid, result.numbers.test.mean(axis=0)
    found = result.numbers.features_needed()
    assert np.all(error[m >= found] <= 1.05 * result.numbers.exact)
    assert error[m < found][-1] > 1.05 * result.numbers.exact
    said = f"Predicted: m = {result.numbers.prediction.needed:,} comes within 5% of the exact kernel’s squared error"
    assert said in result.chart().words and f"measured: {found:,}." in result.chart().words
    assert curve(cache, alpha=1e-8).numbers.features_needed(within=1e-6) is None
    assert "measured: more than 600." in curve(cache, alpha=1e-8).chart().words


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"feature_map": RandomReLU()}, "some features vary far more than others"),
        ({"feature_map": RandomMaxout(pool_size=4), "normalise": "standardise"}, "some rows are far longer"),
        ({}, "the rows lie in a cone (mean cosine 0.70)"),
        ({"data": "moons", "normalise": "standardise"}, "eigenvalues fall so fast"),
        ({"data": "moons", "normalise": "standardise"}, "there are only 400 rows to predict from"),
    ],
)
def test_it_is_said_where_the_line_may_be_off(cache, settings, words):
    assert words in curve(cache, **settings).chart().words


def test_nothing_is_said_against_a_line_that_can_be_trusted(cache):
    g = np.random.default_rng(2)
    X = g.normal(size=(1000, 60)).astype(np.float32)
    data = Dataset("many directions", X, X[:, 0] * X[:, 1] + X[:, 2])
    words = curve(cache, data, feature_map=MapSpec(RandomFourier, gamma=3.0), alpha=0.1).chart().words
    assert "may be off" not in words


def test_a_kernel_without_a_closed_form_leaves_the_measured_curve():
    convolution = MapSpec(RandomConvolution, image_shape=(8, 8))
    result = LearningCurve(feature_map=convolution, n=20, draws=1).run(ALL)
    assert result.numbers.prediction is None and result.numbers.features_needed() is None
    assert list(result.charts) == ["learning-curve"] and "Only the measured curve" in result.chart().words
    with pytest.raises(ParameterError, match="must have a kernel with a closed form"):
        result.features_needed()
    assert "predicted test error" not in result.to_frame()


def test_the_map_of_rows_and_features_has_its_ridge_on_the_diagonal(cache):
    frame = curve(cache, noise=0.5).to_frame("rows-and-features")
    wide = frame.pivot_table(index="n", columns="m", values="predicted test error")
    rows = [n for n in wide.index if 20 <= n <= 300]
    assert rows and all(abs(np.log(wide.loc[n].idxmax() / n)) < 0.12 for n in rows)


def test_estimates_have_as_many_eigenvalues_as_features(cache):
    frame = curve(cache).to_frame("spectrum")
    counts = frame["spectrum"].value_counts()
    assert counts["m = 15"] == 15 and counts["exact kernel"] == 59 == counts["m = 240"]
    exact, many = (frame[frame["spectrum"] == name]["eigenvalue"].to_numpy() for name in ("exact kernel", "m = 240"))
    assert np.abs(many[:5] / exact[:5] - 1).max() < 0.5


def test_noisy_labels_raise_the_peak(cache):
    clean, noisy = (curve(cache, noise=noise, draws=8).numbers.test.mean(axis=0).max() for noise in (0.0, 0.5))
    assert noisy > clean


@pytest.mark.parametrize(
    ("data", "settings", "words"),
    [
        (np.random.default_rng(0).normal(size=(50, 3)), {}, "needs labels, and .* has none. Choose a data set"),
        (Dataset("one", np.eye(40, dtype=np.float32), np.zeros(40, dtype=int), ("a",)), {}, "of the class “a”"),
        (Dataset("flat", np.eye(40, dtype=np.float32), np.ones(40)), {}, "same in all rows"),
    ],
)
def test_what_cannot_be_learnt_is_refused(data, settings, words):
    with pytest.raises(DataError, match=words):
        LearningCurve(feature_map=FOURIER, n=20, **settings).run(data)


def test_more_rows_than_there_are_and_settings_out_of_range_are_refused():
    small = datasets.load("moons", n_samples=60)
    with pytest.raises(ParameterError, match="n must be at least 2 and leave rows to test on; there are 60 rows"):
        LearningCurve(feature_map=FOURIER, n=60, normalise="none").run(small)
    for name, value in {"n": 5, "alpha": 0.0, "noise": 1.5, "draws": 0}.items():
        with pytest.raises(ParameterError, match=f"^{name} must"):
            LearningCurve(feature_map=FOURIER, **{name: value})


def test_rows_in_a_cone_and_features_alike_are_told_apart():
    people = population()
    spread = spread_of_features(people, FOURIER)
    assert spread.features > 0.9 and spread.rows > 0.95 and abs(spread.cosine) < 0.05
    cone = Population(people.X + 3.0, people.Y, people.codes)
    assert spread_of_features(cone, MapSpec(RandomReLU)).cosine > 0.9
    assert spread_of_features(cone, MapSpec(RandomReLU)).features < 0.6


def test_rows_that_are_nearly_equal_are_told_and_break_the_prediction():
    g = np.random.default_rng(0)
    X, y = g.normal(size=(600, 15)), g.integers(2, size=600)
    near = np.concatenate([X[:300], X[:300] + 1e-3 * g.normal(size=(300, 15))])
    for rows, is_near in ((X, False), (near, True)):
        data = Dataset("rows", rows, y, ("a", "b"))
        found = LearningCurve(feature_map=MapSpec(RandomFourier, gamma=1.0), n=60, draws=6).run(data)
        assert ("some rows are nearly equal (1% have another within 0." in found.chart().words) == is_near
        measured, predicted = found.numbers.test[:, -1].mean(), found.numbers.prediction.test[-1]
        assert (measured > 3.0 * predicted) if is_near else (0.8 < measured / predicted < 1.25)


def test_a_data_frame_is_taken_as_elsewhere():
    g = np.random.default_rng(3)
    frame = pd.DataFrame(g.normal(size=(80, 4)), columns=list("abcd")).assign(y=lambda d: d.a * d.b)
    data = datasets.from_frame(frame, label="y")
    result = LearningCurve(feature_map=MapSpec(RandomFourier), n=20, draws=1, normalise="none").run(data)
    assert result.numbers.n_rows == 80 and not result.numbers.is_classification


def test_a_map_for_images_needs_their_shape():
    result = LearningCurve(feature_map=CompositionalFeatures(skeleton="flat", image_shape=(8, 8)), n=20, draws=1).run(
        DIGITS
    )
    assert result.numbers.m_grid[-1] == 200


@pytest.mark.parametrize("exponent", [0.3, 1.0, 2.0])
def test_a_power_law_is_read_off_where_it_holds(exponent):
    m = np.array(feature_grid(1000, 10_000))
    g = np.random.default_rng(0)
    error = m**-exponent * np.exp(0.02 * g.normal(size=len(m)))
    found = scaling_law(m, error)
    assert found.exponent == pytest.approx(exponent, abs=0.02) and (found.low, found.high) == (2, 10_000)
    broken = np.where(m <= 300, error, error[m <= 300][-1])  # a floor from there on
    found = scaling_law(m, broken)
    assert found.exponent == pytest.approx(exponent, rel=0.1) and 2 <= found.low <= 4 and 250 < found.high < 700


def test_no_power_law_is_read_off_where_there_is_none():
    m = np.array(feature_grid(1000, 10_000))
    assert scaling_law(m, np.exp(-m / 300.0) + 1e-9) is None
    assert scaling_law(m, np.full(len(m), 0.4)) is None
    assert scaling_law(m, 0.4 * m**-0.03) is None  # too flat to speak of
    assert scaling_law(m, m**0.5) is None
    few = np.array(feature_grid(5, 50))
    assert scaling_law(few, np.exp(-0.15 * np.log(few) ** 2)) is None  # bent over every decade
    assert scaling_law(np.arange(1, 9), 1.0 / np.arange(1, 9)) is None  # less than a decade


@pytest.mark.slow
@pytest.mark.parametrize(("slopes", "exponent"), [({}, 1.0), ({"slope": 1.5, "target_slope": 3.0}, 1.5)])
def test_waves_follow_their_scaling_law(slopes, exponent):
    # The exponent holds for many rows and frequencies: within a quarter of 500 rows and up to a third as many features.
    data = datasets.load("power_law", n_samples=2000, frequencies=500, **slopes)
    settings = {"normalise": "none", "n": 500, "draws": 3}
    result = LearningCurve(feature_map=RandomMaxout(pool_size=1), **settings).run(data)
    found = result.numbers.law
    assert found.exponent == pytest.approx(exponent, rel=0.25) and found.high < 500
    assert result.numbers.predicted_exponent == pytest.approx(found.exponent, rel=0.2)
    said = f"From m = {found.low} to {found.high} the error falls as m^−{found.exponent:.2f} (predicted: m^−"
    assert said in result.chart().words


def test_no_law_is_told_of_a_curve_with_a_peak(cache):
    result = curve(cache, n=50, draws=2)
    assert result.numbers.law is None and "falls as" not in result.chart().words


@pytest.mark.slow
def test_features_needed_are_predicted_for_any_share(cache):
    experiment = LearningCurve(feature_map=RandomFourier(gamma=3.0), n=50, draws=1, tuned=True, noise=0.2)
    result = experiment.run("digits", cache=cache)
    assert result.features_needed() == result.numbers.prediction.needed
    assert result.features_needed(0.5) < result.features_needed(0.05) < result.features_needed(0.02)
    m, found = result.features_needed(0.2), result.numbers.prediction
    near = np.interp(np.log([0.9 * m, 1.1 * m]), np.log(found.m_grid), found.test)
    assert near[0] > 1.2 * found.exact > near[1]
    with pytest.raises(ParameterError, match="within must be a positive share"):
        result.features_needed(-1.0)
