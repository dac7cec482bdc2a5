"""Decision surfaces as an experiment: the classes that a linear classifier on m random features predicts in a plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from rfviz.analysis.accuracy import LOSS
from rfviz.analysis.plane import Plane, plane_of
from rfviz.analysis.splits import Split, check_labels, make_split
from rfviz.cache import Cache
from rfviz.datasets import Dataset
from rfviz.errors import DataError, ParameterError
from rfviz.experiments.base import Chart, ExperimentOnMap, experiment
from rfviz.experiments.data import Data
from rfviz.experiments.decision_surfaces.compute import (
    MapSurfaces,
    Surface,
    axis_titles,
    grid_of,
    map_creases,
    map_surfaces,
)
from rfviz.experiments.decision_surfaces.describe import TOO_FEW, crease_words, explanation, slice_text, summary
from rfviz.experiments.decision_surfaces.figures import plot_classified, surface_image
from rfviz.experiments.decision_surfaces.own_points import OWN_PLANE, own_split
from rfviz.experiments.decision_surfaces.svm import svm_surface
from rfviz.features import FeatureMap, MapSpec, RandomFourier, RandomMaxout
from rfviz.formula import parse_formula
from rfviz.params import Param

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.experiments.decision_surfaces.gradients import Gradients

__all__ = [
    "CONSTANT",
    "CREASES",
    "PANELS",
    "PENALTY",
    "SCALING",
    "SVM_GAMMA",
    "DecisionSurfaces",
    "EmptyPicture",
    "Learner",
    "Outcome",
    "Picture",
    "Task",
    "task_of",
]

# Points of the curve that separates the classes.
_CURVE_POINTS = 400
#: Names of the three charts.
PANELS = ("surface-map", "surface-rbf", "surface-linear")
CREASES = Param(
    "creases",
    0,
    "int",
    0,
    20,
    log=True,
    marks=(0, 1, 2, 3, 5, 8, 12, 20),
    label="Show creases",
    help="Draw where this many features, from the first, bend, jump or change their sign.",
)
CONSTANT = Param(
    "constant", True, "bool", label="Constant input", help="Add an input of 1, so that projections have an offset."
)
PENALTY = Param(
    "C",
    10.0,
    "float",
    0.001,
    1e6,
    log=True,
    marks=(0.01, 0.1, 1.0, 10.0, 100.0, 1000.0),
    label="C of SVMs",
    help="Penalty for misclassified points in both SVMs: larger fits the training points better.",
)
SVM_GAMMA = Param(
    "svm_gamma",
    "scale",
    "float",
    0.0,
    1e6,
    open_low=True,
    choices=("scale",),
    log=True,
    ui_low=0.01,
    ui_high=100.0,
    symbol=r"\gamma",
    label="SVM’s gamma",
    help="Of the exact RBF-SVM, whose kernel these features do not estimate.",
)
SCALING = Param(
    "normalise",
    "none",
    "choice",
    choices=("none", "standardise"),
    label="Normalise",
    help="Standardise gives each column mean 0 and variance 1.",
)


class Rows(NamedTuple):
    """Data, and how their columns are scaled."""

    data: Data
    normalise: str


#: What the points depend on, and nothing else: data, or points of one's own.
Origin = Rows | tuple[str, ...]


class Learner(NamedTuple):
    """What the surfaces of a map depend on but the points: the map without its number of features, and its training."""

    spec: MapSpec[FeatureMap]
    m_grid: tuple[int, ...]
    loss: str
    constant: bool


@dataclass(frozen=True, eq=False)
class Task:
    """The points that all classifiers learn from, and the plane in which they predict.

    Attributes
    ----------
    axes : (across, up)
        Titles.
    placing : bool
        Whether clicks add points.
    curve : ndarray of shape (n, 2) or None
        The curve that separates the classes, in the plane, where the data have one.
    revision : str
        See :class:`rfviz.experiments.decision_surfaces.figures.plot_surface`.
    """

    split: Split
    plane: Plane
    axes: tuple[str, str]
    placing: bool
    curve: np.ndarray | None = None

    @property
    def is_ready(self) -> bool:
        """Whether there are two classes to separate."""
        return len(np.unique(self.split.y_train)) > 1

    @property
    def measure(self) -> str:
        """Name of the accuracy that is shown."""
        return "test accuracy" if len(self.split.X_test) else "training accuracy"

    @property
    def look(self) -> dict[str, Any]:
        """Arguments that all its figures share."""
        return {"axes": self.axes, "placing": self.placing, "curve": self.curve}


@dataclass(frozen=True, eq=False)
class EmptyPicture:
    """One panel before there is anything to learn from."""

    name: str
    title: str

    def chart(self, task: Task) -> Chart:
        """Return its chart: the points."""
        plot = partial(plot_classified, None, task.split, task.plane, **task.look)
        return Chart(self.name, plot, pd.DataFrame, summary(self.title, None, len(task.split.X_train)), square=True)


@dataclass(frozen=True, eq=False)
class Picture:
    """One panel.

    Attributes
    ----------
    image : tuple
        The cached function that draws the surface, and its arguments.
    note : str
        The setting of the classifier, in a few letters.
    """

    name: str
    title: str
    surface: Surface
    image: tuple[Any, ...]
    note: str = ""

    def plot(self, task: Task, cache: Cache) -> go.Figure:
        """Return its figure."""
        return plot_classified(self.surface, task.split, task.plane, image=cache.call(*self.image), **task.look)

    def chart(self, task: Task, cache: Cache, words: str = "") -> Chart:
        """Return its chart; the table holds the probabilities that it shows."""
        alt = summary(self.title, self.surface, len(task.split.X_train))
        table = partial(self.surface.to_frame, task.plane, task.split)
        return Chart(self.name, partial(self.plot, task, cache), table, alt, words, square=True)


@dataclass(frozen=True, eq=False)
class Outcome:
    """The surfaces of the map for every m, and the three panels: the map, the RBF-SVM, the linear SVM."""

    task: Task
    own: MapSurfaces
    pictures: tuple[Picture, Picture, Picture] = field(repr=False)


@experiment
class DecisionSurfaces(ExperimentOnMap[Outcome]):
    """Draw what a classifier on random features predicts everywhere in a plane, next to two support vector machines.

    Parameters
    ----------
    feature_map : FeatureMap or MapSpec
        The map whose surface is drawn, with its number of features.
    normalise : {"none", "standardise"}
        How the columns are scaled first.
    loss : {"ridge", "logistic", "hinge", "exponential"}
        What the classifier minimises.
    constant : bool
        Whether the inputs get a further column of ones, if that changes the map.
    C : float
        Penalty of both support vector machines.
    svm_gamma : float or "scale"
        Of the exact RBF-SVM, unless the features estimate its kernel and so have it.
    creases : int
        Number of features whose creases are drawn.
    points : sequence of str, optional
        Points to learn from instead of the data, each as ``x/y/class``.

    Examples
    --------
    >>> from rfviz.experiments import DecisionSurfaces
    >>> from rfviz.features import RandomFourier
    >>> result = DecisionSurfaces(feature_map=RandomFourier(50)).run("moons")
    >>> print(result.summary())
    Decision surface of Random Fourier: 98.0% of the labels are right; the classes take 41%, 59% of the square.

    The same step by step:

    >>> from rfviz import datasets
    >>> from rfviz.analysis.plane import plane_of
    >>> from rfviz.analysis.splits import make_split
    >>> from rfviz.experiments.decision_surfaces.compute import map_surfaces
    >>> from rfviz.features import MapSpec
    >>> split = make_split(datasets.load("moons"), "none")
    >>> found = map_surfaces(split, plane_of(split.X_train), MapSpec(RandomFourier))
    >>> f"{found.at(50).accuracy:.1%}"
    '98.0%'
    """

    normalise: str = SCALING.default
    loss: str = LOSS.default
    constant: bool = CONSTANT.default
    C: float = PENALTY.default
    svm_gamma: float | str = SVM_GAMMA.default
    creases: int = CREASES.default
    points: Sequence[str] | None = None

    params = (SCALING, LOSS, CONSTANT, PENALTY, SVM_GAMMA, CREASES)
    question = "Which shapes can a linear classifier draw once it sees random features?"

    @property
    def learner(self) -> Learner:
        """What the surfaces for all numbers of features depend on but the points."""
        grid = tuple(sorted({*grid_of(self.spec.cls), self.m}))
        return Learner(self.law, grid, self.loss, self.constant)

    def origin(self, data: Data) -> Origin:
        """Return what the points depend on."""
        return Rows(data, self.normalise) if self.points is None else tuple(self.points)

    def compute(self, data: Data, cache: Cache) -> Outcome:
        origin, learner = self.origin(data), self.learner
        task = cache.call(task_of, origin)
        if not task.is_ready:
            raise DataError(TOO_FEW)
        own = cache.call(surfaces_of, origin, learner)
        # Features that estimate the very kernel of the RBF-SVM have its gamma.
        shared = self.spec.make().estimates_gaussian
        width = float((own.gamma if shared else cache.call(gamma_of, origin, self.svm_gamma)) or 1.0)

        def svm(name: str, title: str, kernel: str, gamma: float, note: str) -> Picture:
            args = origin, kernel, self.C, gamma
            return Picture(name, title, cache.call(svm_of, *args), (svm_image_of, *args), note)

        image = map_image_of, origin, learner, self.m, self.creases
        first = Picture(PANELS[0], self.spec.cls.label, own.at(self.m), image, f"m = {self.m:,}")
        rbf = svm(PANELS[1], "Exact RBF-SVM", "rbf", width, f"γ = {width:.3g}")
        return Outcome(task, own, (first, rbf, svm(PANELS[2], "Linear SVM", "linear", 0.0, "")))

    def gradients(self, data: Data, cache: Cache) -> Gradients:
        """Find the classifier's gradients at places of the plane.

        Raises
        ------
        ParameterError
            If its features are not maxout features.
        """
        if self.spec.cls is not RandomMaxout:
            raise ParameterError("feature_map", "must be a RandomMaxout for gradients", self.spec)
        return cache.call(gradients_of, self.origin(data), self.learner, self.m)

    def charts(self, data: Data, numbers: Outcome, cache: Cache) -> tuple[Chart, ...]:
        first, *svms = numbers.pictures
        task = numbers.task
        return first.chart(task, cache, self._words(numbers)), *(svm.chart(task, cache) for svm in svms)

    def _words(self, numbers: Outcome) -> str:
        split, plane = numbers.task.split, numbers.task.plane
        _, rbf, linear = (picture.surface for picture in numbers.pictures)
        sizes = len(split.X_train), len(split.X_test)
        parts = [
            explanation(self.spec, numbers.own, self.loss, rbf, linear, *sizes),
            slice_text(plane) if plane.is_slice else "",
            crease_words(self.spec, self.creases),
        ]
        return "\n\n".join(part for part in parts if part)


def task_of(origin: Origin, *, cache: Cache) -> Task:
    """Split the data and find the plane."""
    if not isinstance(origin, Rows):
        return Task(own_split(origin), OWN_PLANE, ("x", "y"), placing=True)
    check_labels(origin.data.dataset, "Decision surfaces need")
    split = make_split(origin.data.dataset, origin.normalise)
    plane = plane_of(split.X_train)
    curve = _curve(origin.data.dataset, split, plane)
    return Task(split, plane, axis_titles(plane, origin.data.dataset.feature_names), placing=False, curve=curve)


def _curve(dataset: Dataset, split: Split, plane: Plane) -> np.ndarray | None:
    """Return the curve that separates the classes, scaled as the split scales its rows; None if there is none."""
    if not dataset.curve or dataset.n_features != 2:
        return None
    rows = make_split(dataset, "none").X_train
    unit = split.X_train.std(axis=0) / np.maximum(rows.std(axis=0), 1e-30)
    start = split.X_train.mean(axis=0) - unit * rows.mean(axis=0)
    x = np.linspace(*plane.x, _CURVE_POINTS)
    return np.column_stack([x, unit[1] * parse_formula(dataset.curve)((x - start[0]) / unit[0]) + start[1]])


def surfaces_of(origin: Origin, learner: Learner, *, cache: Cache) -> MapSurfaces:
    """Train on the features of a map."""
    task = cache.call(task_of, origin)
    return map_surfaces(task.split, task.plane, **learner._asdict(), progress=cache.progress)


def gradients_of(origin: Origin, learner: Learner, m: int, *, cache: Cache) -> Gradients:
    """Find the gradients of a classifier on a map's first m features."""
    from rfviz.experiments.decision_surfaces.gradients import local_gradients  # of a part that few open

    task, spec = cache.call(task_of, origin), learner.spec.replace(n_components=m)
    grid, loss, constant = learner.m_grid, learner.loss, learner.constant
    return local_gradients(task.split, task.plane, spec, m_grid=grid, loss=loss, constant=constant)


def gamma_of(origin: Origin, gamma: float | str, *, cache: Cache) -> float:
    """Return the number that a gamma stands for with these points."""
    spec = MapSpec(RandomFourier, gamma=gamma)
    return spec.resolve(cache.call(task_of, origin).split.X_train).get("gamma")


def svm_of(origin: Origin, kernel: str, penalty: float, gamma: float, *, cache: Cache) -> Surface:
    """Train a support vector machine."""
    task = cache.call(task_of, origin)
    return svm_surface(task.split, task.plane, kernel, penalty, gamma, progress=cache.progress)


def creases_of(origin: Origin, spec: MapSpec[FeatureMap], count: int, constant: bool, *, cache: Cache) -> np.ndarray:
    """Find the creases of the first features."""
    task = cache.call(task_of, origin)
    return map_creases(task.split, task.plane, spec, count, constant=constant)


def map_image_of(origin: Origin, learner: Learner, m: int, creases: int, *, cache: Cache) -> dict[str, Any]:
    """Draw the surface of a map's first m features, with creases."""
    task, found = cache.call(task_of, origin), cache.call(surfaces_of, origin, learner)
    lines = cache.call(creases_of, origin, learner.spec, creases, learner.constant) if creases else None
    return surface_image(found.at(m), np.unique(task.split.y_train), task.plane, lines)


def svm_image_of(origin: Origin, kernel: str, penalty: float, gamma: float, *, cache: Cache) -> dict[str, Any]:
    """Draw the surface of a support vector machine."""
    task, surface = cache.call(task_of, origin), cache.call(svm_of, origin, kernel, penalty, gamma)
    return surface_image(surface, np.unique(task.split.y_train), task.plane)
