"""Texts of the page on distance saturation."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rfviz.lab.distance_saturation.compute import SATURATION_SHARE, SaturationResult

__all__ = ["ERRATUM", "METHOD", "NUMBERS", "explanation", "of_pair", "summary"]

ERRATUM = r"""
The paper’s **Theorem 1** gives the kernel of maxout features, for unit vectors at correlation $\rho$, as
$K(\rho)=\sigma^2(q)\,\rho\,\kappa_q(\rho)$, with $\kappa_q(\rho)$ the probability that both points choose the same
projection and $\sigma^2(q)=\mathbb E\,(\max)^2$.

Its proof splits the expectation by whether the two points choose the same projection, and drops the part where they do
not, “since the Gaussians are independent and zero centred”. But a projection that has just been found to be the
*largest* is not centred any more: it is large. At $\rho=0$ the two features are independent, each with the mean
$h_1(q)=\mathbb E\max>0$, so the kernel must be $h_1(q)^2$, and not $0$ as printed.

The right kernel follows from Price’s theorem, $K'(\rho)=\kappa_q(\rho)$:

$$K(\rho)=h_1(q)^2+\int_0^\rho\kappa_q(t)\,dt .$$

The story of the paper survives, because it rests on $\kappa_q$: near points keep their distance (slope 1), far points
saturate, and a larger pool saturates sooner. The **red dotted curve** in the chart is what Theorem 1 would predict. The
measured pairs do not follow it.
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
        f"{c.label} plateaus at {c.saturation.plateau:.2f}" if c.saturation else f"{c.label} has no plateau"
        for c in result.curves
    )
    return (
        f"Embedded against input distance of {result.n_pairs} pairs of points of {result.dataset}, "
        f"{result.cls.label} with {result.n_components} features: {curves}."
    )


def explanation(result: SaturationResult) -> str:
    """Return what one sees, with the numbers of the chart."""
    first = result.curves[0]
    lead = (
        f"**What am I seeing?** All {result.n_pairs:,} pairs of {result.n_points:,} points: their distance before the "
        f"map (horizontal) and after it, from {result.n_components:,} features (vertical)."
    )
    exact = first.exact
    if exact is None:
        return f"{lead} {first.no_curve} The line is the mean of the pairs’ own exact expectations."
    limit = exact.saturation
    if limit is None:
        return f"{lead} This map is linear: it keeps every distance up to a random error, and never saturates."
    near = f"keep their distance (slope {exact.slope:.3g})"
    if not math.isfinite(exact.slope):
        near = "are pulled apart (the kernel has a cusp at 0, so the curve starts vertically)"
    story = (
        f"{lead} Near points {near}, far ones all end up about "
        f"{limit.plateau:.2f} apart: the map is **local**. With {first.label} it has reached {SATURATION_SHARE:.0%} of "
        f"that plateau at a distance of {limit.radius:.2f}, its **radius**."
    )
    others = [f"{c.label} it does so at {c.saturation.radius:.2f}" for c in result.curves[1:] if c.saturation]
    if others:
        story += " With " + ", with ".join(others) + "."
    return story
