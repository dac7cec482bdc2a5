"""Maps that the laboratory makes for data that are images know the shape of these."""

import warnings

import pytest

from tests.lab.sentences import page_at

PHOTOGRAPHS = {"data": "photo_patches", "normalise": "none"}
PAGES = {
    "kernel-approximation": {"maps": ["CompositionalFeatures", "HybridCompositional"], "skeleton": "deep"}
    | {"points": 16, "m_max": 100, "draws": 1},
    "accuracy": {"maps": ["CompositionalFeatures"], "skeletons": ["flat", "deep"], "references": []}
    | {"m_max": 100, "seeds": 1},
    "distance-saturation": {"map": "CompositionalFeatures", "skeleton": "deep", "n_components": 50},
}


@pytest.mark.parametrize("slug", PAGES)
def test_the_shape_of_images_is_not_guessed(slug):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        page_at(slug, PAGES[slug] | PHOTOGRAPHS)
    assert not [str(one.message) for one in caught if "are taken for images" in str(one.message)]
