"""What the page on hashing says about what it shows."""

from __future__ import annotations

import numpy as np

from rfviz.analysis.hash_recall import RecallResult
from rfviz.analysis.hashing import BAND, HammingResult, NearFarResult

__all__ = ["METHOD", "TERMS", "agreement", "near_far", "recall", "summary"]

TERMS = (
    "A **hash code** is a short string of symbols that stands for a point. Symbol ℓ says *which* of q random "
    "projections ⟨w, x⟩ is the largest (SimHash: the sign of one; random binning: the box of a random grid that x is "
    "in). The **Hamming distance** of two codes is the number of places where they differ; its share of all m places "
    "says how far apart the points are."
)


def summary(result: HammingResult, other: HammingResult | None, pool_size: int | None) -> str:
    """The main chart in two sentences, with its numbers."""
    words = (
        f"Two points share a symbol with probability κ, so the share that differs follows the curve **1 − κ**: "
        f"{result.inside:.0%} of {result.n_pairs:,} pairs lie within the band of {BAND:g}√(p(1−p)/m), where the "
        f"binomial law puts {result.inside_expected:.0%}. A pair is off by {result.rms:.3f} (root mean square), less "
        "with longer codes: as 1/√m."
    )
    if pool_size == 2 and other is not None:
        return words + " With **q = 2 the curve is SimHash’s**, θ/180°: the larger of two projections is a sign."
    if pool_size is not None and pool_size > 2:
        at_right = 1 - 1 / pool_size
        return words + (
            f" With q = {pool_size} it rises steeply at small angles and is flat beyond: at 90° already {at_right:.0%} "
            "of all symbols differ."
        )
    return words


def agreement(differing: float, expected: float | None, deviation: float, angle: str) -> str:
    """What the strips of two codes show."""
    words = f"Filled symbols agree: **{1 - differing:.1%}** of the whole code."
    if expected is None:
        return words
    return words + f" The law gives κ = **{1 - expected:.1%}** ± {deviation:.1%} for these two points ({angle} apart)."


def recall(result: RecallResult) -> str:
    """The curves of recall in words."""
    signs = result.curves[-1]
    pool = result.curves[-2]
    bits = int(pool.bits[-1])
    same_bits = float(np.interp(np.log(bits), np.log(signs.bits), signs.mean))
    work = int(min(pool.projections[-1], signs.projections[-1]))
    at_work = [float(np.interp(np.log(work), np.log(c.projections), c.mean)) for c in (pool, signs)]
    return (
        f"**Recall@{result.k}** is the share of the {result.k} truly nearest points that are also among the "
        f"{result.k} nearest by Hamming distance (equal distances drawn by lot). Mean of {result.n_queries} queries "
        f"among {result.n_points:,} points; bands: one standard deviation over {result.n_draws} draws. A symbol of q "
        f"values takes ⌈log₂ q⌉ bits and q projections, a sign one of each. At {bits:,} bits {pool.label} finds "
        f"**{pool.mean[-1]:.0%}**; SimHash finds **{same_bits:.0%}** with as many bits. "
        f"For {work:,} projections a point, which is the work, it is {at_work[0]:.0%} and {at_work[1]:.0%}."
    )


def near_far(result: NearFarResult) -> str:
    """How well near and far pairs are told apart."""
    return (
        f"Pairs of a point with one of its {result.k} nearest neighbours, and pairs drawn at random (near ones may be "
        f"among them). Calling a pair near when at most {result.threshold:,} of {result.n_symbols:,} symbols differ is "
        f"wrong in **{result.error:.1%}** of cases, near and far weighted alike (exact law: {result.error_exact:.1%}). "
        f"A random pair is farther than a near one with probability **{result.auc:.3f}** (the area under the ROC "
        f"curve, AUC; exact law: {result.auc_exact:.3f})."
    )


METHOD = """
**Law.** Symbols are independent draws, so the Hamming distance of two given points is binomial: m places, each
different with probability 1 − κ. For the argmax of q Gaussian projections κ is the collision probability
$\\kappa_q(\\cos\\theta)$ of the random maxout paper (its Remark 1), computed by quadrature to twelve digits:
$\\kappa_q = 1$ for equal, 1/q for orthogonal and 0 for opposite points. For q = 2, and for signs
(SimHash), κ = 1 − θ/180°.

**Codes.** The running maximum is kept beside its index: two blocks of memory, never all m·q projections. The first
symbols do not depend on m; smaller pools come on the way to larger ones.

**Hamming distance.** Symbols of b bits are stored as b planes of 64 a word. Exclusive or, union of the planes, count of
ones: m·b/8 bytes a point. Recall of a search with ties is the exact mean over all orders of the rows.

**Truth.** The nearest neighbours by scikit-learn’s brute-force search in the exact distance. Seconds are measured here,
now, with whatever else the machine does; at a few thousand points exact search is fast as well, and codes pay off in
memory first.

**Pairs.** 10,000 pairs drawn at random, and 200 queries with up to 50 neighbours each. Pairs that share a point, or a
draw of the map, are not independent: the band holds for each pair by itself.
"""
