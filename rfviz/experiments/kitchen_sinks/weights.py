"""The largest weight of random kitchen sinks: Figure 2 of the paper.

The paper's guarantee requires weights of at most C/K and its algorithm does not enforce it. Figure 2 shows that the
largest weight falls by itself as K grows. On its data, columns of zeros and ones, a stump has few forms, and equal
stumps share a weight: what a form weighs, all its copies together, does not fall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.linalg import solve

from rfviz.analysis.splits import Split
from rfviz.backend import check_memory, to_host
from rfviz.errors import DataError
from rfviz.experiments.kitchen_sinks.boosting import check_classes
from rfviz.features import FeatureMap, MapSpec
from rfviz.linear_model.cholesky_path import solve_path
from rfviz.linear_model.normal_equations import NormalEquations
from rfviz.linear_model.targets import Targets
from rfviz.progress import Progress, silent

__all__ = ["WeightDecay", "WeightRun", "distinct_features", "feature_sums", "largest_weights"]

# Two thirds of the runs, as many as ± 1 s.d. of a normal distribution holds.
_QUANTILES = (1 / 6, 0.5, 5 / 6)


@dataclass(frozen=True, eq=False)
class WeightRun:
    """The weights of one draw of the features, for each K of a grid.

    Attributes
    ----------
    norms : ndarray of shape (len(k_grid),)
        ‖α‖_∞.
    of_forms : ndarray of shape (len(k_grid),)
        The largest sum of weights of features that are equal on the training rows; opposite ones are subtracted.
    n_forms : ndarray of int, shape (len(k_grid),)
        How many of the K features differ by more than their sign.
    """

    norms: np.ndarray
    of_forms: np.ndarray
    n_forms: np.ndarray


@dataclass(frozen=True, eq=False)
class WeightDecay:
    """The largest weight in several runs.

    Attributes
    ----------
    k_grid : ndarray of int
    runs : tuple of WeightRun
    """

    k_grid: np.ndarray
    runs: tuple[WeightRun, ...]

    @property
    def norms(self) -> np.ndarray:
        """‖α‖_∞ of each run, shape (runs, len(k_grid))."""
        return np.stack([run.norms for run in self.runs])

    @property
    def of_forms(self) -> np.ndarray | None:
        """The median of the largest weight of all equal features together, or None if nine tenths of them differ."""
        if self.n_forms[-1] > 0.9 * self.k_grid[-1]:
            return None
        return np.median([run.of_forms for run in self.runs], axis=0)

    @property
    def n_forms(self) -> np.ndarray:
        """The median number of features that differ, for each K."""
        return np.median([run.n_forms for run in self.runs], axis=0)

    @property
    def quantiles(self) -> np.ndarray:
        """The first sixth, the half and the last sixth of the runs, shape (3, len(k_grid))."""
        return np.quantile(self.norms, _QUANTILES, axis=0)

    @property
    def reference(self) -> np.ndarray:
        """C/K with the smallest C for which it is nowhere below the median."""
        return np.max(self.quantiles[1] * self.k_grid) / self.k_grid

    def slope(self, start: int = 0) -> float:
        """Return the slope of the median on logarithmic axes, from a place of the grid on: −1 is C/K."""
        return float(np.polyfit(np.log(self.k_grid[start:]), np.log(self.quantiles[1][start:]), 1)[0])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per K: runs, the quantiles, and K times the median, which C/K would hold constant."""
        low, median, high = self.quantiles
        frame = pd.DataFrame(
            {
                "K": self.k_grid,
                "runs": len(self.runs),
                "lower sixth": low,
                "median": median,
                "upper sixth": high,
                "K · median": self.k_grid * median,
            }
        )
        if self.of_forms is None:
            return frame
        return frame.assign(**{"different features": self.n_forms, "equal features together": self.of_forms})


def largest_weights(
    split: Split,
    spec: MapSpec[FeatureMap],
    k_grid: Sequence[int] | np.ndarray,
    alpha: float = 1.0,
    progress: Progress = silent,
) -> WeightRun:
    """Return the largest of the least-squares weights on the first K features, for every K of a grid: one run.

    As in the paper there is no intercept, the codes of the classes are ±1, and the loss is quadratic. Features may
    repeat each other (a stump on a column of zeros and ones has few forms), so a penalty as small as one row makes the
    solution unique; it then shares a weight evenly among equal features.

    Parameters
    ----------
    split : Split
        With classes; only the training rows are used.
    spec : MapSpec
        With its seed.
    k_grid : sequence of int
    alpha : float
        Penalty on the unscaled features, next to a loss summed over the rows.

    Raises
    ------
    DataError
        For targets that are not classes.
    MemoryBudgetError
        Where the Gram matrix of the largest K would not fit.
    """
    check_classes(split)
    grid = sorted({int(k) for k in k_grid})
    # Of the solver: sums, a copy, and a factor.
    check_memory(24 * grid[-1] ** 2, "cpu", f"The Gram matrix of {grid[-1]} features", "Choose a smaller K.")
    feature_map = spec.make(n_components=grid[-1]).fit(split.X_train)
    codes = Targets.learn(split.y_train).codes(split.y_train)
    progress(0.1, "Features")
    first, place, sign = distinct_features(feature_map, split.X_train)
    progress(0.3, f"Gram matrix of {len(first):,} distinct features")
    gram, cross = feature_sums(feature_map, split.X_train, codes, first)
    progress(0.8, "Solutions")
    if 2 * len(first) <= grid[-1]:
        return _by_form(gram, cross, place, alpha, grid)
    gram = gram[np.ix_(place, place)] * np.outer(sign, sign)
    solutions = solve_path(gram, cross[place] * sign[:, None], alpha, grid, quiet=True)
    if solutions is None:
        raise DataError(f"The weights at penalty {alpha:g} are below the rounding of the sums. Use a larger penalty.")
    norms, of_forms = [], []
    for coef in solutions:
        k = len(coef)
        together = np.zeros((len(first), coef.shape[1]))
        np.add.at(together, place[:k], sign[:k, None] * coef)
        norms.append(np.abs(coef).max())
        of_forms.append(np.abs(together).max())
    return WeightRun(np.array(norms), np.array(of_forms), _count_forms(place, grid))


def _count_forms(place: np.ndarray, grid: Sequence[int]) -> np.ndarray:
    return np.array([len(np.unique(place[:k])) for k in grid])


def _by_form(gram: np.ndarray, cross: np.ndarray, place: np.ndarray, alpha: float, grid: Sequence[int]) -> WeightRun:
    """Return the largest weights where many features are equal: these share a weight, so a system of forms is enough.

    With D how often each form is there, the weights c of the forms solve (G·D + α)c = HᵀY, which times √D is symmetric.
    """
    norms, of_forms = [], []
    for k in grid:
        counts = np.bincount(place[:k], minlength=len(gram))
        used = np.flatnonzero(counts)
        root = np.sqrt(counts[used])
        system = gram[np.ix_(used, used)] * np.outer(root, root)
        system[np.diag_indices_from(system)] += alpha
        shared = solve(system, cross[used] * root[:, None], assume_a="pos") / root[:, None]
        norms.append(np.abs(shared).max())
        of_forms.append(np.abs(shared * counts[used, None]).max())
    return WeightRun(np.array(norms), np.array(of_forms), _count_forms(place, grid))


def distinct_features(feature_map: FeatureMap, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find the features that differ on these rows by more than their sign.

    A stump on a column of zeros and ones has three forms, so a thousand of them on 123 such columns hold 124 features,
    and a Gram matrix of those is all that a thousand need.

    Returns
    -------
    first : ndarray of int
        One feature of each form.
    place : ndarray of int, shape (n_components,)
        The form of each feature.
    sign : ndarray of shape (n_components,)
        +1, or −1 where it is the negative of its form.
    """
    mixed, done = np.zeros((2, feature_map.n_components)), 0
    mixers = np.random.default_rng(0).standard_normal((2, len(X)))
    for block in feature_map.transform_blocks(X, scaled=False):
        mixed += mixers[:, done : done + block.shape[0]] @ to_host(block).astype(np.float64)
        done += block.shape[0]
    sign = np.where(mixed[0] < 0, -1.0, 1.0)
    # Equal features have equal sums but for rounding; where that tells them apart, they are only multiplied twice.
    rounded = np.round(mixed * sign / np.sqrt(len(X)), 9)
    _, first, place = np.unique(rounded, axis=1, return_index=True, return_inverse=True)
    return first, place.ravel(), sign * sign[first][place.ravel()]


def feature_sums(
    feature_map: FeatureMap, X: np.ndarray, codes: np.ndarray, which: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return HᵀH and HᵀY of the unscaled features, or of some of them."""
    places = np.arange(feature_map.n_components) if which is None else which
    sums, done = NormalEquations(len(places), codes.shape[1], centred=False), 0
    for block in feature_map.transform_blocks(X, scaled=False):
        sums.add(np.ascontiguousarray(to_host(block)[:, places]), codes[done : done + block.shape[0]])
        done += block.shape[0]
    lower = np.tril(sums.gram)
    return lower + np.tril(lower, -1).T, sums.cross
