"""Products of rows and weights on a GPU, in tiles that the pass after the product finds in the chip's cache."""

from __future__ import annotations

from typing import Any

from rfviz.cuda import GROUP_MAX, POOL_MAX, row_tiles, tile_shape
from rfviz.features.blocks import Scratch, project

__all__ = ["by_feature", "largest_of_groups", "largest_of_picked"]


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


def largest_of_groups(xp: Any, X: Any, W: Any, out: Any, scratch: Scratch) -> None:
    """Write the largest projection of every row on the members of every feature.

    Parameters
    ----------
    xp : module
    X : array of shape (n, d)
    W : array of shape (m, pool_size, d)
    out : array of shape (n, m)
    scratch : Scratch
        Holds the products of one tile; those of all rows and members never exist.
    """
    m, pool, d = W.shape
    members = W.reshape(m * pool, d)
    high, wide = tile_shape(xp, out.shape[0], m, out.dtype.itemsize, pool)
    for start in range(0, out.shape[0], high):
        rows = X[start : start + high]
        for first in range(0, m, wide):
            here = members[first * pool : (first + wide) * pool]
            products = scratch.empty((rows.shape[0], here.shape[0]), out.dtype)
            GROUP_MAX(xp, project(rows, here, products), pool, out[start : start + high, first : first + wide])


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
    for rows in row_tiles(xp, out.shape[0], W.shape[0], out.dtype.itemsize):
        products = scratch.empty((out[rows].shape[0], W.shape[0]), out.dtype)
        POOL_MAX(xp, project(X[rows], W, products), indices, out[rows])
