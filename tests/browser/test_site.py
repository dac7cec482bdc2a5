"""The site that needs no server, opened from a folder by a browser without a network."""

import shutil
from types import SimpleNamespace

import pytest

from rfviz.site import views, write_site
from rfviz.site.examples import gallery_page
from rfviz.site.reference import write_reference
from tests.browser.conftest import HELPERS, WAIT_MS
from tests.browser.test_looks import COLOUR_RULES, check_rules
from tests.gallery import PAGE as GALLERY

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SATURATION = "distance-saturation"
# Addresses that ask no host.
OWN = ("file:", "data:", "blob:")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write a site of two pages, the gallery, and the library's reference."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(views, "PLAY_S", 0.2)
        write_site(folder, [SATURATION, "zoo"])
    (folder / "gallery.html").write_text(gallery_page(GALLERY.read_text(encoding="utf-8"), ()), encoding="utf-8")
    shutil.copytree(GALLERY.with_suffix(""), folder / "gallery")
    write_reference(folder / "library")
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


# What the chart in view shows: its curves with their names, and the clouds behind them.
DRAWN = """(({data, layout}) => JSON.stringify([data?.map(({name, y}) => [name, y]), layout?.images]))(
  [...document.querySelectorAll('.live-chart')].find((chart) => chart.offsetWidth))"""


def test_charts_are_drawn_and_follow_the_slider_of_their_frames(look):
    page = look.open("index.html")
    page.get_by_role("searchbox").fill("no such words")
    page.get_by_text("No title or heading has these words.").wait_for()
    page.get_by_role("searchbox").fill("figure saturation")
    page.locator(".search").get_by_role("link").first.wait_for()
    page.get_by_role("searchbox").press("Enter")
    page.wait_for_url(f"**/{SATURATION}*.html")
    page = look.open(f"{SATURATION}.html")
    page.wait_for_selector(".live-chart .main-svg")
    before = page.evaluate(DRAWN)
    page.get_by_role("button", name="Play q").click()
    scrubber = page.get_by_role("slider", name="Frame: q")
    scrubber.press("End")
    page.wait_for_function("document.querySelector('.bar-host').shadowRoot.querySelector('.bar').dataset.shown > 1")
    assert "q = " in scrubber.get_attribute("aria-valuetext")
    at_end = page.evaluate(DRAWN)
    assert at_end != before
    scrubber.press("Home")
    page.wait_for_function("document.querySelector('.bar-host').shadowRoot.querySelector('.bar').dataset.shown === '0'")
    assert page.evaluate(DRAWN) not in (before, at_end)
    # What is said of the page's own picture steps back, and comes again with it.
    assert page.locator(".words.of-another-frame").count() == 1
    page.get_by_role("button", name="Stop playing").click()
    assert page.evaluate(DRAWN) == before and page.locator(".of-another-frame").count() == 0


@pytest.mark.parametrize(
    "name",
    [
        "index.html",
        f"{SATURATION}--figure-1-of-the-paper.html",
        "zoo.html",
        "lessons.html",
        "lesson--saturation.html",
        "gallery.html",
        "library/index.html",
        "library/rfviz/datasets.html",
        "library/rfviz/errors.html",
    ],
)
def test_pages_are_accessible_and_fit_a_phone(look, name):
    page = look.open(name)
    if page.locator(".live-chart").count():
        page.wait_for_selector(".live-chart .main-svg")
    check_rules(page, preload=False)  # axe-core would fetch the styles, which no page may in a folder
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.emulate_media(color_scheme="dark")
    check_rules(page, COLOUR_RULES, preload=False)  # the rest is the same as in the light


def test_a_lesson_takes_a_choice_and_a_drawn_curve_and_shows_the_answers(look):
    page = look.open("lesson--saturation.html", color_scheme="dark")
    step = page.locator(".step:visible")
    shown = step.get_by_role("button", name="Show me")
    assert shown.is_disabled() and not step.locator(".reveal").is_visible()
    step.locator(".main-svg").first.wait_for()
    before = page.evaluate(DRAWN)
    step.get_by_label("In proportion, as before").check()
    shown.click()
    assert "Not so: In proportion at first, then it levels off." in step.locator(".reveal").inner_text()
    assert "That was q = 1." in step.locator(".asked").inner_text()
    term = step.locator('a[href="#term-maxout"]')
    term.hover()
    page.get_by_role("tooltip").filter(has_text="largest of q random projections").wait_for()
    page.keyboard.press("Escape")
    assert "plateau of 0.91" in step.locator(".reveal").inner_text().replace("\n", " ")
    page.wait_for_function(f"(before) => {DRAWN} !== before", arg=before)
    step.get_by_role("button", name="Next").click()
    # The next one is drawn; with the keyboard, so that it is a level line at half the height.
    sheet = step.get_by_role("slider", name="Draw distance after it against distance before the map.")
    for _ in range(32):
        sheet.press("ArrowRight")
    shown.click()
    assert "Your dashed curve is off by 0." in step.locator(".verdict").inner_text()
    page.wait_for_function(f"() => {DRAWN}.includes('Your prediction')")
    check_rules(page, preload=False)
    for name in ("Next", "Next", "Next", "Finish"):
        step.get_by_role("button", name=name).click()
    assert page.locator(".score").inner_text() == "0 of 1 choices right."
    assert page.locator(".end li").count() == 3
    page.goto((look.folder / "lessons.html").as_uri())
    done = "getComputedStyle(document.querySelector('.card:has(a[href*=saturation])'), '::after').content"
    assert page.evaluate(done) == '"✓ Done"'
