"""Kernel approximation: how far the inner products of random features are from the exact kernel, for every number m.

One draw of the largest map holds all smaller ones, since maps are nested: see :mod:`rfviz.analysis.nested`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import squareform

from rfviz.analysis.kernel_sample import KernelSample
from rfviz.analysis.mapping import points_for
from rfviz.analysis.nested import estimates
from rfviz.analysis.points import blas_for
from rfviz.backend import check_memory
from rfviz.errors import ParameterError
from rfviz.experiments.kernel_approximation.all_rows import RowErrors
from rfviz.experiments.kernel_approximation.measures import METRICS, Measures, correlation_of
from rfviz.features import FeatureMap, MapSpec, ProductLaw
from rfviz.params import Param
from rfviz.progress import Progress, silent

__all__ = [
    "CONFIDENCE",
    "METRICS",
    "Density",
    "ErrorTable",
    "KernelErrorResult",
    "Reference",
    "kernel_errors",
    "pair_estimates",
]

_DRAWS = Param("n_draws", 5, "int", low=1, high=1000)
#: Probability with which the bound on the maximum error over all pairs holds.
CONFIDENCE = 0.95
_CELLS = 90
_GROUPS = 24
# The density's plane holds the whole cloud from about this many features on.
_WHOLE_FROM = 100


@dataclass(frozen=True, eq=False)
class ErrorTable(Measures):
    """Measures of error; S draws, G numbers of features, B groups of pairs with similar kernel.

    Attributes
    ----------
    bias_squared : ndarray of shape (G,)
        Mean over pairs of the squared bias, free of the noise that a finite number of draws adds, so that it may come
        out negative where there is no bias. NaN for a single draw.
    spread : ndarray of shape (G,)
        Root of the mean variance over draws.
    chance : ndarray of shape (G,)
        Standard error of `bias_squared` where there is no bias.
    group_kernel : ndarray of shape (B,)
        Mean kernel of each group.
    group_bias, group_error : ndarray of shape (G, B)
        Mean error over the pairs of a group and the draws, and its standard error over draws.
    group_spread : ndarray of shape (G, B)
        Root of the mean variance over draws of the pairs of a group.
    """

    bias_squared: np.ndarray
    spread: np.ndarray
    chance: np.ndarray
    group_kernel: np.ndarray
    group_bias: np.ndarray
    group_error: np.ndarray
    group_spread: np.ndarray


@dataclass(frozen=True, eq=False)
class Reference:
    """Predictions of theory for the same pairs; each part is of shape (G,), or None if the theory is silent.

    Attributes
    ----------
    rmse : ndarray or None
        Root of the mean square error expected over draws: exact variance and exact bias.
    mae : ndarray or None
        The mean absolute error if the estimates were normal, as they are in the limit of many features.
    bound : ndarray or None
        The largest error of all pairs is below it with probability :data:`CONFIDENCE` (a bound for one pair, and the
        union over the pairs).
    bias : ndarray or None
        Exact root mean square of the bias, or None if the estimate is unbiased or the law is unknown.
    """

    rmse: np.ndarray | None = None
    mae: np.ndarray | None = None
    bound: np.ndarray | None = None
    bound_name: str = ""
    bias: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Density:
    """Pairs by exact kernel and by estimate, all draws together.

    Attributes
    ----------
    counts : ndarray of shape (G, C, C), int32
        Pairs in each cell: rows by estimate, columns by exact kernel.
    x_edges, y_edges : ndarray of shape (C + 1,)
        The same for every m, so that a moving m shows the cloud shrink.
    outside : ndarray of shape (G,)
        Share of the pairs beyond `y_edges`.
    """

    counts: np.ndarray
    x_edges: np.ndarray
    y_edges: np.ndarray
    outside: np.ndarray


@dataclass(frozen=True, eq=False)
class KernelErrorResult:
    """Kernel estimates by one feature map, compared with its exact kernel.

    Attributes
    ----------
    spec : MapSpec
        The map, without the number of features and the seed.
    n_points, n_pairs, n_draws : int
        Pairs are those of two different points, each counted once.
    unit : float
        Mean of k(x, x) over the points: errors divided by it compare kernels of different size.
    m_grid : ndarray of shape (G,), int
    errors : ErrorTable
        Four measures for every draw and every m, and bias apart from variance.
    reference : Reference
        What theory predicts.
    density : Density
        How many pairs have which exact kernel and which estimate, at every m.
    all_rows : RowErrors or None
        The same four measures over all rows of the table that the points were drawn from, if it was read.
    """

    label: str
    spec: MapSpec[FeatureMap]
    dataset: str
    n_points: int
    n_pairs: int
    n_draws: int
    unit: float
    m_grid: np.ndarray
    errors: ErrorTable
    reference: Reference
    density: Density
    all_rows: RowErrors | None = None

    def to_frame(self, relative: bool = False) -> pd.DataFrame:
        """Return measures over all draws, their spread, bias and variance, and what theory predicts; one row per m.

        Where all rows were read, the measures over these too.

        Parameters
        ----------
        relative : bool
            Whether errors are divided by the mean of k(x, x), as the names of their columns then say.
        """
        columns: dict[str, Any] = {"map": self.label, "m": self.m_grid}
        for name, title in METRICS.items():
            scale, per = self._unit(relative and name != "correlation")
            values = self.errors.metric(name) / scale
            columns[f"{title}{per}"] = self.errors.average(name) / scale
            with np.errstate(invalid="ignore"):  # a relative error may be infinite, and then has no spread
                columns[f"{title} s.d.{per}"] = values.std(axis=0, ddof=1) if self.n_draws > 1 else np.nan
        scale, per = self._unit(relative)
        for name, values in (("predicted RMSE", self.reference.rmse), ("bound on the maximum", self.reference.bound)):
            columns[f"{name}{per}"] = None if values is None else values / scale
        columns |= self._spread(relative)
        if self.all_rows is not None:
            for name, title in METRICS.items():
                scale, per = self._unit(relative and name != "correlation")
                columns[f"{title}, all rows{per}"] = self.all_rows.average(name) / scale
        return pd.DataFrame(columns)

    def spread_frame(self, relative: bool = False) -> pd.DataFrame:
        """Return the columns of the same about spread and bias."""
        return pd.DataFrame({"map": self.label, "m": self.m_grid} | self._spread(relative))

    def _spread(self, relative: bool) -> dict[str, np.ndarray]:
        scale, per = self._unit(relative)
        squared = " ÷ mean k(x, x) squared" if relative else ""
        return {
            f"spread{per}": self.errors.spread / scale,
            f"bias²{squared}": self.errors.bias_squared / scale**2,
            f"bias² by chance{squared}": self.errors.chance / scale**2,
        }

    def _unit(self, relative: bool) -> tuple[float, str]:
        """Return what errors are divided by, and how that is called."""
        return (self.unit, " ÷ mean k(x, x)") if relative else (1.0, "")

    def cloud_frame(self, place: int) -> pd.DataFrame:
        """Return the pairs by exact kernel and estimate at one place of the grid, one row per cell with any."""
        d = self.density
        rows, columns = np.nonzero(d.counts[place])
        middle_x, middle_y = (0.5 * (edges[1:] + edges[:-1]) for edges in (d.x_edges, d.y_edges))
        cells = {"exact kernel": middle_x[columns], "estimate": middle_y[rows], "pairs": d.counts[place][rows, columns]}
        return pd.DataFrame({"map": self.label, "m": int(self.m_grid[place])} | cells)


def kernel_errors(
    sample: KernelSample,
    spec: MapSpec[FeatureMap],
    m_grid: Sequence[int] | np.ndarray,
    n_draws: int = 5,
    label: str = "",
    progress: Progress = silent,
) -> KernelErrorResult:
    """Estimate the kernel of all pairs of points by several independent draws of a map, for every m of a grid.

    Parameters
    ----------
    spec : MapSpec
        Of a map with a closed-form kernel; the number of features and the seed are replaced.
    m_grid : sequence of int
        Numbers of features; the largest is drawn, the others are its beginnings.
    n_draws : int
        Draws use the seeds 0, 1, …, so that more draws hold the fewer.
    label : str
        By default that of the map.
    progress : callable
        See :data:`rfviz.progress.Progress`.

    Raises
    ------
    ParameterError
        For a parameter that breaks its rule, or a map without a closed-form kernel.
    MemoryBudgetError
        Where the estimates, the weights or the features would not fit, before they are computed.
    """
    grid, n_draws = _check_grid(m_grid), _DRAWS.validate(n_draws)
    label = label or spec.cls.label
    pairs = sample.n_points * (sample.n_points - 1) // 2
    _check_room(sample.n_points, pairs, n_draws, len(grid))
    resolved = spec.resolve(sample.original)
    points = points_for(resolved.make(), sample)

    def drawn(draw: int) -> FeatureMap:
        progress(0.9 * draw / n_draws, f"{label}: draw {draw + 1} of {n_draws}")
        return resolved.make(n_components=int(grid[-1]), random_state=draw).fit(points)

    estimated = np.empty((n_draws, len(grid), pairs), dtype=np.float32)
    with blas_for(sample.n_points, int(grid[-1])):
        feature_map = drawn(0)
        K = feature_map.kernel(points)
        exact = squareform(K, checks=False)
        order = np.argsort(exact, kind="stable")
        for draw in range(n_draws):
            if draw:
                feature_map = drawn(draw)
            for index, K_hat in enumerate(estimates(feature_map, points, grid.tolist())):
                estimated[draw, index] = squareform(K_hat, checks=False)[order]
    progress(0.9, f"{label}: comparing")
    exact = exact[order]
    reference = _reference(feature_map.product_law(points), grid)
    errors = _error_table(estimated, exact)
    density = _density(estimated, exact, grid, errors)
    unit = float(np.mean(np.diag(K)))
    return KernelErrorResult(
        label, spec, sample.name, sample.n_points, pairs, n_draws, unit, grid, errors, reference, density
    )


def pair_estimates(
    sample: KernelSample, spec: MapSpec[FeatureMap], m: int, rows: Sequence[int] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the exact kernel of all pairs of points and its estimate by one draw of m features.

    Parameters
    ----------
    spec : MapSpec
        As for :func:`kernel_errors`; the seed is 0.
    rows : sequence of int, optional
        The points whose pairs are wanted; by default all.

    Returns
    -------
    exact, estimate : ndarray of shape (n_pairs,)
        Pairs as the condensed form of a matrix holds them.
    """
    feature_map = spec.resolve(sample.original).make(n_components=m, random_state=0).fit(sample.original)
    X = sample.original if rows is None else sample.original[list(rows)]
    with blas_for(len(X), m):
        (K_hat,) = estimates(feature_map, X, [m])
        return squareform(feature_map.kernel(X), checks=False), squareform(K_hat, checks=False)


def _check_room(n_points: int, pairs: int, n_draws: int, n_grid: int) -> None:
    # The estimates of every draw and m, and a handful of copies of those of one m.
    needed = n_draws * pairs * (4 * n_grid + 5 * 8) + 6 * 8 * n_points**2
    what = f"{n_draws} draws of {pairs:,} pairs at {n_grid} numbers of features"
    check_memory(needed, "cpu", what, "Choose fewer points or draws.")


def _check_grid(m_grid: Sequence[int] | np.ndarray) -> np.ndarray:
    grid = np.asarray(m_grid)
    if grid.ndim != 1 or not grid.size or grid.dtype.kind not in "iu" or grid[0] < 1 or (np.diff(grid) <= 0).any():
        raise ParameterError("m_grid", "must be rising integers from 1 on", list(m_grid), "Use error_grid(1000).")
    return grid.astype(int)


def _error_table(estimated: np.ndarray, exact: np.ndarray) -> ErrorTable:
    """Compute all measures of error.

    Parameters
    ----------
    estimated : ndarray of shape (S, G, P)
    exact : ndarray of shape (P,)
        Rising: pairs are grouped by their place.
    """
    starts = np.unique(np.linspace(0, len(exact), min(_GROUPS, len(exact)), endpoint=False).astype(int))
    sizes = np.diff(np.append(starts, len(exact)))
    rows = [
        _errors_at(estimated[:, index].astype(np.float64), exact, starts, sizes) for index in range(estimated.shape[1])
    ]
    columns = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
    columns |= {name: columns[name].T for name in METRICS}
    return ErrorTable(group_kernel=np.add.reduceat(exact, starts) / sizes, **columns)


def _errors_at(
    estimated: np.ndarray, exact: np.ndarray, starts: np.ndarray, sizes: np.ndarray
) -> dict[str, np.ndarray | float]:
    """Return all columns of the table but the kernel's for one m; `estimated` of shape (S, P) is overwritten."""
    draws, pairs = estimated.shape
    error = np.subtract(estimated, exact, out=estimated)
    products = error @ error.T / pairs
    absolute = np.abs(error)
    centred = exact - exact.mean()
    covariance, kernel_variance = error @ centred / pairs, float(centred @ centred) / pairs
    if np.ptp(exact) <= 1e-12 * np.abs(exact).max():  # the same for all pairs, but for rounding
        kernel_variance = np.nan
    squares = np.diag(products)
    correlation = correlation_of(squares, error.mean(axis=1), covariance, kernel_variance)
    bias_squared, spread, chance = _bias_and_spread(products)
    by_group = np.add.reduceat(error, starts, axis=1) / sizes
    if draws > 1:
        own = np.add.reduceat(error.var(axis=0, ddof=1), starts) / sizes
        group_error = by_group.std(axis=0, ddof=1) / np.sqrt(draws)
    else:
        own = group_error = np.full(len(starts), np.nan)
    return {
        "rmse": np.sqrt(squares),
        "mae": absolute.mean(axis=1),
        "maximum": absolute.max(axis=1),
        "correlation": correlation,
        "bias_squared": bias_squared,
        "spread": spread,
        "chance": chance,
        "group_bias": by_group.mean(axis=0),
        "group_error": group_error,
        "group_spread": np.sqrt(own),
    }


def _bias_and_spread(products: np.ndarray) -> tuple[float, float, float]:
    """Return squared bias, root of the variance, and the standard error of the former without bias.

    Parameters
    ----------
    products : ndarray of shape (S, S)
        Mean over pairs of (error in draw s) · (error in draw t).

    Notes
    -----
    Different draws are independent, so each entry off the diagonal estimates the mean squared bias without the
    variance that is on the diagonal; without bias those entries have mean 0 and are uncorrelated.
    """
    draws = len(products)
    if draws < 2:
        return np.nan, np.nan, np.nan
    off = products[np.triu_indices(draws, 1)]
    bias_squared = float(off.mean())
    variance = float(np.trace(products)) / draws - bias_squared
    return bias_squared, float(np.sqrt(max(variance, 0.0))), float(np.sqrt(np.mean(off**2) / len(off)))


def _reference(law: ProductLaw | None, m_grid: np.ndarray) -> Reference:
    """Return what the exact law of a map says of all pairs of its points, each pair of different points counted once.

    Parameters
    ----------
    m_grid : ndarray of int
    """
    if law is None:
        return Reference()
    rmse, mae, bias, bounds = [], [], [], []
    for m in map(int, m_grid):
        variance = squareform(law.variance(m), checks=False)
        squared_bias = squareform(law.bias(m) ** 2, checks=False).mean() if law.bias else 0.0
        rmse.append(np.sqrt(variance.mean() + squared_bias))
        mae.append(np.sqrt(2.0 / np.pi) * np.sqrt(variance).mean())
        bias.append(np.sqrt(squared_bias))
        if law.bound:
            bound = law.bound(m, (1.0 - CONFIDENCE) / len(variance))
            bounds.append(float(np.max(squareform(bound, checks=False))) if np.ndim(bound) else float(bound))
    biased = any(value > 0 for value in bias)
    return Reference(
        np.array(rmse),
        np.array(mae),
        np.array(bounds) if bounds else None,
        law.bound_name,
        np.array(bias) if biased else None,
    )


def _density(estimated: np.ndarray, exact: np.ndarray, m_grid: np.ndarray, errors: ErrorTable) -> Density:
    """Count pairs by kernel and estimate, on one plane for all m.

    Parameters
    ----------
    estimated : ndarray of shape (S, G, P)
    exact : ndarray of shape (P,)
        Rising.
    m_grid : ndarray of shape (G,)
    errors : ErrorTable
        Of the same estimates; sets the height of the plane.
    """
    low, high = float(exact[0]), float(exact[-1])
    typical = float(errors.rmse[:, int(np.argmin(np.abs(np.log(m_grid / _WHOLE_FROM))))].mean())
    # A kernel that is the same for all pairs still needs a plane with an extent.
    width = max(high - low, 2.0 * typical, 1e-9 * max(abs(high), 1.0))
    middle, pad = 0.5 * (low + high), max(0.08 * width, 4.0 * typical)
    x_edges = np.linspace(middle - 0.52 * width, middle + 0.52 * width, _CELLS + 1)
    y_edges = np.linspace(low - pad, high + pad, _CELLS + 1)
    columns = np.clip((exact - x_edges[0]) / (x_edges[1] - x_edges[0]), 0, _CELLS - 1).astype(np.int32)
    counts = np.empty((len(m_grid), _CELLS, _CELLS), dtype=np.int32)
    scale = np.float32(1.0 / (y_edges[1] - y_edges[0]))
    for index in range(len(m_grid)):
        rows = (estimated[:, index] - np.float32(y_edges[0])) * scale
        inside = (rows >= 0) & (rows < _CELLS)
        cells = rows.astype(np.int32) * np.int32(_CELLS) + columns
        counts[index] = np.bincount(cells[inside], minlength=_CELLS * _CELLS).reshape(_CELLS, _CELLS)
    total = estimated.shape[0] * estimated.shape[2]
    return Density(counts, x_edges, y_edges, 1.0 - counts.sum(axis=(1, 2)) / total)
