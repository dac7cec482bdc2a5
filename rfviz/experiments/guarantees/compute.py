"""Guarantees against measurement: which error m features exceed with probability δ, and which bounds allow.

Two errors are measured over independent draws of a map: that of one pair of points, picked at random, and the largest
of all pairs. They are compared with the errors that the exact variance lets expect, and with those that bounds allow:
for one pair, for all pairs of the points (by the union bound), and for all points of the region that they lie in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform

from rfviz import bounds
from rfviz.analysis.kernel_sample import KernelSample
from rfviz.analysis.mapping import points_for
from rfviz.analysis.nested import estimates
from rfviz.analysis.points import blas_for
from rfviz.backend import check_memory
from rfviz.bounds import BoundStatement
from rfviz.features import FeatureMap, MapSpec, ProductLaw
from rfviz.progress import Progress, silent, stop_point

__all__ = ["ABOUT", "DELTAS", "Comparison", "Curve", "MeasuredErrors", "compare", "measure_errors", "needed"]

#: What a statement is about, from the least to the most that it says.
ABOUT = ("one pair", "all pairs", "everywhere")
#: Probabilities of failure at which errors are kept.
DELTAS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
# Deviations that stand for those of all pairs.
_DEVIATIONS = 400
_POINTS = 80


@dataclass(frozen=True, eq=False)
class MeasuredErrors:
    """Errors of kernel estimates over draws of one map.

    Attributes
    ----------
    spec : MapSpec
        The map, with its parameters as numbers.
    diameter : float
        Largest distance between two of the points.
    largest_norm : float
        Of the longest of the points.
    m_grid : ndarray of shape (G,), int
    pair : ndarray of shape (len(DELTAS), G)
        The error that a random pair of a random draw exceeds with each probability.
    maxima : ndarray of shape (n_draws, G)
        Largest error over the pairs of each draw.
    deviations : ndarray of shape (G, k) or None
        Exact standard deviations of the estimates, of a fair sample of the pairs and of that with the largest; or
        None if the map has no exact variance.
    """

    spec: MapSpec[FeatureMap]
    dataset: str
    n_points: int
    n_pairs: int
    n_draws: int
    n_features: int
    diameter: float
    largest_norm: float
    m_grid: np.ndarray
    pair: np.ndarray
    maxima: np.ndarray
    deviations: np.ndarray | None

    def errors(self, about: str, delta: float) -> np.ndarray:
        """Return what ``"one pair"`` or the largest of ``"all pairs"`` exceeds with probability δ, shape (G,)."""
        if about == "one pair":
            return self.pair[DELTAS.index(delta)]
        return np.quantile(self.maxima, 1.0 - delta, axis=0, method="higher")

    def normal(self, about: str, delta: float) -> np.ndarray | None:
        """Return the same for normal estimates with their exact variances: of the widest pair, or the union of all."""
        if self.deviations is None:
            return None
        if about == "one pair":
            return bounds.normal(self.deviations[:, -1] ** 2, delta)
        return np.array([bounds.normal_over_pairs(row[:-1] ** 2, self.n_pairs, delta) for row in self.deviations])

    @property
    def feature_map(self) -> FeatureMap:
        """The map that was measured, not fitted."""
        return self.spec.make()

    @property
    def largest_variance(self) -> float | None:
        """The largest exact variance of a pair times m, or None if it is not known."""
        return None if self.deviations is None else float(self.deviations[-1, -1] ** 2 * self.m_grid[-1])


def measure_errors(
    sample: KernelSample,
    spec: MapSpec[FeatureMap],
    m_grid: Sequence[int] | np.ndarray,
    n_draws: int = 100,
    progress: Progress = silent,
) -> MeasuredErrors:
    """Measure the errors of all pairs of a sample, over draws with the seeds 0, 1, … and for every m of a grid.

    Parameters
    ----------
    spec : MapSpec
        Of a map with a closed-form kernel; the number of features and the seed are replaced.
    m_grid : sequence of int
        Rising.

    Raises
    ------
    ParameterError
        For a parameter that breaks its rule, or a map without a closed-form kernel.
    MemoryBudgetError
        Where the errors of all draws would not fit.
    """
    grid, label = np.asarray(m_grid, dtype=int), spec.cls.label
    pairs = sample.n_points * (sample.n_points - 1) // 2
    check_memory(
        n_draws * len(grid) * pairs * 4 + 6 * 8 * sample.n_points**2,
        "cpu",
        f"{n_draws} draws of {pairs:,} pairs at {len(grid)} numbers of features",
        "Choose fewer points or draws.",
    )
    spec = spec.resolve(sample.original)
    points = points_for(spec.make(), sample)
    errors = np.empty((len(grid), n_draws, pairs), dtype=np.float32)
    with blas_for(sample.n_points, int(grid[-1])):
        drawn = spec.make(n_components=int(grid[-1]), random_state=0).fit(points)
        progress(0.0, f"{label}: the exact kernel and its law")
        K, law = drawn.kernel(points), drawn.product_law(points)
        for draw in range(n_draws):
            progress(0.9 * draw / n_draws, f"{label}: draw {draw + 1} of {n_draws}")
            if draw:
                drawn = spec.make(n_components=int(grid[-1]), random_state=draw).fit(points)
            for index, K_hat in enumerate(estimates(drawn, points, grid.tolist())):
                stop_point()
                errors[index, draw] = np.abs(squareform(K_hat - K, checks=False))
    levels, pairs_of_m = 1.0 - np.array(DELTAS), []
    for number, of_one_m in enumerate(errors):
        progress(0.9 + 0.1 * number / len(grid), f"{label}: comparing")
        pairs_of_m.append(np.quantile(of_one_m, levels))
    pair = np.stack(pairs_of_m, axis=1)
    deviations = None if law is None else np.stack([_deviations(law, int(m)) for m in grid])
    return MeasuredErrors(
        spec,
        sample.name,
        sample.n_points,
        pairs,
        n_draws,
        sample.original.shape[1],
        float(pdist(sample.coordinates).max()),
        float(np.linalg.norm(sample.coordinates, axis=1).max()),
        grid,
        pair,
        errors.max(axis=2).T.astype(np.float64),
        deviations,
    )


def _deviations(law: ProductLaw, m: int) -> np.ndarray:
    """Return evenly spaced quantiles of the standard deviations of all pairs, and last the largest."""
    rising = np.sort(np.maximum(squareform(law.variance(m), checks=False), 0.0))
    places = np.linspace(0, len(rising) - 1, min(_DEVIATIONS, len(rising))).round().astype(int)
    return np.sqrt(np.append(rising[places], rising[-1]))


@dataclass(frozen=True, eq=False)
class Curve:
    """An error against m, and the number of features at which it comes down to the user's.

    Attributes
    ----------
    about : str
        One of :data:`ABOUT`.
    kind : {"measured", "expected", "bound"}
    m, error : ndarray of shape (k,)
        Empty for statements that stand in the table only.
    features : float
        The m that ε requires, infinite where no number will do.
    beyond : bool
        Whether that lies beyond what was measured, and was extended by the rate 1/√m.
    """

    about: str
    kind: str
    name: str
    source: str
    formula: str
    m: np.ndarray
    error: np.ndarray
    features: float
    beyond: bool = False


@dataclass(frozen=True, eq=False)
class Comparison:
    """Measured errors and bounds for one ε and δ.

    Attributes
    ----------
    curves : tuple of Curve
    """

    measured: MeasuredErrors
    eps: float
    delta: float
    curves: tuple[Curve, ...]

    def find(self, about: str, kind: str) -> list[Curve]:
        """Return the curves of one kind about one thing."""
        return [c for c in self.curves if c.about == about and c.kind == kind]

    def suffices(self, about: str) -> Curve:
        """Return the measured curve; of all pairs for a region, since no more can be measured."""
        return self.find("all pairs" if about == "everywhere" else about, "measured")[0]

    def to_frame(self) -> pd.DataFrame:
        """Return what each statement requires, how many times the measured number that is, and its source.

        “extrapolated” says which numbers lie beyond what was measured, or are compared with one that does.
        """
        return pd.DataFrame(
            {
                "about": [c.about for c in self.curves],
                "kind": [c.kind for c in self.curves],
                "statement": [c.name for c in self.curves],
                "features": [c.features for c in self.curves],
                "times the measured": [c.features / self.suffices(c.about).features for c in self.curves],
                "extrapolated": [c.beyond or self.suffices(c.about).beyond for c in self.curves],
                "source": [c.source for c in self.curves],
            }
        )

    def curves_frame(self, shown: Sequence[str] = ABOUT) -> pd.DataFrame:
        """Return the curves of the kinds `shown`, in long form."""
        curves = [c for c in self.curves if len(c.m) and c.about in shown]
        parts = [pd.DataFrame({"about": c.about, "statement": c.name, "m": c.m, "error": c.error}) for c in curves]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def compare(measured: MeasuredErrors, statements: Sequence[BoundStatement], eps: float, delta: float) -> Comparison:
    """Compare bounds with measurements, all solved for ε against m, and for m.

    Parameters
    ----------
    statements : sequence of BoundStatement
        From :meth:`rfviz.features.FeatureMap.applicable_bounds` of ``measured.feature_map``.
    eps : float
        The error that the user accepts.
    delta : float
        One of :data:`DELTAS`.
    """
    asked = [s.bound.features(eps, delta) for s in statements]
    finite = [m for m in asked if np.isfinite(m)]
    top = 10.0 ** np.clip(np.ceil(np.log10(1.3 * max([1e3, *finite]))), 4, 12)
    wide = np.geomspace(measured.m_grid[0], top, _POINTS)
    curves = []
    for about in ABOUT[:2]:
        for kind, errors in (("measured", measured.errors(about, delta)), ("expected", measured.normal(about, delta))):
            if errors is None:
                continue
            m, beyond = needed(measured.m_grid, errors, eps)
            name, source = _NAMES[kind, about]
            curves.append(Curve(about, kind, name, source, "", measured.m_grid, errors, m, beyond))
    for statement, m in zip(statements, asked, strict=True):
        b = statement.bound
        grid = wide if statement.drawn else wide[:0]
        curves.append(Curve(statement.about, "bound", b.name, b.source, b.formula, grid, b.error(grid, delta), m))
    curves.sort(key=lambda c: ABOUT.index(c.about))
    return Comparison(measured, eps, delta, tuple(curves))


_DRAWN, _EXACT = "draws of the map", "the exact variance, as in the limit of many features"
_NAMES = {
    ("measured", "one pair"): ("measured, a random pair", _DRAWN),
    ("measured", "all pairs"): ("measured", _DRAWN),
    ("expected", "one pair"): ("normal approximation, pair with the largest variance", _EXACT),
    ("expected", "all pairs"): ("normal approximation", _EXACT),
}


def needed(m_grid: np.ndarray, errors: np.ndarray, eps: float) -> tuple[float, bool]:
    """Return the m from which on a falling curve stays at or below ε, and whether that is beyond the grid.

    Between the points of the grid by straight lines in logarithms, beyond them by the rate 1/√m.
    """
    above = np.flatnonzero(errors > eps)
    if not len(above):
        return float(m_grid[0]), False
    last = above[-1]
    if last == len(m_grid) - 1:
        return _whole(m_grid[-1] * (errors[-1] / eps) ** 2), True
    x, y = np.log(m_grid[last : last + 2]), np.log(np.maximum(errors[last : last + 2], 1e-300))
    return _whole(np.exp(x[0] + (np.log(eps) - y[0]) * (x[1] - x[0]) / (y[1] - y[0]))), False


def _whole(m: float) -> float:
    return float(np.ceil(m * (1.0 - 1e-12)))
