"""A Plotly chart that is redrawn in place; Streamlit's own is taken down and built anew whenever its data change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import plotly.io as pio

from rfviz.figures.plotly_js import needed_script
from rfviz.ui.component import Component, fields, is_number, is_whole
from rfviz.ui.session import SessionValue, set_widget_value
from rfviz.ui.teaching.presenter import is_presenting
from rfviz.ui.web.plotly_routes import plotly_address

__all__ = ["COLUMNS", "live_chart", "selected_curve", "selected_places", "selected_row"]

_HERE = Path(__file__).parent
_MOST_POINTS = 100
#: Places of a curve that is drawn: as in drawn_curve.js.
COLUMNS = 33
# Of each chart: the click that is not taken; the number of the last click between the axes, and the places of
# those that are not taken. Of each curve: whether it has been drawn since this was asked last.
_PICKED = SessionValue[Any]("picked", lambda: _NOTHING)
_PLACED = SessionValue[tuple[float, list[tuple[float, float]]]]("placed", lambda: (0, []))
_CURVE_IS_NEW = SessionValue("new", bool)
_NOTHING = object()

# Not in a shadow of its own: Plotly puts its rules of style into the page's head.
_chart = Component(
    "live_chart",
    *(_HERE / f"{name}.css" for name in ("live_chart", "drawn_curve")),
    *(_HERE / f"{name}.js" for name in ("load_plotly", "chart_room", "drawn_curve", "live_chart")),
    html='<div class="live-chart" role="figure"></div>',
    served=True,
    isolated=False,
)


def live_chart(
    figure: go.Figure,
    key: str,
    description: str,
    clickable: bool = False,
    secondary: bool = False,
    placing: bool = False,
    square: bool = False,
    drawing: Mapping[str, Any] | None = None,
) -> None:
    """Show a figure at the full width.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        With a height.
    description : str
        Alternative text.
    clickable : bool
        Whether a click on a point picks its row; see :func:`selected_row`.
    secondary : bool
        Whether it may be drawn a moment later, so that the page's main chart is seen first.
    placing : bool
        Whether a click anywhere between the axes is reported; see :func:`selected_places`.
    square : bool
        Whether the plane between the axes is to be no taller than wide; the figure then needs margins too.
    drawing : mapping, optional
        A curve that the reader is to draw: where its points are held in the session's state (``"id"``), the ends of the
        part of the horizontal axis, a label, whether it is to be scrolled into view (``"seek"``), and, where a curve
        that the figure shows is to be changed, its heights at `COLUMNS` places; see :func:`selected_curve`.
    """
    spec: dict[str, Any] = figure.to_dict()
    spec["layout"].pop("template", None)  # the browser makes one from the page's theme
    asked: dict[str, Any] = {"clickable": clickable, "secondary": secondary, "placing": placing, "square": square}
    asked["large"] = is_presenting()
    if drawing is not None:
        asked["drawing"] = drawing
    script = needed_script(trace["type"] for trace in spec["data"])
    asked |= {"plotly": {"address": plotly_address(script), "whole": script.traces is None}}
    rest = json.dumps({"key": key, "alt": description, **asked})
    data = f'{rest[:-1]}, "figure": {pio.to_json(spec, validate=False)}}}'.encode()

    def take_over(sent: Any) -> None:
        _PICKED.of(key).set(fields(sent).get("row"))

    def take_places(sent: Any) -> None:
        sent = fields(sent).get("clicks")
        clicks = [tuple(click) for click in sent if _is_click(click)] if isinstance(sent, list) else []
        last, waiting = _PLACED.of(key).get()
        new = [click for click in clicks if click[2] > last]
        if new:
            _PLACED.of(key).set((new[-1][2], [*waiting, *((x, y) for x, y, _ in new)]))

    def take_curve(sent: Any) -> None:
        sent = fields(sent).get("curve")
        points = [tuple(point) for point in sent if _is_point(point)] if isinstance(sent, list) else []
        if drawing is not None and 1 < len(points) <= _MOST_POINTS:
            set_widget_value(drawing["id"], points)
            _CURVE_IS_NEW.of(drawing["id"]).set(True)

    heard = {"picked": take_over} if clickable else {}
    if placing:
        heard["placed"] = take_places
    if drawing is not None:
        heard["drawn"] = take_curve
    _chart.mount(key, data, heard)


def selected_row(key: str, none: int | None = None) -> int | None:
    """Return the row (``customdata``) of the point that was clicked in a chart, once per click.

    `none` after a double click next to the points, which picks none; None if nothing was clicked.
    """
    row = _PICKED.of(key).pop()
    return None if row is _NOTHING else row if is_whole(row) else none


def selected_places(key: str) -> list[tuple[float, float]]:
    """Return where a chart was clicked, in the units of its axes, in order; each click once."""
    last, waiting = _PLACED.of(key).get()
    if waiting:
        _PLACED.of(key).set((last, []))
    return waiting


def selected_curve(id: str) -> bool:
    """Return whether a curve has been drawn, or drawn anew, since this was asked last."""
    return _CURVE_IS_NEW.of(id).pop()


def _is_point(value: Any) -> bool:
    """Return whether this is a point of the plane."""
    return isinstance(value, list) and len(value) == 2 and all(map(is_number, value))


def _is_click(value: Any) -> bool:
    """Return whether this is a click: its place, and its number."""
    return isinstance(value, list) and len(value) == 3 and all(map(is_number, value))
