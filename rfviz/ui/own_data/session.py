"""Data that a reader brings: held in the session that brought them, and gone with it, results and all.

Three things would outlive the page otherwise, and are seen to here. Streamlit keeps an uploaded file, and the state of
a session, until another visitor comes; so a session that brought data is closed a minute after its page has gone. The
results that pages keep are shared by all sessions (:mod:`rfviz.ui.results`); so the key of brought data holds a mark
that nobody else has, and everything under it is dropped with the session. And the server writes uploads of more than a
megabyte to a temporary file on their way in, unless told otherwise.
"""

from __future__ import annotations

import asyncio
import gc
import secrets
import threading
from dataclasses import dataclass, field

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from rfviz.datasets.base import Dataset, DatasetSpec
from rfviz.datasets.files import Preparation, Upload
from rfviz.datasets.files.own import PREFIX, own_spec
from rfviz.ui.cache import STORE
from rfviz.ui.results import forget
from rfviz.ui.streamlit_private import close_session, forget_last_script, is_session_active

__all__ = ["MOST_SETS", "Desk", "OwnSet", "desk", "specs"]

MOST_SETS = 4
# A page that loses its connection for a moment, as when a lid is closed and opened, comes back to its data.
GRACE_S = 60.0
_STATE = "rfviz.own data"


@dataclass(frozen=True, eq=False)
class OwnSet:
    """One data set that was brought.

    Attributes
    ----------
    key : str
        Its place in menus and in the address: ``own:<stem>``.
    upload : Upload
        What it was made from, to prepare it otherwise.
    how : Preparation
    dataset : Dataset
    mark : str
        In the key of every result that comes of it; of this session, contents and preparation alone.
    """

    key: str
    upload: Upload
    how: Preparation
    dataset: Dataset
    mark: str


@dataclass(eq=False)
class Desk:
    """What one session has brought.

    Attributes
    ----------
    token : str
        Random; no other session has it.
    sets : dict of str to OwnSet
        The latest last.
    marks : set of str
        Of all sets that ever lay here.
    """

    token: str = field(default_factory=lambda: secrets.token_hex(8))
    sets: dict[str, OwnSet] = field(default_factory=dict)
    marks: set[str] = field(default_factory=set)

    def put(self, upload: Upload, how: Preparation, dataset: Dataset) -> str:
        """Keep a data set and return its key; another preparation of the same file takes its place.

        The oldest goes where there are more than :data:`MOST_SETS`.
        """
        key = self._key_for(upload)
        self.drop(key)
        mark = f"{self.token}-{upload.digest[:12]}-{secrets.token_hex(4)}"
        self.sets[key] = OwnSet(key, upload, how, dataset, mark)
        self.marks.add(mark)
        while len(self.sets) > MOST_SETS:
            self.drop(next(iter(self.sets)))
        return key

    def drop(self, key: str) -> None:
        """Forget a data set and all results that came of it."""
        gone = self.sets.pop(key, None)
        if gone is not None:
            forget({gone.mark})
            STORE.drop_owner(gone.mark)

    def clear(self) -> None:
        """Forget everything."""
        self.sets.clear()
        forget(self.marks)
        for mark in self.marks:
            STORE.drop_owner(mark)

    def _key_for(self, upload: Upload) -> str:
        base = key = PREFIX + upload.stem
        number = 1
        while key in self.sets and self.sets[key].upload.digest != upload.digest:
            number += 1
            key = f"{base}-{number}"
        return key


def desk() -> Desk:
    """The desk of this session, and a hook that clears it when the session ends."""
    found = st.session_state.get(_STATE)
    if found is None:
        found = st.session_state[_STATE] = Desk()
    if found.sets:
        _presence(found)
    return found


def specs() -> dict[str, DatasetSpec]:
    """The data sets that this session has brought, as entries of a menu; the latest first."""
    return {
        key: own_spec(key, own.upload, own.how, own.dataset, own.mark) for key, own in reversed(desk().sets.items())
    }


# --- the end of a session ---------------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Presence:
    """That a session with data is there."""

    session: str
    desk: Desk


def _left(presence: _Presence) -> None:
    """A page has gone: wait whether it comes back, then end its session. Called in the server's own loop."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # the server is ending, or there is none
        presence.desk.clear()
        return
    loop.call_later(GRACE_S, _end, presence)


def _end(presence: _Presence) -> None:
    if is_session_active(presence.session):
        return
    presence.desk.clear()
    close_session(presence.session)
    # What a closed session held is tied in circles, which only a collection undoes.
    threading.Timer(1.0, _collect).start()


def _collect() -> None:
    import pyarrow

    forget_last_script()
    gc.collect()
    pyarrow.default_memory_pool().release_unused()


@st.cache_resource(scope="session", on_release=_left, show_spinner=False, max_entries=1)
def _present(token: str, _desk: Desk, session: str) -> _Presence:
    return _Presence(session, _desk)


def _presence(found: Desk) -> None:
    """Have :func:`_left` called when this session's page goes away; Streamlit drops what is kept for a session then."""
    context = get_script_run_ctx()
    if context is not None:
        _present(found.token, found, context.session_id)
