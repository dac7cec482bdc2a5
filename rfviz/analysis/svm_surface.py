"""What scikit-learn's support vector machines say in a plane, to compare random features with."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from rfviz.analysis.calibration import calibration_rows, fit_slope
from rfviz.analysis.plane import RESOLUTION, Plane
from rfviz.analysis.progress import Progress, silent
from rfviz.analysis.rbf_plane import rbf_on_plane
from rfviz.analysis.splits import Split
from rfviz.analysis.surface import Surface, class_count, made_surface, tested_rows
from rfviz.backend import single_threaded_blas
from rfviz.errors import DataError
from rfviz.linear_model.losses import with_reference

__all__ = ["svm_surface"]

# A support vector machine of more rows takes minutes.
_SVM_ROWS = 15_000


def svm_surface(
    split: Split, plane: Plane, kernel: str, penalty: float, gamma: float = 1.0, *, resolution: int = RESOLUTION,
    progress: Progress = silent,
) -> Surface:  # fmt: skip
    """scikit-learn's support vector machine, on the same rows and in the same plane.

    Parameters
    ----------
    split : Split
    plane : Plane
    kernel : {"rbf", "linear"}
        ``SVC`` with the Gaussian kernel exp(−γ‖x − z‖²), one class against another; or ``LinearSVC``, one class against
        the rest.
    penalty : float
        C, the price of an error.
    gamma : float
        Of the Gaussian kernel.
    resolution : int
        Cells a side.

    Raises
    ------
    DataError
        For targets that are no classes, or more rows than are learnt from in seconds.
    """
    class_count(split)
    if len(split.X_train) > _SVM_ROWS:
        raise DataError(
            f"An exact SVM takes too long beyond {_SVM_ROWS:,} training rows, and there are {len(split.X_train):,}. "
            "Choose fewer rows."
        )
    label = "Exact RBF-SVM" if kernel == "rbf" else "Linear SVM"

    def fitted(rows: Any) -> Any:
        if kernel == "rbf":
            model = SVC(C=penalty, gamma=gamma, break_ties=True)  # predictions are the largest decision value
        else:
            model = LinearSVC(C=penalty, dual="auto", max_iter=2000, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # as good a line as one that goes on for hours
            return model.fit(split.X_train[rows].astype(np.float64), split.y_train[rows])

    progress(0.1, f"{label}: training")
    with single_threaded_blas():  # all products are small
        model = fitted(slice(None))
        parts = calibration_rows(split.y_train)
        learn, held = parts if parts else (slice(None), slice(None))
        judge = fitted(learn) if parts else model
        slope = fit_slope(_values(judge, split.X_train[held]), np.searchsorted(judge.classes_, split.y_train[held]))
        progress(0.6, f"{label}: decision values in the plane")
        linear = kernel == "linear"
        scores = _values(model, plane.grid(resolution)) if linear else rbf_on_plane(model, plane, resolution)
        tested = _values(model, tested_rows(split)[0])
    return made_surface(label, scores, slope, tested, model.classes_, split, "held-out" if parts else "training")


def _values(model: Any, X: np.ndarray) -> np.ndarray:
    """Decision values, a column a class."""
    values = model.decision_function(X.astype(np.float64))
    return with_reference(values.reshape(len(X), -1))
