"""Random Fourier features, and their products with linear ones: a kernel that is linear near every point."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from rfviz import bounds, cuda, kernels
from rfviz.features.blocks import Scratch, project
from rfviz.features.cost import FUNCTION, Counts
from rfviz.features.description import (
    BY_COLUMN,
    DistanceLaw,
    Look,
    ProductLaw,
    Step,
    number,
    projection_step,
    scaled_step,
)
from rfviz.features.draws import standard_normal, uniform
from rfviz.features.frequencies import DRAWS, SPECTRA, Gaussian, Spectrum, check_draw, draw_frequencies, spectrum_of
from rfviz.features.precision import check_phases, large_phases
from rfviz.features.receptive import ReceptiveMap
from rfviz.features.structured import (
    block_count,
    faster_as_a_matrix,
    padded_size,
    structured_counts,
    structured_matrix,
    structured_multiply_adds,
    structured_project,
)
from rfviz.features.widths import check_widths, known_width, learnt_gamma, width_in_use
from rfviz.params import Param, parameter

__all__ = ["LinearFourier", "RandomFourier"]

# Multiply-adds that one cosine takes as long as.
_COSINE = 40
# Streams of the draws of products with linear features.
_WEIGHTS, _FREQUENCIES, _PHASES = 0, 1, 2


class RandomFourier(ReceptiveMap):
    r"""Cosines of random frequencies, for the Gaussian and other stationary kernels.

    .. math::
        \Phi(x) = \sqrt{2/m}\,\bigl(\cos\omega_1^\top x, \sin\omega_1^\top x, \dots\bigr)
        \quad\text{or}\quad \Phi(x)_\ell = \sqrt{2/m}\,\cos(\omega_\ell^\top x + b_\ell),
        \qquad \omega \sim p, \; b \sim U[0, 2\pi)

    The law p of the frequencies, the `spectrum`, is the Fourier transform of the kernel:

    ============  ====================================  ==============================================================
    spectrum      kernel of δ = x − z                   frequencies
    ============  ====================================  ==============================================================
    gaussian      exp(−γ‖δ‖²), γ = 1/(2σ²)              N(0, 2γI)
    matern        of ‖δ‖/σ, γ = 1/(2σ²), smoothness ν   N(0, 2γI)·√(2ν/χ²_2ν), a t law of 2ν degrees of freedom
    laplacian     exp(−γ‖δ‖₁)                           Cauchy(0, γ) in every coordinate
    cauchy        Π_j 1/(1 + γ²δ_j²)                    Laplace(0, γ) in every coordinate
    own           Π_j ∫ cos(γωδ_j) p(ω) dω              γω, ω of the density p in every coordinate
    ============  ====================================  ==============================================================

    Frequencies are drawn in one of four ways, the `draw`:

    - ``"iid"``: independent. Unbiased, O(n·m·d).
    - ``"orthogonal"``: blocks of d frequencies at right angles, each of the length it would have on its own. Unbiased,
      at the same cost, with a lower variance wherever the kernel is not small.
    - ``"structured"``: nearly orthogonal blocks out of Hadamard matrices and signs, in O(n·m·log d) and with 4 stored
      numbers a frequency instead of d. Biased by less than 1e-3, because the directions of rows in blocks of p, the
      least power of two ≥ d (64 at least), are not quite uniform; see :mod:`rfviz.features.structured`.
    - ``"qmc"``: points of a scrambled Sobol sequence through the inverse laws. Unbiased; with few columns the error
      falls nearly as 1/m, with dozens it is like that of independent draws. Up to 21,201 columns, less one for the
      phase and one for the Matérn kernel. The sequence is most even in its first dimensions, so columns that matter
      most should come first.

    Orthogonal rows need a law without preferred axes, so the second and third serve the Gaussian and Matérn kernels.
    All draws are nested in m: blocks are drawn whole, and a map that needs fewer rows uses the first.

    Caveats: with large ‖x‖√γ the phases lose digits, of which a warning tells; an odd number of paired features ends in
    a cosine without its sine, which biases the kernel estimate by O(1/m).

    Parameters
    ----------
    n_components : int
        Number of features m; best even where `paired`.
    gamma : float, "scale", "median" or array of shape (n_features,)
        Width of the kernel. ``"scale"`` is 1/(n_features · variance of X), as in scikit-learn's SVC, and ``"median"``
        is one over the squared median distance; for what they are with other spectra see
        :func:`rfviz.features.widths.learnt_gamma`. An array has a width for each column: Σγ_jδ_j² takes
        the place of γ‖δ‖², and Σγ_j|δ_j| that of γ‖δ‖₁.
    spectrum : {"gaussian", "laplacian", "cauchy", "matern", "own"}
    nu : float
        Smoothness ν of the Matérn kernel, from 0.1 to 50; others ignore it.
    density : str
        Of the own spectrum: a formula in x = |ω| from 0 to 20, up to a factor; see :mod:`rfviz.formula`.
    draw : {"iid", "orthogonal", "structured", "qmc"}
    paired : bool
        Whether features come as pairs (cos, sin) of one frequency rather than as cos(· + b). Pairs need half the
        matrix product, and their estimate has the lower variance wherever the kernel is not small.
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
    frequencies_ : ndarray of shape (⌈n_components / 2⌉ or n_components, n_features)
        Not with structured draws.
    signs_, radii_ : ndarray of shape (n_blocks, 3, p) and (⌈n_components / 2⌉ or n_components,)
        Of structured draws.
    phases_ : ndarray of shape (n_components,)
        Only without pairs.
    gamma_ : float or ndarray of shape (n_features,)
        The width in use.
    seed_ : int

    References
    ----------
    A. Rahimi, B. Recht, "Random Features for Large-Scale Kernel Machines", 2007; F. Yu et al., "Orthogonal Random
    Features", 2016; J. Yang et al., "Quasi-Monte Carlo Feature Maps for Shift-Invariant Kernels", 2014.
    """

    label = "Random Fourier"
    look = Look("#d9661f", "dash", "diamond")
    summary = "Waves of random frequencies, whose inner products estimate the Gaussian kernel, or another."
    formula = (
        r"\Phi_\ell(x)=\sqrt{\tfrac{2}{m}}\,\cos(\omega_\ell^\top x+b_\ell),\quad \omega\sim p_k,\ "
        r"p_k=\mathcal N(0,2\gamma I_d)\text{ for the Gaussian kernel}"
    )
    cost = "O(n·m·d), structured O(n·m·log d)"
    reference = "Rahimi, Recht 2007"
    rank = 80
    feature_norm = float(np.sqrt(2.0))
    plane_params: ClassVar[Mapping[str, Any]] = {"gamma": 0.5}
    is_kitchen_sink = True
    from_data = ("gamma_",)
    gamma: Any = parameter(
        default="scale",
        kind="float",
        low=0.0,
        open_low=True,
        choices=("scale", "median"),
        ui_low=0.01,
        ui_high=100.0,
        log=True,
        symbol=r"\gamma",
        compared=(0.1, 0.5, 1.0, 2.0, 5.0, 10.0),
        label="Gamma",
        help="Width of the kernel, exp(−γ‖x−z‖²) for the Gaussian. A larger γ sees only closer neighbours. “scale” "
        "and “median” learn it from the variance and from the distances of the data.",
    )
    spectrum: str = parameter(
        default="gaussian",
        kind="choice",
        choices=SPECTRA,
        titles=("Gaussian", "Laplacian", "Cauchy", "Matérn", "Own density"),
        label="Kernel",
        help="Which kernel the frequencies are drawn for. Gaussian: smooth. Matérn: as smooth as ν says. Laplacian "
        "exp(−γ‖x−z‖₁) and Cauchy: column by column, so they depend on the axes. Own density: any, by a formula.",
    )
    nu: float = parameter(
        default=1.5,
        kind="float",
        low=0.1,
        high=50.0,
        marks=(0.5, 1.0, 1.5, 2.0, 2.5, 3.5, 5.0, 10.0, 20.0),
        log=True,
        symbol=r"\nu",
        label="Smoothness",
        when=("spectrum", ("matern",)),
        help="Smoothness ν of the Matérn kernel: ½ is exp(−r/σ), with a cusp at 0; a large ν is the Gaussian.",
    )
    density: str = parameter(
        default="exp(-8*(x - 2)^2)",
        kind="formula",
        low=0.0,
        label="Density p(x)",
        when=("spectrum", ("own",)),
        help="A formula in x, the absolute value of a frequency, from 0 to 20; nowhere negative. The kernel is its "
        "cosine transform, column by column.",
    )
    draw: str = parameter(
        default="iid",
        kind="choice",
        choices=DRAWS,
        titles=("Independent", "Orthogonal", "Structured", "Sobol"),
        label="Frequencies",
        help="How frequencies are drawn. Orthogonal: at right angles, with a lower variance. Structured: nearly "
        "so, by fast Hadamard transforms. Sobol: evenly spread points, for few columns.",
    )
    paired: bool = parameter(
        default=True,
        kind="bool",
        label="Cos/sin pairs",
        help="Pairs (cos, sin) of one frequency instead of cos(·+b): half the matrix product, and lower variance "
        "where the kernel is not small.",
    )
    _weights = ("frequencies_", "signs_", "radii_", "phases_")
    _projections = ("frequencies_",)
    unit_scale = float(np.sqrt(2.0))

    @property
    def rotation_invariant(self) -> bool:
        """Return whether axes do not matter: independent frequencies of an isotropic law, one width."""
        # Orthogonal rows do not mind rotations, but their blocks are as large as there are columns.
        return self._spectrum.isotropic and self.draw == "iid" and np.ndim(self.gamma) == 0

    @property
    def _spectrum(self) -> Spectrum:
        return spectrum_of(self.spectrum, self.nu, self.density)

    # --- drawing ------------------------------------------------------------------------------------------------------

    def _check_param(self, param: Param, value: Any) -> Any:
        if param.name == "gamma" and np.ndim(value):
            return check_widths(param, value)
        return super()._check_param(param, value)

    def _fit_statistics(self, X: Any) -> None:
        n_features = X.shape[1]
        self.gamma_ = width_in_use(self.gamma, n_features, lambda rule: learnt_gamma(rule, self.spectrum, X))
        extra = self._spectrum.n_mixing + (not self.paired)
        check_draw(self.draw, self.spectrum, self._spectrum, n_features, extra, self.receptive_field is not None)

    def _check_precision(self, X: Any) -> None:
        check_phases(X, self._column_scale(), self.gamma_, self.dtype, axes=self.spectrum == "laplacian")

    def _column_scale(self) -> Any:
        return self._spectrum.scale(known_width(self))

    def _factors(self) -> list[np.ndarray]:
        return [*super()._factors(), np.asarray(self._column_scale(), dtype=self.dtype)]

    def _frequency_count(self, n_components: int) -> int:
        return -(-n_components // 2) if self.paired else n_components

    def _numbers_per_feature(self, n_features: int) -> int:
        each = 4 if self.draw == "structured" else n_features
        return -(-each // 2) if self.paired else each + 1

    def weight_bytes(self, n_features: int) -> int:
        stored, count = super().weight_bytes(n_features), self._frequency_count(self.n_components)
        if self.draw == "orthogonal":  # a block is made in double precision
            stored += 8 * n_features * min(n_features, count)
        elif self.draw == "structured":  # even one row takes a whole block
            stored += np.dtype(self.dtype).itemsize * 3 * padded_size(n_features)
        return stored

    def multiply_adds(self, n_samples: int, n_features: int) -> int:
        if self.draw == "structured":
            return structured_multiply_adds(n_samples, self._frequency_count(self.n_components), n_features)
        return super().multiply_adds(n_samples, n_features)

    def _work(self, n_samples: int, n_features: int) -> int:
        return self.multiply_adds(n_samples, n_features) + _COSINE * n_samples * self.n_components

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        m, frequencies = self.n_components, self._frequency_count(self.n_components)
        phases = 0 if self.paired else m
        others, numbers = n_samples * (m * (FUNCTION + 1) + phases), frequencies * n_features
        products = 2 * n_samples * numbers
        if self.draw == "structured":
            transforms, signs = structured_counts(n_samples, frequencies, n_features)
            others += transforms + n_samples * (n_features + frequencies)
            products, numbers = 0, signs + frequencies
        return Counts(products, others, self._stored_bytes(n_features, numbers + phases))

    def _draw(self, n_features: int) -> None:
        count = self._frequency_count(self.n_components)
        for name in self._weights:  # what an earlier fit with another draw has left
            self.__dict__.pop(name, None)
        weights = draw_frequencies(
            self._spectrum, self.draw, self.seed_, count, n_features, not self.paired, self.dtype
        )
        if not self.paired:
            self.phases_ = weights["phases_"]
        if self.draw == "structured":
            self.signs_, self.radii_ = weights["signs_"], weights["radii_"]
        else:
            self.frequencies_ = weights["frequencies_"]
            self.frequencies_ *= np.asarray(self._column_scale(), dtype=self.dtype)
            self._mask(self.frequencies_)

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        count = self._frequency_count(n_components)
        if self.draw == "structured":
            blocks = block_count(count, self.n_features_in_)
            sliced = {"signs_": self.signs_[:blocks], "radii_": self.radii_[:count]}
        else:
            sliced = {"frequencies_": self.frequencies_[:count]}
        return sliced if self.paired else sliced | {"phases_": self.phases_[:n_components]}

    # --- mapping ------------------------------------------------------------------------------------------------------

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: float, out: Any, scratch: Scratch) -> None:
        if self.paired:
            angles = scratch.empty((out.shape[0], self._frequency_count(self.n_components)), out.dtype)
            cuda.COSINE_SINE(xp, self._angles(xp, X, weights, angles), scale, out)
        else:
            cuda.COSINE(xp, self._angles(xp, X, weights, out), weights["phases_"], scale)

    def _angles(self, xp: Any, X: Any, weights: dict[str, Any], out: Any) -> Any:
        if self.draw == "structured" and "frequencies_" not in weights:
            scale = xp.asarray(np.asarray(self._column_scale(), dtype=X.dtype))
            if not faster_as_a_matrix(xp, X, len(weights["radii_"])):
                X = X.toarray() if hasattr(X, "indptr") else X
                return structured_project(X * scale, weights["signs_"], weights["radii_"], out)
            matrix = structured_matrix(xp, weights["signs_"], weights["radii_"], X.shape[1])
            weights["frequencies_"] = matrix * scale
        W = weights["frequencies_"]
        exact = self.draw == "structured" or large_phases(xp, X, W[:, : self.n_features_in_])
        return project(X, W, out, exact=exact)

    def _explain(self, x: np.ndarray, feature: int) -> list[Step]:
        if self.draw == "structured":  # its frequencies are products of matrices that are never formed
            return []
        frequency = self.frequencies_[feature // 2 if self.paired else feature]
        phase = 0.0 if self.paired else float(self.phases_[feature])
        angle = projection_step(frequency, x, r"\omega^\top x" if self.paired else r"\omega^\top x+b", phase)
        name = "sin" if self.paired and feature % 2 else "cos"
        value = float(np.sin(angle.value) if name == "sin" else np.cos(angle.value))
        words = f"Take the {'sine' if name == 'sin' else 'cosine'} of this angle, in radians."
        wave = Step(words, rf"\{name}({number(angle.value)})={number(value)}", value)
        return [angle, wave, scaled_step(float(self._scale()), value)]

    # --- the map as a mathematical object -----------------------------------------------------------------------------

    @property
    def estimates_gaussian(self) -> bool:
        return self.spectrum == "gaussian" and np.ndim(self.gamma) == 0 and self.receptive_field is None

    @property
    def fold_meaning(self) -> str:
        return "the zero lines of the waves"

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        spectrum, gamma = self._spectrum, known_width(self)
        if np.ndim(gamma):
            X, Y = X * spectrum.scale(gamma), None if Y is None else Y * spectrum.scale(gamma)
            gamma = spectrum.unit_gamma
        width = float(gamma)
        return self._over_rectangles(lambda A, B: spectrum.kernel(A, B, width), X, Y)

    def distance_law(self) -> DistanceLaw | None:
        """Return the exact law of a kernel of the distance; None else, and :attr:`law_missing` says why."""
        if self.law_missing:
            return None
        spectrum, scale, paired = self._spectrum, float(self._column_scale()), self.paired
        # A pair is one draw, and holds two features.
        draws = self.n_components / 2 if paired else self.n_components
        together = self._pairs_in_blocks(int(draws))
        gaussian = type(spectrum) is Gaussian

        def moments(distance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            k = spectrum.profile(scale * distance)
            double = None if gaussian else spectrum.profile(2.0 * scale * distance)
            mean, variance = kernels.fourier_squared_distance_moments(k, double, paired=paired)
            variance = variance / draws
            if together:
                # Phases are independent, so they leave no more than the cosines of the difference in common.
                shared = 4.0 * kernels.orthogonal_covariance(k, self.n_features_in_)
                variance = np.maximum(variance + together / draws**2 * shared, 0.0)
            return mean, variance

        return DistanceLaw(
            moments=moments,
            slope=scale * float(np.sqrt(spectrum.curvature())),
            plateau=float(np.sqrt(2.0)),
            max_distance=np.inf,
            unit_norm=False,
        )

    @property
    def law_missing(self) -> str:
        if self.receptive_field is not None:
            return super().law_missing
        if not self._spectrum.isotropic or np.ndim(self.gamma):
            return BY_COLUMN
        if not self._variance_is_known:
            return "How much this way of drawing scatters is not known, so there is no exact band."
        return ""

    @property
    def _variance_is_known(self) -> bool:
        """Return whether it is: for independent draws, and for orthogonal ones of a Gaussian spectrum, once fitted."""
        if self.receptive_field is not None:
            return False
        fitted = hasattr(self, "n_features_in_")
        return self.draw == "iid" or (self.draw == "orthogonal" and type(self._spectrum) is Gaussian and fitted)

    def _product_law(self, X: np.ndarray) -> ProductLaw | None:
        if not self._variance_is_known:
            return None
        k = self.kernel(X)
        gaussian = type(self._spectrum) is Gaussian
        double = None if gaussian else self.kernel(2.0 * X)
        one = kernels.fourier_product_variance(k, double, paired=self.paired)
        independent = self.draw == "iid"
        shared = None if independent else kernels.orthogonal_covariance(k, self.n_features_in_)
        name = "Hoeffding" if independent else ""
        if not self.paired:

            def wide(m: int, probability: float) -> float:
                # 2 cos(·) cos(·) lies in an interval of length 4.
                return np.sqrt(8.0 * np.log(2.0 / probability) / m)

            return ProductLaw(lambda m: self._variance(one, shared, m), None, wide if independent else None, name)
        k_sum = self.kernel(X, -X)  # k(x + z), and k(2x) on the diagonal
        sum_double = None if gaussian else self.kernel(2.0 * X, -2.0 * X)
        twice = np.add.outer(np.diag(k_sum), np.diag(k_sum))
        lone = kernels.fourier_lone_cosine_moments(k, k_sum, twice, double, sum_double)[1]

        def variance(m: int) -> np.ndarray:
            pairs = m // 2
            if m % 2 == 0:
                return self._variance(one, shared, pairs)
            if shared is not None and pairs % self.n_features_in_:
                # How a lone cosine varies with the others of its block is not known.
                return np.full_like(k, np.nan)
            whole = self._variance(one, shared, pairs) * (2.0 * pairs / m) ** 2 if pairs else 0.0
            return whole + 4.0 * lone / m**2

        def bound(m: int, probability: float) -> float:
            # ⌈m/2⌉ terms, each in an interval of length 4/m; for an odd m the bias, which is 1/m at most, comes on top.
            return float(np.sqrt(8.0 * (-(-m // 2)) * np.log(2.0 / probability)) / m) + (m % 2) / m

        return ProductLaw(variance, lambda m: k_sum * (m % 2 / m), bound if independent else None, name)

    def _variance(self, one: np.ndarray, shared: np.ndarray | None, draws: int) -> np.ndarray:
        """Return the variance of the mean over `draws` frequencies, of which those of one block vary together."""
        variance = one / draws
        if shared is not None:
            variance = np.maximum(variance + self._pairs_in_blocks(draws) / draws**2 * shared, 0.0)
        return variance

    def _pairs_in_blocks(self, draws: int) -> int:
        """Count ordered pairs of different frequencies among the first `draws` that share an orthogonal block."""
        if self.draw != "orthogonal":
            return 0
        size = self.n_features_in_
        whole, rest = divmod(draws, size)
        return whole * size * (size - 1) + rest * (rest - 1)

    def applicable_bounds(
        self, n_pairs: int, dimension: int, diameter: float, variance: float | None = None, norm: float = 1.0
    ) -> list[bounds.BoundStatement]:
        if self.why_no_bound():
            return []
        found: list[bounds.BoundStatement] = []
        if variance:
            # One term: a cosine in [−1, 1] for a pair of features, a product in [−2, 2] for one with a phase.
            one = bounds.bernstein(0.5 * variance, 2.0, 2) if self.paired else bounds.bernstein(variance, 3.0)
            found.append(bounds.BoundStatement("one pair", one, drawn=False))
        if not self.paired:
            phases = (bounds.phase_pair(), bounds.phase_pair_hoeffding())
            found += [bounds.BoundStatement("one pair", bound, drawn=False) for bound in phases]
        found += bounds.pair_statements(bounds.fourier_pair(self.paired), n_pairs)
        spectrum = self._spectrum
        # σ_p, the root of E‖ω‖².
        sigma = math.sqrt(dimension * float(np.mean(self._column_scale() ** 2)) * spectrum.curvature())
        if not math.isfinite(sigma):
            return found
        if self.paired:
            sharper = bounds.sutherland_pairs(dimension, sigma, diameter, spectrum.cosine_variance)
        else:
            sharper = bounds.sutherland_phases(dimension, sigma, diameter)
        uniform = bounds.fourier_uniform(dimension, sigma, diameter, self.paired)
        return [*found, bounds.BoundStatement("everywhere", sharper), bounds.BoundStatement("everywhere", uniform)]

    def why_no_bound(self) -> str:
        if self.draw == "iid":
            return ""
        return "Its frequencies are not independent of each other, and all these bounds ask for that."

    def largest_error(self) -> float:
        return 2.0 if self.paired else 3.0


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
