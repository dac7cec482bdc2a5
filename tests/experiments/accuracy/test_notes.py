"""The example of the notes: what they print, next to what scikit-learn gives without any code of ours."""

import dataclasses
import re

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.kernel_approximation import RBFSampler
from sklearn.svm import SVC, LinearSVC

from rfviz import datasets
from rfviz.experiments import Accuracy
from rfviz.experiments.accuracy.describe import explanation
from rfviz.experiments.accuracy.notes import NOTES_SCORES, notes_table
from rfviz.features import RandomFourier


@pytest.fixture(scope="module")
def halves():
    X, y = load_digits(n_class=9, return_X_y=True)
    n = len(X) // 2
    return (X[:n] / 16, y[:n]), (X[n:] / 16, y[n:])


@pytest.fixture(scope="module")
def result():
    experiment = Accuracy(
        maps=[RandomFourier(gamma=0.2, paired=False)],
        baselines=["rbf_svm", "linear_svm"],
        gamma=0.2,
        m_max=300,
        seeds=1,
        loss="linear SVM",
    )
    return experiment.run("digits_0_to_8").numbers


def test_the_rows_are_those_of_scikit_learns_example(halves):
    (X, y), (X_test, y_test) = halves
    data = datasets.load("digits_0_to_8")
    assert data.n_train == len(X) == 808 and len(data.X) == 1617 and len(data.target_names) == 9
    np.testing.assert_allclose(data.X, np.concatenate([X, X_test]), atol=1e-7)
    assert (data.y == np.concatenate([y, y_test])).all()


def test_scores_are_scikit_learns_and_near_the_printed_ones(halves, result):
    (X, y), (X_test, y_test) = halves
    table = notes_table(result).set_index("method")
    assert table.loc["RBF SVM", "here"] == pytest.approx(SVC(gamma=0.2).fit(X, y).score(X_test, y_test), abs=2e-3)
    linear = LinearSVC(random_state=0).fit(X, y).score(X_test, y_test)
    assert table.loc["Linear SVM", "here"] == pytest.approx(linear, abs=2e-3)
    drawn = RBFSampler(gamma=0.2, n_components=300, random_state=0).fit(X)
    theirs = LinearSVC(random_state=0).fit(drawn.transform(X), y).score(drawn.transform(X_test), y_test)
    # One draw against another, each of standard deviation 0.004 to 0.006.
    assert table.loc["Random Fourier", "here"] == pytest.approx(theirs, abs=0.03)
    assert (table["here"] - table["printed"]).abs().max() < 0.025
    assert dict(table["printed"]) == NOTES_SCORES


def test_seconds_to_train_and_to_predict_are_told_at_the_points_that_were_timed(result):
    times = result.times_frame()
    own = times[times["method"] == "Random Fourier"]
    assert own["m"].tolist() == [s.m_grid[-1] for s in result.runs["Random Fourier"][0]]
    assert (times[["seconds to fit", "seconds to predict"]] > 0).all(axis=None)
    assert times["method"].tolist()[-2:] == ["RBF SVM", "Linear SVM"] and times["m"].isna().sum() == 2


def test_the_sentence_is_said_of_this_example_alone(result):
    said = explanation(result)
    found = re.search(r"0\.954 for Random Fourier \(here (0\.\d{3}) with 300 features\)", said)
    error = result.curves()[0].frame["error"].iloc[-1]
    assert found and float(found[1]) == pytest.approx(1 - error / 100, abs=6e-4)
    wider = [dataclasses.replace(c, spec=c.spec.replace(gamma=0.3)) for c in result.candidates]
    for other in (
        dataclasses.replace(result, candidates=tuple(wider)),
        dataclasses.replace(result, loss="ridge"),
        dataclasses.replace(result, split=dataclasses.replace(result.split, name="digits")),
    ):
        assert "The notes print" not in explanation(other) and notes_table(other) is None
