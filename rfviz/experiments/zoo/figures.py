"""Pictures of the zoo: values on the plane as levels of one scale of colours, small enough to move with a slider."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import numpy as np

from rfviz.experiments.zoo.compute import SIDE, Card, ZooResult
from rfviz.figures.template import DIVERGING, styled
from rfviz.figures.traces import trace

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["LEVELS", "card_pictures", "levels", "palette", "plot_zoo"]

LEVELS = 255  # an odd number: the middle one is zero
# Of the sheet with all cards: cards in a row, cells between pictures, between cards, and for a title.
_COLUMNS, _GAP, _APART, _TITLE = 3, 4, 16, 16


def palette() -> list[list[int]]:
    """Return red, green, blue and opacity of each level, all up to 255, from the most negative to the most positive."""
    stops = np.array([stop for stop, _ in DIVERGING])
    colours = np.array([[float(part) for part in colour[5:-1].split(",")] for _, colour in DIVERGING]) * [1, 1, 1, 255]
    share = np.linspace(0.0, 1.0, LEVELS)
    return np.column_stack([np.rint(np.interp(share, stops, c)) for c in colours.T]).astype(int).tolist()


def levels(values: np.ndarray, limit: float) -> str:
    """Return the level of each value on a scale from −limit to limit, beyond which it is cut: bytes in base 64.

    Parameters
    ----------
    values : ndarray of shape (SIDE²,)
        The lowest row first.
    limit : float
        If it is zero, all values must be.

    Returns
    -------
    str
        SIDE² bytes, the uppermost row first, as a screen has it.
    """
    share = np.clip(values / limit, -1.0, 1.0) if limit > 0 else np.zeros_like(values)
    level = np.rint((share + 1.0) * ((LEVELS - 1) / 2)).astype(np.uint8)
    return base64.b64encode(level.reshape(SIDE, SIDE)[::-1].tobytes()).decode("ascii")


def card_pictures(card: Card) -> dict[str, str]:
    """Return the three pictures of a card: the feature on its own scale, both kernels on that of the exact one."""
    return {
        "feature": levels(card.feature, float(np.abs(card.feature).max())),
        "sampled": levels(card.sampled, card.limit),
        "exact": levels(card.exact, card.limit),
    }


def plot_zoo(result: ZooResult, *, height: int = 0) -> go.Figure:
    """Plot all cards on one sheet: one feature of each map, the estimate of its kernel, and the exact one.

    Parameters
    ----------
    height : int
        Pixels; by default as many as its rows take.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    cards = result.drawn
    rows = -(-len(cards) // _COLUMNS)
    tall, wide = SIDE + _TITLE, 3 * SIDE + 2 * _GAP + _APART
    sheet = np.full((rows * tall, _COLUMNS * wide - _APART), np.nan, dtype=np.float32)
    notes, rings = [], []
    for number, card in enumerate(cards):
        bottom, left = (rows - 1 - number // _COLUMNS) * tall, number % _COLUMNS * wide
        for place, values in enumerate(_shares(card)):
            start = left + place * (SIDE + _GAP)
            sheet[bottom : bottom + SIDE, start : start + SIDE] = values.reshape(SIDE, SIDE)
            if place:
                rings.append((start + result.row % SIDE, bottom + result.row // SIDE))
        notes.append(
            {
                "x": left,
                "y": bottom + SIDE + 1,
                "text": card.cls.label,
                "showarrow": False,
                "xanchor": "left",
                "yanchor": "bottom",
                "font": {"size": 13},
            }
        )
    bar = {"thickness": 14, "tickvals": [-1, 0, 1], "ticktext": ["negative", "zero", "positive"]}
    colours = {"colorscale": [list(stop) for stop in DIVERGING], "cmin": -1, "cmax": 1, "colorbar": bar}
    picture = trace("heatmap", z=sheet, coloraxis="coloraxis", hoverinfo="skip")
    marker = {"symbol": "circle-open", "size": 9, "color": "#111111", "line": {"width": 2}}
    ring = trace(
        "scatter",
        x=[x for x, _ in rings],
        y=[y for _, y in rings],
        mode="markers",
        marker=marker,
        hoverinfo="skip",
        showlegend=False,
    )
    hidden = {"visible": False, "constrain": "domain"}
    return styled(
        [picture, ring],
        x="",
        y="",
        height=height or 40 + 135 * rows,
        revision="zoo",
        coloraxis=colours,
        annotations=notes,
        xaxis=hidden,
        yaxis=hidden | {"scaleanchor": "x"},
        margin={"l": 8, "r": 8, "t": 12, "b": 8},
    )


def _shares(card: Card) -> list[np.ndarray]:
    """Return the three pictures of a card as shares of the end of their scale."""
    ends = (float(np.abs(card.feature).max()), card.limit, card.limit)
    pictures = (card.feature, card.sampled, card.exact)
    return [np.clip(v / end, -1.0, 1.0) if end > 0 else np.zeros(len(v)) for v, end in zip(pictures, ends, strict=True)]
