"""What is folded away below the findings: charts and tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

import pandas as pd
import streamlit as st

from rfviz.analysis.inspection_findings import share
from rfviz.analysis.quick_inspection import Inspection
from rfviz.errors import RfvizError
from rfviz.figures.inspection import plot_distances, plot_structure
from rfviz.ui import layout

__all__ = ["details"]

METHOD = """
**Rows.** The maps show up to 1,000 rows, distances and neighbours are those of up to 10,000, copies of all of them; of
very wide data fewer. Rows are drawn at random, always the same ones. Columns of tables are standardised, images are
left as they are, unless you choose otherwise in the sidebar.

**Maps.** The first two principal components of the rows, of 1,000 random maxout features (pools of 8), and of 1,000
random Fourier features whose width is one over the median distance.

**Dimension.** In d dimensions the number of points within a distance grows as its d-th power. TwoNN (Facco et al. 2017)
reads d off the ratio of the distances to the two nearest rows; the maximum-likelihood estimate (Levina and Bickel 2004,
with the correction of MacKay and Ghahramani) off the ten nearest. Both are too low where d is large and rows are few.

**Outliers.** The local outlier factor (Breunig et al. 2000): how many times sparser it is about a row than about its 20
nearest. From 2 on a row stands apart, from 5 on far.

**Copies.** Exact copies agree in every number. Near copies are closer than a tenth of the usual distance to the fifth
neighbour, or less where the data are crowded, so that chance would give about one row in a thousand such a neighbour.
Candidates are rows that share a box of one of 16 random grids; their distance is then measured. A pair at the limit is
found with a probability of at least 99.9%.

**Leaks.** Half of the rows choose the columns to try; the other half says, by cross-validation, how well a small tree
on that one column does. A column gives the label away if it leaves at most 2% of errors, and a tenth of those of a
guess (of numbers: 1% of the variance).

**Linear or not.** Five-fold cross-validation on up to 2,500 rows: ridge regression on the columns, and on up to 400
random features of them. Scaling, widths and penalties are learnt within the training rows. A gain counts as real
where chance would bring it about once in a hundred data sets, with the errors of Nadeau and Bengio (2003).
"""


def details(inspection: Inspection, key: Hashable) -> dict[str, Callable[[], None]]:
    """Title of each folded part to what draws it."""
    parts = {
        "Distances of pairs": partial(_distances, key=key),
        "Linear model against random features": partial(_structure, key=key),
        "Outliers and copies": _rows,
        "Columns": _columns,
        "Dimension": _dimension,
    }
    shown = {title: partial(_answered, draw, inspection) for title, draw in parts.items()}
    return shown | {"How it is computed": lambda: st.markdown(METHOD)}


def _answered(draw: Callable[[Inspection], None], inspection: Inspection) -> None:
    """Draw a part, or say why these data have none."""
    try:
        draw(inspection)
    except RfvizError as error:
        st.info(str(error))


def _distances(inspection: Inspection, key: Hashable) -> None:
    result = inspection.distances()
    figure = plot_distances(result, str(key))
    layout.chart(figure, "inspection-distances", "Histogram of the distances of pairs, and the map’s distances.")
    layout.explain(
        "Grey: distances between the rows. The curve: how far apart a random Fourier map puts two rows at each "
        f"distance, with the width that the median rule suggests (γ = {result.gamma_median:.3g}, σ = "
        f"{(0.5 / result.gamma_median) ** 0.5:.3g}; the rule “scale” says {result.gamma_scale:.3g}). At "
        f"{result.reach:.3g} it has come to nine tenths of its largest; beyond, on {share(result.beyond)} of "
        "the pairs, the map forgets how far apart rows are."
    )


def _structure(inspection: Inspection, key: Hashable) -> None:
    result = inspection.structure()
    figure = plot_structure(result, str(key))
    layout.chart(figure, "inspection-structure", "Scores of random features against their number, and a linear model.")
    layout.numbers(result.to_frame(), {"standard error": "%.4f", "right labels": "%.4f", "R²": "%.4f"},
                   f"Cross-validated on {result.n_rows:,} rows in {result.n_folds} parts.")  # fmt: skip


def _rows(inspection: Inspection) -> None:
    near = inspection.neighbours().to_frame()
    layout.numbers(near, dict.fromkeys(near.columns[1:], "%.3g"), "The most outlying rows, counted from 1.")
    copies = inspection.copies()
    if copies.n_extra:
        layout.numbers(copies.to_frame(), note="The largest groups of equal rows.")
    pairs = inspection.near_copies()
    if len(pairs.pairs):
        note = f"The nearest different rows; a pair counts up to a distance of {pairs.threshold:.3g}."
        layout.numbers(pairs.to_frame(), {"distance": "%.3g"}, note)


def _columns(inspection: Inspection) -> None:
    result, leaks = inspection.columns(), inspection.leaks()
    odd: pd.DataFrame = result.to_frame()
    if len(odd):
        layout.numbers(odd.head(200))
    else:
        st.markdown("No column is constant, repeats another or numbers the rows.")
    if leaks is not None:
        layout.numbers(leaks.to_frame(), {"right labels": "%.4f", "R²": "%.4f"},
                       "How well single columns alone predict the label, cross-validated.")  # fmt: skip


def _dimension(inspection: Inspection) -> None:
    result = inspection.dimension()
    formats = {"dimension": "%.2f", "standard error": "%.2f"}
    layout.numbers(result.to_frame(), formats, f"From {result.n_rows:,} different rows.")
