"""Guarantees, as a person uses it: the chart is there, sliders move rings, presets set the page, nothing overflows."""

import pytest

from tests.browser.steps import changes, settle, slider, unfold, wait_for_chart, wait_for_query

pytestmark = pytest.mark.browser

SLUG, CHART, RISK = "guarantees", "guarantees", "risk"
RINGS = "() => rf.traces('guarantees').filter((t) => t.name.endsWith('at ε')).map((t) => [t.x[0], t.y[0]])"


@pytest.fixture
def page(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, CHART)
    return page


def test_opens_with_bounds_beside_measurements(page):
    names = page.evaluate("() => rf.traces('guarantees').map((t) => t.name)")
    assert {"one pair: measured, a random pair", "all pairs: Hoeffding + union", "everywhere: Rahimi–Recht"} <= set(
        names
    )
    assert page.get_by_role("cell", name="measured", exact=True).count() == 1
    assert page.get_by_text("times too large").count() == 1


@pytest.mark.journey
def test_a_smaller_error_moves_the_rings_to_the_right(page):
    before = page.evaluate(RINGS)
    changes(page, CHART, lambda: slider(page, "Error").press("ArrowLeft"))
    settle(page)
    after = page.evaluate(RINGS)
    assert all(a[0] > b[0] and a[1] < b[1] for a, b in zip(after, before, strict=True))
    wait_for_query(page, eps="0.07")


def test_learning_and_back_by_presets(page):
    page.get_by_role("button", name="Learning: Theorem 1").click()
    wait_for_chart(page, RISK)
    wait_for_query(page, view="Learning")
    page.get_by_role("button", name="Uniform against one pair").click()
    wait_for_chart(page, CHART)
    settle(page)


def test_what_is_wrong_in_the_papers_can_be_read(page):
    unfold(page, "What is wrong or left open")
    page.get_by_text("Measure the same points in other units").wait_for()


def test_nothing_of_learning_overflows_a_narrow_window(app, visit):
    page = visit(app, f"{SLUG}?view=Learning", size=(800, 900))
    wait_for_chart(page, RISK)
    wide = page.evaluate(
        "() => [...document.querySelectorAll('[data-testid=stMain] table, [data-testid=stMain] .live-chart')]"
        ".filter((e) => e.offsetWidth && e.getBoundingClientRect().right > window.innerWidth + 1).length"
    )
    assert wide == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
