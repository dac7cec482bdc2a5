"""The presenter's view: whether it is on. Charts ask for it, and so do the pages' beginnings."""

from __future__ import annotations

import streamlit as st

__all__ = ["LESSON", "ROOM", "is_presenting", "present"]

_PRESENT = "rfviz:present"
#: Where the session has the lesson that is on, and the room that its user has opened.
LESSON, ROOM = "rfviz:lesson", "rfviz:room"


def is_presenting() -> bool:
    """Return whether the presenter's view is on."""
    return bool(st.session_state.get(_PRESENT))


def present(on: bool) -> None:
    """Turn the presenter's view on or off, for this session."""
    st.session_state[_PRESENT] = on
