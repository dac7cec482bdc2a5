"""Accuracy against the number of features: the chart that a lecture on random features is about."""

from __future__ import annotations

from rfviz.analysis.points import NORMALISATION
from rfviz.analysis.splits import all_rows_of
from rfviz.cache import Cache
from rfviz.experiments.accuracy import Accuracy
from rfviz.experiments.accuracy.compute import AccuracyResult
from rfviz.experiments.accuracy.experiment import GROW
from rfviz.experiments.sweep import inputs_of
from rfviz.lab.accuracy.settings import Source, choose_experiment, presets
from rfviz.lab.page import ExperimentPage, MapExport, Presets
from rfviz.lab.panel import Panel
from rfviz.lab.split_data import choose_all_rows, choose_share

__all__ = ["PAGE", "AccuracyPage"]


class AccuracyPage(ExperimentPage[Source, Accuracy, AccuracyResult]):
    """A comparison of feature maps under one linear model, with other methods."""

    slug = "accuracy"

    @property
    def presets(self) -> Presets:
        return presets()

    def source(self, panel: Panel) -> Source:
        data, normalise = panel.data("digits"), panel.control(NORMALISATION, "none")
        share, grow = choose_share(panel, data), panel.control(GROW)
        return Source(data, normalise, share, grow == "features" and choose_all_rows(panel, data), grow)

    def settings(self, panel: Panel, source: Source) -> Accuracy:
        return choose_experiment(panel, source)

    def has_parts(self, source: Source) -> bool:
        return True

    def maps(self, source: Source, settings: Accuracy, cache: Cache) -> tuple[MapExport, ...]:
        found: list[MapExport] = []
        data = settings.split_data(source.data)
        for candidate in settings.candidates(source.dataset.image_shape):
            split = inputs_of(data, candidate.patches, cache)
            feature_map = candidate.spec.make(n_components=settings.m_max, random_state=0)
            all_rows = None if candidate.patches else all_rows_of(source.dataset, *split.scalings)
            labels = split.y_train, split.target_names
            found.append(MapExport(candidate.label, feature_map, split.X_train, all_rows, labels))
        return tuple(found)


PAGE = AccuracyPage()
