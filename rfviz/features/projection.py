"""Gaussian random projections: the linear map that the others are compared with."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from rfviz import kernels
from rfviz.features.base import FeatureMap
from rfviz.features.blocks import Scratch, project
from rfviz.features.draws import standard_normal
from rfviz.features.law import DistanceLaw, ProductLaw

__all__ = ["RandomProjection"]


class RandomProjection(FeatureMap):
    r"""Linear Gaussian projections; random maxout with a pool of one.

    .. math:: \Phi(x)_\ell = \tfrac1{\sqrt m} \langle w^\ell, x \rangle, \quad w^\ell \sim N(0, I_d)

    Its kernel is the inner product xᵀz. Every distance is kept up to a factor 1 ± O(1/√m) (Johnson and Lindenstrauss).

    Cost: O(n·m·d). Caveat: it adds no non-linearity; a linear model on it is a linear model.

    Parameters
    ----------
    n_components : int
        Number of features m.
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
    """

    label: ClassVar[str] = "Random projection"
    summary: ClassVar[str] = "Linear: every distance is kept, none saturates. The baseline."
    formula: ClassVar[str] = r"\Phi_\ell(x)=\tfrac{1}{\sqrt m}\,\langle w^\ell,x\rangle,\quad w\sim\mathcal N(0,I_d)"
    _weights: ClassVar[tuple[str, ...]] = ("weights_",)
    rotation_invariant: bool = True

    def __init__(self, n_components=1000, *, random_state=0, device="auto", dtype="float32"):
        self.n_components = n_components
        self.random_state = random_state
        self.device = device
        self.dtype = dtype

    def _draw(self, n_features: int) -> None:
        self.weights_ = np.empty((self.n_components, n_features), dtype=self.dtype)
        standard_normal(self.seed_, 0, out=self.weights_)

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        return {"weights_": self.weights_[:n_components]}

    def _map_block(self, xp: Any, X: Any, weights: dict, scale: float, out: Any, scratch: Scratch) -> None:
        project(X * X.dtype.type(scale), weights["weights_"], out)

    def kernel(self, X: Any, Y: Any = None) -> np.ndarray:
        return kernels.linear(X, Y)

    def distance_law(self) -> DistanceLaw:
        # ‖Φ(x) − Φ(z)‖² is δ²·χ²_m/m.
        return DistanceLaw(
            moments=lambda distance: (distance**2, 2.0 * distance**4 / self.n_components),
            slope=1.0,
            plateau=None,
            max_distance=np.inf,
            unit_norm=False,
        )

    def product_law(self, X: Any) -> ProductLaw:
        products = kernels.linear(X)
        squares = np.diag(products)
        one = products**2 + np.outer(squares, squares)

        def bound(m: int, probability: float) -> np.ndarray:
            # ⟨Φ(x), Φ(z)⟩ is a quarter of ‖Φ(x + z)‖² − ‖Φ(x − z)‖², two multiples of χ²_m/m, and |χ²_m/m − 1| exceeds
            # 2√(t/m) + 2t/m with probability 2e^−t at most (Laurent and Massart 2000, Lemma 1).
            t = np.log(4.0 / probability)
            return 0.5 * np.add.outer(squares, squares) * (2.0 * np.sqrt(t / m) + 2.0 * t / m)

        return ProductLaw(lambda m: one / m, bound=bound, bound_name="χ² tail")
