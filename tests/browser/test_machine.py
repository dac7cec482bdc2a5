"""Your machine in a browser: a first look, then Start brings bars, Stop keeps them, and the badge follows."""

import pytest

from rfviz.features import registry
from tests.browser.steps import RACE_MS, choose, settle, unfold, wait_for_chart

pytestmark = pytest.mark.browser

KEY = "machine-shares"
BARS = "([key, name]) => rf.traces(key).filter((t) => t.type === 'bar' && t.name === name).flatMap((t) => [...t.x])"


def test_start_measures_stop_keeps_and_the_badge_follows(app, visit):
    page = visit(app, "your-machine")
    wait_for_chart(page, KEY)
    # A first look at every map, without being asked.
    page.wait_for_function(
        f"([args, all]) => ({BARS})(args).length === all", arg=[[KEY, "first look"], len(registry())]
    )
    assert page.evaluate(BARS, [KEY, "measured"]) == []
    badge = page.locator("[data-testid=stSidebar] .badge")
    badge.get_by_text("Nothing is being computed").wait_for()  # it asks every other second
    assert "GB free" in badge.inner_text()
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_function(
        f"(args) => rf.drawn(args[0]) && ({BARS})(args).length > 0", arg=[KEY, "measured"], timeout=RACE_MS
    )
    badge.locator("summary", has_text="under way").wait_for()  # without a run of the page's own doing
    page.locator("[data-testid=stMainBlockContainer]").get_by_role("button", name="Stop", exact=True).click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('button')].some((b) => b.innerText === 'Resume' && !b.disabled)"
    )
    settle(page)
    kept = page.evaluate(BARS, [KEY, "measured"])
    assert 0 < len(kept) < len(registry()) and all(share > 0 for share in kept)
    badge.get_by_text("Nothing is being computed").wait_for()
    assert page.get_by_text("a slider still answers within 0.2 s").is_visible()
    unfold(page, "For an issue")
    page.get_by_text("% of the limit").last.wait_for()
    for width in (800, 1440):
        page.set_viewport_size({"width": width, "height": 1000})
        page.wait_for_function("() => !rf.overflowing().length")


def test_the_badge_asks_the_server_once_at_a_time_however_often_the_page_has_run(app, visit):
    page = visit(app, "hashing")
    badge = page.locator("[data-testid=stSidebar] .badge")
    badge.wait_for()
    for _ in range(4):
        for way in ("none", "unit norm"):
            choose(page, "hashing", "normalise", way)
            settle(page)
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/rfviz/device?" in request.url else None)
    page.wait_for_timeout(4000)  # two intervals of its own
    assert 1 <= len(asked) <= 3
