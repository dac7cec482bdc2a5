"""Brought data in the menu of data sets: the entry that opens the dialog, and what is said about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from rfviz.datasets.base import OWN, DatasetSpec, is_own
from rfviz.ui import share
from rfviz.ui.own_data import text
from rfviz.ui.own_data.session import DRAFT, session_data, specs
from rfviz.ui.plain import plain
from rfviz.ui.state import PageState, history, pins

__all__ = ["ENTRY", "chosen", "is_own", "menu", "remarks", "specs", "title_of"]

# The choice that opens the dialog; ``?data=own`` in an address does so too.
ENTRY = "own"
_ARRIVED = "rfviz.own arrived"


def title_of(name: str, known: dict[str, DatasetSpec]) -> str:
    """Return what the menu shows for a data set."""
    return text.ENTRY_TITLE if name == ENTRY else known[name].title


def menu(state: PageState, offered: list[str], default: str, known: dict[str, DatasetSpec]) -> list[str]:
    """Return the options of the menu; called before it is drawn.

    Here a data set that was just brought becomes the choice, and an address that names somebody else's data gives the
    default with a word about why.
    """
    key, notice = state.key("data"), state.key("own notice")

    def is_gone(values: Mapping[str, Any]) -> bool:
        name = str(values.get("data", ""))
        return is_own(name) and name not in offered

    # What was made of data that have been dropped goes with them.
    pins.let_go(is_gone)
    share.let_go(is_gone)
    history.remove_entries(is_gone)
    arrived = st.session_state.pop(_ARRIVED, None)
    if arrived in offered:
        st.session_state[key] = arrived
    asked = st.query_params.get("data", "")
    if key not in st.session_state and is_own(asked) and asked not in offered:
        st.session_state[key] = default
        shown = asked.removeprefix(OWN)[:60]
        st.session_state[notice] = text.ELSEWHERE.format(name=plain(shown), default=known[default].title)
    return [ENTRY, *offered]


def chosen(state: PageState, name: str, default: str, known: dict[str, DatasetSpec]) -> str:
    """Return the data set to show for a choice of the menu, and open the dialog where that was chosen."""
    before, notice = state.key("data before"), state.key("own notice")
    if notice in st.session_state and name == default:
        (state.place or st).info(st.session_state[notice], icon=":material/link_off:")
    else:
        st.session_state.pop(notice, None)
    if name != ENTRY:
        st.session_state[before] = name
        return name
    shown = st.session_state.get(before, default)
    shown = shown if shown in known else default
    state.shown["data"] = shown  # nobody wants to go back to an open dialog

    def used(key: str) -> None:
        st.session_state[_ARRIVED] = key

    def dismissed() -> None:
        st.session_state[state.key("data")] = shown

    from rfviz.ui.own_data.dialog import bring  # with the readers of all kinds of files

    bring(session_data(), used, dismissed)
    return shown


def remarks(state: PageState, name: str, default: str, known: dict[str, DatasetSpec]) -> None:
    """Draw, below the menu, where uploaded data are, and buttons to prepare or to drop them."""
    own = session_data().sets.get(name)
    if own is None:
        return

    def prepare() -> None:
        st.session_state[DRAFT] = {"upload": own.upload, "begun": own.how}
        st.session_state[state.key("data")] = ENTRY

    def drop() -> None:
        session_data().drop(name)
        st.session_state[state.key("data")] = default

    with st.container(horizontal=True):
        st.button("Prepare…", icon=":material/tune:", on_click=prepare, key=f"{state.page}:own-prepare",
                  help="Look at the file again and change how it is prepared.")  # fmt: skip
        st.button("Forget", icon=":material/delete:", on_click=drop, key=f"{state.page}:own-forget",
                  help="Drop these data and everything that was computed from them.")  # fmt: skip
    st.caption(f":material/lock: {text.OWN_LINE.format(default=known[default].title)}")
