"""Every feature map on the same plane: one of its features, and its kernel around a point, estimated and exact."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from rfviz.backend import single_threaded_blas, to_host
from rfviz.errors import RfvizError, capture_warnings
from rfviz.features import FeatureMap, MapSpec, registry
from rfviz.features.placement import placed

__all__ = [
    "AXIS",
    "SIDE",
    "Card",
    "DrawnMap",
    "Refusal",
    "ZooResult",
    "capacity",
    "compare_maps",
    "draw_map",
    "ordered_maps",
    "plane",
    "plane_spec",
    "point_row",
]

#: Coordinates along both sides of the plane: a step of 0.1, so that a point can be named in one decimal.
AXIS = np.round(np.linspace(-3.0, 3.0, 61), 1)
SIDE = len(AXIS)
_SMALLEST = 128


@dataclass(frozen=True, eq=False)
class DrawnMap:
    """A map with its features at all points of the plane.

    Attributes
    ----------
    cls : type of FeatureMap
    feature_map : FeatureMap
        Fitted.
    features : ndarray of shape (SIDE², m) or CSC array of shape (SIDE², columns)
        Unscaled, so that the first ones are those of a smaller map.
    own : CSR array of shape (SIDE², columns), or None
        For maps that give sparse matrices, of one entry per row and component: the same, to find a row's columns.
    """

    cls: type[FeatureMap]
    feature_map: FeatureMap
    features: Any
    own: Any = None


@dataclass(frozen=True, eq=False)
class Refusal:
    """A map that cannot map two columns.

    Attributes
    ----------
    cls : type of FeatureMap
    problem : str
        Why not, in one sentence.
    """

    cls: type[FeatureMap]
    problem: str


@dataclass(frozen=True, eq=False)
class Card:
    """One map; pictures have one row of the plane after the other, the lowest first.

    Attributes
    ----------
    cls : type of FeatureMap
    feature, sampled, exact : ndarray of shape (SIDE²,)
        Values of one feature (if a component has many, of the one that is not zero at most points); of the kernel
        to the chosen point, estimated from m features; and of the exact kernel.
    limit : float
        Largest absolute value of the exact kernel on the plane.
    error : float
        Root mean square of sampled − exact over the plane, divided by `limit`; NaN if that is zero.
    """

    cls: type[FeatureMap]
    feature: np.ndarray
    sampled: np.ndarray
    exact: np.ndarray
    limit: float
    error: float


@dataclass(frozen=True, eq=False)
class ZooResult:
    """All cards for one number of features and one point.

    Attributes
    ----------
    row : int
        The chosen point, as a row of :func:`plane`.
    feature : int
        The feature that is shown, from 0.
    cards : tuple of Card or Refusal
        One for each map.
    """

    m: int
    row: int
    feature: int
    cards: tuple[Card | Refusal, ...]

    @property
    def point(self) -> tuple[float, float]:
        """Coordinates of the chosen point."""
        return float(AXIS[self.row % SIDE]), float(AXIS[self.row // SIDE])

    @property
    def drawn(self) -> list[Card]:
        """The cards of the maps that can map the plane."""
        return [card for card in self.cards if isinstance(card, Card)]

    def to_frame(self) -> pd.DataFrame:
        """Return cost, error, and the kernel's largest value on the plane, one row per map."""
        shown = self.drawn
        return pd.DataFrame(
            {
                "map": [card.cls.label for card in shown],
                "cost": [card.cls.cost for card in shown],
                "error, % of the largest value": [100.0 * card.error for card in shown],
                "largest |k(x, x₀)|": [card.limit for card in shown],
            }
        )

    def plane_frame(self) -> pd.DataFrame:
        """Return one feature and the kernel, estimated and exact, one row per map and point of the plane."""
        points = {"x₁": plane()[:, 0], "x₂": plane()[:, 1]}
        parts = [
            pd.DataFrame(
                {"map": card.cls.label}
                | points
                | {"feature": card.feature, "sampled": card.sampled, "exact": card.exact}
            )
            for card in self.drawn
        ]
        return pd.concat(parts, ignore_index=True)


def ordered_maps() -> list[type[FeatureMap]]:
    """Return all feature maps, from linear to the most structured."""
    return sorted(registry().values(), key=lambda cls: cls.rank)


@functools.cache
def plane() -> np.ndarray:
    """Return the points of the plane, shape (SIDE², 2), first coordinate fastest."""
    points = np.stack(np.meshgrid(AXIS, AXIS, indexing="xy"), axis=-1).reshape(-1, 2)
    points.flags.writeable = False
    return points


def point_row(x: float, y: float) -> int:
    """Return the row of the plane's point nearest to these coordinates."""
    column, line = (int(np.abs(AXIS - value).argmin()) for value in (x, y))
    return line * SIDE + column


def capacity(m: int) -> int:
    """Return how many features to draw if m are needed: a power of two, so that a slider seldom draws anew."""
    return max(1 << (m - 1).bit_length(), _SMALLEST)


def plane_spec(cls: type[FeatureMap], n_components: int, seed: int = 0) -> MapSpec[FeatureMap]:
    """Return a map with parameters that suit the plane."""
    return MapSpec(cls, n_components=n_components, random_state=seed, **cls.plane_params)


def draw_map(spec: MapSpec[FeatureMap]) -> DrawnMap | Refusal:
    """Draw the features of a map and map the plane.

    Returns
    -------
    DrawnMap, or Refusal of a map that cannot map two columns
    """
    try:
        with capture_warnings():  # that the plane's two columns are taken for an image
            feature_map = placed(spec.make(), *plane().shape).fit(plane())
        with single_threaded_blas():
            blocks = [to_host(block) for block in feature_map.transform_blocks(plane(), scaled=False)]
    except RfvizError as error:
        return Refusal(spec.cls, str(error))
    if not sparse.issparse(blocks[0]):
        return DrawnMap(spec.cls, feature_map, np.vstack(blocks))
    rows = sparse.csr_array(sparse.vstack(blocks, format="csr"))
    rows.sort_indices()
    return DrawnMap(spec.cls, feature_map, rows.tocsc(), rows)


def compare_maps(maps: Sequence[DrawnMap | Refusal], m: int, row: int, feature: int = 0) -> ZooResult:
    """Compare the kernel of each map with its estimate, seen from one point.

    Parameters
    ----------
    maps : sequence of DrawnMap or Refusal
        With at least m features each.
    m : int
        The number of their features that estimate the kernel.
    row : int
        The point x₀, as a row of :func:`plane`.
    feature : int
        The feature that is shown, from 0.

    Returns
    -------
    ZooResult
    """
    with single_threaded_blas():
        cards = (one if isinstance(one, Refusal) else _card(one, m, row, feature) for one in maps)
        return ZooResult(m, row, feature, tuple(cards))


def _card(one: DrawnMap, m: int, row: int, feature: int) -> Card:
    exact = one.feature_map.kernel(plane(), plane()[row : row + 1])[:, 0]
    Phi, share = one.features, one.feature_map.shares(m)
    if sparse.issparse(Phi):
        # One entry per component: the product needs only the columns in which x₀ has its own.
        own = one.own[[row]]
        sampled = Phi[:, own.indices[:m]] @ (own.data[:m] * share)
        # Of the many columns of one component the one with most points.
        first, last = (one.feature_map.columns(number) for number in (feature, feature + 1))
        fullest = first + int(np.diff(Phi.indptr[first : last + 1]).argmax())
        shown = Phi[:, [fullest]].toarray()[:, 0]
    else:
        sampled = Phi[:, :m] @ (Phi[row, :m] * share)
        shown = Phi[:, feature]
    limit = float(np.abs(exact).max())
    error = float(np.sqrt(np.mean((sampled - exact) ** 2))) / limit if limit > 0 else np.nan
    return Card(one.cls, np.asarray(shown), sampled, exact, limit, error)
