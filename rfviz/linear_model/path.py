"""Base of all models for a grid of numbers of features: the grid, the m that predicts, scores, errors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, mean_squared_error, r2_score
from sklearn.utils.validation import check_is_fitted, validate_data

from rfviz.errors import DataError, ParameterError
from rfviz.linear_model.targets import as_labels
from rfviz.params import Param

__all__ = [
    "ClassifierPath",
    "FeaturePath",
    "RegressorPath",
    "check_grid",
    "default_grid",
    "gram_bytes",
    "largest_affordable_m",
]


def default_grid(m_max: int, points: int = 20) -> np.ndarray:
    """Return about `points` even numbers of features from 10 (or fewer) to `m_max`, evenly on a logarithmic scale.

    Parameters
    ----------
    m_max : int
        The last of them, whether even or not.

    Returns
    -------
    ndarray of int, rising
    """
    grid = np.geomspace(min(10, m_max), m_max, points)
    return np.unique(np.append(np.maximum(2 * np.rint(grid[:-1] / 2), 1), m_max).astype(int))


def largest_affordable_m(budget: int, on_gpu: bool = False) -> int:
    """Return the largest m whose Gram matrix, and the copies that solving needs, fit into `budget` bytes."""
    return int(np.sqrt(budget / gram_bytes(1, on_gpu)))


def gram_bytes(m: int, on_gpu: bool = False) -> int:
    """Return the bytes that ridge regression on m features needs in addition to a block of rows."""
    # Sums and the centred copy in float64, one factor in at most float64, one block's product in float32. On a GPU the
    # factor is not made in place of the matrix.
    return (8 + 8 + 8 + 4 + (8 if on_gpu else 0)) * m * m


def check_grid(m_grid: Sequence[int] | None, m_max: int) -> np.ndarray:
    """Return the grid as rising distinct integers from 1 to `m_max`; :func:`default_grid` where there is none.

    Returns
    -------
    ndarray of int

    Raises
    ------
    ParameterError
        For a number of features out of range.
    """
    if m_grid is None:
        return default_grid(m_max)
    rule = Param("m_grid", m_max, "int", low=1, high=m_max)
    grid = sorted({rule.validate(m) for m in m_grid})
    if not grid:
        raise ParameterError("m_grid", "must hold at least one number of features", m_grid, "Leave it out.")
    return np.array(grid)


if TYPE_CHECKING:
    from rfviz.features import FeatureMap


LARGEST = "largest"


class FeaturePath(ABC, BaseEstimator):
    """Models on the first m features of one map, for every m of a grid.

    Attributes
    ----------
    feature_map_ : FeatureMap
        The fitted map, of the largest m.
    m_grid_ : ndarray of int
    m_ : int
        The number of features that predict unless another is named.
    coef_path_ : dict of int to ndarray
        Coefficients of shape (m, k) for unscaled features, by m; one column for two classes.
    intercept_path_ : dict of int to ndarray
        Intercepts of shape (k,), by m.
    """

    m: int | str
    feature_map_: FeatureMap
    m_grid_: np.ndarray
    coef_path_: dict[int, np.ndarray]
    intercept_path_: dict[int, np.ndarray]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_path_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def m_(self) -> int:
        """The number of features that predict unless another is named."""
        check_is_fitted(self)
        return self._check_m(None)

    @property
    def coef_(self) -> np.ndarray:
        """Coefficients of the model with `m_` features, in scikit-learn's shape: (k, m), or (m,) for one target."""
        check_is_fitted(self)
        return self._shaped_coef(self.coef_path_[self.m_])

    @property
    def intercept_(self) -> Any:
        """Intercept of the model with `m_` features: of shape (k,), or a number for one target."""
        check_is_fitted(self)
        return self._shaped_intercept(self.intercept_path_[self.m_])

    def decision_path(self, X: Any) -> list[np.ndarray]:
        """Return the scores, or predicted numbers, for every m of the grid, in one pass over the rows.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        list of ndarray
            Each in the shape that ``decision_function`` of a classifier, or ``predict`` of a regressor, gives.
        """
        return self._outputs(X, [int(m) for m in self._fitted_grid()])

    def predict(self, X: Any, m: int | None = None) -> np.ndarray:
        """Predict by the first m features of the grid; by `m_` of them unless another number is named."""
        return self.labels(self._outputs(X, [self._check_m(m)])[0])

    def error_path(self, X: Any, y: Any) -> np.ndarray:
        """Return the share of wrong labels, or the mean squared error, for every m of the grid: smaller is better.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, k)

        Returns
        -------
        ndarray of shape (len(m_grid_),)
        """
        return np.array([self.error(outputs, y) for outputs in self.decision_path(X)])

    @abstractmethod
    def error(self, outputs: np.ndarray, y: Any) -> float:
        """Return the share of wrong labels, or the mean squared error, of :meth:`decision_path`'s scores for one m."""

    @abstractmethod
    def labels(self, outputs: np.ndarray) -> np.ndarray:
        """Return the labels that scores of :meth:`decision_path` predict; numbers of a regressor as they are."""

    @abstractmethod
    def _outputs(self, X: Any, grid: Sequence[int]) -> list[np.ndarray]:
        """Return scores of some rows for each m of a part of the grid, in the shape of ``decision_function``."""

    @abstractmethod
    def _shaped_coef(self, coef: np.ndarray) -> np.ndarray: ...

    @abstractmethod
    def _shaped_intercept(self, intercept: np.ndarray) -> Any: ...

    def _fitted_grid(self) -> np.ndarray:
        check_is_fitted(self)
        return self.m_grid_

    def _check_m(self, m: int | None) -> int:
        """Return a number of features of the grid: the one that is named, or the one that predicts."""
        grid = [int(v) for v in self._fitted_grid()]
        name, chosen = ("m", self._predicting_m()) if m is None else ("m", m)
        if chosen not in grid:
            raise ParameterError(name, f"must be one of {grid}", chosen, "Put it into m_grid.")
        return int(chosen)

    def _predicting_m(self) -> Any:
        return int(self.m_grid_[-1]) if self.m == LARGEST else self.m

    def _checked_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32])


class ClassifierPath(ClassifierMixin, FeaturePath):
    """A :class:`FeaturePath` of classifiers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    """

    classes_: np.ndarray

    def decision_function(self, X: Any, m: int | None = None) -> np.ndarray:
        """Return scores by the first m features of the grid; by `m_` of them unless another number is named.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Of shape (n_samples,) for two classes, positive for the second.
        """
        return self._outputs(X, [self._check_m(m)])[0]

    def error(self, outputs: np.ndarray, y: Any) -> float:
        return 1.0 - float(accuracy_score(self._comparable(y), self.labels(outputs)))

    def labels(self, outputs: np.ndarray) -> np.ndarray:
        place = np.argmax(outputs, axis=1) if outputs.ndim > 1 else (outputs > 0).astype(int)
        return self.classes_[place]

    def score(self, X: Any, y: Any, sample_weight: Any = None, m: int | None = None) -> float:
        """Return the accuracy, by `m_` features unless another number is named: larger is better.

        Raises
        ------
        DataError
            For words where the classes are numbers, or numbers where they are words: all would count as wrong.
        """
        return float(accuracy_score(self._comparable(y), self.predict(X, m), sample_weight=sample_weight))

    def _comparable(self, y: Any) -> np.ndarray:
        labels = as_labels(y)
        given, learnt = ("words" if kind.dtype.kind in "OUS" else "numbers" for kind in (labels, self.classes_))
        if given != learnt:
            raise DataError(
                f"y must hold labels like those of fit, which are {learnt}; it holds {given}. Convert them first."
            )
        return labels

    def _shaped_coef(self, coef: np.ndarray) -> np.ndarray:
        return coef.T

    def _shaped_intercept(self, intercept: np.ndarray) -> Any:
        return intercept


class RegressorPath(RegressorMixin, FeaturePath):
    """A :class:`FeaturePath` of regressors, of one target or several."""

    _is_vector: bool

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def error(self, outputs: np.ndarray, y: Any) -> float:
        return float(mean_squared_error(y, outputs))

    def labels(self, outputs: np.ndarray) -> np.ndarray:
        return outputs

    def score(self, X: Any, y: Any, sample_weight: Any = None, m: int | None = None) -> float:
        """Return R², the mean over the targets, by `m_` features unless another number is named: larger is better."""
        return float(r2_score(y, self.predict(X, m), sample_weight=sample_weight))

    def _shaped_coef(self, coef: np.ndarray) -> np.ndarray:
        return coef[:, 0] if self._is_vector else coef.T

    def _shaped_intercept(self, intercept: np.ndarray) -> Any:
        return float(intercept[0]) if self._is_vector else intercept
