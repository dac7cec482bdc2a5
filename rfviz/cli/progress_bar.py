"""Progress in a terminal."""

from __future__ import annotations

import time
from typing import TextIO

__all__ = ["ProgressBar"]

_WIDTH = 30


class ProgressBar:
    """A line of progress on a terminal; on anything else a line whenever the text changes.

    Parameters
    ----------
    stream : text file or None
        None shows nothing.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream, self._drawn, self._text = stream, 0.0, ""

    def __call__(self, share: float | None, text: str) -> None:
        if self._stream is None:
            return
        if not self._stream.isatty():
            if text != self._text:
                print(text, file=self._stream, flush=True)
        elif time.monotonic() - self._drawn > 0.1:
            done = round(_WIDTH * min(max(share or 0.0, 0.0), 1.0))
            print(f"\r\033[K[{'█' * done}{'·' * (_WIDTH - done)}] {text[:80]}", end="", file=self._stream, flush=True)
            self._drawn = time.monotonic()
        self._text = text

    def end(self) -> None:
        """Leave an empty line for what comes next."""
        if self._stream is not None and self._drawn:
            print("\r\033[K", end="", file=self._stream, flush=True)
