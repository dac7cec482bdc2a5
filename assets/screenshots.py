"""Take the pictures of the pages for the README and the front page's gallery: ``make screenshots``.

With names of pages behind it (``python assets/screenshots.py quick-inspection``) only theirs are taken.

Each page is opened in light and in dark on its default settings, and saved small, as ``<page>-<scheme>.png``, and its
chart without words as a card, ``<page>-card-<scheme>.png``; the race of the accuracy page while it is under way
instead, as ``accuracy-racing-<scheme>.png``; and figures of the papers that a page reproduces, as
``<figure>-<scheme>.png``.
"""

from __future__ import annotations

import base64
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from scipy.spatial import cKDTree

sys.path += [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "benchmarks")]

from _app import running_app
from _chromium import find_chromium

from rfviz.lab.facts import FACTS
from rfviz.lab.index import NAVIGATION
from rfviz.lessons import find_lessons

ASSETS = Path(__file__).resolve().parent
WIDTH, HEIGHT, SAVED_WIDTH = 1440, 900, 1100
SCHEMES = ("light", "dark")
CARD_SIZE = (560, 420)
N_GROUNDS = 16  # colours that a picture keeps exactly
GROUNDS = {"light": "#ffffff", "dark": "#10151c"}  # those of the page
# Cards that are no charts: a part of the page, from its top on.
CARD_PARTS = {"lessons": ".st-key-lesson-panel"}
# Pages of several charts whose card has the first of them, not the largest.
FIRST_OF = {"binning", "build-a-map", "decision-surfaces", "quick-inspection", "speech"}
BARE_CHART = (ASSETS / "bare_chart.js").read_text(encoding="utf-8").strip()
# Pages that compute nothing before they are asked to, and what they say at the end.
STARTED = {"your-machine": "Done."}
# Where the picture of a page is taken, if that is not its own default.
ADDRESSES = {"lessons": "distance-saturation?lesson=saturation&step=4"}
# Figures of the papers: the page and its button. With CIFAR-10 in the folder RFVIZ_DATA they are the paper’s.
FIGURES = {
    "figure-3-deep": ("kernel-approximation", "Figure 3, deep"),
    "figure-4": ("pixel-cooccurrence", "Figure 4 of the paper"),
}
# Lessons that look like another one of their page at the start: the step after whose answer they look like themselves.
STEPS = {"bandwidth": 4, "why-root-m": 4, "orthogonal": 3, "skeletons": 4, "known-before-training": 3}


def address_of(name: str, step: int) -> str:
    """Return the address of a lesson's page after a step, without the lesson."""
    lesson = next(one for one in find_lessons(ASSETS / "lessons", FACTS)[0] if one.slug == name)
    return f"{lesson.page}?{urlencode(lesson.settings(step, True), safe=',')}"


# Lessons whose picture would be that of another lesson, or of another chart than theirs, and where theirs is.
LESSONS = {
    "kitchen-sinks-weights": "kitchen-sinks?view=weights",
    **{name: address_of(name, step) for name, step in STEPS.items()},
    # Its last step: a card does not give away what is to be drawn.
    "your-own-data": "accuracy?data=breast_cancer&normalise=standardise&m_max=500&references=rbf_svm,&seeds=2"
    "&maps=RandomFourier,RandomProjection",
}
# The curves have come half of their way.
UNDER_WAY = """() => [...document.querySelectorAll(".js-plotly-plot")].some((chart) => (chart._fullData ?? [])
  .some((trace) => trace.mode === "lines+markers" && Math.max(...trace.x) >= 50))"""


def main() -> None:
    """Start the app, take all pictures, stop it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        if sys.argv[1:]:
            with running_app() as address:
                take_pages(browser, address, sys.argv[1:])
            return
        # A race runs once in the life of a server, so the pictures of one under way need a new server each.
        for scheme in SCHEMES:
            with running_app() as address, opened(browser, f"{address}/accuracy", scheme) as page:
                page.wait_for_function(UNDER_WAY)
                save(page, ASSETS / f"accuracy-racing-{scheme}.png")
        with running_app() as address:
            take_pages(browser, address, [page.slug for page in NAVIGATION if page.slug != "home"])
            take_lessons(browser, address)
        with running_app(os.environ.get("RFVIZ_DATA")) as address:
            for name, (slug, preset) in FIGURES.items():
                for scheme in SCHEMES:
                    with opened(browser, f"{address}/{slug}", scheme) as page:
                        page.get_by_role("button", name=preset, exact=True).click()
                        page.mouse.move(0, 0)  # away from the button's tooltip
                        rest(page)
                        save(page, ASSETS / f"{name}-{scheme}.png")
        browser.close()


def take_pages(browser: Browser, address: str, slugs: list[str]) -> None:
    """Take the pictures and cards of these pages."""
    for slug in slugs:
        for scheme in SCHEMES:
            with opened(browser, f"{address}/{ADDRESSES.get(slug, slug)}", scheme) as page:
                start(page, STARTED.get(slug))
                rest(page)
                if slug != "accuracy":
                    save(page, ASSETS / f"{slug}-{scheme}.png")
                save_card(page, slug, scheme, ASSETS / f"{slug}-card-{scheme}.png")


def take_lessons(browser: Browser, address: str) -> None:
    """Take the cards of lessons that have a picture of their own."""
    for name, place in LESSONS.items():
        for scheme in SCHEMES:
            with opened(browser, f"{address}/{place}", scheme) as page:
                rest(page)
                save_card(page, name, scheme, ASSETS / f"{name}-card-{scheme}.png")


@contextmanager
def opened(browser: Browser, address: str, scheme: str) -> Iterator[Page]:
    """Open a page of the app, and wait until its chart is drawn."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(".js-plotly-plot .main-svg, .zoo canvas", state="attached")
    yield page
    context.close()


def start(page: Page, end: str | None) -> None:
    """Press Start where a page asks for it, and wait for its last word."""
    if end is None:
        return
    button = page.get_by_role("button", name="Start", exact=True)
    if button.count():
        button.click()
    page.get_by_text(end).first.wait_for(timeout=300_000)


def rest(page: Page) -> None:
    """Wait until the app rests: a race asks for another run as long as it has something to compute."""
    resting = "[data-testid=stApp][data-test-script-state=notRunning]"
    for _ in range(3):
        page.wait_for_timeout(1500)
        page.wait_for_selector(resting, timeout=120_000)


def save(page: Page, path: Path) -> None:
    """Save what a user sees first."""
    _save_small(Image.open(io.BytesIO(page.screenshot())), SAVED_WIDTH, path)


def save_card(page: Page, slug: str, scheme: str, path: Path) -> None:
    """Save what a page shows without its words, which nobody could read on a card: its curves, points or maps."""
    width, height = CARD_SIZE
    if slug in CARD_PARTS:
        page.set_viewport_size({"width": 1000, "height": 1600})
        page.wait_for_timeout(1500)
        box = page.locator(CARD_PARTS[slug]).bounding_box()
        card = Image.open(io.BytesIO(page.screenshot(clip=box | {"height": box["width"] * height / width})))
        # The text goes on, which is no line cut in two.
        fading = (card.width, card.height // 3)
        card.paste(GROUNDS[scheme], (0, card.height - fading[1]), Image.linear_gradient("L").resize(fading))
        _save_small(card, width, path)
    elif slug == "zoo":
        _save_small(_zoo(page, scheme), width, path)
    else:
        drawn = page.evaluate(f"({BARE_CHART})", [width // 2, height // 2, slug in FIRST_OF, GROUNDS[scheme]])
        _save_small(_decoded(drawn), width, path)


def _decoded(address: str, mode: str = "RGB") -> Image.Image:
    """Return the picture in an address that holds its data."""
    return Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))).convert(mode)


def _zoo(page: Page, scheme: str) -> Image.Image:
    """Put one feature of each of three maps on a card, and below it the kernel that many of them estimate."""
    width, height = CARD_SIZE
    gap, side = 20, 166
    card = Image.new("RGB", CARD_SIZE, GROUNDS[scheme])
    for number in range(6):
        place = 3 * (number % 3) + number // 3
        canvas = page.locator(".zoo .cards canvas").nth(place).evaluate("(canvas) => canvas.toDataURL()")
        x = (width - 3 * side - 2 * gap) // 2 + number % 3 * (side + gap)
        y = (height - 2 * side - gap) // 2 + number // 3 * (side + gap)
        square = _decoded(canvas, "RGBA").resize((side, side), Image.Resampling.LANCZOS)
        card.paste(square, (x, y), square)  # what is near zero lets the ground through
    return card


def _save_small(image: Image.Image, width: int, path: Path) -> None:
    image = image.convert("RGB")
    image = image.resize((width, image.height * width // image.width), Image.Resampling.LANCZOS)
    # Few pixels are curves; a palette by coverage keeps their colours, one by frequency would grey them. What most
    # pixels have, the grounds, is kept as it is, or they would be tinted.
    grounds = [colour for _, colour in sorted(image.getcolors(image.width * image.height), reverse=True)[:N_GROUNDS]]
    covering = image.quantize(256 - N_GROUNDS, Image.Quantize.MAXCOVERAGE).getpalette()[: 3 * (256 - N_GROUNDS)]
    palette = [*covering, *(part for colour in grounds for part in colour)]
    # Pillow's own search takes a near colour for the nearest, and grounds would not be those of the page.
    _, nearest = cKDTree(np.reshape(palette, (-1, 3))).query(np.asarray(image))
    small = Image.frombytes("P", image.size, nearest.astype(np.uint8).tobytes())
    small.putpalette(palette)
    small.save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
