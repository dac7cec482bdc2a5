"""Kitchen sinks and AdaBoost in parts: what is known stays, boosting continues where it was, failures are told."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.cache import Cache
from rfviz.errors import capture_warnings, warn
from rfviz.experiments import sweep as sweep_module
from rfviz.experiments.candidate import Candidate
from rfviz.experiments.data import Data
from rfviz.experiments.kitchen_sinks import experiment as experiment_module
from rfviz.experiments.kitchen_sinks.boosting import boost
from rfviz.experiments.kitchen_sinks.compute import ADABOOST, boost_curve, sink_curve
from rfviz.experiments.kitchen_sinks.experiment import KitchenSinks, boost_parts, in_turn, parts_of_runs, weights_of
from rfviz.experiments.kitchen_sinks.weights import largest_weights
from rfviz.experiments.split_data import SplitData
from rfviz.experiments.sweep import runs_of, sweep_parts
from rfviz.experiments.work import Work
from rfviz.features import DecisionStumps, MapSpec
from rfviz.progress import silent

STUMPS = Candidate("Random stumps", MapSpec(DecisionStumps))
STEPS = (((5, 10), 1.0), ((20,), 1.0))
BOOSTED = ((1, 2, 4), (6, 8), (12,))


def source_of(dataset, normalise="standardise"):
    return SplitData(Data(dataset.name, (), None, dataset), normalise, 0.25)


BREAST_CANCER = source_of(datasets.load("breast_cancer"))


@pytest.fixture
def learners():
    """Return a function that returns the work of both sides; all share a cache."""
    cache = Cache()

    def work(grids=BOOSTED, source=BREAST_CANCER):
        sinks = sweep_parts(source, [STUMPS], 2, STEPS, 1.0, "ridge", cache)
        return Work(tuple(in_turn(list(sinks), list(boost_parts(source, source.make(), grids)))), cache)

    return work


@pytest.fixture
def draws():
    """Return a function that returns the work of several draws; all share a cache."""
    cache = Cache()

    def work(runs=3):
        parts = parts_of_runs(BREAST_CANCER, BREAST_CANCER.make(), STUMPS, weights_of, (5, 20), 20, runs)
        return Work(tuple(parts), cache)

    return work


def labels(parts):
    return [part.label for part in parts]


def boosted_curve(work):
    return boost_curve(work.results(ADABOOST))


def test_parts_of_both_sides_take_turns(learners):
    work = learners()
    assert len(work.parts) == 4 + 3 == len(work.missing())
    assert labels(work.parts).count(ADABOOST) == 3 and work.parts[0].label == STUMPS.label
    assert labels(learners(()).parts) == [STUMPS.label] * 4


def test_all_is_computed_once(learners):
    work, heard = learners(), []
    work.run_missing(lambda share, words: heard.append((share, words)))
    assert not work.missing() and not work.failures()
    shares = [share for share, _ in heard]
    assert shares == sorted(shares) and shares[-1] <= 1 and any("AdaBoost: stump 3 of 4" in w for _, w in heard)
    sinks = sink_curve(STUMPS.label, DecisionStumps, runs_of(work)[STUMPS.label])
    boosted = boosted_curve(work)
    assert boosted.frame["K"].tolist() == [1, 2, 4, 6, 8, 12] and sinks.frame["K"].tolist() == [5, 10, 20]
    np.testing.assert_array_equal(boosted.frame["error"], boost(BREAST_CANCER.make(), boosted.frame["K"]).errors)
    work.run_missing(lambda share, words: pytest.fail("computed again"))


def test_a_stop_keeps_what_is_there(learners):
    class Stopped(BaseException):
        pass

    def stop(share, words):
        if "stump 7" in words:
            raise Stopped

    work = learners()
    with pytest.raises(Stopped):
        work.run_missing(stop)
    left = work.missing()
    assert 0 < len(left) < 7 and labels(left).count(ADABOOST) == 2
    assert boosted_curve(work).frame["K"].tolist() == [1, 2, 4]
    work.run_missing(silent)
    assert boosted_curve(work).frame["K"].tolist() == [1, 2, 4, 6, 8, 12]


def test_more_stumps_add_only_their_own_segment(learners):
    work = learners()
    work.run_missing(silent)
    more = learners((*BOOSTED, (20,)))
    assert len(more.missing()) == 1 and more.identity != work.identity
    own = [part for part in work.parts if part.label == ADABOOST]
    assert more.cost(more.missing()) == pytest.approx(work.cost(own[2:]) * 2)  # eight stumps, four


def test_a_failure_of_adaboost_leaves_the_others(learners, monkeypatch):
    monkeypatch.setattr(experiment_module, "boost", lambda *a, **k: (_ for _ in ()).throw(MemoryError))
    work = learners()
    work.run_missing(silent)
    assert work.failures() == {"AdaBoost": "out of memory"} and not work.missing()
    assert not len(boosted_curve(work).frame)
    assert len(sink_curve(STUMPS.label, DecisionStumps, runs_of(work)[STUMPS.label]).frame) == 3


def test_boosting_that_ended_says_so():
    X = np.linspace(-1, 1, 100, dtype=np.float32)[:, None]
    data = datasets.Dataset("step", X, y=(X[:, 0] > 0).astype(int), target_names=("low", "high"))
    experiment = KitchenSinks(maps=[DecisionStumps()], k_max=20, stumps=20, draws=1, alpha=1.0, normalise="none")
    result = experiment.run(data).numbers
    assert result.ended == "AdaBoost stopped at K = 1: a stump made no error, so that AdaBoost ended."
    assert result.curves[0].frame["K"].tolist() == [1]


def test_draws_are_cached_and_joined(draws):
    work = draws()
    assert work.is_empty and len(work.missing()) == 3 and work.cost(work.parts[:2]) == 2 * work.cost(work.parts[:1])
    work.run_missing(silent)
    assert not work.missing()
    split = BREAST_CANCER.make()
    expected = [largest_weights(split, STUMPS.spec.replace(random_state=seed), (5, 20)).norms for seed in range(3)]
    np.testing.assert_allclose([run.norms for run in work.results(STUMPS.label)], expected)
    assert len(draws(5).missing()) == 2


def test_a_draw_that_fails_ends_all(draws, monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.000001")
    work = draws()
    work.run_missing(silent)
    assert "The Gram matrix of 20 features" in work.failures()["Random stumps"]
    assert not work.missing() and work.is_empty


def test_warnings_of_sinks_and_of_draws_are_told(learners, draws, monkeypatch):
    for module, name in ((sweep_module, "run_segment"), (experiment_module, "largest_weights")):
        compute = getattr(module, name)

        def doubtful(*arguments, compute=compute, **more):
            warn("doubtful", UserWarning)
            return compute(*arguments, **more)

        monkeypatch.setattr(module, name, doubtful)
    for work in (learners(), draws()):
        assert work.warnings() == {}
        with capture_warnings():
            work.run_missing(silent)
        assert work.warnings() == {"Random stumps": "doubtful"}
