"""A step of a slider sends what has changed, and of the rest of the page only the hashes."""

import asyncio

import pytest

pytest.importorskip("playwright", reason="the client of the websocket comes with one of the browser")

from benchmarks._app import running_app
from benchmarks.latency import _latency_socket

pytestmark = pytest.mark.slow

# Page → bytes that a step of its first slider may take: a quarter more than it takes now.
PAGES = {"guarantees": 36_000, "pixel-cooccurrence": 33_000, "distance-saturation": 81_000}


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


def test_a_step_of_a_slider_sends_only_what_has_changed():
    with running_app() as url:
        for page, most in PAGES.items():
            first, second = asyncio.run(_steps(url, page))
            assert 1000 < second < most, (page, first, second)
