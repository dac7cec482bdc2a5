"""The cache of the pages: shared by all sessions, computing through the queue, with a progress bar and warnings."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st
from streamlit.errors import StreamlitDuplicateElementKey
from streamlit.runtime.scriptrunner import get_script_run_ctx

from rfviz.cache import Cache, Cached, CachedFunction, Store, default_budget
from rfviz.errors import Messages, active_log
from rfviz.features.cost import Where, metered
from rfviz.progress import Progress, silent, stop_point
from rfviz.result_files import result_files
from rfviz.ui import device_use, scheduler
from rfviz.ui.plain import plain
from rfviz.ui.scheduler.requests import POLL_S
from rfviz.ui.scheduler.session import new_request, session_target
from rfviz.ui.streamlit_private import stop_superseded_run

__all__ = ["DRAWS_BYTES", "STORE", "SessionCache", "session_cache"]

R = TypeVar("R")

#: Bytes of the budget that drawn weights may take, which :mod:`rfviz.features.draws` caches.
DRAWS_BYTES = min(200_000_000, default_budget() // 8)
# A lecture: a user who comes back to a page within it finds results that took minutes.
_MAX_AGE_S = 7200.0
#: Results of all sessions; those of uploads are removed with the session (``STORE.drop_owner``).
STORE = Store(default_budget() - DRAWS_BYTES, _MAX_AGE_S, result_files())
_SHOW_AFTER_S = 0.6
# Seconds after which the elapsed time is shown if the remaining time is unknown.
_SAID_AFTER_S = 3.0


@dataclass(eq=False)
class _Run:
    thread: int = field(default_factory=threading.get_ident)
    ended: threading.Event = field(default_factory=threading.Event)
    latest: tuple[float | None, str] = (None, "…")
    entry: Cached | None = None


class _UnderWay:
    """Computations that go on now: a class that opens one page at the same moment computes it once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: dict[Hashable, _Run] = {}

    def result(self, key: Hashable, compute: Callable[[Progress], Any], report: Progress) -> Any:
        """Return ``compute(report)``, or the :class:`Cached` result of another thread that computes the same now.

        A waiting thread hears the other's progress, lets others pass and can be stopped itself. If the other
        fails or is stopped, the next waiting thread computes.
        """
        while True:
            with self._lock:
                run = self._runs.get(key)
                if run is None:
                    run = mine = self._runs[key] = _Run()
                    break
            if run.thread == threading.get_ident():  # on a GPU a job may run within another, in the same thread
                return compute(report)
            while not run.ended.wait(POLL_S):
                stop_point()
                report(*run.latest)
            if run.entry is not None:
                return run.entry

        def told(share: float | None, text: str) -> None:
            mine.latest = share, text
            report(share, text)

        try:
            result, log = compute(told), active_log()
            mine.entry = result if isinstance(result, Cached) else Cached(result, log.messages if log else ())
            return result
        finally:
            with self._lock:
                del self._runs[key]
            mine.ended.set()


_UNDER_WAY = _UnderWay()


class SessionCache(Cache):
    """A cache whose computations wait for their turn on the session's device, each device with its own results.

    Parameters
    ----------
    progress : callable
        Called in the thread that calls the cache.
    warnings : callable, optional
        Returns the container for warnings that no caller captures.
    """

    def __init__(self, progress: Progress = silent, warnings: Callable[[], Any] = st.container) -> None:
        super().__init__(STORE, progress)
        self._warnings_container = warnings
        self._where: dict[Hashable, Where] = {}

    def with_progress(self, progress: Progress) -> SessionCache:
        """Return a cache that reports elsewhere."""
        return SessionCache(progress, self._warnings_container)

    def load(self, function: CachedFunction[R], *args: Hashable) -> R:
        """Call a function that waits for data and not for a device: at once, with one result for all devices."""
        entry = self.store.get((function, args))
        if entry is None:
            try:
                entry = Cached(function(*args, cache=Cache(self.store, self.progress)))
            finally:
                if isinstance(self.progress, ProgressBar):
                    self.progress.clear()
            self.store.put((function, args), entry)
        return entry.result

    def _key(self, function: CachedFunction[Any], args: tuple[Hashable, ...]) -> Hashable:
        return function, args, session_target()

    def _fetch(self, function: CachedFunction[Any], args: tuple[Hashable, ...]) -> Cached:
        entry = super()._fetch(function, args)
        where = self._where.pop(self._key(function, args), None)
        if where is not None:
            entry.where = where
        if entry.where is not None:
            device_use.tell(entry.where)
        return entry

    def _compute(self, function: CachedFunction[Any], args: tuple[Hashable, ...]) -> Any:
        used, key = session_target(), self._key(function, args)
        nested = scheduler.current_request() is not None

        def compute(report: Progress) -> Any:
            entry = self.store.get(key)  # another session may have computed it while this one waited
            if entry is not None:
                return entry
            started = time.perf_counter()
            with metered() as meter:
                result = function(*args, cache=self.with_progress(self.progress if nested else report))
            self._where[key] = meter.where
            if not nested:
                device_use.note(used, time.perf_counter() - started, meter.mapped)
            return result

        def work(report: Progress) -> Any:
            request = scheduler.current_request()
            # A request in the foreground never waits for a background thread, whose priority is low.
            return _UNDER_WAY.result((key, request is not None and request.background), compute, report)

        try:
            return scheduler.run(work, new_request(used), self.progress)
        finally:
            if isinstance(self.progress, ProgressBar) and not nested:
                self.progress.clear()

    def _repeat(self, warnings: Messages) -> None:
        if active_log() is not None or get_script_run_ctx(suppress_warning=True) is None:
            super()._repeat(warnings)
            return
        for text, _ in warnings:
            # Parts of one page warn of the same: Streamlit knows the keys on the page, so the first one shows it.
            key = f"warning-{zlib.crc32(text.encode())}"
            with suppress(StreamlitDuplicateElementKey), self._warnings_container(), st.container(key=key):
                st.warning(plain(text), icon="⚠️")


def session_cache() -> SessionCache:
    """Return the cache of a run of a page; its progress bar and its warnings stand where this is called.

    The bar's place is on the page whether anything is computed or not: if it came and went, every element after it
    would move by one, and the browser would build them all again.
    """
    if get_script_run_ctx(suppress_warning=True) is None:
        return SessionCache()
    bar, warnings = st.empty(), st.container()
    return SessionCache(ProgressBar(bar), lambda: warnings)


class ProgressBar:
    """A progress bar with the time left, shown once a computation takes long."""

    def __init__(self, bar: Any) -> None:
        self._bar, self._last = bar, 1.0
        self._started: float | None = None
        self._shown: tuple[float, str] | None = None

    def __call__(self, share: float | None, text: str) -> None:
        stop_superseded_run()
        now = time.monotonic()
        if self._started is None or (share is not None and share < self._last):  # another computation begins
            self._started = now
        self._last = share if share is not None else self._last
        elapsed = now - self._started
        if elapsed < _SHOW_AFTER_S:
            return
        left = f", {elapsed:.0f} s so far" if elapsed >= _SAID_AFTER_S else ""
        if share:
            seconds = elapsed * (1 - share) / share
            left = f", about {seconds:.0f} s left" if seconds >= 1 else ", almost done"
        shown = min(max(share or 0.0, 0.0), 1.0), text + left
        if shown != self._shown:  # a class that waits for one computation asks twenty times a second each
            self._shown = shown
            self._bar.progress(shown[0], text=shown[1])

    def clear(self) -> None:
        """Remove the bar."""
        self._started, self._shown, self._last = None, None, 1.0
        self._bar.empty()
