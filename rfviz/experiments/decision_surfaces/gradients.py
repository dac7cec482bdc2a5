"""The local gradients of a classifier on maxout features: what it is in the space of the data, piece by piece.

Each maxout feature is one linear function wherever one projection is the largest. A linear classifier on m of them is
linear on each cell between the creases, with the gradient Σ α_ℓ w^ℓ_{j(ℓ, x)}, j the largest projection of feature ℓ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.analysis.plane import Plane
from rfviz.analysis.splits import Split
from rfviz.backend import single_threaded_blas
from rfviz.experiments.decision_surfaces.compute import lift_of, path_of
from rfviz.features import FeatureMap, MapSpec

__all__ = ["SIDE", "Gradients", "local_gradients"]

#: Places across and up at which gradients are drawn.
SIDE = 17


@dataclass(frozen=True, eq=False)
class Gradients:
    """Gradients of a classifier's decision values at places of a plane.

    Attributes
    ----------
    places : ndarray of shape (n, 2)
        Coordinates in the plane.
    gradients : ndarray of shape (n, d)
        Of the decision value of the predicted class less that of the next, with regard to the columns of the data.
    in_plane : ndarray of shape (n, 2)
        Their part in the plane.
    pieces : int
        Different choices of the largest projections among the places.
    """

    places: np.ndarray
    gradients: np.ndarray
    in_plane: np.ndarray
    pieces: int

    def to_frame(self, names: Sequence[str]) -> pd.DataFrame:
        """Return one row per place: its coordinates, and the coefficient of each column."""
        frame = pd.DataFrame(self.places, columns=["across", "up"])
        return frame.assign(**{f"∂/∂ {name}": self.gradients[:, j] for j, name in enumerate(names)})


def local_gradients(
    split: Split,
    plane: Plane,
    spec: MapSpec[FeatureMap],
    *,
    m_grid: Sequence[int],
    loss: str = "ridge",
    constant: bool = False,
    side: int = SIDE,
) -> Gradients:
    """Find the gradients of the classifier that :func:`map_surfaces` draws for the m of `spec`.

    Parameters
    ----------
    split, plane, loss, constant
        As for :func:`rfviz.experiments.decision_surfaces.compute.map_surfaces`.
    spec : MapSpec
        Of :class:`rfviz.features.RandomMaxout`.
    m_grid : sequence of int
        Numbers of features that are trained; that of `spec` is one of them.
    side : int
        Places across, and up.
    """
    m, places = spec.get("n_components"), plane.grid(side)
    spec, lift = spec.resolve(split.X_train), lift_of(spec.cls, constant)
    with single_threaded_blas():
        path = path_of(split, spec, m_grid, loss).fit(lift(split.X_train), split.y_train)
        scores = path.decision_path(lift(places))[list(m_grid).index(m)].reshape(len(places), -1)
    coef = np.asarray(path.coef_path_[m], dtype=np.float64).reshape(m, -1)
    feature_map = path.feature_map_.prefix(m)
    codes = np.asarray(feature_map.codes(lift(places)), dtype=int)
    if coef.shape[1] == 1:
        # Of two classes, the decision value of the second, which is that of the first with the other sign.
        weights = np.where(scores > 0, 1.0, -1.0) * coef[:, 0]
    else:
        order = np.argsort(scores, axis=1)
        weights = (coef[:, order[:, -1]] - coef[:, order[:, -2]]).T
    largest = feature_map.weights_[codes, np.arange(m)].astype(np.float64)
    gradients = np.einsum("nm,nmd->nd", weights, largest)[:, : places.shape[1]]
    pieces = len(np.unique(codes, axis=0))
    return Gradients(plane.project(places), gradients, gradients @ plane.axes.T, pieces)
