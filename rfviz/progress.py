"""How a long computation tells its caller where it is, and how the caller stops it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

__all__ = ["Progress", "silent", "stop_point", "stoppable", "within"]

#: ``progress(share, text)``: the share done in [0, 1], None where nobody knows it, and what is being done. It may raise
#: to stop the computation, which then leaves nothing behind: computations are pure functions.
Progress = Callable[[float | None, str], None]


def silent(share: float | None, text: str) -> None:
    """Ignore the progress of a computation that nobody watches."""


def within(progress: Progress, start: float, end: float) -> Progress:
    """Return the progress of a part of a computation, which goes from one share of the whole to another."""
    return lambda share, text: progress(None if share is None else start + (end - start) * share, text)


_thread = threading.local()


@contextmanager
def stoppable(check: Callable[[], None]) -> Generator[None, None, None]:
    """Have `check` called at the stop points of the calling thread while inside; it may raise to stop a computation.

    A draw of gigabytes has no progress to report, and those who draw know of no caller who waits.
    """
    before = getattr(_thread, "check", None)
    _thread.check = check
    try:
        yield
    finally:
        _thread.check = before


def stop_point() -> None:
    """Let the calling thread's computation be stopped here; loops call it that may take long."""
    check = getattr(_thread, "check", None)
    if check is not None:
        check()
