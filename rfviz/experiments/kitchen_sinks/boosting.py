"""AdaBoost with decision stumps, scikit-learn's, in segments that continue where the last one ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from rfviz.analysis.accuracy import grid_segments
from rfviz.analysis.splits import Split
from rfviz.backend import check_memory
from rfviz.errors import DataError
from rfviz.progress import Progress, silent

__all__ = ["BoostSegment", "BoostState", "boost", "check_classes", "stump_segments"]

_FEW = (1, 2, 3, 5, 7)
_PERFECT = "a stump made no error, so that AdaBoost ended"
_NO_BETTER = "no stump was better than chance any more, so that AdaBoost ended"


@dataclass(frozen=True, eq=False)
class BoostState:
    """The state of boosting between two segments.

    Attributes
    ----------
    weights : ndarray of shape (n_train,)
        Weights of the training rows for the next stump.
    votes : ndarray of shape (n_test, n_classes)
        Weighted votes of the stumps so far.
    seconds_fit, seconds_predict : float
        Since the first stump.
    ended : str
        Why there can be no further stump; empty while there can.
    """

    n_stumps: int
    weights: np.ndarray
    votes: np.ndarray
    seconds_fit: float = 0.0
    seconds_predict: float = 0.0
    ended: str = ""


@dataclass(frozen=True, eq=False)
class BoostSegment:
    """AdaBoost on one part of the grid.

    Attributes
    ----------
    k_grid : ndarray of int
        Numbers of stumps.
    errors : ndarray
        Share of wrong test rows for each; where boosting has ended, that of its last stump.
    seconds_fit, seconds_predict : ndarray
        Of that many stumps, from the first one on.
    """

    k_grid: np.ndarray
    errors: np.ndarray
    seconds_fit: np.ndarray
    seconds_predict: np.ndarray
    state: BoostState


def check_classes(split: Split) -> None:
    """Refuse data whose targets are not classes.

    Raises
    ------
    DataError
        In one sentence.
    """
    if not split.is_classification:
        raise DataError(
            f"Kitchen sinks and AdaBoost compare classifiers; {split.name} has numbers as targets. Choose data with "
            "classes, such as breast_cancer."
        )


def stump_segments(stumps: int, points: int = 16) -> list[list[int]]:
    """Return numbers of stumps up to `stumps`, cut into segments as those of features are; the first few one by one.

    Parameters
    ----------
    stumps : int
        0 for no segment.
    points : int
        About how many numbers.

    Returns
    -------
    list of lists of int
        For :func:`boost`, one after another.
    """
    if not stumps:
        return []
    grids = [[int(k) for k in grid] for grid in grid_segments(stumps, points)]
    grids[0] = sorted({*(k for k in _FEW if k < min(stumps, 10)), *grids[0]})
    return grids


class _Stump(DecisionTreeClassifier):
    """A tree with one question, which says when its turn comes: boosting has no other way to be watched or stopped."""

    def __init__(self, before: Callable[[], None] | None = None, random_state: Any = None) -> None:
        super().__init__(max_depth=1, random_state=random_state)
        self.before = before

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> _Stump:
        if self.before is not None:
            self.before()
        return super().fit(X, y, sample_weight=sample_weight, check_input=check_input)


def boost(
    split: Split, k_grid: Sequence[int], state: BoostState | None = None, progress: Progress = silent
) -> BoostSegment:
    """Boost stumps up to the last number of `k_grid`, and test at each of its numbers.

    All that one stump leaves to the next are the weights of the rows, so segments one after another make the ensemble
    that a single fit makes. Seconds are measured stump by stump in that one run; what the segments add to it is not
    counted.

    Parameters
    ----------
    split : Split
        With classes.
    k_grid : sequence of int
        Rising numbers of stumps, above that of `state`.
    state : BoostState, optional
        Where the last segment ended.
    progress : callable
        May raise to stop, between two stumps.

    Returns
    -------
    BoostSegment

    Raises
    ------
    DataError
        For targets that are not classes, or data on which no stump is better than chance.
    MemoryBudgetError
        Where the rows, as boosting holds them, would not fit.
    """
    check_classes(split)
    grid = np.array(sorted(int(k) for k in k_grid))
    classes = np.unique(split.y_train)
    n, d = split.X_train.shape
    # The rows in order of every column, weights, and votes.
    needed = 8 * n * d + 64 * n + 8 * len(split.X_test) * len(classes)
    check_memory(needed, "cpu", f"AdaBoost on {n:,} rows of {d}", "Choose fewer rows.")
    if state is None:
        state = BoostState(0, np.full(n, 1.0 / n), np.zeros((len(split.X_test), len(classes))))
    wanted = int(grid[-1]) - state.n_stumps
    if state.ended or wanted < 1:
        errors = np.full(len(grid), _error(classes, state.votes, split.y_test))
        fit, predict = (np.full(len(grid), s) for s in (state.seconds_fit, state.seconds_predict))
        return BoostSegment(grid, errors, fit, predict, state)
    model, seconds = _fitted(split, wanted, state, progress)
    return _tested(split, classes, grid, state, model, seconds)


def _fitted(
    split: Split, wanted: int, state: BoostState, progress: Progress
) -> tuple[AdaBoostClassifier | None, np.ndarray]:
    """Fit further stumps, and return the seconds after which each was there, or None if none is better than chance."""
    starts: list[float] = []
    watching = 0.0  # seconds that the report itself took

    def before() -> None:
        nonlocal watching
        now = time.perf_counter()
        starts.append(now - watching)
        done = state.n_stumps + len(starts) - 1
        progress((len(starts) - 1) / wanted, f"stump {done + 1:,} of {state.n_stumps + wanted:,}")
        watching += time.perf_counter() - now

    model = AdaBoostClassifier(_Stump(before), n_estimators=wanted, random_state=0)
    begun = time.perf_counter()
    try:
        model.fit(split.X_train, split.y_train, sample_weight=state.weights)
    except ValueError as error:
        # Scikit-learn's words where the very first stump is no better than chance.
        if "worse than random" not in str(error):
            raise
        if state.n_stumps:
            return None, np.zeros(0)
        raise DataError(
            f"No stump is better than chance on {split.name}, so AdaBoost cannot begin. Choose other data or classes."
        ) from None
    ends = [*starts[1:], time.perf_counter() - watching]
    return model, np.array(ends[: len(model.estimators_)]) - begun


def _tested(
    split: Split,
    classes: np.ndarray,
    grid: np.ndarray,
    state: BoostState,
    model: AdaBoostClassifier | None,
    seconds: np.ndarray,
) -> BoostSegment:
    """Add the votes of further stumps on the test rows, and reweight the training rows."""
    votes, logs = state.votes.copy(), np.log(np.maximum(state.weights, np.finfo(float).tiny))
    stumps = [] if model is None else list(zip(model.estimators_, model.estimator_weights_, strict=False))
    errors, predict, spent = {}, {}, state.seconds_predict
    others = 1.0 / (len(classes) - 1)
    for number, (stump, weight) in enumerate(stumps, start=state.n_stumps + 1):
        begun = time.perf_counter()
        votes += weight * np.where(stump.predict(split.X_test)[:, None] == classes, 1.0, -others)
        spent += time.perf_counter() - begun
        logs += weight * (stump.predict(split.X_train) != split.y_train)
        errors[number], predict[number] = _error(classes, votes, split.y_test), spent
    last = state.n_stumps + len(stumps)
    weights = np.exp(logs - logs.max())
    total = state.seconds_fit + float(seconds[-1]) if len(seconds) else state.seconds_fit
    ended = "" if last >= grid[-1] else _PERFECT if model is not None and _is_perfect(model) else _NO_BETTER
    after = BoostState(last, weights / weights.sum(), votes, total, spent, ended)
    reached = np.minimum(grid, last)
    known = {state.n_stumps: (_error(classes, state.votes, split.y_test), 0.0, state.seconds_predict)}
    known |= {k: (errors[k], seconds[k - state.n_stumps - 1], predict[k]) for k in errors}
    columns = np.array([known[int(k)] for k in reached])
    return BoostSegment(grid, columns[:, 0], state.seconds_fit + columns[:, 1], columns[:, 2], after)


def _is_perfect(model: AdaBoostClassifier) -> bool:
    return bool(model.estimator_errors_[len(model.estimators_) - 1] <= 0)


def _error(classes: np.ndarray, votes: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean(classes[np.argmax(votes, axis=1)] != y))
