"""Every frame of an animation is what the computation gives for that number of features, one by one."""

import numpy as np

from rfviz.lab.pixel_cooccurrence.animation import over_features
from rfviz.lab.pixel_cooccurrence.compute import exact_map, pixel_map, sample_features
from rfviz.skeleton import preset


def test_maps_of_pixels_are_those_of_each_number_of_features():
    skeleton = preset("2 convolutions", (12, 12, 1), shrink=True)
    sample, exact, counts = sample_features(skeleton, 20_000, 0), exact_map(skeleton, 30), (1000, 5000, 20_000)
    for count, found in zip(counts, over_features(sample, 30, counts, exact), strict=True):
        alone = pixel_map(sample_features(skeleton, count, 0), 30, count)
        np.testing.assert_array_equal(found.correlation, alone.correlation)
        np.testing.assert_allclose(found.rms, alone.rms)
