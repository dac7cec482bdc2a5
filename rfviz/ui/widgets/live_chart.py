"""A Plotly chart that is redrawn in place; Streamlit's own is taken down and built anew whenever its data change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import plotly.io as pio
import streamlit as st
from streamlit.components.v2 import component

from rfviz.figures.plotly_js import needed_script
from rfviz.ui.teaching.presenter import is_presenting
from rfviz.ui.web.component_scripts import component_script
from rfviz.ui.web.plotly_routes import plotly_address
from rfviz.ui.widgets.events import event, is_number, is_whole

__all__ = ["live_chart", "taken_places", "taken_row"]

_HERE = Path(__file__).parent
_CSS = """
.live-chart { width: 100%; contain: inline-size; overflow: clip; }
.live-chart:fullscreen { background: var(--st-background-color); }
/* Fingers that begin on a chart scroll the page; only a tap is the chart's. */
@media (hover: none) and (pointer: coarse) {
  .live-chart, .live-chart * { touch-action: pan-y pinch-zoom !important; }
  .live-chart .drag:not(.nsewdrag) { pointer-events: none !important; }
}
"""

# Not in a shadow of its own: Plotly puts its rules of style into the page's head.
_mount = component(
    "rfviz.live_chart",
    html='<div class="live-chart" role="figure"></div>',
    css=_CSS,
    js=component_script(*(_HERE / name for name in ("load_plotly.js", "chart_room.js", "live_chart.js"))),
    isolate_styles=False,
)


def live_chart(
    figure: go.Figure, key: str, description: str, clickable: bool = False, secondary: bool = False,
    placing: bool = False, square: bool = False,
) -> None:  # fmt: skip
    """Show a figure at the full width.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        With a height.
    key : str
    description : str
        For those who cannot see it.
    clickable : bool
        Whether a click on a point picks its row; see :func:`taken_row`.
    secondary : bool
        Whether it may be drawn a moment later, so that the page's main chart is seen first.
    placing : bool
        Whether a click anywhere between the axes is reported; see :func:`taken_places`.
    square : bool
        Whether the plane between the axes is to be no taller than wide; the figure then needs margins too.
    """
    spec: dict[str, Any] = figure.to_dict()
    spec["layout"].pop("template", None)  # the browser makes one from the page's theme
    asked = {"clickable": clickable, "secondary": secondary, "placing": placing, "square": square}
    asked["large"] = is_presenting()
    script = needed_script(trace["type"] for trace in spec["data"])
    asked |= {"plotly": {"address": plotly_address(script), "whole": script.traces is None}}
    rest = json.dumps({"key": key, "alt": description, **asked})
    # Bytes go to the browser as they are; a dictionary would be encoded a second time to be compared.
    data = f'{rest[:-1]}, "figure": {pio.to_json(spec, validate=False)}}}'.encode()

    def take_over() -> None:
        st.session_state[_picked(key)] = event(key, "picked").get("row")

    def take_places() -> None:
        sent = event(key, "placed").get("clicks")
        clicks = [tuple(click) for click in sent if _is_click(click)] if isinstance(sent, list) else []
        last, waiting = st.session_state.get(_placed(key), (0, []))
        new = [click for click in clicks if click[2] > last]
        if new:
            st.session_state[_placed(key)] = new[-1][2], [*waiting, *((x, y) for x, y, _ in new)]

    callbacks: dict[str, Any] = {"on_picked_change": take_over} if clickable else {}
    if placing:
        callbacks["on_placed_change"] = take_places
    _mount(key=key, data=data, **callbacks)


def taken_row(key: str, none: int | None = None) -> int | None:
    """Return the row (``customdata``) of the point that was clicked in a chart, once per click.

    `none` after a double click next to the points, which picks none; None where nothing was clicked.
    """
    if _picked(key) not in st.session_state:
        return None
    row = st.session_state.pop(_picked(key))
    return row if is_whole(row) else none


def taken_places(key: str) -> list[tuple[float, float]]:
    """Return where a chart was clicked, in the units of its axes, in order; each click once."""
    last, waiting = st.session_state.get(_placed(key), (0, []))
    if waiting:
        st.session_state[_placed(key)] = last, []
    return waiting


def _is_click(value: Any) -> bool:
    """Return whether this is a click: its place, and its number."""
    return isinstance(value, list) and len(value) == 3 and all(map(is_number, value))


def _picked(key: str) -> str:
    return f"{key}:picked"


def _placed(key: str) -> str:
    return f"{key}:placed"
