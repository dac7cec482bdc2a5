"""Texts of the page on hashing."""

from __future__ import annotations

from rfviz.words import per_cent

__all__ = ["COSTS", "METHOD", "TERMS", "agreement"]

TERMS = (
    "A **hash code** is a short string of symbols that stands for a point. Symbol ℓ says *which* of q random "
    "projections ⟨w, x⟩ is the largest (SimHash: the sign of one; random binning: the box of a random grid that x is "
    "in). The **Hamming distance** of two codes is the number of places where they differ. Divided by m, it estimates "
    "how far apart the points are."
)

COSTS = "Measured just now, in batches; exact search in float32."

METHOD = """
**Theory.** Symbols are independent draws, so the Hamming distance of two given points is binomial: m places, each
different with probability 1 − κ. For the argmax of q Gaussian projections κ is the collision probability
$\\kappa_q(\\cos\\theta)$ of the random maxout paper (its Remark 1), computed by quadrature to twelve digits:
$\\kappa_q = 1$ for equal, 1/q for orthogonal and 0 for opposite points. For q = 2, and for signs
(SimHash), κ = 1 − θ/180°.

**Codes.** The running maximum is stored with its index: two blocks of memory, never all m·q projections. The first
symbols do not depend on m; smaller pools come on the way to larger ones.

**Hamming distance.** Symbols of b bits are stored as b bit planes, 64 symbols in a word. Exclusive or, union of the
planes, count of ones: m·b/8 bytes per point. Recall of a search with ties is the exact mean over all orders of the
rows.

**Truth.** The nearest neighbours come from scikit-learn’s brute-force search in the exact distance. Seconds are
measured now, on this machine. With a few thousand points exact search is fast too, and codes mainly save memory.

**Pairs.** All pairs of up to 141 points, 10,000 random pairs of more, and up to 200 queries with up to 50 neighbours
each; the chart counts each pair once. Pairs that share a point, or a draw of the map, are not independent: the band
holds for each pair by itself.
"""


def agreement(differing: float, expected: float, deviation: float, apart: str) -> str:
    """Return what two codes side by side show."""
    return (
        f"Coloured symbols agree: **{per_cent(1 - differing)}** of the code. Theory predicts κ = "
        f"**{per_cent(1 - expected)}** ± {per_cent(deviation, 2)} for these two points ({apart} apart)."
    )
