"""The kernel of a computation skeleton, exact, by recursion over its nodes for blocks of pairs at once."""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.backend import map_ordered, single_threaded_blas, worker_count
from rfviz.errors import DataError
from rfviz.kernels._inputs import as_pair

if TYPE_CHECKING:
    from rfviz.skeleton import Skeleton

__all__ = ["compositional"]

# Numbers that a block of pairs may hold on all nodes: few enough for the processor's cache, enough for a GPU.
_BLOCK_NUMBERS, _GPU_BLOCK_NUMBERS = 500_000, 50_000_000
# The vectors whose products they are may hold this many times as much, if a block then has this many rows or more.
_FACTORS, _SHORTEST = 8, 16
_PARALLEL_FROM = 4_000_000


def compositional(X: Any, Y: Any = None, *, skeleton: Skeleton) -> Any:
    """Return the compositional kernel of a skeleton between all rows of `X` and `Y`.

    κ_v = σ̂_v(mean over the in-edges u of κ_u) at inner nodes, the base space's kernel at inputs. (A. Daniely, R.
    Frostig, V. Gupta, Y. Singer, "Random Features for Compositional Kernels", 2017.)

    Cost: O(pairs · edges), in blocks of pairs of about 4 MB a core. Where the base kernels are inner products, as on
    circles, so is the mean of them at a node above inputs alone, of longer vectors: a matrix product, whose factors
    take up to 32 MB.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, skeleton.n_columns)
        NumPy or CuPy; computed in float64 whatever its type. How columns become points of the base spaces is said in
        :mod:`rfviz.skeleton.bases`.
    Y : array-like of shape (n_samples_Y, skeleton.n_columns), optional
        `X` where None.
    skeleton : Skeleton
        See :mod:`rfviz.skeleton`.

    Returns
    -------
    array of shape (n_samples_X, n_samples_Y)
        float64, on the device of `X`; symmetric where `Y` is None.

    Raises
    ------
    DataError
        If `X` or `Y` is not a finite matrix with as many columns as the skeleton takes, or holds values outside
        its base space.
    """
    xp, X, Y_rows = as_pair(X, Y)
    if X.shape[1] != skeleton.n_columns:
        raise DataError(f"The skeleton takes {skeleton.n_columns} columns; got {X.shape[1]}.")
    alone = Y is None
    left = _prepared(xp, X, skeleton)
    right = left if alone else _prepared(xp, Y_rows, skeleton)
    on_host = xp is np
    n, p = X.shape[0], Y_rows.shape[0]
    kernel = xp.empty((n, p), dtype=np.float64)
    most = _BLOCK_NUMBERS if on_host else _GPU_BLOCK_NUMBERS
    above = _InnerProducts.of(skeleton)
    side = min(p, math.isqrt(max(most // skeleton.n_nodes, 1)))
    if above:
        longer = min(math.isqrt(most // above.n_nodes), _FACTORS * most // (2 * above.length))
        above = above if longer >= _SHORTEST else None
        side = longer if above else side
    side = max(side, 1)

    def tile(corner: tuple[int, int]) -> None:
        i, j = slice(corner[0], min(corner[0] + side, n)), slice(corner[1], min(corner[1] + side, p))
        if above:
            values = above.propagate(xp, left[0], right[0], i, j)
        else:
            values = skeleton.propagate(xp, _base_values(xp, skeleton, left, right, i, j))
        block = values.reshape(i.stop - i.start, j.stop - j.start)
        if alone:
            if i == j:  # a matrix product may sum in another order
                block = 0.5 * (block + block.T)
            kernel[j, i] = block.T
        kernel[i, j] = block

    corners = [(a, b) for a in range(0, n, side) for b in range(0, p, side) if not alone or b >= a]
    busy = on_host and len(corners) > 1 and n * p * skeleton.n_nodes >= _PARALLEL_FROM
    with single_threaded_blas() if busy else nullcontext():
        for _ in map_ordered(tile, corners, worker_count() if busy else 1):
            pass
    return kernel


@dataclass(frozen=True)
class _InnerProducts:
    """A skeleton whose first layers average inner products, so that only the nodes above the inputs are kept.

    Attributes
    ----------
    n_first : int
        Layers whose in-edges all come from inputs; those above have none from there.
    """

    skeleton: Skeleton
    n_first: int

    @classmethod
    def of(cls, skeleton: Skeleton) -> _InnerProducts | None:
        """Return `skeleton` in this form, or None if it does not have it.

        All inputs must have one base space whose kernel is a sum of products, and no node may have both inputs and
        other nodes below it.
        """
        n = skeleton.n_inputs
        n_first = sum(int(layer.edges.max()) < n for layer in skeleton.layers)
        apart = all(int(layer.edges.min()) >= n for layer in skeleton.layers[n_first:])
        single = len(skeleton.inputs) == 1 and skeleton.inputs[0].base.n_factors > 0
        return cls(skeleton, n_first) if single and apart else None

    @property
    def n_nodes(self) -> int:
        """Return how many numbers each pair of rows takes."""
        return self.skeleton.n_nodes - self.skeleton.n_inputs

    @property
    def length(self) -> int:
        """Return how many numbers the vectors of all nodes of the first layers have together, for one row."""
        edges = sum(layer.edges.size for layer in self.skeleton.layers[: self.n_first])
        return edges * self.skeleton.inputs[0].base.n_factors

    def propagate(self, xp: Any, left: tuple[Any, ...], right: tuple[Any, ...], i: slice, j: slice) -> Any:
        """Return the kernel for a tile of pairs, shape (pairs,); `left` and `right` by :meth:`Base.prepare`."""
        skeleton = self.skeleton
        a, b = (xp.stack([part[:, rows] for part in side], axis=1) for side, rows in ((left, i), (right, j)))
        means = []
        for layer in skeleton.layers[: self.n_first]:
            n_nodes, degree = layer.edges.shape
            edges = xp.asarray(layer.edges)
            A, B = (side[edges].reshape(n_nodes, -1, side.shape[-1]) for side in (a, b))
            means.append((A.transpose(0, 2, 1) @ B).reshape(n_nodes, -1) / degree)
        return skeleton.propagate(xp, None, means)


def _prepared(xp: Any, X: Any, skeleton: Skeleton) -> list[tuple[Any, ...]]:
    """Prepare what the base kernels need of each group of inputs."""
    parts = []
    for group in skeleton.inputs:
        columns = X[:, group.columns]
        group.base.check(columns if xp is np else columns.get())
        parts.append(group.base.prepare(xp, columns.T))
    return parts


def _base_values(xp: Any, skeleton: Skeleton, left: list[Any], right: list[Any], i: slice, j: slice) -> Any:
    """Return the base kernels of all inputs for a tile of pairs, shape (n_inputs, pairs)."""
    size = (i.stop - i.start) * (j.stop - j.start)
    values = xp.empty((skeleton.n_inputs, size), dtype=np.float64)
    for group, a, b in zip(skeleton.inputs, left, right, strict=True):
        tile = group.base.pairs(xp, tuple(part[:, i] for part in a), tuple(part[:, j] for part in b))
        values[group.first : group.first + group.count] = tile.reshape(group.count, size)
    return values
