"""Matrix products in TF32, which trade digits for speed.

TF32 is what tensor cores make of float32: the exponent stays, the mantissa of both factors is cut from 23 bits to 10,
and the products are summed in float32. A GPU may be several times as fast with it. It is never used by itself, and
where it is asked for (:func:`product_precision`) only products that pass through :func:`matmul` take it: not the boxes
of a grid, not hash codes, not large phases, no Gram matrix and no factorisation.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from types import ModuleType
from typing import Any

import numpy as np

from rfviz.errors import ParameterError

__all__ = ["PRODUCT_PRECISIONS", "matmul", "product_precision", "round_to_tf32", "wanted_precision"]

PRODUCT_PRECISIONS = ("float32", "tf32")
_wanted: ContextVar[str] = ContextVar("product_precision", default="float32")
# CuPy stores the type of its float32 products for the whole process.
_switch = threading.Lock()
_FIRST_WITH_TF32 = 80  # compute capability 8.0
# Bits of a float32 mantissa that TF32 does not have.
_LOST_BITS = 13


@contextmanager
def product_precision(precision: str) -> Generator[None, None, None]:
    """Take matrix products of float32 features in this precision, in this thread, until the context ends.

    On the CPU ``"tf32"`` is emulated, which is slower and shows what the GPU's digits would be. Blocks are computed
    when they are asked for, so the context must last while one iterates over them.

    Parameters
    ----------
    precision : {"float32", "tf32"}

    Raises
    ------
    ParameterError
        If `precision` is neither of these.
    """
    if precision not in PRODUCT_PRECISIONS:
        rule = "must be one of " + ", ".join(map(repr, PRODUCT_PRECISIONS))
        raise ParameterError("precision", rule, precision, "Try 'float32'.")
    token = _wanted.set(precision)
    try:
        yield
    finally:
        _wanted.reset(token)


def wanted_precision() -> str:
    """Return the precision that :func:`product_precision` asks for here."""
    return _wanted.get()


def matmul(xp: ModuleType, a: Any, b: Any, out: Any = None, exact: bool = False) -> Any:
    """Return ``a @ b`` of two matrices in the precision that is asked for.

    Parameters
    ----------
    xp : module
        ``numpy`` or ``cupy``.
    exact : bool
        Whether this product needs all of its digits, whatever is asked for.
    """
    if exact or wanted_precision() == "float32" or np.dtype(a.dtype) != np.float32:
        if xp is np or np.dtype(a.dtype) != np.float32:
            return xp.matmul(a, b, out=out)
        with _switch:  # while the thread of another GPU asks for TF32, this product would get it too
            return xp.matmul(a, b, out=out)
    if xp is np:
        return np.matmul(round_to_tf32(a), round_to_tf32(b), out=out)
    with _tf32_products(xp):
        return xp.matmul(a, b, out=out)


def round_to_tf32(array: Any) -> Any:
    """Return a copy of a float32 array, every number rounded to the nearest with a mantissa of 10 bits, ties to even.

    Chips that cut the bits off instead of rounding err up to twice as much. Infinities and NaN stay what they are.

    Parameters
    ----------
    array : ndarray
        Of any shape, float32.
    """
    bits = np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
    half = np.uint32((1 << (_LOST_BITS - 1)) - 1)
    odd = (bits >> np.uint32(_LOST_BITS)) & np.uint32(1)
    rounded = (bits + half + odd) & np.uint32(~((1 << _LOST_BITS) - 1) & 0xFFFFFFFF)
    result = np.where(np.isfinite(array), rounded.view(np.float32), array)
    return result.reshape(np.shape(array))


@contextmanager
def _tf32_products(xp: ModuleType) -> Generator[None, None, None]:
    """Enable TF32 for CuPy's float32 products for as long as it takes to enqueue one."""
    routines = _cupy_products(xp)
    if routines is None:
        with nullcontext():
            yield
        return
    with _switch:
        before = routines.get_compute_type(np.float32)
        routines.set_compute_type(np.float32, routines.COMPUTE_TYPE_TF32)
        try:
            yield
        finally:
            routines.set_compute_type(np.float32, before)


def _cupy_products(xp: ModuleType) -> Any:
    """Return CuPy's switch, which has no public name; None without one or without TF32: products stay exact."""
    try:
        if int(xp.cuda.Device().compute_capability) < _FIRST_WITH_TF32:
            return None
        routines = importlib.import_module(f"{xp.__name__}._core._routines_linalg")
        return routines if hasattr(routines, "set_compute_type") else None
    except ImportError:
        return None
