"""How large the largest weight of random kitchen sinks is: Figure 2 of the paper.

The paper's guarantee asks for weights of at most C/K and its algorithm does not enforce it. Figure 2 shows that the
largest weight falls by itself as K grows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rfviz.analysis.accuracy import Split
from rfviz.analysis.boosting import check_classes
from rfviz.analysis.progress import Progress, silent
from rfviz.features import registry
from rfviz.linear_model import RidgePath

__all__ = ["WeightDecay", "largest_weights"]

_QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True, eq=False)
class WeightDecay:
    """The largest weight in several runs.

    Attributes
    ----------
    k_grid : ndarray of int
    norms : ndarray of shape (runs, len(k_grid))
        ‖α‖_∞ of each run.
    """

    k_grid: np.ndarray
    norms: np.ndarray

    @property
    def quantiles(self) -> np.ndarray:
        """The 5th, 50th and 95th percentile over the runs, shape (3, len(k_grid))."""
        return np.quantile(self.norms, _QUANTILES, axis=0)

    @property
    def reference(self) -> np.ndarray:
        """C/K with the C that meets the median at the middle of the grid, on the logarithmic scale."""
        median = self.quantiles[1]
        place = len(self.k_grid) // 2
        return median[place] * self.k_grid[place] / self.k_grid

    def slope(self, start: int = 0) -> float:
        """Slope of the median on logarithmic axes, by least squares, from a place of the grid on: −1 is C/K."""
        return float(np.polyfit(np.log(self.k_grid[start:]), np.log(self.quantiles[1][start:]), 1)[0])

    def to_frame(self) -> pd.DataFrame:
        """One row a K: runs, the quantiles, and K times the median, which C/K would hold constant."""
        low, median, high = self.quantiles
        return pd.DataFrame(
            {"K": self.k_grid, "runs": len(self.norms), "5 %": low, "median": median, "95 %": high,
             "K · median": self.k_grid * median}
        )  # fmt: skip


def largest_weights(
    split: Split,
    scheme: str,
    setting: Mapping[str, Any],
    k_grid: Sequence[int],
    alpha: float = 1.0,
    progress: Progress = silent,
) -> np.ndarray:
    """‖α‖_∞ of the least-squares weights on the first K features, for every K of a grid: one run.

    As in the paper there is no intercept, the codes of the classes are ±1, and the loss is quadratic. Features may
    repeat each other (a stump on a column of zeros and ones has few forms), so a penalty as small as one row makes the
    solution unique; it then shares a weight evenly among equal features.

    Parameters
    ----------
    split : Split
        With classes; only the training rows are used.
    scheme : str
        Class name of a feature map.
    setting : mapping
        Its keyword arguments, the seed among them.
    k_grid : sequence of int
    alpha : float
        Penalty on the unscaled features, beside a loss summed over the rows.
    progress : callable

    Returns
    -------
    ndarray of shape (len(k_grid),)

    Raises
    ------
    DataError
        For targets that are no classes.
    MemoryBudgetError
        Where the Gram matrix of the largest K would not fit.
    """
    check_classes(split)
    grid = sorted({int(k) for k in k_grid})
    scheme_map = registry()[scheme](**{**setting, "n_components": grid[-1]})
    path = RidgePath(scheme_map, m_grid=grid, alphas=alpha, fit_intercept=False, solver="primal")
    path.fit(split.X_train, split.y_train, progress=progress)
    return np.array([np.abs(path.coef_[k]).max() for k in grid])
