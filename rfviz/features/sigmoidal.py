"""Sigmoidal ridge functions: hidden units of a network whose weights are never trained."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import erf, expit

from rfviz import cuda, kernels
from rfviz.features.blocks import Scratch, project
from rfviz.features.cost import FUNCTION, Counts
from rfviz.features.description import Look, ProductLaw, Step, number, projection_step, scaled_step
from rfviz.features.draws import standard_normal
from rfviz.features.receptive import ReceptiveMap
from rfviz.params import parameter

__all__ = ["SigmoidalRidge"]

_WEIGHT_STREAM, _BIAS_STREAM = 0, 1


class SigmoidalRidge(ReceptiveMap):
    r"""A smooth step across the space, in a random direction and as steep as `scale` says.

    .. math:: \Phi(x)_\ell = \tfrac1{\sqrt m}\,\sigma(\langle w^\ell, x \rangle + b_\ell), \quad
              w \sim N(0, s^2 I_D), \; b \sim N(0, s^2)

    Its kernel has a closed form for each of the three activations (:func:`rfviz.kernels.sigmoidal`); for erf it is that
    of an infinitely wide network with one hidden layer (Williams).

    Cost: O(n·m·D), and a transcendental function a feature. Caveat: the logistic function is never negative, so that
    its mean of ½ dominates the kernel; tanh is the same map without it.

    Parameters
    ----------
    n_components : int
        Number of features m.
    activation : {"erf", "tanh", "logistic"}
    scale : float
        Standard deviation s of weights and biases. Large ones turn the sigmoids into steps; with small ones the map is
        nearly linear.
    bias : bool
        Whether steps may lie off the origin.
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
    weights_ : ndarray of shape (n_components, n_features)
    biases_ : ndarray of shape (n_components,)
        Only with `bias`.
    seed_ : int

    References
    ----------
    A. Rahimi, B. Recht, "Weighted Sums of Random Kitchen Sinks", 2008; C. Williams, "Computing with Infinite Networks",
    1997.
    """

    label = "Sigmoidal ridge"
    look = Look("#ee5a82", "longdashdot", "star")
    summary = "Smooth steps in random directions: the hidden layer of an untrained sigmoid network."
    formula = (
        r"\Phi_\ell(x)=\tfrac{1}{\sqrt m}\,\sigma(\langle w^\ell,x\rangle+b_\ell),\quad"
        r" w\sim\mathcal N(0,s^2I_d),\; b\sim\mathcal N(0,s^2)"
    )
    cost = "O(n·m·d)"
    reference = "Williams 1997; Rahimi, Recht 2008"
    rank = 30
    feature_norm = 1.0
    is_kitchen_sink = True
    activation: str = parameter(
        default="erf",
        kind="choice",
        choices=kernels.SIGMOIDS,
        label="Sigmoid",
        help="The shape of the step: the error function, the hyperbolic tangent, or the logistic function, which "
        "runs from 0 to 1.",
    )
    scale: float = parameter(
        default=1.0,
        kind="float",
        low=0.0,
        open_low=True,
        high=1e6,
        ui_low=0.1,
        ui_high=30.0,
        log=True,
        symbol="s",
        label="Scale",
        help="Standard deviation of the weights. A larger one makes the steps steeper, and the map less linear.",
    )
    bias: bool = parameter(
        default=True,
        kind="bool",
        label="Bias",
        help="Whether steps may lie off the origin. Without, the kernel depends on norms and angles only.",
    )
    _weights = ("weights_", "biases_")
    _projections = ("weights_",)
    _rotation_invariant = True

    def _numbers_per_feature(self, n_features: int) -> int:
        return n_features + bool(self.bias)

    def _draw(self, n_features: int) -> None:
        self.weights_ = np.empty((self.n_components, n_features), dtype=self.dtype)
        standard_normal(self.seed_, _WEIGHT_STREAM, out=self.weights_)
        self.weights_ *= self.weights_.dtype.type(self.scale)
        self._mask(self.weights_)
        if self.bias:
            biases = np.empty((self.n_components, 1), dtype=self.dtype)
            self.biases_ = standard_normal(self.seed_, _BIAS_STREAM, out=biases)[:, 0]
            self.biases_ *= self.biases_.dtype.type(self.scale)

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        return {name: getattr(self, name)[:n_components] for name in self._weights if hasattr(self, name)}

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        values, bias = n_samples * self.n_components, bool(self.bias)
        stored = self._stored_bytes(n_features, self.n_components * (n_features + bias))
        return Counts(2 * values * n_features, values * (bias + FUNCTION + 1), stored)

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: float, out: Any, scratch: Scratch) -> None:
        biases = weights["biases_"] if self.bias else None
        cuda.SIGMOID(xp, project(X, weights["weights_"], out), biases, self.activation, scale)

    def _explain(self, x: np.ndarray, feature: int) -> list[Step]:
        offset = float(self.biases_[feature]) if self.bias else 0.0
        first = projection_step(self.weights_[feature], x, r"\langle w,x\rangle" + "+b" * bool(self.bias), offset)
        value = float({"erf": erf, "tanh": np.tanh, "logistic": expit}[self.activation](first.value))
        step = Step(f"Apply the sigmoid, {self.activation}.", rf"\sigma({number(first.value)})={number(value)}", value)
        return [first, step, scaled_step(float(self._scale()), value)]

    @property
    def fold_meaning(self) -> str:
        return "the middles of the sigmoids, where each step is steepest"

    def pieces(self, X: Any) -> np.ndarray:
        return self._above(X, 0.5 if self.activation == "logistic" else 0.0)

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        setting = (self.activation, self.scale, self.bias)
        return self._over_rectangles(lambda A, B: kernels.sigmoidal(A, B, *setting), X, Y)

    def _product_law(self, X: np.ndarray) -> ProductLaw:
        setting = (self.activation, self.scale, self.bias)
        if self.receptive_field is None:
            one = kernels.sigmoidal_product_variance(X, *setting)[1]
        else:
            second = self._over_rectangles(lambda A, _: _second_moment(A, *setting), X)
            one = second - self._kernel(X, None) ** 2
        # Products lie between −1 and 1, of the logistic function between 0 and 1.
        length = 1.0 if self.activation == "logistic" else 2.0
        one = np.maximum(one, 0.0)  # rounding

        def bound(m: int, probability: float) -> float:
            return length * float(np.sqrt(np.log(2.0 / probability) / (2.0 * m)))

        return ProductLaw(lambda m: one / m, None, bound, "Hoeffding")


def _second_moment(X: Any, activation: str, scale: float, bias: bool) -> np.ndarray:
    """Return the mean square of one feature's product for all pairs of rows of `X`."""
    mean, variance = kernels.sigmoidal_product_variance(X, activation, scale, bias)
    return variance + mean**2
