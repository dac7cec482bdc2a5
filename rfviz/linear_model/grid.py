"""Grids of numbers of features, and the limits that memory sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rfviz.errors import ParameterError
from rfviz.params import Param

__all__ = ["check_grid", "default_grid", "gram_bytes", "largest_affordable_m"]


def default_grid(m_max: int, points: int = 20) -> np.ndarray:
    """Return about `points` even numbers of features from 10 (or fewer) to `m_max`, evenly on a logarithmic scale.

    Parameters
    ----------
    m_max : int
        The last of them, whether even or not.
    points : int

    Returns
    -------
    ndarray of int, rising
    """
    grid = np.geomspace(min(10, m_max), m_max, points)
    return np.unique(np.append(np.maximum(2 * np.rint(grid[:-1] / 2), 1), m_max).astype(int))


def largest_affordable_m(budget: int, on_gpu: bool = False) -> int:
    """Return the largest m whose Gram matrix, and the copies that solving needs, fit into `budget` bytes."""
    return int(np.sqrt(budget / gram_bytes(1, on_gpu)))


def gram_bytes(m: int, on_gpu: bool = False) -> int:
    """Return the bytes that ridge regression on m features needs in addition to a block of rows."""
    # Sums and the centred copy in float64, one factor in at most float64, one block's product in float32. On a GPU the
    # factor is not made in place of the matrix.
    return (8 + 8 + 8 + 4 + (8 if on_gpu else 0)) * m * m


def check_grid(m_grid: Sequence[int] | None, m_max: int) -> np.ndarray:
    """Return the grid as rising distinct integers from 1 to `m_max`; :func:`default_grid` where there is none.

    Returns
    -------
    ndarray of int

    Raises
    ------
    ParameterError
        For a number of features out of range.
    """
    if m_grid is None:
        return default_grid(m_max)
    rule = Param("m_grid", m_max, "int", low=1, high=m_max)
    grid = sorted({rule.validate(m) for m in m_grid})
    if not grid:
        raise ParameterError("m_grid", "must hold at least one number of features", m_grid, "Leave it out.")
    return np.array(grid)
