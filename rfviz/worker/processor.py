"""Turns on the processor, where everybody computes in his own thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from rfviz.worker.turns import LOOK_S, Report, Rounds, Ticket, doing, pause

__all__ = ["Processor"]

R = TypeVar("R")

# How long a computation keeps its place while others wait; it hands it on at a report.
_TURN_S = 0.25


class Processor:
    """A number of places; whoever has one computes in his own thread."""

    def __init__(self, width: int) -> None:
        self._lock, self._rounds = threading.Lock(), Rounds()
        self._free, self._width = width, width

    def state(self) -> tuple[int, int]:
        with self._lock:
            return self._width - self._free, len(self._rounds)

    def run(self, ticket: Ticket, work: Callable[[Report], R], draw: Report) -> R:
        def report(share: Any, words: str) -> None:
            pause()
            draw(share, words)

        self._begin(ticket)
        try:
            with doing(ticket), ticket.origin.place.active():
                return work(report)
        finally:
            self._end()

    def pause(self, ticket: Ticket) -> None:
        if len(self._rounds) and time.monotonic() - ticket.begun > _TURN_S:
            self._end()
            # Without a place it must not give one back, so neither may it leave: it waits, and is told at a report.
            self._begin(ticket, leaving=False)

    def _begin(self, ticket: Ticket, leaving: bool = True) -> None:
        with self._lock:
            at_once = self._free > 0 and not len(self._rounds)
            if at_once:
                self._free -= 1
            else:
                ticket.turn.clear()
                self._rounds.put(ticket)
        if not at_once:
            self._wait(ticket, leaving)
        ticket.begun = time.monotonic()

    def _wait(self, ticket: Ticket, leaving: bool) -> None:
        try:
            while not ticket.turn.wait(LOOK_S):
                if leaving:
                    ticket.origin.check()
        except BaseException:
            with self._lock:
                waited = self._rounds.drop(ticket)
            if not waited:  # its turn came at this very moment
                self._end()
            raise

    def _end(self) -> None:
        with self._lock:
            following = self._rounds.take()
            if following is None:
                self._free += 1
            else:
                following.turn.set()
