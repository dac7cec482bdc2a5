"""The parts of the page on decision surfaces: what is learnt from, the three panels, and their numbers."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rfviz.analysis.creases import crease_meaning, scheme_creases
from rfviz.analysis.decision_surface import SchemeSurfaces, Surface, scheme_surfaces
from rfviz.analysis.mapping import settled
from rfviz.analysis.plane import Plane, plane_of
from rfviz.analysis.progress import Progress
from rfviz.analysis.splits import Split, make_split
from rfviz.analysis.svm_surface import svm_surface
from rfviz.datasets.base import Dataset
from rfviz.features import RandomFourier, registry
from rfviz.figures.decision_surface import LEFT_MARGIN, class_colour, plot_surface, surface_image
from rfviz.ui import layout
from rfviz.ui import surface_text as text
from rfviz.ui.controls import choice, control
from rfviz.ui.films_kernels import surface_reels
from rfviz.ui.own_points import OWN_PLANE, OwnPoints
from rfviz.ui.results import kept, watched
from rfviz.ui.state import PageState

__all__ = ["PANELS", "Bench", "Chosen", "bench_of", "choose_scheme", "own_bench", "shares_gamma", "show"]

#: Keys of the three charts.
PANELS = ("surface-map", "surface-rbf", "surface-linear")
# More marks than this would make each redraw slow, and hide the surface.
_MOST_MARKS = 400
# Parameters without a control here: the first has one of its own, the others show in no picture of a plane.
_LEFT_OUT = ("n_components", "dtype", "receptive_field", "image_shape")


@dataclass(frozen=True, eq=False)
class Bench:
    """What all classifiers of the page learn from, and where they are asked.

    Attributes
    ----------
    split : Split
    plane : Plane
    key : tuple
        Hashable, for results that are kept.
    axes : (across, up)
        Titles.
    placing : bool
        Whether clicks add points.
    """

    split: Split
    plane: Plane
    key: tuple
    axes: tuple[str, str]
    placing: bool

    @property
    def is_ready(self) -> bool:
        """Whether there are two classes to tell apart."""
        return len(np.unique(self.split.y_train)) > 1


@dataclass(frozen=True, eq=False)
class Chosen:
    """What the reader chose for the first panel: a scheme, its keyword arguments, the loss, a constant input."""

    scheme: str
    setting: dict[str, Any]
    loss: str
    constant: bool

    @property
    def key(self) -> tuple:
        return self.scheme, tuple(sorted(self.setting.items())), self.loss, self.constant


@dataclass(frozen=True, eq=False)
class Panel:
    """A classifier to draw: title, surface (None where there is nothing to learn from), key of its picture, setting."""

    title: str
    surface: Surface | None
    key: tuple
    setting: str = ""


def bench_of(dataset: Dataset, data_key: tuple, scaling: str) -> Bench:
    """A data set, split, and its plane."""

    def make() -> Bench:
        split = make_split(dataset, scaling)
        plane = plane_of(split.X_train)
        names = dataset.feature_names if len(dataset.feature_names) == 2 else ("x", "y")
        axes = ("first principal component", "second principal component") if plane.is_slice else names
        return Bench(split, plane, (data_key, scaling), axes, False)

    return kept("surface bench", (data_key, scaling), make, most=6)


def own_bench(points: OwnPoints) -> Bench:
    """The reader's own points."""
    return Bench(points.split(), OWN_PLANE, ("own", tuple(points.texts)), ("x", "y"), True)


def choose_scheme(state: PageState) -> tuple[str, dict[str, Any]]:
    """Scheme and settings, but for the number of features, which has a slider of its own."""
    schemes = registry()
    titles = {name: scheme.label for name, scheme in schemes.items()}
    scheme = choice(state, "scheme", list(schemes), "RandomFourier", "Scheme", "Which feature map.", titles)
    setting: dict[str, Any] = {}
    for param in schemes[scheme].params:
        if param.name not in _LEFT_OUT and param.applies(setting):
            setting[param.name] = control(state, param)
    return scheme, setting


def found(bench: Bench, chosen: Chosen) -> SchemeSurfaces:
    """The surfaces of the chosen scheme for every m."""
    return watched(
        "surfaces", (bench.key, chosen.key),
        lambda progress: scheme_surfaces(bench.split, bench.plane, chosen.scheme, chosen.setting, loss=chosen.loss,
                                         constant=chosen.constant, progress=progress),
        most=10,
    )  # fmt: skip


def compared(bench: Bench, chosen: Chosen, own: SchemeSurfaces, penalty: float, gamma: float | str) -> list[Panel]:
    """The two support vector machines; the first has the scheme's gamma where the kernel is the same."""
    if shares_gamma(chosen):
        width = float(own.gamma or 1.0)
    else:
        X = bench.split.X_train
        width = kept("surface width", (bench.key, gamma), lambda: settled(RandomFourier, {"gamma": gamma}, X)["gamma"])
    panels = []
    for kernel, title in (("rbf", "Exact RBF-SVM"), ("linear", "Linear SVM")):
        key = (bench.key, kernel, penalty, width if kernel == "rbf" else 0.0)

        def make(progress: Progress, kernel: str = kernel) -> Surface:
            return svm_surface(bench.split, bench.plane, kernel, penalty, width, progress=progress)

        surface = watched("svm surface", key, make, most=24)
        panels.append(Panel(title, surface, key, f"γ = {width:.3g}" if kernel == "rbf" else ""))
    return panels


def shares_gamma(chosen: Chosen) -> bool:
    """Whether the features estimate the very kernel of the RBF-SVM."""
    return chosen.scheme == "RandomFourier" and chosen.setting.get("spectrum", "gaussian") == "gaussian"


def show(
    state: PageState, bench: Bench, chosen: Chosen, m: int, creases: int, penalty: float, gamma: float | str
) -> None:
    """The panels, what is seen in them, and what is folded away."""
    label = registry()[chosen.scheme].label
    if not bench.is_ready:
        draw(bench, chosen, 0, [Panel(title, None, ()) for title in (label, "Exact RBF-SVM", "Linear SVM")])
        st.info(text.TOO_FEW)
        return
    own = found(bench, chosen)
    rbf, linear = compared(bench, chosen, own, penalty, gamma)
    first = Panel(label, own.at(m), (bench.key, chosen.key, m, creases), f"m = {m:,}")
    figure, words = draw(bench, chosen, creases, [first, rbf, linear])[0]

    def panel(surface: Surface, m: int, setting: dict[str, Any]) -> Any:
        picked = replace(chosen, setting=setting)
        return _figure(bench, picked, Panel(label, surface, (bench.key, picked.key, m, creases)), creases)

    layout.under_chart(figure, PANELS[0], words, surface_reels(state, bench, chosen, m, own, panel))
    sizes = len(bench.split.X_train), len(bench.split.X_test)
    layout.explain(text.explanation(own, m, chosen.loss, rbf.surface, linear.surface, *sizes))
    if bench.plane.is_slice:
        layout.explain(text.slice_text(bench.plane))
    if creases:
        st.markdown(crease_words(chosen, creases))
    if sizes[0] > _MOST_MARKS:
        st.caption(f"{_MOST_MARKS} of the {sizes[0]:,} training points are drawn.")
    layout.details(state, {
        "Every m in numbers": lambda: numbers(own, rbf.surface, bench.split),
        "How it is computed": lambda: st.markdown(text.METHOD),
    })  # fmt: skip


def draw(bench: Bench, chosen: Chosen, creases: int, panels: Sequence[Panel]) -> list[tuple[Any, str]]:
    """The three panels in a row, on the same axes and in the same colours: each figure, and what it says."""
    split, names = bench.split, bench.split.target_names
    classes, drawn = np.unique(split.y_train), []
    st.html(_chips([names[c] for c in classes], [int(c) for c in classes]))
    with st.container(key="surface-row"):
        for key, panel in zip(PANELS, panels, strict=True):
            first = key == PANELS[0]
            figure = _figure(bench, chosen, panel, creases if first else 0)
            words = text.summary(panel.title, panel.surface, len(split.X_train))
            with st.container():
                st.html(_heading(panel.title, _note(bench, panel), "at-now" if first else ""))
                layout.chart(figure, key, words, placing=bench.placing, square=True)
            drawn.append((figure, words))
    return drawn


def _figure(bench: Bench, chosen: Chosen, panel: Panel, creases: int) -> Any:
    """One panel."""
    split = bench.split
    rows = kept("surface marks", bench.key, lambda: _marks(len(split.X_train)), most=12)
    xy, classes = bench.plane.project(split.X_train[rows]), np.unique(split.y_train)
    return plot_surface(
        _image(bench, chosen, panel, classes, creases), bench.plane, xy, split.y_train[rows], split.target_names,
        missed=_missed(bench, panel.surface), axes=bench.axes, placing=bench.placing,
        revision="own" if bench.placing else str(bench.key),
    )  # fmt: skip


def _image(bench: Bench, chosen: Chosen, panel: Panel, classes: np.ndarray, creases: int) -> dict[str, Any] | None:
    if panel.surface is None:
        return None

    def make() -> dict[str, Any]:
        return surface_image(panel.surface, classes, bench.plane, _creases(bench, chosen, creases))

    return kept("surface image", panel.key, make, most=100)


def _creases(bench: Bench, chosen: Chosen, count: int) -> np.ndarray | None:
    if not count:
        return None
    key = (bench.key, chosen.key, count)
    return kept("creases", key, lambda: scheme_creases(bench.split, bench.plane, chosen.scheme, chosen.setting, count,
                                                       constant=chosen.constant), most=24)  # fmt: skip


def _marks(n: int) -> np.ndarray:
    """Rows to draw: all, or so many at random."""
    return np.arange(n) if n <= _MOST_MARKS else np.sort(np.random.default_rng(0).permutation(n)[:_MOST_MARKS])


def _missed(bench: Bench, surface: Surface | None) -> tuple[np.ndarray, np.ndarray] | None:
    if surface is None or not len(bench.split.X_test):
        return None
    wrong = surface.wrong[:_MOST_MARKS]
    return bench.plane.project(bench.split.X_test[wrong]), bench.split.y_test[wrong]


def _note(bench: Bench, panel: Panel) -> str:
    if panel.surface is None:
        return "waiting for points"
    kind = "test accuracy" if len(bench.split.X_test) else "training accuracy"
    return (f"{panel.setting} · " if panel.setting else "") + f"{kind} {panel.surface.accuracy:.1%}"


def _heading(title: str, note: str, kind: str = "") -> str:
    """Title of a panel, above its plane; outside the chart, where it may take two lines."""
    return (
        f'<div style="margin-left:{LEFT_MARGIN}px;line-height:1.35"><b>{html.escape(title)}</b><br>'
        f'<span class="{kind}" style="font-size:0.9rem">{html.escape(note)}</span></div>'
    )


def _chips(names: list[str], codes: list[int]) -> str:
    """The classes as coloured names in a line."""
    chips = [
        f'<span style="white-space:nowrap"><span style="color:{class_colour(c)}">⬤</span> {html.escape(name)}</span>'
        for name, c in zip(names, codes, strict=True)
    ]
    return '<div style="display:flex;flex-wrap:wrap;gap:0 1.1rem;font-size:0.95rem">' + "".join(chips) + "</div>"


def crease_words(chosen: Chosen, creases: int) -> str:
    """What the dark lines are, in a sentence."""
    if not creases:
        return ""
    meaning = crease_meaning(chosen.scheme, chosen.setting)
    if not meaning:
        return "These features are linear and have no creases."
    which = "the first feature" if creases == 1 else f"the first {creases} features"
    return f"Dark lines, for {which}: {meaning}."


def numbers(own: SchemeSurfaces, rbf: Surface, split: Split) -> None:
    """Accuracy and agreement for every m."""
    kind = "test accuracy" if len(split.X_test) else "training accuracy"
    frame = pd.DataFrame(
        {
            "m": own.m_grid,
            f"{kind}, %": [100 * s.accuracy for s in own.surfaces],
            "agreement, %": [100 * float(np.mean(s.winners == rbf.winners)) for s in own.surfaces],
            "slope": [s.slope for s in own.surfaces],
            "penalty α": own.alphas,
        }
    )
    layout.numbers(frame, {f"{kind}, %": "%.1f", "agreement, %": "%.1f", "slope": "%.3g", "penalty α": "%.3g"},
                   text.NUMBERS)  # fmt: skip
