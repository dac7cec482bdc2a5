"""What one sees in the zoo, in sentences."""

from __future__ import annotations

import math

from rfviz import words
from rfviz.experiments.zoo.compute import ZooResult
from rfviz.words import shown

__all__ = ["explanation", "per_cent", "summary"]


def per_cent(share: float) -> str:
    """Return a share as text: ``"6.1%"``; a dash if there is none."""
    return "–" if math.isnan(share) else words.per_cent(share, 2)


def summary(result: ZooResult) -> str:
    """Return all cards in one sentence, as alternative text."""
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
