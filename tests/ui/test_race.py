"""The race behind the accuracy page: what is known is kept, what fails says why, what is missing is added."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.progress import silent
from rfviz.analysis.splits import make_split
from rfviz.errors import MemoryBudgetError, ParameterError, capture_warnings, warn
from rfviz.recipes import race as race_module
from rfviz.recipes.accuracy_entrants import EntrantSettings, architectures, line_up
from rfviz.recipes.entrants import Entrant
from rfviz.ui import results

Race = partial(race_module.Race, keeper=results)

MAXOUT = Entrant("Maxout, q = 2", "RandomMaxout", (("pool_size", 2),))
LINEAR = Entrant("Random projection", "RandomProjection", ())
STEPS = (((10, 20), 1.0), ((30, 40), 1.0))


@pytest.fixture(scope="module")
def split():
    return make_split(datasets.load("digits"), "none")


@pytest.fixture
def race(split, request):
    return Race(split, request.node.name, (MAXOUT, LINEAR), 2, STEPS, 1.0)


def run_all(race):
    for part in race.missing():
        race.run(part, silent)


def test_all_curves_grow_from_the_left(race):
    parts = list(race.parts())
    assert len(parts) == len(race.missing()) == 8
    assert [p[2] for p in parts[:4]] == [STEPS[0]] * 4
    assert {p[0] for p in parts[:2]} == {MAXOUT, LINEAR}


def test_parts_are_kept_and_join_to_curves(race):
    run_all(race)
    assert not race.missing()
    maxout, linear = race.runners("m")
    assert list(maxout.frame["m"]) == [10, 20, 30, 40] == list(linear.frame["m"])
    assert maxout.frame["error"].iloc[0] > maxout.frame["error"].iloc[-1] > 1  # per cent
    assert list(race.runners("seconds")[0].frame["m"]) == [20, 40]


def test_another_seed_adds_only_its_own_parts(race):
    run_all(race)
    more = Race(race.split, race.split_key, race.entrants, 3, STEPS, 1.0)
    assert {part[1] for part in more.missing()} == {2}


def test_a_failure_stops_one_curve_and_says_why(race, monkeypatch):
    run = race_module.run_segment

    def failing(split, scheme, *rest):
        if scheme == "RandomMaxout":
            raise MemoryBudgetError("does not fit")
        return run(split, scheme, *rest)

    monkeypatch.setattr(race_module, "run_segment", failing)
    while race.missing():
        race.run(race.missing()[0], silent)
    assert race.failures() == {"Maxout, q = 2": "does not fit"}
    assert len(race.runners("m")[0].frame) == 0
    assert len(race.runners("m")[1].frame) == 4


def test_an_entrant_that_fails_in_mid_race_keeps_its_points(race, monkeypatch):
    run = race_module.run_segment

    def failing(split, scheme, setting, grid, *rest):
        if scheme == "RandomMaxout" and max(grid) > 20:
            raise ValueError("unforeseen")
        return run(split, scheme, setting, grid, *rest)

    monkeypatch.setattr(race_module, "run_segment", failing)
    race.run_missing(silent)
    assert "server's log" in race.failures()["Maxout, q = 2"]
    assert [list(r.frame["m"]) for r in race.runners("m")] == [[10, 20], [10, 20, 30, 40]]
    assert not race.missing()


def test_who_was_warned_is_known_with_the_last_of_its_warnings(race, monkeypatch):
    run = race_module.run_segment

    def doubtful(split, scheme, setting, grid, *rest):
        if scheme == "RandomMaxout":
            warn(f"condition at m = {max(grid)}", UserWarning)
        return run(split, scheme, setting, grid, *rest)

    monkeypatch.setattr(race_module, "run_segment", doubtful)
    assert race.warnings() == {}
    with capture_warnings():
        race.run_missing(silent)
    monkeypatch.undo()
    assert race.warnings() == {"Maxout, q = 2": "condition at m = 40"}
    assert replace(race, entrants=(LINEAR,)).warnings() == {}
    assert not race.failures()


def test_a_gram_matrix_that_does_not_fit_is_refused_in_words(race, monkeypatch):
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "2e-5")
    race = replace(race, entrants=(LINEAR,))
    race.run_missing(silent)
    (reason,) = set(race.failures().values())
    assert "largest number of features that fits is about 26" in reason and "logistic and hinge" in reason
    assert [list(r.frame["m"]) for r in race.runners("m")] == [[10, 20]]


def test_each_loss_has_curves_of_its_own(race):
    race.run_missing(silent)
    other = replace(race, loss="logistic")
    assert len(other.missing()) == 8 and other.identity != race.identity
    other.run_missing(silent)
    assert not other.missing() and not other.failures()
    ridge, logistic = (r.runners("m")[0].frame for r in (race, other))
    assert list(ridge["m"]) == list(logistic["m"]) and not np.allclose(ridge["error"], logistic["error"])
    assert not replace(other, alphas="auto").missing()  # the ridge's penalties are none of its business


def test_a_loss_of_classes_refuses_numbers(race):
    X = np.random.default_rng(0).standard_normal((60, 3)).astype(np.float32)
    numbers = make_split(datasets.Dataset("line", X, y=X.sum(axis=1).astype(float)), "none")
    race = replace(race, split=numbers, loss="hinge")
    race.run_missing(silent)
    assert set(race.failures().values()) == {
        "The hinge loss needs classes; line has numbers as targets. Choose the loss ridge."
    }


def test_progress_is_that_of_the_race_and_stops_it(race):
    seen = []

    def stop(share, words):
        seen.append(share)
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        race.run_missing(stop)
    assert seen == sorted(seen) and 3 <= len(race.missing()) <= 5
    seen.clear()
    race.run_missing(lambda share, words: seen.append((share, words)))
    assert seen[0][0] >= 0.3 and seen[-1][0] <= 1 and "up to m = 40" in seen[-1][1]


def test_cost_grows_with_the_features(race):
    parts = list(race.parts())
    ridge, logistic = race.cost(parts), replace(race, loss="logistic").cost(parts)
    assert 0 < race.cost(parts[:2]) < ridge < logistic


def test_growing_rows_show_the_largest_share(split, request):
    steps = (((10, 20), 0.25), ((10, 20), 1.0))
    race = Race(split, request.node.name, (LINEAR,), 1, steps, 1.0)
    race.run(race.missing()[0], silent)
    small = race.runners("m")[0].frame["error"].to_numpy()
    run_all(race)
    whole = race.runners("m")[0].frame["error"].to_numpy()
    assert len(small) == len(whole) == 2 and not np.array_equal(small, whole)


def test_the_papers_numbers_belong_to_the_papers_data(race):
    assert not race.is_papers_mnist
    assert race.runners("m")[0].paper == ()


@pytest.mark.parametrize("small", [True, False])
def test_an_architecture_sees_patches(monkeypatch, request, small):
    data = datasets.load("photo_patches", max_samples=200)
    split = make_split(data, "standardise rows")
    monkeypatch.setattr(race_module, "_SMALL_SPLIT", 1e9 if small else 0)
    settings = EntrantSettings((), "scale", ("flat", "4-4", "full"))
    entrants = line_up(["CompositionalFeatures"], settings, data.image_shape)
    assert [entrant.label for entrant in architectures(entrants)] == ["4,4", "full"]
    patched, full = Race(split, request.node.name, entrants, 1, STEPS[:1], 1.0).entrants[1:]
    race = Race(split, request.node.name, (patched, full), 1, STEPS[:1], 1.0)
    run_all(race)
    assert not race.failures()
    assert all(len(race.segments(entrant, 0)) == 1 for entrant in race.entrants)


def test_architectures_need_images_that_are_large_enough():
    with pytest.raises(ParameterError, match="8×8 pixels"):
        line_up(["CompositionalFeatures"], EntrantSettings((), "scale", ("4-4",)), (8, 8))
    with pytest.raises(ParameterError, match="no images"):
        line_up(["CompositionalFeatures"], EntrantSettings((), "scale", ("4-4",)), None)
