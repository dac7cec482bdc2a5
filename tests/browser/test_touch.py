"""Pages under a finger: it scrolls wherever it begins, and a tap still is one."""

import pytest

from tests.browser.steps import SATURATION, settle, wait_for_chart

pytestmark = pytest.mark.browser

PHONE = (390, 844)
SCROLLED = "() => document.querySelector('[data-testid=stMain]').scrollTop"
CENTRE = """(element) => {
  element.scrollIntoView({ block: "center" });
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}"""


@pytest.fixture
def phone(app, visit, request):
    """Return ``phone(path)``, which opens a page in a browser that says that a finger points at it."""

    def opened(path):
        sessions = []

        def touch(page):
            session = page.context.new_cdp_session(page)
            request.addfinalizer(session.detach)
            size = {"width": PHONE[0], "height": PHONE[1], "deviceScaleFactor": 1, "mobile": True}
            session.send("Emulation.setDeviceMetricsOverride", size)
            session.send("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 1})
            sessions.append(session)

        return visit(app, path, size=PHONE, before=touch), *sessions

    return opened


def swipe_up(page, session, x, y):
    """Swipe from a place, and return by how much the page has moved."""
    before = page.evaluate(SCROLLED)
    touch = {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
    session.send("Input.dispatchTouchEvent", touch)
    for step in range(1, 12):
        touch = {"type": "touchMove", "touchPoints": [{"x": x, "y": y - 15 * step}]}
        session.send("Input.dispatchTouchEvent", touch)
        page.wait_for_timeout(20)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(500)
    return page.evaluate(SCROLLED) - before


def test_a_finger_on_a_chart_scrolls_the_page(phone):
    page, session = phone("distance-saturation")
    wait_for_chart(page, SATURATION)
    chart = page.locator(".live-chart").first
    before = page.evaluate("(key) => rf.state(key)", SATURATION)
    assert swipe_up(page, session, *chart.evaluate(CENTRE)) > 50
    assert "zoom" not in page.url and page.evaluate("(key) => rf.state(key)", SATURATION) == before
    assert not page.locator(".modebar").count()  # it would lie over the legend: nothing hovers here


def test_a_finger_on_the_zoo_scrolls_and_a_tap_moves_the_ring(phone):
    page, session = phone("zoo")
    frame = page.locator(".frame.kernel").first
    frame.wait_for()
    settle(page)
    assert swipe_up(page, session, *frame.evaluate(CENTRE)) > 50
    assert "x=" not in page.url
    x, y = frame.evaluate(CENTRE)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x - 40, "y": y - 30}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function("() => new URLSearchParams(location.search).has('x')")


def test_help_of_a_slider_opens_by_a_tap_and_by_a_key(phone):
    page, session = phone("distance-saturation")
    wait_for_chart(page, SATURATION)
    help, tip = (
        page.get_by_role("button", name="Help for Features m"),
        page.get_by_text("error of the kernel estimate"),
    )
    x, y = help.evaluate(CENTRE)
    assert not tip.is_visible()
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    tip.wait_for()
    box = tip.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE[0]
    page.keyboard.press("Escape")
    tip.wait_for(state="hidden")
    help.focus()
    page.keyboard.press("Enter")
    tip.wait_for()
