"""Linear models on random features, for every number of features at once, or beyond what a Gram matrix can hold."""

from typing import TYPE_CHECKING

from rfviz._lazy import import_when_asked

if TYPE_CHECKING:
    from rfviz.linear_model.cholesky_path import ConditionWarning
    from rfviz.linear_model.conformal import prediction_intervals, prediction_sets
    from rfviz.linear_model.deprecated import RidgePath
    from rfviz.linear_model.doubly_stochastic import DoublyStochasticClassifier, DoublyStochasticRegressor
    from rfviz.linear_model.normal_equations import NormalEquations
    from rfviz.linear_model.path import default_grid, largest_affordable_m
    from rfviz.linear_model.recursive import RecursiveClassifier, RecursiveRegressor
    from rfviz.linear_model.ridge_path import RidgePathClassifier, RidgePathRegressor
    from rfviz.linear_model.stochastic import StochasticClassifier
    from rfviz.linear_model.stochastic_path import StochasticPath
    from rfviz.linear_model.svm_path import LinearSVMPath

__all__ = [
    "ConditionWarning",
    "DoublyStochasticClassifier",
    "DoublyStochasticRegressor",
    "LinearSVMPath",
    "NormalEquations",
    "RecursiveClassifier",
    "RecursiveRegressor",
    "RidgePath",
    "RidgePathClassifier",
    "RidgePathRegressor",
    "StochasticClassifier",
    "StochasticPath",
    "default_grid",
    "largest_affordable_m",
    "prediction_intervals",
    "prediction_sets",
]

import_when_asked(__name__)
