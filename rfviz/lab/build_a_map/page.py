"""Build a map: write or draw a function, a density or a kernel, and see the kernel, its variance and its error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rfviz.cache import Cache
from rfviz.experiments.build_a_map.base_space import BaseSpace, points_of
from rfviz.experiments.build_a_map.circle import wrapped_line
from rfviz.experiments.build_a_map.compute import Built, What, line_of_points
from rfviz.experiments.build_a_map.experiment import (
    BASE,
    CATEGORIES,
    DIMENSION,
    LENGTH,
    OMEGA,
    POOL_SIZE,
    WEIGHTS,
    BaseSpaces,
    BuildAMap,
    M,
)
from rfviz.experiments.build_a_map.figures import plot_base_kernel, plot_circle, plot_kernel
from rfviz.features import RandomActivation, RandomFourier, RandomPool
from rfviz.lab.animation import SEEDS, Animation, AnimationSpec, animate, one_by_one, spread_words
from rfviz.lab.build_a_map import text
from rfviz.lab.page import ExperimentPage, MapExport, Presets
from rfviz.lab.panel import Panel
from rfviz.lab.papers import COMPOSITIONAL_KERNELS, NOTES
from rfviz.params import Param
from rfviz.words import number

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["FORMULAS", "PAGE", "BuildAMapPage", "Result", "Settings"]

Settings = BuildAMap | BaseSpaces
Result = Built | BaseSpace

#: The formula of each kind that can be built.
FORMULAS: dict[What, Param] = {
    "function": RandomActivation.param("function"),
    "density": replace(RandomFourier.param("density"), when=None),
    "kernel": Param(
        "kernel",
        "max(0, 1 - x)",
        "formula",
        low=0.0,
        label="Kernel k(x)",
        help="A formula in x, the distance of two points. Numbers, + − * / ^, abs, sign, step, relu, min, max, sqrt, "
        "exp, log, sin, cos, tanh, sigmoid, erf. points(a, b, y1, y2, …) draws straight lines between heights.",
    ),
}
RULE = RandomPool.param("rule")
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features.")


class BuildAMapPage(ExperimentPage[None, Settings, Result]):
    """A function, a density or a kernel of one's own, or a base space of skeletons."""

    slug = "build-a-map"

    @property
    def presets(self) -> Presets:
        def of(what: What, formula: str) -> dict[str, Any]:
            return {"what": what, what: formula} | (
                {"length": 1.0, "weights": "gaussian"} if what == "function" else {}
            )

        return {
            "ReLU": ("The layer of a network: the arc-cosine kernel.", of("function", "relu(x)")),
            "Step": ("Only on which side: the angle itself.", of("function", "sign(x)")),
            "Wave": ("A quick wave forgets all but close points.", of("function", "sin(4*x)")),
            "Four lengths": (
                "The same wave with weights of four lengths: a kernel for near and for far points.",
                of("function", "sin(4*x)") | {"weights": "four lengths"},
            ),
            "Range": (
                "The largest of four projections less the smallest.",
                {"what": "pool", "rule": "range", "pool_size": 4},
            ),
            "Two pitches": (
                "Frequencies near 2 and near 5: the kernel beats, like two tones.",
                of("density", "exp(-8*(x - 2)^2) + exp(-8*(x - 5)^2)"),
            ),
            "Figure 1 of the notes": (
                f"{NOTES}: a frequency wraps the line onto the circle. Play “Frequency shown”.",
                of("density", "exp(-x^2/2)") | {"omega": 2.0},
            ),
            "Tent": ("Straight down to zero: a kernel.", of("kernel", "max(0, 1 - x)")),
            "Bow": ("As plain as the tent, yet no kernel: its transform is negative.", of("kernel", "max(0, 1 - x^2)")),
            "Base spaces": (
                f"{COMPOSITIONAL_KERNELS}, Section 4: features of the sphere, and the least bound that there is.",
                {"what": "base", "base": "sphere", "dimension": 8},
            ),
        }

    def source(self, panel: Panel) -> None:
        """Ask for nothing: the points are always the same."""

    def settings(self, panel: Panel, source: None) -> Settings:
        with panel.section("controls", ["what", *FORMULAS, "rule", "pool_size", "m", BASE.name, "dimension"]):
            help = (
                "A function or a pool makes the features, a density their frequencies. A kernel must have a density. A "
                "base space is what an input of a compositional kernel is."
            )
            chosen = panel.choice("what", list(text.BUILT_FROM), "function", "Build from", help, text.BUILT_FROM)
            if chosen == "base":
                return _ask_base(panel)
            what = cast(What, chosen)
            formula = panel.control(RULE if what == "pool" else FORMULAS[what])
            settings = BuildAMap(what=what, formula=formula)
            if what == "pool":
                settings = replace(settings, pool_size=panel.control(POOL_SIZE))
            settings = replace(settings, m=panel.control(M), seed=panel.control(SEED))
            if what == "function":
                settings = replace(settings, length=panel.control(LENGTH), weights=panel.control(WEIGHTS))
            elif what != "pool":
                settings = replace(settings, omega=panel.control(OMEGA))
            return settings

    def animations(self, source: None, settings: Settings, result: Result, panel: Panel) -> list[AnimationSpec]:
        if isinstance(settings, BaseSpaces):
            assert isinstance(result, BaseSpace)
            return [animate(panel, "m", "m", settings.base, partial(_over_m_of_base, result))]
        assert isinstance(result, Built)

        def over_m(values: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            captions = [f"RMS error {number(result.error(m), 2)}" for m in values]
            return Animation(list(values), captions, [{"built-kernel": plot_kernel(result, m)} for m in values])

        def over_seeds(values: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            def run(seed: int) -> Built:
                found = self.run(source, replace(settings, seed=seed), cache)
                assert isinstance(found, Built)
                return found

            seeds, found = one_by_one(sorted({*values[:SEEDS], now}), now, run, cache, seconds)
            frames: list[dict[str, go.Figure]] = [{"built-kernel": plot_kernel(one, settings.m)} for one in found]
            captions = [f"RMS error {number(one.error(settings.m), 2)}" for one in found]
            return Animation(seeds, captions, frames, spread_words([one.error(settings.m) for one in found], ".2g"))

        def over_frequencies(values: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            captions = [f"cos ω = {number(math.cos(omega))}" for omega in values]
            frames = [{"built-circle": plot_circle(wrapped_line(result, omega))} for omega in values]
            return Animation(list(values), captions, frames)

        played = {"m": over_m, "seed": over_seeds}
        if settings.what in ("density", "kernel"):
            played["omega"] = over_frequencies
        return [animate(panel, name, name, settings.what, render) for name, render in played.items()]

    def maps(self, source: None, settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        if isinstance(settings, BaseSpaces):
            return (_base_map(settings),)
        built = self.run(source, settings, cache)
        assert isinstance(built, Built)
        spec = built.spec
        X, _ = line_of_points(settings.what, settings.length)
        return (MapExport(spec.cls.label, spec.make(n_components=settings.m), X),)


def _ask_base(panel: Panel) -> BaseSpaces:
    settings = BaseSpaces(base=panel.control(BASE))
    if settings.base == "sphere":
        settings = replace(settings, dimension=panel.control(DIMENSION))
    if settings.base == "categorical":
        settings = replace(settings, categories=panel.control(CATEGORIES))
    return replace(settings, m=panel.control(M), seed=panel.control(SEED))


def _over_m_of_base(found: BaseSpace, values: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
    captions = [f"RMS error {number(found.error(found.schemes[0], m), 2)}" for m in values]
    return Animation(list(values), captions, [{"base-kernel": plot_base_kernel(found, m)} for m in values])


def _base_map(settings: BaseSpaces) -> MapExport:
    """Return the features of a base space in their real form, as a skeleton with one node has them."""
    from rfviz.features import CompositionalFeatures  # when a map is exported
    from rfviz.skeleton import graph

    form: dict[str, Any] = {"kind": settings.base}
    if settings.base == "sphere":
        form["dimension"] = settings.dimension
    if settings.base == "categorical":
        form["categories"] = settings.categories
    X, _ = points_of(settings.base, settings.dimension, settings.categories)
    if settings.base == "circle":
        form["turn"], X = 1.0, X / (2 * np.pi)  # the value of a column is a part of a turn
    skeleton = graph([(form, 1)], [("identity", [0])])
    made = CompositionalFeatures(settings.m, skeleton=skeleton.to_json(), deduplicate=False)
    return MapExport(made.label, made, X)


PAGE = BuildAMapPage()
