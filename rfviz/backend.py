"""Where arrays live and how much fits: NumPy or CuPy, chosen at run time, imported only when asked for.

Everything above this module gets its array namespace from here (:func:`array_namespace` from an array, :class:`Device`
from a name), so that one body of code serves both. CuPy is imported the first time a GPU is looked for, never earlier.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from scipy import sparse

from rfviz.devices import (
    asked_for,
    block_share,
    forget_failures,
    give_up_gpus,
    is_device_failure,
    reason_given_up,
    smaller_blocks,
    using,
)
from rfviz.errors import MemoryBudgetError, ParameterError
from rfviz.precision import product_precision
from rfviz.streams import stream_blocks
from rfviz.threads import blas_info, map_ordered, single_threaded_blas, worker_count

__all__ = [
    "Device",
    "array_namespace",
    "available_devices",
    "blas_info",
    "block_share",
    "check_memory",
    "forget_failures",
    "get_device",
    "gigabytes",
    "give_up_gpus",
    "gpu_status",
    "is_device_failure",
    "is_out_of_memory",
    "map_ordered",
    "memory_budget",
    "product_precision",
    "reason_given_up",
    "single_threaded_blas",
    "smaller_blocks",
    "special_functions",
    "stream_blocks",
    "to_host",
    "using",
    "worker_count",
]

# Share of the memory that is free now which one computation may plan with.
_CPU_SHARE, _GPU_SHARE = 0.6, 0.8
_CGROUP, _MEMINFO = "/sys/fs/cgroup", "/proc/meminfo"


@dataclass(frozen=True)
class Device:
    """A place to compute.

    Attributes
    ----------
    name : str
        ``"cpu"``, ``"cuda:0"``, ``"cuda:1"``, …
    xp : module
        ``numpy`` or ``cupy``.
    index : int or None
        The GPU's number; None for the processor.
    """

    name: str
    xp: ModuleType
    index: int | None = None

    @property
    def is_gpu(self) -> bool:
        return self.index is not None

    @contextmanager
    def activate(self) -> Iterator[None]:
        """Make this the current device of the calling thread (a no-op on the CPU)."""
        if self.is_gpu:
            with self.xp.cuda.Device(self.index):
                yield
        else:
            yield

    def asarray(self, array: Any, dtype: Any = None) -> Any:
        """`array` (NumPy, or SciPy CSR) on this device, copied only where it has to be."""
        if sparse.issparse(array):
            array = array if dtype is None else array.astype(dtype, copy=False)
            if self.is_gpu:
                return importlib.import_module(self.xp.__name__ + "x.scipy.sparse").csr_matrix(array)
            return array
        return self.xp.asarray(array, dtype=dtype)

    def csr_matrix(self, parts: tuple[Any, Any, Any], shape: tuple[int, int]) -> Any:
        """The CSR matrix of data, indices and row ends that are on this device."""
        module = sparse if not self.is_gpu else importlib.import_module(self.xp.__name__ + "x.scipy.sparse")
        return module.csr_matrix(parts, shape=shape)

    def free_bytes(self) -> int:
        """Bytes that are free on the device now; on the CPU within the container's limit, if there is one."""
        if self.is_gpu:
            with self.activate():
                pool_free = self.xp.get_default_memory_pool().free_bytes()
                return int(self.xp.cuda.runtime.memGetInfo()[0]) + int(pool_free)
        return int(min(_free_memory(), _container_headroom()))

    def synchronize(self) -> None:
        """Wait until the device has done all it was asked to; a clock means nothing before (a no-op on the CPU)."""
        if self.is_gpu:
            with self.activate():
                self.xp.cuda.get_current_stream().synchronize()

    def release(self) -> None:
        """Give cached device memory back to the driver (after an out-of-memory error)."""
        if self.is_gpu:
            with self.activate():
                self.xp.get_default_memory_pool().free_all_blocks()

    def describe(self) -> str:
        """One line for a person: the GPU's name and memory, or the processor's BLAS and its threads."""
        if self.is_gpu:
            properties = self.xp.cuda.runtime.getDeviceProperties(self.index)
            name = properties["name"]
            name = name.decode() if isinstance(name, bytes) else name
            return f"{name}, {properties['totalGlobalMem'] / 2**30:.0f} GiB"
        info = blas_info()
        return f"CPU, {info['cores']} cores, {info['library']} ({info['architecture']}), {info['most_threads']} threads"


_CPU = Device("cpu", np)


def array_namespace(array: Any) -> ModuleType:
    """The module, ``numpy`` or ``cupy``, that `array` belongs to; CuPy is not imported to find out."""
    root = type(array).__module__.partition(".")[0]
    if root in ("cupy", "cupyx"):
        return sys.modules["cupy"]
    return np


def special_functions(xp: ModuleType) -> ModuleType:
    """Where ``erf``, ``ndtr`` and the like are for an array module: ``scipy.special`` or ``cupyx.scipy.special``."""
    return importlib.import_module("scipy.special" if xp is np else f"{xp.__name__}x.scipy.special")


def to_host(array: Any) -> Any:
    """`array` as a NumPy array (or SciPy matrix), copied from the device if it lives on one."""
    return array.get() if array_namespace(array) is not np else array


@functools.lru_cache(maxsize=1)
def _probe_gpus() -> tuple[tuple[Device, ...], str]:
    """The GPUs that work, and why there is none if so: a product and a draw tell more than a device count."""
    try:
        cupy = importlib.import_module("cupy")
    except Exception as error:
        missing = isinstance(error, ModuleNotFoundError)
        return (), "CuPy is not installed" if missing else f"CuPy could not be loaded ({error})"
    found = []
    reason = "CuPy found no CUDA device"
    try:
        count = int(cupy.cuda.runtime.getDeviceCount())
    except Exception:  # CuPy raises its own CUDARuntimeError, or a RuntimeError where the driver is missing
        return (), reason
    for index in range(count):
        device = Device(f"cuda:{index}", cupy, index)
        try:
            with device.activate():
                ones = cupy.ones((8, 8), dtype=cupy.float32)
                if float((ones @ ones).sum()) == 512.0:
                    found.append(device)
        except Exception as error:  # broken libraries fail in many ways; each means: not this GPU
            reason = f"GPU {index} does not compute ({type(error).__name__}: {error})"
    return tuple(found), reason


def available_devices() -> tuple[Device, ...]:
    """Every device that works, GPUs first, the CPU always last."""
    return (*(() if reason_given_up() else _probe_gpus()[0]), _CPU)


def gpu_status() -> str:
    """Why no GPU is used, in a few words, or an empty string where one is."""
    if reason_given_up():
        return reason_given_up()
    devices, reason = _probe_gpus()
    return "" if devices else reason


def get_device(name: str | Device = "auto") -> Device:
    """The device called `name`.

    Parameters
    ----------
    name : {"auto", "cpu", "cuda", "cuda:<index>"} or Device
        ``"auto"`` takes what :func:`using` or the environment variable ``RFVIZ_DEVICE`` names, else the first GPU that
        works, else the CPU.

    Raises
    ------
    ParameterError
        Where there is no such device.
    """
    if isinstance(name, Device):
        return name
    wanted = (asked_for() or "auto") if name == "auto" else name
    if wanted == "cpu":
        return _CPU  # without a look for GPUs, which would import CuPy
    devices = available_devices()
    # A GPU that failed while the process runs is asked for in vain, but nobody has made a mistake.
    if wanted == "auto" or (name == "auto" and reason_given_up()):
        return devices[0]
    for device in devices:
        if wanted == device.name or (wanted == "cuda" and device.is_gpu):
            return device
    known = ", ".join(repr(d.name) for d in devices)
    reason = gpu_status()
    remedy = f"Available: 'auto', {known}" + (f" ({reason})." if reason else ".")
    said = "device" if wanted == name else "RFVIZ_DEVICE"
    raise ParameterError(said, "must name a device that works", wanted, remedy)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether `error` says that an allocation failed, on the host or on a GPU."""
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"


def _free_memory() -> float:
    """Bytes of the machine's memory that are free now; Linux itself says so where psutil is not installed."""
    try:
        return float(importlib.import_module("psutil").virtual_memory().available)
    except ImportError:
        with open(_MEMINFO) as lines:
            return next(1024.0 * float(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))


def _container_headroom() -> float:
    """What a control group leaves free, where the process runs in one with a limit (psutil sees the whole machine)."""
    try:
        with open(f"{_CGROUP}/memory.max") as limit, open(f"{_CGROUP}/memory.current") as used:
            headroom = float(limit.read()) - float(used.read())
        with open(f"{_CGROUP}/memory.stat") as lines:
            # Files that are merely cached count as used, but the kernel drops them when memory is asked for.
            return headroom + sum(float(line.split()[1]) for line in lines if line.startswith("inactive_file "))
    except (OSError, ValueError):  # no control groups, or the word "max"
        return float("inf")


def memory_budget(device: str | Device = "cpu") -> int:
    """Bytes that one computation may plan to use on `device`.

    A share of what is free now, or the environment variable ``RFVIZ_MEMORY_GB`` if it is smaller.
    """
    device = get_device(device)
    budget = device.free_bytes() * (_GPU_SHARE if device.is_gpu else _CPU_SHARE)
    with suppress(KeyError, ValueError):
        limit = float(os.environ["RFVIZ_MEMORY_GB"]) * 1e9
        if limit >= 0:  # neither negative nor NaN
            budget = min(budget, limit)
    return int(budget)


def check_memory(needed: int, device: str | Device, what: str, remedy: str) -> None:
    """Refuse a computation that would not fit, before it starts: `what` needs so many bytes on `device`.

    Raises
    ------
    MemoryBudgetError
        ``"<what> needs 12.3 GB; the budget on cpu is 8.1 GB. <remedy>"``
    """
    device = get_device(device)
    budget = memory_budget(device)
    if needed > budget:
        raise MemoryBudgetError(
            f"{what} needs {gigabytes(needed)}; the budget on {device.name} is {gigabytes(budget)}. {remedy}"
        )


def gigabytes(n_bytes: float) -> str:
    """`n_bytes` for a person: ``"0.25 GB"``, ``"40,000 GB"``."""
    size = n_bytes / 1e9
    return f"{size:,.0f} GB" if size >= 1000 else f"{size:.3g} GB"
