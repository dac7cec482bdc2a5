"""Random feature schemes of base spaces: complex features ψ(ω, x) whose mean products are the kernel of the space.

These are the features as Section 4 of the paper has them. A map multiplies their real form, √2·R·cos(θ + b), whose
largest modulus is √2 times as large; see :class:`rfviz.features.CompositionalFeatures`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rfviz.errors import ParameterError

__all__ = ["SCHEMES", "Scheme"]

#: The schemes of each base space, that of a skeleton first; the others are for comparison.
SCHEMES: dict[str, tuple[str, ...]] = {
    "binary": ("x",),
    "circle": ("z^±1",),
    "gaussian": ("wave",),
    "categorical": ("root of unity", "as printed"),
    "sphere": ("two coordinates", "random direction", "one coordinate"),
}


@dataclass(frozen=True)
class Scheme:
    """A random feature scheme of a base space.

    Attributes
    ----------
    space, name : str
        Of :data:`SCHEMES`.
    dimension : int
        d, of the sphere and of the Gaussian.
    categories : int
        n.

    References
    ----------
    A. Daniely, R. Frostig, V. Gupta, Y. Singer, "Random Features for Compositional Kernels", 2017, Examples 1 to 6.
    """

    space: str
    name: str
    dimension: int = 1
    categories: int = 2

    def __post_init__(self) -> None:
        """Check the name.

        Raises
        ------
        ParameterError
            For a scheme that is not one of its space.
        """
        if self.name not in SCHEMES.get(self.space, ()):
            raise ParameterError("name", f"must be one of {SCHEMES.get(self.space, ())} of the space", self.name)

    @property
    def bound(self) -> float:
        """Return ‖ψ‖, the largest modulus over all ω and all points."""
        if self.space != "sphere":
            return 1.0
        return math.sqrt(self.dimension / 2 if self.name == "two coordinates" else self.dimension)

    @property
    def least_bound(self) -> float:
        """Return the smallest bound that features of this kernel can have: √(d/2) on the sphere, by Theorem 6."""
        return max(math.sqrt(self.dimension / 2), 1.0) if self.space == "sphere" else 1.0

    def kernel(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Return the kernel of the space between the rows of X and Z, in pairs.

        Parameters
        ----------
        X, Z : ndarray of shape (n, d)
            ±1; angles in radians; vectors; whole numbers from 0; unit vectors. One of them may have one row.

        Returns
        -------
        ndarray of shape (n,)
        """
        if self.space == "circle":
            return np.cos(X - Z)[:, 0]
        if self.space == "gaussian":
            return np.exp(-0.5 * ((X - Z) ** 2).sum(axis=1))
        if self.space == "categorical":
            return 1.0 * (X == Z)[:, 0]
        return (X * Z).sum(axis=1)

    def outcomes(self, X: np.ndarray) -> np.ndarray | None:
        """Return ψ of each row for all ω, which are equally likely; None if there are infinitely many.

        Returns
        -------
        ndarray of shape (n, number of ω), complex, or None
        """
        if self.space == "binary":
            return X.astype(complex)
        if self.space == "circle":
            return np.exp(1j * X * np.array([1.0, -1.0]))
        if self.space == "categorical":
            unit = 2.0 * np.pi / self.categories if self.name != "as printed" else 1.0 / (2.0 * np.pi * self.categories)
            return np.exp(1j * unit * X * np.arange(1, self.categories + 1))
        if self.name == "two coordinates":
            after = np.roll(X, -1, axis=1)
            return math.sqrt(self.dimension / 2) * np.concatenate([X + 1j * after, X - 1j * after], axis=1)
        if self.name == "one coordinate":
            return math.sqrt(self.dimension) * X.astype(complex)
        return None

    def features(self, X: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        """Return ψ(ω, x) of each row for `size` independent ω, shape (n, size), complex."""
        found = self.outcomes(X)
        if found is not None:
            return found[:, generator.integers(found.shape[1], size=size)]
        omega = generator.standard_normal((X.shape[1], size))
        if self.space == "gaussian":
            return np.exp(1j * (X @ omega))
        return math.sqrt(self.dimension) * (X @ (omega / np.linalg.norm(omega, axis=0))).astype(complex)

    def variance(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Return the variance over ω of the real part of ψ(ω, x)·conj ψ(ω, z), for pairs as in :meth:`kernel`."""
        left, right = self.outcomes(X), self.outcomes(Z)
        if left is not None and right is not None:
            return np.real(left * right.conj()).var(axis=1)
        k = self.kernel(X, Z)
        if self.space == "gaussian":
            return (1.0 + k**4) / 2.0 - k**2  # cos² by the double angle, whose kernel is k⁴
        # The fourth moments of a uniform direction: E ⟨w, x⟩²⟨w, z⟩² = (1 + 2k²)/(d(d + 2)).
        d = self.dimension
        return d * (1.0 + 2.0 * k**2) / (d + 2.0) - k**2
