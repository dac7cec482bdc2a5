"""How soon every page shows its first picture: from asking for the address to the first chart, in headless Chromium.

    python benchmarks/opening.py [--turns 3] [--against OTHER_CHECKOUT] [--json PATH]

The first visit after the server's start is told apart from later ones: it loads what the page computes with, and what
it computed is remembered for those who come after. Browser and server share the machine. With ``--against`` the app of
another checkout is visited in turns with this one, and ``ratio to it`` is the median of the ratios of neighbouring
visits.
"""

# ruff: noqa: E402 - the package is found from wherever the script is started
from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

from _app import ROOT, running_app
from _latency_browser import browser
from _report import markdown_table, median_ratio, write_json

from rfviz.lab.index import NAVIGATION

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
    parser.add_argument("--against", type=Path, help="the folder of another version")
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "opening-cpu.json")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "bare.py"
        script.write_text(_BARE, encoding="utf-8")
        with ExitStack() as stack:
            url, bare_url = (stack.enter_context(running_app(script=name)) for name in (ROOT / "app.py", script))
            other_url = options.against and stack.enter_context(running_app(script=options.against / "app.py"))
            chromium = stack.enter_context(browser())
            seconds_to_picture(chromium, bare_url, _TITLE)
            for page in NAVIGATION:
                path = "" if page.slug == "home" else page.slug
                # A page that the other version does not have yet is compared with nothing.
                there = other_url and (options.against / "pages" / f"{page.slug.replace('-', '_')}.py").exists()
                first = seconds_to_picture(chromium, f"{url}/{path}")
                visits: dict[str, list[float]] = {name: [] for name in ("bare", "this", "other")}
                if there:
                    seconds_to_picture(chromium, f"{other_url}/{path}")
                for _ in range(options.turns):
                    visits["bare"].append(seconds_to_picture(chromium, bare_url, _TITLE))
                    visits["this"].append(seconds_to_picture(chromium, f"{url}/{path}"))
                    if there:
                        visits["other"].append(seconds_to_picture(chromium, f"{other_url}/{path}"))
                bare, later = statistics.median(visits["bare"]), statistics.median(visits["this"])
                row = {"page": page.title, "first visit s": first, "later visits s": later}
                row |= {"Streamlit alone s": bare, "ratio": later / bare}
                if other_url:
                    row |= {"other version s": statistics.median(visits["other"]) if there else None}
                    row |= {"ratio to it": median_ratio(visits["this"], visits["other"]) if there else None}
                rows.append(row)
                print(row, file=sys.stderr, flush=True)
    print(markdown_table(rows))
    write_json(options.json, {"turns": options.turns, "pages": rows})


if __name__ == "__main__":
    main()
