"""Answer from memory, and compressed, for files that never change.

A first visit takes a hundred files of Streamlit's, read from the disk by threads, 4 ms each, and sent as they are, 3.5
MB in all. When a class opens the laboratory at the same moment, that is minutes of one processor.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Lasting"]

_MOST_BYTES = 64_000_000
_TEXT = ("text/", "application/javascript", "application/json", "image/svg")
_SHORT = 500  # bytes that are not worth compressing


@dataclass(frozen=True)
class _Answer:
    headers: Headers
    plain: bytes
    packed: bytes | None  # by gzip

    @property
    def size(self) -> int:
        return len(self.plain) + len(self.packed or b"")


class Lasting:
    """ASGI middleware that holds what the application behind it calls immutable.

    Parameters
    ----------
    app : callable
        The application.
    folders : sequence of str
        Where the files are, as paths on the server: nothing else is held, least of all what readers have brought.
    most_bytes : int
        To be held; what is more comes from the application every time.
    """

    def __init__(self, app: ASGIApp, folders: Sequence[str], most_bytes: int = _MOST_BYTES) -> None:
        self.app, self.folders = app, tuple(folders)
        self._left = most_bytes
        self._held: dict[str, _Answer] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the application answer and hold what it says."""
        if not self._may_hold(scope):
            await self.app(scope, receive, send)
            return
        held = self._held.get(scope["path"])
        if held is None:
            held = await self._fetch(scope, receive, send)
        if held is not None:
            await _send(held, "gzip" in Headers(scope=scope).get("accept-encoding", ""), send)

    def _may_hold(self, scope: Scope) -> bool:
        if scope["type"] != "http" or scope["method"] != "GET" or scope["query_string"]:
            return False
        return scope["path"].startswith(self.folders) and "range" not in Headers(scope=scope)

    async def _fetch(self, scope: Scope, receive: Receive, send: Send) -> _Answer | None:
        """What the application answers, if that is to be held; else it is sent on as it comes."""
        head: list[Message] = []  # of an answer that is to be held
        parts: list[bytes] = []

        async def collect(message: Message) -> None:
            if message["type"] == "http.response.start":
                lasts = "immutable" in Headers(raw=message["headers"]).get("cache-control", "")
                if message["status"] == 200 and lasts:
                    head.append(message)
                    return
            if head and message["type"] == "http.response.body":
                parts.append(message.get("body", b""))
                return
            await send(message)

        # As it lies on the disk: how it is to be packed is decided here.
        plainly = [pair for pair in scope["headers"] if pair[0].lower() not in (b"accept-encoding", b"if-none-match")]
        await self.app({**scope, "headers": plainly, "extensions": {}}, receive, collect)
        if not head:
            return None
        found = await to_thread.run_sync(partial(_pack, Headers(raw=head[0]["headers"]), b"".join(parts)))
        if found.size <= self._left and scope["path"] not in self._held:
            self._left -= found.size
            self._held[scope["path"]] = found
        return found


def _pack(headers: Headers, plain: bytes) -> _Answer:
    worth = len(plain) > _SHORT and headers.get("content-type", "").startswith(_TEXT)
    return _Answer(headers, plain, gzip.compress(plain, 6) if worth else None)


async def _send(answer: _Answer, packed: bool, send: Send) -> None:
    body, headers = answer.plain, MutableHeaders(raw=list(answer.headers.raw))
    if answer.packed is not None:
        headers["Vary"] = "Accept-Encoding"
        if packed:
            body = answer.packed
            headers["Content-Encoding"] = "gzip"
    headers["Content-Length"] = str(len(body))
    await send({"type": "http.response.start", "status": 200, "headers": headers.raw})
    await send({"type": "http.response.body", "body": body})
