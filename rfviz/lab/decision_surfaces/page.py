"""Decision surfaces: the classes that a linear classifier on m random features predicts, everywhere in a plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from rfviz import datasets
from rfviz.analysis.accuracy import LOSS
from rfviz.analysis.plane import Plane, plane_of
from rfviz.analysis.splits import Split, make_split
from rfviz.cache import Cache
from rfviz.errors import DataError
from rfviz.experiments.base import Chart
from rfviz.features import FeatureMap, MapSpec, RandomFourier
from rfviz.lab.animation import SEEDS, AnimationSpec, animate
from rfviz.lab.decision_surfaces import animation, text
from rfviz.lab.decision_surfaces.compute import (
    MapSurfaces,
    Surface,
    axis_titles,
    grid_of,
    map_creases,
    map_surfaces,
    with_constant,
)
from rfviz.lab.decision_surfaces.figures import plot_classified, surface_image
from rfviz.lab.decision_surfaces.own_points import CLASS, OWN_PLANE, POINTS, own_split
from rfviz.lab.decision_surfaces.script import write_script
from rfviz.lab.decision_surfaces.svm import svm_surface
from rfviz.lab.maps import choose_map
from rfviz.lab.page import MapExport, Page, Presets, revision
from rfviz.lab.panel import Panel, ScaledData
from rfviz.params import Param

__all__ = ["PAGE", "PANELS", "DecisionSurfaces", "EmptyPicture", "Outcome", "Picture", "Settings", "Source", "Task"]

#: Names of the three charts.
PANELS = ("surface-map", "surface-rbf", "surface-linear")
FEATURES = "The map’s first m features. Every m is ready: drag, and watch the surface settle."
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
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features.")
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
POINTS_FROM = {"data": "Data set", "own": "My own"}
UNLABELLED = ("circle", "sphere", "turning_head", "photo_patches")
COMMON = {"points_from": "data", "loss": "ridge", "C": 10.0, "normalise": "none", "seed": 0, "creases": 0}
FOURIER = COMMON | {"scheme": "RandomFourier", "gamma": "scale"}
SPIRALS = FOURIER | {"data": "spirals", "n_components": 50, "data.n_samples": 600, "data.n_classes": 2,
                     "data.rotations": 1.5, "data.noise": 0.04, "data.random_state": 0}  # fmt: skip
DIGITS = FOURIER | {"data": "digits", "n_components": 500}
RINGS = COMMON | {"data": "circles", "scheme": "RandomProjection", "n_components": 1000, "data.n_samples": 400,
                  "data.n_classes": 2, "data.noise": 0.08, "data.random_state": 0, "constant": True}  # fmt: skip
FACETS = COMMON | {"data": "moons", "scheme": "RandomMaxout", "pool_size": 4, "n_components": 50, "creases": 3,
                   "data.n_samples": 400, "data.noise": 0.15, "data.random_state": 0, "constant": True}  # fmt: skip


@dataclass(frozen=True)
class Source(ScaledData):
    """The data and how their columns are scaled, the loss, and C of the support vector machines."""

    loss: str
    penalty: float


@dataclass(frozen=True)
class Settings:
    """The map whose surface is drawn.

    Attributes
    ----------
    spec : MapSpec
    constant : bool
        Whether the inputs get a further column of ones.
    gamma : float or "scale"
        Of the exact RBF-SVM, unless the features have it.
    creases : int
        Number of features whose creases are drawn.
    points : tuple of str or None
        The user's own, as ``x/y/class``; None for those of the data.
    """

    spec: MapSpec[FeatureMap]
    constant: bool
    gamma: float | str
    creases: int
    points: tuple[str, ...] | None

    @property
    def m(self) -> int:
        """The number of features."""
        return self.spec.get("n_components")

    @property
    def shares_gamma(self) -> bool:
        """Whether the features estimate the very kernel of the RBF-SVM."""
        return self.spec.make().estimates_gaussian


@dataclass(frozen=True)
class OwnPoints:
    """The points that the user clicked."""

    texts: tuple[str, ...]


Origin = ScaledData | OwnPoints


@dataclass(frozen=True)
class Learner:
    """What the surfaces of a map depend on but the points: the map without its number of features, and its training."""

    spec: MapSpec[FeatureMap]
    constant: bool
    loss: str


@dataclass(frozen=True, eq=False)
class Task:
    """The points that all classifiers learn from, and the plane in which they predict.

    Attributes
    ----------
    split : Split
    plane : Plane
    axes : (across, up)
        Titles.
    placing : bool
        Whether clicks add points.
    revision : str
        See :class:`rfviz.lab.decision_surfaces.figures.plot_surface`.
    """

    split: Split
    plane: Plane
    axes: tuple[str, str]
    placing: bool
    revision: str

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
        return {"axes": self.axes, "placing": self.placing, "revision": self.revision}


@dataclass(frozen=True, eq=False)
class EmptyPicture:
    """One panel before there is anything to learn from.

    Attributes
    ----------
    name, title : str
    """

    name: str
    title: str

    def chart(self, task: Task) -> Chart:
        """Return its chart: the points."""
        plot = partial(plot_classified, None, task.split, task.plane, **task.look)
        return Chart(
            self.name, plot, pd.DataFrame, text.summary(self.title, None, len(task.split.X_train)), square=True
        )


@dataclass(frozen=True, eq=False)
class Picture:
    """One panel.

    Attributes
    ----------
    name, title : str
    surface : Surface
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
        alt = text.summary(self.title, self.surface, len(task.split.X_train))
        table = partial(self.surface.to_frame, task.plane, task.split)
        return Chart(self.name, partial(self.plot, task, cache), table, alt, words, square=True)


@dataclass(frozen=True, eq=False)
class Outcome:
    """The surfaces of the map for every m, and the three panels: the map, the RBF-SVM, the linear SVM."""

    task: Task
    own: MapSurfaces
    pictures: tuple[Picture, Picture, Picture] = field(repr=False)


class DecisionSurfaces(Page[Source, Settings, Outcome]):
    """A classifier on random features next to two support vector machines, in one plane."""

    slug = "decision-surfaces"

    @property
    def presets(self) -> Presets:
        return {
            "Two spirals": ("600 points on two arms, 50 Fourier features.", SPIRALS),
            "The digits’ plane": ("A slice through the space of digits, along two principal components.", DIGITS),
            "Linear features cannot": ("1000 linear features of two rings.", RINGS),
            "Facets of maxout": ("Two moons, and the creases of three features.", FACETS),
        }

    def source(self, panel: Panel) -> Source:
        data = panel.data("spirals", [name for name in datasets.names() if name not in UNLABELLED])
        return Source(data, panel.control(SCALING), panel.control(LOSS), panel.control(PENALTY))

    def settings(self, panel: Panel, source: Source) -> Settings:
        with panel.section("controls", ["points_from", "scheme", "n_components", "gamma", "pool_size"]):
            help = "Those of the data set in the sidebar, or points that you click into the plane."
            own = panel.choice("points_from", list(POINTS_FROM), "data", "Points", help, POINTS_FROM) == "own"
            spec = choose_map(panel, {}, first=RandomFourier, without=("n_components",))
            grid = grid_of(spec.cls)
            features = Param(
                "n_components",
                50,
                "int",
                grid[0],
                grid[-1],
                log=True,
                marks=grid,
                symbol="m",
                label="Features",
                help=FEATURES,
            )
            spec = spec.replace(n_components=panel.control(features), random_state=panel.control(SEED))
            constant = spec.cls.takes_constant and panel.control(CONSTANT)
            gamma = "scale" if spec.make().estimates_gaussian else panel.control(SVM_GAMMA)
            creases = panel.control(CREASES)
        points = tuple(panel.ask(POINTS)) if own else None
        if own:
            panel.ask(CLASS)
        return Settings(spec, constant, gamma, creases, points)

    def run(self, source: Source, settings: Settings, cache: Cache) -> Outcome:
        origin, learner = _origin(source, settings), _learner(source, settings)
        task = cache.call(task_of, origin)
        if not task.is_ready:
            raise DataError(text.TOO_FEW)
        own = cache.call(surfaces_of, origin, learner)
        gamma = own.gamma if settings.shares_gamma else cache.call(gamma_of, origin, settings.gamma)
        width = float(gamma or 1.0)

        def svm(name: str, title: str, kernel: str, gamma: float, note: str) -> Picture:
            args = origin, kernel, source.penalty, gamma
            return Picture(name, title, cache.call(svm_of, *args), (svm_image_of, *args), note)

        image = map_image_of, origin, learner, settings.m, settings.creases
        first = Picture(PANELS[0], settings.spec.cls.label, own.at(settings.m), image, f"m = {settings.m:,}")
        rbf = svm(PANELS[1], "Exact RBF-SVM", "rbf", width, f"γ = {width:.3g}")
        return Outcome(task, own, (first, rbf, svm(PANELS[2], "Linear SVM", "linear", 0.0, "")))

    def charts(self, source: Source, settings: Settings, result: Outcome, cache: Cache) -> tuple[Chart, ...]:
        first, *svms = result.pictures
        words = _words(source, settings, result)
        return first.chart(result.task, cache, words), *(svm.chart(result.task, cache) for svm in svms)

    def animations(self, source: Source, settings: Settings, result: Outcome, panel: Panel) -> list[AnimationSpec]:
        task, own, learner = result.task, result.own, _learner(source, settings)
        origin, creases = _origin(source, settings), settings.creases

        def over_m(options: Sequence[int], now: int, cache: Cache, seconds: float) -> animation.Animation:
            return animation.over_m(task, learner, creases, own, options)

        def over(
            name: str, averaged: bool, values: Sequence[Any], now: Any, cache: Cache, seconds: float
        ) -> animation.Animation:
            def spec_of(value: Any) -> MapSpec[FeatureMap]:
                return self.settings(panel.vary(name, value), source).spec

            return animation.over_specs(
                task, learner, creases, own.m_grid, spec_of, values, now, cache, seconds, averaged=averaged
            )

        def over_seeds(options: Sequence[Any], now: Any, cache: Cache, seconds: float) -> animation.Animation:
            return over("seed", True, sorted({*options[:SEEDS], now}), now, cache, seconds)

        found = [animate(panel, "m", "n_components", origin, over_m)]
        varied = settings.spec.cls.compared()
        if varied and varied.name in settings.spec.params:
            found.append(animate(panel, varied.sign, varied.name, origin, partial(over, varied.name, False)))
        return [*found, animate(panel, "seed", "seed", origin, over_seeds)]

    def script(self, source: Source, settings: Settings) -> str:
        return write_script(source, settings)

    def maps(self, source: Source, settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        task = cache.call(task_of, _origin(source, settings))
        if not task.is_ready:
            return ()
        X, labels = task.split.X_train, (task.split.y_train, task.split.target_names)
        feature_map = settings.spec.resolve(X).make()
        points = with_constant(X) if settings.constant else X
        return (MapExport(settings.spec.cls.label, feature_map, points, labels=labels),)


def _origin(source: Source, settings: Settings) -> Origin:
    """Return what the points depend on, and nothing else."""
    if settings.points is not None:
        return OwnPoints(settings.points)
    return ScaledData(source.data, source.normalise)


def _learner(source: Source, settings: Settings) -> Learner:
    return Learner(settings.spec.without("n_components"), settings.constant, source.loss)


def _words(source: Source, settings: Settings, result: Outcome) -> str:
    split, plane = result.task.split, result.task.plane
    _, rbf, linear = (picture.surface for picture in result.pictures)
    sizes = len(split.X_train), len(split.X_test)
    parts = [
        text.explanation(settings.spec, result.own, source.loss, rbf, linear, *sizes),
        text.slice_text(plane) if plane.is_slice else "",
        text.crease_words(settings.spec, settings.creases),
    ]
    return "\n\n".join(part for part in parts if part)


def task_of(origin: Origin, *, cache: Cache) -> Task:
    """Split the data and find the plane."""
    if isinstance(origin, OwnPoints):
        return Task(own_split(origin.texts), OWN_PLANE, ("x", "y"), True, "own")
    split = make_split(origin.dataset, origin.normalise)
    plane = plane_of(split.X_train)
    return Task(split, plane, axis_titles(plane, origin.dataset.feature_names), False, revision(origin))


def surfaces_of(origin: Origin, learner: Learner, *, cache: Cache) -> MapSurfaces:
    """Train on the features of a map."""
    task = cache.call(task_of, origin)
    return map_surfaces(
        task.split, task.plane, learner.spec, loss=learner.loss, constant=learner.constant, progress=cache.progress
    )


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


PAGE = DecisionSurfaces()
