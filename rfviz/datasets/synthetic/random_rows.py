"""Parameters and draws that the toys of independent columns share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rfviz.datasets import memory
from rfviz.datasets.parameters import RANDOM_STATE
from rfviz.params import Param

__all__ = ["SAMPLES", "SEED", "WRONG_LABELS", "draw"]

SAMPLES = Param(
    "n_samples",
    500,
    "int",
    10,
    20_000,
    log=True,
    ui_high=5000,
    symbol="n",
    label="Points",
    help="How many rows to draw.",
)
WRONG_LABELS = Param("noise", 0, "int", 0, 50, label="Wrong labels, %", help="Share of labels that are flipped.")
SEED = replace(RANDOM_STATE, help="Another seed draws other rows.")


def draw(values: Mapping[str, Any], what: str) -> tuple[np.ndarray, np.ndarray]:
    """Draw uniform numbers, and which labels are wrong; the first rows are the same for every number of rows.

    Parameters
    ----------
    values : mapping
        All parameters of the toy.
    what : str
        What the columns hold, for the message.

    Returns
    -------
    uniform : ndarray of shape (n_samples, dimension)
        In [0, 1).
    wrong : ndarray of bool, shape (n_samples,)
    """
    n, d = values["n_samples"], values["dimension"]
    memory.check(n * (d + 1) * 20, f"{n:,} rows of {d} {what}", "Lower n_samples or dimension")
    # One more column decides which labels are turned round, so that rows stay the same when the noise changes.
    draws = np.random.default_rng(values["random_state"]).random((n, d + 1))
    return draws[:, :d], draws[:, d] < values["noise"] / 100
