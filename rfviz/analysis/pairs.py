"""Pairs of points, numbered as the condensed form of a matrix holds them, and the one nearest to a place in a chart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["first_pairs", "nearest_mark", "pair_index", "pair_rows"]


def pair_index(n: int, one: int, other: int) -> int:
    """Return the number of the pair of rows one < other among the pairs of n points."""
    return n * one - one * (one + 1) // 2 + other - one - 1


def pair_rows(n: int, index: int) -> tuple[int, int]:
    """Return the rows, one < other, of a pair of n points by its number."""
    one = max(row for row in range(n - 1) if pair_index(n, row, row + 1) <= index)
    return one, one + 1 + index - pair_index(n, one, one + 1)


def first_pairs(values: np.ndarray, n: int, most: int) -> np.ndarray:
    """Return the values of the pairs among the first `most` of n points, in order."""
    most = min(most, n)
    starts = [pair_index(n, row, row + 1) for row in range(most - 1)]
    return np.concatenate([values[start : start + most - row - 1] for row, start in enumerate(starts)])


def nearest_mark(
    place: tuple[float, float],
    across: np.ndarray,
    clouds: Sequence[np.ndarray],
    spans: tuple[tuple[float, float], tuple[float, float]],
) -> int:
    """Return the number of the mark nearest to a place in a chart.

    Parameters
    ----------
    place : (float, float)
        A place beyond the axes counts as their end.
    across : ndarray of shape (n_marks,)
        The marks on the horizontal axis.
    clouds : sequence of ndarray of shape (n_marks,)
        The same marks on the vertical axis, once for each cloud that they form.
    spans : ((low, high), (low, high))
        Ends of the axes, by whose lengths the two are compared.
    """
    (left, right), (bottom, top) = spans
    x, y = np.clip(place, [left, bottom], [right, top])  # a message may name any place
    far = ((across - x) / (right - left)) ** 2
    return int(min((far + ((cloud - y) / (top - bottom)) ** 2 for cloud in clouds), key=np.min).argmin())
