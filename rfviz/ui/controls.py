"""Controls as widgets: the panel of a page, which answers for its recipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import streamlit as st

from rfviz.params import Param
from rfviz.recipes import maps
from rfviz.recipes.controls import Control, of_param
from rfviz.recipes.panel import Data, Panel
from rfviz.ui.live_slider import live_slider
from rfviz.ui.state import PageState

__all__ = ["PagePanel", "choice", "choose_map", "control", "draw_word", "receptive_field", "several"]

# Characters that fit side by side in a column of controls.
_SHORT = 14
# Characters beyond which pills take more room than a menu.
_LONG = 40


class PagePanel(Panel):
    """A panel that draws a widget for each control it is asked for.

    Parameters
    ----------
    state : PageState
        The page, which keeps their values and writes them to its address.
    own : mapping of str to callable, optional
        For controls of the kind ``"own"``, by name: ``draw(control, key)`` gives the value.
    """

    def __init__(self, state: PageState, own: Mapping[str, Callable[[Control, str], Any]] | None = None) -> None:
        self.state = state
        self._own = dict(own or {})

    def ask(self, control: Control) -> Any:
        """Draw a control and give its value."""
        key = self.state.claim(control.name, control.default, control.clean)
        self.state.controls[control.name] = control
        if not self.state.draws(control.name, control.label):
            return st.session_state[key]
        return self._own.get(control.name, _WIDGETS[control.kind])(control, key)

    def foreseen(self, param: Param) -> Any:
        """The value of a control that is drawn later."""
        control = of_param(param)
        return st.session_state[self.state.claim(control.name, control.default, control.clean)]

    def data(self, default: str, names: Sequence[str] | None = None) -> Data:
        """Let the reader choose a data set in the sidebar; see :func:`rfviz.ui.sidebar.choose_data`."""
        from rfviz.ui.sidebar import choose_data  # which itself draws controls

        dataset, key = choose_data(self.state, default, names)
        return Data(key[0], dict(key[2]), dataset, key)

    def section(self, name: str, controls: Sequence[str] = ()) -> AbstractContextManager:
        """The row of columns for controls, or a line of its own; what is asked for inside is drawn there.

        ``"more"`` is a button that opens these controls, with what of them differs from the defaults beside it.
        """
        if name == "more":
            return self._more() if any(map(self.state.shows, controls)) else nullcontext()
        if name == "line":
            return st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute")
        return st.container(key=name)

    @contextmanager
    def _more(self) -> Iterator[None]:
        known = self.state.controls
        before = set(known)
        line = st.container(horizontal=True, vertical_alignment="center", key="controls-more")
        with line.popover("More settings", icon=":material/tune:"):
            yield
        inside = {name: value for name, value in self.state.changed().items() if name in known and name not in before}
        said = [f"{known[name].label}: {known[name].words(value)}" for name, value in inside.items()]
        if said:
            line.caption(" · ".join(said), width="content")

    def formula(self, text: str) -> None:
        """A formula beside the controls."""
        st.markdown(f"${text}$")


def _switch(control: Control, key: str) -> bool:
    return st.toggle(control.label, key=key, help=control.help or None)


def _number(control: Control, key: str) -> int:
    return st.number_input(control.label, control.low, control.high, step=1, key=key, help=control.help or None)


def _stops(control: Control, key: str) -> Any:
    titles = [control.title(option) for option in control.options]
    return live_slider(key, control.label, list(control.options), titles, control.help)


def _ends(control: Control, key: str) -> tuple[int, int]:
    if control.low < control.high:
        st.slider(control.label, control.low, control.high, key=key, help=control.help or None)
    return tuple(st.session_state[key])


def draw_word(control: Control, key: str) -> str:
    """Side by side where they are few, a menu where they are many."""
    show = {"format_func": lambda option: control.titles.get(option, option), "key": key, "help": control.help or None}
    if sum(len(control.titles.get(option, option)) for option in control.options) <= _SHORT:
        return st.segmented_control(control.label, control.options, required=True, **show)
    return st.selectbox(control.label, control.options, **show)


def _words(control: Control, key: str) -> list:
    """As a row of pills, or a menu where they are long."""
    show = {"key": key, "help": control.help, "format_func": control.title}
    if sum(len(control.title(option)) for option in control.options) > _LONG:
        return st.multiselect(control.label, control.options, **show)
    return st.pills(control.label, control.options, selection_mode="multi", **show)


def _drawn_elsewhere(control: Control, key: str) -> Any:
    return st.session_state[key]


_WIDGETS: dict[str, Callable[[Control, str], Any]] = {
    "switch": _switch, "number": _number, "stops": _stops, "ends": _ends, "word": draw_word, "words": _words,
    "own": _drawn_elsewhere,
}  # fmt: skip


def control(state: PageState, param: Param, default: Any = None, name: str | None = None) -> Any:
    """Draw the control of a parameter and return its value; see :meth:`rfviz.recipes.panel.Panel.control`."""
    return PagePanel(state).control(param, default, name)


def choice(
    state: PageState, name: str, options: Sequence[str], default: str, label: str, help: str = "", titles: Any = None
) -> str:
    """One of several words; see :meth:`rfviz.recipes.panel.Panel.choice`."""
    return PagePanel(state).choice(name, options, default, label, help, titles)


def several(
    state: PageState,
    name: str,
    options: Sequence[Any],
    default: Sequence[Any],
    label: str,
    help: str,
    titles: Mapping[Any, str] | None = None,
) -> list:
    """Any number of the options; see :meth:`rfviz.recipes.panel.Panel.several`."""
    return PagePanel(state).several(name, options, default, label, help, titles)


def receptive_field(state: PageState, image_shape: Sequence[int] | None) -> dict[str, Any]:
    """See :func:`rfviz.recipes.maps.receptive_field`."""
    return maps.receptive_field(PagePanel(state), image_shape)


def choose_map(
    state: PageState, defaults: Mapping[str, Any], image_shape: Sequence[int] | None = None, **options: Any
) -> tuple[type, dict[str, Any]]:
    """See :func:`rfviz.recipes.maps.choose_map`."""
    return maps.choose_map(PagePanel(state), defaults, image_shape, **options)
