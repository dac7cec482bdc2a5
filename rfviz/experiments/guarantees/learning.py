"""How many features suffice to learn as well as the exact kernel: predicted from its spectrum, and measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.cache import Cache
from rfviz.experiments.data import Data
from rfviz.experiments.learning_curve.experiment import (
    CurveResult,
    Prediction,
    case_of,
    draw_of,
    population_of,
    spread_of,
)
from rfviz.features import FeatureMap, MapSpec
from rfviz.theory import features_needed

__all__ = ["Learnt", "learnt_of"]

# An eighth of the rows is trained on, since of fewer others the kernel says too little.
_ROWS, _SHARE, _LEAST = 200, 8, 10
_DRAWS = 4
# Each m of the sweep is a fifth more than the one before; it ends at one of these, beyond twice the predicted.
_STEP, _ENDS, _END_OF_GRIDS = 1.2, (2048, 4096, 8192), 200


@dataclass(frozen=True, eq=False)
class Learnt:
    """Features for a squared error within a share of the exact kernel's, with the best penalty for each m.

    Attributes
    ----------
    within : float
        0.1: at most 10% more than the exact kernel.
    predicted : int or None
        The least m from which on the predicted error is; None if ten million do not suffice, or if a feature of the map
        is a whole grid of boxes, of which the theory says nothing.
    curve : CurveResult
        Measured and predicted errors.
    variance : float
        Of the targets, summed over outputs.
    n_outputs : int
        One for numbers, else one for each class.
    """

    within: float
    predicted: int | None
    curve: CurveResult
    variance: float
    n_outputs: int

    @property
    def measured(self) -> int | None:
        """The least m of the sweep from which on the mean measured error is; None if none of it suffices."""
        return self.curve.features_needed(self.within)

    @property
    def risk(self) -> float:
        """Measured squared error of the exact kernel for codes of ±1, the mean over classes."""
        return 4.0 * self.curve.exact * self.variance / self.n_outputs

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of features: errors that are measured and predicted."""
        return self.curve.to_frame()


def learnt_of(data: Data, normalise: str, law: MapSpec[FeatureMap], within: float, *, cache: Cache) -> Learnt:
    """Predict how many features suffice, and measure it.

    Raises
    ------
    RfvizError
        Without labels, or if the kernel has no closed form.
    """
    population = cache.call(population_of, data, normalise)
    n = min(_ROWS, max(population.n_rows // _SHARE, _LEAST), population.n_rows // 2)
    case = cache.call(case_of, data, normalise, law, 0.0)
    predicted, end = None, _END_OF_GRIDS
    if not law.cls.sparse_output:
        predicted = features_needed(case.spectrum, n, within=within, from_population=True)
        end = next((end for end in _ENDS if end >= 2 * (predicted or _ENDS[-1])), _ENDS[-1])
    grid = np.unique(np.append(np.geomspace(2, end, int(np.log(end / 2) / np.log(_STEP)) + 2).astype(int), end))
    found = case.errors(np.array(n), np.append(grid, np.inf), None)
    prediction = Prediction(
        grid,
        found.test[:-1],
        found.train[:-1],
        found.is_reliable[:-1],
        float(found.test[-1]),
        predicted,
        case.spectrum,
    )
    draws = []
    for draw in range(_DRAWS):
        cache.progress(draw / _DRAWS, f"Draw {draw + 1} of {_DRAWS}")
        draws.append(cache.call(draw_of, data, normalise, law, n, tuple(grid.tolist()), None, 0.0, draw, True))
    spread, is_classes = cache.call(spread_of, data, normalise, law), population.codes is not None
    curve = CurveResult(law, n, population.n_rows, is_classes, True, grid, tuple(draws), prediction, "", spread)
    return Learnt(within, predicted, curve, population.variance, population.Y.shape[1])
