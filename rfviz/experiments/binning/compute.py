"""Random binning in the plane: the grid of one repetition, and the share of them that put two points into one box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.backend import to_host
from rfviz.datasets import Dataset
from rfviz.errors import DataError
from rfviz.features import MapSpec, RandomBinning
from rfviz.features.placement import placed

__all__ = [
    "MAX_POINTS",
    "MAX_REPETITIONS",
    "BoxView",
    "PlaneGrids",
    "SharedBoxes",
    "boxes",
    "pair_shares",
    "pairs_frame",
    "plane_grids",
    "shared_boxes",
]

MAX_POINTS, MAX_REPETITIONS = 400, 4096
#: Cells a side of the picture of the plane.
CELLS = 121
_MARGIN = 0.08
# More lines than this would be a grey area.
_MOST_LINES = 400


@dataclass(frozen=True, eq=False)
class PlaneGrids:
    """The grids of all repetitions, drawn once, over points of the plane.

    Attributes
    ----------
    name : str
        The data set.
    points : ndarray of shape (n, 2)
    feature_map : RandomBinning
        Fitted on the points, with all repetitions.
    codes : ndarray of shape (n, P), int64
        The box of each point in each repetition.
    axes : tuple of two ndarrays of shape (121,)
        Middles of the picture's cells, across and up, equally far apart both ways.
    """

    name: str
    points: np.ndarray
    feature_map: RandomBinning
    codes: np.ndarray
    axes: tuple[np.ndarray, np.ndarray]

    def boxes_frame(self, view: BoxView) -> pd.DataFrame:
        """Return the place of each point, its box in one of the grids, and the number of points in that box."""
        box = view.box
        return pd.DataFrame(
            {"x₁": self.points[:, 0], "x₂": self.points[:, 1], "box": box + 1, "points in it": view.sizes[box]}
        )

    def shared_frame(self, shared: SharedBoxes) -> pd.DataFrame:
        """Return the middle of each cell of the picture, with the kernel to the chosen point, estimated and exact."""
        x, y = np.meshgrid(*self.axes)
        return pd.DataFrame(
            {"x₁": x.ravel(), "x₂": y.ravel(), "estimate": shared.estimate.ravel(), "exact": shared.exact.ravel()}
        )


@dataclass(frozen=True, eq=False)
class BoxView:
    """The grid of one repetition.

    Attributes
    ----------
    repetition : int
        From 0.
    pitch, shift : ndarray of shape (2,)
    lines : tuple of two ndarrays
        Where lines cross the picture: places on the axis across, and on the axis up.
    box : ndarray of shape (n,), int
        Number of each point's box, the fullest first.
    sizes : ndarray of shape (n_boxes,)
        Points in each of those boxes, falling.
    own : tuple of four floats
        Left, right, bottom and top of the box of the chosen point.
    """

    repetition: int
    pitch: np.ndarray
    shift: np.ndarray
    lines: tuple[np.ndarray, np.ndarray]
    box: np.ndarray
    sizes: np.ndarray
    own: tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class SharedBoxes:
    """The estimate of the kernel around one point, and its error.

    Attributes
    ----------
    row : int
        The chosen point x₀.
    estimate, exact : ndarray of shape (121, 121)
        Share of the first P repetitions in which a point of the plane lies in the box of x₀, and the kernel; rows go
        up.
    p_grid : ndarray of int
        Numbers of repetitions up to all of them.
    rms, predicted : ndarray
        Root mean square over the picture of (estimate − exact) by the first P of each: measured, and expected over
        draws, √(mean of k(1 − k)/P).
    n_repetitions : int
        P.
    """

    row: int
    estimate: np.ndarray
    exact: np.ndarray
    p_grid: np.ndarray
    rms: np.ndarray
    predicted: np.ndarray
    n_repetitions: int

    @property
    def error(self) -> float:
        """Root mean square over the picture of (estimate − exact)."""
        return float(np.sqrt(np.mean((self.estimate - self.exact) ** 2)))

    def to_frame(self) -> pd.DataFrame:
        """Return the error, measured and expected, one row per number of repetitions."""
        return pd.DataFrame({"P": self.p_grid, "RMS error": self.rms, "predicted": self.predicted})


def plane_grids(dataset: Dataset, spec: MapSpec[RandomBinning], n_repetitions: int = MAX_REPETITIONS) -> PlaneGrids:
    """Draw the grids and find the boxes of the first 400 points of a data set of two columns.

    Parameters
    ----------
    n_repetitions : int
        Grids to draw.

    Raises
    ------
    DataError
        For data of another number of columns, or fewer than two points.
    """
    if dataset.n_features != 2:
        raise DataError(
            f"The picture needs data of two columns; {dataset.name} has {dataset.n_features}. Choose a data set in the "
            "plane, such as moons."
        )
    X = dataset.X[:MAX_POINTS].astype(np.float64)
    if len(X) < 2:
        raise DataError(f"Pairs need at least 2 points; {dataset.name} has {len(X)}. Choose more points.")
    feature_map = placed(spec.make(n_components=n_repetitions), *X.shape).fit(X)
    low, high = X.min(axis=0), X.max(axis=0)
    # Square cells, so that a diamond is one.
    reach = (0.5 + _MARGIN) * max(float((high - low).max()), 1e-9)
    middle = 0.5 * (low + high)
    across, up = (np.linspace(m - reach, m + reach, CELLS) for m in middle)
    return PlaneGrids(dataset.name, X, feature_map, feature_map.codes(X), (across, up))


def boxes(grids: PlaneGrids, repetition: int, row: int) -> BoxView:
    """Return the grid of one repetition, and the box of it that each point is in.

    Parameters
    ----------
    repetition : int
        From 0.
    row : int
        The chosen point, whose box is bounded.
    """
    pitch, shift = grids.feature_map.pitches_[repetition], grids.feature_map.shifts_[repetition]
    _, place, counts = np.unique(grids.codes[:, repetition], return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    across, up = (_lines(axis, d, u) for axis, d, u in zip(grids.axes, pitch, shift, strict=True))
    right, top = (u + d * np.ceil((value - u) / d) for value, d, u in zip(grids.points[row], pitch, shift, strict=True))
    own = float(right) - float(pitch[0]), float(right), float(top) - float(pitch[1]), float(top)
    return BoxView(repetition, pitch, shift, (across, up), rank[place], counts[order], own)


def _lines(axis: np.ndarray, pitch: float, shift: float) -> np.ndarray:
    """Return the places of a grid's lines within the picture, or none if they lie too close together."""
    first, last = np.ceil((axis[0] - shift) / pitch), np.floor((axis[-1] - shift) / pitch)
    if last - first > _MOST_LINES:
        return np.empty(0)
    return shift + pitch * np.arange(first, last + 1)


def shared_boxes(grids: PlaneGrids, row: int, n_repetitions: int) -> SharedBoxes:
    """Count the repetitions that put each point of the plane into the box of point `row`, and compare with the kernel.

    Parameters
    ----------
    grids : PlaneGrids
        Of one γ for both columns.
    row : int
        The chosen point.
    n_repetitions : int
        At most as many as were drawn.
    """
    feature_map, point = grids.feature_map, grids.points[row]
    pitches, shifts = feature_map.pitches_[:, :, None], feature_map.shifts_[:, :, None]
    own = np.ceil((point[None, :, None] - shifts) / pitches)
    # A box is shared where its bin is, across and up: the share is a product of two small matrices.
    across, up = (
        (np.ceil((axis - shifts[:, j]) / pitches[:, j]) == own[:, j]).astype(np.float32)
        for j, axis in enumerate(grids.axes)
    )
    mixture = feature_map.mixture
    gamma = float(feature_map.gamma_)
    k_across, k_up = (
        mixture.value(gamma * np.abs(axis - value)) for axis, value in zip(grids.axes, point, strict=True)
    )
    exact = np.outer(k_up, k_across)
    p_grid = np.unique(np.geomspace(1, len(own), 25).astype(int))
    total, start, rms = np.zeros(exact.shape), 0, []
    for stop in p_grid:
        total += up[start:stop].T @ across[start:stop]
        start = stop
        rms.append(float(np.sqrt(np.mean((total / stop - exact) ** 2))))
    estimate = (up[:n_repetitions].T @ across[:n_repetitions]) / n_repetitions
    spread = float(np.mean(exact * (1.0 - exact)))
    return SharedBoxes(row, estimate, exact, p_grid, np.array(rms), np.sqrt(spread / p_grid), n_repetitions)


def pair_shares(grids: PlaneGrids, n_repetitions: int, repetition: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of grids, from number `repetition` on, in which each pair of points shares its box.

    Parameters
    ----------
    repetition : int
        The first of them, from 0.

    Returns
    -------
    shares : ndarray of shape (n, n)
        Points sorted by their box in the first of these grids, fullest box first, so that its boxes are blocks.
    order : ndarray of shape (n,)
        The row of the data in each place.
    """
    order = np.argsort(boxes(grids, repetition, 0).box, kind="stable")
    (Phi,) = grids.feature_map.transform_blocks(grids.points[order], len(order), scaled=False)
    first, last = (grids.feature_map.columns(p) for p in (repetition, repetition + n_repetitions))
    part = to_host(Phi)[:, first:last]
    return (part @ part.T).toarray().astype(np.float64) / n_repetitions, order


def pairs_frame(shares: np.ndarray, order: np.ndarray) -> pd.DataFrame:
    """Return the share of grids in which both points of a pair are in one box, one row per pair, points from 1.

    Parameters
    ----------
    shares, order : ndarray
        From :func:`pair_shares`.
    """
    n = len(order)
    return pd.DataFrame(
        {"point": np.repeat(order + 1, n), "other point": np.tile(order + 1, n), "share": shares.ravel()}
    )
