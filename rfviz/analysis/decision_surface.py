"""What classifiers say everywhere in a plane: on random features for every m at once, and two SVMs beside them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from rfviz.analysis.accuracy import LOSS, Split
from rfviz.analysis.calibration import calibration_rows, fit_slope, probabilities
from rfviz.analysis.mapping import settled
from rfviz.analysis.plane import RESOLUTION, Plane
from rfviz.analysis.progress import Progress, silent
from rfviz.analysis.rbf_plane import rbf_on_plane
from rfviz.backend import check_memory, single_threaded_blas
from rfviz.errors import DataError
from rfviz.features import registry
from rfviz.linear_model import RidgePath, StochasticPath
from rfviz.linear_model.losses import with_reference

__all__ = ["M_GRID", "SchemeSurfaces", "Surface", "scheme_surfaces", "svm_surface", "takes_constant", "with_constant"]

#: Numbers of features that are drawn; even, so that cosines have their sines.
M_GRID = (2, 4, 6, 10, 20, 30, 50, 100, 200, 300, 500, 1000)
# A support vector machine of more rows takes minutes.
_SVM_ROWS = 15_000
# Per row, where there are too few rows to choose.
_FEW_ROWS_PENALTY = 0.01


@dataclass(frozen=True, eq=False)
class Surface:
    """One classifier on the cells of a plane.

    Attributes
    ----------
    label : str
    scores : ndarray of shape (resolution, resolution, n_classes), float32
        Decision values, the lowest row first.
    slope : float
        Of the soft-max that turns decision values into probabilities.
    accuracy : float
        Share of right labels among the test rows, or among the training rows where none are held out.
    wrong : ndarray of int
        Which of those rows it gets wrong.
    calibrated : {"", "held-out", "training"}
        Which rows the slope was learnt on; empty where the decision values are those of a soft-max already.
    """

    label: str
    scores: np.ndarray
    slope: float
    accuracy: float
    wrong: np.ndarray
    calibrated: str

    @property
    def winners(self) -> np.ndarray:
        """Position of the class of each cell, shape (resolution, resolution)."""
        return np.argmax(self.scores, axis=2)

    def probabilities(self) -> np.ndarray:
        """Of each class in each cell, shape (resolution, resolution, n_classes)."""
        flat = self.scores.reshape(-1, self.scores.shape[2])
        return probabilities(flat, self.slope).reshape(self.scores.shape)


@dataclass(frozen=True, eq=False)
class SchemeSurfaces:
    """Surfaces of one map for every number of features of a grid.

    Attributes
    ----------
    m_grid : tuple of int
    surfaces : tuple of Surface
    gamma : float or None
        Width of the kernel in use, where the scheme has one.
    constant : bool
        Whether the inputs had a constant 1 beside them.
    alphas : ndarray of shape (len(m_grid),)
        Penalty on the unscaled features.
    """

    m_grid: tuple[int, ...]
    surfaces: tuple[Surface, ...]
    gamma: float | None
    constant: bool
    alphas: np.ndarray

    def at(self, m: int) -> Surface:
        """The surface of the first `m` features."""
        return self.surfaces[self.m_grid.index(m)]


def takes_constant(scheme: str) -> bool:
    """Whether a constant input changes a scheme: projections without an offset of their own see directions only."""
    cls = registry()[scheme]
    names = {p.name for p in cls.params}
    return (cls().rotation_invariant or "pool_size" in names) and not names & {"gamma", "bias"}


def with_constant(X: np.ndarray) -> np.ndarray:
    """The rows with a 1 beside them, so that projections have an offset: ⟨w, (x, 1)⟩ = ⟨w', x⟩ + b."""
    return np.column_stack([X, np.ones(len(X), dtype=X.dtype)])


def scheme_surfaces(
    split: Split,
    plane: Plane,
    scheme: str,
    setting: Mapping[str, Any],
    *,
    m_grid: Sequence[int] = M_GRID,
    loss: str = "ridge",
    constant: bool = False,
    resolution: int = RESOLUTION,
    progress: Progress = silent,
) -> SchemeSurfaces:
    """Train on the first m features of a map, for every m, and ask for the decision values everywhere in the plane.

    The features of the cells are computed once, for the largest m; the answer for each m is a product of their first m
    columns.

    Parameters
    ----------
    split : Split
        Of classes.
    plane : Plane
    scheme : str
        Class name of a feature map.
    setting : mapping
        Its keyword arguments but for the number of features.
    m_grid : sequence of int
    loss : {"ridge", "logistic", "hinge"}
    constant : bool
        Whether to put a 1 beside the inputs, where that changes the scheme.
    resolution : int
        Cells a side.
    progress : callable
        May raise to stop.

    Raises
    ------
    DataError
        For targets that are no classes.
    MemoryBudgetError
        Where the decision values, or what training takes, would not fit.
    """
    k = _classes(split)
    grid = tuple(int(m) for m in m_grid)
    check_memory(
        8 * resolution**2 * k * len(grid), "cpu", f"Decision values of {resolution}² cells", "Choose fewer classes."
    )
    cls = registry()[scheme]
    setting = settled(cls, setting, split.X_train)
    constant = constant and takes_constant(scheme)
    lift = with_constant if constant else (lambda X: X)
    loss = LOSS.validate(loss)
    slopes, calibrated = np.ones(len(grid)), ""

    def fitted(rows: Any, start: float, stop: float) -> Any:
        features = cls(**{**setting, "n_components": grid[-1]})
        if loss == "ridge":
            path: Any = RidgePath(features, m_grid=grid, alphas=_penalties(split))
        else:
            path = StochasticPath(features, m_grid=grid, loss=loss)
        return path.fit(
            lift(split.X_train[rows]), split.y_train[rows],
            progress=lambda share, text: progress(start + (stop - start) * share, text),
        )  # fmt: skip

    with single_threaded_blas():
        path = fitted(slice(None), 0.0, 0.4)
        if loss != "logistic":
            slopes, calibrated = _path_slopes(fitted, path, split, lift)
        progress(0.7, "Decision values in the plane")
        tested = path.decision_path(lift(_tested(split)[0]))
    scores = path.decision_path(lift(plane.grid(resolution)))
    surfaces = tuple(
        _surface(cls.label, s, slope, t, path.classes_, split, calibrated)
        for s, slope, t in zip(scores, slopes, tested, strict=True)
    )
    return SchemeSurfaces(grid, surfaces, setting.get("gamma"), constant, np.asarray(path.alpha_))


def _penalties(split: Split) -> Any:
    """Chosen on held-out rows, or where those would be one or two: small, beside features of the size 1."""
    return "auto" if calibration_rows(split.y_train) else _FEW_ROWS_PENALTY * len(split.y_train)


def _path_slopes(fitted: Any, path: Any, split: Split, lift: Any) -> tuple[np.ndarray, str]:
    """The slope for every m, by rows that the classifier has not seen where there are enough."""
    parts = calibration_rows(split.y_train)
    learn, held = parts if parts else (slice(None), slice(None))
    judge = fitted(learn, 0.4, 0.7) if parts else path
    labels = np.searchsorted(judge.classes_, split.y_train[held])
    slopes = [fit_slope(scores, labels) for scores in judge.decision_path(lift(split.X_train[held]))]
    return np.array(slopes), "held-out" if parts else "training"


def _classes(split: Split) -> int:
    if not split.is_classification:
        raise DataError(f"A decision surface needs classes; {split.name} has numbers as targets. Choose other data.")
    return len(np.unique(split.y_train))


def _tested(split: Split) -> tuple[np.ndarray, np.ndarray]:
    """Rows that say how good a classifier is: the test rows, or where there are none those it learnt from."""
    return (split.X_test, split.y_test) if len(split.X_test) else (split.X_train, split.y_train)


def _surface(
    label: str, scores: np.ndarray, slope: float, tested: np.ndarray, classes: np.ndarray, split: Split, calibrated: str
) -> Surface:
    side = round(len(scores) ** 0.5)
    predicted = classes[np.argmax(tested, axis=1)]
    wrong = np.flatnonzero(predicted != _tested(split)[1])
    accuracy = 1.0 - len(wrong) / len(predicted)
    return Surface(label, scores.astype(np.float32).reshape(side, side, -1), float(slope), accuracy, wrong, calibrated)


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
    _classes(split)
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
    model = fitted(slice(None))
    parts = calibration_rows(split.y_train)
    learn, held = parts if parts else (slice(None), slice(None))
    judge = fitted(learn) if parts else model
    slope = fit_slope(_values(judge, split.X_train[held]), np.searchsorted(judge.classes_, split.y_train[held]))
    progress(0.6, f"{label}: decision values in the plane")
    scores = _values(model, plane.grid(resolution)) if kernel == "linear" else rbf_on_plane(model, plane, resolution)
    tested = _values(model, _tested(split)[0])
    return _surface(label, scores, slope, tested, model.classes_, split, "held-out" if parts else "training")


def _values(model: Any, X: np.ndarray) -> np.ndarray:
    """Decision values, a column a class."""
    values = model.decision_function(X.astype(np.float64))
    return with_reference(values.reshape(len(X), -1))
