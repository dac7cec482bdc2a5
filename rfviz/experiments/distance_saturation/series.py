"""The collision probability of maxout near right angles: its series, and the largest of q normal numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rfviz.figures.lines import line
from rfviz.figures.template import COLOURS, GREY, styled
from rfviz.kernels import collision_rho, collision_series, expected_max
from rfviz.words import number, per_cent

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["collision_frame", "plot_collision", "pools_frame", "series_words"]

_HALF = 0.5


def collision_frame(pool_size: int) -> pd.DataFrame:
    """Return κ over the cosine ρ, and its series a₀ + a₁ρ + a₂ρ² up to each of these terms."""
    rho = np.linspace(-1.0, 1.0, 101)
    first, second, third = collision_series(pool_size)
    return pd.DataFrame(
        {
            "cosine ρ": rho,
            "κ": collision_rho(rho, pool_size),
            "a₀ + a₁ρ": first + second * rho,
            "a₀ + a₁ρ + a₂ρ²": first + second * rho + third * rho**2,
        }
    )


def pools_frame(pool_sizes: Sequence[int]) -> pd.DataFrame:
    """Return the coefficients of each pool size, and the mean of the largest next to what it tends to for large q."""
    sizes = sorted({int(q) for q in pool_sizes})
    logs = np.array([math.log(q) for q in sizes])
    return pd.DataFrame(
        {
            "pool size q": sizes,
            "a₀": [collision_series(q)[0] for q in sizes],
            "a₁": [collision_series(q)[1] for q in sizes],
            "a₂": [collision_series(q)[2] for q in sizes],
            "2 log q ÷ q": 2.0 * logs / np.array(sizes),
            "h₁": [expected_max(q) for q in sizes],
            "√(2 log q)": np.sqrt(2.0 * logs),
        }
    )


def plot_collision(pool_size: int, *, height: int = 360, revision: str = "") -> go.Figure:
    """Draw κ over the cosine and the beginnings of its series.

    Parameters
    ----------
    height : int
        Pixels.
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    frame = collision_frame(pool_size)
    x, *curves = frame.columns
    looks = ((COLOURS[0], "solid", 3.0), (GREY, "dash", 2.0), (COLOURS[1], "longdash", 2.0))
    traces = [
        line(frame[x], frame[name], colour, dash, name, width)
        for name, (colour, dash, width) in zip(curves, looks, strict=True)
    ]
    return styled(traces, x=x, y="probability of the same argmax", height=height, revision=revision)


def series_words(pool_size: int) -> str:
    """Say what the series is for a pool size, how far it reaches, and what the paper has for large pools."""
    q = pool_size
    if q == 1:
        return "With q = 1 there is a single projection: both points choose it, and κ = 1 everywhere."
    first, second, third = collision_series(q)
    rho = np.array([-_HALF, _HALF])
    exact = collision_rho(rho, q)
    off = [np.abs(values - exact).max() for values in (first + second * rho, first + second * rho + third * rho**2)]
    mean, limit = expected_max(q), math.sqrt(2.0 * math.log(q))
    better = f", with the square by {number(off[1], 2)}" if third > 0 else ""
    return (
        f"With q = {q} the probability of the same argmax is κ(ρ) = {number(first)} + {number(second)} ρ + "
        f"{number(third)} ρ² + …: a₀ = 1/q, a₁ = h₁²/(q − 1), a₂ = q h₂²/((q − 1)(q − 2)). At a cosine of "
        f"±{_HALF:g} the straight line is off by up to {number(off[0], 2)}{better}. h₁, the mean of the largest of q "
        f"normal numbers, is **{number(mean)}**. The paper puts √(2 log q) = {number(limit)} for it, of which h₁ is "
        f"{per_cent(mean / limit, 2)}, and so the slope 2 log q/q = {number(2 * math.log(q) / q)} for a₁ = "
        f"{number(second)}: both are limits for large q, which come near only for pools far beyond any in use."
    )
