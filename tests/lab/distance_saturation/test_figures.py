"""The chart of distance saturation."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.features import MapSpec, RandomMaxout
from rfviz.lab.distance_saturation.compute import prepare_pairs, saturation
from rfviz.lab.distance_saturation.figures import plot_saturation


@pytest.mark.parametrize("how", ["unit norm", "none"])
def test_saturation_is_drawn_on_axes_that_hold_all(how):
    pairs = (
        prepare_pairs(datasets.load("digits"), how) if how == "none" else prepare_pairs(datasets.load("circle"), how)
    )
    result = saturation(pairs, [MapSpec(RandomMaxout, n_components=100, pool_size=4)], ["q = 4"])
    figure = plot_saturation(result)
    assert figure.layout.uirevision
    assert len(figure.layout.images) == 1
    assert result.curves[0].counts.sum() == result.n_pairs
    for axis, name in ((figure.layout.xaxis, "x"), (figure.layout.yaxis, "y")):
        low, high = axis.range
        for trace in figure.data:
            # The dashed formula of the paper leaves the picture, which is its point.
            if trace.type == "scatter" and trace.mode == "lines" and "paper" not in (trace.name or ""):
                values = np.asarray(trace[name], float)
                assert np.nanmin(values) >= low
                assert np.nanmax(values) <= high * (1 + 1e-9)
