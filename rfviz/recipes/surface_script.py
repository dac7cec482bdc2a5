"""The script of the page on decision surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rfviz import datasets
from rfviz.analysis.creases import scheme_creases
from rfviz.analysis.decision_surface import scheme_surfaces
from rfviz.analysis.mapping import settled
from rfviz.analysis.plane import Plane, plane_of
from rfviz.analysis.splits import Split, make_split
from rfviz.analysis.svm_surface import svm_surface
from rfviz.features import RandomFourier
from rfviz.figures.decision_surface import plot_classified
from rfviz.lab import script
from rfviz.lab.panel import Data
from rfviz.recipes.own_points import CLASSES, HALF_SIDE, arrays_of

__all__ = ["script_of"]


def script_of(
    data: Data, normalise: str, points: Sequence[str] | None, trained: dict[str, Any], axes: tuple[str, str]
) -> str:
    """Python that draws the three surfaces.

    Parameters
    ----------
    data : Data
    normalise : str
    points : sequence of str or None
        The reader's own, in place of the data.
    trained : dict
        scheme, setting, m, loss, constant, penalty, gamma (None where the features say it) and creases.
    axes : (across, up)
        Titles.
    """
    t = trained
    first, uses = _own(points) if points is not None else _of_data(data, normalise)
    gamma = "float(found.gamma or 1.0)"
    if t["gamma"] is not None:
        uses += [settled, RandomFourier]
        gamma = f'settled(RandomFourier, {{"gamma": {t["gamma"]!r}}}, split.X_train)["gamma"]'
    creases = "{}"
    if t["creases"]:
        uses.append(scheme_creases)
        asked = f"split, plane, {t['scheme']!r}, setting, {t['creases']}, constant={t['constant']}"
        creases = f'{{"surface-map": scheme_creases({asked})}}'
    body = f"""
{first}

setting = {script.python(t["setting"], 10)}
found = scheme_surfaces(split, plane, {t["scheme"]!r}, setting, loss={t["loss"]!r}, constant={t["constant"]})
gamma = {gamma}
surfaces = {{
    "surface-map": found.at({t["m"]}),
    "surface-rbf": svm_surface(split, plane, "rbf", {t["penalty"]}, gamma),
    "surface-linear": svm_surface(split, plane, "linear", {t["penalty"]}),
}}
for surface in surfaces.values():
    print(f"{{surface.label}}: {{surface.accuracy:.1%}} of the labels are right")

creases = {creases}
frames, figures = {{}}, {{}}
for name, surface in surfaces.items():
    frames[name] = surface.to_frame(plane, split)
    figures[name] = plot_classified(surface, split, plane, creases=creases.get(name), axes={axes})
    figures[name].show()
"""
    title = "Which shapes can a linear classifier draw once it sees random features?"
    return script.write(title, body, [*uses, scheme_surfaces, svm_surface, plot_classified])


def _of_data(data: Data, normalise: str) -> tuple[str, list[Any]]:
    lines = [script.load_data(data), f"split = make_split(dataset, {normalise!r})", "plane = plane_of(split.X_train)"]
    return "\n".join(lines), [datasets, make_split, plane_of]


def _own(points: Sequence[str]) -> tuple[str, list[Any]]:
    X, y = arrays_of(points)
    names = tuple(f"class {c + 1}" for c in range(CLASSES))
    side = (-HALF_SIDE, HALF_SIDE)
    rows = [[float(f"{value:g}") for value in row] for row in X.tolist()]
    lines = [
        f"X = np.array({script.python(rows, 13)}, dtype=np.float32)",
        f"y = np.array({script.python(y.tolist(), 13)})",
        f'split = Split("your points", X, y, X[:0], y[:0], np.arange(0), {names}, False)',
        f"plane = Plane(np.zeros(2), np.eye(2), {side}, {side}, 1.0)",
    ]
    return "\n".join(lines), [np, Split, Plane]
