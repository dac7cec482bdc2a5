"""Your machine in a browser: Start brings bars, Stop keeps them, and the badge follows what the device does."""

import re

import pytest

from rfviz.features import registry
from tests.browser.steps import settle, unfold, wait_for_chart

pytestmark = pytest.mark.browser

KEY = "machine-shares"
BARS = "(key) => rf.traces(key).filter((t) => t.type === 'bar').flatMap((t) => [...t.x])"


def test_start_measures_stop_keeps_and_the_badge_follows(app, visit):
    page = visit(app, "your-machine")
    wait_for_chart(page, KEY)
    assert page.evaluate(BARS, KEY) == []
    badge = page.locator("[data-testid=stSidebar] .badge")
    assert "Nothing is being computed" in badge.inner_text() and "GB free" in badge.inner_text()
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_function(f"([key]) => rf.drawn(key) && ({BARS})(key).length > 0", arg=[KEY], timeout=60_000)
    badge.get_by_text(re.compile("under way")).wait_for(timeout=10_000)  # without a run of the page's own doing
    page.locator("[data-testid=stMainBlockContainer]").get_by_role("button", name="Stop", exact=True).click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('button')].some((b) => b.innerText === 'Go on' && !b.disabled)"
    )
    settle(page)
    kept = page.evaluate(BARS, KEY)
    assert 0 < len(kept) < len(registry()) and all(share > 0 for share in kept)
    badge.get_by_text("Nothing is being computed").wait_for(timeout=30_000)
    assert page.get_by_text("a slider still answers within 0.2 s").is_visible()
    unfold(page, "For an issue")
    page.get_by_text("% of the limit").last.wait_for()
    for width in (800, 1440):
        page.set_viewport_size({"width": width, "height": 1000})
        page.wait_for_function("() => !rf.overflowing().length")
