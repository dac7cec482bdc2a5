"""A skeleton as a table of layers that a reader edits: window, stride and activation of each, from the image up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from rfviz.errors import RfvizError
from rfviz.recipes.skeleton_rows import KINDS, MOST_LAYERS, NUMBER, Row, build, own_rows
from rfviz.ui.state import PageState

__all__ = ["LayerTable"]

_HELP = {
    "size": "Window: each node averages a square of so many nodes below it, a side.",
    "stride": "Stride: so many nodes below, the next window begins.",
    "kind": "Dual activation: the law of how many children a feature multiplies here. The number beside it: of exp, "
    "which is exp(s(ρ − 1)), the mean number of children; of power, ρ^d, exactly that number.",
    "number": None,  # its name and a question mark would not fit above so small a cell
}


def _label(place: int) -> str:
    """Only the first row names its cells."""
    return "collapsed" if place else "visible"


class LayerTable:
    """The table of one page.

    Parameters
    ----------
    state : PageState
    rows : list of Row
    image_shape : tuple of int
    """

    def __init__(self, state: PageState, rows: list[Row], image_shape: tuple[int, int, int]) -> None:
        self._state, self._shape, self.rows = state, image_shape, rows

    def draw(self) -> None:
        """Draw the table, with what is wrong below the row that causes it."""
        rows = self.rows
        wrong, reason = self.first_error()
        st.caption("**Layers**, from the image up")
        for place, row in enumerate(rows):
            with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall", key=f"layer-{place}"):
                st.markdown(f"**{place + 1}**" if row.size else "**top**", width=36)
                self._cells(place, row)
            if reason and place == wrong:
                st.error(reason)
        full = len(rows) > MOST_LAYERS
        st.button("Add a layer", icon=":material/add:", key=f"{self._state.page}:add", disabled=full,
                  on_click=self._edit, args=(self._added,), help="A convolution below the top.")  # fmt: skip

    def _cells(self, place: int, row: Row) -> None:
        if row.size:
            self._number(place, "size", row.size, 1, 64)
            self._number(place, "stride", row.stride, 1, 64)
        else:
            st.markdown("all nodes below", width=160)  # as wide as the two cells above
        key = self._cell(place, "kind", row.kind)
        st.selectbox("Activation", list(KINDS), format_func=KINDS.get, key=key, label_visibility=_label(place),
                     on_change=self._changed, args=(place, "kind", key), width=96, help=_HELP["kind"])  # fmt: skip
        if row.kind == "exponential":
            self._number(place, "number", row.number, 0.05, 50.0, 0.25)
        elif row.kind == "polynomial":
            self._number(place, "number", int(row.number), 1, 50)
        if row.size:
            last = len(self.rows) - 2
            for icon, words, change, off in (
                ("arrow_upward", "Nearer to the image", lambda rows: _moved(rows, place, -1), place == 0),
                ("arrow_downward", "Farther from the image", lambda rows: _moved(rows, place, 1), place == last),
                ("delete", "Remove", lambda rows: rows[:place] + rows[place + 1 :], False),
            ):
                st.button("", icon=f":material/{icon}:", help=words, key=f"{self._state.page}:{icon}:{place}",
                          disabled=off, type="tertiary", on_click=self._edit, args=(change,))  # fmt: skip

    def _number(self, place: int, field: str, value: Any, low: Any, high: Any, step: Any = 1) -> None:
        key = self._cell(place, field, value)
        label = {"size": "Window", "stride": "Stride", "number": "Number"}[field]
        st.number_input(label, low, high, step=step, key=key, label_visibility=_label(place), width=76,
                        on_change=self._changed, args=(place, field, key), help=_HELP[field])  # fmt: skip

    def _cell(self, place: int, field: str, value: Any) -> str:
        """The widget's key, whose value the rows decide: they may have moved, or be another preset's."""
        kind = type(value).__name__
        key = f"{self._state.page}:row:{place}:{field}:{kind}"
        st.session_state[key] = value
        return key

    def _changed(self, place: int, field: str, key: str) -> None:
        value = st.session_state[key]
        new = replace(self.rows[place], **{field: value})
        if field == "kind":
            new = replace(new, number=float(NUMBER.get(value, ("", 0.0))[1]))
        self._edit(lambda rows: [*rows[:place], new, *rows[place + 1 :]])

    def _edit(self, change: Callable[[list[Row]], list[Row]]) -> None:
        self._state.apply(own_rows(change(list(self.rows))))

    def _added(self, rows: list[Row]) -> list[Row]:
        """One more convolution, as large as what is below it allows."""
        try:
            below = build(self._shape, rows, "circle")
            side = int(len(below.layers[-2].edges) ** 0.5) if len(below.layers) > 1 else self._shape[0]
        except RfvizError:
            side = 3
        size = min(3, side)
        return [*rows[:-1], Row(size, min(2, size), "relu"), rows[-1]]

    def first_error(self) -> tuple[int, str]:
        """The first row that cannot be, and why; the rows below it alone are a skeleton."""
        for place, row in enumerate(self.rows):
            part = self.rows[: place + 1]
            try:
                build(self._shape, part if not row.size else [*part, Row(0, 0, "identity")], "circle").check_sampling()
            except RfvizError as error:
                return place, str(error)
        return 0, ""


def _moved(rows: list[Row], place: int, by: int) -> list[Row]:
    rows[place], rows[place + by] = rows[place + by], rows[place]
    return rows
