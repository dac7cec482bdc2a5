"""Results kept by their parameters, with the warnings that came with them, and progress while they are computed."""

from __future__ import annotations

import threading
import time
import zlib
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple, TypeVar

import streamlit as st
from streamlit.errors import StreamlitDuplicateElementKey
from streamlit.runtime.scriptrunner import get_script_run_ctx

from rfviz.errors import active_log, capture_warnings
from rfviz.features.meter import metered
from rfviz.ui import device_use, scheduler
from rfviz.ui.scheduler.session import new_request, session_target
from rfviz.ui.streamlit_private import stop_superseded_run

__all__ = ["forget", "kept", "known", "warnings_of", "watched"]

R = TypeVar("R")

_SHOW_AFTER_S = 0.6

Report = Callable[[Any, str], None]
Messages = tuple[tuple[str, type[Warning]], ...]


class _Kept(NamedTuple):
    result: Any
    warnings: Messages


_shelves: defaultdict[str, OrderedDict[Hashable, _Kept]] = defaultdict(OrderedDict)
_lock = threading.Lock()


def _draw_nothing(share: Any, words: str) -> None:
    """The reports of a computation that shows none."""


def kept(shelf: str, key: Hashable, compute: Callable[[], R], most: int = 32) -> R:
    """The result of `compute`, from memory if it was computed before for this `key`, in any session.

    Unlike Streamlit's own cache this neither copies results on every use nor objects to progress being shown from
    within. Results are frozen and shared; nobody may change them. Warnings of the library that came with a result are
    kept with it: whoever listens hears them each time, and where nobody does they are shown on the page.

    Everything that pages compute passes through here, where it waits for its turn (:mod:`rfviz.ui.scheduler`) on the
    session's device; each device has its own results.

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
    found = _kept(shelf, key, lambda report: compute(), most)
    _pass_on(found.warnings)
    return found.result


def _kept(
    shelf: str,
    key: Hashable,
    compute: Callable[[Report], Any],
    most: int,
    draw: Report = _draw_nothing,
    turns: bool = True,
) -> _Kept:
    used = session_target() if turns else None

    def work(report: Report) -> Any:
        found = _look_up(shelf, (key, used))  # somebody may have computed it while this one waited
        if found is not None:
            return found
        started = time.perf_counter()
        with metered() as mapped:
            result = compute(report)
        device_use.note(used, time.perf_counter() - started, mapped)
        return result

    found = _look_up(shelf, (key, used))
    if found is not None:
        return found
    with capture_warnings() as heard:
        result = scheduler.run(work, new_request(used), draw) if turns else compute(draw)
    found = result if isinstance(result, _Kept) else _Kept(result, heard.messages)
    with _lock:
        results = _shelves[shelf]
        results[key, used] = found
        while len(results) > most:
            results.popitem(last=False)
    return found


def _look_up(shelf: str, key: Hashable) -> _Kept | None:
    with _lock:
        results = _shelves[shelf]
        if key in results:
            results.move_to_end(key)
        return results.get(key)


def known(shelf: str, key: Hashable) -> Any:
    """A result that was kept before, or None; nothing is computed."""
    with _lock:
        found = _shelves[shelf].get((key, session_target()))
    return found.result if found else None


def warnings_of(shelf: str, keys: Iterable[Hashable]) -> str:
    """The last warning of each kind that came with the results that are known; the parts of one piece of work warn of
    the same with other numbers."""
    used = session_target()
    with _lock:
        found = [_shelves[shelf][key, used].warnings for key in keys if (key, used) in _shelves[shelf]]
    return " ".join({category: text for messages in found for text, category in messages}.values())


def _pass_on(messages: Messages, where: Any = None) -> None:
    """Tell warnings to whoever listens, else show them in a place of the page, each once on the page."""
    heard = active_log()
    if heard is not None:
        heard.add(messages)
    elif messages:
        with (where or st).container():
            for text, _ in messages:
                # Of all that is on a page, Streamlit knows the keys: of parts that warn of the same, the first does.
                with suppress(StreamlitDuplicateElementKey), st.container(key=f"warning-{zlib.crc32(text.encode())}"):
                    st.warning(text, icon="⚠️")


def forget(marks: Collection[str]) -> int:
    """Drop every result whose key holds one of these texts, however deep; returns how many there were."""
    dropped = 0
    with _lock:
        for results in _shelves.values():
            for key in [key for key in results if _holds(key, marks)]:
                del results[key]
                dropped += 1
    return dropped


def _holds(key: Any, marks: Collection[str]) -> bool:
    if isinstance(key, str):
        return any(mark in key for mark in marks)
    if isinstance(key, (tuple, list, frozenset)):
        return any(_holds(part, marks) for part in key)
    if is_dataclass(key) and not isinstance(key, type):
        return any(_holds(getattr(key, field.name), marks) for field in fields(key))
    return False


def watched(
    shelf: str,
    key: Hashable,
    compute: Callable[[Callable[[float | None, str], None]], R],
    most: int = 32,
    turns: bool = True,
) -> R:
    """:func:`kept` for ``compute(progress)``; where that takes long, show a bar with the time left, then any warnings.

    Without `turns` it waits for nobody, and all devices share it: for a download.

    The call to Streamlit in `progress` is also where a run ends whose person has changed something in the meantime. The
    bar's place is on the page whether anything is computed or not: if it came and went, every element after it would
    move by one, and the browser would build them all anew.
    """
    if get_script_run_ctx(suppress_warning=True) is None:  # within another computation, which has a bar already
        found = _kept(shelf, key, compute, most, turns=turns)
        _pass_on(found.warnings)
        return found.result
    bar = st.empty()
    started = time.monotonic()

    def progress(share: float | None, text: str) -> None:
        stop_superseded_run()
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
        found = _kept(shelf, key, compute, most, progress, turns)
    finally:
        bar.empty()
    _pass_on(found.warnings, bar)
    return found.result
