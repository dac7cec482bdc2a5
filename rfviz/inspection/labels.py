"""Labels that the other rows contradict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from rfviz.analysis.label_errors import LabelErrors, find_label_errors
from rfviz.datasets import Dataset
from rfviz.errors import DataError
from rfviz.figures.template import COLOURS, styled
from rfviz.figures.traces import trace
from rfviz.inspection.drawing import HEIGHT
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.sample import LACKING, Sample, mostly_filled
from rfviz.inspection.words import plural, sentences, share, some_of
from rfviz.progress import Progress, silent
from rfviz.words import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["LabelResult", "Labels", "inspect_labels", "plot_labels"]

_FEWEST_ROWS = 40
# Of images; the library by itself takes up to 6,000, and a minute longer.
_IMAGE_FEATURES = 3000
# Doubtful rows that are listed, contradicted or not.
_LISTED = 100
# Shares of single wrong labels that would be recognised: hardly any, and nearly all.
_HARDLY, _NEARLY_ALL_FOUND = 0.1, 0.9


@dataclass(frozen=True, eq=False)
class LabelResult:
    """Rows whose label is doubtful: those that are contradicted, the most certain first, then the others.

    Attributes
    ----------
    n_contradicted : int
        Rows whose label is contradicted.
    rows, places : ndarray of int
        Their numbers in the file, from 0, and their places in the data set.
    given, proposed : tuple of str
        Their labels, and those of the rows that they are most like.
    margins : ndarray of float
        How much less their own label suits them than the proposed one, below 0; −2 is a typical row of the latter.
    unclear : tuple of str
        Labels of which no single row can be called wrong.
    n_classes, n_rows : int
        Classes, and rows that were looked at.
    y : ndarray of int, shape (n_rows,)
        Their labels.
    errors : LabelErrors
        Of all rows that were looked at.
    """

    n_contradicted: int
    rows: np.ndarray
    places: np.ndarray
    given: tuple[str, ...]
    proposed: tuple[str, ...]
    margins: np.ndarray
    unclear: tuple[str, ...]
    n_classes: int
    n_rows: int
    y: np.ndarray
    errors: LabelErrors

    def to_frame(self) -> pd.DataFrame:
        """Return one row per doubtful label, counted from 1."""
        return pd.DataFrame(
            {
                "row": self.rows + 1,
                "label": self.given,
                "like the rows of": self.proposed,
                "margin": self.margins,
                "contradicted": np.arange(len(self.rows)) < self.n_contradicted,
            }
        )

    def margin_frame(self) -> pd.DataFrame:
        """Return how well the label of each row suits it."""
        margins = self.errors.margins
        return pd.DataFrame({"margin": margins, "contradicted": np.isin(np.arange(len(margins)), self.errors.rows)})


def inspect_labels(
    dataset: Dataset, sample: Sample, progress: Progress = silent, lacking: np.ndarray | None = None
) -> LabelResult:
    """Look for rows whose class the other rows of a sample contradict.

    Parameters
    ----------
    lacking : ndarray of bool, optional
        Which rows of the sample hold next to nothing, so that no label of theirs is told.

    Raises
    ------
    DataError
        Where there are too few rows, or fewer than two classes.
    """
    y = dataset.y
    if y is None or len(sample.places) < _FEWEST_ROWS:
        raise DataError(f"Wrong labels are looked for among at least {_FEWEST_ROWS} rows; here are {len(sample.rows)}.")
    y = y[sample.places]
    if len(np.unique(y)) < 2:
        raise DataError("All rows that were looked at have the same label.")
    progress(0.1, "Comparing each label with the other rows")
    width = _IMAGE_FEATURES if dataset.image_shape else None
    found = find_label_errors(sample.X, y, width, image_shape=dataset.image_shape)
    lacking = np.zeros(len(y), dtype=bool) if lacking is None else lacking
    if (told := lacking[found.rows]).any():
        again = None if found.again is None else found.again[~told]
        kept = (values[~told] for values in (found.rows, found.given, found.proposed))
        found = replace(found, **dict(zip(("rows", "given", "proposed"), kept, strict=True)), again=again)
    order = np.argsort(found.margins, kind="stable")[: _LISTED + len(found.rows)]
    is_other = (found.margins[order] < 0) & ~np.isin(order, found.rows) & ~np.isin(y[order], found.unclear)
    is_other &= ~lacking[order]
    doubtful = np.concatenate([found.rows, order[is_other]])[: max(_LISTED, len(found.rows))]
    given, proposed, unclear = (
        tuple(dataset.target_names[code] for code in codes)
        for codes in (y[doubtful], found.likely[doubtful], found.unclear)
    )
    return LabelResult(
        len(found.rows),
        sample.rows[doubtful],
        sample.places[doubtful],
        given,
        proposed,
        found.margins[doubtful],
        unclear,
        len(np.unique(y)),
        len(y),
        y,
        found,
    )


class Labels(Question[LabelResult]):
    """Which labels the other rows contradict."""

    name, key = "Label errors", "labels"
    cost = 4
    leaves_out = "rows"
    settings = ("normalise",)
    formats: ClassVar = {"margin": "%.2f"}
    method = (
        "**Label errors.** Ridge regression scores each class, and each row is scored by the fit to all other rows: "
        "of up to 2,000 rows with a Gaussian kernel, so that no draw decides which rows are told, of more on four "
        "draws of 500 random Fourier features, whose scores are averaged: the finding says how many of the labels "
        "other draws would tell. Of images random convolutions are drawn once: of 1,797 digits with 2 or 10% wrong "
        "labels two draws tell 97 to 99% the same ones. A label is contradicted if another class "
        "suits the row better, by as much as that class suits its own rows better than all others. Nothing is said "
        "about classes that overlap: their rows lie among each other at every margin, fewer at larger ones, while "
        "wrong labels have large margins. Many wrong labels look like an overlap, and then none is named. A row "
        "that lacks more than half of its columns is not named: what stands there was filled in. Since the "
        "score of a row does not know its own label, the share of single wrong labels that would be recognised is "
        "known: that of the rows that would be contradicted if they had the label of the next best class. For numbers "
        "to predict, a residual of such a fit counts if normal noise brings a larger one in only one of a hundred "
        "tables, given the leverage of the row, and if hardly any other residual comes close."
    )

    kinds: ClassVar = {
        "contradicted labels": (
            "Rows whose label the others contradict, of `classes`. Scores: ridge regression of ±1 for each class, "
            "each row by the fit to all others. Of up to 2,000 rows with the kernel exp(−γδ²), γ = 1/M² as in "
            "“width”; of more on 500 random Fourier features of it, the mean of four draws; of images on 3,000 random "
            "convolutions. If d < n/4, also on indicators of the most frequent value of each feature of more than two "
            "that 25 to 75% of the rows have, over the root of their number. Penalty: of 15, 1e-6 to 10 on a "
            "logarithmic scale, times the mean sum of squares of a centred feature (of a kernel: the mean eigenvalue, "
            "once its features are centred), the one with the least leave-one-out error. A label is contradicted if "
            "another class has a larger score, by as much as that class’s own rows have more than of any other on "
            "average (usual margin; half of it if at most 5% of the class, and fewer than half of those beyond, lie "
            "within that half), if neither class is overlapping, and more rows of this pair are contradicted than lie "
            "between half and whole." + LACKING
        ),
        "contradicted label": (
            "Of one of these rows the class with the largest score but for its `label`. `margin`: the score of the "
            "label less that."
        ),
        "recognised share": (
            "The share of the rows that would be contradicted if they had the label of the next best class."
        ),
        "overlapping classes": (
            "Classes in which more than 10% of the rows score higher for another class without being contradicted, or "
            "k rows do with k + √k above 45% of the class, or all classes if k + √k is above 30% of all rows; and "
            "those of fewer than 5 rows. No row of theirs is called wrong."
        ),
        "share like another class": "The share of the rows of which another class has a larger score than their own.",
        "told by other draws": (
            "How many of the contradicted labels other draws of features contradict, about: on average over the means "
            "of two of the four draws, which differ from that of all four by as much as it does from that of endless "
            "draws. Only where four are drawn."
        ),
    }

    def applies(self, inspection: Inspection) -> bool:
        return bool(inspection.raw.target_names)

    def compute(self, inspection: Inspection) -> LabelResult:
        sample = inspection.sample()
        return inspect_labels(inspection.dataset, sample, inspection.progress, mostly_filled(inspection, sample.rows))

    def claims(self, result: LabelResult, inspection: Inspection) -> Iterator[Claim]:
        n, found, columns = result.n_rows, result.n_contradicted, inspection.raw.label_columns
        of = {"classes": result.n_classes} | inspection.rows.counts
        yield Claim("contradicted labels", found, columns, n, of=of, rows=result.rows[:found])
        for row, given, proposed, margin in zip(
            result.rows[:found], result.given, result.proposed, result.margins.tolist(), strict=False
        ):
            of = {"label": given, "margin": margin}
            yield Claim("contradicted label", proposed, columns, n, of=of, rows=np.array([row]))
        yield Claim("recognised share", result.errors.recognised, columns, n)
        yield Claim("overlapping classes", len(result.unclear), columns, n, of={"names": result.unclear})
        yield Claim("share like another class", float(np.mean(result.errors.margins < 0)), columns, n)
        if found and result.errors.again is not None:
            yield Claim("told by other draws", float(result.errors.again.sum()), columns, n, of={"of": found})

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        contradicted, unclear = claims[0], claims.of("overlapping classes")[0].of["names"]
        n, n_rows, n_classes = contradicted.value, contradicted.n_rows, contradicted.of["classes"]
        of, overlap = inspection.rows.of_all(n_rows), ""
        if unclear:
            which = some_of(n_classes, unclear, "classes")
            overlap = f"{which} {plural(len(unclear), 'overlaps', 'overlap')} with others"
        recognised = claims.value("recognised share")
        if not n:
            if len(unclear) == n_classes:
                amiss = share(claims.value("share like another class"))
                text = f"{amiss} of {n_rows:,} rows{of} are more like those of another class than like their own"
                return self.say(
                    "unknown",
                    f"{text}: the classes overlap, or seem to, for many labels are wrong. So single wrong labels "
                    "cannot be told from right ones.",
                )
            none = f"No label of {n_rows:,} rows{of} is contradicted by the other rows"
            if recognised < _HARDLY:
                why = overlap or "the classes lie too close to each other, or have too few rows"
                return self.say("unknown", f"{none}, but a single wrong label would hardly be, either: {why}.")
            said = [f"{none}; of single wrong labels about {share(recognised)} would be"]
            if overlap:
                said.append(f"{overlap}; wrong labels cannot be recognised there")
            return self.say("fine", sentences(said))
        first = claims.of("contradicted label")[0]
        row, given, proposed = first.rows[0] + 1, first.of["label"], first.value
        said = [
            f"{counted(n, 'label')} of {n_rows:,} rows{of} {plural(n, 'is', 'are')} contradicted by the other rows: "
            f"row {row:,} is “{given}”, but is like the rows of “{proposed}”",
            f"Look at {plural(n, 'this row', 'these rows')} first when you check labels",
        ]
        if again := claims.get("told by other draws"):
            said.append(_told_again(n, round(again.value)))
        if overlap:
            said.append(f"{overlap}; there may be more wrong labels there")
        elif recognised < _NEARLY_ALL_FOUND:
            said.append(f"There may be more: of single wrong labels about {share(recognised)} are recognised here")
        return self.say("look", sentences(said)).about(contradicted.rows, contradicted.columns)

    def pictures(self, result: LabelResult) -> Iterator[Picture]:
        words = "How well the labels suit their rows."
        explanation = (
            "The score of each row’s label less the best score of another class, both from all other rows. Left of 0 "
            "another class fits better."
        )
        yield Picture("labels", result, plot_labels, words, explanation, result.margin_frame)

    def note(self, result: LabelResult) -> str:
        none = "" if result.n_contradicted else "No label is contradicted. "
        if not len(result.rows):
            return f"{none}Its own label suits every row best."
        return (
            f"{none}The most doubtful first. A margin of −2: as unlike its own class as a typical row of the other one."
        )


def _told_again(n: int, n_again: int) -> str:
    """Say how many of the labels other draws of features would contradict."""
    if n_again == n:
        return f"Other random features would tell the same {plural(n, 'label', 'labels')}"
    if n == 1:
        return "Other random features would hardly tell it"
    return f"Other random features would tell about {n_again:,} of these {n:,}"


def plot_labels(result: LabelResult, revision: str = "") -> go.Figure:
    """Draw how well labels suit their rows: a histogram of margins, contradicted labels apart.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    margins = result.errors.margins
    is_wrong = np.zeros(len(margins), dtype=bool)
    is_wrong[result.errors.rows] = True
    edges = np.linspace(margins.min(), margins.max() if margins.max() > margins.min() else margins.min() + 1.0, 61)
    centres = 0.5 * (edges[1:] + edges[:-1])
    traces = []
    for chosen, name, colour, shape in (
        (~is_wrong, "other labels", COLOURS[0], ""),
        (is_wrong, "contradicted", COLOURS[1], "/"),
    ):
        counts = np.histogram(margins[chosen], edges)[0]
        traces.append(
            trace(
                "bar",
                x=centres,
                y=counts,
                width=np.diff(edges),
                name=name,
                marker={"color": colour, "line": {"width": 0}, "pattern": {"shape": shape}},
                hovertemplate="margin %{x:.2f}: %{y:,} rows<extra>" + name + "</extra>",
            )
        )
    return styled(
        traces, x="margin of the label", y="rows", height=HEIGHT, revision=revision, barmode="stack", bargap=0
    )
