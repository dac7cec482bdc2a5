"""Can there be too many features? Errors against their number, measured, and predicted before any is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from rfviz import datasets
from rfviz.analysis.points import NORMALISATION, Scaling
from rfviz.analysis.splits import all_rows_of
from rfviz.cache import Cache
from rfviz.experiments.learning_curve.compute import MOST_ROWS
from rfviz.experiments.learning_curve.experiment import (
    ALPHA,
    DRAWS,
    N_ROWS,
    NOISE,
    TUNED,
    CurveResult,
    LearningCurve,
)
from rfviz.experiments.learning_curve.figures import plot_curve
from rfviz.features import RandomFourier
from rfviz.lab.animation import Animation, AnimationSpec, animate, one_by_one
from rfviz.lab.maps import choose_map
from rfviz.lab.page import ExperimentPage, MapExport, Presets
from rfviz.lab.panel import Panel, ScaledData
from rfviz.params import Param
from rfviz.words import number

__all__ = ["PAGE", "LearningCurvePage", "rows_offered"]

SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, other rows and other features.")
M = Param(
    "m",
    200,
    "int",
    1,
    log=True,
    symbol="m",
    label="Features",
    help="The number of features that is marked: its errors stand below the chart.",
)
PEAK = {
    "data": "digits",
    "map": "RandomFourier",
    "gamma": 3.0,
    "normalise": "unit norm",
    "n": 200,
    "alpha": 1e-8,
    "tuned": False,
    "noise": 0.0,
    "draws": 6,
    "seed": 0,
}
# Features whose kernel has the eigenvalues that the data set states; many rows, so that only their number counts.
LAW = {
    "data": "power_law",
    "data.n_samples": 2000,
    "data.frequencies": 500,
    "map": "RandomMaxout",
    "pool_size": 1,
    "normalise": "none",
    "n": 500,
    "alpha": 1e-8,
    "tuned": False,
    "noise": 0.0,
    "draws": 3,
    "seed": 0,
}
_NAMES = ("map", N_ROWS.name, M.name, ALPHA.name, TUNED.name)


def rows_offered(n_samples: int) -> tuple[int, ...]:
    """Return the numbers of training rows that leave as many to test on."""
    most = max(min(n_samples, MOST_ROWS) // 2, 2)
    return tuple(int(mark) for mark in N_ROWS.marks if mark <= most) or (most,)


class LearningCurvePage(ExperimentPage[ScaledData, LearningCurve, CurveResult]):
    """Test error against m with n rows: the peak at m = n, the penalty that removes it, and the line of theory."""

    slug = "learning-curve"

    @property
    def presets(self) -> Presets:
        return {
            "The peak": ("200 rows and nearly no penalty: the error explodes where m = n.", PEAK),
            "More is better": (
                "The best penalty for each m: no peak, and more features are never worse.",
                {name: value for name, value in PEAK.items() if name != "alpha"} | {"tuned": True, "noise": 0.2},
            ),
            "Noise": (
                "A fifth of the labels is wrong: the peak is higher, and more features help less.",
                PEAK | {"noise": 0.2},
            ),
            "Scaling law": (
                "Waves whose power falls as k⁻², and so does the target’s: with ever more rows the error falls as 1/m.",
                LAW,
            ),
        }

    def source(self, panel: Panel) -> ScaledData:
        names = [name for name, spec in datasets.specs().items() if spec.labelled]
        return ScaledData(panel.data("digits", names), panel.control(NORMALISATION))

    def settings(self, panel: Panel, source: ScaledData) -> LearningCurve:
        marks = rows_offered(source.dataset.n_samples)
        n_rows = replace(N_ROWS, marks=marks, low=min(N_ROWS.low or 2, marks[0]))
        with panel.section("controls", _NAMES):
            spec = choose_map(
                panel,
                {"gamma": 3.0, "pool_size": 4},
                source.dataset.image_shape,
                first=RandomFourier,
                without=("n_components",),
            )
            n = panel.control(n_rows, min(N_ROWS.default, marks[-1]))
            grid = LearningCurve(feature_map=spec, n=n).grid
            m = panel.control(replace(M, marks=grid, high=grid[-1]), int(min(grid, key=lambda one: abs(one - n))))
            tuned = panel.control(TUNED)
            alpha = ALPHA.default if tuned else panel.control(ALPHA)
            noise, draws, seed = panel.control(NOISE), panel.control(DRAWS), panel.control(SEED)
        panel.formula(spec.cls.formula)
        return LearningCurve(
            feature_map=spec,
            normalise=source.normalise,
            n=n,
            alpha=alpha,
            tuned=tuned,
            noise=noise,
            draws=draws,
            seed=seed,
            m=m,
        )

    def animations(
        self, source: ScaledData, settings: LearningCurve, result: CurveResult, panel: Panel
    ) -> list[AnimationSpec]:
        def over_m(options: Sequence[int], now: int, cache: Cache, seconds: float) -> Animation:
            frames = [{"learning-curve": plot_curve(result, at=m)} for m in options]
            means = result.test.mean(axis=0)
            shown = [means[int(np.abs(result.m_grid - m).argmin())] for m in options]
            return Animation(options, [f"test error {number(error, 2)}" for error in shown], frames)

        def over(name: str, options: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            def run(value: Any) -> tuple[LearningCurve, CurveResult]:
                asked = self.settings(panel.with_value(name, value), source)
                return asked, self.run(source, asked, cache)

            values, found = one_by_one(options, now, run, cache, seconds)
            captions = [f"largest test error {number(curve.test.mean(axis=0).max(), 2)}" for _, curve in found]
            frames = [{"learning-curve": plot_curve(curve, at=asked.m)} for asked, curve in found]
            return Animation(values, captions, frames)

        names = {"n": N_ROWS.name, "noise": NOISE.name, "seed": SEED.name}
        names |= {} if settings.tuned else {"α": ALPHA.name}
        return [
            animate(panel, "m", M.name, source, over_m),
            *(animate(panel, symbol, name, source, partial(over, name)) for symbol, name in names.items()),
        ]

    def maps(self, source: ScaledData, settings: LearningCurve, cache: Cache) -> tuple[MapExport, ...]:
        scaling = Scaling(source.dataset.X, source.normalise)
        X, all_rows = scaling(source.dataset.X), all_rows_of(source.dataset, scaling)
        made = settings.spec.make(n_components=settings.m, random_state=settings.seed)
        return (MapExport(settings.spec.cls.label, made, X, all_rows, source.dataset.labels()),)


PAGE = LearningCurvePage()
