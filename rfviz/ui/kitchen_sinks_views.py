"""The parts of the page on kitchen sinks against AdaBoost: its chart, and tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rfviz.datasets import Dataset
from rfviz.lab.controls import Control
from rfviz.lab.split_data import SplitData
from rfviz.recipes import kitchen_sinks_text as text
from rfviz.recipes.kitchen_sinks import RECIPE, Findings, Settings
from rfviz.ui import layout
from rfviz.ui.share import share, share_place
from rfviz.ui.state import PageState

__all__ = ["choose_view", "columns", "numbers", "show"]


def choose_view(control: Control, key: str, on_change: Any) -> None:
    """Which of the paper's charts to show."""
    options = {"key": key, "format_func": control.title, "on_change": on_change}
    st.segmented_control(control.label, control.options, required=True, **options)


def show(state: PageState, source: SplitData, settings: Settings, found: Findings, is_going: bool) -> None:
    """The chart as far as it is known, and what it says; to be shared once nothing is added any more."""
    if settings.view == "weights" and not found:
        st.info("No run is there yet. Press Start.")
        return
    (chart,) = RECIPE.charts(source, settings, found)
    weights = settings.view == "weights"
    layout.chart(chart.figure, chart.name, chart.alt, reels=None if weights else ())
    if weights:  # nothing to pin
        with st.container(horizontal=True, horizontal_alignment="right", key="weights-bar-row"):
            share_place(state)
    layout.explain(chart.words)
    if found and not is_going:
        share(state, RECIPE, source, settings, found)
    if found.ended:
        st.caption(found.ended)


def numbers(found: Findings) -> None:
    """The points of the charts as a table."""
    if found.decay is not None:
        frame = found.decay.to_frame()
        layout.numbers(frame, dict.fromkeys(frame.columns[2:], "%.4g"))
        return
    frames = [c.frame.assign(learner=c.label) for c in found.curves if len(c.frame)]
    if not frames:
        st.markdown("No points yet.")
        return
    table = pd.concat(frames, ignore_index=True)
    table = table[["learner", "K", "error", "s.d.", "draws", "train", "test", "total"]]
    table[["error", "s.d."]] *= 100
    table = table.rename(columns={"error": "error %", "train": "train s", "test": "test s", "total": "total s"})
    formats = {"error %": "%.2f", "s.d.": "%.2f"} | dict.fromkeys(["train s", "test s", "total s"], "%.3g")
    layout.numbers(table, formats, text.NUMBERS)


def columns(dataset: Dataset) -> None:
    """Where the data come from, and which word each column of zeros and ones stands for."""
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
        {"column": column, "words": len(words) or None, "became": ", ".join(words) or "one number",
         "rows that are not zero, %": None if words else 100 * share_of[column]}
        for column, words in groups.items()
    ]  # fmt: skip
    note = "A column of words became a column of zeros and ones for each of its words."
    layout.numbers(pd.DataFrame(rows), {"rows that are not zero, %": "%.1f"}, note if any(groups.values()) else "")
