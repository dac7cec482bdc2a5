"""The given order of rows: whether the maps put them in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from rfviz.inspection.finding import Finding
from rfviz.inspection.maps import MapResult, Maps
from rfviz.inspection.question import Question

if TYPE_CHECKING:
    from rfviz.inspection.inspection import Inspection

__all__ = ["Order"]


class Order(Question[MapResult]):
    """Whether the maps put the rows in their given order."""

    name, key = "Order", "order"
    settings = ("normalise", "seed")

    def applies(self, inspection: Inspection) -> bool:
        return inspection.source.dataset.order is not None

    def compute(self, inspection: Inspection) -> MapResult:
        return inspection.answer(Maps())

    def describe(self, result: MapResult, inspection: Inspection) -> Finding | None:
        how = inspection.source.normalise
        found = [abs(projection.order.spearman) for projection in result.projections if projection.order is not None]
        if not found:
            return None
        plain, maxout, _ = found
        text = (
            "Along the curve of the maxout map the rows follow their given order up to a rank correlation of "
            f"{maxout:.3f} (plain PCA: {plain:.3f})."
        )
        return self.say("fine" if maxout > 0.9 else "look", text, "maxout-pca", {"normalise": how})

    def numbers(self, result: MapResult) -> pd.DataFrame:
        return pd.DataFrame()
