"""Random Fourier features."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from rfviz import kernels
from rfviz.errors import ParameterError
from rfviz.features.base import COMMON_PARAMS
from rfviz.features.blocks import Scratch, project
from rfviz.features.draws import standard_normal, uniform
from rfviz.features.law import DistanceLaw, ProductLaw
from rfviz.features.receptive import RECEPTIVE_FIELD, ReceptiveMap
from rfviz.params import Param

__all__ = ["RandomFourier"]

_FREQUENCY_STREAM, _PHASE_STREAM = 0, 1


class RandomFourier(ReceptiveMap):
    r"""Cosines of random frequencies, for the Gaussian kernel exp(−γ‖x − z‖²).

    .. math::
        \Phi(x) = \sqrt{2/m}\,\bigl(\cos\omega_1^\top x, \sin\omega_1^\top x, \dots\bigr)
        \quad\text{or}\quad \Phi(x)_\ell = \sqrt{2/m}\,\cos(\omega_\ell^\top x + b_\ell),
        \qquad \omega \sim N(0, 2\gamma I), \; b \sim U[0, 2\pi)

    Cost: O(n·m·d), half of it with pairs. Caveats: with large ‖x‖√γ the phases lose digits in float32; an odd number
    of paired features ends in a cosine without its sine, which biases the kernel estimate by O(1/m).

    Parameters
    ----------
    n_components : int
        Number of features m; best even where `paired`.
    gamma : float or "scale"
        Width of the kernel; ``"scale"`` is 1 / (n_features · variance of X), as in scikit-learn's SVC.
    paired : bool
        Whether features come as pairs (cos, sin) of one frequency rather than as cos(· + b). Pairs need half the
        matrix product, and their estimate has the lower variance wherever the kernel is not small.
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
    frequencies_ : ndarray of shape (⌈n_components / 2⌉ or n_components, n_features)
    phases_ : ndarray of shape (n_components,)
        Only without pairs.
    gamma_ : float
        The width in use.
    seed_ : int

    References
    ----------
    A. Rahimi, B. Recht, "Random Features for Large-Scale Kernel Machines", 2007.
    """

    label: ClassVar[str] = "Random Fourier"
    summary: ClassVar[str] = "Waves of random frequencies, whose inner products estimate the Gaussian kernel."
    formula: ClassVar[str] = (
        r"\Phi_\ell(x)=\sqrt{\tfrac{2}{m}}\,\cos(\omega_\ell^\top x+b_\ell),\quad \omega\sim\mathcal N(0,2\gamma I_d)"
    )
    cost: ClassVar[str] = "O(n·m·d)"
    reference: ClassVar[str] = "Rahimi, Recht 2007"
    params: ClassVar[tuple[Param, ...]] = (
        *COMMON_PARAMS,
        Param(
            "gamma", "scale", "float", low=0.0, open_low=True, high=1e12, choices=("scale",), ui_low=0.01,
            ui_high=100.0, log=True, symbol=r"\gamma", label="Gamma",
            help="Width of the Gaussian kernel exp(−γ‖x−z‖²). A larger γ sees only closer neighbours.",
        ),
        Param(
            "paired", True, "bool", label="Cos/sin pairs",
            help="Pairs (cos, sin) of one frequency instead of cos(·+b): half the matrix product, and lower variance "
            "where the kernel is not small.",
        ),
        RECEPTIVE_FIELD,
    )  # fmt: skip
    _weights: ClassVar[tuple[str, ...]] = ("frequencies_", "phases_")
    _unit_scale: ClassVar[float] = float(np.sqrt(2.0))
    rotation_invariant: ClassVar[bool] = True

    def __init__(
        self, n_components=1000, *, gamma="scale", paired=True, receptive_field=None, image_shape=None,
        random_state=0, device="auto", dtype="float32",
    ):  # fmt: skip
        self.n_components = n_components
        self.gamma = gamma
        self.paired = paired
        self.receptive_field = receptive_field
        self.image_shape = image_shape
        self.random_state = random_state
        self.device = device
        self.dtype = dtype

    def _fit_statistics(self, X: Any) -> None:
        self.gamma_ = _gamma_scale(X) if isinstance(self.gamma, str) else float(self.gamma)

    def _numbers_per_feature(self, n_features: int) -> int:
        return -(-n_features // 2) if self.paired else n_features + 1

    def _draw(self, n_features: int) -> None:
        n_frequencies = -(-self.n_components // 2) if self.paired else self.n_components
        self.frequencies_ = np.empty((n_frequencies, n_features), dtype=self.dtype)
        standard_normal(self.seed_, _FREQUENCY_STREAM, out=self.frequencies_)
        self.frequencies_ *= self.frequencies_.dtype.type(np.sqrt(2.0 * self.gamma_))
        self._mask(self.frequencies_)
        if not self.paired:
            phases = np.empty((self.n_components, 1), dtype=self.dtype)
            self.phases_ = uniform(self.seed_, _PHASE_STREAM, 2.0 * np.pi, out=phases)[:, 0]

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        if self.paired:
            return {"frequencies_": self.frequencies_[: -(-n_components // 2)]}
        return {"frequencies_": self.frequencies_[:n_components], "phases_": self.phases_[:n_components]}

    def _map_block(self, xp: Any, X: Any, weights: dict, scale: float, out: Any, scratch: Scratch) -> None:
        factor = out.dtype.type(scale)
        if self.paired:
            angles = project(X, weights["frequencies_"], scratch.like(out[:, ::2]))
            xp.cos(angles, out=out[:, ::2])
            xp.sin(angles[:, : self.n_components // 2], out=out[:, 1::2])
        else:
            project(X, weights["frequencies_"], out)
            out += weights["phases_"]
            xp.cos(out, out=out)
        out *= factor

    def kernel(self, X: Any, Y: Any = None) -> np.ndarray:
        gamma = self._fitted_gamma()
        return self._over_rectangles(lambda A, B: kernels.gaussian(A, B, gamma=gamma), X, Y)

    def _fitted_gamma(self) -> float:
        if hasattr(self, "gamma_"):
            return self.gamma_
        if isinstance(self.gamma, str):
            raise ParameterError("gamma", "must be a number before the map is fitted", self.gamma, "Call fit first.")
        return float(self.gamma)

    def distance_law(self) -> DistanceLaw | None:
        if self.receptive_field is not None:  # which pixels differ matters
            return None
        gamma, paired = self._fitted_gamma(), self.paired
        # A pair is one independent draw, and holds two features.
        draws = self.n_components / 2 if paired else self.n_components

        def moments(distance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            mean, variance = kernels.fourier_squared_distance_moments(np.exp(-gamma * distance**2), paired=paired)
            return mean, variance / draws

        return DistanceLaw(
            moments=moments,
            slope=float(np.sqrt(2.0 * gamma)),
            plateau=float(np.sqrt(2.0)),
            max_distance=np.inf,
            unit_norm=False,
        )

    def product_law(self, X: Any) -> ProductLaw | None:
        if self.receptive_field is not None:
            return None
        k = self.kernel(X)
        one = kernels.fourier_product_variance(k, paired=self.paired)
        if not self.paired:
            # 2 cos(·) cos(·) lies in an interval of length 4.
            return ProductLaw(lambda m: one / m, None, lambda m, p: np.sqrt(8.0 * np.log(2.0 / p) / m), "Hoeffding")
        k_sum = self.kernel(X, -np.asarray(X))  # k(x + z), and k(2x) on the diagonal
        lone = kernels.fourier_lone_cosine_moments(k, k_sum, np.add.outer(np.diag(k_sum), np.diag(k_sum)))[1]

        def variance(m: int) -> np.ndarray:
            return 2.0 / m * one if m % 2 == 0 else (2.0 * (m - 1) * one + 4.0 * lone) / m**2

        def bound(m: int, probability: float) -> float:
            # ⌈m/2⌉ terms, each in an interval of length 4/m; for an odd m the bias, which is 1/m at most, comes on top.
            return float(np.sqrt(8.0 * (-(-m // 2)) * np.log(2.0 / probability)) / m) + (m % 2) / m

        return ProductLaw(variance, lambda m: k_sum * (m % 2 / m), bound, "Hoeffding")


def _gamma_scale(X: Any) -> float:
    """1 / (n_features · variance of all entries of X), scikit-learn's ``gamma="scale"``; 1 for constant data."""
    if sparse.issparse(X):
        size = X.shape[0] * X.shape[1]
        mean = X.data.sum(dtype=np.float64) / size
        # Around the mean, zeros included: the mean of squares less the squared mean would cancel.
        variance = float(np.sum((X.data - mean) ** 2) + (size - X.data.size) * mean**2) / size
    else:
        variance = float(np.var(X, dtype=np.float64))
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
