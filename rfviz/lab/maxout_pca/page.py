"""Figure 2 of the random maxout paper: images that arrange themselves along a curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go
from scipy.stats import rankdata

from rfviz import datasets
from rfviz.analysis.embedding import (
    MAX_POINTS,
    EmbeddingPoints,
    EmbeddingResult,
    Projection,
    embed,
    exact_components,
    prepare_points,
)
from rfviz.analysis.points import NORMALISATION, Scaling
from rfviz.analysis.splits import all_rows_of
from rfviz.cache import Cache
from rfviz.experiments.base import Chart
from rfviz.experiments.data import Data
from rfviz.features import FeatureMap, MapSpec
from rfviz.figures.embedding import PointStyle, plot_embedding, style_of
from rfviz.figures.images import framed_image, image_marks
from rfviz.lab import script
from rfviz.lab.animation import SEEDS, Animation, AnimationSpec, animate, one_by_one
from rfviz.lab.controls import Control
from rfviz.lab.maps import choose_map
from rfviz.lab.maxout_pca import animation, text
from rfviz.lab.page import MapExport, Page, Presets, revision
from rfviz.lab.panel import Panel, ScaledData
from rfviz.lab.papers import RANDOM_MAXOUT
from rfviz.params import Param

__all__ = ["PAGE", "POINT", "MaxoutPCA", "Settings", "points_style"]

SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features.")
DIMENSIONS = Param("dimensions", "2", "choice", choices=("2", "3"), label="Dimensions", help="Principal components.")
#: Name of the control that holds the selected point.
POINT = "point"
PAPER = {"scheme": "RandomMaxout", "n_components": 10_000, "pool_size": 12, "normalise": "unit norm", "seed": 0,
         "dimensions": "2", POINT: 0, "data": "turning_head", "data.order_noise": 3,
         "data.random_state": 0}  # fmt: skip
HEIGHT, SIDE_HEIGHT = 600, 360


@dataclass(frozen=True)
class Settings:
    """A map, the number of axes, and the row of the point that is ringed in the plane."""

    spec: MapSpec[FeatureMap]
    n_dimensions: int
    point: int | None = None


class MaxoutPCA(Page[ScaledData, Settings, EmbeddingResult]):
    """Principal components of random features, next to those of the points and of the exact kernel."""

    slug = "maxout-pca"

    @property
    def presets(self) -> Presets:
        return {
            "Figure 2 of the paper": (
                f"{RANDOM_MAXOUT}: 33 images of a turning head, m = 10,000, q = 12.",
                PAPER,
            )
        }

    def source(self, panel: Panel) -> ScaledData:
        return ScaledData(panel.data("turning_head"), panel.control(NORMALISATION))

    def settings(self, panel: Panel, source: ScaledData) -> Settings:
        defaults = {"n_components": 2000, "pool_size": 12, "gamma": 1.0}
        with panel.section("controls", ["scheme", "n_components", "pool_size", "gamma", SEED.name]):
            spec = choose_map(panel, defaults, source.dataset.image_shape)
            spec = spec.replace(random_state=panel.control(SEED))
            n_dimensions = int(panel.control(DIMENSIONS))
        panel.formula(spec.cls.formula)
        point = panel.ask(_point(min(source.dataset.n_samples, MAX_POINTS)))
        return Settings(spec, n_dimensions, point - 1 if point else None)

    def run(self, source: ScaledData, settings: Settings, cache: Cache) -> EmbeddingResult:
        return cache.call(result_of, source, settings.spec, settings.n_dimensions)

    def charts(
        self, source: ScaledData, settings: Settings, result: EmbeddingResult, cache: Cache
    ) -> tuple[Chart, ...]:
        style = cache.call(points_style, source.data, len(result.features.coordinates))
        view = revision(source, settings.n_dimensions)
        marks = partial(marks_of, source, settings, result, style, cache)
        words = text.explanation(result, _swapped(source.data, len(result.features.coordinates)))

        def plot() -> go.Figure:
            return plot_embedding(
                result.features, style, height=HEIGHT, thumbnails=marks(), selected=settings.point, revision=view
            )

        main = Chart("embedding", plot, result.points_frame, text.summary(result), words)
        sides = (
            Chart(
                name,
                partial(plot_embedding, side, style, height=SIDE_HEIGHT, legend=False, revision=view),
                partial(result.points_frame, side),
                f"{side.title} of the same points.",
            )
            for name, side in (("embedding-plain", result.plain), ("embedding-exact", result.exact))
            if side is not None
        )
        return (main, *sides)

    def animations(
        self, source: ScaledData, settings: Settings, result: EmbeddingResult, panel: Panel
    ) -> list[AnimationSpec]:
        def draw(values: Sequence[Any], found: Sequence[Projection], now: Any, note: str, cache: Cache) -> Animation:
            style = cache.call(points_style, source.data, len(result.features.coordinates))
            marks = marks_of(source, settings, result, style, cache)
            plot = partial(plot_embedding, style=style, height=HEIGHT, thumbnails=marks, selected=settings.point)
            return animation.animation(values, found, now, result.exact, plot, note)

        def over_m(options: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            points = cache.call(points_of, source, settings.n_dimensions)
            values, found = animation.over_m(
                points, settings.spec, settings.n_dimensions, options, now, result.exact, cache, seconds
            )
            return draw(values, found, now, "" if values[-1] == options[-1] else f"up to {values[-1]:,}", cache)

        def over(name: str, options: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            def run(value: Any) -> Projection:
                return self.run(source, self.settings(panel.vary(name, value), source), cache).features

            values = sorted({*options[:SEEDS], now}) if name == "seed" else options
            return draw(*one_by_one(values, now, run, cache, seconds), now, "", cache)

        found = [animate(panel, "m", "n_components", source, over_m)]
        if "pool_size" in settings.spec.params:
            found.append(animate(panel, "q", "pool_size", source, partial(over, "pool_size")))
        return [*found, animate(panel, "seed", "seed", source, partial(over, "seed"))]

    def script(self, source: ScaledData, settings: Settings) -> str:
        spec, n_dimensions, dataset = settings.spec, settings.n_dimensions, source.dataset
        uses: list[Any] = [datasets, prepare_points, MapSpec, spec.cls, exact_components, embed, style_of]
        uses.append(plot_embedding)
        picked = "" if settings.point is None else str(settings.point)
        marks = f"\n        selected={picked}," if picked else ""
        if dataset.image_shape and n_dimensions == 2:
            uses.append(image_marks)
            arguments = f"dataset, result.features.coordinates, style{picked and f', {picked}'}"
            marks = f"\n        thumbnails=image_marks({arguments}),{marks}"
        body = f"""
{script.load_data(source.data)}
points = prepare_points(dataset, {source.normalise!r}, n_dimensions={n_dimensions})

spec = {script.python(spec, 7)}
exact = exact_components(points, spec, n_dimensions={n_dimensions})
result = embed(points, spec, n_dimensions={n_dimensions}, exact=exact)

print(result.to_frame().to_string())

style = style_of(dataset, len(result.features.coordinates))
frames = {{"embedding": result.points_frame()}}
figures = {{
    "embedding": plot_embedding(
        result.features,
        style,
        height={HEIGHT},{marks}
    )
}}
for name, projection in {{"embedding-plain": result.plain, "embedding-exact": result.exact}}.items():
    if projection is not None:
        frames[name] = result.points_frame(projection)
        figures[name] = plot_embedding(projection, style, height={SIDE_HEIGHT}, legend=False)
for figure in figures.values():
    figure.show()
"""
        return script.write("How do points arrange themselves after a random feature map?", body, uses)

    def maps(self, source: ScaledData, settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        scaling = Scaling(source.dataset.X, source.normalise)
        X, all_rows = scaling(source.dataset.X), all_rows_of(source.dataset, scaling)
        return (MapExport(settings.spec.cls.label, settings.spec.make(), X, all_rows, source.dataset.labels()),)


def points_of(source: ScaledData, n_dimensions: int, *, cache: Cache) -> EmbeddingPoints:
    """Prepare the points, with their plain PCA and neighbours."""
    return prepare_points(source.dataset, source.normalise, n_dimensions, progress=cache.progress)


def exact_of(source: ScaledData, spec: MapSpec[FeatureMap], n_dimensions: int, *, cache: Cache) -> Projection | None:
    """Find the components of the exact kernel, which are the same for every number of features and every seed."""
    return exact_components(cache.call(points_of, source, n_dimensions), spec, n_dimensions, cache.progress)


def result_of(source: ScaledData, spec: MapSpec[FeatureMap], n_dimensions: int, *, cache: Cache) -> EmbeddingResult:
    """Find the components of the features, next to the others."""
    points = cache.call(points_of, source, n_dimensions)
    exact = cache.call(exact_of, source, spec.without("n_components", "random_state"), n_dimensions)
    return embed(points, spec, n_dimensions, exact, cache.progress)


def points_style(data: Data, n: int, *, cache: Cache) -> PointStyle:
    """Choose colours and names of the first points."""
    return style_of(data.dataset, n)


def mark_of(data: Data, row: int, frame: str, *, cache: Cache) -> str:
    """Encode the image of a row in a frame."""
    return framed_image(data.dataset, row, frame)


def marks_of(
    source: ScaledData, settings: Settings, result: EmbeddingResult, style: PointStyle, cache: Cache
) -> tuple[np.ndarray, list[str], float] | None:
    """Return images that stand for the points of a plane; each comes from the cache, since a slider asks for it again.

    None where there are no images, or no plane.
    """
    if not source.dataset.image_shape or settings.n_dimensions != 2:
        return None
    recall = partial(cache.call, mark_of, source.data)
    return image_marks(source.dataset, result.features.coordinates, style, settings.point, recall)


def _swapped(data: Data, n: int) -> np.ndarray | None:
    """Return which of the first rows were given another row's number on purpose; None where nobody knows."""
    if data.name != "turning_head" or data.dataset.y is None or data.dataset.order is None:
        return None
    return rankdata(-data.dataset.y[:n]) != rankdata(data.dataset.order[:n])


def _point(n: int) -> Control:
    clean = Param(POINT, 0, "int", 0, n).clamp
    help = (
        "The point that is ringed, counted from 1; 0 for none. A click on a point selects it, a double click next to "
        "the points selects none."
    )
    return Control(POINT, "own", 0, clean, "Selected point", help, titles={0: "none"}, low=0, high=n)


PAGE = MaxoutPCA()
