"""Say what the chart of distance saturation shows."""

from __future__ import annotations

import math

import numpy as np

from rfviz.experiments.distance_saturation.compute import SATURATION_SHARE, SaturationCurve, SaturationResult
from rfviz.words import counted, number

__all__ = ["explanation", "summary"]

# Slopes that differ less from 1 keep distances.
_UNIT = 5e-3


def summary(result: SaturationResult) -> str:
    """Return the chart in one sentence, as alternative text."""
    curves = "; ".join(
        f"{c.label} plateaus at {number(c.saturation.plateau)}" if c.saturation else f"{c.label} has no plateau"
        for c in result.curves
    )
    return (
        f"Embedded against input distance of {counted(result.n_pairs, 'pair')} of points of {result.dataset}, "
        f"{result.cls.label} with {counted(result.n_components, 'feature')}: {curves}."
    )


def explanation(result: SaturationResult, as_printed: bool = True) -> str:
    """Return what one sees, with the numbers of the chart; `as_printed` as :func:`plot_saturation` has it."""
    first = result.curves[0]
    lead = (
        f"Each dot is one of the {counted(result.n_pairs, 'pair')} of {result.n_points:,} "
        f"points: across its distance before the map, up after {counted(result.n_components, 'feature')}."
    )
    if first.exact is None:
        mean = "" if first.mean_expected is None else " The line is the mean of the pairs’ own exact expectations."
        return f"{lead} {first.no_curve}{mean}"
    stories, scatter = _stories(result), _scatter(result)
    after = " ".join(part for part in (lead, scatter, _theorem_1(result) if as_printed else "") if part)
    return f"{stories}\n\n{after}"


def _stories(result: SaturationResult) -> str:
    """Return what the first map does to near points, and where each map levels off: several in a list."""
    first = result.curves[0]
    exact = first.exact
    assert exact is not None
    if first.saturation is None:
        which = f"With {first.label}" if len(result.curves) > 1 else "Here"
        said = f"{which} the map is linear: it keeps every distance up to a random error, and never levels off."
    else:
        said = f"Near points {_near(exact.slope)}."
    levels = [_level(c, float(result.x_edges[-1])) for c in result.curves if c.saturation]
    if not levels:
        return said
    far = f"{said} Far ones level off (the map is **local**), at a **plateau** of"
    if len(levels) == 1:
        return f"{far} {levels[0]}."
    return f"{far}\n\n" + "\n".join(f"- {level}" for level in levels)


def _scatter(result: SaturationResult) -> str:
    """Return how much one draw scatters where the first curve ends."""
    first = result.curves[0]
    if first.exact is None or not any(curve.saturation for curve in result.curves):
        return ""
    return (
        f"One draw scatters: ± 1 s.d. at the right end is {number(first.exact.low[-1])} to "
        f"{number(first.exact.high[-1])}{f' for {first.label}' * (len(result.curves) > 1)}."
    )


def _near(slope: float) -> str:
    if not math.isfinite(slope):
        return "are pulled apart (the kernel has a cusp at 0, so that the curve starts vertically)"
    if abs(slope - 1.0) < _UNIT:
        return f"keep their distance on average (slope {number(slope)})"
    return f"are {number(slope)} times as far apart as before"


def _level(curve: SaturationCurve, end: float) -> str:
    """Return where a curve levels off."""
    limit, exact = curve.saturation, curve.exact
    assert limit is not None and exact is not None
    where = f"reached to {SATURATION_SHARE:.0%} at a distance of {number(limit.radius)}, its **radius**"
    if limit.radius > end:
        where = f"beyond this chart, at whose end the curve has come to {number(exact.expected[-1])}"
    return f"{number(limit.plateau)} for {curve.label}, {where}"


def _theorem_1(result: SaturationResult) -> str:
    """Say what the red curves are, if there are any."""
    gaps = []
    for curve in result.curves:
        if curve.exact is not None and curve.exact.as_printed is not None:
            place = int(np.argmax(np.abs(curve.exact.as_printed - curve.exact.expected)))
            printed, right = curve.exact.as_printed[place], curve.exact.expected[place]
            gaps.append(
                f"{number(printed)} at a distance of {number(result.grid[place])}, where it is {number(right)} "
                f"({curve.label})"
            )
    if not gaps:
        return ""
    return (
        f"**Red and dotted** is the paper’s Theorem 1 as printed, which is wrong: it gives {'; '.join(gaps)}. “Why is "
        "the paper’s formula wrong?” below has the reason."
    )
