"""A lecture from its first view to its last, by keys, across pages; a reload, and somebody else who opens its link."""

import pytest

from tests.browser.snapshots import STILL
from tests.browser.steps import SATURATION, settle, wait_for_chart, wait_for_query

pytestmark = pytest.mark.browser

PAGE = "distance-saturation"
FITS = "() => document.querySelector('.js-plotly-plot').getBoundingClientRect().bottom <= innerHeight"


def place(page, text):
    page.locator(".st-key-lecture-bar", has_text=text).wait_for()
    settle(page)


def open_menu(page):
    page.get_by_role("button", name="Teach", exact=True).click()
    page.get_by_text("Lecture: views in a row").wait_for()


def test_views_are_collected_and_gone_through(app, visit):
    page = visit(app, f"{PAGE}?pool_size=16", size=(1280, 720))
    wait_for_chart(page, SATURATION)
    open_menu(page)
    page.get_by_text("Lecture: views in a row").click()
    page.wait_for_function(STILL)  # who clicks a button that still moves may miss it
    page.get_by_label("What to say here").fill("Where does it bend?")
    page.get_by_role("button", name="Add this view").click()
    lines = page.get_by_role("textbox", name="Views, one per line")
    page.wait_for_function("() => document.querySelector('textarea')?.value.includes('| Where does it bend?')")
    lines.fill(f"{lines.input_value()}\nhashing\n{PAGE}?seed=3\n{PAGE}?lesson=saturation&step=1")
    lines.press("Control+Enter")
    settle(page)
    page.get_by_role("button", name="Start").click()

    place(page, "1 of 4")
    wait_for_chart(page, SATURATION)
    wait_for_query(page, pool_size="16", present="true")
    assert page.evaluate(FITS)
    page.get_by_role("button", name="Note").click()
    page.get_by_text("Where does it bend?").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("PageDown")
    place(page, "2 of 4")
    assert "/hashing?" in page.url
    page.keyboard.press("ArrowRight")
    place(page, "3 of 4")
    wait_for_query(page, seed="3", pool_size=None)  # nothing of the page's first view is left
    page.keyboard.press("ArrowRight")
    place(page, "4 of 4")
    wait_for_query(page, lesson="saturation", step="1", pool_size="1", seed=None)  # those of the step
    page.keyboard.press("ArrowRight")  # the answer first
    page.get_by_role("button", name="Again").wait_for()
    page.keyboard.press("ArrowLeft")  # back by the same way: the question, not the view before
    page.get_by_role("button", name="Again").wait_for(state="detached")
    place(page, "4 of 4")
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Again").wait_for()
    page.reload()
    place(page, "4 of 4")
    for number in (3, 2):
        page.keyboard.press("PageUp")
        place(page, f"{number} of 4")
    page.keyboard.press("ArrowLeft")
    place(page, "1 of 4")
    wait_for_query(page, pool_size="16", lesson=None)

    other = visit(app, page.url.removeprefix(app.url), size=(390, 780), color_scheme="dark")
    place(other, "1 of 4")
    wait_for_query(other, pool_size="16")
    assert other.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth <= innerWidth")
    page.get_by_role("button", name="End the lecture").or_(page.locator(".st-key-lecture-leave button")).first.click()
    page.locator(".st-key-lecture-bar").wait_for(state="detached")
    wait_for_query(page, present=None)
