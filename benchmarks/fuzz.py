"""Nothing that comes over the network breaks the laboratory: absurd addresses, malformed messages, damaged uploads.

    python benchmarks/fuzz.py --addresses 200 --messages 200 --uploads 60
    python benchmarks/fuzz.py --minutes 4 --seed 7 --json benchmarks/results/fuzz-cpu.json --add

With ``--add`` the numbers are added to those of the file, so that a long run may come in slices of different seeds.

Visitors are websocket clients, as in soak.py. What they send depends on the seed alone. After each input the session
must end its run, or end it within the limit once it is told to stop; every few inputs it must open a page as if nothing
had happened. The server runs under an audit hook, which notes classes that are unpickled and files that are written.
"""

# ruff: noqa: E402 - the package is found from wherever the script is started
from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import random
import re
import sys
import tempfile
import time
import urllib.parse
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

import numpy as np
import pandas as pd
import requests
from _app import ROOT, running_app, server_of
from _report import markdown_table, write_json
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from PIL import Image
from soak import PAGES, Visitor, _put, _random_value
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed, WebSocketException

from rfviz.lab.controls import Control
from rfviz.lab.index import PAGES as COMPUTED
from rfviz.lab.preset import Preset
from rfviz.ui.own_data.text import ENTRY_TITLE

# Seconds after which a session hangs that was told to stop its run, however busy the machine is.
_HANG_S = 90.0
# Time for a run before it is told to stop: most inputs are refused in less.
_RUN_S, _LOOK_S = 2.0, 8.0
# Inputs of a session, and between two looks whether it is alive.
_SESSION, _LOOK = 50, 10
_ASKED = 10
_SLOWEST = "slowest of"
_USE, _ANOTHER = "Use these data", "Another file"
_BROKEN = re.compile(r"Something went wrong")
# What Streamlit itself refuses, with a traceback in its log: bytes that are no message, text that is no JSON.
_REFUSED = re.compile(r"^.*(?:Error deserializing back|Failed to deserialize component).*\n", re.MULTILINE)
_RUNG = re.compile(r"^Traceback \(most recent call last\):\n((?:[ \t].*\n)+)(\S.*)", re.MULTILINE)


# --- what is sent -----------------------------------------------------------------------------------------------------

_ODD = [
    "",
    " ",
    "0",
    "-1",
    "1",
    "2",
    "1e308",
    "1e999",
    "-1e999",
    "nan",
    "Infinity",
    "9" * 400,
    "1.5",
    "0x10",
    "١٢",
    "true",
    "None",
    "null",
    "[]",
    "{}",
    "[[[[",
    "a,b,,",
    ",",
    ",,,,",
    "1,",
    "1,2,3",
    "-5,99999999",
    "../../etc/passwd",
    "own:x",
    "folder:../x",
    "openml:1",
    "openml:x",
    "openml:-1",
    "<script>alert(1)</script>",
    "__import__('os')",
    "$$ID",
    "%00",
    "\x00",
    "\ud7ff",
    "😀" * 50,
    "ü" * 2000,
    "a" * 20_000,
    "'; drop table",
    "RandomMaxout",
    "RandomMaxout,",
    "digits",
    "moons",
    "figure-1",
    '{"moved":1}',
    "1;2",
    "0.5,0.5,",
    "1-1",
    "row-5",
    "x" * 300 + ",",
    "00000000000000000000001",
]
_VIEW = ["zoom", "present", "hide", "embed", "embed_options", "lesson", "step", "open", "tab", "data", "point", "pin"]


def controls() -> dict[str, list[Control]]:
    """Return the controls of each page, by its name in the address."""
    found: dict[str, list[Control]] = {}
    for page in (entry.load() for entry in COMPUTED):
        preset = Preset()
        page.settings(preset, page.source(preset))
        found[page.slug] = list(preset.controls.values())
    return found


def address(chance: random.Random, known: dict[str, list[Control]]) -> tuple[str, str]:
    """Return a page and the query of an address: names that are known or not, values that are legal or not."""
    page = chance.choice([*PAGES, *PAGES, *PAGES, *_ODD])
    names = {control.name: control for control in known.get(page, [])}
    asked: list[tuple[str, str]] = []
    for _ in range(chance.choice((0, 1, 2, 3, 5, 8))):
        name = chance.choice([*names, *names, *_VIEW, *_ODD])
        asked.append((name, _value(chance, names.get(name))))
    query = urllib.parse.urlencode(asked, errors="surrogatepass")
    if chance.random() < 0.1:  # bytes that are no text in percents
        query = _mutated(chance, query.encode()).decode("utf-8", "ignore")
    return page, query


def _value(chance: random.Random, control: Control | None) -> str:
    if control is None or chance.random() < 0.4:
        return chance.choice(_ODD)
    if control.options:
        some = [str(option) for option in chance.choices(control.options, k=chance.choice((1, 1, 2, 5)))]
        return ",".join(some) + chance.choice(("", ","))
    near = [control.low - 1, control.low, control.low + 1, control.high - 1, control.high, control.high + 1]
    return ",".join(str(chance.choice(near)) for _ in range(chance.choice((1, 1, 2))))


def web_path(chance: random.Random) -> str:
    """Return the path of a request for a file or a route."""
    start = chance.choice(["/rfviz/device?device=", "/rfviz/device?precision=", "/rfviz/animation/", "/static/", "/"])
    start = chance.choice([start, "/_stcore/", "/media/", "/component/", "/rfviz/", "/rfviz/plotly/", "/app/static/"])
    return start + chance.choice(
        [urllib.parse.quote(chance.choice(_ODD)[:500]), "../" * 8 + "etc/passwd", "%2e%2e/" * 5]
    )


_TEXTS = [text.encode("utf-8", "ignore").decode() for text in _ODD]  # protobuf takes no half of a pair
_IDS = ["", "x", "$$ID-0-foreign", "$$WIDGET_ID-1", "\x00", "a" * 5000, "$$ID-deadbeef-None", "rfviz:device"]
_JSONS = [
    "",
    "null",
    "0",
    "[]",
    "{",
    "{}",
    '"x"',
    "NaN",
    "[" * 3000,
    '{"moved": null}',
    '{"moved": 3}',
    '{"moved": {}}',
    '{"moved": {"index": 1e9}}',
    '{"moved": {"index": -1}}',
    '{"moved": {"index": "2"}}',
    '{"moved": {"index": null}}',
    '{"moved": {"index": 2.5}}',
    '{"moved": {"index": [1]}}',
    '{"moved": {"index": true}}',
    '{"moved": {"index": NaN}}',
    '{"moved": {"index": 3, "count": "x"}}',
    '{"other": {"index": 3}}',
    '{"moved": {"index": 99999999999999999999999}}',
    '{"moved": {"row": 99999}}',
    '{"moved": {"row": "x"}}',
    '{"picked": {"row": -5}}',
    '{"picked": {"row": 99999999}}',
    '{"picked": {"row": "x"}}',
    '{"picked": []}',
    '{"placed": {"clicks": [[1]]}}',
    '{"placed": {"clicks": "abc"}}',
    '{"placed": {"clicks": [["a", 1, 2]]}}',
    '{"placed": {"clicks": [[1e300, -1e300, 1e9]]}}',
    '{"removed": {"name": []}}',
    '{"asked": {"by": 7}}',
    '{"asked": {"by": -1}}',
    '{"asked": {"restore": "x"}}',
    '{"asked": 1}',
    '{"kept": {}}',
    '{"kept": {"id": [], "value": "x"}}',
    '{"pinned": {}}',
    '{"zoom": 5}',
    '{"zoom": "%s"}' % ("x" * 9999),
]
_NUMBERS = [0, 1, -1, 2, 7, 10**9, -(10**9), 2**53, 2**62, -(2**63) + 1]
_REALS = [*map(float, _NUMBERS), float("nan"), float("inf"), -float("inf"), 1e308, 0.5, 1e-320]
# The fields of a widget's state, what they may hold, and whether that is a list.
_STATES: list[tuple[str, Sequence[Any], bool]] = [
    ("json_value", _JSONS, False),
    ("json_value", _JSONS, False),
    ("json_trigger_value", _JSONS, False),
    ("trigger_value", [True], False),
    ("bool_value", [True, False], False),
    ("double_value", _REALS, False),
    ("int_value", _NUMBERS, False),
    ("string_value", _TEXTS, False),
    ("double_array_value", _REALS, True),
    ("int_array_value", _NUMBERS, True),
    ("string_array_value", _TEXTS, True),
    ("bytes_value", [b"", b"\x00", b"ARROW1" + bytes(100)], False),
]


def message(chance: random.Random, visitor: Visitor) -> bytes:
    """Return a message: no protobuf at all, a damaged one, a request of Streamlit's protocol, or widgets' values."""
    kind = chance.random()
    if kind < 0.1:
        return chance.randbytes(chance.choice((0, 1, 3, 20, 500, 20_000)))
    found = BackMsg()
    if kind < 0.2:
        name = chance.choice(["clear_cache", "set_run_on_save", "stop_script", "load_git_info", "app_heartbeat"])
        name = chance.choice([name, "debug_disconnect_websocket", "debug_shutdown_runtime"])
        setattr(found, name, True)
    elif kind < 0.27:
        found.file_urls_request.request_id = chance.choice(_IDS)
        found.file_urls_request.file_names.extend(chance.choices(["x.csv", "../x", "\x00", "a" * 5000, ""], k=3))
    else:
        state = found.rerun_script
        state.page_name = visitor.page if chance.random() < 0.8 else chance.choice(_IDS)
        state.query_string = "" if chance.random() < 0.8 else urllib.parse.urlencode({"a": chance.choice(_TEXTS)})
        fragments = [fragment for _, fragment in visitor.elements] or [""]
        state.fragment_id = chance.choice([*fragments, "", "", chance.choice(_IDS)])
        if chance.random() < 0.1:
            state.page_script_hash = chance.choice(_IDS)
        if chance.random() < 0.1:
            state.cached_message_hashes.extend(chance.choices(_IDS, k=3))
        for _ in range(chance.choice((0, 1, 1, 2, 6))):
            state.widget_states.widgets.append(widget(chance, visitor))
    sent = found.SerializeToString()
    return _mutated(chance, sent) if chance.random() < 0.1 else sent


def widget(chance: random.Random, visitor: Visitor) -> WidgetState:
    """Return the state of a widget: mostly one of the page, with a value of its kind or of another."""
    pairs: list[tuple[str, Any]] = [(slider["id"], None) for slider in visitor.sliders.values()]
    for element, _ in visitor.elements:
        inner = getattr(element, str(element.WhichOneof("type") or "empty"))
        if getattr(inner, "id", ""):
            pairs.append((inner.id, element))
    identity, element = chance.choice(pairs) if pairs and chance.random() < 0.9 else (chance.choice(_IDS), None)
    if element is not None and chance.random() < 0.3:
        with suppress(Exception):  # not every element of a page is a control
            return _random_value(element, chance)
    found = WidgetState(id=identity)
    name, values, is_list = chance.choice(_STATES)
    if is_list:
        getattr(found, name).data.extend(chance.choices(values, k=chance.choice((0, 1, 2, 3, 50))))
    else:
        setattr(found, name, chance.choice(values))
    return found


def _mutated(chance: random.Random, good: bytes) -> bytes:
    """Return bytes with a few faults."""
    found = bytearray(good)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        place, length = chance.randrange(len(found) + 1), chance.choice((1, 2, 8, 64))
        match chance.randrange(6):
            case 0 if place < len(found):
                found[place] ^= 1 << chance.randrange(8)
            case 1:
                del found[place : place + length]
            case 2:
                found[place:place] = chance.randbytes(length)
            case 3:
                found[place:place] = found[place : place + length] * chance.choice((1, 5))
            case 4:
                del found[place:]
            case _:
                found[place : place + length] = chance.choice((b"\x00", b"\xff", b",", b"\n", b'"', b"1e999")) * length
    return bytes(found)


# --- uploads ----------------------------------------------------------------------------------------------------------


class _Bomb:
    """Makes a folder when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


def good_files(folder: Path) -> dict[str, bytes]:
    """Return files of every format that is read, and pickles, which are not."""
    import pickle

    chance = np.random.default_rng(0)
    table = pd.DataFrame(chance.normal(size=(60, 4)), columns=list("abcd"))
    table = table.assign(kind=np.where(table["a"] > 0, "yes", "no"), day=pd.date_range("2026-01-01", periods=60))
    holed = table.mask(chance.random(table.shape) < 0.2)
    X, y = table[list("abcd")].to_numpy(), (table["a"] > 0).to_numpy(int)
    found = {
        "table.csv": table.to_csv(index=False).encode(),
        "holes.csv": holed.to_csv(index=False).encode(),
        "table.tsv": table.to_csv(index=False, sep="\t").encode(),
        "utf16.csv": table.to_csv().encode("utf-16"),
        "semicolons.csv": table.to_csv(index=False, sep=";", decimal=",").encode(),
        "rows.npz": _saved(X=X, y=y),
        "split.npz": _saved(X_train=X, y_train=y, X_test=X[:9], y_test=y[:9]),
        "images.npz": _saved(X=chance.integers(0, 255, (12, 8, 8), dtype=np.uint8), y=y[:12]),
        "pickled.npz": _saved(X=np.array([_Bomb(folder / "ran")] * 9, dtype=object), y=y[:9]),
        "pickle.npz": pickle.dumps(_Bomb(folder / "ran")),
        "pickle.pkl": pickle.dumps(_Bomb(folder / "ran")),
        "pictures.zip": _pictures(chance),
    }
    for name, frame in (("table", table), ("holes", holed)):
        buffer = io.BytesIO()
        frame.to_parquet(buffer)
        found[f"{name}.parquet"] = buffer.getvalue()
    return found


def _saved(**arrays: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    save: Callable[..., None] = np.savez_compressed
    save(buffer, **arrays)
    return buffer.getvalue()


def _pictures(chance: np.random.Generator) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(10):
            picture = io.BytesIO()
            Image.fromarray(chance.integers(0, 255, (9, 9, 3), dtype=np.uint8)).save(picture, "PNG")
            archive.writestr(f"{'ab'[number % 2]}/{number}.png", picture.getvalue())
    return buffer.getvalue()


def _zipped(members: dict[str, np.ndarray]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in members.items():
            member = io.BytesIO()
            np.save(member, array)
            archive.writestr(f"{name}.npy", member.getvalue())
    return buffer.getvalue()


_CELLS = st.one_of(
    st.text(max_size=12),
    st.integers().map(str),
    st.floats().map(repr),
    st.dates().map(str),
    st.sampled_from(["", "NaN", "NA", "-", "1,5", "1e999", '"', "'", "\x00", "=1+1", "true"]),
)
_TABLES = st.builds(
    lambda rows, comma, end: end.join(comma.join(row) for row in rows).encode("utf-8", "surrogatepass"),
    st.integers(1, 6).flatmap(lambda width: st.lists(st.lists(_CELLS, min_size=width, max_size=width), max_size=12)),
    st.sampled_from([",", ";", "\t", "|", ", "]),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
_DTYPES = st.sampled_from(["u1", "i2", "i8", "u8", "f2", "f4", "f8", "c8", "?", "U3", "S3", "M8[s]", "m8[s]"])
_ARRAYS = st.builds(
    lambda kind, shape, fill: np.full(shape, fill).astype(kind),
    _DTYPES,
    st.lists(st.integers(0, 6), max_size=4).map(tuple),
    st.integers(0, 9),
)
_MEMBERS = st.dictionaries(
    st.sampled_from(["X", "y", "order", "X_train", "y_train", "X_test", "y_test", "x", "arr_0", "file", "ä"]),
    _ARRAYS,
    max_size=5,
)
_GENERATED = st.one_of(
    st.tuples(st.sampled_from(["table.csv", "table.tsv", "table.txt"]), _TABLES),
    st.tuples(st.just("arrays.npz"), _MEMBERS.map(_zipped)),
    st.tuples(
        st.sampled_from(["x.csv", "x.npz", "x.parquet", "x.zip", "x.xlsx", "x", "../x.csv"]), st.binary(max_size=400)
    ),
)


def generated_files(number: int, start: int) -> list[tuple[str, bytes]]:
    """Return files that Hypothesis has made."""
    found: list[tuple[str, bytes]] = []

    @seed(start)
    @settings(
        max_examples=max(number, 1),
        database=None,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(_GENERATED)
    def collect(file: tuple[str, bytes]) -> None:
        found.append(file)

    collect()
    return found


def uploads(number: int, start: int, folder: Path) -> list[tuple[str, bytes]]:
    """Return files: a third made by Hypothesis, the others good ones with faults, a few of them without."""
    chance = random.Random(start)
    good = list(good_files(folder).items())
    found = generated_files(number // 3, start)
    while len(found) < number:
        name, content = chance.choice(good)
        if chance.random() < 0.1:
            name = f"x.{chance.choice(('csv', 'npz', 'parquet', 'zip', 'tsv', 'txt'))}"
        found.append((name, content if chance.random() < 0.05 else _mutated(chance, content)))
    chance.shuffle(found)
    return found[:number]


# --- visitors ---------------------------------------------------------------------------------------------------------


class HangError(OSError):
    """A session that did not end its run though it was told to."""


class Fuzzer(Visitor):
    """A visitor whose runs are ended where they take long."""

    @property
    def page(self) -> str:
        """The page that is open."""
        return self._page

    async def open(self, page: str, query: str, seconds: float = _RUN_S) -> None:
        """Follow an address, and go to the front page instead where it takes longer."""
        self._page, self._query, self._values = page, query, {}
        await self.wait(self._rerun(""), seconds)

    async def wait(self, run: Any, seconds: float = _RUN_S) -> None:
        """Wait for the end of a run; tell it to stop where it takes long.

        Raises
        ------
        HangError
            Where it does not stop.
        """
        try:
            await asyncio.wait_for(run, seconds)
        except TimeoutError:
            await self.stop()
        finally:
            self._values = {}

    async def stop(self) -> None:
        """Tell the session to stop, and go to the front page, which computes nothing: the session must answer."""
        await self._socket.send(BackMsg(stop_script=True).SerializeToString())
        page, self._page, self._query, self._values = self._page, "", "", {}
        try:
            await asyncio.wait_for(self._rerun(""), _HANG_S)
        except TimeoutError:
            raise HangError(f"{page or 'home'}: no end of a run in {_HANG_S:.0f} s") from None

    async def look(self, seconds: float = _LOOK_S) -> None:
        """Open the page without settings, as any user may, and go to the front page instead where it takes longer."""
        self._query, self._values = "", {}
        await self.wait(self._rerun(""), seconds)

    async def give(self, values: Sequence[WidgetState], fragment: str) -> None:
        """Give widgets values, this once.

        Raises
        ------
        TimeoutError
            Where the page's script does not end.
        """
        self._values = {value.id: value for value in values}
        await asyncio.wait_for(self._rerun(fragment), _HANG_S)
        self._values = {}

    async def clear_caches(self) -> None:
        """Have Streamlit clear its caches, and with them what the session holds."""
        await self._socket.send(BackMsg(clear_cache=True).SerializeToString())

    async def send(self, content: bytes) -> None:
        """Send a message, and take what comes until a run ends or nothing comes for a while."""
        await self._socket.send(content)
        until = time.monotonic() + _RUN_S
        with suppress(TimeoutError):
            while True:
                data = await asyncio.wait_for(self._socket.recv(), max(min(until - time.monotonic(), 0.3), 0.001))
                answer = ForwardMsg.FromString(data)
                self._take(answer)
                if answer.HasField("script_finished"):
                    return

    async def open_dialog(self) -> None:
        """Open the dialog of uploads."""
        self._page, self._query, self._values, self.elements = "quick-inspection", "", {}, []
        await asyncio.wait_for(self._rerun(""), _HANG_S)
        await self._until("selectbox", lambda found: ENTRY_TITLE in found.options)
        menu, fragment = self._find("selectbox", lambda found: ENTRY_TITLE in found.options)
        await self.set(WidgetState(id=menu.id, string_value=ENTRY_TITLE), fragment)
        await self._until("file_uploader", lambda found: True)

    async def _place_for(self, name: str) -> Any:
        """Ask where to send a file."""
        request = BackMsg()
        request.file_urls_request.request_id, request.file_urls_request.file_names[:] = "x", [name]
        for _ in range(_ASKED):  # a run that begins at this moment takes Streamlit's answer away
            await self._socket.send(request.SerializeToString())
            with suppress(TimeoutError):
                while True:
                    answer = ForwardMsg.FromString(await asyncio.wait_for(self._socket.recv(), _HANG_S / _ASKED))
                    if answer.HasField("file_urls_response"):
                        return answer.file_urls_response.file_urls[0]
        raise HangError("no address for an upload")

    async def bring(self, name: str, content: bytes) -> None:
        """Upload a file in the open dialog, and use it where that is offered."""
        await self._until("file_uploader", lambda found: True)
        try:
            uploader, fragment = self._find("file_uploader", lambda found: True)
        except LookupError:  # the file before was taken, and could not be used
            button, within = self._find("button", lambda found: found.label == _ANOTHER)
            await asyncio.wait_for(self.set(WidgetState(id=button.id, trigger_value=True), within), _HANG_S)
            await self._until("file_uploader", lambda found: True)
            uploader, fragment = self._find("file_uploader", lambda found: True)
        urls = await self._place_for(name)
        await asyncio.to_thread(_put, self._url, urls.upload_url, name, content)
        state = WidgetState(id=uploader.id)
        info = UploadedFileInfo(name=name, size=len(content), file_id=urls.file_id, file_urls=urls)
        state.file_uploader_state_value.uploaded_file_info.append(info)
        self._values = {}
        await asyncio.wait_for(self.set(state, fragment), _HANG_S)
        with suppress(LookupError):
            button, within = self._find("button", lambda found: found.label == _USE and not found.disabled)
            await asyncio.wait_for(self.set(WidgetState(id=button.id, trigger_value=True), within), _HANG_S)
            self._values = {}
            await self.wait(self._rerun(""))  # the page with these data
            raise UsedError


class UsedError(Exception):
    """The file was taken: the dialog is shut."""


class Fuzz:
    """One run: what is sent, and what is found."""

    def __init__(self, url: str, start: int) -> None:
        self.url, self.start = url, start
        self.known = controls()
        self.sent: Counter[str] = Counter()
        self.findings: Counter[str] = Counter()
        self.slowest: dict[str, float] = {}

    async def run(self, kind: str, inputs: Sequence[Any], workers: int, until: float) -> None:
        """Send all inputs of a kind in sessions of a few, several at once, or as many as time allows."""
        pending = [list(inputs[place : place + _SESSION]) for place in range(0, len(inputs), _SESSION)]
        pending.reverse()

        async def work() -> None:
            while pending and time.monotonic() < until:
                await self._session(kind, pending.pop(), until)

        await asyncio.gather(*(work() for _ in range(workers)))

    async def _session(self, kind: str, inputs: list[Any], until: float) -> None:
        chance = random.Random(f"{self.start}-{kind}-{len(inputs)}-{self.sent[kind]}")
        while inputs and time.monotonic() < until:
            current: Any = ""
            try:
                async with Fuzzer(self.url, chance.choice(PAGES)) as visitor:
                    visitor._page = chance.choice(PAGES)
                    await visitor.look()
                    if kind == "uploads":
                        await visitor.open_dialog()
                    while inputs and time.monotonic() < until:
                        current = inputs.pop()
                        self.sent[kind] += 1
                        began = time.monotonic()
                        await self._send(kind, visitor, current, chance)
                        taken = time.monotonic() - began
                        self.slowest[kind] = max(self.slowest.get(kind, 0.0), taken)
                        self._note(kind, visitor, current)
                        if len(inputs) % _LOOK == 0 and kind != "uploads":
                            await visitor.look()
                            self._note(kind, visitor, current)
            except UsedError:
                continue
            except ConnectionClosed as error:
                # Streamlit ends a connection at bytes that are no message; the browser would come again.
                if kind != "messages":
                    self._found(f"{kind}: the connection was closed: {error}", current)
            except (OSError, WebSocketException, requests.RequestException, LookupError) as error:
                self._found(f"{kind}: {type(error).__name__} {error}"[:160], current)

    async def _send(self, kind: str, visitor: Fuzzer, current: Any, chance: random.Random) -> None:
        if kind == "addresses" and chance.random() < 0.1:
            path = web_path(chance)
            answer = await asyncio.to_thread(requests.get, self.url + path, timeout=_HANG_S)
            if answer.status_code >= 500:
                self._found(f"addresses: the server answers {answer.status_code}", path)
        elif kind == "addresses":
            await visitor.open(*address(random.Random(current), self.known))
        elif kind == "messages":
            await visitor.send(message(random.Random(current), visitor))
        else:
            await visitor.bring(*current)

    def _note(self, kind: str, visitor: Fuzzer, current: Any) -> None:
        for error in visitor.errors():
            self._found(f"{kind}: the page shows {error}"[:160], current)

    def _found(self, what: str, current: Any) -> None:
        self.findings[what] += 1
        if self.findings[what] <= 3:
            print(f"{what} at {current!r:.300}", flush=True)


def refused(printed: str) -> tuple[str, int]:
    """Return a log without the tracebacks of what Streamlit refuses, and how many those were."""
    first, *rest = _REFUSED.split(printed)
    return first + "".join(_RUNG.sub("", part, count=1) for part in rest), len(rest)


def tracebacks(printed: str) -> Counter[str]:
    """Return the tracebacks of a log: their last line and the deepest place in this package."""
    found: Counter[str] = Counter()
    for frames, last in _RUNG.findall(printed):
        places = re.findall(r'File "(?:[^"]*/)?((?:rfviz|pages)/[^"]+)", line (\d+)', frames)
        at = ":".join(places[-1]) if places else "no line of rfviz"
        found[f"{last[:120]} ({at})"] += 1
    return found


def audited(path: Path, allowed: Sequence[Path]) -> dict[str, Counter[str]]:
    """Return the classes that were unpickled, the changes outside the allowed folders, and the processes begun."""
    pickles: Counter[str] = Counter()
    changes: Counter[str] = Counter()
    processes: Counter[str] = Counter()
    for line in path.read_text().splitlines():
        event = json.loads(line)
        where = Path(os.path.abspath(ROOT / event["what"]))
        own = [frame for frame in event["stack"] if "/importlib" not in frame and "<frozen" not in frame]
        if event["event"] == "pickle.find_class":
            pickles[f"{event['what']} ({own[-1] if own else ''})"] += 1
        elif event["event"] in ("subprocess.Popen", "os.system", "os.exec"):
            processes[Path(event["what"]).name] += 1
        elif "__pycache__" not in where.parts and not any(where.is_relative_to(folder) for folder in allowed):
            changes[f"{event['event']} {where} ({own[-1] if own else ''})"] += 1
    return {"unpickled": pickles, "changes": changes, "processes": processes}


def added(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers of several runs together: their sums, and of what was slowest the largest."""
    found = {"runs": [*before["runs"], *now["runs"]]}
    for part in now.keys() - {"runs"}:
        old, new = before.get(part, {}), now[part]
        both = {name: [one[name] for one in (old, new) if name in one] for name in {**old, **new}}
        found[part] = {name: (max if name.startswith(_SLOWEST) else sum)(values) for name, values in both.items()}
    return found


def main() -> None:
    """Run the app, send, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--addresses", type=int, default=10_000)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--uploads", type=int, default=3_000)
    parser.add_argument("--minutes", type=float, default=600.0, help="for each kind at most")
    parser.add_argument("--workers", type=int, default=4, help="sessions at the same time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", type=Path, help="write what the server prints to this file")
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    parser.add_argument("--add", action="store_true", help="add them to what that file holds")
    options, date = parser.parse_args(), datetime.now(UTC).isoformat(timespec="seconds")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as log:
        home = Path(folder)
        os.environ |= {"RFVIZ_AUDIT": str(home / "audit"), "RFVIZ_CACHE": str(home / "cache"), "RFVIZ_DISK_MB": "20"}
        inputs: dict[str, Sequence[Any]] = {
            "addresses": [f"{options.seed}-address-{number}" for number in range(options.addresses)],
            "messages": [f"{options.seed}-message-{number}" for number in range(options.messages)],
            "uploads": uploads(options.uploads, options.seed, home),
        }
        began = time.monotonic()
        with running_app(log=log, module="benchmarks._audited") as url:
            fuzz = Fuzz(url, options.seed)
            for kind, some in inputs.items():
                asyncio.run(fuzz.run(kind, some, options.workers, time.monotonic() + 60 * options.minutes))
            cpu_s = sum(server_of(url).cpu_times()[:2])
            if requests.get(f"{url}/_stcore/health", timeout=_HANG_S).status_code != 200:
                fuzz.findings["the server is not healthy"] += 1
        log.seek(0)
        printed = log.read().decode(errors="replace")
        printed, n_refused = refused(printed)
        raised = tracebacks(printed)
        if options.log:
            options.log.write_text(printed)
        noted = audited(home / "audit", [home / "cache"])
        if (home / "ran").exists():
            fuzz.findings["a pickle has run"] += 1
    summary = {
        **{kind: fuzz.sent[kind] for kind in inputs},
        "tracebacks": sum(raised.values()),
        "hangs, dead sessions and errors shown": sum(fuzz.findings.values()),
        "classes unpickled": sum(noted["unpickled"].values()),
        "changes outside the cache folder": sum(noted["changes"].values()),
        "refused by Streamlit, with a traceback in its log": n_refused,
        "minutes": (time.monotonic() - began) / 60,
        "CPU seconds of the server": cpu_s,
        **{f"{_SLOWEST} {kind}, s": seconds for kind, seconds in fuzz.slowest.items()},
    }
    print(markdown_table([{"what": name, "value": value} for name, value in summary.items()]), end="\n\n")
    found = {"tracebacks": raised, "findings": fuzz.findings, **noted}
    for name, counts in found.items():
        for what, number in counts.most_common(30):
            print(f"{name}: {number} × {what}")
    if options.json:
        asked = {name: value for name, value in vars(options).items() if name not in ("json", "log", "add")}
        asked["date"] = date
        told = {"runs": [{**asked, **summary}], "summary": summary, **{name: dict(one) for name, one in found.items()}}
        before = json.loads(options.json.read_text()) if options.add and options.json.exists() else {"runs": []}
        write_json(options.json, added(before, told))


if __name__ == "__main__":
    main()
