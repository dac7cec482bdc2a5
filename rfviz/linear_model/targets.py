"""Targets for ridge regression: ±1 codes of classes, or numbers; and predictions back from scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz.errors import DataError

__all__ = ["Targets"]


@dataclass(frozen=True, eq=False)
class Targets:
    """Conversion of labels to columns of numbers and back.

    Attributes
    ----------
    classes : ndarray or None
        The labels, sorted; None for regression.
    n_columns : int
        Columns of the codes: one a class, or one a regression target.
    one_dimensional : bool
        Whether regression targets came, and predictions go, as a vector.
    """

    classes: np.ndarray | None
    n_columns: int
    one_dimensional: bool = True

    @classmethod
    def learn(cls, y: Any, labels: bool = False) -> Targets:
        """Decide from `y`, shape (n,) or (n, k), whether it holds classes or numbers.

        Floating-point numbers are regression targets, even where all happen to be whole, unless they are said to be
        `labels`; integers, booleans and text are classes.

        Raises
        ------
        DataError
            For a single class, missing values, or columns of classes.
        """
        y = np.asarray(y)
        if y.dtype.kind == "f" and not labels:
            if not np.isfinite(y).all():
                raise DataError(
                    f"y must be finite; {int((~np.isfinite(y)).sum())} of its values are not. Drop those rows."
                )
            return cls(None, 1 if y.ndim == 1 else y.shape[1], y.ndim == 1)
        if y.ndim != 1:
            raise DataError(f"Class labels must be one a sample; y has the shape {y.shape}. Give a vector.")
        classes = np.unique(y)
        if len(classes) < 2:
            raise DataError(
                f"Classification needs at least two classes; y holds only {classes.tolist()[0]!r}. Use other data."
            )
        return cls(classes, len(classes))

    def codes(self, y: Any) -> np.ndarray:
        """Encode as shape (n, n_columns), float64: +1 in the column of the class and −1 elsewhere, or the numbers."""
        y = np.asarray(y)
        if self.classes is None:
            return y.reshape(len(y), self.n_columns).astype(np.float64)
        place = np.minimum(np.searchsorted(self.classes, y), len(self.classes) - 1)
        codes = np.where(np.arange(self.n_columns) == place[:, None], 1.0, -1.0)
        codes[self.classes[place] != y] = -1.0  # a label that was not there in training
        return codes

    def known_codes(self, y: Any) -> np.ndarray:
        """Return :meth:`codes` of a part of the rows.

        Raises
        ------
        DataError
            For a label that is not among the classes, or another number of columns.
        """
        y = np.asarray(y)
        if self.classes is None:
            if y.dtype.kind not in "fiub" or (1 if y.ndim == 1 else y.shape[1]) != self.n_columns:
                raise DataError(
                    f"y must be numbers in {self.n_columns} columns, as in the first part; here it has the shape "
                    f"{y.shape} and the type {y.dtype}. Give parts of the same table."
                )
            return self.codes(y)
        if y.ndim != 1:
            raise DataError(f"Class labels must be one a sample; y has the shape {y.shape}. Give a vector.")
        late = y[~np.isin(y, self.classes)]
        if len(late):
            raise DataError(
                f"The label {late[0]!s} is not among the {len(self.classes)} classes that were given with the first "
                "rows. Give all classes there."
            )
        return self.codes(y)

    def predictions(self, scores: np.ndarray) -> np.ndarray:
        """Return labels or numbers from scores of shape (n, n_columns)."""
        if self.classes is not None:
            return self.classes[np.argmax(scores, axis=1)]
        return scores[:, 0] if self.one_dimensional else scores

    def errors(self, scores: np.ndarray, y: Any) -> np.ndarray:
        """Return each sample's loss, shape (n,): 1 for a wrong class and 0 for the right one, or the squared error."""
        if self.classes is not None:
            return (self.predictions(scores) != np.asarray(y)).astype(np.float64)
        return np.mean((scores - self.codes(y)) ** 2, axis=1)
