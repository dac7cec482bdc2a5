"""What a device does at best: products, copies, and the time of anything on its own clock."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rfviz.backend import Device, matmul, product_precision
from rfviz.features.cost import Work

__all__ = ["Rates", "about", "measure", "turn_by_turn"]

_HALVES = ("float16", "bfloat16")


@dataclass(frozen=True)
class Rates:
    """Operations a second of square matrix products, and bytes a second; None for what the device does not have.

    Attributes
    ----------
    float32, float64, tf32, float16, bfloat16 : float or None
        Of products; float16 and bfloat16 on a GPU only, summed in float32.
    copy : float
        Bytes read and written within the device's memory.
    upload, download : float or None
        Bytes between pinned memory of the host and the device.
    """

    float32: float
    float64: float
    tf32: float | None
    float16: float | None
    bfloat16: float | None
    copy: float
    upload: float | None
    download: float | None

    def limit(self, work: Work, precision: str = "float32") -> float:
        """Return the least seconds of `work`; its products in this precision, the rest as the features are stored."""
        own = self.float64 if work.double else self.float32
        if precision == "tf32" and not work.double and self.tf32:
            return work.limit(self.tf32, self.copy, other_rate=own)
        return work.limit(own, self.copy)

    def table(self) -> list[dict[str, Any]]:
        """Return one row a rate, in TFLOP/s and GB/s."""
        rows = []
        for name, rate in asdict(self).items():
            of_bytes = name in ("copy", "upload", "download")
            value = None if rate is None else rate / (1e9 if of_bytes else 1e12)
            rows.append({"rate": name, "value": value, "unit": "GB/s" if of_bytes else "TFLOP/s"})
        return rows


def turn_by_turn(device: Device, functions: dict[str, Callable[[], Any]], turns: int) -> dict[str, list[float]]:
    """Time each of the functions in rotation, after one call to warm up; on a GPU by its own clock."""
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    for turn in range(turns + 1):
        for name, function in functions.items():
            taken = _on_gpu(device, function) if device.is_gpu else _on_host(function)
            if turn:
                seconds[name].append(taken)
    return seconds


def _on_host(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def _on_gpu(device: Device, function: Callable[[], Any]) -> float:
    cuda = device.xp.cuda
    with device.activate():
        start, stop = cuda.Event(), cuda.Event()
        start.record()
        function()
        stop.record()
        stop.synchronize()
        return cuda.get_elapsed_time(start, stop) / 1e3


def measure(device: Device, size: int = 8192, n_bytes: int = 1_000_000_000, turns: int = 5) -> Rates:
    """Measure the rates of a device, each the best of several rounds.

    Parameters
    ----------
    device : Device
    size : int
        Rows and columns of the matrices.
    n_bytes : int
        Of the arrays that are copied: many times what any cache holds.
    turns : int
    """
    with device.activate():
        products = {name: _product_rate(device, name, size, turns) for name in ("float32", "float64")}
        for name in ("tf32", *_HALVES):
            products[name] = _product_rate(device, name, size, turns) if device.is_gpu else None
        copy = _copy_rate(device, n_bytes, turns)
        upload, download = _bus_rates(device, n_bytes // 4, turns) if device.is_gpu else (None, None)
    device.release()
    return Rates(**products, copy=copy, upload=upload, download=download)


def _product_rate(device: Device, precision: str, size: int, turns: int) -> float | None:
    """Return operations a second of a square product; None where the library has no such numbers."""
    xp = device.xp
    try:
        dtype = importlib.import_module("ml_dtypes").bfloat16 if precision == "bfloat16" else precision
        dtype = "float32" if precision == "tf32" else dtype
        a = xp.asarray(np.random.default_rng(0).standard_normal((size, size), dtype=np.float32)).astype(dtype)
        out = xp.empty_like(a)
        with product_precision("tf32" if precision == "tf32" else "float32"):
            seconds = turn_by_turn(device, {"product": lambda: matmul(xp, a, a, out=out)}, turns)["product"]
    except (ImportError, TypeError, ValueError):
        if precision in _HALVES:
            return None
        raise
    return 2.0 * size**3 / min(seconds)


def _copy_rate(device: Device, n_bytes: int, turns: int) -> float:
    a = device.xp.ones(n_bytes // 4, dtype=np.float32)
    b = device.xp.empty_like(a)

    def copy() -> None:
        b[...] = a

    return 2.0 * a.nbytes / min(turn_by_turn(device, {"copy": copy}, turns)["copy"])


def _bus_rates(device: Device, n_bytes: int, turns: int) -> tuple[float, float]:
    """Measure the rates to the device and from it, of memory that the host has pinned."""
    pinned = importlib.import_module(f"{device.xp.__name__}x").empty_pinned(n_bytes // 4, np.float32)
    pinned[...] = 1.0
    there = device.xp.empty(n_bytes // 4, dtype=np.float32)
    functions = {
        "up": lambda: there.set(pinned, stream=device.xp.cuda.get_current_stream()),
        "down": lambda: there.get(out=pinned, blocking=False),
    }
    seconds = turn_by_turn(device, functions, turns)
    return pinned.nbytes / min(seconds["up"]), pinned.nbytes / min(seconds["down"])


def about(device: Device) -> dict[str, Any]:
    """Return the device and its software, in words and versions."""
    if not device.is_gpu:
        return {"device": "cpu", "described": device.describe()}
    runtime, index = device.xp.cuda.runtime, device.index
    driver = Path("/proc/driver/nvidia/version")
    with device.activate():
        cache = int(runtime.deviceGetAttribute(38, index))
    return {
        "device": device.describe(),
        "l2_cache_bytes": cache,
        "cupy": device.xp.__version__,
        "cuda_runtime": runtime.runtimeGetVersion(),
        "cuda_driver": runtime.driverGetVersion(),
        "kernel_module": driver.read_text().split("\n")[0] if driver.exists() else "",
    }
