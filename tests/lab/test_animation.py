"""Which frames an animation has."""

import itertools

import pytest

from rfviz.cache import Cache
from rfviz.features import MapSpec, RandomMaxout
from rfviz.lab import animation
from rfviz.lab.animation import Animation, affordable, one_by_one, thinned


def test_what_is_too_large_is_left_out(monkeypatch):
    options = [10, 100, 1000, 10_000, 100_000]
    small = affordable(MapSpec(RandomMaxout, pool_size=4), (50, 2), options, 100, seconds=8.0)
    large = affordable(MapSpec(RandomMaxout, pool_size=64), (2000, 2000), options, 100, seconds=8.0)
    assert small == options
    assert large[-1] < 100_000 and 100 in large
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    assert affordable(MapSpec(RandomMaxout, pool_size=4), (50, 2), options, 100, seconds=8.0) == [10, 100]
    assert thinned(range(100), 5, 33) == [0, 25, 33, 50, 74, 99]
    assert thinned([1, 2, 3], 5, 2) == [1, 2, 3]


@pytest.mark.parametrize(("seconds", "found"), [(0.5, [0, 5]), (4, [0, 5, 16, 23]), (100, list(range(24)))])
def test_slow_pictures_are_fewer_and_near_the_present_one_first(monkeypatch, seconds, found):
    """By a clock that goes on by a second with each look at it."""
    clock, seen = itertools.count(), []
    monkeypatch.setattr(animation.time, "monotonic", lambda: next(clock))
    values, results = one_by_one(range(24), 5, lambda value: seen.append(value) or -value, Cache(), seconds)
    assert sorted(seen) == values == found, "none is computed twice"
    assert results == [-value for value in values] and seen[0] == 5


def test_fewer_frames_are_spread_and_hold_the_present_one():
    values = list(range(10, 40))
    frames = [{"chart": number} for number in values]
    whole = Animation(values, [f"at {number}" for number in values], frames, "a note")
    few = whole.fewer(5, 13)
    assert len(few.values) in (5, 6) and {10, 13, 39} <= set(few.values)
    assert [frame["chart"] for frame in few.frames] == list(few.values) and few.note == "a note"
    assert few.captions == [f"at {number}" for number in few.values]
    assert whole.fewer(100, 13).values == values
