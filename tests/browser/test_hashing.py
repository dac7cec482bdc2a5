"""Hashing in a browser: sliders answer, images are clicked, and nothing sticks out of a narrow window."""

import pytest

from tests.browser.steps import changes, choose, control, settle, slider, wait_for_chart, wait_for_query

pytestmark = pytest.mark.browser

SLUG, MAIN, TILES, STRIPS = "hashing", "hamming", "tiles", "strips"
CURVE = "Array.from(rf.traces('hamming').find((t) => t.name === 'exact: 1 − κ').y)"
SIMHASH = "Array.from(rf.traces('hamming').find((t) => t.name === 'SimHash: θ/180°').y)"
PICKS = "rf.traces('tiles')[0].customdata"
# Which presets are marked as those that hold.
PRESSED = """() => [...document.querySelectorAll(".st-key-title-tools > [class*='-preset-']")]
  .map((place) => place.querySelector("button").ariaPressed).join()"""


@pytest.fixture
def page(app, visit):
    page = visit(app, SLUG, size=(1440, 2000))
    for key in (MAIN, TILES, STRIPS):
        wait_for_chart(page, key)
    return page


def check_narrow(page):
    """Check that nothing sticks out of a narrow window; charts follow the width a moment later."""
    page.set_viewport_size({"width": 800, "height": 1800})
    page.wait_for_function(
        "() => document.documentElement.scrollWidth <= 800 && [...document.querySelectorAll('.live-chart')]"
        ".every((chart) => chart.getBoundingClientRect().right <= 800)"
    )
    page.set_viewport_size({"width": 1440, "height": 2000})
    settle(page)


def click_tile(page, number):
    page.mouse.click(*page.evaluate("(n) => rf.pixel('tiles', 0, n)", number))


@pytest.mark.journey
def test_the_sliders_move_the_curve(page):
    before = page.evaluate(CURVE)
    changes(page, MAIN, lambda: slider(page, "Pool size").press("ArrowRight"))
    settle(page)
    after = page.evaluate(CURVE)
    assert all(a >= b for a, b in zip(after, before, strict=True)) and after != before
    wait_for_query(page, pool_size="10")
    changes(page, MAIN, lambda: slider(page, "Symbols").press("ArrowRight"))
    settle(page)
    assert page.evaluate(CURVE) == after


def test_map_is_a_menu_of_hashes_and_a_preset_that_is_marked_puts_both_curves_on_each_other(page):
    control(page, SLUG, "map").get_by_role("combobox").click()
    names = page.get_by_role("option").all_inner_texts()
    assert {"Argmax (maxout)", "Signs (SimHash)"} <= set(names) and "Random Fourier" not in names
    page.keyboard.press("Escape")
    page.wait_for_function(f"({PRESSED})() === 'false,false'")
    changes(page, MAIN, lambda: page.get_by_role("button", name="q = 2 is SimHash").click())
    wait_for_query(page, pool_size="2")
    page.wait_for_function(f"({PRESSED})() === 'true,false'")
    settle(page)
    pairs = zip(page.evaluate(CURVE), page.evaluate(SIMHASH), strict=True)
    assert max(abs(a - b) for a, b in pairs) < 1e-9
    changes(page, MAIN, lambda: slider(page, "Pool size").press("ArrowRight"))
    page.wait_for_function(f"({PRESSED})() === 'false,false'")


def test_a_click_picks_an_example_another_compares_and_looking_closer_shows_another_chart(page):
    example = page.evaluate(PICKS)[2]
    changes(page, TILES, lambda: click_tile(page, 2))
    wait_for_query(page, first=str(example + 1))
    settle(page)
    assert page.evaluate(PICKS)[9] == example
    neighbour = page.evaluate(PICKS)[12] - 1797
    changes(page, STRIPS, lambda: click_tile(page, 12))
    wait_for_query(page, second=str(neighbour + 1))
    settle(page)
    assert page.get_by_text(f"rows {example + 1} and {neighbour + 1}").count() == 1
    # Looking closer, in charts that fit a narrow window.
    for look, key in (("Recall", "recall"), ("Near and far", "near-far")):
        page.get_by_role("radio", name=look).or_(page.get_by_role("button", name=look, exact=True)).first.click()
        wait_for_chart(page, key)
        assert page.evaluate("(key) => rf.traces(key).length", key) >= 4
        assert page.evaluate("rf.chart('tiles')") is None
        check_narrow(page)
    # In the last of them, a click compares the pair that is nearest.
    ring = "() => { const t = rf.traces('hamming').find((t) => t.name === 'two points below'); return t.x[0]; }"
    box = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.4 * box["height"])
    wait_for_query(page, look=None)  # the default: Neighbours
    wait_for_chart(page, STRIPS)
    page.get_by_text("A hash code keeps only which projection wins").wait_for()
    reach = page.evaluate("rf.chart('hamming').layout.xaxis.range[1]")
    assert abs(page.evaluate(ring) - 0.5 * reach) < 0.05 * reach


def test_a_click_right_after_a_preset_takes_nothing_of_it_back(page):
    """Sent before the browser has the preset's values, a click brings along the old ones of all other controls."""
    both = """([first, second]) => {
      const preset = [...document.querySelectorAll(first)].find((button) => button.innerText.startsWith("Faces"));
      preset.click();
      setTimeout(() => document.querySelector(second).click(), 20);
    }"""
    page.evaluate(both, [f"[class*='st-key-{SLUG}-preset-'] button", f"[class*='st-key-{SLUG}-with_simhash-'] input"])
    wait_for_query(page, data="turning_head", data__order_noise=None, with_simhash="false", first=None, pool_size="16")
    settle(page)
    wait_for_query(page, data="turning_head", with_simhash="false", first=None)
    check_narrow(page)
    # What the user sets back afterwards stays so.
    choose(page, SLUG, "data", "Digits 8×8")
    wait_for_query(page, data=None, with_simhash="false")
    settle(page)
    wait_for_query(page, data=None, with_simhash="false")
