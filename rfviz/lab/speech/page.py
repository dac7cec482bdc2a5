"""Speech: phones of speakers that were never heard, from random features of their sound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rfviz.analysis.speech import STATES
from rfviz.cache import Cache
from rfviz.experiments.speech.compute import SpeechResult, SpeechSource, frames_of
from rfviz.experiments.speech.experiment import Speech
from rfviz.lab.animation import Animation, AnimationSpec, animate
from rfviz.lab.page import ExperimentPage, MapExport, Presets
from rfviz.lab.panel import Panel
from rfviz.lab.speech.settings import PRESETS, choose_settings, choose_source
from rfviz.words import per_cent

__all__ = ["PAGE", "SpeechPage"]


class SpeechPage(ExperimentPage[SpeechSource, Speech, SpeechResult]):
    """Tables 2 and 3 of the maxout paper."""

    slug = "speech"

    @property
    def presets(self) -> Presets:
        return PRESETS

    def source(self, panel: Panel) -> SpeechSource:
        return choose_source(panel)

    def settings(self, panel: Panel, source: SpeechSource) -> Speech:
        return choose_settings(panel, source)

    def has_parts(self, source: SpeechSource) -> bool:
        return True

    def animations(
        self, source: SpeechSource, settings: Speech, result: SpeechResult, panel: Panel
    ) -> Sequence[AnimationSpec]:
        curve = result.curve(settings.shown or next(iter(settings.labels), ""))
        if curve is None or curve.cls is None or curve.recognition.m_grid != settings.grid:
            return ()

        def over_m(values: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            charts = [self.charts(source, replace(settings, m=m), result, cache) for m in values]
            captions = [f"phone error {per_cent(curve.mean_at(m).phone_error)}" for m in values]
            frames = [{chart.name: chart.figure for chart in some[:2]} for some in charts]
            return Animation(list(values), captions, frames)

        return [animate(panel, "m", "m", source, over_m)]

    def maps(self, source: SpeechSource, settings: Speech, cache: Cache) -> tuple[MapExport, ...]:
        frames = cache.call(frames_of, source)
        states = tuple(f"{phone} {part}" for phone in frames.phones for part in range(1, STATES + 1))
        made = [(one.label, one.spec.make(n_components=settings.shown_m)) for one in settings.candidates]
        labels = frames.y_test, states
        return tuple(MapExport(label, feature_map, frames.X_test, labels=labels) for label, feature_map in made)


PAGE = SpeechPage()
