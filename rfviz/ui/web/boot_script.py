"""What every page carries in its head: where the server is, and a rule that lets its placeholders rest; and no font.

The page of a deep link, such as ``/accuracy``, cannot know whether its server's base is its own path or the one above:
it asks below its own path first, then one level up, then for the host's configuration, and only then opens the
connection. Streamlit's page takes an answer from ``window.__streamlit``, which a host may set; a version
that does not look there asks as before.

The placeholders that stand where nothing is drawn yet pulse in Streamlit. Without a GPU the processor draws each of
these frames, which takes a third of all its work for a visit, and so keeps what the visitor waits for waiting.

Streamlit's page preloads a font that the laboratory's theme does not use, 170 kB of the 1.9 MB that a first visit
fetches, and a link uses it until the theme is known. The font of the icons, 375 kB, waits for the first chart.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rfviz.ui.web.headers import is_page

__all__ = ["InjectBootScript", "boot_script"]

# They would say that the page is unchanged where the injected script is not.
_VALIDATORS = ("etag", "last-modified")
_INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
_FONT = re.compile(rb'<link\s+rel="preload"[^>]*\sas="font"[^>]*>')
_STYLE = (
    "<style>[data-testid=stSkeleton] { animation: none !important; }"
    # Before the theme is known this one link would fetch the font that the theme does not use.
    "[data-testid=stSkipToContent] { font-family: system-ui, sans-serif !important; }"
    ".rfviz-first [data-testid=stIconMaterial] { font-family: sans-serif !important; visibility: hidden;"
    " width: 1em; overflow: hidden; }</style>"
)


def boot_script(slugs: Sequence[str]) -> str:
    """Return the script for the head of a page, and the style next to it.

    Parameters
    ----------
    slugs : sequence of str
        Paths of the pages: where an address ends with one of them, the base URL is what comes before.
    """
    host = {"allowedOrigins": list(st.get_option("client.allowedOrigins") or ()), "useExternalAuthToken": False}
    boot = Path(__file__).with_name("boot_script.js").read_text(encoding="utf-8").strip()
    call = f"({boot})({json.dumps(list(slugs))}, {json.dumps(host)});"
    return "<script>" + call.replace("</", "<\\/") + "</script>" + _STYLE


class InjectBootScript:
    """ASGI middleware that puts :func:`boot_script` into every page, and takes out the preloading of fonts.

    Parameters
    ----------
    app : callable
        The application behind it.
    slugs : sequence of str
    """

    def __init__(self, app: ASGIApp, slugs: Sequence[str]) -> None:
        self.app, self._script = app, boot_script(slugs).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, pages with the script."""
        head: Message | None = None
        body = b""

        async def insert(message: Message) -> None:
            nonlocal head, body
            if message["type"] == "http.response.start" and _is_readable_page(scope, message):
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
        page = _FONT.sub(b"", page)
        page = page.replace(b"</head>", self._script + b"</head>", 1)
        body = gzip.compress(page, mtime=0) if packed else page
        for name in _VALIDATORS:
            del headers[name]
        headers.append("Content-Security-Policy", _script_policy(page))
        headers["Content-Length"] = str(len(body))
        await send({**head, "headers": headers.raw})
        await send({"type": "http.response.body", "body": body})


def _script_policy(page: bytes) -> str:
    """Return the rule that a page runs its server's scripts and the inline ones that it came with, and no others.

    Whatever a user's file or a link smuggles into a page stays text: an inline script, the handler of an event,
    ``javascript:``. Streamlit reads the scripts of components from addresses that begin with ``blob:``, which
    only a script can make; as only a script can call ``eval``, which browsers under test need to wait for a condition.
    Its styles are inline, so that no rule for styles is possible.
    """
    digests = (base64.b64encode(hashlib.sha256(text).digest()).decode() for text in _INLINE.findall(page))
    return " ".join(["script-src", "'self'", "blob:", "'unsafe-eval'", *(f"'sha256-{digest}'" for digest in digests)])


def _is_readable_page(scope: Scope, message: Message) -> bool:
    readable = MutableHeaders(raw=message["headers"]).get("content-encoding", "gzip") == "gzip"
    return message["status"] == 200 and readable and is_page(scope, message)
