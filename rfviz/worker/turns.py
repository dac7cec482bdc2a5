"""Whose turn it is: tickets of computations, and the order in which they are served."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import Any

from rfviz import backend

__all__ = ["FRONT_TURNS", "LOOK_S", "Origin", "Place", "Report", "Rounds", "Superseded", "Ticket", "current", "doing",
           "here", "pause"]  # fmt: skip

Report = Callable[[Any, str], None]

#: How often somebody who waits looks whether he is still wanted, in seconds.
LOOK_S = 0.05
#: So many that readers wait for go before one in the background.
FRONT_TURNS = 4


class Superseded(BaseException):
    """Raised within a computation that nobody waits for any more; no error, so nothing may take it for one."""


@dataclass(frozen=True)
class Place:
    """What a session computes on.

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
    def active(self) -> Iterator[None]:
        """While inside, ``"auto"`` is this device, and products have this precision."""
        with backend.using(self.device), backend.product_precision(self.precision):
            yield


@dataclass(frozen=True)
class Origin:
    """Who asks for a computation.

    Attributes
    ----------
    session : hashable
        Those of one session wait for each other rather than for those of others.
    place : Place
    background : bool
        Whether it goes on beside the page; what a reader waits for goes first.
    check : callable
        Called while it waits; raises where it is not wanted any more.
    """

    session: Hashable = ""
    place: Place = Place()
    background: bool = False
    check: Callable[[], None] = lambda: None


@dataclass(eq=False)
class Ticket:
    """A computation on its way."""

    origin: Origin
    lane: Any
    work: Callable[[], Any] = lambda: None
    turn: threading.Event = field(default_factory=threading.Event)  # it may begin; on a GPU: it has ended
    cancelled: bool = False
    begun: float = 0.0
    latest: tuple[Any, str] | None = None
    # That of who asks: his warnings are heard where he listens, wherever it is computed.
    context: Context = field(default_factory=copy_context)
    result: Any = None
    error: BaseException | None = None


class Rounds:
    """Tickets in the order in which they are served."""

    def __init__(self) -> None:
        self._lines: tuple[OrderedDict, OrderedDict] = OrderedDict(), OrderedDict()  # in front, in the background
        self._front_served = 0

    def __len__(self) -> int:
        return sum(len(line) for lines in self._lines for line in lines.values())

    def put(self, ticket: Ticket) -> None:
        """Last of its session, whose place in the round is kept."""
        self._lines[ticket.origin.background].setdefault(ticket.origin.session, deque()).append(ticket)

    def take(self, front_only: bool = False) -> Ticket | None:
        """Whose turn it is; None where nobody waits."""
        front, background = self._lines
        lines = front
        if not front_only and background and (not front or self._front_served >= FRONT_TURNS):
            lines = background
        self._front_served = self._front_served + 1 if lines is front else 0
        if not lines:
            return None
        session, line = lines.popitem(last=False)
        ticket = line.popleft()
        if line:
            lines[session] = line  # at the end of the round
        return ticket

    def drop(self, ticket: Ticket) -> bool:
        """Take a ticket out; False where its turn had come."""
        lines, session = self._lines[ticket.origin.background], ticket.origin.session
        if ticket not in lines.get(session, ()):
            return False
        lines[session].remove(ticket)
        if not lines[session]:
            del lines[session]
        return True


# What the calling thread computes.
here = threading.local()


@contextmanager
def doing(ticket: Ticket) -> Iterator[None]:
    """While inside, the calling thread computes this."""
    before = getattr(here, "ticket", None)
    here.ticket = ticket
    try:
        yield
    finally:
        here.ticket = before


def current() -> Origin | None:
    """For whom the calling thread computes; None where it does so for nobody."""
    ticket = getattr(here, "ticket", None)
    return None if ticket is None else ticket.origin


def pause() -> None:
    """To be called at each report of a computation: ends it if nobody waits for it, or lets others pass.

    Raises
    ------
    Superseded
    """
    ticket = getattr(here, "ticket", None)
    if ticket is not None:
        if ticket.cancelled:
            raise Superseded
        ticket.lane.pause(ticket)
