"""The mechanism in the chart: under the pointer, the directions of a feature and the winner for each of two points."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rfviz.analysis.pool import Pool
from rfviz.ui.component import Component

__all__ = ["MOST_POINTS", "POINT_AT_A_PAIR", "mechanism"]

#: Points whose pairs can be pointed at: 2,016 pairs in 4 kB.
MOST_POINTS = 64
#: Below a chart of pairs.
POINT_AT_A_PAIR = f"Point at a pair (of the first {MOST_POINTS} points) to see which direction of feature 1 wins."

_HERE = Path(__file__).parent
_mechanism = Component("mechanism", _HERE / "mechanism.js", served=True)


def mechanism(chart: str, pool: Pool, x: np.ndarray, y: np.ndarray, spans: Sequence[float]) -> None:
    """Show what the first feature makes of the pair under the pointer; the browser does it alone.

    Parameters
    ----------
    chart : str
        Key of the chart.
    pool : Pool
        With the n points, at most `MOST_POINTS`.
    x, y : ndarray of shape (n(n − 1)/2,)
        Where the pairs of rows i < j are in the chart.
    spans : sequence of float
        Ends of the range of x, and of that of y; places are rounded to a 255th of it.
    """
    told: dict[str, Any] = {
        "chart": chart,
        "n": len(pool.points),
        "projections": np.round(pool.projections, 3).tolist(),
        "x": _rounded(x, spans[0], spans[1]),
        "y": _rounded(y, spans[2], spans[3]),
        "spans": list(spans),
    }
    if pool.points.shape[1] == 2:
        told |= {"directions": np.round(pool.directions, 3).tolist(), "points": np.round(pool.points, 3).tolist()}
    _mechanism.mount(f"{chart}-mechanism-sheet", json.dumps(told).encode(), height=1)


def _rounded(values: np.ndarray, low: float, high: float) -> str:
    share = np.clip((values - low) / (high - low), 0.0, 1.0)
    return base64.b64encode(np.rint(255.0 * share).astype(np.uint8).tobytes()).decode()
