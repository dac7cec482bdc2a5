"""Kitchen sinks as an experiment: learners that grow part by part, and the largest weights of one family."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.splits import make_split
from rfviz.errors import DataError, ParameterError
from rfviz.experiments import KitchenSinks
from rfviz.experiments.kitchen_sinks.weights import largest_weights
from rfviz.features import DecisionStumps, MapSpec, SigmoidalRidge
from rfviz.linear_model import default_grid

SMALL = {"k_max": 50, "stumps": 20, "draws": 1}


def test_each_part_adds_points_and_the_last_result_is_complete():
    experiment = KitchenSinks(maps=[DecisionStumps()], **SMALL)
    found = list(experiment.parts("breast_cancer"))
    points = [len(result.to_frame()) for result in found]
    assert len(found) > 2 and points == sorted(set(points))
    assert [result.numbers.is_complete for result in found] == [False] * (len(found) - 1) + [True]
    last, whole = found[-1].to_frame(), experiment.run("breast_cancer").to_frame()
    assert last.equals(whole) and set(last["learner"]) == {"AdaBoost", "Random stumps"}
    names = {"KitchenSinks": KitchenSinks, "DecisionStumps": DecisionStumps}
    assert eval(repr(experiment), names) == experiment


def test_families_of_one_name_are_told_apart():
    maps = [DecisionStumps(), SigmoidalRidge(scale=0.2), SigmoidalRidge(scale=1.0), DecisionStumps(7)]
    labels = [candidate.label for candidate in KitchenSinks(maps=maps).candidates]
    assert labels == ["Random stumps", "Random sigmoids, scale = 0.2", "Random sigmoids, scale = 1"]


def test_largest_weights_are_those_of_its_runs():
    experiment = KitchenSinks(maps=[DecisionStumps()], view="weights", k_max=50, runs=2)
    split, grid = make_split(datasets.load("breast_cancer"), "standardise"), default_grid(50, 12)
    expected = [largest_weights(split, MapSpec(DecisionStumps, random_state=seed), grid).norms for seed in range(2)]
    np.testing.assert_allclose(experiment.run("breast_cancer").numbers.decay.norms, expected)


def test_what_cannot_be_done_is_one_sentence():
    with pytest.raises(ParameterError, match="maps must be one family where view='weights'"):
        KitchenSinks(maps=[DecisionStumps(), SigmoidalRidge()], view="weights")
    with pytest.raises(ParameterError, match="view must be one of 'error'"):
        KitchenSinks(maps=[DecisionStumps()], view="errors")
    with pytest.raises(DataError, match="Choose at least one family of random features"):
        KitchenSinks(maps=[]).run("breast_cancer")
    numbers = datasets.from_arrays(np.eye(40), np.linspace(0.0, 1.0, 40))
    with pytest.raises(DataError, match="has numbers as targets"):
        KitchenSinks(maps=[DecisionStumps()]).run(numbers)
