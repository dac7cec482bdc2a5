"""Rows whose label the other rows contradict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rfviz.features import RandomFourier
from rfviz.linear_model.leave_one_out import leave_one_out

__all__ = ["LabelErrors", "find_label_errors"]

# Rows of a class below which nothing is said of it.
_SMALLEST_CLASS = 5
# Share of a class that may lie among another one without being contradicted for certain, where a row of it can be.
_OVERLAP = 0.1
# Share of a class that may lie among others at all.
_MISFIT = 1 / 3


@dataclass(frozen=True, eq=False)
class LabelErrors:
    """Suspicious labels, and how sure one can be of them.

    Attributes
    ----------
    rows : ndarray of int
        The rows whose label is contradicted, the most certain first.
    given, proposed : ndarray
        Their labels, and those that the other rows give them.
    margins : ndarray
        Of every row: the score of its label minus the largest score of another one; negative where another one fits
        better. Scores are 1 and −1 where all similar rows have the label or lack it.
    unclear : ndarray
        The labels whose classes overlap with others, so that no single row of them can be called wrong.
    """

    rows: np.ndarray
    given: np.ndarray
    proposed: np.ndarray
    margins: np.ndarray
    unclear: np.ndarray


def find_label_errors(X: np.ndarray, y: np.ndarray, n_components: int = 1000, random_state: int = 0) -> LabelErrors:
    """Return the rows whose label all other rows contradict.

    A ridge regression on random Fourier features scores each class, and each row is scored by the fit without it. A
    label is contradicted if another class has a larger score, and one as large as its own rows have on average. Of
    classes that overlap nothing is said: a row of one within another is there what a wrong label is elsewhere.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Columns of similar scale.
    y : ndarray of shape (n_samples,)
        Labels.
    n_components : int
        Number of features; at most four a row are used.
    random_state : int
    """
    classes, given, counts = np.unique(y, return_inverse=True, return_counts=True)
    H = RandomFourier(
        n_components=min(n_components, 4 * len(X)), gamma="median", random_state=random_state, device="cpu"
    ).fit_transform(X)
    is_own = given[:, None] == np.arange(len(classes))
    scores = leave_one_out(H, np.where(is_own, 1.0, -1.0)).predictions
    own = scores[is_own]
    others = np.where(is_own | (counts < _SMALLEST_CLASS), -np.inf, scores)
    best, largest = others.argmax(axis=1), others.max(axis=1)
    usual = np.bincount(given, own - largest) / counts
    is_contradicted = (largest > own) & (largest - own >= usual[best])
    n_undecided = np.bincount(given, (largest > own) & ~is_contradicted)
    n_misfit = np.bincount(given, largest > own)
    is_unclear = (n_undecided > _OVERLAP * counts) | (n_misfit > _MISFIT * counts) | (counts < _SMALLEST_CLASS)
    # Rows of overlapping classes lie at every depth within each other, fewer the deeper; wrong labels lie deep.
    pair = given * len(classes) + best
    n_deep = np.bincount(pair, is_contradicted, minlength=len(classes) ** 2)
    n_halfway = np.bincount(pair, (largest - own > usual[best] / 2) & ~is_contradicted, minlength=len(classes) ** 2)
    is_apart = (n_deep > n_halfway)[pair] & ~is_unclear[given] & ~is_unclear[best]
    rows = np.flatnonzero(is_contradicted & is_apart)
    rows = rows[np.argsort((own - largest)[rows], kind="stable")]
    return LabelErrors(rows, classes[given[rows]], classes[best[rows]], own - largest, classes[is_unclear])
