"""Random features of a user's own activation function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from rfviz import kernels
from rfviz.backend import Device
from rfviz.errors import DataError
from rfviz.features.base import COMMON_PARAMS
from rfviz.features.blocks import Scratch, project
from rfviz.features.cost import FUNCTION, Counts
from rfviz.features.draws import uniform
from rfviz.features.gaussian_map import GaussianMap
from rfviz.features.law import ProductLaw
from rfviz.features.look import Look
from rfviz.features.receptive import RECEPTIVE_FIELD
from rfviz.features.steps import Step, number
from rfviz.formula import Formula, parse_formula
from rfviz.kernels._sampled import Integrated
from rfviz.params import Param

__all__ = ["RandomActivation"]

_LENGTH_STREAM = 1  # the Gaussian weights have 0
# By what the weights are called: lengths that are equally likely, up to the factor that makes their mean square 1.
_LENGTHS = {"gaussian": (1,), "two lengths": (1, 3), "four lengths": (1, 2, 4, 8)}
_WEIGHTS = Param(
    "weights", "gaussian", "choice", choices=tuple(_LENGTHS), label="Weights w",
    titles=("Gaussian", "Two lengths", "Four lengths"),
    help="Two lengths: half of the weights are three times as long as the others, so that their features are steeper. "
    "Four lengths: a quarter each is 1, 2, 4, 8 times as long. The mean square stays.",
)  # fmt: skip


class RandomActivation(GaussianMap):
    r"""Any function of random projections, written as a formula.

    .. math:: \Phi(x)_\ell = \tfrac1{\sqrt m}\, f(\langle w^\ell, x \rangle), \quad w^\ell \sim N(0, I_d)

    Other weights are s·w, with a random length s that does not depend on the direction, E s² = 1; their kernel is the
    mean of the Gaussian one over s.

    Its kernel is E f(⟨w, x⟩) f(⟨w, z⟩), the dual of the activation, and depends on both norms and the angle; see
    :func:`rfviz.kernels.activation`. Positive definite whatever f is. What f does beyond |⟨w, x⟩| = 4‖x‖ is hardly ever
    seen.

    Cost: O(n·m·d). Caveat: where f is not positively homogeneous, the scale of the data matters.

    Parameters
    ----------
    n_components : int
        Number of features m.
    function : str
        f(x), such as ``"tanh(3*x)"``, ``"max(0, x)^2"`` or ``"points(-3, 3, 1, 0, 1)"`` for straight lines between
        heights; what it may hold is listed in :data:`rfviz.formula.FUNCTIONS`.
    weights : {"gaussian", "two lengths", "four lengths"}
        s = 1; or half of the features three times as long as the others; or a quarter each 1, 2, 4, 8 times as long.
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
    A. Daniely, R. Frostig, Y. Singer, "Toward Deeper Understanding of Neural Networks: The Power of Initialization and
    a Dual View on Expressivity", 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from rfviz.features import RandomActivation
    >>> square = RandomActivation(function="x^2")
    >>> float(square.fit(np.eye(2)).kernel(np.eye(2))[0, 1].round(6))
    1.0
    """

    label: ClassVar[str] = "Own activation"
    look: ClassVar[Look | None] = Look("#00a51b", "dash", "star-diamond")
    summary: ClassVar[str] = "A function that you write or draw, of random projections: build your own map."
    formula: ClassVar[str] = r"\Phi_\ell(x)=\tfrac{1}{\sqrt m}\,f(\langle w^\ell,x\rangle),\quad w\sim\mathcal N(0,I_d)"
    cost: ClassVar[str] = "O(n·m·d)"
    reference: ClassVar[str] = "Daniely, Frostig, Singer 2016"
    rank: ClassVar[int] = 40
    takes_constant: ClassVar[bool] = True
    params: ClassVar[tuple[Param, ...]] = (
        *COMMON_PARAMS,
        Param(
            "function", "max(-1, min(1, x))", "formula", label="Function f(x)",
            help="A formula in x: numbers, + − * / ^, abs, sign, step, relu, min, max, sqrt, exp, log, sin, cos, tanh, "
            "sigmoid, erf. points(a, b, y1, y2, …) draws straight lines between heights, at equal steps from a to b.",
        ),
        _WEIGHTS,
        RECEPTIVE_FIELD,
    )  # fmt: skip

    def __init__(
        self,
        n_components: int = 1000,
        *,
        function: str = "max(-1, min(1, x))",
        weights: str = "gaussian",
        receptive_field: Sequence[int] | None = None,
        image_shape: Sequence[int] | None = None,
        random_state: Any = 0,
        device: str | Device = "auto",
        dtype: str = "float32",
    ) -> None:
        self.n_components = n_components
        self.function = function
        self.weights = weights
        self.receptive_field = receptive_field
        self.image_shape = image_shape
        self.random_state = random_state
        self.device = device
        self.dtype = dtype

    @property
    def _f(self) -> Formula:
        return parse_formula(self.function)

    @property
    def _lengths(self) -> np.ndarray:
        lengths = np.array(_LENGTHS[_WEIGHTS.validate(self.weights)], dtype=np.float64)
        return lengths / np.sqrt(np.mean(lengths**2))

    def _draw(self, n_features: int) -> None:
        super()._draw(n_features)
        if len(lengths := self._lengths) > 1:
            chosen = uniform(self.seed_, _LENGTH_STREAM, len(lengths), out=np.empty((self.n_components, 1)))
            self.weights_ *= lengths[chosen.astype(int)].astype(self.dtype)

    def _dual(self, f: Callable[[np.ndarray], np.ndarray], X: Any, Y: Any = None) -> np.ndarray:
        """Return the mean of f(⟨w, x⟩) f(⟨w, z⟩) over the weights."""
        # A weight that is s times as long is a function that is s times as steep. All rectangles share its integrals.
        functions = [Integrated(lambda t, s=s: f(s * t)) for s in self._lengths]

        def over_lengths(A: Any, B: Any) -> np.ndarray:
            found = [kernels.activation(A, B, function) for function in functions]
            return sum(found[1:], found[0]) / len(found)

        return self._over_rectangles(over_lengths, X, Y)

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        values, numbers = n_samples * self.n_components, self.n_components * n_features
        return Counts(2 * values * n_features, values * (FUNCTION + 1), self._stored_bytes(n_features, numbers))

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: float, out: Any, scratch: Scratch) -> None:
        project(X, weights["weights_"], out)
        values = self._f(out, xp)
        finite = xp.isfinite(values)
        if not bool(finite.all()):
            where = float(out[~finite][0])
            double = ", or use dtype='float64'" if self.dtype == "float32" else ""
            raise DataError(
                f"f(x) = {self.function} has no finite value in {self.dtype} at x = {where:.6g}, a projection of one "
                f"of these rows. Scale the data down{double}, or take a function that grows more slowly."
            )
        xp.multiply(values, out.dtype.type(scale), out=out)

    def _after_projection(self, z: float) -> list[Step]:
        value = float(self._f(np.array([z]))[0])
        return [Step("Apply the function f.", rf"f({number(z)})={number(value)}", value)]

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        return self._dual(self._f, X, Y)

    def _product_law(self, X: np.ndarray) -> ProductLaw:
        # The second moment is the kernel of the squared function.
        f = self._f

        def squared(x: np.ndarray) -> np.ndarray:
            return f(x) ** 2

        one = np.maximum(self._dual(squared, X) - self._kernel(X, None) ** 2, 0.0)
        return ProductLaw(lambda m: one / m)
