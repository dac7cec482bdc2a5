"""One classifier all over a plane: its decision values, its probabilities, and how often it is right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.analysis.calibration import probabilities
from rfviz.analysis.plane import Plane
from rfviz.analysis.splits import Split
from rfviz.errors import DataError

__all__ = ["Surface", "class_count", "made_surface", "tested_rows"]


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

    def to_frame(self, plane: Plane, split: Split) -> pd.DataFrame:
        """One row a cell, the lowest first: x and y of its middle, and ``p(class)``, the probability of each class."""
        across, up = plane.ticks(len(self.scores))
        p = self.probabilities()
        names = [split.target_names[c] for c in np.unique(split.y_train)]
        places = {"x": np.tile(across, len(up)), "y": np.repeat(up, len(across))}
        return pd.DataFrame(places | {f"p({name})": p[..., number].ravel() for number, name in enumerate(names)})


def class_count(split: Split) -> int:
    """How many classes there are to tell apart.

    Raises
    ------
    DataError
        For targets that are no classes.
    """
    if not split.is_classification:
        raise DataError(f"A decision surface needs classes; {split.name} has numbers as targets. Choose other data.")
    return len(np.unique(split.y_train))


def tested_rows(split: Split) -> tuple[np.ndarray, np.ndarray]:
    """Rows that say how good a classifier is: the test rows, or where there are none those it learnt from.

    Returns
    -------
    X : ndarray of shape (n, n_features)
    y : ndarray of shape (n,)
    """
    return (split.X_test, split.y_test) if len(split.X_test) else (split.X_train, split.y_train)


def made_surface(
    label: str, scores: np.ndarray, slope: float, tested: np.ndarray, classes: np.ndarray, split: Split, calibrated: str
) -> Surface:
    """A surface from the decision values of a classifier.

    Parameters
    ----------
    label : str
    scores : ndarray of shape (resolution², n_classes)
        In the cells of a plane, row by row, the lowest first.
    slope : float
        Of the soft-max.
    tested : ndarray of shape (n_tested, n_classes)
        Those of :func:`tested_rows`.
    classes : ndarray of shape (n_classes,)
        Labels of the columns.
    split : Split
    calibrated : {"", "held-out", "training"}
        See :class:`Surface`.
    """
    side = round(len(scores) ** 0.5)
    predicted = classes[np.argmax(tested, axis=1)]
    wrong = np.flatnonzero(predicted != tested_rows(split)[1])
    accuracy = 1.0 - len(wrong) / len(predicted)
    return Surface(label, scores.astype(np.float32).reshape(side, side, -1), float(slope), accuracy, wrong, calibrated)
