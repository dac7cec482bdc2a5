r"""Kernels that are mixtures of hats, and the laws of the pitch that draw them: what random binning can estimate.

A grid of pitch δ, shifted at random, puts two numbers that are t apart into one bin with probability max(0, 1 − t/δ), a
*hat*. Where the pitch is random with density p, that probability is

.. math:: k(t) = \int_0^\infty \max(0, 1 - t/\delta)\, p(\delta)\, d\delta, \quad p(\delta) = \delta\,k''(\delta)

for every convex k that falls from k(0) = 1 to 0. A kernel of one's own is a subclass of :class:`HatMixture` with both
sides of that equation; for example the mean of a narrow and a wide hat::

    @dataclass(frozen=True)
    class TwoHats(HatMixture):
        wide: float = 3.0

        def value(self, t):
            return 0.5 * (1.0 - t).clip(0.0) + 0.5 * (1.0 - t / self.wide).clip(0.0)

        def pitches(self, generator, shape):
            return generator.choice([1.0, self.wide], shape)

    RandomBinning(profile=TwoHats(wide=5.0))

A frozen dataclass in a module of its own compares by its values, and is cloned and pickled as scikit-learn asks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from rfviz.backend import array_namespace
from rfviz.errors import ParameterError

__all__ = ["PROFILES", "HatMixture", "LaplacianHats", "RationalHats", "SingleHat", "as_mixture"]


class HatMixture(ABC):
    """One column's kernel k(t) as a mixture of hats; `gamma` multiplies t, so that k is given at γ = 1."""

    #: The kernel of several columns in LaTeX, of their distances δ_j.
    formula: ClassVar[str] = r"\prod_j k(\gamma|\delta_j|)"
    #: E[1/δ] at γ = 1, which is −k'(0) and also the Lipschitz constant of k; None where it is not known.
    inverse_pitch: ClassVar[float | None] = None

    @abstractmethod
    def value(self, t: Any) -> Any:
        """Return k(t) of an array of distances t ≥ 0, NumPy or CuPy, element by element; k(0) = 1."""

    @abstractmethod
    def pitches(self, generator: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        """Draw independent pitches, positive, of that shape."""


@dataclass(frozen=True)
class LaplacianHats(HatMixture):
    """k(t) = exp(−t): pitches of the law Gamma(2, 1), of density δ·exp(−δ)."""

    formula: ClassVar[str] = r"e^{-\gamma\lVert\delta\rVert_1}"
    inverse_pitch: ClassVar[float | None] = 1.0

    def value(self, t: Any) -> Any:
        return array_namespace(t).exp(-t)

    def pitches(self, generator: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        return generator.standard_gamma(2.0, shape)


@dataclass(frozen=True)
class SingleHat(HatMixture):
    """k(t) = max(0, 1 − t): every pitch is 1."""

    formula: ClassVar[str] = r"\prod_j\max(0,1-\gamma|\delta_j|)"
    inverse_pitch: ClassVar[float | None] = 1.0

    def value(self, t: Any) -> Any:
        return array_namespace(t).maximum(1.0 - t, 0.0)

    def pitches(self, generator: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        return np.ones(shape)


@dataclass(frozen=True)
class RationalHats(HatMixture):
    """k(t) = (1 + t)^(−a), which is far from 0 where the others vanish.

    The density of the pitch is a(a + 1)·δ·(1 + δ)^(−a − 2): a ratio of a Gamma(2) and an independent Gamma(a) variate.

    Parameters
    ----------
    power : float
        a > 0; the smaller, the longer the tail.
    """

    power: float = 1.0
    formula: ClassVar[str] = r"\prod_j(1+\gamma|\delta_j|)^{-a}"

    def __post_init__(self) -> None:
        if not (isinstance(cast(object, self.power), (int, float)) and 0 < self.power < np.inf):
            raise ParameterError("power", "must be a finite number greater than 0", self.power, "Try power=1.0.")

    @property
    def inverse_pitch(self) -> float:  # type: ignore[override]
        return float(self.power)

    def value(self, t: Any) -> Any:
        return (1.0 + t) ** -self.power

    def pitches(self, generator: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        above, below = generator.standard_gamma(2.0, shape), generator.standard_gamma(self.power, shape)
        return above / np.maximum(below, 1e-300)


PROFILES: dict[str, HatMixture] = {"laplacian": LaplacianHats(), "hat": SingleHat(), "rational": RationalHats()}


def as_mixture(profile: str | HatMixture) -> HatMixture:
    """Return the mixture of a name, or the mixture itself."""
    return PROFILES[profile] if isinstance(profile, str) else profile
