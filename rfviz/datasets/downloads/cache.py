"""Files that are downloaded once and cached under ``<cache>/rfviz``.

``<cache>`` is ``RFVIZ_CACHE`` or scikit-learn's data folder. Files are written in one step, bounded in size and checked
when they are read; one that is damaged is fetched again. Scikit-learn's own loaders fetch most data sets and check what
arrives. They report no progress, take no time limit and cache some data as pickles, so they run in a thread that is
watched, and what they return is stored without pickle.
"""

from __future__ import annotations

import errno
import io
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
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.error import HTTPError, URLError

import numpy as np

from rfviz.datasets.files.content import File
from rfviz.datasets.memory import size_text
from rfviz.datasets.wording import one_line, reason
from rfviz.errors import DataError, DownloadError
from rfviz.progress import Progress

if TYPE_CHECKING:
    from rfviz.datasets.files.arrays import Arrays

__all__ = ["NETWORK", "Download", "cache_home", "download_error", "npz_bytes", "obtain", "obtain_arrays"]

# For scikit-learn's fetchers: one more attempt, soon.
NETWORK = {"n_retries": 1, "delay": 0.5}
_SOCKET_SECONDS = 20.0
_LIMIT_SECONDS = 1800.0
_TICK_SECONDS = 0.25
_DAY = 86_400.0
_DISK_ERRORS = {errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EDQUOT}

_guard = threading.Lock()
_one_at_a_time = threading.Lock()
_running: dict[Path, _Job] = {}

T = TypeVar("T")


@dataclass(frozen=True)
class Download(Generic[T]):
    """A file to fetch, and its names in sentences.

    Attributes
    ----------
    file : str
        Name in the cache.
    title, host, size : str
        ``"MNIST"``, ``"OpenML"``, ``"about 15 MB"``.
    fetch : callable
        ``fetch(cache_home) -> bytes`` of the file.
    read : callable
        ``read(file)`` gives its content, or raises where that is damaged.
    instead : str, optional
        What else to do where it cannot be downloaded; by default to put the file into the data folder.
    days : float, optional
        An older file is fetched again; if that fails, it serves.
    max_bytes : int, optional
        A larger file is neither stored nor read.
    """

    file: str
    title: str
    host: str
    size: str
    fetch: Callable[[Path], bytes]
    read: Callable[[File], T]
    instead: str = ""
    days: float = math.inf
    max_bytes: int = 1_000_000_000


def cache_home() -> Path:
    """Return the folder for downloads: ``RFVIZ_CACHE``, else scikit-learn's data folder (``~/scikit_learn_data``)."""
    from sklearn.datasets import get_data_home

    return Path(get_data_home(os.environ.get("RFVIZ_CACHE") or None))


def npz_bytes(**arrays: np.ndarray) -> bytes:
    """Return arrays as an ``.npz`` file."""
    buffer = io.BytesIO()
    save: Callable[..., None] = np.savez_compressed  # an array might be named like one of its options
    save(buffer, **arrays)
    return buffer.getvalue()


def obtain(download: Download[T], progress: Progress | None = None) -> T:
    """Return the content of a file from the cache, or fetch it there first.

    An exception that `progress` raises stops the waiting, not the download: it goes on in the background, and the next
    call waits for it or finds its result.

    Raises
    ------
    DownloadError
        If it cannot be downloaded.
    MemoryBudgetError
        If it does not fit into the memory limit.
    """
    try:
        path = cache_home() / "rfviz" / download.file
    except OSError as error:
        raise download_error(download, error) from None
    cached = _cached(download, path)
    if cached is not None and time.time() - path.stat().st_mtime < download.days * _DAY:
        return cached
    with _guard:
        job = _running.get(path)
        if job is None:
            job = _running[path] = _Job(download, path)
            job.start()
    try:
        _wait(job, download, progress)
    except DownloadError:
        if cached is None:
            raise
    if cached is not None and (job.error is not None or job.is_alive()):
        return cached
    if isinstance(job.error, DataError):
        raise DownloadError(str(job.error)) from None
    if job.error is not None:
        raise job.error if isinstance(job.error, MemoryError) else download_error(download, job.error)
    return download.read(File.at(path))


def obtain_arrays(
    download: Download[Arrays], origin: str, path: Path | None, progress: Progress | None
) -> tuple[Arrays, str]:
    """Read a file of the data folder if there is one, else obtain the download; return a phrase on the origin too."""
    if path is None:
        return obtain(download, progress), origin
    return download.read(File.at(path)), f"the file {path.name} of the data folder"


def _cached(download: Download[T], path: Path) -> T | None:
    """Return what an earlier download left, if it is whole."""
    if not path.exists():
        return None
    try:
        if path.stat().st_size <= download.max_bytes:
            return download.read(File.at(path))
    except DataError:
        pass
    # Only rfviz writes this file: one that cannot be read was damaged since.
    path.unlink(missing_ok=True)
    return None


class _Job(threading.Thread):
    """One download; it writes the cached file, or has the reason why not in `error`."""

    def __init__(self, download: Download[Any], path: Path) -> None:
        # A daemon, so that a download that no caller waits for does not keep Python from ending.
        super().__init__(name=f"download-{download.file}", daemon=True)
        self.download, self.path, self.begun = download, path, False
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            # One at a time: the time limit of sockets is one setting for the whole process, and must be put back.
            with _one_at_a_time:
                self.begun = True
                before = socket.getdefaulttimeout()
                socket.setdefaulttimeout(_SOCKET_SECONDS)
                try:
                    content = self.download.fetch(self.path.parent.parent)
                finally:
                    socket.setdefaulttimeout(before)
            self._store(content)
        # A thread cannot raise it to a caller; the waiting thread reads it.
        except BaseException as error:
            self.error = error
        finally:
            with _guard:
                _running.pop(self.path, None)

    def _store(self, content: bytes) -> None:
        if len(content) > self.download.max_bytes:
            raise ValueError(f"{size_text(len(content))}, and at most {size_text(self.download.max_bytes)} are stored")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self.path.parent, suffix=".part", delete=False) as part:
            try:
                part.write(content)
                part.close()
                # In one step, so that half a file is never read.
                os.replace(part.name, self.path)
            except BaseException:
                Path(part.name).unlink(missing_ok=True)
                raise


def _wait(job: _Job, download: Download[Any], progress: Progress | None) -> None:
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


def download_error(download: Download[Any], error: BaseException) -> DownloadError:
    """Return the error that says why a download failed: the network, the server, the disk or the content."""
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


def _sentence(download: Download[Any], why: str, remedy: str) -> str:
    instead = download.instead or f"put {download.file} in the data folder"
    return f"{download.title} could not be downloaded from {download.host}: {why}. {remedy}, or {instead}."
