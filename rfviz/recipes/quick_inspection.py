"""What random features say about a table: three maps of its rows, and findings in plain sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rfviz import datasets
from rfviz.analysis.inspection import MAP_ROWS, SCALING, column_name
from rfviz.analysis.inspection_findings import Finding, findings_frame, verdict
from rfviz.analysis.inspection_maps import MAP_NAMES, MapResult, feature_maps
from rfviz.analysis.points import normalise
from rfviz.analysis.progress import Progress
from rfviz.analysis.quick_inspection import Inspection
from rfviz.datasets.base import Dataset
from rfviz.errors import RfvizError
from rfviz.figures.inspection_maps import plot_findings, plot_maps
from rfviz.lab import script
from rfviz.lab.controls import Control
from rfviz.lab.panel import Data, Panel
from rfviz.params import Param
from rfviz.recipes.base import Chart, Keeper, MapOn, Recipe

__all__ = ["RECIPE", "Outcome", "Settings", "Source", "inspect"]

SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features of the maps.")
# A menu of more names than this is no menu.
_MENU = 300


@dataclass(frozen=True, eq=False)
class Source:
    """The data, how their rows are scaled, and the seed of the maps' features."""

    data: Data
    how: str
    seed: int


@dataclass(frozen=True)
class Settings:
    """What the points of the maps show: see :func:`rfviz.figures.inspection_maps.plot_maps`.

    Attributes
    ----------
    colour : str
    row : int or None
        The row that is looked at, from 0.
    """

    colour: str
    row: int | None


@dataclass(frozen=True, eq=False)
class Outcome:
    """All that was found: the maps, where any could be drawn, and the findings; and what was not looked at."""

    maps: MapResult | None
    findings: tuple[Finding, ...]
    limits: str


class QuickInspection(Recipe[Source, Settings, Outcome]):
    """A data set in pictures and sentences."""

    slug = "quick-inspection"
    own_file = True

    def source(self, panel: Panel) -> Source:
        return Source(panel.data("breast_cancer"), panel.control(SCALING), panel.control(SEED))

    def settings(self, panel: Panel, source: Source) -> Settings:
        dataset = source.data.dataset
        with panel.section("controls-inspection"):
            options = _colours(dataset)
            default = "order" if dataset.order is not None else next(iter(options))
            colour = panel.choice("colour", list(options), default, "Colour by",
                                  "What the colours of the points show; the arrows step through.", options)  # fmt: skip
            row = panel.ask(_row_control(dataset.n_samples))
        return Settings(colour, None if row == 0 else int(row) - 1)

    def run(self, source: Source, settings: Settings, keeper: Keeper) -> Outcome:
        inspection = inspect(source, keeper)
        inspection.sample(MAP_ROWS)  # rows that cannot be scaled are refused as a whole
        try:
            maps = inspection.maps()
        except RfvizError:  # one column, or equal rows: the findings say so
            maps = None
        return Outcome(maps, tuple(inspection.findings()), inspection.limits())

    def charts(self, source: Source, settings: Settings, result: Outcome) -> tuple[Chart, ...]:
        found, limits = verdict(result.findings), f" {result.limits}" if result.limits else ""
        words = f"**What was found in {source.data.dataset.name}:** {found}.{limits}"
        main = Chart("findings", plot_findings(result.findings), findings_frame(result.findings),
                     f"The findings: {found}.", words, on_page=False)  # fmt: skip
        if result.maps is None:
            return (main,)
        figures = plot_maps(result.maps, source.data.dataset, settings.colour, settings.row)
        frames, n = result.maps.frames(), len(result.maps.sample.rows)
        alts = [f"{projection.title} of {n:,} rows." for projection in result.maps.projections]
        return (
            main,
            *(Chart(name, figures[name], frames[name], alt) for name, alt in zip(MAP_NAMES, alts, strict=True)),
        )

    def script(self, source: Source, settings: Settings) -> str:
        shown = f"colour={settings.colour!r}" + (f", row={settings.row}" if settings.row is not None else "")
        body = f"""
{script.load_data(source.data)}
inspection = Inspection(dataset, {source.how!r}, seed={source.seed})

findings = []
for finding in inspection.findings():
    print(finding)
    findings.append(finding)
print(inspection.limits())

frames = {{"findings": findings_frame(findings)}}
figures = {{"findings": plot_findings(findings)}}

maps = inspection.maps()
frames |= maps.frames()
figures |= plot_maps(maps, dataset, {shown})
for figure in figures.values():
    figure.show()
"""
        uses = [datasets, Inspection, findings_frame, plot_findings, plot_maps]
        return script.write("What do random features say about these data?", body, uses)

    def maps(self, source: Source, settings: Settings) -> tuple[MapOn, ...]:
        X = normalise(source.data.dataset.X, Inspection(source.data.dataset, source.how).how)
        return tuple(MapOn(found.label, found, X) for found in feature_maps(source.seed))


def inspect(source: Source, keeper: Keeper) -> Inspection:
    """The inspection, whose parts are computed when they are asked for, and kept."""

    def keep(name: str, key: tuple, compute: Callable[[Progress], Any]) -> Any:
        return keeper.watched(f"inspection {name}", (source.data.key, *key), compute, 8)

    return Inspection(source.data.dataset, source.how, source.seed, keep)


def _colours(dataset: Dataset) -> dict[str, str]:
    """What points can be coloured by, and what that is called."""
    options = {}
    if dataset.y is not None:
        options["label"] = "label" if dataset.target_names else "target"
    if dataset.order is not None:
        options["order"] = "given order"
    if dataset.image_shape:
        options["brightness"] = "brightness"
    else:
        options |= {f"c{column + 1}": column_name(dataset, column) for column in range(min(dataset.n_features, _MENU))}
    return options | {"none": "nothing"}


def _row_control(n: int) -> Control:
    help = "The row that is shown below the maps, counted from 1; 0 shows none. A click on a point does the same."
    return Control("row", "number", 0, Param("row", 0, "int", 0, n).clamp, "Row", help, low=0, high=n)


RECIPE = QuickInspection()
