"""Long computations in parts: a part is cached when it is done, a failed one says why, a stopped one goes on later."""

from __future__ import annotations

import logging
import time
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from rfviz import backend
from rfviz.cache import Cache, CachedFunction
from rfviz.errors import DataError, DeviceError, Messages, RfvizError, warn
from rfviz.progress import Progress
from rfviz.result_files import durable

__all__ = ["Failure", "Part", "Work", "attempt"]

_log = logging.getLogger("rfviz")


@dataclass(frozen=True)
class Failure:
    """The reason why a part could not be computed, in one sentence."""

    reason: str
    is_transient: ClassVar[bool] = True  # another process may have the memory that this one lacked


@dataclass(frozen=True)
class Part:
    """A call of a cached function.

    Attributes
    ----------
    label : str
        The curve that it belongs to: where a part fails, the later parts of the same curve are left out.
    function : callable
        See :class:`rfviz.cache.CachedFunction`.
    cost : float
        About how many multiply-adds it takes.
    title : str
        What its progress is called; the label by default.
    """

    label: str
    function: CachedFunction[Any]
    args: tuple[Hashable, ...]
    cost: float = 0.0
    title: str = ""


@durable
def attempt(function: CachedFunction[Any], args: tuple[Hashable, ...], *, cache: Cache) -> Any:
    """Return the result of a part, or its :class:`Failure`."""
    try:
        return function(*args, cache=cache)
    except Exception as error:
        # Device errors are raised again: the scheduler tries another device.
        if isinstance(error, DeviceError) or backend.is_device_failure(error):
            raise
        if isinstance(error, (RfvizError, MemoryError, np.linalg.LinAlgError)):
            return Failure(str(error) or "out of memory")
        _log.exception("A part failed")  # one broken map must not end the work of the others
        return Failure("something went wrong; the server's log has the details")


class Work:
    """Parts in the order in which they are computed.

    Parameters
    ----------
    parts : sequence of Part
    cache : Cache
        Remembers their results.
    frozen : dict, optional
        Results to use instead of the cache's; see :meth:`snapshot`.
    """

    def __init__(self, parts: Sequence[Part], cache: Cache, frozen: dict[Part, Any] | None = None) -> None:
        self.parts = tuple(parts)
        self._cache, self._frozen = cache, frozen

    @cached_property
    def identity(self) -> Hashable:
        """Equal for equal work, in any session."""
        return tuple((part.function, part.args) for part in self.parts)

    def missing(self) -> list[Part]:
        """Return the parts that are not known yet, without those of curves that failed."""
        known = [(part, self._known(part)) for part in self.parts]  # asked once: a key takes long to hash and compare
        failed = {part.label for part, result in known if isinstance(result, Failure)}
        return [part for part, result in known if result is None and part.label not in failed]

    def failures(self) -> dict[str, str]:
        """Return why a curve stopped, by its label; the others go on."""
        known = ((part.label, self._known(part)) for part in self.parts)
        return {label: result.reason for label, result in known if isinstance(result, Failure)}

    def forget_failures(self) -> None:
        """Let the parts that failed be missing again: there may be memory by now."""
        for part in self.parts:
            if isinstance(self._known(part), Failure):
                self._cache.forget(attempt, (part.function, part.args))

    def warnings(self) -> dict[str, str]:
        """Return the warnings that came with a curve's parts, by its label."""
        calls: dict[str, list[tuple[Hashable, ...]]] = {}
        for part in self.parts:
            calls.setdefault(part.label, []).append((part.function, part.args))
        texts = {label: self._cache.warnings(attempt, args) for label, args in calls.items()}
        return {label: text for label, text in texts.items() if text}

    def result(self, part: Part) -> Any:
        """Return the result of a part, or None if it is unknown or failed."""
        found = self._known(part)
        return None if isinstance(found, Failure) else found

    def results(self, label: str) -> list[Any]:
        """Return the known results of a curve, in the order of its parts."""
        found = (self.result(part) for part in self.parts if part.label == label)
        return [result for result in found if result is not None]

    @property
    def is_empty(self) -> bool:
        """Whether no part has a result."""
        return all(self.result(part) is None for part in self.parts)

    def cost(self, parts: Sequence[Part]) -> float:
        """Return about how many multiply-adds some parts take."""
        return sum(part.cost for part in parts)

    def steps(self, progress: Progress) -> Iterator[Part]:
        """Compute the missing parts and yield each when it is done, or has failed.

        `progress` may raise to stop, which keeps the parts that are done.
        """
        missing, total, failed = self.missing(), len(self.parts), set[str]()
        for number, part in enumerate(missing, total - len(missing)):
            if part.label not in failed:
                reporting = self._cache.with_progress(_PartProgress(part, number / total, 1 / total, progress))
                if isinstance(reporting.call(attempt, part.function, part.args), Failure):
                    failed.add(part.label)
                yield part

    def run_missing(self, progress: Progress) -> None:
        """Compute the missing parts one by one; `progress` may raise to stop, which keeps the parts that are done."""
        for _ in self.steps(progress):
            pass

    def keep(self, part: Part, result: Any, warnings: Messages) -> bool:
        """Remember what :func:`attempt` gave for a part elsewhere, and return whether that is a result."""
        self._cache.keep(attempt, (part.function, part.args), result, warnings)
        return not isinstance(result, Failure)

    def complete(self, progress: Progress) -> None:
        """Compute all parts and warn of each curve that stopped.

        Raises
        ------
        DataError
            If nothing could be computed.
        """
        self.run_missing(progress)
        self.tell_failures()

    def tell_failures(self) -> None:
        """Warn of each curve that stopped.

        Raises
        ------
        DataError
            If all have, so that nothing is known.
        """
        stopped = [f"{label} stopped: {reason}" for label, reason in self.failures().items()]
        if self.parts and self.is_empty:
            raise DataError(" ".join(stopped))
        for text in stopped:
            warn(text, UserWarning)

    def snapshot(self) -> Work:
        """Return the work as far as it has come, whatever the cache drops later."""
        known = {part: result for part in self.parts if (result := self._known(part)) is not None}
        return Work(self.parts, self._cache, known)

    def _known(self, part: Part) -> Any:
        if self._frozen is not None:
            return self._frozen.get(part)
        return self._cache.peek(attempt, part.function, part.args)


class _PartProgress:
    """Progress of a part as progress of the whole work, with the time that the part will still take."""

    def __init__(self, part: Part, before: float, width: float, progress: Progress) -> None:
        self._title = part.title or part.label
        self._before, self._width, self._progress = before, width, progress
        self._started = time.monotonic()
        self(0.0, "…")

    def __call__(self, share: float | None, text: str) -> None:
        elapsed, share = time.monotonic() - self._started, share or 0.0
        left = elapsed * (1 - share) / share if elapsed > 1 and 0.05 < share < 1 else 0.0
        ahead = f", about {left:.0f} s left" if left >= 1 else ""
        self._progress(min(self._before + self._width * share, 1.0), f"{self._title}: {text}{ahead}")
