"""Data of which a share is tested on: what the pages that learn from labels have in common."""

from __future__ import annotations

from dataclasses import dataclass

from rfviz.analysis.splits import Split, make_split
from rfviz.cache import Cache
from rfviz.experiments.data import Data
from rfviz.lab import script
from rfviz.lab.panel import Panel, ScaledData
from rfviz.params import Param

__all__ = ["SplitData", "choose_all_rows", "choose_share"]

_TEST = Param("test", 25, "int", 5, 75, label="Test rows, %", help="For data without a split of their own.")
_ALL_ROWS = Param(
    "all_rows", False, "bool", label="Train on all rows",
    help="Read every row of the file, block by block, instead of those that were drawn. Ridge regression needs only "
    "sums over rows, so that memory does not grow with them. The test rows are a share of “Rows at most”: few of them "
    "make a curve that jumps.",
)  # fmt: skip


@dataclass(frozen=True)
class SplitData(ScaledData):
    """Scaled data, and the share of their rows to test on, where they have no split of their own.

    Of data drawn from a table in parts, `all_rows` says whether all its other rows are trained on.
    """

    test_share: float
    all_rows: bool = False

    @property
    def lines(self) -> str:
        """Lines of a script that load the data as ``dataset`` and split them as ``split``."""
        more = ", all_rows=True" if self.all_rows else ""
        return (
            f"{script.load_data(self.data)}\nsplit = make_split(dataset, {self.normalise!r}, {self.test_share}{more})"
        )

    def make(self) -> Split:
        """Return training and test rows; see :func:`rfviz.analysis.splits.make_split`."""
        return make_split(self.dataset, self.normalise, self.test_share, all_rows=self.all_rows)

    def split(self, cache: Cache) -> Split:
        """Return the same from the cache."""
        return cache.call(split_of, self)


def split_of(source: SplitData, *, cache: Cache) -> Split:
    """Split the data."""
    return source.make()


def choose_share(panel: Panel, data: Data) -> float:
    """Ask for the share of the rows to test on, if the data have no split of their own."""
    return panel.control(_TEST) / 100 if data.dataset.n_train is None else 0.25


def choose_all_rows(panel: Panel, data: Data) -> bool:
    """Ask whether to train on all rows, if the data were drawn from more."""
    return data.dataset.is_drawn and panel.control(_ALL_ROWS)
