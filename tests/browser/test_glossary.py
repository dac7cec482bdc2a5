"""Terms with a definition: under the pointer, at a tap, and by the keyboard."""

import pytest

from tests.browser.steps import SATURATION, settle, slider, wait_for_chart

pytestmark = pytest.mark.browser


def test_a_term_shows_what_it_means(app, visit):
    page = visit(app, "distance-saturation")
    wait_for_chart(page, SATURATION)
    settle(page)
    term, card = page.locator('a[href="#term-plateau"]'), page.get_by_role("tooltip").filter(has_text="plateau")
    assert term.count() == 1
    term.hover()
    card.wait_for()
    assert "becomes flat" in card.inner_text()
    card.hover()  # to read on
    page.wait_for_timeout(400)
    assert card.is_visible() and term.get_attribute("aria-describedby") == card.get_attribute("id")
    page.keyboard.press("Escape")
    card.wait_for(state="hidden")
    address = page.url
    term.click()
    card.wait_for()
    assert page.url == address
    page.mouse.click(5, 5)
    card.wait_for(state="hidden")
    page.locator('a[href="#term-radius"]').focus()
    page.keyboard.press("Shift+Tab")
    card.wait_for()
    box = card.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]
    # The text is drawn again by a slider: the term keeps its link, and is linked once.
    slider(page, "Features").press("ArrowRight")
    settle(page)
    assert term.count() == 1
