"""Labels that the other rows contradict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rfviz.analysis.label_errors import LabelErrors, find_label_errors
from rfviz.datasets import Dataset
from rfviz.errors import DataError
from rfviz.lab.quick_inspection.sample import Sample
from rfviz.progress import Progress, silent

__all__ = ["LabelResult", "inspect_labels"]

_FEWEST_ROWS = 40
# Of images; the library by itself takes up to 6,000, and a minute longer.
_IMAGE_FEATURES = 3000
# Doubtful rows that are listed, contradicted or not.
_LISTED = 100


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
        return pd.DataFrame({
            "row": self.rows + 1, "label": self.given, "like the rows of": self.proposed, "margin": self.margins,
            "contradicted": np.arange(len(self.rows)) < self.n_contradicted,
        })  # fmt: skip


def inspect_labels(dataset: Dataset, sample: Sample, progress: Progress = silent) -> LabelResult:
    """Look for rows whose class the other rows of a sample contradict.

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
    order = np.argsort(found.margins, kind="stable")[: _LISTED + len(found.rows)]
    is_other = (found.margins[order] < 0) & ~np.isin(order, found.rows) & ~np.isin(y[order], found.unclear)
    doubtful = np.concatenate([found.rows, order[is_other]])[: max(_LISTED, len(found.rows))]
    given, proposed, unclear = (
        tuple(dataset.target_names[code] for code in codes)
        for codes in (y[doubtful], found.likely[doubtful], found.unclear)
    )
    return LabelResult(
        len(found.rows), sample.rows[doubtful], sample.places[doubtful], given, proposed, found.margins[doubtful],
        unclear, len(np.unique(y)), len(y), y, found,
    )  # fmt: skip
