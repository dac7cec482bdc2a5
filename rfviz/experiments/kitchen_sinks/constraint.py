"""Kitchen sinks with weights of at most C/K: Algorithm 1 of the paper as its Theorem 1 is about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.linalg import solve
from scipy.optimize import Bounds, minimize

from rfviz.analysis.splits import Split
from rfviz.backend import check_memory, to_host
from rfviz.experiments.kitchen_sinks.boosting import check_classes
from rfviz.experiments.kitchen_sinks.weights import feature_sums
from rfviz.features import FeatureMap, MapSpec
from rfviz.linear_model.targets import Targets
from rfviz.progress import Progress, silent, stop_point

__all__ = ["C_GRID", "ConstrainedErrors", "ConstrainedRun", "bounded_weights", "constrained_errors"]

#: The values of C that are tried, the same for all data, so that draws can be averaged.
C_GRID: tuple[float, ...] = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
# A weight within this share of C/K of its border stands at it.
_AT_BORDER = 1e-3
_MOST_STEPS = 500


@dataclass(frozen=True, eq=False)
class ConstrainedRun:
    """One draw of the features.

    Attributes
    ----------
    errors, at_border : ndarray of shape (len(C_GRID),)
        Share of wrong test rows under each constraint, and share of the weights that stand at ±C/K.
    free_error : float
        Share of wrong test rows without a constraint.
    free_size : float
        K‖α‖_∞ without a constraint: the least C that changes nothing.
    """

    errors: np.ndarray
    at_border: np.ndarray
    free_error: float
    free_size: float


@dataclass(frozen=True, eq=False)
class ConstrainedErrors:
    """Several draws.

    Attributes
    ----------
    k : int
        Number of features.
    runs : tuple of ConstrainedRun
    """

    k: int
    runs: tuple[ConstrainedRun, ...]

    @property
    def errors(self) -> np.ndarray:
        """Mean share of wrong test rows under each constraint."""
        return np.mean([run.errors for run in self.runs], axis=0)

    @property
    def spread(self) -> np.ndarray:
        """Standard deviation of that share over the draws; zeros for one draw."""
        errors = np.stack([run.errors for run in self.runs])
        return errors.std(axis=0, ddof=1) if len(errors) > 1 else np.zeros(errors.shape[1])

    @property
    def at_border(self) -> np.ndarray:
        """Mean share of the weights that stand at ±C/K."""
        return np.mean([run.at_border for run in self.runs], axis=0)

    @property
    def free_error(self) -> float:
        """Mean share of wrong test rows without a constraint."""
        return float(np.mean([run.free_error for run in self.runs]))

    @property
    def free_size(self) -> float:
        """Median over the draws of the least C that changes nothing."""
        return float(np.median([run.free_size for run in self.runs]))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per C, in shares of 1."""
        return pd.DataFrame(
            {
                "C": C_GRID,
                "K": self.k,
                "draws": len(self.runs),
                "error": self.errors,
                "s.d.": self.spread,
                "weights at ±C/K": self.at_border,
                "error without": self.free_error,
            }
        )


def constrained_errors(
    split: Split,
    spec: MapSpec[FeatureMap],
    k: int,
    c_grid: Sequence[float] = C_GRID,
    alpha: float = 1.0,
    progress: Progress = silent,
) -> ConstrainedRun:
    """Fit K random features by least squares with weights of at most C/K in size, for each C, and test them.

    As in the paper there is no intercept, the codes of the classes are ±1, and the loss is quadratic; a penalty as
    small as one row makes the weights unique. The constrained problem is solved by L-BFGS-B, each from the weights of
    the C before.

    Parameters
    ----------
    split : Split
        With classes.
    spec : MapSpec
        With its seed.
    c_grid : sequence of float
        Rising.
    alpha : float
        Penalty on the unscaled features, next to a loss summed over the rows.

    Raises
    ------
    DataError
        For targets that are not classes.
    MemoryBudgetError
        Where the Gram matrix would not fit.
    """
    check_classes(split)
    check_memory(24 * k**2, "cpu", f"The Gram matrix of {k} features", "Choose a smaller K.")
    feature_map, targets = spec.make(n_components=k).fit(split.X_train), Targets.learn(split.y_train)
    codes = targets.codes(split.y_train)
    progress(0.0, f"Gram matrix of {k:,} features")
    gram, cross = feature_sums(feature_map, split.X_train, codes)
    gram[np.diag_indices(k)] += alpha
    free = solve(gram, cross, assume_a="pos")
    solutions, before = [free], np.zeros_like(free)
    for number, c in enumerate(c_grid):
        progress(0.3 + 0.6 * number / len(c_grid), f"Weights of at most C/K, C = {c:g}")
        inside = np.abs(free).max() <= c / k
        before = free if inside else bounded_weights(gram, cross, before, c / k)
        solutions.append(before)
    scores = np.zeros((len(split.X_test), len(solutions), cross.shape[1]))
    done = 0
    for block in feature_map.transform_blocks(split.X_test, scaled=False):
        H = to_host(block).astype(np.float64)
        scores[done : done + len(H)] = np.einsum("ik,ckj->icj", H, np.stack(solutions), optimize=True)
        done += len(H)
    wrong = [float(np.mean(targets.errors(scores[:, place], split.y_test))) for place in range(len(solutions))]
    border = [
        float(np.mean(np.abs(weights) >= c / k * (1.0 - _AT_BORDER)))
        for c, weights in zip(c_grid, solutions[1:], strict=True)
    ]
    return ConstrainedRun(np.array(wrong[1:]), np.array(border), wrong[0], float(k * np.abs(free).max()))


def bounded_weights(gram: np.ndarray, cross: np.ndarray, start: np.ndarray, bound: float) -> np.ndarray:
    """Minimise ½ Σ αᵀGα − cᵀα over the columns of weights of at most `bound` in size."""
    # Weights in units of the bound, and values in units of their largest, so that the tolerances have a meaning.
    unit = bound * bound * float(np.trace(gram))

    def value_and_slope(flat: np.ndarray) -> tuple[float, np.ndarray]:
        stop_point()
        weights = bound * flat.reshape(start.shape)
        image = gram @ weights
        slope = bound * (image - cross) / unit
        return float(np.sum(weights * (0.5 * image - cross))) / unit, slope.ravel()

    box = Bounds(-1.0, 1.0)
    options = {"maxiter": _MOST_STEPS, "maxfun": 2 * _MOST_STEPS, "ftol": 1e-12, "gtol": 1e-9}
    begun = np.clip(start.ravel() / bound, -1.0, 1.0)
    found = minimize(value_and_slope, begun, jac=True, bounds=box, method="L-BFGS-B", options=options)
    return bound * found.x.reshape(start.shape)
