"""What a classifier on random features predicts everywhere in a plane, for many numbers of features at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from rfviz.analysis.accuracy import LOSS
from rfviz.analysis.plane import RESOLUTION, Plane
from rfviz.analysis.splits import Split
from rfviz.backend import check_memory, single_threaded_blas
from rfviz.errors import DataError
from rfviz.experiments.decision_surfaces.calibration import calibration_rows, fit_slope, probabilities
from rfviz.features import FeatureMap, MapSpec
from rfviz.features.binning import SparseFeatureMap
from rfviz.linear_model import RidgePathClassifier, StochasticPath
from rfviz.linear_model.losses import with_reference
from rfviz.progress import Progress, silent, within

__all__ = [
    "MOST_MARKS",
    "M_GRID",
    "MapSurfaces",
    "Surface",
    "axis_titles",
    "check_classes",
    "crease_lines",
    "grid_of",
    "lift_of",
    "make_surface",
    "map_creases",
    "map_surfaces",
    "path_of",
    "tested_rows",
    "with_constant",
]

#: Numbers of features that are drawn; even, so that cosines have their sines.
M_GRID = (2, 4, 6, 10, 20, 30, 50, 100, 200, 300, 500, 1000)
#: More points than this would make each redraw slow and hide the surface.
MOST_MARKS = 200
# Sparse features are solved by iterations, and each repetition of a binning has many columns.
_MOST_SPARSE = 200
# Per row, where there are too few rows to choose.
_FEW_ROWS_PENALTY = 0.01


@dataclass(frozen=True, eq=False)
class Surface:
    """One classifier on the cells of a plane.

    Attributes
    ----------
    scores : ndarray of shape (resolution, resolution, n_classes), float32
        Decision values, the lowest row first.
    slope : float
        Of the soft-max that turns decision values into probabilities.
    accuracy : float
        Share of right labels among the test rows, or among the training rows if none are held out.
    wrong : ndarray of int
        The rows of these that are misclassified.
    calibrated : {"", "held-out", "training"}
        Rows that the slope was learned on, or an empty text if the decision values are those of a soft-max.
    predicted : ndarray of int
        The class of each of the rows that measure accuracy.
    """

    label: str
    scores: np.ndarray
    slope: float
    accuracy: float
    wrong: np.ndarray
    calibrated: str
    predicted: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int), repr=False)

    def apart(self, other: Surface) -> int:
        """Return on how many of the rows that measure accuracy another classifier predicts another class."""
        return int(np.sum(self.predicted != other.predicted))

    @property
    def winners(self) -> np.ndarray:
        """Position of the predicted class of each cell, shape (resolution, resolution)."""
        return np.argmax(self.scores, axis=2)

    def probabilities(self) -> np.ndarray:
        """Return the probability of each class in each cell, shape (resolution, resolution, n_classes)."""
        flat = self.scores.reshape(-1, self.scores.shape[2])
        return probabilities(flat, self.slope).reshape(self.scores.shape)

    def to_frame(self, plane: Plane, split: Split) -> pd.DataFrame:
        """Return one row per cell, the lowest first: x and y of its middle, and ``p(class)`` for each class."""
        across, up = plane.ticks(len(self.scores))
        p = self.probabilities()
        names = [split.target_names[c] for c in np.unique(split.y_train)]
        middles = {"x": np.tile(across, len(up)), "y": np.repeat(up, len(across))}
        return pd.DataFrame(middles | {f"p({name})": p[..., number].ravel() for number, name in enumerate(names)})


@dataclass(frozen=True, eq=False)
class MapSurfaces:
    """Surfaces of one map for every number of features of a grid.

    Attributes
    ----------
    m_grid : tuple of int
    surfaces : tuple of Surface
    gamma : float or None
        Parameter of the kernel, for maps that have one.
    constant : bool
        Whether the inputs had a further column of ones.
    alphas : ndarray of shape (len(m_grid),)
        Penalties on the unscaled features.
    """

    m_grid: tuple[int, ...]
    surfaces: tuple[Surface, ...]
    gamma: float | None
    constant: bool
    alphas: np.ndarray

    def at(self, m: int) -> Surface:
        """Return the surface of the first `m` features."""
        return self.surfaces[self.m_grid.index(m)]


def axis_titles(plane: Plane, names: Sequence[str]) -> tuple[str, str]:
    """Return the titles of a plane's axes, given the names of the data's columns."""
    if plane.is_slice:
        return "first principal component", "second principal component"
    return (names[0], names[1]) if len(names) == 2 else ("x", "y")


def check_classes(split: Split) -> int:
    """Return the number of classes.

    Raises
    ------
    DataError
        For targets that are numbers.
    """
    if not split.is_classification:
        raise DataError(f"A decision surface needs classes; {split.name} has numbers as targets. Choose other data.")
    return len(np.unique(split.y_train))


def tested_rows(split: Split) -> tuple[np.ndarray, np.ndarray]:
    """Return X and y of the rows that measure accuracy: the test rows, or the training rows if there are none."""
    return (split.X_test, split.y_test) if len(split.X_test) else (split.X_train, split.y_train)


def make_surface(
    label: str, scores: np.ndarray, slope: float, tested: np.ndarray, classes: np.ndarray, split: Split, calibrated: str
) -> Surface:
    """Return a surface from the decision values of a classifier.

    Parameters
    ----------
    scores : ndarray of shape (resolution², n_classes)
        In the cells of a plane, row by row, the lowest first.
    slope : float
        Of the soft-max.
    tested : ndarray of shape (n_tested, n_classes)
        Those of :func:`tested_rows`.
    classes : ndarray of shape (n_classes,)
        Labels of the columns.
    calibrated : {"", "held-out", "training"}
        See :class:`Surface`.
    """
    side = round(len(scores) ** 0.5)
    predicted = classes[np.argmax(tested, axis=1)]
    wrong = np.flatnonzero(predicted != tested_rows(split)[1])
    accuracy = 1.0 - len(wrong) / len(predicted)
    scores = scores.astype(np.float32).reshape(side, side, -1)
    return Surface(label, scores, float(slope), accuracy, wrong, calibrated, predicted)


def grid_of(cls: type[FeatureMap]) -> tuple[int, ...]:
    """Return the numbers of features that are drawn of a map: :data:`M_GRID`, or its beginning for sparse features."""
    return tuple(m for m in M_GRID if not issubclass(cls, SparseFeatureMap) or m <= _MOST_SPARSE)


def with_constant(X: np.ndarray) -> np.ndarray:
    """Append a column of ones, so that projections have an offset: ⟨w, (x, 1)⟩ = ⟨w', x⟩ + b."""
    return np.column_stack([X, np.ones(len(X), dtype=X.dtype)])


def lift_of(cls: type[FeatureMap], constant: bool) -> Callable[[np.ndarray], np.ndarray]:
    """Return the step before a map: to append a column of ones, if that is asked for and changes the map."""
    return with_constant if constant and cls.takes_constant else np.asarray


def map_surfaces(
    split: Split,
    plane: Plane,
    spec: MapSpec[FeatureMap],
    *,
    m_grid: Sequence[int] | None = None,
    loss: str = "ridge",
    constant: bool = False,
    resolution: int = RESOLUTION,
    progress: Progress = silent,
) -> MapSurfaces:
    """Train on the first m features of a map, for every m, and return the decision values everywhere in the plane.

    The features of the cells are computed once, for the largest m; the answer for each m is a product of their first m
    columns.

    Parameters
    ----------
    split : Split
        Of classes.
    spec : MapSpec
        Its number of features does not matter.
    m_grid : sequence of int, optional
        :func:`grid_of` the map by default.
    loss : {"ridge", "logistic", "hinge", "exponential"}
    constant : bool
        Whether to append a column of ones to the inputs, if that changes the map.
    resolution : int
        Cells per side.
    progress : callable
        May raise to stop.

    Raises
    ------
    DataError
        For targets that are numbers.
    MemoryBudgetError
        If the decision values, or what training takes, would not fit.
    """
    k = check_classes(split)
    grid = tuple(int(m) for m in m_grid or grid_of(spec.cls))
    check_memory(
        8 * resolution**2 * k * len(grid), "cpu", f"Decision values of {resolution}² cells", "Choose fewer classes."
    )
    spec, lift, loss = spec.resolve(split.X_train), lift_of(spec.cls, constant), LOSS.validate(loss)
    slopes, calibrated = np.ones(len(grid)), ""

    def fit(rows: Any, start: float, stop: float) -> Any:
        """Train on these training rows, reporting progress from `start` to `stop`."""
        path = path_of(split, spec, grid, loss)
        part = within(progress, start, stop)
        return path.fit(lift(split.X_train[rows]), split.y_train[rows], progress=part)

    with single_threaded_blas():
        path = fit(slice(None), 0.0, 0.4)
        if loss != "logistic":
            # One slope for every m, from rows that the classifier has not seen if there are enough.
            parts = calibration_rows(split.y_train)
            learn, held = parts if parts else (slice(None), slice(None))
            judge = fit(learn, 0.4, 0.7) if parts else path
            labels = np.searchsorted(judge.classes_, split.y_train[held])
            decided = _columns(judge.decision_path(lift(split.X_train[held])))
            slopes = np.array([fit_slope(scores, labels) for scores in decided])
            calibrated = "held-out" if parts else "training"
        progress(0.7, "Decision values in the plane")
        tested = _columns(path.decision_path(lift(tested_rows(split)[0])))
        scores = _columns(path.decision_path(lift(plane.grid(resolution))))
    surfaces = tuple(
        make_surface(spec.cls.label, s, slope, t, path.classes_, split, calibrated)
        for s, slope, t in zip(scores, slopes, tested, strict=True)
    )
    return MapSurfaces(grid, surfaces, spec.get("gamma"), lift is with_constant, np.asarray(path.alpha_))


def _columns(scores: list[np.ndarray]) -> list[np.ndarray]:
    """Return a column a class: of two classes, whose scores are those of the second, the first has the score 0."""
    return [with_reference(some.reshape(len(some), -1)) for some in scores]


def path_of(split: Split, spec: MapSpec[FeatureMap], grid: Sequence[int], loss: str) -> Any:
    """Return the classifier on the first m features for every m of a grid, not yet trained."""
    features = spec.make(n_components=grid[-1])
    if loss == "ridge":
        return RidgePathClassifier(features, m_grid=grid, alphas=_penalties(split))
    return StochasticPath(features, m_grid=grid, loss=loss)


def _penalties(split: Split) -> Any:
    """Return a penalty that is small for features of size 1 if there are too few rows to choose it on some of them."""
    return "auto" if calibration_rows(split.y_train) else _FEW_ROWS_PENALTY * len(split.y_train)


# --- creases: where single features bend, jump or change their sign ---------------------------------------------------


def crease_lines(feature_map: FeatureMap, points: np.ndarray, resolution: int, count: int) -> np.ndarray:
    """Find the cells in which one of the first features has a crease.

    Parameters
    ----------
    feature_map : FeatureMap
        Fitted.
    points : ndarray of shape (resolution², n_features)
        The cells' middles, row by row.
    count : int
        Features to draw, from the first.

    Returns
    -------
    ndarray of shape (resolution, resolution), bool
        True where the piece differs from that of the cell to the right or above.
    """
    lines = np.zeros((resolution, resolution), dtype=bool)
    found = feature_map.prefix(min(count, feature_map.n_components)).pieces(points) if count else None
    if found is not None:
        pieces = found.reshape(resolution, resolution, -1)
        lines[:, :-1] |= (pieces[:, 1:] != pieces[:, :-1]).any(axis=2)
        lines[:-1] |= (pieces[1:] != pieces[:-1]).any(axis=2)
    return lines


def map_creases(
    split: Split,
    plane: Plane,
    spec: MapSpec[FeatureMap],
    count: int,
    *,
    constant: bool = False,
    resolution: int = RESOLUTION,
) -> np.ndarray:
    """Return :func:`crease_lines` of the map that :func:`map_surfaces` trains on, for the same arguments.

    Parameters
    ----------
    count : int
        Features to draw, from the first.

    Returns
    -------
    ndarray of shape (resolution, resolution), bool
    """
    lift = lift_of(spec.cls, constant)
    feature_map = spec.resolve(split.X_train).make(n_components=grid_of(spec.cls)[-1])
    return crease_lines(feature_map.fit(lift(split.X_train)), lift(plane.grid(resolution)), resolution, count)
