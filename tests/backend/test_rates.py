"""What a device can do at best: measured once, believable, and turned into the least time of a piece of work."""

import itertools

import numpy as np
import pytest

from rfviz.backend import Rates, Stopwatch, known_rates, measure_rates, rates
from rfviz.features.cost import Work

SLOW = Rates("x", 10.0, 5.0, None, 2.0)


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(rates, "_known", {})
    monkeypatch.setattr(rates, "_TURNS", 1)
    monkeypatch.setattr(rates, "_GPU_SIDES", (64,))
    monkeypatch.setattr(rates, "_GPU_COPIED", 1_000_000)


def test_rates_are_measured_once_and_are_those_of_this_machine():
    assert known_rates("cpu") is None
    found = rates.get_rates("cpu")
    assert rates.get_rates("cpu") is found is known_rates("cpu")
    # A product of matrices takes as long as its rate says, within what a busy machine makes of it.
    a = np.ones((512, 512), np.float32)
    seconds = min(rates.seconds_of(rates.get_device("cpu"), lambda: a @ a) for _ in range(20))
    assert 0.02 < 2 * 512**3 / seconds / found.products < 50
    assert found.tf32_products is None and found.double_products > 0 and found.bandwidth > 1e7


def test_a_gpu_has_rates_for_tf32_too(fake_gpu):
    before = fake_gpu.memory.used
    found = measure_rates("cuda:0")
    assert found.device == "cuda:0" and found.tf32_products > 0
    assert fake_gpu.memory.used == before  # nothing stays on the device


def test_measuring_stops_where_its_report_raises():
    with pytest.raises(KeyError):
        measure_rates("cpu", lambda share, words: {}["stop"])
    assert known_rates("cpu") is None


def test_only_the_best_turn_counts():
    watch = Stopwatch(rates.get_device("cpu"))
    seen = []
    for _ in range(6):
        watch.turn()
        seen.append(watch.rates())
    for first, second in itertools.pairwise(seen):
        assert second.products >= first.products and second.bandwidth >= first.bandwidth
        assert first.best(second) == second.best(first) == second
    assert SLOW.best(Rates("x", 1.0, 50.0, 7.0, 1.0)) == Rates("x", 10.0, 50.0, 7.0, 2.0)


@pytest.mark.parametrize(
    ("work", "precision", "seconds"),
    [
        (Work(flops=100, bytes=2, products=80), "float32", 10.0),
        (Work(flops=100, bytes=200, products=80), "float32", 100.0),
        (Work(flops=100, bytes=2, products=80, double=True), "tf32", 20.0),
        (Work(flops=100, bytes=2, products=80), "tf32", 10.0),
    ],
)
def test_least_time(work, precision, seconds):
    assert SLOW.limit(work, precision) == pytest.approx(seconds)


def test_products_in_tf32_run_beside_everything_else():
    tensor = Rates("x", 10.0, 5.0, 40.0, 1e9)
    assert tensor.limit(Work(flops=100, bytes=2, products=80), "tf32") == pytest.approx(2.0)
