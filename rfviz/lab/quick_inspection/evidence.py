"""What a finding rests on: the part of the inspection that it is about, with pictures, numbers and Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rfviz.errors import RfvizError
from rfviz.experiments.base import Chart
from rfviz.lab.quick_inspection import figures
from rfviz.lab.quick_inspection.compute import Inspection
from rfviz.lab.quick_inspection.dependence import Dependence
from rfviz.lab.quick_inspection.drift import Drift
from rfviz.lab.quick_inspection.interactions import InteractionResult
from rfviz.lab.quick_inspection.labels import LabelResult
from rfviz.lab.quick_inspection.neighbours import DistanceResult
from rfviz.lab.quick_inspection.targets import TargetResult
from rfviz.lab.quick_inspection.text import count, share
from rfviz.lab.quick_inspection.uncertainty import IntervalResult, SetResult

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["EVIDENCE", "Evidence", "Picture", "evidence_charts", "evidence_of"]


def _own_frame(result: Any) -> pd.DataFrame:
    return result.to_frame()


def _uncertainty_frame(result: IntervalResult | SetResult) -> pd.DataFrame:
    if isinstance(result, IntervalResult):
        return result.to_frame(len(result.rows))
    return pd.DataFrame({"label": [result.classes[code] for code in result.given], "possible classes": result.values})


def _margins(result: LabelResult) -> pd.DataFrame:
    margins = result.errors.margins
    return pd.DataFrame({"margin": margins, "contradicted": np.isin(np.arange(len(margins)), result.errors.rows)})


def _residuals(result: TargetResult) -> pd.DataFrame:
    errors = result.errors
    return pd.DataFrame({
        "target": result.target, "as the other rows say": errors.predictions,
        "contradicted": np.isin(np.arange(result.n_rows), errors.rows),
    })  # fmt: skip


@dataclass(frozen=True)
class Picture:
    """A picture of a part.

    Attributes
    ----------
    name : str
        Of its file.
    plot : callable
        Draws the part's result; a second argument keeps the zoom while it stays the same.
    words : str
        What it shows, for those who cannot see it.
    explain : callable, optional
        Returns what one sees in it, of the result.
    shows : callable, optional
        Whether there is anything to draw, of the result.
    table : callable, optional
        Returns its numbers, of the result.
    """

    name: str
    plot: Callable[..., go.Figure]
    words: str
    explain: Callable[[Any], str] = lambda _: ""
    shows: Callable[[Any], bool] = lambda _: True
    table: Callable[[Any], pd.DataFrame] = _own_frame


@dataclass(frozen=True)
class Evidence:
    """What a finding rests on.

    Attributes
    ----------
    part : str
        The method of :class:`Inspection` that computes it; its result has a `to_frame`.
    pictures : tuple of Picture
    formats : mapping
        Of numbers, by their column.
    note : callable
        Returns what stands below the numbers, of the result.
    """

    part: str
    pictures: tuple[Picture, ...] = ()
    formats: Mapping[str, str] = field(default_factory=dict)
    note: Callable[[Any], str] = lambda _: ""

    def result(self, inspection: Inspection) -> Any:
        """Return the result; None where these data have none, or it has nothing to show.

        Raises
        ------
        RfvizError
            Where these data cannot answer.
        """
        result = getattr(inspection, self.part)()
        if result is None or not (any(picture.shows(result) for picture in self.pictures) or len(result.to_frame())):
            return None
        return result


def _explain_distances(result: DistanceResult) -> str:
    return (
        "Grey: distances between the rows. Curve: their distances after a random Fourier map with the width that the "
        f"median rule suggests (γ = {result.gamma_median:.3g}, σ = {(0.5 / result.gamma_median) ** 0.5:.3g}; the rule "
        f"“scale” gives {result.gamma_scale:.3g}). At {result.reach:.3g} the curve reaches nine tenths of its maximum. "
        f"{share(result.beyond)} of the pairs are farther apart: the map forgets their distance."
    )


def _explain_acting(result: InteractionResult) -> str:
    one, other = (result.names[column] for column in result.shown)
    return (
        f"“{one}” across and “{other}” up, each cut into twelve parts with about as many rows. If the two did not act "
        "together, all lines of cells would have the same pattern, lighter or darker."
    )


def _explain_importances(result: InteractionResult) -> str:
    return (
        "How much each column matters for what curves of single columns leave unexplained, in "
        f"{result.found.n_search:,} rows. Each round weighs the columns by their importance in the round before. "
        "Columns that act together stand out more and more; where there are none, chance decides."
    )


def _explain_uncertainty(result: Any) -> str:
    if isinstance(result, SetResult):
        return ""
    return (
        "Nine tenths of the rows lie between the dotted lines, which have one width, and also between the other lines, "
        "which are wider where the noise is larger. Each row is predicted by all others."
    )


def _drift_note(drift: Drift) -> str:
    first, second = (f"{part.name} ({count(len(part.rows), 'row')})" for part in (drift.first, drift.second))
    measures = "" if drift.images is None else (
        "Each image is measured by its brightness (mean), its contrast (standard deviation), and its coordinates along "
        "the directions in which the images vary most (principal components). "
    )  # fmt: skip
    return (
        f"Compared: {first} and {second}. {measures}Distance: the largest difference of the distribution functions of "
        "known values. "
        f"P-values are adjusted for the number of {drift.what}s."
    )


def _strengths(dependence: Dependence) -> pd.DataFrame:
    one, other = np.triu_indices(len(dependence.names), 1)
    names, result = np.array(dependence.names, dtype=object), dependence.result
    return pd.DataFrame({
        "column": names[one], "other column": names[other], "dependence": result.strength[one, other],
        "rank correlation": result.correlation[one, other],
    })  # fmt: skip


def _pair_rows(dependence: Dependence) -> pd.DataFrame:
    names, values = dependence.shown()
    columns = {}
    for name, column in zip(names, values.T, strict=True):
        words = dependence.words.get(name)
        columns[name] = column if words is None else [words[int(code)] if code >= 0 else None for code in column]
    return pd.DataFrame(columns)


def _has_pairs(dependence: Dependence) -> bool:
    return len(dependence.pairs) > 0


_SCORES = {"right labels": "%.4f", "R²": "%.4f"}

#: By the name of the finding. What has no entry is a sentence alone, or another page shows it.
EVIDENCE: dict[str, Evidence] = {
    "Rows and labels": Evidence(
        "balance",
        (Picture("balance", figures.plot_balance, "How many rows each class has, or each stretch of a target.",
                 explain=lambda r: "" if r.classes else "Rows by the number to predict."),),
        {"share": "percent"},
    ),
    "Columns": Evidence("columns"),
    "Missing values": Evidence(
        "missing",
        (Picture("missing", figures.plot_missing, "The share of the rows in which each column is empty.",
                 shows=lambda r: bool(r.shares)),),
        {"missing": "percent", "depends on the label": "%.2f"},
    ),
    "Odd values": Evidence(
        "odd_values",
        (Picture("odd", figures.plot_odd_values, "How many rows of each column hold odd values.",
                 shows=lambda r: any(len(odd.rows) for odd in r.found)),),
    ),
    "Leaks": Evidence(
        "leaks",
        (Picture("leaks", figures.plot_leaks, "How well single columns, or two, predict the label.",
                 shows=lambda r: bool(r.clues)),),
        _SCORES, lambda _: "How well single columns, or two, predict the label, cross-validated.",
    ),
    "Exact copies": Evidence("copies", (), {}, lambda _: "The largest groups of equal rows."),
    "Near copies": Evidence(
        "near_copies",
        (Picture("near", figures.plot_near_copies, "How far rows are from their nearest other row.",
                 lambda _: "Rows by the distance to their nearest different row. Left of the dotted line two rows are "
                 "nearer than by chance.", table=lambda r: r.nearest_frame()),),
        {"distance": "%.3g"},
        lambda r: f"The nearest different rows; a pair counts up to a distance of {r.threshold:.3g}.",
    ),
    "Distances": Evidence(
        "distances",
        (Picture("distances", figures.plot_distances, "Histogram of the distances of pairs, and the map’s distances.",
                 _explain_distances),),
        {"from": "%.3g", "to": "%.3g", "after the map, share of its largest": "%.3f"},
    ),
    "Dimension": Evidence(
        "dimension",
        (Picture("dimension", figures.plot_dimension, "The distribution of the ratio of the two nearest distances, "
                 "and lines of both estimates.",
                 lambda _: "Each row’s distance to its second nearest row over that to its nearest. Where rows fill d "
                 "dimensions evenly, the dots follow a line of slope d. Maximum likelihood "
                 "looks at ten neighbours of each row; where its line leaves the dots, larger neighbourhoods look "
                 "different from small ones.", table=lambda r: r.ratio_frame()),),
        {"dimension": "%.2f", "standard error": "%.2f"},
        lambda r: f"From {r.n_rows:,} different rows.",
    ),
    "Outliers": Evidence(
        "outliers",
        (Picture("outliers", figures.plot_outliers, "The outlier factor of each row, the largest first.",
                 lambda r: "How many times sparser the surroundings of a row are than those of its nearest rows. Above "
                 f"the limit of {r.limit:.3g} a row is an outlier: chance hardly brings such a factor.",
                 table=lambda r: r.to_frame(len(r.rows))),),
        {"outlier factor": "%.3g", "to its nearest row": "%.3g", "to its 20th nearest": "%.3g"},
        lambda _: "The most outlying rows, counted from 1.",
    ),
    "Label errors": Evidence(
        "labels",
        (Picture("labels", figures.plot_labels, "How well the labels suit their rows.",
                 lambda r: "The score of each row’s label less the best score of another class, both from all other "
                 "rows. Left of 0 another class fits better.", table=_margins),),
        {"margin": "%.2f"},
        lambda r: ("" if r.n_contradicted else "No label is contradicted. ") + (
            "The most doubtful first. A margin of −2: as unlike its own class as a typical row of the other one."
            if len(r.rows) else "Its own label suits every row best."
        ),
    ),
    "Ordered labels": Evidence("ordered", (), {"next is a neighbour": "percent", "by chance": "percent"}),
    "Uncertainty": Evidence(
        "uncertainty",
        (Picture("uncertainty", figures.plot_uncertainty,
                 "How far off predictions of each row by all others are, or which classes they leave open.",
                 _explain_uncertainty, table=_uncertainty_frame),),
        dict.fromkeys(["target", "predicted", "half-width"], "%.4g"),
        lambda r: "Rows that can have several classes, counted from 1." if isinstance(r, SetResult)
        else "The rows with the widest intervals, counted from 1.",
    ),
    "Linear or not": Evidence(
        "structure",
        (Picture("structure", figures.plot_structure,
                 "Scores of random features against their number, and of a linear model."),),
        {"standard error": "%.4f"} | _SCORES,
        lambda r: f"Cross-validated on {r.n_rows:,} rows in {r.n_folds} parts.",
    ),
    "Interactions": Evidence(
        "interactions",
        (Picture("interactions", figures.plot_acting, "The label by two columns that act together, in cells of about "
                 "as many rows each way.", _explain_acting, lambda r: bool(r.shown), lambda r: r.surface_frame()),
         Picture("importances", figures.plot_importances, "Importance of columns to what single columns leave "
                 "unexplained, by round of the search.", _explain_importances)),
    ),
    "Unseen groups and times": Evidence(
        "splits",
        (Picture("groups", figures.plot_splits, "The score of one model with several ways to split the rows.",
                 lambda _: "The same model, tested on rows at random, and on groups or stretches of rows that it has "
                 "not seen. The difference shows how optimistic random folds are."),),
        {"score": "%.4f", "lost": "%.4f", "standard error": "%.4f"},
    ),
    "Dependence": Evidence(
        "dependence",
        (Picture("dependence", figures.plot_dependence, "How strongly each pair of columns depends on each other.",
                 lambda _: "The stronger the colour, the more two columns depend on each other.", table=_strengths),
         Picture("pair", figures.plot_pair, "Rows in the two columns that depend most without correlating, or else "
                 "most.", shows=_has_pairs, table=_pair_rows)),
        {"dependence": "%.3f", "rank correlation": "%.3f", "p-value": "%.2g"},
        lambda r: "Dependence: how well the better known one of two columns follows from the other, from 0 to 1. Pairs "
        "that hardly correlate come first. P-values are adjusted for the number of pairs."
        if _has_pairs(r) else "No two columns depend clearly on each other.",
    ),
    "Drift": Evidence(
        "drift",
        (Picture("drift", figures.plot_drift, "What differs most between the two parts, drawn for both.",
                 shows=lambda r: bool(r.pictured.shown()[0])),),
        {"distance": "%.3f", "p-value": "%.4f", "missing in the first": "percent", "missing in the second": "percent"},
        _drift_note,
    ),
}  # fmt: skip
_TARGETS = Evidence(
    "targets",
    (Picture("labels", figures.plot_targets, "Each target against what the other rows say of it.",
             lambda _: "Each row is predicted by all others. Far off the diagonal the number is contradicted.",
             table=_residuals),),
    {"target": "%.4g", "as the other rows say": "%.4g", "times the usual difference": "%.2f"},
    lambda r: "The most certain first." if len(r.rows) else "No target is contradicted.",
)  # fmt: skip


def evidence_of(name: str, inspection: Inspection) -> tuple[Evidence, Any] | None:
    """Return what a finding rests on, and its result; None where its sentence is all.

    Parameters
    ----------
    name : str
        Of the finding.
    inspection : Inspection
    """
    dataset, evidence = inspection.source.dataset, EVIDENCE.get(name)
    if name == "Label errors" and not dataset.target_names:
        evidence = _TARGETS
    if evidence is None or (dataset.image_shape and name == "Columns"):  # pixels are counted, not listed
        return None
    try:
        result = evidence.result(inspection)
    except RfvizError:  # the finding says why
        return None
    return None if result is None else (evidence, result)


def evidence_charts(inspection: Inspection) -> Iterator[Chart]:
    """Yield the pictures of all findings that the data have, with their numbers.

    Parameters
    ----------
    inspection : Inspection
    """
    for name in inspection.questions():
        found = evidence_of(name, inspection)
        if found is None:
            continue
        evidence, result = found
        for picture in evidence.pictures:
            if picture.shows(result):
                plot, table = partial(picture.plot, result), partial(picture.table, result)
                yield Chart(picture.name, plot, table, picture.words, picture.explain(result), on_page=False)
