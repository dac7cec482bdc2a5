"""What the papers guarantee, beside what happens: how loose is each bound, and how many features does it ask for?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rfviz import bounds
from rfviz.analysis.guarantees import Comparison, compare, measure_errors
from rfviz.analysis.kernel_sample import error_grid, prepare_sample
from rfviz.analysis.points import normalise
from rfviz.analysis.risk import MeasuredRisk, measure_risk
from rfviz.bounds import LOSSES, RiskBound
from rfviz.features import registry
from rfviz.figures.guarantees import plot_guarantees, plot_risk
from rfviz.lab.panel import Panel, ScaledData
from rfviz.recipes import guarantees_text as text
from rfviz.recipes.base import Chart, Keeper, MapOn, Recipe
from rfviz.recipes.guarantees_script import (
    LEARNT_M,
    MEASURED_GRIDS,
    MEASURED_M,
    SEEDS,
    kernel_script,
    learning_script,
    tested,
)
from rfviz.recipes.guarantees_settings import (
    KernelSettings,
    LearningSettings,
    choose_settings,
    choose_source,
)

__all__ = ["RECIPE", "KernelOutcome", "LearningOutcome"]

FOURIER = {"view": "Kernel", "scheme": "RandomFourier", "data": "digits", "normalise": "unit norm", "gamma": 1.0,
           "paired": True, "spectrum": "gaussian", "draw": "iid", "eps": 0.1, "delta": 0.05, "n_components": 1000,
           "dimension": "data", "draws": 100, "points": 64,
           "about": ["one pair", "all pairs", "everywhere"]}  # fmt: skip
_BOXES = {"scheme": "RandomBinning", "profile": "laplacian", "draws": 50, "points": 32, "n_components": 400}
BINNING = {name: value for name, value in FOURIER.items() if name not in ("paired", "spectrum", "draw")} | _BOXES
SINKS = {"view": "Learning", "theorem": "kitchen sinks", "features": "RandomFourier", "data": "digits",
         "normalise": "unit norm", "gamma": 1.0, "loss": "hinge", "n_components": 300, "rows": "data",
         "size": "measured", "delta": 0.05}  # fmt: skip

Settings = KernelSettings | LearningSettings


@dataclass(frozen=True, eq=False)
class KernelOutcome:
    """Measured errors beside bounds, the dimension in these, and why there is none where there is none."""

    comparison: Comparison
    dimension: int
    silent: str


@dataclass(frozen=True, eq=False)
class LearningOutcome:
    """Measured risks, the bound, its number of rows, and the size that coefficients may have."""

    measured: MeasuredRisk
    bound: RiskBound
    rows: int
    size: float


class Guarantees(Recipe[ScaledData, Settings, KernelOutcome | LearningOutcome]):
    """Errors and risks that are measured, and those that theorems allow."""

    slug = "guarantees"
    presets: ClassVar = {
        "Uniform against one pair": ("Random Fourier features on digits: one pair, all pairs, all of a region.",
                                     FOURIER),
        "Binning": ("Random binning: a bound for one pair, and one for a region that grows before it falls.", BINNING),
        "Learning: Theorem 1": ("The bound of random kitchen sinks, estimation and approximation apart.", SINKS),
    }  # fmt: skip

    def source(self, panel: Panel) -> ScaledData:
        return choose_source(panel)

    def settings(self, panel: Panel, source: ScaledData) -> Settings:
        return choose_settings(panel)

    def run(self, source: ScaledData, settings: Settings, keeper: Keeper) -> KernelOutcome | LearningOutcome:
        run = _run_kernel if isinstance(settings, KernelSettings) else _run_learning
        return run(source, settings, keeper)

    def charts(
        self, source: ScaledData, settings: Settings, result: KernelOutcome | LearningOutcome
    ) -> tuple[Chart, ...]:  # fmt: skip
        draw = _kernel_chart if isinstance(settings, KernelSettings) else _learning_chart
        return (draw(source, settings, result),)

    def script(self, source: ScaledData, settings: Settings) -> str:
        write = kernel_script if isinstance(settings, KernelSettings) else learning_script
        return write(source, settings)

    def maps(self, source: ScaledData, settings: Settings) -> tuple[MapOn, ...]:
        scheme = registry()[settings.scheme]
        found = scheme(**settings.setting | {"n_components": settings.m, "random_state": 0})
        return (MapOn(scheme.label, found, normalise(source.data.dataset.X, source.normalise)),)


def _run_kernel(source: ScaledData, settings: KernelSettings, keeper: Keeper) -> KernelOutcome:
    dataset, n_points, name, setting = source.data.dataset, settings.n_points, settings.scheme, settings.setting
    on = (*source.key, n_points)
    sample = keeper.kept("kernel sample", on, lambda: prepare_sample(dataset, source.normalise, n_points), most=8)
    grid = error_grid(MEASURED_GRIDS if settings.sparse else MEASURED_M)
    measured = keeper.watched(
        "measured errors",
        (*on, name, tuple(sorted(setting.items())), settings.draws),
        lambda progress: measure_errors(sample, name, setting, grid, settings.draws, progress),
    )
    d = measured.n_features if settings.dimension == "data" else settings.dimension
    feature_map = measured.feature_map
    found = feature_map.applicable_bounds(measured.n_pairs, d, measured.diameter, measured.largest_variance)
    comparison = compare(measured, found, settings.eps, settings.delta)
    return KernelOutcome(comparison, d, feature_map.why_no_bound())


def _kernel_chart(source: ScaledData, settings: KernelSettings, result: KernelOutcome) -> Chart:
    comparison = result.comparison
    measured, shown = comparison.measured, settings.shown
    largest = measured.feature_map.largest_error()
    known_by = (*source.key, settings.n_points, settings.scheme, tuple(sorted(settings.setting.items())))
    figure = plot_guarantees(
        comparison, shown=shown, at=settings.m, largest=largest, revision=str((*known_by, settings.draws))
    )
    frame = comparison.curves_frame(shown)
    words = text.kernel_explanation(comparison, settings.m, result.silent)
    return Chart("guarantees", figure, frame, text.kernel_summary(comparison), words)


def _run_learning(source: ScaledData, settings: LearningSettings, keeper: Keeper) -> LearningOutcome:
    scheme, setting, split = settings.scheme, settings.setting, tested(source).split(keeper)
    measured = keeper.watched(
        "measured risk",
        (source.key, scheme, tuple(sorted(setting.items()))),
        lambda progress: measure_risk(split, scheme, setting, error_grid(LEARNT_M), SEEDS, progress),
    )
    size = settings.size
    if size == "measured":
        norms = measured.radius if settings.theorem == "compositional" else measured.size
        size = float(np.median(norms, axis=0)[measured.place(settings.m)])
    rows = measured.n_train if settings.rows == "data" else settings.rows
    return LearningOutcome(measured, _bound(settings, max(size, 1e-9), split.X_train.shape[1]), rows, size)


def _bound(settings: LearningSettings, size: float, dimension: int) -> RiskBound:
    """The theorem with its constants; its own δ is such that it fails with the reader's."""
    c, constants = LOSSES[settings.loss], settings.constants
    if settings.theorem == "compositional":
        # The loss's slope where the fitted function may be: |f| ≤ B for a kernel with k(x, x) = 1.
        return bounds.compositional_risk(c.lipschitz(size), size, 1.0, per_draw=2)
    if settings.theorem == "kitchen sinks":
        return bounds.kitchen_sinks_risk(c.lipschitz(size), size, c.at_zero, constants["delta"] / 2.0)
    return bounds.maxout_risk(
        c.lipschitz(size), size, c.at_zero, constants["delta"] / 3.0, settings.setting["pool_size"], dimension,
        constants["intrinsic"], 2.0, constants["constant"],
    )  # fmt: skip


def _learning_chart(source: ScaledData, settings: LearningSettings, result: LearningOutcome) -> Chart:
    measured, bound, loss, n = result.measured, result.bound, settings.loss, result.rows
    revision = f"{source.key}-{settings.theorem}-{loss}"
    figure = plot_risk(measured, bound, loss, n, at=settings.m, largest=LOSSES[loss].at_zero, revision=revision)
    frame = measured.to_frame(loss).assign(bound=bound.total(n, measured.m_grid))
    words = text.risk_explanation(measured, bound, loss, n, settings.m, result.size, settings.theorem)
    return Chart("risk", figure, frame, text.risk_summary(measured, bound, loss, n), words)


RECIPE = Guarantees()
