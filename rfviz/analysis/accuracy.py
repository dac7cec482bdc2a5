"""Accuracy against the number of features: one feature map under a linear model, segment by segment.

A run is one map with one seed. It is computed in segments of the grid that end at doubling numbers of features (or, if
the rows are to grow, on growing shares of the rows), so that points arrive early and a run can be stopped and resumed.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from rfviz import linear_model
from rfviz.analysis.splits import Split
from rfviz.backend import single_threaded_blas
from rfviz.errors import DataError
from rfviz.features import FeatureMap, MapSpec
from rfviz.linear_model.losses import LOSSES
from rfviz.linear_model.targets import Targets
from rfviz.params import Param
from rfviz.progress import Progress, silent

__all__ = [
    "DOUBLY_STOCHASTIC",
    "LINEAR_SVM",
    "LOSS",
    "Segment",
    "grid_segments",
    "mean_and_spread",
    "relative_squares",
    "run_segment",
]

LOSS = Param(
    "loss",
    "ridge",
    "choice",
    choices=("ridge", *LOSSES),
    label="Loss",
    help="Ridge solves every m at once. The others train each m by stochastic gradients: slower, but without a "
    "Gram matrix, so they also take an m whose Gram matrix would not fit into memory.",
)
#: A way to train besides the losses: least squares by doubly stochastic gradients.
DOUBLY_STOCHASTIC = "doubly stochastic"
#: Another, of classes: scikit-learn's linear support vector machine, with C = 1.
LINEAR_SVM = "linear SVM"
_SEGMENT_COLUMNS = ("m_grid", "errors", "alphas", "bytes", "columns")
# Multiply-adds of a Gram matrix below which one BLAS thread is the faster one.
_ONE_THREAD_BELOW = 3e10


@dataclass(frozen=True, eq=False)
class Segment:
    """One map with one seed on one part of the grid.

    Attributes
    ----------
    m_grid : ndarray of int
    errors : ndarray
        Test error for each m: share of wrong labels, or root mean squared error.
    alphas : ndarray
        Penalty on the unscaled features for each m; of a stochastic loss, per row.
    predictions : ndarray of shape (len(m_grid), n_test)
        Predicted class codes, int16; empty for regression.
    bytes : ndarray of int
        Memory of the model for each m: weights of the map and coefficients.
    columns : ndarray of int
        Columns of the feature matrix for each m: m itself, but for sparse maps, where m counts repetitions.
    seconds_fit, seconds_predict : float
        Of the largest m of the segment, all smaller ones included.
    squared : ndarray
        Mean squared error of the scores for each m, as a part of that of a model that always answers the mean of the
        training rows; of classes, of ±1 codes. Empty for losses that fit no codes.
    """

    m_grid: np.ndarray
    errors: np.ndarray
    alphas: np.ndarray
    predictions: np.ndarray
    bytes: np.ndarray
    columns: np.ndarray
    seconds_fit: float
    seconds_predict: float
    n_train: int
    squared: np.ndarray = field(default_factory=lambda: np.empty(0))


def grid_segments(m_max: int, points: int = 20) -> list[np.ndarray]:
    """Return the grid cut into parts that end at m_max, at its half, at its quarter, and so on.

    To compute all of them costs a third more than the last alone, since the Gram matrix grows with the square of m.

    Parameters
    ----------
    m_max : int
        The largest number of features.
    points : int
        About how many there are in all.

    Returns
    -------
    list of ndarray of int
        Rising, and so are the numbers in each.
    """
    grid = linear_model.default_grid(m_max, points)
    ends = [m_max]
    while ends[-1] > 2 * grid[0] and len(ends) < 8:
        ends.append(ends[-1] // 2)
    # A point just next to the end of a segment would show nothing new but the noise of a draw.
    apart = [m for m in grid if all(abs(m - end) > 0.12 * end for end in ends)]
    segments, rest = [], np.unique(np.append(apart, ends))
    for end in reversed(ends):
        segments.append(rest[rest <= end])
        rest = rest[rest > end]
    return [segment for segment in segments if len(segment)]


def run_segment(
    split: Split,
    spec: MapSpec[Any],
    m_grid: Sequence[int],
    alphas: Any = "auto",
    share: float = 1.0,
    progress: Progress = silent,
    loss: str = "ridge",
    intercept: bool = True,
) -> Segment:
    """Train and test on one part of the grid.

    Parameters
    ----------
    spec : MapSpec
        The number of features is that of the grid.
    alphas : "auto", float or sequence of float
        See :class:`rfviz.linear_model.RidgePathClassifier`; the other losses have a penalty of their own.
    share : float
        Share of the training rows to use; rows of a smaller share are among those of a larger one.
    loss : {"ridge", "logistic", "hinge", "exponential", "doubly stochastic", "linear SVM"}
        Ridge regression, or stochastic gradients: :class:`rfviz.linear_model.StochasticPath`, and
        :class:`rfviz.linear_model.DoublyStochasticClassifier`; or :class:`rfviz.linear_model.LinearSVMPath`.
    intercept : bool
        Whether ridge regression has one that is not penalised.

    Raises
    ------
    DataError
        For a loss of classes on numbers.
    MemoryBudgetError
        Where the Gram matrix (ridge) or the weights do not fit.
    """
    # One run for all m.
    together = loss == DOUBLY_STOCHASTIC or (loss != LINEAR_SVM and LOSS.validate(loss) == "ridge")
    if not together and not split.is_classification:
        raise DataError(f"The {loss} loss needs classes; {split.name} has numbers as targets. Choose the loss ridge.")
    if split.others is not None and loss != "ridge":
        raise DataError(
            f"Rows that are read block by block are trained on by ridge regression, not by {loss}. Use ridge."
        )
    X, y = _share_of_rows(split, share)
    grid = [int(m) for m in m_grid]
    feature_map = spec.make(n_components=max(grid))
    if loss == "ridge":
        kind = linear_model.RidgePathClassifier if split.is_classification else linear_model.RidgePathRegressor
        path: Any = kind(feature_map, m_grid=grid, alphas=alphas, fit_intercept=intercept)
    elif loss == DOUBLY_STOCHASTIC:
        seed = feature_map.random_state
        if split.is_classification:
            path = linear_model.DoublyStochasticClassifier(feature_map, m_grid=grid, loss="ridge", random_state=seed)
        else:
            path = linear_model.DoublyStochasticRegressor(feature_map, m_grid=grid, random_state=seed)
    elif loss == LINEAR_SVM:
        path = linear_model.LinearSVMPath(feature_map, m_grid=grid)
    else:
        path = linear_model.StochasticPath(feature_map, m_grid=grid, loss=loss)
    # A factor of a small matrix is several hundred short calls, which end sooner than other threads wake up.
    n = len(X) if split.others is None else len(split.others)
    small = loss != "ridge" or n * max(grid) ** 2 < _ONE_THREAD_BELOW
    with single_threaded_blas() if small else nullcontext():
        begun = time.perf_counter()
        n = _fit(path, X, y, split, progress)
        fitted = time.perf_counter()
        scores = path.decision_path(split.X_test)
        done = time.perf_counter()
    seconds = fitted - begun
    # Where the smaller m take as long as they would alone, they are not the largest one's.
    if not together:
        seconds -= sum(path.timings_[m] for m in grid if m != max(grid))
    squared = relative_squares(split, path.classes_ if split.is_classification else None, scores) if together else []
    return _segment(split, path, scores, seconds, done - fitted, n, np.array(squared))


def relative_squares(split: Split, classes: np.ndarray | None, scores: Sequence[np.ndarray]) -> list[float]:
    """Return mean squared errors of scores of the test rows, as parts of that of the mean of the training rows.

    Parameters
    ----------
    classes : ndarray or None
        The classes that the scores are of; None for numbers.
    scores : sequence of ndarray of shape (n_test,) or (n_test, k)
    """
    targets = Targets.of_numbers(split.y_train) if classes is None else Targets.of_labels(classes)
    truth = targets.codes(split.y_test)
    of_the_mean = float(np.square(truth - targets.codes(split.y_train).mean(axis=0)).sum())
    squares = [float(np.square(s.reshape(truth.shape) - truth).sum()) for s in scores]
    return [square / max(of_the_mean, np.finfo(float).tiny) for square in squares]


def _fit(path: Any, X: np.ndarray, y: np.ndarray, split: Split, progress: Progress) -> int:
    """Fit to these rows, or to all others of the table that they were drawn from; return how many they are."""
    if split.others is None:
        path.fit(X, y, progress=progress)
        return len(X)
    path.feature_map.fit(X)  # a bandwidth, if it has one to learn
    classes = np.arange(len(split.target_names)) if split.is_classification else None

    def read(share: float | None, text: str) -> None:
        progress(0.8 * (share or 0.0), text)

    def solve(share: float, text: str) -> None:
        if share:
            progress(share, text)

    path.fit_blocks(split.others.arrays(read), classes=classes, progress=solve)
    return path.sums_.n_samples


def _share_of_rows(split: Split, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Return training rows and targets; of less than all, the first of one random order."""
    if share >= 1:
        return split.X_train, split.y_train
    n = len(split.X_train)
    rows = np.sort(np.random.default_rng(0).permutation(n)[: max(round(share * n), 2)])
    return split.X_train[rows], split.y_train[rows]


def _segment(
    split: Split,
    path: Any,
    scores: list[np.ndarray],
    seconds_fit: float,
    seconds_predict: float,
    n: int,
    squared: np.ndarray,
) -> Segment:
    """Measure a fitted path on the test rows."""
    errors = np.array([path.error(s, split.y_test) for s in scores])
    predictions = np.empty((0, 0), dtype=np.int16)
    if split.is_classification:
        predictions = np.stack([path.labels(s) for s in scores]).astype(np.int16)
    else:
        errors = np.sqrt(errors)
    # Coefficients count as doubles, of however many classes.
    drawn = getattr(path, "feature_map_", None)  # those of doubly stochastic gradients are drawn again
    coef = path.coef_path_
    size = [_weight_bytes(drawn, m, split.X_train.shape[1]) + 8 * coef[m].size for m in map(int, path.m_grid_)]
    bytes_ = np.array(size, dtype=np.int64)
    columns = np.array([drawn.columns(int(m)) if drawn else int(m) for m in path.m_grid_])
    seconds = seconds_fit, seconds_predict
    return Segment(path.m_grid_, errors, path.alpha_, predictions, bytes_, columns, *seconds, n, squared)


def _weight_bytes(feature_map: FeatureMap | None, m: int, n_features: int) -> int:
    """Return the bytes of the weights of the first m features; 0 if they are drawn again whenever they are needed."""
    if feature_map is None:
        return 0
    smaller = copy.copy(feature_map)
    smaller.n_components = m
    return smaller.weight_bytes(n_features)


def mean_and_spread(runs: Sequence[Sequence[Segment]]) -> pd.DataFrame:
    """Return mean and standard deviation over seeds for every m that at least one run has reached.

    Parameters
    ----------
    runs : sequence of sequences of Segment
        The segments of each seed.

    Returns
    -------
    DataFrame
        Columns m, error, s.d. (0 for a single seed), seeds, alpha (geometric mean), bytes and columns (mean); one row
        per m, rising.
    """
    segments = [s for run in runs for s in run]
    if not segments:
        return pd.DataFrame(columns=["m", "error", "s.d.", "seeds", "alpha", "bytes", "columns"])
    # By hand, because grouping takes Pandas longer than the rest of a page's redraw.
    columns = (np.concatenate([getattr(s, name) for s in segments]) for name in _SEGMENT_COLUMNS)
    m_all, errors, alphas, sizes, widths = columns
    m, first, place, seeds = np.unique(m_all, return_index=True, return_inverse=True, return_counts=True)
    mean = np.bincount(place, errors) / seeds
    squares = np.bincount(place, (errors - mean[place]) ** 2)
    return pd.DataFrame(
        {
            "m": m,
            "error": mean,
            "s.d.": np.sqrt(squares / np.maximum(seeds - 1, 1)),
            "seeds": seeds,
            "alpha": np.exp(np.bincount(place, np.log(alphas)) / seeds),
            "bytes": sizes[first],
            "columns": np.rint(np.bincount(place, widths) / seeds).astype(int),
        }
    )
