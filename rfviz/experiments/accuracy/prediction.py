"""Squared errors of a sweep, predicted from the exact kernel of its training rows before a feature is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rfviz.analysis.splits import Split
from rfviz.errors import RfvizError
from rfviz.features import FeatureMap, MapSpec
from rfviz.linear_model.targets import Targets

__all__ = ["ALIKE", "MOST_ROWS", "WITHIN", "Prediction", "Unpredicted", "predict_sweep"]

#: A map has enough features where its error is larger than that of its exact kernel by no more than this share.
WITHIN = 0.05
#: Training rows whose kernel is decomposed.
MOST_ROWS = 2000
#: The theory takes features to be alike. Participations of 0.8 or more were met within 9% on images and in tables, and
#: 0.54, ReLU of digits, within 22%. Unlike rows need no such limit: their leave-one-out errors are part of the theory.
ALIKE = 0.7
_FEWEST, _POINTS = 10, 80


@dataclass(frozen=True, eq=False)
class Prediction:
    """Squared errors of test rows as parts of the targets' variance.

    Attributes
    ----------
    m_grid : ndarray of int
    test : ndarray of shape (len(m_grid),)
    is_reliable : ndarray of bool
        See :class:`rfviz.theory.SampledError`.
    needed : int or None
        The smallest m from which on the error stays within 5% of the exact kernel's, or None if that is not known or
        takes more than ten million features.
    knows_exact : bool
        Whether the error of the exact kernel is known: with penalties that are chosen for each m, and rows enough.
    n_rows, n_sampled : int
        Training rows, and how many of them the kernel was computed of.
    alike : float
        How alike the features are, see :class:`rfviz.experiments.learning_curve.compute.Spread`.
    """

    m_grid: np.ndarray
    test: np.ndarray
    is_reliable: np.ndarray
    needed: int | None
    knows_exact: bool
    n_rows: int
    n_sampled: int
    alike: float

    @property
    def is_sure(self) -> np.ndarray:
        """Where the prediction can be trusted, of shape (len(m_grid),)."""
        return self.is_reliable & (self.alike >= ALIKE)


@dataclass(frozen=True)
class Unpredicted:
    """Why nothing can be predicted for a map, in one sentence."""

    reason: str


def predict_sweep(split: Split, spec: MapSpec[FeatureMap], alpha: float | str, m_max: int) -> Prediction | Unpredicted:
    """Predict the errors of ridge regression on the training rows, from the exact kernel of up to 2,000 of them.

    Parameters
    ----------
    alpha : float or "auto"
        Penalty on the unscaled features, or the best for each m.
    m_max : int
        Largest number of features.
    """
    # The page imports this file; only the squared error needs these.
    from rfviz.experiments.learning_curve.compute import Population, spread_of_features
    from rfviz.theory import sampled_curve

    rows = np.sort(np.random.default_rng(0).permutation(len(split.X_train))[:MOST_ROWS])
    X, Y = split.X_train[rows], Targets.learn(split.y_train).codes(split.y_train)[rows]
    m_grid = np.unique(np.round(np.geomspace(min(_FEWEST, m_max), m_max, _POINTS)).astype(int))
    try:
        fitted = spec.make(n_components=2, random_state=0, dtype="float64").fit(X)
        if fitted.columns(2) != 2:
            return Unpredicted(
                f"{spec.cls.label} has several columns for each of its m repetitions; the prediction is of single "
                "features."
            )
        curve = sampled_curve(fitted.kernel(X), Y)
        spread = spread_of_features(Population(X, Y, None), spec)
    except RfvizError as error:
        return Unpredicted(str(error))
    is_tuned = alpha == "auto"
    found = curve.predict(split.n_train, m_grid, None if is_tuned else float(alpha) / m_grid)
    knows_exact = is_tuned and curve.knows_exact(split.n_train)
    return Prediction(
        m_grid,
        found.test,
        found.is_reliable,
        curve.features_needed(split.n_train, WITHIN) if knows_exact else None,
        knows_exact,
        split.n_train,
        len(rows),
        spread.features,
    )
