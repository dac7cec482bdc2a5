"""The layout of the page on decision surfaces: three panels in a row, and points that the user clicks into them."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import streamlit as st

from rfviz.errors import RfvizError
from rfviz.experiments import DecisionSurfaces
from rfviz.experiments.base import Chart
from rfviz.experiments.decision_surfaces.compute import MOST_MARKS
from rfviz.experiments.decision_surfaces.describe import gradient_words
from rfviz.experiments.decision_surfaces.experiment import (
    PANELS,
    EmptyPicture,
    Outcome,
    Picture,
    Task,
    task_of,
)
from rfviz.experiments.decision_surfaces.figures import LEFT_MARGIN, class_colour, class_sign, plot_gradients
from rfviz.experiments.decision_surfaces.own_points import CLASSES, format_point
from rfviz.features import RandomMaxout
from rfviz.lab.controls import Control
from rfviz.lab.decision_surfaces import text
from rfviz.lab.decision_surfaces.own_points import CLASS, MOST_POINTS, POINTS
from rfviz.lab.decision_surfaces.page import Source
from rfviz.ui import layout
from rfviz.ui.page import View
from rfviz.ui.widgets.live_chart import selected_places
from rfviz.words import per_cent

__all__ = ["SurfaceView"]

GRADIENTS = "What it is locally: gradients"


class SurfaceView(View[Source, DecisionSurfaces, Outcome]):
    """Three panels with their headings, one toolbar, and buttons for the user's own points."""

    @property
    def points(self) -> list[str]:
        """The user's own points, each as ``x/y/class``."""
        return list(self.state.value(POINTS.name, POINTS.default))

    @points.setter
    def points(self, points: list[str]) -> None:
        self.state.set(POINTS.name, points)

    def prepare(self) -> None:
        """Add the points that were clicked since the page was last drawn."""
        if self.state.value("points_from") != "own":
            return
        number = int(self.state.value(CLASS.name, CLASS.default))
        clicked = [format_point(x, y, number) for chart in PANELS for x, y in selected_places(chart)]
        if clicked:
            self.points = [*self.points, *clicked][:MOST_POINTS]

    def draw_buttons(self, control: Control, key: str, on_change: Callable[[], None]) -> None:
        """Draw the class that a click adds a point of, and buttons that remove points."""
        with st.container(horizontal=True, vertical_alignment="bottom", key="own-points"):
            titles = {str(c): f"Class {c}" for c in range(1, CLASSES + 1)}
            st.segmented_control(
                control.label,
                list(titles),
                key=key,
                required=True,
                format_func=titles.__getitem__,
                on_change=on_change,
            )
            for label, icon, help, left in (
                ("Undo", ":material/undo:", "Remove the latest point.", self.points[:-1]),
                ("Clear", ":material/delete:", "Remove all points.", []),
            ):
                st.button(
                    label,
                    icon=icon,
                    on_click=lambda left=left: setattr(self, "points", left),
                    disabled=not self.points,
                    help=help,
                    key=f"{self.state.page}:{label.lower()}",
                )
        if len(self.points) >= MOST_POINTS:
            st.info(f"These are {MOST_POINTS} points, which is all that the address holds. Undo or clear some.")

    widgets: ClassVar = {CLASS.name: draw_buttons}

    def draw(self, settings: DecisionSurfaces, result: Outcome, charts: Sequence[Chart]) -> None:
        self.draw_panels(result.task, result.pictures, charts)
        first = charts[0]
        layout.under_chart(first.figure, first.name, first.alt, animations=self.animations(settings, result))
        layout.explain(first.words)
        self.share(settings, result)
        n = len(result.task.split.X_train)
        if n > MOST_MARKS:
            st.caption(f"{MOST_MARKS} of the {n:,} training points are drawn.")
        self.draw_details(settings, result, charts)

    def refuse(self, settings: DecisionSurfaces, error: RfvizError) -> None:
        """Draw the empty panels where the user's points are not yet of two classes."""
        task = None if settings.points is None else self.cache.call(task_of, settings.origin(self.source.data))
        if task is None or task.is_ready:
            super().refuse(settings, error)
            return
        titles = settings.spec.cls.label, "Exact RBF-SVM", "Linear SVM"
        pictures = [EmptyPicture(name, title) for name, title in zip(PANELS, titles, strict=True)]
        self.draw_panels(task, pictures, [picture.chart(task) for picture in pictures])
        st.info(str(error))

    def draw_panels(self, task: Task, pictures: Sequence[Picture | EmptyPicture], charts: Sequence[Chart]) -> None:
        """Draw the panels in a row, below the names of the classes in their colours."""
        st.html(_legend(task))
        with st.container(key="surface-row"):
            for picture, chart in zip(pictures, charts, strict=True):
                with st.container():
                    st.html(_heading(task, picture))
                    layout.chart(chart.figure, chart.name, chart.alt, placing=task.placing, square=chart.square)

    def details(
        self, settings: DecisionSurfaces, result: Outcome, charts: Sequence[Chart]
    ) -> Mapping[str, Callable[[], Any]]:
        maxout = settings.spec.cls is RandomMaxout
        return {
            "Every m in numbers": lambda: _numbers(result),
            **({GRADIENTS: lambda: self._gradients(settings, result)} if maxout else {}),
            "How it is computed": lambda: layout.explain(text.METHOD),
        }

    def _gradients(self, settings: DecisionSurfaces, result: Outcome) -> None:
        """Draw where the classifier points at each place, and with which coefficients of the columns."""
        task, dataset = result.task, self.source.dataset
        found = settings.gradients(self.source.data, self.cache)
        names = dataset.feature_names if settings.points is None else ()
        names = names or tuple(f"x{j + 1}" for j in range(found.gradients.shape[1]))
        said = gradient_words(found, settings.m, names)
        st.markdown(said)
        first = result.pictures[0]
        image = self.cache.call(*first.image)
        figure = plot_gradients(found, first.surface, task.split, task.plane, image=image, axes=task.axes)
        with st.container(key="surface-row-gradients"):
            layout.chart(figure, "gradients", said.replace("*", ""), secondary=True, square=True)
        st.markdown(text.GRADIENTS)
        frame = found.to_frame(names)
        layout.numbers(frame, dict.fromkeys(frame.columns, "%.3g"))


def _legend(task: Task) -> str:
    chips = [
        f'<span style="white-space:nowrap"><span style="color:{class_colour(code)}">{class_sign(code)}</span> '
        f"{html.escape(task.split.target_names[code])}</span>"
        for code in np.unique(task.split.y_train).tolist()
    ]
    return '<div style="display:flex;flex-wrap:wrap;gap:0 1.1rem;font-size:0.95rem">' + "".join(chips) + "</div>"


def _heading(task: Task, picture: Picture | EmptyPicture) -> str:
    """Return the title of a panel, above its plane; outside the chart, where it may take two lines."""
    note = "waiting for points"
    if isinstance(picture, Picture):
        setting = f"{picture.note} · " if picture.note else ""
        note = f"{setting}{task.measure} {per_cent(picture.surface.accuracy)}"
    kind = "at-now" if picture.name == PANELS[0] else ""
    return (
        f'<div style="margin-left:{LEFT_MARGIN}px;line-height:1.35"><b>{html.escape(picture.title)}</b><br>'
        f'<span class="{kind}" style="font-size:0.9rem">{html.escape(note)}</span></div>'
    )


def _numbers(result: Outcome) -> None:
    """Draw for every m the accuracy, and on how many points it and the SVM are apart."""
    own, rbf = result.own, result.pictures[1].surface
    accuracy = f"{result.task.measure}, %"
    frame = pd.DataFrame(
        {
            "m": own.m_grid,
            accuracy: [100 * s.accuracy for s in own.surfaces],
            "apart": [s.apart(rbf) for s in own.surfaces],
            "slope": [s.slope for s in own.surfaces],
            "penalty α": own.alphas,
        }
    )
    formats = {accuracy: "%.1f", "slope": "%.3g", "penalty α": "%.3g"}
    layout.numbers(frame, formats, text.NUMBERS)
