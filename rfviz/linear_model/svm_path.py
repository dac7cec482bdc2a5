"""Linear support vector machines for every number of features of a grid: scikit-learn's, on the same features."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from sklearn.utils.validation import validate_data

from rfviz.backend import check_memory, to_host
from rfviz.linear_model.path import LARGEST, ClassifierPath, check_grid
from rfviz.params import Param

if TYPE_CHECKING:
    from rfviz.features import FeatureMap

__all__ = ["LinearSVMPath"]

_C = Param("C", 1.0, "float", low=0, open_low=True)


class LinearSVMPath(ClassifierPath):
    r"""A linear SVM (squared hinge, one class against the others) on the first m features of a nested map, for each m.

    Every m is a fit of its own by scikit-learn's :class:`~sklearn.svm.LinearSVC`, on features scaled by 1/√m; they
    share the features alone. Cost: O(n·d·m) for the features of the largest m, and O(n·k·Σm) a pass of the fits.

    Parameters
    ----------
    feature_map : FeatureMap
        Its `n_components` is the largest m.
    m_grid : sequence of int, optional
        Numbers of features; by default about twenty, evenly on a logarithmic scale.
    m : "largest" or int
        The number of features that predicts: the largest, or one of the grid.
    C : float
        Of the support vector machines, on the scaled features; scikit-learn's default is 1.
    random_state : int
        Order in which the solver visits the rows.

    Attributes
    ----------
    m_grid_, alpha_ : ndarray
        Numbers of features, and 1/C for each.
    coef_path_, intercept_path_ : dict of int to ndarray
        Coefficients for unscaled features, and intercepts (k,), by m; a single column for two classes.
    classes_ : ndarray
    feature_map_ : FeatureMap
    timings_ : dict
        Seconds for ``"features"``, and for the fit of each m.
    """

    def __init__(
        self,
        feature_map: FeatureMap,
        *,
        m_grid: Sequence[int] | None = None,
        m: int | str = LARGEST,
        C: float = 1.0,
        random_state: int = 0,
    ) -> None:
        self.feature_map = feature_map
        self.m_grid = m_grid
        self.m = m
        self.C = C
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, progress: Callable[[float, str], None] | None = None) -> LinearSVMPath:
        """Fit all m to all rows.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        progress : callable, optional
            ``progress(share, text)`` before each fit; may raise to stop.

        Raises
        ------
        MemoryBudgetError
            Where the features of all rows do not fit.
        ParameterError
            For a parameter that breaks its rule.
        """
        C = _C.validate(self.C)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        self.m_grid_ = check_grid(self.m_grid, self.feature_map.n_components)
        largest = int(self.m_grid_[-1])
        check_memory(16 * X.shape[0] * largest, "cpu", f"{largest:,} features of {X.shape[0]:,} rows", "Choose fewer.")
        begun = time.perf_counter()
        fresh: Any = clone(self.feature_map)
        self.feature_map_ = fresh.set_params(n_components=largest).fit(X)
        blocks = [to_host(block) for block in self.feature_map_.transform_blocks(X, scaled=False)]
        H: Any = sparse.vstack(blocks, "csr") if sparse.issparse(blocks[0]) else np.concatenate(blocks)
        H = H.astype(np.float64)
        self.timings_: dict[Any, float] = {"features": time.perf_counter() - begun}
        self.classes_, self.alpha_ = np.unique(y), np.full(len(self.m_grid_), 1.0 / C)
        self.coef_path_, self.intercept_path_ = {}, {}
        for place, m in enumerate(map(int, self.m_grid_)):
            if progress is not None:
                progress(place / len(self.m_grid_), f"Linear SVM on {m:,} features")
            begun = time.perf_counter()
            model = LinearSVC(C=C, dual="auto", random_state=self.random_state)
            with warnings.catch_warnings():
                # A fit that stops at the limit of its passes is as good a point of the curve.
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(H[:, : self.feature_map_.columns(m)] / np.sqrt(m), y)
            self.coef_path_[m], self.intercept_path_[m] = model.coef_.T / np.sqrt(m), np.asarray(model.intercept_)
            self.timings_[m] = time.perf_counter() - begun
        return self

    def _outputs(self, X: Any, grid: Sequence[int]) -> list[np.ndarray]:
        parts: list[list[np.ndarray]] = [[] for _ in grid]
        for block in self.feature_map_.transform_blocks(self._checked_rows(X), scaled=False):
            H = to_host(block)
            for part, m in zip(parts, grid, strict=True):
                part.append(H[:, : self.feature_map_.columns(m)] @ self.coef_path_[m] + self.intercept_path_[m])
        joined = [np.concatenate(part) for part in parts]
        return [scores[:, 0] for scores in joined] if len(self.classes_) == 2 else joined
