"""The best that a device can do: rates of matrix products and of copies, measured in a third of a second."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz.backend.devices import Device, get_device
from rfviz.backend.memory import memory_budget
from rfviz.backend.precision import matmul, product_precision
from rfviz.backend.threads import map_ordered, worker_count

__all__ = ["Rates", "Stopwatch", "get_rates", "known_rates", "measure_rates", "remember_rates", "seconds_of"]

# Rows of the square matrices: products of this size run at full speed on a processor; on a GPU they are doubled until
# one takes long enough to be timed.
_SIDES, _GPU_SIDES = {"float32": 1024, "float64": 768}, (2048, 4096, 8192)
_LONG_ENOUGH_S = 0.005
_TILE = 256
# Bytes that are copied at once: far more than caches hold.
_COPIED, _GPU_COPIED = 64_000_000, 1_000_000_000
# Repetitions of each measurement, the best of which counts: other processes can only slow it down.
_TURNS = 4


@dataclass(frozen=True)
class Rates:
    """Limits of a device.

    Attributes
    ----------
    products, double_products : float
        Floating-point operations a second of matrix products in float32 and float64.
    tf32_products : float or None
        The same in TF32, on a GPU where that can be asked for.
    bandwidth : float
        Bytes a second, read and written, of copies in the device's own memory.
    """

    device: str
    products: float
    double_products: float
    tf32_products: float | None
    bandwidth: float

    def limit(self, work: Any, precision: str = "float32") -> float:
        """Return the least time, in seconds, of some work (:class:`rfviz.features.cost.Work`) on this device."""
        if work.double:
            return work.limit(self.double_products, self.bandwidth)
        if precision == "tf32" and self.tf32_products:
            return work.limit(self.tf32_products, self.bandwidth, self.products)
        return work.limit(self.products, self.bandwidth)

    def best(self, other: Rates) -> Rates:
        """Return the better of both, rate by rate."""
        tf32 = max(self.tf32_products or 0.0, other.tf32_products or 0.0) or None
        return Rates(
            self.device,
            max(self.products, other.products),
            max(self.double_products, other.double_products),
            tf32,
            max(self.bandwidth, other.bandwidth),
        )


_known: dict[Device, Rates] = {}
_lock = threading.Lock()


def known_rates(device: str | Device = "auto") -> Rates | None:
    """Return the rates of a device, if they have been measured in this process."""
    return _known.get(get_device(device))


def get_rates(device: str | Device = "auto") -> Rates:
    """Return the rates of a device, measured the first time they are asked for."""
    return known_rates(device) or measure_rates(device)


class Stopwatch:
    """Time products and copies in rounds; each rate is that of its best round.

    Whatever else runs can only slow a round down, so the best of several is the device's own.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        with device.activate():
            self._tasks = {"float32": _product(device, "float32"), "float64": _product(device, "float64")}
            if device.is_gpu:
                self._tasks["tf32"] = _product(device, "float32", "tf32")
            self._tasks["copies"] = _copy(device)
        self._best = dict.fromkeys(self._tasks, math.inf)

    def turn(self, report: Callable[[str], None] = lambda what: None) -> None:
        """Time every operation once more; `report` is called with the name of each before it starts, and may raise."""
        with self.device.activate():
            for name, task in self._tasks.items():
                report(name)
                self._best[name] = min(self._best[name], task())

    def rates(self) -> Rates:
        """Return the best rates so far."""
        rate = {name: 1.0 / seconds for name, seconds in self._best.items()}
        return Rates(self.device.name, rate["float32"], rate["float64"], rate.get("tf32"), rate["copies"])


def measure_rates(device: str | Device = "auto", report: Callable[[float, str], None] | None = None) -> Rates:
    """Measure the rates of a device, and cache them.

    Parameters
    ----------
    report : callable, optional
        Called before each operation with the share that is done and the operation's name; it may raise.
    """
    device = get_device(device)
    watch = Stopwatch(device)
    for number in range(_TURNS):
        watch.turn(lambda what, number=number: report and report(number / _TURNS, f"measuring {what}"))
    found = watch.rates()
    remember_rates(device, found)
    return found


def remember_rates(device: Device, found: Rates) -> None:
    """Cache these rates for a device, unless better ones are cached."""
    with _lock:
        before = _known.get(device)
        _known[device] = found if before is None else before.best(found)


def _product(device: Device, dtype: str, precision: str = "float32") -> Callable[[], float]:
    """Return a function that computes a matrix product and returns its seconds per operation."""
    for side in _GPU_SIDES if device.is_gpu else (_SIDES[dtype],):
        # Made on the device: hundreds of megabytes from the host would take seconds, and stay in pinned memory.
        tile = device.asarray(np.random.default_rng(0).random((_TILE, _TILE)).astype(dtype))
        a = device.xp.tile(tile, (-(-side // _TILE), -(-side // _TILE)))[:side, :side].copy()
        b, out = a.copy(), device.xp.empty((side, side), dtype=dtype)

        def task(a: Any = a, b: Any = b, out: Any = out, side: int = side) -> float:
            with product_precision(precision):
                return seconds_of(device, lambda: matmul(device.xp, a, b, out=out)) / (2.0 * side**3)

        if not device.is_gpu:
            return task
        task()  # loads the library
        if task() * 2.0 * side**3 >= _LONG_ENOUGH_S:
            return task
    return task  # pyright: ignore[reportPossiblyUnboundVariable] - there is at least one side


def _copy(device: Device) -> Callable[[], float]:
    """Return a function that copies an array and returns its seconds per byte, read or written."""
    most = _GPU_COPIED if device.is_gpu else _COPIED
    size = max(min(most, memory_budget(device) // 8) // 8, 1)
    source, target = device.xp.zeros(size), device.xp.empty(size)
    target[...] = source  # now the memory is there
    pieces = 1 if device.is_gpu else worker_count()
    edges = np.linspace(0, size, pieces + 1).astype(int)

    def piece(number: int) -> None:
        part = slice(int(edges[number]), int(edges[number + 1]))
        target[part] = source[part]

    def everything() -> None:
        for _ in map_ordered(piece, range(pieces), pieces):
            pass

    return lambda: seconds_of(device, everything) / (16.0 * size)


def seconds_of(device: Device, function: Callable[[], None]) -> float:
    """Return the seconds of a call; on a GPU by its own clock."""
    if not device.is_gpu:
        started = time.perf_counter()
        function()
        return max(time.perf_counter() - started, 1e-9)
    start, stop = (device.xp.cuda.Event() for _ in range(2))
    start.record()
    function()
    stop.record()
    stop.synchronize()
    return max(device.xp.cuda.get_elapsed_time(start, stop) / 1e3, 1e-9)
