"""Texts of the page on distance saturation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from rfviz.lab.distance_saturation.compute import SATURATION_SHARE, SaturationCurve, SaturationResult
from rfviz.words import counted, number

__all__ = ["ERRATUM", "METHOD", "NUMBERS", "explanation", "of_pair", "summary"]

# Slopes that differ less from 1 keep distances.
_UNIT = 5e-3

ERRATUM = r"""
The paper’s **Theorem 1** gives the kernel of maxout features, for unit vectors at correlation $\rho$, as
$K(\rho)=\sigma^2(q)\,\rho\,\kappa_q(\rho)$, with $\kappa_q(\rho)$ the probability that both points choose the same
projection and $\sigma^2(q)=\mathbb E\,(\max)^2$.

Its proof splits the expectation by whether the two points choose the same projection, and is wrong in both parts.

1. Where they **do not**, it drops the product, “since the Gaussians are independent and zero centred”. But a projection
   that has just been found to be the *largest* is not centred any more: it is large. For $q=4$ and $\rho=0.3$ the mean
   product is 1.04, not 0. At $\rho=0$ the two features are independent, each with the mean $h_1(q)=\mathbb E\max>0$, so
   the kernel must be $h_1(q)^2$, and not 0 as printed.
2. Where they **do**, it takes $\rho\,\sigma^2$, here 0.465, for the mean product: it remembers that the projection is
   the largest for one point, and forgets that it is the largest for the other point too. The mean is 1.34.

Mending the first mistake alone gives a kernel of 0.831 there; it is 1.15. The right kernel follows from Price’s
theorem, $K'(\rho)=\kappa_q(\rho)$:

$$K(\rho)=h_1(q)^2+\int_0^\rho\kappa_q(t)\,dt .$$

**What stands:** near points keep their distance (slope 1), far points saturate, and a larger pool saturates sooner,
since all this rests on $\kappa_q$. **What falls:** that the kernel is about 0 for far points. For opposite points it is
62, 83 and 95% of $\sigma^2$ with $q=4$, 8 and 32, because the constant $h_1^2$ makes up 68, 84 and 95% of $\sigma^2$.
And equation 4, by which the best function is locally linear, is derived from Theorem 1 and has no proof left.

The **red dotted curve** in the chart is what Theorem 1 would predict. The measured pairs do not follow it.
"""

NUMBERS = (
    "Slope at 0: embedded over input distance of very near points; measured on the nearest 1% of pairs. Plateau: the "
    "largest expected embedded distance; measured, the mean over the farthest 1% of pairs. Saturation radius: the "
    f"input distance at which {SATURATION_SHARE:.0%} of the plateau is reached. RMS deviation: measured minus "
    "expected, over all pairs."
)

METHOD = r"""
Every pair of points gives one dot: its distance before the map, and its distance after it. Many dots in one place are
drawn as a darker cell, so a million pairs are drawn as quickly as a hundred.

The **solid curve** is $\sqrt{\mathbb E\,\lVert\Phi(x)-\Phi(z)\rVert^2}=\sqrt{k(x,x)+k(z,z)-2k(x,z)}$ with the map’s
exact kernel $k$; nothing is fitted. The **band** is one standard deviation of the squared distance over draws of the
features, also exact: it shrinks as $1/\sqrt m$. All pairs share one draw, so a whole cloud may lie above or below its
curve; change the seed to see how far.

Maxout depends on the angle alone only for points of **unit norm**. With another normalisation there is no single
curve; the line then shows, for each input distance, the mean of the exact expectations of the pairs at that distance.
The line is the same mean for kernels that look at the columns one by one (Laplacian, Cauchy), and for ways of drawing
the features whose spread is not known.
"""


def of_pair(rows: tuple[int, int], before: float, after: Mapping[str, float]) -> str:
    """Return how far one pair of points is apart, before the maps and after each."""
    distances = ", ".join(f"{distance:.3f} ({label})" for label, distance in after.items())
    return (
        f"**Your pair**: rows {rows[0] + 1:,} and {rows[1] + 1:,} are {before:.3f} apart; their features {distances}. "
        "The mark stays with the pair while a slider moves. One feature of both is written out below."
    )


def summary(result: SaturationResult) -> str:
    """Return the chart in one sentence, for those who cannot see it."""
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
        f"**What am I seeing?** Each dot is one of the {counted(result.n_pairs, 'pair')} of {result.n_points:,} "
        "points: their distance before the map (across) and after it (up), with "
        f"{counted(result.n_components, 'feature')}."
    )
    if first.exact is None:
        mean = "" if first.mean_expected is None else " The line is the mean of the pairs’ own exact expectations."
        return f"{lead} {first.no_curve}{mean}"
    return " ".join([lead, *_stories(result), *([_theorem_1(result)] if as_printed else [])]).strip()


def _stories(result: SaturationResult) -> Iterator[str]:
    """Yield what the first map does to near points, and where each map levels off."""
    first = result.curves[0]
    exact = first.exact
    assert exact is not None
    if first.saturation is None:
        yield f"With {first.label}" if len(result.curves) > 1 else "Here"
        yield "the map is linear: it keeps every distance up to a random error, and never levels off."
    else:
        yield f"Near points {_near(exact.slope)}."
    levels = [_level(c, float(result.x_edges[-1])) for c in result.curves if c.saturation]
    if levels:
        yield f"Far ones level off (the map is **local**), at a **plateau** of {'; of '.join(levels)}."
        yield (
            f"One draw scatters: ± 1 s.d. at the right end is {number(exact.low[-1])} to {number(exact.high[-1])}"
            f"{f' for {first.label}' * (len(result.curves) > 1)}."
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
