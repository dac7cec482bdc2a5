"""Settings of the page on kernel approximation: the data, the maps that are compared, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rfviz.analysis.kernel_sample import error_grid
from rfviz.analysis.points import NORMALISATION
from rfviz.experiments.kernel_approximation import KernelApproximation
from rfviz.experiments.kernel_approximation.experiment import ALL_ROWS, DRAWS, FEATURES, M_MAX, ODD, POINTS, RELATIVE
from rfviz.experiments.kernel_approximation.measures import METRICS
from rfviz.features import COMMON_PARAMS, FeatureMap, MapSpec
from rfviz.features.receptive import ReceptiveMap
from rfviz.lab.maps import image_parameters, offered_maps, receptive_field, told_the_shape
from rfviz.lab.panel import Panel, ScaledData
from rfviz.params import Param

__all__ = ["Source", "choose_experiment", "choose_source"]

BOTH = Param(
    "both",
    False,
    "bool",
    label="Both ways",
    help="Two curves: equal features kept once, and all features as they are drawn.",
)
POOLS = (1, 2, 4, 8, 16, 32)
DRAW_HELP = (
    "How the frequencies of the Fourier features are drawn, one curve for each. Independent (also where none is "
    "chosen): one by one. Orthogonal: in blocks at right angles. Structured: nearly so, by fast Hadamard transforms. "
    "Sobol: evenly spread points, which help where there are few columns."
)
_DEFAULTS = {"pool_size": 4, "gamma": 1.0}


@dataclass(frozen=True)
class Source(ScaledData):
    """Scaled data, how many of their rows are compared, and whether all rows of their file are compared with these."""

    n_points: int
    all_rows: bool = False


def choose_source(panel: Panel) -> Source:
    """Ask for the data."""
    data, normalise, n_points = panel.data("digits"), panel.control(NORMALISATION), panel.control(POINTS)
    return Source(data, normalise, n_points, data.dataset.is_drawn and panel.control(ALL_ROWS))


def choose_experiment(panel: Panel, source: Source) -> KernelApproximation:
    """Ask for all else; maps that project can be confined to rectangles of images."""
    image_shape = source.dataset.image_shape
    offered = offered_maps(image_shape)
    titles = {name: cls.label for name, cls in offered.items()}
    with panel.section("controls", ["maps", FEATURES.name, "pool_size", "gamma"]):
        names = panel.several(
            "maps", list(titles), ["RandomFourier", "RandomMaxout"], "Maps", "The feature maps to compare.", titles
        )
        classes = [cls for name, cls in offered.items() if name in names]
        m_max, odd = panel.control(M_MAX), panel.peek(ODD)
        grid = error_grid(m_max, odd).tolist()
        middle = min(grid, key=lambda m: abs(m - FEATURES.default))
        m = panel.control(replace(FEATURES, default=middle, high=grid[-1], marks=tuple(grid)))
        draws = panel.control(DRAWS)
        params, ways = _choose_params(panel, classes)
        metric = panel.choice("metric", list(METRICS), "rmse", "Measure", "What the first chart shows.", METRICS)
        maps = _choose_maps(panel, classes, params, ways, image_shape)
        relative, odd = panel.control(RELATIVE), panel.control(ODD)
    return KernelApproximation(
        maps=maps,
        normalise=source.normalise,
        points=source.n_points,
        all_rows=source.all_rows,
        m_max=m_max,
        odd=odd,
        m=m,
        draws=draws,
        metric=metric,
        relative=relative,
    )


def _choose_params(panel: Panel, classes: Sequence[type[FeatureMap]]) -> tuple[dict[str, Any], Sequence[str]]:
    """Ask for the parameters of the chosen maps, and the ways in which frequencies are drawn, a curve for each.

    A parameter that several maps have (gamma) is asked for once, so that they estimate the same kernel.
    """
    common = {param.name for param in COMMON_PARAMS}
    values: dict[str, Any] = {}
    ways: Sequence[str] = ("iid",)
    for param in (param for cls in classes if not cls.needs_images for param in cls.params):
        if param.name in common or param.name in values or param.kind == "range" or not param.applies(values):
            continue
        if param.name == "draw":
            titles = dict(zip(param.choices, param.titles, strict=True))
            ways = panel.several("draw", param.choices, [param.default], param.label, DRAW_HELP, titles)
            ways = ways or [param.default]
        else:
            values[param.name] = panel.control(param, _DEFAULTS.get(param.name))
    return values, ways


def _choose_maps(
    panel: Panel,
    classes: Sequence[type[FeatureMap]],
    values: Mapping[str, Any],
    ways: Sequence[str],
    image_shape: Sequence[int] | None,
) -> tuple[MapSpec[FeatureMap], ...]:
    """Ask for further versions of the maps, and return all that are compared."""
    pools: Sequence[int] = ()
    if "pool_size" in values:
        pools = panel.several("pools", POOLS, [], "Further pool sizes", "One curve for each.")
    both = "deduplicate" in values and panel.control(BOTH)
    projecting = [cls for cls in classes if issubclass(cls, ReceptiveMap)]
    field = receptive_field(panel, image_shape) if projecting else {}
    for_images = {cls: image_parameters(panel, cls, image_shape) for cls in classes if image_shape and cls.needs_images}
    maps: list[MapSpec[FeatureMap]] = []
    for cls in classes:
        names = [param.name for param in cls.params]
        spec = MapSpec(cls, **{name: values[name] for name in names if name in values})
        if cls in projecting:
            spec = spec.replace(**field)
        elif cls in for_images:
            spec = spec.replace(**for_images[cls])
        spec = told_the_shape(spec, image_shape)
        versions: list[dict[str, Any]] = [{}]
        if "draw" in names:
            versions = [{"draw": way} for way in ways]
        elif "pool_size" in names:
            versions = [{"pool_size": q} for q in dict.fromkeys([values["pool_size"], *pools])]
        elif "deduplicate" in names and both:
            versions = [{"deduplicate": True}, {"deduplicate": False}]
        maps += [spec.replace(**params) for params in versions]
    return tuple(maps)
