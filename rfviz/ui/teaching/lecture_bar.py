"""A lecture: views collected from any page, and gone through in the presenter's view, with notes and a clock.

The address holds the lecture (``lecture=3-…``: the third view is shown; 0: it is still being collected), so that a
reload loses nothing and the address is the link to it. → and ← go from view to view; at a step of a lesson → shows the
answer first. Page Down and Page Up, which a clicker sends, go from view to view always.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st

from rfviz.errors import DataError
from rfviz.lab.index import NAVIGATION, entry_of
from rfviz.lab.lecture import MAX_NOTE, View, line_of, pack, parse_lecture, unpack
from rfviz.ui.component import Component
from rfviz.ui.own_data.session import session_data
from rfviz.ui.plain import plain
from rfviz.ui.session import SessionValue
from rfviz.ui.state import PageState, forget_page, pins
from rfviz.ui.state.zoom import current_zoom
from rfviz.ui.teaching.presenter import present

__all__ = ["is_lecturing", "lecture_bar", "lecture_menu", "settle_lecture", "start_lecture"]

# The text, and the number of the view that is shown (from 1; 0 while none is).
_TEXT = SessionValue[str | None]("lecture", lambda: None)
_AT = SessionValue("lecture-at", int)
# Of the two fields of the menu.
_NOTE, _EDITED = SessionValue("lecture-note", str), SessionValue("lecture-edited", str)
_PAGES = frozenset(entry.slug for entry in NAVIGATION)
_clock = Component(
    "lecture_clock",
    Path(__file__).with_name("lecture_clock.js"),
    html='<button type="button" class="clock" title="Time since the lecture began; press to begin again"></button>',
    css=".clock { border: 0; padding: 0; background: none; color: inherit; font: inherit; font-size: 0.875rem; "
    "font-variant-numeric: tabular-nums; line-height: 2rem; cursor: pointer; }",
)


def settle_lecture() -> None:
    """Take the lecture from the address where the session has none, and keep it there from page to page."""
    asked = st.query_params.get("lecture")
    if asked is not None and _TEXT.get() is None:
        at, _, packed = asked.partition("-")
        try:
            text = unpack(packed)
            n_views = len(parse_lecture(text, _PAGES))
        except DataError as error:
            st.toast(str(error), icon="⚠️")
            st.query_params.pop("lecture", None)
            return
        _TEXT.set(text)
        _AT.set(min(int(at), n_views) if at.isdecimal() and len(at) < 4 else 0)
    if _TEXT.get() is not None:
        wanted = _parameter()
        if wanted and wanted != asked:
            st.query_params["lecture"] = wanted
        elif not wanted:
            st.query_params.pop("lecture", None)


def is_lecturing() -> bool:
    """Return whether a lecture is being gone through."""
    return bool(_AT.get()) and bool(_views())


def lecture_bar() -> None:
    """Draw where the lecture is: buttons to the views before and after, what to say here, and the clock."""
    views, at = _views(), _AT.get()
    if not at or not views:
        return
    at = min(at, len(views))
    with st.container(horizontal=True, width="content", wrap=False, vertical_alignment="center", key="lecture-bar"):
        back = st.button("", key="lecture-back", icon=":material/arrow_back:", disabled=at == 1, help="The view before")
        st.markdown(f"{at} of {len(views)}")
        following = st.button(
            "", key="lecture-next", icon=":material/arrow_forward:", disabled=at == len(views), help="The next view"
        )
        _clock.mount("lecture-clock", {"lecture": _TEXT.get()})
        if note := views[at - 1].note:
            with st.popover("Note", key=f"lecture-note-{at}"):
                st.markdown(plain(note))
        st.button(
            "",
            key="lecture-leave",
            icon=":material/close:",
            on_click=_leave,
            help="End the lecture. Its views stay in the menu Teach.",
        )
    if back:
        _go(views, at - 1)
    if following:
        _go(views, at + 1)


def lecture_menu(state: PageState) -> None:
    """Draw what adds the page as it stands to the lecture, and the lecture as text, file and link."""
    text = _TEXT.get() or ""
    with st.expander("Lecture: views in a row", icon=":material/slideshow:", expanded=bool(text)):
        st.text_input(
            "What to say here", key=_NOTE.key, max_chars=MAX_NOTE, placeholder="Speaker’s note (may be empty)"
        )
        st.button(
            "Add this view",
            key="lecture-add",
            icon=":material/add:",
            on_click=_add,
            args=(state, current_zoom(state, "lecture")),
        )
        if _is_private(state):
            st.caption(
                "This page shows your own file, which other browsers do not have: there the view opens with the "
                "page’s own data set."
            )
        _EDITED.set(text)
        st.text_area(
            "Views, one per line, with the note behind a bar",
            key=_EDITED.key,
            height=150,
            on_change=_edited,
            placeholder="hashing?pool_size=8 | Where do the curves cross?",
            help="Move, change or remove lines as you like, or paste those of a file.",
        )
        if not text:
            return
        try:
            views = parse_lecture(text, _PAGES)
        except DataError as error:
            st.warning(str(error), icon="⚠️")
            return
        with st.container(horizontal=True):
            start = st.button(
                "Start",
                key="lecture-start",
                type="primary",
                icon=":material/play_arrow:",
                help="In the presenter’s view. Arrow keys or a clicker go on.",
            )
            st.download_button(
                "Save",
                text,
                "lecture.txt",
                "text/plain",
                key="lecture-save",
                on_click="ignore",
                icon=":material/download:",
            )
        st.caption("The link to it:")
        try:
            st.code(_link(views[0], text), language=None, wrap_lines=True, height=80)
        except DataError as error:
            st.caption(str(error))
    if start:
        _go(views, 1)


def start_lecture(text: str) -> None:
    """Begin a lecture, in place of the session's own."""
    _TEXT.set(text.strip())
    _go(parse_lecture(text, _PAGES), 1)


def _views() -> list[View]:
    """Return the views of the session's lecture; none if its text cannot be parsed."""
    try:
        return parse_lecture(_TEXT.get() or "", _PAGES)
    except DataError:
        return []


def _parameter() -> str:
    """Return the lecture as the address holds it, or an empty string if it is too long for one."""
    try:
        return f"{_AT.get()}-{pack(text)}" if (text := _TEXT.get()) else ""
    except DataError:
        return ""


def _link(view: View, text: str) -> str:
    """Return the address at which the lecture begins."""
    here = urlsplit(st.context.url or "")
    first = line_of(View(view.page, {**view.query, "present": "true", "lecture": f"1-{pack(text)}"}))
    return f"{here.scheme}://{here.netloc}{here.path.rpartition('/')[0]}/{first}"


def _is_private(state: PageState) -> bool:
    """Return whether the page shows data that this session alone has."""
    return state.value("data") in session_data().sets


def _add(state: PageState, zoom: str) -> None:
    query = dict(state.last()[1])
    query |= {name: st.query_params[name] for name in ("lesson", "step", "hide") if name in st.query_params}
    if zoom:
        query["zoom"] = zoom
    line = line_of(View(state.page, query, _NOTE.get()))
    text = (_TEXT.get() or "").rstrip("\n")
    _TEXT.set(f"{text}\n{line}" if text else line)
    _NOTE.set("")


def _edited() -> None:
    _TEXT.set(_EDITED.get().strip())


def _leave() -> None:
    _AT.set(0)
    present(False)
    st.query_params.pop("present", None)


def _go(views: list[View], at: int) -> None:
    """Go to a view; its page begins with what the view says, whatever was set there before."""
    view = views[at - 1]
    _AT.set(at)
    present(True)
    forget_page(view.page)
    pins.clear(view.page)
    query = {**view.query, "present": "true"}
    if lecture := _parameter():
        query["lecture"] = lecture
    st.switch_page(entry_of(view.page).path, query_params=query)
