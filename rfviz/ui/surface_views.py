"""The parts of the page on decision surfaces: the three panels, what is seen in them, and their numbers."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from rfviz.analysis.surface import Surface
from rfviz.figures.decision_surface import LEFT_MARGIN, MOST_MARKS, class_colour, surface_image
from rfviz.recipes import surface_text as text
from rfviz.recipes.decision_surfaces import RECIPE, Outcome, Settings, Source, map_picture, words
from rfviz.recipes.surface_pictures import PANELS, Ground, Picture, picture_figure, without_surfaces
from rfviz.ui import layout, results
from rfviz.ui.films_kernels import surface_reels
from rfviz.ui.results import kept
from rfviz.ui.share import share
from rfviz.ui.state import PageState

__all__ = ["PANELS", "show"]


def show(state: PageState, source: Source, settings: Settings) -> None:
    """The panels, what is seen in them, and what is folded away."""
    ground = RECIPE.ground(source, settings, results)
    if not ground.is_ready:
        draw(ground, without_surfaces(settings.label))
        st.info(text.TOO_FEW)
        return
    result = RECIPE.run(source, settings, results)
    figure, alt = draw(ground, result.pictures)[0]

    def panel(surface: Surface, m: int, setting: dict[str, Any]) -> go.Figure:
        picture = map_picture(source, replace(settings, m=m, setting=setting), ground, surface, results)
        return _figure(ground, picture)

    reels = surface_reels(state, ground, settings, source.loss, result.own, panel)
    layout.under_chart(figure, PANELS[0], alt, reels)
    layout.explain(words(source, settings, result))
    share(state, RECIPE, source, settings, result)
    n = len(ground.split.X_train)
    if n > MOST_MARKS:
        st.caption(f"{MOST_MARKS} of the {n:,} training points are drawn.")
    layout.details(state, {
        "Every m in numbers": lambda: numbers(result),
        "How it is computed": lambda: st.markdown(text.METHOD),
    })  # fmt: skip


def draw(ground: Ground, pictures: Sequence[Picture]) -> list[tuple[go.Figure, str]]:
    """The three panels in a row, on the same axes and in the same colours: each figure, and what it says."""
    split, names, drawn = ground.split, ground.split.target_names, []
    classes = np.unique(split.y_train)
    st.html(_chips([names[c] for c in classes], [int(c) for c in classes]))
    with st.container(key="surface-row"):
        for picture in pictures:
            figure = _figure(ground, picture)
            alt = text.summary(picture.title, picture.surface, len(split.X_train))
            with st.container():
                kind = "at-now" if picture.name == PANELS[0] else ""
                st.html(_heading(picture.title, _note(ground, picture), kind))
                layout.chart(figure, picture.name, alt, placing=ground.placing, square=True)
            drawn.append((figure, alt))
    return drawn


def _figure(ground: Ground, picture: Picture) -> go.Figure:
    """One panel; its image is kept."""
    if picture.surface is None:
        return picture_figure(ground, picture)
    classes = np.unique(ground.split.y_train)
    image = kept("surface image", picture.key,
                 lambda: surface_image(picture.surface, classes, ground.plane, picture.creases), most=100)  # fmt: skip
    return picture_figure(ground, picture, image)


def _note(ground: Ground, picture: Picture) -> str:
    if picture.surface is None:
        return "waiting for points"
    kind = "test accuracy" if len(ground.split.X_test) else "training accuracy"
    return (f"{picture.setting} · " if picture.setting else "") + f"{kind} {picture.surface.accuracy:.1%}"


def _heading(title: str, note: str, kind: str) -> str:
    """Title of a panel, above its plane; outside the chart, where it may take two lines."""
    return (
        f'<div style="margin-left:{LEFT_MARGIN}px;line-height:1.35"><b>{html.escape(title)}</b><br>'
        f'<span class="{kind}" style="font-size:0.9rem">{html.escape(note)}</span></div>'
    )


def _chips(names: list[str], codes: list[int]) -> str:
    """The classes as coloured names in a line."""
    chips = [
        f'<span style="white-space:nowrap"><span style="color:{class_colour(c)}">⬤</span> {html.escape(name)}</span>'
        for name, c in zip(names, codes, strict=True)
    ]
    return '<div style="display:flex;flex-wrap:wrap;gap:0 1.1rem;font-size:0.95rem">' + "".join(chips) + "</div>"


def numbers(result: Outcome) -> None:
    """Accuracy and agreement for every m."""
    own = result.own
    kind = "test accuracy" if len(result.ground.split.X_test) else "training accuracy"
    frame = pd.DataFrame(
        {
            "m": own.m_grid,
            f"{kind}, %": [100 * s.accuracy for s in own.surfaces],
            "agreement, %": [100 * float(np.mean(s.winners == result.rbf.winners)) for s in own.surfaces],
            "slope": [s.slope for s in own.surfaces],
            "penalty α": own.alphas,
        }
    )
    layout.numbers(frame, {f"{kind}, %": "%.1f", "agreement, %": "%.1f", "slope": "%.3g", "penalty α": "%.3g"},
                   text.NUMBERS)  # fmt: skip
