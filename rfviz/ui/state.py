"""What the controls of a page hold: kept for the session, read from the address once, and written back to it.

A value lives in ``st.session_state`` under ``<page>.<name>``, so it survives a visit to another page; the address of
the page holds what differs from the defaults, under ``<name>``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from rfviz.recipes.address import format_value
from rfviz.recipes.controls import Control
from rfviz.ui.address_reader import AddressReader
from rfviz.ui.awaited import Awaited
from rfviz.ui.history import history_of, record
from rfviz.ui.kept import drop, keep, kept_value
from rfviz.ui.plain import plain

__all__ = ["PageState"]

_AT = "rfviz:page"  # the page of the last run
# Kinds of controls that Streamlit draws, whose values come with every message of the browser.
_SENT = ("switch", "number", "ends", "word", "words")
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
    place : container or None
        Below the page's question, for what must be said before anything else.
    address : AddressReader
        What the address, or a lesson, asks of the page.
    """

    def __init__(self, page: str) -> None:
        self.page = page
        self.controls: dict[str, Control] = {}
        self.place: Any = None
        self._defaults: dict[str, Any] = {}
        self._begun: float | None = None
        self._set = f"{page}:set"
        self.address = AddressReader(st.query_params, arrives=st.session_state.get(_AT) != page)
        st.session_state[_AT] = page
        self._labels: dict[str, str] = {}
        #: Names of controls, and of parts of the page, that are not drawn; those that are no mistake though the page
        #: has no such control at present; and the only controls to be drawn, or None for all.
        self.hidden: Collection[str] = ()
        self.possible: Collection[str] = ()
        self.only: Collection[str] | None = None
        #: By name, what the page shows for a control that holds a wish (to bring data) rather than a value.
        self.shown: dict[str, Any] = {}
        #: By name, what else the address says: which parts are open. No setting, so it is neither undone nor pinned.
        self.view: dict[str, str] = {}

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
        if self._begun is None:
            self._begun = time.monotonic()
            self._catch_up()
        self._defaults[name] = default
        key = self.key(name)
        if key not in st.session_state or self.address.is_asked(name):
            kept = _legal(kept_value(st.session_state, key, default), default, clean)
            st.session_state[key] = self.address.read(name, default, kept, clean)
        else:
            # Another data set or scheme may have narrowed what is legal. Writing the value back also keeps Streamlit
            # from dropping it with its widget when the reader visits another page.
            st.session_state[key] = _legal(st.session_state[key], default, clean)
        return key

    def draws(self, name: str, label: str) -> bool:
        """Whether a control is to be drawn; one that is not keeps its value. Remembers what the control is called."""
        self._labels[name] = label
        return name not in self.hidden and (self.only is None or name in self.only)

    def last(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """What the page's controls are called, and what differs from the defaults, both when it was last drawn."""
        return st.session_state.get(f"{self.page}:last", ({}, {}))

    def apply(self, values: Mapping[str, Any]) -> None:
        """Set several controls at once: a preset. To be called from a callback, before the controls are drawn."""
        history_of(self.page, st.session_state).part()
        self._catch_up()
        held = self.values()
        sent = {name: value for name, value in values.items() if name in held and self._is_sent(name)}
        others = {name: value for name, value in held.items() if name not in values}
        self._awaited().add(held, {name: value for name, value in sent.items() if value != held[name]}, others)
        for name, value in values.items():
            st.session_state[self.key(name)] = value
        st.session_state[self._set] = frozenset(values)

    def _is_sent(self, name: str) -> bool:
        return name in self.controls and self.controls[name].kind in _SENT

    def _awaited(self) -> Awaited:
        key = f"{self.page}:awaited"
        if key not in st.session_state:
            st.session_state[key] = Awaited()
        return st.session_state[key]

    def _catch_up(self) -> None:
        """Set again what was set at once and a message of the browser, sent before it knew, has set back."""
        awaited = self._awaited()
        names = [name for name in [*awaited.wanted, *awaited.others] if self.key(name) in st.session_state]
        for name, value in awaited.overtaken({name: st.session_state[self.key(name)] for name in names}).items():
            st.session_state[self.key(name)] = value

    def was_set(self, name: str) -> bool:
        """Whether a control was among those that were set at once before this run: by a preset, a step back, a pin."""
        return name in st.session_state.get(self._set, ())

    def forget(self) -> None:
        """Begin as in a new session: the address and the defaults count, and no step back leads to what was before."""
        for key in [key for key in st.session_state if str(key).startswith(self.key(""))]:
            del st.session_state[key]
        drop(st.session_state, self.key(""))
        for part in ("history", "awaited"):
            st.session_state.pop(f"{self.page}:{part}", None)

    def finish(self) -> None:
        """After the last control: say what was wrong with the address, and write the present values to it."""
        for notice in [*self._hides_nothing(), *self.address.finish()]:
            st.toast(notice, icon="⚠️")
        st.session_state.pop(self._set, None)
        self._awaited().ends(self.values())
        changed = self.changed()
        keep(st.session_state, self.key(""), {self.key(name): value for name, value in changed.items()})
        values = {name: format_value(value) for name, value in changed.items()}
        values |= {name: text for name, text in self.view.items() if text}
        st.session_state[f"{self.page}:last"] = dict(self._labels), values
        # With what else the address says, so that it is written anew when a step of a lesson has replaced it.
        others = [st.query_params.get(name) for name in ("lesson", "step", "present", "hide")]
        steps = record(self, st.session_state, self._begun or 0.0)
        self._begun = None
        data = {"path": self.page, "values": values, "kept": others, "steps": steps}
        _sync(key=f"{self.page}:url", data=data, height=1)

    def _hides_nothing(self) -> list[str]:
        """A sentence where the address hides what the page has not, once; a fragment ends more than once."""
        told, unknown = f"{self.page}:unknown", sorted({*self.hidden} - {*self.possible, *self._defaults})
        if not unknown or st.session_state.get(told) == unknown:
            return []
        st.session_state[told] = unknown
        return [f"hide={plain(','.join(unknown))} in the address: this page has nothing of that name."]

    def changed(self) -> dict[str, Any]:
        """What differs from the defaults, by name: what the address holds, and a preset."""
        return {name: value for name, value in self.values().items() if value != self._defaults[name]}

    def values(self) -> dict[str, Any]:
        """What all controls hold, by name."""
        return {name: st.session_state.get(self.key(name), default) for name, default in self._defaults.items()}


def _legal(value: Any, default: Any, clean: Callable[[Any], Any]) -> Any:
    try:
        return clean(value)
    except ValueError:
        return default
