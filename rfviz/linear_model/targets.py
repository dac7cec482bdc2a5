"""Targets for ridge regression: ±1 codes of classes, or numbers; and predictions back from scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from rfviz.errors import DataError, warn

__all__ = ["Targets", "as_labels", "as_numbers", "is_numbers", "warn_of_amounts"]

# Whole numbers are doubted to be labels where there are more of them than this, and than a tenth of the rows.
_MANY_CLASSES = 30


@dataclass(frozen=True, eq=False)
class Targets:
    """Conversion of labels to columns of numbers and back.

    Attributes
    ----------
    classes : ndarray or None
        The labels, sorted; None for regression.
    n_columns : int
        Columns of the codes: one a class, a single one for two classes, or one a regression target.
    one_dimensional : bool
        Whether regression targets came, and predictions go, as a vector.
    """

    classes: np.ndarray | None
    n_columns: int
    one_dimensional: bool = True

    @classmethod
    def learn(cls, y: Any) -> Targets:
        """Decide from the type of `y`, shape (n,) or (n, k), whether it holds classes or numbers.

        Floating-point numbers are regression targets, even where all happen to be whole; integers, booleans and text
        are classes.

        Raises
        ------
        DataError
            For a single class, missing values, or columns of classes.
        """
        return cls.of_numbers(y) if is_numbers(y) else cls.of_labels(y)

    @classmethod
    def of_labels(cls, y: Any) -> Targets:
        """Return the codes of classes.

        Raises
        ------
        DataError
            For a single class, missing labels, several columns, or fractions.
        """
        classes = np.unique(as_labels(y))
        if len(classes) < 2:
            raise DataError(
                f"Classification needs at least two classes; y holds 1 class, {classes.tolist()[0]!r}. Use other data."
            )
        return cls(classes, 1 if len(classes) == 2 else len(classes))

    @classmethod
    def of_numbers(cls, y: Any) -> Targets:
        """Return the targets of regression.

        Raises
        ------
        DataError
            For anything but finite numbers.
        """
        y = as_numbers(y)
        return cls(None, 1 if y.ndim == 1 else y.shape[1], y.ndim == 1)

    def codes(self, y: Any) -> np.ndarray:
        """Encode as shape (n, n_columns), float64: +1 in the column of the class and −1 elsewhere, or the numbers.

        Two classes share a column, in which the second is +1.
        """
        y = np.asarray(y)
        if self.classes is None:
            return y.reshape(len(y), self.n_columns).astype(np.float64)
        y = y.reshape(len(y))
        place = np.minimum(np.searchsorted(self.classes, y), len(self.classes) - 1)
        columns = np.arange(self.n_columns) if self.n_columns > 1 else np.array([1])
        codes = np.where(columns == place[:, None], 1.0, -1.0)
        codes[self.classes[place] != y] = -1.0  # a label that was not there in training
        return codes

    def known_codes(self, y: Any) -> np.ndarray:
        """Return :meth:`codes` of a part of the rows.

        Raises
        ------
        DataError
            For a label that is not among the classes, or another number of columns.
        """
        if self.classes is None:
            y = as_numbers(y)
            if (1 if y.ndim == 1 else y.shape[1]) != self.n_columns:
                raise DataError(
                    f"y must have {self.n_columns} columns, as in the first part; here it has the shape {y.shape}. "
                    "Give parts of the same table."
                )
            return self.codes(y)
        y = as_labels(y)
        late = y[~np.isin(y, self.classes)]
        if len(late):
            raise DataError(
                f"The label {late[0]!s} is not among the {len(self.classes)} classes that were given with the first "
                "rows. Give all classes there."
            )
        return self.codes(y)

    def outputs(self, scores: np.ndarray) -> np.ndarray:
        """Return scores of shape (n, n_columns) as users get them: a vector for two classes, or for one target."""
        is_vector = self.n_columns == 1 and (self.classes is not None or self.one_dimensional)
        return scores[:, 0] if is_vector else scores

    def predictions(self, scores: np.ndarray) -> np.ndarray:
        """Return labels or numbers from scores of shape (n, n_columns), or from :meth:`outputs`."""
        scores = self.outputs(scores) if scores.ndim > 1 else scores
        if self.classes is None:
            return scores
        return self.classes[(scores > 0).astype(int) if scores.ndim == 1 else np.argmax(scores, axis=1)]

    def errors(self, scores: np.ndarray, y: Any) -> np.ndarray:
        """Return each sample's loss, shape (n,): 1 for a wrong class and 0 for the right one, or the squared error."""
        if self.classes is not None:
            return (self.predictions(scores) != np.asarray(y)).astype(np.float64)
        return np.mean((scores.reshape(len(scores), -1) - self.codes(y)) ** 2, axis=1)


def is_numbers(y: Any) -> bool:
    """Return whether the type of `y` is that of fractions, so that it is taken for regression targets.

    Nullable types count by what they hold: NumPy can store whole numbers with a gap as fractions only.
    """
    dtype = getattr(y, "dtype", None)
    if isinstance(dtype, pd.api.extensions.ExtensionDtype):
        return pd.api.types.is_float_dtype(dtype)
    return np.asarray(y).dtype.kind == "f"


def as_labels(y: Any) -> np.ndarray:
    """Return labels as an array of shape (n,).

    Raises
    ------
    DataError
        For missing labels, several columns, or fractions.
    """
    if y is None:
        raise DataError("y must hold labels, one a sample; it is None. Give fit(X, y).")
    try:
        labels = column_or_1d(np.asarray(y), warn=True)
        if labels.dtype == object:  # whole numbers, if they are all of it
            labels = pd.Series(labels).infer_objects().to_numpy()
    except ValueError:
        raise DataError(f"Class labels must be one a sample; y has the shape {np.shape(y)}. Give a vector.") from None
    missing = int(pd.isna(labels).sum()) if labels.dtype.kind in "Of" else 0
    if missing:
        raise DataError(f"{missing} of the {len(labels)} labels are missing (NaN or NA). Drop those rows.")
    try:
        check_classification_targets(labels)
    except ValueError as error:
        raise DataError(f"{str(error).rstrip('.')}. Use a regressor for numbers.") from None
    return labels


def as_numbers(y: Any) -> np.ndarray:
    """Return regression targets as float64, of shape (n,) or (n, k).

    Raises
    ------
    DataError
        For anything but finite numbers.
    """
    if y is None:
        raise DataError("y must hold numbers, one or more a sample; it is None. Give fit(X, y).")
    try:
        numbers = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("y must hold numbers; it holds words. Use a classifier for labels.") from None
    if numbers.ndim not in (1, 2):
        raise DataError(f"Targets must be one or more a sample; y has the shape {numbers.shape}. Give a vector.")
    if not np.isfinite(numbers).all():
        count = int((~np.isfinite(numbers)).sum())
        raise DataError(f"y must be finite; {count} of its values are not (NaN or infinite). Drop those rows.")
    return numbers


def warn_of_amounts(y: np.ndarray, targets: Targets) -> None:
    """Warn where labels look like whole numbers that are amounts: many, and not codes that count from 0 or 1."""
    if targets.classes is None or y.dtype.kind not in "iuf":
        return
    count = len(targets.classes)
    low, high = targets.classes[[0, -1]]
    if count > max(_MANY_CLASSES, len(y) // 10) and (low not in (0, 1) or high > 2 * count):
        warn(
            f"y holds {count} different whole numbers in {len(y)} rows, and each is taken for a class. "
            "If they are amounts, use RidgePathRegressor.",
            UserWarning,
        )
