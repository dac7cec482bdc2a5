"""Receptive fields: the rectangles and their law, weights confined to them, exact kernels, and what is refused."""

import itertools

import numpy as np
import pytest
from scipy import stats

from rfviz.errors import ParameterError
from rfviz.features import (
    RandomFourier,
    RandomMaxout,
    RandomProjection,
    RandomReLU,
    SharedPoolMaxout,
    SigmoidalRidge,
    receptive,
)
from rfviz.features.receptive import all_rectangles, count_rectangles, draw_rectangles, mask_weights
from tests.features.cases import unit_rows

ALARM = 1e-5
SHAPE, FIELD = (4, 5), (2, 4)
every_scheme = pytest.mark.parametrize(
    "scheme", [RandomMaxout, RandomProjection, RandomReLU, RandomFourier, SharedPoolMaxout, SigmoidalRidge]
)


def test_rectangles_are_nested_and_lie_within_the_image():
    many = draw_rectangles(3, 3000, FIELD, SHAPE)
    assert np.array_equal(many[:700], draw_rectangles(3, 700, FIELD, SHAPE))
    top, left, height, width = many.T
    assert (top >= 0).all() and (left >= 0).all() and (top + height <= 4).all() and (left + width <= 5).all()
    assert height.min() == width.min() == 2 and height.max() == width.max() == 4


@pytest.mark.parametrize(("field", "shape"), [(FIELD, SHAPE), ((3, 9), (4, 6, 3)), ((1, 1), (3, 2)), ((6, 6), (6, 6))])
def test_drawn_rectangles_follow_the_enumeration(field, shape):
    listed = {place: share for share, place in all_rectangles(field, shape)}
    assert sum(listed.values()) == pytest.approx(1.0, abs=1e-12)
    assert count_rectangles(field, shape) == len(listed)
    drawn = draw_rectangles(0, 40_000, field, shape)
    places, counts = np.unique(drawn, axis=0, return_counts=True)
    observed = dict(zip(map(tuple, places.tolist()), counts, strict=True))
    assert set(observed) <= set(listed)
    if len(listed) > 1:
        counts = np.array([observed.get(place, 0) for place in listed])
        assert stats.chisquare(counts, 40_000 * np.array(list(listed.values()))).pvalue > ALARM


def test_weights_outside_are_zero_and_inside_scaled():
    weights = np.ones((2, 600, 60))
    rectangles = draw_rectangles(1, 600, (2, 3), (4, 5, 3))
    mask_weights(weights, rectangles, (4, 5, 3))
    for feature, (top, left, height, width) in enumerate(rectangles):
        image = weights[1, feature].reshape(4, 5, 3)
        inside = image[top : top + height, left : left + width]
        np.testing.assert_allclose(inside, np.sqrt(20 / (height * width)))
        assert np.count_nonzero(image) == 3 * height * width
    assert np.array_equal(weights[0], weights[1])
    np.testing.assert_allclose((weights[0] ** 2).sum(axis=1), 60)  # ⟨w, x⟩ keeps its size on flat images


@every_scheme
def test_kernel_is_the_mean_over_rectangles_by_brute_force(scheme):
    X = np.random.default_rng(0).random((3, 20))
    given = {"gamma": 0.2} if scheme is RandomFourier else {}
    feature_map = scheme(receptive_field=FIELD, image_shape=SHAPE, **given).fit(X)
    plain = scheme(**given)
    total, count = 0.0, 0
    for height, width in itertools.product(range(2, 5), range(2, 5)):
        places = list(itertools.product(range(4 - height + 1), range(5 - width + 1)))
        for top, left in places:
            seen = np.zeros(SHAPE, bool)
            seen[top : top + height, left : left + width] = True
            cut = X * seen.ravel() * np.sqrt(20 / (height * width))
            total = (
                total + plain.fit(cut).kernel(cut) / len(places) if given else total + plain.kernel(cut) / len(places)
            )
        count += 1
    np.testing.assert_allclose(feature_map.kernel(X), total / count, rtol=1e-12, atol=1e-12)


@pytest.mark.slow
@every_scheme
def test_estimates_have_that_mean_and_variance(scheme):
    X = unit_rows(5, 20) + 0.3
    pairs = np.triu_indices(5)
    given = {"gamma": 0.2} if scheme is RandomFourier else {}
    keywords = {"receptive_field": FIELD, "image_shape": SHAPE, "dtype": "float64", **given}
    seeds, m = 600, 64
    estimates = np.empty((seeds, len(pairs[0])))
    for seed in range(seeds):
        feature_map = scheme(m, random_state=seed, **keywords).fit(X)
        features = feature_map.transform(X)
        estimates[seed] = (features @ features.T)[pairs]
    spread = estimates.std(axis=0) / np.sqrt(seeds)
    limit = stats.norm.isf(ALARM / 2 / len(spread))
    exact = spread < 1e-12  # k(x, x) of Fourier pairs
    deviation = estimates.mean(axis=0) - feature_map.kernel(X)[pairs]
    assert np.abs(deviation[exact]).max(initial=0) < 1e-12
    assert (np.abs(deviation[~exact]) < limit * spread[~exact]).all()
    law = feature_map.product_law(X)
    if law is None:
        return
    squares = (estimates - estimates.mean(axis=0)) ** 2
    z = (squares.mean(axis=0) - law.variance(m)[pairs]) / (squares.std(axis=0) / np.sqrt(seeds))
    assert (np.abs(z) < limit).all()


@every_scheme
def test_the_whole_image_is_no_field(scheme):
    X = np.random.default_rng(0).random((4, 9))
    whole = scheme(50, receptive_field=(3, 3), dtype="float64").fit(X)
    plain = scheme(50, dtype="float64").fit(X)
    if scheme is not SharedPoolMaxout:  # which draws its projections in groups
        np.testing.assert_allclose(whole.transform(X), plain.transform(X), rtol=0, atol=1e-12)
    np.testing.assert_allclose(whole.kernel(X), plain.kernel(X), rtol=0, atol=1e-12)
    assert whole.distance_law() is None


def test_the_members_of_a_feature_see_the_same_rectangle():
    feature_map = RandomMaxout(40, pool_size=3, receptive_field=(2, 3)).fit(np.ones((2, 36)))
    seen = feature_map.weights_ != 0
    assert (seen[0] == seen[1]).all() and (seen[0] == seen[2]).all()
    assert len({row.tobytes() for row in seen[0]}) > 20


@pytest.mark.parametrize(
    ("field", "shape", "message"),
    [
        ((8, 9), (5, 4), "receptive_field must begin at the longer side of the image, 5 pixels"),
        ((3, 2), (5, 4), r"receptive_field must be None or a pair \(low, high\)"),
        (4, (5, 4), r"receptive_field must be None or a pair \(low, high\)"),
        ((1, 2), (5, 5), "image_shape must have as many pixels as the data have columns, 20"),
        ((1, 2), 20, r"image_shape must be \(height, width\)"),
        ((1, 2), (5, -4), r"image_shape must be \(height, width\)"),
    ],
)
def test_bad_fields_and_shapes(field, shape, message):
    with pytest.raises(ParameterError, match=message):
        RandomMaxout(10, receptive_field=field, image_shape=shape).fit(np.ones((3, 20)))


def test_a_kernel_of_too_many_rectangles_is_refused(monkeypatch):
    monkeypatch.setattr(receptive, "_MOST_ENTRIES", 1000)
    monkeypatch.setattr(receptive, "all_rectangles", None)  # too many to be listed
    feature_map = RandomProjection(10, receptive_field=(1, 4), image_shape=(5, 4)).fit(np.ones((9, 20)))
    with pytest.raises(ParameterError, match=r"must allow at most 12 rectangles .* of 81 pairs; got .* with 140"):
        feature_map.kernel(np.ones((9, 20)))
