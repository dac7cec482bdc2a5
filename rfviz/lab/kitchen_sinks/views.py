"""The layout of the page on kitchen sinks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
import streamlit as st

from rfviz.datasets import Dataset
from rfviz.errors import RfvizError
from rfviz.experiments import Chart, KitchenSinks
from rfviz.experiments.kitchen_sinks.compute import Curve, KitchenSinksResult
from rfviz.experiments.kitchen_sinks.experiment import OF_ONE_FAMILY
from rfviz.experiments.kitchen_sinks.figures import plot_error, plot_reach, plot_seconds
from rfviz.experiments.split_data import SplitData
from rfviz.experiments.sweep import OWN_TRAINING
from rfviz.experiments.work import Work
from rfviz.lab.controls import Control
from rfviz.lab.kitchen_sinks import text
from rfviz.ui import layout
from rfviz.ui.live_run import LiveRun
from rfviz.ui.page import View

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.lab.recorded import Record

__all__ = ["KitchenSinksView"]


def _choose_view(view: Any, control: Control, key: str, on_change: Callable[[], None]) -> None:
    st.segmented_control(
        control.label, control.options, required=True, key=key, format_func=control.title, on_change=on_change
    )


class KitchenSinksView(View[SplitData, KitchenSinks, KitchenSinksResult]):
    """One of six views, and tables of its numbers and of the columns of the data."""

    widgets: ClassVar = {"view": _choose_view}

    def work_note(self, settings: KitchenSinks) -> str:
        return OWN_TRAINING if settings.loss != "ridge" else ""

    def advance(self, settings: KitchenSinks, work: Work) -> None:
        # Each has its own Start.
        name = f"{self.page.slug}-{settings.view}" if settings.view in OF_ONE_FAMILY else self.page.slug
        self.live = LiveRun(name, work, self.work_note(settings))
        self.live.start_and_stop()

    def record(self) -> Record | None:
        return self.record_of(self.source.data.name, but=["view"])

    def recorded(self, settings: KitchenSinks, result: KitchenSinksResult, record: Record) -> go.Figure:
        curves = [
            Curve(
                curve.label,
                curve.cls,
                curve.frame.rename(columns={"k": "K"}).assign(
                    **{name: curve.frame[name] / 100 for name in ("error", "s.d.")},
                    draws=record.draws,
                    total=curve.frame["train"] + curve.frame["test"],
                ),
            )
            for curve in record.curves
        ]
        if settings.view == "reach":
            return plot_reach(curves)
        draw = plot_error if settings.view == "error" else plot_seconds
        return draw(curves, max(settings.k_max, settings.stumps))

    def refuse(self, settings: KitchenSinks, error: RfvizError) -> None:
        if settings.candidates:
            layout.refused(error)
            return
        st.info(str(error))
        st.caption(self.source.dataset.provenance)
        layout.details(self.state, self._texts())

    def draw(self, settings: KitchenSinks, result: KitchenSinksResult, charts: Sequence[Chart]) -> None:
        if charts:
            self.main_chart(settings, result, charts[0])
            if result.ended:
                st.caption(result.ended)
            for chart in charts[1:]:
                layout.chart(chart.figure, chart.name, chart.alt, secondary=True)
                layout.explain(chart.words)
        elif not (self.live and self.live.is_going):
            st.info("There is no run yet. Press Start.")
        st.caption(self.source.dataset.provenance)
        self.draw_details(settings, result, charts)

    def share(self, settings: KitchenSinks, result: KitchenSinksResult) -> None:
        """Draw the button once nothing is added any more."""
        if not result.is_empty and not (self.live and self.live.is_going):
            super().share(settings, result)

    def details(
        self, settings: KitchenSinks, result: KitchenSinksResult, charts: Sequence[Chart]
    ) -> Mapping[str, Callable[[], Any]]:
        return {"Numbers": lambda: _numbers(result), **self._texts()}

    def _texts(self) -> Mapping[str, Callable[[], Any]]:
        return {
            "Columns": lambda: _columns(self.source.dataset),
            "What the paper found": lambda: layout.explain(text.PAPER),
            "How it is computed": lambda: layout.explain(text.METHOD),
        }


def _numbers(result: KitchenSinksResult) -> None:
    """Draw the points of the charts as a table."""
    if result.decay is not None:
        frame = result.decay.to_frame()
        layout.numbers(frame, dict.fromkeys(frame.columns[2:], "%.4g"))
        return
    if result.constrained is not None:
        frame = result.constrained.to_frame()
        layout.numbers(frame, {"error": "percent", "s.d.": "percent", "weights at ±C/K": "percent"})
        return
    if result.distances is not None:
        frame = result.distances.to_frame()
        layout.numbers(frame, dict.fromkeys(frame.columns[2:], "%.4g"))
        return
    if result.is_empty:
        st.markdown("No points yet.")
        return
    table = pd.concat([c.frame.assign(learner=c.label) for c in result.curves if len(c.frame)], ignore_index=True)
    table = table.loc[:, ["learner", "K", "error", "s.d.", "draws", "train", "test", "total"]]
    table[["error", "s.d."]] *= 100
    table = table.rename(columns={"error": "error %", "train": "train s", "test": "test s", "total": "total s"})
    formats = {"error %": "%.2f", "s.d.": "%.2f"} | dict.fromkeys(["train s", "test s", "total s"], "%.3g")
    layout.numbers(table, formats, text.NUMBERS)


def _columns(dataset: Dataset) -> None:
    """Draw where the data come from, and which word each column of zeros and ones stands for."""
    st.markdown(f"**Source.** {dataset.provenance}")
    names = dataset.feature_names
    if not names:
        st.markdown(f"The {dataset.n_features:,} columns have no names.")
        return
    groups: dict[str, list[str]] = {}
    for name in names:
        column, is_word, word = name.partition("=")
        groups.setdefault(column, []).extend([word] if is_word else [])
    share_of = dict(zip(names, np.mean(dataset.X != 0, axis=0), strict=True))
    rows = [
        {
            "column": column,
            "words": len(words) or None,
            "became": ", ".join(words) or "one number",
            "rows that are not zero, %": None if words else 100 * share_of[column],
        }
        for column, words in groups.items()
    ]
    note = "A column of words became a column of zeros and ones for each of its words."
    layout.numbers(pd.DataFrame(rows), {"rows that are not zero, %": "%.1f"}, note if any(groups.values()) else "")
