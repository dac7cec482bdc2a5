"""Figures 1 and 2 of the kitchen sinks paper: whether it is worth choosing features with care."""

from __future__ import annotations

from rfviz.analysis.points import NORMALISATION
from rfviz.analysis.splits import all_rows_of
from rfviz.cache import Cache
from rfviz.experiments import KitchenSinks
from rfviz.experiments.kitchen_sinks.compute import KitchenSinksResult
from rfviz.experiments.split_data import SplitData
from rfviz.lab.kitchen_sinks.settings import PRESETS, choose_experiment
from rfviz.lab.page import ExperimentPage, MapExport, Presets
from rfviz.lab.panel import Panel
from rfviz.lab.split_data import choose_share

__all__ = ["PAGE", "KitchenSinksPage"]


class KitchenSinksPage(ExperimentPage[SplitData, KitchenSinks, KitchenSinksResult]):
    """Random features compared with AdaBoost."""

    slug = "kitchen-sinks"

    @property
    def presets(self) -> Presets:
        return PRESETS

    def source(self, panel: Panel) -> SplitData:
        data, normalise = panel.data("breast_cancer"), panel.control(NORMALISATION, "standardise")
        return SplitData(data, normalise, choose_share(panel, data))

    def settings(self, panel: Panel, source: SplitData) -> KitchenSinks:
        return choose_experiment(panel, source)

    def has_parts(self, source: SplitData) -> bool:
        return True

    def maps(self, source: SplitData, settings: KitchenSinks, cache: Cache) -> tuple[MapExport, ...]:
        split = source.split(cache)
        all_rows = all_rows_of(source.dataset, *split.scalings)
        size = {"n_components": settings.k_max, "random_state": 0}
        X, labels = split.X_train, (split.y_train, split.target_names)
        return tuple(MapExport(c.label, c.spec.make(**size), X, all_rows, labels) for c in settings.candidates)


PAGE = KitchenSinksPage()
