"""A second file of a user's, next to the first, to see what differs between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from rfviz.analysis.profiles import unpack_compared
from rfviz.datasets import files
from rfviz.errors import RfvizError
from rfviz.ui.own_data.session import session_data
from rfviz.ui.plain import plain
from rfviz.ui.session import widget_value
from rfviz.ui.state import PageState
from rfviz.ui.streamlit_private import discard_upload

__all__ = ["offer_comparison"]

_HELP = "A second table with columns of the same names: the test rows, another month, another place."
_NOTE = (
    "Columns of the same name and kind are compared. The file is read like the first one, and only you see it. A "
    "profile will do, too, and has no rows of its table: `rfviz profile FILE -o PROFILE.npz` makes one."
)


def offer_comparison(state: PageState, then: Mapping[str, Any]) -> None:
    """Draw a place for a second file, where a page shows a table that its user brought; or its name, and a way back.

    Parameters
    ----------
    then : mapping
        Settings that show the comparison, once the file is there.
    """
    held, name = session_data(), str(state.value("data", ""))
    own = held.sets.get(name)
    if own is None or own.dataset.origin is None or own.dataset.image_shape:
        return
    # Another key empties the widget.
    number = state.value("own other turn", 0)
    key = f"{state.page}:own-other-{number}"

    def take() -> None:
        file = widget_value(key)
        if file is None or name not in held.sets:
            return
        try:
            held.compare(name, unpack_compared(file.name, file.getvalue()))
        except RfvizError as error:
            state.set("own other refused", str(error))
        else:
            state.set("own other refused", "")
            state.apply(then)
        discard_upload(file)
        state.set("own other turn", number + 1)

    if own.dataset.origin.other is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":small[Compared with **{plain(own.dataset.origin.other_name)}**]")
            st.button(
                "Stop",
                icon=":material/close:",
                on_click=lambda: held.compare(name, None),
                key=f"{state.page}:own-other-stop",
                help="Compare rows of your file again.",
            )
        return
    with st.popover("Another file…", icon=":material/compare_arrows:", help=_HELP):
        st.file_uploader("A table to compare with", max_upload_size=files.MAX_BYTES // 1024**2, key=key, on_change=take)
        if refused := state.value("own other refused"):
            st.error(refused)
        st.caption(_NOTE)
