"""The script of the page on accuracy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rfviz import datasets
from rfviz.analysis.accuracy import grid_segments, run_segment
from rfviz.analysis.architectures import with_patches
from rfviz.analysis.baselines import run_baseline
from rfviz.analysis.splits import make_split
from rfviz.errors import RfvizError
from rfviz.figures.accuracy import made_runner, plot_accuracy, runners_frame
from rfviz.lab import script
from rfviz.lab.split_data import SplitData
from rfviz.recipes.race import Race

__all__ = ["script_of"]

_REFERENCES = """
references = {{}}
for name in {names}:
    try:
        result = run_baseline(name, split.X_train, split.y_train, split.X_test, split.y_test, gamma={gamma!r})
        references[result.title] = {scale} * result.error
    except RfvizError as error:
        print(error)
"""
_DRAWN = """
frames, figures = {{}}, {{}}
for name, axis, x_range in [
    ("accuracy", "m", (9, {last})), ("accuracy-seconds", "seconds", None), ("accuracy-bytes", "bytes", None),
]:
    runners = [
        made_runner(label, scheme, runs[label], scale={scale}, axis=axis) for label, scheme, _, _ in maps
    ]
    frames[name] = runners_frame(runners, references)
    figures[name] = plot_accuracy(runners, references, axis=axis, x_range=x_range, unit={unit!r})
print(frames["accuracy"])

for figure in figures.values():
    figure.show()
"""


def script_of(
    source: SplitData,
    grow: str,
    race: Race,
    m_max: int,
    references: Sequence[str],
    gamma: float | str,
) -> str:
    """Python that runs all of a race, one map after another, and the methods beside it."""
    uses = [datasets, make_split, grid_segments, run_segment, made_runner, plot_accuracy, runners_frame]
    maps = [(e.label, e.scheme, dict(e.setting), e.loss or race.loss) for e in race.entrants]
    grids = f"grid_segments({m_max})"
    if grow == "rows":
        uses.append(np)
        grids = f"[np.concatenate({grids})]"
    patches, inputs, more = _patches(race)
    beside, others = _beside(race, references, gamma)
    body = f"""
{source.lines}

maps = {script.python(maps, 7)}
{patches}grids = {grids}
runs = {{}}
for label, scheme, setting, loss in maps:
    inputs, runs[label] = {inputs}, []
    for seed in range({race.seeds}):
        drawn = setting | {{"random_state": seed}}
        runs[label].append([run_segment(inputs, scheme, drawn, grid, {race.alphas!r}, loss=loss) for grid in grids])
{beside}
{_DRAWN.format(last=1.1 * m_max, scale=race.scale, unit=race.unit)}"""
    title = "How many random features does a linear model need?"
    return script.write(title, body, [*uses, *more, *others])


def _patches(race: Race) -> tuple[str, str, list]:
    """The line that names the patches of images some maps see, what their inputs are then, and what that uses."""
    found = {entrant.label: entrant.patches for entrant in race.entrants if entrant.patches}
    if not found:
        return "", "split", []
    line = f"patches = {script.python(found, 10)}  # whose principal components are the inputs\n"
    return line, "with_patches(split, *patches[label]) if label in patches else split", [with_patches]


def _beside(race: Race, references: Sequence[str], gamma: float | str) -> tuple[str, list]:
    """The lines that run other methods, and what they use."""
    if not references:
        return "\nreferences = {}\n", []
    lines = _REFERENCES.format(names=list(references), gamma=gamma, scale=race.scale)
    return lines, [run_baseline, RfvizError]
