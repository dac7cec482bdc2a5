"""Visitors who leave while they are answered: no error, and nothing for the server's log."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

__all__ = ["IgnoreDepartures"]


class IgnoreDepartures:
    """ASGI middleware that ends a websocket quietly where its visitor has left.

    Streamlit reads from a websocket that it has found gone while it sent, and then closes it once more, which would
    print a traceback.

    Parameters
    ----------
    app : callable
        The application behind it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on."""
        gone = False

        async def hear() -> Message:
            nonlocal gone
            message = await receive()
            gone |= message["type"] == "websocket.disconnect"
            return message

        async def say(message: Message) -> None:
            nonlocal gone
            gone |= message["type"] == "websocket.close"
            try:
                await send(message)
            except OSError:
                gone = True
                raise

        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        try:
            await self.app(scope, hear, say)
        except (OSError, RuntimeError, WebSocketDisconnect):  # what Starlette raises where one is closed
            if not gone:
                raise
