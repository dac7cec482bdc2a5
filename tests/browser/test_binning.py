"""Random binning, as a person uses it: grids move, points are clicked, the estimate becomes the kernel."""

import pytest

from tests.browser.steps import changes, settle, slider, unfold, wait_for_chart, wait_for_query

pytestmark = pytest.mark.browser

SLUG = "binning"


@pytest.fixture
def page(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, "boxes")
    wait_for_chart(page, "shared")
    return page


def test_moving_the_grid_shown_moves_the_boxes_and_not_the_estimate_and_a_preset_shows_figure_2(page):
    before = page.evaluate("rf.state('shared')")
    changes(page, "boxes", lambda: slider(page, "Grid shown").press("ArrowRight"))
    settle(page)
    assert page.evaluate("rf.state('shared')") == before
    wait_for_query(page, shown="2")
    # The error falls with the number of grids.
    unfold(page, "Error against the number of grids")
    wait_for_chart(page, "binning-error")
    first, last = page.evaluate(
        "(() => { const y = rf.traces('binning-error')[0].y; return [y[0], y[y.length - 1]] })()"
    )
    assert last < 0.1 * first
    page.get_by_role("button", name="Figure 2 of the paper").click()
    wait_for_chart(page, "pairs")
    page.get_by_text("one block for each box", exact=False).wait_for()
    assert slider(page, "Grids P").get_attribute("aria-valuetext") == "1"


@pytest.mark.journey
def test_more_grids_change_the_estimate_and_not_the_boxes(page):
    before = page.evaluate("rf.state('boxes')")
    changes(page, "shared", lambda: slider(page, "Grids P").press("ArrowRight"))
    settle(page)
    assert page.evaluate("rf.state('boxes')") == before
