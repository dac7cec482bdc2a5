"""Tail bounds on the error of a kernel estimate, solved for the error and for the number of features."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rfviz.errors import ParameterError

__all__ = ["TailBound"]

# Errors and numbers of features between which a bound is solved; beyond them it is as good as none.
_LEAST_ERROR, _LARGEST_ERROR = 1e-15, 1e15
_LARGEST_M = 1e18
# Halvings of a logarithmic interval after which it is down to rounding.
_HALVINGS = 64


@dataclass(frozen=True, eq=False)
class TailBound:
    """P(|error| ≥ ε) ≤ exp(log_failure(m, ε)) for m features, where the right side is below 1.

    Attributes
    ----------
    name : str
        ``"Hoeffding"``.
    source : str
        Where it is from.
    formula : str
        The bound on the probability in LaTeX, with m the number of features.
    assumes : str
        What it holds for, in a sentence.
    log_failure : callable
        ``log_failure(m, eps)``, arrays or floats to the natural logarithm of the bound, which may be above 0; falling
        in ε.
    falls_from : callable
        ε to the m from which the bound falls in m; 0 for most.
    step : int
        What m is a multiple of: 2 for features that come in pairs.
    """

    name: str
    source: str
    formula: str
    assumes: str
    log_failure: Callable[[Any, Any], Any]
    falls_from: Callable[[float], float] = lambda eps: 0.0
    step: int = 1

    def failure(self, m: Any, eps: Any) -> np.ndarray:
        """Return the bound on the probability of an error of ε or more, at most 1.

        Parameters
        ----------
        m, eps : float or ndarray
            Numbers of features, and errors above 0.

        Returns
        -------
        ndarray
            1 where the bound says nothing (it is *vacuous* there).
        """
        m, eps = _positive("m", m), _positive("eps", eps)
        return np.exp(np.minimum(self.log_failure(m, eps), 0.0))

    def error(self, m: Any, delta: float) -> np.ndarray:
        """Solve the bound for ε: the error that m features exceed with probability δ at most.

        Parameters
        ----------
        m : float or ndarray of shape (k,)
        delta : float
            Between 0 and 1.

        Returns
        -------
        ndarray of the shape of `m`
        """
        m, target = _positive("m", m), math.log(_probability(delta))
        low, high = np.full(m.shape, math.log(_LEAST_ERROR)), np.full(m.shape, math.log(_LARGEST_ERROR))
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            fails = self.log_failure(m, np.exp(middle)) > target
            low, high = np.where(fails, middle, low), np.where(fails, high, middle)
        return np.exp(high)

    def features(self, eps: float, delta: float) -> float:
        """Solve the bound for m: the least m such that m or more features err by ε with probability δ at most.

        Returns
        -------
        float
            A whole number, a multiple of `step`; infinite beyond 10¹⁸.
        """
        eps, target = float(_positive("eps", eps)), math.log(_probability(delta))
        low = max(self.falls_from(eps), 0.5 * self.step)
        high = _LARGEST_M
        if self.log_failure(low, eps) <= target:
            high = low
        elif low >= high or self.log_failure(high, eps) > target:
            return math.inf
        for _ in range(_HALVINGS):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if self.log_failure(middle, eps) > target else (low, middle)
        return float(self.step * math.ceil(high / self.step * (1.0 - 1e-13)))

    def over(self, n_pairs: int) -> TailBound:
        """Return the bound on the largest error of `n_pairs` pairs: the union bound, which adds probabilities up."""
        more = math.log(n_pairs)
        return replace(
            self,
            name=f"{self.name} + union",
            formula=rf"N\cdot\Bigl({self.formula}\Bigr)",
            log_failure=lambda m, eps: more + self.log_failure(m, eps),
        )


def _positive(name: str, values: Any) -> np.ndarray:
    array = np.asarray(values, dtype=np.float64)
    if not (array > 0).all():
        raise ParameterError(name, "must be greater than 0", values, f"Try {name}=1.")
    return array


def _probability(delta: float) -> float:
    if not 0.0 < delta < 1.0:
        raise ParameterError("delta", "must lie between 0 and 1", delta, "Try delta=0.05.")
    return float(delta)
