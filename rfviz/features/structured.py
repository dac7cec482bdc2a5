"""Fast projections: products of Hadamard matrices and random signs in place of a dense random matrix.

One block is the p × p matrix S·H·D₁·H·D₂·H·D₃ with p the power of two from the number of columns on (64 at least), H
the Hadamard matrix over √p, D diagonal with random signs, and S diagonal with the lengths of the rows. But for S it is
orthogonal, so a block behaves much like p Gaussian rows that were made orthogonal. Its product with a point takes
O(p log p) operations and 4p stored numbers instead of p². Data with fewer columns are padded with zeros.

The rows have the lengths of Gaussian rows, but directions that are not quite uniform, which biases features made of
them. The bias falls as 1/p² and is largest for points that differ in one or two columns only. For cosines of Gaussian
frequencies, whose mean is exp(−t²/2), it was measured over lengths t up to 2.5: up to 0.2 with p = 4, 0.08 with 8,
0.008 with 16, 0.002 with 32, and below 0.001 with 64 or more, which is why no block is smaller.

H is a Kronecker product of small Hadamard matrices, so the transform is a matrix product of width 32 at most for every
factor: an order of magnitude faster, out of NumPy, than adding and subtracting halves log₂ p times, with as few passes
over the memory as possible.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.linalg import hadamard

from rfviz.backend import array_namespace, block_share, single_threaded_blas
from rfviz.errors import ParameterError
from rfviz.features.draws import random_signs

__all__ = [
    "block_count",
    "draw_signs",
    "faster_as_a_matrix",
    "hadamard_transform",
    "padded_size",
    "structured_counts",
    "structured_matrix",
    "structured_multiply_adds",
    "structured_project",
]

_WIDEST = 32
# Smaller blocks would have a bias to be seen.
_SMALLEST = 64
# A GPU is faster with the matrix itself up to this number of columns and of bytes, for more rows than those it is
# made of. On an H100 16,384 rows of 784 columns take 57 ms to 10,000 cosines by transforms, 3 ms by a product. The
# time of transforms grows with the logarithm of the columns, so that both should meet at some 8,192.
_MATRIX_COLUMNS, _MATRIX_BYTES = 8192, 500_000_000
# A chunk of rows that stays, twice, in a processor's cache.
_CHUNK_BYTES = 262_144


def padded_size(n_features: int) -> int:
    """Return the rows and columns of a block: the least power of two ≥ `n_features`, 64 at least."""
    return max(_power_of_two(n_features), _SMALLEST)


def _power_of_two(number: int) -> int:
    return 1 << max(number - 1, 0).bit_length()


def block_count(n_rows: int, n_features: int) -> int:
    """Return how many blocks hold `n_rows` rows."""
    return -(-n_rows // padded_size(n_features))


def draw_signs(seed: int, stream: int, n_rows: int, n_features: int, dtype: Any) -> np.ndarray:
    """Draw random signs of as many blocks as hold `n_rows` rows, shape (blocks, 3, p); the first never change.

    Parameters
    ----------
    seed, stream : int
        See :func:`rfviz.features.draws.standard_normal`.
    n_rows, n_features : int
    dtype : dtype
    """
    blocks, size = block_count(n_rows, n_features), padded_size(n_features)
    return random_signs(seed, stream, np.empty((3 * blocks, size), dtype=dtype)).reshape(blocks, 3, size)


def hadamard_transform(X: Any, out: Any = None, scratch: Any = None) -> Any:
    """Multiply rows of `X` with the Hadamard matrix over √p: the fast Walsh-Hadamard transform, in Sylvester's order.

    Parameters
    ----------
    X : array of shape (n, p)
        NumPy or CuPy, contiguous, float32 or float64; p a power of two.
    out, scratch : array of shape (n, p), optional
        Where to put the result, and a buffer; both contiguous, and `out` may be `X`, whose values are then lost.

    Returns
    -------
    array of shape (n, p)
        `out`.

    Raises
    ------
    ParameterError
        If p is not a power of two.
    """
    p = X.shape[1]
    if p != _power_of_two(p):
        raise ParameterError("X", "must have a power of two of columns", p, "Pad it with columns of zeros.")
    xp = array_namespace(X)
    out = xp.empty_like(X) if out is None else out
    scratch = xp.empty_like(X) if scratch is None else scratch
    result = _transform(xp, X, scratch, out)
    if result is not out:
        out[...] = result
    return out


def structured_project(X: Any, signs: Any, radii: Any, out: Any) -> Any:
    """Multiply all rows of `X` with the first rows of the blocks.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        NumPy or CuPy.
    signs : array of shape (blocks, 3, p)
        From :func:`draw_signs`, on the device of `X`.
    radii : array of shape (m,)
        Length of each row.
    out : array of shape (n, m)
        Overwritten; any strides.

    Returns
    -------
    array
        `out`.
    """
    X = X.toarray() if hasattr(X, "indptr") else X
    n = X.shape[0]
    size, xp = signs.shape[2], array_namespace(out)
    # The chunks are for a processor's cache; a GPU wants all rows at once.
    rows = n if xp is not np else max(_CHUNK_BYTES // (size * out.dtype.itemsize), 1)
    here, there = (xp.empty((min(rows, n), size), dtype=out.dtype) for _ in range(2))
    # Threads that wake up for products as small as these take fifty times as long as the products.
    with single_threaded_blas() if xp is np else nullcontext():
        for start in range(0, n, rows):
            chunk = X[start : start + rows]
            count = chunk.shape[0]
            for block in range(signs.shape[0]):
                low, high = block * size, min((block + 1) * size, out.shape[1])
                product = _block(xp, chunk, signs[block], here[:count], there[:count])
                xp.multiply(product[:, : high - low], radii[low:high], out=out[start : start + count, low:high])
    return out


def faster_as_a_matrix(xp: Any, X: Any, n_rows: int) -> bool:
    """Return whether the product of `X` with matrices of `n_rows` rows is faster than :func:`structured_project`.

    Float64 is left out: on most GPUs its products are 32 or 64 times as slow as those of float32.
    """
    n, d = X.shape
    fits = n_rows * d * X.dtype.itemsize <= _MATRIX_BYTES * block_share()
    return xp is not np and X.dtype == np.float32 and d <= _MATRIX_COLUMNS and n > d and fits


def structured_matrix(xp: Any, signs: Any, radii: Any, n_features: int) -> Any:
    """Return the matrix (m, n_features) that :func:`structured_project` multiplies rows with."""
    columns = xp.empty((n_features, radii.shape[0]), dtype=signs.dtype)
    return structured_project(xp.eye(n_features, dtype=signs.dtype), signs, radii, columns).T


def _block(xp: Any, X: Any, signs: Any, here: Any, there: Any) -> Any:
    """Multiply every row of `X` with H·D₁·H·D₂·H·D₃, in one of two buffers."""
    here[:, X.shape[1] :] = 0.0
    xp.multiply(X, signs[2, : X.shape[1]], out=here[:, : X.shape[1]])
    for turn in (1, 0, None):
        result = _transform(xp, here, there, here)
        here, there = (here, there) if result is here else (there, here)
        if turn is not None:
            xp.multiply(here, signs[turn], out=here)
    return here


def structured_multiply_adds(n_samples: int, n_rows: int, n_features: int) -> int:
    """Return the multiply-adds of the small products of :func:`structured_project`."""
    size = padded_size(n_features)
    return 3 * block_count(n_rows, n_features) * size * sum(_widths(size)) * n_samples


def structured_counts(n_samples: int, n_rows: int, n_features: int) -> tuple[float, float]:
    """Return the operations of the transforms done by additions, signs included, and how many signs are stored."""
    blocks, size = block_count(n_rows, n_features), padded_size(n_features)
    return 3 * n_samples * blocks * size * (1 + np.log2(size)), 3 * blocks * size


def _transform(xp: Any, X: Any, scratch: Any, spare: Any) -> Any:
    """Transform `X` in either `scratch` or `spare`, which may be `X`; contiguous, all of one shape."""
    # A column's place in base (…, w₂, w₁): the factor of width w₁ acts on the last digit, and so on.
    source, target, below = X, scratch, 1
    for width in _widths(X.shape[1]):
        H = xp.asarray(_small_hadamard(width, np.dtype(X.dtype).char))
        if below == 1:
            xp.matmul(source.reshape(-1, width), H, out=target.reshape(-1, width))
        else:
            xp.matmul(H, source.reshape(-1, width, below), out=target.reshape(-1, width, below))
        below *= width
        source, target = target, (spare if target is scratch else scratch)
    return source


def _widths(size: int) -> list[int]:
    """Return powers of two of nearly equal size, none above the widest, whose product is `size`."""
    bits, most = size.bit_length() - 1, _WIDEST.bit_length() - 1
    factors = max(-(-bits // most), 1)
    return [1 << (bits // factors + (index < bits % factors)) for index in range(factors)]


@lru_cache(maxsize=16)
def _small_hadamard(width: int, char: str) -> np.ndarray:
    matrix = hadamard(width) / np.sqrt(width)
    matrix = matrix.astype(char)
    matrix.flags.writeable = False
    return matrix
