"""Every feature map on the same plane: one of its features, and its kernel, estimated and exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from rfviz.cache import Cache
from rfviz.experiments.base import Chart
from rfviz.lab import script
from rfviz.lab.page import MapExport, Page, Presets
from rfviz.lab.panel import Panel
from rfviz.lab.zoo import text
from rfviz.lab.zoo.compute import (
    AXIS,
    DrawnMap,
    Refusal,
    ZooResult,
    capacity,
    compare_maps,
    draw_map,
    ordered_maps,
    plane,
    plane_spec,
    point_row,
)
from rfviz.lab.zoo.figures import plot_zoo
from rfviz.params import Param

__all__ = ["PAGE", "Settings", "Zoo"]

M = Param("m", 100, "int", 1, 1000, log=True, symbol="m", label="Features",
          marks=(1, 2, 4, 7, 10, 16, 32, 50, 64, 100, 150, 200, 256, 350, 500, 700, 1000),
          help="The number of random features in the estimate. Four times as many halve the error.")  # fmt: skip
FEATURE = Param(
    "feature",
    3,
    "int",
    1,
    40,
    label="Feature shown",
    help="The number of the feature in the first picture of each card.",
)
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of every map.")
ACROSS = Param("x", 0.9, "float", -3.0, 3.0, log=True, marks=tuple(AXIS.tolist()), label="x₀, across",
               help="You can also drag the ring in any picture of a kernel.")  # fmt: skip
UP = replace(ACROSS, name="y", default=0.6, label="x₀, up")


@dataclass(frozen=True)
class Settings:
    """What the cards show.

    Attributes
    ----------
    m : int
        Features that estimate the kernel.
    x, y : float
        The point x₀ that the kernel is seen from.
    feature : int
        The one that is shown, from 0.
    seed : int
    """

    m: int
    x: float
    y: float
    feature: int
    seed: int

    @property
    def size(self) -> int:
        """The number of features of each map that are drawn: a smaller map uses the first of them."""
        return capacity(max(self.m, self.feature + 1))


class Zoo(Page[None, Settings, ZooResult]):
    """All feature maps next to each other."""

    slug = "zoo"

    @property
    def presets(self) -> Presets:
        return {
            "Ten features": ("So few that each can be seen in the estimate.", {"m": 10}),
            "A thousand": ("So many that the estimate looks like the kernel.", {"m": 1000}),
        }

    def source(self, panel: Panel) -> None:
        """Ask for nothing: the plane is always the same."""

    def settings(self, panel: Panel, source: None) -> Settings:
        with panel.section("controls", [M.name, ACROSS.name, UP.name]):
            m = panel.control(M)
            x, y = panel.control(ACROSS), panel.control(UP)
            return Settings(m, x, y, panel.control(FEATURE) - 1, panel.control(SEED))

    def run(self, source: None, settings: Settings, cache: Cache) -> ZooResult:
        return cache.call(result_of, settings)

    def failures(self, result: ZooResult) -> Mapping[str, str]:
        return {card.cls.label: card.problem for card in result.cards if isinstance(card, Refusal)}

    def charts(self, source: None, settings: Settings, result: ZooResult, cache: Cache) -> tuple[Chart, ...]:
        alt, words = text.summary(result), text.explanation(result)
        return (Chart("zoo-sheet", partial(plot_zoo, result), result.plane_frame, alt, words, on_page=False),)

    def script(self, source: None, settings: Settings) -> str:
        body = f"""
# A smaller map uses the first features of a larger one.
maps = [draw_map(plane_spec(cls, {settings.size}, seed={settings.seed})) for cls in ordered_maps()]
row = point_row({settings.x}, {settings.y})
result = compare_maps(maps, m={settings.m}, row=row, feature={settings.feature})
print(result.to_frame().to_string())

frame = result.plane_frame()
figure = plot_zoo(result)
figure.show()
"""
        title = "Which random feature maps are there, and which kernel does each approximate?"
        return script.write(title, body, [ordered_maps, plane_spec, draw_map, point_row, compare_maps, plot_zoo])

    def maps(self, source: None, settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        specs = (plane_spec(cls, settings.m, settings.seed) for cls in ordered_maps())
        return tuple(MapExport(spec.cls.label, spec.make(device="cpu"), plane()) for spec in specs)


def maps_of(size: int, seed: int, *, cache: Cache) -> tuple[DrawnMap | Refusal, ...]:
    """Draw all maps and map the plane."""
    drawn: list[DrawnMap | Refusal] = []
    classes = ordered_maps()
    for number, cls in enumerate(classes):
        cache.progress(number / len(classes), f"Drawing map {number + 1} of {len(classes)}")
        drawn.append(draw_map(plane_spec(cls, size, seed)))
    return tuple(drawn)


def result_of(settings: Settings, *, cache: Cache) -> ZooResult:
    """Compare the maps from one point."""
    maps = cache.call(maps_of, settings.size, settings.seed)
    return compare_maps(maps, settings.m, point_row(settings.x, settings.y), settings.feature)


PAGE = Zoo()
