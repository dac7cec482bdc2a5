"""Visitors who leave while they are answered: no error, and nothing for the server's log."""

from __future__ import annotations

from starlette import websockets
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["IgnoreDepartures"]

# What Starlette raises where a websocket is gone; older versions have the first alone.
_GONE = (websockets.WebSocketDisconnect, getattr(websockets, "WebSocketDisconnected", websockets.WebSocketDisconnect))


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
        try:
            await self.app(scope, receive, send)
        except _GONE:
            if scope["type"] != "websocket":
                raise
