"""Decision surfaces: the classes that a linear classifier on m random features predicts, everywhere in a plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from rfviz import datasets
from rfviz.analysis.accuracy import LOSS
from rfviz.cache import Cache
from rfviz.experiments.decision_surfaces.compute import grid_of, with_constant
from rfviz.experiments.decision_surfaces.experiment import (
    CONSTANT,
    CREASES,
    PENALTY,
    SCALING,
    SVM_GAMMA,
    DecisionSurfaces,
    Outcome,
    task_of,
)
from rfviz.features import RandomFourier
from rfviz.lab.animation import SEEDS, AnimationSpec, animate
from rfviz.lab.decision_surfaces import animation
from rfviz.lab.decision_surfaces.own_points import CLASS, POINTS
from rfviz.lab.maps import choose_map
from rfviz.lab.page import ExperimentPage, MapExport, Presets
from rfviz.lab.panel import Panel, ScaledData
from rfviz.params import Param

__all__ = ["PAGE", "DecisionSurfacesPage", "Source"]

FEATURES = "The map’s first m features. Every m is ready: drag, and watch the surface settle."
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features.")
POINTS_FROM = {"data": "Data set", "own": "My own"}
COMMON = {"points_from": "data", "loss": "ridge", "C": 10.0, "normalise": "none", "seed": 0, "creases": 0}
FOURIER = COMMON | {"map": "RandomFourier", "gamma": "scale"}
SPIRALS = FOURIER | {"data": "spirals", "n_components": 50, "data.n_samples": 600, "data.n_classes": 2,
                     "data.rotations": 1.5, "data.noise": 0.04, "data.random_state": 0}  # fmt: skip
DIGITS = FOURIER | {"data": "digits", "n_components": 500}
RINGS = COMMON | {"data": "circles", "map": "RandomProjection", "n_components": 1000, "data.n_samples": 400,
                  "data.n_classes": 2, "data.noise": 0.08, "data.random_state": 0, "constant": True}  # fmt: skip
FACETS = COMMON | {"data": "moons", "map": "RandomMaxout", "pool_size": 4, "n_components": 50, "creases": 3,
                   "data.n_samples": 400, "data.noise": 0.15, "data.random_state": 0, "constant": True}  # fmt: skip


@dataclass(frozen=True)
class Source(ScaledData):
    """The data and how their columns are scaled, the loss, and C of the support vector machines."""

    loss: str
    penalty: float


class DecisionSurfacesPage(ExperimentPage[Source, DecisionSurfaces, Outcome]):
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
        data = panel.data(
            "spirals", [name for name, spec in datasets.specs().items() if spec.labelled and not spec.numbers]
        )
        return Source(data, panel.control(SCALING), panel.control(LOSS), panel.control(PENALTY))

    def settings(self, panel: Panel, source: Source) -> DecisionSurfaces:
        with panel.section("controls", ["points_from", "map", "n_components", "gamma", "pool_size"]):
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
        return DecisionSurfaces(
            feature_map=spec,
            normalise=source.normalise,
            loss=source.loss,
            constant=constant,
            C=source.penalty,
            svm_gamma=gamma,
            creases=creases,
            points=points,
        )

    def animations(
        self, source: Source, settings: DecisionSurfaces, result: Outcome, panel: Panel
    ) -> list[AnimationSpec]:
        task, own, origin = result.task, result.own, settings.origin(source.data)

        def over_m(options: Sequence[int], now: int, cache: Cache, seconds: float) -> animation.Animation:
            return animation.over_m(settings, task, own, options)

        def over(
            name: str, averaged: bool, values: Sequence[Any], now: Any, cache: Cache, seconds: float
        ) -> animation.Animation:
            def settings_of(value: Any) -> DecisionSurfaces:
                return self.settings(panel.with_value(name, value), source)

            return animation.over_values(settings_of, task, values, now, cache, seconds, averaged=averaged)

        def over_seeds(options: Sequence[Any], now: Any, cache: Cache, seconds: float) -> animation.Animation:
            return over("seed", True, sorted({*options[:SEEDS], now}), now, cache, seconds)

        found = [animate(panel, "m", "n_components", origin, over_m)]
        varied = settings.spec.cls.compared()
        if varied and varied.name in settings.spec.params:
            found.append(animate(panel, varied.sign, varied.name, origin, partial(over, varied.name, False)))
        return [*found, animate(panel, "seed", "seed", origin, over_seeds)]

    def maps(self, source: Source, settings: DecisionSurfaces, cache: Cache) -> tuple[MapExport, ...]:
        task = cache.call(task_of, settings.origin(source.data))
        if not task.is_ready:
            return ()
        X, labels = task.split.X_train, (task.split.y_train, task.split.target_names)
        points = with_constant(X) if settings.constant else X
        return (MapExport(settings.spec.cls.label, settings.spec.resolve(X).make(), points, labels=labels),)


PAGE = DecisionSurfacesPage()
