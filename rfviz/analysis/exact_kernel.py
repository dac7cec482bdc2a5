"""Ridge regression with the exact kernel of a feature map, whose inner products its features approximate."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.preprocessing import KernelCenterer

from rfviz.analysis.splits import Split
from rfviz.backend import check_memory
from rfviz.backend.lapack import solve_definite
from rfviz.errors import DataError
from rfviz.features import FeatureMap, MapSpec
from rfviz.features.base import SlowKernelError
from rfviz.linear_model.targets import Targets
from rfviz.progress import Progress, silent

__all__ = ["MOST_SECONDS", "ExactKernel", "run_exact_kernel"]

#: A kernel matrix that would take longer is refused.
MOST_SECONDS = 3600.0
# Penalties are compared on a fifth of so many rows; as parts of the kernel's mean square norm, about the mean.
_SEARCH_ROWS, _HOLDOUT, _PENALTIES = 5000, 0.2, tuple(10.0**k for k in range(-9, 1))
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
    """

    error: float
    penalty: float
    seconds: float
    bytes: int


def run_exact_kernel(split: Split, spec: MapSpec[FeatureMap], progress: Progress = silent) -> ExactKernel:
    """Train and test ridge regression with the exact kernel of a map, an intercept included.

    The penalty is chosen by hold-out, as it is for features. Cost: O(n³), and n² kernel values.

    Parameters
    ----------
    split : Split
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
    penalty = _choose(K, y, targets)
    progress(0.9, "Solving")
    scores = _scores(K, targets.codes(y), K_test, [penalty])[0]
    if scores is None:
        raise DataError("The exact kernel’s matrix is singular to rounding. Use other data or more rows.")
    error = float(targets.errors(scores, split.y_test).mean())
    size = X.nbytes + 8 * n * targets.n_columns
    return ExactKernel(error if split.is_classification else error**0.5, penalty, time.perf_counter() - begun, size)


def _blocks(n: int) -> list[slice]:
    return [slice(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK)]


def _fill(out: np.ndarray, fitted: FeatureMap, X: np.ndarray, Y: np.ndarray, report: _Report) -> None:
    """Compute the kernel between some rows, of so many pairs at once as the map takes."""
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
    """Progress over pairs of rows; refuses what would take too long."""

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


def _choose(K: np.ndarray, y: np.ndarray, targets: Targets) -> float:
    """Return the penalty with the fewest errors on held-out rows; of those alike, with the least squared error."""
    rows = np.random.default_rng(0).permutation(len(y))[:_SEARCH_ROWS]
    n_held = max(round(_HOLDOUT * len(rows)), 1)
    held, kept = np.sort(rows[:n_held]), np.sort(rows[n_held:])
    found = _scores(K[np.ix_(kept, kept)], targets.codes(y[kept]), K[np.ix_(held, kept)], _PENALTIES)
    codes = targets.codes(y[held])
    losses = [
        (np.inf, np.inf) if scores is None else (targets.errors(scores, y[held]).mean(), np.mean((scores - codes) ** 2))
        for scores in found
    ]
    return _PENALTIES[min(range(len(losses)), key=losses.__getitem__)]


def _scores(K: np.ndarray, Y: np.ndarray, K_test: np.ndarray, penalties: Sequence[float]) -> list[np.ndarray | None]:
    """Return scores of test rows for each penalty; None where the equations have no digit left."""
    centre = KernelCenterer().fit(K)
    across, means = centre.transform(K_test), Y.mean(axis=0)
    found: list[np.ndarray | None] = []
    for penalty in penalties:
        try:
            found.append(across @ _solve(centre.transform(K), penalty, Y - means) + means)
        except np.linalg.LinAlgError:
            found.append(None)
    return found


def _solve(A: np.ndarray, penalty: float, Y: np.ndarray) -> np.ndarray:
    A[np.diag_indices_from(A)] += penalty * np.trace(A) / len(A)
    return solve_definite(A, Y)
