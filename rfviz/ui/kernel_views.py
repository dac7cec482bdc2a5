"""The parts of the page on kernel approximation: who races, the results, and the charts of each map."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rfviz.analysis.kernel_error import KernelErrorResult, KernelSample, kernel_errors
from rfviz.analysis.kernel_statistics import METRICS
from rfviz.datasets import DEFAULT_COLOUR_IMAGES, cifar10
from rfviz.errors import RfvizError
from rfviz.features import COMMON_PARAMS, registry
from rfviz.features.receptive import RECEPTIVE_FIELD
from rfviz.figures.kernel_bias import plot_kernel_bias, plot_kernel_spread
from rfviz.figures.kernel_error import plot_kernel_density, plot_kernel_errors
from rfviz.figures.template import scheme_styles
from rfviz.params import Param
from rfviz.recipes.controls import shown
from rfviz.ui import kernel_text as text
from rfviz.ui import layout
from rfviz.ui.controls import control, receptive_field, several
from rfviz.ui.race import Entrant
from rfviz.ui.results import watched
from rfviz.ui.state import PageState

__all__ = ["all_measures", "bias_and_spread", "choose_entrants", "clouds", "figure_3", "method", "numbers", "race"]

_DEFAULTS = {"pool_size": 4, "gamma": 1.0}
_DRAWN = {"iid": "independent", "qmc": "Sobol"}
_POOLS = [1, 2, 4, 8, 16, 32]
_BOTH = Param("both", False, "bool", label="Both ways",
              help="Two curves: equal features kept once, and all features as they are drawn.")  # fmt: skip


def figure_3(skeleton: str) -> dict[str, Any]:
    """The setting of Figure 3 of the paper: CIFAR-10 where the data folder has it, else what needs no download."""
    found = cifar10.in_folder() is not None
    data = {"data": "cifar10", "data.side": "24"} if found else {"data": DEFAULT_COLOUR_IMAGES}
    return data | {
        "normalise": "none", "points": 128, "draws": 10, "m_max": 10_000, "m": 1000, "odd": False, "metric": "rmse",
        "schemes": ["CompositionalFeatures", "HybridCompositional"], "skeleton": skeleton, "turn": 0.5,
        "deduplicate": True, "both": True, "paired": False,
    }  # fmt: skip


def choose_entrants(state: PageState, chosen: Sequence[str], image_shape: Sequence[int] | None = None) -> list[Entrant]:
    """Controls for the parameters of the chosen maps, each parameter once, and the maps that race with them.

    A parameter that several maps share (gamma) has one value for all, so that they estimate the same kernel.
    """
    common = {param.name for param in COMMON_PARAMS}
    values, pools, both, draws = {}, [], False, ["iid"]
    for name in chosen:
        for param in registry()[name].params:
            if param.name in common or param.name in values or param.kind == "range" or not param.applies(values):
                continue
            if param.name == "draw":
                draws = _choose_draws(state, param)
                continue
            values[param.name] = control(state, param, _DEFAULTS.get(param.name))
            if param.name == "pool_size":
                pools = several(state, "pools", _POOLS, [], "Beside it", "Further pool sizes, one curve for each.")
            elif param.name == "deduplicate":
                both = control(state, _BOTH)
    projecting = [name for name in chosen if RECEPTIVE_FIELD in registry()[name].params]
    field = receptive_field(state, image_shape) if projecting else {}
    entrants = []
    for name in chosen:
        own = {p.name: values[p.name] for p in registry()[name].params if p.name in values}
        drawn = draws if any(p.name == "draw" for p in registry()[name].params) else ()
        own |= field if name in projecting else {}
        for more, setting in _versions(own, pools, both, drawn):
            entrants.append(Entrant(registry()[name].label + more, name, tuple(setting.items())))
    return entrants


def _choose_draws(state: PageState, param: Param) -> list[str]:
    """Which ways to draw race: those chosen, or the default where none is."""
    titles = dict(zip(param.choices, param.titles, strict=True))
    chosen = several(state, param.name, param.choices, [param.default], param.label, text.DRAW_HELP, titles)
    return chosen or [param.default]


def _versions(
    own: dict[str, Any], pools: Sequence[int], both: bool, draws: Sequence[str] = ()
) -> list[tuple[str, dict[str, Any]]]:
    """The settings in which one map races, and what each adds to its name."""
    if draws:
        alone = draws == ["iid"]
        return [("" if alone else f", {_DRAWN.get(draw, draw)}", own | {"draw": draw}) for draw in draws]
    if "pool_size" in own:
        sizes = [own["pool_size"], *(q for q in pools if q != own["pool_size"])]
        return [(f", q = {q}", own | {"pool_size": q}) for q in sizes]
    if "deduplicate" in own and both:
        return [(", kept once", own | {"deduplicate": True}), (", as drawn", own | {"deduplicate": False})]
    return [("", own)]


def race(
    sample: KernelSample, sample_key: Hashable, entrants: Sequence[Entrant], grid: np.ndarray, draws: int
) -> list[KernelErrorResult]:
    """The results of all maps that can be computed; each of the others says why not, in one sentence."""
    results = []
    for entrant in entrants:
        try:
            key = (sample_key, entrant, tuple(grid.tolist()), draws)
            results.append(
                watched(
                    "kernel errors",
                    key,
                    lambda progress, entrant=entrant: kernel_errors(
                        sample, entrant.scheme, dict(entrant.setting), grid, draws, entrant.label, progress
                    ),
                )
            )
        except RfvizError as error:
            st.warning(f"{entrant.label}: {error}", icon="⚠️")
    return results


def _colours(results: Sequence[KernelErrorResult]) -> list[str]:
    """The colours that the maps have in the race."""
    return [style.colour for style in scheme_styles(result.scheme for result in results)]


def clouds(results: Sequence[KernelErrorResult], place: int, revision: str) -> None:
    """Estimate against kernel for every map, each on axes of its own."""
    with st.container(key="pair"):
        for index, (colour, result) in enumerate(zip(_colours(results), results, strict=True)):
            with st.container():
                st.markdown(f"**{result.label}** at m = {shown(int(result.m_grid[place]))}")
                figure = plot_kernel_density(result, place, colour=colour, revision=f"{revision}-{result.label}")
                rmse = result.errors.average("rmse")[place]
                words = f"Estimated against exact kernel of {result.n_pairs} pairs by {result.label}: RMSE {rmse:.3g}."
                layout.chart(figure, f"cloud-{index}", words, secondary=True)


def bias_and_spread(results: Sequence[KernelErrorResult], place: int, m: int, relative: bool, revision: str) -> None:
    """Spread over the draws beside the bias, for every m, and at one m for every map."""
    figure = plot_kernel_spread(results, at=m, relative=relative, revision=f"{revision}-{relative}")
    layout.chart(figure, "kernel-spread", "Spread over draws and bias against the number of features.")
    st.markdown(text.BIAS_TEXT)
    _biases(results, place, revision)


def numbers(results: Sequence[KernelErrorResult]) -> None:
    """All measures of all maps as a table."""
    frame = pd.concat([result.to_frame() for result in results], ignore_index=True)
    layout.numbers(frame, dict.fromkeys(frame.columns[2:], "%.4g"), text.NUMBERS)


def method(results: Sequence[KernelErrorResult]) -> None:
    """The formulas of the maps, and how their errors are measured."""
    for name in dict.fromkeys(result.scheme for result in results):
        layout.formula(registry()[name].formula)
    st.markdown(text.METHOD)


def _biases(results: Sequence[KernelErrorResult], place: int, revision: str) -> None:
    """Mean error beside spread, against the kernel, for every map."""
    with st.container(key="pair-biases"):
        for index, (colour, result) in enumerate(zip(_colours(results), results, strict=True)):
            with st.container():
                st.markdown(f"**{result.label}** at m = {shown(int(result.m_grid[place]))}")
                figure = plot_kernel_bias(result, place, colour=colour, revision=f"{revision}-{result.label}")
                words = f"Mean error over {result.n_draws} draws against the exact kernel, {result.label}."
                layout.chart(figure, f"bias-{index}", words)


def all_measures(results: Sequence[KernelErrorResult], at: int, relative: bool, revision: str) -> None:
    """The four measures side by side, as in Figure 3 of the paper on compositional kernels."""
    with st.container(key="pair-measures"):
        for metric in ("mae", "rmse", "maximum", "correlation"):
            options = {"at": at, "relative": relative, "height": 320, "legend": False, "revision": revision}
            figure = plot_kernel_errors(results, metric, **options)
            with st.container():
                layout.chart(figure, f"measure-{metric}", f"{METRICS[metric]} against the number of features.")
