"""Figure 1 of the random maxout paper: which distances survive a map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from rfviz import datasets
from rfviz.analysis.points import NORMALISATION, Scaling
from rfviz.analysis.splits import all_rows_of
from rfviz.cache import Cache
from rfviz.features import FeatureMap, MapSpec, RandomMaxout
from rfviz.lab import script
from rfviz.lab.animation import AnimationSpec, animate
from rfviz.lab.controls import shown
from rfviz.lab.distance_saturation import animation, text
from rfviz.lab.distance_saturation.compute import (
    MappedPairs,
    PointPairs,
    SaturationResult,
    map_pairs,
    on_common_axes,
    prepare_pairs,
    saturation,
)
from rfviz.lab.distance_saturation.figures import plot_saturation
from rfviz.lab.maps import choose_map
from rfviz.lab.page import Chart, MapExport, Page, Presets
from rfviz.lab.panel import Panel, ScaledData
from rfviz.lab.papers import RANDOM_MAXOUT
from rfviz.params import Param

__all__ = ["PAGE", "DistanceSaturation", "Settings"]

SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features. Watch the cloud.")
AS_PRINTED = Param(
    "printed",
    False,
    "bool",
    label="Theorem 1 as printed",
    help="Also draw, dotted in red, the curve that Theorem 1 of the paper gives. It is wrong: see below.",
)
PAPER = {
    "scheme": "RandomMaxout", "n_components": 1000, "pool_size": 8, "compare": [32], "normalise": "unit norm",
    "data": "circle", "data.n_samples": 100, "data.evenly_spaced": False, "data.random_state": 0,
    "seed": 0, "printed": True,
}  # fmt: skip
# Parameters whose values can be compared in one chart.
COMPARED = {"pool_size": [1, 2, 4, 8, 16, 32, 64, 128], "gamma": [0.1, 0.5, 1.0, 2.0, 5.0, 10.0]}
_SYMBOLS = {"pool_size": "q", "gamma": "γ"}


@dataclass(frozen=True)
class Settings:
    """The maps that are drawn together.

    Attributes
    ----------
    specs : tuple of MapSpec
        Of one class.
    labels : tuple of str
    as_printed : bool
        Whether the paper's own formula is drawn too.
    """

    specs: tuple[MapSpec[FeatureMap], ...]
    labels: tuple[str, ...]
    as_printed: bool

    @property
    def cls(self) -> type[FeatureMap]:
        """The class of all maps."""
        return self.specs[0].cls


class DistanceSaturation(Page[ScaledData, Settings, SaturationResult]):
    """Distances after the map against distances before it."""

    slug = "distance-saturation"
    title = "Distance saturation"
    icon = ":material/straighten:"
    group = "Distances"
    question = "Which distances between points survive a random feature map, and which does it forget?"

    @property
    def presets(self) -> Presets:
        help = f"{RANDOM_MAXOUT}: 100 points on the circle, m = 1000, q = 8 and 32, with Theorem 1 as printed."
        return {"Figure 1 of the paper": (help, PAPER)}

    def source(self, panel: Panel) -> ScaledData:
        return ScaledData(panel.data("circle"), panel.control(NORMALISATION))

    def settings(self, panel: Panel, source: ScaledData) -> Settings:
        with panel.section("controls", ["scheme", "n_components", "pool_size", "gamma", SEED.name]):
            spec = choose_map(panel, {"pool_size": 8, "gamma": 1.0}, source.dataset.image_shape)
            varied = _compared(spec)
            spec = spec.replace(random_state=panel.control(SEED))
            compared: Sequence[Any] = ()
            if varied:
                default = [32] if varied == "pool_size" else []
                help = "Further curves to compare with."
                compared = panel.several("compare", COMPARED[varied], default, "Compared with", help)
            as_printed = spec.cls is RandomMaxout and panel.control(AS_PRINTED)
        panel.formula(spec.cls.formula)
        if not varied:
            return Settings((spec,), (spec.cls.label,), as_printed)
        values = [spec.get(varied), *(value for value in compared if value != spec.get(varied))]
        labels = tuple(f"{_SYMBOLS[varied]} = {shown(value)}" for value in values)
        return Settings(tuple(spec.replace(**{varied: value}) for value in values), labels, as_printed)

    def run(self, source: ScaledData, settings: Settings, cache: Cache) -> SaturationResult:
        return cache.call(result_of, source, settings.specs, settings.labels)

    def charts(
        self, source: ScaledData, settings: Settings, result: SaturationResult, cache: Cache
    ) -> tuple[Chart, ...]:
        plot = partial(plot_saturation, result, as_printed=settings.as_printed)
        words = text.explanation(result, settings.as_printed)
        return (Chart("saturation", plot, result.to_frame, text.summary(result), words),)

    def animations(
        self, source: ScaledData, settings: Settings, result: SaturationResult, panel: Panel
    ) -> list[AnimationSpec]:
        def run(name: str, value: Any, cache: Cache) -> SaturationResult:
            return self.run(source, self.settings(panel.vary(name, value), source), cache)

        def over_m(options: Sequence[Any], now: Any, cache: Cache, seconds: float) -> animation.Animation:
            pairs = cache.call(pairs_of, source)
            return animation.over_m(
                pairs, settings.specs, settings.labels, settings.as_printed, options, now, cache, seconds
            )

        over_seeds = partial(animation.over_seeds, partial(run, "seed"), settings.as_printed)
        found = [animate(panel, "m", "n_components", source, over_m)]
        varied = _compared(settings.specs[0])
        if varied:
            over_values = partial(animation.over_values, partial(run, varied), settings.as_printed)
            found.append(animate(panel, _SYMBOLS[varied], varied, source, over_values))
        return [*found, animate(panel, "seed", "seed", source, over_seeds)]

    def script(self, source: ScaledData, settings: Settings) -> str:
        body = f"""
{script.load_data(source.data)}
pairs = prepare_pairs(dataset, {source.normalise!r})

maps = {script.python(list(settings.specs), 7)}
labels = {script.python(list(settings.labels), 9)}
result = saturation(pairs, maps, labels)

frame = result.to_frame()
print(frame.to_string())

figure = plot_saturation(result, as_printed={settings.as_printed})
figure.show()
"""
        title = "Which distances between points survive a random feature map?"
        uses = [datasets, prepare_pairs, MapSpec, settings.cls, saturation, plot_saturation]
        return script.write(title, body, uses)

    def maps(self, source: ScaledData, settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        scaling = Scaling(source.dataset.X, source.normalise)
        X, all_rows = scaling(source.dataset.X), all_rows_of(source.dataset, scaling)
        return tuple(
            MapExport(label, spec.make(), X, all_rows, source.dataset.labels())
            for label, spec in zip(settings.labels, settings.specs, strict=True)
        )


def _compared(spec: MapSpec[FeatureMap]) -> str | None:
    """Return the parameter whose values can be compared, if the map has one."""
    return next((name for name in COMPARED if name in spec.params), None)


def pairs_of(source: ScaledData, *, cache: Cache) -> PointPairs:
    """Prepare the points and the distances of their pairs."""
    return prepare_pairs(source.dataset, source.normalise)


def mapped_pairs_of(source: ScaledData, spec: MapSpec[FeatureMap], *, cache: Cache) -> MappedPairs:
    """Map the points by one map, so that a slider that moves it does not pay for those it is compared with."""
    return map_pairs(cache.call(pairs_of, source), spec, cache.progress)


def result_of(
    source: ScaledData, specs: tuple[MapSpec[FeatureMap], ...], labels: tuple[str, ...], *, cache: Cache
) -> SaturationResult:
    """Map the points by all maps."""
    mapped = [cache.call(mapped_pairs_of, source, spec) for spec in specs]
    return on_common_axes(cache.call(pairs_of, source), specs[0].cls, mapped, labels)


PAGE = DistanceSaturation()
