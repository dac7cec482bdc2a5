"""Outliers: rows whose surroundings are sparser than those of their neighbours, in the columns of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rfviz.errors import DataError
from rfviz.figures.template import COLOURS, GREY, styled
from rfviz.figures.traces import trace
from rfviz.inspection.drawing import HEIGHT, MOST_POINTS, level
from rfviz.inspection.finding import Claim, Claims, Finding
from rfviz.inspection.neighbours import OUTLYING, NeighbourResult, Neighbours, far_values, neighbours, scaled_by_most
from rfviz.inspection.question import Picture, Question
from rfviz.inspection.raw import Whole
from rfviz.inspection.sample import PREPARED, WITHOUT_FAR

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.inspection.inspection import Inspection

__all__ = ["Outliers", "plot_outliers"]

# Factor from which an outlier is far off.
_FAR_OUTLYING = 5.0
# A larger share of rows are not outliers: the data have a long tail, or clusters of different density.
_MOST_OUTLYING = 0.03
# From here on a number of times says no more than that they are many.
_MANY_TIMES = 1000


class Outliers(Question[NeighbourResult]):
    """Which rows lie alone in the columns of numbers: among words, rare ones would look like outliers."""

    name, key = "Outliers", "outliers"
    cost = 3
    leaves_out = "rows"
    settings = ("normalise",)
    formats: ClassVar = {"outlier factor": "%.3g", "to its nearest row": "%.3g", "to its 20th nearest": "%.3g"}
    method = (
        "**Outliers.** The local outlier factor (Breunig et al. 2000) in the columns of numbers: how many times "
        "sparser the surroundings of a row are than those of its 20 nearest. A row is an outlier from 2 on, if its "
        "factor is larger than chance brings in one of a hundred tables: of normal data of that dimension (1 + "
        "5.2/d^0.8, simulated), and of factors whose tail falls off as that of this table does. A far one has at "
        "least 5."
    )

    kinds: ClassVar = {
        "outliers": (
            "Different rows, in features of more than two values, whose outlier factor is at least `from`: the largest "
            "one of 2, 1 + 5.2/d^0.8 and q₉₅(5n)^s with s = ln(q₉₅/q₈₀)/ln 4. q are quantiles of the factors of the n "
            "rows; d, from 1 to the number of features, is the inverse of the mean of ln(T₂₀/Tⱼ), j = 1 to 19, Tⱼ the "
            "distance to the j-th nearest row. `drawn rows`: equal ones among them. `some columns`: whether there are "
            "columns besides those features."
        ),
        "scaled without far values": (
            "The mean and population standard deviation, in the file’s units, of the values of a standardised feature "
            "but for those of `rows`, which lie far beyond all others: the largest is beyond 10, or half the root of "
            "the number of rows, and as “far values” and “codes” of the finding on odd values they stand apart."
        ),
        "sparse rows": "Different rows whose outlier factor is at least `from`.",
        "outlier factor": (
            "The largest local outlier factor of a different row, and that row: as LocalOutlierFactor of scikit-learn "
            f"with 20 neighbours. {PREPARED} {WITHOUT_FAR}"
        ),
    }

    def compute(self, inspection: Inspection) -> NeighbourResult:
        whole = inspection.whole
        is_word = _is_word(whole)
        if not is_word.any():
            return inspection.answer(Neighbours())
        if whole.is_word.all():
            raise DataError("There are only categories, among which a rare word is no outlier.")
        if is_word.all():
            raise DataError("Outliers are looked for in columns of more than two numbers, and there are none.")
        inspection.progress(0.1, "Searching the nearest rows")
        sample = inspection.sample()
        return neighbours(scaled_by_most(replace(sample, X=np.ascontiguousarray(sample.X[:, ~is_word]))))

    def claims(self, result: NeighbourResult, inspection: Inspection) -> Iterator[Claim]:
        n, n_rows, whole = int(result.is_outlying.sum()), len(result.rows), inspection.whole
        is_some = bool(_is_word(whole).any() or set(inspection.raw.columns) - set(whole.sources))
        of = {"from": result.limit, "drawn rows": len(inspection.sample().rows), "some columns": is_some}
        of |= inspection.rows.counts
        found, least = result.rows[result.is_outlying], None if n else 1
        yield Claim("outliers", n, n_rows=n_rows, least=least, of=of, rows=found)
        # Where nothing stands out, only rows that normal data do not have are worth a word.
        least = float(OUTLYING if n else result.usual)
        yield Claim("sparse rows", int(np.sum(result.factor >= least)), n_rows=n_rows, of={"from": least})
        of = {"scaling": inspection.source.normalise}
        yield Claim("outlier factor", float(result.factor.max()), n_rows=n_rows, of=of, rows=result.outliers(1))
        sample, table = inspection.sample(), inspection.raw.table
        for column, far in far_values(sample) if not inspection.has_images else ():
            name, values = whole.sources[column], sample.X[:, column]
            cells = np.asarray(table.quantity(name)[sample.rows], dtype=np.float64)
            low, high = np.nanargmin(cells), np.nanargmax(cells)
            unit = (cells[high] - cells[low]) / (values[high] - values[low])
            centre = cells[low] + unit * (values[~far].mean() - values[low])
            value = float(centre), float(unit * values[~far].std())
            yield Claim("scaled without far values", value, (name,), len(far), of=of, rows=sample.rows[far])

    def describe(self, claims: Claims, inspection: Inspection) -> Finding:
        link = ("maxout-pca", {"normalise": inspection.source.normalise})
        outliers, n_sparse, strongest = claims[0], claims.value("sparse rows"), claims.of("outlier factor")[0]
        n, n_rows, worst, row = outliers.value, outliers.n_rows, strongest.value, int(strongest.rows[0]) + 1
        of = inspection.rows.of_all(outliers.of["drawn rows"])
        among = f"{n_rows:,} different rows{of}"
        if outliers.of["some columns"]:
            among = f"{n_rows:,} rows{of} that differ in the columns of numbers"
        times = f"{worst:.1f}" if worst < _MANY_TIMES else f"more than {_MANY_TIMES:,}"
        sparse = f"it is {times} times as isolated as its neighbours"
        if n_sparse > max(_MOST_OUTLYING * n_rows, 5):
            text = (
                f"{n_sparse:,} of {among} lie in sparser regions than their neighbours. So many are hardly errors: "
                "columns have long tails, or clusters differ in density"
            )
            return self.say("look", f"{text}. The most isolated is row {row:,}.", *link)
        if not n:
            text = f"No outliers among {among}. The most isolated row is {row:,}: {sparse}"
            text += f"; up to {outliers.of['from']:.1f} times may be chance." if worst >= OUTLYING else "."
            return self.say("fine", text, *link)
        status = "warning" if worst >= _FAR_OUTLYING else "look"
        which = f"1 of {among} is an outlier" if n == 1 else f"{n:,} of {among} are outliers"
        first = f"It is row {row:,}" if n == 1 else f"The strongest is row {row:,}"
        return self.say(status, f"{which}. {first}: {sparse}.", *link).about(outliers.rows)

    def pictures(self, result: NeighbourResult) -> Iterator[Picture]:
        words = "The outlier factor of each row, the largest first."
        explanation = (
            "How many times sparser the surroundings of a row are than those of its nearest rows. Above the limit of "
            f"{result.limit:.3g} a row is an outlier: chance hardly brings such a factor."
        )
        yield Picture("outliers", result, plot_outliers, words, explanation, lambda: result.to_frame(len(result.rows)))

    def note(self, result: NeighbourResult) -> str:
        return "The most outlying rows, counted from 1."


def _is_word(whole: Whole) -> np.ndarray:
    """Return which features take only two values, as those of a category do; of images none."""
    X = whole.dataset.X
    if whole.dataset.image_shape:
        return whole.is_word
    is_word = whole.is_word | _takes_two(X)
    if len(numbers := np.flatnonzero(is_word & ~whole.is_word)):  # in single precision more values may be equal
        is_word[numbers] = _takes_two(whole.exact(np.arange(len(X)))[:, numbers])
    return is_word


def _takes_two(X: np.ndarray) -> np.ndarray:
    """Return which columns take at most two values."""
    return ((X.min(axis=0) == X) | (X.max(axis=0) == X)).all(axis=0)


def plot_outliers(result: NeighbourResult, revision: str = "") -> go.Figure:
    """Draw the outlier factor of each row, the largest first, and the limit from which on a row is an outlier.

    Parameters
    ----------
    revision : str
        While it stays the same, the zoom survives a redraw.
    """
    order = np.argsort(-result.factor, kind="stable")[:MOST_POINTS]
    points = trace(
        "scatter",
        x=np.arange(1, len(order) + 1),
        y=result.factor[order],
        mode="markers",
        name="rows",
        marker={"color": [COLOURS[1] if is_out else COLOURS[0] for is_out in result.is_outlying[order]], "size": 6},
        customdata=result.rows[order] + 1,
        hovertemplate="row %{customdata:,}: %{y:.3g}<extra></extra>",
    )
    limit = level("limit", np.array([1.0, float(len(order))]), result.limit, 0.0, GREY, "dot")
    return styled(
        [points, limit], x="rank", y="outlier factor", height=HEIGHT, revision=revision, xaxis={"type": "log"}
    )
