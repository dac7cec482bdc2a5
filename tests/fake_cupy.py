"""A stand-in for CuPy that needs no GPU, strict where CuPy is strict.

Its arrays wrap NumPy arrays but are none: they refuse to become NumPy arrays by themselves, and to meet one in an
operator or a function. Each lives on the device that was current in the thread that made it, and meets no array of
another device. Fresh memory holds NaN, allocations are counted, those that CuPy's libraries make inside too, and a
limit makes them fail as on a full device. Only what is listed here exists, so that code cannot come to depend on more
than was checked.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import scipy.linalg
import scipy.special
from scipy import sparse

from rfviz.backend import round_to_tf32
from tests import fake_cuda

__all__ = ["CUDARuntimeError", "CUSOLVERError", "Memory", "OutOfMemoryError", "build"]

_FUNCTIONS = (  # noqa: SIM905
    "abs add all any arange arccos arcsin arctan2 argmax argmin argsort broadcast_to ceil clip concatenate cos cumsum "
    "diag divide dot equal exp eye fill_diagonal floor full greater hypot interp isfinite less linspace log matmul max "
    "maximum mean min minimum multiply nonzero ones outer power round searchsorted sign sin sort sqrt square stack "
    "subtract sum take tanh tile tril unique where zeros"
).split()
_METHODS = "all any argmax argmin argsort conj diagonal dot max mean min nonzero prod ravel reshape sum take transpose"
_ATTRIBUTES = "dtype shape ndim size nbytes itemsize flags strides"
_UNARY = "__float__ __int__ __index__ __bool__ __len__ __neg__ __invert__ __abs__"
_BINARY = "add sub mul truediv floordiv pow mod matmul and or xor lt le gt ge eq ne"
_REFUSAL = (
    "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array explicitly."
)


class OutOfMemoryError(MemoryError):
    """The device is full."""


OutOfMemoryError.__module__ = "cupy.cuda.memory"


class CUDARuntimeError(RuntimeError):
    """The driver has something to say."""


CUDARuntimeError.__module__ = "cupy_backends.cuda.api.runtime"


class CUSOLVERError(RuntimeError):
    """A library of the driver's has something to say."""


CUSOLVERError.__module__ = "cupy_backends.cuda.libs.cusolver"


class Memory:
    """What the fake device has and has given out.

    Attributes
    ----------
    limit : float
        Bytes in all; set it low to make allocations fail.
    used, peak : int
        Bytes alive now, and at the highest since :meth:`reset_peak`.
    log : list of int
        Size of every allocation.
    devices : int
        How many devices there are; all share this memory.
    failure : Exception or None
        What every allocation raises from now on, as when the driver has vanished.
    released : int
        How often the pool was given back.
    threads : set of int
        Who allocated.
    """

    def __init__(self) -> None:
        self.limit, self.used, self.peak, self.log = 1e11, 0, 0, []
        self.devices, self.failure, self.released, self.threads = 1, None, 0, set()

    def reset_peak(self) -> None:
        self.peak = self.used

    def release(self) -> None:
        self.released += 1

    def allocate(self, n_bytes: int) -> _Lease:
        self.threads.add(threading.get_ident())
        if self.failure is not None:
            raise self.failure
        if self.used + n_bytes > self.limit:
            raise OutOfMemoryError(f"Out of memory allocating {n_bytes} bytes (allocated so far: {self.used} bytes).")
        self.log.append(n_bytes)
        return _Lease(self, n_bytes)


class _Lease:
    """Memory that counts as used for as long as some array, or a view of it, lives."""

    def __init__(self, memory: Memory, n_bytes: int) -> None:
        self.memory, self.n_bytes = memory, n_bytes
        memory.used += n_bytes
        memory.peak = max(memory.peak, memory.used)

    def __del__(self) -> None:
        self.memory.used -= self.n_bytes


MEMORY = Memory()
# Of the second-level cache: so small that blocks of a few hundred rows are cut.
L2_BYTES = 60_000


class ndarray:  # noqa: N801 - CuPy's name
    """A device array: a NumPy array that nobody may touch."""

    __hash__ = None

    def __init__(self, data: np.ndarray, lease: _Lease | None = None, device: _Device | None = None) -> None:
        self._data, self._lease = data, lease or MEMORY.allocate(data.nbytes)
        self.device = device or _Device(_current())

    T = property(lambda self: ndarray(self._data.T, self._lease, self.device))

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        raise TypeError(_REFUSAL)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _call(getattr(ufunc, method), inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function.__name__ not in _FUNCTIONS:
            raise TypeError(f"no implementation of {function.__name__} for cupy.ndarray")
        return _call(function, args, kwargs)

    def get(self, stream: Any = None, order: str = "C", out: np.ndarray | None = None, blocking: bool = True) -> Any:
        """Return a copy on the host."""
        if out is None:
            return self._data.copy()
        out[...] = self._data
        return out

    def astype(self, dtype: Any, order: str = "K", copy: bool = True) -> ndarray:
        return self if not copy and self.dtype == dtype else ndarray(_open(self).astype(dtype, order))

    def view(self, dtype: Any) -> ndarray:
        return _wrap(_open(self).view(dtype), self)

    def copy(self, order: str = "C") -> ndarray:
        return ndarray(self._data.copy(order))

    def set(self, array: np.ndarray, stream: Any = None) -> None:
        """Copy from the host; on another stream when that comes to it, so that the host must leave `array` alone."""
        assert isinstance(array, np.ndarray) and array.dtype == self.dtype and array.shape == self.shape
        assert self.flags.c_contiguous or self.flags.f_contiguous

        def copy() -> None:
            self._data[...] = array

        (stream or fake_cuda.Stream.main).push(copy)

    def fill(self, value: float) -> None:
        _open(self).fill(_open(value))

    def __getitem__(self, key: Any) -> ndarray:
        key = tuple(map(_open, key)) if isinstance(key, tuple) else _open(key)
        found = self._data[key]
        # Only a view needs no kernel.
        return _wrap(found if np.shares_memory(found, self._data) else _open(self)[key], self)

    def __setitem__(self, key: Any, value: Any) -> None:
        key = tuple(map(_open, key)) if isinstance(key, tuple) else _open(key)
        _open(self)[key] = _open(value)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"fake_cupy{self._data!r}"


ndarray.__module__ = "cupy"


def _open(value: Any) -> Any:
    """Return the NumPy side of an argument; host arrays are refused, scalars pass."""
    if isinstance(value, ndarray):
        if value.device.id != _current():
            raise ValueError(
                f"The device where the array resides ({value.device.id}) is different from the current device "
                f"({_current()}). Peer access is unavailable between these devices."
            )
        return value._data
    if isinstance(value, np.ndarray) or sparse.issparse(value):
        raise TypeError(f"Unsupported type {type(value)}")
    if isinstance(value, (list, tuple)):
        return type(value)(_open(v) for v in value)
    return value


def _wrap(value: Any, base: ndarray | None = None) -> Any:
    """Return a device array around a result; a view shares the lease of its base, as it shares the memory."""
    if isinstance(value, tuple):
        return tuple(_wrap(v, base) for v in value)
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    value = np.asarray(value)
    shared = base is not None and np.shares_memory(value, base._data)
    return ndarray(value, base._lease, base.device) if shared else ndarray(value)


def _call(function: Any, args: tuple, kwargs: dict) -> Any:
    out = kwargs.pop("out", None)
    out = out[0] if isinstance(out, tuple) else out
    if out is not None and not isinstance(out, ndarray):
        raise TypeError(f"return arrays must be of cupy.ndarray; got {type(out)}")
    opened = [_open(a) for a in args]
    kwargs = {k: _open(v) for k, v in kwargs.items()}
    if out is not None:
        function(*opened, out=_open(out), **kwargs)
        return out
    base = args[0] if args and isinstance(args[0], ndarray) else None
    return _wrap(function(*opened, **kwargs), base)


def _operator(name: str) -> Any:
    def method(self: ndarray, other: Any) -> Any:
        if isinstance(other, csr_matrix):
            return NotImplemented
        result = getattr(_open(self), name)(_open(other))
        if result is NotImplemented:
            return result
        if name.startswith("__i"):
            return self
        return _wrap(result)

    return method


def _define_methods() -> None:
    for short in _BINARY.split():
        comparison = short in ("lt", "le", "gt", "ge", "eq", "ne")
        for prefix in ("",) if comparison else ("", "r", "i"):
            setattr(ndarray, f"__{prefix}{short}__", _operator(f"__{prefix}{short}__"))
    for name in _ATTRIBUTES.split():
        setattr(ndarray, name, property(lambda self, _name=name: getattr(self._data, _name)))
    for name in _UNARY.split():
        setattr(ndarray, name, lambda self, _name=name: _wrap(getattr(self._data, _name)(), self))
    for name in _METHODS.split():

        def method(self: ndarray, *args: Any, _name: str = name, **kwargs: Any) -> Any:
            return _call(lambda data, *a, **k: getattr(data, _name)(*a, **k), (self, *args), kwargs)

        setattr(ndarray, name, method)


class csr_matrix:  # noqa: N801 - CuPy's name
    """The little that rfviz asks of ``cupyx.scipy.sparse.csr_matrix``."""

    def __init__(self, matrix: Any, shape: tuple[int, int] | None = None) -> None:
        if isinstance(matrix, np.ndarray):
            raise TypeError(f"Unsupported initializer format {type(matrix)}")
        if isinstance(matrix, tuple):
            matrix = sparse.csr_matrix(_open(matrix), shape=shape)
        self._matrix = sparse.csr_matrix(matrix._matrix if isinstance(matrix, csr_matrix) else matrix)
        if self._matrix.dtype.char not in "?fdFD":
            raise ValueError(f"Only bool, float32, float64, complex64 and complex128 are supported; {matrix.dtype}")
        self._lease = MEMORY.allocate(self._matrix.data.nbytes + self._matrix.indices.nbytes)
        self.device = _Device(_current())

    dtype = property(lambda self: self._matrix.dtype)
    shape = property(lambda self: self._matrix.shape)
    nnz = property(lambda self: self._matrix.nnz)
    indptr = property(lambda self: ndarray(self._matrix.indptr))
    indices = property(lambda self: ndarray(self._matrix.indices))
    data = property(lambda self: ndarray(self._matrix.data))

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        raise TypeError(_REFUSAL)

    def __getitem__(self, key: Any) -> csr_matrix:
        return csr_matrix(self._matrix[key])

    def __mul__(self, scalar: Any) -> csr_matrix:
        if np.ndim(scalar):
            raise TypeError("only scalars here")
        return csr_matrix(self._matrix * scalar)

    def __matmul__(self, other: Any) -> ndarray:
        return ndarray(self._matrix @ _open(other))

    def toarray(self) -> ndarray:
        return ndarray(self._matrix.toarray())

    def get(self) -> Any:
        return self._matrix.copy()


csr_matrix.__module__ = "cupyx.scipy.sparse._csr"
_define_methods()


def _asarray(array: Any, dtype: Any = None) -> ndarray:
    if isinstance(array, ndarray):
        return array if dtype is None else array.astype(dtype, copy=False)
    if sparse.issparse(array):
        raise ValueError("Unsupported dtype object")
    return ndarray(np.array(array, dtype=dtype))


def _empty(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    data = np.empty(shape, dtype, order)
    if data.dtype.kind == "f":
        data.fill(np.nan)
    return ndarray(data)


class _Device:
    """A device; the current one of a thread while entered."""

    compute_capability = "90"

    def __init__(self, index: int | None = None) -> None:
        index = _current() if index is None else index
        if not 0 <= index < MEMORY.devices:
            raise RuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
        self.id = index

    def __enter__(self) -> _Device:
        _stack().append(self.id)
        return self

    def __exit__(self, *exception: Any) -> None:
        _stack().pop()

    def synchronize(self) -> None: ...


_thread = threading.local()


def _stack() -> list[int]:
    if not hasattr(_thread, "devices"):
        _thread.devices = [0]
    return _thread.devices


def _current() -> int:
    return _stack()[-1]


_linalg_errors = ["ignore"]


@contextmanager
def _errstate(linalg: str) -> Iterator[None]:
    """Set what becomes of a factorisation that breaks off."""
    _linalg_errors.append(linalg)
    try:
        yield
    finally:
        _linalg_errors.pop()


def _cholesky(a: ndarray) -> ndarray:
    """Factorise as cuSOLVER does: unless errors are asked for, an indefinite matrix gives finite, wrong numbers."""
    L, failed = scipy.linalg.lapack.dpotrf(_open(a).astype(np.float64), lower=True, clean=True)
    if failed and _linalg_errors[-1] == "raise":
        raise np.linalg.LinAlgError(f"Error reported by potrf in cuSOLVER. devInfo = {failed}.")
    return ndarray(np.ascontiguousarray(L.astype(a.dtype)))


def _solve_triangular(a: ndarray, b: ndarray, **options: Any) -> ndarray:
    """Solve as cuBLAS does, which takes a matrix in Fortran order and copies any other."""
    copied = None if a._data.flags.f_contiguous else MEMORY.allocate(a.nbytes)
    found = _call(scipy.linalg.solve_triangular, (a, b), options)
    del copied
    return found


def _syrk(trans: str, a: ndarray, out: ndarray, alpha: float = 1.0, beta: float = 0.0, lower: bool = False) -> ndarray:
    """Compute one triangle, in place; the other one stays as it is."""
    A, C = _open(a), _open(out)
    assert trans == "N" and A.flags.f_contiguous and C.flags.f_contiguous and A.dtype == C.dtype
    triangle = np.tri(len(C), dtype=bool) if lower else ~np.tri(len(C), k=-1, dtype=bool)
    product = alpha * (A @ A.T)
    C[triangle] = (product + beta * C if beta else product)[triangle]
    return out


def _add_cuda(modules: dict[str, ModuleType]) -> None:
    """Add kernels, streams, pinned memory, and the switch of float32 products."""
    cupy, cuda, parts = modules["cupy"], modules["cupy.cuda"], fake_cuda.reset()
    cuda.Event, cuda.Stream, cuda.get_current_stream = fake_cuda.Event, fake_cuda.Stream, parts.get_current_stream
    cupy.RawModule = fake_cuda.RawModule
    modules["cupyx"].empty_pinned = lambda shape, dtype=float: np.full(shape, np.nan, dtype)
    linear, compute = modules["cupy._core._routines_linalg"], parts.compute
    linear.compute = compute
    linear.COMPUTE_TYPE_TF32 = compute.COMPUTE_TYPE_TF32
    linear.get_compute_type, linear.set_compute_type = compute.get_compute_type, compute.set_compute_type

    def matmul(a: ndarray, b: ndarray, out: ndarray | None = None) -> ndarray:
        if compute.current == compute.COMPUTE_TYPE_TF32 and a.dtype == np.float32 and a.ndim == 2:
            a, b = (ndarray(round_to_tf32(_open(x))) for x in (a, b))
            compute.log.append(a.shape)
        return _call(np.matmul, (a, b), {} if out is None else {"out": out})

    cupy.matmul = matmul


def build() -> dict[str, ModuleType]:
    """Build fresh modules for ``sys.modules``, by name; the device's :class:`Memory` is ``cupy.memory``."""
    global MEMORY
    MEMORY = Memory()
    names = (
        "cupy",
        "cupy._core",
        "cupy._core._routines_linalg",
        "cupy.cublas",
        "cupy.cuda",
        "cupyx",
        "cupyx.scipy",
        "cupyx.scipy.sparse",
        "cupyx.scipy.linalg",
        "cupyx.scipy.special",
    )
    modules = {name: ModuleType(name) for name in names}
    cupy, cuda = modules["cupy"], modules["cupy.cuda"]
    for name in _FUNCTIONS:
        setattr(cupy, name, lambda *a, _name=name, **k: _call(getattr(np, _name), a, k))
    for name in ("float32", "float64", "int32", "int64", "uint8", "bool_", "inf", "nan", "pi", "newaxis"):
        setattr(cupy, name, getattr(np, name))
    pool = SimpleNamespace(free_bytes=lambda: 0, used_bytes=lambda: MEMORY.used, free_all_blocks=MEMORY.release)
    cupy.__version__, cupy.memory, cupy.ndarray, cupy.cuda = "0 (fake)", MEMORY, ndarray, cuda
    cupy.asarray = cupy.array = _asarray
    cupy.ascontiguousarray = lambda a: _wrap(np.ascontiguousarray(_open(a)), a)
    cupy.empty, cupy.get_default_memory_pool, cupy.asnumpy = _empty, lambda: pool, lambda a: a.get()
    cupy.empty_like = lambda a, dtype=None: _empty(a.shape, dtype or a.dtype)
    cupy.zeros_like = lambda a, dtype=None: ndarray(np.zeros(a.shape, dtype or a.dtype))
    _add_cuda(modules)
    cuda.Device = _Device
    cuda.memory = SimpleNamespace(OutOfMemoryError=OutOfMemoryError)
    cuda.get_elapsed_time = lambda start, stop: 1e3 * (stop.time - start.time)
    cuda.runtime = SimpleNamespace(
        getDeviceCount=lambda: MEMORY.devices,
        getDeviceProperties=lambda i: {"name": b"Fake GPU", "totalGlobalMem": int(MEMORY.limit)},
        memGetInfo=lambda: (int(MEMORY.limit - MEMORY.used), int(MEMORY.limit)),
        driverGetVersion=lambda: 0,
        runtimeGetVersion=lambda: 0,
        getDevice=_current,
        deviceGetAttribute=lambda attribute, device: {38: L2_BYTES}[attribute],
    )
    pinned = SimpleNamespace(free_all_blocks=lambda: None)
    cupy.get_default_pinned_memory_pool = lambda: pinned
    cupy.csr_matrix = modules["cupyx.scipy.sparse"].csr_matrix = csr_matrix  # the former for the tests alone
    cupy.linalg = SimpleNamespace(cholesky=_cholesky, norm=lambda a: _call(np.linalg.norm, (a,), {}))
    modules["cupyx"].errstate, modules["cupy.cublas"].syrk = _errstate, _syrk
    for name in ("erf", "ndtr"):
        function = getattr(scipy.special, name)
        setattr(modules["cupyx.scipy.special"], name, lambda *a, _f=function, **k: _call(_f, a, k))
    modules["cupyx.scipy.linalg"].solve_triangular = _solve_triangular
    return modules
