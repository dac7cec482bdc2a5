"""Curves of kitchen sinks and AdaBoost: seconds and stairs against hand-made and independent ones."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

from rfviz import datasets
from rfviz.analysis.accuracy import grid_segments, run_segment
from rfviz.analysis.splits import make_split
from rfviz.experiments.kitchen_sinks.boosting import boost
from rfviz.experiments.kitchen_sinks.compute import ADABOOST, LEARNERS, Curve, boost_curve, sink_curve
from rfviz.features import DecisionStumps, MapSpec, registry


@pytest.fixture(scope="module")
def split():
    return make_split(datasets.load("breast_cancer"), "standardise")


def curve(label, rows, cls=DecisionStumps):
    frame = pd.DataFrame(rows, columns=["K", "error", "total"]).assign(train=0.0, test=0.0, draws=1)
    return Curve(label, cls, frame)


SINKS = curve("sinks", [(10, 0.30, 0.01), (20, 0.20, np.nan), (40, 0.12, 0.04), (80, 0.14, 0.03), (160, 0.105, 0.2)])
BOOSTED = curve(ADABOOST, [(1, 0.25, 0.1), (2, 0.25, 0.2), (4, 0.15, 0.4), (8, 0.10, 0.8)], None)


def test_stairs_hold_the_quickest_way_to_each_error():
    errors, seconds = SINKS.staircase()
    assert errors.tolist() == [0.30, 0.14, 0.12, 0.105] and seconds.tolist() == [0.01, 0.03, 0.04, 0.2]
    errors, seconds = BOOSTED.staircase()
    assert errors.tolist() == [0.25, 0.15, 0.10] and seconds.tolist() == [0.1, 0.4, 0.8]


def test_an_error_is_reached_by_the_first_k_that_is_drawn_with_or_without_seconds():
    assert SINKS.reaches(0.20) == 20 and SINKS.reaches(0.15) == 40 and SINKS.reaches(0.1) is None
    assert SINKS.best == (160, 0.105) and BOOSTED.best == (8, 0.10)
    # Equal but for rounding.
    assert curve("tie", [(10, 5 / 142, 0.1), (20, 5 / 142 - 1e-15, 0.2)]).best[0] == 10


def test_seconds_to_an_error_are_those_of_the_stairs():
    # Not of the K whose seconds are unknown.
    assert SINKS.reached_after(0.20) == 0.03 and SINKS.reached_after(0.12) == 0.04 and SINKS.reached_after(0.3) == 0.01
    assert SINKS.reached_after(0.1) is None and BOOSTED.reached_after(0.2) == 0.4


def test_curve_of_random_stumps_is_ridge_regression_on_them(split):
    grids = grid_segments(100, 8)
    runs = [
        [run_segment(split, MapSpec(DecisionStumps, random_state=seed), grid, alphas=1.0) for grid in grids]
        for seed in range(2)
    ]
    found = sink_curve("Random stumps", DecisionStumps, runs)
    assert set(found.measured["K"]) == {int(grid[-1]) for grid in grids}
    codes = np.where(split.y_train == 1, 1.0, -1.0)
    for row in found.frame.itertuples():
        errors = []
        for seed in range(2):
            stumps = DecisionStumps(int(row.K), random_state=seed).fit(split.X_train)
            # On features scaled by 1/√K the penalty is a K-th.
            model = Ridge(alpha=1.0 / row.K).fit(stumps.transform(split.X_train).astype(float), codes)
            scores = model.predict(stumps.transform(split.X_test).astype(float))
            errors.append(np.mean((scores > 0) != (split.y_test == 1)))
        assert row.error == pytest.approx(np.mean(errors), abs=1e-9)
    totals = found.measured["train"] + found.measured["test"]
    np.testing.assert_allclose(found.measured["total"], totals)


def test_curve_of_adaboost_joins_its_segments(split):
    first = boost(split, [1, 2, 4])
    second = boost(split, [6, 8], first.state)
    found = boost_curve([first, second])
    assert found.frame["K"].tolist() == [1, 2, 4, 6, 8] and found.cls is None and found.label == ADABOOST
    assert (np.diff(found.frame["total"]) > 0).all() and found.frame["total"].notna().all()
    np.testing.assert_array_equal(found.frame["error"], [*first.errors, *second.errors])


def test_curve_of_adaboost_ends_with_its_last_stump():
    X = np.linspace(-1, 1, 100, dtype=np.float32)[:, None]
    data = datasets.Dataset("step", X, y=(X[:, 0] > 0).astype(int), target_names=("low", "high"))
    segment = boost(make_split(data, "none"), [1, 4, 8])
    assert boost_curve([segment]).frame["K"].tolist() == [1]


def test_nothing_yet():
    assert len(boost_curve([]).frame) == 0 and len(sink_curve("a", DecisionStumps, [[]]).frame) == 0
    assert len(boost_curve([]).staircase()[0]) == 0 and boost_curve([]).reached_after(0.5) is None


def test_learners_are_registered():
    assert set(LEARNERS) <= set(registry().values())


def test_the_papers_story_in_small(split):
    """More random stumps than AdaBoost has stumps come near it: within five points on a small table."""
    sinks = run_segment(split, MapSpec(DecisionStumps, random_state=0), [10, 500])
    boosted = boost(split, [50])
    assert sinks.errors[1] < sinks.errors[0] and sinks.errors[1] < boosted.errors[0] + 0.05
