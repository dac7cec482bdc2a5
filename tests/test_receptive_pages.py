"""Pages whose data are images draw what confined features do; others do not offer it."""

import pytest

from tests.app_pages import EMBEDDING, SATURATION, UNFOLDED, opened, specs
from tests.page_settings import OTHERS

FIELD = {"receptive_field": (3, 5)}


@pytest.mark.slow
@pytest.mark.parametrize("slug", [SATURATION, EMBEDDING])
@pytest.mark.parametrize("scheme", ["RandomMaxout", "SharedPoolMaxout", "RandomFourier"])
def test_rectangles_change_the_picture_of_images(slug, scheme):
    setting = {"data": "digits", "map": scheme, "n_components": 200}
    confined = opened(slug, {**setting, **FIELD} | UNFOLDED)
    assert not confined.error and not confined.warning
    assert specs(confined) != specs(opened(slug, setting | UNFOLDED))


@pytest.mark.parametrize("slug", [SATURATION, EMBEDDING])
def test_data_that_are_no_images_have_no_rectangles(slug):
    at = opened(slug, {"data": "sphere"})
    assert not at.error and f"{slug}.receptive_field" not in at.session_state


def test_rarer_settings_are_behind_a_button_that_says_what_is_set():
    def captions(at):
        return [caption.value for caption in at.caption]

    small = OTHERS["accuracy"][1]
    assert not any("Penalty" in text for text in captions(opened("accuracy", small)))
    at = opened("accuracy", small, {"alpha": "1", "doubly": "true"})
    assert any("Doubly stochastic: on · Penalty α: 1" in text for text in captions(at))
    assert [popover.proto.popover.label for popover in at.get("popover")].count("More") == 1
    hide = "seeds,pools,gamma,further.gamma,spectrum,draw,paired,doubly,receptive_field,loss,alpha,exact,"
    hide += "measure,intercept"
    hidden = opened("accuracy", small, {"hide": hide})
    assert "More" not in [popover.proto.popover.label for popover in hidden.get("popover")]
