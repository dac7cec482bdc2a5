"""A race of feature maps: what runs, what is known already, and going on with what is missing."""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rfviz import backend
from rfviz.analysis.accuracy import DOUBLY_STOCHASTIC, Segment, run_segment
from rfviz.analysis.splits import Split, with_patches
from rfviz.errors import DeviceError, RfvizError
from rfviz.features import MapSpec, map_class
from rfviz.linear_model.descent import schedule
from rfviz.recipes.base import Bench, Keeper
from rfviz.recipes.entrants import Entrant

__all__ = ["Failure", "Race", "finish", "raise_device_failure", "report_of"]

_SHELF = "accuracy"
_SMALL_SPLIT = 30_000_000
_KEPT = 2000  # segments; one holds a few hundred kilobytes at most
# Multiply-adds that a small step of stochastic gradients takes as long as.
_STEP_COST = 1e7
# What a doubly stochastic step computes and draws for every pair of features.
_DRAWN_AGAIN = 20
_log = logging.getLogger("rfviz")


@dataclass(frozen=True)
class Failure:
    """Why a part could not be computed, in one sentence."""

    reason: str


@dataclass(frozen=True, eq=False)
class Race:
    """All parts of a race in the order in which they are computed.

    Attributes
    ----------
    split, split_key
        The data, and what they are known by.
    entrants : tuple of Entrant
    seeds : int
    steps : tuple of (grid, share)
        Parts of the grid, or growing shares of the rows.
    alphas : float or "auto"
        Penalties of the ridge.
    loss : {"ridge", "logistic", "hinge"}
    keeper : Keeper
        Remembers the parts.
    """

    split: Split
    split_key: Hashable
    entrants: tuple[Entrant, ...]
    seeds: int
    steps: tuple[tuple[tuple[int, ...], float], ...]
    alphas: Any
    loss: str = "ridge"
    keeper: Keeper = field(default_factory=Bench, repr=False)

    def _key(self, entrant: Entrant, seed: int, step: tuple) -> Hashable:
        return self.split_key, entrant, seed, step, *self._rules

    @property
    def _rules(self) -> tuple[str, Any]:
        return self.loss, self.alphas if self.loss == "ridge" else None

    @property
    def identity(self) -> Hashable:
        """Equal for equal races, in any session."""
        return self.split_key, self.entrants, self.seeds, self.steps, *self._rules

    def cost(self, parts: list[tuple[Entrant, int, tuple]]) -> float:
        """About how many multiply-adds some parts take."""
        n, d = self.split.X_train.shape
        total = 0.0
        for entrant, _, (grid, share) in parts:
            rows, m = share * n, max(grid)
            features = rows * d * entrant.products(m)
            if entrant.loss == DOUBLY_STOCHASTIC:
                total += _DRAWN_AGAIN * entrant.products(m) * m * d
            elif self.loss == "ridge":
                total += features + min(rows * m**2, rows**2 * m)
            else:
                epochs, batch = schedule(max(int(rows), 1), "auto", "auto")
                learning = 2 * rows * sum(grid) * max(len(self.split.target_names), 1)
                total += epochs * (features + learning + rows / batch * len(grid) * _STEP_COST)
        return total

    def parts(self) -> Iterator[tuple[Entrant, int, tuple]]:
        """Every part, so that all curves grow together from the left."""
        for step in self.steps:
            for seed in range(self.seeds):
                for entrant in self.entrants:
                    yield entrant, seed, step

    def missing(self) -> list[tuple[Entrant, int, tuple]]:
        """The parts that are not known yet, without those of entrants that failed."""
        failed = self.failures()
        return [
            p for p in self.parts() if p[0].label not in failed and self.keeper.known(_SHELF, self._key(*p)) is None
        ]

    def failures(self) -> dict[str, str]:
        """Why an entrant stopped, by its label; the others go on."""
        found = ((part[0].label, self.keeper.known(_SHELF, self._key(*part))) for part in self.parts())
        return {label: result.reason for label, result in found if isinstance(result, Failure)}

    def warnings(self) -> dict[str, str]:
        """What an entrant was warned of, by its label, where it was."""
        keys: dict[str, list[Hashable]] = {}
        for part in self.parts():
            keys.setdefault(part[0].label, []).append(self._key(*part))
        found = {label: self.keeper.warnings_of(_SHELF, own) for label, own in keys.items()}
        return {label: text for label, text in found.items() if text}

    def run_missing(self, progress: Callable[[float, str], None]) -> None:
        """Compute what is missing, part by part, and keep each; `progress` hears of the race, and may raise."""
        left, total = self.missing(), len(list(self.parts()))
        for number, part in enumerate(left):
            if part[0].label not in self.failures():
                self.run(part, report_of(part, (total - len(left) + number) / total, 1 / total, progress))

    def run(self, part: tuple[Entrant, int, tuple], progress: Callable[[float, str], None]) -> None:
        """Compute one part and keep it, or why it failed."""
        entrant, seed, step = part
        grid, share = step
        setting = {**dict(entrant.setting), "random_state": seed}

        def compute() -> Segment | Failure:
            try:
                split, loss = self._inputs(entrant), entrant.loss or self.loss
                spec = MapSpec(map_class(entrant.scheme), **setting)
                return run_segment(split, spec, grid, self.alphas, share, progress, loss)
            except (RfvizError, MemoryError, np.linalg.LinAlgError) as error:
                raise_device_failure(error)
                return Failure(str(error) or "out of memory")
            except Exception as error:  # one broken map must not end the race of the others
                raise_device_failure(error)
                _log.exception("%s failed in a race", entrant.label)
                return Failure("something went wrong; the server's log has the details")

        self.keeper.kept(_SHELF, self._key(*part), compute, _KEPT)

    def _inputs(self, entrant: Entrant) -> Split:
        """The split as this entrant sees it."""
        if entrant.patches is None:
            return self.split
        # For one session or a race of many maps it is learnt anew in a second; small ones are kept.
        make = functools.partial(with_patches, self.split, *entrant.patches)
        small = self.split.X_train.nbytes < _SMALL_SPLIT
        return self.keeper.kept("patches", (self.split_key, entrant.patches), make, most=12) if small else make()

    def segments(self, entrant: Entrant, seed: int) -> list[Segment]:
        """What is known of one entrant and seed; of growing shares of the rows the largest."""
        found = [self.keeper.known(_SHELF, self._key(entrant, seed, step)) for step in self.steps]
        found = [segment for segment in found if isinstance(segment, Segment)]
        if found and self.steps[0][1] < 1.0:
            return [found[-1]]
        return found

    @property
    def has_points(self) -> bool:
        """Whether any part is known."""
        return any(self.segments(entrant, seed) for entrant in self.entrants for seed in range(self.seeds))

    def snapshot(self) -> Race:
        """The race as far as it has come, whatever its keeper forgets later."""
        bench = Bench()
        for part in self.parts():
            result = self.keeper.known(_SHELF, self._key(*part))
            if result is not None:
                bench.kept(_SHELF, self._key(*part), lambda result=result: result)
        return replace(self, keeper=bench)


def raise_device_failure(error: BaseException) -> None:
    """Raise `error` on if it is the GPU's: what was computed is not to blame, and whoever keeps it knows what to do."""
    if isinstance(error, DeviceError) or backend.is_device_failure(error):
        raise error


def report_of(part: tuple, before: float, width: float, progress: Callable[[float, str], None]) -> Any:
    """Progress of one part as progress of the race, with the seconds that the part will still take."""
    started = time.monotonic()
    where = f"{part[0].label}, seed {part[1]}, up to m = {max(part[2][0]):,}"

    def report(share: float, words: str) -> None:
        elapsed = time.monotonic() - started
        known = elapsed > 1 and 0.05 < share < 1
        ahead = f", about {elapsed * (1 - share) / share:.0f} s left of this part" if known else ""
        progress(min(before + width * share, 1.0), f"{where}: {words}{ahead}")

    report(0.0, "…")
    return report


def finish(work: Any, keeper: Keeper) -> str:
    """Compute all that is missing of a race or a contest: who stopped and why, in a sentence each."""
    keeper.watched("finished", work.identity, lambda progress: work.run_missing(progress) or True)
    return " ".join(f"{label} stopped: {reason}" for label, reason in work.failures().items())
