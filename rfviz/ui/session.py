"""For whom a page computes, and on what: all that :mod:`rfviz.worker` needs to know of Streamlit."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from rfviz import backend, worker
from rfviz.worker import Origin, Place

__all__ = ["DEVICE", "PRECISION", "acting", "origin", "place", "stop_if_outdated"]

#: Where a session keeps its choices.
DEVICE, PRECISION = "rfviz:device", "rfviz:precision"
_acting: ContextVar[Origin | None] = ContextVar("rfviz_origin", default=None)


def place() -> Place:
    """What the session computes on: the device that the reader chose, else the one that is first."""
    given = worker.current() or _acting.get()
    if given is not None:
        return given.place
    devices = [device.name for device in backend.available_devices()]
    if len(devices) == 1:
        return Place(devices[0])
    chosen = precision = None
    if get_script_run_ctx(suppress_warning=True) is not None:
        chosen, precision = st.session_state.get(DEVICE), st.session_state.get(PRECISION)
    name = chosen if chosen in devices else backend.get_device().name
    return Place(name, precision or "float32") if name != "cpu" else Place(name)


def origin(used: Place | None = None) -> Origin:
    """Who asks for a computation now."""
    given = worker.current() or _acting.get()
    if given is not None:
        return given
    used = used or place()
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return Origin("", used)
    return Origin(context.session_id, used, check=stop_if_outdated)


@contextmanager
def acting(for_whom: Origin) -> Iterator[None]:
    """While inside, the calling thread computes for this origin."""
    token = _acting.set(for_whom)
    try:
        yield
    finally:
        _acting.reset(token)


def stop_if_outdated() -> None:
    """End this run of the page if the reader has changed something in the meantime.

    Streamlit ends a run at its next call, but lets a fragment finish before it runs the same fragment once more; a
    slider that has moved on would wait for every computation on its way.
    """
    context = get_script_run_ctx(suppress_warning=True)
    check = getattr(context, "yield_check", None)
    if check is None:
        return
    _let_pass(getattr(getattr(check, "__self__", None), "_requests", None), context.fragment_ids_this_run)
    check()


def _let_pass(requests: Any, running: list[str] | None) -> None:
    """Let a request for the very fragments that run now end them, as one for the whole page would."""
    state = getattr(requests, "_state", None)
    waiting = getattr(requests, "_rerun_data", None)
    if not running or waiting is None or getattr(state, "name", "") != "RERUN":
        return
    if not set(running) <= set(waiting.fragment_id_queue):
        return
    with requests._lock:
        if requests._rerun_data is waiting:
            requests._rerun_data = dataclasses.replace(waiting, is_fragment_scoped_rerun=True)
