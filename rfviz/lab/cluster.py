"""The Dask cluster that the server was told of: its workers, their memory, and what they compute."""

from __future__ import annotations

import importlib
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pandas as pd

from rfviz.datasets.wording import counted, one_line, reason
from rfviz.errors import DataError

__all__ = ["VARIABLE", "Cluster", "Worker", "cluster_address", "connected", "look_at_cluster"]

#: Names the scheduler. Only who starts the server sets it: a visitor's address could lead it to any machine nearby.
VARIABLE = "RFVIZ_SCHEDULER"
_SCHEMES = ("tcp://", "tls://", "inproc://")
# Seconds that a page waits for an answer.
_SECONDS = 1.5


@dataclass(frozen=True)
class Worker:
    """One worker.

    Attributes
    ----------
    memory, used : int
        Bytes; a `memory` of 0 means no limit.
    running : tuple of str
        Names of the tasks that it computes or waits to compute.
    """

    name: str
    threads: int
    memory: int
    used: int
    running: tuple[str, ...]


@dataclass(frozen=True)
class Cluster:
    """A cluster that answered.

    Attributes
    ----------
    workers : tuple of Worker
    version, own_version : str
        Of the package distributed, there and here.
    """

    address: str
    workers: tuple[Worker, ...]
    version: str
    own_version: str

    @property
    def summary(self) -> str:
        """Return what it has and does, in sentences."""
        tasks = sum(len(worker.running) for worker in self.workers)
        if not self.workers:
            said = f"The Dask cluster at {self.address} has no worker. Start one: dask worker {self.address}."
        else:
            threads = counted(sum(worker.threads for worker in self.workers), "thread")
            memory = sum(worker.memory for worker in self.workers) / 1e9
            said = (
                f"The Dask cluster at {self.address} has {counted(len(self.workers), 'worker')} with {threads} and "
                f"{memory:,.1f} GB of memory; {counted(tasks, 'task')} {'is' if tasks == 1 else 'are'} running or "
                "waiting."
            )
        if self.version != self.own_version:
            said += f" It runs distributed {self.version}, the server {self.own_version}: install the same version."
        return said

    def to_frame(self) -> pd.DataFrame:
        """Return one row per worker."""
        rows = [
            (w.name, w.threads, w.memory / 1e9, w.used / 1e9, len(w.running), ", ".join(dict.fromkeys(w.running)))
            for w in self.workers
        ]
        return pd.DataFrame(rows, columns=["worker", "threads", "memory, GB", "used, GB", "tasks", "what runs"])


def cluster_address() -> str:
    """Return the address of the scheduler, or an empty string if the server has none."""
    return os.environ.get(VARIABLE, "").strip()


@contextmanager
def connected(address: str) -> Generator[Any, None, None]:
    """Give a client of a scheduler, which forgets all that it was asked for in the end.

    Raises
    ------
    DataError
        If the address is malformed, no scheduler of a compatible version answers in time, or Dask is missing.
    """
    shown = one_line(address, 60)
    if not address.startswith(_SCHEMES):
        raise DataError(f"{VARIABLE} must be an address such as tcp://host:8786, not {shown!r}. Set it again.")
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise DataError("A Dask cluster needs Dask, which is not installed: pip install 'rfviz[dask]'.") from None
    try:
        client = distributed.Client(address, timeout=_SECONDS, set_as_default=False)
    except Exception as error:
        raise _refused(shown, error) from None
    with client:
        yield client


def look_at_cluster(address: str) -> Cluster:
    """Ask a scheduler for its workers.

    Raises
    ------
    DataError
        See :func:`connected`.
    """
    with connected(address) as client:
        try:
            found = client.scheduler_info(n_workers=-1)["workers"]
            tasks = client.processing()
            version = client.get_versions()["scheduler"]["packages"]["distributed"]
        except Exception as error:
            raise _refused(one_line(address, 60), error) from None
    workers = tuple(
        Worker(
            str(worker.get("name", place)),
            int(worker.get("nthreads", 0)),
            int(worker.get("memory_limit") or 0),
            int(worker.get("metrics", {}).get("memory", 0)),
            tuple(_task(key) for key in tasks.get(place, ())),
        )
        for place, worker in found.items()
    )
    return Cluster(address, workers, str(version), _own_version())


def _own_version() -> str:
    return importlib.import_module("distributed").__version__


def _refused(shown: str, error: Exception) -> DataError:
    """Return why a scheduler cannot be asked; one of another version fails in as many ways as there are versions."""
    if isinstance(error, OSError):  # a timeout among them
        return DataError(
            f"No Dask scheduler answers at {shown}. Start one there (dask scheduler), or start the server without "
            f"{VARIABLE}."
        )
    return DataError(
        f"What answers at {shown} is no Dask scheduler of a version near {_own_version()} ({reason(error)}). Install "
        "the same version on both sides."
    )


def _task(key: object) -> str:
    """Return ``sums_of`` for ``("sums_of-1f…", 3)``."""
    name = str(key[0] if isinstance(key, tuple) else key)
    return one_line(name.rsplit("-", 1)[0].strip("_"), 30)
