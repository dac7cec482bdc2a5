"""Receptive fields and doubly stochastic training, as a reader meets them."""

import re

import pytest

from tests.browser.steps import RACE_MS, assert_comes, settle

pytestmark = pytest.mark.browser
NAMES = "(key) => rf.traces(key).filter((t) => t.mode === 'lines+markers').map((t) => t.name)"


def wait_for_the_end(page):
    page.get_by_text("Done.", exact=True).wait_for(timeout=RACE_MS)
    settle(page)


def test_a_slider_with_two_ends_starts_a_race_of_rectangles_and_writes_the_address(app, visit):
    page = visit(app, "accuracy?maps=RandomProjection,&references=,&m_max=60&seeds=1")
    wait_for_the_end(page)
    assert_comes(page, NAMES, "accuracy", ["Random projection"])
    page.get_by_role("button", name="More", exact=True).click()
    ends = page.get_by_test_id("stSlider").filter(has_text="Receptive fields").get_by_role("slider")
    ends.nth(1).wait_for(state="attached")
    low, _ = ends.all()
    low.focus()
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    page.get_by_text("Whole images too").wait_for()  # the menu stays open meanwhile
    wait_for_the_end(page)
    assert_comes(page, NAMES, "accuracy", ["Random projection", "Random projection, rectangles"])
    page.wait_for_url(re.compile(r"receptive_field=4(,|%2C)8"))
    assert "a random rectangle (4 to 8 pixels per side)" in page.get_by_test_id("stMain").inner_text()


def test_nothing_overflows_on_a_narrow_screen(app, visit):
    page = visit(app, "accuracy?receptive_field=3,6&doubly=true&maps=RandomFourier,&m_max=60&seeds=1&references=,")
    page.set_viewport_size({"width": 800, "height": 900})
    wait_for_the_end(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    assert_comes(page, f"(key) => ({NAMES})(key).length", "accuracy", 4)
