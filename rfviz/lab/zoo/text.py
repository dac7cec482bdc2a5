"""Texts of the zoo."""

from __future__ import annotations

import math

from rfviz import words
from rfviz.lab.zoo.compute import Card, ZooResult
from rfviz.words import shown

__all__ = [
    "COST",
    "ERROR",
    "METHOD",
    "NOT_SHOWN",
    "NUMBERS",
    "alternatives",
    "captions",
    "explanation",
    "per_cent",
    "summary",
]

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


def per_cent(share: float) -> str:
    """Return a share as text: ``"6.1%"``; a dash if there is none."""
    return "–" if math.isnan(share) else words.per_cent(share, 2)


def captions(result: ZooResult) -> dict[str, str]:
    """Return what stands below the three pictures of every card."""
    return {"feature": f"feature {result.feature + 1}", "sampled": "sampled", "exact": "exact"}


def alternatives(card: Card, result: ZooResult) -> dict[str, str]:
    """Return the three pictures in words, for those who cannot see them."""
    label, (x, y) = card.cls.label, result.point
    at = f"around the point {x:g}, {y:g}"
    return {
        "feature": f"{label}: feature {result.feature + 1} as a surface over the plane.",
        "sampled": f"{label}: kernel {at} estimated from {result.m:,} features, RMS error {per_cent(card.error)}.",
        "exact": f"{label}: exact kernel {at}.",
    }


def summary(result: ZooResult) -> str:
    """Return all cards in one sentence, for those who cannot see them."""
    x, y = result.point
    return (
        f"Feature {result.feature + 1} of each of {len(result.cards)} feature maps over the plane, and its kernel "
        f"around the point {x:g}, {y:g}, estimated from {result.m:,} features and exact."
    )


def explanation(result: ZooResult) -> str:
    """Return what one sees, with its numbers."""
    cards = sorted((c for c in result.drawn if not math.isnan(c.error)), key=lambda c: c.error)
    if not cards:
        return "Every kernel is zero around this point. Move the ring."
    best, worst = cards[0], cards[-1]
    return (
        "Each card shows one map on a square of the plane: a single feature, the kernel estimated from m features, and "
        "the exact kernel. k(x, x₀) says how similar x is to x₀, the ringed point. With "
        f"**m = {shown(result.m)}** the RMS error is between **{per_cent(best.error)}** ({best.cls.label}) and "
        f"**{per_cent(worst.error)}** ({worst.cls.label}) of the kernel’s largest value; four times as many "
        "independent features halve it."
    )
