"""The fake GPU's CUDA: kernels compiled for the processor, streams that copy as late as they may, cuBLAS's switch.

A kernel is the very source that a GPU would get, put between a few definitions that make it C++ and a function that
calls it once for every thread of the grid, one after the other. The last one of a block comes first, so that what lanes
with higher numbers hand down is known. What CUDA would take without a word is refused here: an array of another type
than the kernel's, a Python float for a float, a grid of no blocks, a sum over lanes some of which are elsewhere.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

__all__ = ["HOST_COMPILER", "ComputeTypes", "Event", "RawModule", "Stream", "reset"]

HOST_COMPILER = shutil.which("g++")
_SHIM = """
#include <cmath>
#include <cstring>
#include <vector>
using namespace std;
struct place { unsigned x, y, z; };
static place blockIdx, threadIdx, blockDim, gridDim;
#define __global__
#define __device__ static
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline long long __double_as_longlong(double a) { long long bits; memcpy(&bits, &a, 8); return bits; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static vector<double> handed[32];
static bool torn;
static inline unsigned lane() { return (threadIdx.y * blockDim.x + threadIdx.x) % 32; }
template <typename T> static T __shfl_down_sync(unsigned, T value, unsigned delta)
{
    const unsigned from = lane() + delta, turn = handed[lane()].size();
    handed[lane()].push_back(value);
    if (from > 31) return value;
    if (turn < handed[from].size()) return (T)handed[from][turn];
    torn = true;
    return (T)NAN;
}
"""
_LAUNCHER = """
extern "C" int launch_{name}(unsigned gx, unsigned gy, unsigned bx, unsigned by, {params})
{{
    gridDim = {{gx, gy, 1}}; blockDim = {{bx, by, 1}}; torn = false;
    for (unsigned J = 0; J < gy; ++J) for (unsigned I = 0; I < gx; ++I)
        for (unsigned j = by; j-- > 0;) for (unsigned i = bx; i-- > 0;) {{
            blockIdx = {{I, J, 0}}; threadIdx = {{i, j, 0}};
            handed[lane()].clear();
            {name}({names});
            torn |= handed[lane()].size() != handed[31].size();
        }}
    return torn;
}}
"""
_KERNEL = re.compile(r'extern "C" __global__ void (\w+)\(([^)]*)\)')
_TYPES = {
    "float": (ctypes.c_float, np.float32), "double": (ctypes.c_double, np.float64),
    "int": (ctypes.c_int, np.int32), "long long": (ctypes.c_longlong, np.int64),
}  # fmt: skip


def _parameters(text: str, real: str) -> list[tuple[str, bool, str]]:
    """Return (type, whether a pointer, name) of each parameter."""
    found = []
    for parameter in text.replace("\n", " ").split(","):
        kind, name = re.fullmatch(r"\s*(?:const )?(.*?)\s*(\w+)\s*", parameter).groups()
        pointer = kind.endswith("*")
        found.append((kind.rstrip("* ").replace("REAL", real), pointer, name))
    return found


class RawModule:
    """``cupy.RawModule`` from source, on the processor."""

    def __init__(self, code: str, options: tuple[str, ...] = ()) -> None:
        if HOST_COMPILER is None:
            raise RuntimeError("there is no g++ to compile the kernel with")
        assert isinstance(options, tuple)
        self._real = next(o for o in options if o.startswith("-DREAL=")).removeprefix("-DREAL=")
        self._kernels = {name: _parameters(text, self._real) for name, text in _KERNEL.findall(code)}
        launchers = [
            _LAUNCHER.format(
                name=name,
                params=", ".join(f"{k}{'*' if p else ''} {n}" for k, p, n in parameters),
                names=", ".join(n for _, _, n in parameters),
            )
            for name, parameters in self._kernels.items()
        ]
        self._library = ctypes.CDLL(str(_built("\n".join([_SHIM, code, *launchers]), options)))

    def get_function(self, name: str) -> Any:
        parameters, launch = self._kernels[name], getattr(self._library, f"launch_{name}")

        def kernel(grid: tuple, block: tuple, arguments: tuple) -> None:
            if min(*grid, *block) < 1 or block[0] * block[1] > 1024 or grid[1] > 65_535:
                raise RuntimeError("CUDA_ERROR_INVALID_VALUE: invalid argument")
            assert len(arguments) == len(parameters), f"{name} takes {len(parameters)} arguments"
            passed = [_passed(a, *p) for a, p in zip(arguments, parameters, strict=True)]
            if launch(*(ctypes.c_uint(n) for n in (*grid, *block)), *passed):
                raise RuntimeError("lanes of a warp that do not all hand down as often")

        return kernel


def _passed(argument: Any, kind: str, pointer: bool, name: str) -> Any:
    number, dtype = _TYPES[kind]
    if pointer:
        assert argument.dtype == dtype, f"{name} is {kind}*, got an array of {argument.dtype}"
        return ctypes.c_void_p(argument._data.ctypes.data)
    # CuPy passes a Python integer as long long, a Python float as double, and NumPy's numbers as what they are.
    given = {int: np.int64, float: np.float64}.get(type(argument), type(argument))
    assert given is dtype, f"{name} is {kind}, got {type(argument)}"
    return number(argument)


def _built(code: str, options: tuple[str, ...]) -> Path:
    """Return the shared library of a source, which other tests may have made before."""
    key = hashlib.sha256(repr((code, options, HOST_COMPILER)).encode()).hexdigest()[:24]
    folder = Path(tempfile.gettempdir()) / f"rfviz-host-kernels-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    library = folder / f"{key}.so"
    if not library.exists():
        with tempfile.TemporaryDirectory(dir=folder) as work:
            source, made = Path(work) / "kernel.cpp", Path(work) / "kernel.so"
            source.write_text(code)
            command = [
                HOST_COMPILER,
                "-O2",
                "-std=c++17",
                "-shared",
                "-fPIC",
                "-ffp-contract=off",
                "-w",
                *options,
                str(source),
                "-o",
                str(made),
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(done.stderr)
            made.replace(library)
    return library


class Stream:
    """Work on a stream of one's own is put off until somebody waits for it, or done at once where `eager`."""

    eager = False
    main: Stream

    def __init__(self, null: bool = False, non_blocking: bool = False) -> None:
        self._waiting: list[Any] = []
        self.done = 0
        self._waited = False

    def push(self, action: Any) -> None:
        if self is Stream.main:
            action()
            return
        if not self._waited:  # whoever reads the memory that is written to may not have finished
            raise AssertionError("a copy into memory that nobody waited for")
        self._waited = False
        self._waiting.append(action)
        if Stream.eager:
            self.synchronize()

    def run_until(self, count: int) -> None:
        while self.done < count:
            self._waiting.pop(0)()
            self.done += 1

    def record(self, event: Any) -> None:
        event.record(self)

    def wait_event(self, event: Event) -> None:
        self._waited = True
        event.synchronize()

    def synchronize(self) -> None:
        self.run_until(self.done + len(self._waiting))


class Event:
    """A place in a stream."""

    def __init__(self, **options: Any) -> None:
        self._place: tuple[Stream, int] | None = None

    def record(self, stream: Stream | None = None) -> None:
        stream = stream or Stream.main
        self._place, self.time = (stream, stream.done + len(stream._waiting)), time.perf_counter()

    def synchronize(self) -> None:
        assert self._place is not None, "an event that was never recorded"
        self._place[0].run_until(self._place[1])


class ComputeTypes:
    """``cupy._core._routines_linalg``: how float32 products are computed, for the whole process."""

    COMPUTE_TYPE_DEFAULT, COMPUTE_TYPE_TF32 = 1, 7

    def __init__(self) -> None:
        self.current, self.log = self.COMPUTE_TYPE_DEFAULT, []

    def get_compute_type(self, dtype: Any) -> int:
        assert np.dtype(dtype) == np.float32
        return self.current

    def set_compute_type(self, dtype: Any, compute_type: int) -> None:
        assert np.dtype(dtype) == np.float32
        self.current = compute_type


def reset() -> SimpleNamespace:
    """Return fresh streams and switches, by the names of CuPy."""
    Stream.main, Stream.eager = Stream(), False
    return SimpleNamespace(get_current_stream=lambda: Stream.main, compute=ComputeTypes())
