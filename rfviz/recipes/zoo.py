"""Every feature map on the same plane: one of its features, and its kernel, sampled and exact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rfviz.analysis.progress import Progress
from rfviz.analysis.zoo import (
    AXIS,
    Specimen,
    ZooResult,
    capacity,
    plane,
    plane_map,
    point_row,
    schemes,
    show,
    specimen,
)
from rfviz.features import registry
from rfviz.figures.zoo import plot_zoo
from rfviz.lab import script
from rfviz.lab.panel import Panel
from rfviz.params import Param
from rfviz.recipes import zoo_text as text
from rfviz.recipes.base import Chart, Keeper, MapOn, Recipe

__all__ = ["RECIPE", "Settings"]

M = Param("m", 100, "int", 1, 1000, log=True, symbol="m", label="Features",
          marks=(1, 2, 4, 7, 10, 16, 32, 50, 64, 100, 150, 200, 256, 350, 500, 700, 1000),
          help="How many random features estimate the kernel. Four times as many halve the error.")  # fmt: skip
FEATURE = Param("feature", 3, "int", 1, 40, label="Feature shown", help="The first picture of each card: its number.")
SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of every map.")
PLACE = {"default": 0.0, "kind": "float", "low": -3.0, "high": 3.0, "log": True, "marks": tuple(AXIS.tolist())}
ACROSS = Param("x", **PLACE | {"default": 0.9}, label="x₀, across", help="Or drag the ring in any picture of a kernel.")
UP = Param("y", **PLACE | {"default": 0.6}, label="x₀, up", help="Or drag the ring in any picture of a kernel.")


@dataclass(frozen=True)
class Settings:
    """What is shown.

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
    def row(self) -> int:
        """The point as a row of the plane."""
        return point_row(self.x, self.y)

    @property
    def drawn(self) -> int:
        """How many features of each map are drawn: a smaller map uses the first of them."""
        return capacity(max(self.m, self.feature + 1))


class Zoo(Recipe[None, Settings, ZooResult]):
    """All schemes side by side."""

    slug = "zoo"
    presets: ClassVar = {
        "Ten features": ("So few that each can be seen in the estimate.", {"m": 10}),
        "A thousand": ("So many that the estimate looks like the kernel.", {"m": 1000}),
    }

    def source(self, panel: Panel) -> None:
        """The plane; there is nothing to choose."""

    def settings(self, panel: Panel, source: None) -> Settings:
        with panel.section("controls"):
            m = panel.control(M)
            x, y = panel.control(ACROSS), panel.control(UP)
            return Settings(m, x, y, panel.control(FEATURE) - 1, panel.control(SEED))

    def run(self, source: None, settings: Settings, keeper: Keeper) -> ZooResult:
        names, size, seed = schemes(), settings.drawn, settings.seed

        def draw(progress: Progress) -> list[Specimen]:
            found = []
            for place, name in enumerate(names):
                progress(place / len(names), f"Drawing map {place + 1} of {len(names)}")
                found.append(specimen(name, size, seed))
            return found

        specimens = keeper.watched("zoo maps", (size, seed), draw, most=6)
        m, row, feature = settings.m, settings.row, settings.feature
        return keeper.kept("zoo", (m, feature, seed, row), lambda: show(specimens, m, row, feature), most=64)

    def charts(self, source: None, settings: Settings, result: ZooResult) -> tuple[Chart, ...]:
        words = text.explanation(result)
        return (Chart("zoo-sheet", plot_zoo(result), result.plane_frame(), text.summary(result), words),)

    def script(self, source: None, settings: Settings) -> str:
        body = f"""
# A smaller map uses the first features of a larger one.
specimens = [specimen(name, n_components={settings.drawn}, seed={settings.seed}) for name in schemes()]
row = point_row({settings.x}, {settings.y})
result = show(specimens, m={settings.m}, row=row, feature={settings.feature})
print(result.to_frame())

frame = result.plane_frame()
figure = plot_zoo(result)
figure.show()
"""
        title = "Which random feature maps are there, and which kernel does each add up to?"
        return script.write(title, body, [schemes, specimen, point_row, show, plot_zoo])

    def maps(self, source: None, settings: Settings) -> tuple[MapOn, ...]:
        return tuple(MapOn(registry()[n].label, plane_map(n, settings.m, settings.seed), plane()) for n in schemes())


RECIPE = Zoo()
