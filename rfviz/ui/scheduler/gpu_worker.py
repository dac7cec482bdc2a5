"""The worker of a GPU: one thread that runs all its jobs, and what it does when memory is full or the GPU fails."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from rfviz import backend
from rfviz.errors import DeviceError, MemoryBudgetError, warn
from rfviz.features.blocks import DeviceFallbackWarning
from rfviz.progress import Progress
from rfviz.ui.scheduler.requests import (
    FOREGROUND_PER_BACKGROUND,
    POLL_S,
    SLICE_S,
    FairQueue,
    Job,
    NotOnGpu,
    Pulse,
    Superseded,
    checkpoint,
    running,
)

__all__ = ["GpuWorker"]

R = TypeVar("R")

# Idle time after which the thread releases the GPU's memory and ends.
_IDLE_S = 30.0
# Share of its usual memory that a block gets after the GPU's was full.
_SMALLER = 0.125


class GpuWorker:
    """The one thread that uses a GPU: CuPy's handles and their workspaces belong to a thread."""

    def __init__(self, device: backend.Device) -> None:
        self.device = device
        self._lock, self._queue = threading.Condition(), FairQueue()
        self._thread: threading.Thread | None = None
        self._n_running, self._closed = 0, False

    def state(self) -> tuple[int, int]:
        """Return how many jobs run and how many wait."""
        with self._lock:
            return self._n_running, len(self._queue)

    def run(self, job: Job, work: Callable[[Progress], R], draw: Progress) -> R:
        """Return ``work(report)``, computed by the worker; reports are drawn by this thread, which is the session's.

        Raises
        ------
        NotOnGpu
            Where the GPU's memory does not suffice, or the GPU is given up.
        """

        def report(share: Any, text: str) -> None:
            checkpoint()
            job.latest_report = share, text

        job.work, pulse = lambda: work(report), Pulse(draw)
        with self._lock:
            self._queue.put(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, daemon=True, name=f"rfviz-{self.device.name}")
                self._thread.start()
            self._lock.notify()
        try:
            while not job.turn.wait(POLL_S):
                job.request.check()
                latest, job.latest_report = job.latest_report, None
                if latest is not None:
                    pulse(*latest)
                elif job.started:
                    pulse.beat()
        except BaseException:
            job.cancelled = True
            with self._lock:
                self._queue.drop(job)
            raise
        if job.error is not None:
            raise job.error
        return job.result

    def checkpoint(self, job: Job) -> None:
        """Run foreground jobs that wait within this one, which keeps what it has; one in a while where it is such."""
        if not job.request.background:
            if self._n_running > 1 or time.monotonic() - job.started < SLICE_S:
                return
            job.started = time.monotonic()
        for _ in range(FOREGROUND_PER_BACKGROUND if job.request.background else 1):
            with self._lock:
                following = self._queue.take(foreground_only=True)
            if following is None:
                return
            self._perform(following)
            job.started = time.monotonic()

    def close(self) -> None:
        """Let the thread end, and release the GPU's memory."""
        with self._lock:
            self._closed = True
            self._lock.notify()
            thread = self._thread
        if thread is not None:
            thread.join(1.0)

    def _serve(self) -> None:
        while True:
            with self._lock:
                if not len(self._queue):
                    self._lock.wait(0.0 if self._closed else _IDLE_S)
                job = self._queue.take()
                if job is None:
                    with suppress(Exception):  # of a GPU that is lost
                        self.device.release()
                    self._thread = None
                    return
            self._perform(job)

    def _perform(self, job: Job) -> None:
        self._n_running += 1
        try:
            with running(job):
                job.started = time.monotonic()
                if job.cancelled:
                    raise Superseded
                job.result = job.context.run(self._compute, job)
        except BaseException as error:
            traceback.clear_frames(error.__traceback__)  # frames would hold device memory as long as the error is held
            job.error = error
        finally:
            self._n_running -= 1
            job.turn.set()

    def _compute(self, job: Job) -> Any:
        """Return the job's result, tried again with smaller blocks where the GPU's memory is full."""
        for share in (1.0, _SMALLER):
            if not self.device.is_gpu or self.device not in backend.available_devices():
                break
            try:
                with self.device.activate(), job.request.target.active(), backend.smaller_blocks(share):
                    return job.work()
            except MemoryBudgetError as error:
                if error.device == "cpu":
                    raise  # the host's memory is too small, here and on the CPU
                self._warn("Too large for the memory of", "computed on the CPU instead")
                break
            except Exception as error:
                if not backend.is_device_failure(error):
                    raise
                traceback.clear_frames(error.__traceback__)
                if not backend.is_out_of_memory(error):
                    if backend.is_device_lost(error):
                        raise self._lost(error) from None
                    self._warn(f"{type(error).__name__} on", "computed on the CPU instead")
                    break
            self.device.release()  # only here, where the error is gone, is there anything to release
            after = "tried again with smaller blocks" if share == 1.0 else "computed on the CPU instead"
            self._warn("Out of memory on", after)
        raise NotOnGpu

    def _warn(self, what: str, after: str) -> None:
        warn(f"{what} {self.device.name}: {after}.", DeviceFallbackWarning)

    def _lost(self, error: Exception) -> DeviceError:
        cause = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}".removesuffix(": ").rstrip(".")
        backend.give_up_gpus(f"{self.device.name} failed in the middle of a computation ({cause})")
        return DeviceError(
            f"The GPU {self.device.name} failed in the middle of a computation ({cause}). From now on everything is "
            "computed on the CPU, until the laboratory is started again."
        )
