"""Settings of the page on kernel approximation: the data, the maps that are compared, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rfviz.analysis.kernel_sample import error_grid
from rfviz.analysis.points import NORMALISATION
from rfviz.experiments.kernel_approximation import KernelApproximation
from rfviz.experiments.kernel_approximation.experiment import ALL_ROWS, DRAWS, FEATURES, M_MAX, ODD, POINTS, RELATIVE
from rfviz.experiments.kernel_approximation.measures import METRICS
from rfviz.features import FeatureMap, MapSpec
from rfviz.features.receptive import ReceptiveMap
from rfviz.lab.maps import choose_versions, offered_maps, receptive_field, told_the_shape
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
    titles = {name: cls.label.removeprefix("Random ").capitalize() for name, cls in offered.items()}
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
        maps = _choose_maps(panel, classes, image_shape)
        metric = panel.choice("metric", list(METRICS), "rmse", "Measure", "What the first chart shows.", METRICS)
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


def _choose_maps(
    panel: Panel, classes: Sequence[type[FeatureMap]], image_shape: Sequence[int] | None
) -> list[MapSpec[FeatureMap]]:
    """Ask for the parameters of the chosen maps, and return all versions that are compared.

    A parameter that several maps have (gamma) is asked for once, so that they estimate the same kernel.
    """

    def ways(param: Param) -> Sequence[str]:
        titles = dict(zip(param.choices, param.titles, strict=True))
        chosen = panel.several("draw", param.choices, [param.default], param.label, DRAW_HELP, titles)
        return chosen or [param.default]

    versions = choose_versions(
        panel,
        classes,
        image_shape,
        KernelApproximation.params,
        several={"draw": ways},
        defaults=_DEFAULTS,
        alike=_suit_each_other,
    )
    specs = [spec for cls in classes for spec in versions[cls]]
    both = any("deduplicate" in spec.params for spec in specs) and panel.control(BOTH)
    field = receptive_field(panel, image_shape) if any(issubclass(cls, ReceptiveMap) for cls in classes) else {}
    maps: list[MapSpec[FeatureMap]] = []
    for spec in specs:
        of_field = spec.replace(**field) if issubclass(spec.cls, ReceptiveMap) else spec
        found = told_the_shape(of_field, image_shape)
        kept_once = (True, False) if both and "deduplicate" in spec.params else ()
        maps += [found.replace(deduplicate=once) for once in kept_once] or [found]
    return maps


def _suit_each_other(one: Param, other: Param) -> bool:
    """Return whether a control can serve two maps, as far as the defaults of both tell."""
    return one.kind == other.kind and all(p.clamp(q.default) == q.default for p, q in ((one, other), (other, one)))
