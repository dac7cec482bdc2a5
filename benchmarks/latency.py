"""How live the laboratory is: key press to redrawn chart in a browser, and many sessions at once at the websocket.

``python benchmarks/latency.py`` starts the app on a free port, drives it, and prints a table::

    python benchmarks/latency.py --quick
    python benchmarks/latency.py --json benchmarks/results/latency-cpu.json
    python benchmarks/latency.py --against OTHER_CHECKOUT

With ``--against`` the app of another checkout is driven in turns with this one, and the table has both.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import sys
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import _latency_browser
import _latency_socket
from _app import ROOT, running_app

# Page → key of its main chart, and the slider that is moved; all have frames in the browser.
PAGES = {
    "distance-saturation": ("saturation", "Pool size"),
    "maxout-pca": ("embedding", "Pool size"),
    "hashing": ("hamming", "Pool size"),
    "decision-surfaces": ("surface-map", "Features m"),
    "kernel-approximation": ("kernel-error", "Features m"),
    "pixel-cooccurrence": ("maps", "Features m"),
    "binning": ("shared", "Grids P"),
    "build-a-map": ("built-kernel", "Features m"),
    "learning-curve": ("learning-curve", "Features m"),
}
# Those whose server is asked, too, by many sessions and beside long computations.
_ASKED = ("distance-saturation", "maxout-pca", "hashing")
_STAGES = {
    "sent": "key → message sent",
    "chart": "key → chart data arrived",
    "finished": "key → script finished",
    "drawn": "key → Plotly has drawn",
    "frame": "**key → next frame** (the total)",
}


def quantiles(values: list[float]) -> dict[str, float]:
    """Return the median, 95th percentile and maximum."""
    p50, p95, most = np.nanpercentile(values, [50, 95, 100])
    return {"p50": round(float(p50), 1), "p95": round(float(p95), 1), "max": round(float(most), 1), "n": len(values)}


def browser_rows(url: str, page: str, presses: int, drag_s: float) -> list[dict[str, Any]]:
    """Measure one page in a browser of its own."""
    chart, slider = PAGES[page]
    with _latency_browser.browser() as chromium:
        stages = _latency_browser.press(chromium, f"{url}/{page}", chart, slider, presses)
        dragged = _latency_browser.drag(chromium, f"{url}/{page}", chart, slider, drag_s)
    # Where the browser has the frames of a slider, the server hears of a key when all is drawn.
    of_browser = np.nanmedian(stages["frame"]) < np.nanmedian(stages["sent"])
    told = {"frame": _STAGES["frame"]} if of_browser else _STAGES
    rows = [{"page": page, "what": title, "unit": "ms", **quantiles(stages[name])} for name, title in told.items()]
    if not of_browser:
        plotting = (np.array(stages["frame"]) - np.maximum(stages["chart"], stages["sent"])).tolist()
        rows.append({"page": page, "what": "data arrived → next frame", "unit": "ms", **quantiles(plotting)})
    rows.append({"page": page, "what": "message size of an update", "unit": "kB", **quantiles(stages["kilobytes"])})
    rows.append(
        {"page": page, "what": "charts a second while dragging", "unit": "1/s", "p50": round(dragged["fps"], 1)}
    )
    rows.append({"page": page, "what": "chart → next chart while dragging", "unit": "ms", **quantiles(dragged["gaps"])})
    return rows


def socket_row(url: str, page: str, sessions: int, seconds: float) -> dict[str, Any]:
    """Measure many sessions on one page."""
    times = _latency_socket.crowd(url, page, PAGES[page][1], sessions, seconds)
    what = f"websocket, {sessions} sessions at 1/s: message → script finished"
    return {"page": page, "what": what, "unit": "ms", **quantiles([1000 * value for value in times])}


def race_row(url: str, page: str, races: int, seconds: float) -> dict[str, Any]:
    """Measure one session on a page while long computations go on for others."""
    times = _latency_socket.next_to_races(url, page, PAGES[page][1], races, seconds)
    what = f"websocket, 1 session at 1/s next to {races} races: message → script finished"
    return {"page": page, "what": what, "unit": "ms", **quantiles([1000 * value for value in times])}


def machine() -> dict[str, Any]:
    """Return where and with what this was measured."""
    packages = ("streamlit", "plotly", "numpy", "scipy", "pandas", "playwright")
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes"),
        "processor": names[0] if names else platform.processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load average at start": [round(value, 2) for value in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in packages},
    }


def table(rows: list[dict[str, Any]]) -> str:
    """Format the rows in Markdown."""
    lines = ["| page | what | unit | p50 | p95 | max |", "|---|---|---|---:|---:|---:|"]
    for row in rows:
        cells = [
            " ".join(filter(None, (row["page"], row.get("version")))),
            row["what"],
            row["unit"],
            *(str(row.get(name, "")) for name in ("p50", "p95", "max")),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer presses and seconds")
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=list(PAGES))
    parser.add_argument("--presses", type=int, help="key presses a page in the browser (default 60); 0: no browser")
    parser.add_argument("--sessions", type=int, default=20, help="sessions at the websocket; 0: none")
    parser.add_argument("--races", type=int, default=3, help="long computations next to one session; 0: none")
    parser.add_argument("--seconds", type=float, help="how long each of them goes on (default 20)")
    parser.add_argument("--against", type=Path, help="the folder of another version")
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    options = parser.parse_args()
    presses = options.presses if options.presses is not None else 15 if options.quick else 60
    seconds = options.seconds or (5 if options.quick else 20)
    report: dict[str, Any] = {"machine": machine(), "rows": []}
    # By role: two checkouts may well have folders of the same name.
    checkouts = {"": ROOT} | ({"(other version)": options.against} if options.against else {})
    with ExitStack() as stack:
        urls = {
            version: stack.enter_context(running_app(script=folder / "app.py")) for version, folder in checkouts.items()
        }
        for page, (version, url) in product(options.pages, urls.items()):
            rows = browser_rows(url, page, presses, 2 if options.quick else 5) if presses else []
            if options.sessions and page in _ASKED:
                rows.append(socket_row(url, page, options.sessions, seconds))
            if options.races and page in _ASKED:
                rows.append(race_row(url, page, options.races, seconds))
            report["rows"] += [{**row, "version": version} if version else row for row in rows]
    print(", ".join(f"{name} {value}" for name, value in report["machine"].items()), end="\n\n")
    print(table(report["rows"]))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
