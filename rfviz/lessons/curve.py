"""Compare a curve that a reader has drawn with the right one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz.lessons.model import Curve

__all__ = ["Gap", "compare_curve", "gap_words", "right_heights"]

# Shares of the right curve's range up to which a drawn one is close, and near.
_CLOSE, _NEAR = 0.1, 0.25
# The same on a logarithmic axis, as factors.
_CLOSE_FACTOR, _NEAR_FACTOR = 1.25, 2.0


@dataclass(frozen=True)
class Gap:
    """How far a drawn curve is from the right one.

    Attributes
    ----------
    mean : float
        Mean absolute difference; where factors count, the typical factor.
    grade : str
        ``"close"``, ``"near"`` or ``"off"``.
    place, drawn, right : float
        Where the difference is largest, and the two heights there.
    """

    mean: float
    grade: str
    place: float
    drawn: float
    right: float


def right_heights(curve: Curve, facts: Mapping[str, Callable[..., Any]]) -> np.ndarray:
    """Return the right curve's heights at its places.

    Parameters
    ----------
    facts : mapping of str to callable
        Functions that the right curve may call.
    """
    return np.array([float(curve.truth.at(x, facts)) for x in curve.places])


def compare_curve(curve: Curve, drawn: Sequence[tuple[float, float]], heights: np.ndarray) -> Gap | None:
    """Compare a drawn curve with the right one, at the places that were drawn.

    Parameters
    ----------
    drawn : sequence of (float, float)
        Points in the units of the chart's axes.
    heights : numpy.ndarray
        Of the right curve; see :func:`right_heights`.

    Returns
    -------
    Gap or None
        None if fewer than two places were drawn.
    """
    points = np.array(sorted(drawn), dtype=np.float64).reshape(-1, 2)
    if len(points) < 2:
        return None
    slack = 1e-6 * (curve.places[-1] - curve.places[0])  # a drawn place comes back from pixels
    among = np.array([points[0, 0] - slack <= x <= points[-1, 0] + slack for x in curve.places])
    places, right = np.array(curve.places)[among], heights[among]
    if len(places) < 2:
        return None
    mine = np.interp(places, points[:, 0], points[:, 1])
    if curve.factors:
        off = np.abs(np.log(np.maximum(mine, 1e-300) / right))
        mean = float(np.exp(off.mean()))
        limits = _CLOSE_FACTOR, _NEAR_FACTOR
        measure = mean
    else:
        off = np.abs(mine - right)
        mean = float(off.mean())
        limits = _CLOSE, _NEAR
        measure = mean / max(float(np.ptp(heights)), 1e-300)
    grade = "close" if measure <= limits[0] else "near" if measure <= limits[1] else "off"
    worst = int(off.argmax())
    return Gap(mean, grade, float(places[worst]), float(mine[worst]), float(right[worst]))


def gap_words(curve: Curve, gap: Gap) -> str:
    """Return how far a curve is off, and where most, as the end of a sentence and a second one."""
    off = f"off by a factor of {gap.mean:.2g}" if curve.factors else f"off by {gap.mean:.2g}"
    place, drawn, right = _written(gap.place, 3), _written(gap.drawn, 2), _written(gap.right, 2)
    where = f"Most at {place} ({curve.across}): you drew {drawn}, right is {right}."
    return f"{off} on average. {where}"


def _written(value: float, digits: int) -> str:
    """Format a number with `digits` significant digits, thousands in full rather than with an exponent."""
    return f"{float(f'{value:.{digits}g}'):,.0f}" if 1000 <= abs(value) < 1e12 else f"{value:.{digits}g}"
