"""A computation in a thread of its own, so that the script can end at once when its reader wants something else."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from rfviz.analysis.progress import Progress

__all__ = ["Abandoned", "in_background"]

R = TypeVar("R")

_LOOK_S = 0.1


class Abandoned(BaseException):
    """Raised within a computation that nobody waits for any more."""


def in_background(compute: Callable[[Progress], R], show: Progress) -> R:
    """``compute(progress)`` in a thread, while this one calls `show` ten times a second.

    A call of LAPACK may take seconds, and cannot be interrupted. If `show` raises, as Streamlit's calls do when the
    reader has pressed a button, that is passed on at once; the computation then ends at its next report by itself.

    Parameters
    ----------
    compute : callable
        Makes no call to Streamlit. What it raises is raised here.
    show : callable
        Gets what `compute` reported last.
    """
    left, done = threading.Event(), threading.Event()
    latest, outcome = [(0.0, "…")], []

    def report(share: float, text: str) -> None:
        if left.is_set():
            raise Abandoned
        latest[0] = share, text

    def work() -> None:
        try:
            outcome.append((compute(report), None))
        except BaseException as error:  # it belongs to who waits
            outcome.append((None, error))
        finally:
            done.set()

    threading.Thread(target=work, daemon=True, name="rfviz-race").start()
    try:
        while not done.wait(_LOOK_S):
            show(*latest[0])
    except BaseException:
        left.set()
        raise
    result, error = outcome[0]
    if error is not None:
        raise error
    return result
