"""The device in the sidebar: a few lines that follow what it does while the page stands still."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

from rfviz.ui.component import Component
from rfviz.ui.device_use import describe, session_key
from rfviz.ui.scheduler import Target
from rfviz.ui.web.device_route import device_address

__all__ = ["badge"]

_CSS = """
.badge { font-size: 0.875rem; line-height: 1.45; opacity: 0.72; cursor: default; }
.badge summary { cursor: pointer; }
.badge .name { font-weight: 600; margin-top: 0.25rem; }
.badge [hidden] { display: none; }
"""
_badge = Component(
    "badge",
    Path(__file__).with_name("badge.js"),
    html='<div class="badge" role="status" aria-live="off"><details><summary class="short"></summary>'
    '<div class="why"></div><div class="name"></div><div class="memory"></div><div class="queue"></div>'
    '<div class="last"></div></details></div>',
    css=_CSS,
)


def badge(place: Target, unfolded: bool = False) -> None:
    """Show which device computed; folded, why, its memory, who waits, and how near its limit the last one came."""
    session = session_key()
    query = urlencode({"device": place.device, "precision": place.precision, "session": session})
    address = f"{device_address()}?{query}"
    _badge.mount("rfviz-badge", {"state": describe(place, session), "address": address, "unfolded": unfolded})
