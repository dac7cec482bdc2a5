"""Remark 1 of the random maxout paper: which projection is the largest is a hash code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from rfviz.analysis.points import NORMALISATION, Scaling
from rfviz.analysis.splits import all_rows_of
from rfviz.cache import Cache
from rfviz.experiments.hashing.describe import errors
from rfviz.experiments.hashing.experiment import Comparison, Hashing, HashingResult, points_of
from rfviz.experiments.hashing.points import METRIC
from rfviz.lab.animation import SEEDS, Animation, AnimationSpec, animate, one_by_one, spread_words
from rfviz.lab.hashing.settings import Source, choose_hash, choose_look
from rfviz.lab.page import ExperimentPage, MapExport, Presets
from rfviz.lab.panel import Panel
from rfviz.lab.papers import RANDOM_MAXOUT

__all__ = ["PAGE", "HashingPage"]

SAME = {"data": "digits", "map": "RandomMaxout", "pool_size": 2, "n_components": 256, "seed": 0, "with_simhash": True,
        "normalise": "unit norm", "metric": "cosine", "look": "Neighbours", "first": 900, "second": 0}  # fmt: skip
FACES = SAME | {"data": "turning_head", "data.order_noise": 3, "data.random_state": 0, "pool_size": 16,
                "n_components": 512, "first": 17}  # fmt: skip
# Symbols of candidates over all draws and points from which recall takes seconds.
_LONG = 2e8


class HashingPage(ExperimentPage[Source, Hashing, HashingResult]):
    """Hamming distances of hash codes against the distances of points."""

    slug = "hashing"

    @property
    def presets(self) -> Presets:
        return {
            "q = 2 is SimHash": (
                f"{RANDOM_MAXOUT}, Remark 1: the larger of two projections is the sign of their difference.",
                SAME,
            ),
            "Faces": ("33 pictures of a turning head: the nearest codes are the neighbouring frames.", FACES),
        }

    def source(self, panel: Panel) -> Source:
        return Source(panel.data("digits"), panel.control(NORMALISATION), panel.control(METRIC))

    def settings(self, panel: Panel, source: Source) -> Hashing:
        spec, with_simhash = choose_hash(panel)
        return Hashing(
            feature_map=spec,
            with_simhash=with_simhash,
            normalise=source.normalise,
            metric=source.metric,
            **choose_look(panel, source),
        )

    def animations(self, source: Source, settings: Hashing, result: HashingResult, panel: Panel) -> list[AnimationSpec]:
        def over(name: str, options: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            def run(value: Any) -> tuple[Hashing, Comparison]:
                asked = self.settings(panel.with_value(name, value), source)
                return asked, asked.compare(source.data, cache)

            averaged = name == "seed"
            values = sorted({*options[:SEEDS], now}) if averaged else options
            values, found = one_by_one(values, now, run, cache, seconds)
            captions = [errors(comparison.result) for _, comparison in found]
            if averaged:
                over_seeds = spread_words([comparison.result.rms for _, comparison in found], ".3f")
                captions = [f"{words} · {over_seeds}" for words in captions]
            frames = [{"hamming": asked.main_chart(source.data, comparison).figure} for asked, comparison in found]
            return Animation(values, captions, frames)

        symbols = {"m": "n_components", "q": "pool_size", "γ": "gamma", "seed": "seed"}
        return [
            animate(panel, symbol, name, source, partial(over, name))
            for symbol, name in symbols.items()
            if name in panel.answers
        ]

    def maps(self, source: Source, settings: Hashing, cache: Cache) -> tuple[MapExport, ...]:
        points = cache.call(points_of, source.data, source.normalise, source.metric)
        dataset = source.dataset
        drawn = slice(len(points.original))
        all_rows, labels = all_rows_of(dataset, Scaling(dataset.X[drawn], source.normalise)), dataset.labels(drawn)
        return (MapExport(settings.spec.cls.label, settings.spec.make(), points.original, all_rows, labels),)

    def cheaper_settings(self, source: Source, settings: Hashing, cache: Cache) -> Mapping[str, Any]:
        if settings.look != "Recall" or not settings.pools:
            return {}
        is_long = settings.draws * settings.longest * max(settings.pools) * source.n_points > _LONG
        return {"draws": 1, "longest": 128} if is_long else {}


PAGE = HashingPage()
