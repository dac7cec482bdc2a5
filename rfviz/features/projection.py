"""Gaussian random projections: the linear map that the others are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from rfviz import kernels
from rfviz.backend import Device
from rfviz.features.base import COMMON_PARAMS
from rfviz.features.blocks import Scratch, project
from rfviz.features.cost import Counts
from rfviz.features.gaussian_map import GaussianMap
from rfviz.features.hashing import CollisionLaw, HashingMap, angle_law, sign_codes
from rfviz.features.law import DistanceLaw, ProductLaw
from rfviz.features.look import Look
from rfviz.features.receptive import RECEPTIVE_FIELD
from rfviz.features.steps import Step
from rfviz.params import Param

__all__ = ["RandomProjection"]


class RandomProjection(HashingMap, GaussianMap):
    r"""Linear Gaussian projections; random maxout with a pool of one.

    .. math:: \Phi(x)_\ell = \tfrac1{\sqrt m} \langle w^\ell, x \rangle, \quad w^\ell \sim N(0, I_d)

    Its kernel is the inner product xᵀz. Every distance is preserved up to a factor 1 ± O(1/√m) (Johnson and
    Lindenstrauss).

    The signs of the projections are a hash of x (:meth:`codes`, SimHash): two points at the angle θ share a bit with
    probability 1 − θ/π.

    Cost: O(n·m·d). Caveat: it adds no non-linearity; a linear model on it is a linear model.

    Parameters
    ----------
    n_components : int
        Number of features m.
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
    weights_ : ndarray of shape (n_components, n_features)
    seed_ : int

    References
    ----------
    W. Johnson, J. Lindenstrauss, "Extensions of Lipschitz mappings into a Hilbert space", 1984.
    M. Charikar, "Similarity Estimation Techniques from Rounding Algorithms", 2002 (the signs).
    """

    label: ClassVar[str] = "Random projection"
    look: ClassVar[Look | None] = Look("#0f9b77", "dashdot", "square")
    summary: ClassVar[str] = "Linear: every distance is kept, none saturates. The baseline."
    formula: ClassVar[str] = r"\Phi_\ell(x)=\tfrac{1}{\sqrt m}\,\langle w^\ell,x\rangle,\quad w\sim\mathcal N(0,I_d)"
    params: ClassVar[tuple[Param, ...]] = (*COMMON_PARAMS, RECEPTIVE_FIELD)
    cost: ClassVar[str] = "O(n·m·d)"
    reference: ClassVar[str] = "Johnson, Lindenstrauss 1984"
    rank: ClassVar[int] = 10
    takes_constant: ClassVar[bool] = True
    hash_label: ClassVar[str] = "Signs (SimHash)"

    def __init__(
        self,
        n_components: int = 1000,
        *,
        receptive_field: Sequence[int] | None = None,
        image_shape: Sequence[int] | None = None,
        random_state: Any = 0,
        device: str | Device = "auto",
        dtype: str = "float32",
    ) -> None:
        self.n_components = n_components
        self.receptive_field = receptive_field
        self.image_shape = image_shape
        self.random_state = random_state
        self.device = device
        self.dtype = dtype

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        numbers = self.n_components * n_features
        # The rows are scaled, not the features.
        return Counts(2 * n_samples * numbers, n_samples * n_features, self._stored_bytes(n_features, numbers))

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: float, out: Any, scratch: Scratch) -> None:
        project(X * X.dtype.type(scale), weights["weights_"], out)

    def _after_projection(self, z: float) -> list[Step]:
        return []

    def _n_symbols(self) -> int:
        return 2

    def _code_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: Any, out: Any, scratch: Scratch) -> None:
        sign_codes(xp, X, weights["weights_"], out)

    def _collision(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        return self._over_rectangles(lambda A, B: kernels.maxout_collision(A, B, pool_size=2), X, Y)

    def collision_law(self) -> CollisionLaw | None:
        if self.receptive_field is not None:
            return None
        return angle_law(lambda cosine: kernels.collision_rho(cosine, 2))

    @property
    def fold_meaning(self) -> str:
        return ""

    def pieces(self, X: Any) -> None:
        """Return None: the signs are a hash, but a linear feature goes through zero without a bend."""

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        return self._over_rectangles(kernels.linear, X, Y)

    def distance_law(self) -> DistanceLaw | None:
        if self.receptive_field is not None:  # which pixels differ matters
            return None
        # ‖Φ(x) − Φ(z)‖² is δ²·χ²_m/m.
        return DistanceLaw(
            moments=lambda distance: (distance**2, 2.0 * distance**4 / self.n_components),
            slope=1.0,
            plateau=None,
            max_distance=np.inf,
            unit_norm=False,
        )

    def _product_law(self, X: np.ndarray) -> ProductLaw:
        if self.receptive_field is not None:
            one = self._over_rectangles(_second_moment, X) - self._kernel(X, None) ** 2
            return ProductLaw(lambda m: one / m)
        products = kernels.linear(X)
        squares = np.diag(products)
        one = products**2 + np.outer(squares, squares)

        def bound(m: int, probability: float) -> np.ndarray:
            # ⟨Φ(x), Φ(z)⟩ is a quarter of ‖Φ(x + z)‖² − ‖Φ(x − z)‖², two multiples of χ²_m/m, and |χ²_m/m − 1| exceeds
            # 2√(t/m) + 2t/m with probability 2e^−t at most (Laurent and Massart 2000, Lemma 1).
            t = np.log(4.0 / probability)
            return 0.5 * np.add.outer(squares, squares) * (2.0 * np.sqrt(t / m) + 2.0 * t / m)

        return ProductLaw(lambda m: one / m, bound=bound, bound_name="χ² tail")


def _second_moment(X: Any, Y: Any) -> np.ndarray:
    """Return E ⟨w, x⟩²⟨w, z⟩² for all pairs of rows of `X`."""
    products = kernels.linear(X, Y)
    squares = np.diag(products)
    return 2.0 * products**2 + np.outer(squares, squares)
