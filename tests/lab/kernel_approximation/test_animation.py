"""Animations of kernel approximation show the charts of the page, for every m and every pool size."""

import numpy as np
import pytest

from rfviz.cache import Cache
from rfviz.experiments.kernel_approximation.experiment import NothingComputedError
from rfviz.lab.kernel_approximation.page import PAGE
from rfviz.lab.page import compute
from rfviz.lab.preset import Preset

SMALL = {"points": 16, "m_max": 100, "draws": 2}


def shown(values):
    """Return a page with settings, the panel that answered, and a cache."""
    panel, cache = Preset(SMALL | values), Cache()
    source = PAGE.source(panel)
    return compute(PAGE, source, PAGE.settings(panel, source), cache), panel, cache


@pytest.mark.parametrize(("number", "control", "value"), [(0, "m", 38), (1, "pool_size", 8)])
def test_frames_are_the_charts_of_the_page(number, control, value):
    found, panel, cache = shown({"metric": "mae"})
    spec = PAGE.animations(found.source, found.settings, found.result, panel)[number]
    assert (spec.control, spec.now) == (control, panel.answers[control])
    played = spec.render(cache, 8.0)
    frame = played.frames[played.values.index(value)]
    charts = {chart.name: chart.figure for chart in shown({"metric": "mae", control: value})[0].charts}
    assert list(frame) == ["kernel-error", "cloud-0", "cloud-1"]
    for name, figure in frame.items():
        for one, other in zip(figure.data, charts[name].data, strict=True):
            np.testing.assert_allclose(np.array(one.y, dtype=float), np.array(other.y, dtype=float))
    assert "MAE" in played.captions[0] and "1/√m predicts" in played.captions[0]


def test_pools_play_only_where_every_map_has_a_result():
    found, panel, _ = shown({"maps": ["RandomFourier"]})
    names = [spec.control for spec in PAGE.animations(found.source, found.settings, found.result, panel)]
    assert names == ["m"]


def test_without_any_map_the_reason_is_said():
    with pytest.raises(NothingComputedError, match=r"maps must hold a map that can be computed.*Choose") as error:
        shown({"maps": []})
    assert not error.value.failures
