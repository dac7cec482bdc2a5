"""Cards of feature maps, drawn in the browser: thirty small pictures answer a slider together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rfviz.ui.component import Component, fields, is_whole
from rfviz.ui.session import SessionValue
from rfviz.ui.state import PageState

__all__ = ["moved_point", "zoo_gallery"]

_HERE = Path(__file__).parent
_HTML = """
<div class="zoo">
  <div class="legend"><span class="scale">negative<canvas aria-hidden="true"></canvas>positive, faint is zero</span>
    <span>Drag the ring, or click, to move x₀.</span></div>
  <div class="cards"></div>
</div>
"""

_gallery = Component(
    "zoo",
    *(_HERE / name for name in ("zoo_gallery.css", "one_in_flight.js", "zoo_gallery.js")),
    html=_HTML,
    served=True,
)

# Of each gallery, the point that the ring was dragged to.
_MOVED_TO = SessionValue[Any]("row", lambda: None)


def zoo_gallery(state: PageState, message: Mapping[str, Any]) -> None:
    """Show the cards; where the ring is dragged is then told by :func:`moved_point`."""
    key = state.key("gallery")

    def take_over(sent: Any) -> None:
        _MOVED_TO.of(key).set(fields(sent).get("row"))

    _gallery.mount(key, json.dumps(message).encode(), {"moved": take_over})


def moved_point(state: PageState, n_points: int) -> int | None:
    """Return the point that the ring was dragged to since this was last called; None if it was not moved."""
    row = _MOVED_TO.of(state.key("gallery")).pop()
    return row if is_whole(row) and 0 <= row < n_points else None
