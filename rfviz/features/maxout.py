"""Random maxout features: over Gaussian projections, and over fast ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rfviz import bounds, cuda, kernels
from rfviz.backend import block_share
from rfviz.features.base import FeatureMap
from rfviz.features.blocks import Scratch, project
from rfviz.features.cost import Counts
from rfviz.features.description import NO_SPREAD, DistanceLaw, Look, ProductLaw, Step, pool_steps, scaled_step
from rfviz.features.draws import chi_square, standard_normals
from rfviz.features.hashing import CollisionLaw, HashingMap, angle_law, argmax_codes, pool_codes
from rfviz.features.receptive import ReceptiveMap
from rfviz.features.structured import (
    block_count,
    draw_signs,
    faster_as_a_matrix,
    padded_size,
    structured_counts,
    structured_matrix,
    structured_multiply_adds,
    structured_project,
)
from rfviz.params import Param

__all__ = [
    "FACETS",
    "POOL_SIZE",
    "RandomMaxout",
    "StructuredMaxout",
    "by_feature",
    "largest_of_groups",
    "largest_of_picked",
]

FACETS = "where the winning projection changes"

# The papers' pool sizes among them, and powers of two, which halve and double what they show.
_POOL_SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128)
POOL_SIZE: Any = Param(
    "pool_size",
    4,
    "int",
    low=1,
    high=1024,
    log=True,
    marks=_POOL_SIZES,
    symbol="q",
    label="Pool size",
    compared=(1, 2, 4, 8, 16, 32, 64, 128),
    help="How many projections compete for each feature. A larger pool makes the map more local: distances "
    "saturate sooner. 1 is a linear map.",
)
# Products that exist at a time, measured on an H100: 16,384 rows of 40,000 take 21 ms in float32 and 4.4 in TF32 so, no
# more with more of them, 24 and 4.2 with half as many. In tiles that stay in the chip's cache they took 29 and 8.
_PRODUCT_BYTES = 320_000_000


class RandomMaxout(HashingMap, ReceptiveMap):
    r"""The largest of `pool_size` Gaussian projections, `n_components` times.

    .. math:: \Phi(x)_\ell = \tfrac1{\sqrt m} \max_{j \le q} \langle w^\ell_j, x \rangle, \quad w^\ell_j \sim N(0, I_d)

    Its kernel is ‖x‖‖z‖K(cos), with K' the probability that both points choose the same projection (see
    :func:`rfviz.kernels.maxout`). Small distances are preserved, large ones saturate, the sooner the larger the pool.

    *Which* projection is the largest is a hash of x (:meth:`codes`): two points share a symbol with probability K'.

    Cost: O(n·m·q·d) multiply-adds, two blocks of memory; the n × mq array of all projections is never formed.

    Caveat: the paper's Theorem 1 prints another kernel, which is not the expectation of the map.

    Parameters
    ----------
    n_components : int
        Number of features m.
    pool_size : int
        Number of projections q of which a feature is the largest; 1 gives linear random projections.
    receptive_field : (low, high) or None
        For images: bounds of the sides of the random rectangle that a feature sees, in pixels; None for all pixels. See
        :mod:`rfviz.features.receptive`.
    image_shape : (height, width) or (height, width, channels), optional
        Of the rows, with `receptive_field`; by default as square as their number of columns allows.
    random_state : int, None, RandomState or Generator
    device : str
        ``"auto"``, ``"cpu"``, ``"cuda"`` or one GPU, ``"cuda:1"``.
    dtype : {"float32", "float64"}

    Attributes
    ----------
    weights_ : ndarray of shape (pool_size, n_components, n_features)
    seed_ : int
        The seed in use; with it the same map can be drawn again.

    References
    ----------
    Y. Mroueh, S. Rennie, V. Goel, "Random Maxout Features", 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from rfviz.features import RandomMaxout
    >>> X = np.eye(3)
    >>> RandomMaxout(n_components=5000, pool_size=4).fit_transform(X).shape
    (3, 5000)
    """

    label = "Random maxout"
    look = Look("#2a7fc4", "solid", "circle")
    summary = "The largest of q random projections: near points keep their distance, far ones saturate."
    formula = r"\Phi_\ell(x)=\tfrac{1}{\sqrt m}\,\max_{j\le q}\,\langle w_j^\ell,x\rangle,\quad w\sim\mathcal N(0,I_d)"
    cost = "O(n·m·q·d)"
    reference = "Mroueh, Rennie, Goel 2015"
    rank = 50
    takes_constant = True
    hash_label = "Argmax (maxout)"
    pool_size: int = POOL_SIZE
    _weights = ("weights_",)
    _projections = ("weights_",)
    _rotation_invariant = True

    def _numbers_per_feature(self, n_features: int) -> int:
        return self.pool_size * n_features

    def _draw(self, n_features: int) -> None:
        self.weights_ = np.empty((self.pool_size, self.n_components, n_features), dtype=self.dtype)
        # One stream a pool member, so that the map with a smaller pool is contained in this one.
        standard_normals(self.seed_, self.weights_)
        self._mask(self.weights_)  # all members of a feature see the same rectangle

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        return {"weights_": self.weights_[:, :n_components]}

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        m, q = self.n_components, self.pool_size
        others = n_samples * m * (q - 1) + n_samples * n_features
        return Counts(2 * n_samples * m * q * n_features, others, self._stored_bytes(n_features, m * q * n_features))

    def prefix_pool(self, pool_size: int) -> RandomMaxout:
        """Return the map whose features are the largest of only the first `pool_size` projections, sharing memory."""
        return self.members(0, self._validate_prefix("pool_size", pool_size, self.pool_size))

    def members(self, first: int, last: int) -> RandomMaxout:
        """Return the map over the pool members from `first` up to, but not including, `last`, sharing memory.

        The maximum of the unscaled features of ``members(0, p)`` and ``members(p, q)`` is that of ``members(0, q)``, so
        one pass over the members gives every pool size on the way.
        """
        part = self.prefix(self.n_components)
        part._adopt(pool_size=last - first)
        part.weights_ = self.weights_[first:last]
        return part

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: float, out: Any, scratch: Scratch) -> None:
        # The largest projection scales with x, so scaling the few inputs spares a pass over the many outputs.
        X = X * X.dtype.type(scale)
        if self.pool_size > 1 and not hasattr(X, "indptr") and cuda.GROUP_MAX.works(xp, out.dtype):
            largest_of_groups(xp, X, by_feature(xp, weights), out, scratch)
            return
        W = weights["weights_"]
        project(X, W[0], out)
        if self.pool_size > 1:
            projection = scratch.like(out)
            for member in range(1, self.pool_size):
                xp.maximum(out, project(X, W[member], projection), out=out)

    def _explain(self, x: np.ndarray, feature: int) -> list[Step]:
        steps = pool_steps(self.weights_[:, feature], x)
        return [*steps, scaled_step(float(self._scale()), steps[-1].value)]

    def _n_symbols(self) -> int:
        return self.pool_size

    def _code_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: Any, out: Any, scratch: Scratch) -> None:
        argmax_codes(xp, X, weights["weights_"], out, (self.pool_size,))

    def pool_codes(self, X: Any, pool_sizes: list[int]) -> dict[int, np.ndarray]:
        """Return ``prefix_pool(q).codes(X)`` by q, for several q at the cost of the largest."""
        return pool_codes(self, X, [self._validate_prefix("pool_size", q, self.pool_size) for q in pool_sizes])

    def _collision(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        q = self.pool_size
        return self._over_rectangles(lambda A, B: kernels.maxout_collision(A, B, pool_size=q), X, Y)

    def collision_law(self) -> CollisionLaw | None:
        if self.receptive_field is not None:
            return None
        return angle_law(lambda cosine: kernels.collision_rho(cosine, self.pool_size))

    @property
    def fold_meaning(self) -> str:
        return "" if self.pool_size == 1 else FACETS

    def pieces(self, X: Any) -> np.ndarray | None:
        return None if self.pool_size == 1 else self.codes(X)

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        q = self.pool_size
        return self._over_rectangles(lambda A, B: kernels.maxout(A, B, pool_size=q), X, Y)

    def distance_law(self) -> DistanceLaw | None:
        if self.receptive_field is not None:  # which pixels differ matters
            return None
        q, m = self.pool_size, self.n_components

        def moments(distance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            mean, variance = kernels.maxout_squared_distance_moments(distance, q)
            return mean, variance / m

        return DistanceLaw(
            moments=moments,
            slope=1.0,
            plateau=kernels.maxout_plateau(q) if q > 1 else None,
            max_distance=2.0,
            unit_norm=True,
            as_printed=(lambda distance: _distance_as_printed(distance, q)) if q > 1 else None,
        )

    def _product_law(self, X: np.ndarray) -> ProductLaw:
        q = self.pool_size
        if self.receptive_field is None:
            one = _product_moments(X, q)[1]
        else:
            second = self._over_rectangles(lambda A, _: _second_moment(A, q), X)
            one = second - self._kernel(X, None) ** 2
        return ProductLaw(lambda m: one / m)

    def _pair_bound(self, norm: float) -> bounds.TailBound | None:
        if self.receptive_field is not None:
            return None
        return bounds.piecewise_linear_pair(1.0, kernels.expected_max_squared(self.pool_size), norm)


def _distance_as_printed(distance: np.ndarray, pool_size: int) -> np.ndarray:
    """Return the embedded distance of unit vectors if the paper's Theorem 1 gave the kernel, which it does not."""
    rho = np.clip(1.0 - 0.5 * np.square(distance), -1.0, 1.0)
    at_zero = kernels.expected_max_squared(pool_size)
    return np.sqrt(2.0 * np.maximum(at_zero - kernels.maxout_theorem1_as_printed(rho, pool_size), 0.0))


def _product_moments(X: Any, pool_size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and variance of one feature's h(x)h(z) for all pairs of rows of `X`."""
    _, cosines, norms, _ = kernels.pairwise_cosines(X)
    mean, variance = kernels.maxout_product_moments(cosines, pool_size)
    scale = np.outer(norms, norms)
    return mean * scale, variance * scale**2


def _second_moment(X: Any, pool_size: int) -> np.ndarray:
    mean, variance = _product_moments(X, pool_size)
    return variance + mean**2


class StructuredMaxout(FeatureMap):
    r"""Random maxout whose projections are fast Johnson-Lindenstrauss transforms, out of Hadamard matrices and signs.

    .. math:: \Phi(x)_\ell = \tfrac1{\sqrt m} \max_{j \le q} (T_j x)_\ell, \quad T_j = S H D_1 H D_2 H D_3

    Each member j of the pool has blocks of its own (see :mod:`rfviz.features.structured`), so the projections that
    compete for a feature are independent, as those of :class:`RandomMaxout` are. Rows have the lengths of Gaussian
    rows, but their directions are not quite uniform, so the kernel is that of maxout with an error below 1e-3 of the
    kernel in blocks so large. Rows of one block are orthogonal, which lowers the variance.

    Cost: O(n·m·q·log p), p the least power of two ≥ d (64 at least), and 4 stored numbers a projection instead of d.
    On two cores it is 1.4 times as fast at 784 columns, 3 times at 2048, nearly 7 times at 4096 or more.

    Caveats: data with d far below p pay for p; fewer than p features pay for a whole block; sparse data are made dense.

    Parameters
    ----------
    n_components : int
        Number of features m.
    pool_size : int
        Number of projections q of which a feature is the largest; 1 gives linear projections.
    random_state : int, None, RandomState or Generator
    device : str
        ``"auto"``, ``"cpu"``, ``"cuda"`` or one GPU, ``"cuda:1"``.
    dtype : {"float32", "float64"}

    Attributes
    ----------
    signs_ : ndarray of shape (pool_size, ⌈n_components / p⌉, 3, p)
    radii_ : ndarray of shape (pool_size, n_components)
        Lengths of the rows: chi-distributed with p degrees of freedom.
    seed_ : int

    References
    ----------
    Y. Mroueh, S. Rennie, V. Goel, "Random Maxout Features", 2015 (its outlook); N. Ailon, B. Chazelle, "The Fast
    Johnson-Lindenstrauss Transform", 2009; F. Yu et al., "Orthogonal Random Features", 2016.
    """

    label = "Structured maxout"
    look = Look("#27717f", "dashdot", "hexagon")
    _law_missing = NO_SPREAD
    summary = "Maxout on fast Hadamard projections: nearly the same kernel, faster when there are many columns."
    formula = r"\Phi_\ell(x)=\tfrac{1}{\sqrt m}\,\max_{j\le q}\,(T_jx)_\ell,\quad T_j=S\,HD_1HD_2HD_3\ \text{in blocks}"
    cost = "O(n·m·q·log d)"
    reference = "Mroueh, Rennie, Goel 2015; Ailon, Chazelle 2009"
    rank = 70
    takes_constant = True
    pool_size: int = POOL_SIZE
    _weights = ("signs_", "radii_")

    def _numbers_per_feature(self, n_features: int) -> int:
        return 4 * self.pool_size

    def weight_bytes(self, n_features: int) -> int:
        # Even one feature takes whole blocks.
        block = 3 * self.pool_size * padded_size(n_features) * np.dtype(self.dtype).itemsize
        return super().weight_bytes(n_features) + block

    def multiply_adds(self, n_samples: int, n_features: int) -> int:
        return self.pool_size * structured_multiply_adds(n_samples, self.n_components, n_features)

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        m, q = self.n_components, self.pool_size
        transforms, signs = structured_counts(n_samples, m, n_features)
        others = q * (transforms + n_samples * m) + n_samples * m * (q - 1) + n_samples * n_features
        return Counts(0, others, self._stored_bytes(n_features, q * (signs + m)))

    def _draw(self, n_features: int) -> None:
        blocks, size = block_count(self.n_components, n_features), padded_size(n_features)
        self.signs_ = np.empty((self.pool_size, blocks, 3, size), dtype=self.dtype)
        self.radii_ = np.empty((self.pool_size, self.n_components), dtype=self.dtype)
        # Two streams a pool member, so that the map with a smaller pool is contained in this one.
        for member in range(self.pool_size):
            self.signs_[member] = draw_signs(self.seed_, 2 * member, self.n_components, n_features, self.dtype)
            squares = chi_square(self.seed_, 2 * member + 1, size, np.empty((self.n_components, 1)))
            self.radii_[member] = np.sqrt(squares[:, 0])

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        blocks = block_count(n_components, self.n_features_in_)
        return {"signs_": self.signs_[:, :blocks], "radii_": self.radii_[:, :n_components]}

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: float, out: Any, scratch: Scratch) -> None:
        signs, radii = weights["signs_"], weights["radii_"]
        if "matrices" not in weights and faster_as_a_matrix(xp, X, radii.size):
            matrices = xp.empty((self.n_components, self.pool_size, X.shape[1]), dtype=out.dtype)
            for member in range(self.pool_size):
                matrices[:, member] = structured_matrix(xp, signs[member], radii[member], X.shape[1])
            weights["matrices"] = matrices
        if "matrices" in weights:
            largest_of_groups(xp, X * X.dtype.type(scale), weights["matrices"], out, scratch, exact=True)
            return
        X = (X.toarray() if hasattr(X, "indptr") else X) * X.dtype.type(scale)
        structured_project(X, signs[0], radii[0], out)
        if self.pool_size > 1:
            projection = scratch.like(out)
            for member in range(1, self.pool_size):
                xp.maximum(out, structured_project(X, signs[member], radii[member], projection), out=out)

    @property
    def fold_meaning(self) -> str:
        return "" if self.pool_size == 1 else super().fold_meaning

    def pieces(self, X: Any) -> np.ndarray | None:
        return None if self.pool_size == 1 else super().pieces(X)

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        # That of random maxout, which this map estimates with a small bias.
        return kernels.maxout(X, Y, pool_size=self.pool_size)


def by_feature(xp: Any, weights: dict[str, Any]) -> Any:
    """Return the weights of a pool, shape (pool_size, m, d), as an array of shape (m, pool_size, d).

    The entry of `weights` becomes a view of it: there are never two copies for long, and one rearrangement serves all
    blocks.
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
        cuda.GROUP_MAX(xp, products, pool, out[rows])


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
        cuda.POOL_MAX(xp, products, indices, out[rows])


def _products(X: Any, W: Any, out: Any, scratch: Scratch, exact: bool = False) -> Iterator[tuple[slice, Any]]:
    """Yield consecutive rows and their products with all of `W`, valid until the next ones are asked for."""
    high = max(int(_PRODUCT_BYTES * block_share()) // (len(W) * out.dtype.itemsize), 1)
    for start in range(0, len(out), high):
        rows = slice(start, min(start + high, len(out)))
        yield rows, project(X[rows], W, scratch.empty((rows.stop - start, len(W)), out.dtype), exact)
