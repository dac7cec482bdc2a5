"""The steps of one feature end at what the map itself gives."""

import re

import numpy as np
import pytest

from rfviz.errors import ParameterError
from rfviz.features import MAPS, CompositionalFeatures, HybridCompositional, RandomFourier, RandomMaxout
from rfviz.lessons.latex import latex_mistake
from rfviz.skeleton import convolutions
from tests.features.cases import CASES, IDS, Case, dense, make

TOLD = {"CompositionalFeatures", "HybridCompositional", "LinearFourier", "RandomActivation", "RandomFourier",
        "RandomMaxout", "RandomPool", "RandomProjection", "RandomReLU", "SharedPoolMaxout",
        "SigmoidalRidge"}  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_the_last_step_is_the_feature(case: Case) -> None:
    X = np.random.default_rng(3).random((2, 16))
    for seed, dtype in ((0, "float32"), (7, "float64")):
        fitted = make(case, n_components=12, random_state=seed, dtype=dtype).fit(X)
        for row in (0, 1):
            features = dense(fitted.transform(X[row : row + 1]))
            for feature in (0, 1, features.shape[1] - 1):
                steps = fitted.explain(X[row : row + 1], feature)
                tolerance = 3e-6 if dtype == "float32" else 1e-12
                assert steps[-1].value == pytest.approx(float(features[0, feature]), abs=tolerance)
                assert not any(latex_mistake(step.latex) for step in steps)


def test_maps_tell_more_than_their_value():
    X = np.random.default_rng(3).random((2, 16))
    for cls in MAPS:
        steps = make((cls.__name__, {}), n_components=12).fit(X).explain(X[:1], 0)
        assert (len(steps) > 1) == (cls.__name__ in TOLD)


def test_the_projection_that_wins_is_the_code():
    X = np.random.default_rng(5).standard_normal((5, 3))
    fitted = RandomMaxout(n_components=20, pool_size=6, random_state=1).fit(X)
    codes = fitted.codes(X)
    for row in range(5):
        for feature in range(20):
            pool = [step for step in fitted.explain(X[row : row + 1], feature) if step.competes]
            assert len(pool) == 6
            assert [step.wins for step in pool].index(True) == codes[row, feature]


def test_long_sums_are_shortened_and_their_value_is_whole():
    X = np.random.default_rng(5).standard_normal((2, 64))
    angle = RandomFourier(n_components=4, gamma=0.1).fit(X).explain(X[:1], 0)[0]
    assert "61 more" in angle.latex


@pytest.mark.parametrize("channels", [1, 3])
def test_a_compositional_feature_names_its_pixels(channels):
    """Each is worked out from the image: the sum of the angles of the pixels that are named is that of the cosine."""
    image = np.random.default_rng(1).random((5, 6, channels))
    layers = [(3, 1, {"kind": "exponential", "scale": 1.5})]
    fitted = CompositionalFeatures(30, skeleton=convolutions(image.shape, layers)).fit(image.reshape(1, -1))
    named = 0
    for feature in range(30):
        *terms, wave, _ = fitted.explain(image.reshape(1, -1), feature)
        total = 0.0
        for step in terms:
            assert step.words.startswith("Each pixel (row, column" + ", colour" * (channels == 3))
            multiple, name = re.match(r"(-?\d+)\\cdot \\theta_\{([\d,]+)\}", step.latex).groups()
            place = tuple(int(number) - 1 for number in name.split(","))
            value = image[place] if channels == 3 else image[place][0]
            total += int(multiple) * np.pi * value
            named += 1
        sine = np.pi / 2 if r"\tfrac{\pi}{2}" in wave.latex else 0.0
        assert np.cos(total + sine) == pytest.approx(wave.value, abs=1e-5)
    assert named > 10


@pytest.mark.parametrize("paired", [False, True])
def test_a_hybrid_feature_names_its_patches(paired):
    image = np.random.default_rng(1).random((1, 64))
    fitted = HybridCompositional(40, skeleton="deep", paired=paired, dtype="float64").fit(image)
    Phi, told = fitted.transform(image)[0], 0
    for feature in range(40):
        *patches, wave, last = fitted.explain(image, feature)
        assert last.value == pytest.approx(Phi[feature], abs=1e-12)
        function = np.sin if paired and feature % 2 else np.cos
        if paired:
            assert wave.value == pytest.approx(function(sum(step.value for step in patches)))
        for step in patches:
            first, last = (np.array(corner.split(","), int) for corner in re.findall(r"\d+,\d+", step.words))
            assert (last - first == last[0] - first[0]).all() and last.max() <= 8  # a square of an 8×8 image
            told += 1
    assert told > 20


def test_a_feature_that_there_is_not_is_refused():
    X = np.eye(3)
    fitted = CompositionalFeatures(n_components=8).fit(X)
    with pytest.raises(ParameterError, match="feature"):
        fitted.explain(X[:1], 8)
    with pytest.raises(ParameterError, match="one row"):
        fitted.explain(X, 0)
