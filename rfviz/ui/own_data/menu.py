"""Brought data in the menu of data sets: the entry that opens the dialog, and messages about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from rfviz.datasets.base import OWN, DatasetSpec, is_own
from rfviz.ui import share
from rfviz.ui.own_data import text
from rfviz.ui.own_data.session import DRAFT, Draft, session_data, specs
from rfviz.ui.plain import plain
from rfviz.ui.session import SessionValue
from rfviz.ui.state import PageState, history, pins
from rfviz.ui.streamlit_private import has_open_dialog

__all__ = ["ENTRY", "chosen", "is_own", "menu", "offer", "remarks", "specs", "title_of"]

# The choice that opens the dialog; ``?data=own`` in an address does so too.
ENTRY = "own"
# Of the session, the data set that was just brought. Of each page, the last one that was chosen, and the message about
# a link that names another user's.
_ARRIVED = SessionValue("own arrived", str)


def title_of(name: str, known: dict[str, DatasetSpec]) -> str:
    """Return what the menu shows for a data set."""
    return text.ENTRY_TITLE if name == ENTRY else known[name].title


def menu(state: PageState, offered: list[str], default: str, known: dict[str, DatasetSpec]) -> list[str]:
    """Return the options of the menu; called before it is drawn.

    Here a data set that was just brought becomes the choice, and an address that names another user's data gives the
    default with a word about why.
    """

    def is_gone(values: Mapping[str, Any]) -> bool:
        name = str(values.get("data", ""))
        return is_own(name) and name not in offered

    # Results of data that have been dropped go with them.
    pins.discard(is_gone)
    share.discard(is_gone)
    history.remove_entries(is_gone)
    arrived = _ARRIVED.pop()
    if arrived in offered:
        state.set("data", arrived)
    asked = st.query_params.get("data", "")
    if state.value("data") is None and is_own(asked) and asked not in offered:
        state.set("data", default)
        state.address.text("data")  # said below the question, and not a second time
        shown = asked.removeprefix(OWN)[:60]
        state.set("own notice", text.ELSEWHERE.format(name=plain(shown), default=known[default].title))
    return [ENTRY, *offered]


def chosen(state: PageState, name: str, default: str, known: dict[str, DatasetSpec]) -> str:
    """Return the data set to show for a choice of the menu, and open the dialog where that was chosen."""
    notice = state.value("own notice")
    if notice and name == default:
        (state.place or st).info(notice, icon=":material/link_off:")
    else:
        state.set("own notice", "")
    if name != ENTRY:
        state.set("data before", name)
        return name
    shown = state.value("data before", default)
    shown = shown if shown in known else default
    state.shown["data"] = shown  # undo must not go back to an open dialog

    def used(key: str) -> None:
        _ARRIVED.set(key)

    def dismissed() -> None:
        state.set("data", shown)

    if not has_open_dialog():  # else in the next run, when that one is closed
        from rfviz.ui.own_data.dialog import upload_dialog  # with the readers of all kinds of files

        upload_dialog(session_data(), used, dismissed)
    return shown


def offer(state: PageState, name: str, offered: list[str], known: dict[str, DatasetSpec]) -> None:
    """Draw, below the page's question, a button that shows the user's own data here, where the page shows others."""
    own = next((key for key in offered if is_own(key)), None)  # the latest
    if own is None or is_own(name) or state.place is None or state.hidden:
        return
    with state.place.container(horizontal=True, vertical_alignment="center", key="own-offer"):
        st.markdown(f":material/upload_file: {text.OFFER.format(name=plain(known[own].title))}", width="content")
        st.button("Use it here", key=f"{state.page}:own-offer", on_click=state.apply, args=({"data": own},))


def remarks(state: PageState, name: str, default: str, known: dict[str, DatasetSpec]) -> None:
    """Draw, below the menu, where uploaded data are, and buttons to prepare or to drop them."""
    own = session_data().sets.get(name)
    if own is None:
        return

    def prepare() -> None:
        DRAFT.set(Draft(own.upload, own.how))
        state.set("data", ENTRY)

    def drop() -> None:
        session_data().drop(name)
        state.set("data", default)

    with st.container(horizontal=True):
        st.button(
            "Prepare…",
            icon=":material/tune:",
            on_click=prepare,
            key=f"{state.page}:own-prepare",
            help="Look at the file again and change how it is prepared.",
        )
        st.button(
            "Forget",
            icon=":material/delete:",
            on_click=drop,
            key=f"{state.page}:own-forget",
            help="Drop these data and everything that was computed from them.",
        )
    st.caption(f":material/lock: {text.OWN_LINE.format(default=known[default].title)}")
