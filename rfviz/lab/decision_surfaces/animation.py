"""Animations of a decision surface: over the number of features, and over pool sizes and seeds of the map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.cache import Cache
from rfviz.features import FeatureMap, MapSpec
from rfviz.lab.animation import Animation, one_by_one, spread_words
from rfviz.lab.decision_surfaces.compute import MapSurfaces, Surface, map_creases, map_surfaces
from rfviz.lab.decision_surfaces.figures import plot_classified
from rfviz.words import per_cent

if TYPE_CHECKING:
    from rfviz.lab.decision_surfaces.page import Learner, Task

__all__ = ["over_m", "over_specs"]


def over_m(task: Task, learner: Learner, creases: int, own: MapSurfaces, options: Sequence[int]) -> Animation:
    """Animate the number of features."""
    values = [value for value in options if value in own.m_grid]
    lines = _creases(task, learner, learner.spec, creases)
    return _animation(task, values, [(own.at(value), lines) for value in values])


def over_specs(
    task: Task,
    learner: Learner,
    creases: int,
    m_grid: Sequence[int],
    spec_of: Callable[[Any], MapSpec[FeatureMap]],
    values: Sequence[Any],
    now: Any,
    cache: Cache,
    seconds: float,
    *,
    averaged: bool = False,
) -> Animation:
    """Animate another parameter; ``spec_of(value)`` gives the map, and `averaged` the mean accuracy with each frame."""

    def run(value: Any) -> tuple[Surface, np.ndarray | None]:
        spec = spec_of(value)
        found = map_surfaces(task.split, task.plane, spec, m_grid=m_grid, loss=learner.loss, constant=learner.constant)
        return found.at(spec.get("n_components")), _creases(task, learner, spec, creases)

    chosen, found = one_by_one(values, now, run, cache, seconds)
    summary = spread_words([surface.accuracy for surface, _ in found], ".1%") if averaged else ""
    return _animation(task, chosen, found, summary)


def _creases(task: Task, learner: Learner, spec: MapSpec[FeatureMap], count: int) -> np.ndarray | None:
    return map_creases(task.split, task.plane, spec, count, constant=learner.constant) if count else None


def _animation(
    task: Task, values: Sequence[Any], found: Sequence[tuple[Surface, np.ndarray | None]], summary: str = ""
) -> Animation:
    more = f" · {summary}" if summary else ""
    captions = [f"{task.measure} {per_cent(surface.accuracy)}{more}" for surface, _ in found]
    frames = [
        {"surface-map": plot_classified(surface, task.split, task.plane, creases=lines, **task.look)}
        for surface, lines in found
    ]
    return Animation(list(values), captions, frames)
