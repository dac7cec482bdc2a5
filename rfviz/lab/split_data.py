"""Which rows a model is tested on: what the pages that learn from labels ask."""

from __future__ import annotations

from rfviz.experiments.data import Data
from rfviz.lab.panel import Panel
from rfviz.params import Param

__all__ = ["choose_all_rows", "choose_share"]

_TEST = Param("test", 25, "int", 5, 75, label="Test rows, %", help="For data without a split of their own.")
_ALL_ROWS = Param(
    "all_rows",
    False,
    "bool",
    label="Train on all rows",
    help="Read every row of the file, block by block, instead of those that were drawn. Ridge regression needs only "
    "sums over rows, so that memory does not grow with them. The test rows are a share of “Rows at most”: few of them "
    "make a curve that jumps.",
)


def choose_share(panel: Panel, data: Data) -> float:
    """Ask for the share of the rows to test on, if the data have no split of their own."""
    return panel.control(_TEST) / 100 if data.dataset.n_train is None else 0.25


def choose_all_rows(panel: Panel, data: Data) -> bool:
    """Ask whether to train on all rows, if the data were drawn from more."""
    return data.dataset.is_drawn and panel.control(_ALL_ROWS)
