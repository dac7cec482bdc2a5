"""Table 1 of the paper on compositional kernels, as far as the race has come."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from rfviz.analysis.architectures import rank_correlations, ranking
from rfviz.lab.controls import shown
from rfviz.recipes.accuracy_entrants import architectures
from rfviz.recipes.race import Race
from rfviz.ui import layout

__all__ = ["table_of_architectures"]

_NOTE = (
    "Mean over the seeds with its standard error, beside what the paper reports for a million features, trained by "
    "gradients on augmented images, and for the networks of the same shape. With a few thousand features and a ridge "
    "regression all are lower; the question is whether the order is the same."
)


def table_of_architectures(race: Race) -> None:
    """Accuracy and rank at the largest number of features that all racing architectures have reached."""
    table, m, behind = _table(race)
    if table is None:
        st.markdown("The table appears when every architecture has its first points. Press Start.")
        return
    features, networks = rank_correlations(table)
    words = f"At **m = {shown(m)}** features, {race.seeds} seeds."
    if not math.isnan(features):
        words += (
            f" Rank correlation with the paper’s features **{features:.2f}**, with its networks **{networks:.2f}**."
        )
    if behind:
        words += " The race goes on: the table grows with it."
    st.markdown(words)
    layout.numbers(table, dict.fromkeys(["accuracy %", "s.e.", "paper RFS %", "paper net %"], "%.2f"), _NOTE)


def _table(race: Race) -> tuple[pd.DataFrame | None, int, bool]:
    """The table, its number of features, and whether more are to come."""
    runs = {
        entrant.label: [
            {int(m): 100.0 * (1.0 - error) for s in race.segments(entrant, seed)
             for m, error in zip(s.m_grid, s.errors, strict=True)}
            for seed in range(race.seeds)
        ]
        for entrant in architectures(race.entrants)
    }  # fmt: skip
    reached = set.intersection(*(set(run) for seeds in runs.values() for run in seeds))
    if not reached:
        return None, 0, True
    m = max(reached)
    return ranking({name: [run[m] for run in seeds] for name, seeds in runs.items()}), m, bool(race.missing())
