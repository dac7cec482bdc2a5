"""Tell browsers, with the page itself, what they will ask for a second later.

Streamlit's page loads its core; only when the first elements arrive does the browser learn which of Streamlit's other
modules draw them, and only when the first chart arrives that there is Plotly. Every such discovery is a round trip.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rfviz.figures.plotly_js import scripts
from rfviz.ui.plotly_script import plotly_address, server_path

__all__ = ["Preload", "is_page", "preloaded"]

_STATIC = Path(st.__file__).parent / "static"
# Streamlit's modules that nearly every page draws with; a name that a release has not is passed over.
_MODULES = ("BidiComponent", "Selectbox", "Checkbox", "Button", "ButtonGroup", "NumberInput", "Html", "Progress",
            "rehype-katex")  # fmt: skip
# What single pages need besides, by the last part of their address.
_MORE = {
    "": ("PageLink", "ImageList"),
    "lessons": ("PageLink", "ImageList"),
    "quick-inspection": ("PageLink",),
    "maxout-pca": ("Slider",),
    "kernel-approximation": ("Multiselect", "Slider"),
    "accuracy": ("Multiselect",),
    "kitchen-sinks": ("Multiselect",),
}
_IMPORTED = re.compile(r'(?:from|import)"\./([\w.-]+\.js)"')


def preloaded(path: str) -> tuple[str, ...]:
    """Values of ``Link`` headers: Plotly's script, and modules of Streamlit that its page does not name itself.

    Parameters
    ----------
    path : str
        Of the page that is asked for.
    """
    slug = path.rstrip("/").rpartition("/")[2]
    return _links(slug if slug in _MORE else "")


@cache
def _links(slug: str) -> tuple[str, ...]:
    folder = _STATIC / "static" / "js"
    prefix = server_path("/static/js/")
    known = set(re.findall(r"static/js/([\w.-]+\.js)", (_STATIC / "index.html").read_text(encoding="utf-8")))
    links = [f"<{plotly_address(scripts()[0])}>; rel=preload; as=script"]
    waiting = [path.name for name in (*_MODULES, *_MORE[slug]) for path in folder.glob(f"{name}.*.js")]
    while waiting:
        name = waiting.pop()
        if name not in known:
            known.add(name)
            links.append(f"<{prefix}{name}>; rel=modulepreload")
            waiting += _IMPORTED.findall((folder / name).read_text(encoding="utf-8"))
    return tuple(links)


class Preload:
    """ASGI middleware that adds :func:`preloaded` to what is a page.

    Parameters
    ----------
    app : callable
        The application behind it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, pages with their headers."""

        async def hint(message: Message) -> None:
            if message["type"] == "http.response.start" and is_page(message):
                links = [(b"link", value.encode()) for value in preloaded(scope["path"])]
                message = {**message, "headers": [*message["headers"], *links]}
            await send(message)

        await self.app(scope, receive, hint if scope["type"] == "http" else send)


def is_page(message: Message) -> bool:
    """Whether an answer that begins so is a page."""
    return any(name.lower() == b"content-type" and b"text/html" in value for name, value in message["headers"])
