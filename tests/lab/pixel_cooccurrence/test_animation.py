"""Every frame of an animation is what the computation gives for that number of features, one by one."""

import numpy as np
import pytest

from rfviz.cache import Cache
from rfviz.experiments.pixel_cooccurrence.compute import exact_map, pixel_map, sample_features
from rfviz.lab.page import compute
from rfviz.lab.pixel_cooccurrence.animation import over_features
from rfviz.lab.pixel_cooccurrence.page import PAGE
from rfviz.lab.preset import Preset
from rfviz.skeleton import preset


def test_maps_of_pixels_are_those_of_each_number_of_features():
    skeleton = preset("2 convolutions", (12, 12, 1), shrink=True)
    sample, exact, counts = sample_features(skeleton, 20_000, 0), exact_map(skeleton, 30), (1000, 5000, 20_000)
    for count, found in zip(counts, over_features(sample, 30, counts, exact), strict=True):
        alone = pixel_map(sample_features(skeleton, count, 0), 30, count)
        np.testing.assert_array_equal(found.correlation, alone.correlation)
        np.testing.assert_allclose(found.rms, alone.rms)


@pytest.mark.parametrize(("seconds", "last"), [(60.0, 2_000_000), (0.0, 10_000)])
def test_more_features_are_drawn_as_time_allows(seconds, last):
    panel = Preset({"side": 8, "features": 10_000})
    source = PAGE.source(panel)
    found = compute(PAGE, source, PAGE.settings(panel, source), Cache())
    spec = next(
        one for one in PAGE.animations(source, found.settings, found.result, panel) if one.control == "features"
    )
    played = spec.render(Cache(), seconds)
    assert last <= played.values[-1] < 2 * last and played.values[-1] <= spec.options[-1]
    assert played.note == ("" if seconds else f"up to {played.values[-1]:,}: more have not been drawn")
