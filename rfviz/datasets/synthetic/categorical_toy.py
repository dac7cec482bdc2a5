"""Categories without any order: rows of integers whose label depends on pairs of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfviz.datasets.base import Dataset
from rfviz.datasets.synthetic import random_rows
from rfviz.params import Param, validate
from rfviz.progress import Progress

__all__ = ["PARAMS", "load"]

PARAMS = (
    random_rows.SAMPLES,
    Param(
        "dimension",
        8,
        "int",
        4,
        100,
        ui_high=30,
        symbol="d",
        label="Columns",
        help="How many categories a row has. The label depends on four of them, whatever the number.",
    ),
    Param(
        "n_categories",
        4,
        "int",
        2,
        50,
        ui_high=12,
        symbol="k",
        label="Categories",
        help="Values that a column can take. They are names, not sizes: 3 is no nearer to 2 than to 0.",
    ),
    random_rows.WRONG_LABELS,
    random_rows.SEED,
)


def load(progress: Progress | None = None, **params: Any) -> Dataset:
    """Draw independent uniform categories; the label says whether exactly one of two pairs of columns agrees.

    With columns a, b, c, d the first four, y = [a = b] xor [c = d]. No column alone, and no three of the four
    together, tells more about y than two do: the rule is an interaction that a model additive in columns cannot
    follow. Agreement is what the categorical kernel [x = z] per column sees, and what a kernel on the numbers does not.
    Columns after the fourth are noise. With one seed, the first rows are the same for every `n_samples`.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, dimension), integers 0 to n_categories − 1; ``y`` 0 or 1.
    """
    values = validate(PARAMS, params)
    n, d, k = values["n_samples"], values["dimension"], values["n_categories"]
    uniform, wrong = random_rows.draw(values, "categories")
    X = np.floor(uniform * k).astype(np.float32)
    y = (X[:, 0] == X[:, 1]) ^ (X[:, 2] == X[:, 3]) ^ wrong
    return Dataset(
        name="categorical_toy",
        X=X,
        y=y.astype(np.int64),
        target_names=("both or neither", "one pair agrees"),
        feature_names=tuple(f"c{i + 1}" for i in range(d)),
        provenance=f"Generated: {n} rows of {d} categories out of {k} (seed {values['random_state']}).",
    )
