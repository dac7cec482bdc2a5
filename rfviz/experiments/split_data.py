"""Data of which a share is tested on: what the experiments that learn from labels have in common."""

from __future__ import annotations

from dataclasses import dataclass

from rfviz.analysis.splits import Split, make_split
from rfviz.cache import Cache
from rfviz.datasets import Dataset
from rfviz.experiments.data import Data
from rfviz.params import Param

__all__ = ["TEST_SHARE", "SplitData"]

TEST_SHARE = Param("test_share", 0.25, "float", 0.0, 0.95, open_low=True)


@dataclass(frozen=True)
class SplitData:
    """Data, how they are scaled, and the share of their rows to test on, where they have no split of their own.

    Of data drawn from a table in parts, `all_rows` says whether all its other rows are trained on.
    """

    data: Data
    normalise: str
    test_share: float
    all_rows: bool = False

    @property
    def dataset(self) -> Dataset:
        return self.data.dataset

    def make(self) -> Split:
        """Return training and test rows; see :func:`rfviz.analysis.splits.make_split`."""
        return make_split(self.dataset, self.normalise, self.test_share, all_rows=self.all_rows)

    def split(self, cache: Cache) -> Split:
        """Return the same from the cache."""
        return cache.call(split_of, self)


def split_of(source: SplitData, *, cache: Cache) -> Split:
    """Split the data."""
    return source.make()
