"""The chart of distance saturation."""

import numpy as np
import pytest

from rfviz import datasets
from rfviz.experiments.distance_saturation.compute import prepare_pairs, saturation
from rfviz.experiments.distance_saturation.figures import plot_saturation
from rfviz.features import MapSpec, RandomMaxout


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
            if trace.type == "scatter" and trace.mode == "lines":
                values = np.asarray(trace[name], float)
                assert np.nanmin(values) >= low
                assert np.nanmax(values) <= high * (1 + 1e-9)


@pytest.mark.parametrize("pools", [(8, 32), (1, 8), (1,)])
def test_the_wrong_theorem_looks_like_no_other_curve_and_is_named_once(pools):
    pairs = prepare_pairs(datasets.load("circle"), "unit norm")
    specs = [MapSpec(RandomMaxout, n_components=100, pool_size=q) for q in pools]
    result = saturation(pairs, specs, [f"q = {q}" for q in pools])
    wrong, right = [], []
    for curve in plot_saturation(result).data:
        if curve.mode == "lines" and curve.name:
            (wrong if "Theorem 1" in curve.name else right).append(curve)
    assert len(wrong) == sum(q > 1 for q in pools)  # it is right for q = 1
    assert sum(curve.showlegend for curve in wrong) == (1 if wrong else 0)
    looks = {(curve.line.color, curve.line.dash) for curve in right}
    assert not looks & {(curve.line.color, curve.line.dash) for curve in wrong}
    assert not any("Theorem 1" in (curve.name or "") for curve in plot_saturation(result, as_printed=False).data)


@pytest.mark.parametrize(
    ("pools", "above"), [((24, 32), (True, False)), ((8, 32), (True, False)), ((64, 128), (True, False))]
)
def test_the_words_of_close_curves_do_not_lie_on_each_other(pools, above):
    """Of two close curves the upper one has its words above; so has one whose radius is far to the right (q = 8)."""
    pairs = prepare_pairs(datasets.load("circle"), "unit norm")
    specs = [MapSpec(RandomMaxout, n_components=100, pool_size=q) for q in pools]
    figure = plot_saturation(saturation(pairs, specs, [f"q = {q}" for q in pools]), as_printed=False)
    (radii,) = [trace for trace in figure.data if trace.mode == "markers+text"]
    assert list(radii.textposition) == ["top left" if is_above else "bottom right" for is_above in above]
