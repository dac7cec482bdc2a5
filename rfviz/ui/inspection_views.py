"""The parts of the quick inspection on the screen: colours, three maps, the row that was picked, findings, details."""

from __future__ import annotations

import html
from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rfviz.analysis.inspection import MAP_ROWS, WORK_ROWS, Sample, column_name, nearest_rows
from rfviz.analysis.inspection_findings import GRADES, Finding, verdict
from rfviz.analysis.inspection_maps import MAP_NAMES, MapResult
from rfviz.analysis.quick_inspection import Inspection
from rfviz.datasets.base import Dataset
from rfviz.errors import RfvizError
from rfviz.figures.embedding import PICKED, PointStyle, plot_embedding
from rfviz.figures.inspection_maps import inspection_style
from rfviz.figures.template import COLOURS, SEQUENCE, SYMBOLS
from rfviz.figures.thumbnails import place_thumbnails
from rfviz.lab.controls import Control
from rfviz.ui import images, layout
from rfviz.ui.controls import draw_word
from rfviz.ui.links import data_values, page_link
from rfviz.ui.live_chart import taken_row
from rfviz.ui.plain import plain
from rfviz.ui.results import kept
from rfviz.ui.state import PageState

__all__ = ["draw_colour", "outlier_buttons", "samples", "show_findings", "show_maps", "show_row", "take_click"]

_TITLES = {
    "": ("PCA", "The two directions along which the rows themselves vary most: their principal components."),
    "RandomMaxout": ("Maxout-PCA", "Principal components of 1,000 random maxout features: each is the largest of 8 "
                     "random projections."),
    "RandomFourier": ("Fourier-PCA", "Principal components of 1,000 random Fourier features: cosines of random "
                      "projections, whose inner products estimate a Gaussian kernel."),
}  # fmt: skip
_HEIGHT, _THUMBNAILS = 330, 60
_LEGEND = 12
_NEIGHBOURS, _COLUMNS = 5, 8
_ICONS = {
    "warning": ":red[:material/error:]", "look": ":orange[:material/visibility:]",
    "fine": ":green[:material/check_circle:]", "unknown": ":gray[:material/remove_circle_outline:]",
}  # fmt: skip
_MARKS = dict(zip(SYMBOLS, "●◆■▲✚★", strict=True))


def draw_colour(state: PageState, control: Control, key: str, on_change: Any) -> None:
    """What the points are coloured by, with arrows that step through."""
    names = control.options
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="colour-steps"):
        draw_word(control, key, on_change)
        place = names.index(st.session_state[key])
        for label, step, word in (("‹", -1, "Previous"), ("›", 1, "Next")):
            st.button(label, help=f"{word} colouring", key=f"{state.page}:colour:{word}", on_click=state.apply,
                      args=({"colour": names[(place + step) % len(names)]},))  # fmt: skip


def take_click(state: PageState, sample: Sample) -> None:
    """Make a point that was clicked in a map the row to look at."""
    for key in MAP_NAMES:
        place = taken_row(key)
        if place is not None and place < len(sample.rows):
            state.apply({"row": int(sample.rows[place]) + 1})


def show_maps(result: MapResult, dataset: Dataset, key: Hashable, colour: str, picked: int | None) -> None:
    """The three maps side by side, and what their colours mean."""
    rows = result.sample.rows
    style = kept("inspection style", (key, len(rows), colour), lambda: inspection_style(dataset, rows, colour), most=24)
    place = None if picked is None else next(iter(np.flatnonzero(rows == picked)), None)
    with st.container(key="inspection-maps"):
        for chart, scheme, projection in zip(MAP_NAMES, result.schemes, result.projections, strict=True):
            with st.container():
                title, help = _TITLES[scheme]
                st.markdown(f"**{title}**", help=help)
                marks = _marks(dataset, key, rows, projection.coordinates, style, place)
                figure = plot_embedding(
                    projection, style, height=_HEIGHT, thumbnails=marks, selected=place, legend=False, compact=True,
                    revision=f"{key}",
                )  # fmt: skip
                words = f"{projection.title} of {len(rows):,} rows, coloured by {style.title or 'nothing'}."
                layout.chart(figure, chart, words, clickable=True, secondary=chart != MAP_NAMES[0], square=True)
        st.html(_legend(style))


def _marks(
    dataset: Dataset, key: Hashable, rows: np.ndarray, Z: np.ndarray, style: PointStyle, picked: int | None
) -> tuple[np.ndarray, list[str], float] | None:
    """Images that stand for their points, where the data are images."""
    if not dataset.image_shape:
        return None
    aspect = dataset.image_shape[0] / dataset.image_shape[1]
    places = place_thumbnails(Z, aspect, _THUMBNAILS)
    frames = [PICKED if place == picked else style.colours[place] for place in places]
    return places, images.thumbnails(dataset, key, rows[places], frames), aspect


def _short(value: float) -> str:
    return f"{value:.3g}".replace("-", "−")


def _legend(style: PointStyle) -> str:
    """What the colours mean, as a line of HTML: classes, or a scale."""
    if style.values is not None:
        stops = ", ".join(f"{colour} {100 * place:.0f}%" for place, colour in SEQUENCE)
        low, high = float(style.values.min()), float(style.values.max())
        bar = f'<i class="scale" style="background: linear-gradient(90deg, {stops})"></i>'
        inner = f"<span>{html.escape(style.title)}</span><span>{_short(low)} {bar} {_short(high)}</span>"
    else:
        shown = list(enumerate(style.groups))[:_LEGEND]
        inner = "".join(
            f'<span><b style="color: {COLOURS[i % len(COLOURS)]}">{_MARKS[SYMBOLS[i // len(COLOURS) % len(SYMBOLS)]]}'
            f"</b> {html.escape(name)}</span>"
            for i, (name, _) in shown
        )
        inner += f"<span>and {len(style.groups) - _LEGEND} more</span>" if len(style.groups) > _LEGEND else ""
    return f'<div class="rfviz-legend">{inner}</div>'


def outlier_buttons(state: PageState, inspection: Inspection) -> None:
    """The most outlying rows, each a click away."""
    try:
        rows = inspection.neighbours().outliers(6) + 1
    except RfvizError:  # the findings say why
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="outlying-rows"):
        st.markdown("Most outlying rows:", width="content")
        for row in rows.tolist():
            st.button(f"{row:,}", type="tertiary", key=f"{state.page}:outlier:{row}", on_click=state.apply,
                      args=({"row": row},), help=f"Show row {row:,}")  # fmt: skip


def show_row(dataset: Dataset, key: Hashable, sample: Sample, row: int | None) -> None:
    """A row of the data, and those nearest to it."""
    if row is None:
        st.caption("Click a point to see its row and the rows nearest to it.")
        return
    near, apart = nearest_rows(sample, dataset, row, _NEIGHBOURS)
    rows = np.concatenate([[row], near])
    said = ["", *(f" ({distance:.3g})" for distance in apart)]
    unusual, deviations = _unusual(dataset, sample, row)
    st.markdown(
        f"**Row {row + 1:,}{plain(_label(dataset, row))}**, and the {len(near)} rows nearest to it, with their distance"
    )
    if dataset.image_shape:
        captions = [f"row {r + 1:,}{_label(dataset, r)}{s}" for r, s in zip(rows, said, strict=True)]
        st.html(images.gallery(dataset, key, rows, captions))
        return
    table = pd.DataFrame({"row": rows + 1, "distance": np.concatenate([[0.0], apart])})
    if dataset.y is not None:
        table["label"] = [_label(dataset, r)[3:] for r in rows]
    for column in unusual:
        table[column_name(dataset, column)] = dataset.X[rows, column]
    st.dataframe(table, hide_index=True, height="content",
                 column_config={"distance": st.column_config.NumberColumn(format="%.3g")})  # fmt: skip
    if deviations[0] > 0:
        name = column_name(dataset, unusual[0])
        most = f"most unusual in “{name}”, {deviations[0]:.1f} standard deviations off the mean"
        more = f"; the {len(unusual)} most unusual of {dataset.n_features:,} columns are shown"
        tail = more if len(unusual) < dataset.n_features else ""
        st.caption(f"It is {plain(most)}{tail}. {plain(dataset.provenance)}")


def _unusual(dataset: Dataset, sample: Sample, row: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns in which a row is farthest off the mean of the sample, the farthest first, in standard deviations."""
    X = dataset.X[sample.rows].astype(np.float64)
    spread = X.std(axis=0)
    off = np.abs(dataset.X[row] - X.mean(axis=0)) / np.where(spread > 0, spread, np.inf)
    columns = np.argsort(-off, kind="stable")[:_COLUMNS]
    return columns, off[columns]


def _label(dataset: Dataset, row: int) -> str:
    if dataset.y is None:
        return ""
    name = dataset.target_names[int(dataset.y[row])] if dataset.target_names else f"{dataset.y[row]:.4g}"
    return f" · {name}"


def show_findings(state: PageState, findings: Iterator[Finding], limits: str) -> tuple[Finding, ...]:
    """The findings as they come, each a card with its link, below how many there are of each grade; all, at last."""
    heading, cards, data, all_of_them = st.empty(), st.container(key="findings"), data_values(state), []
    heading.subheader("Looking …", anchor=False)
    for finding in findings:
        all_of_them.append(finding)
        with cards, st.container(border=True):
            st.markdown(f"{_ICONS[finding.grade]} **{plain(finding.title)}** :small[:gray[{GRADES[finding.grade]}]]")
            st.markdown(plain(finding.sentence))
            if finding.page:
                page_link(finding.page, data | dict(finding.values), "Shows these data there")
    heading.subheader(verdict(all_of_them), anchor=False)
    if limits:
        st.caption(limits)
    return tuple(all_of_them)


def samples(inspection: Inspection) -> tuple[Sample, Sample]:
    """The rows of the maps, and those that the other questions look at."""
    return inspection.sample(MAP_ROWS), inspection.sample(WORK_ROWS)
