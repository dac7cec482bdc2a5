"""Operations on matrix products: one pass over memory where array operations take two to six."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from rfviz.cuda.kernel import Kernel, Launch

__all__ = ["COSINE", "COSINE_SINE", "GROUP_MAX", "MEAN_OF_POSITIVE", "POOL_MAX", "RELU", "SIGMOID", "sigmoid_code"]

_SIGMOIDS = ("erf", "tanh", "logistic")
_SHAPE = (5, 37)
# Threads of a warp; and values of a group that each of them adds up, where a group has as many.
_WARP, _VALUES_EACH = 32, 8


def sigmoid_code(activation: str) -> int:
    """Return the kernel's number for an activation."""
    return _SIGMOIDS.index(activation)


def row_stride(array: Any) -> int | None:
    """Return the number of entries from one row of an array to the next, or None if a row is not contiguous."""
    itemsize = array.dtype.itemsize
    return array.strides[0] // itemsize if array.shape[1] <= 1 or array.strides[1] == itemsize else None


def _values(rng: np.random.Generator, dtype: Any, scale: float = 3.0) -> np.ndarray:
    return (scale * rng.standard_normal(_SHAPE)).astype(dtype)


# --- in place ---------------------------------------------------------------------------------------------------------


def _cosine(xp: Any, values: Any, phases: Any, scale: float) -> None:
    values += phases
    xp.cos(values, out=values)
    values *= values.dtype.type(scale)


def _launch_cosine(values: Any, phases: Any, scale: float) -> Launch | None:
    ld = row_stride(values)
    rows, columns = values.shape
    return None if ld is None else (columns, rows, (values, ld, rows, columns, phases, values.dtype.type(scale)))


#: ``COSINE(xp, values, phases, scale)``: values become scale·cos(values + phases), phases of shape (columns,).
COSINE = Kernel(
    "epilogues",
    "cosine",
    _cosine,
    _launch_cosine,
    lambda rng, dtype: (_values(rng, dtype, 1000.0), _values(rng, dtype)[0], 0.7),
    result=0,
)


def _relu(xp: Any, values: Any, scale: float) -> None:
    xp.maximum(values, values.dtype.type(0.0), out=values)
    values *= values.dtype.type(scale)


def _launch_relu(values: Any, scale: float) -> Launch | None:
    ld = row_stride(values)
    rows, columns = values.shape
    return None if ld is None else (columns, rows, (values, ld, rows, columns, values.dtype.type(scale)))


#: ``RELU(xp, values, scale)``: values become scale·max(0, values).
RELU = Kernel("epilogues", "relu", _relu, _launch_relu, lambda rng, dtype: (_values(rng, dtype), 1.3), result=0)


def _sigmoid(xp: Any, values: Any, biases: Any, activation: str, scale: float) -> None:
    number = values.dtype.type
    if biases is not None:
        values += biases
    if activation == "erf":
        special = importlib.import_module("scipy.special" if xp is np else f"{xp.__name__}x.scipy.special")
        special.erf(values, out=values)
    elif activation == "tanh":
        xp.tanh(values, out=values)
    else:  # ½ + ½ tanh(z/2), which does not overflow
        values *= number(0.5)
        xp.tanh(values, out=values)
        values += number(1.0)
        scale *= 0.5
    values *= number(scale)


def _launch_sigmoid(values: Any, biases: Any, activation: str, scale: float) -> Launch | None:
    ld = row_stride(values)
    if ld is None:
        return None
    rows, columns = values.shape
    biased = int(biases is not None)
    kind, factor = sigmoid_code(activation), values.dtype.type(scale)
    return columns, rows, (values, ld, rows, columns, biases if biased else values, biased, kind, factor)


#: ``SIGMOID(xp, values, biases, activation, scale)``: values become scale·σ(values + biases); biases may be None.
SIGMOID = Kernel(
    "epilogues",
    "sigmoid",
    _sigmoid,
    _launch_sigmoid,
    lambda rng, dtype: (_values(rng, dtype), _values(rng, dtype)[0], "logistic", 0.9),
    result=0,
)


# --- from one array into another --------------------------------------------------------------------------------------


def _cosine_sine(xp: Any, angles: Any, scale: float, out: Any) -> None:
    xp.cos(angles, out=out[:, ::2])
    xp.sin(angles[:, : out.shape[1] // 2], out=out[:, 1::2])
    out *= out.dtype.type(scale)


def _launch_cosine_sine(angles: Any, scale: float, out: Any) -> Launch | None:
    ld, ld_out = row_stride(angles), row_stride(out)
    if ld is None or ld_out is None:
        return None
    rows, columns = angles.shape
    return columns, rows, (angles, ld, rows, columns, out.dtype.type(scale), out, ld_out, out.shape[1])


def _sample_pairs(rng: np.random.Generator, dtype: Any) -> tuple[Any, ...]:
    return _values(rng, dtype, 1000.0), 0.7, np.full((_SHAPE[0], 2 * _SHAPE[1] - 1), np.nan, dtype)


#: ``COSINE_SINE(xp, angles, scale, out)``: columns 2c and 2c + 1 become scale·cos and scale·sin of column c.
COSINE_SINE = Kernel("epilogues", "cosine_sine", _cosine_sine, _launch_cosine_sine, _sample_pairs, result=2)


def _group_max(xp: Any, products: Any, pool: int, out: Any) -> None:
    out[...] = products[:, : out.shape[1] * pool].reshape(out.shape[0], out.shape[1], pool).max(axis=2)


def _launch_group_max(products: Any, pool: int, out: Any) -> Launch | None:
    ld, ld_out = row_stride(products), row_stride(out)
    if ld is None or ld_out is None:
        return None
    rows, columns = out.shape
    return columns, rows, (products, ld, rows, columns, pool, out, ld_out)


#: ``GROUP_MAX(xp, products, pool, out)``: column c becomes the largest of the products pool·c … pool·c + pool − 1.
GROUP_MAX = Kernel(
    "epilogues",
    "group_max",
    _group_max,
    _launch_group_max,
    lambda rng, dtype: (_values(rng, dtype), 3, np.full((_SHAPE[0], 12), np.nan, dtype)),
    result=2,
)


def _pool_max(xp: Any, products: Any, indices: Any, out: Any) -> None:
    out[...] = xp.take(products, indices[0], axis=1)
    for member in range(1, indices.shape[0]):
        xp.maximum(out, xp.take(products, indices[member], axis=1), out=out)


def _launch_pool_max(products: Any, indices: Any, out: Any) -> Launch | None:
    ld, ld_out = row_stride(products), row_stride(out)
    if ld is None or ld_out is None or indices.dtype != np.int32 or not indices.flags.c_contiguous:
        return None
    rows, columns = out.shape
    return columns, rows, (products, ld, rows, columns, indices.shape[0], indices, out, ld_out)


def _sample_pool(rng: np.random.Generator, dtype: Any) -> tuple[Any, ...]:
    indices = rng.integers(0, _SHAPE[1], (3, 41), dtype=np.int32)
    return _values(rng, dtype), indices, np.full((_SHAPE[0], 41), np.nan, dtype)


#: ``POOL_MAX(xp, products, indices, out)``: column c becomes the largest product among indices[:, c], int32.
POOL_MAX = Kernel("epilogues", "pool_max", _pool_max, _launch_pool_max, _sample_pool, result=2)


def _mean_of_positive(xp: Any, values: Any, positions: int, columns: Any, scale: float, out: Any) -> None:
    # NumPy compares with an array of zeros four times as fast as with the number.
    xp.maximum(values, xp.zeros(values.shape[1], dtype=values.dtype), out=values)
    means = values.reshape(-1, positions) @ xp.full(positions, scale / positions, dtype=values.dtype)
    out[:, columns] = means.reshape(len(values), len(out)).T


def _launch_mean_of_positive(values: Any, positions: int, columns: Any, scale: float, out: Any) -> Launch | None:
    ld, ld_out = row_stride(values), row_stride(out)
    if ld is None or ld_out is None or columns.dtype != np.int64 or not columns.flags.c_contiguous:
        return None
    rows, groups, factor = len(values), len(out), values.dtype.type(scale / positions)
    bits = min(max(positions // _VALUES_EACH, 1), _WARP).bit_length() - 1
    threads = -(-(groups << bits) // _WARP) * _WARP
    numbers = np.int32(positions), np.int32(bits)
    return threads, rows, (values, ld, rows, threads, groups, *numbers, columns, factor, out, ld_out)


def _sample_groups(rng: np.random.Generator, dtype: Any) -> tuple[Any, ...]:
    # Five groups of four lanes, so that some lanes of the warp have none.
    values = rng.standard_normal((_SHAPE[0], 5 * _SHAPE[1])).astype(dtype)
    return values, _SHAPE[1], rng.permutation(_SHAPE[0]), 0.7, np.full((5, _SHAPE[0]), np.nan, dtype)


#: ``MEAN_OF_POSITIVE(xp, values, positions, columns, scale, out)``: ``out[i, columns[f]]`` becomes scale times the mean
#: of max(0, v) over the values positions·i … positions·i + positions − 1 of row f. Columns are int64, all different;
#: array operations leave other numbers in `values`.
MEAN_OF_POSITIVE = Kernel(
    "epilogues",
    "mean_of_positive",
    _mean_of_positive,
    _launch_mean_of_positive,
    _sample_groups,
    result=4,
    rows_each=4,
)
