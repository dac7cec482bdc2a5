"""Guarantees of the papers next to measurements: how loose each bound is, and how many features it requires."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from rfviz import bounds
from rfviz.analysis.kernel_sample import KernelSample, error_grid, prepare_sample
from rfviz.analysis.points import NORMALISATION, Scaling
from rfviz.analysis.splits import all_rows_of
from rfviz.bounds import LOSSES, RiskBound
from rfviz.cache import Cache
from rfviz.experiments.base import Chart
from rfviz.features import FeatureMap, MapSpec
from rfviz.lab.guarantees import text
from rfviz.lab.guarantees.compute import Comparison, MeasuredErrors, compare, measure_errors
from rfviz.lab.guarantees.figures import plot_guarantees, plot_risk
from rfviz.lab.guarantees.risk import MeasuredRisk, measure_risk
from rfviz.lab.guarantees.script import RISK_M, RISK_SEEDS, kernel_script, learning_script, tested
from rfviz.lab.guarantees.settings import (
    CompositionalTheorem,
    KernelSettings,
    KitchenSinksTheorem,
    LearningSettings,
    Settings,
    choose_settings,
)
from rfviz.lab.page import MapExport, Page, Presets, revision
from rfviz.lab.panel import Panel, ScaledData
from rfviz.lab.papers import KITCHEN_SINKS, LARGE_SCALE
from rfviz.lab.split_data import SplitData

__all__ = ["PAGE", "Guarantees", "KernelResult", "LearningResult", "Result"]

FOURIER = {"view": "Kernel", "map": "RandomFourier", "data": "digits", "normalise": "unit norm", "gamma": 1.0,
           "paired": True, "spectrum": "gaussian", "draw": "iid", "eps": 0.1, "delta": 0.05, "n_components": 1000,
           "dimension": "data", "draws": 100, "points": 64,
           "about": ["one pair", "all pairs", "everywhere"]}  # fmt: skip
_BOXES = {"map": "RandomBinning", "profile": "laplacian", "draws": 50, "points": 32, "n_components": 400}
BINNING = {name: value for name, value in FOURIER.items() if name not in ("paired", "spectrum", "draw")} | _BOXES
SINKS = {"view": "Learning", "theorem": "kitchen sinks", "features": "RandomFourier", "data": "digits",
         "normalise": "unit norm", "gamma": 1.0, "loss": "hinge", "n_components": 300, "rows": "data",
         "size": "measured", "delta": 0.05}  # fmt: skip


@dataclass(frozen=True, eq=False)
class KernelResult:
    """Measured errors with bounds, the dimension in these, and why there is none where there is none."""

    comparison: Comparison
    dimension: int
    no_bound: str


@dataclass(frozen=True, eq=False)
class LearningResult:
    """Measured risks, the bound, its number of rows, and the size that coefficients may have."""

    measured: MeasuredRisk
    bound: RiskBound
    rows: int
    size: float


Result = KernelResult | LearningResult


class Guarantees(Page[ScaledData, Settings, Result]):
    """Errors and risks that are measured, and those that theorems allow."""

    slug = "guarantees"

    @property
    def presets(self) -> Presets:
        return {
            "Uniform against one pair": (f"{LARGE_SCALE}, Claim 1, on digits: one pair, all pairs, all of a region.",
                                         FOURIER),
            "Binning": (f"{LARGE_SCALE}, Claim 2: a bound for one pair, and one for a region.",
                        BINNING),
            "Learning: Theorem 1": (
                f"{KITCHEN_SINKS}, Theorem 1: estimation and approximation "
                "apart.",
                SINKS,
            ),
        }  # fmt: skip

    def source(self, panel: Panel) -> ScaledData:
        return ScaledData(panel.data("digits"), panel.control(NORMALISATION))

    def settings(self, panel: Panel, source: ScaledData) -> Settings:
        return choose_settings(panel)

    def run(self, source: ScaledData, settings: Settings, cache: Cache) -> Result:
        if isinstance(settings, KernelSettings):
            return _compare_kernel(source, settings, cache)
        return _compare_learning(source, settings, cache)

    def charts(self, source: ScaledData, settings: Settings, result: Result, cache: Cache) -> tuple[Chart, ...]:
        if isinstance(settings, KernelSettings) and isinstance(result, KernelResult):
            return (_kernel_chart(source, settings, result),)
        assert isinstance(settings, LearningSettings) and isinstance(result, LearningResult)
        return (_learning_chart(source, settings, result),)

    def script(self, source: ScaledData, settings: Settings) -> str:
        if isinstance(settings, KernelSettings):
            return kernel_script(source, settings)
        return learning_script(source, settings)

    def maps(self, source: ScaledData, settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        feature_map = settings.spec.make(n_components=settings.m, random_state=0)
        scaling = Scaling(source.dataset.X, source.normalise)
        X, all_rows = scaling(source.dataset.X), all_rows_of(source.dataset, scaling)
        return (MapExport(feature_map.label, feature_map, X, all_rows, source.dataset.labels()),)


def sample_of(source: ScaledData, n_points: int, *, cache: Cache) -> KernelSample:
    """Choose the points."""
    return prepare_sample(source.dataset, source.normalise, n_points)


def errors_of(
    source: ScaledData, n_points: int, spec: MapSpec[FeatureMap], m_max: int, draws: int, *, cache: Cache
) -> MeasuredErrors:
    """Measure errors of the kernel estimate; ε, δ and the bounds change nothing here."""
    sample = cache.call(sample_of, source, n_points)
    return measure_errors(sample, spec, error_grid(m_max), draws, cache.progress)


def risk_of(source: SplitData, spec: MapSpec[FeatureMap], *, cache: Cache) -> MeasuredRisk:
    """Measure risks; the theorem, its constants and the loss change nothing here."""
    return measure_risk(source.split(cache), spec, error_grid(RISK_M), RISK_SEEDS, cache.progress)


def _compare_kernel(source: ScaledData, settings: KernelSettings, cache: Cache) -> KernelResult:
    measured = cache.call(errors_of, source, settings.n_points, settings.spec, settings.m_max, settings.draws)
    d = measured.n_features if isinstance(settings.dimension, str) else settings.dimension
    feature_map = measured.feature_map
    found = feature_map.applicable_bounds(measured.n_pairs, d, measured.diameter, measured.largest_variance)
    return KernelResult(compare(measured, found, settings.eps, settings.delta), d, text.no_bound(feature_map))


def _kernel_chart(source: ScaledData, settings: KernelSettings, result: KernelResult) -> Chart:
    comparison, shown = result.comparison, settings.shown
    plot = partial(
        plot_guarantees,
        comparison,
        shown=shown,
        at=settings.m,
        largest=comparison.measured.feature_map.largest_error(),
        revision=revision(source, settings.n_points, settings.spec, settings.draws),
    )
    words = text.kernel_explanation(comparison, shown, settings.m, result.no_bound)
    table = partial(comparison.curves_frame, shown)
    return Chart("guarantees", plot, table, text.kernel_summary(comparison, shown), words)


def _compare_learning(source: ScaledData, settings: LearningSettings, cache: Cache) -> LearningResult:
    data = tested(source)
    measured = cache.call(risk_of, data, settings.spec)
    if isinstance(settings.size, str):
        size = float(np.median(getattr(measured, settings.norm), axis=0)[measured.place(settings.m)])
    else:
        size = settings.size
    rows = measured.n_train if isinstance(settings.rows, str) else settings.rows
    bound = _theorem(settings, max(size, 1e-9), data.split(cache).X_train.shape[1])
    return LearningResult(measured, bound, rows, size)


def _theorem(settings: LearningSettings, size: float, dimension: int) -> RiskBound:
    """Return the theorem with its constants; its own δ is such that it fails with the user's."""
    loss, theorem = LOSSES[settings.loss], settings.theorem
    if isinstance(theorem, CompositionalTheorem):
        # The loss's slope where the fitted function may be: |f| ≤ B for a kernel with k(x, x) = 1.
        return bounds.compositional_risk(loss.lipschitz(size), size, 1.0, per_draw=2)
    if isinstance(theorem, KitchenSinksTheorem):
        return bounds.kitchen_sinks_risk(loss.lipschitz(size), size, loss.at_zero, theorem.delta / 2.0)
    return bounds.maxout_risk(
        loss.lipschitz(size), size, loss.at_zero, theorem.delta / 3.0, settings.spec.params["pool_size"], dimension,
        theorem.intrinsic, 2.0, theorem.constant,
    )  # fmt: skip


def _learning_chart(source: ScaledData, settings: LearningSettings, result: LearningResult) -> Chart:
    measured, bound, loss, n = result.measured, result.bound, settings.loss, result.rows
    plot = partial(
        plot_risk,
        measured,
        bound,
        loss,
        n,
        at=settings.m,
        largest=LOSSES[loss].at_zero,
        revision=revision(source, settings.theorem.name, loss),
    )
    words = text.risk_explanation(measured, bound, loss, n, settings.m, result.size, settings.theorem.name)
    alt = text.risk_summary(measured, bound, loss, n)
    return Chart(
        "risk", plot, lambda: measured.to_frame(loss).assign(bound=bound.total(n, measured.m_grid)), alt, words
    )


PAGE = Guarantees()
