"""Signs: rows of −1 and 1 whose labels are a parity, which no linear model can learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.synthetic import random_rows
from rfviz.errors import ParameterError
from rfviz.params import Param, validate
from rfviz.progress import Progress

__all__ = ["PARAMS", "load"]

PARAMS = (
    random_rows.SAMPLES,
    Param(
        "dimension",
        10,
        "int",
        2,
        1000,
        log=True,
        ui_high=100,
        symbol="d",
        label="Columns",
        help="How many signs a row has.",
    ),
    Param(
        "parity",
        2,
        "int",
        1,
        20,
        ui_high=8,
        label="Parity of",
        help="How many of the columns are multiplied to give the label. 1 is linear; each further one is harder.",
    ),
    random_rows.WRONG_LABELS,
    random_rows.SEED,
)


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Draw independent fair signs; the label is the product of the first few columns.

    The label is uncorrelated with every product of fewer columns. With one seed, the first rows are the same for every
    `n_samples`.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, dimension), −1 or 1, its rows of norm √dimension; ``y`` 0 where the product is −1,
        else 1.
    """
    values = validate(PARAMS, params)
    n, d, parity = values["n_samples"], values["dimension"], values["parity"]
    if parity > d:
        raise ParameterError("parity", f"must be at most dimension, {d}", parity, "Lower it, or raise dimension.")
    uniform, wrong = random_rows.draw(values, "signs")
    X = np.where(uniform < 0.5, np.float32(-1), np.float32(1))
    y = (X[:, :parity].prod(axis=1) > 0) ^ wrong
    return Dataset(
        name="binary_toy",
        X=X,
        y=y.astype(np.int64),
        target_names=("product −1", "product 1"),
        feature_names=tuple(f"s{i + 1}" for i in range(d)),
        provenance=f"Generated: {n} rows of {d} signs (seed {values['random_state']}).",
    )
