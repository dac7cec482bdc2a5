"""Static file cache: immutable files are sent from memory, compressed once.

A first visit fetches a hundred files of Streamlit's, which it reads from the disk by threads, 4 ms each, and sends
uncompressed, 3.5 MB in all. When a class opens the laboratory at the same moment, that is minutes of one processor.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["StaticCache"]

_MAX_BYTES = 64_000_000
_TEXT = ("text/", "application/javascript", "application/json", "image/svg")
_SHORT = 500  # bytes that are not worth compressing


@dataclass(frozen=True)
class _Response:
    headers: Headers
    plain: bytes
    packed: bytes | None  # by gzip

    @property
    def size(self) -> int:
        return len(self.plain) + len(self.packed or b"")


class StaticCache:
    """ASGI middleware that caches what the application behind it declares immutable.

    Parameters
    ----------
    app : callable
        The application.
    folders : sequence of str
        Paths on the server: nothing else is cached, least of all uploads.
    max_bytes : int
        To be cached; the application answers the rest every time.
    """

    def __init__(self, app: ASGIApp, folders: Sequence[str], max_bytes: int = _MAX_BYTES) -> None:
        self.app, self.folders = app, tuple(folders)
        self._left = max_bytes
        self._cached: dict[str, _Response] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond, or let the application respond and cache what it sends."""
        if not self._is_cacheable(scope):
            await self.app(scope, receive, send)
            return
        response = self._cached.get(scope["path"])
        if response is None:
            response = await self._fetch(scope, receive, send)
        if response is not None:
            await _send(response, "gzip" in Headers(scope=scope).get("accept-encoding", ""), send)

    def _is_cacheable(self, scope: Scope) -> bool:
        if scope["type"] != "http" or scope["method"] != "GET" or scope["query_string"]:
            return False
        return scope["path"].startswith(self.folders) and "range" not in Headers(scope=scope)

    async def _fetch(self, scope: Scope, receive: Receive, send: Send) -> _Response | None:
        """Return the application's response if it is to be cached; else send it on as it comes."""
        head: list[Message] = []  # of a response that is to be cached
        parts: list[bytes] = []
        whole = False  # the application stops where it is when its client hangs up

        async def collect(message: Message) -> None:
            nonlocal whole
            if message["type"] == "http.response.start":
                immutable = "immutable" in Headers(raw=message["headers"]).get("cache-control", "")
                if message["status"] == 200 and immutable:
                    head.append(message)
                    return
            if head and message["type"] == "http.response.body":
                parts.append(message.get("body", b""))
                whole = not message.get("more_body")
                return
            await send(message)

        # Ask for the file as it is on the disk: compression is decided here.
        plainly = [pair for pair in scope["headers"] if pair[0].lower() not in (b"accept-encoding", b"if-none-match")]
        await self.app({**scope, "headers": plainly, "extensions": {}}, receive, collect)
        if not whole:
            return None
        response = await to_thread.run_sync(partial(_pack, Headers(raw=head[0]["headers"]), b"".join(parts)))
        if response.size <= self._left and scope["path"] not in self._cached:
            self._left -= response.size
            self._cached[scope["path"]] = response
        return response


def _pack(headers: Headers, plain: bytes) -> _Response:
    worthwhile = len(plain) > _SHORT and headers.get("content-type", "").startswith(_TEXT)
    return _Response(headers, plain, gzip.compress(plain, 6) if worthwhile else None)


async def _send(response: _Response, packed: bool, send: Send) -> None:
    body, headers = response.plain, MutableHeaders(raw=list(response.headers.raw))
    if response.packed is not None:
        headers["Vary"] = "Accept-Encoding"
        if packed:
            body = response.packed
            headers["Content-Encoding"] = "gzip"
    headers["Content-Length"] = str(len(body))
    await send({"type": "http.response.start", "status": 200, "headers": headers.raw})
    await send({"type": "http.response.body", "body": body})
