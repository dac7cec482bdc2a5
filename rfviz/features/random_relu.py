"""Random ReLU features: a layer of a network that is never trained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from rfviz import kernels
from rfviz.backend import Device
from rfviz.cuda import RELU
from rfviz.features.base import COMMON_PARAMS
from rfviz.features.blocks import Scratch, project
from rfviz.features.cost import Counts
from rfviz.features.gaussian_map import GaussianMap
from rfviz.features.look import Look
from rfviz.features.receptive import RECEPTIVE_FIELD
from rfviz.features.steps import Step, number
from rfviz.params import Param

__all__ = ["RandomReLU"]


class RandomReLU(GaussianMap):
    r"""Positive parts of Gaussian projections.

    .. math:: \Phi(x)_\ell = \sqrt{2/m}\,\max(0, \langle w^\ell, x \rangle), \quad w^\ell \sim N(0, I_d)

    Its kernel is the arc-cosine kernel of degree 1, ‖x‖‖z‖(sin θ + (π − θ)cos θ)/π with θ the angle between x and z
    (:func:`rfviz.kernels.arccos`): that of a computation skeleton with a ReLU node above a sphere, or of a network with
    one hidden layer of infinitely many random ReLUs.

    Cost: O(n·m·d). Caveat: all features are non-negative, so that their mean, of the size of the kernel at right
    angles (1/π), dominates the first principal component.

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
    Y. Cho, L. Saul, "Kernel Methods for Deep Learning", 2009.
    """

    label: ClassVar[str] = "Random ReLU"
    look: ClassVar[Look | None] = Look("#9a7b13", "longdashdot", "cross")
    summary: ClassVar[str] = "A network layer with random weights, whose inner products estimate the arc-cosine kernel."
    formula: ClassVar[str] = (
        r"\Phi_\ell(x)=\sqrt{\tfrac{2}{m}}\,\max(0,\langle w^\ell,x\rangle),\quad w\sim\mathcal N(0,I_d)"
    )
    params: ClassVar[tuple[Param, ...]] = (*COMMON_PARAMS, RECEPTIVE_FIELD)
    cost: ClassVar[str] = "O(n·m·d)"
    reference: ClassVar[str] = "Cho, Saul 2009"
    rank: ClassVar[int] = 20
    takes_constant: ClassVar[bool] = True
    unit_scale: ClassVar[float] = float(np.sqrt(2.0))

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
        m, numbers = self.n_components, self.n_components * n_features
        return Counts(2 * n_samples * numbers, 2 * n_samples * m, self._stored_bytes(n_features, numbers))

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: float, out: Any, scratch: Scratch) -> None:
        RELU(xp, project(X, weights["weights_"], out), scale)

    def _after_projection(self, z: float) -> list[Step]:
        value = max(0.0, z)
        return [Step("Keep what is positive; else 0.", rf"\max(0,{number(z)})={number(value)}", value)]

    @property
    def fold_meaning(self) -> str:
        return "where a ReLU feature bends: zero on one side, linear on the other"

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        return self._over_rectangles(lambda A, B: kernels.arccos(A, B, degree=1), X, Y)
