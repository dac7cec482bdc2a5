"""Pages whose data are images draw what confined features do; others do not offer it."""

import pytest

from rfviz import datasets
from rfviz.analysis.pairs import prepare_pairs
from rfviz.analysis.saturation import saturation
from tests.app_pages import EMBEDDING, SATURATION, UNFOLDED, opened, specs

FIELD = {"receptive_field": (3, 5)}


@pytest.mark.parametrize("slug", [SATURATION, EMBEDDING])
@pytest.mark.parametrize("scheme", ["RandomMaxout", "SharedPoolMaxout", "RandomFourier"])
def test_rectangles_change_the_picture_of_images(slug, scheme):
    setting = {"data": "digits", "scheme": scheme, "n_components": 200}
    confined = opened(slug, {**setting, **FIELD} | UNFOLDED)
    assert not confined.error and not confined.warning
    assert specs(confined) != specs(opened(slug, setting | UNFOLDED))


@pytest.mark.parametrize("slug", [SATURATION, EMBEDDING])
def test_data_that_are_no_images_have_no_rectangles(slug):
    at = opened(slug, {"data": "sphere"})
    assert not at.error and f"{slug}.receptive_field" not in at.session_state


def test_there_is_no_law_of_distances_for_rectangles():
    pairs = prepare_pairs(datasets.load("digits"), "unit norm")
    setting = {"n_components": 400, "receptive_field": (3, 5), "image_shape": (8, 8)}
    result = saturation(pairs, "RandomMaxout", [setting], ["q = 4"])
    (curve,) = result.curves
    assert curve.expected is None and curve.plateau is None and curve.counts.sum() > 0
