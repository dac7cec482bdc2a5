"""Preload headers: a page names the scripts that its browser would discover only when the first elements arrive."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import streamlit as st

from rfviz.figures.plotly_js import scripts
from rfviz.lab.index import NAVIGATION, PageRef
from rfviz.ui.web.component_scripts import script_addresses
from rfviz.ui.web.plotly_routes import plotly_address, server_path

__all__ = ["preloaded"]

_STATIC = Path(st.__file__).parent / "static"
# Streamlit's modules that nearly every page draws with; names that a release does not have are skipped.
_MODULES = ("BidiComponent", "Selectbox", "Checkbox", "Button", "ButtonGroup", "NumberInput", "Html", "Progress",
            "rehype-katex")  # fmt: skip
_IMPORTED = re.compile(r'(?:from|import)"\./([\w.-]+\.js)"')


def preloaded(path: str) -> tuple[tuple[str, str], ...]:
    """Return the ``Link`` headers of a page: our scripts, and modules that Streamlit's page does not name.

    Parameters
    ----------
    path : str
        Of the requested page.
    """
    slug = path.rstrip("/").rpartition("/")[2]
    own = tuple(("link", f"<{address}>; rel=modulepreload") for address in script_addresses())
    return own + _links(next((page for page in NAVIGATION if page.slug == slug), NAVIGATION[0]))


@cache
def _links(page: PageRef) -> tuple[tuple[str, str], ...]:
    folder = _STATIC / "static" / "js"
    prefix = server_path("/static/js/")
    known = set(re.findall(r"static/js/([\w.-]+\.js)", (_STATIC / "index.html").read_text(encoding="utf-8")))
    plotly = plotly_address(scripts()[0])
    # Without a chart, a browser fetches Plotly for the next page when the network is idle.
    links = [f"<{plotly}>; rel={'preload; as=script' if page.has_chart else 'prefetch'}"]
    waiting = [path.name for name in (*_MODULES, *page.elements) for path in folder.glob(f"{name}.*.js")]
    while waiting:
        name = waiting.pop()
        if name not in known:
            known.add(name)
            links.append(f"<{prefix}{name}>; rel=modulepreload")
            waiting += _IMPORTED.findall((folder / name).read_text(encoding="utf-8"))
    return tuple(("link", link) for link in links)
