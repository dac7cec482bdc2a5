"""A computation in a thread of its own, which continues while the page is redrawn and ends when no session polls it."""

from __future__ import annotations

import dataclasses
import os
import sys
import threading
import time
from collections.abc import Callable, Hashable

from rfviz.errors import capture_warnings
from rfviz.progress import Progress
from rfviz.ui import scheduler
from rfviz.ui.scheduler.requests import Request
from rfviz.ui.scheduler.session import acting_for, new_request

__all__ = ["BackgroundRun"]

# A user who has closed the page, or went to another one, does not look again.
_PATIENCE_S = 5.0
# Of the thread and those that it starts: what users wait for goes first on the cores.
_NICENESS = 15


class BackgroundRun:
    """``work(progress)`` in a thread, from the moment this is made.

    A script that computed by itself could not answer during a call of LAPACK, and would not compute while it draws.
    What it computes waits for its turn as everything does (:mod:`rfviz.ui.scheduler`), behind what users wait for.

    Parameters
    ----------
    name : hashable
        Equal for equal work.
    work : callable
        Makes no call to Streamlit, and keeps its results itself.
    origin : Request, optional
        Whom it computes for; by default who calls this.

    Attributes
    ----------
    done : threading.Event
        Set when the work has ended, however it did.
    error : BaseException or None
        What the work raised, unless it was told to end.
    """

    def __init__(self, name: Hashable, work: Callable[[Progress], None], origin: Request | None = None) -> None:
        self.name = name
        self.done = threading.Event()
        self.error: BaseException | None = None
        self._left = False
        self._latest = 0.0, "…"
        self._seen = time.monotonic()
        self._origin = dataclasses.replace(origin or new_request(), background=True, check=self._check)
        threading.Thread(target=self._run, args=(work,), daemon=True, name="rfviz-background").start()

    def look(self) -> tuple[float, str]:
        """Return the latest report, (share done, words), and keep the work alive."""
        self._seen = time.monotonic()
        return self._latest

    def leave(self) -> None:
        """Let the work end at its next report; returns at once."""
        self._left = True

    @property
    def is_going_on(self) -> bool:
        """Whether it works, and has not been told to end."""
        return not (self._left or self.done.is_set())

    def _check(self) -> None:
        if self._left or time.monotonic() - self._seen > _PATIENCE_S:
            raise scheduler.Superseded

    def _report(self, share: float | None, words: str) -> None:
        self._check()
        self._latest = self._latest[0] if share is None else share, words
        scheduler.checkpoint()

    def _run(self, work: Callable[[Progress], None]) -> None:
        _step_back()
        try:
            # Results are cached with their warnings, which are shown with them.
            with acting_for(self._origin), capture_warnings():
                work(self._report)
        except scheduler.Superseded:
            pass
        except BaseException as error:  # re-raised for the session that polls
            self.error = error
        finally:
            self.done.set()


def _step_back() -> None:
    """Lower the priority of the calling thread, unless it is as low already: raising it needs a privilege."""
    if sys.platform != "linux":  # elsewhere this would be the whole process
        return
    which = os.PRIO_PROCESS, threading.get_native_id()
    if os.getpriority(*which) < _NICENESS:
        os.setpriority(*which, _NICENESS)
