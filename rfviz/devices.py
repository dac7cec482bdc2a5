"""Which device "auto" stands for, here and now, and what is known of GPUs that fail.

Import these names from :mod:`rfviz.backend`, which speaks for all devices.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["asked_for", "block_share", "forget_failures", "give_up_gpus", "is_device_failure", "reason_given_up",
           "smaller_blocks", "using"]  # fmt: skip

_asked: ContextVar[str | None] = ContextVar("rfviz_device", default=None)
_share: ContextVar[float] = ContextVar("rfviz_block_share", default=1.0)
# What the modules of CuPy's own errors begin with.
_CUPY = ("cupy", "cupyx", "cupy_backends")
_lock = threading.Lock()
_given_up: list[str] = []


@contextmanager
def using(name: str) -> Iterator[None]:
    """While inside, ``"auto"`` stands for the device called `name` in this thread.

    It applies to maps that were made before as well: they ask when they compute.
    """
    token = _asked.set(name)
    try:
        yield
    finally:
        _asked.reset(token)


def asked_for() -> str | None:
    """The device that ``"auto"`` stands for: that of :func:`using`, else of the environment variable RFVIZ_DEVICE."""
    return _asked.get() or os.environ.get("RFVIZ_DEVICE", "").strip() or None


@contextmanager
def smaller_blocks(share: float) -> Iterator[None]:
    """While inside, blocks on a GPU are planned with this share of their usual memory."""
    token = _share.set(share)
    try:
        yield
    finally:
        _share.reset(token)


def block_share() -> float:
    """The share of its usual memory that a block on a GPU may take."""
    return _share.get()


def is_device_failure(error: BaseException) -> bool:
    """Whether `error` comes from the GPU or its driver, and says nothing of what was to be computed.

    Errors of CuPy that NumPy would raise too (a shape, a type) are Python's own and do not count; a full memory does.
    """
    kind = type(error)
    return kind.__module__.partition(".")[0] in _CUPY and not issubclass(kind, (ValueError, TypeError, ArithmeticError))


def give_up_gpus(reason: str) -> None:
    """Use no GPU in this process any more: after a failure of the driver nothing that it holds can be trusted."""
    with _lock:
        if not _given_up:
            _given_up.append(reason)


def reason_given_up() -> str:
    """Why no GPU is used any more, in a few words; empty where nothing of the kind has happened."""
    return _given_up[0] if _given_up else ""


def forget_failures() -> None:
    """Try GPUs again."""
    with _lock:
        _given_up.clear()
