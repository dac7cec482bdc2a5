"""Settings of the page on kernel approximation: the data, the maps that are compared, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rfviz.analysis.kernel_sample import error_grid
from rfviz.analysis.points import NORMALISATION
from rfviz.experiments.candidate import Candidate
from rfviz.features import COMMON_PARAMS, FeatureMap, MapSpec
from rfviz.features.receptive import ReceptiveMap
from rfviz.lab.kernel_approximation.compute import METRICS
from rfviz.lab.maps import image_parameters, offered_maps, receptive_field, told_the_shape
from rfviz.lab.panel import Panel, ScaledData
from rfviz.params import Param

__all__ = ["Settings", "Source", "choose_settings", "choose_source"]

M_MAX = Param("m_max", 2000, "int", 20, 100_000, ui_high=20_000, log=True, symbol="m", label="Largest",
              help="Each curve has about twenty points, up to this number of features.")  # fmt: skip
DRAWS = Param("draws", 20, "int", 1, 200, log=True, marks=(1, 2, 3, 4, 5, 8, 10, 20, 50, 100, 200), label="Draws",
              help="More draws make the bands more reliable and reveal bias.")  # fmt: skip
POINTS = Param("points", 128, "int", 3, 2000, log=True, marks=(16, 32, 64, 128, 256, 512, 1024), symbol="N",
               label="Points compared", help="Rows chosen at random; all their pairs are compared.")  # fmt: skip
ALL_ROWS = Param("all_rows", False, "bool", label="All rows",
                 help="Read every row of the file, block by block, and compare it with each of the points. Do "
                 "the errors of their pairs hold for the whole table, and how large is the largest?")  # fmt: skip
FEATURES = Param("m", 160, "int", 1, log=True, symbol="m", label="Features",
                 help="The number of features whose estimates the clouds show.")  # fmt: skip
ODD = Param("odd", False, "bool", label="Odd m",
            help="Odd numbers leave a cosine of the paired Fourier features without its sine: a bias.")  # fmt: skip
RELATIVE = Param("relative", True, "bool", label="Relative to k(x, x)",
                 help="Divide errors by the kernel’s mean k(x, x), to compare kernels of different size.")  # fmt: skip
BOTH = Param("both", False, "bool", label="Both ways",
             help="Two curves: equal features kept once, and all features as they are drawn.")  # fmt: skip
POOLS = (1, 2, 4, 8, 16, 32)
DRAW_HELP = (
    "How the frequencies of the Fourier features are drawn, one curve for each. Independent (also where none is "
    "chosen): one by one. Orthogonal: in blocks at right angles. Structured: nearly so, by fast Hadamard transforms. "
    "Sobol: evenly spread points, which help where there are few columns."
)
_DEFAULTS = {"pool_size": 4, "gamma": 1.0}
_DRAWN = {"iid": "independent", "qmc": "Sobol"}


@dataclass(frozen=True)
class Source(ScaledData):
    """Scaled data, how many of their rows are compared, and whether all rows of their file are compared with these."""

    n_points: int
    all_rows: bool = False

    @property
    def points_alone(self) -> Source:
        """The same without the other rows, which have no say in what is known of the points."""
        return replace(self, all_rows=False)


@dataclass(frozen=True)
class Settings:
    """The maps that are compared, and how.

    Attributes
    ----------
    candidates : tuple of Candidate
    m_max : int
        Largest number of features.
    odd : bool
        Whether all numbers of features are odd.
    m : int
        The one of them whose estimates the clouds show.
    draws : int
    metric : str
    relative : bool
        Whether errors are divided by the kernel's mean k(x, x).
    """

    candidates: tuple[Candidate, ...]
    m_max: int
    odd: bool
    m: int
    draws: int
    metric: str
    relative: bool

    @property
    def grid(self) -> np.ndarray:
        """Numbers of features."""
        return error_grid(self.m_max, self.odd)

    @property
    def place(self) -> int:
        """The place of m in the grid."""
        return self.grid.tolist().index(self.m)


def choose_source(panel: Panel) -> Source:
    """Ask for the data."""
    data, normalise, n_points = panel.data("digits"), panel.control(NORMALISATION), panel.control(POINTS)
    return Source(data, normalise, n_points, data.dataset.is_drawn and panel.control(ALL_ROWS))


def choose_settings(panel: Panel, image_shape: Sequence[int] | None) -> Settings:
    """Ask for all else; maps that project can be confined to rectangles of images of the given shape."""
    offered = offered_maps(image_shape)
    titles = {name: cls.label for name, cls in offered.items()}
    with panel.section("controls", ["maps", FEATURES.name, "pool_size", "gamma"]):
        names = panel.several(
            "maps", list(titles), ["RandomFourier", "RandomMaxout"], "Maps", "The feature maps to compare.", titles
        )
        classes = [cls for name, cls in offered.items() if name in names]
        m_max, odd = panel.control(M_MAX), panel.foresee(ODD)
        grid = error_grid(m_max, odd).tolist()
        middle = min(grid, key=lambda m: abs(m - FEATURES.default))
        m = panel.control(replace(FEATURES, default=middle, high=grid[-1], marks=tuple(grid)))
        draws = panel.control(DRAWS)
        params, ways = _choose_params(panel, classes)
        metric = panel.choice("metric", list(METRICS), "rmse", "Measure", "What the first chart shows.", METRICS)
        candidates = _choose_candidates(panel, classes, params, ways, image_shape)
        relative, odd = panel.control(RELATIVE), panel.control(ODD)
    return Settings(candidates, m_max, odd, m, draws, metric, relative)


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


def _choose_candidates(
    panel: Panel,
    classes: Sequence[type[FeatureMap]],
    values: Mapping[str, Any],
    ways: Sequence[str],
    image_shape: Sequence[int] | None,
) -> tuple[Candidate, ...]:
    """Ask for further versions of the maps, and return all that are compared."""
    pools: Sequence[int] = ()
    if "pool_size" in values:
        pools = panel.several("pools", POOLS, [], "Further pool sizes", "One curve for each.")
    both = "deduplicate" in values and panel.control(BOTH)
    projecting = [cls for cls in classes if issubclass(cls, ReceptiveMap)]
    field = receptive_field(panel, image_shape) if projecting else {}
    for_images = {cls: image_parameters(panel, cls, image_shape) for cls in classes if image_shape and cls.needs_images}
    candidates = []
    for cls in classes:
        names = [param.name for param in cls.params]
        spec = MapSpec(cls, **{name: values[name] for name in names if name in values})
        if cls in projecting:
            spec = spec.replace(**field)
        elif cls in for_images:
            spec = spec.replace(**for_images[cls])
        spec = told_the_shape(spec, image_shape)
        versions: list[tuple[str, dict[str, Any]]] = [("", {})]
        if "draw" in names:
            alone = tuple(ways) == ("iid",)
            versions = [("" if alone else f", {_DRAWN.get(way, way)}", {"draw": way}) for way in ways]
        elif "pool_size" in names:
            sizes = dict.fromkeys([values["pool_size"], *pools])
            versions = [(f", q = {q}", {"pool_size": q}) for q in sizes]
        elif "deduplicate" in names and both:
            versions = [(", kept once", {"deduplicate": True}), (", as drawn", {"deduplicate": False})]
        candidates += [Candidate(cls.label + more, spec.replace(**params)) for more, params in versions]
    return tuple(candidates)
