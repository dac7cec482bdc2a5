"""Kinds of claims of wild.py on whether two parts of the rows differ: p-values, columns, rows.

Blocks of rows are permuted, as the documentation of the method says, with exact ranks instead of bins, and with other
permutations and random features.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from _wild_cells import Cells
from _wild_kinds import halves_of
from _wild_verdicts import Claim, Own, Range, kind
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

__all__ = ["compared"]

_PERMUTATIONS = 3999
_WAVES, _WORDS, _BINS = 8, 100, 64
_PHASES, _JOINT = (0.5, 2.0, 8.0), 128


@dataclass(frozen=True, eq=False)
class _Compared:
    """What two parts of the rows differ by.

    Attributes
    ----------
    names : list of str
    p : ndarray of shape (d,)
        Adjusted p-values, of known values or gaps.
    gaps : ndarray of shape (d, 2)
        Shares of missing values in both parts, means over blocks.
    p_value, together : float
    neighbours : dict of str to float
        The correlation of neighbouring blocks, of each column and, by no name, of all.
    heights : ndarray of shape (n,)
        The witness function of the columns that differ, of the rows of both parts.
    """

    names: list[str]
    p: np.ndarray
    gaps: np.ndarray
    p_value: float
    together: float
    neighbours: dict[str, float]
    heights: np.ndarray


def compared(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> _Compared:
    """Return what the two parts that a claim is about differ by."""
    first = claim["of"]["first"]
    if ("drift", first) not in cells.memory:
        one = next(c for c in claims if c["what"] == "compared columns" and c["of"]["first"] == first)
        cells.memory["drift", first] = _compare(cells, list(one["columns"]), *halves_of(claim, cells))
    return cells.memory["drift", first]


def _features(cells: Cells, name: str, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return features of known values, about their mean, and the one of gaps, of some rows of a column.

    Numbers count by the ranks of 64 bins of about as many rows, as the kinds say.
    """
    gap = cells.missing(name)[rows]
    known, n = ~gap, len(rows)
    if cells.kinds[name] in ("number", "date"):
        x = cells.numbers(name)[rows][known]
        edges = np.unique(np.quantile(x, np.arange(1, _BINS) / _BINS, method="lower")) if len(x) else x
        u = (rankdata(np.searchsorted(edges, x)) - 0.5) / max(len(x), 1)
        k = np.arange(1, _WAVES + 1)
        values = np.c_[np.cos(np.pi * np.outer(u, k)) / k, 0.5 * ndtri(np.clip(u, 1e-6, 1 - 1e-6)) ** 2]
        gaps = gap.astype(float)
    else:
        codes = pd.Series(cells.codes(name)[rows][known])
        counts = codes.value_counts()
        place = codes.map({word: min(i, _WORDS) for i, word in enumerate(counts.index)}).to_numpy(int)
        share = np.bincount(place) / n
        values = np.c_[np.eye(len(share))[place] * (share + 0.01) ** -0.5, np.zeros(len(place))]
        gaps = gap * (gap.mean() + 0.01) ** -0.5
    every = np.zeros((n, values.shape[1]))
    every[known] = values - values.mean(axis=0) if len(values) else values
    return every, gaps


def _one_scale(statistics: np.ndarray) -> np.ndarray:
    roots = np.cbrt(np.maximum(statistics, 0.0))
    spread = roots.std(axis=0)
    return np.where(
        spread > 1e-6 * np.maximum(roots.mean(axis=0), 1e-30),
        (roots - roots.mean(axis=0)) / np.maximum(spread, 1e-30),
        0.0,
    )


def _compare(cells: Cells, names: list[str], first: np.ndarray, second: np.ndarray) -> _Compared:
    used, block = _blocks(len(first), len(second))
    rows = np.r_[first[used[0]], second[used[1]]]
    n_first, k = len(used[0]), int(block.max()) + 1
    k_first = int(block[n_first - 1]) + 1
    sizes = np.bincount(block).astype(float)[:, None]

    def means(values: np.ndarray) -> np.ndarray:
        sums = np.add.reduceat(values, np.flatnonzero(np.diff(block, prepend=-1)), axis=0)
        return sums / sizes

    drawn = np.random.default_rng(3)
    signs = np.full((1 + _PERMUTATIONS, k), -1.0 / (k - k_first))
    for number, sign in enumerate(signs):
        sign[np.arange(k_first) if not number else drawn.permutation(k)[:k_first]] = 1.0 / k_first
    observed, scores, sums, centred, usual, heights = [], [], np.zeros((len(signs), 2)), [], [], []
    for name in names:
        values, gaps = _features(cells, name, rows)
        of_blocks = np.c_[means(values), means(gaps[:, None])]
        of_blocks = of_blocks - of_blocks.mean(axis=0)
        squares = (signs @ of_blocks) ** 2
        found = np.c_[squares[:, :-2].sum(axis=1), squares[:, -2], squares[:, -1]]
        middle = found[:, :2].mean(axis=0)
        sums += found[:, :2] / np.where(middle > 1e-12, middle, np.inf)
        scaled = _one_scale(found)
        observed.append(scaled[0])
        scores.append(scaled[1:].max(axis=1))
        usual.append(max(values.var(axis=0).sum() + gaps.var(), 1e-300))
        centred.append(of_blocks)
        apart = values[:n_first].mean(axis=0) - values[n_first:].mean(axis=0)
        gap_apart = gaps[:n_first].mean() - gaps[n_first:].mean()
        heights.append(values @ apart + gaps * gap_apart)
    largest, observed = np.max(scores, axis=0), np.array(observed)
    alone = _p(observed.max(axis=1), largest)
    varies = [len(pd.unique(cells.codes(name)[rows])) > 1 for name in names]
    is_in = [
        place
        for place, name in enumerate(names)
        if varies[place] and (alone[place] > 0.05 or not _has_atom(cells, name, rows))
    ]
    summed = _one_scale(sums) if len(names) > 1 else np.zeros((len(signs), 0))
    fused = np.zeros((len(signs), 0))
    if len(is_in) >= 2:
        fused = _joint(cells, [names[place] for place in is_in], rows, n_first, means, signs)
    largest = np.c_[largest, summed[1:], fused[1:]].max(axis=1)
    p = _p(observed.max(axis=1), largest)
    together = float(_p(fused[0], largest).min(initial=1.0))
    p_value = min(float(p.min()), float(_p(summed[0], largest).min(initial=1.0)), together)
    named = [place for place in range(len(names)) if p[place] <= 0.05] or list(range(len(names)))
    height = np.zeros(cells.n_rows)
    height[rows] = np.sum([heights[place] for place in named], axis=0)
    lacks = means(np.column_stack([cells.missing(name)[rows] for name in names]).astype(float))
    of_gaps = np.array([lacks[:k_first].mean(axis=0), lacks[k_first:].mean(axis=0)]).T
    alike = {name: _neighbours([c], [u], k_first) for name, c, u in zip(names, centred, usual, strict=True)}
    alike[""] = _neighbours(centred, usual, k_first)
    return _Compared(names, p, of_gaps, p_value, together, alike, height)


def _p(scores: np.ndarray, largest: np.ndarray) -> np.ndarray:
    return (1.0 + (largest[:, None] >= scores - 1e-6).sum(axis=0)) / (1.0 + len(largest))


def _blocks(n_first: int, n_second: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Return which rows of each part are used, and the block of each: 128 in all, of 5 rows at least."""
    few = min(n_first, n_second)
    n_used = [min(n, 8 * few) for n in (n_first, n_second)]
    size = min(max(sum(n_used) / 128, 5), max(few / 16, 1.0))
    used, blocks, before = [], [], 0
    for n, m in zip((n_first, n_second), n_used, strict=True):
        n_blocks = max(round(m / size), 2)
        block = np.arange(m) * n_blocks // m
        used.append(np.arange(m) + block * (n - m) // max(n_blocks - 1, 1))
        blocks.append(before + block)
        before += n_blocks
    return used, np.concatenate(blocks)


def _has_atom(cells: Cells, name: str, rows: np.ndarray) -> bool:
    return pd.Series(cells.codes(name)[rows]).value_counts(normalize=True).iloc[0] > 0.1


def _joint(cells: Cells, names: list[str], rows: np.ndarray, n_first: int, means: Any, signs: np.ndarray) -> np.ndarray:
    """Return the statistic of how columns go together: random features of scores that are taken within each part."""
    drawn = np.random.default_rng(5)
    Z = np.zeros((len(rows), len(names)))
    for place, name in enumerate(names):
        gap = cells.missing(name)[rows]
        of_words = drawn.normal(size=cells.n_rows + 1)
        for part in (np.arange(n_first), np.arange(n_first, len(rows))):
            known = part[~gap[part]]
            if not len(known):
                continue
            if cells.kinds[name] in ("number", "date"):
                z = ndtri(np.clip((rankdata(cells.numbers(name)[rows[known]]) - 0.5) / len(known), 1e-6, 1 - 1e-6))
            else:
                z = of_words[cells.codes(name)[rows[known]]]
            Z[known, place] = (z - z.mean()) / (z.std() or np.inf)
    first, second, found = means(Z), means(Z**2), []
    for phase in _PHASES:
        W = drawn.normal(size=(len(names), _JOINT)) * math.sqrt(phase / len(names))
        angle = Z @ W
        cosine, sine = means(np.cos(angle)), means(np.sin(angle))
        c, s = cosine.mean(axis=0), sine.mean(axis=0)
        # By Stein's lemma, what single columns contribute.
        linear, square = first @ W, -0.5 * (second @ W**2)
        left = np.c_[cosine - (-s * linear + c * square), sine - (c * linear + s * square)]
        found.append(((signs @ (left - left.mean(axis=0))) ** 2).sum(axis=1))
    fused = _one_scale(np.column_stack(found)).max(axis=1, keepdims=True)
    return (fused - fused.mean()) / fused.std()


def _neighbours(centred: list[np.ndarray], usual: list[float], k_first: int) -> float:
    together = varied = 0.0
    for side in (slice(0, k_first), slice(k_first, None)):
        X = np.hstack(
            [(part[side] - part[side].mean(axis=0)) / math.sqrt(u) for part, u in zip(centred, usual, strict=True)]
        )
        varied += float((X**2).sum())
        together += float((X[1:] * X[:-1]).sum())
    # What is constant within each part varies by rounding alone.
    return together / varied if varied > 1e-15 else 0.0


def _near(claim: Claim, own: float, scores: float, untold: float = 0.05) -> Own:
    """Return where another p-value may lie: three standard errors of the permutations, and some normal scores.

    Beyond what is `untold` both say that nothing differs, and how much depends on draws: that is only consistent.
    """
    error, least = 3.0 * math.sqrt(own * (1 - own) / _PERMUTATIONS), 1.0 / (1.0 + _PERMUTATIONS)
    low, high = max(own - error, 0.0), min(own + error, 1.0)
    low = 0.0 if own <= 5 * least or low <= 0 else float(ndtr(ndtri(low) - scores))
    high = 1.0 if own > 0.8 else float(ndtr(ndtri(max(high, 3 * least)) + scores))
    why = f"{own:.4f} by other permutations"
    is_near = low <= claim["value"] <= high
    if not is_near and min(own, claim["value"]) > untold:
        return Own(Range(untold, 1.0, why), partly=True)
    return Own(Range(low, high, why))


@kind("drift: p-value")
def p_value(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    return _near(claim, compared(claim, cells, claims).p_value, 0.6)


@kind("p-value of the combination")
def p_value_of_the_combination(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Own:
    """Take other features, and of words other scores, which are drawn, too."""
    found = compared(claim, cells, claims)
    has_words = any(cells.kinds[name] not in ("number", "date") for name in found.names)
    return _near(claim, found.together, 1.0 + 1.5 * has_words, 0.002 if has_words else 0.05)


@kind("differing columns")
def differing_columns(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    found, least = compared(claim, cells, claims), claim["of"]["from"]
    named = {c["columns"][0] for c in claims if c["what"] == "distance" and c["of"]["first"] == claim["of"]["first"]}
    told = {
        c["columns"][0]: c["value"]
        for c in claims
        if c["what"] == "distance" and c["of"]["first"] == claim["of"]["first"]
    }
    if len(named) != claim["value"]:
        return f"{len(named)} are named"
    sure = {name for name, p in zip(found.names, found.p, strict=True) if p <= 2.6e-4}
    maybe = {name for name, p in zip(found.names, found.p, strict=True) if p <= 8e-3}
    far = {
        name for name, (one, two) in zip(found.names, found.gaps, strict=True) if abs(one - two) >= 1.2 * least
    } | set(told)
    if not named <= maybe:
        return f"p of {sorted(named - maybe)[0]!r} is {found.p[found.names.index(sorted(named - maybe)[0])]:.4f}"
    return claim["value"] if (sure & far) <= named else f"{sorted(sure & far - named)} as well"


@kind("missing shares")
def missing_shares(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> list[float]:
    found = compared(claim, cells, claims)
    return found.gaps[found.names.index(claim["columns"][0])].tolist()


@kind("largest difference of gaps")
def largest_difference_of_gaps(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    found = compared(claim, cells, claims)
    apart = np.abs(found.gaps[:, 0] - found.gaps[:, 1])
    own = float(apart[found.names.index(claim["columns"][0])])
    return own if own >= apart.max() - 1e-9 else f"{apart.max():.6g} of {found.names[int(apart.argmax())]!r}"


@kind("stretches differ")
def stretches_differ(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """Take the largest of that of all columns and of each that differs; bins round values there, not here."""
    first = claim["of"]["first"]
    differ = next(c for c in claims if c["what"] == "differing columns" and c["of"]["first"] == first)["columns"]
    alike = compared(claim, cells, claims).neighbours
    own = max(alike[name] for name in ("", *differ))
    near = Range(own - 0.01, own + 0.01, "the same bins, but for rounding")
    decided = own > 0.35 if abs(own - 0.35) > 0.01 else bool(claim["value"])
    return Own(decided, of={"correlation": near})


@kind("least alike rows")
def least_alike_rows(claim: Claim, cells: Cells, claims: Sequence[Claim]) -> Any:
    """See how many of them are among those where an own witness function is largest."""
    one, other = halves_of(claim, cells)
    is_second = claim["of"]["part"] == claim["of"]["second"]
    part, rows = (other if is_second else one), np.array(claim["rows"])
    if not np.isin(rows, part).all() or len(set(rows)) != len(rows):
        return "rows of the other part"
    found = compared(claim, cells, claims)
    height = found.heights * (-1.0 if is_second else 1.0)
    looked_at = part[np.unique(np.linspace(0, len(part) - 1, min(len(part), claim["of"]["looked at"])).astype(int))]
    # Where combinations differ as well, they decide with the columns.
    reach, least = (4 * len(rows), 0.25) if found.together <= 0.05 else (2 * len(rows), 0.6)
    limit = np.sort(height[looked_at])[-min(reach, len(looked_at))]
    share = float((height[rows] >= limit - 1e-9).mean())
    n = min(100, len(looked_at))
    return n if share >= least else f"{share:.0%} of them are among the {reach} of an own witness function"
