"""Say what the charts of hash codes show."""

from __future__ import annotations

import numpy as np

from rfviz.experiments.hashing.compute import HammingResult, NearFarResult
from rfviz.experiments.hashing.recall import RecallResult
from rfviz.words import counted, number, per_cent

__all__ = ["errors", "near_far", "recall", "summary"]

# Angles in degrees at which the curve of a pool is read.
_SMALL, _LARGE = 30.0, 90.0


def summary(result: HammingResult, simhash: HammingResult | None, pool_size: int | None) -> str:
    """Return the main chart in a few sentences, with its numbers."""
    words = (
        f"{per_cent(result.inside, 2)} of {result.n_pairs:,} pairs lie within the band of ± 1 s.d., √(p(1−p)/m) "
        f"(theory: {per_cent(result.inside_expected, 2)}). The RMS error for a pair is {number(result.rms)} and falls "
        "as 1/√m. Two points share a symbol with probability κ, so on average a share **1 − κ** of the symbols "
        "differs, the curve."
    )
    if pool_size == 2 and simhash is not None:
        return (
            words + " With **q = 2 the curve is SimHash’s**, θ/180°: which of two projections is larger is the sign of "
            "their difference."
        )
    if pool_size is None or pool_size == 2:
        return words
    reach = float(result.x_edges[-1])
    read = [f"at {angle:g}° {_at(result, angle)}" for angle in sorted({min(_SMALL, reach), min(_LARGE, reach)})]
    return f"{words} With q = {pool_size} the curve begins steeper than SimHash’s, θ/180°: {', '.join(read)}."


def _at(result: HammingResult, angle: float) -> str:
    """Read the curve at an angle, next to that of SimHash."""
    share = float(np.interp(angle, result.grid, result.expected))
    return f"{per_cent(share, 2)} of the symbols differ instead of {per_cent(angle / 180, 2)}"


def errors(result: HammingResult) -> str:
    """Return the errors of the main chart in a line."""
    inside, theory = per_cent(result.inside, 2), per_cent(result.inside_expected, 2)
    return f"RMS error {number(result.rms)} · {inside} within ± 1 s.d. (theory: {theory})"


def recall(result: RecallResult) -> str:
    """Return what the curves of recall show."""
    pool, signs = result.curves[-2:]
    bits = int(pool.bits[-1])
    same_bits = float(np.interp(np.log(bits), np.log(signs.bits), signs.mean))
    work = int(min(pool.projections[-1], signs.projections[-1]))
    n = result.n_draws
    bands = f" Bands: one standard deviation over {n} draws." if n > 1 else ""
    at_work = [float(np.interp(np.log(work), np.log(c.projections), c.mean)) for c in (pool, signs)]
    return (
        f"**With {bits:,} bits {pool.label} finds {per_cent(pool.mean[-1], 2)}** of the {result.k} nearest points, "
        f"SimHash **{per_cent(same_bits, 2)}**. With the same work, {counted(work, 'projection')} per point, they find "
        f"{per_cent(at_work[0], 2)} and {per_cent(at_work[1], 2)}. **Recall@{result.k}** is the share of the "
        f"{result.k} truly nearest points that are also among the {result.k} nearest by Hamming distance (ties drawn "
        f"by lot): the mean of {counted(result.n_queries, 'query', 'queries')} among {result.n_points:,} "
        f"points.{bands} A symbol with q values costs ⌈log₂ q⌉ bits and q projections, a sign one of each."
    )


def near_far(result: NearFarResult) -> str:
    """Return how well near and far pairs can be told apart."""
    return (
        f"**{per_cent(result.error)}** of pairs are classified wrongly (theory: {per_cent(result.error_exact)}) when a "
        f"pair counts as near if at most {result.threshold:,} of {result.n_symbols:,} symbols differ, with near and "
        f"far weighted equally. Near pairs: a point with one of its {result.k} nearest neighbours. Far pairs: drawn at "
        "random, near ones may be among them. A random pair is farther than a near one with probability "
        f"**{number(result.auc)}** (the area under the ROC curve, AUC; theory: {number(result.auc_exact)})."
    )
