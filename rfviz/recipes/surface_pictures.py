"""The three pictures of a plane on the page of decision surfaces, and what they are drawn over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import plotly.graph_objects as go

from rfviz.analysis.plane import Plane
from rfviz.analysis.splits import Split
from rfviz.analysis.surface import Surface
from rfviz.figures.decision_surface import plot_classified
from rfviz.recipes import surface_text as text
from rfviz.recipes.base import Chart

__all__ = ["PANELS", "Ground", "Picture", "picture_chart", "picture_figure", "without_surfaces"]

#: Names of the three charts.
PANELS = ("surface-map", "surface-rbf", "surface-linear")


@dataclass(frozen=True, eq=False)
class Ground:
    """What all classifiers of the page learn from, and where they are asked.

    Attributes
    ----------
    split : Split
    plane : Plane
    key : tuple
        Hashable, for results that are kept.
    axes : (across, up)
        Titles.
    placing : bool
        Whether clicks add points.
    """

    split: Split
    plane: Plane
    key: tuple
    axes: tuple[str, str]
    placing: bool

    @property
    def is_ready(self) -> bool:
        """Whether there are two classes to tell apart."""
        return len(np.unique(self.split.y_train)) > 1


@dataclass(frozen=True, eq=False)
class Picture:
    """A classifier to draw.

    Attributes
    ----------
    name, title : str
    surface : Surface or None
        None where there is nothing to learn from.
    key : tuple
        Hashable, for its image.
    setting : str
        What it was trained with, in a few letters.
    creases : ndarray of shape (resolution, resolution), bool, or None
        Cells to draw dark.
    """

    name: str
    title: str
    surface: Surface | None
    key: tuple
    setting: str = ""
    creases: np.ndarray | None = field(default=None, repr=False)


def without_surfaces(label: str) -> tuple[Picture, ...]:
    """The panels while there is nothing to tell apart; `label` is the map's."""
    titles = (label, "Exact RBF-SVM", "Linear SVM")
    return tuple(Picture(name, title, None, ()) for name, title in zip(PANELS, titles, strict=True))


def picture_figure(ground: Ground, picture: Picture, image: dict[str, Any] | None = None) -> go.Figure:
    """A panel; `image` is its :func:`rfviz.figures.decision_surface.surface_image`, where that was made before."""
    return plot_classified(
        picture.surface, ground.split, ground.plane, creases=picture.creases, image=image, axes=ground.axes,
        placing=ground.placing, revision="own" if ground.placing else str(ground.key),
    )  # fmt: skip


def picture_chart(ground: Ground, picture: Picture) -> Chart:
    """A panel with a surface, and the probabilities that it shows."""
    alt = text.summary(picture.title, picture.surface, len(ground.split.X_train))
    frame = picture.surface.to_frame(ground.plane, ground.split)
    return Chart(picture.name, picture_figure(ground, picture), frame, alt)
