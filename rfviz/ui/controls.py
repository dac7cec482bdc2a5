"""Controls as widgets: the panel of a page in the browser."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

import streamlit as st

from rfviz.experiments.data import Data
from rfviz.lab.controls import Control, of_param
from rfviz.lab.panel import Panel
from rfviz.params import Param
from rfviz.ui.session import set_widget_value, widget_value
from rfviz.ui.sidebar import choose_data
from rfviz.ui.state import PageState
from rfviz.ui.widgets.live_slider import live_slider

__all__ = ["Draw", "PagePanel", "draw_word"]

# Characters that fit side by side in a column of controls.
_SHORT = 14
_LONGEST_TEXT = 600
# Characters beyond which pills take more room than a menu.
_LONG = 40


# ``draw(control, key, on_change)`` draws a widget of that key, which calls on_change when the user changes it.
Draw = Callable[[Control, str, Callable[[], None]], Any]


class PagePanel(Panel):
    """A panel that draws a widget for each control it is asked for.

    Parameters
    ----------
    state : PageState
        Holds the values and writes them to the page's address.
    own : mapping of str to callable, optional
        By name, what draws a control instead of the widget of its kind.

    Attributes
    ----------
    places : dict of str to container
        By the name of a section, where it is drawn instead of the place where it is entered.
    """

    def __init__(self, state: PageState, own: Mapping[str, Draw] | None = None) -> None:
        super().__init__()
        self.state = state
        self.places: dict[str, Any] = {}
        self._own = dict(own or {})
        self._more: _More | None = None

    def _answer(self, control: Control) -> Any:
        state, name = self.state, control.name
        value = state.register(name, control.default, control.clean)
        state.controls[name] = control
        if not state.draws(name, control.label):
            return value
        draw = self._own.get(name, _WIDGETS.get(control.kind))
        if control.kind == "stops":
            with self._placed(name):
                live_slider(state.key(name), control, value, partial(state.set, name))
        elif draw is not None:
            widget = state.widget_key(name)

            def take_over() -> None:
                # Streamlit takes the value of a widget that is gone for a change: see page_state.
                if widget == state.widget_key(name):
                    state.set(name, widget_value(widget))

            set_widget_value(widget, value)
            with self._placed(name):
                draw(control, widget, take_over)
        value = state.value(name)
        return tuple(value) if control.kind == "ends" else value

    def peek(self, param: Param) -> Any:
        """Return the value of a control that is drawn later."""
        control = of_param(param)
        return self.state.register(control.name, control.default, control.clean)

    def data(self, default: str, names: Sequence[str] | None = None, planar: bool = False) -> Data:
        return choose_data(self, default, names, planar)

    def section(self, name: str, controls: Sequence[str] = ()) -> AbstractContextManager[Any]:
        """Enter a section of the page; see :meth:`rfviz.lab.panel.Panel.section`."""
        if name == "line":
            return st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute")
        return self._section(name, controls)

    @contextmanager
    def _section(self, name: str, controls: Sequence[str]) -> Generator[None, None, None]:
        with self.places.get(name) or nullcontext(), st.container(key=name):
            # A lesson has chosen the controls already: all of them are to be seen.
            more = self._more = _More(frozenset(controls)) if controls and self.state.only is None else None
            try:
                yield
            finally:
                self._more = None
            if more:
                more.say(self.state)

    def _placed(self, name: str) -> AbstractContextManager[Any]:
        """Return where a control is drawn: here, or behind the button More."""
        return nullcontext() if self._more is None or name in self._more.not_for else self._more.place(name)

    def formula(self, text: str) -> None:
        """Draw a formula next to the controls."""
        st.markdown(f"${text}$")


class _More:
    """The button that opens the controls of a section that few users need; drawn with the first of them.

    Parameters
    ----------
    not_for : frozenset of str
        Controls that are always to be seen.
    """

    def __init__(self, not_for: frozenset[str]) -> None:
        self.not_for = not_for
        self._names: list[str] = []
        self._line: Any = None
        self._popover: Any = None

    def place(self, name: str) -> Any:
        """Return where a control is drawn."""
        if self._popover is None:
            self._line = st.container(key="controls-more")
            self._popover = self._line.popover("More", icon=":material/tune:")
        self._names.append(name)
        return self._popover

    def say(self, state: PageState) -> None:
        """Say next to the button what differs from the defaults behind it."""
        values, known = state.changed(), state.controls
        said = [
            f"{known[name].label}: {known[name].words(values[name])}"
            for name in self._names
            if name in values and known[name].kind != "own"
        ]
        if said:
            self._line.caption(" · ".join(said))


def _switch(control: Control, key: str, on_change: Callable[[], None]) -> None:
    st.toggle(control.label, key=key, help=control.help or None, on_change=on_change)


def _number(control: Control, key: str, on_change: Callable[[], None]) -> None:
    bounds = control.low, control.high
    st.number_input(control.label, *bounds, step=1, key=key, help=control.help or None, on_change=on_change)


def _ends(control: Control, key: str, on_change: Callable[[], None]) -> None:
    if control.low < control.high:
        st.slider(control.label, control.low, control.high, key=key, help=control.help or None, on_change=on_change)


def draw_word(control: Control, key: str, on_change: Callable[[], None]) -> None:
    """Draw a choice side by side where the options are few and short, as a menu otherwise."""
    options: dict[str, Any] = {
        "format_func": lambda option: control.titles.get(option, option),
        "key": key,
        "help": control.help or None,
        "on_change": on_change,
    }
    if sum(len(control.titles.get(option, option)) for option in control.options) <= _SHORT:
        st.segmented_control(control.label, control.options, required=True, **options)
    else:
        st.selectbox(control.label, control.options, **options)


def _words(control: Control, key: str, on_change: Callable[[], None]) -> None:
    """Draw several choices as a row of pills, or as a menu where they are long."""
    options: dict[str, Any] = {
        "key": key,
        "help": control.help,
        "format_func": control.title,
        "on_change": on_change,
    }
    if sum(len(control.title(option)) for option in control.options) > _LONG:
        st.multiselect(control.label, control.options, **options)
    else:
        st.pills(control.label, control.options, selection_mode="multi", **options)


def _text(control: Control, key: str, on_change: Callable[[], None]) -> None:
    st.text_input(control.label, key=key, help=control.help or None, on_change=on_change, max_chars=_LONGEST_TEXT)


_WIDGETS: dict[str, Draw] = {
    "switch": _switch,
    "number": _number,
    "ends": _ends,
    "word": draw_word,
    "words": _words,
    "text": _text,
}
