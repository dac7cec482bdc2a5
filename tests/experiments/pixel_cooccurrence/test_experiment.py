"""Pixel co-occurrence without the laboratory: skeletons by name or by their layers, and samples that go on."""

import numpy as np
import pandas as pd
import pytest

from rfviz.cache import Cache
from rfviz.errors import ParameterError
from rfviz.experiments import PixelCooccurrence
from rfviz.experiments.pixel_cooccurrence.compute import sample_features
from rfviz.experiments.pixel_cooccurrence.experiment import drawn_sample
from rfviz.features import CompositionalFeatures
from rfviz.skeleton import PRESETS, convolutions, preset

SMALL = {"side": 12, "n_features": 2000}


@pytest.mark.parametrize("layers", [["3/1/identity", "identity"], ["4/2/identity", "3/1/identity", "identity"]])
def test_counted_features_are_those_of_the_librarys_map(layers):
    """With one path per feature nothing cancels: what is counted can be read off the fitted map."""
    pixel, n = 5 * 12 + 7, 20_000
    (skeleton,) = PixelCooccurrence(skeleton=layers, side=12, colour=True).skeletons.values()
    fitted = CompositionalFeatures(n, skeleton=skeleton, deduplicate=False, random_state=3)
    fitted.fit(np.zeros((1, skeleton.n_columns)))
    pixels = fitted.columns_ // 3
    assert len(pixels) == n
    experiment = PixelCooccurrence(skeleton=layers, side=12, colour=True, n_features=n, seed=fitted.seed_, pixel=pixel)
    ((found,),) = experiment.run().numbers.values()
    np.testing.assert_allclose(found.single, np.bincount(pixels, minlength=144) / n)
    assert found.occurs == np.sum(pixels == pixel) > 0
    assert found.joint.sum() == found.single[pixel], "no feature has a second pixel"


@pytest.mark.parametrize("name", PRESETS)
def test_a_name_and_its_layers_are_one_skeleton(name):
    named = PixelCooccurrence(skeleton=name, **SMALL)
    written = PixelCooccurrence(skeleton=[row.to_text() for row in named.rows], **SMALL)
    assert list(named.skeletons.values()) == list(written.skeletons.values())
    assert named.skeletons[name] == preset(name, (12, 12, 1), shrink=True)
    assert eval(repr(written), {"PixelCooccurrence": PixelCooccurrence}) == written != named
    pd.testing.assert_frame_equal(named.run().to_frame(), written.run().to_frame())


def test_the_default_is_figure_4_of_the_paper():
    result = PixelCooccurrence(**SMALL).run()
    frame = result.to_frame()
    assert list(result.charts) == ["grid", "grid-exact"] and len(frame) == 16 * 144
    one = PixelCooccurrence(skeleton="1 convolution", pixel=26, **SMALL).run().to_frame()
    part = frame[(frame["skeleton"] == "1 convolution") & (frame["framed"] == 26)]
    pd.testing.assert_frame_equal(part[one.columns].reset_index(drop=True), one)


def test_figure_4_has_the_windows_and_the_activation_that_are_asked_for():
    found = PixelCooccurrence(windows=["5/2", "3/1 2/2", "4/4"], activation="exponential/0.25", **SMALL).skeletons
    assert list(found) == ["flat", "1 convolution", "2 convolutions", "1 convolution, 4/4"]
    quarter = {"kind": "exponential", "scale": 0.25}
    own = convolutions((12, 12, 1), [(3, 1, quarter), (2, 2, quarter)], quarter)
    assert found["2 convolutions"] == own and found["flat"] == preset("flat", (12, 12, 1))
    shrunk = PixelCooccurrence(windows=["9/2"], side=6, n_features=1000).skeletons["1 convolution"]
    assert shrunk == convolutions((6, 6, 1), [(6, 2, "relu")], "relu")


def test_the_default_pixel_is_in_the_middle():
    assert "row 6, column 6" in PixelCooccurrence(skeleton="flat", **SMALL).run().summary()


def test_a_sample_continues_where_a_smaller_one_ends(monkeypatch):
    starts = []

    def watched(skeleton, n, seed, start, progress):
        starts.append((n, start and start.n_features))
        return sample_features(skeleton, n, seed, start, progress)

    monkeypatch.setattr("rfviz.experiments.pixel_cooccurrence.experiment.sample_features", watched)
    cache, skeleton = Cache(), preset("1 convolution", (12, 12, 1), shrink=True)
    small, large = (drawn_sample(skeleton, 0, n, cache) for n in (8000, 60_000))
    assert starts == [(8192, None), (65_536, 8192)]
    np.testing.assert_array_equal(large.pixels[: len(small.pixels)], small.pixels)
    assert drawn_sample(skeleton, 0, 9000, cache) is large, "a larger sample is enough"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"skeleton": "2 convolution"}, "skeleton must be one of 'flat'.* or layers such as"),
        ({"skeleton": ["5/2/relu"]}, "skeleton must be one of"),
        ({"skeleton": ["5/2", "relu"]}, "skeleton must be one of"),
        ({"skeleton": ["5/2/relu", "relu", "relu"]}, "skeleton must be one of"),
        ({"skeleton": []}, "skeleton must be one of"),
        ({"skeleton": 3}, "skeleton must be one of"),
        ({"skeleton": ["exponential/-1"]}, "scale must be"),
        ({"skeleton": ["13/1/relu", "relu"]}, "Layer 1, size must fit"),
        ({"skeleton": "flat", "pixel": 144}, "pixel must be an integer from 0 to 143"),
        ({"pixel": 3}, "pixel must be left out of Figure 4"),
        ({"windows": ["5"]}, "windows must be windows with their strides"),
        ({"windows": ["3/4"]}, "no stride beyond its window"),
        ({"windows": [""]}, "windows must be"),
        ({"activation": "step"}, "activation must be one of"),
        ({"side": 5}, "side must be an integer from 6 to 32"),
        ({"n_features": 0}, "n_features must be an integer from 1"),
        ({"seed": -1}, "seed must be an integer of at least 0"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        PixelCooccurrence(**(SMALL | settings)).run()
