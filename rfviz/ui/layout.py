"""The parts that every page has: style, title, question, presets, the explanation under a chart, its numbers."""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from rfviz.lab.animation import AnimationSpec
from rfviz.lab.glossary import definitions, link_terms
from rfviz.lab.index import ASSETS, entry_of
from rfviz.ui.component import Component
from rfviz.ui.plain import plain
from rfviz.ui.session import SessionValue, set_widget_value
from rfviz.ui.share import share_place
from rfviz.ui.state import PageState, pins
from rfviz.ui.state.history import history_buttons
from rfviz.ui.teaching import menu as teaching
from rfviz.ui.widgets.live_chart import live_chart, selected_curve
from rfviz.ui.widgets.play import chart_bar

__all__ = [
    "blas_note",
    "chart",
    "details",
    "explain",
    "formula",
    "numbers",
    "page_header",
    "refused",
    "tabs",
    "under_chart",
    "use_style",
]


# Characters of a title and of two presets that have one line in a window of 1100 pixels.
_BESIDE_TITLE = 60
# Rows of a table that is shown whole.
_SHORT = 14
# The state of the page that the session shows.
_PAGE = SessionValue[PageState | None]("page state", lambda: None)
_HERE = Path(__file__).parent
_WIDGETS = _HERE / "widgets"
_marks = Component(
    "page_marks",
    _WIDGETS / "glossary.js",
    _HERE / "page_marks.js",
    js=f"const GLOSSARY = {json.dumps(dict(definitions()), ensure_ascii=False)};",
    served=True,
)
_address = Component("address", _HERE / "address.js")
_pictures = Component("picture_marks", _HERE / "picture_marks.js")


@functools.lru_cache(maxsize=1)
def _css() -> str:
    sheets = ASSETS / "style.css", _WIDGETS / "glossary.css", _WIDGETS / "mechanism.css"
    return "".join(path.read_text(encoding="utf-8") for path in sheets)


def use_style() -> None:
    """Add the few rules of style to the page, what its markup lacks for screen readers, and what keeps its address."""
    st.html(f"<style>{_css()}</style>")
    _marks.mount("page-marks", height=1)
    _address.mount("address-sheet", height=1)


def card_colours() -> str:
    """Return the colour scheme of this page's pictures; the page is run again when the browser's changes.

    Screen readers are told that the pictures repeat what stands next to them.
    """
    colours = "dark" if st.context.theme.type == "dark" else "light"
    _pictures.mount("picture-marks", colours, {"colours": lambda _: None}, height=1)
    return colours


def page_header(
    slug: str,
    presets: Mapping[str, tuple[str, Mapping[str, Any]]] | None = None,
    heading: str = "",
    controls: bool = True,
) -> PageState:
    """Draw title and question of a page and its presets, and return the state of the controls.

    Parameters
    ----------
    slug : str
        The page's place in the address.
    presets : mapping, optional
        Label of each button to its help and the values it sets.
    heading : str
        A title other than that in the navigation.
    controls : bool
        Whether the page has any whose changes can be taken back.
    """
    page = entry_of(slug)
    state = PageState(slug)
    _PAGE.set(state)
    teaching.begin(state)
    if "presets" in state.hidden:
        presets = None
    state.presets = [values for _, values in (presets or {}).values()]
    # Says how many presets there are: a rule that looks for them itself, by :has() and a part of their class, is asked
    # anew with every element that comes to the page, and an embedding took half as long again to draw.
    many = len(presets or ()) > 2 or len(page.title) + sum(map(len, presets or ())) > _BESIDE_TITLE
    head = "head-many" if presets and many else "head-few" if presets else "head"
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key=head):
        st.title(heading or page.title, anchor=False, width="content")
        with st.container(horizontal=True, width="content", vertical_alignment="center", key="title-tools"):
            for label, (help, values) in (presets or {}).items():
                st.button(label, help=help, on_click=state.apply, args=(values,), key=f"{slug}:preset:{label}")
            # These stay on one line, wherever that is.
            with st.container(
                horizontal=True, width="content", wrap=False, vertical_alignment="center", key="title-steps"
            ):
                if controls:
                    history_buttons(slug, state.apply, lambda name: pins.restore(state, name))
                teaching.menu(state)
    if "question" not in state.hidden:
        with st.container(key="question"):
            explain(page.question)
    state.place = st.container()
    teaching.panel(state)
    state.told_above = frozenset(state.told)
    return state


def blas_note() -> str:
    """Return how OpenBLAS came to its kernels, or an empty string if that is its own choice."""
    chosen = os.environ.get("OPENBLAS_CORETYPE")
    return (
        f"OpenBLAS was told to use its {chosen} kernels, which suit this processor better than its guess."
        if chosen
        else ""
    )


def formula(text: str) -> None:
    """Draw a formula next to the controls that it explains."""
    st.markdown(f"${text}$")


def chart(
    figure: go.Figure,
    key: str,
    description: str,
    clickable: bool = False,
    secondary: bool = False,
    placing: bool = False,
    square: bool = False,
    animations: Sequence[AnimationSpec] | None = None,
    drawing: Mapping[str, Any] | None = None,
) -> None:
    """Show a figure at the full width, with a description for screen readers; see :func:`live_chart`.

    Below the main chart of a page is a toolbar that plays its `animations`, pins and shares it. On that chart, or on
    the one that it names, a lesson decides what is to be drawn.
    """
    lessons = teaching.lessons()
    if lessons is None or not lessons.draws_on(key, is_main=animations is not None):
        live_chart(figure, key, description, clickable, secondary, placing, square, drawing)
    else:
        figure = lessons.with_drawn(figure)
        asked = lessons.drawing()
        if asked is not None and selected_curve(asked["id"]):
            st.rerun()  # the whole page: the lesson can go on
        live_chart(figure, key, description, clickable, secondary, placing, square, asked)
    _page().address.add_chart(key, figure)
    if animations is not None:
        under_chart(figure, key, description, animations)


def under_chart(figure: go.Figure, key: str, description: str, animations: Sequence[AnimationSpec] = ()) -> None:
    """Draw the toolbar of a chart, and the charts that were pinned."""
    state = _page()
    with st.container(key=f"{key}-tools"):  # what comes and goes in here moves nothing that follows
        with st.container(horizontal=True, key=f"{key}-bar-row"):
            chart_bar(state, key, animations, pin=lambda: pins.request(state.page, key))
            share_place(state)
        pins.show(state, figure, key, description)


def _page() -> PageState:
    """Return the state of the page that is drawn."""
    state = _PAGE.get()
    assert state is not None, "page_header comes first"
    return state


def refused(error: object) -> None:
    """Draw why something could not be done, as it is written: a formula that it quotes is not Markdown."""
    st.error(plain(str(error)))


def explain(text: str) -> None:
    """Draw a few sentences, such as what one sees in the chart above; terms show what they mean."""
    st.markdown(link_terms(text, _page().told))


def details(state: PageState, parts: Mapping[str, Callable[[], object]], opened: str = "") -> None:
    """Draw the folded parts below a chart, each under its title.

    A part is filled only while it is open: what the browser does not hold, it need not go through each time a slider
    moves, which is half of what a redraw costs there.

    Parameters
    ----------
    state : PageState
        The page.
    parts : mapping of str to callable
        Title of each part to what draws it.
    opened : str
        Title of the one to open now.
    """
    if "details" in state.hidden:
        state.view.pop("open", None)
        return
    names = {in_address(title): state.key(f"details-{number}") for number, title in enumerate(parts)}
    for name in [*state.address.view("open", list(names)), *([in_address(opened)] if opened in parts else [])]:
        set_widget_value(names[name], True)
    are_open = []
    for name, (title, fill) in zip(names, parts.items(), strict=True):
        with st.expander(title, key=names[name], on_change="rerun") as part:
            if part.open:
                are_open.append(name)
                fill()
    state.view["open"] = ",".join(are_open)


def tabs(state: PageState, titles: Sequence[str]) -> tuple[str, Any]:
    """Draw tabs, and return the title of the open one and its container; the others stay empty."""
    names, key = {in_address(title): title for title in titles}, f"{state.page}:tab"
    for name in state.address.view("tab", list(names))[:1]:
        set_widget_value(key, names[name])
    drawn = dict(zip(titles, st.tabs(titles, key=key, on_change="rerun"), strict=True))
    title = next((title for title, tab in drawn.items() if tab.open), titles[0])
    state.view["tab"] = "" if title == titles[0] else in_address(title)
    return title, drawn[title]


def in_address(title: str) -> str:
    """Return a title as a word of the address: ``"how-it-is-computed"``."""
    return re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")


def numbers(frame: pd.DataFrame, formats: Mapping[str, str] | None = None, note: str = "") -> None:
    """Draw the numbers of a chart as a table."""
    frame = frame.dropna(axis=1, how="all")  # a column without a value is left out
    config = {name: st.column_config.NumberColumn(format=text) for name, text in (formats or {}).items()}
    height = "content" if len(frame) <= _SHORT else "auto"  # rather than all but a row, and a bar
    st.dataframe(frame, height=height, hide_index=True, column_config=config, placeholder="–")
    if note:
        st.caption(note)
