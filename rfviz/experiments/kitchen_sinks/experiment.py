"""Kitchen sinks as an experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from rfviz.analysis.accuracy import LOSS, grid_segments
from rfviz.analysis.points import NORMALISATION
from rfviz.analysis.splits import Split, check_labels
from rfviz.cache import Cache
from rfviz.errors import DataError, ParameterError
from rfviz.experiments.base import Chart, ExperimentInParts, Maps, experiment, revision, specs_of
from rfviz.experiments.candidate import Candidate, told_apart
from rfviz.experiments.data import Data
from rfviz.experiments.kitchen_sinks import describe
from rfviz.experiments.kitchen_sinks.approximation import Distances, DistancesRun, distances_to_target
from rfviz.experiments.kitchen_sinks.boosting import BoostSegment, boost, check_classes, stump_segments
from rfviz.experiments.kitchen_sinks.compute import (
    ADABOOST,
    JOINT,
    LEARNERS,
    PURSUIT,
    KitchenSinksResult,
    boost_curve,
    curves_frame,
    rival_curve,
    sink_curve,
)
from rfviz.experiments.kitchen_sinks.constraint import ConstrainedErrors, ConstrainedRun, constrained_errors
from rfviz.experiments.kitchen_sinks.figures import (
    plot_constraint,
    plot_distances,
    plot_error,
    plot_reach,
    plot_seconds,
    plot_tail,
    plot_weights,
)
from rfviz.experiments.kitchen_sinks.rivals import RivalSegment, joint_fit, matching_pursuit
from rfviz.experiments.kitchen_sinks.weights import WeightDecay, WeightRun, largest_weights
from rfviz.experiments.split_data import TEST_SHARE, SplitData
from rfviz.experiments.sweep import runs_of, sweep_parts
from rfviz.experiments.work import Failure, Part, Work, attempt
from rfviz.features import FeatureMap, MapSpec
from rfviz.linear_model import default_grid
from rfviz.params import Param

__all__ = [
    "ALPHA",
    "DRAWS",
    "K_MAX",
    "OF_ONE_FAMILY",
    "RIVALS",
    "RUNS",
    "STUMPS",
    "KitchenSinks",
    "boost_of",
    "boost_parts",
    "constrained_of",
    "distances_of",
    "in_turn",
    "joint_of",
    "parts_of_runs",
    "pursuit_of",
    "weights_of",
]

K_MAX = Param(
    "k_max",
    1000,
    "int",
    20,
    100_000,
    ui_high=20_000,
    log=True,
    label="Largest K",
    help="Random features, at about sixteen numbers up to this one.",
)
STUMPS = Param(
    "stumps",
    200,
    "int",
    0,
    5000,
    log=True,
    marks=(0, 20, 50, 100, 200, 400, 1000, 2000, 5000),
    label="Boosted stumps",
    help="How many stumps AdaBoost may choose; 0 leaves it out. Each is a search through every column: some 20 ms on "
    "32,561 rows of 123.",
)
DRAWS = Param(
    "draws",
    3,
    "int",
    1,
    20,
    ui_high=10,
    label="Draws",
    help="Independent draws of the random features. More draws compute only the new ones.",
)
ALPHA = Param(
    "alpha",
    "auto",
    "float",
    1e-6,
    1e8,
    choices=("auto",),
    ui_low=0.001,
    ui_high=1e6,
    log=True,
    label="Penalty",
    help="Ridge penalty on the unscaled features: by leave-one-out errors, for each K, or fixed. 1 is almost no "
    "penalty, as in the paper.",
)
RUNS = Param(
    "runs",
    10,
    "int",
    1,
    500,
    log=True,
    marks=(1, 5, 10, 20, 30, 50, 100, 200, 500),
    label="Runs",
    help="Independent draws to compare. More draws compute only the new ones.",
)
#: Other methods that can be compared, by their words in an address.
RIVALS = {"pursuit": PURSUIT, "joint": JOINT}
_RIVAL = Param("rivals", "pursuit", "choice", choices=tuple(RIVALS))
# Numbers of functions of the joint fit, each of which is fitted anew.
_JOINT_POINTS = 6
#: Views of one family of features.
OF_ONE_FAMILY = ("weights", "constraint", "lemmas")
# In the view of the lemmas, where weights of at most C/K are fitted for each K.
_LARGEST_OF_LEMMAS = 2000
# Multiply-adds that take as long as to look at one number when a stump is chosen, and as what a stump takes besides.
_STUMP_COST, _STUMP_OVERHEAD = 500.0, 3e8


@experiment
class KitchenSinks(ExperimentInParts[KitchenSinksResult]):
    """Compare random features, weighted by a convex loss, with AdaBoost, which chooses each of its stumps with care.

    Parameters
    ----------
    maps : sequence of feature maps, or of MapSpec
        Families of random features; number of features and seed are the experiment's.
    view : {"error", "seconds", "reach", "weights", "constraint", "lemmas"}
        The chart: errors against K, seconds against K, the seconds after which each error is reached; of one family
        the largest weight against K, the error of `k_max` features against the C of weights of at most C/K, or how
        near K features, up to 2,000 of them, come to a function of the class (Lemmas 1 and 4 of the paper).
    k_max : int
        Largest number of random features.
    stumps : int
        How many stumps AdaBoost may choose; 0 leaves it out.
    rivals : sequence of {"pursuit", "joint"}
        Other methods, up to as many functions as AdaBoost may choose (`k_max` without it): matching pursuit, which
        chooses among the `k_max` features of the first family, and tanh(w·x + b) fitted together with their weights.
    draws : int
        Independent draws of each family.
    runs : int
        The same for the views of one family; in that of the lemmas, fifty draws each.
    loss : str
        See :data:`rfviz.analysis.accuracy.LOSS`.
    alpha : float or "auto"
        Ridge penalty on the unscaled features; chosen by leave-one-out errors for each K by default.
    normalise : str
        How the rows are scaled first; see :data:`rfviz.analysis.points.NORMALISATION`.
    test_share : float
        Share of the rows to test on, of data without a split of their own.

    Examples
    --------
    >>> from rfviz.experiments import KitchenSinks
    >>> from rfviz.features import DecisionStumps
    >>> experiment = KitchenSinks(maps=[DecisionStumps()], k_max=100, stumps=20, draws=1)
    >>> for result in experiment.parts("breast_cancer"):
    ...     curves = {curve.label: curve.best for curve in result.numbers.curves if len(curve.frame)}
    >>> sorted(curves)
    ['AdaBoost', 'Random stumps']

    The steps, one by one:

    >>> from rfviz import datasets
    >>> from rfviz.analysis.accuracy import run_segment
    >>> from rfviz.analysis.splits import make_split
    >>> from rfviz.experiments.kitchen_sinks.boosting import boost
    >>> from rfviz.features import MapSpec
    >>> split = make_split(datasets.load("breast_cancer"), "standardise")
    >>> drawn = run_segment(split, MapSpec(DecisionStumps, random_state=0), [100])
    >>> boosted = boost(split, [20])
    >>> frame = result.to_frame().groupby("learner")["error"].last()
    >>> bool(frame["Random stumps"] == drawn.errors[-1]), bool(frame["AdaBoost"] == boosted.errors[-1])
    (True, True)
    """

    maps: Maps
    view: str = "error"
    k_max: int = K_MAX.default
    stumps: int = STUMPS.default
    rivals: Sequence[str] = ()
    draws: int = DRAWS.default
    runs: int = RUNS.default
    loss: str = LOSS.default
    alpha: float | str = ALPHA.default
    normalise: str = "standardise"
    test_share: float = TEST_SHARE.default

    params = (
        Param("view", "error", "choice", choices=("error", "seconds", "reach", *OF_ONE_FAMILY)),
        K_MAX,
        STUMPS,
        DRAWS,
        RUNS,
        LOSS,
        ALPHA,
        NORMALISATION,
        TEST_SHARE,
    )
    question = "AdaBoost chooses every feature with care. How close do random features come?"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.rivals:
            _RIVAL.validate(name)
        if self.view in OF_ONE_FAMILY and len(self.candidates) > 1:
            labels = [candidate.label for candidate in self.candidates]
            raise ParameterError("maps", f"must be one family where view={self.view!r}", labels, "Choose one.")

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The families without number of features and seed, each once, with their names."""
        specs = list(dict.fromkeys(spec.without("n_components", "random_state") for spec in specs_of(self.maps)))
        labels = told_apart([LEARNERS.get(spec.cls, spec.cls.label) for spec in specs], specs)
        return tuple(Candidate(label, spec) for label, spec in zip(labels, specs, strict=True))

    def split_data(self, data: Data) -> SplitData:
        """Return the data with their scaling and the share of test rows."""
        return SplitData(data, self.normalise, self.test_share)

    def work(self, data: Data, cache: Cache) -> Work:
        check_labels(data.dataset, "Kitchen sinks need")
        source = self.split_data(data)
        split = source.split(cache)
        check_classes(split)
        if not self.candidates:
            raise DataError(describe.NO_FAMILIES)
        if self.view in OF_ONE_FAMILY:
            (candidate,) = self.candidates
            if candidate.spec.cls.sparse_output:
                raise DataError(
                    f"{candidate.label} has many columns for each of its K grids, so it has no single weight of a "
                    "feature. Choose another family, or the error."
                )
            of, what = {
                "weights": (weights_of, self._weights_grid),
                "constraint": (constrained_of, self.k_max),
                "lemmas": (distances_of, self._weights_grid),
            }[self.view]
            parts = parts_of_runs(source, split, candidate, of, what, self.k_max, self.runs)
            return Work(tuple(parts), cache)
        steps = [(tuple(int(k) for k in grid), 1.0) for grid in grid_segments(self.k_max, 16)]
        sinks = sweep_parts(source, self.candidates, self.draws, steps, self.alpha, self.loss, cache)
        boosted = boost_parts(source, split, stump_segments(self.stumps))
        return Work((*in_turn(list(sinks), list(boosted)), *self._rival_parts(source, split)), cache)

    def _rival_parts(self, source: SplitData, split: Split) -> Iterator[Part]:
        """Yield the parts of other methods."""
        most, (n, d) = self.stumps or self.k_max, split.X_train.shape
        if "pursuit" in self.rivals:
            spec, grid = self.candidates[0].spec.replace(random_state=0), default_grid(min(most, self.k_max), 16)
            cost = float(n * self.k_max * (self.k_max + d))
            yield Part(PURSUIT, pursuit_of, (source, spec, self.k_max, tuple(map(int, grid))), cost)
        for k in default_grid(most, _JOINT_POINTS) if "joint" in self.rivals else ():
            yield Part(JOINT, joint_of, (source, int(k)), 2000.0 * n * d * k, f"{JOINT}, K = {k:,}")

    def collect(self, data: Data, work: Work, cache: Cache) -> KitchenSinksResult:
        split = self.split_data(data).split(cache)
        if self.view in OF_ONE_FAMILY:
            drawn = tuple(work.results(self.candidates[0].label))
            if not drawn:
                return KitchenSinksResult(split)
            if self.view == "weights":
                return KitchenSinksResult(split, decay=WeightDecay(np.array(self._weights_grid), drawn))
            if self.view == "lemmas":
                return KitchenSinksResult(split, distances=Distances(np.array(self._weights_grid), drawn))
            return KitchenSinksResult(split, constrained=ConstrainedErrors(self.k_max, drawn))
        segments, runs = work.results(ADABOOST), runs_of(work)
        boosted = [boost_curve(segments)] if self.stumps else []
        sinks = [sink_curve(c.label, c.spec.cls, runs[c.label]) for c in self.candidates]
        others = [rival_curve(RIVALS[name], work.results(RIVALS[name])) for name in RIVALS if name in self.rivals]
        state = segments[-1].state if segments else None
        ended = f"AdaBoost stopped at K = {state.n_stumps:,}: {state.ended}." if state and state.ended else ""
        is_complete = not (work.missing() or work.failures())
        return KitchenSinksResult(split, (*boosted, *others, *sinks), ended=ended, is_complete=is_complete)

    def charts(self, data: Data, numbers: KitchenSinksResult, cache: Cache) -> tuple[Chart, ...]:
        view, same = self.view, revision(self.split_data(data), self.view)
        if numbers.is_empty and view in OF_ONE_FAMILY:
            return ()
        if numbers.distances is not None:
            return self._lemmas(numbers.distances, same)
        if numbers.constrained is not None:
            (candidate,), found = self.candidates, numbers.constrained
            plot = partial(plot_constraint, found, candidate.spec.cls, candidate.label, revision=same)
            alt = describe.constraint_summary(found, candidate.label)
            words = describe.constraint_explanation(found, candidate.label, len(numbers.split.X_test))
            return (Chart("sinks-constraint", plot, found.to_frame, alt, words),)
        if numbers.decay is not None:
            (candidate,), decay = self.candidates, numbers.decay
            plot = partial(plot_weights, decay, candidate.spec.cls, candidate.label, revision=same)
            alt = describe.weights_summary(decay, candidate.label)
            words = describe.weights_explanation(decay, candidate.label)
            return (Chart("sinks-weights", plot, decay.to_frame, alt, words),)
        if view == "reach":
            plot = partial(plot_reach, numbers.curves, revision=same)
        else:
            draw = plot_error if view == "error" else plot_seconds
            plot = partial(draw, numbers.curves, max(self.k_max, self.stumps), revision=same)
        alt, words = describe.summary(numbers.curves, view), describe.explanation(numbers, view, self.loss)
        return (Chart(f"sinks-{view}", plot, partial(curves_frame, numbers.curves, view), alt, words),)

    def _lemmas(self, found: Distances, same: str) -> tuple[Chart, ...]:
        (candidate,) = self.candidates
        cls, label = candidate.spec.cls, candidate.label
        first = Chart(
            "sinks-distance",
            partial(plot_distances, found, cls, label, revision=same),
            found.to_frame,
            describe.distances_summary(found, label),
            describe.distances_explanation(found, label),
        )
        plot = partial(plot_tail, found, cls, label, revision=same)
        alt, words = describe.tail_summary(found, label), describe.tail_explanation(found)
        return first, Chart("sinks-tail", plot, found.tail_frame, alt, words)

    @property
    def _weights_grid(self) -> tuple[int, ...]:
        largest = min(self.k_max, _LARGEST_OF_LEMMAS) if self.view == "lemmas" else self.k_max
        return tuple(int(k) for k in default_grid(largest, 12))


def boost_parts(source: SplitData, split: Split, grids: Sequence[Sequence[int]]) -> Iterator[Part]:
    """Yield the segments of AdaBoost, each of which continues where the one before has ended."""
    n, d = split.X_train.shape
    before = 0
    for number, grid in enumerate(grids, start=1):
        cost = (grid[-1] - before) * (_STUMP_COST * n * d + _STUMP_OVERHEAD)
        yield Part(ADABOOST, boost_of, (source, tuple(map(tuple, grids[:number]))), cost)
        before = grid[-1]


def boost_of(source: SplitData, grids: tuple[tuple[int, ...], ...], *, cache: Cache) -> BoostSegment:
    """Boost up to the end of the last grid."""
    state = None
    *earlier, grid = grids
    if earlier:
        before = cache.call(attempt, boost_of, (source, tuple(earlier)))  # as a part of the work it is known by now
        if isinstance(before, Failure):
            raise DataError(before.reason)
        state = before.state
    return boost(source.split(cache), grid, state, cache.progress)


def parts_of_runs(
    source: SplitData, split: Split, candidate: Candidate, of: Callable[..., Any], what: Any, m: int, runs: int
) -> Iterator[Part]:
    """Yield independent draws of one family of m features, each of which gives ``of(source, spec, what)``."""
    n, d = split.X_train.shape
    cost = float(n * m * (m + d) + 5 * m**3)
    for run in range(runs):
        args = source, candidate.spec.replace(random_state=run), what
        yield Part(candidate.label, of, args, cost, f"run {run + 1} of {runs}")


def weights_of(source: SplitData, spec: MapSpec[FeatureMap], grid: tuple[int, ...], *, cache: Cache) -> WeightRun:
    """Return the largest weight for each K of a grid."""
    return largest_weights(source.split(cache), spec, grid, progress=cache.progress)


def constrained_of(source: SplitData, spec: MapSpec[FeatureMap], k: int, *, cache: Cache) -> ConstrainedRun:
    """Return the errors of K features for each constraint."""
    return constrained_errors(source.split(cache), spec, k, progress=cache.progress)


def pursuit_of(
    source: SplitData, spec: MapSpec[FeatureMap], pool: int, grid: tuple[int, ...], *, cache: Cache
) -> RivalSegment:
    """Choose among drawn features one after another."""
    return matching_pursuit(source.split(cache), spec, pool, grid, cache.progress)


def joint_of(source: SplitData, k: int, *, cache: Cache) -> RivalSegment:
    """Fit K functions and their weights together."""
    return joint_fit(source.split(cache), k, cache.progress)


def distances_of(source: SplitData, spec: MapSpec[FeatureMap], grid: tuple[int, ...], *, cache: Cache) -> DistancesRun:
    """Return the distances of draws of features from a function of the class, for each K of a grid."""
    return distances_to_target(source.split(cache), spec, grid, cache.progress)


def in_turn(sinks: Sequence[Part], boosted: Sequence[Part]) -> Iterator[Part]:
    """Yield features and stumps in turn, few before many."""
    turns = max(len(boosted), 1)
    each = -(-len(sinks) // turns)
    for number in range(turns):
        yield from sinks[number * each : (number + 1) * each]
        yield from boosted[number : number + 1]
