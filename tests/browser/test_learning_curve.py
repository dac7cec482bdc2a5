"""Learning curves, as a person uses them: a click on the map takes a curve, and the best penalty removes the peak."""

import pytest

from tests.browser.steps import changes, settle, slider, wait_for_chart, wait_for_query

pytestmark = pytest.mark.browser

SLUG, CURVE, MAP = "learning-curve", "learning-curve", "rows-and-features"


@pytest.fixture
def page(app, visit):
    page = visit(app, f"{SLUG}?n=100&draws=2")
    wait_for_chart(page, CURVE)
    wait_for_chart(page, MAP)
    settle(page)
    return page


def test_a_click_on_the_map_takes_the_curve_of_its_rows_and_the_best_penalty_its_peak_away(page):
    area = page.locator(f".st-key-{MAP} .nsewdrag").first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    before, text = int(slider(page, "Rows").get_attribute("aria-valuetext")), page.get_by_test_id("stMain")

    def click():
        page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.8 * box["height"])

    changes(page, CURVE, click)
    now = slider(page, "Rows").get_attribute("aria-valuetext")
    assert int(now) < before, "the map has few rows at the bottom"
    wait_for_query(page, n=now)
    assert f"With m = n = {now} the features just fit every row" in text.inner_text()
    assert "the test error explodes" in text.inner_text()
    changes(page, CURVE, lambda: page.get_by_text("Best penalty", exact=True).click())
    settle(page)
    assert "explodes" not in text.inner_text() and "there is no peak at m = n" in text.inner_text()
    assert not slider(page, "Penalty").count()
