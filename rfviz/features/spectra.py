"""The laws of the frequencies of random Fourier features, one for each stationary kernel (Bochner's theorem).

A spectrum describes unit frequencies: those of the kernel whose width is 1. A width γ scales them, column by column
where it has an entry for each. Draws are nested in their rows, see :mod:`rfviz.features.draws`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import gammaincinv, ndtri

from rfviz import kernels
from rfviz.errors import ParameterError
from rfviz.features.draws import chi_square, standard_cauchy, standard_laplace, standard_normal, uniform
from rfviz.formula import parse_formula

__all__ = [
    "LARGEST_FREQUENCY",
    "SPECTRA",
    "Cauchy",
    "Gaussian",
    "Laplacian",
    "Matern",
    "Own",
    "Spectrum",
    "spectrum_of",
]

#: Where the density of an own spectrum ends.
LARGEST_FREQUENCY = 20.0
_CELLS = 4000
_CELL = LARGEST_FREQUENCY / _CELLS
# Of a circle, from 0 to 2π / _CELL: a step is small against the shortest wave.
_DISTANCES = 2**18


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


SPECTRA = ("gaussian", "laplacian", "cauchy", "matern", "own")


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
