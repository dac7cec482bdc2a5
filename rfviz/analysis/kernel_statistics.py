"""What can be said of kernel estimates: measures of error, bias apart from variance, theory's references, densities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import squareform

from rfviz.features import ProductLaw

__all__ = ["CONFIDENCE", "METRICS", "Density", "ErrorTable", "Reference", "density", "error_table", "reference"]

METRICS = {"rmse": "RMSE", "mae": "MAE", "maximum": "maximum error", "correlation": "correlation"}
#: Probability with which the bound on the maximum error over all pairs holds.
CONFIDENCE = 0.95
_CELLS = 90
_GROUPS = 24
# The density's plane holds the whole cloud from about this many features on.
_WHOLE_FROM = 100


@dataclass(frozen=True, eq=False)
class ErrorTable:
    """Measures of error; S draws, G numbers of features, B groups of pairs with similar kernel.

    Attributes
    ----------
    rmse, mae, maximum, correlation : ndarray of shape (S, G)
        Over the pairs of one draw: root mean square, mean absolute and largest absolute error, and the correlation of
        estimate and kernel (NaN where the kernel is constant).
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

    rmse: np.ndarray
    mae: np.ndarray
    maximum: np.ndarray
    correlation: np.ndarray
    bias_squared: np.ndarray
    spread: np.ndarray
    chance: np.ndarray
    group_kernel: np.ndarray
    group_bias: np.ndarray
    group_error: np.ndarray
    group_spread: np.ndarray

    def metric(self, name: str) -> np.ndarray:
        """One of :data:`METRICS`, shape (S, G)."""
        return {"rmse": self.rmse, "mae": self.mae, "maximum": self.maximum, "correlation": self.correlation}[name]

    def average(self, name: str) -> np.ndarray:
        """A measure over all draws, shape (G,): of the RMSE the root of the mean square, of the others the mean."""
        values = self.metric(name)
        return np.sqrt(np.mean(values**2, axis=0)) if name == "rmse" else values.mean(axis=0)


@dataclass(frozen=True, eq=False)
class Reference:
    """What theory says for the same pairs; each part is of shape (G,), or None where it is silent.

    Attributes
    ----------
    rmse : ndarray or None
        Root of the mean square error expected over draws: exact variance and exact bias.
    mae : ndarray or None
        The mean absolute error if the estimates were normal, as they are in the limit of many features.
    bound : ndarray or None
        What the largest error of all pairs stays below with probability :data:`CONFIDENCE` (a bound for one pair,
        and the union over the pairs).
    bound_name : str
    bias : ndarray or None
        Exact root mean square of the bias; None where the estimate is unbiased or the law is unknown.
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


def error_table(estimated: np.ndarray, exact: np.ndarray) -> ErrorTable:
    """All measures of error.

    Parameters
    ----------
    estimated : ndarray of shape (S, G, P)
    exact : ndarray of shape (P,)
        Rising: pairs are grouped by their place.

    Returns
    -------
    ErrorTable
    """
    starts = np.unique(np.linspace(0, len(exact), min(_GROUPS, len(exact)), endpoint=False).astype(int))
    sizes = np.diff(np.append(starts, len(exact)))
    rows = [
        _errors_at(estimated[:, index].astype(np.float64), exact, starts, sizes) for index in range(estimated.shape[1])
    ]
    columns = [np.stack(column) for column in zip(*rows, strict=True)]
    measures = [column.T for column in columns[:4]]
    return ErrorTable(*measures, *columns[4:7], np.add.reduceat(exact, starts) / sizes, *columns[7:])


def _errors_at(estimated: np.ndarray, exact: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> tuple:
    """All columns of the table but the kernel's for one m; `estimated` of shape (S, P) is overwritten."""
    draws, pairs = estimated.shape
    error = np.subtract(estimated, exact, out=estimated)
    products = error @ error.T / pairs
    absolute = np.abs(error)
    centred = exact - exact.mean()
    covariance, kernel_variance = error @ centred / pairs, float(centred @ centred) / pairs
    if np.ptp(exact) <= 1e-12 * np.abs(exact).max():  # the same for all pairs, but for rounding
        kernel_variance = np.nan
    squares = np.diag(products)
    # Var(K̂) = Var(K̂ − K) + 2 Cov(K̂ − K, K) + Var(K), of which only the first is costly, and known already.
    variances = np.maximum(squares - error.mean(axis=1) ** 2 + 2.0 * covariance + kernel_variance, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = (covariance + kernel_variance) / np.sqrt(variances * kernel_variance)
    bias_squared, spread, chance = _bias_and_spread(products)
    by_group = np.add.reduceat(error, starts, axis=1) / sizes
    if draws > 1:
        own = np.add.reduceat(error.var(axis=0, ddof=1), starts) / sizes
        group_error = by_group.std(axis=0, ddof=1) / np.sqrt(draws)
    else:
        own = group_error = np.full(len(starts), np.nan)
    return (
        np.sqrt(squares), absolute.mean(axis=1), absolute.max(axis=1), correlation,
        bias_squared, spread, chance, by_group.mean(axis=0), group_error, np.sqrt(own),
    )  # fmt: skip


def _bias_and_spread(products: np.ndarray) -> tuple[float, float, float]:
    """Squared bias, root of the variance, and the standard error of the former without bias.

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


def reference(law: ProductLaw | None, m_grid: np.ndarray) -> Reference:
    """What the scheme's law says of all pairs of its points, each pair of different points counted once.

    Parameters
    ----------
    law : ProductLaw or None
    m_grid : ndarray of int

    Returns
    -------
    Reference
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
        np.array(rmse), np.array(mae), np.array(bounds) if bounds else None, law.bound_name,
        np.array(bias) if biased else None,
    )  # fmt: skip


def density(estimated: np.ndarray, exact: np.ndarray, m_grid: np.ndarray, errors: ErrorTable) -> Density:
    """Count pairs by kernel and estimate, on one plane for all m.

    Parameters
    ----------
    estimated : ndarray of shape (S, G, P)
    exact : ndarray of shape (P,)
        Rising.
    m_grid : ndarray of shape (G,)
    errors : ErrorTable
        Of the same estimates; sets the height of the plane.

    Returns
    -------
    Density
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
