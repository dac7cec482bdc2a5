"""Experiments with random features: settings that can be run on data, with the pictures of the laboratory.

>>> from rfviz.experiments import DistanceSaturation
>>> from rfviz.features import RandomMaxout
>>> experiment = DistanceSaturation(maps=[RandomMaxout(100, pool_size=8)])
>>> result = experiment.run("circle")
>>> result.to_frame().shape
(1, 7)

`experiment.run` takes the name of a data set, a :class:`rfviz.datasets.Dataset`, a DataFrame or an array.
``result.summary()`` is one sentence, ``result.to_frame()`` the numbers, and ``result.figure()`` the picture. An
:class:`ExperimentInParts` also yields a result after each part: ``for result in experiment.parts(data)``.
The file ``docs/gallery.md`` has the lines for every chart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rfviz._lazy import import_when_asked
from rfviz.experiments.base import Chart, Experiment, ExperimentInParts, Result, experiment
from rfviz.experiments.data import Data, as_data

if TYPE_CHECKING:
    from rfviz.experiments.accuracy import Accuracy
    from rfviz.experiments.binning import Binning
    from rfviz.experiments.build_a_map import BaseSpaces, BuildAMap
    from rfviz.experiments.decision_surfaces import DecisionSurfaces
    from rfviz.experiments.distance_saturation import DistanceSaturation
    from rfviz.experiments.errata import Errata
    from rfviz.experiments.guarantees import FunctionGuarantees, KernelGuarantees, LearningGuarantees
    from rfviz.experiments.hashing import Hashing
    from rfviz.experiments.kernel_approximation import KernelApproximation
    from rfviz.experiments.kitchen_sinks import KitchenSinks
    from rfviz.experiments.learning_curve import LearningCurve
    from rfviz.experiments.maxout_pca import MaxoutPCA
    from rfviz.experiments.pixel_cooccurrence import PixelCooccurrence
    from rfviz.experiments.speech import Speech
    from rfviz.experiments.zoo import Zoo

__all__ = [
    "EXPERIMENTS",
    "Accuracy",
    "BaseSpaces",
    "Binning",
    "BuildAMap",
    "Chart",
    "Data",
    "DecisionSurfaces",
    "DistanceSaturation",
    "Errata",
    "Experiment",
    "ExperimentInParts",
    "FunctionGuarantees",
    "Hashing",
    "KernelApproximation",
    "KernelGuarantees",
    "KitchenSinks",
    "LearningCurve",
    "LearningGuarantees",
    "MaxoutPCA",
    "PixelCooccurrence",
    "Result",
    "Speech",
    "Zoo",
    "as_data",
    "experiment",
]

#: The module of each experiment, in the order of the laboratory. One is loaded when it is first used.
EXPERIMENTS = {
    "Zoo": "zoo",
    "DistanceSaturation": "distance_saturation",
    "MaxoutPCA": "maxout_pca",
    "Hashing": "hashing",
    "KernelApproximation": "kernel_approximation",
    "BuildAMap": "build_a_map",
    "BaseSpaces": "build_a_map",
    "Binning": "binning",
    "PixelCooccurrence": "pixel_cooccurrence",
    "KernelGuarantees": "guarantees",
    "FunctionGuarantees": "guarantees",
    "LearningGuarantees": "guarantees",
    "Errata": "errata",
    "DecisionSurfaces": "decision_surfaces",
    "LearningCurve": "learning_curve",
    "Accuracy": "accuracy",
    "KitchenSinks": "kitchen_sinks",
    "Speech": "speech",
}

import_when_asked(__name__)
