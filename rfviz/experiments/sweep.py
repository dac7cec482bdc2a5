"""Sweeps over the number of features: several maps with several seeds under one linear model, as work in parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rfviz.analysis.accuracy import DOUBLY_STOCHASTIC, Segment, run_segment
from rfviz.analysis.splits import Split, with_patches
from rfviz.cache import Cache
from rfviz.experiments.candidate import Candidate
from rfviz.experiments.split_data import SplitData
from rfviz.experiments.work import Part, Work
from rfviz.features import FeatureMap, MapSpec
from rfviz.linear_model.descent import schedule

__all__ = ["OWN_TRAINING", "Step", "Task", "inputs_of", "runs_of", "segment_of", "sweep_parts"]

#: A grid of numbers of features, and the share of the training rows.
Step = tuple[tuple[int, ...], float]

OWN_TRAINING = " With this loss every m is trained on its own, by stochastic gradients on the same features."
# Inputs made of image patches are cached for data below this many bytes; others are made again in a second.
_SMALL_SPLIT = 30_000_000
# Multiply-adds that take as long as a small step of stochastic gradients.
_STEP_COST = 1e7
# What a doubly stochastic step computes and draws for every pair of features.
_DRAWN_AGAIN = 20


@dataclass(frozen=True)
class Task:
    """One map with one seed on one part of the grid.

    Attributes
    ----------
    spec : MapSpec
        With its seed.
    grid : tuple of int
    share : float
        Of the training rows.
    alphas : float, "auto" or None
        Penalties of the ridge; None for other losses.
    patches : (image_shape, (size, stride, n_components)) or None
        See :class:`rfviz.experiments.candidate.Candidate`.
    intercept : bool
        Of ridge regression.
    """

    source: SplitData
    spec: MapSpec[FeatureMap]
    grid: tuple[int, ...]
    share: float = 1.0
    loss: str = "ridge"
    alphas: float | str | None = "auto"
    patches: tuple[tuple[int, ...], tuple[int, int, int]] | None = None
    intercept: bool = True


def segment_of(task: Task, *, cache: Cache) -> Segment:
    """Train and test one map with one seed on one part of the grid."""
    split = inputs_of(task.source, task.patches, cache)
    return run_segment(split, task.spec, task.grid, task.alphas, task.share, cache.progress, task.loss, task.intercept)


def inputs_of(source: SplitData, patches: tuple[tuple[int, ...], tuple[int, int, int]] | None, cache: Cache) -> Split:
    """Return the split that a map learns from; see :class:`rfviz.experiments.candidate.Candidate` for `patches`."""
    split = source.split(cache)
    if patches is None:
        return split
    small = split.X_train.nbytes < _SMALL_SPLIT
    return cache.call(patches_of, source, patches) if small else with_patches(split, *patches)


def patches_of(source: SplitData, patches: tuple[tuple[int, ...], tuple[int, int, int]], *, cache: Cache) -> Split:
    """Return the split with principal components of image patches as inputs."""
    return with_patches(source.split(cache), *patches)


def sweep_parts(
    source: SplitData,
    candidates: Sequence[Candidate],
    seeds: int,
    steps: Sequence[Step],
    alphas: float | str,
    loss: str,
    cache: Cache,
    intercept: bool = True,
) -> Iterator[Part]:
    """Yield every part of a sweep, in an order in which all curves grow together from the left.

    Parameters
    ----------
    candidates : sequence of Candidate
        A curve each.
    seeds : int
        Independent draws of each map.
    steps : sequence of Step
        Parts of the grid, or the grid with growing shares of the rows.
    alphas : float or "auto"
        Penalties of the ridge.
    loss : str
        Where a candidate has none of its own; see :func:`rfviz.analysis.accuracy.run_segment`.
    intercept : bool
        Whether ridge regression has one.

    Raises
    ------
    DataError
        For data without labels.
    """
    split = source.split(cache)
    for grid, share in steps:
        for seed in range(seeds):
            for candidate in candidates:
                own = candidate.loss or loss
                spec = candidate.spec.replace(random_state=seed)
                alpha, has_intercept = (alphas, intercept) if own == "ridge" else (None, True)
                task = Task(source, spec, grid, share, own, alpha, candidate.patches, has_intercept)
                title = f"{candidate.label}, seed {seed}, up to m = {max(grid):,}"
                yield Part(candidate.label, segment_of, (task,), _cost(task, candidate, split), title)


def _cost(task: Task, candidate: Candidate, split: Split) -> float:
    """Return about how many multiply-adds a task takes."""
    n, d = split.n_train, split.X_train.shape[1]
    rows, m = task.share * n, max(task.grid)
    if task.loss == DOUBLY_STOCHASTIC:
        return _DRAWN_AGAIN * candidate.products(m) * m * d
    features = rows * d * candidate.products(m)
    if task.loss == "ridge":
        return features + min(rows * m**2, rows**2 * m)
    epochs, batch = schedule(max(int(rows), 1), "auto", "auto")
    learning = 2 * rows * sum(task.grid) * max(len(split.target_names), 1)
    return epochs * (features + learning + rows / batch * len(task.grid) * _STEP_COST)


def runs_of(work: Work) -> dict[str, list[list[Segment]]]:
    """Return the known segments of a sweep: by the label of the curve a list per seed, without the tasks of others.

    Of growing shares of the rows it is the largest share that counts.
    """
    runs: dict[str, dict[int, dict[tuple[int, ...], Segment]]] = {}
    for part in work.parts:
        task = _task_of(part)
        if task is not None:
            run = runs.setdefault(part.label, {}).setdefault(task.spec.get("random_state"), {})
            segment = work.result(part)
            if segment is not None:
                run[task.grid] = segment
    return {label: [list(run.values()) for run in seeds.values()] for label, seeds in runs.items()}


def _task_of(part: Part) -> Task | None:
    """Return the task of a part that trains and tests a map, None for any other part."""
    match part.args:
        case (Task() as task,) if part.function is segment_of:
            return task
        case _:
            return None
