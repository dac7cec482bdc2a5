"""Points whose kernel is estimated, and the numbers of features at which it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rfviz.analysis.points import Scaling, normalise, span_coordinates
from rfviz.datasets import files
from rfviz.datasets.base import Dataset
from rfviz.errors import DataError

if TYPE_CHECKING:
    from rfviz.datasets.files import PreparedRows

__all__ = ["KernelSample", "error_grid", "other_rows", "prepare_sample"]


@dataclass(frozen=True, eq=False)
class KernelSample:
    """Points whose pairs are compared: constant while a slider moves.

    Attributes
    ----------
    name : str
        The data set.
    rows : ndarray of shape (n,)
        Rows of the data set, rising.
    original : ndarray of shape (n, n_features)
        The normalised points; images as rows of pixels.
    coordinates : ndarray of shape (n, r)
        The same in a basis of their span, for maps that do not mind a rotation; as they are, where the table has more
        rows, which do not lie in that span.
    """

    name: str
    rows: np.ndarray
    original: np.ndarray
    coordinates: np.ndarray

    @property
    def n_points(self) -> int:
        return len(self.original)


def prepare_sample(
    dataset: Dataset, how: str = "unit norm", n_points: int = 128, random_state: int = 0
) -> KernelSample:
    """Choose points of a data set at random and normalise them; a larger sample holds the smaller.

    Parameters
    ----------
    how : {"unit norm", "standardise", "standardise rows", "none"}
        See :func:`rfviz.analysis.points.normalise`; columns are standardised over the chosen points.
    n_points : int
        At least 3; all points where there are fewer.

    Raises
    ------
    DataError
        For fewer than three points.
    """
    order = np.random.default_rng(random_state).permutation(dataset.n_samples)
    rows = np.sort(order[: max(n_points, 0)])
    if len(rows) < 3:
        raise DataError(
            f"Errors over pairs need at least 3 points; {len(rows)} of {dataset.name} were asked for or exist. "
            "Choose more points."
        )
    X = normalise(dataset.X[rows], how)
    return KernelSample(dataset.name, rows, X, X if dataset.is_drawn else span_coordinates(X))


def other_rows(dataset: Dataset, sample: KernelSample, how: str = "unit norm") -> PreparedRows:
    """Return all rows of the table that a data set was drawn from but the chosen points, normalised as these.

    Parameters
    ----------
    sample : KernelSample
        Of :func:`prepare_sample`.
    how : {"unit norm", "standardise", "standardise rows", "none"}

    Raises
    ------
    DataError
        If the data set was not drawn from a table in parts.
    """
    return files.PreparedRows(dataset, sample.rows, (Scaling(dataset.X[sample.rows], how),))


def error_grid(m_max: int, odd: bool = False, points: int = 20) -> np.ndarray:
    """Return about `points` numbers of features up to `m_max`, even on a logarithmic scale; all even, or all `odd`.

    Parameters
    ----------
    m_max : int
        At least 2.
    odd : bool
        One less than the even numbers: what leaves a pair of Fourier features incomplete.

    Returns
    -------
    ndarray of int, rising
    """
    even = np.unique(2 * np.maximum(np.rint(np.geomspace(min(10, m_max), m_max, points) / 2).astype(int), 1))
    return even - 1 if odd else even
