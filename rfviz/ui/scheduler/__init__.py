"""The scheduler: computations of all sessions take turns on the devices.

On the CPU a job runs in the thread that asks for it, as soon as a slot is free. On a GPU all jobs run in one thread.
Sessions are served in rounds, one job each: a class of twenty needs that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from rfviz import backend
from rfviz.progress import Progress
from rfviz.ui.scheduler.cpu_pool import CpuPool
from rfviz.ui.scheduler.requests import (
    Job,
    NotOnGpu,
    Request,
    Superseded,
    Target,
    checkpoint,
    current_job,
    current_request,
)

if TYPE_CHECKING:
    from rfviz.ui.scheduler.gpu_worker import GpuWorker

__all__ = ["Request", "Superseded", "Target", "checkpoint", "close", "current_request", "queue_state", "run"]

R = TypeVar("R")

_lanes: dict[tuple[backend.Device, bool], CpuPool | GpuWorker] = {}
_lock = threading.Lock()


def run(work: Callable[[Progress], R], request: Request, draw: Progress = lambda share, text: None) -> R:
    """Return ``work(report)``, computed when its turn has come.

    Parameters
    ----------
    work : callable
        Runs on the request's device. It may call this again, which then computes at once. Each report is a moment at
        which it ends if no request waits for it any more, or lets others pass.
    draw : callable
        Called with the reports by the thread that calls this; what it raises ends the work.

    Raises
    ------
    DeviceError
        Where the GPU or its driver failed; nothing is computed on a GPU after that.
    """
    if current_job() is not None:
        return work(lambda share, text: checkpoint())
    device = backend.get_device("cpu" if backend.reason_given_up() else request.target.device)
    try:
        lane = _lane(device, request.background)
        return lane.run(Job(request, lane), work, draw)
    except NotOnGpu:
        request = replace(request, target=replace(request.target, device="cpu"))
    lane = _lane(backend.get_device("cpu"), request.background)
    return lane.run(Job(request, lane), work, draw)


def queue_state(device: str) -> tuple[int, int]:
    """Return how many jobs run on a device, and how many wait."""
    with _lock:
        lanes = [lane for (used, _), lane in _lanes.items() if used.name == device]
    states = [lane.state() for lane in lanes]
    return sum(n_running for n_running, _ in states), sum(n_waiting for _, n_waiting in states)


def close() -> None:
    """Let the threads of GPUs end, and release their memory."""
    with _lock:
        lanes = list(_lanes.values())
        _lanes.clear()
    for lane in lanes:
        lane.close()


def _lane(device: backend.Device, background: bool) -> CpuPool | GpuWorker:
    # On the CPU foreground and background do not wait for each other: the operating system shares the cores.
    key = (device, background and not device.is_gpu)
    with _lock:
        if key not in _lanes:
            if device.is_gpu:
                from rfviz.ui.scheduler.gpu_worker import GpuWorker

                _lanes[key] = GpuWorker(device)
            else:
                _lanes[key] = CpuPool(backend.core_count() * (1 if background else 32))
        return _lanes[key]
