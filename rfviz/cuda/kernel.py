"""A CUDA kernel, the array operations that define what it computes, and the checks before it is used.

Before a kernel is used on a device for the first time, in each precision, it is compiled there and run on a small
sample whose outputs hold NaN beforehand; it is trusted if it then agrees with the array operations. Where it cannot be
compiled, cannot be launched, or disagrees, the array operations replace it, with one warning.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from rfviz.backend import is_device_lost, is_out_of_memory
from rfviz.errors import warn

__all__ = ["Kernel", "KernelFallbackWarning", "kernels_in_use", "plain_kernels"]

_REAL = {"float32": "float", "float64": "double"}
# Units of rounding by which a kernel may differ from array operations, relative to the largest number.
_UNITS = 64
_allowed: ContextVar[bool] = ContextVar("kernels_allowed", default=True)
# For each array module: functions by (kernel, dtype, device), None for those that are not trusted; and why they are
# not, by the kernel, or "" where none can be compiled.
_modules: weakref.WeakKeyDictionary[ModuleType, dict[tuple[Any, ...], Any]] = weakref.WeakKeyDictionary()
_faults: weakref.WeakKeyDictionary[ModuleType, dict[str, str]] = weakref.WeakKeyDictionary()

# (columns, rows, arguments of the CUDA function)
Launch = tuple[int, int, tuple[Any, ...]]


class KernelFallbackWarning(UserWarning):
    """A CUDA kernel does not work here; CuPy's array operations compute the same, in more passes over memory."""


@contextmanager
def plain_kernels() -> Generator[None, None, None]:
    """Disable the kernels in this thread until the context ends: to compare, or to find a fault."""
    token = _allowed.set(False)
    try:
        yield
    finally:
        _allowed.reset(token)


def kernels_in_use(xp: ModuleType) -> tuple[list[str], str]:
    """Return the names of the kernels that were compiled and found right, and the faults of the others, or ``""``."""
    trusted = {key[0] for key, function in _modules.get(xp, {}).items() if function is not None}
    return sorted(trusted), "; ".join(_faults.get(xp, {}).values())


@dataclass(frozen=True, eq=False)
class Kernel:
    """One kernel.

    Called with an array module and arguments, it does what `plain` does with them; with NumPy it is `plain`.

    Attributes
    ----------
    source : str
        File of this package, without its ending.
    name : str
        Function in it.
    plain : callable
        ``plain(xp, *arguments)``: the same by array operations. Results go to an argument, in place.
    launch : callable
        ``launch(*arguments)``: columns and rows that the threads are spread over, and the function's arguments, or
        None if the kernel cannot take these.
    sample : callable
        ``sample(rng, dtype)``: arguments, as NumPy arrays and numbers, to try it on.
    result : int
        Which argument is written to.
    rows_each : int
        Rows that a thread does.
    """

    source: str
    name: str
    plain: Callable[..., None]
    launch: Callable[..., Launch | None]
    sample: Callable[[np.random.Generator, Any], tuple[Any, ...]]
    result: int
    rows_each: int = 1

    def __call__(self, xp: ModuleType, *arguments: Any) -> None:
        function = self._trusted(xp, arguments[0].dtype)
        if function is None or not self._run(xp, function, arguments):
            self.plain(xp, *arguments)

    def works(self, xp: ModuleType, dtype: Any) -> bool:
        """Return whether a call with arrays of `dtype` runs the kernel."""
        return self._trusted(xp, np.dtype(dtype)) is not None

    def _trusted(self, xp: ModuleType, dtype: np.dtype) -> Any:
        """Return the compiled and tested function, or None if array operations are to be used instead."""
        if xp is np or not _allowed.get() or dtype.name not in _REAL or "" in _faults.get(xp, {}):
            return None
        known = _modules.setdefault(xp, {})
        key = self.name, dtype.name, xp.cuda.runtime.getDevice()
        if key not in known:
            known[key] = self._tried(xp, dtype)
        return known[key]

    def _tried(self, xp: ModuleType, dtype: np.dtype) -> Any:
        """Compile and test the function, and return it, or None, with a warning, if it fails."""
        try:
            function = self._compile(xp, dtype)
        except Exception as error:
            if is_out_of_memory(error) or is_device_lost(error):
                raise  # not a fault of the kernel
            self._refuse(xp, error, "")  # no other kernel can be compiled either
            return None
        try:
            self._try(xp, function, dtype)
        except Exception as error:
            if is_out_of_memory(error) or is_device_lost(error):
                raise
            self._refuse(xp, error, self.name)
            return None
        return function

    def _compile(self, xp: ModuleType, dtype: np.dtype) -> Any:
        code = (Path(__file__).parent / f"{self.source}.cu").read_text(encoding="utf-8")
        module = xp.RawModule(code=code, options=(f"-DREAL={_REAL[dtype.name]}",))
        return module.get_function(self.name)

    def _try(self, xp: ModuleType, function: Any, dtype: np.dtype) -> None:
        arguments = self.sample(np.random.default_rng(0), dtype)
        given = [_moved(xp, argument) for argument in arguments]
        self._launch(function, tuple(given))
        found = given[self.result].get()
        self.plain(np, *arguments)  # by NumPy, since CuPy would compile a kernel for each operation first
        expected = arguments[self.result]
        if expected.dtype.kind == "f":
            limit = _UNITS * float(np.finfo(expected.dtype).eps) * float(np.abs(expected).max())
            right = bool((np.abs(found - expected) <= limit).all())  # NaN is not
        else:
            right = bool((found == expected).all())
        if not right:
            raise ArithmeticError("it differs from array operations on a small sample")

    def _launch(self, function: Any, arguments: tuple[Any, ...]) -> bool:
        launch = self.launch(*arguments)
        if launch is None:
            return False
        columns, rows, passed = launch
        if columns and rows:
            function(*_geometry(columns, -(-rows // self.rows_each)), passed)
        return True

    def _run(self, xp: ModuleType, function: Any, arguments: tuple[Any, ...]) -> bool:
        try:
            return self._launch(function, arguments)
        except Exception as error:
            if is_out_of_memory(error) or is_device_lost(error):
                raise
            for key in _modules[xp]:
                if key[0] == self.name:
                    _modules[xp][key] = None
            self._refuse(xp, error, self.name)
            return False

    def _refuse(self, xp: ModuleType, error: Exception, what: str) -> None:
        first = (str(error).strip().splitlines() or [""])[0]
        _faults.setdefault(xp, {})[what] = f"{self.name}: {type(error).__name__}: {first}"
        warn(
            f"The CUDA kernel {self.name!r} does not work here ({type(error).__name__}: {first}). Going on with CuPy's "
            "array operations, which are slower.",
            KernelFallbackWarning,
        )


def _moved(xp: ModuleType, argument: Any) -> Any:
    if isinstance(argument, tuple):
        return tuple(_moved(xp, part) for part in argument)
    return xp.asarray(argument) if isinstance(argument, np.ndarray) else argument


def _geometry(columns: int, rows: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return blocks of a grid and threads of a block: contiguous along the columns, the rest along the rows."""
    across = min(256, max(32, 1 << (columns - 1).bit_length()))
    down = 1 if rows == 1 else max(256 // across, 1)
    # Kernels go round as often as they need to, so a grid may be smaller than the array.
    return (min(-(-columns // across), 1 << 20), min(-(-rows // down), 32_768)), (across, down)
