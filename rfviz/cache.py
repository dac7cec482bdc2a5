"""Cache of results: functions of hashable arguments are computed once and remembered within a budget of bytes.

A page computes by module-level functions, which it calls through a cache::

    def pairs_of(source: ScaledData, *, cache: Cache) -> PointPairs:
        return prepare_pairs(source.dataset, source.normalise)

    pairs = cache.call(pairs_of, source)

The function and its arguments *are* the key. A function sees nothing but its arguments, so that a setting that changes
a result cannot be missing in its key.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from scipy import sparse

from rfviz import backend
from rfviz.errors import Messages, active_log, capture_warnings, warn
from rfviz.progress import Progress, silent
from rfviz.result_files import ResultFiles, is_durable

__all__ = ["Cache", "Cached", "CachedFunction", "Store", "default_budget", "size_of"]

R = TypeVar("R")

#: A module-level function of hashable arguments that takes ``cache=``, through which it calls others and reports its
#: progress. (That the last argument is named ``cache`` cannot be said in types.)
CachedFunction = Callable[..., R]


@dataclass(eq=False)
class Cached:
    """A result with the warnings that came with it, and where it was computed, if the cache that computed it knows."""

    result: Any
    warnings: Messages = ()
    where: Any = None


# Bytes that results may take by default: a laboratory's memory would otherwise grow with the machine's.
_MOST = 1_000_000_000


def default_budget() -> int:
    """Return the bytes that cached results may take: ``RFVIZ_CACHE_MB``, else 1 GB or a quarter of the memory now free.

    In a container that is the memory that the container leaves free, not that of its host. A visit leaves about 25 MB,
    so that 1 GB holds forty of them; what took long is found again on disk.
    """
    asked = os.environ.get("RFVIZ_CACHE_MB", "")
    return int(asked) * 1_000_000 if asked.isdigit() else min(_MOST, backend.get_device("cpu").free_bytes() // 4)


@dataclass
class _Entry:
    cached: Cached
    size: int
    owners: Collection[str]
    last_used: float


class Store:
    """Results by key, shared by threads; those unused for longest are dropped, by size and by age.

    Parameters
    ----------
    max_bytes : int, optional
        See :func:`default_budget`.
    max_age_s : float
        Time for which a result may go unused.
    files : ResultFiles, optional
        Where results of durable functions are found that are not in memory.
    """

    def __init__(
        self, max_bytes: int | None = None, max_age_s: float = math.inf, files: ResultFiles | None = None
    ) -> None:
        self.max_bytes = default_budget() if max_bytes is None else max_bytes
        self.max_age_s = max_age_s
        self.files = files
        self.n_bytes = 0
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable) -> Cached | None:
        """Return the entry of a key, or None if it has none."""
        # Reading takes no lock: a page looks for thousands of parts each time it is drawn, and if twenty are drawn at
        # once, a thread that loses the interpreter while it holds the lock would hold up all others.
        known = self._entries.get(key)
        if known is not None:
            known.last_used = time.monotonic()
            if self._lock.acquire(blocking=False):
                try:
                    if key in self._entries:
                        self._entries.move_to_end(key)
                finally:
                    self._lock.release()
            return known.cached
        found = self.files.read(key) if self.files is not None and is_durable(key) else None
        if found is None:
            return None
        entry = Cached(*found)
        self._insert(key, entry, ())
        return entry

    def put(self, key: Hashable, entry: Cached, owners: Collection[str] = ()) -> None:
        """Add an entry; `owners` are the private data sets that it was computed from."""
        self._insert(key, entry, owners)
        if self.files is not None and is_durable(key) and not owners:
            self.files.write(key, entry.result, entry.warnings)

    def _insert(self, key: Hashable, entry: Cached, owners: Collection[str]) -> None:
        size = size_of(entry.result)
        with self._lock:
            self._remove(key)
            self._entries[key] = _Entry(entry, size, owners, time.monotonic())
            self.n_bytes += size
        self.shrink(self.max_bytes)

    def shrink(self, max_bytes: int) -> None:
        """Remove results that were unused for too long or exceed `max_bytes`, but keep the last one."""
        oldest = time.monotonic() - self.max_age_s
        with self._lock:
            while len(self._entries) > 1:
                key, entry = next(iter(self._entries.items()))
                if self.n_bytes <= max_bytes and entry.last_used >= oldest:
                    break
                self._remove(key)

    def entries(self) -> list[tuple[Hashable, Cached]]:
        """Return all keys with their entries, the one unused for longest first."""
        with self._lock:
            return [(key, entry.cached) for key, entry in self._entries.items()]

    def drop_owner(self, owner: str) -> int:
        """Remove everything that was computed from a private data set and return how many entries that were."""
        with self._lock:
            keys = [key for key, entry in self._entries.items() if owner in entry.owners]
            for key in keys:
                self._remove(key)
        return len(keys)

    def drop(self, key: Hashable) -> None:
        """Remove the entry of a key, if there is one."""
        with self._lock:
            self._remove(key)

    def clear(self) -> None:
        """Remove everything."""
        with self._lock:
            self._entries.clear()
            self.n_bytes = 0

    def _remove(self, key: Hashable) -> None:
        if key in self._entries:
            self.n_bytes -= self._entries.pop(key).size


class Cache:
    """Calls functions and remembers their results.

    Parameters
    ----------
    store : Store, optional
        A store of its own by default, without a limit.
    progress : callable, optional
        ``progress(share, text)`` hears where a computation is, and may raise to stop it.

    Attributes
    ----------
    progress
        For the functions that are called.
    """

    def __init__(self, store: Store | None = None, progress: Progress = silent) -> None:
        self.store = Store(sys.maxsize) if store is None else store
        self.progress = progress

    def with_progress(self, progress: Progress) -> Cache:
        """Return a cache over the same store that reports elsewhere."""
        return Cache(self.store, progress)

    def call(self, function: CachedFunction[R], *args: Hashable) -> R:
        """Return ``function(*args, cache=self)``, from memory where it was computed before.

        Results are shared and must not be changed. Warnings of the library that came with a result are given again
        with every use. If the function raises, nothing is remembered.
        """
        return self._fetch(function, args).result

    def peek(self, function: CachedFunction[R], *args: Hashable) -> R | None:
        """Return the result of a call from memory, or None if it would have to be computed."""
        entry = self.store.get(self._key(function, args))
        return None if entry is None else entry.result

    def keep(self, function: CachedFunction[R], args: tuple[Hashable, ...], result: R, warnings: Messages) -> None:
        """Remember the result of a call that was computed elsewhere."""
        self.store.put(self._key(function, args), Cached(result, warnings), owners_of(args))

    def forget(self, function: CachedFunction[Any], args: tuple[Hashable, ...]) -> None:
        """Forget the result of a call, which is then computed anew."""
        self.store.drop(self._key(function, args))

    def warnings(self, function: CachedFunction[Any], arguments: Iterable[tuple[Hashable, ...]]) -> str:
        """Return the last warning of each kind among the results in memory, as one text."""
        found = [self.store.get(self._key(function, args)) for args in arguments]
        texts = {category: text for entry in found if entry is not None for text, category in entry.warnings}
        return " ".join(texts.values())

    def _key(self, function: CachedFunction[Any], args: tuple[Hashable, ...]) -> Hashable:
        return function, args, backend.get_device().name

    def _fetch(self, function: CachedFunction[Any], args: tuple[Hashable, ...]) -> Cached:
        key = self._key(function, args)
        entry = self.store.get(key)
        if entry is None:
            with capture_warnings() as log:
                result = self._compute(function, args)
            entry = result if isinstance(result, Cached) else Cached(result, log.messages)
            if entry is not result:
                self.store.put(key, entry, owners_of(args))
        self._repeat(entry.warnings)
        return entry

    def _compute(self, function: CachedFunction[Any], args: tuple[Hashable, ...]) -> Any:
        """Compute; a subclass may wait for its turn first, and return a :class:`Cached` that came meanwhile."""
        return function(*args, cache=self)

    def _repeat(self, warnings: Messages) -> None:
        """Issue the warnings of a result to the active log."""
        log = active_log()
        if log is not None:
            log.add(warnings)
        else:
            for text, category in warnings:
                warn(text, category)


def owners_of(value: Any) -> frozenset[str]:
    """Return the private data sets that a key names: every ``owner`` of its parts, at any depth."""
    if isinstance(value, (str, int, float, type(None))):
        return frozenset()
    if isinstance(value, (tuple, frozenset)):
        return frozenset().union(*map(owners_of, value))
    owner = getattr(value, "owner", None)
    found = frozenset((owner,)) if isinstance(owner, str) and owner else frozenset[str]()
    if is_dataclass(value) and not isinstance(value, type):
        found = found.union(*(owners_of(getattr(value, field.name)) for field in fields(value) if field.compare))
    return found


_OBJECT_BYTES = 64


def size_of(value: Any) -> int:
    """Return about how many bytes a result keeps in memory: its arrays and tables, texts, and containers of them."""
    return _size_of(value, set())


def _size_of(value: Any, counted: set[int]) -> int:
    if value is None or isinstance(value, (bool, int, float, type)) or callable(value) or id(value) in counted:
        return 0
    counted.add(id(value))
    if isinstance(value, np.ndarray):
        whole = value
        while isinstance(whole.base, np.ndarray):  # a view keeps the whole array
            whole = whole.base
        if whole is not value:
            return _size_of(whole, counted)
        own = value.nbytes + _OBJECT_BYTES
        return own + (sum(_size_of(item, counted) for item in value.flat) if value.dtype == object else 0)
    if isinstance(value, (str, bytes, bytearray)):
        return sys.getsizeof(value)
    if isinstance(value, (pd.DataFrame, pd.Series, pd.Index)):
        usage = value.memory_usage(deep=True)
        return int(usage if isinstance(usage, (int, float, np.integer)) else usage.sum())
    if sparse.issparse(value):
        parts = ("data", "indices", "indptr", "row", "col")
        return sum(_size_of(getattr(value, name, None), counted) for name in parts)
    # Copied first: another thread may add to a result that is shared already.
    if isinstance(value, Mapping):
        return _OBJECT_BYTES + sum(_size_of(item, counted) for pair in list(value.items()) for item in pair)
    if isinstance(value, (list, tuple, set, frozenset)):
        return _OBJECT_BYTES + 8 * len(value) + sum(_size_of(item, counted) for item in list(value))
    slots = [getattr(value, name, None) for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
    return _OBJECT_BYTES + sum(_size_of(item, counted) for item in [*getattr(value, "__dict__", {}).values(), *slots])
