"""Points that a reader clicks into a plane: held in the session and, since they are few, in the address."""

from __future__ import annotations

import streamlit as st

from rfviz.recipes.own_points import CLASS, CLASSES, MOST_POINTS, POINTS, point_text
from rfviz.ui.live_chart import taken_places
from rfviz.ui.state import PageState

__all__ = ["MOST_POINTS", "OwnPoints"]


class OwnPoints:
    """The points of one page, in the order in which they were placed.

    Parameters
    ----------
    state : PageState
    """

    def __init__(self, state: PageState) -> None:
        self._state = state
        self._key, self._chosen = state.key(POINTS.name), state.key(CLASS.name)

    @property
    def texts(self) -> list[str]:
        """Each point as ``x/y/class``, as the address holds it."""
        return list(st.session_state.get(self._key, POINTS.default))

    def take_clicks(self, charts: tuple[str, ...]) -> None:
        """Add what was clicked into charts of these keys; to be called before the recipe asks for the points."""
        number = int(st.session_state.get(self._chosen, CLASS.default))
        for chart in charts:
            for x, y in taken_places(chart):
                if len(self.texts) < MOST_POINTS:
                    st.session_state[self._key] = [*self.texts, point_text(x, y, number)]

    def controls(self) -> None:
        """Which class a click adds, and buttons to take points away."""
        with st.container(horizontal=True, vertical_alignment="bottom", key="own-points"):
            titles = {str(c): f"Class {c}" for c in range(1, CLASSES + 1)}
            st.segmented_control(CLASS.label, list(titles), key=self._chosen, required=True,
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
