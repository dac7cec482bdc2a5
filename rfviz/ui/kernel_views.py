"""The parts of the page on kernel approximation below its main chart."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from rfviz.analysis.kernel_error import KernelErrorResult
from rfviz.analysis.kernel_statistics import METRICS
from rfviz.features import registry
from rfviz.figures.kernel_bias import plot_kernel_bias
from rfviz.figures.kernel_error import plot_kernel_errors
from rfviz.lab.controls import shown
from rfviz.recipes import kernel_text as text
from rfviz.recipes.base import Chart
from rfviz.recipes.kernel_approximation import Settings, Source, cloud_charts, colours, spread_chart
from rfviz.ui import layout

__all__ = ["all_measures", "bias_and_spread", "clouds", "method", "numbers"]


def clouds(source: Source, settings: Settings, results: Sequence[KernelErrorResult]) -> None:
    """Estimate against kernel for every map, each on axes of its own."""
    with st.container(key="pair"):
        for chart, result in zip(cloud_charts(source, settings, results), results, strict=True):
            with st.container():
                st.markdown(f"**{result.label}** at m = {shown(settings.m)}")
                layout.chart(chart.figure, chart.name, chart.alt, secondary=True)


def bias_and_spread(source: Source, settings: Settings, results: Sequence[KernelErrorResult]) -> None:
    """Spread over the draws beside the bias, for every m, and at one m for every map."""
    chart = spread_chart(source, settings, results)
    layout.chart(chart.figure, chart.name, chart.alt)
    st.markdown(text.BIAS_TEXT)
    with st.container(key="pair-biases"):
        for index, (colour, result) in enumerate(zip(colours(results), results, strict=True)):
            with st.container():
                st.markdown(f"**{result.label}** at m = {shown(settings.m)}")
                revision = f"{source.key}-{result.label}"
                figure = plot_kernel_bias(result, settings.place, colour=colour, revision=revision)
                words = f"Mean error over {result.n_draws} draws against the exact kernel, {result.label}."
                layout.chart(figure, f"bias-{index}", words)


def numbers(chart: Chart) -> None:
    """All measures of all maps as a table."""
    layout.numbers(chart.frame, dict.fromkeys(chart.frame.columns[2:], "%.4g"), text.NUMBERS)


def method(results: Sequence[KernelErrorResult]) -> None:
    """The formulas of the maps, and how their errors are measured."""
    for name in dict.fromkeys(result.scheme for result in results):
        layout.formula(registry()[name].formula)
    st.markdown(text.METHOD)


def all_measures(source: Source, settings: Settings, results: Sequence[KernelErrorResult]) -> None:
    """The four measures side by side, as in Figure 3 of the paper on compositional kernels."""
    options = {"at": settings.m, "relative": settings.relative, "height": 320, "legend": False}
    with st.container(key="pair-measures"):
        for metric in ("mae", "rmse", "maximum", "correlation"):
            figure = plot_kernel_errors(results, metric, **options, revision=f"{source.key}")
            with st.container():
                layout.chart(figure, f"measure-{metric}", f"{METRICS[metric]} against the number of features.")
