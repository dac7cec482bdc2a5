"""The one door to ``st.session_state``: what a session holds from one run of its script to the next.

A value that the program itself holds is a :class:`SessionValue`, declared once, in the module that writes it::

    LECTURE = SessionValue("lecture", str)  # of the session: LECTURE.get()
    PINS = SessionValue("pins", tuple[Pin, ...])  # of each page: PINS.of(page).set((*pins, pin))

The values of a page's controls belong to its :class:`~rfviz.ui.state.PageState`: ``state.value("pool_size")``. What
Streamlit itself holds, for a widget or a component, has the widget's key and any type: :func:`widget_value`.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, Generic, TypeVar

import streamlit as st

__all__ = ["SessionValue", "remove_all", "set_widget_value", "widget_value"]

T = TypeVar("T")
_names: set[str] = set()


class SessionValue(Generic[T]):
    """A value of a session, or of each page of it.

    Parameters
    ----------
    name : str
        Its name in the session; declared once.
    make : callable
        Returns the value to begin with: ``bool`` for False, ``dict`` for an empty one.

    Attributes
    ----------
    key : str
        Where the session's state holds it. A widget may have this key, whose value it then is.

    Raises
    ------
    ValueError
        If another module has declared the name.
    """

    def __init__(self, name: str, make: Callable[[], T]) -> None:
        if name in _names:
            raise ValueError(f"“{name}” is the name of another value of the session; choose another one")
        _names.add(name)
        self.name, self.key, self._make = name, f"rfviz:{name}", make

    def of(self, owner: str) -> SessionValue[T]:
        """Return the value of this name that belongs to a page, or to a chart or another part of one."""
        own = copy(self)
        own.key = f"{owner}:{self.name}"
        return own

    def of_all(self) -> list[SessionValue[T]]:
        """Return the values of this name that the session holds, of all owners."""
        end = f":{self.name}"
        return [self.of(str(key).removesuffix(end)) for key in st.session_state if str(key).endswith(end)]

    def get(self) -> T:
        """Return the value; where there is none yet, the session holds a new one from now on."""
        if self.key not in st.session_state:
            st.session_state[self.key] = self._make()
        return st.session_state[self.key]

    def set(self, value: T) -> None:
        """Hold another value."""
        st.session_state[self.key] = value

    def pop(self) -> T:
        """Return the value, and hold it no longer."""
        return st.session_state.pop(self.key) if self.key in st.session_state else self._make()


def widget_value(key: str, default: Any = None) -> Any:
    """Return what the widget, or the component, of this key holds."""
    return st.session_state.get(key, default)


def set_widget_value(key: str, value: Any) -> None:
    """Have a widget show a value: from a callback, or before it is drawn."""
    st.session_state[key] = value


def remove_all(prefix: str) -> None:
    """Remove the values of all keys that begin with a prefix."""
    for key in [key for key in st.session_state if str(key).startswith(prefix)]:
        del st.session_state[key]
