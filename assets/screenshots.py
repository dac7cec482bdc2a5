"""Take the pictures of the pages for the README and the front page's gallery: ``make screenshots``.

Each page is opened in light and in dark on its default settings, and saved small, as ``<page>-<scheme>.png``.
"""

from __future__ import annotations

import io
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

ASSETS = Path(__file__).resolve().parent
WIDTH, HEIGHT, SAVED_WIDTH = 1440, 900, 1100


def main() -> None:
    """Start the app, take all pictures, stop it."""
    sys.path.insert(0, str(ASSETS.parent))
    from rfviz.ui.page_index import find_pages

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    environment = {key: value for key, value in os.environ.items() if key != "RFVIZ_DATA"}
    app = subprocess.Popen([*command, "--server.port", str(port)], cwd=ASSETS.parent, env=environment)
    try:
        wait_until_up(f"http://127.0.0.1:{port}/_stcore/health")
        with sync_playwright() as playwright:
            path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
            for page in find_pages():
                if page.slug != "home":
                    for scheme in ("light", "dark"):
                        save(
                            browser,
                            f"http://127.0.0.1:{port}/{page.slug}",
                            scheme,
                            ASSETS / f"{page.slug}-{scheme}.png",
                        )
            browser.close()
    finally:
        app.terminate()
        app.wait(20)


def wait_until_up(address: str) -> None:
    """Wait for the server to answer, a minute at most."""
    for _ in range(240):
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except OSError:
            time.sleep(0.25)
    raise SystemExit("The app did not start within a minute.")


def save(browser: Browser, address: str, scheme: str, path: Path) -> None:
    """Open one page, wait for its chart, and save what a reader sees first."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(".js-plotly-plot .main-svg", state="attached")
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_timeout(1500)  # pictures inside the chart decode after the script has ended
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    context.close()
    image = image.resize((SAVED_WIDTH, HEIGHT * SAVED_WIDTH // WIDTH), Image.Resampling.LANCZOS)
    image.quantize(128).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
