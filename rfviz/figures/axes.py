"""Axes that several charts have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.figures.template import GREY, rgba

__all__ = ["count_axis"]

# Powers of ten between the ends of an axis up to which two and five are named as well.
_FEW = 1.2


def count_axis(low: float, high: float, slack: float = 0.1, words: str = ",d") -> dict[str, Any]:
    """Return a logarithmic axis, of whole numbers as ``1,000``: the powers of ten are named, those between have a mark.

    Parameters
    ----------
    low, high : float
        The smallest and the largest number on it.
    slack : float
        Room beyond both, as a share of them.
    words : str
        How numbers are written, where they are not whole or too long.
    """
    ends = [float(np.log10((1 - slack) * low)), float(np.log10((1 + slack) * high))]
    few = ends[1] - ends[0] < _FEW
    # Those with a name have a longer one, which also keeps the names clear of the marks next to them.
    mark = {"ticks": "outside", "tickcolor": rgba(GREY, 0.7)}
    minor = mark | {"dtick": "D1", "ticklen": 4}
    return mark | {"type": "log", "range": ends, "dtick": "D2" if few else 1, "ticklen": 6, "tickformat": words,
                   "minor": minor}  # fmt: skip
