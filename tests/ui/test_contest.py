"""Kitchen sinks and AdaBoost in parts: what is known is kept, boosting goes on where it was, failures are said."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.boosting import boost
from rfviz.analysis.progress import silent
from rfviz.analysis.splits import make_split
from rfviz.analysis.weight_decay import largest_weights
from rfviz.errors import capture_warnings, warn
from rfviz.recipes import contest as contest_module
from rfviz.recipes import race as race_module
from rfviz.recipes.contest import Contest
from rfviz.recipes.entrants import Entrant
from rfviz.ui import results

Race = partial(race_module.Race, keeper=results)
WeightRuns = partial(contest_module.WeightRuns, keeper=results)

STUMPS = Entrant("Random stumps", "DecisionStumps", ())
STEPS = (((5, 10), 1.0), ((20,), 1.0))
BOOSTED = ((1, 2, 4), (6, 8), (12,))


@pytest.fixture(scope="module")
def split():
    return make_split(datasets.load("breast_cancer"), "standardise")


@pytest.fixture
def work(split, request):
    return Contest(Race(split, request.node.name, (STUMPS,), 2, STEPS, 1.0), BOOSTED)


@pytest.fixture
def runs(split, request):
    return WeightRuns(split, request.node.name, STUMPS, (5, 20), 3)


def test_parts_of_both_sides_take_turns(work):
    parts = list(work.parts())
    assert len(parts) == 4 + 3 == len(work.missing())
    assert [p for p in parts if isinstance(p, int)] == [0, 1, 2] and isinstance(parts[0], tuple)
    alone = replace(work, steps=())
    assert len(list(alone.parts())) == 4 and [c.label for c in alone.curves()] == ["Random stumps"]


def test_all_is_computed_once_and_kept(work, split):
    heard = []
    work.run_missing(lambda share, words: heard.append((share, words)))
    assert not work.missing() and not work.failures() and not work.ended
    shares = [share for share, _ in heard]
    assert shares == sorted(shares) and shares[-1] <= 1 and any("AdaBoost: stump 3 of 4" in w for _, w in heard)
    boosted, sinks = work.curves()
    assert boosted.frame["K"].tolist() == [1, 2, 4, 6, 8, 12] and sinks.frame["K"].tolist() == [5, 10, 20]
    np.testing.assert_array_equal(boosted.frame["error"], boost(split, boosted.frame["K"]).errors)
    work.run_missing(lambda share, words: pytest.fail("computed again"))


def test_a_stop_keeps_what_is_there(work):
    class Stopped(BaseException):
        pass

    def stop(share, words):
        if "stump 7" in words:
            raise Stopped

    with pytest.raises(Stopped):
        work.run_missing(stop)
    left = work.missing()
    assert 0 < len(left) < 7 and 1 in left
    assert work.curves()[0].frame["K"].tolist() == [1, 2, 4]
    work.run_missing(silent)
    assert work.curves()[0].frame["K"].tolist() == [1, 2, 4, 6, 8, 12]


def test_more_stumps_add_only_their_own_segment(work):
    work.run_missing(silent)
    more = replace(work, steps=(*BOOSTED, (20,)))
    assert more.missing() == [3]
    assert more.cost([3]) == pytest.approx(work.cost([2]) * 2)  # eight stumps, four
    assert more.identity != work.identity


def test_a_failure_of_adaboost_leaves_the_others(work, monkeypatch):
    monkeypatch.setattr(contest_module, "boost", lambda *a, **k: (_ for _ in ()).throw(MemoryError))
    work.run_missing(silent)
    assert work.failures() == {"AdaBoost": "out of memory"} and not work.missing()
    boosted, sinks = work.curves()
    assert not len(boosted.frame) and len(sinks.frame) == 3


def test_boosting_that_ended_says_so():
    X = np.linspace(-1, 1, 100, dtype=np.float32)[:, None]
    data = datasets.Dataset("step", X, y=(X[:, 0] > 0).astype(int), target_names=("low", "high"))
    race = Race(make_split(data, "none"), "a step", (STUMPS,), 1, STEPS, 1.0)
    work = Contest(race, BOOSTED)
    work.run_missing(silent)
    assert work.ended == "AdaBoost stopped at K = 1: a stump made no error, so that AdaBoost ended."
    assert work.curves()[0].frame["K"].tolist() == [1] and not work.missing()


def test_runs_are_kept_and_joined(runs, split):
    assert runs.result() is None and runs.missing() == [0, 1, 2] and runs.cost([0, 1]) == 2 * runs.cost([0])
    runs.run_missing(silent)
    assert not runs.missing()
    expected = [largest_weights(split, "DecisionStumps", {"random_state": seed}, (5, 20)) for seed in range(3)]
    np.testing.assert_allclose(runs.result().norms, expected)
    assert replace(runs, runs=5).missing() == [3, 4]


def test_a_run_that_fails_ends_all(runs, monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.000001")
    runs.run_missing(silent)
    assert "The Gram matrix of 20 features" in runs.failures()["Random stumps"]
    assert not runs.missing() and runs.result() is None


def test_warnings_of_sinks_and_of_runs_are_told(work, runs, monkeypatch):
    for module, name in ((race_module, "run_segment"), (contest_module, "largest_weights")):
        compute = getattr(module, name)

        def doubtful(*arguments, compute=compute, **more):
            warn("doubtful", UserWarning)
            return compute(*arguments, **more)

        monkeypatch.setattr(module, name, doubtful)
    for either in (work, runs):
        assert either.warnings() == {}
        with capture_warnings():
            either.run_missing(silent)
        assert either.warnings() == {"Random stumps": "doubtful"}
