"""A square cut by a curve that a formula gives: two classes, above the curve and below it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.synthetic import planar
from rfviz.errors import DataError
from rfviz.formula import Formula, parse_formula
from rfviz.params import Param, validate
from rfviz.progress import Progress

__all__ = ["PARAMS", "load"]

PARAMS = (
    Param(
        "formula",
        "sin(3*x)",
        "formula",
        label="f(x)",
        help="A point is of the class “above” where y > f(x), in the square from −2 to 2. Write sin(3*x), x^2 - 1, "
        "abs(x), max(0, x), exp(-x^2) or step(x).",
    ),
    planar.samples(),
    planar.noise(0.1),
    planar.SEED,
)
_HALF_SIDE = 2.0
_CELLS = 4096


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Draw points spread evenly over the parts of a square above a curve and below it.

    The classes take turns; the noise moves a point after the labelling. With one seed, the first points are the same
    for every `n_samples`, and their places for every `noise`.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 2), before the noise within [−2, 2]²; ``y`` 1 where the second column is larger than
        the formula at the first, else 0; ``curve`` is the formula.

    Raises
    ------
    DataError
        If the whole square lies on one side of the curve.
    """
    values = validate(PARAMS, params)
    formula = parse_formula(values["formula"])
    y, places, jitter = planar.rows(values["n_samples"], 2, values["random_state"])
    X = np.empty((len(y), 2))
    for code in (0, 1):
        X[y == code] = _drawn(formula, code, places[y == code])
    X += values["noise"] * jitter
    what = f"in a square, above or below {formula.text}"
    return planar.finish("formula", X, y, ("below", "above"), what, values["random_state"], formula.text)


def _drawn(formula: Formula, code: int, places: np.ndarray) -> np.ndarray:
    """Return a point of the part above the curve (1) or below it (0) for each place in the unit square."""
    edges = np.linspace(-_HALF_SIDE, _HALF_SIDE, _CELLS + 1)
    low, high = _part(formula, code, edges)
    # The smaller height of both ends: a point between them is on its side of the curve.
    heights = np.minimum(high[1:] - low[1:], high[:-1] - low[:-1])
    if heights.max() <= 0.0:
        side = ("below", "above")[code]
        raise DataError(
            f"No point of the square from −2 to 2 lies {side} {formula.text}. Choose a formula with values between −2 "
            "and 2."
        )
    area = np.concatenate([[0.0], np.cumsum(heights)])
    x = np.interp(places[:, 0] * area[-1], area, edges)
    low, high = _part(formula, code, x)
    up = 1.0 - places[:, 1] if code else places[:, 1]  # above 0: the curve itself belongs to the lower part
    return np.column_stack([x, low + up * (high - low)])


def _part(formula: Formula, code: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and the highest y of the part at places x."""
    curve = np.clip(formula(x), -_HALF_SIDE, _HALF_SIDE)
    edge = np.full_like(curve, _HALF_SIDE if code else -_HALF_SIDE)
    return (curve, edge) if code else (edge, curve)
