"""Choose a ridge penalty for each number of features: try a few decades, then refine about the best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from rfviz.linear_model.system import Model

__all__ = ["EXPECTED_PENALTIES", "Evaluate", "PenaltySearch"]

# evaluate(alpha, m_grid) → for each m its (coef, intercept) and its error; None for a penalty that cannot be solved.
Evaluate = Callable[[float, list[int]], "list[tuple[Model, float]] | None"]

# Penalties are numbered by quarters of a decade, from one that is the mean eigenvalue of the Gram matrix.
_DECADE = 4
_FIRST = tuple(range(-3 * _DECADE, 1, _DECADE))
_LOWEST, _HIGHEST = -7 * _DECADE, 4 * _DECADE
# A further penalty is tried where a parabola promises an error that is smaller by this share.
_WORTHWHILE = 0.005
_REFINEMENTS = 3
#: Penalties that a search tries for one m, about.
EXPECTED_PENALTIES = 8


@dataclass
class PenaltySearch:
    """Errors by penalty and number of features, and for each number the model with the least."""

    evaluate: Evaluate
    errors: dict[int, dict[float, float]] = field(default_factory=dict[int, dict[float, float]])
    models: dict[int, Model] = field(default_factory=dict[int, Model])

    def best(self, m: int) -> float:
        """Return the penalty with the least error so far."""
        return min(self.errors[m], key=self.errors[m].__getitem__)

    def compare(self, alphas: Iterable[float], m_grid: Sequence[int]) -> None:
        """Evaluate each of these penalties for every m."""
        for alpha in alphas:
            self._try(alpha, list(m_grid))

    def refine(self, unit: float, m_grid: Sequence[int], together: bool) -> None:
        """Search on a logarithmic scale about `unit`.

        Parameters
        ----------
        unit : float
            The mean eigenvalue of the Gram matrix, or whatever penalties are small or large against.
        together : bool
            Whether one evaluation serves all m at the price of the largest. If not, each m begins where the last ended.
        """
        if together:
            self._search(unit, list(m_grid), _FIRST)
            return
        first = _FIRST
        for m in m_grid:
            best = self._search(unit, [m], first)[m]
            first = (best - _DECADE, best, best + _DECADE)

    def table(self, m_grid: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return the penalties tried, rising, and errors of shape (penalties, len(m_grid)); NaN where not evaluated."""
        alphas = sorted({alpha for m in m_grid for alpha in self.errors[m]})
        return np.array(alphas), np.array([[self.errors[m].get(alpha, np.nan) for m in m_grid] for alpha in alphas])

    def _search(self, unit: float, grid: list[int], first: Iterable[int]) -> dict[int, int]:
        """Return the best step of each m."""
        found: dict[int, dict[int, float]] = {m: {} for m in grid}

        def look(wanted: dict[int, set[int]]) -> bool:
            steps = sorted({step for some in wanted.values() for step in some})
            for step in steps:
                some = [m for m in grid if step in wanted.get(m, ())]
                errors = self._try(unit * 10.0 ** (step / _DECADE), some)
                for m, error in zip(some, errors, strict=True):
                    found[m][step] = error
            return bool(steps)

        look({m: {min(max(step, _LOWEST), _HIGHEST) for step in first} for m in grid})
        while look({m: _beside(found[m]) for m in grid}):
            pass
        for _ in range(_REFINEMENTS):
            if not look({m: _between(found[m]) for m in grid}):
                break
        return {m: min(found[m], key=found[m].__getitem__) for m in grid}

    def _try(self, alpha: float, m_grid: list[int]) -> list[float]:
        scored = self.evaluate(alpha, m_grid)
        errors: list[float] = []
        for j, m in enumerate(m_grid):
            known = self.errors.setdefault(m, {})
            error = np.inf if scored is None else scored[j][1]
            if scored is not None and error < min(known.values(), default=np.inf):
                self.models[m] = scored[j][0]
            known[alpha] = error
            errors.append(error)
        return errors


def _beside(found: dict[int, float]) -> set[int]:
    """Return the next decade on either side of the best step, if it was not tried."""
    best = min(found, key=found.__getitem__)
    return {step for step in (best - _DECADE, best + _DECADE) if _LOWEST <= step <= _HIGHEST} - set(found)


def _between(found: dict[int, float]) -> set[int]:
    """Return the step at which a parabola through the best one and its neighbours is least, if it promises enough."""
    steps = sorted(found)
    place = steps.index(min(found, key=found.__getitem__))
    if place in (0, len(steps) - 1) or not 0 < found[steps[place]] < np.inf:
        return set()
    around = np.array(steps[place - 1 : place + 2], dtype=float)
    errors = np.array([found[int(step)] for step in around])
    # An error that is infinite, or nearly so, would say nothing of the curve about its minimum.
    heights = np.log(np.minimum(errors, 10.0 * errors[1]) / errors[1])
    curve = np.polyfit(around - around[1], heights, 2)
    if not curve[0] > 0:
        return set()
    least = -curve[1] / (2.0 * curve[0])
    step = int(around[1] + np.rint(least))
    return {step} - set(found) if -curve[1] * least / 2.0 > _WORTHWHILE else set()
