"""Light and dark, in windows from a projector's to a phone's: every page stays legible and reachable."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image

from rfviz.lab.index import NAVIGATION
from tests.browser.snapshots import SHARE, SIZES, check_picture, different
from tests.browser.steps import (
    SATURATION,
    changes,
    check_is_there,
    colour,
    contrast,
    luminance,
    settle,
    slider,
    wait_for_chart,
)

pytestmark = pytest.mark.browser

ADDRESSES = {page.slug: page.slug for page in NAVIGATION} | {
    "home": "",
    # Short races: their curves are not what is looked at.
    "accuracy": "accuracy?m_max=200&seeds=2",
    "kitchen-sinks": "kitchen-sinks?learners=DecisionStumps,&draws=1&k_max=100&stumps=50",
}
PHONE = {"width": 390, "height": 900}
LAPTOP = (1366, 768)
# Pages whose chart, controls, data set and sentence a laptop shows together, with the lines of the sentence that are
# seen at least; above the chart of a sweep are its buttons and tabs.
THREE = ["distance-saturation", "maxout-pca", "hashing", "kernel-approximation", "binning", "guarantees",
         "decision-surfaces", "speech", "pixel-cooccurrence"]  # fmt: skip
LINES = dict.fromkeys(THREE, 2) | {"accuracy": 1}
# The places that matter, from the top of the window: the ends of chart and data set, the beginning of the sentence.
PLACES = """() => {
  const box = (element) => element.getBoundingClientRect();
  const chart = document.querySelector(".live-chart");
  const bar = document.querySelector("[class*=-bar-row]");
  const sentence = [...document.querySelectorAll("[data-testid=stMain] .stMarkdown")]
    .find((words) => box(words).top >= box(bar).bottom - 1);
  const labels = [...document.querySelectorAll("[data-testid=stSidebar] label")];
  const label = labels.find((one) => /^(Data set|Speech)/.test(one.innerText));
  return { title: box(document.querySelector("h1")).top, chart: box(chart).bottom, height: box(chart).height,
    data: box(label.parentElement).bottom, sentence: box(sentence).top };
}"""
# Those of axe-core's rules that ask for colours.
COLOUR_RULES = ("color-contrast", "link-in-text-block")
# Roles that a person operates; each needs a name that can be read aloud.
OPERATED = {"button", "link", "slider", "spinbutton", "combobox", "listbox", "switch", "checkbox", "radio", "tab",
            "textbox", "searchbox", "menuitem"}  # fmt: skip

BACKGROUND = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
THEMED = """() => [...document.querySelectorAll('.live-chart')].every((chart) => !chart._fullLayout
  || chart._fullLayout.font.color === getComputedStyle(chart).getPropertyValue('--st-text-color').trim())"""
CHART_TEXTS = """[...document.querySelectorAll(
  '.js-plotly-plot :is(.xtick, .ytick, .xtitle, .ytitle, .legendtext) :is(text, tspan), '
  + '.js-plotly-plot :is(text.xtitle, text.ytitle, text.legendtext)')].map((e) => getComputedStyle(e).fill)"""


@pytest.mark.parametrize("slug", ADDRESSES)
def test_a_page_looks_as_it_did_is_legible_fits_and_names_its_controls(app, visit, slug):
    # Every change of the width draws all charts anew, so there are no more than needed: wide, narrow, and back.
    page = visit(app, ADDRESSES[slug], LAPTOP if slug in LINES else SIZES["wide"])
    check_is_there(page, slug)
    check_soon(page, slug)
    if slug in LINES:
        check_one_screen(page, slug)
    check_picture(page, slug, "light", "wide")
    check_width(page)
    check_names(page)
    check_share(page)
    check_legible(page, "light")
    check_rules(page)
    check_picture(page, slug, "light", "narrow")
    check_width(page)
    light = page.evaluate(BACKGROUND)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"(light) => {BACKGROUND} !== light", arg=light)
    page.wait_for_function(THEMED)
    check_picture(page, slug, "dark", "narrow")
    page.set_viewport_size(PHONE)
    check_width(page)
    check_picture(page, slug, "dark", "wide")
    check_legible(page, "dark")
    check_rules(page, COLOUR_RULES)  # the rest is the same as in the light


def check_one_screen(page, slug):
    """Check that chart, controls, data and sentence are seen together on a laptop, and that a chart takes more room."""
    places = page.evaluate(PLACES)
    assert places["title"] >= 40  # not below the bar at the top
    places["sentence"] += 25 * LINES[slug]
    assert max(places[name] for name in ("chart", "data", "sentence")) <= LAPTOP[1], places
    # Squares as wide as their panels are not taller in a larger window.
    if slug not in ("binning", "decision-surfaces"):
        assert places["height"] >= 300
    # The one has all its height on a laptop.
    if slug not in ("binning", "decision-surfaces", "kernel-approximation"):
        page.set_viewport_size(dict(zip(("width", "height"), SIZES["wide"], strict=True)))
        page.wait_for_function(
            "(height) => document.querySelector('.live-chart').getBoundingClientRect().height > height + 20",
            arg=places["height"],
        )


def test_charts_take_on_another_theme_and_what_comes_late_at_once(app, visit):
    page = visit(app, "distance-saturation", LAPTOP)
    wait_for_chart(page, SATURATION)
    # Without what looks again every second.
    page.evaluate("() => { for (let timer = setInterval(() => 0, 1e9); timer; timer--) clearInterval(timer); }")
    for scheme in ("dark", "light"):
        before = page.evaluate(BACKGROUND)
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(f"(before) => {BACKGROUND} !== before", arg=before)
        page.wait_for_function(THEMED)
    before, after = page.evaluate("""async () => {
      const chart = document.querySelector(".live-chart"), late = document.createElement("div");
      const place = () => chart.getBoundingClientRect();
      const before = place();
      late.style.height = "30px";
      chart.closest("[data-testid=stElementContainer]").before(late);
      for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame);
      const after = place();
      return [before, after].map(({ top, bottom }) => ({ top, bottom }));
    }""")
    assert after["top"] > before["top"] + 10
    assert after["bottom"] == pytest.approx(before["bottom"], abs=2)


def test_a_moved_block_is_seen_and_a_shade_is_not():
    ground = Image.new("RGB", (360, 400), "white")
    block, shade = ground.copy(), ground.copy()
    block.paste((40, 90, 160), (100, 100, 160, 140))
    shade.paste((250, 250, 250), (0, 0, 360, 400))
    assert different(ground, ground) == 0
    assert different(block, ground) > SHARE
    assert different(shade, ground) == 0


def check_soon(page, slug):
    """Check that the server is found without asking around, and that nothing to draw with is discovered late."""
    # The table of data sets on the home page, a large part, is far below. A server that was just started answers its
    # first visitor before it knows all scripts.
    if slug != "home" and found_late(page):
        page.reload()
        check_is_there(page, slug)
        assert not found_late(page), f"announce them in rfviz/ui/web/preload.py: {found_late(page)}"


def found_late(page):
    """Return the scripts that the page asked for after it had found the server."""
    asked = page.evaluate("""() => performance.getEntriesByType("resource")
      .map((e) => ({ name: new URL(e.name).pathname, start: e.startTime }))""")
    found = next(entry for entry in asked if entry["name"].endswith("/_stcore/health"))
    assert found["name"] == "/_stcore/health"
    return [entry["name"] for entry in asked if entry["start"] > found["start"] and entry["name"].endswith(".js")]


def check_rules(page, only=(), **options):
    """Check the rules of accessibility that axe-core knows, or only these: no serious violation."""
    chosen = {"runOnly": {"type": "rule", "values": list(only)}} if only else {}
    found = Axe().run(page, options={"resultTypes": ["violations"], **chosen, **options}).response["violations"]
    serious = [
        f"{rule['id']}: {rule['help']} ({node['html'][:120]}; {node['failureSummary'][:200]})"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"][:2]
    ]
    assert not serious, "\n".join(serious)


def check_legible(page, scheme):
    """Check that text stands out from its background: on the page, and in its charts."""
    background = colour(page.evaluate(BACKGROUND))
    assert (luminance(background) > 0.5) == (scheme == "light")
    assert contrast(background, colour(page.evaluate("getComputedStyle(document.querySelector('h1')).color"))) >= 7
    faint = [fill for fill in set(page.evaluate(CHART_TEXTS)) if contrast(background, colour(fill)) < 3]
    page.wait_for_function(f"(faint) => !{CHART_TEXTS}.some((fill) => faint.includes(fill))", arg=faint)
    for fill in set(page.evaluate(CHART_TEXTS)):
        assert contrast(background, colour(fill)) >= 3, f"{fill} in a chart on a {scheme} page"


def check_width(page):
    """Check that nothing sticks out of the window; charts follow the width a moment later."""
    page.wait_for_function("() => new Promise((done) => setTimeout(() => done(!rf.overflowing().length), 100))")
    main = "document.querySelector('[data-testid=stMain]')"
    page.wait_for_function(f"() => {main}.scrollWidth <= {main}.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def check_share(page):
    """Check that what takes a chart away stands in the row with what pins it."""
    share = page.get_by_role("button", name="Share", exact=True)
    pin = page.get_by_role("button", name="Pin this chart", exact=False)
    if share.count() and pin.count():
        places = [button.first.bounding_box() for button in (pin, share)]
        assert abs(places[0]["y"] - places[1]["y"]) < 3
        assert 0 < places[1]["x"] - places[0]["x"] - places[0]["width"] < 20


def test_what_hangs_beside_the_app_is_dark_with_it(app, visit):
    page = visit(app, "distance-saturation", color_scheme="dark")
    wait_for_chart(page, SATURATION)
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("tab", name="Features").click()
    paint = "(e, name) => getComputedStyle(e)[name]"
    ground = colour(dialog.evaluate(paint, "backgroundColor"))
    assert luminance(ground) < 0.1
    for words in (dialog.locator("[aria-selected=true] p"), dialog.get_by_text("The features are computed")):
        assert contrast(ground, colour(words.evaluate(paint, "color"))) >= 4.5


def test_a_narrow_window_spends_its_height_on_the_chart(app, visit):
    page = visit(app, "kernel-approximation", (800, 1000))
    wait_for_chart(page, "kernel-error")
    title, teach = page.locator("h1").bounding_box(), page.get_by_role("button", name="Teach").bounding_box()
    middle = title["y"] + title["height"] / 2
    assert teach["y"] < middle < teach["y"] + teach["height"], "the menu stands beside the title"
    presets = [button.bounding_box() for button in page.locator("[class*='-preset-'] button:visible").all()]
    assert presets and all(box["y"] >= middle for box in presets), "presets have a line of their own"
    chart, legend = (
        page.locator(f".st-key-kernel-error {part}").bounding_box() for part in (".main-svg >> nth=0", ".legend")
    )
    assert legend["x"] >= chart["x"] and legend["x"] + legend["width"] <= chart["x"] + chart["width"]
    assert legend["height"] < 80, "five curves in three lines"


def check_names(page):
    """Check that every control has a name that can be read aloud, and every chart a sentence."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    nodes = [node for node in nodes if not node.get("ignored")]
    operated = [node for node in nodes if node["role"]["value"] in OPERATED]
    assert len(operated) >= len(ADDRESSES)
    nameless = [node for node in operated if not node.get("name", {}).get("value", "").strip()]
    assert not nameless
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
    outline = page.evaluate(
        "(({ outlineStyle, outlineWidth }) => [outlineStyle, outlineWidth])(getComputedStyle(rf.focused()))"
    )
    assert outline[0] != "none"
    assert float(outline[1].removesuffix("px")) >= 1
    changes(page, SATURATION, lambda: page.keyboard.press("ArrowRight"))
    settle(page)
    assert page.evaluate(reached), "the slider loses the focus when the page answers"
    changes(page, SATURATION, lambda: page.keyboard.press("Home"))
    settle(page)
    assert slider(page, "Pool size").get_attribute("aria-valuetext") == "1"
