"""What no browser sends does a session no harm, found by benchmarks/fuzz.py; a step of a slider sends little."""

import asyncio
import tempfile

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks._app import running_app

pytest.importorskip("hypothesis")
pytest.importorskip("playwright", reason="the client of the websocket comes with one of the browser")
from benchmarks.fuzz import Fuzzer
from benchmarks.latency import _latency_socket

pytestmark = pytest.mark.slow

# A visitor who waits less long is on the front page by then.
A_BUSY_MACHINE_S = 60.0
# Page → bytes that a step of its first slider may take: a quarter more than it takes now.
MOST_BYTES = {"guarantees": 36_000, "pixel-cooccurrence": 33_000, "distance-saturation": 81_000}


@pytest.fixture(scope="module")
def server():
    with tempfile.TemporaryFile() as log, running_app(log=log) as url:
        yield url, log


def printed(server, page, act):
    """Open a page, do something, and open it again; return what the server has printed meanwhile."""
    url, log = server
    begun = log.seek(0, 2)

    async def visit():
        async with Fuzzer(url, page) as visitor:
            await visitor.open(page, "", A_BUSY_MACHINE_S)
            await visitor.look(A_BUSY_MACHINE_S)
            await act(visitor)
            for _ in range(2):  # the first may be the end of a run that the page itself has asked for
                await visitor.look()
            assert not visitor.errors() and visitor.elements

    asyncio.run(visit())
    log.seek(begun)
    return log.read().decode()


async def widgets(visitor, kinds):
    """Return the identities of widgets of some kinds, and the fragment of the last one."""
    for attempt in range(20):  # a run that ends early, for another one, has shown a part of the page
        found = [(element.WhichOneof("type"), element, fragment) for element, fragment in visitor.elements]
        found = [(getattr(element, kind).id, fragment) for kind, element, fragment in found if kind in kinds]
        if found:
            break
        await asyncio.sleep(0.2 * attempt)
        await visitor.look(A_BUSY_MACHINE_S)
    return [identity for identity, _ in found if identity], found[-1][1]


EVENTS = [
    '{"moved": null}', '{"moved": 3}', '{"moved": {"index": null}}', '{"moved": {"index": 1e9}}', '{"picked": 1}',
    '{"moved": {"row": "x"}}', '{"picked": {"row": "x"}}', '{"placed": {"clicks": [["a", 1, 2], [1], 5]}}',
    '{"placed": {"clicks": [[1e300, -1e300, 1e9]]}}', '{"kept": {"id": []}}', '{"asked": 1}', '{"removed": []}', "[]",
]  # fmt: skip


@pytest.mark.parametrize("page", ["maxout-pca", "decision-surfaces", "zoo"])
def test_whatever_a_component_says_is_checked(server, page):
    async def act(visitor):
        for event in EVENTS:
            found, fragment = await widgets(visitor, ["bidi_component"])
            await visitor.give([WidgetState(id=identity, json_value=event) for identity in found], fragment)
            assert not visitor.errors()

    assert "Traceback" not in printed(server, page, act)


@pytest.mark.parametrize("page", ["accuracy", "pixel-cooccurrence"])
def test_a_value_of_another_kind_is_ignored(server, page):
    wrong = [{"bool_value": True}, {"string_value": "x"}, {"json_value": '{"a": 1}'}, {"int_value": -(2**60)}]
    kinds = ["selectbox", "button_group", "number_input", "slider", "checkbox", "bidi_component"]

    async def act(visitor):
        for value in wrong:
            found, fragment = await widgets(visitor, kinds)
            await visitor.give([WidgetState(id=identity, **value) for identity in found], fragment)

    assert "Traceback" not in printed(server, page, act)


@pytest.mark.parametrize("page", ["kernel-approximation", "accuracy"])
def test_no_visitor_clears_caches(server, page):
    async def act(visitor):
        found, fragment = await widgets(visitor, ["button_group"])
        await visitor.clear_caches()
        value = {"string_array_value": {"data": ["none"]}}
        await visitor.give([WidgetState(id=identity, **value) for identity in found], fragment)
        assert not visitor.errors()

    assert "Traceback" not in printed(server, page, act)


async def _steps(url, page):
    async with _latency_socket.Session(url, page) as session:
        for _ in range(2):  # the first run may end early, for another one
            await session.load()
        label, slider = next(iter(session.sliders.items()))
        sizes = []
        for step in (1, 2):
            await session.move(label, slider["index"] - step)
            sizes.append(session.received_bytes)
        return sizes


def test_a_step_of_a_slider_sends_only_what_has_changed(server):
    for page, most in MOST_BYTES.items():
        first, second = asyncio.run(_steps(server[0], page))
        assert 1000 < second < most, (page, first, second)
