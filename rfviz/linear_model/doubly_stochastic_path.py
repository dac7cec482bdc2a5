"""Doubly stochastic training as a curve: one run passes through every smaller number of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from rfviz.linear_model.doubly_stochastic import DoublyStochasticClassifier, DoublyStochasticRegressor
from rfviz.linear_model.grid import check_grid
from rfviz.linear_model.targets import Targets

__all__ = ["DoublyStochasticPath"]


class DoublyStochasticPath(BaseEstimator):
    """Least squares on ±1 codes of classes, or on numbers, by doubly stochastic gradients, for every m of a grid.

    Parameters
    ----------
    feature_map : FeatureMap
        Its `n_components` is the largest m, its `random_state` the seed.
    m_grid : sequence of int, optional
        Numbers of features, each taken up to the end of a step; by default about twenty.
    alpha : float
        Penalty per row.

    Attributes
    ----------
    model_ : DoublyStochasticClassifier or DoublyStochasticRegressor
    m_grid_, alpha_ : ndarray
    coef_ : dict of int to ndarray
    classes_ : ndarray or None
    map_ : None
        No weights are stored.
    """

    map_ = None

    def __init__(self, feature_map: Any, *, m_grid: Sequence[int] | None = None, alpha: float = 1e-6) -> None:
        self.feature_map = feature_map
        self.m_grid = m_grid
        self.alpha = alpha

    def fit(self, X: Any, y: Any, progress: Callable[[float, str], None] | None = None) -> DoublyStochasticPath:
        """Learn from rows `X`, shape (n_samples, n_features), and targets; `progress` may raise to stop.

        Raises
        ------
        DataError, ParameterError, MemoryBudgetError
            As :class:`rfviz.linear_model.DoublyStochasticClassifier`.
        """
        self._targets = Targets.learn(y)
        self.classes_ = self._targets.classes
        settings: dict[str, Any] = {"alpha": self.alpha, "random_state": self.feature_map.random_state}
        if self.classes_ is None:
            model: Any = DoublyStochasticRegressor(self.feature_map, **settings)
        else:
            model = DoublyStochasticClassifier(self.feature_map, loss="ridge", **settings)
        self.model_ = model.fit(X, y, progress)
        self.m_grid_ = model.step_grid(check_grid(self.m_grid, int(self.feature_map.n_components)))
        self.alpha_ = np.full(len(self.m_grid_), self.alpha)
        self.coef_ = {int(m): model.coef_[:m] for m in self.m_grid_}
        return self

    def decision_path(self, X: Any) -> list[np.ndarray]:
        """Return scores (n_samples, k) for every m of the grid, from features that are drawn once for all."""
        check_is_fitted(self)
        return self.model_.decision_path(X, self.m_grid_)

    def error(self, scores: np.ndarray, y: Any) -> float:
        """Return the share of wrong labels, or mean squared error, of scores that :meth:`decision_path` gave."""
        return float(np.mean(self._targets.errors(scores, y)))

    def score_path(self, X: Any, y: Any) -> np.ndarray:
        """Return the errors for every m of the grid, shape (len(m_grid_),)."""
        return np.array([self.error(scores, y) for scores in self.decision_path(X)])
