"""A lecture with a room full of phones: how long these wait, what they cost the server, and what the lecturer notices.

A browser leads the first two steps of a lesson. The phones ask every other second as the real ones do, from a process
of their own, and answer each question within some seconds.

    python benchmarks/room.py --phones 200 --json benchmarks/results/room-cpu.json
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import random
import re
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import psutil
from _app import running_app
from _chromium import find_chromium
from _report import write_json
from playwright.sync_api import sync_playwright

EVERY_S, WITHIN_S = 2.0, 8.0


def phone(url: str, code: str, seed: int, until: float, waits: list[tuple[str, float]], errors: list[str]) -> None:
    """Ask and answer as a phone does, until a moment."""
    rng, name, have = random.Random(seed), f"phone-{seed:016d}", ""
    parts = urlsplit(url)
    time.sleep(rng.random() * EVERY_S)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    answer_at, question = float("inf"), None
    while time.time() < until:
        try:
            told = _timed(connection, "GET", f"/rfviz/room/{code}?phone={name}&have={have}", None, "look", waits)
            if told.get("question"):
                have, question = told["id"], told["question"]
                answer_at = time.time() + rng.random() * WITHIN_S
            if question and time.time() > answer_at and told["stage"] == "ask":
                body = json.dumps({"phone": name, "question": have, "answer": _answer(question, rng)})
                _timed(connection, "POST", f"/rfviz/room/{code}", body, "answer", waits)
                question = None
        except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
            errors.append(repr(error))
            connection.close()
        time.sleep(EVERY_S * (0.85 + 0.3 * rng.random()))


def _answer(question: dict[str, Any], rng: random.Random) -> Any:
    if "options" in question:
        return rng.randrange(len(question["options"]))
    (left, right), (low, high) = (axis["ends"] for axis in question["axes"])
    steep = 0.3 + rng.random()
    shares = np.linspace(0, 1, 33)
    return np.column_stack([left + shares * (right - left), low + (high - low) * shares**steep]).tolist()


def _timed(connection: Any, method: str, path: str, body: str | None, kind: str, waits: list[Any]) -> dict[str, Any]:
    start = time.perf_counter()
    connection.request(method, path, body)
    told: dict[str, Any] = json.loads(connection.getresponse().read())
    waits.append((kind, time.perf_counter() - start))
    if "error" in told:
        raise ValueError(told["error"])
    return told


def phones(url: str, code: str, n: int, until: float, found: Any) -> None:
    """Be `n` phones; in a process of its own."""
    waits: list[tuple[str, float]] = []
    errors: list[str] = []
    threads = [threading.Thread(target=phone, args=(url, code, seed, until, waits, errors)) for seed in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found.put((waits, errors))


def lead(page: Any, url: str) -> str:
    """Open a room at the first step of a lesson, and return its code."""
    page.goto(f"{url}/distance-saturation?lesson=saturation&step=1&present=true")
    page.locator(".st-key-lesson-show button").first.wait_for()
    page.wait_for_timeout(3000)
    page.get_by_role("button", name="Teach", exact=True).click()
    page.get_by_role("button", name="Open a room").click()
    code = page.get_by_test_id("stDialog").locator(".room-code code").inner_text()
    page.keyboard.press("Escape")
    return code


def press(page: Any, awaited: re.Pattern[str]) -> float:
    """Press the arrow key, and return the seconds until the page says what is awaited."""
    page.wait_for_timeout(500)
    start = time.perf_counter()
    page.keyboard.press("ArrowRight")
    page.locator(".st-key-lesson-panel", has_text=awaited).wait_for()
    return time.perf_counter() - start


def lecture(n: int) -> dict[str, Any]:
    """Hold a short lecture before `n` phones, and return what was measured."""
    with running_app() as url, sync_playwright() as driver:
        (server,) = (one for one in psutil.process_iter() if _listens(one, urlsplit(url).port))
        browser = driver.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        code = lead(page, url)
        seconds = 45
        found: Any = multiprocessing.Queue()
        until = time.time() + seconds
        process = multiprocessing.Process(target=phones, args=(url, code, n, until, found))
        before, began = server.cpu_times(), time.time()
        process.start()
        page.wait_for_timeout(14_000)
        steps = {
            "predictions of a choice": press(page, re.compile(r"\d answers?\.")),
            "answer to a choice": press(page, re.compile(r"answers? right\.")),
        }
        press(page, re.compile("on your phone"))
        page.wait_for_timeout(14_000)
        steps |= {
            "predictions of a curve": press(page, re.compile(r"\d curves?\.")),
            "answer to a curve": press(page, re.compile(r"not yet\.")),
        }
        words = page.locator(".st-key-lesson-panel").inner_text()
        page.wait_for_timeout(max(0.0, until - time.time()) * 1000)
        after, elapsed = server.cpu_times(), time.time() - began
        waits, errors = found.get()
        process.join()
        memory = server.memory_info().rss
        browser.close()
    times = {kind: np.array([wait for one, wait in waits if one == kind]) for kind in ("look", "answer")}
    return {
        "phones": n,
        "seconds": elapsed,
        "errors": len(errors),
        "first_errors": errors[:3],
        "ms": {
            kind: {"n": len(found), **{f"p{q}": 1000 * float(np.quantile(found, q / 100)) for q in (50, 95, 100)}}
            for kind, found in times.items()
            if len(found)
        },
        "server_cpu_share": (after.user + after.system - before.user - before.system) / elapsed,
        "server_megabytes": memory / 1e6,
        "lecturer_seconds": steps,
        "said": next((line for line in words.splitlines() if "curve" in line and "not far" in line), ""),
    }


def _listens(process: psutil.Process, port: int | None) -> bool:
    try:
        return any(one.laddr.port == port and one.status == "LISTEN" for one in process.net_connections("inet"))
    except psutil.Error:
        return False


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phones", type=int, nargs="+", default=[1, 200])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = [lecture(n) for n in options.phones]
    for one in found:
        print(json.dumps(one, indent=1))
    if options.json:
        write_json(options.json, {"lectures": found})


if __name__ == "__main__":
    main()
