"""How far a function of the kernel's space is from its random version: Corollary 4 of the compositional kernels paper.

f = Σ αᵢ k(xᵢ, ·) has the norm ‖f‖ = √(αᵀKα). Its weight at a feature is f̌(ω) = Σ αᵢ ψ(ω, xᵢ), which has the same norm
in L², and f_ω = (1/q) Σ f̌(ω_j) ψ(ω_j, ·) is Σ αᵢ k_ω(xᵢ, ·): the same sum with the estimated kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.analysis.kernel_sample import KernelSample
from rfviz.analysis.mapping import points_for
from rfviz.analysis.nested import estimates
from rfviz.analysis.points import blas_for
from rfviz.errors import ParameterError
from rfviz.experiments.guarantees.compute import needed
from rfviz.features import FeatureMap, MapSpec
from rfviz.progress import Progress, silent, stop_point
from rfviz.words import counted, number, times

__all__ = ["ApproximatedFunction", "approximate", "explanation", "summary"]

# The share of the mean of k(x, x) that ridge regression adds to the diagonal, when it makes the function.
_RIDGE = 0.1


@dataclass(frozen=True, eq=False)
class ApproximatedFunction:
    """A function of a kernel's space, and distances of its random versions from it.

    Attributes
    ----------
    spec : MapSpec
        The map, with its parameters as numbers.
    norm : float
        ‖f‖ in the space of the kernel.
    largest : float
        C: the largest value of an unscaled feature.
    values : ndarray of shape (n,)
        f at the points.
    m_grid : ndarray of shape (G,)
    distances : ndarray of shape (draws, G)
        Root mean square of f − f_ω over the points.
    """

    spec: MapSpec[FeatureMap]
    dataset: str
    target: str
    norm: float
    largest: float
    values: np.ndarray
    m_grid: np.ndarray
    distances: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """The mean distance over the draws, which the corollary bounds; shape (G,)."""
        return self.distances.mean(axis=0)

    @property
    def bound(self) -> np.ndarray:
        """C‖f‖/√m; shape (G,)."""
        return self.largest * self.norm / np.sqrt(self.m_grid)

    def required(self, eps: float) -> float:
        """Return the features that the bound requires for a mean distance of ε."""
        return float(np.ceil((self.largest * self.norm / eps) ** 2 * (1.0 - 1e-12)))

    def place(self, m: int) -> int:
        """Return the place of the number of features on the grid that is nearest to m."""
        return int(np.argmin(np.abs(np.log(self.m_grid / m))))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of features."""
        return pd.DataFrame(
            {
                "m": self.m_grid,
                "distance": self.mean,
                "s.d. of draws": self.distances.std(axis=0, ddof=1),
                "C‖f‖/√m": self.bound,
            }
        )


def approximate(
    sample: KernelSample,
    target: np.ndarray,
    named: str,
    spec: MapSpec[FeatureMap],
    m_grid: Sequence[int] | np.ndarray,
    n_draws: int,
    progress: Progress = silent,
) -> ApproximatedFunction:
    """Make a function by kernel ridge regression, and measure its distance from its random versions.

    Parameters
    ----------
    target : ndarray of shape (n,)
        What the regression is of, at the points.
    named : str
        The same in words.

    Raises
    ------
    ParameterError
        For a map whose features are not independent and bounded, of which the corollary does not speak.
    """
    grid, spec = np.asarray(m_grid, dtype=int), spec.resolve(sample.original)
    points = points_for(spec.make(), sample)
    distances = np.empty((n_draws, len(grid)))
    with blas_for(sample.n_points, int(grid[-1])):
        drawn = spec.make(n_components=int(grid[-1]), random_state=0).fit(points)
        largest = drawn.largest_feature()
        if largest is None or drawn.why_no_bound():
            rule = "must have features that are bounded and independent, of which Corollary 4 speaks"
            raise ParameterError("feature_map", rule, spec.cls.label, "Choose Fourier or compositional features.")
        K = drawn.kernel(points)
        alpha = np.linalg.solve(K + _RIDGE * np.trace(K) / len(K) * np.eye(len(K)), target)
        values = K @ alpha
        for draw in range(n_draws):
            progress(draw / n_draws, f"{spec.cls.label}: draw {draw + 1} of {n_draws}")
            if draw:
                drawn = spec.make(n_components=int(grid[-1]), random_state=draw).fit(points)
            for place, K_hat in enumerate(estimates(drawn, points, grid.tolist())):
                stop_point()
                distances[draw, place] = np.sqrt(np.mean((K_hat @ alpha - values) ** 2))
    norm = float(np.sqrt(alpha @ values))
    return ApproximatedFunction(spec, sample.name, named, norm, largest, values, grid, distances)


def summary(found: ApproximatedFunction) -> str:
    """Return the chart in one sentence, as alternative text."""
    return (
        f"Distance of a function from its version of m random features, {found.spec.cls.label} on {found.dataset}: "
        f"{number(found.mean[0], 2)} at m = {found.m_grid[0]:,}, {number(found.mean[-1], 2)} at m = "
        f"{found.m_grid[-1]:,}; Corollary 4 allows {number(found.bound[0], 2)} and {number(found.bound[-1], 2)}."
    )


def explanation(found: ApproximatedFunction, eps: float, m: int) -> str:
    """Return what one sees, with the numbers of the chart."""
    place = found.place(m)
    enough, beyond = needed(found.m_grid, found.mean, eps)
    least = "at most " if enough <= found.m_grid[0] else ""
    suffices = f"about {number(enough, 2)} would do (extrapolated)" if beyond else f"{least}{enough:,.0f} suffice"
    ratio = found.bound[place] / found.mean[place]
    return (
        f"**What am I seeing?** A function f of the kernel’s space, kernel ridge regression of {found.target}, and how "
        f"far its version f_ω of m random features is from it: the root mean square over the points, the mean of "
        f"{counted(len(found.distances), 'draw')}. f has the norm ‖f‖ = {number(found.norm)} and values of root mean "
        f"square {number(float(np.sqrt(np.mean(found.values**2))))}; features are at most C = {number(found.largest)}. "
        f"Corollary 4 bounds the mean distance by C‖f‖/√m, at m = {found.m_grid[place]:,} by "
        f"**{number(found.bound[place], 2)}**; measured: **{number(found.mean[place], 2)}**, {times(ratio)} times "
        f"less. For a distance of ε = {eps:g} it requires **{found.required(eps):,.0f}** features; {suffices}."
    )
