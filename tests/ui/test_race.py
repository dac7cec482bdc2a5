"""The race behind the accuracy page: what is known is kept, what fails says why, what is missing is added."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.accuracy import make_split
from rfviz.analysis.progress import silent
from rfviz.errors import MemoryBudgetError
from rfviz.ui import race as race_module
from rfviz.ui.race import Entrant, Race

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
