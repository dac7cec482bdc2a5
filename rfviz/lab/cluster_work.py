"""Work of a page that the workers of a Dask cluster compute, part by part."""

from __future__ import annotations

import importlib
import time
from collections.abc import Hashable, Sequence
from typing import Any

from rfviz.cache import Cache, CachedFunction, Store
from rfviz.datasets.wording import counted, one_line, reason
from rfviz.errors import DataError, Messages, capture_warnings
from rfviz.experiments.work import Work, attempt
from rfviz.lab.cluster import connected
from rfviz.progress import Progress

__all__ = ["compute_on_cluster"]

Call = tuple[CachedFunction[Any], tuple[Hashable, ...]]

# Between two looks at what has come, and between two questions for the workers that are there.
_LOOK_S, _COUNT_S = 0.1, 1.0
# Prepared data that a worker keeps from one part to the next, while the work goes on.
_WORKER_BYTES = 1_000_000_000


def compute_on_cluster(work: Work, address: str, progress: Progress) -> None:
    """Compute the missing parts by the workers of a cluster, and keep each as it comes.

    The data are sent with the parts, once to each worker; a file that is read block by block must lie at the same place
    there. What a worker had begun when it died is computed by another one.

    Parameters
    ----------
    address : str
        Of the scheduler.
    progress : callable
        Hears how many parts have come, and may raise to stop, which keeps them. Workers finish what they had begun.

    Raises
    ------
    DataError
        If the scheduler does not answer, or ends; if no worker could compute a part.
    """
    with connected(address) as client, client.as_current():
        missing, distributed = work.missing(), importlib.import_module("distributed")
        # One object for all parts, so that data which they share are sent once. A task, and not scattered data: those
        # of a worker that dies would be lost.
        calls = [(part.function, part.args) for part in missing]
        held = client.submit(lambda: _Held(calls), pure=False)
        # Without a priority of their own, tasks begin in the order of their names.
        pending = {
            client.submit(_compute, held, number, pure=False, priority=-number): number
            for number in range(len(missing))
        }
        coming = distributed.as_completed(pending, with_results=True, raise_errors=False)
        workers, lost = _Workers(client, one_line(address, 60)), list[str]()
        while pending:
            for future, result in coming.next_batch(block=False):
                number = pending.pop(future, None)
                if number is None:  # of a curve that has failed meanwhile
                    continue
                part = missing[number]
                if future.status != "finished":
                    workers.check()
                    error = result[1] if future.status == "error" else result
                    lost.append(f"{part.title or part.label}: {_why(error)}")
                elif not work.keep(part, *result):  # later parts of the curve are left out
                    after = {n for n in pending.values() if n > number and missing[n].label == part.label}
                    pending = {other: n for other, n in pending.items() if n not in after}
            done = len(work.parts) - len(pending)
            progress(done / len(work.parts), f"{done} of {len(work.parts)} parts, {workers.words()}")
            time.sleep(_LOOK_S)
    if lost:
        raise DataError(
            f"The cluster at {workers.address} could not compute {counted(len(lost), 'part')} ({lost[0]}). What has "
            "come is kept. Install the same version of rfviz for its scheduler and its workers, or compute without it."
        )


class _Workers:
    """The workers of a client's scheduler, as they come and go."""

    def __init__(self, client: Any, address: str) -> None:
        self.address, self._client = address, client
        self._now, self._seen, self._asked = set[str](), set[str](), float("-inf")

    def words(self) -> str:
        """Return how many there are, and how many are gone.

        Raises
        ------
        DataError
            If the scheduler does not answer.
        """
        if time.monotonic() - self._asked > _COUNT_S:
            self.check()
            try:
                self._now = set(self._client.nthreads())
            except OSError:
                raise self._gone() from None
            self._seen |= self._now
            self._asked = time.monotonic()
        gone = len(self._seen - self._now)
        more = f"; {gone} gone, {'its' if gone == 1 else 'their'} parts begin anew" if gone else ""
        return (counted(len(self._now), "worker") if self._now else "waiting for a worker") + more

    def check(self) -> None:
        """Raise a :class:`DataError` if the scheduler has ended."""
        if self._client.status != "running":
            raise self._gone()

    def _gone(self) -> DataError:
        return DataError(
            f"The Dask scheduler at {self.address} does not answer any more. What has come is kept: go on when it is "
            "there again, or compute without the cluster."
        )


class _Held:
    """The calls of some work, and a cache of what they share, where a worker is; both are gone when the work ends."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self.calls, self.cache = calls, Cache(Store(_WORKER_BYTES))

    def __reduce__(self) -> tuple[type[_Held], tuple[Sequence[Call]]]:
        return _Held, (self.calls,)  # from one worker to another


def _why(error: BaseException) -> str:
    if type(error).__name__ == "KilledWorker":
        return "all workers that began it died, for want of memory perhaps"
    return reason(error)


def _compute(held: _Held, number: int) -> tuple[Any, Messages]:
    """Compute one of the calls on a worker, and return what came of it with its warnings."""
    with capture_warnings() as log:
        result = attempt(*held.calls[number], cache=held.cache)
    return result, log.messages
