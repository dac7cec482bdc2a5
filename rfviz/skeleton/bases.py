"""Base spaces of a skeleton's inputs, and the conversion of numbers to their points.

=========== ======= ================================================= =========================== ===================
kind        columns point of a value v                                kernel                      random feature
=========== ======= ================================================= =========================== ===================
binary      1       +1 where v > 0, else −1 (so ±1 and 0/1 both do)   x x'                        x
circle      1       the angle θ = 2π·turn·v; any v will do            cos(θ − θ')                 e^{±iθ}
gaussian    any d   as it is                                          exp(−scale²‖x − x'‖²/2)     e^{i·scale⟨ω,x⟩}
categorical 1       an integer from 0 to n−1; all else is refused     1 where equal, else 0       e^{2πiωx/n}
sphere      3 … d   scaled to unit length; zero stays zero            ⟨x, x'⟩                     √(d/2)(x_j±ix_{j+1})
=========== ======= ================================================= =========================== ===================

For the circle, pixels from 0 to 1 with the default ``turn=0.5`` fill half of it: black and white are opposite.
On the sphere a feature's modulus reaches √(d/2), so that long products vary wildly: above spheres the heavy tails of
the ReLU and the step give estimates that are unbiased but of infinite variance; prefer the exponential there.
The paper prints e^{iωx/(2πn)} for categories, whose expectation is not the indicator.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz.errors import DataError
from rfviz.params import Param
from rfviz.skeleton._forms import form_of

__all__ = ["BASES", "Base", "base"]

_TURN = Param("turn", 0.5, "float", low=0.0, open_low=True, high=1e6)
_SCALE = Param("scale", 1.0, "float", low=0.0, open_low=True, high=1e6)
_CATEGORIES = Param("categories", 2, "int", low=2, high=1_000_000)
_PARAMS: dict[str, tuple[Param, ...]] = {
    "binary": (),
    "circle": (_TURN,),
    "gaussian": (_SCALE, Param("dimension", 1, "int", low=1, high=1_000_000)),
    "categorical": (_CATEGORIES,),
    "sphere": (Param("dimension", 3, "int", low=3, high=1_000_000),),
}
_NAMES = {kind: [p.name for p in params] for kind, params in _PARAMS.items()}
BASES = tuple(_PARAMS)


@dataclass(frozen=True)
class Base:
    """A base space; make one with :func:`base`.

    Attributes
    ----------
    kind : {"binary", "circle", "gaussian", "categorical", "sphere"}
    dimension : int
        Columns of the data that one input takes.
    turn : float
        For the circle: part of a full turn that a value of 1 makes.
    scale : float
        For the Gaussian: a in exp(−a²‖x − x'‖²/2).
    """

    kind: str
    dimension: int = 1
    turn: float = 0.5
    scale: float = 1.0
    categories: int = 2

    @property
    def bound(self) -> float:
        """Return the largest modulus of the random features: 1, but √(d/2) on the sphere, the least there can be."""
        return math.sqrt(self.dimension / 2) if self.kind == "sphere" else 1.0

    def check(self, X: np.ndarray) -> None:
        """Refuse values, shape (n_samples, columns), that are not points of the space.

        Raises
        ------
        DataError
            With the first value that is none.
        """
        if self.kind == "categorical":
            bad = ~np.isin(X, np.arange(self.categories))
            if bad.any():
                raise DataError(
                    f"A categorical input must be an integer from 0 to {self.categories - 1}; got "
                    f"{X[bad][0]:g}. Number the categories from 0."
                )

    def angles(self, xp: Any, X: Any) -> tuple[Any, Any]:
        """Return angles, of which a random feature adds a few, and moduli, of which it multiplies a few (sphere only).

        Parameters
        ----------
        X : array of shape (n_inputs · dimension, n_samples)

        Returns
        -------
        angles, moduli : array of the shape of `X`; None for moduli that are all 1
        """
        if self.kind == "binary":
            return xp.where(X > 0, X.dtype.type(0.0), X.dtype.type(np.pi)), None
        if self.kind == "sphere":
            X = self._unit(xp, X)
            after = xp.concatenate([X[:, 1:], X[:, :1]], axis=1)
            radius = math.sqrt(self.dimension / 2) * xp.sqrt(X * X + after * after)
            shape = (-1, X.shape[2])
            return xp.arctan2(after, X).reshape(shape), radius.reshape(shape)
        return X * X.dtype.type(self.unit_angle), None

    @property
    def unit_angle(self) -> float:
        """Return the radians that a value of 1 stands for."""
        return {
            "circle": 2.0 * math.pi * self.turn,
            "gaussian": self.scale,
            "categorical": 2.0 * math.pi / self.categories,
        }.get(self.kind, math.pi)

    def _unit(self, xp: Any, X: Any) -> Any:
        """Return the inputs scaled to unit length, shape (n_inputs, dimension, n_samples); zero stays zero."""
        X = X.reshape(-1, self.dimension, X.shape[-1])
        # Through the largest entry first, so that squares neither overflow nor vanish.
        largest = xp.abs(X).max(axis=1)[:, None]
        X = X / xp.where(largest > 0, largest, X.dtype.type(1.0))
        norm = xp.sqrt((X * X).sum(axis=1))[:, None]
        return X / xp.where(norm > 0, norm, X.dtype.type(1.0))

    @property
    def n_factors(self) -> int:
        """Return how many products of entries of :meth:`prepare` the kernel sums; 0 if it is not such a sum."""
        return {"binary": 1, "circle": 2, "sphere": self.dimension}.get(self.kind, 0)

    def prepare(self, xp: Any, X: Any) -> tuple[Any, ...]:
        """Prepare one side's samples for :meth:`pairs`, from an array of shape (n_inputs · dimension, n_samples)."""
        if self.kind == "binary":
            return (xp.where(X > 0, 1.0, -1.0),)
        if self.kind == "circle":
            theta = X * self.unit_angle
            return xp.cos(theta), xp.sin(theta)
        if self.kind == "sphere":
            unit = self._unit(xp, X)
            return tuple(unit[:, j] for j in range(self.dimension))
        X = X.reshape(-1, self.dimension, X.shape[-1])
        return tuple(X[:, j] for j in range(self.dimension))

    def pairs(self, xp: Any, left: tuple[Any, ...], right: tuple[Any, ...]) -> Any:
        """Return the base kernel of every input for all pairs of samples: shape (n_inputs, n_left, n_right)."""
        if self.kind == "categorical":
            return xp.where(left[0][:, :, None] == right[0][:, None, :], 1.0, 0.0)
        total: Any = None
        for a, b in zip(left, right, strict=True):
            a, b = a[:, :, None], b[:, None, :]
            term = (a - b) ** 2 if self.kind == "gaussian" else a * b
            total = term if total is None else total + term
        return xp.exp((-0.5 * self.scale**2) * total) if self.kind == "gaussian" else total

    def to_form(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"kind": self.kind} | {p.name: getattr(self, p.name) for p in _PARAMS[self.kind]}


def base(given: str | Mapping[str, Any] | Base) -> Base:
    """Return a base space from its name, from its JSON form, or as it is.

    Raises
    ------
    ParameterError
        For an unknown kind, or a number that breaks its rule.
    """
    if isinstance(given, Base):
        return given
    form = form_of(given, "base", _NAMES, "circle")
    kind = form["kind"]
    return Base(kind, **{p.name: p.validate(form.get(p.name, p.default)) for p in _PARAMS[kind]})
