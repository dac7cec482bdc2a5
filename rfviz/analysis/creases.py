"""Where single features bend, jump or change their sign: the lines that a map cuts a plane into."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

import numpy as np

from rfviz.analysis.decision_surface import grid_of, takes_constant, with_constant
from rfviz.analysis.mapping import settled
from rfviz.analysis.plane import RESOLUTION, Plane
from rfviz.analysis.splits import Split
from rfviz.backend import to_host
from rfviz.features import FeatureMap, RandomProjection, SharedPoolMaxout, SigmoidalRidge, registry

__all__ = ["crease_lines", "crease_meaning", "feature_codes", "scheme_creases"]


@singledispatch
def feature_codes(scheme_map: FeatureMap, X: np.ndarray) -> np.ndarray | None:
    """The piece of each feature that each row lies in: a crease runs where it changes.

    A map that says itself in which piece of its features a point lies (`codes`: the largest projection of a maxout
    feature, the box of a bin) is asked. Of others it is the sign of the feature: the bend of a ReLU, the jump of a
    stump, the zero line of a wave.

    Parameters
    ----------
    scheme_map : FeatureMap
        Fitted, with as few features as are asked for.
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples, n_codes), of integers or booleans, or None
        None where the features have no creases.
    """
    if getattr(scheme_map, "pool_size", 0) == 1:
        return None  # linear
    if hasattr(scheme_map, "codes"):
        return scheme_map.codes(X)
    return np.concatenate([to_host(block) > 0 for block in scheme_map.transform_blocks(X, scaled=False)])


@feature_codes.register
def _projection(scheme_map: RandomProjection, X: np.ndarray) -> np.ndarray | None:
    return None  # its codes are signs, but a linear feature goes through zero without a bend


@feature_codes.register
def _sigmoids(scheme_map: SigmoidalRidge, X: np.ndarray) -> np.ndarray | None:
    middle = 0.5 if scheme_map.activation == "logistic" else 0.0
    return np.concatenate([to_host(block) > middle for block in scheme_map.transform_blocks(X, scaled=False)])


@feature_codes.register
def _shared_pool(scheme_map: SharedPoolMaxout, X: np.ndarray) -> np.ndarray | None:
    if scheme_map.pool_size == 1:
        return None
    used, places = np.unique(scheme_map.indices_, return_inverse=True)
    projections = X.astype(scheme_map.dtype) @ scheme_map.projections_[used].T
    # (n, q, m): what each feature takes the largest of.
    return projections[:, places.reshape(scheme_map.indices_.shape)].argmax(axis=1)


def crease_meaning(scheme: str, setting: Mapping[str, Any]) -> str:
    """What a crease of this scheme is, in a few words to follow “lines show”; empty where there is none."""
    if scheme == "RandomProjection" or setting.get("pool_size") == 1:
        return ""
    return _MEANINGS.get(scheme, "where a feature changes its sign")


_MEANINGS = {
    "RandomMaxout": "the facets of the maxout features: where another projection becomes the largest",
    "SharedPoolMaxout": "the facets of the maxout features: where another projection becomes the largest",
    "RandomReLU": "where a ReLU feature bends: zero on one side, linear on the other",
    "RandomFourier": "the zero lines of the waves",
    "DecisionStumps": "the cuts of the stumps: each asks one coordinate whether it is above a threshold",
    "RandomBinning": "the edges of the bins: points in one bin are alike to this feature",
    "SigmoidalRidge": "the middles of the sigmoids, where each step is steepest",
}


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
    codes = feature_codes(scheme_map.prefix(min(count, scheme_map.n_components)), points) if count else None
    if codes is not None:
        pieces = codes.reshape(resolution, resolution, -1)
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
    cls = registry()[scheme]
    lift = with_constant if constant and takes_constant(scheme) else np.asarray
    values = settled(cls, setting, split.X_train) | {"n_components": grid_of(scheme)[-1]}
    return crease_lines(cls(**values).fit(lift(split.X_train)), lift(plane.grid(resolution)), resolution, count)
