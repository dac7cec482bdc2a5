"""Preload headers: a page names the scripts that its browser would discover only when the first elements arrive."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import streamlit as st

from rfviz.figures.plotly_js import scripts
from rfviz.lab.folder import laboratory_folder
from rfviz.ui.web.component_scripts import script_addresses
from rfviz.ui.web.plotly_routes import plotly_address, server_path

__all__ = ["page_slugs", "preloaded"]

_STATIC = Path(st.__file__).parent / "static"
# Streamlit's modules that nearly every page draws with; names that a release does not have are skipped.
_MODULES = ("BidiComponent", "Selectbox", "Checkbox", "Button", "ButtonGroup", "NumberInput", "Html", "Progress",
            "rehype-katex")  # fmt: skip
# What single pages need besides, by the last part of their path.
_MORE = {
    "": ("PageLink", "ImageList"),
    "lessons": ("PageLink", "ImageList"),
    "quick-inspection": ("PageLink",),
    "build-a-map": ("TextInput", "PageLink"),
    "maxout-pca": ("Slider",),
    "kernel-approximation": ("Multiselect", "Slider"),
    "accuracy": ("Multiselect",),
    "kitchen-sinks": ("Multiselect",),
    "speech": ("Multiselect", "Audio"),
}
# Pages that draw no chart at first: their browser fetches Plotly for the next page when the network is idle.
_WITHOUT_CHART = ("", "lessons", "zoo")
_IMPORTED = re.compile(r'(?:from|import)"\./([\w.-]+\.js)"')


@cache
def page_slugs() -> tuple[str, ...]:
    """Return the paths of the pages by their files, without importing what these need."""
    folder = laboratory_folder()
    return tuple(path.stem.replace("_", "-") for path in (folder / "pages").glob("*.py")) if folder else ()


def preloaded(path: str) -> tuple[tuple[str, str], ...]:
    """Return the ``Link`` headers of a page: our scripts, and modules that Streamlit's page does not name.

    Parameters
    ----------
    path : str
        Of the requested page.
    """
    slug = path.rstrip("/").rpartition("/")[2]
    own = tuple(("link", f"<{address}>; rel=modulepreload") for address in script_addresses())
    return own + _links(slug if slug in page_slugs() else "")


@cache
def _links(slug: str) -> tuple[tuple[str, str], ...]:
    folder = _STATIC / "static" / "js"
    prefix = server_path("/static/js/")
    known = set(re.findall(r"static/js/([\w.-]+\.js)", (_STATIC / "index.html").read_text(encoding="utf-8")))
    plotly = plotly_address(scripts()[0])
    links = [f"<{plotly}>; rel={'prefetch' if slug in _WITHOUT_CHART else 'preload; as=script'}"]
    waiting = [path.name for name in (*_MODULES, *_MORE.get(slug, ())) for path in folder.glob(f"{name}.*.js")]
    while waiting:
        name = waiting.pop()
        if name not in known:
            known.add(name)
            links.append(f"<{prefix}{name}>; rel=modulepreload")
            waiting += _IMPORTED.findall((folder / name).read_text(encoding="utf-8"))
    return tuple(("link", link) for link in links)
