"""Systems of ridge equations: rows are added, then solved for every penalty and every number of features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rfviz.backend import array_namespace

__all__ = ["LeftOut", "Model", "System", "leave_one_out_error"]

#: Coefficients of shape (m, k), and an intercept of shape (k,).
Model = tuple[Any, Any]


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Rows that are predicted by a fit to all others, one at a time.

    Attributes
    ----------
    rows : ndarray of int
        Their places, in the order in which rows were added.
    H : array of shape (len(rows), m) or None
        Their unscaled features; None for equations that store all rows.
    Y : ndarray of shape (len(rows), k)
    weights : ndarray of shape (len(rows),) or None
    """

    rows: np.ndarray
    H: Any
    Y: np.ndarray
    weights: np.ndarray | None = None

    def some(self, count: int) -> LeftOut:
        """Return at most about `count` of them."""
        step = slice(None, None, max(len(self.rows) // count, 1))
        H, weights = (None if one is None else one[step] for one in (self.H, self.weights))
        return LeftOut(self.rows[step], H, self.Y[step], weights)


def leave_one_out_error(residuals: Any, slack: Any) -> Any:
    """Return the mean squared error of predictions of rows by all others.

    Parameters
    ----------
    residuals : array of shape (r, k)
        Of the fit to all rows; times the roots of the weights where there are weights.
    slack : array of shape (r,)
        One less the leverage of each row.

    Returns
    -------
    array without dimensions, where the rows are
        Infinite if a leverage is lost to rounding.
    """
    xp = array_namespace(residuals)
    is_known = (slack > 0).all()
    return xp.where(is_known, ((residuals / xp.where(is_known, slack, 1.0)[:, None]) ** 2).mean(), xp.inf)


class System(ABC):
    """Ridge regression on the first m features, for every m of a grid.

    :class:`rfviz.linear_model.NormalEquations` sum rows up, :class:`rfviz.linear_model.dual_path.DualSystem` stores
    few rows of many features, :class:`rfviz.linear_model.sparse_path.SparseSystem` sparse ones.
    """

    @abstractmethod
    def add(self, H: Any, Y: Any, weights: np.ndarray | None = None) -> None:
        """Add rows: H of shape (rows, m), Y of shape (rows, k), weights of shape (rows,)."""

    @abstractmethod
    def mean_square(self) -> float:
        """Return the features' mean sum of squares (about the mean with an intercept): the scale of penalties."""

    @abstractmethod
    def together(self, m_grid: Sequence[int], n_alphas: int) -> bool:
        """Return whether one evaluation serves every m at the price of the largest."""

    @abstractmethod
    def solve(
        self, alphas: Sequence[float], m_grid: Sequence[int], precision: str = "auto", quiet: bool = False
    ) -> list[list[Model] | None]:
        """Solve ridge regression for every penalty and every m.

        Parameters
        ----------
        precision : {"auto", "float32", "float64"}
        quiet : bool
            Whether penalties are only being compared: no warnings, and None for one that is below the rounding.

        Returns
        -------
        list of list of (coef, intercept)
            By penalty, then by m; coef of shape (m, k), intercept of shape (k,).
        """

    @abstractmethod
    def evaluate(
        self, alpha: float, m_grid: Sequence[int], left_out: LeftOut, precision: str = "auto"
    ) -> list[tuple[Model, float]] | None:
        """Return the solutions for a penalty, and the mean squared errors of predictions of rows by all others.

        Parameters
        ----------
        m_grid : sequence of int
            Rising.
        left_out : LeftOut
            The rows, which are among those that were added; a system that stores its rows may take all of them.
        precision : {"auto", "float32", "float64"}

        Returns
        -------
        list of ((coef, intercept), error), or None
            As :meth:`solve` returns solutions; None if the penalty is below the rounding.
        """
