"""AdaBoost in segments against scikit-learn's in one fit."""

import time

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from rfviz import datasets
from rfviz.analysis.splits import make_split
from rfviz.datasets import Dataset
from rfviz.errors import DataError, MemoryBudgetError
from rfviz.experiments.kitchen_sinks.boosting import BoostState, boost


def split_of(X, y, n_classes):
    data = Dataset("own", X.astype(np.float32), y=y, target_names=tuple(map(str, range(n_classes))))
    return make_split(data, "none")


def in_segments(split, *grids):
    segments, state = [], None
    for grid in grids:
        segments.append(boost(split, grid, state))
        state = segments[-1].state
    return segments


@pytest.mark.parametrize("name", ["breast_cancer", "digits"])
def test_segments_make_the_ensemble_of_one_fit(name):
    split = make_split(datasets.load(name), "none")
    grids = [1, 2, 5, 10], [14, 20], [40, 60]
    segments = in_segments(split, *grids)
    errors = np.concatenate([s.errors for s in segments])
    whole = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=60, random_state=0)
    whole.fit(split.X_train, split.y_train)
    staged = [np.mean(predicted != split.y_test) for predicted in whole.staged_predict(split.X_test)]
    np.testing.assert_allclose(errors, [staged[k - 1] for grid in grids for k in grid], atol=1e-12)
    votes = segments[-1].state.votes / whole.estimator_weights_.sum()
    decision = whole.decision_function(split.X_test)
    # For two classes scikit-learn returns the difference of the votes.
    ours = votes[:, 1] - votes[:, 0] if decision.ndim == 1 else votes
    np.testing.assert_allclose(ours, decision, atol=1e-6)


def test_seconds_grow_with_the_stumps_and_leave_the_watching_out():
    split = make_split(datasets.load("breast_cancer"), "none")

    def slow(share, words):
        time.sleep(0.02)

    begun = time.perf_counter()
    segment = boost(split, [5, 10, 20], progress=slow)
    spent = time.perf_counter() - begun
    assert (np.diff(segment.seconds_fit) > 0).all() and (np.diff(segment.seconds_predict) > 0).all()
    assert segment.seconds_fit[-1] < spent - 0.4
    later = boost(split, [40], segment.state)
    assert later.seconds_fit[0] > segment.seconds_fit[-1] and later.seconds_predict[0] > segment.seconds_predict[-1]


def test_progress_is_told_and_may_stop():
    split = make_split(datasets.load("breast_cancer"), "none")
    heard = []

    def stop(share, words):
        heard.append((share, words))
        if len(heard) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        boost(split, [10], progress=stop)
    assert heard[3] == (0.3, "stump 4 of 10")


def test_boosting_that_ends_early_keeps_its_last_error():
    X = np.linspace(-1, 1, 100)[:, None]
    split = split_of(X, (X[:, 0] > 0).astype(int), 2)
    first = boost(split, [1, 4, 8])
    assert first.state.n_stumps == 1 and "made no error" in first.state.ended
    assert first.errors.tolist() == [first.errors[0]] * 3 and first.errors[0] <= 0.04
    second = boost(split, [16], first.state)
    assert second.errors[0] == first.errors[0] and second.state is first.state


def exclusive_or():
    """Draw two columns neither of which says anything about the class alone."""
    corners = np.array([[0, 0], [1, 1], [0, 1], [1, 0]] * 20, dtype=np.float32)
    data = Dataset("corners", corners, y=np.array([0, 0, 1, 1] * 20), target_names=("same", "other"), n_train=40)
    return make_split(data, "none")


def test_no_stump_better_than_chance_is_one_sentence():
    with pytest.raises(DataError, match=r"^No stump is better than chance on corners, so AdaBoost cannot begin\."):
        boost(exclusive_or(), [3])


def test_boosting_that_runs_out_of_stumps():
    votes = np.tile([0.2, -0.2], (40, 1))
    segment = boost(exclusive_or(), [2, 3], BoostState(1, np.full(40, 1 / 40), votes, 0.5, 0.25))
    assert "better than chance any more" in segment.state.ended and segment.state.n_stumps == 1
    assert segment.errors.tolist() == [0.5, 0.5]
    assert segment.seconds_fit.tolist() == [0.5, 0.5] and segment.seconds_predict.tolist() == [0.25, 0.25]


def test_numbers_as_targets_are_refused():
    data = Dataset("prices", np.ones((40, 2), np.float32), y=np.linspace(0, 1, 40))
    with pytest.raises(DataError, match=r"prices has numbers as targets\. Choose data with classes"):
        boost(make_split(data, "none"), [3])


def test_too_many_rows_are_refused_before_anything_starts(monkeypatch):
    split = make_split(datasets.load("breast_cancer"), "none")
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.00001")
    with pytest.raises(MemoryBudgetError, match="AdaBoost on 427 rows of 30"):
        boost(split, [3], progress=lambda share, words: pytest.fail("it has started"))
