"""Uploads live in the session that brought them, and are gone with it, results and all.

Three things would outlive the page otherwise. Streamlit keeps an uploaded file, and the state of a session, until
another visitor comes: a session is closed within a minute after its page has gone. Cached results are shared by
all sessions: those of an upload carry an owner of their own, and are dropped with it. And the server writes
uploads of more than a megabyte to a temporary file on their way in, unless told otherwise.
"""

from __future__ import annotations

import asyncio
import gc
import secrets
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from rfviz.backend import return_free_memory
from rfviz.datasets import files
from rfviz.datasets.base import OWN, Dataset, DatasetSpec, NamedProfile
from rfviz.features.draws import remember_normals
from rfviz.ui.cache import DRAWS_BYTES, STORE
from rfviz.ui.session import SessionValue
from rfviz.ui.streamlit_private import close_session, forget_last_script, is_anybody_there, is_session_active

if TYPE_CHECKING:
    from rfviz.datasets.files import Preparation, Upload

__all__ = ["DRAFT", "IDLE_BYTES", "MOST_SETS", "Draft", "OwnSet", "SessionData", "session_data", "specs"]

MOST_SETS = 4
# A page that loses its connection for a moment, as when a lid is closed and opened, comes back to its data.
GRACE_S = 45.0
_COLLECT_S = 10.0
# Bytes of cached results that await the next visitor when all sessions have ended.
IDLE_BYTES = 100_000_000


@dataclass(frozen=True, eq=False)
class OwnSet:
    """An upload with its preparation.

    Attributes
    ----------
    key : str
        Its place in menus and in the address: ``own:<stem>``.
    upload : Upload
        What it was made from, to prepare it otherwise.
    owner : str
        Of every result that is computed from it; of this session, contents and preparation alone.
    """

    key: str
    upload: Upload
    how: Preparation
    dataset: Dataset
    owner: str


@dataclass(eq=False)
class SessionData:
    """The uploads of one session.

    Attributes
    ----------
    token : str
        Random; no other session has it.
    sets : dict of str to OwnSet
        The latest last.
    owners : set of str
        Of all uploads that this session ever had.
    """

    token: str = field(default_factory=lambda: secrets.token_hex(8))
    sets: dict[str, OwnSet] = field(default_factory=dict)
    owners: set[str] = field(default_factory=set)

    def put(self, upload: Upload, how: Preparation, dataset: Dataset) -> str:
        """Keep a data set and return its key; another preparation of the same file takes its place.

        It is compared with the same file as before. The oldest goes where there are more than :data:`MOST_SETS`.
        """
        key = self._key_for(upload)
        before = self.sets[key].dataset.origin if key in self.sets else None
        if before is not None and before.other is not None and dataset.origin is not None:
            origin = replace(dataset.origin, other=before.other, other_name=before.other_name)
            dataset = replace(dataset, origin=origin)
        self.drop(key)
        self._hold(key, upload, how, dataset)
        while len(self.sets) > MOST_SETS:
            self.drop(next(iter(self.sets)))
        return key

    def compare(self, key: str, other: Upload | NamedProfile | None) -> None:
        """Compare a data set with another file or profile, or with none any more; results that came from it go.

        Raises
        ------
        DataError
            If one of them holds images.
        """
        own = self.sets[key]
        dataset = own.dataset
        if other is not None:
            dataset = files.compare_with(dataset, other)
        elif dataset.origin is not None:
            dataset = replace(dataset, origin=replace(dataset.origin, other=None, other_name=""))
        STORE.drop_owner(own.owner)
        self._hold(key, own.upload, own.how, dataset)

    def _hold(self, key: str, upload: Upload, how: Preparation, dataset: Dataset) -> None:
        owner = f"{self.token}-{upload.digest[:12]}-{secrets.token_hex(4)}"
        self.sets[key] = OwnSet(key, upload, how, dataset, owner)
        self.owners.add(owner)

    def drop(self, key: str) -> None:
        """Drop a data set and all results that were computed from it."""
        gone = self.sets.pop(key, None)
        if gone is not None:
            STORE.drop_owner(gone.owner)

    def clear(self) -> None:
        """Drop everything."""
        self.sets.clear()
        for owner in self.owners:
            STORE.drop_owner(owner)

    def _key_for(self, upload: Upload) -> str:
        base = key = OWN + upload.stem
        number = 1
        while key in self.sets and self.sets[key].upload.digest != upload.digest:
            number += 1
            key = f"{base}-{number}"
        return key


@dataclass(eq=False)
class Draft:
    """A file that the dialog looks at.

    Attributes
    ----------
    begun : Preparation
        What the choices begin with.
    made : Dataset or None
        The data set of the choices of `made_for`.
    """

    upload: Upload
    begun: Preparation
    made_for: Preparation | None = None
    made: Dataset | None = None


#: The file that the dialog looks at, if it looks at one.
DRAFT = SessionValue[Draft | None]("own draft", lambda: None)
_DATA = SessionValue("own data", SessionData)


def session_data() -> SessionData:
    """Return the uploads of this session, and install a hook that ends it when its page has gone."""
    found = _DATA.get()
    _presence(found)
    return found


def specs() -> dict[str, DatasetSpec]:
    """Return the uploads of this session as entries of a menu, the latest first."""
    return {
        key: files.own_spec(key, own.upload, own.how, own.dataset, own.owner)
        for key, own in reversed(session_data().sets.items())
    }


# --- the end of a session ---------------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Presence:
    """That a session is there."""

    session: str
    held: SessionData


def _left(presence: _Presence) -> None:
    """Wait whether a page that has gone comes back, then end its session. Called in the server's own loop."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # the server is ending, or there is none
        presence.held.clear()
        return
    loop.call_later(GRACE_S, _end, presence)


def _end(presence: _Presence) -> None:
    if is_session_active(presence.session):
        return
    presence.held.clear()
    close_session(presence.session)
    if not is_anybody_there():
        STORE.shrink(IDLE_BYTES)
        remember_normals(DRAWS_BYTES)  # forgets those it has
    # What a closed session held is tied in circles, which only a collection undoes; one for a class that leaves.
    if _collection_is_due.acquire(blocking=False):
        timer = threading.Timer(_COLLECT_S, _collect)
        timer.daemon = True
        timer.start()


_collection_is_due = threading.Lock()


def _collect() -> None:
    import pyarrow

    _collection_is_due.release()
    forget_last_script()
    gc.collect()
    pyarrow.default_memory_pool().release_unused()
    return_free_memory()


@st.cache_resource(scope="session", on_release=_left, show_spinner=False, max_entries=1)
def _present(token: str, _data: SessionData, session: str) -> _Presence:
    return _Presence(session, _data)


def _presence(found: SessionData) -> None:
    """Have :func:`_left` called when this session's page goes away: Streamlit then releases its cached resources."""
    context = get_script_run_ctx()
    if context is not None:
        _present(found.token, found, context.session_id)
