"""What the zoo says: captions, the sentence under the cards, and how they come about."""

from __future__ import annotations

import math

from rfviz.analysis.zoo import Card, ZooResult
from rfviz.features import registry
from rfviz.lab.controls import shown

__all__ = [
    "ERROR", "METHOD", "NOT_SHOWN", "NUMBERS", "alternatives", "captions", "explanation", "formulas", "per_cent",
    "summary",
]  # fmt: skip

NOT_SHOWN = "It is not drawn here:"

ERROR = "Root mean square of sampled less exact over the plane, relative to the kernel’s largest value."

NUMBERS = (
    "Error: root mean square over the plane of estimate − kernel, divided by the largest |k(x, x₀)| there. n samples, "
    "m features, d columns, q the pool size, P projections or grids."
)

METHOD = r"""
All maps work on the same data: the 61 × 61 points of the square from −3 to 3, with a step of 0.1. Each draws its
features once; a smaller $m$ uses the first of them, so that moving the slider adds features and changes none.

- **One feature** is $\Phi_\ell(x)$ at every point $x$ of the plane, on a scale of its own. Random binning has a feature
  for each box of a grid: shown is the one with most points.
- **Sampled** is $\langle\Phi(x),\Phi(x_0)\rangle$, the estimate that $m$ features give of the kernel between $x$ and
  the point $x_0$ with the ring.
- **Exact** is the kernel $k(x,x_0)$ itself, by its closed form. Both have one scale, which ends at the largest
  $|k(x,x_0)|$ on the plane; an estimate beyond it is cut there.
- **Off by** is the root mean square of their difference over the plane, relative to that largest value.

Parameters are the defaults, with $\gamma=0.5$ where there is one. Schemes over a skeleton have a small one with two
inputs, one for each coordinate, under a ReLU node. Decision stumps standardise the columns by these points. Shared-pool
maxout has 1000 projections to choose from, whatever $m$: its features are not independent, and its error stops falling.
"""


def per_cent(share: float) -> str:
    """A share as people say it: "6.1%"; a dash where there is none."""
    return "–" if math.isnan(share) else f"{100 * share:.1f}%" if share < 0.0995 else f"{100 * share:.0f}%"


def captions(result: ZooResult) -> dict[str, str]:
    """What stands below the three pictures of every card."""
    return {"feature": f"feature {result.feature + 1}", "sampled": "sampled", "exact": "exact"}


def alternatives(card: Card, result: ZooResult) -> dict[str, str]:
    """The three pictures in words, for those who cannot see them."""
    label, (x, y) = registry()[card.scheme].label, result.point
    at = f"around the point {x:g}, {y:g}"
    return {
        "feature": f"{label}: feature {result.feature + 1} as a surface over the plane.",
        "sampled": f"{label}: kernel {at} as {result.m} features estimate it, off by {per_cent(card.error)}.",
        "exact": f"{label}: exact kernel {at}.",
    }


def summary(result: ZooResult) -> str:
    """All cards in one sentence, for those who cannot see them."""
    x, y = result.point
    return (
        f"Feature {result.feature + 1} of each of {len(result.cards)} feature maps over the plane, and its kernel "
        f"around the point {x:g}, {y:g}, as {result.m} features estimate it and exact."
    )


def explanation(result: ZooResult) -> str:
    """One or two sentences on what is seen, with its numbers."""
    cards = sorted((c for c in result.cards if not c.problem and not math.isnan(c.error)), key=lambda c: c.error)
    if not cards:
        return "No scheme has a kernel that differs from zero around this point. Move the ring."
    best, worst = cards[0], cards[-1]
    names = [registry()[card.scheme].label for card in (best, worst)]
    return (
        "Each card has one feature of a map over a square of the plane; the kernel k(x, x₀), which says how alike x is "
        "to the point x₀ in the ring, as sampled by m features; and that kernel itself. With "
        f"**m = {shown(result.m)}** the samples are off by **{per_cent(best.error)}** ({names[0]}) to "
        f"**{per_cent(worst.error)}** ({names[1]}) of the kernel’s largest value; four times as many independent "
        "features halve that."
    )


def formulas() -> list[tuple[str, str, str]]:
    """Label, formula and reference of every scheme."""
    return [
        (scheme.label, scheme.formula, f"{scheme.reference}. Cost {scheme.cost}.") for scheme in registry().values()
    ]
