"""Figure 1 of the random maxout paper: which distances survive a map?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from rfviz import datasets
from rfviz.analysis.pairs import prepare_pairs
from rfviz.analysis.points import NORMALISATION, normalise
from rfviz.analysis.saturation import SaturationResult, saturation
from rfviz.features import FeatureMap, RandomMaxout
from rfviz.figures.saturation import plot_saturation
from rfviz.params import Param
from rfviz.recipes import saturation_text as text
from rfviz.recipes import script
from rfviz.recipes.base import Chart, Keeper, MapOn, Recipe
from rfviz.recipes.controls import shown
from rfviz.recipes.maps import choose_map
from rfviz.recipes.panel import Panel, ScaledData

__all__ = ["RECIPE", "Settings"]

SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features. Watch the cloud.")
AS_PRINTED = Param(
    "printed",
    True,
    "bool",
    label="The paper’s formula",
    help="Also draw, dashed, the curve that Theorem 1 of the paper would give. It is wrong: see below.",
)
PAPER = {"scheme": "RandomMaxout", "n_components": 1000, "pool_size": 8, "compare": [32], "normalise": "unit norm",
         "data": "circle", "data.n_samples": 100, "data.evenly_spaced": False, "data.random_state": 0,
         "seed": 0, "printed": True}  # fmt: skip
COMPARED = {"pool_size": [1, 2, 4, 8, 16, 32, 64, 128], "gamma": [0.1, 0.5, 1.0, 2.0, 5.0, 10.0]}
_SYMBOLS = {"pool_size": "q", "gamma": "γ"}


@dataclass(frozen=True, eq=False)
class Settings:
    """The maps that are drawn together.

    Attributes
    ----------
    scheme : type of FeatureMap
    maps : list of dict
        Keyword arguments of each map.
    labels : list of str
    as_printed : bool
        Whether the paper's own formula is drawn too.
    """

    scheme: type[FeatureMap]
    maps: list[dict[str, Any]]
    labels: list[str]
    as_printed: bool


class DistanceSaturation(Recipe[ScaledData, Settings, SaturationResult]):
    """Distances after the map against distances before it."""

    slug = "distance-saturation"
    presets: ClassVar = {"Figure 1 of the paper": ("100 points on the circle, m = 1000, q = 8 and 32.", PAPER)}

    def source(self, panel: Panel) -> ScaledData:
        return ScaledData(panel.data("circle"), panel.control(NORMALISATION))

    def settings(self, panel: Panel, source: ScaledData) -> Settings:
        with panel.section("controls"):
            scheme, setting = choose_map(panel, {"pool_size": 8, "gamma": 1.0}, source.data.dataset.image_shape)
            varied = next((name for name in COMPARED if name in setting), None)
            setting["random_state"] = panel.control(SEED)
            compare = []
            if varied:
                compare = panel.several("compare", COMPARED[varied], [32] if varied == "pool_size" else [],
                                        "Beside it", "Further curves to compare with.")  # fmt: skip
        with panel.section("line"):
            panel.formula(scheme.formula)
            as_printed = scheme is RandomMaxout and panel.control(AS_PRINTED)
        if not varied:
            return Settings(scheme, [setting], [scheme.label], as_printed)
        values = [setting[varied], *(value for value in compare if value != setting[varied])]
        labels = [f"{_SYMBOLS[varied]} = {shown(value)}" for value in values]
        return Settings(scheme, [setting | {varied: value} for value in values], labels, as_printed)

    def run(self, source: ScaledData, settings: Settings, keeper: Keeper) -> SaturationResult:
        def recall(setting, compute):
            return keeper.kept("mapped pairs", (*source.key, name, _key(setting)), compute, most=12)

        name = settings.scheme.__name__
        pairs = keeper.kept("pairs", source.key, lambda: prepare_pairs(source.data.dataset, source.normalise), most=8)
        key = (*source.key, name, *map(_key, settings.maps))
        return keeper.watched(
            "saturation", key, lambda p: saturation(pairs, name, settings.maps, settings.labels, p, recall)
        )

    def charts(self, source: ScaledData, settings: Settings, result: SaturationResult) -> tuple[Chart, ...]:
        figure = plot_saturation(result, as_printed=settings.as_printed)
        return (Chart("saturation", figure, result.to_frame(), text.summary(result), text.explanation(result)),)

    def script(self, source: ScaledData, settings: Settings) -> str:
        body = f"""
{script.load_data(source.data)}
pairs = prepare_pairs(dataset, {source.normalise!r})

maps = {script.python(settings.maps, 7)}
labels = {script.python(settings.labels, 9)}
result = saturation(pairs, {settings.scheme.__name__!r}, maps, labels)

frame = result.to_frame()
print(frame)

figure = plot_saturation(result, as_printed={settings.as_printed})
figure.show()
"""
        title = "Which distances between points survive a random feature map?"
        return script.write(title, body, [datasets, prepare_pairs, saturation, plot_saturation])

    def maps(self, source: ScaledData, settings: Settings) -> tuple[MapOn, ...]:
        X = normalise(source.data.dataset.X, source.normalise)
        return tuple(
            MapOn(label, settings.scheme(**setting), X)
            for label, setting in zip(settings.labels, settings.maps, strict=True)
        )


def _key(setting: dict[str, Any]) -> tuple:
    return tuple(sorted(setting.items()))


RECIPE = DistanceSaturation()
