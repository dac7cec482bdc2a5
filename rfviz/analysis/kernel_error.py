"""Kernel approximation: how far the inner products of random features are from the exact kernel, for every budget m.

One draw of the largest map holds all smaller ones, since maps are nested: see :mod:`rfviz.analysis.nested`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import squareform

from rfviz.analysis import kernel_statistics as statistics
from rfviz.analysis.kernel_statistics import Density, ErrorTable, Reference
from rfviz.analysis.mapping import points_for, settled
from rfviz.analysis.nested import estimates
from rfviz.analysis.points import blas_for, normalise, span_coordinates
from rfviz.analysis.progress import Progress, silent
from rfviz.backend import check_memory
from rfviz.datasets.base import Dataset
from rfviz.errors import DataError, ParameterError
from rfviz.features import registry
from rfviz.params import Param

__all__ = ["KernelErrorResult", "KernelSample", "error_grid", "kernel_errors", "prepare_sample"]

_DRAWS = Param("n_draws", 5, "int", low=1, high=1000)


@dataclass(frozen=True, eq=False)
class KernelSample:
    """Points whose pairs are looked at: what does not change while a slider moves.

    Attributes
    ----------
    name : str
        The data set.
    rows : ndarray of shape (n,)
        Rows of the data set, rising.
    original : ndarray of shape (n, n_features)
        The normalised points; images as rows of pixels.
    coordinates : ndarray of shape (n, r)
        The same in a basis of their span, for maps that do not mind a rotation.
    """

    name: str
    rows: np.ndarray
    original: np.ndarray
    coordinates: np.ndarray

    @property
    def n_points(self) -> int:
        return len(self.original)


@dataclass(frozen=True, eq=False)
class KernelErrorResult:
    """One scheme's kernel estimates against its exact kernel.

    Attributes
    ----------
    label, scheme, dataset : str
    n_points, n_pairs, n_draws : int
        Pairs are those of two different points, each counted once.
    unit : float
        Mean of k(x, x) over the points: errors divided by it compare kernels of different size.
    m_grid : ndarray of shape (G,), int
    errors : ErrorTable
        Four measures for every draw and every m, and bias apart from variance.
    reference : Reference
        What theory says of them; its parts are None where it is silent.
    density : Density
        How many pairs have which exact kernel and which estimate, at every m.
    """

    label: str
    scheme: str
    dataset: str
    n_points: int
    n_pairs: int
    n_draws: int
    unit: float
    m_grid: np.ndarray
    errors: ErrorTable
    reference: Reference
    density: Density

    def to_frame(self) -> pd.DataFrame:
        """One row an m: measures over all draws, their spread, bias and variance, and what theory predicts."""
        columns: dict[str, Any] = {"map": self.label, "m": self.m_grid}
        for name, title in statistics.METRICS.items():
            values = self.errors.metric(name)
            columns[title] = self.errors.average(name)
            with np.errstate(invalid="ignore"):  # a relative error may be infinite, and then has no spread
                columns[f"{title} s.d."] = values.std(axis=0, ddof=1) if self.n_draws > 1 else np.nan
        columns |= {
            "predicted RMSE": self.reference.rmse,
            "bound on the maximum": self.reference.bound,
            "spread": self.errors.spread,
            "bias²": self.errors.bias_squared,
            "bias² by chance": self.errors.chance,
        }
        return pd.DataFrame(columns)

    def cloud_frame(self, place: int) -> pd.DataFrame:
        """The pairs by exact kernel and estimate at one m, given by its place in the grid: one row a cell with any."""
        d = self.density
        rows, columns = np.nonzero(d.counts[place])
        middle_x, middle_y = (0.5 * (edges[1:] + edges[:-1]) for edges in (d.x_edges, d.y_edges))
        cells = {"exact kernel": middle_x[columns], "estimate": middle_y[rows], "pairs": d.counts[place][rows, columns]}
        return pd.DataFrame({"map": self.label, "m": int(self.m_grid[place])} | cells)


def prepare_sample(
    dataset: Dataset, how: str = "unit norm", n_points: int = 128, random_state: int = 0
) -> KernelSample:
    """Choose points of a data set at random and normalise them; a larger sample holds the smaller.

    Parameters
    ----------
    dataset : Dataset
    how : {"unit norm", "standardise", "standardise rows", "none"}
        See :func:`rfviz.analysis.points.normalise`; columns are standardised over the chosen points.
    n_points : int
        At least 3; all points where there are fewer.
    random_state : int

    Raises
    ------
    DataError
        For fewer than three points.
    """
    order = np.random.default_rng(random_state).permutation(dataset.n_samples)
    rows = np.sort(order[: max(n_points, 0)])
    if len(rows) < 3:
        raise DataError(
            f"Errors over pairs need at least 3 points; {len(rows)} of {dataset.name} were asked for or exist. "
            "Choose more points."
        )
    X = normalise(dataset.X[rows], how)
    return KernelSample(dataset.name, rows, X, span_coordinates(X))


def error_grid(m_max: int, odd: bool = False, points: int = 20) -> np.ndarray:
    """About `points` numbers of features up to `m_max`, even on a logarithmic scale; all even, or all `odd`.

    Parameters
    ----------
    m_max : int
        At least 2.
    odd : bool
        One less than the even numbers: what leaves a pair of Fourier features incomplete.
    points : int

    Returns
    -------
    ndarray of int, rising
    """
    even = np.unique(2 * np.maximum(np.rint(np.geomspace(min(10, m_max), m_max, points) / 2).astype(int), 1))
    return even - 1 if odd else even


def kernel_errors(
    sample: KernelSample,
    scheme: str,
    setting: Mapping[str, Any],
    m_grid: Sequence[int],
    n_draws: int = 5,
    label: str = "",
    progress: Progress = silent,
) -> KernelErrorResult:
    """Estimate the kernel of all pairs of points by several independent draws of a map, for every m of a grid.

    Parameters
    ----------
    sample : KernelSample
    scheme : str
        Class name of a feature map with a closed-form kernel.
    setting : mapping
        Its keyword arguments but for the number of features and the seed.
    m_grid : sequence of int
        Numbers of features; the largest is drawn, the others are its beginnings.
    n_draws : int
        Draws use the seeds 0, 1, …, so that more draws hold the fewer.
    label : str
        What to call the map; by default the scheme's own label.
    progress : callable
        See :data:`rfviz.analysis.progress.Progress`.

    Returns
    -------
    KernelErrorResult

    Raises
    ------
    ParameterError
        For a parameter that breaks its rule, or a scheme without a closed-form kernel.
    MemoryBudgetError
        Where the estimates, the weights or the features would not fit, before they are computed.
    """
    grid, n_draws = _check_grid(m_grid), _DRAWS.validate(n_draws)
    cls = registry()[scheme]
    label = label or cls.label
    pairs = sample.n_points * (sample.n_points - 1) // 2
    _check_room(sample.n_points, pairs, n_draws, len(grid))
    setting = settled(cls, setting, sample.original)
    points = points_for(cls(**setting), sample)
    estimated = np.empty((n_draws, len(grid), pairs), dtype=np.float32)
    with blas_for(sample.n_points, int(grid[-1])):
        for draw in range(n_draws):
            progress(0.9 * draw / n_draws, f"{label}: draw {draw + 1} of {n_draws}")
            scheme_map = cls(**{**setting, "n_components": int(grid[-1]), "random_state": draw}).fit(points)
            if draw == 0:
                K = scheme_map.kernel(points)
                exact = squareform(K, checks=False)
                order = np.argsort(exact, kind="stable")
            for index, K_hat in enumerate(estimates(scheme_map, points, grid)):
                estimated[draw, index] = squareform(K_hat, checks=False)[order]
    progress(0.9, f"{label}: comparing")
    exact = exact[order]
    reference = statistics.reference(scheme_map.product_law(points), grid)
    errors = statistics.error_table(estimated, exact)
    density = statistics.density(estimated, exact, grid, errors)
    unit = float(np.mean(np.diag(K)))
    return KernelErrorResult(
        label, scheme, sample.name, sample.n_points, pairs, n_draws, unit, grid, errors, reference, density
    )


def _check_room(n_points: int, pairs: int, n_draws: int, n_grid: int) -> None:
    # The estimates of every draw and m, and a handful of copies of those of one m.
    needed = n_draws * pairs * (4 * n_grid + 5 * 8) + 6 * 8 * n_points**2
    what = f"{n_draws} draws of {pairs:,} pairs at {n_grid} numbers of features"
    check_memory(needed, "cpu", what, "Choose fewer points or draws.")


def _check_grid(m_grid: Sequence[int]) -> np.ndarray:
    grid = np.asarray(m_grid)
    if grid.ndim != 1 or not grid.size or grid.dtype.kind not in "iu" or grid[0] < 1 or (np.diff(grid) <= 0).any():
        raise ParameterError("m_grid", "must be rising integers from 1 on", list(m_grid), "Use error_grid(1000).")
    return grid.astype(int)
