"""What one sees of a map that was built, in sentences."""

from __future__ import annotations

from rfviz.experiments.build_a_map.compute import Built, What
from rfviz.words import number, shown

__all__ = ["HEADINGS", "explanation", "formula_alt", "summary", "verdict"]

HEADINGS: dict[What, str] = {
    "function": "Your function f of a projection",
    "pool": "The rule of your pool",
    "density": "Your density of frequencies",
    "kernel": "Your kernel of the distance",
}


def verdict(built: Built) -> str:
    """Return whether what was written is a kernel, and why."""
    transform = built.transform
    if transform is None:
        made = f"Every {built.what} makes a kernel"
        return f"{made}: an inner product of features is positive definite."
    if transform.is_positive:
        return "**It is a kernel**: its transform is nowhere negative, so it is a density of frequencies."
    return (
        f"**It is no kernel**: its transform is negative, lowest at ω = {number(transform.where)} with "
        f"{number(100 * transform.lowest, 2)}% of the largest value. No random features estimate it. The charts show "
        "what is left without the negative part."
    )


def explanation(built: Built, m: int) -> str:
    """Return what one sees in the chart of the kernel, with its numbers."""
    return (
        f"{verdict(built)} With **m = {shown(m)}** features the estimate has an RMS error of "
        f"**{number(built.error(m), 2)}**; theory predicts {number(built.predicted(m), 2)}. Four times as many "
        "features halve it."
    )


def summary(built: Built, m: int) -> str:
    """Return the chart of the kernel in one sentence, as alternative text."""
    across = "the angle between two points" if built.what in ("function", "pool") else "the distance of two points"
    return f"Kernel against {across}, exact and estimated from {m:,} features; RMS error {number(built.error(m), 2)}."


def formula_alt(what: What, text: str) -> str:
    """Describe the function as written in one sentence, as alternative text."""
    if what == "pool":
        return f"Weights of the sorted projections of a pool in a feature, which is the {text}."
    return f"{HEADINGS[what]}: {text}. Draw in it to change it."
