"""The pool of the CPU: a bounded number of jobs, each in the thread that asks for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from rfviz.progress import Progress
from rfviz.ui.scheduler.requests import POLL_S, SLICE_S, FairQueue, Job, Pulse, checkpoint, running

__all__ = ["CpuPool"]

R = TypeVar("R")


class CpuPool:
    """A counting semaphore with a fair queue; the holder of a slot computes in its own thread.

    Handing a computation to another thread would cost more than a small one takes.
    """

    def __init__(self, n_slots: int) -> None:
        self._lock, self._queue = threading.Lock(), FairQueue()
        self._free, self._n_slots = n_slots, n_slots

    def state(self) -> tuple[int, int]:
        """Return how many jobs run and how many wait."""
        with self._lock:
            return self._n_slots - self._free, len(self._queue)

    def run(self, job: Job, work: Callable[[Progress], R], draw: Progress) -> R:
        """Return ``work(report)``, computed in this thread once a slot is free."""
        pulse = Pulse(draw)

        def report(share: Any, text: str) -> None:
            checkpoint()
            pulse(share, text)

        self._acquire(job)
        try:
            with running(job, pulse.beat), job.request.target.active():
                return work(report)
        finally:
            self._release()

    def close(self) -> None:
        """Do nothing: the pool has no threads of its own."""

    def checkpoint(self, job: Job) -> None:
        """Hand the slot on if others wait, and wait for the next one."""
        if len(self._queue) and time.monotonic() - job.started > SLICE_S:
            self._release()
            # Without a slot the job cannot give one back, so it must not leave here: it is told at its next report.
            self._acquire(job, may_leave=False)

    def _acquire(self, job: Job, may_leave: bool = True) -> None:
        with self._lock:
            at_once = self._free > 0 and not len(self._queue)
            if at_once:
                self._free -= 1
            else:
                job.turn.clear()
                self._queue.put(job)
        if not at_once:
            self._wait(job, may_leave)
        job.started = time.monotonic()

    def _wait(self, job: Job, may_leave: bool) -> None:
        try:
            while not job.turn.wait(POLL_S):
                if may_leave:
                    job.request.check()
        except BaseException:
            with self._lock:
                waited = self._queue.drop(job)
            if not waited:  # its turn came at this very moment
                self._release()
            raise

    def _release(self) -> None:
        with self._lock:
            following = self._queue.take()
            if following is None:
                self._free += 1
            else:
                following.turn.set()
