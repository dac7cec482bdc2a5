"""Products of rows and weights on a GPU, of which a feature keeps the largest: some rows at a time, all columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rfviz.backend import block_share
from rfviz.cuda import GROUP_MAX, POOL_MAX
from rfviz.features.blocks import Scratch, project

__all__ = ["by_feature", "largest_of_groups", "largest_of_picked"]

# Products that exist at a time, measured on an H100: 16,384 rows of 40,000 take 21 ms in float32 and 4.4 in TF32 so, no
# more with more of them, 24 and 4.2 with half as many. In tiles that stay in the chip's cache they took 29 and 8.
_PRODUCT_BYTES = 320_000_000


def by_feature(xp: Any, weights: dict[str, Any]) -> Any:
    """Return the weights of a pool, shape (pool_size, m, d), as an array of shape (m, pool_size, d).

    What is in `weights` becomes a view of it, so that there are never two copies for long, and one rearrangement serves
    all blocks.
    """
    turned = weights["weights_"].transpose(1, 0, 2)
    if not turned.flags.c_contiguous:
        turned = xp.ascontiguousarray(turned)
        weights["weights_"] = turned.transpose(1, 0, 2)
    return turned


def largest_of_groups(xp: Any, X: Any, W: Any, out: Any, scratch: Scratch, exact: bool = False) -> None:
    """Write the largest projection of every row on the members of every feature.

    Parameters
    ----------
    xp : module
    X : array of shape (n, d)
    W : array of shape (m, pool_size, d)
    out : array of shape (n, m)
    scratch : Scratch
        Holds the products of some rows.
    exact : bool
        Whether products must not be rounded to TF32.
    """
    m, pool, d = W.shape
    for rows, products in _products(X, W.reshape(m * pool, d), out, scratch, exact):
        GROUP_MAX(xp, products, pool, out[rows])


def largest_of_picked(xp: Any, X: Any, W: Any, indices: Any, out: Any, scratch: Scratch) -> None:
    """Write the largest projection of every row among those that each feature picks.

    Parameters
    ----------
    xp : module
    X : array or CSR matrix of shape (n, d)
    W : array of shape (P, d)
    indices : array of shape (pool_size, m), int32
    out : array of shape (n, m)
    scratch : Scratch
    """
    for rows, products in _products(X, W, out, scratch):
        POOL_MAX(xp, products, indices, out[rows])


def _products(X: Any, W: Any, out: Any, scratch: Scratch, exact: bool = False) -> Iterator[tuple[slice, Any]]:
    """Yield consecutive rows and their products with all of `W`, valid until the next ones are asked for."""
    high = max(int(_PRODUCT_BYTES * block_share()) // (len(W) * out.dtype.itemsize), 1)
    for start in range(0, len(out), high):
        rows = slice(start, min(start + high, len(out)))
        yield rows, project(X[rows], W, scratch.empty((rows.stop - start, len(W)), out.dtype), exact)
