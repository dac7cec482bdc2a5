"""Guarantees, as a person uses it: the chart is there, sliders move rings, presets set the page, nothing overflows."""

import pytest

from tests.browser.steps import changes, settle, slider, unfold, wait_for_chart, wait_for_query

pytestmark = pytest.mark.browser

SLUG, CHART, RISK = "guarantees", "guarantees", "risk"
# Whether nothing is wider than the window: no table, no chart, not the page.
WITHIN = """() => document.documentElement.scrollWidth <= innerWidth
  && [...document.querySelectorAll('[data-testid=stMain] table, [data-testid=stMain] .live-chart')]
    .every((e) => !e.offsetWidth || e.getBoundingClientRect().right <= innerWidth + 1)"""
RINGS = "() => rf.traces('guarantees').filter((t) => t.name.endsWith('at ε')).map((t) => [t.x[0], t.y[0]])"


@pytest.fixture
def page(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, CHART)
    return page


def test_opens_with_bounds_beside_measurements_and_presets_lead_to_learning_and_back(page):
    names = page.evaluate("() => rf.traces('guarantees').map((t) => t.name)")
    assert {"one pair: measured, a random pair", "all pairs: Hoeffding + union", "everywhere: Rahimi–Recht"} <= set(
        names
    )
    assert page.get_by_role("cell", name="measured", exact=True).count() == 1
    assert page.get_by_text("times too large").count() == 1
    unfold(page, "What is wrong or left open")
    page.get_by_text("Measure the same points in other units").wait_for()
    page.get_by_role("button", name="Learning: Theorem 1").click()
    wait_for_chart(page, RISK)
    wait_for_query(page, view="Learning")
    settle(page)
    page.set_viewport_size({"width": 800, "height": 900})
    page.wait_for_function(WITHIN)
    page.set_viewport_size({"width": 1440, "height": 1000})
    page.get_by_role("button", name="Uniform against one pair").click()
    wait_for_chart(page, CHART)
    settle(page)


@pytest.mark.journey
def test_a_smaller_error_moves_the_rings_to_the_right(page):
    before = page.evaluate(RINGS)
    changes(page, CHART, lambda: slider(page, "Error").press("ArrowLeft"))
    settle(page)
    after = page.evaluate(RINGS)
    assert all(a[0] > b[0] and a[1] < b[1] for a, b in zip(after, before, strict=True))
    wait_for_query(page, eps="0.07")
