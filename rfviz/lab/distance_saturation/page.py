"""Figure 1 of the random maxout paper: which distances survive a map."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from rfviz.analysis.points import NORMALISATION, Scaling
from rfviz.analysis.splits import all_rows_of
from rfviz.cache import Cache
from rfviz.experiments.distance_saturation.compute import SaturationResult
from rfviz.experiments.distance_saturation.experiment import (
    AS_PRINTED,
    DistanceSaturation,
    pairs_of,
)
from rfviz.features import RandomMaxout
from rfviz.lab.animation import AnimationSpec, animate
from rfviz.lab.distance_saturation import animation
from rfviz.lab.maps import choose_map
from rfviz.lab.page import ExperimentPage, MapExport, Presets
from rfviz.lab.panel import Panel, ScaledData
from rfviz.lab.papers import RANDOM_MAXOUT
from rfviz.params import Param

__all__ = ["PAGE", "DistanceSaturationPage"]

SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features. Watch the cloud.")
PAPER = {
    "map": "RandomMaxout", "n_components": 1000, "pool_size": 8, "compare": [32], "normalise": "unit norm",
    "data": "circle", "data.n_samples": 100, "data.evenly_spaced": False, "data.random_state": 0,
    "seed": 0, "printed": True,
}  # fmt: skip


class DistanceSaturationPage(ExperimentPage[ScaledData, DistanceSaturation, SaturationResult]):
    """Distances after the map against distances before it."""

    slug = "distance-saturation"

    @property
    def presets(self) -> Presets:
        help = f"{RANDOM_MAXOUT}: 100 points on the circle, m = 1000, q = 8 and 32, with Theorem 1 as printed."
        return {"Figure 1 of the paper": (help, PAPER)}

    def source(self, panel: Panel) -> ScaledData:
        return ScaledData(panel.data("circle"), panel.control(NORMALISATION))

    def settings(self, panel: Panel, source: ScaledData) -> DistanceSaturation:
        with panel.section("controls", ["map", "n_components", "pool_size", "gamma", SEED.name]):
            spec = choose_map(panel, {"pool_size": 8, "gamma": 1.0}, source.dataset.image_shape)
            varied = spec.cls.compared()
            spec = spec.replace(random_state=panel.control(SEED))
            compared: Sequence[Any] = ()
            if varied:
                default = [32] if varied.name == "pool_size" else []
                help = "Further curves to compare with."
                compared = panel.several("compare", varied.compared, default, "Compared with", help)
            as_printed = spec.cls is RandomMaxout and panel.control(AS_PRINTED, name="printed")
        panel.formula(spec.cls.formula)
        maps = [spec]
        if varied:
            maps = [spec.replace(**{varied.name: value}) for value in dict.fromkeys([spec.get(varied.name), *compared])]
        return DistanceSaturation(maps=maps, normalise=source.normalise, as_printed=as_printed)

    def animations(
        self, source: ScaledData, settings: DistanceSaturation, result: SaturationResult, panel: Panel
    ) -> list[AnimationSpec]:
        def run(name: str, value: Any, cache: Cache) -> SaturationResult:
            return self.run(source, self.settings(panel.with_value(name, value), source), cache)

        def over_m(options: Sequence[Any], now: Any, cache: Cache, seconds: float) -> animation.Animation:
            pairs = cache.call(pairs_of, source.data, source.normalise)
            return animation.over_m(
                pairs, settings.specs, settings.labels, settings.as_printed, options, now, cache, seconds
            )

        over_seeds = partial(animation.over_seeds, partial(run, "seed"), settings.as_printed)
        found = [animate(panel, "m", "n_components", source, over_m)]
        if varied := settings.cls.compared():
            over_values = partial(animation.over_values, partial(run, varied.name), settings.as_printed)
            found.append(animate(panel, varied.sign, varied.name, source, over_values))
        return [*found, animate(panel, "seed", "seed", source, over_seeds)]

    def maps(self, source: ScaledData, settings: DistanceSaturation, cache: Cache) -> tuple[MapExport, ...]:
        scaling = Scaling(source.dataset.X, source.normalise)
        X, all_rows = scaling(source.dataset.X), all_rows_of(source.dataset, scaling)
        return tuple(
            MapExport(label, spec.make(), X, all_rows, source.dataset.labels())
            for label, spec in zip(settings.labels, settings.specs, strict=True)
        )


PAGE = DistanceSaturationPage()
