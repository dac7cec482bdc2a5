"""Figures of the accuracy page: the curves that were computed, on axes that stand still, valid for Plotly."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from rfviz.experiments.accuracy.compute import Curve
from rfviz.experiments.accuracy.figures import plot_accuracy, plot_confusion, plot_epochs, plot_penalty
from rfviz.features import CompositionalFeatures, RandomFourier, RandomMaxout

FRAME = pd.DataFrame(
    {
        "m": [10, 100, 1000],
        "error": [30.0, 5.0, 1.0],
        "s.d.": [3.0, 0.5, 2.0],
        "alpha": [1.0, 0.1, 0.01],
        "bytes": [100, 1000, 10_000],
    }
)
CURVES = [
    Curve("A", RandomFourier, FRAME),
    Curve("B", RandomMaxout, FRAME.assign(**{"s.d.": 0.0}), ((100, 4.0, 0.2),)),
]
NOTHING = Curve("C", RandomFourier, FRAME.iloc[:0])


def lines(figure):
    return [trace for trace in figure.data if trace.mode == "lines+markers"]


@pytest.mark.parametrize("axis", ["m", "bytes"])
def test_curves_are_the_numbers(axis):
    figure = plot_accuracy(CURVES, {}, axis=axis)
    assert [trace.name for trace in lines(figure)] == ["A", "B"]
    for trace in lines(figure):
        np.testing.assert_array_equal(trace.x, FRAME[axis])
        np.testing.assert_array_equal(trace.y, FRAME["error"])
    assert lines(figure)[0].marker.symbol != lines(figure)[1].marker.symbol


def test_a_band_is_one_standard_deviation_and_stays_positive():
    (band,) = [trace for trace in plot_accuracy(CURVES, {}).data if trace.fill == "toself"]
    np.testing.assert_allclose(band.y[:3], [33, 5.5, 3])
    np.testing.assert_allclose(band.y[3:], [0.2, 4.5, 27])  # 1 − 2 has no logarithm


def test_references_are_named_lines_within_the_axes():
    figure = plot_accuracy(CURVES, {"exact": 0.5, "perfect": 0.0}, x_range=(9, 2000))
    (line,) = [trace for trace in figure.data if trace.mode == "lines+text"]
    assert line.text[0].strip() == "exact: 0.5" and list(line.x) == [9, 2000]  # 0 has no place on a logarithmic axis
    low, high = figure.layout.yaxis.range
    assert low < np.log10(0.5) and high > np.log10(30)
    np.testing.assert_allclose(figure.layout.xaxis.range, np.log10([9, 2000]))


def test_a_reference_is_named_where_no_curve_runs_through_its_name():
    def name_of(error, curves=CURVES):
        figure = plot_accuracy(curves, {"exact": error}, x_range=(9, 1100))
        (line,) = [trace for trace in figure.data if trace.mode == "lines+text"]
        return [bool(word) for word in line.text], line.textposition

    at_left, at_right = ([True, False], "top right"), ([False, True], "top left")
    assert name_of(0.5) == at_left  # below all curves
    assert name_of(15.0) == at_right  # the curves come down through it at the left
    rising = Curve("D", RandomFourier, FRAME.assign(error=FRAME["error"].to_numpy()[::-1]))
    assert name_of(1.05, [rising]) == at_right
    # Two lines close to each other do not have their names on top of each other.
    figure = plot_accuracy(CURVES, {"low": 0.5, "higher": 0.55}, x_range=(9, 1100))
    low, higher = (trace for trace in figure.data if trace.mode == "lines+text")
    assert low.textposition != higher.textposition


def test_what_the_paper_prints_belongs_to_m():
    marks = [trace for trace in plot_accuracy(CURVES, {}).data if trace.mode == "markers"]
    assert len(marks) == 1 and marks[0].name == "B, the paper"
    assert not [trace for trace in plot_accuracy(CURVES, {}, axis="bytes").data if trace.mode == "markers"]


def test_networks_are_rings_in_their_curves_colours():
    curves = [dataclasses.replace(curve, network=40.0 + i) for i, curve in enumerate(CURVES)]
    figure = plot_accuracy([*curves, NOTHING], {})
    (rings,) = [trace for trace in figure.data if trace.name == "networks"]
    assert list(rings.x) == [384, 384] and list(rings.y) == [40.0, 41.0] and list(rings.text) == ["A", "B"]
    assert list(rings.marker.color) == [line.line.color for line in lines(figure)[:2]]
    assert 10 ** figure.layout.yaxis.range[1] > 41.0
    assert "networks" not in [trace.name for trace in plot_accuracy(curves, {}, axis="bytes").data]


def test_training_on_images_that_change_is_dotted_and_widens_the_axis_of_m_alone():
    curves = [dataclasses.replace(CURVES[0], augmented=((10_000, 60.0), (100_000, 50.0))), CURVES[1]]
    figure = plot_accuracy(curves, {}, x_range=(9, 1100))
    (dotted,) = [trace for trace in figure.data if trace.name == "images that change"]
    assert (list(dotted.x), list(dotted.y)) == ([10_000, 100_000], [60.0, 50.0])
    assert dotted.line.color == lines(figure)[0].line.color and dotted.line.dash == "dot"
    assert figure.layout.xaxis.range[1] > 5 > 10 ** figure.layout.yaxis.range[1] / 20
    assert plot_accuracy(CURVES, {}, x_range=(9, 1100)).layout.xaxis.range[1] < 4
    assert "images that change" not in [trace.name for trace in plot_accuracy(curves, {}, axis="bytes").data]


def test_exact_kernels_are_dashed_lines_in_their_curves_colours():
    curves = [dataclasses.replace(curve, exact=error) for curve, error in zip(CURVES, (0.8, 0.5), strict=True)]
    for axis in ("m", "bytes"):
        figure = plot_accuracy([*curves, NOTHING], {}, axis=axis)
        dashed = [trace for trace in figure.data if trace.mode == "lines" and trace.line.dash == "dash"]
        assert [set(trace.y) for trace in dashed] == [{0.8}, {0.5}]
        assert [trace.line.color for trace in dashed] == [trace.line.color for trace in lines(figure)[:2]]
        assert [trace.showlegend for trace in dashed] == [True, False]
        assert figure.layout.yaxis.range[0] < np.log10(0.5)


def test_charts_before_the_first_point():
    for figure in (plot_accuracy([NOTHING], {}, x_range=(9, 100)), plot_accuracy([], {}), plot_penalty([NOTHING])):
        assert figure.to_dict()["layout"]["xaxis"]["type"] == "log"
    assert len(lines(plot_accuracy([NOTHING, *CURVES], {}))) == 3


def test_errors_by_epoch_are_solid_for_features_and_dashed_for_networks():
    labels = [f"number {i}" for i in range(10)]
    curves = [Curve(label, CompositionalFeatures, FRAME, epochs=((50.0, 45.0, 41.0), (60.0, 55.0))) for label in labels]
    curves[3] = dataclasses.replace(curves[3], epochs=())  # what was not trained leaves the others their colours
    figure = plot_epochs(curves)
    main = {trace.name: trace for trace in lines(plot_accuracy(curves, {}))}
    drawn = [trace for trace in figure.data if trace.name in labels]
    assert [trace.name for trace in drawn[::2]] == [label for label in labels if label != labels[3]]
    for features, network in zip(drawn[::2], drawn[1::2], strict=True):
        assert (list(features.x), list(features.y)) == ([1, 2, 3], [50.0, 45.0, 41.0])
        assert (list(network.x), list(network.y)) == ([1, 2], [60.0, 55.0])
        assert (features.line.dash, network.line.dash) == ("solid", "dash")
        assert features.line.color == network.line.color == main[features.name].line.color
        assert features.marker.symbol == main[features.name].marker.symbol
        assert network.marker.symbol == features.marker.symbol + "-open"
        assert (features.showlegend, network.showlegend) == (True, False)
        assert f"{network.name}, network" in network.hovertemplate and "epoch %{x}" in network.hovertemplate
    assert len({(trace.line.color, trace.marker.symbol) for trace in drawn[::2]}) == 9
    assert [trace.name for trace in figure.data[-2:]] == ["features", "networks"]  # what the lines are
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert plot_epochs([]).layout.xaxis.type == "log"
    # Up to three are shades of one colour, of which some have open marks in the main chart.
    few = plot_epochs([curves[0], curves[1], curves[2]]).data[:6]
    assert len({trace.line.color for trace in few}) == 3
    assert ["open" in trace.marker.symbol for trace in few] == [False, True] * 3


def test_penalties():
    figure = plot_penalty(CURVES)
    np.testing.assert_array_equal(figure.data[0].y, FRAME["alpha"])


def test_confusions_leave_out_what_is_right():
    counts = np.array([[90, 2], [0, 50]])
    figure = plot_confusion(counts, ["a", "b"])
    shown = np.array(figure.data[0].z)
    assert np.isnan(np.diag(shown)).all() and shown[0, 1] == 2 and shown[1, 0] == 0
    assert figure.layout.yaxis.autorange == "reversed"
