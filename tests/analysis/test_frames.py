"""Every frame of a film is what the analysis gives at that number of features, one by one."""

import numpy as np

from rfviz.analysis.cooccurrence import exact_map, pixel_map, sample_features
from rfviz.analysis.frames_cooccurrence import cooccurrence_over_features
from rfviz.skeleton import preset


def test_maps_of_pixels_are_those_of_each_number_of_features():
    skeleton = preset("2 convolutions", (12, 12, 1), shrink=True)
    sample, exact, counts = sample_features(skeleton, 20_000, 0), exact_map(skeleton, 30), (1000, 5000, 20_000)
    for count, found in zip(counts, cooccurrence_over_features(sample, 30, counts, exact), strict=True):
        alone = pixel_map(sample_features(skeleton, count, 0), 30, count)
        np.testing.assert_array_equal(found.correlation, alone.correlation)
        np.testing.assert_allclose(found.rms, alone.rms)
