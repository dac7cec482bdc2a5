"""The devices that arrays live on, NumPy or CuPy, chosen at run time.

Everything above this package gets its array namespace from here (:func:`array_namespace` from an array, :class:`Device`
from a name), so that one body of code serves both. CuPy is imported the first time a GPU is looked for, never earlier.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from scipy import sparse

from rfviz.backend.threads import blas_info
from rfviz.errors import ParameterError, warn

__all__ = [
    "Device",
    "array_namespace",
    "available_devices",
    "device_of",
    "get_device",
    "give_up_gpus",
    "gpu_status",
    "is_device_failure",
    "is_device_lost",
    "look_for_gpus_again",
    "reason_given_up",
    "special_functions",
    "to_host",
    "using",
]

_CGROUP, _MEMINFO = "/sys/fs/cgroup", "/proc/meminfo"
# Files with the limit of a control group, its memory in use and its statistics, and the entry of the statistics for
# cached files; of version 2, and of 1.
_GROUP_FILES = (
    ("memory.max", "memory.current", "memory.stat", b"inactive_file "),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat", b"total_inactive_file "),
)
# Without a limit version 1 gives a number larger than any memory, a little under 2^63.
_NO_LIMIT = 2.0**60
# Packages that define CuPy's own errors.
_CUPY = ("cupy", "cupyx", "cupy_backends")
# Errors of the driver after which this process cannot use the GPU any more.
_STICKY = (
    "illegaladdress", "illegalinstruction", "misalignedaddress", "launchfailure", "launchfailed", "launchtimeout",
    "hardwarestackerror", "eccuncorrectable", "nvlinkuncorrectable", "devicesunavailable", "deviceunavailable",
    "deinitialized", "contextisdestroyed", "cudaerrorassert", "cudaerrorunknown", "cudaerrornodevice",
    "cudaerrorinitialization", "cudaerrordeviceuninitialized",
)  # fmt: skip
_LIBRARIES = ("scipy.sparse", "scipy.linalg", "scipy.special")
_asked: ContextVar[str | None] = ContextVar("rfviz_device", default=None)
_lock = threading.Lock()
_given_up: list[str] = []


@dataclass(frozen=True)
class Device:
    """A processor or a GPU to compute on.

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
    def activate(self) -> Generator[None, None, None]:
        """Make this the current device of the calling thread (a no-op on the CPU)."""
        if self.is_gpu:
            with self.xp.cuda.Device(self.index):
                yield
        else:
            yield

    def asarray(self, array: Any, dtype: Any = None) -> Any:
        """Return `array` (NumPy, or SciPy CSR) on this device, copied only where it has to be."""
        if sparse.issparse(array):
            array = array if dtype is None else array.astype(dtype, copy=False)
            if self.is_gpu:
                return importlib.import_module(self.xp.__name__ + "x.scipy.sparse").csr_matrix(array)
            return array
        return self.xp.asarray(array, dtype=dtype)

    def csr_matrix(self, parts: tuple[Any, Any, Any], shape: tuple[int, int]) -> Any:
        """Return the CSR matrix of data, indices and row ends that are on this device."""
        module = sparse if not self.is_gpu else importlib.import_module(self.xp.__name__ + "x.scipy.sparse")
        return module.csr_matrix(parts, shape=shape)

    def free_bytes(self) -> int:
        """Return the bytes that are free on the device now; on the CPU within the container's limit, if any."""
        if self.is_gpu:
            with self.activate():
                pool_free = self.xp.get_default_memory_pool().free_bytes()
                return int(self.xp.cuda.runtime.memGetInfo()[0]) + int(pool_free)
        return int(min(_free_memory(), _container_headroom()))

    def synchronize(self) -> None:
        """Wait until the device has finished all queued work, before a clock is read (a no-op on the CPU)."""
        if self.is_gpu:
            with self.activate():
                self.xp.cuda.get_current_stream().synchronize()

    def release(self) -> None:
        """Give cached device memory back to the driver (after an out-of-memory error)."""
        if self.is_gpu:
            with self.activate():
                self.xp.get_default_memory_pool().free_all_blocks()
                self.xp.get_default_pinned_memory_pool().free_all_blocks()

    def describe(self) -> str:
        """Return one line of text: the GPU's name and memory, or the processor's BLAS and its threads."""
        if self.is_gpu:
            properties = self.xp.cuda.runtime.getDeviceProperties(self.index)
            name = properties["name"]
            name = name.decode() if isinstance(name, bytes) else name
            return f"{name}, {properties['totalGlobalMem'] / 2**30:.0f} GiB"
        blas = blas_info()
        kernels = f"{blas['library']} ({blas['architecture']})"
        return f"CPU, cores: {blas['cores']}, {kernels}, threads: {blas['most_threads']}"


_CPU = Device("cpu", np)


def array_namespace(array: Any) -> ModuleType:
    """Return the module, ``numpy`` or ``cupy``, that `array` belongs to, without importing CuPy."""
    root = type(array).__module__.partition(".")[0]
    if root in ("cupy", "cupyx"):
        return sys.modules["cupy"]
    return np


@contextmanager
def device_of(array: Any) -> Generator[None, None, None]:
    """Make the device of `array` the current one of this thread: kernels run on the current device alone."""
    if array_namespace(array) is np:
        yield
    else:
        with array.device:
            yield


def special_functions(xp: ModuleType) -> ModuleType:
    """Return the module of ``erf``, ``ndtr`` and the like for an array module: ``scipy.special`` or CuPy's."""
    return importlib.import_module("scipy.special" if xp is np else f"{xp.__name__}x.scipy.special")


def to_host(array: Any) -> Any:
    """Return `array` as a NumPy array (or SciPy matrix), copied from the device if it lives on one."""
    return array.get() if array_namespace(array) is not np else array


def _free_memory() -> float:
    """Return the free bytes of the machine's memory, from Linux's own file, which is quick to read, or from psutil."""
    try:
        return 1024.0 * _number(_contents(_MEMINFO), b"MemAvailable:")
    except (OSError, ValueError):  # not Linux, or a kernel that leaves this entry out
        return float(importlib.import_module("psutil").virtual_memory().available)


def _container_headroom() -> float:
    """Return the bytes that the process's control group leaves free, infinite without a limit; psutil ignores these."""
    for limit_file, used_file, stat_file, cached in _GROUP_FILES:
        try:
            limit = float(_contents(f"{_CGROUP}/{limit_file}"))
            if limit >= _NO_LIMIT:
                continue
            headroom = limit - float(_contents(f"{_CGROUP}/{used_file}"))
            # Files that are merely cached count as used, but the kernel drops them when memory is asked for.
            stat = _contents(f"{_CGROUP}/{stat_file}")
            return headroom + (_number(stat, cached) if cached in stat else 0.0)
        except (OSError, ValueError):  # no control groups of this version, or the word "max"
            continue
    return float("inf")


def _contents(path: str) -> bytes:
    """Read a small file with little overhead: every fit of a map asks for the free memory several times."""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 65536)
    finally:
        os.close(file)


def _number(contents: bytes, name: bytes) -> float:
    """Return the number after `name` at the start of a line; raise ValueError if no line starts with it."""
    start = (b"\n" + contents).index(b"\n" + name) + len(name)
    return float(contents[start:].split(maxsplit=1)[0])


@functools.lru_cache(maxsize=1)
def _probe_gpus() -> tuple[tuple[Device, ...], str]:
    """Return the GPUs that compute a product and a factor correctly, and, if there are none, the reason."""
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
                for name in _LIBRARIES:  # those of them that are missing fail here, not in the middle of a computation
                    importlib.import_module(f"cupyx.{name}")
                if float((ones @ ones).sum()) == 512.0 and float(cupy.linalg.cholesky(cupy.eye(2)).sum()) == 2.0:
                    found.append(device)
        except Exception as error:  # broken libraries fail in many ways; each means: not this GPU
            reason = f"GPU {index} does not compute ({type(error).__name__}: {error})"
    for name in ("CUPY_TF32", "NVIDIA_TF32_OVERRIDE"):
        if found and os.environ.get(name, "0") == "1":
            warn(
                f"The environment variable {name}=1 makes all float32 products on a GPU TF32, those that need their "
                "digits too. Remove it; rfviz.backend.product_precision asks for TF32 where it does no harm.",
                RuntimeWarning,
            )
    return tuple(found), reason


def is_device_failure(error: BaseException) -> bool:
    """Return whether `error` comes from the GPU or its driver rather than from the computation itself.

    Errors of CuPy that NumPy would raise too (a shape, a type) are Python's own and do not count; a full memory does.
    """
    kind = type(error)
    if isinstance(error, ImportError):  # of a library that CuPy loads when it is first needed
        return (error.name or str(error)).lower().startswith(_CUPY)
    return kind.__module__.partition(".")[0] in _CUPY and not issubclass(kind, (ValueError, TypeError, ArithmeticError))


def is_device_lost(error: BaseException) -> bool:
    """Return whether `error` leaves nothing to rely on: after an illegal access every later call fails too.

    Any other failure of the GPU (a kernel that cannot be compiled, a status of a library) is that of one computation.
    """
    return is_device_failure(error) and any(word in str(error).lower().replace("_", "") for word in _STICKY)


def give_up_gpus(reason: str) -> None:
    """Stop using GPUs in this process: after a failure of the driver nothing that it holds can be trusted."""
    with _lock:
        if not _given_up:
            _given_up.append(reason)


def reason_given_up() -> str:
    """Return the reason given to :func:`give_up_gpus`, or ``""`` if it was not called."""
    return _given_up[0] if _given_up else ""


def look_for_gpus_again() -> None:
    """Forget which GPUs work and which were given up: the next call that asks for devices tests them again."""
    with _lock:
        _given_up.clear()
    _probe_gpus.cache_clear()


def available_devices() -> tuple[Device, ...]:
    """Return every device that works, GPUs first, the CPU always last."""
    return (*(() if reason_given_up() else _probe_gpus()[0]), _CPU)


def gpu_status() -> str:
    """Return the reason why no GPU is used, in a few words, or ``""`` if one is."""
    if reason_given_up():
        return reason_given_up()
    devices, reason = _probe_gpus()
    return "" if devices else reason


@contextmanager
def using(name: str) -> Generator[None, None, None]:
    """Set what ``"auto"`` stands for in this thread to the device called `name`, until the context ends.

    It applies to maps that were made before as well: they ask when they compute.
    """
    token = _asked.set(name)
    try:
        yield
    finally:
        _asked.reset(token)


def _asked_for() -> str | None:
    """Return the device that ``"auto"`` stands for: that of :func:`using`, else of the variable RFVIZ_DEVICE."""
    return _asked.get() or os.environ.get("RFVIZ_DEVICE", "").strip() or None


def get_device(name: str | Device = "auto") -> Device:
    """Return the device called `name`.

    Parameters
    ----------
    name : str or Device
        ``"auto"``, ``"cpu"``, ``"cuda"`` or one GPU, ``"cuda:1"``. ``"auto"`` takes the device that :func:`using` or
        the environment variable ``RFVIZ_DEVICE`` names, else the first GPU that works, else the CPU.

    Raises
    ------
    ParameterError
        If there is no such device.
    """
    if isinstance(name, Device):
        return name
    wanted = (_asked_for() or "auto") if name == "auto" else name
    if wanted == "cpu":
        return _CPU  # without a look for GPUs, which would import CuPy
    devices = available_devices()
    # Asking for a GPU that has failed since the process began is not a mistake of the caller.
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
