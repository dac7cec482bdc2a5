"""Build a map: write or draw a function, a density or a kernel, and see the kernel, its variance and its error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import plotly.graph_objects as go

from rfviz.cache import Cache
from rfviz.experiments.base import Chart
from rfviz.features import RandomActivation, RandomFourier, RandomPool
from rfviz.lab import script
from rfviz.lab.animation import SEEDS, Animation, AnimationSpec, animate, one_by_one, spread_words
from rfviz.lab.build_a_map import text
from rfviz.lab.build_a_map.compute import MOST, Built, What, build, line_of_points
from rfviz.lab.build_a_map.figures import plot_errors, plot_formula, plot_kernel, plot_transform
from rfviz.lab.page import MapExport, Page, Presets
from rfviz.lab.panel import Panel
from rfviz.params import Param
from rfviz.words import number

__all__ = ["FORMULAS", "PAGE", "BuildAMap", "Settings"]

#: By what is built: the formula that is written.
FORMULAS: dict[What, Param] = {
    "function": RandomActivation.param("function"),
    "density": replace(RandomFourier.param("density"), when=None),
    "kernel": Param(
        "kernel", "max(0, 1 - x)", "formula", low=0.0, label="Kernel k(x)",
        help="A formula in x, the distance of two points. Numbers, + − * / ^, abs, sign, step, relu, min, max, sqrt, "
        "exp, log, sin, cos, tanh, sigmoid, erf. points(a, b, y1, y2, …) draws straight lines between heights.",
    ),
}  # fmt: skip
M = Param("m", 200, "int", 2, MOST, step=2, log=True, symbol="m", label="Features",
          marks=(2, 4, 6, 10, 16, 24, 40, 64, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, MOST),
          help="The number of random features in the estimate. Four times as many halve the error.")  # fmt: skip
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features.")
POOL = {param.name: param for param in RandomPool.params}
WEIGHTS = RandomActivation.param("weights")
LENGTH = Param("length", 1.0, "float", 0.1, 10.0, log=True,
               marks=(0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0), label="Length of the points",
               help="Norm of the two points. It stretches the projections, so that most functions have another "
               "kernel.")  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """What is built, and how many features estimate its kernel.

    Attributes
    ----------
    what : {"function", "pool", "density", "kernel"}
    text : str
        The formula, or the rule of a pool.
    m, seed : int
    length : float
        Norm of the points that a function is tried on.
    pool_size : int
    weights : str
        How those of a function are distributed.
    """

    what: What
    text: str
    m: int
    seed: int
    length: float = 1.0
    pool_size: int = 4
    weights: str = WEIGHTS.default


class BuildAMap(Page[None, Settings, Built]):
    """A function, a density or a kernel of one's own."""

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
            "Four lengths": ("The same wave with weights of four lengths: a kernel for near and for far points.",
                             of("function", "sin(4*x)") | {"weights": "four lengths"}),
            "Range": ("The largest of four projections less the smallest.",
                      {"what": "pool", "rule": "range", "pool_size": 4}),
            "Two pitches": ("Frequencies near 2 and near 5: the kernel beats, like two tones.",
                            of("density", "exp(-8*(x - 2)^2) + exp(-8*(x - 5)^2)")),
            "Tent": ("Straight down to zero: a kernel.", of("kernel", "max(0, 1 - x)")),
            "Bow": ("As plain as the tent, yet no kernel: its transform is negative.", of("kernel", "max(0, 1 - x^2)")),
        }  # fmt: skip

    def source(self, panel: Panel) -> None:
        """Ask for nothing: the points are always the same."""

    def settings(self, panel: Panel, source: None) -> Settings:
        with panel.section("controls", ["what", *FORMULAS, "rule", "pool_size", "m"]):
            help = "A function or a pool makes the features, a density their frequencies. A kernel must have a density."
            what = cast(What, panel.choice("what", list(text.WHAT), "function", "Build from", help, text.WHAT))
            formula = panel.control(POOL["rule"] if what == "pool" else FORMULAS[what])
            pool_size = panel.control(POOL["pool_size"]) if what == "pool" else 4
            m, seed = panel.control(M), panel.control(SEED)
            if what != "function":
                return Settings(what, formula, m, seed, pool_size=pool_size)
            return Settings(what, formula, m, seed, panel.control(LENGTH), weights=panel.control(WEIGHTS))

    def run(self, source: None, settings: Settings, cache: Cache) -> Built:
        return cache.call(built_of, replace(settings, m=0))

    def charts(self, source: None, settings: Settings, result: Built, cache: Cache) -> tuple[Chart, ...]:
        what, formula, m = settings.what, settings.text, settings.m
        main = Chart(
            "built-kernel", partial(plot_kernel, result, m), partial(result.kernel_frame, m), text.summary(result, m),
            text.explanation(result, m),
        )  # fmt: skip
        written = Chart(
            "built-from", partial(plot_formula, what, formula, settings.pool_size),
            partial(result.formula_frame, formula),
            text.formula_alt(what, formula),
        )  # fmt: skip
        errors = Chart(
            "built-errors", partial(plot_errors, result, m), result.error_frame,
            "RMS error of the estimate against the number of features, measured over 16 draws and predicted.",
        )  # fmt: skip
        found = result.transform
        if found is None:
            return main, written, errors
        alt = f"Cosine transform of the kernel against the frequency; its smallest value is {number(found.lowest, 2)}."
        return main, written, errors, Chart("built-transform", partial(plot_transform, found), found.to_frame, alt)

    def animations(self, source: None, settings: Settings, result: Built, panel: Panel) -> list[AnimationSpec]:
        def over_m(values: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            captions = [f"RMS error {number(result.error(m), 2)}" for m in values]
            return Animation(list(values), captions, [{"built-kernel": plot_kernel(result, m)} for m in values])

        def over_seeds(values: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            def run(seed: int) -> Built:
                return self.run(source, replace(settings, seed=seed), cache)

            seeds, found = one_by_one(sorted({*values[:SEEDS], now}), now, run, cache, seconds)
            frames: list[dict[str, go.Figure]] = [{"built-kernel": plot_kernel(one, settings.m)} for one in found]
            captions = [f"RMS error {number(one.error(settings.m), 2)}" for one in found]
            return Animation(seeds, captions, frames, spread_words([one.error(settings.m) for one in found], ".2g"))

        played = {"m": over_m, "seed": over_seeds}
        return [animate(panel, name, name, settings.what, render) for name, render in played.items()]

    def script(self, source: None, settings: Settings) -> str:
        what, formula = settings.what, settings.text
        more = {
            "function": f", length={settings.length}, weights={settings.weights!r}",
            "pool": f", pool_size={settings.pool_size}",
        }.get(what, "")
        transform = what == "kernel"
        body = f"""
built = build({what!r}, {formula!r}, seed={settings.seed}{more})

# The map, for data of any number of columns.
feature_map = built.spec.make(n_components={settings.m})
print(feature_map)

frames = {{
    "built-kernel": built.kernel_frame(m={settings.m}),
    "built-from": built.formula_frame({formula!r}),
    "built-errors": built.error_frame(),
}}
figures = {{
    "built-kernel": plot_kernel(built, m={settings.m}),
    "built-from": plot_formula({what!r}, {formula!r}{more if what == "pool" else ""}),
    "built-errors": plot_errors(built, m={settings.m}),
}}
"""
        if transform:
            body += 'frames["built-transform"] = built.transform.to_frame()\n'
            body += 'figures["built-transform"] = plot_transform(built.transform)\n'
        body += "for figure in figures.values():\n    figure.show()\n"
        uses = [
            build,
            plot_kernel,
            plot_formula,
            plot_errors,
            *([plot_transform] if transform else []),
        ]
        return script.write(f"Which random feature map does this {what} make?", body, uses)

    def maps(self, source: None, settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        spec = self.run(source, settings, cache).spec
        X, _ = line_of_points(settings.what, settings.length)
        return (MapExport(spec.cls.label, spec.make(n_components=settings.m), X),)


def built_of(settings: Settings, *, cache: Cache) -> Built:
    """Build the map and try it, for all numbers of features."""
    return build(settings.what, settings.text, settings.seed, settings.length, settings.pool_size, settings.weights)


PAGE = BuildAMap()
