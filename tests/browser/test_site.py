"""The site that needs no server, opened from a folder by a browser without a network."""

from types import SimpleNamespace

import pytest

from rfviz.site import views, write_site
from tests.browser.conftest import HELPERS, WAIT_MS
from tests.browser.test_looks import check_rules

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SATURATION = "distance-saturation"
# Addresses that ask no host.
OWN = ("file:", "data:", "blob:")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write a site of one page."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(views, "PLAY_S", 0.2)
        write_site(folder, [SATURATION])
    return folder


@pytest.fixture
def look(browser, folder):
    """Open pages of the site without a network; nothing may go wrong in them, and no host be asked for anything."""
    problems, contexts = [], []

    def opened(name, **media):
        context = browser.new_context(offline=True, viewport={"width": 390, "height": 844}, **media)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.add_init_script(path=HELPERS)
        page.on("console", lambda message: message.type in ("error", "warning") and problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda asked: asked.url.startswith(OWN) or problems.append(asked.url))
        page.on("requestfailed", lambda asked: problems.append(f"{asked.url} is missing"))
        page.goto((folder / name).as_uri())
        return page

    yield SimpleNamespace(open=opened, folder=folder)
    for context in contexts:
        context.close()
    assert not problems


def drawn(page):
    """Return what the main chart shows: its curves, and the clouds behind them."""
    shown = "(({data, layout}) => JSON.stringify([data.map(({y}) => y), layout.images?.map(({source}) => source)]))"
    return page.evaluate(f"{shown}(document.querySelector('.live-chart'))")


def test_charts_are_drawn_and_follow_the_slider_of_their_frames(look):
    page = look.open(f"{SATURATION}.html")
    page.wait_for_selector(".live-chart .main-svg")
    before = drawn(page)
    page.get_by_role("button", name="Play q").click()
    scrubber = page.get_by_role("slider", name="Frame: q")
    scrubber.press("End")
    page.wait_for_function("document.querySelector('.bar-host').shadowRoot.querySelector('.bar').dataset.shown > 1")
    assert "q = " in scrubber.get_attribute("aria-valuetext")
    at_end = drawn(page)
    assert at_end != before
    scrubber.press("Home")
    page.wait_for_function("document.querySelector('.bar-host').shadowRoot.querySelector('.bar').dataset.shown === '0'")
    assert drawn(page) not in (before, at_end)
    # What is said of the page's own picture steps back, and comes again with it.
    assert page.locator(".words.of-another-frame").count() == 1
    page.get_by_role("button", name="Stop playing").click()
    assert drawn(page) == before and page.locator(".of-another-frame").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index.html", f"{SATURATION}--figure-1-of-the-paper.html"])
def test_pages_are_accessible_and_fit_a_phone(look, name, scheme):
    page = look.open(name, color_scheme=scheme)
    if name != "index.html":
        page.wait_for_selector(".live-chart .main-svg")
    check_rules(page, preload=False)  # axe-core would fetch the styles, which no page may in a folder
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
