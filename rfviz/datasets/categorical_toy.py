"""Categories without any order: rows of integers whose labels need columns to be looked at together."""

from __future__ import annotations

import numpy as np

from rfviz.datasets import _toy_rows
from rfviz.datasets.base import Dataset, DatasetSpec, Progress
from rfviz.params import Param, validate

__all__ = ["SPEC", "load"]

PARAMS = (
    _toy_rows.SAMPLES,
    Param("dimension", 8, "int", 4, 100, ui_high=30, symbol="d", label="Columns", help="How many categories a row has. "
          "The label depends on four of them, whatever the number."),
    Param("n_categories", 4, "int", 2, 50, ui_high=12, symbol="k", label="Categories",
          help="Values that a column can take. They are names, not sizes: 3 is no nearer to 2 than to 0."),
    _toy_rows.WRONG_LABELS,
    _toy_rows.SEED,
)  # fmt: skip


def load(progress: Progress | None = None, **params) -> Dataset:
    """Independent uniform categories; the label says whether exactly one of two pairs of columns agrees.

    With columns a, b, c, d the first four, y = [a = b] xor [c = d]. No column alone, and no three of the four
    together, tells more about y than two do: the rule is an interaction that a model additive in columns cannot
    follow. Agreement is what the categorical kernel [x = z] per column sees, and what a kernel on the numbers does not.

    Parameters
    ----------
    progress : callable, optional
        Not called: this takes no time.
    n_samples : int, default=500
        Number of rows, from 10 to 20,000.
    dimension : int, default=8
        Columns d, from 4 to 100; those after the fourth are noise.
    n_categories : int, default=4
        Values k of each column: integers 0 to k − 1, stored as float32.
    noise : int, default=0
        Per cent of the labels, in expectation, that are turned round.
    random_state : int, default=0
        Seed. With the other parameters unchanged, the first rows are the same for every `n_samples`.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, dimension); ``y`` 0 or 1.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule.
    MemoryBudgetError
        If the rows would not fit into the memory limit.
    """
    values = validate(PARAMS, params)
    n, d, k = values["n_samples"], values["dimension"], values["n_categories"]
    uniform, wrong = _toy_rows.draw(values, "categories")
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


SPEC = DatasetSpec(
    name="categorical_toy",
    title="Categories (toy)",
    load=load,
    params=PARAMS,
    source="generated",
    summary="Rows of categories 0 to k − 1 whose label depends on which columns agree.",
)
