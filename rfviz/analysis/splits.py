"""A labelled data set, cut into the rows that a model learns from and those that it is tested on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from rfviz import skeleton
from rfviz.analysis.points import Scaling
from rfviz.datasets import files
from rfviz.datasets.base import Dataset
from rfviz.errors import DataError

if TYPE_CHECKING:
    from rfviz.datasets.files import PreparedRows

__all__ = ["Split", "all_rows_of", "check_labels", "make_split", "with_patches"]

_FEWEST_ROWS = 20


def all_rows_of(dataset: Dataset, *scalings: Scaling) -> PreparedRows | None:
    """Return all rows of the table that a data set was drawn from, scaled, or None if it holds all of them."""
    return files.PreparedRows(dataset, scalings=scalings) if dataset.is_drawn else None


@dataclass(frozen=True, eq=False)
class Split:
    """A labelled data set, cut into training and test rows.

    Attributes
    ----------
    X_train, X_test : ndarray of shape (n, d), float32
    y_train, y_test : ndarray of shape (n,)
        Class codes, or regression targets.
    test_rows : ndarray of int
        Rows of the data set that the test rows are, to find their images again.
    given : bool
        Whether the data set came with this split.
    others : PreparedRows or None
        Rows to train on instead of `X_train`, which were drawn from them.
    scalings : tuple of Scaling
        Scalings that were applied to rows, in this order.
    """

    name: str
    X_train: np.ndarray
    y_train: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    test_rows: np.ndarray
    target_names: tuple[str, ...]
    given: bool
    others: PreparedRows | None = field(default=None, repr=False)
    scalings: tuple[Scaling, ...] = field(default=(), repr=False)

    @property
    def n_train(self) -> int:
        """Return how many rows there are to train on."""
        return len(self.X_train) if self.others is None else len(self.others)

    @property
    def is_classification(self) -> bool:
        return bool(self.target_names)


def check_labels(dataset: Dataset, asked: str = "Training and testing need") -> np.ndarray:
    """Return the labels of data from which something can be predicted.

    Parameters
    ----------
    asked : str
        How the sentence begins: ``"Accuracy needs"``.

    Raises
    ------
    DataError
        For data without labels, or with a single class.
    """
    if dataset.y is None:
        has_columns = dataset.origin is not None and dataset.origin.sources
        column = "the column to predict (--label COLUMN of rfviz run), or " if has_columns else ""
        raise DataError(
            f"{asked} labels; {dataset.name} has none. Choose {column}a data set with labels, such as digits."
        )
    if dataset.target_names and len(np.unique(dataset.y)) < 2:
        raise DataError(f"{asked} at least two classes; {dataset.name} has one. Choose other data or more rows.")
    return dataset.y


def make_split(dataset: Dataset, how: str, test_share: float = 0.25, seed: int = 0, all_rows: bool = False) -> Split:
    """Cut a data set into training and test rows: by its own split if it has one, else at random.

    Parameters
    ----------
    how : str
        Normalisation, see :func:`rfviz.analysis.points.normalise`; columns are standardised by the training rows. So
        are those of data that came standardised, before all else: their test rows have had a say in the scale.
    test_share : float
        Share of test rows of a random split.
    seed : int
        Of a random split.
    all_rows : bool
        Of data drawn from a table in parts, whether to train on all its rows but the test rows.

    Raises
    ------
    DataError
        For data without labels, with a single class, or too few rows to hold any out; and for `all_rows` of data that
        hold all their rows.
    """
    y = check_labels(dataset)
    if dataset.n_samples < _FEWEST_ROWS:
        raise DataError(
            f"Training and testing need at least {_FEWEST_ROWS} rows; {dataset.name} has {dataset.n_samples}."
            " Choose more rows."
        )
    n = dataset.n_samples
    given = dataset.n_train is not None and 0 < dataset.n_train < n
    order = np.arange(n) if given else np.random.default_rng(seed).permutation(n)
    cut = dataset.n_train if given else n - max(round(test_share * n), 1)
    train, test = np.sort(order[:cut]), np.sort(order[cut:])
    if dataset.target_names and len(np.unique(y[train])) < 2:
        raise DataError(f"The {len(train)} training rows of {dataset.name} hold a single class. Choose more rows.")
    hows = ["standardise", how] if dataset.standardised and how != "standardise" else [how]
    X, scalings = dataset.X, list[Scaling]()
    for one in hows:
        scalings.append(Scaling(X[train], one))
        X = scalings[-1](X)
    X = X.astype(np.float32)
    others = files.PreparedRows(dataset, test, scalings) if all_rows else None
    names = dataset.target_names
    return Split(dataset.name, X[train], y[train], X[test], y[test], test, names, bool(given), others, tuple(scalings))


def with_patches(split: Split, image_shape: Sequence[int], patches: tuple[int, int, int]) -> Split:
    """Return the split with principal components of image patches as inputs, learned from the training rows.

    Parameters
    ----------
    patches : (size, stride, n_components)

    Raises
    ------
    MemoryBudgetError
        Where they do not fit.
    """
    size, stride, q = patches
    patch_pca = skeleton.PatchPCA(tuple(image_shape), size=size, stride=stride, n_components=q).fit(split.X_train)
    return replace(split, X_train=patch_pca.transform(split.X_train), X_test=patch_pca.transform(split.X_test))
