"""Who computes next: computations take turns, session by session, and one thread owns each GPU.

On the processor a computation runs in the thread that asks for it, as soon as one of a few places is free: handing it
to another thread would cost more than a small one takes. On a GPU all of them pass through one thread, since CuPy's
handles and their workspaces belong to a thread, and a reader's every move would otherwise make them anew.

Sessions are served in rounds, one computation each. What a reader waits for goes before work in the background, which
gets every fifth turn all the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from rfviz import backend
from rfviz.worker.owner import Owner
from rfviz.worker.processor import Processor
from rfviz.worker.turns import Origin, Place, Report, Superseded, Ticket, current, here, pause

__all__ = ["Origin", "Place", "Superseded", "close", "current", "pause", "queue_state", "run"]

R = TypeVar("R")

_lanes: dict[tuple[backend.Device, bool], Processor | Owner] = {}
_lock = threading.Lock()


def run(work: Callable[[Report], R], origin: Origin, draw: Report = lambda share, words: None) -> R:
    """``work(report)``, when its turn has come.

    Parameters
    ----------
    work : callable
        Runs on the origin's device. It may call this again, which then computes at once. Each report is a moment at
        which it ends if nobody waits for it any more, or lets others pass.
    origin : Origin
    draw : callable
        Called with the reports, by the thread that calls this; what it raises ends the work.

    Returns
    -------
    object
        What `work` returns.

    Raises
    ------
    DeviceError
        Where the GPU or its driver failed; nothing is computed on a GPU after that.
    """
    if getattr(here, "ticket", None) is not None:
        return work(lambda share, words: pause())
    device = backend.get_device("cpu" if backend.reason_given_up() else origin.place.device)
    lane = _lane(device, origin.background)
    return lane.run(Ticket(origin, lane), work, draw)


def queue_state(device: str) -> tuple[int, int]:
    """How many computations run on a device, and how many wait."""
    with _lock:
        lanes = [lane for (used, _), lane in _lanes.items() if used.name == device]
    states = [lane.state() for lane in lanes]
    return sum(running for running, _ in states), sum(waiting for _, waiting in states)


def close() -> None:
    """Let the threads of GPUs end, and give their memory back."""
    with _lock:
        lanes = list(_lanes.values())
        _lanes.clear()
    for lane in lanes:
        if isinstance(lane, Owner):
            lane.close()


def _lane(device: backend.Device, background: bool) -> Processor | Owner:
    # On the processor the two kinds do not wait for each other: the operating system shares the cores between them.
    key = (device, background and not device.is_gpu)
    with _lock:
        if key not in _lanes:
            cores = backend.worker_count()
            _lanes[key] = Owner(device) if device.is_gpu else Processor(cores if background else 32 * cores)
        return _lanes[key]
