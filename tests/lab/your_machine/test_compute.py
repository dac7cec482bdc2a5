"""Speeds of maps: sizes follow from times by proportion, shares from the limit, and all of it can be told."""

import dataclasses
import json

import numpy as np
import pytest

from rfviz._version import __version__
from rfviz.backend import Rates
from rfviz.features import RandomFourier, RandomMaxout, RandomProjection
from rfviz.features.cost import Work
from rfviz.lab.your_machine import compute
from rfviz.lab.your_machine.compute import (
    BUDGETS,
    ROWS,
    M,
    Speed,
    digit_rows,
    glance,
    measure,
    recorded,
    to_frame,
    two_digits,
    with_best_rates,
)
from rfviz.lab.your_machine.text import issue_text

RATES = Rates("cpu", 1e9, 5e8, None, 1e9)
# 1 µs a feature to draw and 1 ns a feature and row to map; 0.5 s at the limit of a second.
SPEED = Speed(
    RandomMaxout,
    "cpu",
    1000,
    64,
    1000,
    1e-3,
    1e-3,
    Work(500_000, 1000, 500_000),
    RATES,
    "float32",
    0.5,
    (1000, 0.002),
    3e-4,
)


def test_share_and_what_sets_the_limit():
    assert SPEED.share == pytest.approx(0.5) and SPEED.bound == "arithmetic"
    assert dataclasses.replace(SPEED, work=Work(500_000, 10**6)).bound == "memory"
    better = dataclasses.replace(SPEED, rates=Rates("cpu", 2e9, 1e8, None, 1e8))
    assert [speed.share for speed in with_best_rates([SPEED, better])] == pytest.approx([0.25, 0.25])
    assert with_best_rates([]) == []


def test_sizes_take_the_time_that_was_asked_for():
    assert SPEED.seconds(1000, 1000) == pytest.approx(2e-3)
    for budget in BUDGETS:
        m, n = SPEED.largest_m(budget), SPEED.largest_n(budget)
        assert 0.9 * budget < SPEED.seconds(ROWS, m) <= budget * (1 + 1e-9) or m == 10_000_000
        assert 0.9 * budget < SPEED.seconds(n, M) <= budget * (1 + 1e-9)
    assert dataclasses.replace(SPEED, draw_seconds=1.0).largest_n(0.2) == 0


@pytest.mark.parametrize("value", [0.0, 7.9, 99.0, 123.0, 9999.0, 4_321_000.0])
def test_two_digits_are_rounded_down(value):
    rounded = two_digits(value)
    assert rounded <= value and len(str(rounded).rstrip("0")) <= 2
    assert value - rounded < max(0.1 * value, 1.0)


def test_measured_speed_is_what_was_run(monkeypatch):
    monkeypatch.setattr(compute, "TURNS", 1)
    monkeypatch.setattr(compute, "DRAWS", 1)
    told = []
    speed = measure(RandomProjection, lambda share, words: told.append(share))
    assert told == sorted(told) and told[0] == 0.0
    assert (speed.n_features, speed.n_components) == (64, 1000) and speed.n_samples >= 1000
    assert speed.work.products == 2 * speed.n_samples * 1000 * 64
    assert speed.verified[0] <= speed.largest_m(0.2) and speed.verified[1] > 0
    assert 1e-6 < speed.tf32_error < 1e-2


def test_a_glance_agrees_with_a_measurement_but_for_what_else_runs(monkeypatch):
    for name in ("TURNS", "DRAWS"):
        monkeypatch.setattr(compute, name, 1)
    timing, speed = glance(RandomProjection), measure(RandomProjection)
    assert not isinstance(timing, Speed)
    assert (timing.n_features, timing.n_components) == (64, 1000) and timing.n_samples >= 1000
    assert timing.work.products == 2 * timing.n_samples * 1000 * 64
    # A row costs both the same; ten times more or less would be another machine.
    per_row = [one.map_seconds / one.n_samples for one in (timing, speed)]
    assert 0.1 < per_row[0] / per_row[1] < 10
    assert with_best_rates([timing])[0].share == pytest.approx(timing.share)


def test_rows_are_the_digits_again_and_again():
    rows = digit_rows(2000)
    assert rows.shape == (2000, 64) and rows.dtype == np.float32
    np.testing.assert_array_equal(rows[1797:], rows[:203])


def test_table_and_text_hold_every_map():
    other = dataclasses.replace(SPEED, cls=RandomFourier)
    frame = to_frame([SPEED, other])
    assert list(frame["map"]) == ["Random maxout", "Random Fourier"]
    assert frame["% of the limit"].tolist() == pytest.approx([50.0, 50.0])
    text = issue_text([SPEED, other])
    assert f"rfviz {__version__}" in text and "1 Gflop/s in float32" in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 4 and len({line.count("|") for line in table}) == 1


def test_recorded_results_name_date_and_device(tmp_path):
    made = {
        "old": {"machine": {"date": "2026-01-02T03:04:05", "processor": "A", "blas": {"cores": 4}}},
        "new": {"machine": {"date": "2026-02-02", "processor": "A"}, "device": "A GPU, 80 GiB"},
        "nameless": {"rows": []},
        "list": [],
    }
    for name, content in made.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    (tmp_path / "damaged.json").write_text("{", encoding="utf-8")
    found = recorded(tmp_path).to_dict("records")
    assert found == [
        {"result": "new", "date": "2026-02-02", "device": "A GPU, 80 GiB"},
        {"result": "old", "date": "2026-01-02", "device": "A, 4 cores"},
    ]
    assert recorded(tmp_path / "nowhere").empty
