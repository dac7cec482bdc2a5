"""What the controls of a page hold: kept for the session, read from the address once, and written back to it.

A value lives in ``st.session_state`` under ``<page>.<name>``, so it survives a visit to another page; the address of
the page holds what differs from the defaults, under ``<name>``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from rfviz.recipes.address import format_value, parse_value, same_text
from rfviz.recipes.controls import Control
from rfviz.ui.history import history_of, record

__all__ = ["PageState"]

_sync = st.components.v2.component("rfviz.url", js=(Path(__file__).parent / "url.js").read_text(encoding="utf-8"))


class PageState:
    """The controls of one page.

    Parameters
    ----------
    page : str
        The page's place in the address: ``"distance-saturation"``.

    Attributes
    ----------
    controls : dict of str to Control
        Those that were drawn, by name: what their values are called.
    """

    def __init__(self, page: str) -> None:
        self.page = page
        self.controls: dict[str, Control] = {}
        self._defaults: dict[str, Any] = {}
        self._notices: list[str] = []
        self._begun: float | None = None

    def key(self, name: str) -> str:
        """Key of a control in the session's state."""
        return f"{self.page}.{name}"

    def claim(self, name: str, default: Any, clean: Callable[[Any], Any]) -> str:
        """Make sure that a control has a value, and return its key.

        Parameters
        ----------
        name : str
            Its name in the address.
        default : object
            Its value where nothing is known.
        clean : callable
            Gives the legal value nearest to what it is handed (a string from the address, or an old value), or raises
            ValueError.
        """
        self._defaults[name] = default
        self._begun = self._begun or time.monotonic()
        key = self.key(name)
        if key not in st.session_state:
            st.session_state[key] = self._from_address(name, default, clean)
        else:
            # Another data set or scheme may have narrowed what is legal. Writing the value back also keeps Streamlit
            # from dropping it with its widget when the reader visits another page.
            try:
                st.session_state[key] = clean(st.session_state[key])
            except ValueError:
                st.session_state[key] = default
        return key

    def _from_address(self, name: str, default: Any, clean: Callable[[Any], Any]) -> Any:
        text = st.query_params.get(name)
        if text is None:
            return default
        try:
            value = clean(parse_value(text))
        except ValueError:
            value = default
        if not same_text(format_value(value), text):
            shown = text if len(text) <= 40 else text[:37] + "…"
            self._notices.append(f"{name}={shown} in the address is not possible here; using {format_value(value)}.")
        return value

    def apply(self, values: Mapping[str, Any]) -> None:
        """Set several controls at once: a preset. To be called from a callback, before the controls are drawn."""
        history_of(self.page, st.session_state).part()
        for name, value in values.items():
            st.session_state[self.key(name)] = value

    def finish(self) -> None:
        """After the last control: say what was wrong with the address, and write the present values to it."""
        for notice in self._notices:
            st.toast(notice, icon="⚠️")
        self._notices.clear()  # a fragment ends more than once
        values = {name: format_value(value) for name, value in self.changed().items()}
        data = {"path": self.page, "values": values, "steps": record(self, st.session_state, self._begun or 0.0)}
        self._begun = None
        _sync(key=f"{self.page}:url", data=data, height=1)

    def changed(self) -> dict[str, Any]:
        """What differs from the defaults, by name: what the address holds, and a preset."""
        return {name: value for name, value in self.values().items() if value != self._defaults[name]}

    def values(self) -> dict[str, Any]:
        """What all controls hold, by name."""
        return {name: st.session_state.get(self.key(name), default) for name, default in self._defaults.items()}
