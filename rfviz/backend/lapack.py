"""Routines of BLAS and LAPACK that let other threads of Python run.

SciPy's wrappers hold the interpreter lock until the routine ends: seconds for ten thousand features, during which a
server cannot answer. These are the same routines, at the addresses that SciPy publishes for Cython: a call by
``ctypes`` releases the lock.

NumPy's functions release it too, but cost more. For 4000 rows on one core ``numpy.linalg.cholesky`` takes 1.3
times as long (float64; 4 times in float32, which it factors in float64) and two more matrices of that size (six in
float32), and ``H.T @ H``, which fills both triangles, takes 1.4 to 1.6 times as long and one more matrix.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import blas, lapack, solve_triangular

__all__ = ["add_gram", "factor", "inner_products", "invert_triangle", "solve_definite", "solve_triangle"]

# OpenBLAS writes beyond its buffers in syrk, which potrf calls, where a matrix is too large for its threads: with two
# the process ends for 15,600 rows or more (float64; 31,000 of float32). Matrices larger than this are cut into blocks.
_LARGEST, _BLOCK = 8192, 4096
_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))
_CAPSULE = ctypes.py_object
_name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, _CAPSULE)(("PyCapsule_GetName", ctypes.pythonapi))
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, _CAPSULE, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


@functools.cache
def _routine(name: str, n_arguments: int) -> Callable[..., None] | None:
    """Return a routine whose arguments are all addresses, or None if SciPy publishes it with another signature."""
    for module in ("cython_blas", "cython_lapack"):
        capsule = getattr(importlib.import_module(f"scipy.linalg.{module}"), "__pyx_capi__", {}).get(name)
        if capsule is None:
            continue
        signature: bytes = _name_of(capsule)
        plain = signature.startswith(b"void (") and b"long" not in signature and b"64" not in signature
        if plain and signature.count(b"*") == n_arguments == signature.count(b",") + 1:
            return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)(_pointer_of(capsule, signature))
    return None


def factor(A: np.ndarray) -> np.ndarray | None:
    """Return the lower Cholesky factor in place of `A`, its upper triangle untouched, or None if `A` is not definite.

    Parameters
    ----------
    A : ndarray of shape (n, n), float32 or float64, in Fortran order
    """
    if len(A) > _LARGEST:
        return _factor_blocks(A if _is_fortran(A) else np.array(A, order="F"))
    potrf = _routine(f"{_letter(A)}potrf", 5)
    if potrf is None or not _is_fortran(A):
        wrappers: Any = lapack  # generated: a type checker does not see them
        L, failed = getattr(wrappers, f"{_letter(A)}potrf")(A, lower=True, overwrite_a=True, clean=False)
        return None if failed else L
    n, info = ctypes.c_int(len(A)), ctypes.c_int()
    potrf(b"L", ctypes.byref(n), A.ctypes.data, ctypes.byref(n), ctypes.byref(info))
    return None if info.value else A


def _factor_blocks(A: np.ndarray) -> np.ndarray | None:
    """Return :func:`factor` of a Fortran-ordered matrix, block column by block column."""
    for start in range(0, len(A), _BLOCK):
        own, below = slice(start, start + _BLOCK), slice(start + _BLOCK, None)
        left = A[own, :start]
        L = factor(np.array(A[own, own] - left @ left.T, order="F"))
        if L is None:
            return None
        np.copyto(A[own, own], L, where=np.tri(len(L), dtype=bool))
        A[below, own] -= A[below, :start] @ left.T
        _divide_by_transposed(A[below, own], L)
    return A


def _divide_by_transposed(B: np.ndarray, L: np.ndarray) -> None:
    """Replace `B`, a part of a Fortran-ordered matrix, by B (Lᵀ)⁻¹; `L` is a lower triangle in Fortran order."""
    if not B.size:
        return
    trsm = _routine(f"{_letter(L)}trsm", 11)
    if trsm is None:
        wrappers: Any = blas
        B[:] = getattr(wrappers, f"{_letter(L)}trsm")(1.0, L, B, side=1, lower=1, trans_a=1)
        return
    number = ctypes.c_float if L.dtype == np.float32 else ctypes.c_double
    m, n, step = (ctypes.c_int(k) for k in (*B.shape, B.strides[1] // B.itemsize))
    size, one = ctypes.byref(n), ctypes.byref(number(1.0))
    trsm(b"R", b"L", b"T", b"N", ctypes.byref(m), size, one, L.ctypes.data, size, B.ctypes.data, ctypes.byref(step))


def solve_definite(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return A⁻¹B for a symmetric positive definite `A`, which is overwritten.

    Parameters
    ----------
    A : ndarray of shape (n, n), float32 or float64
    B : ndarray of shape (n, k)

    Raises
    ------
    numpy.linalg.LinAlgError
        If `A` is not definite up to rounding.
    """
    L = factor(A.T if A.flags.c_contiguous else A)
    if L is None:
        raise np.linalg.LinAlgError("The matrix is not positive definite. Use a larger penalty.")
    return solve_triangle(L, solve_triangle(L, B), transposed=True)


def solve_triangle(L: np.ndarray, B: np.ndarray, transposed: bool = False) -> np.ndarray:
    """Return L⁻¹B, or (Lᵀ)⁻¹B, for a lower triangle `L`, whose upper one is not read.

    Parameters
    ----------
    L : ndarray of shape (n, n), float32 or float64
        Also a part of a larger array in Fortran order.
    B : ndarray of shape (n,) or (n, k)

    Raises
    ------
    numpy.linalg.LinAlgError
        If the diagonal of `L` has a zero.
    """
    trtrs, step = _routine(f"{_letter(L)}trtrs", 10), L.strides[1] // L.itemsize
    in_columns = L.dtype in _DTYPES and L.strides[0] == L.itemsize and step >= len(L) > 0 and L.flags.aligned
    if trtrs is None or not in_columns or B.dtype != L.dtype or len(B) != len(L):
        return solve_triangular(L, B, lower=True, trans=1 if transposed else 0, check_finite=False)
    X = np.array(B, order="F")
    n, k, lda, info = (ctypes.c_int(i) for i in (len(L), X.size // len(L), step, 0))
    size = ctypes.byref(n)
    trtrs(
        b"L",
        b"T" if transposed else b"N",
        b"N",
        size,
        ctypes.byref(k),
        L.ctypes.data,
        ctypes.byref(lda),
        X.ctypes.data,
        size,
        ctypes.byref(info),
    )
    if info.value:
        raise np.linalg.LinAlgError(f"The triangle has a zero in row {info.value} of its diagonal.")
    return X


def invert_triangle(L: np.ndarray) -> np.ndarray:
    """Return the inverse of a lower triangle in its place, the upper triangle untouched.

    Parameters
    ----------
    L : ndarray of shape (n, n), float32 or float64, in Fortran order
        No diagonal entry is zero.
    """
    trtri = _routine(f"{_letter(L)}trtri", 6)
    if trtri is None or not _is_fortran(L):
        wrappers: Any = lapack
        return getattr(wrappers, f"{_letter(L)}trtri")(L, lower=1, overwrite_c=1)[0]
    n, info = ctypes.c_int(len(L)), ctypes.c_int()
    trtri(b"L", b"N", ctypes.byref(n), L.ctypes.data, ctypes.byref(n), ctypes.byref(info))
    return L


def add_gram(Ht: np.ndarray, total: np.ndarray, going_on: float) -> np.ndarray:
    """Return the lower triangle of ``going_on * total + Ht @ Ht.T``, in the memory of `total`.

    Parameters
    ----------
    Ht : ndarray of shape (m, n), float32 or float64, in Fortran order
    total : ndarray of shape (m, m), in Fortran order, of the same dtype
        Not read where `going_on` is 0.
    """
    if len(Ht) > _LARGEST:
        return _add_gram_blocks(Ht, total, going_on)
    syrk = _routine(f"{_letter(Ht)}syrk", 10)
    if syrk is None or not _is_fortran(Ht) or not _is_fortran(total) or Ht.dtype != total.dtype:
        wrappers: Any = blas
        update = getattr(wrappers, f"{_letter(Ht)}syrk")
        return update(1.0, Ht, beta=going_on, c=total, lower=True, overwrite_c=True)
    number = ctypes.c_float if Ht.dtype == np.float32 else ctypes.c_double
    m, n, one, beta = ctypes.c_int(len(Ht)), ctypes.c_int(Ht.shape[1]), number(1.0), number(going_on)
    size = ctypes.byref(m)
    syrk(
        b"L",
        b"N",
        size,
        ctypes.byref(n),
        ctypes.byref(one),
        Ht.ctypes.data,
        size,
        ctypes.byref(beta),
        total.ctypes.data,
        size,
    )
    return total


def _add_gram_blocks(Ht: np.ndarray, total: np.ndarray, going_on: float) -> np.ndarray:
    """Return :func:`add_gram`, block column by block column."""
    for start in range(0, len(Ht), _BLOCK):
        own = slice(start, start + _BLOCK)
        column = Ht[start:] @ Ht[own].T
        if going_on:
            column += going_on * total[start:, own]
        np.copyto(total[own, own], column[:_BLOCK], where=np.tri(column.shape[1], dtype=bool))
        total[start + _BLOCK :, own] = column[_BLOCK:]
    return total


def inner_products(X: Any, Y: Any) -> Any:
    """Return X Yᵀ, of arrays of either module; where both are the same rows, symmetric to the last bit.

    NumPy calls syrk for many rows with themselves, which is done block by block here.
    """
    if X is not Y or len(X) <= _LARGEST or not isinstance(X, np.ndarray):
        return X @ Y.T
    products = np.empty((len(X), len(X)), dtype=X.dtype)
    for start in range(0, len(X), _BLOCK):
        rows = slice(start, start + _BLOCK)
        products[rows, :start] = X[rows] @ X[:start].T
        products[:start, rows] = products[rows, :start].T
        products[rows, rows] = X[rows] @ X[rows].T
    return products


def _letter(array: np.ndarray) -> str:
    return "s" if array.dtype == np.float32 else "d"


def _is_fortran(array: np.ndarray) -> bool:
    return array.dtype in _DTYPES and array.flags.f_contiguous and array.flags.behaved
