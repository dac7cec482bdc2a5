"""The scripts of the page on kitchen sinks."""

from __future__ import annotations

import numpy as np

from rfviz import datasets
from rfviz.analysis.accuracy import grid_segments, run_segment
from rfviz.analysis.splits import make_split
from rfviz.experiments.split_data import SplitData
from rfviz.features import MapSpec
from rfviz.lab import script
from rfviz.lab.kitchen_sinks.boosting import boost, stump_segments
from rfviz.lab.kitchen_sinks.compute import boost_curve, curves_frame, sink_curve
from rfviz.lab.kitchen_sinks.figures import plot_error, plot_reach, plot_seconds, plot_weights
from rfviz.lab.kitchen_sinks.settings import Settings
from rfviz.lab.kitchen_sinks.weights import WeightDecay, largest_weights
from rfviz.lab.split_data import lines_of
from rfviz.linear_model import default_grid

__all__ = ["script_of_learners", "script_of_weights"]

_BOOSTED = """
segments, state = [], None
for grid in stump_segments({stumps}):
    segments.append(boost(split, grid, state))
    state = segments[-1].state
curves = [boost_curve(segments)]
"""


def script_of_learners(source: SplitData, settings: Settings) -> str:
    """Return Python that boosts, trains the families, and draws one view."""
    learners = {candidate.spec.cls for candidate in settings.candidates}
    uses = [datasets, make_split, grid_segments, run_segment, sink_curve, curves_frame, MapSpec, *learners]
    boosted = "\ncurves = []\n"
    if settings.stumps:
        uses += [stump_segments, boost, boost_curve]
        boosted = _BOOSTED.format(stumps=settings.stumps)
    plot = {"error": plot_error, "seconds": plot_seconds, "reach": plot_reach}[settings.view]
    end = "" if settings.view == "reach" else f", k_max={max(settings.k_max, settings.stumps)}"
    families = [(candidate.label, candidate.spec) for candidate in settings.candidates]
    body = f"""
{lines_of(source)}
{boosted}
families = {script.python(families, 11)}
for label, spec in families:
    runs = []
    for seed in range({settings.draws}):
        drawn, grids = spec.replace(random_state=seed), grid_segments({settings.k_max}, points=16)
        runs.append([run_segment(split, drawn, g, {settings.alpha!r}, loss={settings.loss!r}) for g in grids])
    curves.append(sink_curve(label, spec.cls, runs))

frame = curves_frame(curves, {settings.view!r})
print(frame.to_string())

figure = {plot.__name__}(curves{end})
figure.show()
"""
    title = "AdaBoost chooses every feature with care. How far does one get by drawing them at random?"
    return script.write(title, body, [*uses, plot])


def script_of_weights(source: SplitData, settings: Settings) -> str:
    """Return Python that draws the largest weight of one family in several runs."""
    (candidate,) = settings.candidates
    body = f"""
{lines_of(source)}

spec = {script.python(candidate.spec, 7)}
grid = default_grid({settings.k_max}, 12)
norms = [largest_weights(split, spec.replace(random_state=run), grid) for run in range({settings.runs})]
result = WeightDecay(grid, np.stack(norms))

frame = result.to_frame()
print(frame.to_string())

figure = plot_weights(result, spec.cls, {candidate.label!r})
figure.show()
"""
    uses = [np, datasets, make_split, default_grid, largest_weights, WeightDecay, plot_weights]
    uses += [MapSpec, candidate.spec.cls]
    return script.write("How large is the largest weight of random kitchen sinks?", body, uses)
