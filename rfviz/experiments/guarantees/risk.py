"""Learning with m random features, in the terms of the theorems: risks, and the constants that they leave open."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.analysis.splits import Split
from rfviz.backend import single_threaded_blas
from rfviz.bounds import LOSSES
from rfviz.errors import DataError
from rfviz.features import FeatureMap, MapSpec
from rfviz.linear_model import RidgePathRegressor
from rfviz.progress import Progress, silent

__all__ = ["MeasuredRisk", "measure_risk"]

# Training rows on which the empirical risk is measured.
_TRAIN_ROWS = 5000
_ONE_THREAD_BELOW = 3e10


@dataclass(frozen=True, eq=False)
class MeasuredRisk:
    """Risks of ridge solutions on the first m features; S seeds, G numbers of features.

    Attributes
    ----------
    n_train, n_test, n_outputs : int
        Outputs: one for two classes, else each class against the rest, and risks are means over them.
    m_grid : ndarray of shape (G,), int
    train, test : dict of str to ndarray of shape (S, G)
        Mean loss over the training and the test rows, for each of :data:`rfviz.bounds.LOSSES`.
    size : ndarray of shape (S, G)
        C: m times the largest coefficient of a feature with |φ| ≤ 1, the largest of all outputs.
    radius : ndarray of shape (S, G)
        B: norm of the coefficients of features scaled by 1/√m, the largest of all outputs.
    """

    spec: MapSpec[FeatureMap]
    dataset: str
    n_train: int
    n_test: int
    n_outputs: int
    m_grid: np.ndarray
    train: dict[str, np.ndarray]
    test: dict[str, np.ndarray]
    size: np.ndarray
    radius: np.ndarray

    def place(self, m: int) -> int:
        """Return the place of the number of features on the grid that is nearest to m."""
        return int(np.argmin(np.abs(np.log(self.m_grid / m))))

    def excess(self, loss: str) -> np.ndarray:
        """Return the mean test risk less the least on the grid, in place of the best of the class; shape (G,)."""
        mean = self.test[loss].mean(axis=0)
        return mean - mean.min()

    def gap(self, loss: str) -> np.ndarray:
        """Return the mean distance of test and training risk; shape (G,)."""
        return np.abs(self.test[loss] - self.train[loss]).mean(axis=0)

    def to_frame(self, loss: str) -> pd.DataFrame:
        """Return means over the draws, one row per m; of C and B the medians."""
        return pd.DataFrame(
            {
                "m": self.m_grid,
                "training risk": self.train[loss].mean(axis=0),
                "test risk": self.test[loss].mean(axis=0),
                "test − training": self.gap(loss),
                "excess over the best": self.excess(loss),
                "C": np.median(self.size, axis=0),
                "B": np.median(self.radius, axis=0),
            }
        )


def measure_risk(
    split: Split,
    spec: MapSpec[FeatureMap],
    m_grid: Sequence[int] | np.ndarray,
    n_seeds: int = 3,
    progress: Progress = silent,
) -> MeasuredRisk:
    """Fit ridge regression without an intercept to codes of ±1, for every m of a grid, and measure all losses.

    Parameters
    ----------
    split : Split
        With classes.
    spec : MapSpec
        The number of features and the seed are replaced.
    m_grid : sequence of int

    Raises
    ------
    DataError
        For regression data.
    """
    if not split.is_classification:
        raise DataError(f"The theorems on learning speak of classes; {split.name} has numbers. Choose labelled data.")
    grid = [int(m) for m in m_grid]
    codes, test_codes = _codes(split.y_train), _codes(split.y_test, np.unique(split.y_train))
    rows = np.random.default_rng(0).permutation(len(codes))[:_TRAIN_ROWS]
    shape = n_seeds, len(grid)
    train, test = ({name: np.empty(shape) for name in LOSSES} for _ in range(2))
    size, radius = np.empty(shape), np.empty(shape)
    with single_threaded_blas() if len(codes) * max(grid) ** 2 < _ONE_THREAD_BELOW else nullcontext():
        for seed in range(n_seeds):
            word = f"{spec.cls.label}: seed {seed + 1} of {n_seeds}"
            progress(seed / n_seeds, word)
            drawn = spec.make(n_components=max(grid), random_state=seed)
            largest = drawn.largest_feature() or drawn.unit_scale
            path = RidgePathRegressor(drawn, m_grid=grid, fit_intercept=False)
            path.fit(split.X_train, codes, progress=lambda share, _, s=seed, w=word: progress((s + share) / n_seeds, w))
            for part, X, y in ((train, split.X_train[rows], codes[rows]), (test, split.X_test, test_codes)):
                for j, scores in enumerate(path.decision_path(X)):
                    for name, loss in LOSSES.items():
                        part[name][seed, j] = loss.value(y * scores).mean()
            for j, m in enumerate(grid):
                # The unscaled feature is `largest` times one that is at most 1.
                size[seed, j] = m * largest * np.abs(path.coef_path_[m]).max()
                radius[seed, j] = np.sqrt(m) * np.linalg.norm(path.coef_path_[m], axis=0).max()
    return MeasuredRisk(
        spec,
        split.name,
        len(codes),
        len(test_codes),
        codes.shape[1],
        np.array(grid),
        train,
        test,
        size,
        radius,
    )


def _codes(y: np.ndarray, classes: np.ndarray | None = None) -> np.ndarray:
    """Return columns of ±1: one for two classes, else one per class."""
    classes = np.unique(y) if classes is None else classes
    columns = classes[1:] if len(classes) == 2 else classes
    return np.where(y[:, None] == columns, 1.0, -1.0)
