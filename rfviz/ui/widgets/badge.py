"""The device in the sidebar: a few lines that follow what it does while the page stands still."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

from streamlit.components.v2 import component

from rfviz.ui.device_use import describe
from rfviz.ui.scheduler import Target
from rfviz.ui.web.device_route import device_address

__all__ = ["badge"]

_CSS = """
.badge { font-size: 0.875rem; line-height: 1.45; opacity: 0.72; cursor: default; }
.badge summary { cursor: pointer; }
.badge .name { font-weight: 600; margin-top: 0.25rem; }
.badge [hidden] { display: none; }
"""
_mount = component(
    "rfviz.badge",
    html='<div class="badge" role="status" aria-live="off"><details><summary class="short"></summary>'
    '<div class="name"></div><div class="memory"></div><div class="queue"></div>'
    '<div class="last"></div></details></div>',
    css=_CSS,
    js=(Path(__file__).parent / "badge.js").read_text(encoding="utf-8"),
)


def badge(place: Target, unfolded: bool = False) -> None:
    """Show which device computes; folded, its memory, who waits, and how near its limit the last computation came."""
    query = urlencode({"device": place.device, "precision": place.precision})
    _mount(
        key="rfviz-badge",
        data={"state": describe(place), "address": f"{device_address()}?{query}", "unfolded": unfolded},
    )
