"""Charts of kernel approximation: they hold what the analysis found, in view, and say what it means."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.analysis.kernel_sample import error_grid, prepare_sample
from rfviz.experiments.kernel_approximation import describe
from rfviz.experiments.kernel_approximation.compute import METRICS, kernel_errors
from rfviz.experiments.kernel_approximation.figures import (
    plot_kernel_bias,
    plot_kernel_density,
    plot_kernel_errors,
    plot_kernel_spread,
)
from rfviz.features import MapSpec, RandomFourier, RandomMaxout
from tests.charts import opacity


@pytest.fixture(scope="module")
def results():
    sample = prepare_sample(datasets.load("digits"), n_points=30)
    grid = error_grid(400, points=8)
    return [
        kernel_errors(sample, MapSpec(RandomMaxout, pool_size=8), grid, 4, "q = 8"),
        kernel_errors(sample, MapSpec(RandomFourier, gamma=1.0), grid, 4),
    ]


@pytest.fixture(scope="module")
def biased():
    sample = prepare_sample(datasets.load("sphere"), n_points=40)
    return kernel_errors(sample, MapSpec(RandomFourier, gamma=0.1), [3, 7, 101], 30)


def named(figure, name):
    (found,) = [t for t in figure.data if t.name == name]
    return found


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("relative", [True, False])
def test_curves_are_the_measures(results, metric, relative):
    figure = plot_kernel_errors(results, metric, relative=relative, at=100, revision="r")
    for result in results:
        scale = result.unit if relative and metric != "correlation" else 1.0
        curve = named(figure, result.label)
        np.testing.assert_allclose(curve.y, result.errors.average(metric) / scale)
        np.testing.assert_array_equal(curve.x, result.m_grid)
    assert figure.layout.xaxis.type == "log" and figure.layout.uirevision == "r"
    assert (figure.layout.yaxis.type == "log") == (metric != "correlation")
    assert figure.layout.shapes[0].x0 == 100
    bands = [t for t in figure.data if t.fill == "toself"]
    assert len(bands) == len(results)


def test_references_are_what_theory_says(results):
    maxout, fourier = results
    exact = named(plot_kernel_errors(results, "rmse"), "q = 8: theory")
    np.testing.assert_allclose(exact.y, maxout.reference.rmse / maxout.unit)
    bound = named(plot_kernel_errors(results, "maximum"), "Random Fourier: Hoeffding 95%")
    np.testing.assert_allclose(bound.y, fourier.reference.bound)
    rate = named(plot_kernel_errors(results, "mae"), "slope 1/√m")
    assert rate.y[0] / rate.y[1] == pytest.approx(np.sqrt(rate.x[1] / rate.x[0]))
    plain = plot_kernel_errors(results, "rmse", references=False)
    assert [t.name for t in plain.data if t.name] == ["± 1 s.d. of the draws", *(r.label for r in results)]


def test_density_is_the_counts_on_axes_that_stand_still(results):
    figures = [plot_kernel_density(results[1], place, revision="r") for place in (0, 5)]
    for figure, place in zip(figures, (0, 5), strict=True):
        (image,) = figure.layout.images
        np.testing.assert_array_equal(opacity(image) > 0, results[1].density.counts[place] > 0)
        diagonal = named(figure, "estimate = kernel")
        np.testing.assert_array_equal(diagonal.x, diagonal.y)
    assert figures[0].layout.yaxis.range == figures[1].layout.yaxis.range
    edges = results[1].density.x_edges
    assert (image.x, image.x + image.sizex) == pytest.approx((edges[0], edges[-1]))


def test_bias_is_marked_where_there_is_one(results, biased):
    figure = plot_kernel_spread([biased], at=7)
    marks = named(figure, "Random Fourier: bias")
    assert {3, 7} <= set(np.asarray(marks.x).tolist()) and marks.showlegend
    np.testing.assert_allclose(named(figure, "Random Fourier: exact bias").y, biased.reference.bias / biased.unit)
    unbiased = plot_kernel_spread(results)
    assert not any("exact bias" in (t.name or "") for t in unbiased.data)
    for result in results:
        spread = named(unbiased, f"{result.label}: spread")
        np.testing.assert_allclose(spread.y, result.errors.spread / result.unit)


def test_bias_against_the_kernel(biased):
    figure = plot_kernel_bias(biased, 1)
    mean = named(figure, "mean error over draws")
    np.testing.assert_allclose(mean.y, biased.errors.group_bias[1])
    assert (np.asarray(mean.y) > 0).all()


def test_one_draw_has_neither_band_nor_spread(results):
    sample = prepare_sample(datasets.load("digits"), n_points=10)
    one = kernel_errors(sample, MapSpec(RandomMaxout), [10, 20], 1)
    assert not any(t.fill for t in plot_kernel_errors([one]).data)
    assert not plot_kernel_spread([one]).data
    assert len(plot_kernel_bias(one, 0).data) == 2


def test_curves_that_leave_their_exact_lines_by_chance_are_named():
    """Draws of maxout features err together: three of them lie to one side, and three hundred do not."""
    sample = prepare_sample(datasets.load("digits"), n_points=30)
    few, many = (kernel_errors(sample, MapSpec(RandomMaxout, pool_size=4), [100], n, "q = 4") for n in (2, 300))
    ratio = few.errors.average("rmse")[0] / few.reference.rmse[0]
    assert not 0.8 < ratio < 1.25
    words = describe.explanation([few], 0)
    assert "q = 4: off the theory by chance" in words and "2 draws are few" in words
    assert "off the theory" not in describe.explanation([many], 0)


def test_words_hold_the_numbers(results):
    words = describe.explanation(results, 3)
    assert "435 pairs of 30 points" in words
    assert "q = 8" in describe.summary(results, "mae")
