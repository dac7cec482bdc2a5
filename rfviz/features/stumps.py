"""Decision stumps: random yes-or-no questions about single columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rfviz import cuda, kernels
from rfviz.errors import ParameterError
from rfviz.features.base import FeatureMap
from rfviz.features.blocks import Scratch
from rfviz.features.cost import Counts
from rfviz.features.description import BY_COLUMN, Look, ProductLaw
from rfviz.features.draws import standard_normal, uniform
from rfviz.features.precision import check_columns, square_unit
from rfviz.params import parameter

__all__ = ["DecisionStumps"]

_COLUMN_STREAM, _THRESHOLD_STREAM = 0, 1
# Fitting holds each draw in float64, and the mean and deviation of its column, in addition to the weights.
_DRAWING_BYTES = 32
# A gathered and compared number takes as long as this many multiply-adds of a matrix product.
_WORK = 50


class DecisionStumps(FeatureMap):
    r"""The sign of one column, drawn at random, less a random threshold.

    .. math:: \Phi(x)_\ell = \tfrac1{\sqrt m}\,\mathrm{sign}(x_{d_\ell} - t_\ell), \quad
              d \sim U\{1, \dots, D\}, \; t \sim N(0, 1)

    on columns of mean 0 and variance 1. Its kernel is the mean over columns of 1 − 2|F(x_d) − F(z_d)|, with F the
    normal distribution function (:func:`rfviz.kernels.stump`).

    Cost: O(n·m), whatever the number of columns: one number is fetched and compared for each feature, and no matrix
    product is needed. Caveat: every feature sees one column, so the kernel is a sum over columns and cannot know how
    they act together; and it is not rotation invariant.

    Parameters
    ----------
    n_components : int
        Number of features m.
    standardise : bool
        Whether to learn each column's mean and standard deviation in :meth:`fit` and set the thresholds accordingly.
        A column that is constant there has its value as mean and 1 as deviation. Without it the thresholds are drawn
        from N(0, 1) in the units of the data.
    random_state : int, None, RandomState or Generator
    device : str
        ``"auto"``, ``"cpu"``, ``"cuda"`` or one GPU, ``"cuda:1"``.
    dtype : {"float32", "float64"}

    Attributes
    ----------
    columns_ : ndarray of shape (n_components,), int32
        The column that each feature looks at.
    thresholds_ : ndarray of shape (n_components,)
        Its threshold, in the units of the data.
    mean_, scale_ : ndarray of shape (n_features,), float64
        The columns' means and deviations in use; 0 and 1 where not `standardise`.
    seed_ : int

    References
    ----------
    A. Rahimi, B. Recht, "Weighted Sums of Random Kitchen Sinks", 2008.
    """

    label = "Decision stumps"
    look = Look("#4d7c26", "solid", "triangle-up")
    from_data = ("mean_", "scale_")
    _law_missing = BY_COLUMN
    summary = "Is this column above that threshold? Random questions, with no matrix product at all."
    formula = (
        r"\Phi_\ell(x)=\tfrac{1}{\sqrt m}\,\mathrm{sign}(x_{d_\ell}-t_\ell),\quad"
        r" d\sim U\{1,\dots,D\},\; t\sim\mathcal N(0,1)"
    )
    cost = "O(n·m)"
    reference = "Rahimi, Recht 2008"
    rank = 40
    feature_norm = 1.0
    is_kitchen_sink = True
    standardise: bool = parameter(
        default=True,
        kind="bool",
        label="Standardise columns",
        help="Learn each column’s mean and spread, and draw the thresholds around them. Without it thresholds lie "
        "around 0, where columns of other units have no data.",
    )
    _weights = ("columns_", "thresholds_")

    def _numbers_per_feature(self, n_features: int) -> int:
        return 2

    def weight_bytes(self, n_features: int) -> int:
        """Return the bytes that fitting takes, draws included: they are larger than the weights."""
        return self.n_components * (_DRAWING_BYTES + 4 + np.dtype(self.dtype).itemsize)

    def multiply_adds(self, n_samples: int, n_features: int) -> int:
        """Return one comparison a feature and row; there is no matrix product."""
        return self.n_components * n_samples

    def _work(self, n_samples: int, n_features: int) -> int:
        return _WORK * self.multiply_adds(n_samples, n_features)

    def _operations(self, n_samples: int, n_features: int) -> Counts:
        m = self.n_components
        return Counts(0, n_samples * m, self._stored_bytes(n_features, m, m))

    def _columns_read(self, n_features: int) -> int:
        return min(n_features, self.n_components)

    def learnt_parameters(self) -> list[str]:
        return [*super().learnt_parameters(), *(["standardise=True"] if self.standardise else [])]

    def _fit_statistics(self, X: Any) -> None:
        if self.standardise:
            self.mean_, self.scale_ = _mean_and_scale(X)
        else:
            self.mean_, self.scale_ = np.zeros(X.shape[1]), np.ones(X.shape[1])

    def _check_precision(self, X: Any) -> None:
        if self.standardise:
            check_columns(np.abs(self.mean_), self.scale_, X.dtype, self.dtype)

    def _draw(self, n_features: int) -> None:
        draws = uniform(self.seed_, _COLUMN_STREAM, n_features, out=np.empty((self.n_components, 1)))
        self.columns_ = np.minimum(draws[:, 0].astype(np.int32), n_features - 1)
        draws = standard_normal(self.seed_, _THRESHOLD_STREAM, out=draws)[:, 0]
        draws *= self.scale_[self.columns_]
        draws += self.mean_[self.columns_]
        self.thresholds_ = draws.astype(self.dtype)

    def _slice_weights(self, n_components: int) -> dict[str, np.ndarray]:
        return {name: getattr(self, name)[:n_components] for name in self._weights}

    def _map_block(self, xp: Any, X: Any, weights: dict[str, Any], scale: float, out: Any, scratch: Scratch) -> None:
        X = X.toarray() if hasattr(X, "indptr") else X
        cuda.STUMPS(xp, X, weights["columns_"], weights["thresholds_"], scale, out)

    @property
    def fold_meaning(self) -> str:
        return "the cuts of the stumps: each asks one coordinate whether it is above a threshold"

    def _kernel(self, X: np.ndarray, Y: np.ndarray | None) -> np.ndarray:
        return kernels.stump(self._standardised(X), None if Y is None else self._standardised(Y))

    def _standardised(self, X: np.ndarray) -> np.ndarray:
        if hasattr(self, "mean_"):
            return (X - self.mean_) / self.scale_
        if self.standardise:
            rule = "must be False before the map is fitted"
            raise ParameterError("standardise", rule, self.standardise, "Call fit first: it learns the columns’ means.")
        return X

    def _product_law(self, X: np.ndarray) -> ProductLaw:
        # Products are ±1 with mean k, so nothing but k enters.
        one = 1.0 - self._kernel(X, None) ** 2
        return ProductLaw(lambda m: one / m, None, lambda m, p: np.sqrt(2.0 * np.log(2.0 / p) / m), "Hoeffding")


def _mean_and_scale(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and standard deviation of each column, in float64; the value and 1 for a constant column."""
    if sparse.issparse(X):
        low, high = (np.asarray(f(axis=0).toarray(), dtype=np.float64).ravel() for f in (X.min, X.max))
    else:
        low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    unit = square_unit(np.maximum(np.abs(low), np.abs(high)))
    mean, variance = _moments(X, unit)
    # By its extremes, not its variance: rounding leaves a variance to columns of equal large numbers.
    constant = (low == high) | ~(variance > 0)
    return np.where(constant, low, unit * mean), np.where(constant, 1.0, unit * np.sqrt(variance))


def _moments(X: Any, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and variance of each column divided by its unit."""
    if not sparse.issparse(X):
        X = X if (unit == 1.0).all() else X / unit
        return X.mean(axis=0, dtype=np.float64), X.var(axis=0, dtype=np.float64)
    n, stored = X.shape[0], np.bincount(X.indices, minlength=X.shape[1])
    data = X.data / unit[X.indices]
    mean = np.bincount(X.indices, data, X.shape[1]) / n
    # Around the mean, zeros included: the mean of squares less the squared mean would cancel.
    squares = np.bincount(X.indices, (data - mean[X.indices]) ** 2, X.shape[1])
    return mean, (squares + (n - stored) * mean**2) / n
