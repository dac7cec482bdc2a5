"""Speech: phones of speakers that were never heard, from random features of their sound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rfviz.analysis.speech import RAW, STATES, prepare_frames, recognise, recognise_raw
from rfviz.cache import Cache
from rfviz.datasets import speech
from rfviz.experiments.base import Chart
from rfviz.experiments.work import Part, Work
from rfviz.features import FeatureMap, MapSpec
from rfviz.lab import script
from rfviz.lab.animation import Animation, AnimationSpec, animate
from rfviz.lab.page import MapExport, Presets, WorkPage, revision
from rfviz.lab.panel import Panel
from rfviz.lab.speech import text
from rfviz.lab.speech.compute import (
    Curve,
    SpeechResult,
    SpeechSource,
    confusions,
    errors_frame,
    frames_of,
    hear,
    learn_curve,
)  # fmt: skip
from rfviz.lab.speech.figures import plot_confusions, plot_errors, plot_heard
from rfviz.lab.speech.settings import PRESETS, Settings, choose_settings, choose_source
from rfviz.words import per_cent

__all__ = ["PAGE", "Speech"]


class Speech(WorkPage[SpeechSource, Settings, SpeechResult]):
    """Tables 2 and 3 of the maxout paper."""

    slug = "speech"

    @property
    def presets(self) -> Presets:
        return PRESETS

    def source(self, panel: Panel) -> SpeechSource:
        return choose_source(panel)

    def settings(self, panel: Panel, source: SpeechSource) -> Settings:
        return choose_settings(panel, source.n_test)

    def work(self, source: SpeechSource, settings: Settings, cache: Cache) -> Work:
        frames = cache.call(frames_of, source)
        n, d = frames.X.shape
        grid, epochs = settings.grid, settings.epochs
        steps = 2.0 * n * frames.n_states * epochs
        parts = [Part(RAW, learn_curve, (source, None, (d,), epochs), steps * d)]
        for candidate in settings.candidates:
            features = float(n * d * candidate.products(grid[-1]) * epochs)
            cost = features + steps * sum(grid)
            parts.append(Part(candidate.label, learn_curve, (source, candidate.spec, grid, epochs), cost))
        return Work(tuple(parts), cache)

    def collect(self, source: SpeechSource, settings: Settings, work: Work, cache: Cache) -> SpeechResult:
        classes: dict[str, type[FeatureMap] | None] = {one.label: one.spec.cls for one in settings.candidates}
        curves = [
            Curve(part.label, classes.get(part.label), found)
            for part in work.parts
            if (found := work.result(part)) is not None
        ]
        return SpeechResult(cache.call(frames_of, source), tuple(curves))

    def charts(self, source: SpeechSource, settings: Settings, result: SpeechResult, cache: Cache) -> tuple[Chart, ...]:
        curve = result.curve(settings.of)
        if curve is None:
            return ()
        decoded, frames = curve.at(settings.m), result.frames
        heard = hear(frames, decoded, settings.utterance - 1)
        same, is_timit = revision(source, settings.utterance), not frames.corpus.is_synthetic
        errors = partial(plot_errors, result.curves, settings.measure, settings.m, is_timit=is_timit,
                         revision=revision(source, settings.measure))  # fmt: skip
        confused = partial(confusions, frames, decoded)
        return (
            Chart("speech-heard", partial(plot_heard, heard, revision=same), heard.to_frame, text.heard_alt(heard),
                  text.explanation(result, curve, settings.m, heard)),
            Chart("speech-errors", errors, partial(errors_frame, result.curves),
                  text.errors_alt(result, settings.measure)),
            Chart("speech-confusions", lambda: plot_confusions(confused(), revision=same),
                  lambda: confused().reset_index(), text.confusion_alt(curve.label, settings.m)),
        )  # fmt: skip

    def animations(
        self, source: SpeechSource, settings: Settings, result: SpeechResult, panel: Panel
    ) -> Sequence[AnimationSpec]:
        curve = result.curve(settings.of)
        if curve is None or curve.cls is None or curve.recognition.m_grid != settings.grid:
            return ()

        def over_m(values: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            charts = [self.charts(source, replace(settings, m=m), result, cache) for m in values]
            captions = [f"phone error {per_cent(curve.at(m).phone_error)}" for m in values]
            frames = [{chart.name: chart.figure for chart in some[:2]} for some in charts]
            return Animation(list(values), captions, frames)

        return [animate(panel, "m", "m", source, over_m)]

    def script(self, source: SpeechSource, settings: Settings) -> str:
        load = (
            f"corpus = speech.read_timit({source.folder!r}, max_train={source.utterances})"
            if source.folder
            else f"corpus = speech.speak({source.speakers}, {source.sentences})"
        )
        specs = [(candidate.label, candidate.spec) for candidate in settings.candidates]
        body = f"""
{load}
frames = prepare_frames(corpus)
curves = [Curve({RAW!r}, None, recognise_raw(frames, epochs={settings.epochs}))]
maps = {script.python(specs, 7)}
for label, spec in maps:
    found = recognise(frames, spec, {settings.grid}, epochs={settings.epochs})
    curves.append(Curve(label, spec.cls, found))

shown = next((curve for curve in curves if curve.label == {settings.of!r}), curves[0])
decoded = shown.at({settings.m})
heard = hear(frames, decoded, {settings.utterance - 1})
table = confusions(frames, decoded)

frames = {{
    "speech-heard": heard.to_frame(),
    "speech-errors": errors_frame(curves),
    "speech-confusions": table.reset_index(),
}}
figures = {{
    "speech-heard": plot_heard(heard),
    "speech-errors": plot_errors(curves, {settings.measure!r}, {settings.m}, is_timit={bool(source.folder)}),
    "speech-confusions": plot_confusions(table),
}}
for figure in figures.values():
    figure.show()
"""
        uses = [
            speech, prepare_frames, recognise, recognise_raw, Curve, hear, confusions, errors_frame, plot_heard,
            plot_errors, plot_confusions, *({MapSpec} if specs else ()), *{spec.cls for _, spec in specs},
        ]  # fmt: skip
        return script.write("Which phones does a new voice say?", body, uses)

    def maps(self, source: SpeechSource, settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        frames = cache.call(frames_of, source)
        states = tuple(f"{phone} {part}" for phone in frames.phones for part in range(1, STATES + 1))
        made = [(one.label, one.spec.make(n_components=settings.m)) for one in settings.candidates]
        labels = frames.y_test, states
        return tuple(MapExport(label, feature_map, frames.X_test, labels=labels) for label, feature_map in made)


PAGE = Speech()
