"""Decision surfaces of scikit-learn's support vector machines, to compare random features with."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from rfviz.analysis.plane import RESOLUTION, Plane
from rfviz.analysis.splits import Split
from rfviz.backend import single_threaded_blas
from rfviz.errors import DataError
from rfviz.experiments.decision_surfaces.calibration import calibration_rows, fit_slope
from rfviz.experiments.decision_surfaces.compute import Surface, check_classes, make_surface, tested_rows
from rfviz.linear_model.losses import with_reference
from rfviz.progress import Progress, silent

__all__ = ["rbf_on_plane", "svm_surface"]

# A support vector machine of more rows takes minutes.
_SVM_ROWS = 15_000


def svm_surface(
    split: Split,
    plane: Plane,
    kernel: str,
    penalty: float,
    gamma: float = 1.0,
    *,
    resolution: int = RESOLUTION,
    progress: Progress = silent,
) -> Surface:
    """Train scikit-learn's support vector machine on the training rows and return its surface in the plane.

    Parameters
    ----------
    kernel : {"rbf", "linear"}
        ``SVC`` with the Gaussian kernel exp(−γ‖x − z‖²), one class against another; or ``LinearSVC``, one class against
        the rest.
    penalty : float
        C, the weight of misclassified points.
    gamma : float
        Of the Gaussian kernel.
    resolution : int
        Cells per side.

    Raises
    ------
    DataError
        For targets that are numbers, or more rows than it learns from in seconds.
    """
    check_classes(split)
    if len(split.X_train) > _SVM_ROWS:
        raise DataError(
            f"An exact SVM takes too long beyond {_SVM_ROWS:,} training rows, and there are {len(split.X_train):,}. "
            "Choose fewer rows."
        )
    label = "Exact RBF-SVM" if kernel == "rbf" else "Linear SVM"

    def fit(rows: Any) -> Any:
        if kernel == "rbf":
            # Predictions are the largest decision value.
            settings: dict[str, Any] = {"C": penalty, "gamma": gamma, "break_ties": True}
            model = SVC(**settings)
        else:
            model = LinearSVC(C=penalty, dual="auto", max_iter=2000, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # as good a line as one that goes on for hours
            return model.fit(split.X_train[rows].astype(np.float64), split.y_train[rows])

    progress(0.1, f"{label}: training")
    with single_threaded_blas():  # all products are small
        model = fit(slice(None))
        parts = calibration_rows(split.y_train)
        learn, held = parts if parts else (slice(None), slice(None))
        judge = fit(learn) if parts else model
        slope = fit_slope(_values(judge, split.X_train[held]), np.searchsorted(judge.classes_, split.y_train[held]))
        progress(0.6, f"{label}: decision values in the plane")
        linear = kernel == "linear"
        scores = _values(model, plane.grid(resolution)) if linear else rbf_on_plane(model, plane, resolution)
        tested = _values(model, tested_rows(split)[0])
    return make_surface(label, scores, slope, tested, model.classes_, split, "held-out" if parts else "training")


def _values(model: Any, X: np.ndarray) -> np.ndarray:
    """Return the decision values, one column per class."""
    values = model.decision_function(X.astype(np.float64))
    return with_reference(values.reshape(len(X), -1))


def rbf_on_plane(model: SVC, plane: Plane, resolution: int) -> np.ndarray:
    r"""Return ``model.decision_function(plane.grid(resolution))``, from exponentials of rows and columns alone.

    At the point x of the plane with coordinates (a, b) the Gaussian kernel with a support vector s is a product,

    .. math:: e^{-\gamma\lVert x-s\rVert^2} = e^{-\gamma(a-s_a)^2}\, e^{-\gamma(b-s_b)^2}\, e^{-\gamma r_s^2},

    with r_s the distance of s from the plane. So r² cells need 2r exponentials per support vector instead of r², and a
    matrix product: for images of digits a fiftieth of the time.

    Parameters
    ----------
    model : SVC
        Fitted, with the kernel ``"rbf"``, a number as gamma and ``decision_function_shape="ovr"``.
    resolution : int
        Cells per side.

    Returns
    -------
    ndarray of shape (resolution², n_classes)
        With two classes zero for the first, and the decision value for the second.
    """
    vectors = model.support_vectors_
    here = plane.project(vectors)
    away = np.maximum(((vectors - plane.origin) ** 2).sum(axis=1) - (here**2).sum(axis=1), 0.0)
    across, up = (
        np.exp(-model.gamma * (ticks[:, None] - column) ** 2)
        for ticks, column in zip(plane.ticks(resolution), here.T, strict=True)
    )
    up *= np.exp(-model.gamma * away)

    def values(rows: np.ndarray, weights: np.ndarray, offset: float) -> np.ndarray:
        return ((up[:, rows] * weights) @ across[:, rows].T).ravel() + offset

    k = len(model.classes_)
    if k == 2:
        return with_reference(values(np.arange(len(vectors)), model.dual_coef_[0], model.intercept_[0])[:, None])
    owner = np.repeat(np.arange(k), model.n_support_)
    votes, sums = np.zeros((k, resolution**2)), np.zeros((k, resolution**2))
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    for (i, j), offset in zip(pairs, model.intercept_, strict=True):
        rows = np.flatnonzero((owner == i) | (owner == j))
        # A support vector has a weight against each other class; its own class is left out of the list.
        value = values(
            rows, np.where(owner[rows] == i, model.dual_coef_[j - 1, rows], model.dual_coef_[i, rows]), offset
        )
        votes[i] += value >= 0
        votes[j] += value < 0
        sums[i] += value
        sums[j] -= value
    # Votes decide; where they tie, the sums of values do, squeezed so that they never outweigh a vote.
    return (votes + sums / (3.0 * (np.abs(sums) + 1.0))).T
