"""Animations of a decision surface: over the number of features, and over pool sizes and seeds of the map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rfviz.cache import Cache
from rfviz.experiments import DecisionSurfaces
from rfviz.experiments.decision_surfaces.compute import MapSurfaces, Surface, map_creases, map_surfaces
from rfviz.experiments.decision_surfaces.experiment import PANELS, Task
from rfviz.experiments.decision_surfaces.figures import plot_classified
from rfviz.lab.animation import Animation, one_by_one, spread_words
from rfviz.words import per_cent

__all__ = ["over_m", "over_values"]


def over_m(settings: DecisionSurfaces, task: Task, own: MapSurfaces, options: Sequence[int]) -> Animation:
    """Animate the number of features."""
    values = [value for value in options if value in own.m_grid]
    lines = _creases(settings, task)
    return _animation(task, values, [(own.at(value), lines) for value in values])


def over_values(
    settings_of: Callable[[Any], DecisionSurfaces],
    task: Task,
    values: Sequence[Any],
    now: Any,
    cache: Cache,
    seconds: float,
    *,
    averaged: bool = False,
) -> Animation:
    """Animate another parameter, whose values have settings; `averaged` adds the mean accuracy to each frame."""

    def run(value: Any) -> tuple[Surface, np.ndarray | None]:
        settings = settings_of(value)
        found = map_surfaces(task.split, task.plane, **settings.learner._asdict())
        return found.at(settings.m), _creases(settings, task)

    chosen, found = one_by_one(values, now, run, cache, seconds)
    summary = spread_words([surface.accuracy for surface, _ in found], ".1%") if averaged else ""
    return _animation(task, chosen, found, summary)


def _creases(settings: DecisionSurfaces, task: Task) -> np.ndarray | None:
    if not settings.creases:
        return None
    return map_creases(task.split, task.plane, settings.spec, settings.creases, constant=settings.constant)


def _animation(
    task: Task, values: Sequence[Any], found: Sequence[tuple[Surface, np.ndarray | None]], summary: str = ""
) -> Animation:
    more = f" · {summary}" if summary else ""
    captions = [f"{task.measure} {per_cent(surface.accuracy)}{more}" for surface, _ in found]
    frames = [
        {PANELS[0]: plot_classified(surface, task.split, task.plane, creases=lines, **task.look)}
        for surface, lines in found
    ]
    return Animation(list(values), captions, frames)
