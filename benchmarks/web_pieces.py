"""What each piece of the web server gains: the time to the first picture of a page with it and without it.

    python benchmarks/web_pieces.py [--turns 15] [--page accuracy] [--pieces preload ...] [--json PATH]

One server runs as it is, others each lack a piece; a browser with an empty cache visits them in turns, so that whatever
else the machine does meets all of them alike. A gain is the median over the turns of the difference between the two, in
the time that a user waits, and in the processor time of the server, which is what a class shares that opens a page at
the same moment.
"""

# ruff: noqa: E402 - the package is found from wherever the script is started
from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

import numpy as np
import psutil
from _app import ROOT, running_app, server_of
from _latency_browser import browser
from _report import markdown_table, write_json
from opening import seconds_to_picture

_PASS_ON = (
    "type('PassOn', (), {'__init__': lambda self, app, **_: setattr(self, 'app', app), "
    "'__call__': lambda self, *message: self.app(*message)})"
)
# What takes each piece out of app.py, as a line before the application is made.
PIECES = {
    "static files from memory, compressed": f"StaticCache = {_PASS_ON}",
    "answers to Streamlit's probes": f"InjectBootScript = {_PASS_ON}",
    "preload headers": "preloaded = lambda path: []",
    "a third of Plotly's script": "from rfviz.figures import plotly_js\nplotly_js.find_bundle = lambda folder: None",
    "no delay of small packets": "from rfviz.ui.web import startup\nstartup.disable_nagle = lambda: None",
}


def without(piece: str, folder: Path) -> Path:
    """Write an application that lacks a piece into a folder of its own, and return its script."""
    shutil.copytree(ROOT / ".streamlit", folder / ".streamlit")
    script = folder / "app.py"
    source = (ROOT / "app.py").read_text(encoding="utf-8")
    path = f"import sys\n\nsys.path.insert(0, {str(ROOT)!r})\n"
    script.write_text(path + source.replace("app = st.App(", f"{PIECES[piece]}\napp = st.App("), encoding="utf-8")
    return script


def processor_seconds(process: psutil.Process) -> float:
    """Return the processor time that a process has had."""
    times = process.cpu_times()
    return times.user + times.system


def main() -> None:
    """Visit in turns, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--page", default="accuracy", help="the last part of a page's address")
    parser.add_argument("--pieces", nargs="+", default=[""], help="parts of the names of those to leave out; else all")
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results" / "web-pieces-cpu.json")
    options = parser.parse_args()
    pieces = [piece for piece in PIECES if any(part in piece for part in options.pieces)]
    with ExitStack() as stack:
        chromium = stack.enter_context(browser())
        urls = {"": stack.enter_context(running_app())}
        for piece in pieces:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            urls[piece] = stack.enter_context(running_app(script=without(piece, folder)))
        servers = {piece: server_of(url) for piece, url in urls.items()}
        waited: dict[str, list[float]] = {piece: [] for piece in urls}
        worked: dict[str, list[float]] = {piece: [] for piece in urls}
        for turn in range(options.turns + 1):
            for piece, url in urls.items():
                before = processor_seconds(servers[piece])
                seconds = seconds_to_picture(chromium, f"{url}/{options.page}")
                if turn:  # the first one also computes what is cached for those who come after
                    waited[piece].append(seconds)
                    worked[piece].append(processor_seconds(servers[piece]) - before)
    whole, work = np.array(waited[""]), np.array(worked[""])
    rows = []
    for piece in pieces:
        gains = 1000 * (np.array(waited[piece]) - whole)
        low, median, high = np.quantile(gains, [0.25, 0.5, 0.75])
        row = {"piece": piece, "gain ms": median, "lower quartile": low, "upper quartile": high}
        row |= {"ratio": float(np.median(np.array(waited[piece]) / whole))}
        rows.append(row | {"gain of the server ms": 1000 * float(np.median(np.array(worked[piece]) - work))})
    total, server = np.median(whole), np.median(work)
    print(f"{options.page}: {total:.2f} s, {server:.2f} s of the server's processor, with all; {options.turns} visits")
    print(markdown_table(rows))
    write_json(options.json, {"turns": options.turns, "page": options.page, "s": float(total), "pieces": rows})


if __name__ == "__main__":
    main()
