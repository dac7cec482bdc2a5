"""What random features say about a table: three maps of its rows, and findings in plain sentences."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rfviz import datasets
from rfviz.analysis.points import Scaling
from rfviz.analysis.splits import all_rows_of
from rfviz.cache import Cache
from rfviz.datasets import Dataset
from rfviz.datasets.files import without
from rfviz.datasets.files.table import NUMBER
from rfviz.errors import RfvizError
from rfviz.experiments.base import Chart
from rfviz.experiments.data import Data
from rfviz.features import FeatureMap, MapSpec
from rfviz.inspection.drift import AUTOMATIC, compared_columns
from rfviz.inspection.finding import Finding, by_severity, findings_frame, findings_html, plot_findings, verdict
from rfviz.inspection.inspection import InspectedData, Inspection
from rfviz.inspection.maps import MAP_NAMES, MapResult, feature_specs, plot_maps
from rfviz.inspection.questions import keys_of
from rfviz.inspection.sample import MAP_ROWS, SCALING, column_name, scaling_of
from rfviz.inspection.uncertainty import IntervalResult, SetResult
from rfviz.lab import script
from rfviz.lab.controls import Control
from rfviz.lab.maps import choose_map
from rfviz.lab.page import MapExport, Page
from rfviz.lab.panel import Panel
from rfviz.params import Param
from rfviz.words import counted

__all__ = ["PAGE", "InspectionResult", "QuickInspection", "Settings", "shown_uncertainty"]

SEED = Param("seed", 0, "int", 0, 99, label="Seed", help="Another seed, another draw of the features of the maps.")
FEATURES = Param(
    "features",
    False,
    "bool",
    label="Number of features",
    help="Answer one more question: how many random features are enough for these rows? It takes a second or two.",
)
APART = Param(
    "apart",
    False,
    "bool",
    label="Draw both columns only",
    help="Leave the two columns out of all else: findings and the other pictures do without them.",
)
# A menu of more columns than this is too long to be used.
_MENU = 300


@dataclass(frozen=True)
class Settings:
    """What the points of the maps show.

    Attributes
    ----------
    colour : str
        See :func:`rfviz.inspection.maps.inspection_style`.
    row : int or None
        The row of the file that is shown below the maps, from 0.
    feature_map : MapSpec
        Of the second map, but for the seed.
    """

    colour: str
    row: int | None
    feature_map: MapSpec[FeatureMap] = feature_specs()[0]


@dataclass(frozen=True, eq=False)
class InspectionResult:
    """All that was found.

    Attributes
    ----------
    maps : MapResult or None
        None if no map can be drawn.
    findings : tuple of Finding
    limits : str
        Which rows were used, if these are not all.
    notes : tuple of str
        Notes on the file: the label, its names, its encoding; see :meth:`rfviz.inspection.inspection.Inspection.notes`.
    """

    maps: MapResult | None
    findings: tuple[Finding, ...]
    limits: str
    notes: tuple[str, ...]


class QuickInspection(Page[InspectedData[Data], Settings, InspectionResult]):
    """A data set in pictures and sentences.

    Parameters
    ----------
    only : str or sequence of str
        Short names of the questions that are asked, and nothing else is computed; by default all, and the maps.
    """

    slug = "quick-inspection"
    inspects_files = True

    def __init__(self, only: str | Iterable[str] = ()) -> None:
        self.asked = keys_of(only)

    def source(self, panel: Panel) -> InspectedData[Data]:
        data = panel.data("breast_cancer")
        scaling, seed = panel.control(SCALING), panel.control(SEED)
        columns = compared_columns(data.dataset)[:_MENU]
        other = "" if data.dataset.origin is None else data.dataset.origin.other_name
        titles = {AUTOMATIC: f"With {other}" if other else "Automatic"} | {
            name: f"Values of {name}" for name in columns
        }
        help = (
            "Which rows are compared to find drift. Automatic: training with test rows, or the first with the second "
            "half of a file, or your file with another one. A column: its two most frequent values, or its smaller and "
            "its larger values."
        )
        compare = panel.choice("compare", list(titles), AUTOMATIC, "Compare", help, titles)
        also = ("features",) if panel.control(FEATURES) else ()
        data, axes = _axes_of(data, panel)
        return InspectedData(data, scaling, seed, compare, self.asked, also, axes)

    def settings(self, panel: Panel, source: InspectedData[Data]) -> Settings:
        dataset, origin = source.dataset, source.dataset.origin
        with panel.section("controls-inspection", ["colour", "row"]):
            options = _colours(dataset)
            default = "order" if dataset.order is not None else next(iter(options))
            help = "What the colours of the points show; the arrows step through."
            colour = panel.choice("colour", list(options), default, "Colour by", help, options)
            row = panel.ask(_row_control(int(dataset.row_numbers[-1]) + 1 if origin is None else origin.table.n_rows))
            defaults = {**feature_specs()[1].params, **feature_specs()[0].params}
            help = "Whose features the second picture is of; the findings do not depend on it."
            feature_map = choose_map(panel, defaults, dataset.image_shape, help=help).replace(random_state=0)
        return Settings(colour, None if row == 0 else int(row) - 1, feature_map)

    def run(self, source: InspectedData[Data], settings: Settings, cache: Cache) -> InspectionResult:
        inspection = source.inspect(cache)
        maps, limits = None, ""
        if not self.asked:
            inspection.sample(MAP_ROWS)  # rows that cannot be scaled are refused as a whole
            with suppress(RfvizError):  # one column, or equal rows: the findings say so
                maps = inspection.maps(settings.feature_map)
            limits = inspection.limits()
        return InspectionResult(maps, tuple(by_severity(inspection.findings())), limits, inspection.notes())

    def charts(
        self, source: InspectedData[Data], settings: Settings, result: InspectionResult, cache: Cache
    ) -> tuple[Chart, ...]:
        found, limits = verdict(result.findings), f" {result.limits}" if result.limits else ""
        words = f"**What was found in {source.dataset.name}:** {found}.{limits}"
        plot, table = partial(plot_findings, result.findings), partial(findings_frame, result.findings)
        raw = source.inspect(cache).raw
        # The provenance tells what the reader of the file concluded.
        notes = [note for note in result.notes if note.rstrip(".") not in source.dataset.provenance]

        def text() -> str:
            about = f"{source.dataset.name}: {counted(raw.n_rows, 'row')}, inspected on {time.strftime('%d %B %Y')}."
            return findings_html(result.findings, " ".join(filter(None, [about, *notes, source.dataset.provenance])))

        main = Chart("findings", plot, table, f"The findings: {found}.", words, on_page=False, html=text)
        maps, inspection = result.maps, source.inspect(cache)
        shown = tuple(
            Chart(picture.name, picture.figure, picture.frame, picture.words, picture.explanation, on_page=False)
            for picture in inspection.pictures()
        )
        if maps is None:
            return (main, *shown)
        dataset = inspection.dataset
        uncertainty = shown_uncertainty(inspection, settings.colour)

        def chart_of(name: str, title: str) -> Chart:
            return Chart(
                name,
                lambda: plot_maps(maps, dataset, settings.colour, settings.row, raw, uncertainty)[name],
                lambda: maps.frames()[name],
                f"{title} of {len(maps.sample.rows):,} rows.",
            )

        titles = [projection.title for projection in maps.projections]
        return (main, *map(chart_of, MAP_NAMES, titles), *shown)

    def findings(self, result: InspectionResult) -> tuple[Finding, ...]:
        return result.findings

    def record(self, source: InspectedData[Data], result: InspectionResult, cache: Cache) -> Mapping[str, Any]:
        return source.inspect(cache).record(result.findings)

    def script(self, source: InspectedData[Data], settings: Settings) -> str:
        shown = f"colour={settings.colour!r}" + (f", row={settings.row}" if settings.row is not None else "")
        shown += ", uncertainty=inspection.answer('uncertainty')" if settings.colour == "uncertainty" else ""
        chosen = "" if settings.feature_map == feature_specs()[0] else repr(settings.feature_map)
        maps = f"""
print(inspection.limits())
maps = inspection.maps({chosen})
frames |= maps.frames()
figures |= plot_maps(maps, inspection.dataset, {shown}, raw=inspection.raw)
"""
        maps = "" if source.asked else maps
        body = f"""
{_inspect(source)}

findings = by_severity(inspection.findings())
print(*inspection.notes(), *findings, sep="\\n")

frames = {{"findings": findings_frame(findings)}}
figures = {{"findings": plot_findings(findings)}}
{maps}
for picture in inspection.pictures():
    frames[picture.name], figures[picture.name] = picture.frame(), picture.figure()
for figure in figures.values():
    figure.show()
"""
        uses: list[Any] = [datasets, Inspection, by_severity, findings_frame, plot_findings]
        uses += [] if source.asked else [plot_maps]
        uses += [MapSpec, settings.feature_map.cls] if chosen and not source.asked else []
        return script.write("What do random features say about these data?", body, uses)

    def finding_script(self, source: InspectedData[Data], key: str, cache: Cache) -> str:
        """Return a script that computes and draws what one finding rests on; empty if its sentence is all.

        Parameters
        ----------
        source : InspectedData[Data]
        key : str
            The short name of the question.
        """
        inspection = source.inspect(cache)
        question = inspection.question(key)
        result = inspection.shown(question)
        if result is None:
            return ""
        plots = [picture.plot for picture in question.pictures(result)]
        lines = [
            _inspect(source),
            "",
            f"result = inspection.answer({key!r})",
            "print(result.to_frame().to_string(max_rows=60))",
        ]
        lines += [f"{plot.__name__}(result).show()" for plot in plots]
        title = f"{question.name}, of a quick inspection."
        return script.write(title, "\n".join(lines), [datasets, Inspection, *plots])

    def maps(self, source: InspectedData[Data], settings: Settings, cache: Cache) -> tuple[MapExport, ...]:
        scaling = Scaling(source.dataset.X, scaling_of(source.dataset, source.normalise))
        X, all_rows = scaling(source.dataset.X), all_rows_of(source.dataset, scaling)
        labels = source.dataset.labels()
        specs = feature_specs(source.seed, settings.feature_map)
        return tuple(MapExport(spec.cls.label, spec.make(), X, all_rows, labels) for spec in specs)


def _axes_of(data: Data, panel: Panel) -> tuple[Data, tuple[str, ...]]:
    """Ask for two columns as the axes of the first map, and return the data, without them if they are left out."""
    origin = data.dataset.origin
    if origin is None or data.dataset.image_shape:
        return data, ()
    table = origin.table
    names = [name for name in table.names if table.kind(name) == NUMBER and name != origin.preparation.label][:_MENU]
    if len(names) < 2:
        return data, ()
    titles = {AUTOMATIC: "Principal component"} | {name: str(table.own_name(name)) for name in names}
    help = (
        "What runs across the first picture: a column of your file, such as a projection that you computed elsewhere. "
        "The next choice is what runs up."
    )
    across = panel.choice("across", [AUTOMATIC, *names], AUTOMATIC, "First picture, across", help, titles)
    if across == AUTOMATIC:
        return data, ()
    others = [name for name in names if name != across]
    following = [name for name in names[names.index(across) :] if name != across]
    help = "What runs up the first picture."
    up = panel.choice("up", others, (following or others)[0], "First picture, up", help, titles)
    axes = (across, up)
    if panel.control(APART):
        data = replace(data, dataset=without(data.dataset, axes), values=(*data.values, ("without", axes)))
    return data, axes


def shown_uncertainty(inspection: Inspection, colour: str) -> IntervalResult | SetResult | None:
    """Return what the colour "uncertainty" shows; None for another colour, or if it cannot be computed."""
    if colour == "uncertainty":
        with suppress(RfvizError):  # the findings say why
            return inspection.answer("uncertainty")
    return None


def _inspect(source: InspectedData[Data]) -> str:
    """Return the lines that load the data and begin to inspect them."""
    compared = f", compare={source.compare!r}" if source.compare != AUTOMATIC else ""
    compared += f", only={','.join(source.asked)!r}" if source.asked else ""
    compared += f", also={','.join(source.also)!r}" if source.also else ""
    compared += f", axes={source.axes!r}" if source.axes else ""
    made = f"inspection = Inspection(dataset, {source.normalise!r}, seed={source.seed}{compared})"
    return f"{script.load_data(source.data)}\n{made}"


def _colours(dataset: Dataset) -> dict[str, str]:
    """Return what points can be coloured by, and the words for it."""
    options = {}
    if dataset.y is not None:
        options["label"] = "label" if dataset.target_names else "target"
        options["uncertainty"] = "possible classes" if dataset.target_names else "half-width of intervals"
    if dataset.order is not None:
        options["order"] = "given order"
    if dataset.image_shape:
        options["brightness"] = "brightness"
    else:
        options |= {f"c{column + 1}": column_name(dataset, column) for column in range(min(dataset.n_features, _MENU))}
    return options | {"none": "nothing"}


def _row_control(n: int) -> Control:
    help = (
        "The row of the file that is shown below the maps; 1 is the first below the names of the columns, 0 shows "
        "none. A click on a point does the same."
    )
    return Control("row", "number", 0, Param("row", 0, "int", 0, n).clamp, "Row", help, low=0, high=n)


PAGE = QuickInspection()
