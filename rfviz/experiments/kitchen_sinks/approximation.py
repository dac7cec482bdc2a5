"""How near K random features come to a function of the class: Lemma 1 of the paper, and Lemma 4, from which it follows.

The class holds f(x) = E[β(w) φ(x; w)] with weights |β| ≤ C. To know such a function without an error of its own, the
law p of the features is here the uniform one over some thousand of them, drawn once; the lemmas hold for every law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.analysis.splits import Split
from rfviz.backend import check_memory, to_host
from rfviz.bounds import kitchen_sinks_risk
from rfviz.experiments.kitchen_sinks.boosting import check_classes
from rfviz.experiments.kitchen_sinks.constraint import bounded_weights
from rfviz.features import FeatureMap, MapSpec
from rfviz.linear_model.targets import Targets
from rfviz.progress import Progress, silent

__all__ = ["DELTA", "Distances", "DistancesRun", "distances_to_target"]

#: Share of the draws that the bound allows to be further away.
DELTA = 0.05
# Features over which p is uniform, rows at which functions are compared, and draws in a run.
_POPULATION, _ROWS, _SEQUENCES = 5000, 400, 50
# The penalty that makes weights unique where there are more of them than rows, next to a mean of squares.
_PENALTY = 1e-8


@dataclass(frozen=True, eq=False)
class DistancesRun:
    """Several draws of K features for each K of a grid.

    Attributes
    ----------
    means : ndarray of shape (draws, len(k_grid))
        ‖f̂ − f*‖, root mean squares over the rows, of the mean of K draws: the function in the proof of Lemma 1.
    nearest : ndarray of shape (len(k_grid),)
        Of the first draw, with the weights of at most C/K that come nearest to f*.
    largest, typical, target : float
        Largest norm of β(w) φ(·; w), its root mean square over p, and the norm of f*.
    """

    means: np.ndarray
    nearest: np.ndarray
    largest: float
    typical: float
    target: float


@dataclass(frozen=True, eq=False)
class Distances:
    """Several runs.

    Attributes
    ----------
    k_grid : ndarray of int
    runs : tuple of DistancesRun
    """

    k_grid: np.ndarray
    runs: tuple[DistancesRun, ...]

    @property
    def size(self) -> float:
        """The M of Lemma 4: the largest norm of a vector that is averaged. It is C where |φ| = 1."""
        return self.runs[0].largest

    @property
    def means(self) -> np.ndarray:
        """The distances of all draws, shape (draws, len(k_grid))."""
        return np.concatenate([run.means for run in self.runs])

    @property
    def nearest(self) -> np.ndarray:
        """The mean over the runs of the least distance that weights of at most C/K reach."""
        return np.mean([run.nearest for run in self.runs], axis=0)

    @property
    def expected(self) -> np.ndarray:
        """The root of the mean square of the distance, which the variance of one draw gives exactly."""
        one = self.runs[0]
        return np.sqrt((one.typical**2 - one.target**2) / self.k_grid)

    @property
    def scale(self) -> np.ndarray:
        """C/√K."""
        return self.size / np.sqrt(self.k_grid)

    @property
    def bound(self) -> np.ndarray:
        """The distance that at most a share :data:`DELTA` of the draws exceeds."""
        return kitchen_sinks_risk(1.0, self.size, 1.0, DELTA).approximation(self.k_grid)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per K."""
        means = self.means
        return pd.DataFrame(
            {
                "K": self.k_grid,
                "draws": len(means),
                "distance": means.mean(axis=0),
                "largest": means.max(axis=0),
                "expected (RMS)": self.expected,
                "nearest with weights ≤ C/K": self.nearest,
                "C/√K": self.scale,
                f"bound, δ = {DELTA:g}": self.bound,
            }
        )

    def tail_frame(self) -> pd.DataFrame:
        """Return the distances at the largest K in units of C/√K, and the share of draws that are further away.

        Returns
        -------
        DataFrame
            Columns distance · √K/C, share of the draws, and the share that Lemma 4 allows.
        """
        reached = np.sort(self.means[:, -1] / self.scale[-1])
        units = np.unique(np.concatenate([np.linspace(0.0, 4.5, 91), reached]))
        share = 1.0 - np.searchsorted(reached, units, side="right") / len(reached)
        allowed = np.exp(-0.5 * np.maximum(units - 1.0, 0.0) ** 2)
        return pd.DataFrame({"distance · √K/C": units, "share of draws": share, "share allowed": allowed})


def distances_to_target(
    split: Split,
    spec: MapSpec[FeatureMap],
    k_grid: Sequence[int],
    progress: Progress = silent,
) -> DistancesRun:
    """Draw K features again and again, and compare what they average to with the function of the class itself.

    The function f* weights each feature by +1 or −1, as it goes with the classes on the training rows: C = 1, and no
    function of the class goes with them further. Of several classes it is that of the first.

    Parameters
    ----------
    split : Split
        With classes. Functions are compared at up to 400 test rows.
    spec : MapSpec
        Its seed is that of the draws; the features over which p is uniform are always the same.
    k_grid : sequence of int
        Rising.

    Raises
    ------
    DataError
        For targets that are not classes.
    MemoryBudgetError
        Where the features do not fit.
    """
    check_classes(split)
    grid = np.array(sorted({int(k) for k in k_grid}))
    rows = split.X_test[:_ROWS]
    check_memory(
        24 * _POPULATION * len(rows), "cpu", f"{_POPULATION} features of {len(rows)} rows", "Choose less data."
    )
    rng = np.random.default_rng([0, int(spec.get("random_state") or 0)])
    terms = _signed_features(split, spec, rows, progress)
    target = terms.mean(axis=0)
    norms = np.sqrt(np.mean(np.square(terms), axis=1))
    means, first = np.empty((_SEQUENCES, len(grid))), np.empty((0, len(rows)))
    for number in range(_SEQUENCES):
        progress(0.2 + 0.4 * number / _SEQUENCES, f"draw {number + 1} of {_SEQUENCES}")
        drawn = terms[rng.integers(len(terms), size=grid[-1])]
        if number == 0:
            first = drawn
        sums = np.add.reduceat(drawn, np.concatenate([[0], grid[:-1]]), axis=0).cumsum(axis=0)
        means[number] = np.sqrt(np.mean(np.square(sums / grid[:, None] - target), axis=1))
    nearest = np.empty(len(grid))
    for place, k in enumerate(map(int, grid)):
        progress(0.6 + 0.4 * place / len(grid), f"weights of at most C/K, K = {k:,}")
        nearest[place] = _nearest(first[:k], target)
    size, typical = float(norms.max()), float(np.sqrt(np.mean(np.square(norms))))
    return DistancesRun(means, nearest, size, typical, float(np.sqrt(np.mean(np.square(target)))))


def _signed_features(split: Split, spec: MapSpec[FeatureMap], rows: np.ndarray, progress: Progress) -> np.ndarray:
    """Return β(w) φ(x; w) of the features over which p is uniform, shape (features, rows)."""
    progress(0.0, f"{_POPULATION:,} features")
    feature_map = spec.make(n_components=_POPULATION, random_state=0).fit(split.X_train)
    codes = Targets.learn(split.y_train).codes(split.y_train)[:, 0]
    votes, done = np.zeros(_POPULATION), 0
    for block in feature_map.transform_blocks(split.X_train, scaled=False):
        votes += codes[done : done + len(block)] @ to_host(block).astype(np.float64)
        done += len(block)
    blocks = feature_map.transform_blocks(rows, scaled=False)
    features = np.concatenate([to_host(block) for block in blocks]).T.astype(np.float64)
    return features * np.where(votes < 0, -1.0, 1.0)[:, None]


def _nearest(terms: np.ndarray, target: np.ndarray) -> float:
    """Return the distance from f* of the nearest sum of these terms with weights of at most 1/K in size."""
    k, n = terms.shape
    gram, cross = terms @ terms.T / n, terms @ target[:, None] / n
    gram[np.diag_indices(k)] += _PENALTY
    # From the weights of the mean, so that it is never further away than that.
    weights = bounded_weights(gram, cross, np.full((k, 1), 1.0 / k), 1.0 / k)
    return float(np.sqrt(np.mean(np.square(weights[:, 0] @ terms - target))))
