"""Pages under a finger: it scrolls wherever it begins, and a tap still is one."""

import pytest

from tests.browser.steps import SATURATION, control, settle, slider, wait_for_chart

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


def swipe_up(page, session, x, y, across=0, up=15):
    """Swipe from a place, in steps of pixels, and return by how much the page has moved."""
    before = page.evaluate(SCROLLED)
    touch = {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
    session.send("Input.dispatchTouchEvent", touch)
    for step in range(1, 12):
        touch = {"type": "touchMove", "touchPoints": [{"x": x + across * step, "y": y - up * step}]}
        session.send("Input.dispatchTouchEvent", touch)
        page.wait_for_timeout(20)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(500)
    return page.evaluate(SCROLLED) - before


def test_a_finger_on_a_chart_scrolls_the_page(phone):
    page, session = phone("distance-saturation")
    wait_for_chart(page, SATURATION)
    chart = page.locator(".live-chart").first
    assert chart.bounding_box()["y"] < 400  # in the upper half of the window
    before = page.evaluate("(key) => rf.state(key)", SATURATION)
    assert swipe_up(page, session, *chart.evaluate(CENTRE)) > 50
    assert "zoom" not in page.url and page.evaluate("(key) => rf.state(key)", SATURATION) == before
    assert not page.locator(".modebar").count()  # it would lie over the legend: nothing hovers here
    features = slider(page, "Features m")
    assert swipe_up(page, session, *features.evaluate(CENTRE)) > 50
    settle(page)
    assert "n_components" not in page.url
    x, y = features.evaluate(CENTRE)
    assert swipe_up(page, session, x, y, across=5, up=0) == 0
    page.wait_for_function("() => new URLSearchParams(location.search).has('n_components')")
    # The data set is named on the page, from where it is one tap to its menu.
    menu = control(page, "distance-saturation", "data")
    assert not menu.is_visible() or menu.bounding_box()["x"] < 0
    page.get_by_role("button", name="Data: Circle").click()
    page.wait_for_function(IN_WINDOW)


IN_WINDOW = """() => {
  const menu = document.querySelector("[data-testid=stSidebar] [class*='st-key-distance-saturation-data-']");
  const { left, top, bottom } = menu.getBoundingClientRect();
  return left >= 0 && top >= 0 && bottom <= innerHeight;
}"""
# Of a lesson: where the header ends, the chart, and the panel; whether the panel shows its last answer and its button.
TOGETHER = """() => {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const [head, chart, panel] = ["[data-testid=stHeader]", ".live-chart", ".st-key-lesson-panel"].map(box);
  const answers = [...document.querySelectorAll(".st-key-lesson-panel [role=radiogroup] label")];
  const buttons = box(".st-key-lesson-buttons");
  return { chart: [chart.top - head.bottom, panel.top - chart.bottom], panel: innerHeight - panel.bottom,
    answers: answers.length ? buttons.top - answers.at(-1).getBoundingClientRect().bottom : 0,
    buttons: buttons.height };
}"""


def test_a_lesson_shows_question_chart_and_answers_together_and_a_finger_draws(phone):
    page, session = phone("distance-saturation?lesson=saturation&step=1")
    wait_for_chart(page, SATURATION)
    found = page.evaluate(TOGETHER)
    assert min(found["chart"]) >= -10 and abs(found["panel"]) < 1 and found["answers"] >= -4 and found["buttons"] > 30
    page.locator(".st-key-lesson-panel [role=radiogroup] label").first.click()
    page.wait_for_function("() => !document.querySelector('.st-key-lesson-show button').disabled")
    page.locator(".st-key-lesson-show button").last.click()
    page.locator(".st-key-lesson-again").wait_for()
    settle(page)
    assert min(page.evaluate(TOGETHER)["chart"]) >= -10
    page.locator(".st-key-lesson-next button").click()
    sheet = page.locator(".drawn-curve")
    sheet.wait_for()
    settle(page)
    assert min(page.evaluate(TOGETHER)["chart"]) >= -10
    box, line = sheet.locator("rect").bounding_box(), sheet.locator("path")
    x, y = box["x"] - 20, box["y"] + box["height"] / 2
    assert swipe_up(page, session, x + 100, y) > 50 and not line.get_attribute("d")  # it scrolls, and draws nothing
    page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    settle(page)
    y = sheet.locator("rect").bounding_box()["y"] + box["height"] / 2
    assert swipe_up(page, session, x, y, across=15, up=4) == 0  # from the axis, beside the field
    assert len(line.get_attribute("d").split("L")) > 15 and "zoom" not in page.url
    page.wait_for_function("() => !document.querySelector('.st-key-lesson-show button').disabled")


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
