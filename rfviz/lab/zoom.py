"""The zoom of a page's charts, as its address holds it: ``saturation:x,0.5,1.2,y,0.1,0.9;embedding:x,-1,2``.

Each chart by its name, each axis by its letter, then both ends in the units that stand along the axis: 10 and 1000 on
one with a logarithmic scale, the places 0, 1, 2, … on one of words. The low end comes first, whichever way the axis
runs. In the browser ``rfviz/ui/address.js`` reads and writes the same.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rfviz.experiments.base import Chart

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["Zoom", "ZoomCheck", "apply_zoom", "fits", "read_zoom", "zoom_charts"]

#: By chart, by axis, both ends.
Zoom = dict[str, dict[str, tuple[float, float]]]
# An address that asks for more is none that a page has written.
_MOST_TEXT, _MOST_CHARTS = 4000, 40
_CHART = re.compile(r"([A-Za-z0-9_-]{1,60}):([^:]+)")
_NUMBER = re.compile(r"-?\d{1,21}(\.\d{1,21})?(e-?\d{1,2})?", re.ASCII)
# Numbers closer to each other than this share of their size have no ticks between them that could be told apart.
_FINEST = 1e-9


def read_zoom(text: str) -> tuple[Zoom, bool]:
    """Parse the zoom that an address asks for.

    Returns
    -------
    zoom : dict
        What of it makes sense.
    whole : bool
        Whether that is all of it.
    """
    if len(text) > _MOST_TEXT:
        return {}, False
    parts = text.split(";")
    found: Zoom = {}
    for part in parts[:_MOST_CHARTS]:
        match = _CHART.fullmatch(part)
        if match and (ranges := _ranges(match[2].split(","))):
            found[match[1]] = ranges
    return found, len(found) == len(parts)


def _ranges(words: list[str]) -> dict[str, tuple[float, float]] | None:
    """Return axis, low end and high end of one axis or two, or None if they are not legal."""
    ranges = {}
    if len(words) not in (3, 6):
        return None
    for axis, *ends in (words[:3], words[3:]):
        if axis not in ("x", "y") or axis in ranges or not all(map(_NUMBER.fullmatch, ends)):
            return None
        low, high = map(float, ends)
        if not high - low > _FINEST * max(abs(low), abs(high)):
            return None
        ranges[axis] = low, high
        if len(words) == 3:
            break
    return ranges


class ZoomCheck:
    """Whether an address asks for what a page has.

    Parameters
    ----------
    text : str
        The zoom in the address.
    """

    def __init__(self, text: str) -> None:
        self._waiting, self._whole = read_zoom(text)

    def compare(self, chart: str, figure: go.Figure) -> None:
        """Take note of a chart of the page."""
        if chart in self._waiting:
            self._whole &= fits(figure, self._waiting.pop(chart))

    def is_whole(self) -> bool:
        """Return whether all charts that were asked for are there, and can be zoomed so."""
        return self._whole and not self._waiting


def fits(figure: go.Figure, ranges: Mapping[str, tuple[float, float]]) -> bool:
    """Return whether a figure has all these axes, and may be zoomed so."""
    return len(_settings(figure, ranges)) == len(ranges)


def apply_zoom(figure: go.Figure, ranges: Mapping[str, tuple[float, float]]) -> None:
    """Zoom a figure as far as it has these axes.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Is changed.
    ranges : mapping
        Of one chart, as :func:`read_zoom` gives them.
    """
    if ranges:
        figure.update_layout(_settings(figure, ranges))


def zoom_charts(charts: Iterable[Chart], text: str) -> None:
    """Zoom those charts that an address names; what else it asks for concerns charts that only the page draws.

    Parameters
    ----------
    charts : iterable of Chart
        Their figures are changed.
    text : str
        The zoom in the address; may be empty.
    """
    zoom, _ = read_zoom(text)
    for chart in charts:
        apply_zoom(chart.figure, zoom.get(chart.name, {}))


def _settings(figure: go.Figure, ranges: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    spec: dict[str, Any] = figure.to_dict()
    layout, settings = spec["layout"], dict[str, Any]()
    for axis, ends in ranges.items():
        name = f"{axis}axis"
        own = layout.get(name, {})
        is_log = own.get("type") == "log"
        if "scene" in layout or own.get("fixedrange") or (is_log and ends[0] <= 0):
            continue
        low, high = map(math.log10, ends) if is_log else ends
        before = own.get("range") or (0, 1)
        turned = "reversed" in str(own.get("autorange")) or before[0] > before[1]
        settings[name] = {"range": [high, low] if turned else [low, high], "autorange": False}
    return settings
