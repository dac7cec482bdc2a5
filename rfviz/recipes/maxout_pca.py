"""Figure 2 of the random maxout paper: images that arrange themselves along a curve."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import plotly.graph_objects as go

from rfviz import datasets
from rfviz.analysis.embedding import MAX_POINTS, EmbeddingResult, Projection, embed, exact_components, prepare_points
from rfviz.analysis.points import NORMALISATION, normalise
from rfviz.features import FeatureMap
from rfviz.figures.embedding import PointStyle, plot_embedding, style_of
from rfviz.figures.images import image_marks
from rfviz.lab import script
from rfviz.lab.controls import Control
from rfviz.lab.panel import Panel, ScaledData
from rfviz.params import Param
from rfviz.recipes import embedding_text as text
from rfviz.recipes.base import Chart, Keeper, MapOn, Recipe
from rfviz.recipes.maps import choose_map

__all__ = ["POINT", "RECIPE", "Settings", "side_figures"]

SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features.")
DIMENSIONS = Param("dimensions", "2", "choice", choices=("2", "3"), label="Dimensions", help="Principal components.")
#: Name of the control that holds the selected point.
POINT = "point"
PAPER = {"scheme": "RandomMaxout", "n_components": 10_000, "pool_size": 12, "normalise": "unit norm", "seed": 0,
         "dimensions": "2", POINT: 0, "data": "turning_head", "data.order_noise": 3,
         "data.random_state": 0}  # fmt: skip
HEIGHT, SIDE_HEIGHT = 600, 360


@dataclass(frozen=True, eq=False)
class Settings:
    """A map, its keyword arguments, the number of axes, and the row of the point that is ringed in the plane."""

    scheme: type[FeatureMap]
    setting: dict[str, Any]
    n_dimensions: int
    point: int | None = None


class MaxoutPCA(Recipe[ScaledData, Settings, EmbeddingResult]):
    """Principal components of random features, beside those of the points and of the exact kernel."""

    slug = "maxout-pca"
    presets: ClassVar = {"Figure 2 of the paper": ("33 images of a turning head, m = 10,000, q = 12.", PAPER)}

    def source(self, panel: Panel) -> ScaledData:
        return ScaledData(panel.data("turning_head"), panel.control(NORMALISATION))

    def settings(self, panel: Panel, source: ScaledData) -> Settings:
        defaults = {"n_components": 2000, "pool_size": 12, "gamma": 1.0}
        with panel.section("controls"):
            scheme, setting = choose_map(panel, defaults, source.data.dataset.image_shape)
            setting["random_state"] = panel.control(SEED)
            n_dimensions = int(panel.control(DIMENSIONS))
        panel.formula(scheme.formula)
        point = panel.ask(_point(min(source.data.dataset.n_samples, MAX_POINTS)))
        return Settings(scheme, setting, n_dimensions, point - 1 if point else None)

    def run(self, source: ScaledData, settings: Settings, keeper: Keeper) -> EmbeddingResult:
        scheme, setting, n_dimensions = settings.scheme.__name__, settings.setting, settings.n_dimensions
        key = (*source.key, n_dimensions)
        points = keeper.watched(
            "points", key, lambda p: prepare_points(source.data.dataset, *key[1:], progress=p), most=4
        )
        fixed = tuple(sorted((k, v) for k, v in setting.items() if k not in ("n_components", "random_state")))
        exact = keeper.watched(
            "exact", (*key, scheme, fixed), lambda p: exact_components(points, scheme, setting, n_dimensions, p)
        )
        key = (*key, scheme, tuple(sorted(setting.items())))
        return keeper.watched("embedding", key, lambda p: embed(points, scheme, setting, n_dimensions, exact, p))

    def charts(self, source: ScaledData, settings: Settings, result: EmbeddingResult) -> tuple[Chart, ...]:
        dataset, style = source.data.dataset, style_of(source.data.dataset, len(result.features.coordinates))
        pictures = dataset.image_shape and settings.n_dimensions == 2
        marks = image_marks(dataset, result.features.coordinates, style, settings.point) if pictures else None
        figure = plot_embedding(result.features, style, height=HEIGHT, thumbnails=marks, selected=settings.point)
        frame = result.points_frame()
        main = Chart("embedding", figure, frame, text.summary(result), text.explanation(result))
        sides = (
            Chart(name, side, frame[[column for column in frame.columns if column.startswith(projection.title)]], alt)
            for name, projection, side, alt in side_figures(result, style)
        )
        return (main, *sides)

    def script(self, source: ScaledData, settings: Settings) -> str:
        scheme, n_dimensions, dataset = settings.scheme.__name__, settings.n_dimensions, source.data.dataset
        uses = [datasets, prepare_points, exact_components, embed, style_of, plot_embedding]
        picked = "" if settings.point is None else str(settings.point)
        marks = f"\n        selected={picked}," if picked else ""
        if dataset.image_shape and n_dimensions == 2:
            uses.append(image_marks)
            arguments = f"dataset, result.features.coordinates, style{picked and f', {picked}'}"
            marks = f"\n        thumbnails=image_marks({arguments}),{marks}"
        body = f"""
{script.load_data(source.data)}
points = prepare_points(dataset, {source.normalise!r}, n_dimensions={n_dimensions})

setting = {script.python(settings.setting, 10)}
exact = exact_components(points, {scheme!r}, setting, n_dimensions={n_dimensions})
result = embed(points, {scheme!r}, setting, n_dimensions={n_dimensions}, exact=exact)

frame = result.points_frame()
print(result.to_frame())

style = style_of(dataset, len(result.features.coordinates))
frames = {{"embedding": frame}}
figures = {{
    "embedding": plot_embedding(
        result.features,
        style,
        height={HEIGHT},{marks}
    )
}}
for name, projection in {{"embedding-plain": result.plain, "embedding-exact": result.exact}}.items():
    if projection is not None:
        frames[name] = frame[[column for column in frame.columns if column.startswith(projection.title)]]
        figures[name] = plot_embedding(projection, style, height={SIDE_HEIGHT}, legend=False)
for figure in figures.values():
    figure.show()
"""
        return script.write("How do points arrange themselves after a random feature map?", body, uses)

    def maps(self, source: ScaledData, settings: Settings) -> tuple[MapOn, ...]:
        X = normalise(source.data.dataset.X, source.normalise)
        return (MapOn(settings.scheme.label, settings.scheme(**settings.setting), X),)


def _point(n: int) -> Control:
    clean = Param(POINT, 0, "int", 0, n).clamp
    help = "The point that is ringed, counted from 1; 0 for none. A click on a point selects it, two beside it none."
    return Control(POINT, "own", 0, clean, "Selected point", help, titles={0: "none"}, low=0, high=n)


def side_figures(
    result: EmbeddingResult, style: PointStyle, revision: str = ""
) -> Iterator[tuple[str, Projection, go.Figure, str]]:
    """Name, content, figure and description of the two pictures that the features' is compared with.

    That of the exact kernel is left out where there is none.
    """
    for projection, name in ((result.plain, "embedding-plain"), (result.exact, "embedding-exact")):
        if projection is not None:
            figure = plot_embedding(projection, style, height=SIDE_HEIGHT, legend=False, revision=revision)
            yield name, projection, figure, f"{projection.title} of the same points."


RECIPE = MaxoutPCA()
