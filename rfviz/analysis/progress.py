"""How a long computation tells its caller where it is, and how the caller stops it."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Progress", "silent"]

# progress(share done in [0, 1], what is being done). It may raise to stop the computation, which then leaves nothing
# behind: analyses are pure functions.
Progress = Callable[[float, str], None]


def silent(share: float | None, text: str) -> None:
    """Ignore the progress of a computation that nobody watches."""
