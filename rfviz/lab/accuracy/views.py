"""The layout of the accuracy page: tabs for its charts, confusions and penalties."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from rfviz.analysis.accuracy import LINEAR_SVM
from rfviz.errors import RfvizError
from rfviz.experiments.accuracy import Accuracy
from rfviz.experiments.accuracy.architectures import NETWORK_FEATURES
from rfviz.experiments.accuracy.compute import AccuracyResult
from rfviz.experiments.accuracy.experiment import predicted_of
from rfviz.experiments.accuracy.figures import plot_accuracy, plot_confusion, plot_penalty
from rfviz.experiments.accuracy.notes import notes_table
from rfviz.experiments.base import Chart
from rfviz.experiments.sweep import OWN_TRAINING
from rfviz.lab.accuracy import text
from rfviz.lab.accuracy.settings import Source
from rfviz.ui import layout
from rfviz.ui.page import View
from rfviz.ui.widgets import images

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from rfviz.lab.recorded import Record

__all__ = ["AccuracyView"]

_SHOWN_ERRORS = 24


class AccuracyView(View[Source, Accuracy, AccuracyResult]):
    """Five tabs, of which only the open one is drawn: points that arrive redraw the page many times."""

    at_once = staticmethod(predicted_of)

    def work_note(self, settings: Accuracy) -> str:
        if settings.loss == LINEAR_SVM:
            return text.SVM_TRAINING
        return OWN_TRAINING if settings.loss != "ridge" else ""

    def record(self) -> Record | None:
        return self.record_of(self.source.data.name)

    def recorded(self, settings: Accuracy, result: AccuracyResult, record: Record) -> go.Figure:
        frames = {curve.label: curve.frame.assign(seeds=record.draws) for curve in record.curves}
        curves = [
            replace(curve, frame=frames[curve.label]) if curve.label in frames else curve for curve in result.curves()
        ]
        ends = [m for frame in frames.values() for m in frame["m"]]
        ends += [NETWORK_FEATURES] if any(curve.network for curve in curves) else []
        span = 0.9 * min(ends), 1.1 * max(settings.m_max, *ends)
        return plot_accuracy(curves, result.baselines, x_range=span, unit=result.unit)

    def refuse(self, settings: Accuracy, error: RfvizError) -> None:
        (st.error if settings.maps else st.info)(str(error))

    def draw(self, settings: Accuracy, result: AccuracyResult, charts: Sequence[Chart]) -> None:
        name, tab = layout.tabs(self.state, ["Against m", "Against seconds", "Against bytes", "Confusions", "Penalty"])
        for reason in result.refused:
            st.info(reason)
        with tab:
            if name == "Against m":
                self.main_chart(settings, result, charts[0])
            elif name == "Confusions":
                self.confusions(result)
            elif name == "Penalty":
                self.penalties(result)
            else:
                axis = name.split()[1]
                if axis == "seconds" and settings.table:
                    st.markdown(text.TABLE_1_SECONDS)
                chart = next(chart for chart in charts if chart.name == f"accuracy-{axis}")
                layout.chart(chart.figure, chart.name, chart.alt)
                layout.explain(text.RESOURCES[axis])
                if axis == "seconds":
                    self.times(charts)
        self.draw_details(settings, result, charts)

    def share(self, settings: Accuracy, result: AccuracyResult) -> None:
        """Draw the button once nothing is added any more."""
        if not result.is_empty and not (self.live and self.live.is_going):
            super().share(settings, result)

    def times(self, charts: Sequence[Chart]) -> None:
        """Draw the seconds to train and to predict against m."""
        chart = next(chart for chart in charts if chart.name == "accuracy-m-seconds")
        layout.chart(chart.figure, chart.name, chart.alt, secondary=True)
        layout.explain(text.TIMES)

    def confusions(self, result: AccuracyResult) -> None:
        """Draw the confusions of one map at one number of features, and images of the rows."""
        labels, split = [label for label, runs in result.runs.items() if runs[0]], result.split
        if not split.is_classification or not labels:
            st.markdown("Confusions appear with the first points of a classification.")
            return
        with st.container(key="controls-confusions"):
            label = self.panel.choice("confused", labels, labels[0], "Map", "The map whose errors are shown.")
            predictions = result.predictions(label)
            at, titles = [str(m) for m in sorted(predictions)], {str(m): f"{m:,}" for m in predictions}
            m = int(
                self.panel.choice(
                    "at", at, at[-1], "Features m", "The number of features whose errors are counted.", titles
                )
            )
        wrong, names = np.flatnonzero(split.y_test != predictions[m]), list(split.target_names)
        st.markdown(
            f"**{len(wrong):,} of {len(split.y_test):,}** test rows are wrong with {label} at m = {m:,} (seed 0)."
        )
        with st.container(key="pair"):
            figure = plot_confusion(result.confusions(label, m), names)
            layout.chart(figure, "confusion", f"Confusions of {label} at m = {m}.")
            dataset = self.source.dataset
            if dataset.image_shape and len(wrong):
                shown = wrong[:_SHOWN_ERRORS]
                captions = [f"{names[split.y_test[i]]} → {names[predictions[m][i]]}" for i in shown]
                st.html(images.gallery(self.source.data, split.test_rows[shown], captions, self.cache))

    def penalties(self, result: AccuracyResult) -> None:
        """Draw the penalty that was chosen at each point, where it was chosen."""
        if result.loss == LINEAR_SVM:
            st.markdown(text.SVM_PENALTY)
            return
        if result.loss != "ridge":
            st.markdown(
                f"The {result.loss} loss is trained with the small penalty 10⁻⁶ per row; stopping early does the rest."
            )
            return
        # Training of its own has a penalty of its own, per row.
        own = {candidate.label for candidate in result.candidates if candidate.loss}
        figure = plot_penalty([curve for curve in result.curves() if curve.label not in own])
        layout.chart(figure, "penalty", "Chosen penalty against the number of features.")
        layout.explain(text.PENALTY)

    def details(
        self, settings: Accuracy, result: AccuracyResult, charts: Sequence[Chart]
    ) -> Mapping[str, Callable[[], Any]]:
        return {
            "Numbers": lambda: self.numbers(result),
            "Table 1 of the paper": lambda: self.table_of_the_paper(result, charts),
            "How it is computed": lambda: layout.explain(text.METHOD),
            "The ladder: error, time and memory": lambda: self.ladder(result),
        }

    def numbers(self, result: AccuracyResult) -> None:
        """Draw every point of every curve as a table."""
        frames = [curve.frame.assign(map=curve.label) for curve in result.curves()]
        table = pd.concat(frames, ignore_index=True)
        note = text.COLUMNS
        table.insert(0, "map", table.pop("map"))
        if np.array_equal(table["columns"], table["m"]):
            table, note = table.drop(columns="columns"), ""
        formats = {"error": "%.2f", "s.d.": "%.2f", "alpha": "%.3g", "seconds": "%.3g"}
        layout.numbers(table, formats, note)

    def ladder(self, result: AccuracyResult) -> None:
        """Draw every method with its error, time and memory."""
        layout.numbers(result.ladder(), {"error": "%.2f", "seconds": "%.3g"}, text.LADDER)

    def table_of_the_paper(self, result: AccuracyResult, charts: Sequence[Chart]) -> None:
        """Draw the table of the paper that the maps on the page belong to."""
        scores = notes_table(result)
        if scores is not None:
            formats = dict.fromkeys(["printed", "here", "s.d."], "%.3f")
            formats |= dict.fromkeys(["seconds to fit", "seconds to predict"], "%.3g")
            layout.numbers(scores, formats, text.NOTES)
            return
        drawn = {chart.name: chart for chart in charts}
        if "accuracy-table-1" in drawn:
            found = drawn["accuracy-table-1"]
            layout.explain(found.words)
            formats = dict.fromkeys(["error %", "s.d.", "paper %", "paper s.d.", "apart"], "%.2f")
            layout.numbers(found.frame, formats, text.TABLE_1 if "apart" in found.frame else text.TABLE_1_OTHER_DATA)
        elif "accuracy-ranking" in drawn:
            found = drawn["accuracy-ranking"]
            layout.explain(found.words)
            formats = dict.fromkeys(
                ["accuracy %", "s.e.", "exact %", "network %", "paper RFS %", "paper net %"], "%.2f"
            )
            layout.numbers(found.frame, formats, text.ARCHITECTURES)
        elif result.architectures:
            st.markdown("The table appears when every architecture has its first points. Press Start.")
        else:
            st.markdown(text.TABLE_1_ELSEWHERE)
        if "accuracy-epochs" in drawn:
            chart = drawn["accuracy-epochs"]
            layout.chart(chart.figure, chart.name, chart.alt)
            layout.explain(chart.words)
