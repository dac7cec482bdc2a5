"""What is said about the picture of an embedding."""

from __future__ import annotations

from rfviz.analysis.embedding import EmbeddingResult

__all__ = ["METHOD", "explanation", "summary"]

# A lower rank correlation with the given order is no curve that is worth the name.
_ORDERED = 0.5

METHOD = r"""
The points are normalised, mapped by $m$ random features, and projected on the first principal components of the
features. **Plain PCA** does the same without the map. **Exact kernel PCA** uses the kernel that the features estimate,
so it is what the picture tends to as $m$ grows. The sign of a component means nothing; axes are turned to agree.

**Order along the curve**: each point is tied to its near neighbours, and the slowest vibration of that net (the Fiedler
vector of its graph) rises from one end of the curve to the other. Spearman’s $\rho$ compares the places it gives with
the given ones: 1 is the same order, 0 is none.

Where there are fewer points than coordinates, the points are first written in a basis of their span. Distances stay
exactly the same, and Gaussian weights have the same law in every basis, so nothing changes but the cost.
"""


def summary(result: EmbeddingResult) -> str:
    """The chart in one sentence, for those who cannot see it."""
    p = result.features
    order = f" Spearman’s correlation with the given order is {p.order.spearman:.3f}." if p.order else ""
    return (
        f"{p.title} of {len(p.coordinates)} points on {p.coordinates.shape[1]} axes that hold "
        f"{p.explained.sum():.0%} of the variance.{order}"
    )


def explanation(result: EmbeddingResult) -> str:
    """What one sees, with the numbers of the picture."""
    p = result.features
    lead = (
        f"**What am I seeing?** Each mark is one of {len(p.coordinates):,} points, placed by the first "
        f"{p.coordinates.shape[1]} principal components of its features, which hold {p.explained.sum():.0%} of their "
        "variance."
    )
    if p.order is None:
        return lead + " Points that the map sees as alike are close; hover over a mark to see its nearest neighbours."
    moved = int((p.order.recovered != p.order.given).sum())
    if p.order.spearman < _ORDERED:
        return (
            f"{lead} In their given order the points should lie on a curve. Here the map does not show it: the order "
            f"found in the picture has a rank correlation (Spearman’s ρ) of only **{p.order.spearman:.4f}** with it. "
            "Where there is a γ, a smaller one lets the map see farther."
        )
    return (
        f"{lead} The points lie on a curve. Their order along it agrees with the given one to a rank correlation "
        f"(Spearman’s ρ) of **{p.order.spearman:.4f}**, where 1 is the same order; {moved} of them sit elsewhere than "
        "the given order says."
    )
