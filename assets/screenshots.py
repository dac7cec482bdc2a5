"""Take the pictures of the pages for the README and the front page's gallery: ``make screenshots``.

Each page is opened in light and in dark on its default settings, and saved small, as ``<page>-<scheme>.png``.
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

sys.path += [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "benchmarks")]

from _app import running_app

from rfviz.ui.page_index import find_pages

ASSETS = Path(__file__).resolve().parent
WIDTH, HEIGHT, SAVED_WIDTH = 1440, 900, 1100


def main() -> None:
    """Start the app, take all pictures, stop it."""
    with running_app() as address, sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for page in find_pages():
            if page.slug != "home":
                for scheme in ("light", "dark"):
                    save(browser, f"{address}/{page.slug}", scheme, ASSETS / f"{page.slug}-{scheme}.png")
        browser.close()


def save(browser: Browser, address: str, scheme: str, path: Path) -> None:
    """Open one page, wait for its chart, and save what a reader sees first."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(".js-plotly-plot .main-svg", state="attached")
    # A race asks for another run as long as it has something to compute.
    resting = "[data-testid=stApp][data-test-script-state=notRunning]"
    for _ in range(3):
        page.wait_for_timeout(1500)
        page.wait_for_selector(resting, timeout=120_000)
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    context.close()
    image = image.resize((SAVED_WIDTH, HEIGHT * SAVED_WIDTH // WIDTH), Image.Resampling.LANCZOS)
    image.quantize(128).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
