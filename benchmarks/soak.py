"""A room full of people: visitors who open random pages, move random controls, upload files, leave and are replaced.

    python benchmarks/soak.py --visitors 6 --visits 300
    RFVIZ_CACHE_MB=1000 RFVIZ_MEMORY_GB=1 python benchmarks/soak.py --visitors 20 --minutes 60 --rounds 6 \
        --json benchmarks/results/soak-cpu.json
    python benchmarks/soak.py --cpu --json benchmarks/results/steps-cpu.json

Visitors are websocket clients. They come as soon as the server's port is open, thus while it still starts. A visit is
one connection: one to three pages, some moves on each, for one visit in ten a CSV file of its own. What a visit does
depends on the seed and on its number alone, so that two versions that make the same number of visits do the same work.
After each of the rounds everybody is gone for a while, and what memory is left is what the server does not give back:
if that grows from round to round, something is never let go.

With ``--cpu`` one visitor alone goes through the pages, and what is told is the server's CPU time: of opening a page
that nobody has opened and one that is known, of a step whose result is new work and of one that was shown before.
"""

# ruff: noqa: E402 - the package is found from wherever the script is started
from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import re
import sys
import tempfile
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

import numpy as np
import pandas as pd
import psutil
import requests
from _app import ROOT, running_app, server_of
from _latency_socket import REACH, Session
from _report import markdown_table, write_json
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ButtonGroup_pb2 import ButtonGroup
from streamlit.proto.Common_pb2 import UploadedFileInfo
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NumberInput_pb2 import NumberInput
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import WebSocketException

from rfviz import datasets
from rfviz.lab.index import NAVIGATION
from rfviz.ui.own_data.text import ENTRY_TITLE

PAGES = ["" if page.slug == "home" else page.slug for page in NAVIGATION]
# A user who waits longer has left; that is an error of the page if it did not show in the meantime that it computes.
_PATIENCE_S, _SILENCE_S = 60.0, 30.0
# How long the start of the server is told apart.
_START_S = 30.0
_SAMPLE_S = 1.0
_BUTTONS, _UPLOADS = 0.1, 0.1  # shares of the moves and of the visits
_PAUSES_S = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # before the page runs again
# With --cpu: the CPU time of a third of a second below which the server rests, and after which a page is left to go on.
_STILL_S, _MOST_CPU_S = 0.03, 3.0
_USE = "Use these data"
# The dialog of uploads, and data sets that need a network, are no random choice.
_SKIPPED = {ENTRY_TITLE, *(spec.title for spec in datasets.specs().values() if spec.source == "download")}
_CONTROLS = ("checkbox", "number_input", "slider", "selectbox", "radio", "multiselect", "button_group")


class Visitor(Session):
    """A session that moves whatever control its page has, and brings one file at most."""

    uploads = 0

    async def go(self, page: str) -> float:
        """Open a page; return the seconds until its script has finished."""
        self._page, self._values, started = page, {}, time.perf_counter()
        seconds = await self._rerun("")
        while self.shown != page:  # that was a run of the page before, which had begun already
            seconds = await self._answer("", started)
        return seconds

    def errors(self) -> list[str]:
        """Return the errors that the page shows."""
        found = [element.exception.type for element, _ in self.elements if element.HasField("exception")]
        alerts = [element.alert.body for element, _ in self.elements if element.HasField("alert")]
        return found + [body for body in alerts if body.startswith("Something went wrong")]

    async def touch(self, chance: random.Random) -> float | None:
        """Move a control, press a button; return the seconds until the script has finished, None without controls."""
        kinds = ("button",) if chance.random() < _BUTTONS else _CONTROLS
        controls: list[Any] = [found for found in self.elements if _kind(found[0]) in kinds]
        if "slider" in kinds:
            controls += self.sliders.values()
        if not controls:
            return None
        chosen = chance.choice(controls)
        if isinstance(chosen, dict):
            stops = range(len(chosen["labels"]))
            near = [stop for stop in stops if 0 < abs(stop - chosen["index"]) <= REACH]
            return await self.move(chosen["label"], chance.choice(near)) if near else None
        element, fragment = chosen
        return await self.set(_random_value(element, chance), fragment)

    async def upload(self, chance: random.Random) -> float:
        """Bring a small table by the dialog of the menu of data; return the seconds of its steps."""
        self.uploads += 1
        menu, fragment = self._find("selectbox", lambda found: ENTRY_TITLE in found.options)
        seconds = await self.set(WidgetState(id=menu.id, string_value=ENTRY_TITLE), fragment)
        seconds += await self._until("file_uploader", lambda found: True)
        uploader, fragment = self._find("file_uploader", lambda found: True)
        name, content = f"{uuid.UUID(int=chance.getrandbits(128))}.csv", _table(chance)
        message = BackMsg()
        message.file_urls_request.request_id, message.file_urls_request.file_names[:] = name, [name]
        await self._socket.send(message.SerializeToString())
        answer = ForwardMsg()
        while not answer.HasField("file_urls_response"):
            answer = ForwardMsg.FromString(await self._socket.recv())
        urls = answer.file_urls_response.file_urls[0]
        await asyncio.to_thread(_put, self._url, urls.upload_url, name, content)
        state = WidgetState(id=uploader.id)
        info = UploadedFileInfo(name=name, size=len(content), file_id=urls.file_id, file_urls=urls)
        state.file_uploader_state_value.uploaded_file_info.append(info)
        seconds += await self.set(state, fragment)
        seconds += await self._until("button", lambda found: found.label == _USE)
        button, fragment = self._find("button", lambda found: found.label == _USE)
        seconds += await self.set(WidgetState(id=button.id, trigger_value=True), fragment)
        return seconds + await self._rerun("")  # without the dialog

    def _find(self, kind: str, fits: Callable[[Any], bool]) -> tuple[Any, str]:
        found = [(getattr(element, kind), fragment) for element, fragment in self.elements if _kind(element) == kind]
        fitting = [pair for pair in found if fits(pair[0])]
        if not fitting:
            raise LookupError(f"The page has no such {kind}")
        return fitting[-1]

    async def _until(self, kind: str, fits: Callable[[Any], bool]) -> float:
        """Run the page again while its script asks for that, or was not let finish; return the seconds."""
        started = time.perf_counter()
        for pause_s in _PAUSES_S:
            with suppress(LookupError):
                self._find(kind, fits)
                break
            await asyncio.sleep(pause_s)
            await self._rerun("")
        return time.perf_counter() - started


def _kind(element: Element) -> str:
    return str(element.WhichOneof("type"))


def _random_value(element: Element, chance: random.Random) -> WidgetState:
    kind = _kind(element)
    found = getattr(element, kind)
    value = WidgetState(id=found.id)
    if kind == "button":
        value.trigger_value = True
    elif kind == "checkbox":
        value.bool_value = chance.random() < 0.5
    elif kind == "number_input":
        wanted = found.default + chance.randint(-8, 8) * found.step
        wanted = min(max(wanted, found.min if found.has_min else wanted), found.max if found.has_max else wanted)
        if found.data_type == NumberInput.INT:
            value.int_value = int(wanted)
        else:
            value.double_value = wanted
    elif kind == "slider":
        stops = np.linspace(found.min, found.max, 11).round(0 if found.step >= 1 else 6)
        value.double_array_value.data.extend(sorted(chance.sample(stops.tolist(), len(found.default))))
    elif kind in ("selectbox", "radio"):
        value.string_value = chance.choice([option for option in found.options if option not in _SKIPPED])
    else:
        options = [getattr(option, "content", option) for option in found.options]
        alone = kind == "button_group" and found.click_mode == ButtonGroup.SINGLE_SELECT
        value.string_array_value.data.extend(chance.sample(options, 1 if alone else min(2, len(options))))
    return value


def _table(chance: random.Random) -> bytes:
    numbers = np.random.default_rng(chance.getrandbits(32)).normal(size=(300, 4))
    return pd.DataFrame(numbers, columns=list("abcd")).assign(kind=numbers[:, 0] > 0).to_csv(index=False).encode()


def _put(url: str, path: str, name: str, content: bytes) -> None:
    with requests.Session() as client:
        client.get(f"{url}/_stcore/health", timeout=_PATIENCE_S)
        token = client.cookies.get("_streamlit_xsrf") or ""
        headers = {"X-Xsrftoken": token}
        answer = client.put(f"{url}{path}", files={name: (name, content)}, headers=headers, timeout=_PATIENCE_S)
        answer.raise_for_status()


class Impatient(Exception):  # noqa: N818 - no error of the page
    """A visitor left a page that had shown for long that it computes."""


class Soak:
    """One run: who comes, and what is noted."""

    def __init__(self, url: str, seed: int, visits: int) -> None:
        self.url, self.seed, self.most = url, seed, visits
        self.began = self.until = time.monotonic()
        self.visits = 0
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.errors: Counter[str] = Counter()
        self.left: Counter[str] = Counter()
        self.samples: list[dict[str, float]] = []

    async def visitor(self) -> None:
        """Visit again and again."""
        while time.monotonic() < self.until and self.visits < self.most:
            self.visits += 1
            await self.visit(random.Random(f"{self.seed}-{self.visits}"))

    async def visit(self, chance: random.Random) -> None:
        """Open a connection, look at one to three pages, leave."""
        pages = chance.sample(PAGES, chance.choice((1, 1, 2, 3)))
        page = "websocket"
        try:
            session = Visitor(self.url, pages[0])
            await self._open(session)
            try:
                for page in pages:
                    await self._note(page, session.go(page), session)
                    offered = any(ENTRY_TITLE in element.selectbox.options for element, _ in session.elements)
                    if chance.random() < _UPLOADS and offered and not session.uploads:
                        await self._note("upload", session.upload(chance), session)
                    for _ in range(chance.randint(1, 5)):
                        await self._note(page, session.touch(chance), session)
                        await asyncio.sleep(chance.uniform(0.0, 0.4))
            finally:
                await session.__aexit__(None, None, None)
        except Impatient:
            pass
        except TimeoutError:
            self._failed(f"{page or 'home'}: no answer in {_PATIENCE_S:.0f} s")
        except (OSError, WebSocketException, requests.RequestException, LookupError) as error:
            self._failed(f"{page or 'home'}: {type(error).__name__} {error}"[:120])

    async def _open(self, session: Visitor) -> None:
        while True:
            began = time.monotonic()
            try:
                await session.__aenter__()
            except ConnectionRefusedError:
                if began - self.began > 3 * _START_S:
                    raise
                await asyncio.sleep(0.02)  # the server has not opened its port yet
                continue
            finally:
                taken = time.monotonic() - began
            start = time.monotonic() - self.began < _START_S
            self.seconds["open a websocket, at the start" if start else "open a websocket"].append(taken)
            return

    async def _note(self, page: str, answer: Any, session: Visitor) -> None:
        try:
            seconds = await asyncio.wait_for(answer, _PATIENCE_S)
        except TimeoutError:
            if time.monotonic() - session.heard > _SILENCE_S:
                raise
            self.left[page or "home"] += 1
            raise Impatient from None
        if seconds is not None:
            self.seconds[page or "home"].append(seconds)
        for error in session.errors():
            self._failed(f"{page or 'home'}: {error}")

    async def watch(self, server: psutil.Process) -> None:
        """Note the memory, the threads and the open files of the server, for ever."""
        while True:
            with server.oneshot():
                sample = {
                    "minutes": (time.monotonic() - self.began) / 60,
                    "resident_mb": server.memory_info().rss / 1e6,
                }
                sample |= {"threads": server.num_threads(), "files": server.num_fds(), "visits": self.visits}
            self.samples.append({name: round(value, 2) for name, value in sample.items()})
            await asyncio.sleep(_SAMPLE_S)

    async def run(self, visitors: int, minutes: float, idle_minutes: float, rounds: int) -> list[tuple[int, int]]:
        """Let everybody come and go; return by round how many samples there were when the last had left, and after."""
        watching, ends = asyncio.create_task(self.watch(server_of(self.url))), []
        for _ in range(rounds):
            self.until = time.monotonic() + 60 * minutes / rounds
            await asyncio.gather(*(self.visitor() for _ in range(visitors)))
            busy = len(self.samples)
            await asyncio.sleep(60 * idle_minutes)
            ends.append((busy, len(self.samples)))
        watching.cancel()
        return ends

    def _failed(self, error: str) -> None:
        self.errors[error] += 1
        print(f"{(time.monotonic() - self.began) / 60:.1f} min  {error}", file=sys.stderr, flush=True)


def slope_mb_per_hour(quiet: Sequence[dict[str, float]]) -> float:
    """Fit what is resident after each round but the first, in which pages were first opened."""
    hours, resident = np.array([(sample["minutes"] / 60, sample["resident_mb"]) for sample in quiet[1:]]).T
    return float(np.polyfit(hours, resident, 1)[0])


async def cpu_rows(url: str, pages: Sequence[str], steps: int) -> list[dict[str, Any]]:
    """Return the server's CPU milliseconds of opening each page, and of steps of the first control that has several."""
    server, rows = server_of(url), []

    async def spent(answer: Any) -> float:
        before = _cpu_s(server)
        await answer
        found, now = -math.inf, _cpu_s(server)
        while found + _STILL_S < now < before + _MOST_CPU_S:  # the page goes on by itself
            found = now
            await asyncio.sleep(0.3)
            now = _cpu_s(server)
        return 1000 * (found - before)

    for page in pages:
        row: dict[str, Any] = {"page": page or "home"}
        for name in ("opened first", "opened again"):
            async with Visitor(url, page) as session:
                row[name] = await spent(session.go(page))
                if name == "opened first":
                    continue
                label, moves = _moves(session, steps)
                for what, turns in (("new work", 1), ("known", 3)):
                    found = [await spent(move()) for _ in range(turns) for move in moves]
                    row[what] = float(np.median(found)) if found else None
                row["of"] = label
        rows.append(row)
        print(row, file=sys.stderr, flush=True)
    return rows


def _moves(session: Visitor, steps: int) -> tuple[str, list[Callable[[], Any]]]:
    """Return the label of a page's first control that has several values, and moves of it."""
    for label, slider in session.sliders.items():
        stops = [stop for stop in range(len(slider["labels"])) if 0 < abs(stop - slider["index"]) <= steps]
        if len(stops) > 1:
            return label, [partial(session.move, label, stop) for stop in stops[:steps]]
    for element, fragment in session.elements:
        found = getattr(element, _kind(element), None)
        if _kind(element) in ("selectbox", "radio") and ENTRY_TITLE not in found.options and len(found.options) > 1:
            values = [WidgetState(id=found.id, string_value=option) for option in found.options[:steps]]
            return found.label, [partial(session.set, value, fragment) for value in values]
    return "", []


def _cpu_s(process: psutil.Process) -> float:
    """Return the CPU seconds of another process, to the microsecond; Linux alone tells them."""
    return time.clock_gettime((~process.pid << 3) | 2)  # clock_getcpuclockid


def main() -> None:
    """Run the app, let visitors in, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visitors", type=int, default=6, help="at the same time")
    parser.add_argument("--minutes", type=float, default=10.0, help="after which nobody comes any more")
    parser.add_argument("--visits", type=int, default=sys.maxsize, help="after which nobody comes any more")
    parser.add_argument("--rounds", type=int, default=1, help="in which they come")
    parser.add_argument("--idle", type=float, default=2.0, help="minutes with everybody gone, after each round")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cpu", action="store_true", help="CPU time of steps, by page, instead of visitors")
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=PAGES, help="with --cpu")
    parser.add_argument("--checkout", type=Path, default=ROOT, help="the folder of the version to run")
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    options = parser.parse_args()
    if options.cpu:
        with running_app(script=options.checkout / "app.py") as url:
            rows = asyncio.run(cpu_rows(url, options.pages, 4))
        print(markdown_table(rows))
        if options.json:
            write_json(options.json, {"rows": rows})
        return
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as log:
        os.environ["RFVIZ_WATCH"] = str(Path(folder) / "watch")
        watched = {} if options.checkout != ROOT else {"module": "benchmarks._watched"}
        with running_app(script=options.checkout / "app.py", log=log, wait=False, **watched) as url:
            soak = Soak(url, options.seed, options.visits)
            ends = asyncio.run(soak.run(options.visitors, options.minutes, options.idle, options.rounds))
        log.seek(0)
        printed = log.read().decode(errors="replace")
        remembered = (
            [json.loads(line) for line in Path(os.environ["RFVIZ_WATCH"]).read_text().splitlines()] if watched else []
        )
    tracebacks = re.findall(r"^(Traceback .*\n(?:[ ].*\n)+([\w.]+).*)", printed, re.MULTILINE)
    soak.errors.update(name for _, name in tracebacks)
    print(*{text for text, _ in tracebacks}, sep="\n\n", file=sys.stderr)
    rows = []
    for page, seconds in sorted(soak.seconds.items()):
        p50, p95, most = (float(1000 * value) for value in np.quantile(seconds, [0.5, 0.95, 1.0]))
        rows.append({"page": page, "answers": len(seconds), "p50 ms": p50, "p95 ms": p95, "max ms": most})
    print(markdown_table(rows), end="\n\n")
    last, quiet = soak.samples[ends[-1][0] - 1], [soak.samples[after - 1] for _, after in ends]
    memory = {
        "visits": soak.visits,
        "minutes": soak.samples[-1]["minutes"],
        "peak mb": max(sample["resident_mb"] for sample in soak.samples),
        "last visitor gone mb": last["resident_mb"],
        "after the idle time mb": quiet[-1]["resident_mb"],
        **({"slope mb per hour": slope_mb_per_hour(quiet)} if len(quiet) > 3 else {}),
        **({"most remembered mb": max(one["cache_mb"] for one in remembered)} if remembered else {}),
        "most threads": max(sample["threads"] for sample in soak.samples),
        "threads at the end": quiet[-1]["threads"],
        "most files": max(sample["files"] for sample in soak.samples),
        "files at the end": quiet[-1]["files"],
        "left while it computed": sum(soak.left.values()),
        "errors": sum(soak.errors.values()),
    }
    print(markdown_table([{"what": name, "value": value} for name, value in memory.items()]), end="\n\n")
    print("\n".join(f"{number} × {error}" for error, number in soak.errors.most_common()) or "No errors.")
    if options.json:
        asked = {
            name: value for name, value in vars(options).items() if name not in ("json", "checkout", "cpu", "pages")
        }
        asked["cache_mb"] = os.environ.get("RFVIZ_CACHE_MB", "1000, or a quarter of the free memory")
        asked["memory_gb"] = os.environ.get("RFVIZ_MEMORY_GB", "0.6 of the free memory")
        results = {"options": asked, "answers": rows, "memory": memory, "left": dict(soak.left)}
        results |= {
            "quiet": quiet,
            "errors": dict(soak.errors),
            "remembered": [one for one in remembered if "largest_mb" in one],
            "at the peak": max(remembered, key=lambda one: one["resident_mb"], default=None),
            "samples": soak.samples[:: max(len(soak.samples) // 200, 1)],
        }
        write_json(options.json, results)


if __name__ == "__main__":
    main()
