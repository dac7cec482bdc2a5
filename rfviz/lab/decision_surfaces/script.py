"""The script that the page on decision surfaces exports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz import datasets
from rfviz.analysis.plane import Plane, plane_of
from rfviz.analysis.splits import Split, make_split
from rfviz.features import MapSpec, RandomFourier
from rfviz.lab import script
from rfviz.lab.decision_surfaces.compute import axis_titles, map_creases, map_surfaces
from rfviz.lab.decision_surfaces.figures import plot_classified
from rfviz.lab.decision_surfaces.own_points import CLASS_NAMES, HALF_SIDE, parse_points
from rfviz.lab.decision_surfaces.svm import svm_surface

if TYPE_CHECKING:
    from rfviz.lab.decision_surfaces.page import Settings, Source

__all__ = ["write_script"]


def write_script(source: Source, settings: Settings) -> str:
    """Return Python that draws the three surfaces."""
    first, uses = _load_data(source) if settings.points is None else _own_points(settings.points)
    gamma = "float(found.gamma or 1.0)"
    if not settings.shares_gamma:
        uses.append(RandomFourier)
        gamma = f'MapSpec(RandomFourier, gamma={settings.gamma!r}).resolve(split.X_train).get("gamma")'
    creases = "{}"
    if settings.creases:
        uses.append(map_creases)
        asked = f"split, plane, spec, {settings.creases}, constant={settings.constant}"
        creases = f'{{"surface-map": map_creases({asked})}}'
    body = f"""
{first}

spec = {script.python(settings.spec, 7)}
found = map_surfaces(split, plane, spec, loss={source.loss!r}, constant={settings.constant})
gamma = {gamma}
surfaces = {{
    "surface-map": found.at({settings.m}),
    "surface-rbf": svm_surface(split, plane, "rbf", {source.penalty}, gamma),
    "surface-linear": svm_surface(split, plane, "linear", {source.penalty}),
}}
for surface in surfaces.values():
    print(f"{{surface.label}}: {{surface.accuracy:.1%}} of the labels are right")

creases = {creases}
frames, figures = {{}}, {{}}
for name, surface in surfaces.items():
    frames[name] = surface.to_frame(plane, split)
    figures[name] = plot_classified(surface, split, plane, creases=creases.get(name), axes=axes)
    figures[name].show()
"""
    title = "Which shapes can a linear classifier draw once it sees random features?"
    uses += [MapSpec, settings.spec.cls, map_surfaces, svm_surface, plot_classified]
    return script.write(title, body, uses)


def _load_data(source: Source) -> tuple[str, list[Any]]:
    lines = [
        script.load_data(source.data),
        f"split = make_split(dataset, {source.normalise!r})",
        "plane = plane_of(split.X_train)",
        "axes = axis_titles(plane, dataset.feature_names)",
    ]
    return "\n".join(lines), [datasets, make_split, plane_of, axis_titles]


def _own_points(points: Sequence[str]) -> tuple[str, list[Any]]:
    X, y = parse_points(points)
    side = (-HALF_SIDE, HALF_SIDE)
    rows = [[float(f"{value:g}") for value in row] for row in X.tolist()]
    lines = [
        f"X = np.array({script.python(rows, 13)}, dtype=np.float32)",
        f"y = np.array({script.python(y.tolist(), 13)})",
        f'split = Split("your points", X, y, X[:0], y[:0], np.arange(0), {CLASS_NAMES}, False)',
        f"plane = Plane(np.zeros(2), np.eye(2), {side}, {side}, 1.0)",
        'axes = "x", "y"',
    ]
    return "\n".join(lines), [np, Split, Plane]
