"""Kitchen sinks against AdaBoost as work in parts: a race of random features, and boosting that goes on by segments."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rfviz.analysis.boosting import BoostSegment, boost
from rfviz.analysis.kitchen_sinks import ADABOOST, Curve, boost_curve, sink_curve
from rfviz.analysis.splits import Split
from rfviz.analysis.weight_decay import WeightDecay, largest_weights
from rfviz.errors import RfvizError
from rfviz.recipes.base import Bench, Keeper
from rfviz.recipes.entrants import Entrant
from rfviz.recipes.race import Failure, Race, raise_device_failure, report_of

__all__ = ["Contest", "WeightRuns"]

_BOOSTED, _WEIGHTS = "boosting", "largest weights"
_KEPT_SEGMENTS, _KEPT_RUNS = 60, 5000
# Multiply-adds that take as long as to look at one number when a stump is chosen, and as what a stump takes beside.
_STUMP_COST, _STUMP_OVERHEAD = 500.0, 3e8


@dataclass(frozen=True, eq=False)
class Contest:
    """Random features and AdaBoost on one split.

    Attributes
    ----------
    race : Race
        The random features.
    steps : tuple of tuples of int
        Segments of AdaBoost's grid; empty where it does not take part.
    """

    race: Race
    steps: tuple[tuple[int, ...], ...]

    @property
    def identity(self) -> Hashable:
        return "contest", self.race.identity, self.steps

    @property
    def _split(self) -> Split:
        return self.race.split

    def parts(self) -> Iterator[Any]:
        """Features and stumps in turn, few before many."""
        sinks, boosted = list(self.race.parts()), list(range(len(self.steps)))
        each = -(-len(sinks) // max(len(boosted), 1))
        for number in range(max(len(boosted), 1)):
            yield from sinks[number * each : (number + 1) * each]
            yield from boosted[number : number + 1]

    def missing(self) -> list[Any]:
        sinks = set(self.race.missing())
        found = self._boosted()
        failed = any(isinstance(result, Failure) for result in found)
        return [p for p in self.parts() if (p in sinks if isinstance(p, tuple) else p >= len(found) and not failed)]

    def failures(self) -> dict[str, str]:
        last = next((r for r in self._boosted() if isinstance(r, Failure)), None)
        return self.race.failures() | ({ADABOOST: last.reason} if last else {})

    def warnings(self) -> dict[str, str]:
        return self.race.warnings()

    def cost(self, parts: Sequence[Any]) -> float:
        n, d = self._split.X_train.shape
        sinks = [p for p in parts if isinstance(p, tuple)]
        stumps = sum(self._stumps(p) for p in parts if not isinstance(p, tuple))
        return self.race.cost(sinks) + stumps * (_STUMP_COST * n * d + _STUMP_OVERHEAD)

    def run_missing(self, progress: Callable[[float, str], None]) -> None:
        left, total = self.missing(), len(list(self.parts()))
        for number, part in enumerate(left):
            share = (total - len(left) + number) / total
            if isinstance(part, tuple):
                if part[0].label not in self.race.failures():
                    self.race.run(part, report_of(part, share, 1 / total, progress))
            elif ADABOOST not in self.failures():
                self._boost(part, lambda s, words, at=share: progress(at + s / total, f"{ADABOOST}: {words}"))

    def curves(self) -> list[Curve]:
        """AdaBoost's curve, then those of the features, as far as they are known."""
        race = self.race
        sinks = [
            sink_curve(e.label, e.scheme, [race.segments(e, seed) for seed in range(race.seeds)])
            for e in race.entrants
        ]  # fmt: skip
        boosted = [s for s in self._boosted() if isinstance(s, BoostSegment)]
        return [*([boost_curve(boosted)] if self.steps else []), *sinks]

    @property
    def ended(self) -> str:
        """Why AdaBoost has fewer stumps than were asked for; empty where it has not ended."""
        boosted = [s for s in self._boosted() if isinstance(s, BoostSegment)]
        if not boosted or not boosted[-1].state.ended:
            return ""
        return f"AdaBoost stopped at K = {boosted[-1].state.n_stumps:,}: {boosted[-1].state.ended}."

    def _key(self, number: int) -> Hashable:
        return self.race.split_key, self.steps[: number + 1]

    def _boosted(self) -> list[BoostSegment | Failure]:
        """What is known of AdaBoost, up to the first segment that is not."""
        found = []
        for number in range(len(self.steps)):
            result = self.race.keeper.known(_BOOSTED, self._key(number))
            if result is None:
                break
            found.append(result)
        return found

    def _stumps(self, number: int) -> int:
        return self.steps[number][-1] - (self.steps[number - 1][-1] if number else 0)

    def _boost(self, number: int, progress: Callable[[float, str], None]) -> None:
        def compute() -> BoostSegment | Failure:
            before = self._boosted()[number - 1].state if number else None
            try:
                return boost(self._split, self.steps[number], before, progress)
            except (RfvizError, MemoryError) as error:
                raise_device_failure(error)
                return Failure(str(error) or "out of memory")

        self.race.keeper.kept(_BOOSTED, self._key(number), compute, _KEPT_SEGMENTS)


@dataclass(frozen=True, eq=False)
class WeightRuns:
    """Many draws of one family of features, each of which leaves its largest weights.

    Attributes
    ----------
    split, split_key
        The data, and what they are known by.
    entrant : Entrant
    grid : tuple of int
    runs : int
    keeper : Keeper
        Remembers the runs.
    """

    split: Split
    split_key: Hashable
    entrant: Entrant
    grid: tuple[int, ...]
    runs: int
    keeper: Keeper = field(default_factory=Bench, repr=False)

    @property
    def identity(self) -> Hashable:
        return "weights", self.split_key, self.entrant, self.grid, self.runs

    def parts(self) -> range:
        return range(self.runs)

    def missing(self) -> list[int]:
        return (
            []
            if self.failures()
            else [run for run in self.parts() if self.keeper.known(_WEIGHTS, self._key(run)) is None]
        )

    def failures(self) -> dict[str, str]:
        result = self.keeper.known(_WEIGHTS, self._key(0))
        return {self.entrant.label: result.reason} if isinstance(result, Failure) else {}

    def warnings(self) -> dict[str, str]:
        text = self.keeper.warnings_of(_WEIGHTS, map(self._key, self.parts()))
        return {self.entrant.label: text} if text else {}

    def cost(self, parts: Sequence[int]) -> float:
        n, d = self.split.X_train.shape
        m = self.grid[-1]
        return len(parts) * float(n * m * (m + d) + 5 * m**3)

    def run_missing(self, progress: Callable[[float, str], None]) -> None:
        started, left = time.monotonic(), self.missing()
        for done, run in enumerate(left):
            ahead = (time.monotonic() - started) * (len(left) - done) / max(done, 1)
            words = f", about {ahead:.0f} s left" if done else ""

            def report(share: float, text: str, run: int = run, words: str = words) -> None:
                progress((run + share) / self.runs, f"run {run + 1} of {self.runs}: {text}{words}")

            self.keeper.kept(
                _WEIGHTS, self._key(run), lambda run=run, report=report: self._compute(run, report), _KEPT_RUNS
            )
            if self.failures():
                break

    def result(self) -> WeightDecay | None:
        """The runs that are known; None before the first."""
        found = [self.keeper.known(_WEIGHTS, self._key(run)) for run in self.parts()]
        norms = [norm for norm in found if isinstance(norm, np.ndarray)]
        return WeightDecay(np.array(self.grid), np.stack(norms)) if norms else None

    def _key(self, run: int) -> Hashable:
        return self.split_key, self.entrant, self.grid, run

    def _compute(self, run: int, progress: Callable[[float, str], None]) -> np.ndarray | Failure:
        setting = {**dict(self.entrant.setting), "random_state": run}
        try:
            return largest_weights(self.split, self.entrant.scheme, setting, self.grid, progress=progress)
        except (RfvizError, MemoryError) as error:
            raise_device_failure(error)
            return Failure(str(error) or "out of memory")
