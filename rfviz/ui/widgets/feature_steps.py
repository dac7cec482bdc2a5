"""One feature of two points, step by step, with their numbers in each place of the formula."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
import streamlit as st

from rfviz.errors import ParameterError
from rfviz.features import FeatureMap, HashingMap, Step
from rfviz.features.description import number
from rfviz.figures.pool import plot_pool
from rfviz.lab.page import MapExport
from rfviz.ui.session import set_widget_value, widget_value
from rfviz.ui.state import PageState
from rfviz.ui.widgets.live_chart import live_chart

__all__ = ["feature_steps"]

# Projections of a pool that are written out.
_SHOWN = 8


def feature_steps(state: PageState, maps: Sequence[MapExport]) -> None:
    """Ask for two rows and a feature, and write out how the map computes it, and what the product gives.

    Parameters
    ----------
    maps : sequence of MapExport
        Those of the page; the user chooses one where there are several.
    """
    if not maps:
        return
    st.markdown(
        "Choose two rows, x and z, and a feature of the map. It is the map that Share "
        "exports: drawn from the same distribution as that of the chart, but not always with the same numbers."
    )
    labels = [found.label for found in maps]
    chosen = maps[0]
    if len(maps) > 1:
        label = st.selectbox("Feature map", labels, key=state.key("steps-map"))
        chosen = maps[labels.index(label) if label in labels else 0]
    fitted, X = chosen.feature_map.fit(chosen.X), chosen.X
    with st.container(horizontal=True):
        one, two = (
            _whole(f"Row {name}", state.key(f"steps-{name}"), min(start, X.shape[0]), X.shape[0])
            for name, start in (("x", 1), ("z", 2))
        )
        pair = [_dense(fitted.transform(X[row - 1 : row])) for row in (one, two)]
        feature = _whole("Feature ℓ", state.key("steps-feature"), 1, len(pair[0]))
    values, told = [], []
    for name, row in (("x", one), ("z", two)):
        steps = fitted.explain(X[row - 1 : row], feature - 1)
        values.append(steps[-1].value)
        told.append(steps)
        st.markdown(f"**{name}**, row {row:,}:\n\n{_lines(steps, name)}")
    if X.shape[1] == 2 and any(step.wins for step in told[0]):
        points = {"x": _dense(X[one - 1 : one]), "z": _dense(X[two - 1 : two])}
        live_chart(
            plot_pool(points, told),
            "feature-steps",
            "The two points, the directions of the pool, and the one that wins for each.",
            secondary=True,
            square=True,
        )
        st.caption(
            "A projection is the length of a direction times how far the point lies along it (dashed). Points "
            "that look the same way often share their winner."
        )
    st.markdown(_product(fitted, X, (one - 1, two - 1), values, float(pair[0] @ pair[1])))
    if isinstance(fitted, HashingMap) and len(told[0]) > 1:
        x, z = fitted.codes(X[[one - 1, two - 1]])[:, feature - 1].tolist()
        st.markdown(_symbols(x, z))


def _lines(steps: Sequence[Step], name: str) -> str:
    """Return the steps of a point as a list in Markdown; of a large pool the largest projections."""
    competing = sorted((step.value for step in steps if step.competes), reverse=True)
    least = competing[_SHOWN - 1] if len(competing) > _SHOWN else -np.inf
    lines = []
    for words, group in groupby(steps, key=lambda step: step.words):
        shown = [step for step in group if not step.competes or step.value >= least]
        lines.append(f"- {words}")
        lines += [f"    - ${_of_point(step.latex, name)}$" + (" **← wins**" if step.wins else "") for step in shown]
    if len(competing) > _SHOWN:
        lines.append(f"- The {_SHOWN} largest of {len(competing)} projections are written out.")
    return "\n".join(lines)


def _of_point(latex: str, name: str) -> str:
    """Return a formula of a map, which calls its point x, for the point of this name."""
    named = latex.replace(r"\Phi_\ell=", rf"\Phi_\ell({name})=")
    for before, after in ((",x", r"\rangle"), (r"^\top x", ""), ("(x", ")")):
        named = named.replace(before + after, before[:-1] + name + after)
    return named


def _product(fitted: FeatureMap, X: Any, rows: tuple[int, int], values: Sequence[float], estimate: float) -> str:
    """Return what this feature adds to the estimate of the kernel, the estimate, and the exact kernel if known."""
    x, z = values
    text = (
        f"This feature adds $\\Phi_\\ell(x)\\,\\Phi_\\ell(z)={number(x * z)}$ to the estimate of the kernel. All "
        f"features together give $\\langle\\Phi(x),\\Phi(z)\\rangle={number(estimate)}$"
    )
    try:
        exact = fitted.kernel(X[rows[0] : rows[0] + 1], X[rows[1] : rows[1] + 1])
    except ParameterError:  # no closed form, or one that takes minutes
        return f"{text}."
    return f"{text}; the exact kernel is $k(x,z)={number(float(exact[0, 0]))}$."


def _symbols(x: int, z: int) -> str:
    """Return what the feature is as a symbol of two hash codes."""
    same = f"{x} for both: they **agree**" if x == z else f"{x} for x and {z} for z: they **differ**"
    return (
        "A hash code keeps only which projection wins, counted from 0 (of a single one, whether it is positive). "
        f"Symbol ℓ is {same}."
    )


def _whole(label: str, key: str, start: int, most: int) -> int:
    """Ask for a whole number from 1 to `most`."""
    if not 1 <= int(widget_value(key, 0)) <= most:  # of other data, or of a larger map
        set_widget_value(key, start)
    return int(st.number_input(label, 1, most, key=key))


def _dense(features: Any) -> np.ndarray:
    return np.asarray(features.toarray() if hasattr(features, "toarray") else features, dtype=np.float64)[0]
