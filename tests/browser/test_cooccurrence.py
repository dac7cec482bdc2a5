"""Pixel co-occurrence, as a person uses it: a click picks a pixel, layers are added, Figure 4 is one click."""

import pytest

from tests.browser.steps import changes, open_more, settle, slider, unfold, wait_for_chart, wait_for_query

pytestmark = pytest.mark.browser

SLUG, MAPS = "pixel-cooccurrence", "maps"
MARK = "() => rf.traces('maps').filter((t) => t.type === 'scatter').map((t) => [t.x[0], t.y[0]])[0]"
# The middle of a pixel of the first map, or of the second, in the window.
PLACE = """([column, row]) => {
  const { xaxis, yaxis } = rf.chart('maps')._fullLayout, box = rf.chart('maps').getBoundingClientRect();
  return [box.left + xaxis._offset + xaxis.d2p(column), box.top + yaxis._offset + yaxis.d2p(row)];
}"""


@pytest.fixture
def page(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, MAPS)
    return page


def click_pixel(page, column, row):
    page.mouse.click(*page.evaluate(PLACE, [column, row]))


@pytest.mark.journey
def test_a_click_picks_the_pixel(page):
    changes(page, MAPS, lambda: click_pixel(page, 4, 7))
    page.wait_for_function(f"({MARK})().join() === '4,7'")
    open_more(page)
    assert slider(page, "Pixel row").get_attribute("aria-valuetext") == "8"
    assert slider(page, "Pixel column").get_attribute("aria-valuetext") == "5"
    wait_for_query(page, row="8", column="5")
    page.keyboard.press("Escape")
    settle(page)
    second = page.evaluate("rf.traces('maps')[1].x0")  # the exact map, beside the first
    changes(page, MAPS, lambda: click_pixel(page, second + 9, 3))
    page.wait_for_function(f"({MARK})().join() === '9,3'")
    # The sliders go on from there, and a click on a pixel that was clicked before counts again.
    open_more(page)
    changes(page, MAPS, lambda: slider(page, "Pixel row").press("ArrowRight"))
    page.wait_for_function(f"({MARK})().join() === '9,4'")
    page.keyboard.press("Escape")
    settle(page)
    changes(page, MAPS, lambda: click_pixel(page, second + 9, 3))
    page.wait_for_function(f"({MARK})().join() === '9,3'")


def test_a_layer_is_added_and_the_map_changes(page):
    open_more(page)
    changes(page, MAPS, lambda: page.get_by_role("button", name="Add a layer").click())
    wait_for_query(page, skeleton="own", layers="5/2/relu,4/2/relu,3/2/relu,relu")
    settle(page)
    window = page.locator("input[aria-label=Window]").first
    changes(page, MAPS, lambda: (window.fill("3"), window.press("Enter")))
    wait_for_query(page, layers="3/2/relu,4/2/relu,3/2/relu,relu")


def test_deep_link_shows_its_settings(app, visit):
    page = visit(app, f"{SLUG}?skeleton=own&layers=4/2/relu,exponential/0.5&side=16&features=10000&row=3&column=9")
    wait_for_chart(page, MAPS)
    assert page.evaluate(MARK) == [8, 2]
    assert page.evaluate("rf.traces('maps')[0].z.length") == 16
    open_more(page)
    assert page.locator("input[aria-label=Window]").first.input_value() == "4"
    assert page.get_by_test_id("stToast").count() == 0


def test_a_feature_is_shown_over_an_image_and_figure_4_is_one_click(page):
    unfold(page, "Show me a feature")
    wait_for_chart(page, "one-feature")
    changes(page, "one-feature", lambda: slider(page, "Feature").last.press("ArrowRight"))
    settle(page)
    page.get_by_role("button", name="Figure 4 of the paper").click()
    wait_for_chart(page, "grid")
    wait_for_chart(page, "grid-exact")
    assert page.evaluate("rf.traces('grid').filter((t) => t.type === 'heatmap').length") == 16
    wait_for_query(page, view="Figure 4", colour="true")
