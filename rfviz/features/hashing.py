"""Feature maps as hashes: integer codes of points, of which near points share more symbols than far ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rfviz.backend import Device, check_memory, get_device, memory_budget, to_host
from rfviz.errors import ParameterError
from rfviz.features.blocks import Scratch, fits_on_gpu, gpu_blocks, host_blocks, project

if TYPE_CHECKING:
    from rfviz.features.mapping import BlockTransformer

__all__ = [
    "CollisionLaw",
    "HashingMap",
    "angle_law",
    "argmax_codes",
    "code_dtype",
    "pool_codes",
    "row_angles",
    "row_sums",
    "sign_codes",
]


# A mixin calls what the map has that it is mixed into.
_Mapper = BlockTransformer if TYPE_CHECKING else object


@dataclass(frozen=True)
class CollisionLaw:
    """The probability that one symbol of two points is the same, where it depends on one measure of their distance.

    The Hamming distance of two codes of m symbols, the number of positions where they differ, is then binomial: m draws
    of probability 1 − `curve`.

    Attributes
    ----------
    measure : callable
        ``measure(X, Z)``: distance of the rows of two matrices, row by row, shape (n,).
    curve : callable
        Distances to collision probabilities, shape (k,) to (k,).
    title : str
        What the measure is, for an axis: ``"angle between two points, degrees"``.
    reach : float or None
        Largest value of the measure, or None if it is unbounded.
    """

    measure: Callable[[np.ndarray, np.ndarray], np.ndarray]
    curve: Callable[[np.ndarray], np.ndarray]
    title: str
    reach: float | None

    def band(self, distance: np.ndarray, n_symbols: int, width: float = 1.0) -> tuple[np.ndarray, ...]:
        """Return the share of symbols that differ: its mean, and `width` standard deviations √(p(1 − p)/m) either side.

        Parameters
        ----------
        distance : ndarray of shape (k,)
        n_symbols : int
            Length of the codes, m.
        width : float

        Returns
        -------
        mean, low, high : ndarray of shape (k,)
            Within 0 and 1.
        """
        mean = 1.0 - self.curve(distance)
        spread = width * np.sqrt(mean * (1.0 - mean) / n_symbols)
        return mean, np.maximum(mean - spread, 0.0), np.minimum(mean + spread, 1.0)


class HashingMap(_Mapper):
    """Mixin of the feature maps that are hashes too: a feature is a symbol, the map of a point a code.

    A map says how many different symbols there are (`_n_symbols`), writes the codes of a block of rows
    (`_code_block`), and gives the probability that two points agree in a symbol (`_collision`, and `collision_law`
    where that depends on one distance).
    """

    hash_label: ClassVar[str] = ""  #: name among hashes, where it is not the map's own

    def codes(self, X: Any) -> np.ndarray:
        """Return the hash code of each row: one symbol per feature.

        The first symbols do not depend on `n_components`: ``prefix(k).codes(X)`` is ``codes(X)[:, :k]``.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            On the host, of the smallest unsigned integer type that holds every symbol. Those of a GPU and of a CPU
            differ where two projections tie in single precision, which is rare.

        Raises
        ------
        MemoryBudgetError
            Where the codes would not fit in memory.
        """
        return self._codes(X, self.n_components, self._code_block)

    def collision(self, X: Any, Y: Any = None) -> np.ndarray:
        """Return the probability over draws of the map that two rows have the same symbol, shape (n_X, n_Y).

        Parameters and errors are those of :meth:`FeatureMap.kernel`.
        """
        return self._collision(self._rows(X, "X"), None if Y is None else self._rows(Y, "Y"))

    def _collision(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        raise ParameterError("collision", "must have a closed form", type(self).__name__, "This map has none.")

    def collision_law(self) -> CollisionLaw | None:
        """Return the collision probability as a function of one distance, or None if it depends on more."""
        return None

    def pieces(self, X: Any) -> np.ndarray | None:
        """Return the codes: a fold runs where the symbol changes."""
        return self.codes(X)

    @property
    def symbol_bits(self) -> int:
        """Return the bits that one symbol takes in memory."""
        return max((self._n_symbols() - 1).bit_length(), 1)

    def _n_symbols(self) -> int:
        raise TypeError(f"{type(self).__name__} does not say how many symbols it has")

    def _code_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: Any, out: Any, scratch: Scratch) -> None:
        raise TypeError(f"{type(self).__name__} does not say how it hashes")

    def _codes(self, X: Any, n_columns: int, code_block: Callable[..., None]) -> np.ndarray:
        """Run `code_block` over blocks of rows, on the map's device, into a host array of `n_columns` symbols a row."""
        X = self._check_input(X)
        dtype = code_dtype(self._n_symbols())
        needed = X.shape[0] * n_columns * dtype.itemsize
        fits = int(n_columns * (memory_budget("cpu") / max(needed, 1)))
        what = f"Codes of {X.shape[0]} points with {n_columns} symbols"
        check_memory(needed, "cpu", what, f"The largest number of symbols that fits is about {fits}.")
        out = np.empty((X.shape[0], n_columns), dtype)
        device = get_device(self.device)
        if device.is_gpu and fits_on_gpu(lambda: self._codes_from_gpu(X, out, code_block, device), device):
            return out
        weights, cost = self._block_weights(get_device("cpu")), self._work(*X.shape)
        for _ in host_blocks(code_block, X, weights, None, n_columns, self.dtype, None, cost, out):
            pass
        return out

    def _codes_from_gpu(self, X: Any, out: np.ndarray, code_block: Callable[..., None], device: Device) -> None:
        start, weights = 0, self._block_weights(device)
        for block in gpu_blocks(
            code_block, X, weights, None, out.shape[1], self.dtype, None, device, out_dtype=out.dtype
        ):
            out[start : start + block.shape[0]] = to_host(block)
            start += block.shape[0]


def code_dtype(n_symbols: int) -> np.dtype:
    """Return the smallest unsigned integer type for symbols 0, …, `n_symbols` − 1."""
    return np.min_scalar_type(max(n_symbols - 1, 0))


def argmax_codes(xp: Any, X: Any, W: Any, out: Any, pool_sizes: tuple[int, ...]) -> None:
    """Return which of the first q projections is the largest, for several q in one pass.

    The running maximum is stored with its index, so that memory does not grow with the pool. Of equal projections the
    first counts, as with ``argmax``.

    Parameters
    ----------
    xp : module
        NumPy or CuPy.
    X : array or CSR matrix of shape (rows, n_features)
    W : array of shape (pool_size, m, n_features)
    out : array of shape (rows, len(pool_sizes) * m), unsigned integers
        Overwritten: m columns a pool size.
    pool_sizes : tuple of int
        Ascending.
    """
    m = W.shape[1]
    codes, sizes_left = xp.zeros((X.shape[0], m), dtype=out.dtype), list(pool_sizes)
    best = project(X, W[0], xp.empty((X.shape[0], m), dtype=W.dtype), exact=True)
    projection = xp.empty_like(best)
    for member in range(1, pool_sizes[-1] + 1):
        if member == sizes_left[0]:
            index = len(pool_sizes) - len(sizes_left)
            out[:, index * m : (index + 1) * m] = codes
            sizes_left.pop(0)
        if not sizes_left:
            return
        larger = project(X, W[member], projection, exact=True) > best
        xp.maximum(best, projection, out=best)
        # Members come in ascending order, so the last one that was larger is the largest index: two passes over
        # bytes, where an assignment through a mask would go symbol by symbol.
        xp.maximum(codes, larger.astype(out.dtype) * out.dtype.type(member), out=codes)


def sign_codes(xp: Any, X: Any, W: Any, out: Any) -> None:
    """Return 1 where a projection is positive: SimHash, whose law is that of the argmax of two projections.

    The larger of ⟨w₁, x⟩ and ⟨w₂, x⟩ is the second exactly where ⟨w₂ − w₁, x⟩ > 0, and w₂ − w₁ is Gaussian.
    """
    projection = project(X, W, xp.empty((X.shape[0], W.shape[0]), dtype=W.dtype), exact=True)
    out[...] = projection > 0


def row_angles(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Return the angle in degrees between the rows of `X` and those of `Z`, one by one; 90 where a row is zero.

    Through the sum and the difference of the directions: exact for small angles, where the arc cosine loses half of its
    digits.
    """
    directions = []
    for A in (X, Z):
        A = np.asarray(A, dtype=np.float64)
        norms = np.linalg.norm(A, axis=1, keepdims=True)
        directions.append(np.divide(A, norms, out=np.zeros_like(A), where=norms > 0))
    apart, along = (np.linalg.norm(f(*directions), axis=1) for f in (np.subtract, np.add))
    return np.degrees(2.0 * np.arctan2(apart, along))


def row_sums(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Return the sum of the absolute differences of all columns, ‖x − z‖₁, between the rows of `X` and those of `Z`."""
    return np.abs(np.asarray(X, dtype=np.float64) - Z).sum(axis=1)


def angle_law(collision_of_cosine: Callable[[np.ndarray], np.ndarray]) -> CollisionLaw:
    """Return the law of a map whose collision probability is a function of the angle alone."""

    def curve(angle: np.ndarray) -> np.ndarray:
        return collision_of_cosine(np.cos(np.radians(angle)))

    return CollisionLaw(row_angles, curve, "angle between two points, degrees", 180.0)


def pool_codes(hashing_map: Any, X: Any, pool_sizes: list[int]) -> dict[int, np.ndarray]:
    """Return the codes of the maps over the first q members of the pool, for several q at the cost of the largest."""
    sizes = tuple(sorted(set(pool_sizes)))
    limited = hashing_map.prefix_pool(sizes[-1])
    block = functools.partial(_pool_block, pool_sizes=sizes)
    codes = limited._codes(X, len(sizes) * limited.n_components, block)
    m = limited.n_components
    return {q: np.ascontiguousarray(codes[:, i * m : (i + 1) * m], dtype=code_dtype(q)) for i, q in enumerate(sizes)}


def _pool_block(
    xp: Any, X: Any, weights: dict[str, Any], scale: Any, out: Any, scratch: Scratch, pool_sizes: tuple[int, ...]
) -> None:
    argmax_codes(xp, X, weights["weights_"], out, pool_sizes)
