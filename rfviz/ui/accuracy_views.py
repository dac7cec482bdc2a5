"""The parts of the accuracy page: confusions, penalties and numbers of a race."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import streamlit as st

from rfviz.analysis.maxout_table import maxout_table
from rfviz.datasets import Dataset
from rfviz.figures.accuracy import plot_confusion, plot_penalty
from rfviz.recipes import accuracy_text as text
from rfviz.recipes.race import Race
from rfviz.ui import images, layout
from rfviz.ui.controls import PagePanel
from rfviz.ui.results import known, watched
from rfviz.ui.state import PageState

__all__ = [
    "OWN_TRAINING",
    "confusions",
    "numbers",
    "penalties",
    "table_one",
]

_SHOWN_ERRORS = 24
OWN_TRAINING = " With this loss every m is trained on its own, by stochastic gradients on the same features."


def confusions(state: PageState, race: Race, dataset: Dataset) -> None:
    """Which classes are confused by one map at one number of features, and the images of the rows."""
    runs = {entrant.label: race.segments(entrant, 0) for entrant in race.entrants}
    runs = {label: segments for label, segments in runs.items() if segments}
    if not race.split.is_classification or not runs:
        st.markdown("Confusions appear with the first points of a classification race.")
        return
    with st.container(key="controls-confusions"):
        label = PagePanel(state).choice("confused", list(runs), next(iter(runs)), "Map", "Whose errors to look at.")
        predictions = {int(m): p for s in runs[label] for m, p in zip(s.m_grid, s.predictions, strict=True)}
        at, titles = [str(m) for m in sorted(predictions)], {str(m): f"{m:,}" for m in predictions}
        m = int(PagePanel(state).choice("at", at, at[-1], "Features m", "At which point of the curve.", titles))
    truth, predicted = race.split.y_test, predictions[m]
    names = list(race.split.target_names)
    counts = np.zeros((len(names), len(names)), dtype=int)
    np.add.at(counts, (truth, predicted), 1)
    wrong = np.flatnonzero(truth != predicted)
    st.markdown(f"**{len(wrong):,} of {len(truth):,}** test rows are wrong with {label} at m = {m:,} (seed 0).")
    with st.container(key="pair"):
        layout.chart(plot_confusion(counts, names), "confusion", f"Confusions of {label} at m = {m}.")
        if dataset.image_shape and len(wrong):
            shown = wrong[:_SHOWN_ERRORS]
            captions = [f"{names[truth[i]]} → {names[predicted[i]]}" for i in shown]
            st.html(images.gallery(dataset, race.split_key, race.split.test_rows[shown], captions))


def penalties(race: Race) -> None:
    """The penalty that was chosen at each point, where it was chosen."""
    if race.loss != "ridge":
        st.markdown(f"The {race.loss} loss is trained with the small penalty 10⁻⁶ a row; to stop early does the rest.")
        return
    # What is trained in a way of its own has a penalty of its own, a row.
    solved = dataclasses.replace(race, entrants=tuple(entrant for entrant in race.entrants if not entrant.loss))
    layout.chart(plot_penalty(solved.runners("m")), "penalty", "Chosen penalty against the number of features.")
    layout.explain(text.PENALTY)


def table_one(race: Race) -> None:
    """Table 1 of the maxout paper on MNIST, computed at the press of a button, beside the paper's numbers."""
    if not race.is_papers_mnist:
        st.markdown(
            "The table belongs to MNIST with its own split: choose it with 70,000 rows (“Rows at most”) and no "
            "normalisation. It then takes one click, and about twenty minutes on two cores."
        )
        return
    key = (race.split_key, "table 1")
    wanted = st.session_state.get("accuracy:table", False)
    with st.container(horizontal=True):
        st.button("Compute Table 1", type="primary", disabled=wanted, on_click=_want_table, args=(True,))
        st.button("Stop computing", disabled=not wanted, on_click=_want_table, args=(False,))
    if not wanted and known("table", key) is None:
        return
    split = race.split
    data = (split.X_train, split.y_train), (split.X_test, split.y_test)
    table = watched("table", key, lambda p: maxout_table(*data, progress=p), 2)
    st.session_state["accuracy:table"] = False
    formats = dict.fromkeys(["error %", "s.d.", "paper %", "paper s.d.", "apart"], "%.2f")
    note = "Mean and standard deviation over five draws; apart: the gap in the paper’s standard deviations."
    layout.numbers(table.to_frame(), formats, note)


def _want_table(value: bool) -> None:
    st.session_state["accuracy:table"] = value


def numbers(race: Race) -> None:
    """Every point of every curve as a table."""
    frames = [runner.frame.assign(map=runner.label) for runner in race.runners("m")]
    if not frames:
        st.markdown(text.NOBODY)
        return
    table = pd.concat(frames, ignore_index=True)
    note = "Columns: of the feature matrix, mean over the seeds. Random binning has many for each of its m repetitions."
    if (table["columns"] == table["m"]).all():
        table, note = table.drop(columns="columns"), ""
    formats = {"error": "%.2f", "s.d.": "%.2f", "alpha": "%.3g", "seconds": "%.3g"}
    layout.numbers(table[["map", *[name for name in table.columns if name != "map"]]], formats, note)
