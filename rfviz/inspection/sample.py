"""The rows that are inspected, scaled, and the rows nearest to one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rfviz.analysis.points import NORMALISATION, normalise
from rfviz.backend import check_memory
from rfviz.datasets import Dataset
from rfviz.features.draws import generator
from rfviz.inspection.finding import Claim
from rfviz.params import Param

if TYPE_CHECKING:
    from rfviz.inspection.inspection import Inspection

__all__ = [
    "FEATURES",
    "LACKING",
    "MAP_ROWS",
    "PREPARED",
    "SCALING",
    "WITHOUT_FAR",
    "WORK_ROWS",
    "Sample",
    "claim_of_features",
    "column_name",
    "mostly_filled",
    "nearest_rows",
    "of_rows",
    "scaling_of",
    "take_sample",
]

SCALING = Param(
    "normalise",
    "automatic",
    "choice",
    label="Normalise",
    choices=("automatic", *NORMALISATION.choices),
    help="How the rows are scaled before distances are measured. Automatic gives each column of a table mean 0 and "
    "variance 1, and leaves images as they are.",
)
#: Rows in the maps, and rows for the other questions, at most.
MAP_ROWS, WORK_ROWS = 1000, 10_000
#: How the rows of claims about distances are made, for :attr:`rfviz.inspection.question.Question.kinds`.
PREPARED = (
    "Rows: the `usable rows` of `all rows`, at most 10,000 (fewer of more than 400 features), drawn at random by this "
    "program, with the features that the finding on distances names. `scaling` “standardise”: each feature less its "
    "mean over these rows, over its population standard deviation, or if it stands for a word, over its range; “none”: "
    "as they are; “unit norm”: each row over its Euclidean norm."
)
#: How the columns of a file become features.
FEATURES = (
    "Features of `columns`, those of the file that have one. A column of numbers is one; of categories each word is "
    "one of zeros and ones: of two words the second by name, of more than `most words` all but the most frequent `most "
    "words` − 1 share the last. `gaps` “filled in”: with the median of the usable rows, or the most frequent word; "
    "else rows with gaps are dropped."
)
#: Rows of which no finding on single labels is made.
LACKING = " A row that lacks more than half of the columns of the features is never told."
#: The scaling of :func:`rfviz.inspection.neighbours.scaled_by_most`.
WITHOUT_FAR = (
    "A standardised feature that the finding on outliers names as “scaled without far values” is scaled by the mean "
    "and the population standard deviation of its other values."
)
# Of very wide data fewer rows are taken: this many numbers take about a second.
_CELLS = 4_000_000
_FEWEST = 300


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of a data set, scaled.

    Attributes
    ----------
    rows : ndarray of int, shape (n,)
        Their numbers in the file, from 0, rising.
    places : ndarray of int, shape (n,)
        Their places in the data set.
    X : ndarray of shape (n, d), float64
        Scaled.
    how : str
        The normalisation, see :data:`rfviz.analysis.points.NORMALISATION`.
    n_samples : int
        Rows of the whole data set.
    centre, spread : ndarray of shape (d,)
        Subtracted and divided by where columns are standardised, learnt from these rows; else 0 and 1.
    """

    name: str
    rows: np.ndarray
    places: np.ndarray
    X: np.ndarray
    how: str
    n_samples: int
    centre: np.ndarray
    spread: np.ndarray

    def scaled(self, X: np.ndarray) -> np.ndarray:
        """Return other rows in the same units, shape (k, d)."""
        if self.how == "standardise":
            return (X - self.centre) / self.spread
        return normalise(X, self.how)

    def place_of(self, row: int | None) -> int | None:
        """Return the place of a row of the file among these, or None if it is not there."""
        return next(iter(np.flatnonzero(self.rows == row).tolist()), None)


def mostly_filled(inspection: Inspection, rows: np.ndarray) -> np.ndarray:
    """Return which rows of a file lack more than half of the columns of the features, where values were filled in."""
    origin, gaps = inspection.source.dataset.origin, np.zeros(len(rows))
    if origin is None or inspection.has_images:
        return gaps > 0
    columns = dict.fromkeys(inspection.whole.sources)
    for name in columns:
        if origin.table.n_missing(name):
            gaps += origin.table.lacks([name])[rows]
    return gaps > 0.5 * len(columns)


def scaling_of(dataset: Dataset, how: str = "automatic") -> str:
    """Return the normalisation that a word of :data:`SCALING` means for these data."""
    how = SCALING.validate(how)
    if how != "automatic":
        return how
    return "none" if dataset.image_shape else "standardise"


def take_sample(
    dataset: Dataset,
    how: str = "automatic",
    most: int = WORK_ROWS,
    cells: int | None = None,
    is_word: np.ndarray | None = None,
    exact: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Sample:
    """Draw rows at random, all where there are few, and scale them.

    The rows of a smaller sample are among those of a larger one.

    Parameters
    ----------
    how : str
        See :data:`SCALING`.
    most : int
        Rows at most.
    cells : int, optional
        Numbers at most, which is fewer rows of very wide data.
    is_word : ndarray of bool, shape (d,), optional
        Columns of zeros and ones that stand for a word. Standardised, a rare word would lie farther off than any
        number; they keep the size that two different words have a distance of √2, as two usual numbers have.
    exact : callable, optional
        ``exact(places)`` gives rows of the data set in double precision.

    Raises
    ------
    DataError
        For rows of zeros under ``"unit norm"``.
    MemoryBudgetError
        Where the rows would not fit.
    """
    n, d = dataset.X.shape
    size = min(n, most, max((cells or _CELLS) // d, _FEWEST))
    check_memory(4 * 8 * size * d, "cpu", f"{size} rows of {d} columns", "Choose data with fewer columns.")
    places = np.arange(n) if size == n else np.sort(generator(0, 0).permutation(n)[:size])
    how = scaling_of(dataset, how)
    X = dataset.X[places].astype(np.float64) if exact is None else exact(places)
    centre, spread = np.zeros(d), np.ones(d)
    if how == "standardise":
        centre, spread = X.mean(axis=0), X.std(axis=0)
        # The rest that rounding leaves of a constant column is not a variance.
        spread = np.where(spread > (1e-7 if exact is None else 1e-13) * np.abs(X).max(axis=0), spread, 1.0)
        if is_word is not None and is_word.any():
            extent = np.ptp(X, axis=0)
            spread = np.where(is_word & (extent > 0), extent, spread)
        X = (X - centre) / spread
    else:
        X = normalise(X, how)
    return Sample(dataset.name, dataset.row_numbers[places], places, X, how, n, centre, spread)


def claim_of_features(inspection: Inspection, n_rows: int) -> Claim:
    """Return the claim which features the rows have, and from which columns; of images none is named."""
    sources = tuple(dict.fromkeys(inspection.whole.sources))
    of, origin = {"columns": len(sources)}, inspection.source.dataset.origin
    if origin is not None:
        how = origin.preparation
        of |= {"gaps": "filled in" if how.missing == "impute" else "rows dropped", "most words": how.most_words}
    names = () if inspection.has_images else sources
    return Claim("features", inspection.source.dataset.n_features, names, n_rows, of=of)


def of_rows(dataset: Dataset, sample: Sample, ordered: bool = False) -> Dataset:
    """Return a sample's rows as a data set, not scaled; with their order only if asked for."""
    y = None if dataset.y is None else dataset.y[sample.places]
    order = dataset.order[sample.places] if ordered and dataset.order is not None else None
    return replace(dataset, X=dataset.X[sample.places], y=y, order=order, n_train=None, rows=None, origin=None)


def nearest_rows(sample: Sample, dataset: Dataset, row: int, k: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of a sample nearest to one row of the data set, itself left out.

    Parameters
    ----------
    dataset : Dataset
        Where the sample comes from.
    row : int
        Any row of the file that the data set holds, in the sample or not.

    Returns
    -------
    rows : ndarray of int, shape (min(k, n),)
        Rows of the file, nearest first.
    distances : ndarray
        In the sample's units.
    """
    place = int(np.searchsorted(dataset.row_numbers, row))
    x = sample.scaled(dataset.X[[place]].astype(np.float64))[0]
    distance = np.sqrt(np.einsum("ij,ij->i", difference := sample.X - x, difference))
    distance[sample.rows == row] = np.inf
    others = len(distance) - int(np.isinf(distance).sum())
    order = np.argsort(distance, kind="stable")[: min(k, others)]
    return sample.rows[order], distance[order]


def column_name(dataset: Dataset, column: int) -> str:
    """Return the name of a column, the place of a pixel, or the column's number from 1."""
    if dataset.feature_names:
        return dataset.feature_names[column]
    if dataset.image_shape:
        place = np.unravel_index(column, dataset.image_shape)
        return f"pixel ({', '.join(str(int(p) + 1) for p in place)})"
    return f"column {column + 1}"
