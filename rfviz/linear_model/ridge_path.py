"""Ridge regression on the first m random features, for every m of a grid at the price of the largest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from rfviz.linear_model.path import LARGEST, ClassifierPath, RegressorPath
from rfviz.linear_model.ridge_base import RidgeBase
from rfviz.linear_model.targets import Targets, warn_of_amounts

if TYPE_CHECKING:
    from rfviz.features import FeatureMap

__all__ = ["RidgePathClassifier", "RidgePathRegressor"]

_COMMON = r"""
    .. math:: \min_{\beta} \lVert Y - H_{:,:m}\beta \rVert^2 + \alpha \lVert\beta\rVert^2, \qquad m \in \text{grid}

    with H the *unscaled* features, so that one penalty, and one Cholesky factor, serves every m. On features scaled by
    1/√m the same solution has the penalty α/m.

    **The penalty** of each m is the one whose leave-one-out error is least: every row is predicted by a fit to all
    others, for which no model is fitted twice. With more than 256 rows, 256 of them (1/32 of them where that is more,
    and 1,024 at most) are predicted, drawn at random. ``"auto"`` tries a few decades about the mean eigenvalue of the
    Gram matrix, goes on while the least error is at an end, and refines to quarters of a decade where an error would
    fall by more than half a per cent.

    Cost: O(n·m²) for the Gram matrix, O(m³) for one factor a penalty, O(m²) for each further m; O(m²) memory whatever
    the number of rows. Fewer rows than features are solved in the dual. For sparse features m counts components,
    however many columns they take, and a solution has a coefficient for each column.

    Rows that come in parts (:meth:`partial_fit`, :meth:`fit_blocks`) are only summed, by
    :class:`rfviz.linear_model.NormalEquations`: memory does not grow with them, and in float64 neither their order nor
    their partition matters. Penalties are then compared by generalised cross-validation, or by the squared error on
    parts that are held out; both need the sums alone.

    Parameters
    ----------
    feature_map : FeatureMap
        Its `n_components` is the largest m.
    m_grid : sequence of int, optional
        Numbers of features; by default about twenty, evenly on a logarithmic scale.
    m : "largest", "cv" or int
        The number of features that predicts: the largest, the one whose cross-validated error is least, or one of the
        grid.
    alphas : "auto", float or sequence of float
        Penalties to choose from, for each m on its own.
"""
_REST = """    fit_intercept : bool
    solver : {"auto", "primal", "dual"}
        ``"auto"`` takes the cheaper. Sparse features (RandomBinning) stay sparse in both, and have a third way.
    precision : {"auto", "float32", "float64"}
        Of the factorisation; ``"auto"`` goes by the condition number.
    random_state : int, RandomState, Generator or None
        Which rows are predicted by all others.

    Attributes
    ----------
    m_grid_ : ndarray of int
    m_ : int
        The number of features that predicts.
    alphas_ : ndarray
        The penalties that were tried, rising.
    alpha_ : ndarray of shape (len(m_grid_),)
        The penalty chosen for each m.
    cv_errors_ : ndarray of shape (len(alphas_), len(m_grid_)) or None
        Cross-validated squared errors, of ±1 codes for classes; NaN for penalties that were not tried for that m; None
        for a single penalty.
    coef_path_, intercept_path_ : dict of int to ndarray
        Coefficients (m, k), or (columns of m, k), and intercepts (k,) by m.
    coef_, intercept_ : ndarray
        Those of `m_`, in scikit-learn's shapes.
    feature_map_ : FeatureMap
        The fitted map.
    sums_ : NormalEquations
        Of the rows that came in parts; those held out are not among them.
    timings_ : dict of str to float
        Seconds for features, Gram matrix and factorisations.
"""


class RidgePathClassifier(ClassifierPath, RidgeBase):  # noqa: D101 - __doc__ below
    __doc__ = f"""Ridge classifiers on the first m features of a nested map, for every m of a grid.

    Labels are coded as ±1: a column a class, or a single one for two classes. Probabilities come from
    ``CalibratedClassifierCV(RidgePathClassifier(...))``, since squared errors have none of their own.
    {_COMMON}    class_weight : dict, "balanced" or None
        Weights of the classes; ``"balanced"`` makes each count the same. Of rows in parts, the classes are balanced
        within each part.
{_REST}    classes_ : ndarray of shape (n_classes,)
    """

    def __init__(
        self,
        feature_map: FeatureMap,
        *,
        m_grid: Sequence[int] | None = None,
        m: int | str = LARGEST,
        alphas: Any = "auto",
        class_weight: Any = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        precision: str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.feature_map = feature_map
        self.m_grid = m_grid
        self.m = m
        self.alphas = alphas
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.precision = precision
        self.random_state = random_state

    def _learn_targets(self, y: Any) -> Targets:
        targets = Targets.of_labels(y)
        warn_of_amounts(np.asarray(y), targets)
        return targets

    def _begin_targets(self, y: Any, classes: Any) -> Targets:
        return Targets.of_labels(self._all_labels(classes))

    def _weights(self, y: Any, sample_weight: Any, X: Any) -> np.ndarray | None:
        weights = super()._weights(y, sample_weight, X)
        if self.class_weight is None:
            return weights
        of_classes = compute_sample_weight(self.class_weight, y)
        return of_classes if weights is None else weights * of_classes


class RidgePathRegressor(RegressorPath, RidgeBase):  # noqa: D101 - __doc__ below
    __doc__ = f"""Ridge regression on the first m features of a nested map, for every m of a grid.
    {_COMMON}{_REST}    """

    def __init__(
        self,
        feature_map: FeatureMap,
        *,
        m_grid: Sequence[int] | None = None,
        m: int | str = LARGEST,
        alphas: Any = "auto",
        fit_intercept: bool = True,
        solver: str = "auto",
        precision: str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.feature_map = feature_map
        self.m_grid = m_grid
        self.m = m
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.precision = precision
        self.random_state = random_state

    def _learn_targets(self, y: Any) -> Targets:
        return Targets.of_numbers(y)

    def _begin_targets(self, y: Any, classes: Any) -> Targets:
        return Targets.of_numbers(y)
