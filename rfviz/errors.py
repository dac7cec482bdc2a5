"""Exceptions of rfviz, each worded for the user who will read it, and the capture of its warnings."""

from __future__ import annotations

import importlib.util
import sys
import threading
import warnings
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = [
    "DataError",
    "DeviceError",
    "DownloadError",
    "MemoryBudgetError",
    "Messages",
    "MissingPackageError",
    "ParameterError",
    "PrecisionWarning",
    "RfvizError",
    "SlowKernelError",
    "WarningLog",
    "active_log",
    "capture_warnings",
    "require",
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
        The value given.
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


class SlowKernelError(ParameterError):
    """An exact kernel that would take minutes, as the mean over very many parts of images."""


class DataError(RfvizError, ValueError):
    """Data that cannot be used as they are: missing, unreadable, of the wrong shape or type."""


class DownloadError(DataError):
    """Data that could not be downloaded, or arrived in another form; to try again at once would not help."""


class MissingPackageError(DataError, ImportError):
    """A package that is needed is not installed; the sentence says how to get it."""


class MemoryBudgetError(RfvizError, MemoryError):
    """A request that was refused before it started because it would not fit in memory.

    Parameters
    ----------
    device : str
        The device whose memory is too small.
    """

    def __init__(self, text: str = "", device: str = "cpu") -> None:
        super().__init__(text)
        self.device = device


class DeviceError(RfvizError, RuntimeError):
    """A GPU that failed in the middle of a computation; what follows is computed on the CPU."""


class PrecisionWarning(UserWarning):
    """Numbers are so large that their rounding errors, or an overflow, show in the result."""


# --- packages that only some users need -------------------------------------------------------------------------------

# Module → name of its package and the extra, as pyproject.toml has them.
_EXTRAS = {
    "charset_normalizer": ("charset-normalizer", "files"),
    "PIL": ("Pillow", "files"),
    "plotly": ("Plotly", "plot"),
    "pyarrow": ("pyarrow", "files"),
    "python_calamine": ("python-calamine", "excel"),
    "streamlit": ("Streamlit", "app"),
}


def require(module: str, purpose: str, remedy: str = "") -> None:
    """Say which extra brings a package, if it is missing.

    Parameters
    ----------
    module : str
        As it is imported: ``"plotly"``.
    purpose : str
        What needs it, the beginning of the sentence: ``"A figure"``.
    remedy : str
        What else helps, the end of the sentence: ``"or save it as CSV"``.

    Raises
    ------
    MissingPackageError
        If it is not installed.
    """
    if importlib.util.find_spec(module) is None:
        package, extra = _EXTRAS[module]
        otherwise = f", {remedy}" if remedy else ""
        raise MissingPackageError(
            f'{purpose} needs {package}, which is not installed: pip install "rfviz[{extra}]"{otherwise}.'
        )


# --- warnings ---------------------------------------------------------------------------------------------------------

#: Warnings as pairs (text, category).
Messages = tuple[tuple[str, type[Warning]], ...]


class WarningLog:
    """Warnings in the order in which they were given, each text once; safe to share between threads."""

    def __init__(self) -> None:
        self._messages: dict[str, type[Warning]] = {}
        self._lock = threading.Lock()

    def add(self, messages: Iterable[tuple[str, type[Warning]]]) -> None:
        """Add pairs (text, category)."""
        with self._lock:
            for text, category in messages:
                self._messages.setdefault(text, category)

    @property
    def messages(self) -> Messages:
        """Return the warnings so far, as pairs (text, category)."""
        with self._lock:
            return tuple(self._messages.items())


_active_log: ContextVar[WarningLog | None] = ContextVar("rfviz_warning_log", default=None)


def active_log() -> WarningLog | None:
    """Return the log that captures the warnings of this context, or None if they go to :mod:`warnings`."""
    return _active_log.get()


@contextmanager
def capture_warnings() -> Generator[WarningLog, None, None]:
    """Capture the warnings of this context, and of threads that run in copies of it, while inside.

    Python's own filters give each warning once a process, to its log: of no use for a page, each of whose users is to
    see it. A captured warning goes nowhere else unless it is given again.
    """
    log = WarningLog()
    token = _active_log.set(log)
    try:
        yield log
    finally:
        _active_log.reset(token)


_IN_BETWEEN = ("rfviz", "sklearn", "joblib")


def warn(message: str, category: type[Warning]) -> None:
    """Add a warning to the active log, else call :func:`warnings.warn` for the line of the caller's own code.

    That line is the nearest one outside of rfviz and of scikit-learn, whose pipelines and searches lie in between.
    """
    log = _active_log.get()
    if log is not None:
        log.add([(message, category)])
        return
    frame, level = sys._getframe(1), 2  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - inspect is slow
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _IN_BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
