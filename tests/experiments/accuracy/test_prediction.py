"""Squared errors of a sweep and those that exact kernels predict: numbers, lines, and what is said about both."""

import dataclasses

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.accuracy import run_segment
from rfviz.analysis.exact_kernel import ExactKernel, run_exact_kernel
from rfviz.analysis.splits import make_split
from rfviz.cache import Cache
from rfviz.datasets import Dataset
from rfviz.errors import DataError, ParameterError
from rfviz.experiments import Accuracy, as_data
from rfviz.experiments.accuracy import describe
from rfviz.experiments.accuracy.compute import AccuracyResult
from rfviz.experiments.accuracy.figures import plot_accuracy
from rfviz.experiments.accuracy.prediction import Prediction, Unpredicted, predict_sweep
from rfviz.experiments.candidate import Candidate
from rfviz.features import MapSpec, RandomBinning, RandomFourier, RandomProjection, RandomReLU

GRID = (10, 40, 160)


def table(n=240, classes=0, seed=0):
    g = np.random.default_rng(seed)
    X = g.normal(size=(n, 3)).astype(np.float32)
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * g.normal(size=n)
    if not classes:
        return Dataset("made", X, y=y)
    cut = np.quantile(y, np.linspace(0, 1, classes + 1)[1:-1])
    return Dataset("made", X, y=np.digitize(y, cut), target_names=tuple("abcdef"[:classes]))


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_squared_errors_are_those_of_the_codes(classes):
    """Against ridge regression by its normal equations; 1 is a model that always answers the mean."""
    split = make_split(table(classes=classes), "none")
    segment = run_segment(split, MapSpec(RandomProjection, random_state=0), [3], alphas=7.0)
    codes = lambda y: np.where(np.eye(classes)[y], 1.0, -1.0) if classes else y[:, None]  # noqa: E731
    H = RandomProjection(3, random_state=0).fit(split.X_train)
    A, B = (H.transform(X).astype(float) * np.sqrt(3) for X in (split.X_train, split.X_test))
    Y, T = codes(split.y_train), codes(split.y_test)
    C = A - A.mean(axis=0)
    W = np.linalg.solve(C.T @ C + 7.0 * np.eye(3), C.T @ (Y - Y.mean(axis=0)))
    scores = (B - A.mean(axis=0)) @ W + Y.mean(axis=0)
    expected = np.square(scores - T).sum() / np.square(T - Y.mean(axis=0)).sum()
    np.testing.assert_allclose(segment.squared, expected, rtol=1e-4)
    numbers = run_exact_kernel(split, MapSpec(RandomProjection))
    if not classes:
        error = np.square(split.y_test - split.y_train.mean()).mean()
        assert numbers.squared == pytest.approx(numbers.error**2 / error)
    assert 0 < numbers.squared < 1.2


def test_losses_that_fit_no_codes_have_no_squared_error():
    split = make_split(table(classes=2), "none")
    assert not len(run_segment(split, MapSpec(RandomProjection, random_state=0), [3], loss="logistic").squared)
    with pytest.raises(ParameterError, match="measure must be 'accuracy' unless loss='ridge'"):
        Accuracy(maps=[RandomFourier()], loss="logistic", measure="squared error")


@pytest.mark.parametrize(("classes", "alpha"), [(0, "auto"), (3, "auto"), (0, 5.0)])
def test_the_sweep_meets_the_prediction(classes, alpha):
    """Over six splits of one law: the mean error over splits and draws, within 10% and its own uncertainty."""
    measured, predicted = [], []
    for seed in range(6):
        split = make_split(table(800, classes, seed), "none", 0.5)
        spec = MapSpec(RandomFourier, gamma=0.5)
        measured.append([run_segment(split, spec.replace(random_state=s), GRID, alpha).squared for s in range(2)])
        found = predict_sweep(split, spec, alpha, GRID[-1])
        predicted.append(np.interp(GRID, found.m_grid, found.test))
    mean = np.mean(measured, axis=(0, 1))
    error = np.std(np.mean(measured, axis=1), axis=0, ddof=1) / np.sqrt(6)
    assert np.all(np.abs(np.mean(predicted, axis=0) - mean) < 0.1 * mean + 3.0 * error)


def test_the_prediction_comes_first_and_the_sweep_joins_it():
    experiment = Accuracy(
        maps=[RandomFourier(gamma=0.5)], m_max=60, seeds=1, exact=True, baselines=["knn"], measure="squared error"
    )
    results, data, cache = [], as_data(table()), Cache()
    results.extend(experiment.parts(data, cache=cache))
    before, after = results[0], results[-1]
    assert before.numbers.is_empty and before.to_frame()["map"].unique().tolist() == ["Random Fourier, predicted"]
    assert before.summary().startswith("Squared error against") and "is predicted to reach" in before.summary()
    assert "measured:" not in before.chart().words and "measured:" in after.chart().words
    assert "Predicted: m = " in before.chart().words
    # Other methods have no squared error of codes.
    assert after.to_frame()["map"].unique().tolist() == [
        "Random Fourier",
        "Random Fourier, predicted",
        "Random Fourier, exact kernel",
    ]
    same = dataclasses.replace(experiment, measure="accuracy").work(data, cache)
    assert not same.missing(), "both measures have one sweep"


def result_of(
    test, measured, exact=0.10, *, needed=640, complete=True, alike=1.0, reliable=True, rows=(90, 90), more=0
):
    """Return a planted sweep: predicted and measured squared errors at some m, and the exact kernel's."""
    m = np.array([100, 300, 700, 1000])
    split = make_split(table(120), "none")
    (segment,) = [run_segment(split, MapSpec(RandomProjection, random_state=0), [3], alphas=1.0)]
    segments = [
        dataclasses.replace(segment, m_grid=m[i : i + 1], squared=np.array([value])) for i, value in enumerate(measured)
    ]
    known = Prediction(m, np.array(test), np.full(4, reliable), needed, needed is not None, *rows, alike)
    candidates = tuple(Candidate(name, MapSpec(RandomFourier)) for name in ("Waves", *["More"] * more))
    return AccuracyResult(
        split,
        candidates,
        "ridge",
        {"Waves": [segments], "More": [[]]},
        {},
        is_complete=complete,
        exact={} if exact is None else {"Waves": ExactKernel(0.5, 1.0, 1.0, 1, exact)},
        measure="squared error",
        predicted={"Waves": known} | ({"More": Unpredicted("It has no closed form.")} if more else {}),
    )


LINE = [0.4, 0.2, 0.105, 0.101]


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (
            result_of(LINE, [0.4, 0.2, 0.104, 0.102]),
            "Predicted: m = 640 comes within 5% of the exact kernel’s squared error; measured: 700.",
        ),
        (result_of(LINE, [0.4, 0.2, 0.12, 0.11]), "squared error; measured: more than 1,000."),
        # Below at 700 and above again at 1,000.
        (result_of(LINE, [0.4, 0.2, 0.104, 0.11]), "squared error; measured: more than 1,000."),
        (result_of(LINE, [0.1, 0.1, 0.1, 0.1]), "squared error; measured: 100."),
        (result_of(LINE, [0.4, 0.2, 0.104], complete=False), "m = 640 comes within 5% of the exact kernel’s squared"),
        (result_of(LINE, [0.4, 0.2, 0.104, 0.102], needed=15_138), "Predicted: m = 15,100 comes"),
        # Where the line is dotted, its number is as doubtful.
        (result_of(LINE, [0.4, 0.2, 0.104, 0.102], reliable=False), "Predicted: m = 640 (doubtful) comes within 5%"),
        (result_of(LINE, [0.4, 0.2, 0.104, 0.102], alike=0.5), "Predicted: m = 640 (doubtful) comes within 5%"),
    ],
)
def test_how_many_features_are_needed_is_predicted_and_measured(result, said):
    words = describe.explanation(result)
    assert said in words and ("measured: " in words) == result.is_complete


def test_what_is_not_known_is_not_said():
    for result in (result_of(LINE, LINE, exact=None), result_of(LINE, [])):
        assert "Predicted: m = 640" in describe.explanation(result) and "measured:" not in describe.explanation(result)
    assert "Predicted:" not in describe.explanation(result_of(LINE, LINE, needed=None))  # a fixed penalty
    accuracy = dataclasses.replace(result_of(LINE, LINE), measure="accuracy")
    assert "redicted" not in describe.explanation(accuracy) and accuracy.curves()[0].prediction is None


def test_how_far_the_sweep_is_from_the_line():
    said = describe.explanation(result_of(LINE, [0.4, 0.24, 0.105, 0.101]))
    assert "The measured errors are within 20% of the line, farthest at m = 300 (above)." in said
    said = describe.explanation(result_of(LINE, [0.28, 0.2, 0.105, 0.101]))
    assert "within 30% of the line, farthest at m = 100 (below)." in said
    assert "are within 1% of the line." in describe.explanation(result_of(LINE, [0.401, *LINE[1:]]))


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"alike": 0.54}, "some features vary far more than others (participation 0.54)."),
        ({"reliable": False}, "eigenvalues fall so fast that single draws decide."),
        ({"reliable": False, "rows": (60_000, 2000)}, "2,000 rows tell too little about 60,000."),
        ({}, ""),
    ],
)
def test_a_line_that_is_not_to_be_trusted_is_dotted_and_says_why(settings, why):
    result = result_of(LINE, LINE, **settings)
    said = describe.explanation(result)
    assert ("may be off by a quarter and more" in said) == bool(why) and why in said
    drawn = [t for t in plot_accuracy(result.curves(), {}).data if t.name == "Waves, predicted"]
    assert [t.line.dash for t in drawn] == ["dot" if why else "solid"]
    n, sampled = settings.get("rows", (90, 90))
    assert f"exact kernel of {'2,000 of the 60,000' if n != sampled else '90'} training rows" in said


def test_a_map_without_prediction_is_only_measured():
    said = describe.explanation(result_of(LINE, LINE, more=1))
    assert "**Waves.** Predicted: m = 640" in said
    assert "**More.** Only the measured curve can be drawn. It has no closed form." in said


def test_measured_points_stand_beside_the_predicted_line():
    (dots, line, *_) = plot_accuracy(result_of(LINE, LINE).curves(), {}).data
    assert (dots.mode, dots.name, line.mode, line.name) == ("markers", "Waves", "lines", "Waves, predicted")
    np.testing.assert_array_equal(line.y, LINE)
    before = plot_accuracy(result_of(LINE, []).curves(), {})
    low, high = before.layout.yaxis.range
    assert low < np.log10(min(LINE)) < np.log10(max(LINE)) < high


def test_what_cannot_be_predicted_says_why():
    split = make_split(table(classes=2), "none")
    found = predict_sweep(split, MapSpec(RandomBinning), "auto", 50)
    assert isinstance(found, Unpredicted) and "several columns for each of its m repetitions" in found.reason
    same = dataclasses.replace(split, X_train=np.ones_like(split.X_train))
    assert "tells none of them apart" in predict_sweep(same, MapSpec(RandomFourier, gamma=1.0), "auto", 50).reason


def test_features_that_are_unlike_are_told():
    """ReLU units of rows in a cone are nearly linear or nearly zero; of centred rows they are not."""
    g = np.random.default_rng(0)
    data = table()
    cone = dataclasses.replace(data, X=np.abs(g.normal(size=(240, 30)).astype(np.float32)) + 1.0)
    found = [predict_sweep(make_split(d, "standardise"), MapSpec(RandomReLU), "auto", 50).alike for d in (data, cone)]
    assert found[1] > 0.6
    assert not predict_sweep(make_split(cone, "none"), MapSpec(RandomReLU), "auto", 50).is_sure.any()


def test_one_class_is_one_sentence():
    with pytest.raises(DataError, match="at least two classes"):
        Accuracy(maps=[RandomFourier()], measure="squared error").run(
            Dataset("made", np.ones((30, 2), np.float32), y=np.zeros(30, int), target_names=("a",))
        )


@pytest.mark.slow
def test_more_rows_than_the_kernel_takes_are_sampled():
    data = datasets.load("moons", n_samples=4000)
    found = predict_sweep(make_split(data, "none"), MapSpec(RandomFourier), "auto", 100)
    assert (found.n_rows, found.n_sampled) == (3000, 2000)
