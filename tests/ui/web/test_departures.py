"""Who leaves while a websocket is opened leaves no traceback; other errors stay errors."""

import asyncio
from contextlib import suppress

import pytest
from starlette.websockets import WebSocket, WebSocketDisconnect

from rfviz.ui.web.departures import IgnoreDepartures


def run(handler, kind="websocket"):
    async def app(scope, receive, send):
        await handler(WebSocket(scope, receive, send) if kind == "websocket" else None)

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        if message["type"] != "websocket.accept":
            raise OSError("the visitor has left")

    return asyncio.run(IgnoreDepartures(app)({"type": kind, "headers": []}, receive, send))


async def answer_and_read(websocket):
    """Do as Streamlit does."""
    await websocket.accept()
    with suppress(WebSocketDisconnect):
        await websocket.send_bytes(b"an answer")
    try:
        await websocket.receive_bytes()
    except RuntimeError:
        await websocket.close()


def test_a_visitor_who_has_left_is_no_error():
    assert run(answer_and_read) is None


@pytest.mark.parametrize(
    ("kind", "error"),
    [("websocket", ValueError("a bug")), ("websocket", RuntimeError("a bug")), ("http", WebSocketDisconnect(1000))],
)
def test_other_errors_stay(kind, error):
    async def fail(websocket):
        raise error

    with pytest.raises(type(error)):
        run(fail, kind)
