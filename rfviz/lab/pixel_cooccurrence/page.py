"""Figure 4 of the compositional kernels paper: which pixels meet in a random feature of a skeleton."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from rfviz import datasets
from rfviz.cache import Cache
from rfviz.datasets import DEFAULT_COLOUR_IMAGES
from rfviz.errors import MemoryBudgetError, ParameterError
from rfviz.experiments.data import NO_DATA, Data
from rfviz.experiments.pixel_cooccurrence.compute import FeatureSample, PixelMap, capacity, pixel_map, sample_features
from rfviz.experiments.pixel_cooccurrence.experiment import (
    ACTIVATION,
    COLOUR,
    SIDE,
    WINDOWS,
    Maps,
    PixelCooccurrence,
    drawn_sample,
    known_samples,
    sample_of,
)
from rfviz.features.compositional_draws import CHUNK
from rfviz.lab.animation import SEEDS, Animation, AnimationSpec, animate, one_by_one
from rfviz.lab.controls import Control
from rfviz.lab.page import ExperimentPage, Presets
from rfviz.lab.panel import Panel
from rfviz.lab.papers import COMPOSITIONAL_KERNELS
from rfviz.lab.pixel_cooccurrence import animation
from rfviz.lab.pixel_cooccurrence.layers import LAYERS, OWN
from rfviz.params import Param
from rfviz.skeleton import PRESETS, Skeleton

__all__ = ["PAGE", "PixelCooccurrencePage"]

FEATURES = Param(
    "features",
    500_000,
    "int",
    1000,
    2_000_000,
    log=True,
    symbol="m",
    label="Features",
    help="More features, less noise: four times as many halve it.",
)
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, other features. The exact map does not move.")
VIEW = Param(
    "view",
    "Pixel",
    "choice",
    choices=("Pixel", "Figure 4"),
    label="View",
    help="One pixel at a time, or four pixels for four skeletons as in the paper’s Figure 4.",
)
NAMES = {"flat": "Flat", "1 convolution": "1 convolution", "2 convolutions": "2 convolutions",
         "3 convolutions": "3 convolutions", "deep": "The paper’s", OWN: "Own layers"}  # fmt: skip
_WINDOWS = Control(
    "windows",
    "text",
    ", ".join(WINDOWS),
    str,
    "Windows",
    "Of each deep skeleton of Figure 4, with commas between: windows and strides from the image up, as in 5/2 4/2.",
)
FIGURE_4 = {"view": "Figure 4", "side": 24, "colour": True, "features": 500_000, "seed": 0, "activation": "relu",
            "windows": _WINDOWS.default}  # fmt: skip
DEEP = {"view": "Pixel", "skeleton": "deep", "side": 24, "colour": True, "features": 500_000, "seed": 0}
# More features than this take seconds: drawing them can be stopped. And how many there are instead.
_STOPPABLE, _FEWER = 2**19, 100_000


class PixelCooccurrencePage(ExperimentPage[Data, PixelCooccurrence, Maps]):
    """Counts of pixels that occur together in features, next to their exact law."""

    slug = "pixel-cooccurrence"

    @property
    def presets(self) -> Presets:
        return {
            "Figure 4 of the paper": (
                f"{COMPOSITIONAL_KERNELS}, Figure 4: four pixels, four skeletons, 500,000 features. Size (24×24), "
                "colours and windows are chosen here and can be changed; the paper does not say them.",
                FIGURE_4,
            ),
            "The paper’s deep skeleton": (
                f"{COMPOSITIONAL_KERNELS}, Section 6: the deep skeleton, 500,000 features.",
                DEEP,
            ),
        }

    def source(self, panel: Panel) -> Data:
        return panel.data(DEFAULT_COLOUR_IMAGES, [name for name, spec in datasets.specs().items() if spec.images])

    def settings(self, panel: Panel, source: Data) -> PixelCooccurrence:
        with panel.section("controls", ["skeleton", FEATURES.name, SEED.name]):
            if panel.control(VIEW) == "Figure 4":
                return PixelCooccurrence(
                    side=panel.control(SIDE),
                    colour=panel.control(COLOUR),
                    n_features=panel.control(FEATURES),
                    seed=panel.control(SEED),
                    windows=tuple(text.strip() for text in panel.ask(_WINDOWS).split(",")),
                    activation=panel.control(ACTIVATION),
                )
            help = "Start from a preset; editing a layer makes it your own."
            chosen = panel.choice("skeleton", [*PRESETS, OWN], "2 convolutions", "Skeleton", help, NAMES)
            n_features, seed, side = panel.control(FEATURES), panel.control(SEED), panel.control(SIDE)
            framed = Param(
                "row",
                side // 2,
                "int",
                1,
                side,
                label="Pixel row",
                help="Of the framed pixel; or click a pixel of a map.",
            )
            row = panel.control(framed)
            column = panel.control(replace(framed, name="column", label="Pixel column"))
            colour, layers = panel.control(COLOUR), panel.ask(LAYERS)
        return PixelCooccurrence(
            skeleton=layers if chosen == OWN else chosen,
            side=side,
            colour=colour,
            n_features=n_features,
            seed=seed,
            pixel=(row - 1) * side + column - 1,
        )

    def data(self, source: Data) -> Data:
        """Return none: only one feature that is shown looks at the data of the page."""
        return NO_DATA

    def cheaper_settings(self, source: Data, settings: PixelCooccurrence, cache: Cache) -> Mapping[str, Any]:
        wanted = capacity(settings.n_features)
        if wanted <= _STOPPABLE:
            return {}
        try:
            found = [known_samples(skeleton, settings.seed, cache) for skeleton in settings.skeletons.values()]
        except ParameterError:  # no skeleton, so there is nothing to draw
            return {}
        missing = [sizes for sizes in found if max(sizes, default=0) < wanted]
        return {"features": max(missing[0], default=_FEWER)} if missing else {}

    def animations(self, source: Data, settings: PixelCooccurrence, result: Maps, panel: Panel) -> list[AnimationSpec]:
        if settings.skeleton is None:
            return []
        (skeleton,), ((found,),) = settings.skeletons.values(), result.values()

        def over_features(options: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            sample = _drawn_on(skeleton, settings.seed, settings.n_features, options[-1], seconds / 2, cache)
            values = [value for value in options if value <= sample.n_features]
            maps = animation.over_features(sample, found.pixel, values, found.exact, cache.progress)
            note = "" if values[-1] == options[-1] else f"up to {values[-1]:,}: more have not been drawn"
            return animation.maps_animation(values, maps, settings.side, note=note)

        def over_seeds(options: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            def run(seed: Any) -> PixelMap:  # uncached: so many samples would take the place of all other results
                sample = sample_features(skeleton, found.n_features, seed)
                return pixel_map(sample, found.pixel, found.n_features, found.exact)

            values, maps = one_by_one(sorted({*options[:SEEDS], now}), now, run, cache, seconds)
            return animation.maps_animation(values, maps, settings.side, averaged=True)

        return [
            animate(panel, "m", "features", source, over_features),
            animate(panel, "seed", "seed", source, over_seeds),
        ]


def _drawn_on(skeleton: Skeleton, seed: int, n_features: int, most: int, seconds: float, cache: Cache) -> FeatureSample:
    """Return the features that are shown and more, up to `most`, as far as some seconds allow."""
    started, sample = time.monotonic(), drawn_sample(skeleton, seed, n_features, cache)
    if sample.n_features >= most:
        return sample
    began = time.monotonic()
    sample_features(skeleton, CHUNK, seed)
    a_chunk = time.monotonic() - began
    with suppress(MemoryBudgetError):
        while sample.n_features < most and (time.monotonic() - started + a_chunk * sample.n_features / CHUNK < seconds):
            sample = cache.call(sample_of, skeleton, seed, capacity(2 * sample.n_features))
    return sample


PAGE = PixelCooccurrencePage()
