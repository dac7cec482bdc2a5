"""Results kept by their parameters, and progress shown while they are computed."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from rfviz import worker
from rfviz.features.meter import metered
from rfviz.ui import device_use
from rfviz.ui.session import origin, place, stop_if_outdated

__all__ = ["kept", "known", "watched"]

R = TypeVar("R")

Report = Callable[[Any, str], None]

_SHOW_AFTER_S = 0.6
_MISSING = object()

_shelves: defaultdict[str, OrderedDict[Hashable, Any]] = defaultdict(OrderedDict)
_lock = threading.Lock()


def _draw_nothing(share: Any, words: str) -> None:
    """The reports of a computation that shows none."""


def kept(shelf: str, key: Hashable, compute: Callable[[], R], most: int = 32) -> R:
    """The result of `compute`, from memory if it was computed before for this `key`, in any session.

    Unlike Streamlit's own cache this neither copies results on every use nor objects to progress being shown from
    within. Results are frozen and shared; nobody may change them. Everything that pages compute passes through here,
    where it waits for its turn (:mod:`rfviz.worker`) on the session's device; each device has its own results.

    Parameters
    ----------
    shelf : str
        What kind of result; each kind has its own room.
    key : hashable
        Its parameters, never its data.
    compute : callable
        Called where it is not known. If it raises, nothing is kept.
    most : int
        How many results of this kind are kept; the longest unused goes first.
    """
    return _kept(shelf, key, lambda report: compute(), most)


def _kept(
    shelf: str,
    key: Hashable,
    compute: Callable[[Report], R],
    most: int,
    draw: Report = _draw_nothing,
    turns: bool = True,
) -> R:
    used = place() if turns else None

    def work(report: Report) -> R:
        found = _look_up(shelf, (key, used))  # somebody may have computed it while this one waited
        if found is not _MISSING:
            return found
        started = time.perf_counter()
        with metered() as mapped:
            result = compute(report)
        device_use.note(used, time.perf_counter() - started, mapped)
        return result

    result = _look_up(shelf, (key, used))
    if result is not _MISSING:
        return result
    result = worker.run(work, origin(used), draw) if turns else compute(draw)
    with _lock:
        results = _shelves[shelf]
        results[key, used] = result
        while len(results) > most:
            results.popitem(last=False)
    return result


def _look_up(shelf: str, key: Hashable) -> Any:
    with _lock:
        results = _shelves[shelf]
        if key not in results:
            return _MISSING
        results.move_to_end(key)
        return results[key]


def known(shelf: str, key: Hashable) -> Any:
    """A result that was kept before, or None; nothing is computed."""
    with _lock:
        return _shelves[shelf].get((key, place()))


def watched(
    shelf: str,
    key: Hashable,
    compute: Callable[[Callable[[float | None, str], None]], R],
    most: int = 32,
    turns: bool = True,
) -> R:
    """:func:`kept` for ``compute(progress)``; where that takes long, show a bar with the time left.

    Without `turns` it waits for nobody, and all devices share it: for a download.

    The call to Streamlit in `progress` is also where a run ends whose person has changed something in the meantime. The
    bar's place is on the page whether anything is computed or not: if it came and went, every element after it would
    move by one, and the browser would build them all anew.
    """
    if get_script_run_ctx(suppress_warning=True) is None:  # within another computation, which has a bar already
        return _kept(shelf, key, compute, most, turns=turns)
    bar = st.empty()
    started = time.monotonic()

    def progress(share: float | None, text: str) -> None:
        stop_if_outdated()
        elapsed = time.monotonic() - started
        if elapsed < _SHOW_AFTER_S:
            bar.empty()  # draws nothing, but lets Streamlit end an outdated run
            return
        left = ""
        if share:
            seconds = elapsed * (1 - share) / share
            left = f" — about {seconds:.0f} s left" if seconds >= 1 else " — nearly done"
        bar.progress(min(max(share or 0.0, 0.0), 1.0), text=text + left)

    try:
        return _kept(shelf, key, compute, most, progress, turns)
    finally:
        bar.empty()
