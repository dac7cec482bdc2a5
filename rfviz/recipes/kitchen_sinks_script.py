"""The scripts of the page on kitchen sinks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rfviz import datasets
from rfviz.analysis.accuracy import grid_segments, run_segment
from rfviz.analysis.boosting import boost, stump_segments
from rfviz.analysis.kitchen_sinks import boost_curve, curves_frame, sink_curve
from rfviz.analysis.splits import make_split
from rfviz.analysis.weight_decay import WeightDecay, largest_weights
from rfviz.figures.kitchen_sinks import plot_error, plot_reach, plot_seconds, plot_weights
from rfviz.lab import script
from rfviz.lab.split_data import SplitData
from rfviz.linear_model import default_grid
from rfviz.recipes.entrants import Entrant

__all__ = ["script_of_contest", "script_of_weights"]

_BOOSTED = """
segments, state = [], None
for grid in stump_segments({stumps}):
    segments.append(boost(split, grid, state))
    state = segments[-1].state
curves = [boost_curve(segments)]
"""


def script_of_contest(
    source: SplitData,
    view: str,
    entrants: Sequence[Entrant],
    sizes: tuple[int, int, int],
    training: tuple[str, Any],
) -> str:
    """Python that boosts, trains the families, and draws one view; `sizes` are the largest K, AdaBoost's stumps and the
    draws, `training` the loss and the penalty."""
    (k_max, stumps, draws), (loss, alphas) = sizes, training
    uses = [datasets, make_split, grid_segments, run_segment, sink_curve, curves_frame]
    boosted = "\ncurves = []\n"
    if stumps:
        uses += [stump_segments, boost, boost_curve]
        boosted = _BOOSTED.format(stumps=stumps)
    plot = {"error": plot_error, "seconds": plot_seconds, "reach": plot_reach}[view]
    end = "" if view == "reach" else f", k_max={max(k_max, stumps)}"
    families = [(entrant.label, entrant.scheme, dict(entrant.setting)) for entrant in entrants]
    body = f"""
{source.lines}
{boosted}
families = {script.python(families, 11)}
for label, scheme, setting in families:
    runs = []
    for seed in range({draws}):
        drawn = setting | {{"random_state": seed}}
        grids = grid_segments({k_max}, points=16)
        runs.append([run_segment(split, scheme, drawn, grid, {alphas!r}, loss={loss!r}) for grid in grids])
    curves.append(sink_curve(label, scheme, runs))

frame = curves_frame(curves, {view!r})
print(frame)

figure = {plot.__name__}(curves{end})
figure.show()
"""
    title = "AdaBoost chooses every feature with care. How far does one get by drawing them at random?"
    return script.write(title, body, [*uses, plot])


def script_of_weights(source: SplitData, entrants: Sequence[Entrant], k_max: int, runs: int) -> str:
    """Python that draws the largest weight of the one entrant in several runs."""
    (entrant,) = entrants
    body = f"""
{source.lines}

setting = {script.python(dict(entrant.setting), 10)}
grid = default_grid({k_max}, 12)
norms = [largest_weights(split, {entrant.scheme!r}, setting | {{"random_state": run}}, grid) for run in range({runs})]
result = WeightDecay(grid, np.stack(norms))

frame = result.to_frame()
print(frame)

figure = plot_weights(result, {entrant.scheme!r}, {entrant.label!r})
figure.show()
"""
    uses = [np, datasets, make_split, default_grid, largest_weights, WeightDecay, plot_weights]
    return script.write("How large is the largest weight of random kitchen sinks?", body, uses)
