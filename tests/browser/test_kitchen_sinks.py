"""Kitchen sinks against AdaBoost in a browser: curves arrive, a view is chosen, Stop keeps what is there."""

import re

import pytest

from tests.browser.steps import RACE_MS, settle, slider, unfold, wait_for_chart, wait_for_query

pytestmark = pytest.mark.browser

SLUG = "kitchen-sinks"
QUICK = f"{SLUG}?learners=DecisionStumps,&draws=1&k_max=100&stumps=50"
POINTS = "(key) => rf.traces(key).filter((t) => t.mode === 'lines+markers').map((t) => t.x.length)"


def finished(page):
    page.get_by_text("Done.", exact=True).wait_for(timeout=RACE_MS)
    settle(page)


def test_default_runs_by_itself_and_says_who_wins(app, visit):
    page = visit(app, SLUG)
    wait_for_chart(page, "sinks-error")
    finished(page)
    names = page.evaluate("rf.traces('sinks-error').filter((t) => t.mode === 'lines+markers').map((t) => t.name)")
    assert names == ["AdaBoost", "Random stumps", "Random sigmoids", "Random Fourier"]
    assert min(page.evaluate(POINTS, "sinks-error")) >= 12
    page.get_by_text("AdaBoost’s least error").first.wait_for()


def test_views_follow_each_other_and_more_stumps_add_only_what_is_missing(app, visit):
    page = visit(app, QUICK)
    finished(page)
    for title, key, word in (
        ("Seconds", "sinks-seconds", "seconds"),
        ("Time to an error", "sinks-reach", "reach"),
        ("Largest weight", "sinks-weights", "weights"),
    ):
        page.get_by_role("radio", name=title, exact=True).click()
        wait_for_chart(page, key)
        wait_for_query(page, view=word)
    finished(page)
    assert page.evaluate(POINTS, "sinks-weights") == [12]
    unfold(page, "Columns")
    page.get_by_text("Breast Cancer Wisconsin").last.wait_for()
    unfold(page, "What the paper found")
    page.get_by_text("one to three orders of magnitude").wait_for()
    # More stumps add only what is missing, and a preset says what it needs.
    page.get_by_role("radio", name="Error", exact=True).click()
    wait_for_chart(page, "sinks-error")
    before = page.evaluate(POINTS, "sinks-error")
    slider(page, "Boosted stumps").press("ArrowRight")
    wait_for_query(page, stumps="100")
    finished(page)
    page.wait_for_function(f"({POINTS})('sinks-error')[0] !== {before[0]}")
    assert page.evaluate(POINTS, "sinks-error")[1] == before[1]
    page.get_by_role("button", name="Figure 1, adult").click()
    page.get_by_text("put adult.npz in the data folder").wait_for()
    wait_for_query(page, data="adult", k_max="2000", alpha="1")


def test_stop_keeps_the_points_and_go_on_finishes(app, visit):
    page = visit(app, f"{SLUG}?data=digits&learners=DecisionStumps,&draws=1&k_max=500&stumps=1000")
    page.get_by_role("button", name=re.compile("Start|Resume")).click()
    page.wait_for_function("() => rf.drawn('sinks-error') && rf.traces('sinks-error').length > 1", timeout=RACE_MS)
    page.wait_for_function(f"({POINTS})('sinks-error').some((n) => n > 4)", timeout=RACE_MS)
    page.locator("[data-testid=stMainBlockContainer]").get_by_role("button", name="Stop", exact=True).click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('button')].some((b) => b.innerText === 'Resume' && !b.disabled)"
    )
    settle(page)
    kept = page.evaluate(POINTS, "sinks-error")
    assert sum(kept) > 4
    page.wait_for_timeout(1000)
    assert page.evaluate(POINTS, "sinks-error") == kept
    page.get_by_role("button", name="Resume").click()
    page.wait_for_function(f"({POINTS})('sinks-error').reduce((a, b) => a + b, 0) > {sum(kept)}", timeout=RACE_MS)
