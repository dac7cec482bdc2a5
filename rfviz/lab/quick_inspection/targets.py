"""Numbers to predict that the other rows contradict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.analysis.label_errors import TargetErrors, find_target_errors
from rfviz.datasets import Dataset
from rfviz.errors import DataError
from rfviz.lab.finding import Finding, unknown
from rfviz.lab.quick_inspection.raw import RowCounts
from rfviz.lab.quick_inspection.sample import Sample
from rfviz.lab.quick_inspection.text import count
from rfviz.progress import Progress, silent

__all__ = ["TargetResult", "describe", "inspect_targets"]

_NAME, _FEWEST_ROWS = "Label errors", 60


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
            {"row": self.rows + 1, "target": self.given, "as the other rows say": self.predicted,
             "times the usual difference": self.deviations}
        )  # fmt: skip


def inspect_targets(dataset: Dataset, sample: Sample, progress: Progress = silent) -> TargetResult:
    """Look for rows whose target the other rows of a sample contradict.

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
    rows = found.rows
    return TargetResult(
        sample.rows[rows], y[rows], found.predictions[rows], found.deviations[rows], found.n_outlying, len(y), y, found
    )


def describe(result: TargetResult, label: str | None, rows: RowCounts) -> Finding:
    """Describe numbers that the other rows contradict."""
    of = rows.of_all(result.n_rows)
    if not len(result.rows):
        if result.n_outlying:
            return unknown(
                _NAME,
                f"The target deviates from what the other rows say by very different amounts: of {result.n_rows:,} "
                f"rows{of} no single one can be called wrong.",
            )
        far, limit = float(np.abs(result.errors.deviations).max()), result.errors.limit
        return Finding(
            _NAME,
            "fine",
            f"No target of {result.n_rows:,} rows{of} is contradicted by the other rows: the farthest is off by "
            f"{far:.1f} times the usual difference; from {limit:.1f} times on one would be outlying.",
        )
    first = (
        f"row {result.rows[0] + 1:,} has {result.given[0]:.4g}, the rows like it suggest {result.predicted[0]:.4g} "
        f"({abs(result.deviations[0]):.0f} times the usual difference)"
    )
    n = len(result.rows)
    text = (
        f"{count(n, 'target')} of {result.n_rows:,} rows{of} {'is' if n == 1 else 'are'} contradicted by the other "
        f"rows: {first}. Look at {'this row' if n == 1 else 'these rows'} first when you check the target."
    )
    return Finding(_NAME, "look", text).about(result.rows, [label] if label else [])
