"""Animations of an embedding: its components for every m from one draw, turned so that no point jumps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.analysis.embedding import MAX_EXACT, EmbeddingPoints, Projection, aligned, components_of_gram
from rfviz.analysis.mapping import points_for
from rfviz.analysis.nested import prefix_grams
from rfviz.analysis.points import blas_for
from rfviz.cache import Cache
from rfviz.errors import DataError
from rfviz.experiments.maxout_pca.describe import rho_of
from rfviz.features import FeatureMap, MapSpec
from rfviz.lab.animation import Animation, affordable
from rfviz.progress import Progress, silent, within
from rfviz.words import per_cent

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["animation", "embedding_over_m", "over_m", "turned_to_agree"]

# Points up to which the order along the curve is found in every frame; its cost grows with their third power.
_ORDERED = 400


def over_m(
    points: EmbeddingPoints,
    spec: MapSpec[FeatureMap],
    n_dimensions: int,
    options: Sequence[int],
    now: int,
    exact: Projection | None,
    cache: Cache,
    seconds: float,
) -> tuple[list[int], list[Projection]]:
    """Return the numbers of features that the time allows, and the projection for each."""
    values = affordable(spec, points.original.shape, options, now, seconds)
    return values, embedding_over_m(points, spec, n_dimensions, values, exact, cache.progress)


def animation(
    values: Sequence[Any],
    found: Sequence[Projection],
    now: Any,
    exact: Projection | None,
    plot: Callable[[Projection], go.Figure],
    note: str = "",
) -> Animation:
    """Draw projections as frames, turned to agree with the one of the present value."""
    frames = turned_to_agree(found, list(values).index(now))
    figures = [{"embedding": plot(frame)} for frame in frames]
    return Animation(list(values), [_caption(frame, exact) for frame in frames], figures, note)


def _caption(frame: Projection, exact: Projection | None) -> str:
    words = f"axes explain {per_cent(frame.explained.sum(), 2)}"
    if exact is not None:
        words += f" (limit {per_cent(exact.explained.sum(), 2)})"
    return words + (f" · order ρ = {rho_of(frame.order.spearman)}" if frame.order else "")


def embedding_over_m(
    points: EmbeddingPoints,
    spec: MapSpec[FeatureMap],
    n_dimensions: int,
    m_values: Sequence[int],
    exact: Projection | None = None,
    progress: Progress = silent,
) -> list[Projection]:
    """Return the features' projection of :func:`rfviz.analysis.embedding.embed` for every m, by one draw.

    Parameters
    ----------
    points : EmbeddingPoints
        At most ``MAX_EXACT``.
    spec : MapSpec
        `n_components` is that of the frame.
    n_dimensions : {2, 3}
    m_values : sequence of int
        Rising.
    exact : Projection, optional
        With which the axes are turned to agree, as in `embed`.

    Returns
    -------
    list of Projection
        Each the same as `embed` gives, up to rounding.

    Raises
    ------
    DataError
        For more points.
    """
    whole = spec.resolve(points.original).make(n_components=int(m_values[-1]))
    X = points_for(whole, points)
    if len(X) > MAX_EXACT:
        raise DataError(f"This chart can be animated for up to {MAX_EXACT:,} points, not {len(X):,}. Choose fewer.")
    order = points.given_order if len(X) <= _ORDERED else None
    frames: list[Projection] = []
    for gram in prefix_grams(whole.fit(X), X, m_values, within(progress, 0.0, 0.5)):
        with blas_for(len(X), len(X)):
            found = components_of_gram(f"{whole.label} PCA", gram, n_dimensions, order)
        frames.append(aligned(found, exact or points.plain))
        progress(0.5 + 0.5 * len(frames) / len(m_values), f"Frame {len(frames)} of {len(m_values)}")
    return frames


def turned_to_agree(frames: Sequence[Projection], keep: int = -1) -> list[Projection]:
    """Rotate or mirror each frame onto its neighbour, from the one at `keep` outwards.

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
    # The share of the variance along the axes as they are now; together they explain what they did.
    squares = np.sum(turned**2, axis=0)
    explained = squares * (projection.explained.sum() / max(float(squares.sum()), 1e-300))
    return replace(projection, coordinates=turned, explained=explained)
