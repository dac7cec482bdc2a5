"""Charts of kitchen sinks: axes on which errors that are close can be read."""

import pandas as pd
import pytest

from rfviz.experiments.kitchen_sinks.compute import Curve
from rfviz.experiments.kitchen_sinks.figures import plot_error
from rfviz.features import DecisionStumps


def error_axis(*errors):
    """Return the axis of a chart of these errors in per cent, without room beyond them."""
    frame = pd.DataFrame({"K": range(1, 1 + len(errors)), "error": errors, "s.d.": 0.0, "draws": 1})
    frame["error"] /= 100
    return plot_error([Curve("stumps", DecisionStumps, frame)], 10).layout.yaxis


def test_errors_that_are_close_have_ticks():
    assert error_axis(15.2, 23.6).tickvals == (14.0, 16.0, 18.0, 20.0, 25.0)
    assert error_axis(0.1, 20.0).tickvals is None


@pytest.mark.parametrize("errors", [(), (0.0, 0.0)])
def test_without_errors_the_axis_is_one_of_percentages(errors):
    assert error_axis(*errors).range == (0.0, 2.0)
