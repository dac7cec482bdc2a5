"""Take the pictures of the pages for the README and the front page's gallery: ``make screenshots``.

Each page is opened in light and in dark on its default settings, and saved small, as ``<page>-<scheme>.png``; the race
of the accuracy page also while it is under way, as ``accuracy-racing-<scheme>.png``.
"""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

sys.path += [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "benchmarks")]

from _app import running_app

from rfviz.ui.page_index import find_pages

ASSETS = Path(__file__).resolve().parent
WIDTH, HEIGHT, SAVED_WIDTH = 1440, 900, 1100
SCHEMES = ("light", "dark")
# The curves have come half of their way.
UNDER_WAY = """() => [...document.querySelectorAll(".js-plotly-plot")].some((chart) => (chart._fullData ?? [])
  .some((trace) => trace.mode === "lines+markers" && Math.max(...trace.x) >= 50))"""


def main() -> None:
    """Start the app, take all pictures, stop it."""
    with sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        # A race runs once in the life of a server, so the pictures of one under way need a new server each.
        for scheme in SCHEMES:
            with running_app() as address, opened(browser, f"{address}/accuracy", scheme) as page:
                page.wait_for_function(UNDER_WAY)
                save(page, ASSETS / f"accuracy-racing-{scheme}.png")
        with running_app() as address:
            for slug in (page.slug for page in find_pages() if page.slug != "home"):
                for scheme in SCHEMES:
                    with opened(browser, f"{address}/{slug}", scheme) as page:
                        rest(page)
                        save(page, ASSETS / f"{slug}-{scheme}.png")
        browser.close()


@contextmanager
def opened(browser: Browser, address: str, scheme: str) -> Iterator[Page]:
    """A page of the app, with its chart drawn."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(".js-plotly-plot .main-svg", state="attached")
    yield page
    context.close()


def rest(page: Page) -> None:
    """Wait until the app rests: a race asks for another run as long as it has something to compute."""
    resting = "[data-testid=stApp][data-test-script-state=notRunning]"
    for _ in range(3):
        page.wait_for_timeout(1500)
        page.wait_for_selector(resting, timeout=120_000)


def save(page: Page, path: Path) -> None:
    """Save what a reader sees first."""
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    image = image.resize((SAVED_WIDTH, HEIGHT * SAVED_WIDTH // WIDTH), Image.Resampling.LANCZOS)
    # Few pixels are curves; a palette by coverage keeps their colours, one by frequency would grey them.
    image.quantize(256, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
