"""AdaBoost in segments against scikit-learn's in one fit."""

import time

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from rfviz import datasets
from rfviz.analysis.accuracy import make_split
from rfviz.analysis.boosting import boost
from rfviz.datasets import Dataset
from rfviz.errors import DataError, MemoryBudgetError


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
    # For two classes scikit-learn returns one column: their difference halved is the second class's vote.
    ours = votes[:, 1] if decision.ndim == 1 else votes
    np.testing.assert_allclose(ours, decision / (1 if decision.ndim == 1 else 1), atol=1e-6)


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


def test_boosting_that_runs_out_of_stumps():
    # Exclusive or: after one stump on a slight excess no other is better than chance.
    corners = np.array([[0, 0], [1, 1], [0, 1], [1, 0]] * 50)
    y = np.array([0, 0, 1, 1] * 50)
    try:
        state = boost(split_of(corners, y, 2), [1, 300]).state
    except DataError as error:
        assert "No stump is better than chance on own" in str(error)
    else:
        assert state.n_stumps <= 300


def test_no_stump_better_than_chance_is_one_sentence():
    split = split_of(np.zeros((80, 2)), np.arange(80) % 2, 2)
    split.y_train[:] = np.arange(len(split.y_train)) % 2
    if len(split.y_train) % 2:
        split.y_train[-1] = 0
    try:
        segment = boost(split, [3])
    except DataError as error:
        assert "No stump is better than chance on own, so AdaBoost cannot begin" in str(error)
    else:
        assert segment.state.n_stumps <= 3


def test_numbers_as_targets_are_refused():
    data = Dataset("prices", np.ones((40, 2), np.float32), y=np.linspace(0, 1, 40))
    with pytest.raises(DataError, match="prices has numbers as targets. Choose data with classes, such as breast_canc"):
        boost(make_split(data, "none"), [3])


def test_too_many_rows_are_refused_before_anything_starts(monkeypatch):
    split = make_split(datasets.load("breast_cancer"), "none")
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.00001")
    with pytest.raises(MemoryBudgetError, match="AdaBoost on 427 rows of 30"):
        boost(split, [3], progress=lambda share, words: pytest.fail("it has started"))
