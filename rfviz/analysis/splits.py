"""A labelled data set, cut into the rows that a model learns from and those that it is tested on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rfviz.analysis.points import normalise
from rfviz.datasets.base import Dataset
from rfviz.errors import DataError
from rfviz.skeleton import PatchPCA

__all__ = ["Split", "make_split", "with_patches"]

_FEWEST_ROWS = 20


@dataclass(frozen=True, eq=False)
class Split:
    """A labelled data set, cut into training and test rows.

    Attributes
    ----------
    name : str
    X_train, X_test : ndarray of shape (n, d), float32
    y_train, y_test : ndarray of shape (n,)
        Class codes, or regression targets.
    test_rows : ndarray of int
        Rows of the data set that the test rows are, to find their images again.
    target_names : tuple of str
    given : bool
        Whether the data set came with this split.
    """

    name: str
    X_train: np.ndarray
    y_train: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    test_rows: np.ndarray
    target_names: tuple[str, ...]
    given: bool

    @property
    def is_classification(self) -> bool:
        return bool(self.target_names)


def make_split(dataset: Dataset, how: str, test_share: float = 0.25, seed: int = 0) -> Split:
    """Cut a data set into training and test rows: by its own split if it has one, else at random.

    Parameters
    ----------
    dataset : Dataset
    how : str
        Normalisation, see :func:`rfviz.analysis.points.normalise`; columns are standardised by the training rows. So
        are those of data that came standardised, before all else: their test rows have had a say in the scale.
    test_share : float
        Share of test rows of a random split.
    seed : int
        Of a random split.

    Raises
    ------
    DataError
        For data without labels, with a single class, or too few rows to hold any out.
    """
    if dataset.y is None:
        raise DataError(
            f"Accuracy needs labels; {dataset.name} has none. Choose a data set with labels, such as digits."
        )
    if dataset.target_names and len(np.unique(dataset.y)) < 2:
        raise DataError(f"Accuracy needs at least two classes; {dataset.name} has one. Choose other data or more rows.")
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
    if dataset.target_names and len(np.unique(dataset.y[train])) < 2:
        raise DataError(f"The {len(train)} training rows of {dataset.name} hold a single class. Choose more rows.")
    X = dataset.X
    if dataset.standardised and how != "standardise":
        X = normalise(X, "standardise", train)
    X = normalise(X, how, train).astype(np.float32)
    return Split(
        dataset.name, X[train], dataset.y[train], X[test], dataset.y[test], test, dataset.target_names, bool(given)
    )


def with_patches(split: Split, image_shape: Sequence[int], patches: tuple[int, int, int]) -> Split:
    """Return the split with principal components of image patches as inputs, learned from the training rows.

    Parameters
    ----------
    split : Split
    image_shape : tuple of int
    patches : (size, stride, n_components)

    Raises
    ------
    MemoryBudgetError
        Where they do not fit.
    """
    size, stride, q = patches
    patch_pca = PatchPCA(tuple(image_shape), size=size, stride=stride, n_components=q).fit(split.X_train)
    return replace(split, X_train=patch_pca.transform(split.X_train), X_test=patch_pca.transform(split.X_test))
