"""Remark 1 of the random maxout paper: which projection is the largest is a hash code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rfviz.analysis.points import NORMALISATION, Scaling
from rfviz.analysis.splits import all_rows_of
from rfviz.cache import Cache
from rfviz.experiments.base import Chart
from rfviz.features import FeatureMap, MapSpec, RandomProjection
from rfviz.lab.animation import SEEDS, Animation, AnimationSpec, animate, one_by_one, spread_words
from rfviz.lab.hashing import text
from rfviz.lab.hashing.compute import HammingResult, NearFarResult, hash_pairs, near_and_far, pair_place, stack_frames
from rfviz.lab.hashing.figures import AXES, plot_hamming, plot_near_far, plot_recall
from rfviz.lab.hashing.points import METRIC, HashPoints, exact_order, hash_codes, prepare_hash_points
from rfviz.lab.hashing.recall import RecallResult, recall_curves
from rfviz.lab.hashing.script import hashing_script
from rfviz.lab.hashing.settings import NearFar, Neighbours, Recall, Settings, Source, choose_hash, choose_look
from rfviz.lab.page import MapExport, Page, Presets, revision
from rfviz.lab.panel import Panel
from rfviz.lab.papers import RANDOM_MAXOUT
from rfviz.words import number

__all__ = ["PAGE", "Comparison", "Hashing", "HashingResult", "nearest"]

SAME = {"data": "digits", "scheme": "RandomMaxout", "pool_size": 2, "n_components": 256, "seed": 0, "beside": True,
        "normalise": "unit norm", "metric": "cosine", "look": "Neighbours", "first": 900, "second": 0}  # fmt: skip
FACES = SAME | {"data": "turning_head", "data.order_noise": 3, "data.random_state": 0, "pool_size": 16,
                "n_components": 512, "first": 17}  # fmt: skip
# So that few lengths are ever computed: shorter codes are the beginnings of longer ones.
_SHORTEST = 256
# Symbols of candidates over all draws and points from which recall takes seconds.
_LONG = 2e8


@dataclass(frozen=True, eq=False)
class Comparison:
    """Points with their codes, the distances of these next to the law, and those of SimHash where they are drawn."""

    points: HashPoints
    codes: np.ndarray
    result: HammingResult
    simhash: HammingResult | None


@dataclass(frozen=True, eq=False)
class HashingResult:
    """What the main chart shows, and the closer look; None where that has no chart of its own."""

    comparison: Comparison
    closer: RecallResult | NearFarResult | None


class Hashing(Page[Source, Settings, HashingResult]):
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

    def settings(self, panel: Panel, source: Source) -> Settings:
        return Settings(*choose_hash(panel), choose_look(panel, source))

    def run(self, source: Source, settings: Settings, cache: Cache) -> HashingResult:
        comparison, closer = self.compare(source, settings, cache), None
        if isinstance(settings.look, Recall) and settings.look.pools:
            look = settings.look
            closer = cache.call(recall_of, source, look.pools, look.longest, look.k, look.draws)
        elif isinstance(settings.look, NearFar):
            closer = cache.call(near_far_of, source, settings.spec, settings.look.k)
        return HashingResult(comparison, closer)

    def compare(self, source: Source, settings: Settings, cache: Cache) -> Comparison:
        """Compute what the main chart shows."""
        spec, simhash = settings.spec, None
        result = cache.call(pairs_of, source, spec)
        if settings.with_simhash:
            params = {name: spec.get(name) for name in ("n_components", "random_state")}
            simhash = cache.call(pairs_of, source, MapSpec(RandomProjection, **params))
        return Comparison(cache.call(points_of, source), _codes(source, spec, cache), result, simhash)

    def charts(self, source: Source, settings: Settings, result: HashingResult, cache: Cache) -> tuple[Chart, ...]:
        main, found = self.main_chart(source, settings, result.comparison), result.closer
        if isinstance(found, RecallResult) and isinstance(settings.look, Recall):
            axis = settings.look.axis
            plot = partial(plot_recall, found, axis, revision=revision(source, axis))
            alt = f"Recall at {found.k} against the {AXES[axis]}."
            return main, Chart("recall", plot, found.to_frame, alt, text.recall(found))
        if isinstance(found, NearFarResult):
            plot = partial(plot_near_far, found, revision=revision(source))
            alt = f"Densities of differing symbols: near and far pairs, area under the ROC curve {number(found.auc)}."
            return main, Chart("near-far", plot, found.to_frame, alt, text.near_far(found))
        return (main,)

    def main_chart(self, source: Source, settings: Settings, comparison: Comparison) -> Chart:
        """Return Hamming distance against distance, with a ring around the two points of the closer look."""
        points, result, simhash, place = comparison.points, comparison.result, comparison.simhash, None
        if isinstance(settings.look, Neighbours):
            one, two = settings.look.first, nearest(settings.look, points)
            place = pair_place(points, settings.spec, comparison.codes, one, two)
        words = text.summary(result, simhash, settings.spec.get("pool_size"))
        return Chart(
            "hamming",
            partial(plot_hamming, result, simhash, place, revision=revision(source)),
            partial(stack_frames, [result] if simhash is None else [result, simhash]),
            words.replace("*", ""),
            f"**What am I seeing?** {words}",
        )

    def animations(
        self, source: Source, settings: Settings, result: HashingResult, panel: Panel
    ) -> list[AnimationSpec]:
        def over(name: str, options: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            def run(value: Any) -> tuple[Settings, Comparison]:
                asked = self.settings(panel.vary(name, value), source)
                return asked, self.compare(source, asked, cache)

            averaged = name == "seed"
            values = sorted({*options[:SEEDS], now}) if averaged else options
            values, found = one_by_one(values, now, run, cache, seconds)
            captions = [text.errors(comparison.result) for _, comparison in found]
            if averaged:
                over_seeds = spread_words([comparison.result.rms for _, comparison in found], ".3f")
                captions = [f"{words} · {over_seeds}" for words in captions]
            frames = [{"hamming": self.main_chart(source, *one).figure} for one in found]
            return Animation(values, captions, frames)

        symbols = {"m": "n_components", "q": "pool_size", "γ": "gamma", "seed": "seed"}
        return [
            animate(panel, symbol, name, source, partial(over, name))
            for symbol, name in symbols.items()
            if name in panel.answers
        ]

    def script(self, source: Source, settings: Settings) -> str:
        return hashing_script(source, settings, _computed_length(settings.spec))

    def maps(self, source: Source, settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        points = cache.call(points_of, source)
        dataset = source.dataset
        drawn = slice(len(points.original))
        all_rows, labels = all_rows_of(dataset, Scaling(dataset.X[drawn], source.normalise)), dataset.labels(drawn)
        return (MapExport(settings.spec.cls.label, settings.spec.make(), points.original, all_rows, labels),)

    def quicker(self, source: Source, settings: Settings, cache: Cache) -> Mapping[str, Any]:
        look = settings.look
        if not isinstance(look, Recall) or not look.pools:
            return {}
        is_long = look.draws * look.longest * max(look.pools) * source.n_points > _LONG
        return {"draws": 1, "longest": 128} if is_long else {}


def nearest(look: Neighbours, points: HashPoints) -> int:
    """Return the row that an example is compared with."""
    return int(exact_order(points, look.first, 1)[0]) if look.second is None else look.second


def points_of(source: Source, *, cache: Cache) -> HashPoints:
    """Normalise the points and search their neighbours."""
    return prepare_hash_points(source.dataset, source.normalise, source.metric, progress=cache.progress)


def codes_of(source: Source, spec: MapSpec[FeatureMap], *, cache: Cache) -> np.ndarray:
    """Hash all points."""
    return hash_codes(cache.call(points_of, source), spec, cache.progress)


def pairs_of(source: Source, spec: MapSpec[FeatureMap], *, cache: Cache) -> HammingResult:
    """Compare the codes of sampled pairs with the law."""
    return hash_pairs(cache.call(points_of, source), spec, _codes(source, spec, cache))


def near_far_of(source: Source, spec: MapSpec[FeatureMap], k: int, *, cache: Cache) -> NearFarResult:
    """Compare near with far pairs."""
    return near_and_far(cache.call(points_of, source), spec, _codes(source, spec, cache), k)


def recall_of(
    source: Source, pools: tuple[int, ...], longest: int, k: int, draws: int, *, cache: Cache
) -> RecallResult:
    """Measure the recall of codes."""
    return recall_curves(cache.call(points_of, source), pools, longest, k, draws, cache.progress)


def _codes(source: Source, spec: MapSpec[FeatureMap], cache: Cache) -> np.ndarray:
    """Return the codes of all points; the length only cuts codes that are in the cache already."""
    codes = cache.call(codes_of, source, spec.replace(n_components=_computed_length(spec)))
    return codes[:, : spec.get("n_components")]


def _computed_length(spec: MapSpec[FeatureMap]) -> int:
    return max(1 << (spec.get("n_components") - 1).bit_length(), _SHORTEST)


PAGE = Hashing()
