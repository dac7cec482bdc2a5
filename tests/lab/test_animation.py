"""Which frames an animation has."""

from rfviz.features import MapSpec, RandomMaxout
from rfviz.lab.animation import affordable, thinned


def test_what_is_too_large_is_left_out(monkeypatch):
    options = [10, 100, 1000, 10_000, 100_000]
    small = affordable(MapSpec(RandomMaxout, pool_size=4), (50, 2), options, 100)
    large = affordable(MapSpec(RandomMaxout, pool_size=64), (2000, 2000), options, 100)
    assert small == options
    assert large[-1] < 100_000 and 100 in large
    monkeypatch.setenv("RFVIZ_MEMORY_GB", "0.001")
    assert affordable(MapSpec(RandomMaxout, pool_size=4), (50, 2), options, 100) == [10, 100]
    assert thinned(range(100), 5, 33) == [0, 25, 33, 50, 74, 99]
    assert thinned([1, 2, 3], 5, 2) == [1, 2, 3]
