"""A chequerboard: the exclusive or of two signs, which neither coordinate tells anything about alone."""

from __future__ import annotations

import numpy as np

from rfviz.datasets import _planar
from rfviz.datasets.base import Dataset, DatasetSpec, Progress
from rfviz.params import Param, validate

__all__ = ["SPEC", "load"]

PARAMS = (
    _planar.samples(),
    Param("cells", 2, "int", 2, 8, label="Cells a side",
          help="Squares on each side of the board; 2 gives the exclusive or of two signs."),
    _planar.noise(0.05),
    _planar.SEED,
)  # fmt: skip
_HALF_SIDE = 1.2


def load(progress: Progress | None = None, **params) -> Dataset:
    """Points spread evenly over the squares of a board, labelled by the colour of the square.

    Parameters
    ----------
    progress : callable, optional
        Not called: this takes no time.
    n_samples : int, default=400
        Number of points, from 20 to 20,000; the colours take turns.
    cells : int, default=2
        Squares on each side, from 2 to 8.
    noise : float, default=0.05
        Standard deviation by which each coordinate is moved after the labelling, from 0 to 1.
    random_state : int, default=0
        Seed. The first points are the same for every `n_samples`, and their squares for every `noise`.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 2), before the noise within [−1.2, 1.2]²; ``y`` 0 where the numbers of the square's
        row and column are both even or both odd, else 1.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule.
    """
    values = validate(PARAMS, params)
    cells = values["cells"]
    y, places, jitter = _planar.rows(values["n_samples"], 2, values["random_state"])
    row, column = np.divmod(np.arange(cells**2), cells)
    squares = [np.flatnonzero((row + column) % 2 == colour) for colour in (0, 1)]
    # One draw gives the square and the place across it: its whole part, and what is left.
    spread = [places[:, 0] * len(squares[colour]) for colour in (0, 1)]
    chosen = np.where(y == 0, squares[0][spread[0].astype(int)], squares[1][spread[1].astype(int)])
    across = np.where(y == 0, spread[0], spread[1]) % 1.0
    unit = np.column_stack([chosen % cells + across, chosen // cells + places[:, 1]]) / cells
    X = _HALF_SIDE * (2 * unit - 1) + values["noise"] * jitter
    names = ("same", "different")
    return _planar.finish("xor", X, y, names, f"on a board of {cells} × {cells} squares", values["random_state"])


SPEC = DatasetSpec(
    name="xor",
    title="XOR (chequerboard)",
    load=load,
    params=PARAMS,
    source="generated",
    summary="A chequerboard in the plane: its label is the exclusive or of two signs.",
)
