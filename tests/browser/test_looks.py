"""Light and dark, wide and narrow, with and without a mouse: every page stays legible and reachable."""

import pytest

from rfviz.ui.page_index import find_pages
from tests.browser.steps import SATURATION, changes, colour, contrast, luminance, settle, slider, wait_for_chart

pytestmark = pytest.mark.browser

ADDRESSES = {page.slug: "" if page.slug == "home" else page.slug for page in find_pages()}
WIDTHS = (1440, 800)
# Roles that a person operates; each needs a name that can be read aloud.
OPERATED = {"button", "link", "slider", "spinbutton", "combobox", "listbox", "switch", "checkbox", "radio", "tab",
            "textbox", "searchbox", "menuitem"}  # fmt: skip

BACKGROUND = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
CHART_TEXTS = """[...document.querySelectorAll(
  '.js-plotly-plot :is(.xtick, .ytick, .xtitle, .ytitle, .legendtext) :is(text, tspan), '
  + '.js-plotly-plot :is(text.xtitle, text.ytitle, text.legendtext)')].map((e) => getComputedStyle(e).fill)"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("slug", ADDRESSES)
def test_nothing_sticks_out_and_text_is_legible(app, visit, slug, scheme):
    page = visit(app, ADDRESSES[slug], (WIDTHS[0], 900), color_scheme=scheme)
    settle(page)
    background = colour(page.evaluate(BACKGROUND))
    assert (luminance(background) > 0.5) == (scheme == "light")
    assert contrast(background, colour(page.evaluate("getComputedStyle(document.querySelector('h1')).color"))) >= 7
    for fill in set(page.evaluate(CHART_TEXTS)):
        assert contrast(background, colour(fill)) >= 3, f"{fill} in a chart on a {scheme} page"
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        # Charts follow the width a moment later.
        page.wait_for_function("() => new Promise((done) => setTimeout(() => done(!rf.overflowing().length), 100))")
        main = "document.querySelector('[data-testid=stMain]')"
        page.wait_for_function(f"() => {main}.scrollWidth <= {main}.clientWidth", timeout=5000)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("slug", ADDRESSES)
def test_every_control_has_a_name(app, visit, slug):
    page = visit(app, ADDRESSES[slug])
    settle(page)
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    nodes = [node for node in nodes if not node.get("ignored")]
    operated = [node for node in nodes if node["role"]["value"] in OPERATED]
    assert len(operated) >= len(ADDRESSES)
    nameless = [node for node in operated if not node.get("name", {}).get("value", "").strip()]
    assert not nameless
    # Every chart is described in a sentence.
    described = [node["name"]["value"] for node in nodes if node["role"]["value"] == "figure"]
    assert len(described) == page.locator(".js-plotly-plot").count()
    assert all(len(text.split()) >= 6 for text in described)


def test_keyboard_alone_moves_the_slider(app, visit):
    page = visit(app, "distance-saturation")
    wait_for_chart(page, SATURATION)
    reached = "rf.focused()?.type === 'range' && rf.focused().ariaLabel.startsWith('Pool size')"
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(reached):
            break
    assert page.evaluate(reached), "Tab does not reach the slider"
    outline = page.evaluate("(({ outlineStyle, outlineWidth }) => [outlineStyle, outlineWidth])"
                            "(getComputedStyle(rf.focused()))")  # fmt: skip
    assert outline[0] != "none"
    assert float(outline[1].removesuffix("px")) >= 1
    changes(page, SATURATION, lambda: page.keyboard.press("ArrowRight"))
    settle(page)
    assert page.evaluate(reached), "the slider loses the focus when the page answers"
    changes(page, SATURATION, lambda: page.keyboard.press("Home"))
    settle(page)
    assert slider(page, "Pool size").get_attribute("aria-valuetext") == "1"
