"""Dual activations σ̂(ρ) = Σ a_i ρ^i with a_i ≥ 0 and Σ a_i = 1: value, slope at 1, and draws from the law (a_i).

A dual activation is the generating function of a random number of children: a feature that passes a node draws how many
of the node's children it multiplies.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from rfviz.errors import ParameterError
from rfviz.kernels.arccos import profile
from rfviz.params import Param
from rfviz.skeleton._forms import form_of
from rfviz.skeleton.tails import HEAD, HeavyTail, central, relu_tail, step_tail

__all__ = ["ACTIVATIONS", "Activation", "activation"]

_ERF = 2.0 / 3.0
_SCALE = Param("scale", 1.0, "float", low=0.0, open_low=True, high=1000.0)
_DEGREE = Param("degree", 2, "int", low=1, high=1000)
_OFFSET = Param("offset", 0.0, "float", low=0.0, high=1e6)
# Its own parameters, by kind.
_PARAMS: dict[str, tuple[Param, ...]] = {
    "relu": (), "step": (), "erf": (), "identity": (), "exponential": (_SCALE,), "polynomial": (_DEGREE, _OFFSET),
}  # fmt: skip
_NAMES = {kind: [p.name for p in params] for kind, params in _PARAMS.items()} | {"series": ["coefficients"]}
ACTIVATIONS = tuple(_NAMES)
_MAX_SERIES = 10_000
_HEAVY: dict[str, tuple[HeavyTail, int]] = {"relu": (relu_tail, 2), "step": (step_tail, 1)}


@dataclass(frozen=True)
class Activation:
    """A dual activation; make one with :func:`activation`.

    Attributes
    ----------
    kind : str
        ``"relu"``: (√(1−ρ²) + (π − arccos ρ)ρ)/π; ``"step"``: 1 − arccos(ρ)/π; ``"erf"``: asin(2ρ/3)/asin(2/3);
        ``"exponential"``: exp(scale·(ρ−1)); ``"polynomial"``: ((ρ + offset)/(1 + offset))^degree; ``"identity"``: ρ;
        ``"series"``: Σ coefficients[i] ρ^i.
    scale, degree, offset, coefficients
        The numbers of the kinds that have some.
    """

    kind: str
    scale: float = 1.0
    degree: int = 1
    offset: float = 0.0
    coefficients: tuple[float, ...] = ()

    def value(self, xp: Any, rho: Any) -> Any:
        """Evaluate σ̂ at the elements of `rho`, within −1 and 1, an array of either module."""
        if self.kind == "identity":
            return rho
        if self.kind == "exponential":
            return xp.exp(self.scale * (rho - 1.0))
        if self.kind == "polynomial":
            return ((rho + self.offset) / (1.0 + self.offset)) ** self.degree
        if self.kind == "series":
            total = xp.full(rho.shape, self.coefficients[-1])
            for coefficient in self.coefficients[-2::-1]:
                total = total * rho + coefficient
            return total
        rho = xp.clip(rho, -1.0, 1.0)
        if self.kind == "erf":
            # arcsin, by way of what every array module has
            return (0.5 * math.pi - xp.arccos(_ERF * rho)) / math.asin(_ERF)
        if self.kind == "step":
            # The slope at 1 is infinite: a rounding error of one unit there would show in the eighth digit.
            rho = xp.where(rho > 1.0 - 2e-15, 1.0, rho)
        return profile(xp, rho, 1 if self.kind == "relu" else 0)

    @property
    def slope(self) -> float:
        """Return σ̂'(1): the expected number of children; infinite for the step."""
        if self.kind == "exponential":
            return self.scale
        if self.kind == "polynomial":
            return self.degree / (1.0 + self.offset)
        if self.kind == "series":
            return float(np.dot(np.arange(len(self.coefficients)), self.coefficients))
        return {"relu": 1.0, "identity": 1.0, "step": math.inf}.get(
            self.kind, _ERF / math.sqrt(1.0 - _ERF**2) / math.asin(_ERF)
        )

    @property
    def most_children(self) -> float:
        """Return the largest number of children that is drawn; infinite for most activations."""
        if self.kind == "series":
            return float(np.flatnonzero(self.coefficients)[-1])
        return {"identity": 1.0, "polynomial": float(self.degree)}.get(self.kind, math.inf)

    def derivative(self, rho: Any) -> np.ndarray:
        """Return σ̂'(ρ), as an ndarray."""
        rho = np.asarray(rho, dtype=np.float64)
        if self.kind == "identity":
            return np.ones_like(rho)
        if self.kind == "exponential":
            return self.scale * np.exp(self.scale * (rho - 1.0))
        if self.kind == "polynomial":
            return self.slope * ((rho + self.offset) / (1.0 + self.offset)) ** (self.degree - 1)
        if self.kind == "series":
            return np.polynomial.Polynomial(self.coefficients).deriv()(rho)
        if self.kind == "erf":
            return _ERF / np.sqrt(1.0 - (_ERF * rho) ** 2) / math.asin(_ERF)
        if self.kind == "relu":
            return profile(np, np.clip(rho, -1.0, 1.0), 0)
        with np.errstate(divide="ignore"):
            return 1.0 / (np.pi * np.sqrt(1.0 - rho * rho))

    def head(self) -> np.ndarray:
        """Return the first coefficients a_0, a_1, …, as far as a draw of 53 bits resolves, or up to the heavy tail."""
        return _head(self)

    def draw(self, generator: np.random.Generator, size: int) -> np.ndarray:
        """Draw `size` independent numbers from the law (a_i), int64.

        By inverse CDF: a uniform number of 53 bits is looked up in the cumulated coefficients, whose remainder is below
        2^-53 or, for the step and the ReLU, is drawn exactly (see :mod:`rfviz.skeleton.tails`).
        """
        if self.kind == "identity":
            return np.ones(size, dtype=np.int64)
        u = generator.random(size)
        table, guide = _tables(self)
        drawn = guide[(u * len(guide)).astype(np.int64)]
        unclear = np.flatnonzero(drawn < 0)
        drawn[unclear] = np.searchsorted(table, u[unclear], side="right")
        if self.kind in _HEAVY:
            tail, first = _HEAVY[self.kind]
            beyond = unclear[drawn[unclear] >= len(table)]
            drawn[beyond] = 2 * tail.draw(generator, beyond.size) + first
        return drawn

    def to_form(self) -> dict[str, Any]:
        """Return the JSON form."""
        if self.kind == "series":
            return {"kind": "series", "coefficients": list(self.coefficients)}
        return {"kind": self.kind} | {p.name: getattr(self, p.name) for p in _PARAMS[self.kind]}


def activation(given: str | Mapping[str, Any] | Activation) -> Activation:
    """Return an activation from its name, from its JSON form, or as it is.

    Parameters
    ----------
    given : str, mapping or Activation
        ``"relu"``, ``{"kind": "exponential", "scale": 0.25}``, ``{"kind": "series", "coefficients": [0.5, 0.5]}``, …

    Raises
    ------
    ParameterError
        For an unknown kind, a number that breaks its rule, coefficients that are negative or do not sum to 1.
    """
    if isinstance(given, Activation):
        return given
    form = form_of(given, "activation", _NAMES, "relu")
    kind = form["kind"]
    if kind == "series":
        return Activation("series", coefficients=_checked_series(form.get("coefficients")))
    return Activation(kind, **{p.name: p.validate(form.get(p.name, p.default)) for p in _PARAMS[kind]})


def _checked_series(given: Any) -> tuple[float, ...]:
    rule = f"must be a list of 1 to {_MAX_SERIES:,} numbers, none negative, with sum 1"
    remedy = "Divide them by their sum."
    try:
        a = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("coefficients", rule, given, "Try [0.5, 0.5].") from None
    if a.ndim != 1 or not 1 <= a.size <= _MAX_SERIES or not np.isfinite(a).all():
        raise ParameterError("coefficients", rule, given, "Try [0.5, 0.5].")
    if (a < 0).any():
        raise ParameterError("coefficients", rule, given, f"Coefficient {int(np.argmax(a < 0))} is negative.")
    if abs(a.sum() - 1.0) > 1e-9:
        raise ParameterError("coefficients", rule, given, f"Their sum is {a.sum():.10g}. {remedy}")
    return tuple(float(v) for v in a)


@functools.lru_cache(maxsize=64)
def _head(self: Activation) -> np.ndarray:
    if self.kind == "identity":
        return np.array([0.0, 1.0])
    if self.kind == "series":
        return np.array(self.coefficients)
    if self.kind == "exponential":
        i = np.arange(math.ceil(self.scale + 12.0 * math.sqrt(self.scale) + 40.0))
        return np.exp(special.xlogy(i, self.scale) - self.scale - special.gammaln(i + 1.0))
    if self.kind == "polynomial":
        i, d, c = np.arange(self.degree + 1), self.degree, self.offset
        log_binomial = special.gammaln(d + 1.0) - special.gammaln(i + 1.0) - special.gammaln(d - i + 1.0)
        return np.exp(log_binomial + special.xlogy(d - i, c) - d * math.log1p(c))
    if self.kind == "erf":
        k = np.arange(60)
        a = np.zeros(2 * len(k))
        a[1::2] = central(len(k)) / (2 * k + 1) * _ERF ** (2 * k + 1) / math.asin(_ERF)
        return a
    k = np.arange(HEAD)
    odd = central(HEAD) / (np.pi * (2 * k + 1))
    if self.kind == "step":
        a = np.zeros(2 * HEAD)  # up to a_{2·HEAD−1}; the tail begins at a_{2·HEAD+1}
        a[0], a[1::2] = 0.5, odd
        return np.append(a, 0.0)
    a = np.zeros(2 * HEAD + 1)
    a[0], a[1], a[2::2] = 1 / np.pi, 0.5, odd / (2 * k + 2)
    return np.append(a, 0.0)


@functools.lru_cache(maxsize=64)
def _tables(self: Activation) -> tuple[np.ndarray, np.ndarray]:
    """Return the cumulated coefficients, and the draw for each 4096th of [0, 1) where that is clear, else −1."""
    a = _head(self)
    if self.kind not in _HEAVY:
        a = a[: np.flatnonzero(a)[-1] + 1]
    table = np.cumsum(a)
    if self.kind not in _HEAVY:
        table[-1] = 1.0  # the coefficients beyond are below the resolution of the draw
    edges = np.searchsorted(table, np.arange(4097) / 4096, side="right")
    clear = (edges[:-1] == edges[1:]) & (edges[:-1] < len(table))
    return table, np.where(clear, edges[:-1], -1)
