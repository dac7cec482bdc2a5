"""Products of a linear feature and a Fourier feature: a kernel that is linear near every point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from rfviz import cuda, kernels
from rfviz.features.blocks import Scratch, project
from rfviz.features.cost import FUNCTION, Counts
from rfviz.features.description import Look, ProductLaw, Step, number, projection_step, scaled_step
from rfviz.features.draws import standard_normal, uniform
from rfviz.features.fourier import RandomFourier
from rfviz.features.precision import check_phases, large_phases
from rfviz.features.receptive import ReceptiveMap
from rfviz.features.widths import known_width, learnt_gamma, width_in_use

__all__ = ["LinearFourier"]

_WEIGHTS, _FREQUENCIES, _PHASES = 0, 1, 2  # streams


class LinearFourier(ReceptiveMap):
    r"""A random projection times a random wave.

    .. math::
        \Phi(x)_\ell = \sqrt{2/m}\,\langle w^\ell, x\rangle \cos(\omega_\ell^\top x + b_\ell),
        \qquad w \sim N(0, I_d), \; \omega \sim N(0, 2\gamma I_d), \; b \sim U[0, 2\pi)

    Its kernel is the product ⟨x, z⟩ exp(−γ‖x − z‖²): a function in its space is a sum of linear functions, each of
    which counts near one point. "Random Maxout Features" names it as the rival of maxout, whose kernel was meant to be
    of this kind, with the Kronecker product of all columns and all waves for its features, d·m of them. Here each wave
    has one random projection instead, so that there are m, and any number of columns.

    Cost: O(n·m·d), twice that of random projections. Caveats: features are unbounded, and the estimate of the kernel
    varies as ‖x‖²‖z‖²; with large ‖x‖√γ the phases lose digits, of which a warning tells.

    Parameters
    ----------
    n_components : int
        Number of features m.
    gamma : float, "scale" or "median"
        Width of the Gaussian factor, learnt from the data as by :class:`RandomFourier`.
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
    weights_, frequencies_ : ndarray of shape (n_components, n_features)
    phases_ : ndarray of shape (n_components,)
    gamma_ : float
        The width in use.
    seed_ : int

    References
    ----------
    Y. Mroueh, S. Rennie, V. Goel, "Random Maxout Features", 2015, section 1.
    """

    label = "Linear × Fourier"
    look = Look("#c026d3", "dash", "hexagram")
    summary = "A projection times a wave: its kernel is linear near every point, as that of maxout was meant to be."
    formula = (
        r"\Phi_\ell(x)=\sqrt{\tfrac{2}{m}}\,\langle w^\ell,x\rangle\cos(\omega_\ell^\top x+b_\ell),\quad"
        r" w\sim\mathcal N(0,I_d),\ \omega\sim\mathcal N(0,2\gamma I_d)"
    )
    cost = "O(n·m·d)"
    reference = "Mroueh, Rennie, Goel 2015"
    rank = 85
    plane_params: ClassVar[Mapping[str, Any]] = {"gamma": 0.5}
    from_data = ("gamma_",)
    unit_scale = float(np.sqrt(2.0))
    gamma: Any = RandomFourier.param("gamma")
    _weights = ("weights_", "frequencies_", "phases_")
    _projections = ("weights_", "frequencies_")
    _rotation_invariant = True

    # --- drawing ------------------------------------------------------------------------------------------------------

    def _fit_statistics(self, X: Any) -> None:
        self.gamma_ = width_in_use(self.gamma, X.shape[1], lambda rule: learnt_gamma(rule, "gaussian", X))

    def _check_precision(self, X: Any) -> None:
        check_phases(X, self._column_scale(), self.gamma_, self.dtype, axes=False)

    def _column_scale(self) -> Any:
        return np.sqrt(2.0 * known_width(self))

    def _numbers_per_feature(self, n_features: int) -> int:
        return 2 * n_features + 1

    def _draw(self, n_features: int) -> None:
        shape = (self.n_components, n_features)
        self.weights_ = standard_normal(self.seed_, _WEIGHTS, out=np.empty(shape, dtype=self.dtype))
        self.frequencies_ = standard_normal(self.seed_, _FREQUENCIES, out=np.empty(shape, dtype=self.dtype))
        self.frequencies_ *= np.asarray(self._column_scale(), dtype=self.dtype)
        self._mask(self.weights_)
        self._mask(self.frequencies_)
        phases = np.empty((self.n_components, 1), dtype=self.dtype)
        self.phases_ = uniform(self.seed_, _PHASES, 2.0 * np.pi, phases)[:, 0]

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        return {name: getattr(self, name)[:n_components] for name in self._weights}

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        values, numbers = n_samples * self.n_components, self.n_components * n_features
        stored = self._stored_bytes(n_features, 2 * numbers + self.n_components)
        return Counts(4 * n_samples * numbers, values * (FUNCTION + 3), stored)

    # --- mapping ------------------------------------------------------------------------------------------------------

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: float, out: Any, scratch: Scratch) -> None:
        frequencies = weights["frequencies_"]
        exact = large_phases(xp, X, frequencies[:, : self.n_features_in_])
        cuda.COSINE(xp, project(X, frequencies, out, exact=exact), weights["phases_"], scale)
        out *= project(X, weights["weights_"], scratch.empty(out.shape, out.dtype))

    def _explain(self, x: np.ndarray, feature: int) -> list[Step]:
        linear = projection_step(self.weights_[feature], x, r"\langle w,x\rangle")
        angle = projection_step(self.frequencies_[feature], x, r"\omega^\top x+b", float(self.phases_[feature]))
        wave = float(np.cos(angle.value))
        cosine = Step(
            "Take the cosine of this angle, in radians.", rf"\cos({number(angle.value)})={number(wave)}", wave
        )
        value = linear.value * wave
        product = Step(
            "Multiply the projection by the wave.", rf"{number(linear.value)}\cdot{number(wave)}={number(value)}", value
        )
        return [linear, angle, cosine, product, scaled_step(float(self._scale()), value)]

    # --- the map as a mathematical object -----------------------------------------------------------------------------

    @property
    def fold_meaning(self) -> str:
        return "where a feature changes its sign: the zero lines of the wave and of the projection"

    def pieces(self, X: Any) -> np.ndarray:
        return self._above(X, 0.0)

    def _product(self, X: np.ndarray, Y: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the two factors of the kernel."""
        return kernels.linear(X, Y), kernels.gaussian(X, Y, gamma=float(known_width(self)))

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        return self._over_rectangles(lambda A, B: np.multiply(*self._product(A, B)), X, Y)

    def _product_law(self, X: np.ndarray) -> ProductLaw:
        def second_moment(A: Any, B: Any) -> np.ndarray:
            # E ⟨w, x⟩²⟨w, z⟩² = 2⟨x, z⟩² + ‖x‖²‖z‖²; E (2 cos cos)² = (1 + k(2δ))/2 + ½, and k(2δ) = k(δ)⁴.
            inner, k = self._product(A, B)
            squares = np.diag(inner)
            return (2.0 * inner**2 + np.outer(squares, squares)) * (1.0 + 0.5 * k**4)

        one = np.maximum(self._over_rectangles(second_moment, X) - self._kernel(X, None) ** 2, 0.0)
        return ProductLaw(lambda m: one / m)
