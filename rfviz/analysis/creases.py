"""Where single features bend, jump or change their sign: the lines that a map cuts a plane into."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rfviz.analysis.decision_surface import grid_of, takes_constant, with_constant
from rfviz.analysis.mapping import settled
from rfviz.analysis.plane import RESOLUTION, Plane
from rfviz.analysis.splits import Split
from rfviz.features import FeatureMap, map_class

__all__ = ["crease_lines", "scheme_creases"]


def crease_lines(scheme_map: FeatureMap, points: np.ndarray, resolution: int, count: int) -> np.ndarray:
    """Cells in which one of the first features has a crease.

    Parameters
    ----------
    scheme_map : FeatureMap
        Fitted.
    points : ndarray of shape (resolution², d)
        The cells' middles, row by row.
    resolution : int
    count : int
        Features to draw, from the first.

    Returns
    -------
    ndarray of shape (resolution, resolution), bool
        Where the piece differs from that of the cell to the right or above.
    """
    lines = np.zeros((resolution, resolution), dtype=bool)
    found = scheme_map.prefix(min(count, scheme_map.n_components)).pieces(points) if count else None
    if found is not None:
        pieces = found.reshape(resolution, resolution, -1)
        lines[:, :-1] |= (pieces[:, 1:] != pieces[:, :-1]).any(axis=2)
        lines[:-1] |= (pieces[1:] != pieces[:-1]).any(axis=2)
    return lines


def scheme_creases(
    split: Split, plane: Plane, scheme: str, setting: Mapping[str, Any], count: int, *, constant: bool = False,
    resolution: int = RESOLUTION,
) -> np.ndarray:  # fmt: skip
    """:func:`crease_lines` of the map behind :func:`rfviz.analysis.decision_surface.scheme_surfaces`, same arguments.

    Parameters
    ----------
    split : Split
    plane : Plane
    scheme : str
        Class name of a feature map.
    setting : mapping
        Its keyword arguments but for the number of features.
    count : int
        Features to draw, from the first.
    constant : bool
        Whether to put a 1 beside the inputs, where that changes the scheme.
    resolution : int
        Cells a side.

    Returns
    -------
    ndarray of shape (resolution, resolution), bool
    """
    cls = map_class(scheme)
    lift = with_constant if constant and takes_constant(scheme) else np.asarray
    values = settled(cls, setting, split.X_train) | {"n_components": grid_of(scheme)[-1]}
    return crease_lines(cls(**values).fit(lift(split.X_train)), lift(plane.grid(resolution)), resolution, count)
