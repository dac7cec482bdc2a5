"""The given order of rows: whether the maps put them in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

import pandas as pd

from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.maps import MapResult, Maps
from rfviz.inspection.question import Question

if TYPE_CHECKING:
    from rfviz.inspection.inspection import Inspection

__all__ = ["Order"]

# In the order of the projections.
_MAPS = ("plain PCA", "maxout", "Fourier")


class Order(Question[MapResult]):
    """Whether the maps put the rows in their given order."""

    name, key = "Order", "order"
    cost = 1
    settings = ("normalise", "seed")

    kinds: ClassVar = {
        "order along the curve": (
            "The absolute rank correlation (Spearman) of the given order with the order along the curve, by spectral "
            "seriation (Atkins et al. 1998: that of the Fiedler vector), in the plane of the first two principal "
            "components: of the columns (`map` “plain PCA”), or of 1000 maxout or Fourier features, drawn at random by "
            "this program. Of data of at most 400 rows, scaled as `scaling` says."
        )
    }

    def applies(self, inspection: Inspection) -> bool:
        return inspection.source.dataset.order is not None

    def compute(self, inspection: Inspection) -> MapResult:
        return inspection.answer(Maps())

    def claims(self, result: MapResult, inspection: Inspection) -> Iterator[Claim]:
        orders = [projection.order for projection in result.projections if projection.order is not None]
        for name, order in zip(_MAPS, orders, strict=False):
            of = {"map": name, "scaling": inspection.source.normalise}
            yield Claim("order along the curve", abs(order.spearman), n_rows=len(result.sample.rows), of=of)

    def describe(self, claims: Claims, inspection: Inspection) -> Finding | None:
        if not claims:
            return None
        plain, maxout, _ = (claim.value for claim in claims)
        text = (
            "Along the curve of the maxout map the rows follow their given order up to a rank correlation of "
            f"{maxout:.3f} (plain PCA: {plain:.3f})."
        )
        how = inspection.source.normalise
        return self.say("fine" if maxout > 0.9 else "look", text, "maxout-pca", {"normalise": how})

    def numbers(self, result: MapResult) -> pd.DataFrame:
        return pd.DataFrame()
