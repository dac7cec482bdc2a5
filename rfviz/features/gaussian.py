"""The feature maps of one Gaussian projection a feature: itself, its positive part, any function of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rfviz import bounds, cuda, kernels
from rfviz.errors import DataError
from rfviz.features.blocks import Scratch, project
from rfviz.features.cost import FUNCTION, Counts
from rfviz.features.description import DistanceLaw, Look, ProductLaw, Step, number, projection_step, scaled_step
from rfviz.features.draws import standard_normal, uniform
from rfviz.features.hashing import CollisionLaw, HashingMap, angle_law, sign_codes
from rfviz.features.receptive import ReceptiveMap
from rfviz.formula import Formula, parse_formula
from rfviz.params import parameter

__all__ = [
    "GaussianMap",
    "RandomActivation",
    "RandomProjection",
    "RandomReLU",
]

_LENGTH_STREAM = 1  # the Gaussian weights have 0
# By what the weights are called: lengths that are equally likely, up to the factor that makes their mean square 1.
_LENGTHS = {"gaussian": (1,), "two lengths": (1, 3), "four lengths": (1, 2, 4, 8)}


class GaussianMap(ReceptiveMap):
    """Base of the feature maps whose feature is a function of one projection ⟨w, x⟩ with w ~ N(0, I).

    Attributes
    ----------
    weights_ : ndarray of shape (n_components, n_features)
    """

    _weights = ("weights_",)
    _projections = ("weights_",)
    _rotation_invariant = True

    def _draw(self, n_features: int) -> None:
        self.weights_ = np.empty((self.n_components, n_features), dtype=self.dtype)
        standard_normal(self.seed_, 0, out=self.weights_)
        self._mask(self.weights_)

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        return {"weights_": self.weights_[:n_components]}

    def _explain(self, x: np.ndarray, feature: int) -> list[Step]:
        first = projection_step(self.weights_[feature], x, r"\langle w,x\rangle")
        then = self._after_projection(first.value)
        if then is None:
            return []
        value = then[-1].value if then else first.value
        return [first, *then, scaled_step(float(self._scale()), value)]

    def _after_projection(self, z: float) -> list[Step] | None:
        """Return the steps from the projection to the unscaled feature, or None if a map does not describe them."""
        return None


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
    device : str
        ``"auto"``, ``"cpu"``, ``"cuda"`` or one GPU, ``"cuda:1"``.
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

    label = "Random projection"
    look = Look("#0f9b77", "dashdot", "square")
    summary = "Linear: every distance is kept, none saturates. The baseline."
    formula = r"\Phi_\ell(x)=\tfrac{1}{\sqrt m}\,\langle w^\ell,x\rangle,\quad w\sim\mathcal N(0,I_d)"
    cost = "O(n·m·d)"
    reference = "Johnson, Lindenstrauss 1984"
    rank = 10
    takes_constant = True
    hash_label = "Signs (SimHash)"

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

    def _pair_bound(self, norm: float) -> bounds.TailBound | None:
        return None if self.receptive_field is not None else bounds.projection_pair(norm)

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
    device : str
        ``"auto"``, ``"cpu"``, ``"cuda"`` or one GPU, ``"cuda:1"``.
    dtype : {"float32", "float64"}

    Attributes
    ----------
    weights_ : ndarray of shape (n_components, n_features)
    seed_ : int

    References
    ----------
    Y. Cho, L. Saul, "Kernel Methods for Deep Learning", 2009.
    """

    label = "Random ReLU"
    look = Look("#9a7b13", "longdashdot", "cross")
    summary = "A network layer with random weights, whose inner products estimate the arc-cosine kernel."
    formula = r"\Phi_\ell(x)=\sqrt{\tfrac{2}{m}}\,\max(0,\langle w^\ell,x\rangle),\quad w\sim\mathcal N(0,I_d)"
    cost = "O(n·m·d)"
    reference = "Cho, Saul 2009"
    rank = 20
    takes_constant = True
    unit_scale = float(np.sqrt(2.0))

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        m, numbers = self.n_components, self.n_components * n_features
        return Counts(2 * n_samples * numbers, 2 * n_samples * m, self._stored_bytes(n_features, numbers))

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: float, out: Any, scratch: Scratch) -> None:
        cuda.RELU(xp, project(X, weights["weights_"], out), scale)

    def _after_projection(self, z: float) -> list[Step]:
        value = max(0.0, z)
        return [Step("Keep what is positive; else 0.", rf"\max(0,{number(z)})={number(value)}", value)]

    @property
    def fold_meaning(self) -> str:
        return "where a ReLU feature bends: zero on one side, linear on the other"

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        return self._over_rectangles(lambda A, B: kernels.arccos(A, B, degree=1), X, Y)

    def _pair_bound(self, norm: float) -> bounds.TailBound | None:
        return None if self.receptive_field is not None else bounds.piecewise_linear_pair(self.unit_scale, 1.0, norm)


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
    device : str
        ``"auto"``, ``"cpu"``, ``"cuda"`` or one GPU, ``"cuda:1"``.
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

    label = "Own activation"
    look = Look("#00a51b", "dash", "star-diamond")
    summary = "A function that you write or draw, of random projections: build your own map."
    formula = r"\Phi_\ell(x)=\tfrac{1}{\sqrt m}\,f(\langle w^\ell,x\rangle),\quad w\sim\mathcal N(0,I_d)"
    cost = "O(n·m·d)"
    reference = "Daniely, Frostig, Singer 2016"
    rank = 40
    takes_constant = True
    function: str = parameter(
        default="max(-1, min(1, x))",
        kind="formula",
        label="Function f(x)",
        help="A formula in x: numbers, + − * / ^, abs, sign, step, relu, min, max, sqrt, exp, log, sin, cos, tanh, "
        "sigmoid, erf. points(a, b, y1, y2, …) draws straight lines between heights, at equal steps from a to b.",
    )
    weights: str = parameter(
        default="gaussian",
        kind="choice",
        choices=tuple(_LENGTHS),
        label="Weights w",
        titles=("Gaussian", "Two lengths", "Four lengths"),
        help="Two lengths: half of the weights are three times as long as the others, so that their features are "
        "steeper. Four lengths: a quarter each is 1, 2, 4, 8 times as long. The mean square stays.",
    )

    @property
    def _f(self) -> Formula:
        return parse_formula(self.function)

    @property
    def _lengths(self) -> np.ndarray:
        lengths = np.array(_LENGTHS[self.param("weights").validate(self.weights)], dtype=np.float64)
        return lengths / np.sqrt(np.mean(lengths**2))

    def _draw(self, n_features: int) -> None:
        super()._draw(n_features)
        if len(lengths := self._lengths) > 1:
            chosen = uniform(self.seed_, _LENGTH_STREAM, len(lengths), out=np.empty((self.n_components, 1)))
            self.weights_ *= lengths[chosen.astype(int)].astype(self.dtype)

    def _dual(self, f: Callable[[np.ndarray], np.ndarray], X: Any, Y: Any = None) -> np.ndarray:
        """Return the mean of f(⟨w, x⟩) f(⟨w, z⟩) over the weights."""
        from rfviz.kernels._sampled import Integrated

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
