"""The exceptions and warnings of rfviz, each worded for the person who will read it, and who hears of warnings."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = [
    "DataError",
    "DeviceError",
    "DownloadError",
    "Heard",
    "MemoryBudgetError",
    "ParameterError",
    "RfvizError",
    "hearing",
    "listener",
    "warn",
]


class RfvizError(Exception):
    """Base of every error that rfviz raises on purpose; its text is fit to show to a user."""


class ParameterError(RfvizError, ValueError):
    """A parameter that breaks its rule.

    Parameters
    ----------
    name : str
        The parameter, as the caller wrote it.
    rule : str
        What the value must be: ``"must be an integer from 1 to 1024"``.
    value : object
        What it was.
    remedy : str
        What to do instead, as a full sentence.
    """

    def __init__(self, name: str, rule: str, value: object, remedy: str = "") -> None:
        shown = repr(value)
        if len(shown) > 60:
            shown = shown[:57] + "..."
        super().__init__(f"{name} {rule}; got {shown}.{' ' + remedy if remedy else ''}")
        self.name, self.rule, self.value, self.remedy = name, rule, value, remedy

    def __reduce__(self):
        return type(self), (self.name, self.rule, self.value, self.remedy)


class DataError(RfvizError, ValueError):
    """Data that cannot be used as they are: missing, unreadable, of the wrong shape or type."""


class DownloadError(DataError):
    """Data that could not be downloaded, or arrived in another form; to try again at once would not help."""


class MemoryBudgetError(RfvizError, MemoryError):
    """A request that was refused before it started because it would not fit in memory."""


class DeviceError(RfvizError, RuntimeError):
    """A GPU that failed in the middle of a computation; what follows is computed on the CPU."""


# --- warnings ---------------------------------------------------------------------------------------------------------


class Heard:
    """Warnings in the order in which they were heard, each text once; threads may share one."""

    def __init__(self) -> None:
        self._messages: dict[str, type[Warning]] = {}
        self._lock = threading.Lock()

    def add(self, messages: Iterable[tuple[str, type[Warning]]]) -> None:
        """Hear pairs (text, category)."""
        with self._lock:
            for text, category in messages:
                self._messages.setdefault(text, category)

    @property
    def messages(self) -> tuple[tuple[str, type[Warning]], ...]:
        """What was heard so far, as pairs (text, category)."""
        with self._lock:
            return tuple(self._messages.items())


_listener: ContextVar[Heard | None] = ContextVar("rfviz_listener", default=None)


def listener() -> Heard | None:
    """Who hears the warnings of this context; None where they are Python's own."""
    return _listener.get()


@contextmanager
def hearing() -> Iterator[Heard]:
    """While inside, hear the warnings of this context and of threads that run in copies of it.

    Python's own filters say each warning once a process, to its log: no good for readers of a page, each of whom is to
    know. What is heard in here is heard by nobody else, unless it is passed on.
    """
    heard = Heard()
    token = _listener.set(heard)
    try:
        yield heard
    finally:
        _listener.reset(token)


_IN_BETWEEN = ("rfviz", "sklearn", "joblib")


def warn(message: str, category: type[Warning]) -> None:
    """Warn whoever listens, else by :func:`warnings.warn`, at the line of the caller's own code.

    That line is the nearest one outside of rfviz and of scikit-learn, whose pipelines and searches lie in between.
    """
    heard = _listener.get()
    if heard is not None:
        heard.add([(message, category)])
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _IN_BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
