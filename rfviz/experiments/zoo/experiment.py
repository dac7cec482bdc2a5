"""The zoo as an experiment: every feature map on the same plane."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from rfviz.cache import Cache
from rfviz.experiments.base import Chart, ExperimentWithoutData, experiment
from rfviz.experiments.data import Data
from rfviz.experiments.zoo.compute import (
    AXIS,
    DrawnMap,
    Refusal,
    ZooResult,
    capacity,
    compare_maps,
    draw_map,
    ordered_maps,
    plane_spec,
    point_row,
)
from rfviz.experiments.zoo.describe import explanation, summary
from rfviz.experiments.zoo.figures import plot_zoo
from rfviz.params import Param

__all__ = ["ACROSS", "FEATURE", "UP", "M", "Zoo"]

M = Param(
    "m",
    100,
    "int",
    1,
    1000,
    log=True,
    symbol="m",
    label="Features",
    marks=(1, 2, 4, 7, 10, 16, 32, 50, 64, 100, 150, 200, 256, 350, 500, 700, 1000),
    help="The number of random features in the estimate. Four times as many halve the error.",
)
FEATURE = Param(
    "feature",
    3,
    "int",
    1,
    40,
    label="Feature shown",
    help="The number of the feature in the first picture of each card.",
)
ACROSS = Param(
    "x",
    0.9,
    "float",
    -3.0,
    3.0,
    log=True,
    marks=tuple(AXIS.tolist()),
    label="x₀, across",
    help="You can also drag the ring in any picture of a kernel.",
)
UP = replace(ACROSS, name="y", default=0.6, label="x₀, up")


@experiment
class Zoo(ExperimentWithoutData[ZooResult]):
    """Show one feature of every map on a plane, and its kernel around a point, estimated and exact.

    Parameters
    ----------
    m : int
        Features that estimate the kernel.
    x, y : float
        The point that the kernel is seen from; the nearest one of the plane is taken.
    feature : int
        The one that is shown, from 1.
    seed : int
        Of the draw of every map.

    Examples
    --------
    >>> from rfviz.experiments import Zoo
    >>> result = Zoo(m=1000, x=0.5, y=0.5).run()
    >>> errors = result.numbers.to_frame().set_index("map")["error, % of the largest value"]
    >>> print(errors["Random Fourier"].round(1))
    3.0

    One of its maps, step by step:

    >>> from rfviz.experiments.zoo.compute import compare_maps, draw_map, plane_spec, point_row
    >>> from rfviz.features import RandomFourier
    >>> drawn = draw_map(plane_spec(RandomFourier, 1024))
    >>> (card,) = compare_maps([drawn], m=1000, row=point_row(0.5, 0.5)).cards
    >>> round(100 * card.error, 1)
    3.0
    """

    m: int = M.default
    x: float = ACROSS.default
    y: float = UP.default
    feature: int = FEATURE.default
    seed: int = 0

    params = (M, ACROSS, UP, FEATURE)
    question = "Which random feature maps are there, and which kernel does each approximate?"

    def compute(self, data: Data, cache: Cache) -> ZooResult:
        # A smaller map uses the first features of a larger one.
        size = capacity(max(self.m, self.feature))
        return cache.call(result_of, size, self.seed, self.m, point_row(self.x, self.y), self.feature - 1)

    def charts(self, data: Data, numbers: ZooResult, cache: Cache) -> tuple[Chart, ...]:
        alt, words = summary(numbers), explanation(numbers)
        return (Chart("zoo-sheet", partial(plot_zoo, numbers), numbers.plane_frame, alt, words, on_page=False),)


def maps_of(size: int, seed: int, *, cache: Cache) -> tuple[DrawnMap | Refusal, ...]:
    """Draw all maps and map the plane."""
    drawn: list[DrawnMap | Refusal] = []
    classes = ordered_maps()
    for number, cls in enumerate(classes):
        cache.progress(number / len(classes), f"Drawing map {number + 1} of {len(classes)}")
        drawn.append(draw_map(plane_spec(cls, size, seed)))
    return tuple(drawn)


def result_of(size: int, seed: int, m: int, row: int, feature: int, *, cache: Cache) -> ZooResult:
    """Compare the maps from one point."""
    return compare_maps(cache.call(maps_of, size, seed), m, row, feature)
