"""Hash codes against the exact law: Hamming distance of sampled pairs, and of near and of far ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import binom

from rfviz.analysis.pairs import nearest_mark
from rfviz.errors import ParameterError
from rfviz.experiments.hashing.hamming import hamming_pairs
from rfviz.experiments.hashing.points import HashPoints, make_hash
from rfviz.features import CollisionLaw, FeatureMap, MapSpec

__all__ = [
    "BAND",
    "HammingResult",
    "NearFarResult",
    "first_places",
    "hash_pairs",
    "law_of",
    "near_and_far",
    "nearest_pair",
    "pair_place",
    "separation",
    "stack_frames",
]

#: Half-width of the band around the curve, in standard deviations.
BAND = 1.0
_CELLS, _COLUMNS = (120, 180), 45
_MIXTURE = 150


@dataclass(frozen=True, eq=False)
class HammingResult:
    """Share of symbols that differ, against the distance of points.

    Attributes
    ----------
    cls : type of FeatureMap
        The class of the map.
    title : str
        What the horizontal axis shows.
    x_edges, y_edges : ndarray
        Edges of `counts`.
    counts : ndarray of shape (120, 180)
        Pairs by share of differing symbols (rows) and distance (columns).
    grid, expected, low, high : ndarray of shape (k,)
        The exact curve, and `BAND` standard deviations around it.
    centres, means : ndarray
        Mean share of the pairs in each of some columns.
    inside, inside_expected : float
        Share of pairs within the band: measured, and of binomial counts.
    rms : float
        Root mean square of measured less expected share.
    """

    cls: type[FeatureMap]
    dataset: str
    n_symbols: int
    n_pairs: int
    title: str
    x_edges: np.ndarray
    y_edges: np.ndarray
    counts: np.ndarray
    grid: np.ndarray
    expected: np.ndarray
    low: np.ndarray
    high: np.ndarray
    centres: np.ndarray
    means: np.ndarray
    inside: float
    inside_expected: float
    rms: float

    def to_frame(self) -> pd.DataFrame:
        """Return, by distance, the mean share measured and exact, and one standard deviation of a pair."""
        exact = np.interp(self.centres, self.grid, self.expected)
        deviation = np.sqrt(exact * (1.0 - exact) / self.n_symbols)
        columns = {"distance": self.centres, "differing, measured": self.means, "differing, exact": exact,
                   "s.d. of a pair": deviation}  # fmt: skip
        return pd.DataFrame(columns).dropna().reset_index(drop=True)


@dataclass(frozen=True, eq=False)
class NearFarResult:
    """Hamming distances of near and of far pairs.

    Attributes
    ----------
    n_symbols, k : int
        Length of the codes, and how many neighbours count as near.
    near, far : ndarray of shape (m + 1,)
        Share of the pairs at each Hamming distance 0, …, m.
    near_exact, far_exact : ndarray of shape (m + 1,)
        What the law gives: mixtures of the binomials of these pairs.
    auc, auc_exact : float
        Probability that a far pair is farther than a near one, ties by half.
    threshold : int
        Calling pairs near up to this Hamming distance makes the fewest errors.
    error, error_exact : float
        Mean of both kinds of error (missed near pairs, far ones taken for near) at the best threshold.
    """

    n_symbols: int
    k: int
    near: np.ndarray
    far: np.ndarray
    near_exact: np.ndarray
    far_exact: np.ndarray
    auc: float
    auc_exact: float
    threshold: int
    error: float
    error_exact: float

    def to_frame(self) -> pd.DataFrame:
        """Return the share of the near and of the far pairs at each Hamming distance, measured and exact."""
        return pd.DataFrame(
            {
                "differing symbols": np.arange(self.n_symbols + 1),
                "near, measured": self.near,
                "near, exact": self.near_exact,
                "far, measured": self.far,
                "far, exact": self.far_exact,
            }
        )


def stack_frames(results: Sequence[HammingResult]) -> pd.DataFrame:
    """Return the frames of several hashes below each other, with the class name of each."""
    return pd.concat([result.to_frame().assign(hash=result.cls.__name__) for result in results], ignore_index=True)


def law_of(points: HashPoints, spec: MapSpec[FeatureMap]) -> CollisionLaw:
    """Return the law of a hash's collisions.

    Parameters
    ----------
    points : HashPoints
        Whose statistics a parameter may ask for.

    Raises
    ------
    ParameterError
        For a hash whose collisions follow no law of one distance.
    """
    law = make_hash(points, spec.replace(n_components=1)).collision_law()
    if law is None:
        hint = "Choose another hash, or its defaults."
        raise ParameterError("hash", "must have a law of one distance here", spec.cls.label, hint)
    return law


def hash_pairs(points: HashPoints, spec: MapSpec[FeatureMap], codes: np.ndarray) -> HammingResult:
    """Compare the codes of sampled pairs with the law of their hash.

    Parameters
    ----------
    spec : MapSpec
        Of the codes, which may be cut.
    codes : ndarray of shape (n, m)

    Raises
    ------
    ParameterError
        For a hash whose collisions follow no law of one distance.
    """
    law, m = law_of(points, spec), codes.shape[1]
    pairs, x, y = _marks(points, law, codes)
    reach = _axis_end(float(x.max()), law.reach)
    # Rounding may put an angle a hair beyond the end.
    x = np.minimum(x, reach)
    x_edges, y_edges = (np.linspace(0.0, end, cells + 1) for end, cells in zip((reach, 1.0), _CELLS[::-1], strict=True))
    counts = np.histogram2d(y, x, [y_edges, x_edges])[0].astype(np.int64)
    grid = np.linspace(0.0, reach, 361)
    expected, low, high = law.band(grid, m, BAND)
    p, below, above = law.band(x, m, BAND)
    column = np.minimum((x * (_COLUMNS / reach)).astype(np.intp), _COLUMNS - 1)
    with np.errstate(invalid="ignore"):
        means = np.bincount(column, y, _COLUMNS) / np.bincount(column, minlength=_COLUMNS)
    inside = (y >= below - 1e-12) & (y <= above + 1e-12)
    return HammingResult(
        spec.cls,
        points.name,
        m,
        len(pairs),
        law.title,
        x_edges,
        y_edges,
        counts,
        grid,
        expected,
        low,
        high,
        (np.arange(_COLUMNS) + 0.5) * (reach / _COLUMNS),
        means,
        float(inside.mean()),
        _coverage(p, m),
        float(np.sqrt(np.mean((y - p) ** 2))),
    )


def _marks(points: HashPoints, law: CollisionLaw, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the sampled pairs, each once, with their distance and the share of their symbols that differ."""
    pairs = points.pairs[points.distinct]
    differ = hamming_pairs(codes, pairs[:, 0], pairs[:, 1])
    return pairs, points.measured(law.measure)[points.distinct], differ / codes.shape[1]


def nearest_pair(
    points: HashPoints, spec: MapSpec[FeatureMap], codes: np.ndarray, place: tuple[float, float]
) -> tuple[int, int]:
    """Return the rows of the sampled pair that is drawn nearest to a place in the chart.

    Parameters
    ----------
    points, spec, codes
        As for :func:`hash_pairs`.
    place : (float, float)
        A distance in the unit of the law, and a share of symbols that differ.
    """
    law = law_of(points, spec)
    pairs, x, y = _marks(points, law, codes)
    one, two = pairs[nearest_mark(place, x, [y], ((0.0, _axis_end(float(x.max()), law.reach)), (0.0, 1.0)))]
    return int(one), int(two)


def pair_place(
    points: HashPoints, spec: MapSpec[FeatureMap], codes: np.ndarray, one: int, two: int
) -> tuple[float, float]:
    """Return the distance of two rows in the unit of the law, and the share of their symbols that differ.

    Parameters
    ----------
    points, spec, codes
        As for :func:`hash_pairs`.
    one, two : int
        Rows.
    """
    X = points.original
    differ = hamming_pairs(codes, np.array([one]), np.array([two]))[0]
    return float(law_of(points, spec).measure(X[[one]], X[[two]])[0]), float(differ / codes.shape[1])


def first_places(
    points: HashPoints, spec: MapSpec[FeatureMap], codes: np.ndarray, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return where all pairs of the first n rows are in the chart: the law's distances, and shares of symbols."""
    one, two = np.triu_indices(min(n, len(codes)), 1)
    X = points.original
    return law_of(points, spec).measure(X[one], X[two]), hamming_pairs(codes, one, two) / codes.shape[1]


def _axis_end(largest: float, reach: float | None) -> float:
    """Return the end of the axis of distances: sixths of its reach that hold all pairs, or the largest distance."""
    if reach is None:
        return largest or 1.0
    return reach * min(max(np.ceil(6.0 * 1.1 * largest / reach), 1.0), 6.0) / 6.0


def _coverage(p: np.ndarray, m: int) -> float:
    """Return the mean over pairs of the probability that a binomial share stays within the band around its mean."""
    # In a few hundred steps of p, since there are thousands of pairs.
    parts = np.array_split(np.sort(p), min(len(p), 400))
    p, sizes = np.array([part.mean() for part in parts]), [len(part) for part in parts]
    half = BAND * np.sqrt(m * p * (1.0 - p))
    low, high = np.ceil(m * p - half - 1e-9), np.floor(m * p + half + 1e-9)
    return float(np.average(binom.cdf(high, m, p) - binom.cdf(low - 1, m, p), weights=sizes))


def near_and_far(points: HashPoints, spec: MapSpec[FeatureMap], codes: np.ndarray, k: int) -> NearFarResult:
    """Compare the Hamming distances of the queries to their `k` exact neighbours with those of random pairs.

    Parameters
    ----------
    points, spec, codes
        As for :func:`hash_pairs`.
    k : int
        Neighbours that count as near.
    """
    law = law_of(points, spec)
    k, m = min(k, points.neighbours.shape[1]), codes.shape[1]
    apart, first = points.measured(law.measure), len(points.far)
    # Far pairs come first among all pairs, and each query's neighbours nearest first.
    near = first + np.arange(len(points.near)).reshape(points.neighbours.shape)[:, :k].ravel()
    far = np.arange(first)
    measured = [_measured_shares(codes, points.pairs[which]) for which in (near, far)]
    exact = [_mixture(1.0 - law.curve(apart[which]), m) for which in (near, far)]
    auc, threshold, error = separation(measured[0], measured[1])
    auc_exact, _, error_exact = separation(exact[0], exact[1])
    return NearFarResult(
        n_symbols=m,
        k=k,
        near=measured[0],
        far=measured[1],
        near_exact=exact[0],
        far_exact=exact[1],
        auc=auc,
        auc_exact=auc_exact,
        threshold=threshold,
        error=error,
        error_exact=error_exact,
    )


def _measured_shares(codes: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the share of the pairs at each Hamming distance, shape (m + 1,)."""
    distance = hamming_pairs(codes, pairs[:, 0], pairs[:, 1])
    return np.bincount(distance, minlength=codes.shape[1] + 1) / len(pairs)


def _mixture(p: np.ndarray, m: int) -> np.ndarray:
    """Return the mixture of the binomials of m draws with these probabilities, shape (m + 1,), in groups of like p."""
    groups = np.array_split(np.sort(p), min(len(p), _MIXTURE))
    weights = np.array([len(group) for group in groups]) / len(p)
    each = np.array([group.mean() for group in groups])
    return weights @ binom.pmf(np.arange(m + 1)[None, :], m, each[:, None])


def separation(near: np.ndarray, far: np.ndarray) -> tuple[float, int, float]:
    """Measure how well one number tells two kinds apart, from the distribution of each over 0, …, m.

    Parameters
    ----------
    near, far : ndarray of shape (m + 1,)
        Probabilities.

    Returns
    -------
    auc : float
        P(near < far) + ½ P(near = far).
    threshold : int
        The best: near is what does not exceed it.
    error : float
        Mean of P(near > threshold) and P(far ≤ threshold): half of the overlap of the two densities at best.
    """
    below = np.cumsum(near)
    auc = float(np.sum(far * (below - 0.5 * near)))
    errors = 0.5 * (1.0 - below + np.cumsum(far))
    threshold = int(np.argmin(errors))
    return auc, threshold, float(errors[threshold])
