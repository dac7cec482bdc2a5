"""The dialog in which a user brings data: choose a file, look at what it holds, say how to prepare it, use it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from rfviz.datasets import files
from rfviz.datasets.downloads import openml
from rfviz.errors import DataError, RfvizError
from rfviz.progress import Progress
from rfviz.ui.own_data import text
from rfviz.ui.own_data.preview import preview
from rfviz.ui.own_data.session import DRAFT, Draft, SessionData
from rfviz.ui.session import SessionValue
from rfviz.ui.streamlit_private import discard_upload

__all__ = ["upload_dialog"]

# How many files were taken, why the last one was refused, and the data sets that OpenML found, or why it found none.
_ROUND, _REFUSED = SessionValue("own round", int), SessionValue("own refused", str)
_FOUND = SessionValue[list[openml.Entry] | str | None]("own found", lambda: None)
# More results than these are counted, not listed.
MOST_SHOWN = 50


def upload_dialog(held: SessionData, used: Callable[[str], None], dismissed: Callable[[], None]) -> None:
    """Open the dialog.

    Parameters
    ----------
    held : SessionData
        Where the data set is put.
    used : callable
        Called with its key; the page then runs again.
    dismissed : callable
        Called where the user closes the dialog instead.
    """

    def leave() -> None:
        for value in (DRAFT, _REFUSED, _FOUND):
            value.pop()
        dismissed()

    @st.dialog(text.DIALOG_TITLE, width="large", on_dismiss=leave)
    def dialog() -> None:
        draft = DRAFT.get()
        if draft is None:
            _choose()
            return
        if preview(held, draft, _another, used):
            DRAFT.pop()
            st.rerun()

    dialog()


def _another() -> None:
    DRAFT.pop()


def _choose() -> None:
    """Draw the first step: a file, or a search at OpenML."""
    with st.container(key="own-choose"):
        where = st.segmented_control(
            "Where the data are",
            ["A file of yours", "OpenML"],
            default="A file of yours",
            required=True,
            key="own-where",
            label_visibility="collapsed",
        )
        if where == "OpenML":
            _from_openml()
        else:
            _from_file()


def _from_file() -> None:
    most = files.MAX_BYTES // 1024**2
    # Another key empties the widget; what it held has become the draft, or was refused.
    number = _ROUND.get()
    # Of any type: the widget would refuse a file without a word, the reader says what to do with it.
    file = st.file_uploader(
        "A table, arrays, or images", max_upload_size=most, key=f"own-file-{number}", label_visibility="collapsed"
    )
    place = st.container()
    if refused := _REFUSED.get():
        place.error(refused)
    for kind, endings, words in text.KINDS:
        st.markdown(f"**{kind}** {endings}  \n{words}")
    st.caption(f":material/lock: {text.PRIVACY}")
    if file is None:
        return
    with place, st.spinner("Looking at the file…"):
        _REFUSED.set(_take(lambda: files.read_upload(file.name, file.getvalue())))
    discard_upload(file)
    _ROUND.set(number + 1)
    _draw_again()


def _from_openml() -> None:
    st.markdown(text.OPENML)
    with st.form("own-openml", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        query = st.text_input(
            "Words of its name, or its number", placeholder="wine quality, or 61", max_chars=128, key="own-openml-query"
        )
        asked = st.form_submit_button("Search", icon=":material/search:")
    if asked and query.strip():
        _FOUND.set(_found(query))
    found = _FOUND.get()
    if isinstance(found, str):
        st.error(found)
    elif found:
        _offer(found)


def _offer(found: list[openml.Entry]) -> None:
    """Draw what a search found, to choose one."""
    shown = found[:MOST_SHOWN]
    st.caption(text.found_line(len(found), len(shown)))
    with st.container(height=min(320, 20 + 62 * len(shown)), border=True):
        # Without a key, so that other results are another widget, whose first is chosen.
        entry = st.radio(
            "Data sets found",
            shown,
            format_func=text.entry_line,
            label_visibility="collapsed",
            captions=[text.version_line(entry) for entry in shown],
        )
    if st.button("Download and look at it", type="primary", icon=":material/download:", key="own-openml-get"):
        error = _with_bar(lambda progress: _take(lambda: openml.fetch(entry, progress)))
        if error:
            st.error(error)
            return
        _FOUND.pop()
        _draw_again()


def _with_bar(work: Callable[[Progress], Any]) -> Any:
    """Return what `work` returns, with a progress bar meanwhile."""
    bar = st.progress(0.0, text="…")

    def report(share: float | None, words: str) -> None:
        bar.progress(share or 0.0, text=words)

    try:
        return work(report)
    finally:
        bar.empty()


def _draw_again() -> None:
    """Run the dialog again where only it was drawn, else the page, which opens it again."""
    try:
        st.rerun(scope="fragment")
    except StreamlitAPIException:
        st.rerun()


def _found(query: str) -> list[openml.Entry] | str:
    """Search, and return the data sets of such a name, or why there are none."""
    try:
        return _with_bar(lambda progress: openml.search(query, progress))
    except DataError as error:
        return str(error)


def _take(read: Callable[[], Any]) -> str:
    """Make what `read` gives the draft; why not, where it cannot be read."""
    try:
        taken = read()
    except RfvizError as error:
        return str(error)
    DRAFT.set(Draft(taken, taken.suggestion))
    return ""
