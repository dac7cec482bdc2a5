"""What a page is told in a line of script: where its server is, and to make Plotly ready while it waits.

The page of a deep link, such as ``/accuracy``, cannot know whether its server lies there or above: it asks below its
own address first, then one level up, then for the host's configuration, and only then opens the connection. Each is a
round trip before anything is computed. Streamlit's page takes an answer from ``window.__streamlit``, which is there
for whoever hosts it; a version that does not look there asks as before.

To run Plotly's script takes a browser a quarter of a second. Done once the frame of the page is painted, it falls into
the time in which the server computes; the first chart would begin it only when its data have come.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rfviz.figures.plotly_js import scripts
from rfviz.ui.page_headers import is_page
from rfviz.ui.plotly_script import plotly_address

__all__ = ["Connect", "script"]

_WITHOUT_CHARTS = ("home", "zoo", "lessons")
_SOURCE = Path(__file__).with_suffix(".js")
_LOAD = _SOURCE.with_name("plotly_load.js")
# The page would be the same, but what is put into it may not be.
_OF_THE_FILE = ("etag", "last-modified")


def script(slugs: Sequence[str]) -> str:
    """The element that a page needs in its head.

    Parameters
    ----------
    slugs : sequence of str
        Addresses of the pages: where an address ends with one of them, the server is what comes before, and Plotly is
        needed, but for a few.
    """
    host = {"allowedOrigins": list(st.get_option("client.allowedOrigins") or ()), "useExternalAuthToken": False}
    drawn = {"slugs": [slug for slug in slugs if slug not in _WITHOUT_CHARTS], "address": plotly_address(scripts()[0])}
    given = ", ".join(map(json.dumps, (list(slugs), host, drawn)))
    load, connect = (path.read_text(encoding="utf-8").strip() for path in (_LOAD, _SOURCE))
    call = f"{{\n{load}\n({connect})({given});\n}}"
    return "<script>" + call.replace("</", "<\\/") + "</script>"


class Connect:
    """ASGI middleware that puts :func:`script` into every page.

    Parameters
    ----------
    app : callable
        The application behind it.
    slugs : sequence of str
    """

    def __init__(self, app: ASGIApp, slugs: Sequence[str]) -> None:
        self.app, self._script = app, script(slugs).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, pages with the script."""
        head: Message | None = None
        body = b""

        async def insert(message: Message) -> None:
            nonlocal head, body
            if message["type"] == "http.response.start" and _can_be_changed(message):
                head = message
            elif head is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body"):
                    await self._send_page(head, body, send)

        await self.app(scope, receive, insert if scope["type"] == "http" else send)

    async def _send_page(self, head: Message, body: bytes, send: Send) -> None:
        headers = MutableHeaders(raw=list(head["headers"]))
        packed = headers.get("content-encoding") == "gzip"
        page = gzip.decompress(body) if packed else body
        page = page.replace(b"</head>", self._script + b"</head>", 1)
        body = gzip.compress(page, mtime=0) if packed else page
        for name in _OF_THE_FILE:
            del headers[name]
        headers["Content-Length"] = str(len(body))
        await send({**head, "headers": headers.raw})
        await send({"type": "http.response.body", "body": body})


def _can_be_changed(message: Message) -> bool:
    readable = MutableHeaders(raw=message["headers"]).get("content-encoding", "gzip") == "gzip"
    return message["status"] == 200 and readable and is_page(message)
