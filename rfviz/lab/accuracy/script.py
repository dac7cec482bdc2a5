"""The script of the accuracy page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rfviz import datasets
from rfviz.analysis.accuracy import grid_segments, run_segment
from rfviz.analysis.exact_kernel import run_exact_kernel
from rfviz.analysis.splits import Split, make_split, with_patches
from rfviz.errors import RfvizError
from rfviz.experiments.candidate import Candidate
from rfviz.experiments.split_data import SplitData
from rfviz.features import MapSpec
from rfviz.lab import script
from rfviz.lab.accuracy.architectures import errors_by_epoch
from rfviz.lab.accuracy.baselines import run_baseline
from rfviz.lab.accuracy.compute import AccuracyResult, curves_frame, epochs_frame, make_curve
from rfviz.lab.accuracy.figures import plot_accuracy, plot_epochs
from rfviz.lab.accuracy.settings import Settings
from rfviz.lab.split_data import lines_of

__all__ = ["script_of"]

_BASELINES = """
baselines = {{}}
for name in {names}:
    try:
        result = run_baseline(name, split.X_train, split.y_train, split.X_test, split.y_test, gamma={gamma!r})
        baselines[result.title] = {scale} * result.error
    except RfvizError as error:
        print(error)
"""
_EXACT = """
exact = {{}}
for label, spec, loss in maps:
    if loss != "ridge":
        continue
    try:
        exact[label] = {scale} * run_exact_kernel({inputs}, spec).error
    except RfvizError as error:
        print(error)
"""
_DRAWN = """
frames, figures = {{}}, {{}}
for name, axis, x_range in [
    ("accuracy", "m", (9, {last})), ("accuracy-seconds", "seconds", None), ("accuracy-bytes", "bytes", None),
]:
    curves = [
        make_curve(label, spec.cls, runs[label], scale={scale}, axis=axis{exact}) for label, spec, _ in maps
    ]
    frames[name] = curves_frame(curves, baselines)
    figures[name] = plot_accuracy(curves, baselines, axis=axis, x_range=x_range, unit={unit!r})
{epochs}print(frames["accuracy"].to_string())

for figure in figures.values():
    figure.show()
"""
# What was trained beforehand, for hours.
_EPOCHS = """
curves = [
    make_curve(label, spec.cls, runs[label], epochs=errors_by_epoch(label)) for label, spec, _ in maps
]
frames["accuracy-epochs"], figures["accuracy-epochs"] = epochs_frame(curves), plot_epochs(curves)
"""


def script_of(data: SplitData, grow: str, settings: Settings, candidates: Sequence[Candidate], split: Split) -> str:
    """Return Python that trains one map after another, and the baselines."""
    uses: list[Any] = [
        datasets,
        make_split,
        grid_segments,
        run_segment,
        MapSpec,
        make_curve,
        plot_accuracy,
        curves_frame,
    ]
    uses += {candidate.spec.cls for candidate in candidates}
    maps = [(c.label, c.spec, c.loss or settings.loss) for c in candidates]
    grids = f"grid_segments({settings.m_max})"
    if grow == "rows":
        uses.append(np)
        grids = f"[np.concatenate({grids})]"
    patches = {c.label: c.patches for c in candidates if c.patches}
    inputs, named = "split", ""
    if patches:
        uses.append(with_patches)
        named = f"patches = {script.python(patches, 10)}  # whose principal components are the inputs\n"
        inputs = "with_patches(split, *patches[label]) if label in patches else split"
    drawn = AccuracyResult(split, tuple(candidates), settings.loss, {c.label: [] for c in candidates}, {})
    baselines = "\nbaselines = {}\n"
    if settings.baselines:
        uses += [run_baseline, RfvizError]
        baselines = _BASELINES.format(names=list(settings.baselines), gamma=settings.gamma, scale=drawn.scale)
    exact, given = "", ""
    if settings.exact:
        uses += [run_exact_kernel, RfvizError]
        given = ", exact=exact.get(label)"
        exact = _EXACT.format(inputs=inputs, scale=drawn.scale)
    epochs = ""
    if any(curve.epochs for curve in drawn.curves()):
        uses += [errors_by_epoch, epochs_frame, plot_epochs]
        epochs = _EPOCHS.lstrip()
    body = f"""
{lines_of(data)}

maps = {script.python(maps, 7)}
{named}grids = {grids}
runs = {{}}
for label, spec, loss in maps:
    inputs, runs[label] = {inputs}, []
    for seed in range({settings.seeds}):
        drawn = spec.replace(random_state=seed)
        runs[label].append([run_segment(inputs, drawn, grid, {settings.alpha!r}, loss=loss) for grid in grids])
{baselines}{exact}
{_DRAWN.format(last=1.1 * settings.m_max, scale=drawn.scale, unit=drawn.unit, exact=given, epochs=epochs)}"""
    return script.write("How many random features does a linear model need?", body, uses)
