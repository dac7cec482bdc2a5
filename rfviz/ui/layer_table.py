"""A skeleton as a table of layers that a reader edits: window, stride and activation of each, from the image up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from rfviz.errors import ParameterError, RfvizError
from rfviz.skeleton import Activation, Skeleton, activation, convolutions, preset
from rfviz.ui.state import PageState

__all__ = ["OWN", "LayerTable", "Row"]

OWN = "own"
# What a row offers, and the number that goes with it.
_KINDS = {"relu": "ReLU", "exponential": "exp", "step": "step", "erf": "erf", "identity": "identity",
          "polynomial": "power"}  # fmt: skip
_NUMBER = {"exponential": ("scale", 1.0), "polynomial": ("degree", 2)}
_MOST_LAYERS = 8
_HELP = {
    "size": "Window: each node averages a square of so many nodes below it, a side.",
    "stride": "Stride: so many nodes below, the next window begins.",
    "kind": "Dual activation: the law of how many children a feature multiplies here.",
    "number": "Of exp, which is exp(s(ρ − 1)), the mean number of children; of power, ρ^d, exactly that number.",
}


@dataclass(frozen=True)
class Row:
    """A layer; the top has neither window nor stride (0)."""

    size: int
    stride: int
    kind: str
    number: float = 0.0

    @property
    def activation(self) -> dict[str, Any]:
        name = _NUMBER.get(self.kind, ("", 0))[0]
        if not name:
            return {"kind": self.kind}
        return {"kind": self.kind, name: int(self.number) if name == "degree" else float(self.number)}

    def to_text(self) -> str:
        """As the address holds it: ``5/2/relu``, ``exponential/0.25``."""
        parts = [self.kind] + ([f"{self.number:g}"] if self.kind in _NUMBER else [])
        return "/".join([str(self.size), str(self.stride), *parts] if self.size else parts)

    @staticmethod
    def from_text(text: str) -> Row:
        """The row of a text.

        Raises
        ------
        ValueError
            Where it is none.
        """
        parts = str(text).split("/")
        size, stride = (int(parts.pop(0)), int(parts.pop(0))) if parts[0].isdigit() else (0, 0)
        kind = parts.pop(0)
        if kind not in _KINDS or (size and not (1 <= size <= 64 and 1 <= stride <= 64)):
            raise ValueError(text)
        number = float(parts[0]) if kind in _NUMBER and parts else float(_NUMBER.get(kind, ("", 0.0))[1])
        return Row(size, stride, kind, activation_number(kind, number))

    @staticmethod
    def of(act: Activation, size: Sequence[int] = (0, 0), stride: int = 0) -> Row:
        """The row of a layer of a skeleton.

        Raises
        ------
        ParameterError
            For what the table cannot hold.
        """
        if size[0] != size[1] or act.kind not in _KINDS or act.offset:
            raise ParameterError(
                "layer", "must have a square window and no series or offset to fit the table", act.to_form(),
                "Use the library for other skeletons.",
            )  # fmt: skip
        number = getattr(act, _NUMBER[act.kind][0]) if act.kind in _NUMBER else 0.0
        return Row(size[0], stride, act.kind, float(number))


def _label(place: int) -> str:
    """Only the first row names its cells."""
    return "collapsed" if place else "visible"


def activation_number(kind: str, number: float) -> float:
    """The number of an activation, checked by the library."""
    if kind not in _NUMBER:
        return 0.0
    form = Row(0, 0, kind, number).activation
    return float(getattr(activation(form), _NUMBER[kind][0]))


class LayerTable:
    """The table of one page.

    Parameters
    ----------
    state : PageState
    chosen : str
        The preset, or :data:`OWN` for the reader's own rows.
    image_shape : tuple of int
    """

    def __init__(self, state: PageState, chosen: str, image_shape: tuple[int, int, int]) -> None:
        self._state, self._shape = state, image_shape
        self._key = state.claim("layers", ["5/2/relu", "relu"], _clean)
        if chosen == OWN:
            rows = [Row.from_text(text) for text in st.session_state[self._key]]
        else:
            rows = rows_of(preset(chosen, image_shape, shrink=True))
        self.rows = rows

    def skeleton(self, base: Any) -> Skeleton:
        """The skeleton of the rows.

        Raises
        ------
        ParameterError
            With the number of the row that cannot be.
        """
        return _build(self._shape, self.rows, base)

    def draw(self) -> None:
        """Draw the table, with what is wrong below the row that causes it."""
        rows = self.rows
        wrong, reason = self.first_error()
        st.caption("**Layers**, from the image up: window, stride, activation and its number")
        for place, row in enumerate(rows):
            with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
                st.markdown(f"**{place + 1}**" if row.size else "**top**", width=32)
                self._cells(place, row)
            if reason and place == wrong:
                st.error(reason)
        full = len(rows) > _MOST_LAYERS
        st.button("Add a layer", icon=":material/add:", key=f"{self._state.page}:add", disabled=full,
                  on_click=self._edit, args=(self._added,), help="A convolution below the top.")  # fmt: skip

    def _cells(self, place: int, row: Row) -> None:
        if row.size:
            self._number(place, "size", row.size, 1, 64)
            self._number(place, "stride", row.stride, 1, 64)
        else:
            st.markdown("all nodes below", width=160)
        key = self._cell(place, "kind", row.kind)
        st.selectbox("Activation", list(_KINDS), format_func=_KINDS.get, key=key, label_visibility=_label(place),
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
            new = replace(new, number=float(_NUMBER.get(value, ("", 0.0))[1]))
        self._edit(lambda rows: [*rows[:place], new, *rows[place + 1 :]])

    def _edit(self, change: Callable[[list[Row]], list[Row]]) -> None:
        self._state.apply(own_rows(change(list(self.rows))))

    def _added(self, rows: list[Row]) -> list[Row]:
        """One more convolution, as large as what is below it allows."""
        try:
            below = _build(self._shape, rows, "circle")
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
                _build(self._shape, part if not row.size else [*part, Row(0, 0, "identity")], "circle").check_sampling()
            except RfvizError as error:
                return place, str(error)
        return 0, ""


def rows_of(skeleton: Skeleton) -> list[Row]:
    """The rows of a stack of convolutions."""
    rows = [Row.of(activation(x["activation"]), x["size"], x["stride"]) for x in skeleton.form["layers"]]
    return [*rows, Row.of(activation(skeleton.form["top"]))]


def own_rows(rows: Sequence[Row]) -> dict[str, Any]:
    """Settings of the page that show these rows."""
    return {"layers": [row.to_text() for row in rows], "skeleton": OWN}


def _build(shape: tuple[int, int, int], rows: Sequence[Row], base: Any) -> Skeleton:
    layers = [(row.size, row.stride, row.activation) for row in rows[:-1]]
    return convolutions(shape, layers, rows[-1].activation, base)


def _moved(rows: list[Row], place: int, by: int) -> list[Row]:
    rows[place], rows[place + by] = rows[place + by], rows[place]
    return rows


def _clean(given: Any) -> list[str]:
    texts = given if isinstance(given, (list, tuple)) else [given]
    rows = [Row.from_text(text) for text in texts[: _MOST_LAYERS + 1]]
    if not rows or rows[-1].size or any(not row.size for row in rows[:-1]):
        raise ValueError(given)
    return [row.to_text() for row in rows]
