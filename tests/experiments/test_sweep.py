"""Sweeps over the number of features in parts: what is known stays, what fails says why, what is missing is added."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.accuracy import DOUBLY_STOCHASTIC
from rfviz.cache import Cache
from rfviz.errors import DataError, MemoryBudgetError, capture_warnings, warn
from rfviz.experiments import Accuracy, Data
from rfviz.experiments import sweep as sweep_module
from rfviz.experiments.accuracy.compute import make_curve
from rfviz.experiments.candidate import Candidate
from rfviz.experiments.split_data import SplitData
from rfviz.experiments.sweep import runs_of, sweep_parts
from rfviz.experiments.work import Work
from rfviz.features import CompositionalFeatures, MapSpec, RandomMaxout, RandomProjection
from rfviz.progress import silent

MAXOUT = Candidate("Maxout, q = 2", MapSpec(RandomMaxout, pool_size=2))
LINEAR = Candidate("Random projection", MapSpec(RandomProjection))
STEPS = (((10, 20), 1.0), ((30, 40), 1.0))


def source_of(dataset, normalise="none"):
    return SplitData(Data(dataset.name, (), None, dataset), normalise, 0.25)


DIGITS = source_of(datasets.load("digits"))


@pytest.fixture
def sweep():
    """Return a function that returns the work of a sweep; all share a cache."""
    cache = Cache()

    def work(candidates=(MAXOUT, LINEAR), seeds=2, steps=STEPS, alphas=1.0, loss="ridge", source=DIGITS):
        return Work(tuple(sweep_parts(source, candidates, seeds, steps, alphas, loss, cache)), cache)

    return work


def frames(work, axis="m"):
    """Return the frame of each curve in per cent, by label."""
    runs = runs_of(work)
    return {label: make_curve(label, RandomMaxout, found, scale=100, axis=axis).frame for label, found in runs.items()}


def task(part):
    return part.args[0]


def test_all_curves_grow_from_the_left(sweep):
    work = sweep()
    assert len(work.parts) == len(work.missing()) == 8
    assert [task(part).grid for part in work.parts[:4]] == [(10, 20)] * 4
    assert {part.label for part in work.parts[:2]} == {MAXOUT.label, LINEAR.label}


def test_parts_are_cached_and_join_to_curves(sweep):
    work = sweep()
    work.run_missing(silent)
    assert not work.missing()
    maxout, linear = frames(work).values()
    assert list(maxout["m"]) == [10, 20, 30, 40] == list(linear["m"])
    assert maxout["error"].iloc[0] > maxout["error"].iloc[-1] > 1  # per cent
    assert list(frames(work, "seconds")[MAXOUT.label]["m"]) == [20, 40]


def test_another_seed_adds_only_its_own_parts(sweep):
    sweep().run_missing(silent)
    assert {task(part).spec.get("random_state") for part in sweep(seeds=3).missing()} == {2}


def test_a_failure_stops_one_curve_and_says_why(sweep, monkeypatch):
    run = sweep_module.run_segment

    def failing(split, spec, *rest):
        if spec.cls is RandomMaxout:
            raise MemoryBudgetError("does not fit")
        return run(split, spec, *rest)

    monkeypatch.setattr(sweep_module, "run_segment", failing)
    work = sweep()
    work.run_missing(silent)
    assert not work.missing() and work.failures() == {"Maxout, q = 2": "does not fit"}
    assert [len(frame) for frame in frames(work).values()] == [0, 4]


def test_a_curve_that_fails_in_the_middle_keeps_its_points(sweep, monkeypatch):
    run = sweep_module.run_segment

    def failing(split, spec, grid, *rest):
        if spec.cls is RandomMaxout and max(grid) > 20:
            raise ValueError("unforeseen")
        return run(split, spec, grid, *rest)

    monkeypatch.setattr(sweep_module, "run_segment", failing)
    work = sweep()
    work.run_missing(silent)
    assert "server's log" in work.failures()["Maxout, q = 2"]
    assert [list(frame["m"]) for frame in frames(work).values()] == [[10, 20], [10, 20, 30, 40]]
    assert not work.missing()


def test_the_last_warning_of_a_curve_is_known(sweep, monkeypatch):
    run = sweep_module.run_segment

    def doubtful(split, spec, grid, *rest):
        if spec.cls is RandomMaxout:
            warn(f"condition at m = {max(grid)}", UserWarning)
        return run(split, spec, grid, *rest)

    monkeypatch.setattr(sweep_module, "run_segment", doubtful)
    work = sweep()
    assert work.warnings() == {}
    with capture_warnings():
        work.run_missing(silent)
    monkeypatch.undo()
    assert work.warnings() == {"Maxout, q = 2": "condition at m = 40"}
    assert sweep((LINEAR,)).warnings() == {}
    assert not work.failures()


def test_a_gram_matrix_that_does_not_fit_is_refused_in_words(sweep, monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "2e-5")
    work = sweep((LINEAR,))
    work.run_missing(silent)
    (reason,) = set(work.failures().values())
    assert "largest number of features that fits is about 26" in reason and "logistic and hinge" in reason
    assert [list(frame["m"]) for frame in frames(work).values()] == [[10, 20]]


@pytest.mark.slow
def test_each_loss_has_curves_of_its_own(sweep):
    work, other = sweep(), sweep(loss="logistic")
    work.run_missing(silent)
    assert len(other.missing()) == 8 and other.identity != work.identity
    other.run_missing(silent)
    assert not other.missing() and not other.failures()
    ridge, logistic = (frames(found)[MAXOUT.label] for found in (work, other))
    assert list(ridge["m"]) == list(logistic["m"]) and not np.allclose(ridge["error"], logistic["error"])
    assert not sweep(loss="logistic", alphas="auto").missing()  # the ridge's penalties do not matter to it


def test_doubly_stochastic_training_is_the_candidates_choice(sweep):
    own = Candidate("again", MapSpec(RandomProjection), loss=DOUBLY_STOCHASTIC)
    work = sweep((LINEAR, own), seeds=1)
    work.run_missing(silent)
    assert not work.failures()
    solved, again = (runs[0] for runs in runs_of(work).values())
    assert all(a.bytes[0] < s.bytes[0] for a, s in zip(again, solved, strict=True))  # no weights are stored
    assert sweep((own,), seeds=1, loss="hinge").missing() == []


def test_a_loss_of_classes_refuses_numbers(sweep):
    X = np.random.default_rng(0).standard_normal((60, 3)).astype(np.float32)
    numbers = source_of(datasets.Dataset("line", X, y=X.sum(axis=1).astype(float)))
    work = sweep(source=numbers, loss="hinge")
    work.run_missing(silent)
    assert set(work.failures().values()) == {
        "The hinge loss needs classes; line has numbers as targets. Choose the loss ridge."
    }


def test_unlabelled_data_are_refused_before_anything_starts(sweep):
    with pytest.raises(DataError, match="need labels"):
        sweep(source=source_of(datasets.load("circle")))


def test_progress_is_that_of_the_whole_work_and_stops_it(sweep):
    work, seen = sweep(), []

    def stop(share, words):
        seen.append(share)
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work.run_missing(stop)
    assert seen == sorted(seen) and 3 <= len(work.missing()) <= 5
    seen.clear()
    work.run_missing(lambda share, words: seen.append((share, words)))
    assert seen[0][0] >= 0.3 and seen[-1][0] <= 1 and "up to m = 40" in seen[-1][1]


def test_cost_grows_with_the_features(sweep):
    work, other = sweep(), sweep(loss="logistic")
    assert 0 < work.cost(work.parts[:2]) < work.cost(work.parts) < other.cost(other.parts)


def test_growing_rows_show_the_largest_share(sweep):
    work = sweep((LINEAR,), seeds=1, steps=(((10, 20), 0.25), ((10, 20), 1.0)))
    sweep((LINEAR,), seeds=1, steps=(((10, 20), 0.25),)).run_missing(silent)
    small = frames(work)[LINEAR.label]["error"].to_numpy()
    work.run_missing(silent)
    whole = frames(work)[LINEAR.label]["error"].to_numpy()
    assert len(small) == len(whole) == 2 and not np.array_equal(small, whole)


def test_a_snapshot_stays_as_it_was(sweep):
    work = sweep((LINEAR,), seeds=1)
    sweep((LINEAR,), seeds=1, steps=STEPS[:1]).run_missing(silent)
    before = work.snapshot()
    work.run_missing(silent)
    assert list(frames(before)[LINEAR.label]["m"]) == [10, 20] and len(before.missing()) == 1


@pytest.mark.parametrize("small", [True, False])
def test_an_architecture_sees_patches(monkeypatch, sweep, small):
    data = datasets.load("photo_patches", max_samples=200)
    monkeypatch.setattr(sweep_module, "_SMALL_SPLIT", 1e9 if small else 0)
    maps = [CompositionalFeatures(skeleton=name) for name in ("4,4", "full")]
    candidates = Accuracy(maps=maps).candidates(data.image_shape)
    assert [candidate.label for candidate in candidates] == ["4,4", "full"]
    work = sweep(candidates, seeds=1, steps=STEPS[:1], source=source_of(data, "standardise rows"))
    work.run_missing(silent)
    assert not work.failures()
    assert [len(runs[0]) for runs in runs_of(work).values()] == [1, 1]
