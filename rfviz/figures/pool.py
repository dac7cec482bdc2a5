"""A pool of projections in the plane: two points, the directions, and which of them wins for each point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rfviz.figures.template import COLOURS, GREY, styled
from rfviz.figures.traces import trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.features import Step

__all__ = ["plot_pool"]

_HEIGHT = 420
_DASHES = ("solid", "dot")


def plot_pool(points: Mapping[str, np.ndarray], steps: Sequence[Sequence[Step]], revision: str = "") -> go.Figure:
    """Draw points of the plane, the directions of one pool, and the direction that wins for each point.

    Parameters
    ----------
    points : mapping of str to ndarray of shape (2,)
    steps : sequence of sequence of Step
        Of one feature, for each point.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    pool = [step for step in steps[0] if step.competes]
    directions = np.array([step.weights for step in pool])
    # Lengths keep their proportions: a long direction wins more often.
    reach = max(float(np.linalg.norm(point)) for point in points.values()) or 1.0
    directions *= reach / max(float(np.linalg.norm(directions, axis=1).max()), 1e-12)
    rays = np.full((3 * len(directions), 2), np.nan)
    rays[::3], rays[1::3] = 0.0, directions
    traces = [
        trace(
            "scatter",
            x=rays[:, 0],
            y=rays[:, 1],
            mode="lines",
            name="directions w",
            showlegend=True,
            line={"color": GREY, "width": 1.5},
            hoverinfo="skip",
        )
    ]
    looks = zip(points.items(), steps, COLOURS, _DASHES, strict=False)
    for (name, point), told, colour, dash in looks:
        competing = [step for step in told if step.competes]
        best = next(place for place, step in enumerate(competing) if step.wins)
        w = directions[best]
        foot = w * float(w @ point) / max(float(w @ w), 1e-300)
        traces += [
            trace(
                "scatter",
                x=[0.0, w[0]],
                y=[0.0, w[1]],
                mode="lines+markers",
                name=f"wins for {name}: {best + 1}",
                showlegend=True,
                line={"color": colour, "width": 4, "dash": dash},
                marker={"size": [0, 12], "symbol": "arrow", "angleref": "previous", "color": colour},
                hovertemplate=f"direction {best + 1} wins for {name}: {competing[best].value:.4g}<extra></extra>",
            ),
            trace(
                "scatter",
                x=[point[0], foot[0]],
                y=[point[1], foot[1]],
                mode="lines",
                showlegend=False,
                line={"color": colour, "width": 1.5, "dash": "dash"},
                hoverinfo="skip",
            ),
            trace(
                "scatter",
                x=[point[0]],
                y=[point[1]],
                mode="markers+text",
                text=[name],
                showlegend=False,
                textposition="top right",
                cliponaxis=False,
                textfont={"size": 16},
                marker={"color": colour, "size": 11},
                hovertemplate=f"{name} = (%{{x:.3g}}, %{{y:.3g}})<extra></extra>",
            ),
        ]
    return styled(
        traces, x="x₁", y="x₂", height=_HEIGHT, revision=revision, yaxis={"scaleanchor": "x", "scaleratio": 1}
    )
