"""Curves that were computed before the user asked for more, or recorded, pale behind those that are still computed."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.experiments.work import Work
from rfviz.figures.template import GREY, rgba
from rfviz.figures.traces import trace
from rfviz.ui.session import SessionValue

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["EARLIER", "RECORDED", "with_earlier_curves"]

#: What the legend calls the pale curves.
EARLIER, RECORDED = "before the change", "recorded"


@dataclass(frozen=True, eq=False)
class _Drawn:
    """The curves of a chart, with the data and the work that they are of."""

    data: Hashable
    work: Hashable
    curves: tuple[tuple[np.ndarray, np.ndarray], ...] = ()
    y_range: Any = None


# Of each chart, what it drew last, and what it drew of the work before that one.
_DRAWN = SessionValue[tuple[_Drawn | None, _Drawn | None]]("curves of the work before", lambda: (None, None))


def with_earlier_curves(
    chart: str, figure: go.Figure, data: Hashable, work: Work, recorded: go.Figure | None = None
) -> go.Figure:
    """Return a figure with the curves of the work before, pale, until those of this work are complete.

    Recorded ones stand there as they are until there is a curve, and are pale then.

    Parameters
    ----------
    chart : str
        Its name.
    data : hashable
        Which data it is about: curves of other data are left out.
    recorded : Figure, optional
        The chart of curves that were recorded.
    """
    state, now = _DRAWN.of(chart), _drawn(figure, data, hash(work.identity))
    last, before = state.get()
    if last is not None and last.work != now.work and last.curves:
        before = last
    state.set((now, before))
    if recorded is not None and work.is_empty:
        return recorded
    name = EARLIER
    if recorded is not None:
        before, name = _drawn(recorded, data, "recorded"), RECORDED
    if before is None or before.work == now.work or before.data != data or not work.missing():
        return figure
    import plotly.graph_objects as go

    pale = [_pale(x, y, name, is_named=number == 0) for number, (x, y) in enumerate(before.curves)]
    parts: Any = figure
    shown: Any = go.Figure([*pale, *parts.data], parts.layout)
    if before.y_range is not None and not (now.curves and now.y_range is None):
        # Both curves are within it, so that the axis hardly moves when points arrive.
        ends = [*before.y_range, *(now.y_range if now.curves else ())]
        shown.layout.yaxis.range = [min(ends), max(ends)]
    return shown


def _drawn(figure: go.Figure, data: Hashable, work: Hashable) -> _Drawn:
    parts: Any = figure
    lines = [
        t for t in parts.data if t.type == "scatter" and t.mode == "lines+markers" and t.x is not None and len(t.x)
    ]
    curves = tuple((np.asarray(t.x), np.asarray(t.y)) for t in lines)
    return _Drawn(data, work, curves, parts.layout.yaxis.range)


def _pale(x: np.ndarray, y: np.ndarray, name: str, is_named: bool) -> dict[str, Any]:
    line = {"color": rgba(GREY, 0.55), "width": 1.5}
    marks = {"size": 5, "color": rgba(GREY, 0.55)}
    of = {"name": name, "legendgroup": name, "showlegend": is_named, "hoverinfo": "skip"}
    return trace("scatter", x=x, y=y, mode="lines+markers", line=line, marker=marks, **of)
