"""Turns on a GPU, which one thread owns; what happens where its memory is full, and where it fails."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from rfviz import backend
from rfviz.errors import DeviceError, MemoryBudgetError, warn
from rfviz.features.blocks import DeviceFallbackWarning
from rfviz.worker.turns import FRONT_TURNS, LOOK_S, Report, Rounds, Superseded, Ticket, doing, pause

__all__ = ["Owner"]

R = TypeVar("R")

# After this time without work the thread gives its memory back, and ends.
_IDLE_S = 30.0
# The part of its usual memory that a block gets after the GPU's was full.
_SMALLER = 0.125


class Owner:
    """The one thread that uses a GPU; it lives while there is something to do."""

    def __init__(self, device: backend.Device) -> None:
        self.device = device
        self._lock, self._rounds = threading.Condition(), Rounds()
        self._thread: threading.Thread | None = None
        self._running, self._closed = 0, False

    def state(self) -> tuple[int, int]:
        with self._lock:
            return self._running, len(self._rounds)

    def run(self, ticket: Ticket, work: Callable[[Report], R], draw: Report) -> R:
        def report(share: Any, words: str) -> None:
            pause()
            ticket.latest = share, words  # drawn by the thread that waits, which is the reader's

        ticket.work = lambda: work(report)
        with self._lock:
            self._rounds.put(ticket)
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, daemon=True, name=f"rfviz-{self.device.name}")
                self._thread.start()
            self._lock.notify()
        try:
            while not ticket.turn.wait(LOOK_S):
                ticket.origin.check()
                news, ticket.latest = ticket.latest, None
                if news is not None:
                    draw(*news)
        except BaseException:
            ticket.cancelled = True
            with self._lock:
                self._rounds.drop(ticket)
            raise
        if ticket.error is not None:
            raise ticket.error
        return ticket.result

    def pause(self, ticket: Ticket) -> None:
        if not ticket.origin.background:
            return
        for _ in range(FRONT_TURNS):  # those in front compute in between; the other keeps what it has
            with self._lock:
                following = self._rounds.take(front_only=True)
            if following is None:
                return
            self._perform(following)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._lock.notify()
            thread = self._thread
        if thread is not None:
            thread.join(1.0)

    def _serve(self) -> None:
        while True:
            with self._lock:
                if not len(self._rounds):
                    self._lock.wait(0.0 if self._closed else _IDLE_S)
                ticket = self._rounds.take()
                if ticket is None:
                    with suppress(Exception):  # of a GPU that is lost
                        self.device.release()
                    self._thread = None
                    return
            self._perform(ticket)

    def _perform(self, ticket: Ticket) -> None:
        self._running += 1
        try:
            with doing(ticket):
                if ticket.cancelled:
                    raise Superseded
                ticket.result = ticket.context.run(self._guarded, ticket)
        except BaseException as error:
            traceback.clear_frames(error.__traceback__)  # or it would keep device memory as long as it is kept
            ticket.error = error
        finally:
            self._running -= 1
            ticket.turn.set()

    def _guarded(self, ticket: Ticket) -> Any:
        """The computation's result, computed on the CPU where the GPU's memory does not suffice."""
        for share in (1.0, _SMALLER):
            if not self.device.is_gpu or self.device not in backend.available_devices():
                break
            try:
                with ticket.origin.place.active(), backend.smaller_blocks(share):
                    return ticket.work()
            except MemoryBudgetError:  # refused before it started; what the CPU refuses is raised from there
                self._warn("Too large for the memory of", "computed on the CPU instead")
                break
            except Exception as error:
                if not backend.is_device_failure(error):
                    raise
                traceback.clear_frames(error.__traceback__)
                if not backend.is_out_of_memory(error):
                    raise self._lost(error) from None
            self.device.release()  # only here, where the error is gone, is there anything to give back
            after = "tried again with smaller blocks" if share == 1.0 else "computed on the CPU instead"
            self._warn("Out of memory on", after)
        with backend.using("cpu"):
            return ticket.work()

    def _warn(self, what: str, after: str) -> None:
        warn(f"{what} {self.device.name}: {after}.", DeviceFallbackWarning)

    def _lost(self, error: Exception) -> DeviceError:
        cause = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}".removesuffix(": ").rstrip(".")
        backend.give_up_gpus(f"{self.device.name} failed in the middle of a computation ({cause})")
        return DeviceError(
            f"The GPU {self.device.name} failed in the middle of a computation ({cause}). From now on everything is "
            "computed on the CPU, until the laboratory is started again."
        )
