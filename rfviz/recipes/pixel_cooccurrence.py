"""Figure 4 of the compositional kernels paper: which pixels meet in a random feature of a skeleton?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd
import plotly.graph_objects as go

from rfviz import skeleton as skeletons
from rfviz.analysis.cooccurrence import FeatureSample, PixelMap, capacity, exact_map, pixel_map, sample_features
from rfviz.datasets import DEFAULT_COLOUR_IMAGES
from rfviz.figures.cooccurrence import plot_map_grid, plot_maps, plot_rms, scale_of
from rfviz.lab import script
from rfviz.lab.controls import Control
from rfviz.lab.panel import Data, Panel
from rfviz.params import Param
from rfviz.recipes import cooccurrence_text as text
from rfviz.recipes.base import Chart, Keeper, Recipe
from rfviz.recipes.skeleton_rows import OWN, Row, build, clean_rows, rows_of
from rfviz.skeleton import PRESETS, Skeleton, preset

__all__ = ["FIGURE_4_ROWS", "RECIPE", "SHELF", "Settings", "four_pixels", "grid_charts", "map_chart", "rms_chart"]

SIDE = Param("side", 24, "int", 6, 32, label="Image side", help="Pixels a side of the square image.")
COLOUR = Param("colour", False, "bool", label="Colours",
               help="Three inputs a pixel: red, green, blue. A pixel counts as reached if any of them is.")  # fmt: skip
FEATURES = Param("features", 500_000, "int", 1000, 2_000_000, log=True, symbol="m", label="Features",
                 help="More features, less noise: four times as many halve it.")  # fmt: skip
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, other features. The exact map does not move.")
VIEW = Param("view", "Pixel", "choice", choices=("Pixel", "Figure 4"), label="View",
             help="One pixel at a time, or four pixels for four skeletons as in the paper’s Figure 4.")  # fmt: skip
NAMES = {"flat": "Flat", "1 convolution": "1 convolution", "2 convolutions": "2 convolutions",
         "3 convolutions": "3 convolutions", "deep": "The paper’s", OWN: "Own layers"}  # fmt: skip
LAYERS = Control("layers", "own", ["5/2/relu", "relu"], clean_rows, "Layers", "The rows of the reader’s own skeleton.")
DATA = ["photo_patches", "digits", "turning_head", "olivetti", "umist", "mnist", "cifar10"]
FIGURE_4 = {"view": "Figure 4", "side": 24, "colour": True, "features": 500_000, "seed": 0}
DEEP = {"view": "Pixel", "skeleton": "deep", "side": 24, "colour": True, "features": 500_000, "seed": 0}
FIGURE_4_ROWS = ("flat", "1 convolution", "2 convolutions", "3 convolutions")
SHELF, _SHARED = "feature sample", 8


@dataclass(frozen=True, eq=False)
class Settings:
    """A skeleton over an image, and how many of its features are counted.

    Attributes
    ----------
    image_shape : tuple of int
        Height, width, channels.
    n_features, seed : int
    chosen : str
        A preset of :data:`rfviz.skeleton.PRESETS` or ``"own"``; empty for Figure 4 of the paper, which has four.
    rows : list of Row
        Of the skeleton.
    pixel : int or None
        The framed one; None for Figure 4.
    """

    image_shape: tuple[int, int, int]
    n_features: int
    seed: int
    chosen: str = ""
    rows: list[Row] | None = None
    pixel: int | None = None

    @property
    def side(self) -> int:
        return self.image_shape[0]

    def skeleton(self) -> Skeleton:
        """The skeleton of the rows.

        Raises
        ------
        ParameterError
            With the number of the row that cannot be.
        """
        return build(self.image_shape, self.rows, "circle")


#: A map for the one skeleton; or of four skeletons, by name, those of four pixels.
Outcome = PixelMap | dict[str, list[PixelMap]]
Sampler = Callable[[Skeleton], FeatureSample]


class PixelCooccurrence(Recipe[Data, Settings, Outcome]):
    """Counts of pixels that occur together in features, beside their exact law."""

    slug = "pixel-cooccurrence"
    presets: ClassVar = {
        "Figure 4 of the paper": ("Four pixels, four skeletons, 24×24 colour images, 500,000 features.", FIGURE_4),
        "The paper’s deep skeleton": ("The deep skeleton of Section 6, 500,000 features.", DEEP),
    }

    def source(self, panel: Panel) -> Data:
        return panel.data(DEFAULT_COLOUR_IMAGES, DATA)

    def settings(self, panel: Panel, source: Data) -> Settings:
        with panel.section("controls"):
            if panel.control(VIEW) == "Figure 4":
                side, colour = panel.control(SIDE), panel.control(COLOUR)
                return Settings((side, side, 3 if colour else 1), panel.control(FEATURES), panel.control(SEED))
            help = "A preset to begin with; editing a layer makes it your own."
            chosen = panel.choice("skeleton", [*PRESETS, OWN], "2 convolutions", "Skeleton", help, NAMES)
            side, n_features, seed = panel.control(SIDE), panel.control(FEATURES), panel.control(SEED)
            place = {"kind": "int", "low": 1, "high": side, "help": "Of the framed pixel; or click a pixel of a map."}
            row = panel.control(Param("row", side // 2, label="Pixel row", **place))
            column = panel.control(Param("column", side // 2, label="Pixel column", **place))
            shape = (side, side, 3 if panel.control(COLOUR) else 1)
        own = [Row.from_text(line) for line in panel.ask(LAYERS)]
        rows = own if chosen == OWN else rows_of(preset(chosen, shape, shrink=True))
        return Settings(shape, n_features, seed, chosen, rows, (row - 1) * side + column - 1)

    def run(self, source: Data, settings: Settings, keeper: Keeper) -> Outcome:
        def sample(skeleton: Skeleton) -> FeatureSample:
            wanted, seed = capacity(settings.n_features), settings.seed
            key = (skeleton.to_json(), seed, wanted)
            draw = lambda progress: sample_features(skeleton, wanted, seed, None, progress)  # noqa: E731
            return keeper.watched(SHELF, key, draw, _SHARED)

        return self.outcome(settings, sample, keeper)

    def outcome(self, settings: Settings, sample: Sampler, keeper: Keeper) -> Outcome:
        """The maps, given how features are sampled: on a page one may stop that."""
        if settings.pixel is not None:
            return map_of(sample(settings.skeleton()), settings.pixel, settings.n_features, keeper)
        found = {}
        for name in FIGURE_4_ROWS:
            drawn = sample(preset(name, settings.image_shape, shrink=True))
            pixels = four_pixels(settings.side)
            found[name] = [map_of(drawn, pixel, settings.n_features, keeper) for pixel in pixels]
        return found

    def charts(self, source: Data, settings: Settings, result: Outcome) -> tuple[Chart, ...]:
        if isinstance(result, PixelMap):
            return map_chart(settings, result), rms_chart(settings, result)
        return tuple(grid_charts(settings, result))

    def script(self, source: Data, settings: Settings) -> str:
        return _script_of_figure_4(settings) if settings.pixel is None else _script_of_pixel(settings)


def map_of(sample: FeatureSample, pixel: int, n_features: int, keeper: Keeper) -> PixelMap:
    """The map of one pixel in the first features of a sample."""
    form = sample.skeleton.to_json()
    exact = keeper.kept("exact map", (form, pixel), lambda: exact_map(sample.skeleton, pixel), most=3000)
    key = (form, sample.seed, pixel, n_features)
    return keeper.kept("pixel map", key, lambda: pixel_map(sample, pixel, n_features, exact), most=200)


def four_pixels(side: int) -> list[int]:
    """The pixels of Figure 4: the middle, two beside it, and one near a corner."""
    corner, middle = side // 6, side // 2
    places = ((middle, middle), (side // 3, side // 3), (middle, side - 3), (corner, corner))
    return [row * side + column for row, column in places]


def map_chart(settings: Settings, result: PixelMap) -> Chart:
    """The counted and the exact map."""
    figure = plot_maps(result, settings.side, revision=str(settings.image_shape))
    words = text.explanation(result, settings.side)
    return Chart("maps", figure, result.to_frame(), text.summary(result, settings.side), words)


def rms_chart(settings: Settings, result: PixelMap) -> Chart:
    """How the counted map tends to the exact one."""
    figure = plot_rms(result, revision=settings.skeleton().to_json())
    alt = f"RMS difference up to {result.n_features:,} features: {result.rms[-1]:.2g}."
    return Chart("rms", figure, result.errors_frame(), alt)


def grid_charts(settings: Settings, maps: dict[str, list[PixelMap]]) -> Iterator[Chart]:
    """The maps of four pixels for four skeletons: counted, and exact."""
    limit = _limit(maps)
    for name, title in (("grid", f"Counted in {settings.n_features:,} features"), ("grid-exact", "Exact")):
        figure = _grid(settings, maps, limit, exact=name == "grid-exact")
        alt = f"{title}: correlations of four pixels with all others, for four skeletons."
        yield Chart(name, figure, _grid_frame(maps), alt, text.FIGURE_4 if name == "grid" else "")


def _limit(maps: dict[str, list[PixelMap]]) -> float:
    every = [m for row in maps.values() for m in row]
    return scale_of([m.exact.correlation for m in every], [m.pixel for m in every])


def _grid(settings: Settings, maps: dict[str, list[PixelMap]], limit: float, exact: bool) -> go.Figure:
    rows = [
        (name, [(m.pixel, m.exact.correlation if exact else m.correlation) for m in row]) for name, row in maps.items()
    ]
    return plot_map_grid(rows, settings.side, limit, revision=f"{settings.image_shape}")


def _grid_frame(maps: dict[str, list[PixelMap]]) -> pd.DataFrame:
    frames = [m.to_frame().assign(skeleton=name, framed=m.pixel) for name, row in maps.items() for m in row]
    return pd.concat(frames, ignore_index=True)


def _script_of_pixel(settings: Settings) -> str:
    shape, n, pixel, seed = settings.image_shape, settings.n_features, settings.pixel, settings.seed
    if settings.chosen == OWN:
        uses = [skeletons.Skeleton]
        lines = f"skeleton = Skeleton({script.python(settings.skeleton().form, 20)})"
    else:
        uses = [preset]
        lines = f"skeleton = preset({settings.chosen!r}, {shape}, shrink=True)"
    body = f"""
{lines}
sample = sample_features(skeleton, {n}, seed={seed})
result = pixel_map(sample, pixel={pixel}, n_features={n})  # row {pixel // shape[0] + 1}, column {pixel % shape[0] + 1}

frames = {{"maps": result.to_frame(), "rms": result.errors_frame()}}
print(frames["maps"])

figures = {{"maps": plot_maps(result, {shape[0]}), "rms": plot_rms(result)}}
for figure in figures.values():
    figure.show()
"""
    title = "Which pixels meet in a random feature of a skeleton?"
    return script.write(title, body, [*uses, sample_features, pixel_map, plot_maps, plot_rms])


def _script_of_figure_4(settings: Settings) -> str:
    body = f"""
pixels = {four_pixels(settings.side)}
maps = {{}}
for name in {FIGURE_4_ROWS}:
    skeleton = preset(name, {settings.image_shape}, shrink=True)
    sample = sample_features(skeleton, {settings.n_features}, seed={settings.seed})
    maps[name] = [pixel_map(sample, pixel, {settings.n_features}) for pixel in pixels]

frame = pd.concat(
    [m.to_frame().assign(skeleton=name, framed=m.pixel) for name, row in maps.items() for m in row],
    ignore_index=True,
)
print(frame)

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


RECIPE = PixelCooccurrence()
