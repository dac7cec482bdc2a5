"""Requests for computations, and the order in which they are served."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import Any, Protocol

from rfviz import backend
from rfviz.progress import Progress, stoppable

__all__ = [
    "BEAT_S",
    "FOREGROUND_PER_BACKGROUND",
    "POLL_S",
    "SLICE_S",
    "FairQueue",
    "Job",
    "Pulse",
    "Request",
    "Superseded",
    "Target",
    "checkpoint",
    "current_job",
    "current_request",
    "running",
]


#: Interval at which a queued job checks for cancellation, in seconds.
POLL_S = 0.05
#: Interval at which a report is repeated while no other comes, in seconds.
BEAT_S = 1.0
#: Time that a job may take before it lets others pass at its next report, in seconds.
SLICE_S = 0.25
#: Foreground jobs that are served before one in the background.
FOREGROUND_PER_BACKGROUND = 4


class NotOnGpu(Exception):  # noqa: N818 - no error: the CPU computes it
    """A computation that the GPU cannot take is to be computed by the CPU, in a thread that no other session needs."""


class Superseded(BaseException):
    """Raised within a computation that no request waits for any more; not an error, so no handler takes it for one."""


@dataclass(frozen=True)
class Target:
    """The device of a session and the precision of its matrix products.

    Attributes
    ----------
    device : str
        As :func:`rfviz.backend.get_device` takes it.
    precision : str
        Of matrix products on a GPU: ``"float32"`` or ``"tf32"``.
    """

    device: str = "cpu"
    precision: str = "float32"

    @contextmanager
    def active(self) -> Generator[None, None, None]:
        """Make ``"auto"`` mean this device, and products have this precision, while inside."""
        with backend.using(self.device), backend.product_precision(self.precision):
            yield


@dataclass(frozen=True)
class Request:
    """The origin of a computation.

    Attributes
    ----------
    session : hashable
        Jobs of one session wait for each other rather than for those of others.
    background : bool
        Whether it goes on next to the page; foreground jobs go first.
    check : callable
        Called while the job waits, and where it may be stopped; raises where its result is not wanted any more.
    """

    session: Hashable = ""
    target: Target = Target()
    background: bool = False
    check: Callable[[], None] = lambda: None


class Lane(Protocol):
    """What serves jobs."""

    def checkpoint(self, job: Job) -> None:
        """Let other jobs pass."""


@dataclass(eq=False)
class Job:
    """A computation on its way through a queue."""

    request: Request
    lane: Lane
    work: Callable[[], Any] = lambda: None
    turn: threading.Event = field(default_factory=threading.Event)  # on the CPU: it may start; on a GPU: it has ended
    cancelled: bool = False
    started: float = 0.0
    latest_report: tuple[Any, str] | None = None
    # Of the thread that asks: warnings are captured there, wherever the job runs.
    context: Context = field(default_factory=copy_context)
    result: Any = None
    error: BaseException | None = None


class FairQueue:
    """Jobs in rounds, one of each session; foreground before background, which gets every fifth turn all the same."""

    def __init__(self) -> None:
        self._foreground: OrderedDict[Hashable, deque[Job]] = OrderedDict()
        self._background: OrderedDict[Hashable, deque[Job]] = OrderedDict()
        self._foreground_served = 0
        self._n_jobs = 0

    def __len__(self) -> int:
        return self._n_jobs  # asked by threads that do not hold the queue's lock

    def put(self, job: Job) -> None:
        """Add a job, the last of its session, whose place in the round stays."""
        self._lines(job).setdefault(job.request.session, deque()).append(job)
        self._n_jobs += 1

    def take(self, foreground_only: bool = False) -> Job | None:
        """Remove and return the next job, or None if there is none."""
        lines = self._foreground
        overdue = not self._foreground or self._foreground_served >= FOREGROUND_PER_BACKGROUND
        if not foreground_only and self._background and overdue:
            lines = self._background
        self._foreground_served = self._foreground_served + 1 if lines is self._foreground else 0
        if not lines:
            return None
        session, line = lines.popitem(last=False)
        job = line.popleft()
        self._n_jobs -= 1
        if line:
            lines[session] = line  # at the end of the round
        return job

    def drop(self, job: Job) -> bool:
        """Remove a job and return whether it was still there."""
        lines, session = self._lines(job), job.request.session
        if job not in lines.get(session, ()):
            return False
        lines[session].remove(job)
        self._n_jobs -= 1
        if not lines[session]:
            del lines[session]
        return True

    def _lines(self, job: Job) -> OrderedDict[Hashable, deque[Job]]:
        return self._background if job.request.background else self._foreground


class Pulse:
    """Forwards the reports of a job, and repeats the last one as a heartbeat while no other comes."""

    def __init__(self, draw: Progress) -> None:
        self._draw, self._latest, self._drawn = draw, (None, "Computing"), time.monotonic()

    def __call__(self, share: float | None, text: str) -> None:
        self._latest, self._drawn = (share, text), time.monotonic()
        self._draw(share, text)

    def beat(self) -> None:
        """Repeat the last report if it is old."""
        if time.monotonic() - self._drawn > BEAT_S:
            self(*self._latest)


_thread = threading.local()


@contextmanager
def running(job: Job, beat: Callable[[], None] = lambda: None) -> Generator[None, None, None]:
    """Mark the calling thread as running this job while inside, and call `beat` wherever the job may be stopped."""
    before = current_job()
    _thread.job = job

    def check() -> None:
        if job.cancelled:
            raise Superseded
        job.request.check()
        beat()

    try:
        with stoppable(check):
            yield
    finally:
        _thread.job = before


def current_job() -> Job | None:
    """Return the job that the calling thread runs."""
    return getattr(_thread, "job", None)


def current_request() -> Request | None:
    """Return the request that the calling thread computes for."""
    job = current_job()
    return None if job is None else job.request


def checkpoint() -> None:
    """End the calling thread's job if no request waits for it, or let others pass; called at each report of progress.

    Raises
    ------
    Superseded
    """
    job = current_job()
    if job is not None:
        if job.cancelled:
            raise Superseded
        job.lane.checkpoint(job)
