"""Charts of kitchen sinks: axes on which errors that are close can be read."""

from types import SimpleNamespace

import pandas as pd
import pytest

from rfviz.experiments.kitchen_sinks.compute import Curve, KitchenSinksResult
from rfviz.experiments.kitchen_sinks.describe import explanation
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


@pytest.mark.parametrize("n", [1, 2, 3])
def test_more_bands_than_two_wait_for_a_click_and_the_sentence_says_so(n):
    frame = pd.DataFrame({"K": [10, 20], "error": [0.2, 0.1], "s.d.": 0.01, "draws": 3})
    found = [Curve(f"stumps {i}", DecisionStumps, frame) for i in range(n)]
    bands = [trace for trace in plot_error(found, 20).data if trace.fill == "toself"]
    assert [trace.visible for trace in bands] == [None if n < 3 else "legendonly"] * n
    assert [bool(trace.showlegend) for trace in bands] == [True] + [False] * (n - 1)
    assert len({trace.legendgroup for trace in bands}) == 1  # one click shows all
    split = SimpleNamespace(X_test=[0] * 50, X_train=[0] * 50)
    said = explanation(KitchenSinksResult(split, tuple(found)), "error", "ridge")
    assert ("Bands: ± 1 s.d." in said) == (n < 3) and ("shows the bands" in said) == (n == 3)
