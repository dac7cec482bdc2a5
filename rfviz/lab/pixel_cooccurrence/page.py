"""Figure 4 of the compositional kernels paper: which pixels meet in a random feature of a skeleton."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from rfviz import skeleton as skeletons
from rfviz.cache import Cache
from rfviz.datasets import DEFAULT_COLOUR_IMAGES
from rfviz.errors import MemoryBudgetError, ParameterError
from rfviz.experiments.base import Chart
from rfviz.experiments.data import Data
from rfviz.features.compositional_draws import CHUNK
from rfviz.lab import script
from rfviz.lab.animation import SEEDS, Animation, AnimationSpec, animate, one_by_one
from rfviz.lab.controls import Control
from rfviz.lab.page import Page, Presets, revision
from rfviz.lab.panel import Panel
from rfviz.lab.papers import COMPOSITIONAL_KERNELS
from rfviz.lab.pixel_cooccurrence import animation, text
from rfviz.lab.pixel_cooccurrence.compute import (
    MAX_FEATURES,
    FeatureSample,
    PixelMap,
    capacity,
    exact_map,
    pixel_map,
    sample_features,
)
from rfviz.lab.pixel_cooccurrence.figures import plot_map_grid, plot_maps, plot_rms, scale_of
from rfviz.lab.pixel_cooccurrence.layers import OWN, Row, clean_rows, rows_of
from rfviz.lab.pixel_cooccurrence.settings import FIGURE_4_ROWS, Settings
from rfviz.params import Param
from rfviz.skeleton import PRESETS, CoOccurrence, Skeleton, preset
from rfviz.words import number

__all__ = ["PAGE", "SIDE", "Maps", "PixelCooccurrence", "drawn_sample"]

SIDE = Param("side", 24, "int", 6, 32, label="Image side", help="Pixels per side of the square image.")
COLOUR = Param("colour", False, "bool", label="Colours",
               help="Three inputs per pixel: red, green, blue. A pixel counts as reached if one of them is.",
               )  # fmt: skip
FEATURES = Param("features", 500_000, "int", 1000, 2_000_000, log=True, symbol="m", label="Features",
                 help="More features, less noise: four times as many halve it.")  # fmt: skip
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, other features. The exact map does not move.")
VIEW = Param("view", "Pixel", "choice", choices=("Pixel", "Figure 4"), label="View",
             help="One pixel at a time, or four pixels for four skeletons as in the paper’s Figure 4.")  # fmt: skip
NAMES = {"flat": "Flat", "1 convolution": "1 convolution", "2 convolutions": "2 convolutions",
         "3 convolutions": "3 convolutions", "deep": "The paper’s", OWN: "Own layers"}  # fmt: skip
LAYERS = Control("layers", "own", ["5/2/relu", "relu"], clean_rows, "Layers", "The rows of your own skeleton.")
DATA = ["photo_patches", "digits", "turning_head", "olivetti", "umist", "mnist", "cifar10"]
FIGURE_4 = {"view": "Figure 4", "side": 24, "colour": True, "features": 500_000, "seed": 0}
DEEP = {"view": "Pixel", "skeleton": "deep", "side": 24, "colour": True, "features": 500_000, "seed": 0}
# More features than this take seconds: drawing them can be stopped. And how many there are instead.
_STOPPABLE, _FEWER = 2**19, 100_000
# The sizes of the samples that are cached.
_SIZES = tuple(1 << k for k in range(capacity(1).bit_length() - 1, MAX_FEATURES.bit_length()))

#: By the name of a skeleton, a map for each pixel: one of one, or four of each of four.
Maps = Mapping[str, tuple[PixelMap, ...]]


class PixelCooccurrence(Page[Data, Settings, Maps]):
    """Counts of pixels that occur together in features, next to their exact law."""

    slug = "pixel-cooccurrence"

    @property
    def presets(self) -> Presets:
        return {
            "Figure 4 of the paper": (
                f"{COMPOSITIONAL_KERNELS}, Figure 4: four pixels, four skeletons, 500,000 features. Size (24×24), "
                "colours and windows are chosen here; the paper does not say them.",
                FIGURE_4,
            ),
            "The paper’s deep skeleton": (
                f"{COMPOSITIONAL_KERNELS}, Section 6: the deep skeleton, 500,000 features.",
                DEEP,
            ),
        }

    def source(self, panel: Panel) -> Data:
        return panel.data(DEFAULT_COLOUR_IMAGES, DATA)

    def settings(self, panel: Panel, source: Data) -> Settings:
        with panel.section("controls", ["skeleton", FEATURES.name, SEED.name]):
            if panel.control(VIEW) == "Figure 4":
                side, colour = panel.control(SIDE), panel.control(COLOUR)
                return Settings((side, side, 3 if colour else 1), panel.control(FEATURES), panel.control(SEED))
            help = "Start from a preset; editing a layer makes it your own."
            chosen = panel.choice("skeleton", [*PRESETS, OWN], "2 convolutions", "Skeleton", help, NAMES)
            n_features, seed, side = panel.control(FEATURES), panel.control(SEED), panel.control(SIDE)
            framed = Param("row", side // 2, "int", 1, side, label="Pixel row",
                           help="Of the framed pixel; or click a pixel of a map.")  # fmt: skip
            row = panel.control(framed)
            column = panel.control(replace(framed, name="column", label="Pixel column"))
            shape = (side, side, 3 if panel.control(COLOUR) else 1)
            own = [Row.from_text(line) for line in panel.ask(LAYERS)]
        rows = own if chosen == OWN else rows_of(preset(chosen, shape, shrink=True))
        return Settings(shape, n_features, seed, chosen, tuple(rows), (row - 1) * side + column - 1)

    def run(self, source: Data, settings: Settings, cache: Cache) -> Maps:
        return {
            name: tuple(
                cache.call(map_of, skeleton, settings.seed, pixel, settings.n_features) for pixel in settings.pixels
            )
            for name, skeleton in settings.skeletons().items()
        }

    def quicker(self, source: Data, settings: Settings, cache: Cache) -> Mapping[str, Any]:
        wanted = capacity(settings.n_features)
        if wanted <= _STOPPABLE:
            return {}
        try:
            found = [_known_samples(skeleton, settings.seed, cache) for skeleton in settings.skeletons().values()]
        except ParameterError:  # no skeleton, so there is nothing to draw
            return {}
        missing = [sizes for sizes in found if max(sizes, default=0) < wanted]
        return {"features": max(missing[0], default=_FEWER)} if missing else {}

    def charts(self, source: Data, settings: Settings, result: Maps, cache: Cache) -> tuple[Chart, ...]:
        return _grid_charts(settings, result) if settings.pixel is None else _pixel_charts(settings, result)

    def animations(self, source: Data, settings: Settings, result: Maps, panel: Panel) -> list[AnimationSpec]:
        if settings.pixel is None:
            return []
        skeleton, ((found,),) = settings.skeleton, result.values()

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

    def script(self, source: Data, settings: Settings) -> str:
        if settings.pixel is None:
            return _script_of_figure_4(settings)
        return _script_of_pixel(settings, settings.pixel)


def sample_of(skeleton: Skeleton, seed: int, size: int, *, cache: Cache) -> FeatureSample:
    """Draw features of a skeleton, from where the largest smaller sample that is cached ends."""
    known = _known_samples(skeleton, seed, cache)
    return sample_features(skeleton, size, seed, known[max(known)] if known else None, cache.progress)


def _known_samples(skeleton: Skeleton, seed: int, cache: Cache) -> dict[int, FeatureSample]:
    found = {size: cache.peek(sample_of, skeleton, seed, size) for size in _SIZES}
    return {size: sample for size, sample in found.items() if sample is not None}


def drawn_sample(skeleton: Skeleton, seed: int, n_features: int, cache: Cache) -> FeatureSample:
    """Return at least so many features of a skeleton."""
    enough = [size for size in _known_samples(skeleton, seed, cache) if size >= n_features]
    return cache.call(sample_of, skeleton, seed, min(enough, default=capacity(n_features)))


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


def exact_of(skeleton: Skeleton, pixel: int, *, cache: Cache) -> CoOccurrence:
    """Compute the exact map of a pixel."""
    return exact_map(skeleton, pixel)


def map_of(skeleton: Skeleton, seed: int, pixel: int, n_features: int, *, cache: Cache) -> PixelMap:
    """Count the map of a pixel in the first features of a sample."""
    sample = drawn_sample(skeleton, seed, n_features, cache)
    return pixel_map(sample, pixel, n_features, cache.call(exact_of, skeleton, pixel))


def _pixel_charts(settings: Settings, result: Maps) -> tuple[Chart, ...]:
    """Return the counted and the exact map, and how the one tends to the other."""
    ((found,),) = result.values()
    maps = partial(plot_maps, found, settings.side, revision=revision(settings.image_shape))
    rms = partial(plot_rms, found, revision=revision(settings.skeleton.to_json()))
    alt = f"RMS difference up to {found.n_features:,} features: {number(found.rms[-1], 2)}."
    words = text.explanation(found, settings.side)
    return (
        Chart("maps", maps, found.to_frame, text.summary(found, settings.side), words),
        Chart("rms", rms, found.errors_frame, alt),
    )


def _grid_charts(settings: Settings, result: Maps) -> tuple[Chart, ...]:
    """Return the maps of four pixels for four skeletons: counted, and exact."""
    every = [found for row in result.values() for found in row]
    limit = scale_of([found.exact.correlation for found in every], [found.pixel for found in every])

    def table() -> pd.DataFrame:
        frames = [m.to_frame().assign(skeleton=name, framed=m.pixel) for name, row in result.items() for m in row]
        return pd.concat(frames, ignore_index=True)

    charts = []
    for name, title in (("grid", f"Counted in {settings.n_features:,} features"), ("grid-exact", "Exact")):
        rows = [
            (key, [(m.pixel, m.exact.correlation if name == "grid-exact" else m.correlation) for m in row])
            for key, row in result.items()
        ]
        plot = partial(plot_map_grid, rows, settings.side, limit, revision=revision(settings.image_shape))
        alt = f"{title}: correlations of four pixels with all others, for four skeletons."
        charts.append(Chart(name, plot, table, alt, text.FIGURE_4 if name == "grid" else ""))
    return tuple(charts)


def _script_of_pixel(settings: Settings, pixel: int) -> str:
    shape, n, seed = settings.image_shape, settings.n_features, settings.seed
    uses: list[Any] = [sample_features, pixel_map, plot_maps, plot_rms]
    if settings.chosen == OWN:
        uses.append(skeletons.Skeleton)
        lines = f"skeleton = Skeleton({script.python(settings.skeleton.form, 20)})"
    else:
        uses.append(preset)
        lines = f"skeleton = preset({settings.chosen!r}, {shape}, shrink=True)"
    body = f"""
{lines}
sample = sample_features(skeleton, {n}, seed={seed})
result = pixel_map(sample, pixel={pixel}, n_features={n})  # row {pixel // shape[0] + 1}, column {pixel % shape[0] + 1}

frames = {{"maps": result.to_frame(), "rms": result.errors_frame()}}
print(frames["maps"].to_string(max_rows=60))

figures = {{"maps": plot_maps(result, {shape[0]}), "rms": plot_rms(result)}}
for figure in figures.values():
    figure.show()
"""
    return script.write("Which pixels meet in a random feature of a skeleton?", body, uses)


def _script_of_figure_4(settings: Settings) -> str:
    body = f"""
pixels = {settings.pixels}
maps = {{}}
for name in {FIGURE_4_ROWS}:
    skeleton = preset(name, {settings.image_shape}, shrink=True)
    sample = sample_features(skeleton, {settings.n_features}, seed={settings.seed})
    maps[name] = [pixel_map(sample, pixel, {settings.n_features}) for pixel in pixels]

frame = pd.concat(
    [m.to_frame().assign(skeleton=name, framed=m.pixel) for name, row in maps.items() for m in row],
    ignore_index=True,
)
print(frame.to_string(max_rows=60))

limit = scale_of([m.exact.correlation for row in maps.values() for m in row], pixels * len(maps))
counted = [(name, [(m.pixel, m.correlation) for m in row]) for name, row in maps.items()]
exact = [(name, [(m.pixel, m.exact.correlation) for m in row]) for name, row in maps.items()]
frames = {{"grid": frame, "grid-exact": frame}}
figures = {{
    "grid": plot_map_grid(counted, {settings.side}, limit),
    "grid-exact": plot_map_grid(exact, {settings.side}, limit),
}}
for figure in figures.values():
    figure.show()
"""
    title = "Four pixels, four skeletons: which other pixels meet them in a random feature?"
    return script.write(title, body, [pd, preset, sample_features, pixel_map, plot_map_grid, scale_of])


PAGE = PixelCooccurrence()
