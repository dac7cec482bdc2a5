"""Parameters that several data sets share."""

from __future__ import annotations

from rfviz.params import Param

__all__ = ["MISSING", "ONLY_CLASS", "RANDOM_STATE", "max_samples_param"]

MISSING = Param(
    "missing",
    "error",
    "choice",
    choices=("error", "drop rows", "impute mean"),
    label="Missing values",
    help="What to do about missing or infinite values: stop and say where they are, leave out the rows that have them, "
    "or fill in the mean of the column (over the training rows where there is a split).",
)
ONLY_CLASS = Param(
    "only_class",
    -1,
    "int",
    -1,
    999,
    label="Only class",
    help="The code of the one class (person, object) whose sequence to keep, from 0; -1 keeps all.",
)
RANDOM_STATE = Param(
    "random_state",
    0,
    "int",
    0,
    2**31 - 1,
    ui_high=100,
    label="Data seed",
    help="Another seed picks other rows when there are more than max_samples.",
)


def max_samples_param(n_samples: int | None, default: int = 2000) -> Param:
    """Return the parameter for the number of rows to keep, its slider ending at `n_samples` if that is known."""
    most = 1_000_000 if n_samples is None else min(max(n_samples, 2), 1_000_000)
    return Param(
        "max_samples",
        min(default, most),
        "int",
        2,
        1_000_000,
        log=True,
        ui_low=min(10, most),
        ui_high=most,
        symbol="n",
        label="Rows at most",
        help="Rows to keep, drawn at random but with every class in its proportion. A larger sample contains the "
        "smaller.",
    )
