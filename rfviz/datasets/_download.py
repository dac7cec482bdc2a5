"""Data sets that are downloaded once and then kept as plain ``.npz`` files.

Scikit-learn's own loaders do the downloading and check what arrives. They report no progress, take no time limit and
keep some data as pickles, so they run in a thread that is watched, and what they return is stored without pickle under
``<cache>/rfviz``, where ``<cache>`` is ``RFVIZ_CACHE`` or scikit-learn's data folder.
"""

from __future__ import annotations

import errno
import math
import os
import socket
import ssl
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError, URLError

import numpy as np

from rfviz.datasets import _npz
from rfviz.datasets._raw import Raw
from rfviz.datasets._text import one_line, reason
from rfviz.datasets.base import Progress
from rfviz.errors import DataError, DownloadError

__all__ = ["NETWORK", "Download", "cache_home", "obtain"]

# What scikit-learn's fetchers are told: one more attempt, soon.
NETWORK = {"n_retries": 1, "delay": 0.5}
_SOCKET_SECONDS = 20.0
_LIMIT_SECONDS = 1800.0
_TICK_SECONDS = 0.25
_DAY = 86_400.0
_DISK_ERRORS = {errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EDQUOT}

_guard = threading.Lock()
_one_at_a_time = threading.Lock()
_running: dict[Path, _Job] = {}


@dataclass(frozen=True)
class Download:
    """What to fetch and how to speak of it.

    Attributes
    ----------
    key : str
        Stem of the cache file.
    title, host, size : str
        ``"MNIST"``, ``"OpenML"``, ``"about 15 MB"``.
    fetch : callable
        ``fetch(cache_home) -> dict`` of arrays, named as :mod:`rfviz.datasets.folder` describes.
    instead : str, optional
        What else to do where it cannot be had; by default to put the cache file where it would lie.
    days : float, optional
        Fetched anew where what is kept is older; if that fails, the old one serves.
    """

    key: str
    title: str
    host: str
    size: str
    fetch: Callable[[Path], dict[str, np.ndarray]]
    instead: str = ""
    days: float = math.inf


def cache_home() -> Path:
    """Folder for downloads: ``RFVIZ_CACHE``, else scikit-learn's data folder (``~/scikit_learn_data``)."""
    from sklearn.datasets import get_data_home

    return Path(get_data_home(os.environ.get("RFVIZ_CACHE") or None))


def obtain(download: Download, progress: Progress | None = None) -> Raw:
    """Read a data set from the cache, or fetch it there first.

    An exception that `progress` raises stops the waiting, not the download: it goes on in the background, and the next
    call waits for it or finds its result.

    Raises
    ------
    DownloadError
        If it cannot be downloaded: why, and what to do.
    MemoryBudgetError
        If it does not fit into the memory limit.
    """
    try:
        path = cache_home() / "rfviz" / f"{download.key}.npz"
    except OSError as error:
        raise _cannot(download, error) from None
    old = _kept(path)
    if old is not None and time.time() - path.stat().st_mtime < download.days * _DAY:
        return old
    with _guard:
        job = _running.get(path)
        if job is None:
            job = _running[path] = _Job(download, path)
            job.start()
    try:
        _wait(job, download, progress)
    except DownloadError:
        if old is None:
            raise
    if old is not None and (job.error is not None or job.is_alive()):
        return old
    if isinstance(job.error, DataError):
        raise DownloadError(str(job.error)) from None
    if job.error is not None:
        raise job.error if isinstance(job.error, MemoryError) else _cannot(download, job.error)
    return _npz.read(path)


def _kept(path: Path) -> Raw | None:
    """What an earlier download left."""
    if not path.exists():
        return None
    try:
        return _npz.read(path)
    except DataError:
        # We wrote this file, so one that cannot be read was damaged since: replace it.
        path.unlink(missing_ok=True)
        return None


class _Job(threading.Thread):
    """One download; it fills the cache file, or says in `error` why not."""

    def __init__(self, download: Download, path: Path) -> None:
        # A daemon, so that a download nobody waits for any more does not keep Python from ending.
        super().__init__(name=f"download-{download.key}", daemon=True)
        self.download, self.path, self.error, self.begun = download, path, None, False

    def run(self) -> None:
        try:
            # One at a time: the time limit of sockets is one setting for the whole process, and must be put back.
            with _one_at_a_time:
                self.begun = True
                before = socket.getdefaulttimeout()
                socket.setdefaulttimeout(_SOCKET_SECONDS)
                try:
                    arrays = self.download.fetch(self.path.parent.parent)
                finally:
                    socket.setdefaulttimeout(before)
            _store(self.path, arrays)
        # Handed to whoever waits; a thread has nobody to raise it to.
        except BaseException as error:
            self.error = error
        finally:
            with _guard:
                _running.pop(self.path, None)


def _wait(job: _Job, download: Download, progress: Progress | None) -> None:
    start = time.monotonic()
    while job.is_alive():
        seconds = time.monotonic() - start
        if seconds > _LIMIT_SECONDS:
            why = f"no end after {_LIMIT_SECONDS / 60:.0f} minutes"
            raise DownloadError(_sentence(download, why, "Try again later"))
        if progress is not None:
            what = f"downloading {download.title} from {download.host} ({download.size})"
            progress(None, f"{what if job.begun else 'waiting for another download to end'}… {seconds:.0f} s")
        job.join(_TICK_SECONDS)


def _store(path: Path, arrays: dict[str, np.ndarray]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as part:
        try:
            np.savez_compressed(part, **arrays)
            part.close()
            # In one step, so that no reader ever sees half a file.
            os.replace(part.name, path)
        except BaseException:
            Path(part.name).unlink(missing_ok=True)
            raise


def _cannot(download: Download, error: BaseException) -> DownloadError:
    """Why a download failed, for a person: the network, the server, the disk or the content."""
    connection = "Check the connection"
    if isinstance(error, HTTPError):
        why, remedy = f"the server answered {error.code} {error.reason}", "Try again later"
    elif isinstance(error, TimeoutError) or isinstance(getattr(error, "reason", None), TimeoutError):
        why, remedy = f"no answer within {_SOCKET_SECONDS:.0f} s", connection
    elif isinstance(error, (URLError, ConnectionError, socket.gaierror, ssl.SSLError)):
        cause = getattr(error, "reason", error)
        short = getattr(cause, "strerror", None) or (reason(cause) if isinstance(cause, BaseException) else cause)
        why, remedy = f"no network connection ({one_line(short, 120)})", connection
    elif isinstance(error, OSError) and error.errno in _DISK_ERRORS:
        why = f"the cache folder cannot be used ({error.strerror})"
        remedy = "Make room there, or set RFVIZ_CACHE to a folder that can be written"
    else:
        why = f"what arrived is not what was expected ({reason(error)})"
        remedy = "Try again later"
    return DownloadError(_sentence(download, why, remedy))


def _sentence(download: Download, why: str, remedy: str) -> str:
    instead = download.instead or f"put {download.key}.npz in the data folder"
    return f"{download.title} could not be downloaded from {download.host}: {why}. {remedy}, or {instead}."
