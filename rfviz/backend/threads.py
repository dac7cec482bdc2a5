"""Threads on the processor's cores: those that BLAS uses for a call, and our own."""

from __future__ import annotations

import functools
import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from rfviz.progress import stop_point

__all__ = ["blas_info", "core_count", "map_ordered", "over_rows", "single_threaded_blas", "worker_count"]

# Seconds between two checks whether a computation is to be stopped.
_POLL_S = 0.05
# Bytes that a thread copies in less time than it takes to start one.
_PIECE_BYTES = 2_000_000
T = TypeVar("T")
R = TypeVar("R")


@functools.lru_cache(maxsize=1)
def _blas_controller() -> ThreadpoolController:
    # Looking for the loaded libraries takes milliseconds; they do not change once NumPy and SciPy are in.
    import scipy.linalg.blas  # noqa: F401 # pyright: ignore[reportUnusedImport] - so that its own BLAS is limited too

    return ThreadpoolController().select(user_api="blas")


def blas_info() -> dict[str, Any]:
    """Describe the BLAS behind NumPy: library, version, processor kernels, threads, and the cores of the machine."""
    libraries = _blas_controller().info()
    first = next((lib for lib in libraries if "numpy" in lib["filepath"]), libraries[0] if libraries else {})
    return {
        "library": first.get("internal_api", "unknown BLAS"),
        "version": first.get("version") or "",
        "architecture": first.get("architecture") or "generic",
        "threads": first.get("num_threads", 1),
        # Threads of a call without a limit, even while a limit is in force.
        "most_threads": max([first.get("num_threads", 1), *_blas_full]),
        "cores": core_count(),
    }


def core_count() -> int:
    """Return how many processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worker_count() -> int:
    """Return how many threads a computation may use: a core each, or fewer where OMP_NUM_THREADS says so.

    Dask sets it to 1 in its workers, joblib to a share of the cores.
    """
    limit = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return min(core_count(), int(limit)) if limit.isdecimal() and int(limit) else core_count()


_blas_lock = threading.Lock()
_blas_users = 0
_blas_holder: tuple[threading.Thread, threading.Event] | None = None
_blas_full: list[int] = []  # threads of each library without a limit


@contextmanager
def single_threaded_blas() -> Generator[None, None, None]:
    """Limit BLAS to one thread a call until the context ends, so that our own threads can use the cores.

    The limit is one for the whole process. Sessions overlap, so it is counted: the first one in sets it, the last
    one out restores it; two plain limiters that overlap would leave the process limited for ever. A BLAS that has had
    no more than one thread, as in the workers of Dask and joblib, needs no limit.
    """
    global _blas_users, _blas_holder
    with _blas_lock:
        if _blas_users == 0 and max([*_blas_threads(), *_blas_full], default=1) > 1:
            held, release = threading.Event(), threading.Event()
            thread = threading.Thread(target=_hold_blas_limit, args=(held, release), daemon=True)
            thread.start()
            held.wait()
            _blas_holder = thread, release
        _blas_users += 1
    try:
        yield
    finally:
        with _blas_lock:
            _blas_users -= 1
            if _blas_users == 0 and _blas_holder is not None:
                thread, release = _blas_holder
                release.set()
                thread.join()
                _blas_holder = None


def _blas_threads() -> list[int]:
    """Return how many threads each library uses now."""
    return [library.num_threads for library in _blas_controller().lib_controllers]


def _hold_blas_limit(held: threading.Event, release: threading.Event) -> None:
    """Limit BLAS from a thread of its own until `release`.

    threadpoolctl lets the thread that set OpenBLAS's limit alone change it, and ignores all others while that one
    lives; the first session in and the last one out need not be the same thread.
    """
    controller = _blas_controller()
    try:
        now = _blas_threads()
        # Another limit may be in force now and lifted before this one ends: restore the largest number ever seen.
        _blas_full[:] = map(max, now, _blas_full or now)
        with controller.limit(limits=1):
            held.set()
            release.wait()
        for library, threads in zip(controller.lib_controllers, _blas_full, strict=True):
            library.set_num_threads(threads)
    finally:
        held.set()


def map_ordered(function: Callable[[T], R], items: Iterable[T], workers: int) -> Iterator[R]:
    """Map over threads and yield results in order, at most ``workers + 1`` of them begun and not yet consumed.

    The one beyond the workers leaves none of them idle while the oldest result is late. While it waits, the caller's
    computation may be stopped (:func:`rfviz.progress.stop_point`); an iteration that is abandoned starts nothing
    further, and does not wait for what has begun. Each call runs in a copy of the caller's context, so that the log of
    warnings and NumPy's error settings are the same there.

    Parameters
    ----------
    items : iterable
        May be endless.
    workers : int
        Threads; 1 runs in the caller's own.
    """
    if workers <= 1:
        for item in items:
            stop_point()
            yield function(item)
        return
    pending: deque[Future[R]] = deque()
    executor, wait = ThreadPoolExecutor(workers), True
    with single_threaded_blas():
        try:
            for item in items:
                pending.append(executor.submit(copy_context().run, function, item))
                if len(pending) > workers:
                    yield _awaited(pending.popleft())
            while pending:
                yield _awaited(pending.popleft())
        except BaseException as stop:
            wait = isinstance(stop, Exception)  # after an error the caller may need the memory that the others hold
            raise
        finally:
            executor.shutdown(wait=wait, cancel_futures=True)


def over_rows(executor: Executor, function: Callable[[slice], None], n_rows: int, n_bytes: int) -> None:
    """Call ``function(rows)`` for all rows, which hold `n_bytes`: in slices at once where they are large, and wait."""
    pieces = min(worker_count(), n_rows, n_bytes // _PIECE_BYTES)
    if pieces <= 1:
        function(slice(0, n_rows))
        return
    edges = [n_rows * piece // pieces for piece in range(pieces + 1)]
    list(executor.map(function, map(slice, edges, edges[1:])))


def _awaited(future: Future[R]) -> R:
    """Return the result of a call, unless the calling thread's computation is stopped before."""
    while True:
        stop_point()
        try:
            return future.result(_POLL_S)
        except TimeoutError:
            if future.done():  # it raised this itself, or has come this moment
                return future.result()
