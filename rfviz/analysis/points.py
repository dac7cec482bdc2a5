"""Points made ready for an analysis: normalised, and turned into as few coordinates as they need."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import squareform

from rfviz.backend import single_threaded_blas
from rfviz.errors import DataError
from rfviz.inputs import as_rows
from rfviz.params import Param

__all__ = [
    "NORMALISATION",
    "Scaling",
    "blas_for",
    "centred_gram",
    "normalise",
    "span_coordinates",
    "squared_distances",
]

NORMALISATION = Param(
    "normalise",
    "unit norm",
    "choice",
    label="Normalise",
    choices=("unit norm", "standardise", "standardise rows", "none"),
    help="Unit norm puts every point on the sphere, where the maxout kernel depends on the angle alone (the paper's "
    "setting). Standardise gives each column mean 0 and variance 1; standardise rows does so for each row, which frees "
    "images of brightness and contrast.",
)

# Multiply-adds below which starting the other BLAS threads costs more than they save.
_SMALL_PRODUCT = 200_000_000


def normalise(X: Any, how: str, learned_from: np.ndarray | None = None) -> np.ndarray:
    """Return the data as they are, or with rows of unit norm, or with columns or rows of mean 0 and variance 1.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    how : {"unit norm", "standardise", "standardise rows", "none"}
    learned_from : ndarray of int, optional
        Rows that give means and deviations of columns; all by default.

    Returns
    -------
    ndarray of shape (n_samples, n_features), float64

    Raises
    ------
    ParameterError
        For another `how`.
    DataError
        For a row of zeros, which has no direction, under ``"unit norm"``; for anything but numbers.
    """
    X = as_rows(X, gaps=True)
    return Scaling(X if learned_from is None else X[learned_from], how)(X)


class Scaling:
    """The scaling of :func:`normalise`, with the means and deviations of the rows that it is given.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    how : {"unit norm", "standardise", "standardise rows", "none"}

    Examples
    --------
    >>> Scaling(np.array([[0.0], [2.0]]), "standardise")(np.array([[3.0]]))
    array([[2.]])
    """

    def __init__(self, X: Any, how: str) -> None:
        self._how = NORMALISATION.validate(how)
        if self._how == "standardise":
            X = as_rows(X, gaps=True).astype(np.float64)
            self._mean = X.mean(axis=0)
            deviation = (X - self._mean).std(axis=0)
            self._deviation = np.where(deviation > 0, deviation, 1.0)  # a constant column stays at zero

    def __call__(self, X: Any) -> np.ndarray:
        """Return rows as float64, scaled."""
        X = as_rows(X, gaps=True).astype(np.float64)
        if self._how == "unit norm":
            norms = np.linalg.norm(X, axis=1, keepdims=True)
            if not norms.all():
                zeros = np.flatnonzero(norms[:, 0] == 0)
                raise DataError(
                    f"Unit norm needs rows that are not all zero; {len(zeros)} of {len(X)} are (the first is row "
                    f"{zeros[0]}). Choose another normalisation."
                )
            X /= norms
        elif self._how == "standardise":
            X -= self._mean
            X /= self._deviation
        elif self._how == "standardise rows":
            size = np.abs(X).max(axis=1, keepdims=True)
            X -= X.mean(axis=1, keepdims=True)
            deviation = X.std(axis=1, keepdims=True)
            # Rounding errors of a constant row are not contrast.
            X /= np.where(deviation > 1e-7 * size, deviation, 1.0)
        return X


def span_coordinates(X: np.ndarray) -> np.ndarray:
    """Return the points in an orthonormal basis of their span: the same inner products, at most n columns.

    For a map whose weights are rotation invariant (Gaussian), features of these coordinates have the very law of
    features of `X`, at the cost of n instead of d columns: 33 images of 10,304 pixels become 33 × 33 numbers.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples, min(n_samples, n_features)), float64
    """
    if X.shape[0] >= X.shape[1]:
        return X
    # QR rather than an eigendecomposition of the Gram matrix, which would square the condition number.
    R = np.asarray(np.linalg.qr(X.T, mode="r"))  # which NumPy's types take for a pair
    return np.ascontiguousarray(R.T)


def squared_distances(gram: np.ndarray) -> np.ndarray:
    """Return the squared distances of all pairs i < j from a Gram matrix, in the order of ``numpy.triu_indices``.

    Parameters
    ----------
    gram : ndarray of shape (n, n)

    Returns
    -------
    ndarray of shape (n(n − 1)/2,)
    """
    norms = np.diag(gram)
    full = gram * -2.0
    full += norms[:, None]
    full += norms[None, :]
    return np.maximum(squareform(full, checks=False), 0.0)


def blas_for(n_samples: int, n_components: int) -> AbstractContextManager[None]:
    """Return a context for products of `n_components` features of `n_samples` points: one core if they are few.

    A small product wakes the other threads for longer than it takes; many sessions at once would queue for them.
    """
    small = n_components * n_samples**2 < _SMALL_PRODUCT
    return single_threaded_blas() if small else nullcontext()


def centred_gram(Phi: Any) -> np.ndarray:
    """Return the Gram matrix of the rows of `Phi` about their mean: equal distances, fewer digits lost.

    Parameters
    ----------
    Phi : ndarray of shape (n_samples, n_components), or CSR matrix
        A sparse one stays sparse: its products are centred instead, which loses no digits where they are of order 1.

    Returns
    -------
    ndarray of shape (n_samples, n_samples), float64
    """
    if sparse.issparse(Phi):
        gram = (Phi @ Phi.T).toarray().astype(np.float64)
        mean = gram.mean(axis=0)
        return gram - mean[:, None] - mean[None, :] + mean.mean()
    Phi = Phi - Phi.mean(axis=0)
    # The product runs in the features' own precision (float32 is twice as fast); its rounding is relative to the
    # spread of the points, not to their norm.
    with blas_for(*Phi.shape):
        return (Phi @ Phi.T).astype(np.float64)
