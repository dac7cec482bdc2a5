"""What is folded away below the findings: charts and tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from rfviz.errors import RfvizError
from rfviz.figures.inspection import plot_distances, plot_structure
from rfviz.ui import layout
from rfviz.ui.inspection_findings import METHOD, share
from rfviz.ui.inspection_run import Inspection

__all__ = ["details"]


def details(inspection: Inspection) -> dict[str, Callable[[], None]]:
    """Title of each folded part to what draws it."""
    parts = {
        "Distances of pairs": _distances,
        "Linear model against random features": _structure,
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


def _distances(inspection: Inspection) -> None:
    result = inspection.distances()
    figure = plot_distances(result, str(inspection.key))
    layout.chart(figure, "inspection-distances", "Histogram of the distances of pairs, and the map’s distances.")
    layout.explain(
        "Grey: distances between the rows. The curve: how far apart a random Fourier map puts two rows at each "
        f"distance, with the width that the median rule suggests (γ = {result.gamma_median:.3g}, σ = "
        f"{(0.5 / result.gamma_median) ** 0.5:.3g}; the rule “scale” says {result.gamma_scale:.3g}). At "
        f"{result.reach:.3g} it has come to nine tenths of its largest; beyond, on {share(result.beyond)} of "
        "the pairs, the map forgets how far apart rows are."
    )


def _structure(inspection: Inspection) -> None:
    result = inspection.structure()
    figure = plot_structure(result, str(inspection.key))
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
        st.markdown("No column stands out.")
    if leaks is not None:
        layout.numbers(leaks.to_frame(), {"right labels": "%.4f", "R²": "%.4f"},
                       "How well single columns alone predict the label, cross-validated.")  # fmt: skip


def _dimension(inspection: Inspection) -> None:
    result = inspection.dimension()
    formats = {"dimension": "%.2f", "standard error": "%.2f"}
    layout.numbers(result.to_frame(), formats, f"From {result.n_rows:,} different rows.")
