"""Points that a reader clicks into a plane: held in the session and, since they are few, in the address."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import streamlit as st

from rfviz.analysis.plane import Plane
from rfviz.analysis.splits import Split
from rfviz.ui.live_chart import taken_places
from rfviz.ui.state import PageState

__all__ = ["HALF_SIDE", "MOST_POINTS", "OWN_PLANE", "OwnPoints"]

HALF_SIDE = 1.5
OWN_PLANE = Plane(np.zeros(2), np.eye(2), (-HALF_SIDE, HALF_SIDE), (-HALF_SIDE, HALF_SIDE), 1.0)
MOST_POINTS, CLASSES = 120, 4
# Something to begin with: a bent pair.
_BEGINNING = ("-0.9/0.1/1", "-0.6/0.7/1", "0/0.95/1", "0.6/0.7/1", "0.9/0.1/1", "-0.35/-0.3/2", "0/0.2/2",
              "0.3/-0.35/2", "0/-0.8/2")  # fmt: skip


class OwnPoints:
    """The points of one page, in the order in which they were placed.

    Parameters
    ----------
    state : PageState
    charts : sequence of str
        Keys of the charts whose clicks place points.
    """

    def __init__(self, state: PageState, charts: tuple[str, ...]) -> None:
        self._state = state
        self._key = state.claim("points", list(_BEGINNING), _clean)
        chosen = state.claim("class", "1", _clean_class)
        for chart in charts:
            for x, y in taken_places(chart):
                if len(self.texts) < MOST_POINTS:
                    st.session_state[self._key] = [*self.texts, _text(x, y, int(st.session_state[chosen]))]
        self._chosen = chosen

    @property
    def texts(self) -> list[str]:
        """Each point as ``x/y/class``, as the address holds it."""
        return list(st.session_state[self._key])

    def controls(self) -> None:
        """Which class a click adds, and buttons to take points away."""
        with st.container(horizontal=True, vertical_alignment="bottom", key="own-points"):
            titles = {str(c): f"Class {c}" for c in range(1, CLASSES + 1)}
            st.segmented_control("A click adds a point of", list(titles), key=self._chosen, required=True,
                                 format_func=titles.__getitem__)  # fmt: skip
            st.button("Undo", icon=":material/undo:", on_click=self._shorten, disabled=not self.texts,
                      help="Take the latest point away.", key=f"{self._state.page}:undo")  # fmt: skip
            st.button("Clear", icon=":material/delete:", on_click=self._clear, disabled=not self.texts,
                      help="Take all points away.", key=f"{self._state.page}:clear")  # fmt: skip
        if len(self.texts) >= MOST_POINTS:
            st.info(f"These are {MOST_POINTS} points, which is all that the address holds. Undo or clear some.")

    def _shorten(self) -> None:
        st.session_state[self._key] = self.texts[:-1]

    def _clear(self) -> None:
        st.session_state[self._key] = []

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of shape (n, 2), float32, and class codes of shape (n,)."""
        parts = [text.split("/") for text in self.texts]
        X = np.array([[float(x), float(y)] for x, y, _ in parts], dtype=np.float32).reshape(-1, 2)
        return X, np.array([int(c) - 1 for _, _, c in parts], dtype=np.int64)

    def split(self) -> Split:
        """All points as training rows; so few leave none to test with."""
        X, y = self.arrays()
        nothing = np.arange(0)
        names = tuple(f"class {c + 1}" for c in range(CLASSES))
        return Split("your points", X, y, X[:0], y[:0], nothing, names, False)


def _text(x: float, y: float, number: int) -> str:
    return f"{round(float(x), 2):g}/{round(float(y), 2):g}/{number}"


def _clean(value: Any) -> list[str]:
    """Legal points among those given."""
    texts = value if isinstance(value, (list, tuple)) else [value]
    return [point for text in texts if (point := _point(text))][:MOST_POINTS]


def _point(text: Any) -> str | None:
    parts = str(text).split("/")
    try:
        x, y, number = float(parts[0]), float(parts[1]), int(parts[2])
    except (ValueError, IndexError):
        return None
    inside = math.isfinite(x) and math.isfinite(y) and max(abs(x), abs(y)) <= HALF_SIDE and 1 <= number <= CLASSES
    return _text(x, y, number) if inside and len(parts) == 3 else None


def _clean_class(value: Any) -> str:
    if str(value) not in {str(c) for c in range(1, CLASSES + 1)}:
        raise ValueError(value)
    return str(value)
