"""Weights of at most C/K against SciPy's bounded least squares, and what is said of them where it is true and false."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from rfviz import datasets
from rfviz.analysis.splits import make_split
from rfviz.errors import DataError, MemoryBudgetError
from rfviz.experiments import KitchenSinks
from rfviz.experiments.kitchen_sinks.constraint import C_GRID, ConstrainedErrors, ConstrainedRun, constrained_errors
from rfviz.experiments.kitchen_sinks.describe import constraint_explanation
from rfviz.features import DecisionStumps, MapSpec, RandomFourier

K = 40
AT = {c: place for place, c in enumerate(C_GRID)}


@pytest.fixture(scope="module", params=["breast_cancer", "digits"])
def split(request):
    return make_split(datasets.load(request.param), "standardise")


@pytest.mark.parametrize("cls", [DecisionStumps, RandomFourier])
def test_errors_are_those_of_bounded_least_squares(split, cls):
    spec = MapSpec(cls, random_state=2)
    found = constrained_errors(split, spec, K)
    feature_map = cls(K, random_state=2).fit(split.X_train)
    H, T = (
        np.concatenate(list(feature_map.transform_blocks(X, scaled=False))).astype(float)
        for X in (split.X_train, split.X_test)
    )
    ones = np.unique(split.y_train)
    codes = np.where(split.y_train[:, None] == (ones[1:] if len(ones) == 2 else ones), 1.0, -1.0)
    stacked, wanted = np.vstack([H, np.eye(K)]), np.vstack([codes, np.zeros((K, codes.shape[1]))])
    for c in (0.5, 5.0, 20.0, 500.0):
        weights = np.column_stack([lsq_linear(stacked, y, (-c / K, c / K), method="bvls").x for y in wanted.T])
        scores = T @ weights
        predicted = ones[(scores[:, 0] > 0).astype(int) if len(ones) == 2 else scores.argmax(axis=1)]
        assert found.errors[AT[c]] == pytest.approx(np.mean(predicted != split.y_test), abs=1.5 / len(T))
        at_border = np.mean(np.abs(weights) >= c / K * (1 - 1e-3))
        assert found.at_border[AT[c]] == pytest.approx(at_border, abs=2.5 / weights.size)
    free = np.linalg.lstsq(stacked, wanted)[0]
    assert found.free_size == pytest.approx(K * np.abs(free).max(), rel=1e-3)
    # A larger C changes nothing.
    beyond = np.array(C_GRID) >= found.free_size
    assert (found.errors[beyond] == found.free_error).all() and (found.at_border[beyond] <= 1 / K).all()


def test_the_smallest_weights_all_stand_at_the_border(split):
    assert constrained_errors(split, MapSpec(DecisionStumps, random_state=0), K).at_border[0] > 0.9


def run(errors, free):
    errors = np.asarray(errors, dtype=float)
    return ConstrainedRun(errors, np.linspace(1.0, 0.0, len(errors)), free, 150.0)


def test_what_is_said_is_true_of_each_kind_of_curve():
    base = np.full(len(C_GRID), 0.10)
    helps, hurts = base.copy(), np.linspace(0.4, 0.3, len(C_GRID))
    helps[AT[5.0]] = 0.03
    said = {
        name: constraint_explanation(ConstrainedErrors(100, (run(errors, 0.10),)), "Random stumps", 1400)
        for name, errors in {"helps": helps, "hurts": hurts, "neither": base}.items()
    }
    assert "With C = 5 the error is 3.00%" in said["helps"] and "as a penalty does" in said["helps"]
    assert "No C up to 1000 does as well" in said["hurts"] and "30.0%" in said["hurts"]
    assert "neither helps nor costs much" in said["neither"] and "at C = 0.1" in said["neither"]
    # Differences that change their sign from draw to draw are chance, and few wrong rows of one draw are; the same
    # difference in each draw is none.
    scattered = ConstrainedErrors(100, (run(base - 0.04, 0.10), run(base + 0.03, 0.10)))
    assert "neither helps nor costs much" in constraint_explanation(scattered, "Random stumps", 1400)
    few = ConstrainedErrors(100, (run(helps + 0.03, 0.10),))
    assert "neither helps nor costs much" in constraint_explanation(few, "Random stumps", 100)
    steady = ConstrainedErrors(100, tuple(run(helps + 0.03 + shift, 0.10 + shift) for shift in (0.0, 0.05, 0.1)))
    assert "With C = 5 the error is 11.0%" in constraint_explanation(steady, "Random stumps", 100)


def test_the_experiment_gives_the_mean_of_its_draws():
    experiment = KitchenSinks(maps=[MapSpec(DecisionStumps)], view="constraint", k_max=K, runs=2)
    result = experiment.run("breast_cancer")
    own = make_split(datasets.load("breast_cancer"), "standardise")
    runs = [constrained_errors(own, MapSpec(DecisionStumps, random_state=seed), K) for seed in range(2)]
    frame = result.to_frame()
    np.testing.assert_allclose(frame["error"], np.mean([one.errors for one in runs], axis=0))
    np.testing.assert_allclose(frame["error without"], np.mean([one.free_error for one in runs]))
    assert list(frame["C"]) == list(C_GRID)


def test_refusals(split, monkeypatch):
    numbers = make_split(datasets.Dataset("prices", np.ones((40, 2), np.float32), y=np.linspace(0, 1, 40)), "none")
    with pytest.raises(DataError, match="prices has numbers as targets"):
        constrained_errors(numbers, MapSpec(DecisionStumps), 10)
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    with pytest.raises(MemoryBudgetError, match="The Gram matrix of 5000 features"):
        constrained_errors(split, MapSpec(DecisionStumps), 5000)
