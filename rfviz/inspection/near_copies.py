"""Nearly equal rows: random grids give candidates, distances decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd
from sklearn.neighbors import NearestNeighbors

from rfviz.errors import DataError
from rfviz.features import RandomBinning
from rfviz.figures.template import COLOURS, GREY, styled
from rfviz.figures.traces import trace
from rfviz.inspection.dimension import Dimension
from rfviz.inspection.drawing import HEIGHT
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.neighbours import NEIGHBOURS, NeighbourResult, Neighbours, scaled_by_most
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.sample import PREPARED, WITHOUT_FAR, Sample, take_sample
from rfviz.inspection.words import plural
from rfviz.words import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["NearCopies", "NearCopyResult", "near_copies", "near_distance", "plot_near_copies"]

_HASHED_ROWS, _HASHED_CELLS = 20_000, 10_000_000
# Of points strewn at random, the share that may have a neighbour this near by chance.
_BY_CHANCE = 1e-3
_LARGEST_SHARE = 0.1
_REPETITIONS = 16
_MOST_CANDIDATES = 2_000_000
# Columns that tell most pairs that share a box by chance from near ones.
_FIRST_COLUMNS = 8
# The median of the volume that holds five points, in units of the mean volume of one: the median of a Gamma(5) law.
_FIVE = 4.670909
# A number that this share of the rows have is one where many rows are equal, as no tip or no rain is.
_OFTEN = 0.05


@dataclass(frozen=True, eq=False)
class NearCopyResult:
    """Pairs of rows that are nearer than chance would have them, but not equal.

    Attributes
    ----------
    pairs : ndarray of shape (n_pairs, 2), int
        Rows of the file, from 0, nearest pair first.
    distance : ndarray of shape (n_pairs,)
    threshold : float
        Distance up to which a pair counts.
    n_rows : int
        Rows that were hashed.
    n_near : int
        Rows in at least one of the pairs.
    n_candidates : int
        Pairs that shared a code, so that their distance was measured.
    n_all : int
        Pairs that an exact search would measure.
    recall_bound : float
        Chance, at least, that a pair at the threshold is found.
    n_known, n_found : int
        Pairs of nearest neighbours within the threshold that the exact search of a sample knows, and those that hashing
        found.
    nearest : ndarray of shape (n_sample,)
        Distance of each different row of the sample to its nearest other one.
    """

    pairs: np.ndarray
    distance: np.ndarray
    threshold: float
    n_rows: int
    n_near: int
    n_candidates: int
    n_all: int
    recall_bound: float
    n_known: int
    n_found: int
    nearest: np.ndarray

    def nearest_frame(self) -> pd.DataFrame:
        """Return how far each different row of the sample is from its nearest other one."""
        return pd.DataFrame({"to its nearest row": self.nearest})

    def to_frame(self, most: int = 10) -> pd.DataFrame:
        """Return the nearest pairs, rows counted from 1."""
        pairs = self.pairs[:most] + 1
        return pd.DataFrame({"row": pairs[:, 0], "and row": pairs[:, 1], "distance": self.distance[:most]})


def near_distance(result: NeighbourResult, dimension: float) -> float:
    """Return the distance up to which two rows count as near copies; 0 where no distance would tell.

    A tenth of the typical distance to the fifth neighbour, or less where the data are so crowded, in `dimension`
    dimensions, that more than one row in a thousand would have a neighbour so near by chance.

    Parameters
    ----------
    dimension : float
        The intrinsic dimension.
    """
    if result.distance.shape[1] < 5 or not np.isfinite(dimension):
        return 0.0
    share = (_BY_CHANCE / _FIVE) ** (1.0 / max(dimension, 0.5))
    return float(np.median(result.distance[:, 4])) * min(share, _LARGEST_SHARE)


def _stand_out(X: np.ndarray, pairs: np.ndarray, distance: np.ndarray, dimension: float) -> np.ndarray:
    """Return which pairs are much nearer than the surroundings of both rows are dense.

    In a dense cluster all rows are near each other. So a pair is compared with the distances of both rows to their 20th
    different neighbour: chance brings one of a thousand rows a neighbour that much nearer. Rows that share a number
    which many have lie along the other columns only, of which there are fewer than the dimension.
    """
    if not len(pairs):
        return np.zeros(0, dtype=bool)
    rows, places = np.unique(pairs, return_inverse=True)
    different = np.unique(X, axis=0)
    k = min(NEIGHBOURS, len(different) - 1)
    reach = NearestNeighbors(n_neighbors=k + 1).fit(different).kneighbors(X[rows])[0][:, -1]
    often = np.empty((len(rows), X.shape[1]), dtype=bool)
    for column, values in enumerate(X.T):
        _, number, counts = np.unique(values, return_inverse=True, return_counts=True)
        often[:, column] = (counts >= _OFTEN * len(X))[number[rows]]
    one, other = places.reshape(pairs.shape).T
    n_free, step = np.empty(len(pairs)), max(4_000_000 // X.shape[1], 1)
    for start in range(0, len(pairs), step):
        part = slice(start, start + step)
        i, j = one[part], other[part]
        n_free[part] = np.sum((X[rows[i]] != X[rows[j]]) | ~often[i], axis=1)
    share = (_BY_CHANCE / (k - 1.0 / 3.0)) ** (1.0 / np.maximum(np.minimum(dimension, n_free), 0.5))
    return distance <= np.minimum(share, _LARGEST_SHARE) * np.minimum(reach[one], reach[other])


def near_copies(sample: Sample, threshold: float, known: NeighbourResult, dimension: float = np.inf) -> NearCopyResult:
    """Find the pairs of different rows within a distance through the boxes of random grids.

    Rows that share a box of one of 16 random grids (:class:`rfviz.features.RandomBinning`) are candidates; their
    distance is then measured exactly. Two rows at the threshold share a box of one grid with probability at least 1/e,
    whatever the direction, since ‖·‖₁ ≤ √d‖·‖₂.

    Parameters
    ----------
    threshold : float
        Greater than 0.
    known : NeighbourResult
        Exact neighbours of rows of the sample, to count which of them hashing has found.
    dimension : float
        The intrinsic dimension, which says how much nearer than its surroundings a pair must be.
    """
    X, d = sample.X, sample.X.shape[1]
    grids = RandomBinning(_REPETITIONS, gamma=1.0 / (np.sqrt(d) * threshold), random_state=0).fit(X[:1])
    codes = grids.codes(X)
    candidates = _different(np.concatenate([_sharing(codes[:, p]) for p in range(_REPETITIONS)]), len(X))
    distance = _measured(X, candidates, threshold)
    chosen = np.flatnonzero((distance <= threshold) & (distance > 0))
    chosen = chosen[_stand_out(X, candidates[chosen], distance[chosen], dimension)]
    chosen = chosen[np.argsort(distance[chosen], kind="stable")]
    pairs = sample.rows[candidates[chosen]]
    bound = 1.0 - (1.0 - np.exp(-1.0)) ** _REPETITIONS
    n = len(X)
    n_known, n_found = _recall(sample, known, threshold, candidates)
    return NearCopyResult(
        pairs,
        distance[chosen],
        threshold,
        n,
        len(np.unique(pairs)),
        len(candidates),
        n * (n - 1) // 2,
        float(bound),
        n_known,
        n_found,
        known.distance[:, 0],
    )


def _sharing(code: np.ndarray) -> np.ndarray:
    """Return the pairs of rows with equal codes, shape (n_pairs, 2); of a crowded box as many as memory allows."""
    order = np.argsort(code, kind="stable")
    ordered, pairs, left = code[order], [np.empty((0, 2), np.int64)], _MOST_CANDIDATES // _REPETITIONS
    # Rows of one box are adjacent: compare each with the next, the one after that, and so on.
    for apart in range(1, len(code)):
        same = np.flatnonzero(ordered[apart:] == ordered[:-apart])
        if not len(same) or left <= 0:
            break
        same = same[:left]
        left -= len(same)
        pairs.append(np.sort(np.column_stack([order[same], order[same + apart]]), axis=1))
    return np.concatenate(pairs)


def _different(pairs: np.ndarray, n: int) -> np.ndarray:
    """Return each pair of numbers below n once, rising; as numpy.unique, which takes twenty times as long."""
    keys = np.sort(pairs[:, 0] * n + pairs[:, 1])
    return np.column_stack(np.divmod(keys[np.diff(keys, prepend=-1) > 0], n))


def _measured(X: np.ndarray, pairs: np.ndarray, limit: float) -> np.ndarray:
    """Return the distance of each pair, or infinity where it is beyond a limit in a few columns already."""
    distance = np.full(len(pairs), np.inf)
    most = np.argsort(-X.std(axis=0), kind="stable")[:_FIRST_COLUMNS]
    near = _distances(X[:, most], pairs) <= (1.0 + 1e-9) * limit
    distance[near] = _distances(X, pairs[near])
    return distance


def _distances(X: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    step = max(4_000_000 // X.shape[1], 1)
    parts = (pairs[start : start + step] for start in range(0, len(pairs), step))
    return np.concatenate([np.zeros(0), *(np.linalg.norm(X[p[:, 0]] - X[p[:, 1]], axis=1) for p in parts)])


def _recall(sample: Sample, known: NeighbourResult, threshold: float, candidates: np.ndarray) -> tuple[int, int]:
    """Count the known pairs of nearest neighbours within the threshold, and those among the candidates."""
    # Nothing is said of pairs a rounding error beyond the threshold.
    near = np.flatnonzero((known.distance[:, 0] < 0.999 * threshold) & np.isin(known.rows, sample.rows))
    other = known.rows[known.neighbours[near, 0]]
    there = np.isin(other, sample.rows)
    pairs = np.sort(np.column_stack([known.rows[near][there], other[there]]), axis=1)
    pairs = np.unique(pairs, axis=0)
    one_number = np.array([sample.rows.max(initial=0) + 1, 1])
    wanted, there = pairs @ one_number, np.sort(sample.rows[candidates] @ one_number)
    return len(pairs), int(np.sum(np.searchsorted(there, wanted, "right") > np.searchsorted(there, wanted)))


class NearCopies(Question[NearCopyResult]):
    """Which rows are nearly equal."""

    name, key = "Near copies", "near-copies"
    cost = 3
    settings = ("normalise",)
    formats: ClassVar = {"distance": "%.3g"}
    method = (
        "**Copies.** Exact copies agree in every cell but the label. Near copies are closer than a tenth of the "
        "usual distance to the fifth neighbour, or less where the data are crowded, so that chance would give about "
        "one row in a thousand such a neighbour; and nearer than their own surroundings are dense, so that a dense "
        "cluster is none. Candidates are rows that share a box of one of 16 random grids; "
        "their distance is then measured. A pair at the limit is found with a probability of at least 99.9%."
    )

    kinds: ClassVar = {
        "near copies": (
            "Rows that have another one, not equal to them, within the Euclidean `distance`; there are `pairs` of "
            "them. The distance is the share min(0.1, (0.001/4.670909)^(1/d)) of the median distance of a different "
            "row to its fifth nearest one, times (m/n)^(1/d) where n rows are searched but only m of them gave that "
            "median; d is the smaller estimate of the dimension, at least 0.5. Both rows must be nearer as well than "
            "the share min(0.1, (0.001/19.67)^(1/d)) of their distance to the 20th nearest different row; d is here at "
            "most the number of features but for those in which both have a value that 5% of the rows have. A pair at "
            f"that distance is found with a probability of at least 99.9%. {PREPARED} Here they may be 20,000. "
            f"{WITHOUT_FAR}"
        ),
        "nearest pair": "The distance of the two `rows` of these pairs that are nearest to each other.",
        "measured pairs": (
            "Pairs of rows, of `pairs`, that share a box of one of 16 grids: in each, of every scaled feature the "
            "width of boxes is drawn from a gamma law of shape 2 and scale `distance`·√d, d features, and their offset "
            "evenly (by this program; other draws give about as many)."
        ),
        "known pairs": (
            "Pairs of a row and its nearest one that an exact search knows to be within the distance; `found` of them "
            "were among the measured ones."
        ),
    }

    def compute(self, inspection: Inspection) -> NearCopyResult:
        known, dimension = inspection.answer(Neighbours()), inspection.answer(Dimension())
        lower = min(dimension.two_nn, dimension.likelihood)
        threshold = near_distance(known, lower)
        if not threshold > 0:
            raise DataError("Too many rows have equal neighbours to say which of the others are nearly equal.")
        inspection.progress(0.1, "Hashing rows")
        whole, how = inspection.whole, inspection.source.normalise
        sample = take_sample(whole.dataset, how, _HASHED_ROWS, _HASHED_CELLS, whole.is_word, exact=whole.exact)
        # Among more rows the neighbours that chance brings are nearer.
        share = min(len(inspection.sample().rows) / len(sample.rows), 1.0)
        threshold *= share ** (1.0 / max(lower, 0.5))
        return near_copies(scaled_by_most(sample), threshold, known, max(lower, 0.5))

    def claims(self, result: NearCopyResult, inspection: Inspection) -> Iterator[Claim]:
        n, how = result.n_rows, inspection.source.normalise
        of = {"distance": result.threshold, "pairs": len(result.pairs), "scaling": how} | inspection.rows.counts
        least = None if result.n_near else 1
        yield Claim("near copies", result.n_near, n_rows=n, least=least, of=of, rows=np.unique(result.pairs))
        if len(result.pairs):
            of = {"scaling": how}
            yield Claim("nearest pair", float(result.distance[0]), n_rows=n, of=of, rows=result.pairs[0])
        yield Claim(
            "measured pairs", result.n_candidates, n_rows=n, of={"pairs": result.n_all, "distance": result.threshold}
        )
        yield Claim("known pairs", result.n_known, n_rows=n, of={"found": result.n_found})

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        near, measured, known = claims[0], claims.of("measured pairs")[0], claims.of("known pairs")[0]
        link = (
            "hashing",
            {"map": "RandomBinning", "metric": "euclidean", "normalise": inspection.source.normalise},
        )
        looked = f"Hash codes left {measured.value:,} of {measured.of['pairs']:,} pairs to measure"
        n_found = known.of["found"]
        found = f"found {n_found} of {known.value} known pairs"
        looked += f", and {found}" if known.value else ""
        missed = f" The search {found}." if n_found < known.value else ""
        n, n_near, of = near.n_rows, near.value, inspection.rows.of_all(near.n_rows)
        if not n_near:
            none = f"No two of {n:,} rows{of} are suspiciously similar without being equal"
            return self.say("fine", f"{none}.{missed}", *link)
        if n_near <= max(0.003 * n, 4):
            few = f"{counted(n_near, 'row')} of {n:,}{of} {plural(n_near, 'lies', 'lie')} close to another"
            return self.say("fine", f"No more similar rows than by chance ({few}).{missed}", *link)
        one, other = claims.of("nearest pair")[0].rows + 1
        text = (
            f"{n_near:,} of {n:,} rows{of} are nearly equal to another; the nearest are rows {one:,} and "
            f"{other:,}. {looked}."
        )
        return self.say("look", text, *link).about(near.rows)

    def pictures(self, result: NearCopyResult) -> Iterator[Picture]:
        words = "How far rows are from their nearest other row."
        explanation = (
            "Rows by the distance to their nearest different row. Left of the dotted line two rows are nearer than by "
            "chance."
        )
        yield Picture("near", result, plot_near_copies, words, explanation, result.nearest_frame)

    def note(self, result: NearCopyResult) -> str:
        return f"The nearest different rows; a pair counts up to a distance of {result.threshold:.3g}."


def plot_near_copies(result: NearCopyResult, revision: str = "") -> go.Figure:
    """Draw how far rows are from their nearest other one, and the distance up to which a pair is a near copy.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    low, high = (np.log10(end) for end in (min(result.nearest.min(), result.threshold), result.nearest.max()))
    edges = np.logspace(low, high + 1e-9, 61)
    counts, middle = np.histogram(result.nearest, edges)[0], np.sqrt(edges[1:] * edges[:-1])
    is_near = middle <= result.threshold
    bars = trace(
        "bar",
        x=middle,
        y=counts,
        width=np.diff(edges),
        name="rows",
        showlegend=False,
        marker={"color": [COLOURS[1] if near else COLOURS[0] for near in is_near], "line": {"width": 0}},
        hovertemplate="distance %{x:.3g}: %{y:,} rows<extra></extra>",
    )
    limit = trace(
        "scatter",
        x=[result.threshold] * 2,
        y=[0, int(counts.max())],
        mode="lines",
        name="limit",
        showlegend=True,
        line={"color": GREY, "dash": "dot", "width": 2.5},
        hovertemplate=f"limit: {result.threshold:.3g}<extra></extra>",
    )
    return styled(
        [bars, limit],
        x="distance to the nearest row",
        y="rows",
        height=HEIGHT,
        revision=revision,
        bargap=0,
        xaxis={"type": "log"},
    )
