"""Ridge regression with the exact kernel of a feature map, whose inner products its features approximate."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from sklearn.preprocessing import KernelCenterer

from rfviz.analysis.accuracy import relative_squares
from rfviz.analysis.splits import Split
from rfviz.backend import check_memory
from rfviz.backend.lapack import solve_definite
from rfviz.errors import DataError
from rfviz.features import FeatureMap, MapSpec
from rfviz.features.base import SlowKernelError
from rfviz.linear_model.dual_path import Intercept, solve_dual
from rfviz.linear_model.penalty import PenaltySearch
from rfviz.linear_model.system import Model
from rfviz.linear_model.targets import Targets
from rfviz.progress import Progress, silent

__all__ = ["MOST_SECONDS", "ExactKernel", "run_exact_kernel"]

#: A kernel matrix that would take longer is refused.
MOST_SECONDS = 3600.0
# Penalties are compared by the leave-one-out errors of at most this number of rows.
_SEARCH_ROWS = 4000
# Rows on either side of a block of pairs, after which the progress is told.
_BLOCK = 2000


@dataclass(frozen=True, eq=False)
class ExactKernel:
    """Test error of ridge regression with a kernel itself.

    Attributes
    ----------
    error : float
        Share of wrong labels, or root mean squared error.
    penalty : float
        As a part of the mean of the centred kernel matrix's diagonal.
    seconds : float
        For the kernel, the search for the penalty, training and testing.
    bytes : int
        Memory of the model: the training rows and a coefficient for each of them and each class.
    squared : float
        Mean squared error, as a part of that of the training rows' mean; see :class:`rfviz.analysis.accuracy.Segment`.
    """

    error: float
    penalty: float
    seconds: float
    bytes: int
    squared: float = np.nan


def run_exact_kernel(split: Split, spec: MapSpec[FeatureMap], progress: Progress = silent) -> ExactKernel:
    """Train and test ridge regression with the exact kernel of a map, an intercept included.

    The penalty is chosen by leave-one-out errors, as it is for features. Cost: O(n³), and n² kernel values.

    Parameters
    ----------
    spec : MapSpec
        The number of features and the seed do not matter.
    progress : callable
        May raise to stop.

    Raises
    ------
    ParameterError
        For a map whose kernel has no closed form.
    MemoryBudgetError
        Where the kernel matrix would not fit.
    DataError
        Where it would take more than :data:`MOST_SECONDS`, or is not positive definite to rounding.
    """
    begun = time.perf_counter()
    X, y, n = split.X_train, split.y_train, len(split.X_train)
    numbers = 2 * n * (n + len(split.X_test)) + 3 * min(n, _SEARCH_ROWS) ** 2
    check_memory(8 * numbers, "cpu", f"The exact kernel of {n:,} training rows", "Use fewer rows.")
    fitted = spec.make(n_components=2).fit(X)
    K, K_test = np.empty((n, n)), np.empty((len(split.X_test), n))
    learnt, tested = _blocks(n), _blocks(len(K_test))
    report = _Report(sum(i.stop * (i.stop - i.start) for i in learnt) + K_test.size, progress)
    for number, i in enumerate(learnt):
        for j in learnt[: number + 1]:
            _fill(K[i, j], fitted, X[i], X[j], report)
            K[j, i] = K[i, j].T
    for i in tested:
        for j in learnt:
            _fill(K_test[i, j], fitted, split.X_test[i], X[j], report)
    progress(0.8, "Choosing the penalty")
    targets = Targets.learn(y)
    codes = targets.codes(y)
    penalty = _choose(K, codes)
    progress(0.9, "Solving")
    scores = _scores(K, codes, K_test, penalty)
    error = float(targets.errors(scores, split.y_test).mean())
    size = X.nbytes + 8 * n * targets.n_columns
    error = error if split.is_classification else error**0.5
    (squared,) = relative_squares(split, targets.classes, [scores])
    return ExactKernel(error, penalty, time.perf_counter() - begun, size, squared)


def _blocks(n: int) -> list[slice]:
    return [slice(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK)]


def _fill(out: np.ndarray, fitted: FeatureMap, X: np.ndarray, Y: np.ndarray, report: _Report) -> None:
    """Compute the kernel between some rows, halving the rows until the map accepts the number of pairs."""
    try:
        out[:] = fitted.kernel(X, Y)
    except SlowKernelError:
        if len(X) == 1:
            raise
        half = len(X) // 2
        _fill(out[:half], fitted, X[:half], Y, report)
        _fill(out[half:], fitted, X[half:], Y, report)
        return
    report(out.size)


class _Report:
    """Progress over pairs of rows, which refuses a computation that would take too long."""

    def __init__(self, n_pairs: int, progress: Progress) -> None:
        self._n_pairs, self._progress = n_pairs, progress
        self._done, self._begun = 0, time.monotonic()

    def __call__(self, pairs: int) -> None:
        self._done += pairs
        share = self._done / self._n_pairs
        seconds = (time.monotonic() - self._begun) / share
        if seconds > MOST_SECONDS:
            raise DataError(
                f"The exact kernel of {self._n_pairs:,} pairs of rows would take about {seconds / 3600:.1f} hours; at "
                f"most {MOST_SECONDS / 3600:g} is allowed. Use fewer rows, or leave exact kernels out."
            )
        self._progress(0.8 * share, f"Exact kernel: {self._done:,} of {self._n_pairs:,} pairs of rows")


def _choose(K: np.ndarray, Y: np.ndarray) -> float:
    """Return the penalty whose leave-one-out error is least, as a part of the centred matrix's mean diagonal."""
    rows = np.sort(np.random.default_rng(0).permutation(len(Y))[:_SEARCH_ROWS])
    centred, targets = KernelCenterer().fit_transform(K[np.ix_(rows, rows)]), Y[rows] - Y[rows].mean(axis=0)
    unit = np.trace(centred) / len(rows)
    intercept = Intercept(np.full(len(rows), len(rows) ** -0.5), unit)
    centred += intercept.matrix()

    def evaluate(alpha: float, _: list[int]) -> list[tuple[Model, float]] | None:
        solved = solve_dual(centred, targets, alpha, intercept)
        return None if solved is None else [((None, None), solved[1])]

    search = PenaltySearch(evaluate)
    search.refine(unit, [0], together=False)
    if not search.models:
        raise DataError("The exact kernel’s matrix is singular to rounding. Use other data or more rows.")
    return search.best(0) / unit


def _scores(K: np.ndarray, Y: np.ndarray, K_test: np.ndarray, penalty: float) -> np.ndarray:
    """Return scores of test rows."""
    centre = KernelCenterer().fit(K)
    across, means, A = centre.transform(K_test), Y.mean(axis=0), centre.transform(K)
    A[np.diag_indices_from(A)] += penalty * np.trace(A) / len(A)
    try:
        return across @ solve_definite(A, Y - means) + means
    except np.linalg.LinAlgError:
        raise DataError("The exact kernel’s matrix is singular to rounding. Use other data or more rows.") from None
