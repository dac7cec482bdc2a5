"""How a long computation tells its caller where it is, and how the caller stops it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

__all__ = ["Progress", "silent", "stop_point", "stoppable", "within"]

#: ``progress(share, text)``: the share done in [0, 1], or None if it is unknown, and the present step in words. It may
#: raise to stop the computation, which then leaves nothing behind: computations are pure functions.
Progress = Callable[[float | None, str], None]


def silent(share: float | None, text: str) -> None:
    """Ignore all reports of progress: the default of callers that show none."""


def within(progress: Progress, start: float, end: float) -> Progress:
    """Return the ``progress`` to give to a part of a computation that covers shares `start` to `end` of the whole."""
    return lambda share, text: progress(None if share is None else start + (end - start) * share, text)


_thread = threading.local()


@contextmanager
def stoppable(check: Callable[[], None]) -> Generator[None, None, None]:
    """Have `check` called at the stop points of the calling thread while inside; it may raise to stop a computation.

    This also stops the draw of gigabytes of weights, which reports no progress and has no reference to the caller.
    """
    before = getattr(_thread, "check", None)
    _thread.check = check
    try:
        yield
    finally:
        _thread.check = before


def stop_point() -> None:
    """Stop the calling thread's computation here if its caller wants that; call it in loops that may take long."""
    check = getattr(_thread, "check", None)
    if check is not None:
        check()
