"""Say what the charts of Maxout-PCA show."""

from __future__ import annotations

import numpy as np

from rfviz.analysis.embedding import LLE_NEIGHBOURS, EmbeddingResult, Projection, kept_neighbours
from rfviz.words import counted, number, per_cent

__all__ = ["explanation", "locally_linear_words", "rho_of", "summary"]

# With a lower rank correlation the chart shows no order that is worth the name.
_ORDERED = 0.5
# Rank correlations that differ by less show the same order.
_AS_WELL = 0.005
# Above this, four digits would say that the order is the same.
_NEARLY = 0.99995


def summary(result: EmbeddingResult) -> str:
    """Return the chart in one sentence, as alternative text."""
    p = result.features
    order = f" Spearman’s correlation with the given order is {rho_of(p.order.spearman)}." if p.order else ""
    return (
        f"{p.title} of {counted(len(p.coordinates), 'point')} on {p.coordinates.shape[1]} axes that explain "
        f"{per_cent(p.explained.sum(), 2)} of the variance.{order}"
    )


def rho_of(value: float) -> str:
    """Write a rank correlation: ``0.9933``, and ``1`` only for the same order."""
    return "1" if value == 1 else number(value, 4 if value < _NEARLY else 7)


def explanation(result: EmbeddingResult, swapped: np.ndarray | None = None) -> str:
    """Return what one sees, with the numbers of the chart.

    Parameters
    ----------
    swapped : ndarray of shape (n,), optional
        Which points have another one's number on purpose.
    """
    p = result.features
    lead = (
        f"Each mark is one of {counted(len(p.coordinates), 'point')}, placed by the first "
        f"{p.coordinates.shape[1]} principal components of its features ({per_cent(p.explained.sum(), 2)} of their "
        "variance)."
    )
    if p.order is None:
        return f"{lead} Points that the map sees as alike are close; hover over a mark to see its nearest neighbours."
    rho = f"**{rho_of(p.order.spearman)}**"
    if p.order.spearman < _ORDERED:
        return (
            f"The order found in the chart has a rank correlation (Spearman’s ρ) of only {rho} with the given one: the "
            "map does not show the curve on which the points should lie. Where there is a γ, a smaller one lets the "
            f"map see farther.\n\n{lead}"
        )
    moved = p.order.recovered != p.order.given
    elsewhere = _points(int(moved.sum()), "is not where its number says", "are not where their numbers say")
    if swapped is not None and (moved & swapped).any():
        found, made = int((moved & swapped).sum()), int(swapped.sum())
        which = f"all {made}" if found == made else f"{found} of the {made}"
        elsewhere += f"; {which} that were swapped on purpose are among them"
    return (
        f"The points lie on a curve, whose order has a rank correlation (Spearman’s ρ) of {rho} with the given one; "
        f"1 is the same order.{_without_map(result)}\n\n{elsewhere[0].upper()}{elsewhere[1:]}. {lead}"
    )


def _without_map(result: EmbeddingResult) -> str:
    """Say whether the points alone show the same order, or return an empty text if that is unknown."""
    own, plain = result.features.order, result.plain.order if result.plain else None
    if own is None or plain is None:
        return ""
    rho = f"ρ = {rho_of(plain.spearman)}"
    if plain.spearman >= own.spearman - _AS_WELL:
        return f" **Plain PCA, without the map, does as well** ({rho}): these data need no map."
    return f" Plain PCA, without the map, finds less of it ({rho})."


def locally_linear_words(result: EmbeddingResult, found: Projection) -> str:
    """Compare locally linear embedding with the principal components of the features."""
    p, near = result.features, result.input_neighbours
    ours, theirs = (kept_neighbours(one, near) for one in (p, found))
    said = (
        f"**Locally linear embedding** writes each point as a mean of its {LLE_NEIGHBOURS} nearest neighbours and "
        "places all so that the same means hold. It needs no map and has none for new points. Of each point’s "
        f"{near.shape[1]} nearest neighbours before, {per_cent(theirs, 2)} are among as many nearest ones in its chart "
        f"and {per_cent(ours, 2)} in that of the features."
    )
    if p.order is None or found.order is None:
        return said
    here, there = rho_of(found.order.spearman), rho_of(p.order.spearman)
    more = found.order.spearman - p.order.spearman
    verdict = f"{'this embedding shows' if more > 0 else 'the features show'} more of it"
    if max(found.order.spearman, p.order.spearman) < _ORDERED:
        verdict = "neither shows it"
    elif abs(more) < _AS_WELL:
        verdict = "one shows it as well as the other"
    return (
        f"{said} The order along its curve has ρ = {here} with the given one, that of the features {there}: {verdict}."
    )


def _points(count: int, one: str, many: str, of: str = "") -> str:
    noun = of or (" point" if count == 1 else " points")
    return f"{count or 'no'}{noun} {one if count == 1 else many}"
