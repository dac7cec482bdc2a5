"""An embedding that plays: the principal components for every m from one draw, turned so that no point jumps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rfviz.analysis.embedding import (
    MAX_EXACT,
    EmbeddingPoints,
    Projection,
    aligned,
    components_of_gram,
)
from rfviz.analysis.mapping import points_for, settled
from rfviz.analysis.nested import prefix_grams
from rfviz.analysis.points import blas_for
from rfviz.analysis.progress import Progress, silent
from rfviz.errors import DataError
from rfviz.features import registry

__all__ = ["embedding_over_m", "turned_to_agree"]

# Points up to which the order along the curve is found in every frame; its cost grows with their third power.
_ORDERED = 400


def embedding_over_m(
    points: EmbeddingPoints,
    scheme: str,
    setting: Mapping[str, Any],
    n_dimensions: int,
    m_values: Sequence[int],
    exact: Projection | None = None,
    progress: Progress = silent,
) -> list[Projection]:
    """The features' picture of :func:`rfviz.analysis.embedding.embed` for every m, by one draw of the largest map.

    Parameters
    ----------
    points : EmbeddingPoints
        At most ``MAX_EXACT``.
    scheme : str
    setting : mapping
        Keyword arguments of the map; `n_components` is that of the frame.
    n_dimensions : {2, 3}
    m_values : sequence of int
        Rising.
    exact : Projection, optional
        With which the axes are turned to agree, as in `embed`.
    progress : callable

    Returns
    -------
    list of Projection
        Each the same as `embed` gives, up to rounding.

    Raises
    ------
    DataError
        For more points.
    """
    cls = registry()[scheme]
    whole = cls(**settled(cls, setting, points.original) | {"n_components": int(m_values[-1])})
    X = points_for(whole, points)
    if len(X) > MAX_EXACT:
        raise DataError(f"This picture plays for up to {MAX_EXACT:,} points; there are {len(X):,}. Choose fewer.")
    order = points.given_order if len(X) <= _ORDERED else None
    frames: list[Projection] = []
    for gram in prefix_grams(whole.fit(X), X, m_values, lambda share, text: progress(0.5 * share, text)):
        with blas_for(len(X), len(X)):
            found = components_of_gram(f"{whole.label} PCA", gram, n_dimensions, order)
        frames.append(aligned(found, exact or points.plain))
        progress(0.5 + 0.5 * len(frames) / len(m_values), f"{len(frames)} of {len(m_values)} pictures")
    return frames


def turned_to_agree(frames: Sequence[Projection], keep: int = -1) -> list[Projection]:
    """The frames, each rotated or mirrored onto its neighbour, from the one at `keep` outwards.

    Principal axes with nearly equal variance trade places from one frame to the next, and their signs are arbitrary;
    no distance between points depends on either.

    Parameters
    ----------
    frames : sequence of Projection
        Of the same points.
    keep : int
        Place of the frame that is not turned; the last by default.
    """
    turned = list(frames)
    keep %= len(turned)
    for place in [*range(keep - 1, -1, -1), *range(keep + 1, len(turned))]:
        neighbour = turned[place + 1 if place < keep else place - 1]
        turned[place] = _onto(turned[place], neighbour.coordinates)
    return turned


def _onto(projection: Projection, target: np.ndarray) -> Projection:
    Z = projection.coordinates
    u, _, vt = np.linalg.svd(Z.T @ target)
    turned = Z @ (u @ vt)
    # The share of the variance along the axes as they are now; together they hold what they held.
    squares = np.sum(turned**2, axis=0)
    explained = squares * (projection.explained.sum() / max(float(squares.sum()), 1e-300))
    return replace(projection, coordinates=turned, explained=explained)
