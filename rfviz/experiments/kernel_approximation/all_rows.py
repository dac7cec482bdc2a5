"""Errors of kernel estimates over all rows of a table in parts, each paired with each of the points, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.distance import squareform

from rfviz.analysis.kernel_sample import KernelSample
from rfviz.analysis.nested import estimates_between, unscaled_features
from rfviz.backend import get_device, map_ordered, worker_count
from rfviz.experiments.kernel_approximation.measures import METRICS, Measures, correlation_of
from rfviz.features import FeatureMap, MapSpec
from rfviz.progress import Progress, silent

if TYPE_CHECKING:
    from rfviz.datasets.files import PreparedRows

__all__ = ["DRAWS_AT_ONCE", "RowErrors", "join_draws", "row_errors"]

#: Draws that one pass over the rows serves.
DRAWS_AT_ONCE = 5
# Features, kernel and estimates of as many rows as are mapped at a time: few enough for the caches of a processor.
_BYTES, _GPU_BYTES = 16_000_000, 1_000_000_000


@dataclass(frozen=True, eq=False)
class RowErrors(Measures):
    """Measures of error over all pairs of a point and a row of the table, without those of a row with itself.

    Attributes
    ----------
    n_rows : int
        Rows that can be used, the points included.
    n_pairs : int
        Each pair counted once.
    """

    n_rows: int
    n_pairs: int

    @property
    def n_draws(self) -> int:
        return len(self.rmse)


def row_errors(
    sample: KernelSample,
    others: PreparedRows,
    spec: MapSpec[FeatureMap],
    m_grid: Sequence[int] | np.ndarray,
    draws: Sequence[int] = range(DRAWS_AT_ONCE),
    progress: Progress = silent,
) -> RowErrors:
    """Estimate the kernel between the points and all rows of their table, in one pass over the rows.

    The draws are those of :func:`rfviz.experiments.kernel_approximation.compute.kernel_errors`. Memory holds the rows
    of one block, and of each draw its weights and the features of the points.

    Parameters
    ----------
    others : PreparedRows
        All rows but the points.
    spec : MapSpec
        Of a map with a closed-form kernel; the number of features and the seed are replaced.
    m_grid : sequence of int
        Rising numbers of features.
    draws : sequence of int
        Their seeds.
    progress : callable
        See :data:`rfviz.progress.Progress`.

    Raises
    ------
    DataError
        If the file is damaged or has changed, or a row has no direction under unit norm.
    ParameterError
        For a map without a closed-form kernel.
    MemoryBudgetError
        Where the weights or the features of the points would not fit.
    """
    grid, points = [int(m) for m in m_grid], sample.original
    resolved = spec.resolve(points)
    maps = [resolved.make(n_components=grid[-1], random_state=seed).fit(points) for seed in draws]
    of_points = [unscaled_features(one, points) for one in maps]
    drawn = list(zip(maps, of_points, strict=True))
    K = squareform(maps[0].kernel(points), checks=False)
    centre = float(K.mean())
    among_points = (
        (squareform(K_hat, checks=False) for K_hat in estimates_between(G, G, one, grid)) for one, G in drawn
    )
    sums, n_rows = _sums(K, among_points, centre), len(points)

    def measure(X: np.ndarray) -> tuple[_Sums, int]:
        estimated = (estimates_between(unscaled_features(one, X), G, one, grid) for one, G in drawn)
        return _sums(maps[0].kernel(X, points), estimated, centre), len(X)

    on_gpu = get_device(maps[0].device).is_gpu
    row_bytes = 2 * grid[-1] * np.dtype(maps[0].dtype).itemsize + 5 * 8 * len(points)
    at_once = max((_GPU_BYTES if on_gpu else _BYTES) // row_bytes, 16)
    blocks = (batch.X.astype(points.dtype, copy=False) for batch in others.batches())
    slices = (X[start : start + at_once] for X in blocks for start in range(0, len(X), at_once))
    with ExitStack() as held:
        for one in maps:
            held.enter_context(one.resident())
        for found, rows in map_ordered(measure, slices, 1 if on_gpu else worker_count()):
            sums, n_rows = sums.merge(found), n_rows + rows
            done = n_rows - len(points)
            progress(done / len(others), f"{done:,} of {len(others):,} rows")
    return RowErrors(**sums.measures(centre), n_rows=n_rows, n_pairs=sums.n_pairs)


def join_draws(found: Sequence[RowErrors]) -> RowErrors:
    """Return the errors of several passes with other draws each as those of one."""
    measures = {name: np.concatenate([one.metric(name) for one in found]) for name in METRICS}
    return RowErrors(**measures, n_rows=found[0].n_rows, n_pairs=found[0].n_pairs)


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums over pairs, from which all measures of error follow; k is the kernel less a number near its mean.

    Attributes
    ----------
    kernel : ndarray of shape (2,)
        Of k and k².
    extent : ndarray of shape (2,)
        The largest of k and of −k.
    errors : ndarray of shape (4, S, G)
        Of the error e, and of e², |e| and e·k.
    largest : ndarray of shape (S, G)
        The largest |e|.
    """

    n_pairs: int
    kernel: np.ndarray
    extent: np.ndarray
    errors: np.ndarray
    largest: np.ndarray

    def merge(self, other: _Sums) -> _Sums:
        """Return the sums over the pairs of both."""
        return _Sums(
            self.n_pairs + other.n_pairs,
            self.kernel + other.kernel,
            np.maximum(self.extent, other.extent),
            self.errors + other.errors,
            np.maximum(self.largest, other.largest),
        )

    def measures(self, centre: float) -> dict[str, np.ndarray]:
        """Return the measures of error by name; `centre` is what the kernel is less of."""
        (k, k_squares), (mean, squares, absolute, products) = self.kernel / self.n_pairs, self.errors / self.n_pairs
        high, low = self.extent * [1, -1] + centre
        is_constant = high - low <= 1e-12 * max(abs(low), abs(high))  # but for rounding
        variance = np.nan if is_constant else k_squares - k**2
        correlation = correlation_of(squares, mean, products - mean * k, variance)
        return {"rmse": np.sqrt(squares), "mae": absolute, "maximum": self.largest, "correlation": correlation}


def _sums(K: np.ndarray, estimated: Iterable[Iterable[np.ndarray]], centre: float) -> _Sums:
    """Sum over pairs of known kernel and its estimates, by draw and number of features; these are overwritten."""
    K = K.ravel()
    k = K - centre
    errors, largest = [], []
    for estimates in estimated:
        of_draw, most = [], []
        for K_hat in estimates:
            e = K_hat.ravel()
            e -= K
            sums = e.sum(), e @ e, e @ k
            np.abs(e, out=e)
            of_draw.append((sums[0], sums[1], e.sum(), sums[2]))
            most.append(e.max())
        errors.append(of_draw)
        largest.append(most)
    by_measure = np.moveaxis(np.array(errors), -1, 0)
    return _Sums(K.size, np.array([k.sum(), k @ k]), np.array([k.max(), -k.min()]), by_measure, np.array(largest))
