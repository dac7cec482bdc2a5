"""A person at a slider, in headless Chromium: key presses one by one, and a drag."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from _chromium import find_chromium
from _latency_socket import REACH
from playwright.sync_api import Page, sync_playwright

__all__ = ["browser", "drag", "press"]

_SCRIPT = (Path(__file__).parent / "_latency_browser.js").read_text(encoding="utf-8")
_HAND = """async ([slider, low, high, seconds]) => {
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  const began = performance.now();
  for (let step = 0, now = began; now - began < 1000 * seconds; step++) {
    now = await new Promise(requestAnimationFrame);
    const at = step % (2 * (high - low));
    set.call(slider, low + Math.min(at, 2 * (high - low) - at));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
  return [began, performance.now()];
}"""
_SPACING_S = 0.3
_PATIENCE_MS = 5000
# The stages of one update, each from the one before it.
STAGES = ("sent", "chart", "finished", "drawn", "frame")


@contextmanager
def browser() -> Iterator[Any]:
    """Start a headless Chromium: the system's, or else Playwright's own."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        try:
            yield chromium
        finally:
            chromium.close()


def _open(chromium: Any, address: str, chart: str) -> Page:
    page = chromium.new_page(viewport={"width": 1360, "height": 900})
    page.add_init_script(f"window.__latencyChart = {chart!r};\n{_SCRIPT}")
    page.goto(address)
    page.wait_for_selector(f".st-key-{chart} .js-plotly-plot .main-svg", timeout=60_000)
    page.wait_for_timeout(1500)
    return page


def _slider(page: Page, label: str) -> Any:
    return page.locator(f'input[type=range][aria-label^="{label}"]').first


def _step(page: Page, slider: Any, key: str) -> None:
    """Press a key and wait until the chart was drawn anew."""
    before = page.evaluate("window.__latency.frame.length")
    slider.press(key)
    page.wait_for_function(f"window.__latency.frame.length > {before}", timeout=_PATIENCE_MS, polling=40)


def _wait_for_frames(page: Page, slider: Any) -> bool:
    """Touch a slider and wait for its frames; return False where there are none."""
    slider.focus()
    page.wait_for_timeout(3000)
    return page.evaluate("performance.getEntriesByType('resource').some((e) => e.name.endsWith('?slider'))")


def press(chromium: Any, address: str, chart: str, label: str, count: int) -> dict[str, list[float]]:
    """Press arrow keys on the slider of that label, at least 300 ms apart, about its default.

    No setting comes twice to the server; where the browser has frames for all of them, it draws those.

    Returns
    -------
    dict
        Milliseconds since the key went down of each stage of each update: message ``sent``, ``chart`` data arrived,
        script ``finished``, chart ``drawn``, next ``frame``; also ``kilobytes`` of each update, and ``mounts``.
    """
    page = _open(chromium, address, chart)
    slider, seed = _slider(page, label), _slider(page, "Seed")
    middle, has_frames = int(slider.input_value()), _wait_for_frames(page, slider)
    key = "ArrowRight"
    for _ in range(count):
        began = time.monotonic()
        at = int(slider.input_value())
        if (key, at) in (("ArrowRight", middle + REACH), ("ArrowLeft", middle - REACH)):
            # At the turn: another seed, so that the way back is new to the server too.
            key = "ArrowLeft" if key == "ArrowRight" else "ArrowRight"
            _step(page, *((slider, key) if has_frames else (seed, "ArrowRight")))
        else:
            _step(page, slider, key)
        page.wait_for_timeout(max(_SPACING_S - (time.monotonic() - began), 0.02) * 1000)
    log = page.evaluate("window.__latency")
    page.close()
    return _stages(log)


def _stages(log: dict[str, Any]) -> dict[str, list[float]]:
    stages: dict[str, list[float]] = {name: [] for name in (*STAGES, "kilobytes")}
    for key in log["key"]:
        for name in STAGES:
            place = bisect_left(log[name], key)
            stages[name].append(log[name][place] - key if place < len(log[name]) else float("nan"))
        end = key + stages["finished"][-1]
        stages["kilobytes"].append(sum(size for at, size in log["bytes"] if key <= at <= end) / 1000)
    stages["mounts"] = [log["mounts"]]
    return stages


def drag(chromium: Any, address: str, chart: str, label: str, seconds: float) -> dict[str, Any]:
    """Hold the slider and move it to and fro about its default, a stop at every picture of the screen.

    A mouse that a driver moves waits for the page after each step, thirty times a second at most; so the page itself
    tells the slider where the hand is.

    Returns
    -------
    dict
        New charts a second as ``fps``, and the milliseconds between two of them as ``gaps``.
    """
    page = _open(chromium, address, chart)
    slider = _slider(page, label)
    slider.scroll_into_view_if_needed()
    _wait_for_frames(page, slider)
    box = slider.bounding_box()
    middle, last = int(slider.input_value()), int(slider.get_attribute("max"))
    page.mouse.move(box["x"] + middle / last * box["width"], box["y"] + box["height"] / 2)
    page.mouse.down()
    ends = [max(middle - REACH, 0), min(middle + REACH, last)]
    began, ended = page.evaluate(_HAND, [slider.element_handle(), *ends, seconds])
    page.mouse.up()
    times = [t for t in page.evaluate("window.__latency.frame") if began <= t <= ended]
    page.close()
    return {"fps": len(times) / (ended - began) * 1000, "gaps": [b - a for a, b in pairwise(times)] or [float("nan")]}
