"""The laws of the frequencies of random Fourier features, and the ways to draw them.

There is a law for each stationary kernel (Bochner's theorem). A spectrum describes unit frequencies: those of the
kernel whose width is 1. A width γ scales them, column by column where it has an entry for each.

Frequencies are drawn independently, orthogonal, structured, or by a quasi-Monte Carlo sequence. All draws are nested:
the frequencies of a smaller map are the first of a larger one's. Independent and Sobol frequencies come one by one;
orthogonal and structured ones in blocks, of which a map may use the beginning of the last.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import gammaincinv, ndtri
from scipy.stats import qmc

from rfviz import kernels
from rfviz.backend import map_ordered, single_threaded_blas, worker_count
from rfviz.errors import ParameterError
from rfviz.features.draws import (
    CHUNK_ROWS,
    chi_square,
    generator,
    standard_cauchy,
    standard_laplace,
    standard_normal,
    uniform,
)
from rfviz.features.structured import draw_signs, padded_size
from rfviz.formula import parse_formula

__all__ = [
    "DRAWS",
    "LARGEST_FREQUENCY",
    "SPECTRA",
    "Cauchy",
    "Gaussian",
    "Laplacian",
    "Matern",
    "Own",
    "Spectrum",
    "check_draw",
    "draw_frequencies",
    "draw_phases",
    "orthogonal_rows",
    "spectrum_of",
]

#: Where the density of an own spectrum ends.
LARGEST_FREQUENCY = 20.0
_CELLS = 4000
_CELL = LARGEST_FREQUENCY / _CELLS
# Of a circle, from 0 to 2π / _CELL: a step is small against the shortest wave.
_DISTANCES = 2**18
SPECTRA = ("gaussian", "laplacian", "cauchy", "matern", "own")
DRAWS = ("iid", "orthogonal", "structured", "qmc")
_FREQUENCIES, _PHASES, _MIXING, _LENGTHS, _SIGNS, _SOBOL = range(6)
# Blocks of orthogonal rows each have a stream of their own, from here on.
_BLOCKS = 16
_SOBOL_BITS = 30
_SOBOL_ROWS = 4096
# Numbers from which several blocks are made at once.
_PARALLEL_FROM = 500_000


@dataclass(frozen=True)
class Spectrum(ABC):
    """A law of frequencies.

    Attributes
    ----------
    isotropic : bool
        Whether the law, and with it the kernel, is unchanged by rotations. Such a law, see :class:`Gaussian`, also has
        a ``profile``.
    n_mixing : int
        Uniform numbers that one frequency takes in addition to one for each column.
    unit_gamma : float
        The width whose frequencies are unit frequencies.
    cosine_variance : float
        The largest variance of cos ω·δ, ½ + ½k(2δ) − k(δ)². For the Gaussian kernel k(2δ) = k(δ)⁴, which makes it
        ½(1 − k²)². Any kernel that falls from 1 to 0 along a line has k(2δ) ≤ k(δ), which makes it 9/16 at most.
    """

    isotropic: ClassVar[bool] = False
    n_mixing: ClassVar[int] = 0
    unit_gamma: ClassVar[float] = 1.0
    cosine_variance: ClassVar[float] = 9 / 16

    def scale(self, gamma: Any) -> Any:
        """Return the factor of unit frequencies for the width `gamma`: γ itself, unless γ is a squared width."""
        return gamma

    @abstractmethod
    def draw(self, seed: int, stream: int, out: np.ndarray) -> np.ndarray:
        """Fill `out`, shape (n_frequencies, n_features), with independent unit frequencies."""

    def mixing(self, seed: int, stream: int, out: np.ndarray) -> np.ndarray | None:
        """Fill `out`, shape (n_frequencies, 1), with factors that mix Gaussians into this law; None for a Gaussian."""
        return None

    @abstractmethod
    def from_uniform(self, mixing: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return unit frequencies from uniform numbers, shapes (n, n_mixing), (n, n_features), by inverse laws."""

    @abstractmethod
    def curvature(self) -> float:
        """Return E ω₁² of unit frequencies; infinite where the kernel has a cusp at 0."""

    def profile(self, distance: np.ndarray) -> np.ndarray:
        """Return the unit kernel as a function of the distance, for isotropic laws."""
        raise TypeError(f"{type(self).__name__} is not isotropic")

    @abstractmethod
    def kernel(self, X: Any, Y: Any, gamma: float) -> np.ndarray:
        """Return the kernel of the width `gamma`.

        Parameters
        ----------
        X, Y : array-like of shape (n_samples, n_features)
        gamma : float
            γ > 0, in the sense of the spectrum.
        """


@dataclass(frozen=True)
class Gaussian(Spectrum):
    """N(0, 2γI) for exp(−γ‖δ‖²)."""

    isotropic: ClassVar[bool] = True
    unit_gamma: ClassVar[float] = 0.5
    cosine_variance: ClassVar[float] = 0.5

    def scale(self, gamma: Any) -> Any:
        return np.sqrt(2.0 * np.asarray(gamma, dtype=np.float64))

    def draw(self, seed: int, stream: int, out: np.ndarray) -> np.ndarray:
        return standard_normal(seed, stream, out)

    def from_uniform(self, mixing: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return ndtri(columns)

    def kernel(self, X: Any, Y: Any, gamma: float) -> np.ndarray:
        return kernels.gaussian(X, Y, gamma=gamma)

    def profile(self, distance: np.ndarray) -> np.ndarray:
        """Return the unit kernel as a function of the distance."""
        return np.exp(-0.5 * distance**2)

    def curvature(self) -> float:
        return 1.0


@dataclass(frozen=True)
class Matern(Gaussian):
    """Gaussians over √(χ²_2ν/2ν), one for all columns of a frequency: a t law of 2ν degrees of freedom."""

    nu: float = 1.5
    n_mixing: ClassVar[int] = 1
    cosine_variance: ClassVar[float] = 9 / 16

    def mixing(self, seed: int, stream: int, out: np.ndarray) -> np.ndarray:
        chi_square(seed, stream, 2.0 * self.nu, out)
        return np.sqrt(2.0 * self.nu / out, out=out)

    def from_uniform(self, mixing: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return ndtri(columns) * np.sqrt(self.nu / gammaincinv(self.nu, mixing))

    def kernel(self, X: Any, Y: Any, gamma: float) -> np.ndarray:
        return kernels.matern(X, Y, gamma=gamma, nu=self.nu)

    def profile(self, distance: np.ndarray) -> np.ndarray:
        return kernels.matern_rho(distance, self.nu)

    def curvature(self) -> float:
        return self.nu / (self.nu - 1.0) if self.nu > 1.0 else np.inf


@dataclass(frozen=True)
class Laplacian(Spectrum):
    """Cauchy(0, γ) in every coordinate for exp(−γ‖δ‖₁)."""

    def draw(self, seed: int, stream: int, out: np.ndarray) -> np.ndarray:
        return standard_cauchy(seed, stream, out)

    def from_uniform(self, mixing: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return np.tan(np.pi * (columns - 0.5))

    def curvature(self) -> float:
        return np.inf

    def kernel(self, X: Any, Y: Any, gamma: float) -> np.ndarray:
        return kernels.laplacian(X, Y, gamma=gamma)


@dataclass(frozen=True)
class Cauchy(Spectrum):
    """Laplace(0, γ) in every coordinate for Π 1/(1 + γ²δ_j²)."""

    def draw(self, seed: int, stream: int, out: np.ndarray) -> np.ndarray:
        return standard_laplace(seed, stream, out)

    def from_uniform(self, mixing: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return np.where(columns < 0.5, np.log(2.0 * columns), -np.log(2.0 * (1.0 - columns)))

    def curvature(self) -> float:
        return 2.0

    def kernel(self, X: Any, Y: Any, gamma: float) -> np.ndarray:
        return kernels.cauchy(X, Y, gamma=gamma)


@dataclass(frozen=True)
class Own(Spectrum):
    """A density that a formula gives for 0 ≤ |ω| ≤ 20, up to a factor, in every coordinate, for Π_j k(γ|δ_j|).

    Attributes
    ----------
    density : str
        See :func:`rfviz.formula.parse_formula`.
    """

    density: str = "exp(-x)"
    cosine_variance: ClassVar[float] = 1.0

    @cached_property
    def masses(self) -> np.ndarray:
        """The probability of each cell of |ω|, in which the law is uniform.

        Raises
        ------
        ParameterError
            If the density is negative somewhere, or zero everywhere.
        """
        places = (np.arange(_CELLS) + 0.5) * _CELL
        heights = parse_formula(self.density, 0.0)(places)
        if heights.min() < 0 or not heights.max() > 0:
            lowest = int(heights.argmin())
            rule = f"must be a density: nowhere below 0 for x from 0 to {LARGEST_FREQUENCY:g}, and not 0 everywhere"
            value = f"{heights[lowest]:.3g} at x = {places[lowest]:.3g}"
            raise ParameterError("density", rule, value, "Write max(0, …) around it.")
        return heights / heights.sum()

    def draw(self, seed: int, stream: int, out: np.ndarray) -> np.ndarray:
        out[:] = self.from_uniform(out, uniform(seed, stream, 1.0, np.empty(out.shape)))
        return out

    def from_uniform(self, mixing: np.ndarray, columns: np.ndarray) -> np.ndarray:
        signed = 2.0 * columns - 1.0
        edges, cumulated = np.arange(_CELLS + 1) * _CELL, np.concatenate([[0.0], np.cumsum(self.masses)])
        return np.copysign(np.interp(np.abs(signed), cumulated, edges), signed)

    def curvature(self) -> float:
        places = (np.arange(_CELLS) + 0.5) * _CELL
        return float(self.masses @ (places**2 + _CELL**2 / 12))

    @cached_property
    def _curve(self) -> CubicSpline:
        """The cosine transform, by the fast Fourier transform at close distances."""
        cells = 2 * np.pi * np.arange(_DISTANCES // 2) / _DISTANCES  # distance times the width of a cell
        sums = np.conj(np.fft.rfft(self.masses, _DISTANCES)[: _DISTANCES // 2])
        # A cell begins at a multiple of its width, and the law is uniform in it.
        curve = np.real(sums * np.exp(0.5j * cells)) * np.sinc(0.5 * cells / np.pi)
        return CubicSpline(cells / _CELL, curve)

    def profile(self, distance: np.ndarray) -> np.ndarray:
        """Return the unit kernel of one column as a function of the distance."""
        return self._curve(np.minimum(distance, np.pi / _CELL * (1 - 4 / _DISTANCES)))

    def kernel(self, X: Any, Y: Any, gamma: float) -> np.ndarray:
        return kernels.columnwise(X, Y, profile=self.profile, gamma=gamma)


@lru_cache(maxsize=64)
def spectrum_of(name: str, nu: float, density: str) -> Spectrum:
    """Return the spectrum called `name`; `nu` is the Matérn kernel's smoothness, `density` the formula of an own one.

    Raises
    ------
    ParameterError
        For an unknown name.
    """
    if name == "matern":
        return Matern(nu)
    if name == "own":
        return Own(density)
    if name not in SPECTRA:
        raise ParameterError("spectrum", f"must be one of {', '.join(map(repr, SPECTRA))}", name, "Try 'gaussian'.")
    return {"gaussian": Gaussian, "laplacian": Laplacian, "cauchy": Cauchy}[name]()


def check_draw(
    draw: str, spectrum_name: str, spectrum: Spectrum, n_features: int, n_extra: int, rectangles: bool
) -> None:
    """Refuse what a draw cannot do.

    Parameters
    ----------
    draw, spectrum_name : str
    spectrum : Spectrum
    n_features : int
    n_extra : int
        Uniform numbers that a feature takes in addition to one for each column.
    rectangles : bool
        Whether features see rectangles of images.

    Raises
    ------
    ParameterError
    """
    if draw in ("orthogonal", "structured") and not spectrum.isotropic:
        rule = f"must be 'iid' or 'qmc' for the spectrum {spectrum_name!r}, which sees the axes and has no rotations"
        raise ParameterError("draw", rule, draw, "Use draw='qmc', or the spectrum 'gaussian' or 'matern'.")
    if draw == "structured" and rectangles:
        rule = "must be another than 'structured' with receptive fields, for which every weight must be at hand"
        raise ParameterError("draw", rule, draw, "Use draw='orthogonal', or whole images.")
    if draw == "qmc" and n_features + n_extra > qmc.Sobol.MAXDIM:
        most = qmc.Sobol.MAXDIM - n_extra
        rule = f"must be another than 'qmc' beyond {most} columns, where no Sobol sequence is known (here {n_features})"
        raise ParameterError("draw", rule, draw, "Use draw='orthogonal' or 'iid'.")


def draw_frequencies(
    spectrum: Spectrum, draw: str, seed: int, n_frequencies: int, n_features: int, phases: bool, dtype: str
) -> dict[str, np.ndarray]:
    """Draw the weights of a map, by attribute name: unit frequencies, or what makes them, and phases.

    Parameters
    ----------
    spectrum : Spectrum
    draw : {"iid", "orthogonal", "structured", "qmc"}
    seed : int
    n_frequencies, n_features : int
    phases : bool
        Whether every frequency comes with a phase.
    dtype : {"float32", "float64"}

    Returns
    -------
    dict
        ``frequencies_`` of shape (n_frequencies, n_features), or ``signs_`` and ``radii_`` of structured blocks; with
        `phases` also ``phases_`` of shape (n_frequencies,).
    """
    shape = n_frequencies, n_features
    if draw == "qmc":
        return _sobol(spectrum, seed, shape, phases, dtype)
    if draw == "structured":
        radii = _lengths(spectrum, seed, n_frequencies, padded_size(n_features))
        signs = draw_signs(seed, _SIGNS, n_frequencies, n_features, dtype)
        weights = {"signs_": signs, "radii_": radii.astype(dtype)}
    elif draw == "orthogonal":
        frequencies = np.empty(shape, dtype=dtype)
        orthogonal_rows(seed, frequencies, _lengths(spectrum, seed, n_frequencies, n_features))
        weights = {"frequencies_": frequencies}
    else:
        frequencies = spectrum.draw(seed, _FREQUENCIES, np.empty(shape, dtype=dtype))
        mixing = spectrum.mixing(seed, _MIXING, np.empty((n_frequencies, 1)))
        if mixing is not None:
            frequencies *= mixing.astype(dtype)
        weights = {"frequencies_": frequencies}
    if phases:
        weights["phases_"] = draw_phases(seed, n_frequencies, dtype)
    return weights


def draw_phases(seed: int, n_phases: int, dtype: str) -> np.ndarray:
    """Draw phases that are uniform on the circle, shape (n_phases,)."""
    return uniform(seed, _PHASES, 2.0 * np.pi, out=np.empty((n_phases, 1), dtype=dtype))[:, 0]


def _lengths(spectrum: Spectrum, seed: int, n_frequencies: int, dimension: int) -> np.ndarray:
    """Draw lengths of independent unit frequencies of an isotropic spectrum, shape (n_frequencies,)."""
    lengths = np.sqrt(chi_square(seed, _LENGTHS, dimension, np.empty((n_frequencies, 1))))
    mixing = spectrum.mixing(seed, _MIXING, np.empty((n_frequencies, 1)))
    return (lengths if mixing is None else lengths * mixing)[:, 0]


def orthogonal_rows(seed: int, out: np.ndarray, lengths: np.ndarray) -> None:
    """Fill `out`, shape (m, d), with blocks of d orthogonal rows of uniformly random orientation, of given lengths.

    A block is made in panels of 256 rows: Gaussian rows, freed from the panels before, then orthogonalised among each
    other. A panel is always made whole, so that it does not depend on how many rows follow; and the last block takes
    O(d·rows²), not O(d³), where few of its rows are wanted.
    """
    m, d = out.shape

    def fill(block: int) -> None:
        start = block * d
        wanted = min(d, m - start)
        rows = min(-(-wanted // CHUNK_ROWS) * CHUNK_ROWS, d)
        Q = standard_normal(seed, _BLOCKS + block, np.empty((rows, d)))
        for first in range(0, rows, CHUNK_ROWS):
            before, panel = Q[:first], Q[first : first + CHUNK_ROWS]
            for _ in range(2 if first else 0):  # once leaves errors where a row lies near the span of the others
                panel -= (panel @ before.T) @ before
            basis, triangle = np.linalg.qr(panel.T)
            # With a positive diagonal this is Gram and Schmidt's method, whose result is uniformly distributed.
            panel[...] = (basis * np.where(np.diag(triangle) < 0, -1.0, 1.0)).T
        out[start : start + wanted] = Q[:wanted] * lengths[start : start + wanted, None]

    large = m * d >= _PARALLEL_FROM
    # Decompositions as small as these gain nothing from threads of their own, and lose much where cores are shared.
    with single_threaded_blas():
        for _ in map_ordered(fill, range(-(-m // d)), worker_count() if large else 1):
            pass


def _sobol(spectrum: Spectrum, seed: int, shape: tuple[int, int], phases: bool, dtype: str) -> dict[str, np.ndarray]:
    """Return the first points of one scrambled Sobol sequence, through the inverse laws.

    The first dimensions of such a sequence are the most even. They go to what matters for all columns, the mixing
    factor and the phase, then to the columns in their order.
    """
    extra = spectrum.n_mixing + phases
    # `seed` is `rng` from SciPy 1.15 on, which takes both names.
    sobol: Any = qmc.Sobol
    engine = sobol(extra + shape[1], scramble=True, bits=_SOBOL_BITS, seed=generator(seed, _SOBOL))
    frequencies, angles = np.empty(shape, dtype=dtype), np.empty(shape[0] if phases else 0, dtype=dtype)
    for start in range(0, shape[0], _SOBOL_ROWS):
        rows = slice(start, min(start + _SOBOL_ROWS, shape[0]))
        with warnings.catch_warnings():
            # SciPy warns that the sequence is balanced best at a power of two; here m is a matter of cost.
            warnings.filterwarnings("ignore", message="The balance properties")
            points = engine.random(rows.stop - rows.start)
        points += 0.5 ** (_SOBOL_BITS + 1)  # the middle of a cell, which is never 0
        frequencies[rows] = spectrum.from_uniform(points[:, : spectrum.n_mixing], points[:, extra:])
        if phases:
            angles[rows] = 2.0 * np.pi * points[:, spectrum.n_mixing]
    return {"frequencies_": frequencies} | ({"phases_": angles} if phases else {})
