"""Many sessions at once, over the protocol that a browser speaks to Streamlit, and one next to long computations."""

from __future__ import annotations

import asyncio
import json
import time

from _app import server_of
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect

__all__ = ["REACH", "Session", "crowd", "next_to_races"]

# How many stops of a slider either side of its default are visited: "on default settings", yet never twice the same.
REACH = 4

# A comparison of maps that goes on for minutes.
_RACE = "m_max=20000&seeds=20&data=digits"
_SLIDER, _CHART = "rfviz.live_slider", "rfviz.live_chart"


class Session:
    """One visitor of one page: keeps the widgets and the cached messages as a browser does.

    Parameters
    ----------
    url : str
        Of the app: ``"http://127.0.0.1:8501"``.
    page, query : str
        Place in the address, and what follows the question mark.

    Attributes
    ----------
    elements : list of tuple of Element and str
        What the page shows, each with the fragment in which it lies.
    """

    def __init__(self, url: str, page: str, query: str = "") -> None:
        self._url, self._page, self._query = url, page, query
        self._count = 0
        self._cached: dict[str, ForwardMsg] = {}
        self._values: dict[str, WidgetState] = {}
        self.elements: list[tuple[Element, str]] = []
        self.sliders: dict[str, dict] = {}
        self.charts: dict[str, dict] = {}
        self.received_bytes = 0
        self.shown: str | None = None  # the place of the page whose script ran last
        self.heard = 0.0  # when the last message came

    async def __aenter__(self) -> Session:
        address = self._url.replace("http", "ws", 1) + "/_stcore/stream"
        options = {"max_size": None, "ping_interval": None, "open_timeout": 90}  # a machine may be busy
        self._connection = connect(address, subprotocols=["streamlit"], origin=self._url, **options)
        self._socket = await self._connection.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._connection.__aexit__(*error)

    async def load(self) -> float:
        """Open the page; return the seconds until its script has finished."""
        return await self._rerun("")

    async def move(self, label: str, index: int) -> float:
        """Put the slider whose label begins so at `index`; seconds until the page's script has finished."""
        slider = next(slider for name, slider in self.sliders.items() if name.startswith(label))
        self._count += 1
        value = json.dumps({"moved": {"index": index, "count": self._count}})
        return await self.set(WidgetState(id=slider["id"], json_value=value), slider["fragment"])

    async def set(self, value: WidgetState, fragment: str) -> float:
        """Give a widget a value; seconds until the page's script has finished."""
        self._values[value.id] = value
        return await self._rerun(fragment)

    async def stay(self) -> None:
        """Look on until the connection ends."""
        async for _ in self._socket:
            pass

    async def _rerun(self, fragment: str) -> float:
        message = BackMsg()
        state = message.rerun_script
        # What lies in a fragment of the page has only that drawn anew, as in a browser.
        state.query_string, state.page_name, state.fragment_id = self._query, self._page, fragment
        state.cached_message_hashes.extend(self._cached)
        state.widget_states.widgets.extend(self._values.values())
        started = time.perf_counter()
        await self._socket.send(message.SerializeToString())
        elapsed = await self._answer(fragment, started)
        # A button is pressed once; anything else keeps its value.
        self._values = {name: value for name, value in self._values.items() if not value.trigger_value}
        return elapsed

    async def _answer(self, fragment: str, started: float) -> float:
        """Take what the next run of a script sends; return the seconds from `started` to its end."""
        frames, begun, finished = [], False, False
        while not finished:
            data = await self._socket.recv()
            self.heard = time.monotonic()
            if not begun:  # what comes before is the rest of an earlier run
                begun = ForwardMsg.FromString(data).HasField("new_session")
                continue
            # Decoding waits until after the clock has stopped, but for the small messages, one of which is the end.
            frames.append(data)
            finished = len(data) < 200 and ForwardMsg.FromString(data).HasField("script_finished")
        elapsed = time.perf_counter() - started
        self.received_bytes = sum(map(len, frames))
        self.shown = self.shown if fragment else None
        self.elements = [found for found in self.elements if fragment and found[1] != fragment]
        self.sliders = {k: found for k, found in self.sliders.items() if fragment and found["fragment"] != fragment}
        for message in map(ForwardMsg.FromString, frames):
            if message.HasField("new_session") and not fragment:  # the one that had begun has made way for another
                self.shown, self.elements, self.sliders = None, [], {}
            self._take(message)
        return elapsed

    def _take(self, message: ForwardMsg) -> None:
        if message.HasField("ref_hash"):
            message = self._cached[message.ref_hash]
        elif message.metadata.cacheable:
            self._cached[message.hash] = message
        if message.HasField("navigation"):
            places = {page.page_script_hash: page.url_pathname for page in message.navigation.app_pages}
            self.shown = places.get(message.navigation.page_script_hash)
        if not message.HasField("delta"):
            return
        if message.delta.HasField("new_element"):
            self.elements.append((message.delta.new_element, message.delta.fragment_id))
        component = message.delta.new_element.bidi_component
        if component.component_name == _SLIDER:
            data = json.loads(component.json)
            self.sliders[data["label"]] = {"id": component.id, "fragment": message.delta.fragment_id, **data}
        elif component.component_name == _CHART:
            key = component.id.split("-", 2)[2]  # $$ID-<hash>-<key>
            self.charts[key] = json.loads(component.bytes)["figure"]


async def _visitor(url: str, page: str, number: int, slider: str, seconds: float, start: asyncio.Event) -> list[float]:
    # Each visitor has a seed of their own, so that nobody is served from what another has computed.
    async with Session(url, page, f"seed={number % 100}") as session:
        await session.load()
        middle = next(s for name, s in session.sliders.items() if name.startswith(slider))["index"]
        await start.wait()
        loop = asyncio.get_running_loop()
        begun, times = loop.time() + (number * 0.618) % 1.0, []  # spread over the second
        for step in range(int(seconds)):
            await asyncio.sleep(max(begun + step - loop.time(), 0.0))
            place = (number + step) % (4 * REACH)  # to and fro about the default
            times.append(await session.move(slider, middle - REACH + min(place, 4 * REACH - place)))
        return times


async def _crowd(url: str, page: str, slider: str, sessions: int, seconds: float) -> list[float]:
    start = asyncio.Event()
    tasks = [asyncio.create_task(_visitor(url, page, i, slider, seconds, start)) for i in range(sessions)]
    await asyncio.sleep(min(1.0 + 0.3 * sessions, 10.0))  # the first loads are not what is measured
    start.set()
    return [value for times in await asyncio.gather(*tasks) for value in times]


def crowd(url: str, page: str, slider: str, sessions: int, seconds: float) -> list[float]:
    """Time from a slider's message to the end of the script, for sessions that each move it once a second."""
    return asyncio.run(_crowd(url, page, slider, sessions, seconds))


async def _race(url: str, number: int) -> None:
    async with Session(url, "accuracy", f"{_RACE}&seed={number}") as session:
        start, words = None, ("Start", "Resume")  # parts that have no seed may be known from an earlier race
        while start is None:  # a first run may end early, for another one
            await session.load()
            start = next((found for found in session.elements if found[0].button.label in words), None)
        await session.set(WidgetState(id=start[0].button.id, trigger_value=True), start[1])
        await session.stay()


async def _next_to_races(url: str, page: str, slider: str, races: int, seconds: float) -> list[float]:
    start, server = asyncio.Event(), server_of(url)
    start.set()
    # Others than those of an earlier measurement, which are cached.
    running = [asyncio.create_task(_race(url, int(time.time()) % 10_000_000 + number)) for number in range(races)]
    await asyncio.sleep(10.0)
    before, began = sum(server.cpu_times()[:2]), time.monotonic()
    times = await _visitor(url, page, 0, slider, seconds, start)
    cores = (sum(server.cpu_times()[:2]) - before) / (time.monotonic() - began)
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    if cores < 0.7:
        raise RuntimeError(f"Little was computed next to the session: {cores:.2f} cores were busy")
    return times


def next_to_races(url: str, page: str, slider: str, races: int, seconds: float) -> list[float]:
    """Time from a slider's message to the end of the script, once a second, while comparisons of maps are computed."""
    return asyncio.run(_next_to_races(url, page, slider, races, seconds))
