"""How a long computation tells its caller where it is, and how the caller stops it."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Progress", "silent", "within"]

#: ``progress(share, text)``: the share done in [0, 1], None where nobody knows it, and what is being done. It may raise
#: to stop the computation, which then leaves nothing behind: computations are pure functions.
Progress = Callable[[float | None, str], None]


def silent(share: float | None, text: str) -> None:
    """Ignore the progress of a computation that nobody watches."""


def within(progress: Progress, start: float, end: float) -> Progress:
    """Return the progress of a part of a computation, which goes from one share of the whole to another."""
    return lambda share, text: progress(None if share is None else start + (end - start) * share, text)
