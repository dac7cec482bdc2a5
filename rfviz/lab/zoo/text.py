"""Texts of the zoo."""

from __future__ import annotations

from rfviz.experiments.zoo.compute import Card, ZooResult
from rfviz.experiments.zoo.describe import per_cent

__all__ = ["COST", "ERROR", "METHOD", "NOT_SHOWN", "NUMBERS", "alternatives", "captions"]

NOT_SHOWN = "It is not drawn here:"

ERROR = "Root mean square of estimate − kernel over the plane, relative to the kernel’s largest value."

COST = (
    "Cost of the features: for n points, d columns, m features, q projections per pool, P shared projections or grids."
)
NUMBERS = (
    "Error: root mean square over the plane of estimate − kernel, divided by the largest |k(x, x₀)| there. " + COST
)

METHOD = r"""
All maps work on the same data: the 61 × 61 points of the square from −3 to 3, with a step of 0.1. Each draws its
features once; a smaller $m$ uses the first of them, so the slider adds features and changes none.

- **One feature** is $\Phi_\ell(x)$ at every point $x$ of the plane, on its own scale. Random binning has a feature for
  each box of a grid; the card shows the box with most points.
- **Sampled** is $\langle\Phi(x),\Phi(x_0)\rangle$, the estimate from $m$ features of the kernel between $x$ and the
  ringed point $x_0$.
- **Exact** is the kernel $k(x,x_0)$ in closed form. Both share one scale, which ends at the largest $|k(x,x_0)|$ on the
  plane; larger estimates are cut there.
- The **RMS error** is the root mean square of their difference over the plane, relative to that largest value.

Parameters are the defaults, with $\gamma=0.5$ where there is one. Maps over a skeleton have a small one with two
inputs, one for each coordinate, under a ReLU node. Decision stumps standardise the columns by these points. Shared-pool
maxout has 1000 projections to choose from, whatever $m$: its features are not independent, and its error stops falling.
"""


def captions(result: ZooResult) -> dict[str, str]:
    """Return what stands below the three pictures of every card."""
    return {"feature": f"feature {result.feature + 1}", "sampled": "sampled", "exact": "exact"}


def alternatives(card: Card, result: ZooResult) -> dict[str, str]:
    """Return the alternative texts of the three pictures."""
    label, (x, y) = card.cls.label, result.point
    at = f"around the point {x:g}, {y:g}"
    return {
        "feature": f"{label}: feature {result.feature + 1} as a surface over the plane.",
        "sampled": f"{label}: kernel {at} estimated from {result.m:,} features, RMS error {per_cent(card.error)}.",
        "exact": f"{label}: exact kernel {at}.",
    }
