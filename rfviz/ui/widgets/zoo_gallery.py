"""Cards of feature maps, drawn in the browser: thirty small pictures answer a slider together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from rfviz.ui.state import PageState
from rfviz.ui.web.component_scripts import component_script
from rfviz.ui.widgets.events import event, is_whole

__all__ = ["moved_point", "zoo_gallery"]

_HERE = Path(__file__).parent
_HTML = """
<div class="zoo">
  <div class="legend"><span class="scale">negative<canvas aria-hidden="true"></canvas>positive, faint is zero</span>
    <span>Drag the ring, or click, to move x₀.</span></div>
  <div class="cards"></div>
</div>
"""

_mount = component(
    "rfviz.zoo",
    html=_HTML,
    css=(_HERE / "zoo_gallery.css").read_text(encoding="utf-8"),
    js=component_script(_HERE / "one_in_flight.js", _HERE / "zoo_gallery.js"),
)


def zoo_gallery(state: PageState, message: Mapping[str, Any]) -> None:
    """Show the cards; where the ring is dragged is then told by :func:`moved_point`."""
    key = state.key("gallery")

    def take_over() -> None:
        st.session_state[f"{key}:row"] = event(key, "moved").get("row")

    # Bytes go to the browser as they are; a dictionary would be encoded a second time to be compared.
    _mount(key=key, data=json.dumps(message).encode(), on_moved_change=take_over)


def moved_point(state: PageState, n_points: int) -> int | None:
    """Return the point that the ring was dragged to since this was last called; None if it was not moved."""
    row = st.session_state.pop(f"{state.key('gallery')}:row", None)
    return row if is_whole(row) and 0 <= row < n_points else None
