"""Horizontal lines that curves are compared with, each named where no curve runs through its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rfviz.figures.template import GREY
from rfviz.figures.traces import trace

__all__ = ["reference_lines"]

_DASHES = ("dot", "dash", "dashdot", "longdash")
# Where a name may stand, the best first: curves of errors are high at the left and references low.
_PLACES = (("left", "top"), ("right", "top"), ("left", "bottom"), ("right", "bottom"))
# What a name takes of a narrow chart: of its width, each letter; of its height, the line.
_LETTER, _LINE = 0.019, 0.075
_STEPS = 8  # places looked at between two points of a curve


def reference_lines(
    references: Mapping[str, float],
    curves: Sequence[tuple[np.ndarray, np.ndarray]],
    span: tuple[float, float],
    heights: Sequence[float],
) -> list[dict[str, Any]]:
    """Draw lines with their names, as traces, on two logarithmic axes.

    Parameters
    ----------
    references : mapping of str to float
        Name of each line to its height, more than 0.
    curves : sequence of (x, y)
        Arrays of shape (n,): what the names are to keep clear of.
    span : (low, high)
        Ends of the lines.
    heights : (low, high)
        Decimal logarithms of the ends of the vertical axis.

    Returns
    -------
    list of dict
        One trace a line; the name is the text of the end at which it stands.
    """
    inside = [_in_unit_square(x, y, span, heights) for x, y in curves if len(x)]
    levels = {name: (np.log10(y) - heights[0]) / (heights[1] - heights[0]) for name, y in references.items()}
    traces, taken = [], []
    for index, (name, y) in enumerate(references.items()):
        text = f" {name}: {y:.3g} "
        others = [level for other, level in levels.items() if other != name]
        hits = {place: _hits(place, len(text), levels[name], inside, others, taken) for place in _PLACES}
        side, edge = min(_PLACES, key=hits.__getitem__)  # of equally free ones the first
        taken.append((side, *_rows(edge, levels[name])))
        line = {"color": GREY, "width": 1.5, "dash": _DASHES[index % len(_DASHES)]}
        traces.append(
            trace(
                "scatter",
                x=[*span],
                y=[y, y],
                mode="lines+text",
                line=line,
                text=[text, ""] if side == "left" else ["", text],
                textposition=f"{edge} {'right' if side == 'left' else 'left'}",
                textfont={"size": 13},
                hoverinfo="skip",
                showlegend=False,
            )
        )
    return traces


def _in_unit_square(
    x: np.ndarray, y: np.ndarray, span: tuple[float, float], heights: Sequence[float]
) -> tuple[np.ndarray, np.ndarray]:
    """Return places all along a curve, as shares of both axes; x need not ascend: seconds may go back."""
    low, high = np.log10(span)
    along, steps = np.arange(len(x)), np.linspace(0, len(x) - 1, _STEPS * len(x))
    across = np.interp(steps, along, np.log10(x))
    up = np.interp(steps, along, np.log10(np.maximum(y, 10.0 ** (heights[0] - 1))))
    return (across - low) / (high - low), (up - heights[0]) / (heights[1] - heights[0])


def _rows(edge: str, level: float) -> tuple[float, float]:
    return (level, level + _LINE) if edge == "top" else (level - _LINE, level)


def _hits(
    place: tuple[str, str],
    letters: int,
    level: float,
    curves: list[tuple[np.ndarray, np.ndarray]],
    others: list[float],
    taken: list[tuple[str, float, float]],
) -> int:
    """Return how often curves, other lines, names that stand already and the chart's edge meet a name at this place."""
    wide = min(_LETTER * letters, 0.6)
    start = 0.0 if place[0] == "left" else 1 - wide
    low, high = _rows(place[1], level)
    found = sum(int(((x > start) & (x < start + wide) & (y > low) & (y < high)).sum()) for x, y in curves)
    found += sum(8 for other in others if low < other < high)
    found += sum(16 for side, bottom, top in taken if side == place[0] and low < top and bottom < high)
    return found + 16 * (low < 0 or high > 1)
