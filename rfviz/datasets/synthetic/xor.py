"""A chequerboard: the exclusive or of two signs, of which neither coordinate alone says anything."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.synthetic import planar
from rfviz.params import Param, validate
from rfviz.progress import Progress

__all__ = ["PARAMS", "load"]

PARAMS = (
    planar.samples(),
    Param(
        "cells",
        2,
        "int",
        2,
        8,
        label="Cells a side",
        help="Squares on each side of the board; 2 gives the exclusive or of two signs.",
    ),
    planar.noise(0.05),
    planar.SEED,
)
_HALF_SIDE = 1.2


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Draw points spread evenly over the squares of a board, labelled by the colour of the square.

    The colours take turns; the noise moves a point after the labelling. With one seed, the first points are the same
    for every `n_samples`, and their squares for every `noise`.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 2), before the noise within [−1.2, 1.2]²; ``y`` 0 where the numbers of the square's
        row and column are both even or both odd, else 1.
    """
    values = validate(PARAMS, params)
    cells = values["cells"]
    y, places, jitter = planar.rows(values["n_samples"], 2, values["random_state"])
    row, column = np.divmod(np.arange(cells**2), cells)
    squares = [np.flatnonzero((row + column) % 2 == colour) for colour in (0, 1)]
    # One draw gives the square and the place across it: its whole part, and its fraction.
    spread = [places[:, 0] * len(squares[colour]) for colour in (0, 1)]
    chosen = np.where(y == 0, squares[0][spread[0].astype(int)], squares[1][spread[1].astype(int)])
    across = np.where(y == 0, spread[0], spread[1]) % 1.0
    unit = np.column_stack([chosen % cells + across, chosen // cells + places[:, 1]]) / cells
    X = _HALF_SIDE * (2 * unit - 1) + values["noise"] * jitter
    names = ("same", "different")
    return planar.finish("xor", X, y, names, f"on a board of {cells} × {cells} squares", values["random_state"])
