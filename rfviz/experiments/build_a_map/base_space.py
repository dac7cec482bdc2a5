"""A base space of skeletons: its random features, how large they are, and how well they estimate its kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.bounds import bounded_products
from rfviz.experiments.build_a_map.compute import DRAWS, MOST
from rfviz.skeleton.schemes import SCHEMES, Scheme
from rfviz.words import number

__all__ = ["BaseSpace", "Estimates", "base_space", "explanation", "points_of", "summary"]

_PLACES, _SAMPLE = 61, 5000
#: The axis along which pairs are taken.
AXES = {
    "binary": "the same, or the other",
    "circle": "angle of the points, degrees",
    "gaussian": "distance of the points",
    "categorical": "difference of the categories",
    "sphere": "angle of the points, degrees",
}
NAMES = {
    "binary": "{±1}",
    "circle": "the circle",
    "gaussian": "the Gaussian kernel",
    "categorical": "categories",
    "sphere": "the sphere",
}
#: A feature of each scheme, as a formula.
FORMULAS = {
    "x": "x",
    "z^±1": "z^ω, ω = ±1",
    "wave": "exp(i⟨ω, x⟩)",
    "root of unity": "exp(2πiωx/n)",
    "as printed": "exp(iωx/(2πn)), as printed",
    "two coordinates": "√(d/2)·(xⱼ ± i·xⱼ₊₁)",
    "random direction": "√d·⟨w, x⟩",
    "one coordinate": "√d·xⱼ",
}


@dataclass(frozen=True, eq=False)
class Estimates:
    """The features of one scheme.

    Attributes
    ----------
    moduli : ndarray of shape (5000,)
        |ψ(ω, x)| at as many random points, each with an ω of its own.
    sums : ndarray of shape (places, MOST)
        Sums of the first products with the first point in one draw.
    variance : ndarray of shape (places,)
        Of one product, exact.
    errors : ndarray of shape (draws, k)
        Root mean square over the places of estimate − kernel.
    """

    scheme: Scheme
    moduli: np.ndarray
    sums: np.ndarray
    variance: np.ndarray
    errors: np.ndarray

    @property
    def name(self) -> str:
        """Its formula."""
        return FORMULAS[self.scheme.name]

    def estimate(self, m: int) -> np.ndarray:
        """Return the kernel as the first m features estimate it."""
        return self.sums[:, m - 1] / m


@dataclass(frozen=True, eq=False)
class BaseSpace:
    """A base space, the kernel along a line of points, and the schemes for it, that of skeletons first."""

    places: np.ndarray
    kernel: np.ndarray
    m_grid: np.ndarray
    schemes: tuple[Estimates, ...]

    @property
    def scheme(self) -> Scheme:
        """The scheme that skeletons multiply."""
        return self.schemes[0].scheme

    def error(self, found: Estimates, m: int) -> float:
        """Return the root mean square of estimate − kernel in the draw that is shown."""
        return float(np.sqrt(np.mean((found.estimate(m) - self.kernel) ** 2)))

    def kernel_frame(self, m: int) -> pd.DataFrame:
        """Return the kernel and each estimate, one row a place."""
        estimates = {one.name: one.estimate(m) for one in self.schemes}
        return pd.DataFrame({AXES[self.scheme.space]: self.places, "kernel": self.kernel} | estimates)

    def moduli_frame(self) -> pd.DataFrame:
        """Return the sizes of the features of each scheme, one row a scheme."""
        return pd.DataFrame(
            {
                "feature": [one.name for one in self.schemes],
                "bound C": [one.scheme.bound for one in self.schemes],
                "least possible": [one.scheme.least_bound for one in self.schemes],
                "largest seen": [one.moduli.max() for one in self.schemes],
                "mean square": [np.mean(one.moduli**2) for one in self.schemes],
                "Theorem 3, ε = 0.1": [bounded_products(one.scheme.bound).features(0.1, 0.05) for one in self.schemes],
            }
        )

    def error_frame(self) -> pd.DataFrame:
        """Return the errors for every number of features: root mean square over draws, and the prediction."""
        frame: dict[str, np.ndarray] = {"m": self.m_grid}
        for one in self.schemes:
            frame[one.name] = np.sqrt((one.errors**2).mean(axis=0))
            if one.scheme.name != "as printed":
                frame[f"{one.name}, predicted"] = np.sqrt(one.variance.mean() / self.m_grid)
        return pd.DataFrame(frame)


def points_of(space: str, dimension: int = 1, categories: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Return points of a space, the first of which all others are compared with, and where they are.

    On the sphere they turn from one random direction to the opposite one.
    """
    if space == "binary":
        return np.array([[1.0], [-1.0]]), np.arange(2.0)
    if space == "categorical":
        return np.arange(float(categories))[:, None], np.arange(float(categories))
    if space == "gaussian":
        places = np.linspace(0.0, 4.0, _PLACES)
        return places[:, None], places
    places = np.linspace(0.0, 180.0, _PLACES)
    angles = np.deg2rad(places)[:, None]
    if space == "circle":
        return angles, places
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((dimension, 2)))[0].T
    return np.cos(angles) * basis[0] + np.sin(angles) * basis[1], places


def _random_points(scheme: Scheme, generator: np.random.Generator) -> np.ndarray:
    if scheme.space == "sphere":
        X = generator.standard_normal((_SAMPLE, scheme.dimension))
        return X / np.linalg.norm(X, axis=1, keepdims=True)
    if scheme.space == "binary":
        return generator.choice([-1.0, 1.0], (_SAMPLE, 1))
    if scheme.space == "categorical":
        return generator.integers(scheme.categories, size=(_SAMPLE, 1)).astype(float)
    return generator.uniform(0.0, 2.0 * np.pi, (_SAMPLE, 1))


def base_space(space: str, dimension: int, categories: int, seed: int) -> BaseSpace:
    """Draw features of all schemes of a space, and measure how large they are and how far their estimates are off."""
    schemes = [Scheme(space, name, dimension if space == "sphere" else 1, categories) for name in SCHEMES[space]]
    X, places = points_of(space, dimension, categories)
    kernel = schemes[0].kernel(X, X[:1])
    m_grid = np.unique(np.geomspace(1, MOST, 25).round().astype(int))
    return BaseSpace(places, kernel, m_grid, tuple(_estimates(one, X, kernel, m_grid, seed) for one in schemes))


def _estimates(scheme: Scheme, X: np.ndarray, kernel: np.ndarray, m_grid: np.ndarray, seed: int) -> Estimates:
    errors, first = [], np.empty(0)
    for draw in range(DRAWS):
        sums = np.cumsum(_products(scheme, X, np.random.default_rng([seed, draw])), axis=1)
        first = first if draw else sums
        errors.append(np.sqrt(np.mean((sums[:, m_grid - 1] / m_grid - kernel[:, None]) ** 2, axis=0)))
    moduli = _moduli(scheme, np.random.default_rng([seed, DRAWS]))
    return Estimates(scheme, moduli, first, scheme.variance(X, X[:1]), np.array(errors))


def _products(scheme: Scheme, X: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return real parts of products with the first point, shape (n, MOST), each column of an ω of its own."""
    found = scheme.outcomes(X)
    if found is None:
        psi = scheme.features(X, MOST, generator)
        return (psi * psi[0].conj()).real
    products = (found * found[0].conj()).real
    return products[:, generator.integers(products.shape[1], size=MOST)]


def _moduli(scheme: Scheme, generator: np.random.Generator) -> np.ndarray:
    """Return the moduli of features at random points, each point with an ω of its own."""
    X = _random_points(scheme, generator)
    found = scheme.outcomes(X)
    if found is not None:
        return np.abs(found[np.arange(len(X)), generator.integers(found.shape[1], size=len(X))])
    parts = [scheme.features(part, len(part), generator).diagonal() for part in np.array_split(X, _SAMPLE // 50)]
    return np.abs(np.concatenate(parts))


def summary(found: BaseSpace, m: int) -> str:
    """Return the chart of the kernel in one sentence, as alternative text."""
    errors = "; ".join(f"{one.name}: {number(found.error(one, m), 2)}" for one in found.schemes)
    return f"Kernel of {NAMES[found.scheme.space]} and its estimates from {m:,} features, with RMS errors. {errors}."


def explanation(found: BaseSpace, m: int) -> str:
    """Return what one sees: bounds, errors, and what Theorem 3 asks for."""
    first, *others = found.schemes
    scheme, asked = first.scheme, found.moduli_frame()["Theorem 3, ε = 0.1"]
    lead = f"**What am I seeing?** A feature of {NAMES[scheme.space]} is {first.name}. "
    if scheme.space == "sphere":
        lead += (
            f"In d = {scheme.dimension} dimensions its modulus is at most **√(d/2) = {number(scheme.bound)}**, and by "
            f"Theorem 6 no features of ⟨x, x′⟩ have a smaller bound. The two others reach √d = "
            f"{number(others[0].scheme.bound)}. By Theorem 3 (ε = 0.1, δ = 0.05) a pair asks for "
            f"{', '.join(f'{count:,.0f}' for count in asked)} features; with C = 1 it would be 738. "
        )
    else:
        lead += (
            "Its modulus is 1 for all ω and x, the least that there is: it is *norm-efficient*, and Theorem 3 asks "
            f"for {asked[0]:,.0f} features (ε = 0.1, δ = 0.05). "
        )
    if first.variance.max() < 1e-12:
        return f"{lead}The real part of a product does not depend on ω: one feature gives the kernel exactly."
    told = [f"{one.name}: **{number(found.error(one, m), 2)}**{_predicted(one, m)}" for one in found.schemes]
    end = ""
    if scheme.space == "categorical":
        limit = float(np.sqrt(np.mean((_limit(others[0].scheme) - found.kernel) ** 2)))
        end = f" The printed exponent has another kernel: its error tends to {number(limit, 2)}, however many features."
    return f"{lead}RMS errors of the estimates with m = {m:,} features: {'; '.join(told)}.{end}"


def _predicted(one: Estimates, m: int) -> str:
    if one.scheme.name == "as printed":
        return ""
    return f" (the variance predicts {number(float(np.sqrt(one.variance.mean() / m)), 2)})"


def _limit(scheme: Scheme) -> np.ndarray:
    """Return what the estimates of a scheme with finitely many ω tend to."""
    X, _ = points_of(scheme.space, scheme.dimension, scheme.categories)
    found = scheme.outcomes(X)
    assert found is not None
    return (found * found[0].conj()).real.mean(axis=1)
