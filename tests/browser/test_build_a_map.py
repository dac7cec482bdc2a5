"""A function is drawn, with the pointer and with keys, and its kernel follows."""

import pytest

from tests.browser.steps import changes, wait_for_chart

pytestmark = pytest.mark.browser
KERNEL = "built-kernel"
FORMULA = "() => new URL(location.href).searchParams.get('function') ?? ''"


def heights(page):
    return [float(part) for part in page.evaluate(FORMULA).removeprefix("points(").rstrip(")").split(",")[2:]]


def test_a_function_is_drawn_by_pointer_and_by_keys(app, visit):
    page = visit(app, "build-a-map")
    wait_for_chart(page, KERNEL)
    sheet = page.locator("svg.drawn-curve")
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the link next to the one that skips to the page
    assert page.evaluate("document.activeElement.classList.contains('drawn-curve')")
    box = sheet.locator("rect").bounding_box()

    def stroke():
        # A valley: down to the middle, and up again; only where the pointer has been is the function another.
        page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 0.2 * box["height"])
        page.mouse.down()
        for share, level in ((0.5, 0.7), (0.75, 0.2)):
            page.mouse.move(box["x"] + share * box["width"], box["y"] + level * box["height"], steps=8)
        page.mouse.up()

    changes(page, KERNEL, stroke)
    page.wait_for_function(f"() => ({FORMULA})().startsWith('points(-3, 3,')")
    found = heights(page)
    assert len(found) == 33
    # The axis goes from -1.5 to 1.5.
    assert found[16] == pytest.approx(1.5 - 3 * 0.7, abs=0.1) and found[8] == pytest.approx(1.5 - 3 * 0.2, abs=0.1)
    assert found[0] == pytest.approx(-1) and found[32] == pytest.approx(1), "untouched by the stroke"
    # Without a mouse: the curve is a control that keys move, and stays one while the page answers.
    sheet.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    changes(page, KERNEL, lambda: page.keyboard.press("PageDown"))
    page.wait_for_function(f"(last) => Number(({FORMULA})().slice(0, -1).split(',')[31]) < last", arg=found[29])
    assert page.evaluate("document.activeElement.classList.contains('drawn-curve')")
