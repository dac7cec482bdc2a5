"""The exceptions that rfviz raises on purpose, each worded for the person who will read it."""

from __future__ import annotations

__all__ = ["DataError", "DeviceError", "DownloadError", "MemoryBudgetError", "ParameterError", "RfvizError"]


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
