"""Values of the controls of a page: held by the session, read from the address once, and written back to it.

The session holds a value under ``<page>.<name>``, so that it survives a visit to another page; the address
of the page holds what differs from the defaults, under ``<name>``.

A widget of Streamlit's has a key of its own, ``<page>.<name>:<generation>``. A browser sends the values of all widgets
with every message. One that leaves it in the moment after a preset was chosen, while the page still shows what was
before, would set the preset's values back; setting a value raises the generation, so that such a message speaks of
widgets that are gone, whose callbacks must change nothing.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from rfviz.lab.address import format_value, same_text
from rfviz.lab.controls import Control
from rfviz.ui.component import Component
from rfviz.ui.plain import plain
from rfviz.ui.session import SessionValue, remove_all, set_widget_value, widget_value
from rfviz.ui.state.address import AddressReader
from rfviz.ui.state.history import HISTORY, History, history_of

__all__ = ["PageState", "forget_page"]

_LAST_PAGE = SessionValue("page", str)
# Tells the sessions of a browser's page apart.
_TOKEN = SessionValue("session", lambda: secrets.token_hex(8))
# Of each page: the defaults of its controls by name, and how often each widget was set (see above); the controls that
# were set at once before this run; the labels of the controls, and what differed from the defaults, when it was last
# drawn; and what it was asked to hide, and has not, when that was last said.
_DEFAULTS = SessionValue("defaults", dict[str, Any])
_GENERATIONS = SessionValue("generations", dict[str, int])
_SET_AT_ONCE = SessionValue("set", frozenset[str])
_LAST = SessionValue[tuple[Mapping[str, str], Mapping[str, str]]]("last", lambda: ({}, {}))
_UNKNOWN = SessionValue("unknown", list[str])
_sync = Component("url", Path(__file__).with_name("url.js"))


class PageState:
    """The controls of one page.

    Parameters
    ----------
    page : str
        The page's path in the address: ``"distance-saturation"``.

    Attributes
    ----------
    controls : dict of str to Control
        Those that were drawn, by name.
    place : container or None
        Below the page's question, for what must be said before anything else.
    address : AddressReader
        What the address, or a lesson, asks of the page.
    hidden : collection of str
        Names of controls, and of parts of the page, that are not drawn.
    possible : callable
        Names that may be hidden though the page has no such control at present.
    only : collection of str or None
        The only controls to be drawn; None for all.
    shown : dict of str to object
        By name, what the page shows for a control that holds a wish (to bring data) rather than a value.
    presets : sequence of mapping
        Values that the page's buttons set, in their order; those that hold now are marked.
    view : dict of str to str
        What else the address holds: which parts are open, what is pinned. No settings: neither undone nor pinned.
    told : set of str
        Terms of the glossary that the page's text has defined so far.
    told_above : collection of str
        Those of them that stand above the controls, which a control does not draw again.
    """

    def __init__(self, page: str) -> None:
        self.page = page
        self.controls: dict[str, Control] = {}
        self.place: Any = None
        self.address = AddressReader(st.query_params, arrives=_LAST_PAGE.get() != page)
        _LAST_PAGE.set(page)
        self.hidden: Collection[str] = ()
        self.possible: Callable[[], Collection[str]] = frozenset
        self.only: Collection[str] | None = None
        self.shown: dict[str, Any] = {}
        self.presets: Sequence[Mapping[str, Any]] = ()
        self.view: dict[str, str] = {}
        self.told: set[str] = set()
        self.told_above: Collection[str] = ()
        self._labels: dict[str, str] = {}
        self._defaults: dict[str, Any] = {}
        self._started: float | None = None

    def key(self, name: str) -> str:
        """Return the key under which the session holds a value of the page; or a widget, which then goes with it."""
        return f"{self.page}.{name}"

    def widget_key(self, name: str) -> str:
        """Return the key of the widget that shows a control's value."""
        return f"{self.key(name)}:{self._generations.get(name, 0)}"

    def value(self, name: str, default: Any = None) -> Any:
        """Return the value of a control, or another one that :meth:`set` has been given."""
        return widget_value(self.key(name), default)

    def set(self, name: str, value: Any) -> None:
        """Set a value of the page, which is forgotten with those of its controls; see :meth:`apply` for drawn ones."""
        set_widget_value(self.key(name), value)

    def register(self, name: str, default: Any, clean: Callable[[Any], Any]) -> Any:
        """Make sure that a control has a legal value, and return it.

        Parameters
        ----------
        name : str
            Its name in the address.
        default : object
            Its value where nothing is known.
        clean : callable
            Returns the legal value nearest to what it gets (a string from the address, or an old value), or raises
            ValueError.
        """
        if self._started is None:
            self._started = time.monotonic()
        self._defaults[name] = default
        held = self.value(name)
        value = default if held is None else held
        # A value left at a default follows it: the whole of small images is not a part of larger ones.
        before = _DEFAULTS.of(self.page).get()
        if name in before and value == before[name] and not self.was_set(name):
            value = default
        before[name] = default
        value = _legal(value, default, clean)
        if held is None or self.address.is_asked(name):
            value = self.address.read(name, default, value, clean)
        self.set(name, value)
        return value

    def draws(self, name: str, label: str) -> bool:
        """Return whether a control is to be drawn, and note its label; one that is not drawn keeps its value."""
        self._labels[name] = label
        return self.shows(name)

    def shows(self, name: str) -> bool:
        """Return whether a control of this name is to be seen."""
        return name not in self.hidden and (self.only is None or name in self.only)

    def last(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Return the labels of the page's controls and what differed from the defaults when it was last drawn."""
        return _LAST.of(self.page).get()

    def apply(self, values: Mapping[str, Any]) -> None:
        """Set several controls at once: a preset. To be called from a callback, before the controls are drawn."""
        self.history.part()
        generations = self._generations
        for name, value in values.items():
            if self.value(name, value) != value:
                generations[name] = generations.get(name, 0) + 1
            self.set(name, value)
        _SET_AT_ONCE.of(self.page).set(frozenset(values))

    def was_set(self, name: str) -> bool:
        """Return whether a control was among those that were set at once before this run."""
        return name in _SET_AT_ONCE.of(self.page).get()

    def forget(self) -> None:
        """Start as in a new session: reset to the address and the defaults, and clear undo."""
        _forget(self.page)

    @property
    def history(self) -> History:
        """The steps that can be undone."""
        return history_of(self.page)

    def finish(self) -> None:
        """End a run, after the last control: say what was wrong with the address, and write the values to it."""
        for notice in [*self._hides_nothing(), *self.address.finish(self._defaults)]:
            st.toast(notice, icon="⚠️")
        _SET_AT_ONCE.of(self.page).pop()
        values = {name: format_value(value) for name, value in self.changed().items()}
        values |= {name: text for name, text in self.view.items() if text}
        _LAST.of(self.page).set((dict(self._labels), values))
        # With what else the address says, so that it is written again when a step of a lesson has replaced it.
        others = [st.query_params.get(name) for name in ("lesson", "step", "present", "hide", "lecture")]
        self.history.record(self.values() | self.shown, self._started or 0.0, time.monotonic())
        self._started = None
        steps = {"back": self.history.back, "forward": self.history.forward}
        held = [self.holds(preset) for preset in self.presets]
        data = {
            "path": self.page,
            "values": values,
            "others": others,
            "steps": steps,
            "session": _TOKEN.get(),
            "held": held,
        }
        _sync.mount(f"{self.page}:url", data, height=1)

    def changed(self) -> dict[str, Any]:
        """Return what differs from the defaults, by name: what the address holds, and a preset."""
        return {name: value for name, value in self.values().items() if value != self._defaults[name]}

    def values(self) -> dict[str, Any]:
        """Return the values of all controls, by name."""
        return {name: self.value(name, default) for name, default in self._defaults.items()}

    def holds(self, preset: Mapping[str, Any]) -> bool:
        """Return whether the controls have the values of a preset, apart from those that the page lacks at present."""
        present = self.values()
        return all(
            same_text(format_value(present[name]), format_value(value))
            for name, value in preset.items()
            if name in present
        )

    @property
    def _generations(self) -> dict[str, int]:
        return _GENERATIONS.of(self.page).get()

    def _hides_nothing(self) -> list[str]:
        """Return a sentence where the address hides what the page does not have; once, since a fragment runs often."""
        told, unknown = _UNKNOWN.of(self.page), sorted({*self.hidden} - {*self._defaults})
        unknown = unknown and sorted({*unknown} - {*self.possible()})
        if not unknown or told.get() == unknown:
            return []
        told.set(unknown)
        return [f"hide={plain(','.join(unknown))} in the address: this page has nothing of that name."]


def forget_page(page: str) -> None:
    """Let the next visit to a page take all from the address, also if it is the page that is shown."""
    _forget(page)
    _LAST_PAGE.pop()


def _forget(page: str) -> None:
    remove_all(f"{page}.")
    HISTORY.of(page).pop()


def _legal(value: Any, default: Any, clean: Callable[[Any], Any]) -> Any:
    try:
        return clean(value)
    except ValueError:
        return default
