"""Figure 2 of the random maxout paper: images that arrange themselves along a curve."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from rfviz.analysis.embedding import MAX_POINTS, EmbeddingResult, Projection
from rfviz.analysis.points import NORMALISATION, Scaling
from rfviz.analysis.splits import all_rows_of
from rfviz.cache import Cache
from rfviz.experiments.maxout_pca.experiment import HEIGHT, MaxoutPCA, points_of, points_style
from rfviz.figures.embedding import plot_embedding
from rfviz.lab.animation import SEEDS, Animation, AnimationSpec, animate, one_by_one
from rfviz.lab.controls import Control
from rfviz.lab.maps import choose_map
from rfviz.lab.maxout_pca import animation
from rfviz.lab.page import ExperimentPage, MapExport, Presets
from rfviz.lab.panel import Panel, ScaledData
from rfviz.lab.papers import RANDOM_MAXOUT
from rfviz.params import Param

__all__ = ["PAGE", "POINT", "MaxoutPCAPage"]

SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features.")
DIMENSIONS = Param("dimensions", "2", "choice", choices=("2", "3"), label="Dimensions", help="Principal components.")
#: Name of the control that holds the selected point.
POINT = "point"
PAPER = {"map": "RandomMaxout", "n_components": 10_000, "pool_size": 12, "normalise": "unit norm", "seed": 0,
         "dimensions": "2", POINT: 0, "data": "turning_head", "data.order_noise": 3,
         "data.random_state": 0}  # fmt: skip


class MaxoutPCAPage(ExperimentPage[ScaledData, MaxoutPCA, EmbeddingResult]):
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

    def settings(self, panel: Panel, source: ScaledData) -> MaxoutPCA:
        defaults = {"n_components": 2000, "pool_size": 12, "gamma": 1.0}
        with panel.section("controls", ["map", "n_components", "pool_size", "gamma", SEED.name]):
            spec = choose_map(panel, defaults, source.dataset.image_shape)
            spec = spec.replace(random_state=panel.control(SEED))
            n_dimensions = int(panel.control(DIMENSIONS))
        panel.formula(spec.cls.formula)
        point = panel.ask(_point(min(source.dataset.n_samples, MAX_POINTS)))
        return MaxoutPCA(
            feature_map=spec,
            normalise=source.normalise,
            n_dimensions=n_dimensions,
            point=point - 1 if point else None,
        )

    def animations(
        self, source: ScaledData, settings: MaxoutPCA, result: EmbeddingResult, panel: Panel
    ) -> list[AnimationSpec]:
        def draw(values: Sequence[Any], found: Sequence[Projection], now: Any, note: str, cache: Cache) -> Animation:
            style = cache.call(points_style, source.data, len(result.features.coordinates))
            marks = settings.marks(source.data, result, style, cache)
            plot = partial(
                plot_embedding,
                style=style,
                height=HEIGHT,
                thumbnails=marks,
                selected=settings.point,
                wide=marks is not None,
            )
            return animation.animation(values, found, now, result.exact, plot, note)

        def over_m(options: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            points = cache.call(points_of, source.data, settings.normalise, settings.n_dimensions)
            values, found = animation.over_m(
                points, settings.spec, settings.n_dimensions, options, now, result.exact, cache, seconds
            )
            return draw(values, found, now, "" if values[-1] == options[-1] else f"up to {values[-1]:,}", cache)

        def over(name: str, options: Sequence[Any], now: Any, cache: Cache, seconds: float) -> Animation:
            def run(value: Any) -> Projection:
                return self.run(source, self.settings(panel.with_value(name, value), source), cache).features

            values = sorted({*options[:SEEDS], now}) if name == "seed" else options
            return draw(*one_by_one(values, now, run, cache, seconds), now, "", cache)

        found = [animate(panel, "m", "n_components", source, over_m)]
        if "pool_size" in settings.spec.params:
            found.append(animate(panel, "q", "pool_size", source, partial(over, "pool_size")))
        return [*found, animate(panel, "seed", "seed", source, partial(over, "seed"))]

    def maps(self, source: ScaledData, settings: MaxoutPCA, cache: Cache) -> tuple[MapExport, ...]:
        scaling = Scaling(source.dataset.X, source.normalise)
        X, all_rows = scaling(source.dataset.X), all_rows_of(source.dataset, scaling)
        return (MapExport(settings.spec.cls.label, settings.spec.make(), X, all_rows, source.dataset.labels()),)


def _point(n: int) -> Control:
    clean = Param(POINT, 0, "int", 0, n).clamp
    help = (
        "The point that is ringed, counted from 1; 0 for none. A click on a point selects it, a double click next to "
        "the points selects none."
    )
    return Control(POINT, "own", 0, clean, "Selected point", help, titles={0: "none"}, low=0, high=n)


PAGE = MaxoutPCAPage()
