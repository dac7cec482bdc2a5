"""How soon every page shows its first picture: from asking for the address to the first chart, in headless Chromium.

    python benchmarks/opening.py [--turns 3] [--json PATH]

The first visit after the server's start is told apart from later ones: it loads what the page computes with, and what
it computed is remembered for those who come after. Browser and server share the machine.
"""

# ruff: noqa: E402 - the package is found from wherever the script is started
from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

from _app import running_app
from _latency_browser import browser
from _report import markdown_table, write_json

from rfviz.ui.page_index import NAVIGATION

# A chart, a card of the zoo, or the front page's first card.
PICTURE = ".js-plotly-plot .main-svg, .zoo .cards canvas, [class*=st-key-cards] [data-testid=stPageLink]"
_PATIENCE_MS = 60_000
# The least that Streamlit can be asked for, and where it is seen.
_BARE = "import streamlit as st\n\nst.title('Hello')\n"
_TITLE = "[data-testid=stHeading] h1"


def seconds_to_picture(chromium: Any, address: str, picture: str = PICTURE) -> float:
    """Time one visit by a browser with an empty cache."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    began = time.perf_counter()
    page.goto(address)
    page.locator(picture).first.wait_for(state="visible", timeout=_PATIENCE_MS)
    seconds = time.perf_counter() - began
    context.close()
    return seconds


def main() -> None:
    """Visit every page, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=3, help="visits after the first")
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "opening-cpu.json")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "bare.py"
        script.write_text(_BARE, encoding="utf-8")
        with running_app() as url, running_app(script=script) as bare_url, browser() as chromium:
            seconds_to_picture(chromium, bare_url, _TITLE)
            for page in NAVIGATION:
                address = f"{url}/{'' if page.slug == 'home' else page.slug}"
                first = seconds_to_picture(chromium, address)
                pairs = [
                    (seconds_to_picture(chromium, bare_url, _TITLE), seconds_to_picture(chromium, address))
                    for _ in range(options.turns)
                ]
                bare, later = map(statistics.median, zip(*pairs, strict=True))
                seconds = {"first visit s": first, "later visits s": later, "Streamlit alone s": bare}
                rows.append({"page": page.title, **seconds, "ratio": later / bare})
    print(markdown_table(rows))
    write_json(options.json, {"turns": options.turns, "pages": rows})


if __name__ == "__main__":
    main()
