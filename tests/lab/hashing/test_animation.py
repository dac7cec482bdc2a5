"""Animations of hashing show the chart of the page, for every length, pool size, width and seed."""

import numpy as np
import pytest

from rfviz.cache import Cache
from rfviz.figures.traces import plotly_json
from rfviz.lab.hashing.page import PAGE
from rfviz.lab.page import compute
from rfviz.lab.preset import Preset

SMALL = {"data": "circle", "n_components": 48}


def shown(values, cache):
    """Return a page with settings, and the panel that answered."""
    panel = Preset(SMALL | values)
    source = PAGE.source(panel)
    return compute(PAGE, source, PAGE.settings(panel, source), cache), panel


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "control", "value"),
    [
        ({}, "n_components", 384),
        ({}, "pool_size", 24),
        ({"with_simhash": False, "look": "Near and far"}, "seed", 7),
        ({"map": "RandomBinning", "normalise": "none", "gamma": 2.4}, "gamma", 0.4),
    ],
)
def test_frames_are_the_chart_of_the_page(settings, control, value):
    cache = Cache()
    found, panel = shown(settings, cache)
    specs = {spec.control: spec for spec in PAGE.animations(found.source, found.settings, found.result, panel)}
    spec = specs[control]
    assert spec.now == panel.answers[control]
    played = spec.render(cache, 60.0)
    assert {spec.now, value} <= set(played.values)
    for number, moved in ((played.values.index(value), {control: value}), (played.values.index(spec.now), {})):
        live = shown(settings | moved, Cache())[0].charts[0]
        ((name, frame),) = played.frames[number].items()
        assert name == live.name
        assert plotly_json(frame.to_dict()) == plotly_json(live.figure.to_dict())
    assert not np.array_equal(
        *(played.frames[played.values.index(one)]["hamming"].data[2].y for one in (spec.now, value))
    )
    assert "theory" in played.captions[0] and ("seeds" in played.captions[0]) == (control == "seed")


def test_only_controls_of_the_hash_play():
    found, panel = shown({"map": "RandomProjection"}, Cache())
    names = [spec.control for spec in PAGE.animations(found.source, found.settings, found.result, panel)]
    assert names == ["n_components", "seed"]
