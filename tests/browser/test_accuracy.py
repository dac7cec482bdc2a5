"""The race of feature maps: points arrive, stopping keeps them, going on adds only what is missing."""

import re
from itertools import count

import pytest

from tests.browser.steps import RACE_MS, open_more, settle, slider, unfold, wait_for_chart

pytestmark = pytest.mark.browser

TEST_SHARES = count(26)
POINTS = "() => rf.traces('accuracy').filter((t) => t.mode === 'lines+markers').reduce((n, t) => n + t.x.length, 0)"
OTHERS = "() => rf.traces('accuracy').filter((t) => t.mode === 'lines+text').map((t) => t.text.join('').trim())"


def left(page):
    """Return how many parts the page says are missing."""
    text = page.get_by_text(re.compile(r"^\d+ of \d+ parts to compute|^Not computed yet|^Done\.$")).inner_text()
    return 0 if text == "Done." else int(re.search(r"\d+", text).group())


def stop(page):
    """Press Stop (Streamlit has a button of that name of its own) and wait until the page says it has."""
    page.locator("[data-testid=stMainBlockContainer]").get_by_role("button", name="Stop", exact=True).click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('button')].some((b) => b.innerText === 'Resume' && !b.disabled)"
    )
    settle(page)


@pytest.mark.journey
def test_a_small_race_runs_by_itself_and_is_kept(app, visit):
    page = visit(app, "accuracy?maps=RandomMaxout,&references=,&seeds=2&m_max=200")
    page.get_by_text("Done.", exact=True).wait_for(timeout=RACE_MS)
    settle(page)
    points = page.evaluate(POINTS)
    assert points >= 10
    page.reload()
    wait_for_chart(page, "accuracy")
    assert page.evaluate(POINTS) == points
    assert left(page) == 0


def test_a_stop_is_prompt_and_holds_though_little_is_left(app, visit):
    # Small enough to start by itself, as it must not once it was stopped.
    share = next(TEST_SHARES)  # parts that an earlier try has computed would be there at once
    page = visit(app, f"accuracy?maps=RandomMaxout,&references=,&seeds=5&m_max=1200&test={share}")
    page.wait_for_function(f"({POINTS})() > 0", timeout=RACE_MS)
    stop(page)
    kept, missing = page.evaluate(POINTS), left(page)
    assert missing > 0
    page.wait_for_timeout(1000)
    assert (page.evaluate(POINTS), left(page)) == (kept, missing)
    unfold(page, "Numbers")
    settle(page)
    stopped = left(page)
    assert missing - 1 <= stopped <= missing, "no more than the part that was under way may have come to its end"
    page.wait_for_timeout(1000)
    unfold(page, "How it is computed")
    settle(page)
    assert left(page) == stopped, "and no other has begun"
    page.get_by_role("button", name="Resume").click()
    # Not by the points: where the stop came late, each has some draws already.
    page.get_by_text("Done.", exact=True).wait_for(timeout=RACE_MS)
    assert page.evaluate(POINTS) >= kept


def test_a_race_that_was_started_goes_on_after_a_reload_and_one_that_was_stopped_does_not(app, visit):
    page = visit(app, f"accuracy?maps=RandomMaxout,&references=,&seeds=10&m_max=10000&test={next(TEST_SHARES)}")
    buttons = page.locator("[class*='-live-run']")
    buttons.get_by_role("button", name="Start", exact=True).click()  # too long to start by itself
    page.wait_for_function(f"({POINTS})() > 0", timeout=RACE_MS)
    page.reload()
    wait_for_chart(page, "accuracy")
    buttons.locator("button:not([disabled])", has_text="Stop").wait_for(timeout=RACE_MS)
    stop(page)
    page.reload()
    wait_for_chart(page, "accuracy")
    page.wait_for_timeout(1000)
    buttons.locator("button:not([disabled])", has_text="Resume").wait_for()
    assert buttons.get_by_role("button", name="Stop").is_disabled()


def test_losses_trained_by_stochastic_gradients(app, visit):
    page = visit(app, "accuracy?maps=RandomFourier,&references=,&seeds=1&m_max=100&loss=logistic")
    page.get_by_text("Done.", exact=True).wait_for(timeout=RACE_MS)
    wait_for_chart(page, "accuracy")
    page.wait_for_function(f"({POINTS})() > 5")
    page.get_by_role("tab", name="Penalty").click()
    page.get_by_text("stopping early does the rest").wait_for()


def test_another_seed_adds_only_what_is_missing_and_views(app, visit):
    page = visit(app, "accuracy?maps=RandomMaxout,&references=,&seeds=1&m_max=100")
    page.get_by_text("Done.", exact=True).wait_for(timeout=RACE_MS)
    wait_for_chart(page, "accuracy")
    open_more(page)
    slider(page, "Draws").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("Done.", exact=True).wait_for(timeout=RACE_MS)
    page.wait_for_function("() => rf.traces('accuracy').length >= 2")
    for tab, chart in (
        ("Against seconds", "accuracy-seconds"),
        ("Against bytes", "accuracy-bytes"),
        ("Penalty", "penalty"),
    ):
        page.get_by_role("tab", name=tab).click()
        wait_for_chart(page, chart)
    page.get_by_role("tab", name="Confusions").click()
    wait_for_chart(page, "confusion")
    page.get_by_text(re.compile(r"\d+ of 449")).first.wait_for()
    assert page.locator(".rfviz-gallery img").count() > 3
