"""What tests do with a page, and what they read from it."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations, count
from typing import Any

from rfviz.lab.index import NAVIGATION

SATURATION, EMBEDDING = "saturation", "embedding"
# Work beside a page steps back behind all else that computes: tests that run beside this one leave it little.
RACE_MS = 240_000
# Streamlit says that it rests before the browser has drawn what came last, so rest must last: some frames, and longer
# than Streamlit collects elements for.
_RESTED = """(visit) => {
  const rests = document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'
    && !document.querySelector('[data-testid=stSkeleton]') && !window.rfviz?.play?.isDragged()
    && !document.documentElement.classList.contains('rfviz-first') && document.fonts.status === 'loaded'
    && [...document.querySelectorAll('.live-chart')].every((chart) => !chart.offsetWidth
      || (chart.querySelector('.main-svg') && chart.ariaBusy !== 'true'));
  if (!rests) return (window.rf.rest = null);
  if (window.rf.rest?.visit !== visit) window.rf.rest = { visit, since: performance.now(), frames: 0 };
  const rest = window.rf.rest;
  return ++rest.frames > 3 && performance.now() - rest.since > 80;
}"""
_VISITS = count()


def settle(page: Any) -> None:
    """Wait until the app has answered everything and has drawn its charts."""
    page.wait_for_function(_RESTED, arg=next(_VISITS))


def assert_comes(page: Any, script: str, arg: Any, value: Any) -> None:
    """Assert that what the script reads becomes this value, within a time that no user would wait longer."""
    for _ in range(100):
        if (found := page.evaluate(script, arg)) == value:
            return
        page.wait_for_timeout(100)
    assert found == value


def wait_for_chart(page: Any, key: str) -> None:
    """Wait until the chart of that key is drawn and the app rests."""
    page.wait_for_function("(key) => rf.drawn(key)", arg=key)
    settle(page)


def navigation(page: Any) -> Any:
    """Return the list of pages at the side."""
    return page.get_by_test_id("stSidebarNav")


# The zoo draws its cards itself.
WITHOUT_CHART = {"home", "lessons", "zoo"}


def check_is_there(page: Any, slug: str) -> None:
    """Check that the page that was asked for is there, with its chart, in the navigation of all pages."""
    settle(page)
    pages = {found.slug: found for found in NAVIGATION}
    own = pages[slug]
    if slug != "home":
        assert page.locator("h1").inner_text().startswith(own.title)  # the navigation has less room
    if slug not in WITHOUT_CHART:
        page.wait_for_selector(".js-plotly-plot .main-svg")
    links = navigation(page).get_by_test_id("stSidebarNavLink")
    assert links.count() == len(pages)
    for other in pages.values():
        assert navigation(page).get_by_role("link", name=other.title).count() == 1
        assert "_" not in other.path.stem or other.path.stem not in navigation(page).inner_text()
    assert navigation(page).locator("[aria-current=page]").inner_text().endswith(own.title)


def slider(page: Any, label: str) -> Any:
    """Return the live slider whose label begins so."""
    return page.locator(f"input[type=range][aria-label^='{label}']")


def control(page: Any, slug: str, name: str) -> Any:
    """Return what Streamlit has drawn for the control `name` of a page, whichever the generation of its widget."""
    key = f"st-key-{slug}-{name.replace('.', '-')}"
    return page.locator(", ".join(f".{key}-{generation}" for generation in range(20)))


def choose(page: Any, slug: str, name: str, title: str) -> None:
    """Choose from a menu by the title of the option, which is typed, as a long menu draws what is in view alone."""
    control(page, slug, name).get_by_role("combobox").click()
    page.keyboard.type(title)
    page.get_by_role("option", name=title, exact=True).click()


def open_more(page: Any) -> None:
    """Open the controls that are behind the button More."""
    page.get_by_role("button", name="More", exact=True).click()
    settle(page)


def unfold(page: Any, title: str) -> None:
    """Open the part under a chart that has this title."""
    page.locator("[data-testid=stExpander] summary", has_text=title).click()


def preset(page: Any, slug: str) -> Any:
    """Return the button that restores the setting of the paper."""
    return page.locator(f"[class*='st-key-{slug}-preset-'] button").first


def changes(page: Any, key: str, act: Callable[[], Any], at_rest: bool = True) -> str:
    """Act once the page rests, wait until the chart shows something else, and return that.

    Else a late answer to what was done before would pass for the answer to this. `at_rest` is False where the page is
    not to rest: while it plays, a slider is dragged, or answers are to overtake one another.
    """
    if at_rest:
        settle(page)
    before = page.evaluate("(key) => rf.state(key)", key)
    act()
    page.wait_for_function("([key, before]) => rf.state(key) !== before", arg=[key, before])
    return page.evaluate("(key) => rf.state(key)", key)


def wait_for_query(page: Any, **values: str | None) -> None:
    """Wait until the address holds these values (None: does not hold the name)."""
    page.wait_for_function(
        "(values) => Object.entries(values).every(([name, value]) => "
        "new URLSearchParams(location.search).get(name.replace('__', '.')) === value)",
        arg=values,
    )


def overlapping(boxes: list[list[float]], slack: float) -> list[tuple[int, int]]:
    """Return the pairs of rectangles (left, right, two vertical ends) that overlap by more than `slack` both ways."""
    return [
        (i, j)
        for (i, a), (j, b) in combinations(enumerate(boxes), 2)
        if min(a[1], b[1]) - max(a[0], b[0]) > slack and min(a[3], b[3]) - max(a[2], b[2]) > slack
    ]


def colour(text: str) -> tuple[float, float, float]:
    """Return red, green and blue in [0, 1] of a computed CSS colour."""
    red, green, blue = (float(part) / 255 for part in re.findall(r"[\d.]+", text)[:3])
    return red, green, blue


def luminance(rgb: tuple[float, float, float]) -> float:
    """Return the relative luminance of an sRGB colour, by WCAG."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: tuple[float, float, float], b: tuple[float, float, float]) -> float:
    """Return the contrast of two colours, from 1 to 21, by WCAG."""
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
