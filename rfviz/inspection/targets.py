"""Numbers to predict that the other rows contradict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd

from rfviz.analysis.label_errors import TargetErrors, find_target_errors
from rfviz.datasets import Dataset
from rfviz.errors import DataError
from rfviz.figures.template import COLOURS, SYMBOLS, rgba, styled
from rfviz.figures.traces import trace
from rfviz.inspection.drawing import HEIGHT, MOST_POINTS
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.sample import LACKING, Sample, mostly_filled
from rfviz.inspection.words import plural
from rfviz.progress import Progress, silent
from rfviz.words import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["TargetResult", "Targets", "inspect_targets", "plot_targets"]

_FEWEST_ROWS = 60


@dataclass(frozen=True, eq=False)
class TargetResult:
    """Rows whose number is contradicted, the most certain first.

    Attributes
    ----------
    rows : ndarray of int
        Their numbers in the file, from 0.
    given, predicted, deviations : ndarray of float
        Their targets, what the other rows say, and the difference over its usual size.
    n_outlying : int
        Residuals that are outlying; of a heavy tail none is an error.
    n_rows : int
        Rows that were looked at.
    target : ndarray of shape (n_rows,)
        Their targets.
    errors : TargetErrors
        Of all of them.
    """

    rows: np.ndarray
    given: np.ndarray
    predicted: np.ndarray
    deviations: np.ndarray
    n_outlying: int
    n_rows: int
    target: np.ndarray
    errors: TargetErrors

    def to_frame(self) -> pd.DataFrame:
        """Return one row per contradicted number, counted from 1."""
        return pd.DataFrame(
            {
                "row": self.rows + 1,
                "target": self.given,
                "as the other rows say": self.predicted,
                "times the usual difference": self.deviations,
            }
        )

    def residual_frame(self) -> pd.DataFrame:
        """Return each target with what the other rows say of it."""
        return pd.DataFrame(
            {
                "target": self.target,
                "as the other rows say": self.errors.suggested,
                "contradicted": np.isin(np.arange(self.n_rows), self.errors.rows),
            }
        )


def inspect_targets(
    dataset: Dataset, sample: Sample, progress: Progress = silent, lacking: np.ndarray | None = None
) -> TargetResult:
    """Look for rows whose target the other rows of a sample contradict.

    Parameters
    ----------
    lacking : ndarray of bool, optional
        Which rows of the sample hold next to nothing, so that no target of theirs is told.

    Raises
    ------
    DataError
        Where there are too few rows, or the target is the same in all.
    """
    y = dataset.y
    if y is None or len(sample.places) < _FEWEST_ROWS:
        raise DataError(
            f"Wrong numbers are looked for among at least {_FEWEST_ROWS} rows; here are {len(sample.rows)}."
        )
    y = y[sample.places]
    if not np.ptp(y) > 0:
        raise DataError("The target is the same number in every row.")
    progress(0.1, "Comparing each target with the other rows")
    found = find_target_errors(sample.X, y)
    if lacking is not None and lacking.any():
        n_left = int((np.abs(found.deviations) > found.limit)[lacking].sum())
        deviations = np.where(lacking, 0.0, found.deviations)
        rows = found.rows[~lacking[found.rows]]
        found = replace(found, rows=rows, deviations=deviations, n_outlying=found.n_outlying - n_left)
    rows = found.rows
    return TargetResult(
        sample.rows[rows], y[rows], found.suggested[rows], found.deviations[rows], found.n_outlying, len(y), y, found
    )


class Targets(Question[TargetResult]):
    """Which numbers to predict the other rows contradict."""

    name, key = "Label errors", "labels"
    cost = 4
    leaves_out = "rows"
    settings = ("normalise",)
    formats: ClassVar = {"target": "%.4g", "as the other rows say": "%.4g", "times the usual difference": "%.2f"}

    kinds: ClassVar = {
        "contradicted targets": (
            "Rows whose number the others contradict: outlying residuals, if they are at most 5% of rows (or 3) and "
            "more than twice as many as those off by 0.8 to 1 times the limit (also if over the first median below "
            "alone). Predictions: ridge regression as in the finding on labels, and if d < n/4 also on the d scaled "
            "columns over √d. "
            "`scale` “shares”: of a skewed or heavy-tailed target rank/n is predicted." + LACKING
        ),
        "contradicted target": (
            "Of one of these rows the prediction by all others, where its own is `target`. `deviation`: the residual "
            "times √(1 − leverage), r, over 1.4826 times the larger one of the median of |r − median of r| and the "
            "median of |r| of the 30 rows about it in the order of predictions. Two fits: in the second, targets that "
            "are outlying in the first are replaced by their predictions."
        ),
        "outlying residuals": (
            "Rows with a deviation beyond `least`, the normal deviate that 0.01/(2n) exceed: noise does so in one of a "
            "hundred tables." + LACKING
        ),
        "largest deviation": "The largest deviation of all rows, in size." + LACKING,
    }

    def applies(self, inspection: Inspection) -> bool:
        return inspection.source.dataset.y is not None and not inspection.raw.target_names

    def compute(self, inspection: Inspection) -> TargetResult:
        sample = inspection.sample()
        return inspect_targets(inspection.dataset, sample, inspection.progress, mostly_filled(inspection, sample.rows))

    def claims(self, result: TargetResult, inspection: Inspection) -> Iterator[Claim]:
        n, columns, errors = result.n_rows, inspection.raw.label_columns, result.errors
        of = inspection.rows.counts | {"scale": "shares" if errors.suggested is not errors.predictions else "numbers"}
        yield Claim("contradicted targets", len(result.rows), columns, n, of=of, rows=result.rows)
        for row, given, predicted, deviation in zip(
            result.rows, result.given.tolist(), result.predicted.tolist(), result.deviations.tolist(), strict=True
        ):
            of = {"target": given, "deviation": deviation}
            yield Claim("contradicted target", predicted, columns, n, of=of, rows=np.array([row]))
        yield Claim("outlying residuals", result.n_outlying, columns, n, least=errors.limit)
        yield Claim("largest deviation", float(np.abs(errors.deviations).max()), columns, n)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        contradicted, outlying = claims[0], claims.of("outlying residuals")[0]
        n, n_rows = contradicted.value, contradicted.n_rows
        of = inspection.rows.of_all(n_rows)
        if not n:
            if outlying.value:
                return self.say(
                    "unknown",
                    f"The target deviates from what the other rows say by very different amounts: of {n_rows:,} "
                    f"rows{of} no single one can be called wrong.",
                )
            return self.say(
                "fine",
                f"No target of {n_rows:,} rows{of} is contradicted by the other rows: the farthest is off by "
                f"{claims.value('largest deviation'):.1f} times the usual difference; from {outlying.least:.1f} times "
                "on one would be outlying.",
            )
        first = claims.of("contradicted target")[0]
        said = (
            f"row {first.rows[0] + 1:,} has {first.of['target']:.4g}, the rows like it suggest {first.value:.4g} "
            f"({abs(first.of['deviation']):.0f} times the usual difference)"
        )
        text = (
            f"{counted(n, 'target')} of {n_rows:,} rows{of} {plural(n, 'is', 'are')} contradicted by the other "
            f"rows: {said}. Look at {'this row' if n == 1 else 'these rows'} first when you check the target."
        )
        return self.say("look", text).about(contradicted.rows, contradicted.columns)

    def pictures(self, result: TargetResult) -> Iterator[Picture]:
        words = "Each target against what the other rows say of it."
        explanation = "Each row is predicted by all others. Far off the diagonal the number is contradicted."
        yield Picture("labels", result, plot_targets, words, explanation, result.residual_frame)

    def note(self, result: TargetResult) -> str:
        return "The most certain first." if len(result.rows) else "No target is contradicted."


def plot_targets(result: TargetResult, revision: str = "") -> go.Figure:
    """Draw each target against what the other rows say, contradicted ones apart.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    is_wrong = np.zeros(result.n_rows, dtype=bool)
    is_wrong[result.errors.rows] = True
    others = np.flatnonzero(~is_wrong)
    others = others[np.unique(np.linspace(0, len(others) - 1, min(len(others), MOST_POINTS)).astype(int))]
    traces = [
        trace(
            "scatter",
            x=result.errors.suggested[rows],
            y=result.target[rows],
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": size},
            hovertemplate="predicted %{x:.4g}, target %{y:.4g}<extra>" + name + "</extra>",
        )
        for rows, name, colour, symbol, size in (
            (others, "other rows", rgba(COLOURS[0], 0.5), SYMBOLS[0], 6),
            (np.flatnonzero(is_wrong), "contradicted", COLOURS[1], SYMBOLS[1], 10),
        )
    ]
    return styled(traces, x="as the other rows say", y="target", height=HEIGHT, revision=revision)
