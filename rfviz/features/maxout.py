"""Random maxout features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from rfviz import kernels
from rfviz.backend import Device
from rfviz.cuda import GROUP_MAX
from rfviz.features.base import COMMON_PARAMS
from rfviz.features.blocks import Scratch, project
from rfviz.features.cost import Counts
from rfviz.features.draws import standard_normals
from rfviz.features.hashing import CollisionLaw, HashingMap, angle_law, argmax_codes, pool_codes
from rfviz.features.largest import by_feature, largest_of_groups
from rfviz.features.law import DistanceLaw, ProductLaw
from rfviz.features.look import Look
from rfviz.features.receptive import RECEPTIVE_FIELD, ReceptiveMap
from rfviz.features.steps import Step, pool_steps, scaled_step
from rfviz.params import Param

__all__ = ["FACETS", "RandomMaxout"]

FACETS = "where the winning projection changes"

# The papers' pool sizes among them, and powers of two, which halve and double what they show.
_POOL_SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128)


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
    device : {"auto", "cpu", "cuda", "cuda:<index>"}
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

    label: ClassVar[str] = "Random maxout"
    look: ClassVar[Look | None] = Look("#2a7fc4", "solid", "circle")
    summary: ClassVar[str] = "The largest of q random projections: near points keep their distance, far ones saturate."
    formula: ClassVar[str] = (
        r"\Phi_\ell(x)=\tfrac{1}{\sqrt m}\,\max_{j\le q}\,\langle w_j^\ell,x\rangle,\quad w\sim\mathcal N(0,I_d)"
    )
    cost: ClassVar[str] = "O(n·m·q·d)"
    reference: ClassVar[str] = "Mroueh, Rennie, Goel 2015"
    rank: ClassVar[int] = 50
    takes_constant: ClassVar[bool] = True
    hash_label: ClassVar[str] = "Argmax (maxout)"
    params: ClassVar[tuple[Param, ...]] = (
        *COMMON_PARAMS,
        Param(
            "pool_size", 4, "int", low=1, high=1024, log=True, marks=_POOL_SIZES, symbol="q", label="Pool size",
            help="How many projections compete for each feature. A larger pool makes the map more local: distances "
            "saturate sooner. 1 is a linear map.",
        ),
        RECEPTIVE_FIELD,
    )  # fmt: skip
    _weights: ClassVar[tuple[str, ...]] = ("weights_",)
    _projections: ClassVar[tuple[str, ...]] = ("weights_",)
    _rotation_invariant: ClassVar[bool] = True

    def __init__(
        self,
        n_components: int = 1000,
        *,
        pool_size: int = 4,
        receptive_field: Sequence[int] | None = None,
        image_shape: Sequence[int] | None = None,
        random_state: Any = 0,
        device: str | Device = "auto",
        dtype: str = "float32",
    ) -> None:
        self.n_components = n_components
        self.pool_size = pool_size
        self.receptive_field = receptive_field
        self.image_shape = image_shape
        self.random_state = random_state
        self.device = device
        self.dtype = dtype

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
        if self.pool_size > 1 and not hasattr(X, "indptr") and GROUP_MAX.works(xp, out.dtype):
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
        # No bound: the features are unbounded, and no tail of their products with explicit constants is known.
        return ProductLaw(lambda m: one / m)


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
