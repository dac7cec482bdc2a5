"""Classes that the next release removes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted

from rfviz.errors import warn
from rfviz.linear_model.path import LARGEST
from rfviz.linear_model.ridge_base import RidgeBase
from rfviz.linear_model.targets import Targets, is_numbers

if TYPE_CHECKING:
    from rfviz.features import FeatureMap

__all__ = ["RidgePath"]


class RidgePath(RidgeBase):
    """Deprecated: use :class:`RidgePathClassifier` or :class:`RidgePathRegressor`.

    The type of `y` decides which of them it is: fractions are regression targets; integers, booleans and text are
    classes. Scikit-learn, which asks an estimator what it is before it sees `y`, cannot know.

    Parameters and attributes are those of the two, but for `coef_` and `intercept_`, which are by m.
    """

    def __init__(
        self,
        feature_map: FeatureMap,
        *,
        m_grid: Sequence[int] | None = None,
        m: int | str = LARGEST,
        alphas: Any = "auto",
        holdout: float | None = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        precision: str = "auto",
        random_state: Any = 0,
    ) -> None:
        warn("RidgePath is deprecated. Use RidgePathClassifier or RidgePathRegressor.", FutureWarning)
        if holdout is not None:
            warn("holdout is ignored: penalties are compared by leave-one-out errors. Leave it out.", FutureWarning)
        self.holdout = holdout
        self.feature_map = feature_map
        self.m_grid = m_grid
        self.m = m
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.precision = precision
        self.random_state = random_state

    @property
    def classes_(self) -> np.ndarray | None:
        """The labels, or None for regression."""
        check_is_fitted(self)
        return self._targets.classes

    @classes_.setter
    def classes_(self, classes: np.ndarray) -> None: ...

    @property
    def map_(self) -> FeatureMap:
        """The fitted map: `feature_map_`."""
        return self.feature_map_

    @property
    def coef_(self) -> Any:
        """Coefficients by m: `coef_path_`."""
        return self.coef_path_

    @property
    def intercept_(self) -> Any:
        """Intercepts by m: `intercept_path_`."""
        return self.intercept_path_

    def decision_function(self, X: Any, m: int | None = None) -> np.ndarray:
        """Return scores by the first m features."""
        return self._outputs(X, [self._check_m(m)])[0]

    def score_path(self, X: Any, y: Any) -> np.ndarray:
        """Return the errors for every m: :meth:`error_path`."""
        return self.error_path(X, y)

    def error(self, outputs: np.ndarray, y: Any) -> float:
        return float(np.mean(self._targets.errors(outputs, y)))

    def _learn_targets(self, y: Any) -> Targets:
        return Targets.learn(y)

    def _begin_targets(self, y: Any, classes: Any) -> Targets:
        return (
            Targets.of_numbers(y) if classes is None and is_numbers(y) else Targets.of_labels(self._all_labels(classes))
        )

    def labels(self, outputs: np.ndarray) -> np.ndarray:
        return self._targets.predictions(outputs)

    def score(self, X: Any, y: Any, sample_weight: Any = None, m: int | None = None) -> float:
        """Return the accuracy, or R² for regression."""
        quality = r2_score if self._targets.classes is None else accuracy_score
        return float(quality(y, self.predict(X, m), sample_weight=sample_weight))

    def _shaped_coef(self, coef: np.ndarray) -> np.ndarray:
        return coef

    def _shaped_intercept(self, intercept: np.ndarray) -> Any:
        return intercept
