"""Results on disk: what users waited for outlives the process, in files of numbers and JSON that cannot run code.

A file is an ``.npz`` of the arrays of one result, with a text in JSON: the whole key, and how the result is made of the
arrays. Its name is a hash of the key: function, settings, fingerprint of the data, and the version of the code. A file
that is damaged, or is not what its name says, counts as none. Nothing is ever unpickled, and no class is made but the
dataclasses of rfviz.

Results of an upload are never written: their key names an owner.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
import logging
import os
import platform
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from rfviz._version import __version__
from rfviz.datasets import Dataset
from rfviz.errors import Messages
from rfviz.features import MapSpec

__all__ = ["DEFAULT_MB", "ResultFiles", "durable", "is_durable", "result_files"]

F = TypeVar("F", bound=Callable[..., Any])

#: Megabytes that the files may take where ``RFVIZ_DISK_MB`` does not say.
DEFAULT_MB = 500
# Share of the limit that one result may take, and to which the files are cut back when they exceed it.
_LARGEST, _CUT_BACK = 0.2, 0.9
# What a file takes in a folder besides its bytes: it bounds their number.
_FILE_BYTES = 4096
# Seconds until files of other processes are counted again, and until what a killed process left half written goes.
_RECOUNT_S, _STALE_S = 60.0, 3600.0
_TEXT = "json"

_log = logging.getLogger("rfviz")
_durable: set[Callable[..., Any]] = set()


def durable(function: F) -> F:
    """Mark a cached function as one whose results are worth a file: users wait for them.

    It reads the prepared rows of its data, not the table of a file that they were made of (:attr:`Dataset.origin`),
    which is not part of the key on disk.
    """
    _durable.add(function)
    return function


def is_durable(key: Hashable) -> bool:
    """Return whether a key of the cache, ``(function, args, …)``, is that of a durable function."""
    return isinstance(key, tuple) and bool(key) and key[0] in _durable


def result_files() -> ResultFiles | None:
    """Return the files of this machine's user, bounded by ``RFVIZ_DISK_MB``, or None if that is 0."""
    asked = os.environ.get("RFVIZ_DISK_MB", "")
    megabytes = int(asked) if asked.isdigit() else DEFAULT_MB
    return ResultFiles(max_bytes=megabytes * 1_000_000) if megabytes else None


class ResultFiles:
    """Files of results, shared by threads and processes; those unused for longest go where bytes are short.

    A folder that cannot be written to is not an error: results are then forgotten with the process.

    Parameters
    ----------
    folder : Path, optional
        ``rfviz/results`` in the folder of downloads by default, see :func:`rfviz.datasets.downloads.cache.cache_home`.
    max_bytes : int
    """

    def __init__(self, folder: Path | None = None, max_bytes: int = DEFAULT_MB * 1_000_000) -> None:
        self.max_bytes = max_bytes
        self._folder = folder
        self._lock = threading.Lock()
        self._n_bytes, self._counted = 0, -_RECOUNT_S
        # Hashes of keys without a file. Pages ask for every part of a sweep whenever they are drawn, and a key itself
        # would hold its data in memory.
        self._absent: set[int] = set()
        self._has_warned = False

    @functools.cached_property
    def folder(self) -> Path:
        """The folder of the files."""
        if self._folder is None:
            from rfviz.datasets.downloads.cache import cache_home

            return cache_home() / "rfviz" / "results"
        return self._folder

    def read(self, key: Hashable) -> tuple[Any, Messages] | None:
        """Return a result with its warnings, or None if there is no file that can be used."""
        if hash(key) in self._absent:
            return None
        found = None
        try:
            text = _key_text(key)
            path = self._path(text)
            if path.is_file() and path.stat().st_size <= self._largest:
                found = _read(path, text)
                os.utime(path)  # the time of the last use
        except _NotStoredError:
            pass
        except Exception as error:  # whatever damaged bytes raise in a parser
            _log.info("A file of a result is ignored: %s: %s", type(error).__name__, error)
        if found is None:
            self._absent.add(hash(key))
        return found

    def write(self, key: Hashable, result: Any, warnings: Messages) -> None:
        """Write a result, in one step; do nothing where it is private, too large, or not made of numbers and text."""
        try:
            text = _key_text(key)
            arrays: list[np.ndarray] = []
            body = {"key": text, "result": _packed(result, arrays), "warnings": _packed(warnings, arrays)}
            if sum(array.nbytes for array in arrays) > self._largest:
                return
            self._absent.discard(hash(key))
            self._store(self._path(text), json.dumps(body, ensure_ascii=False), arrays)
            self._cut_back()
        except _NotStoredError:
            pass
        except OSError as error:
            if not self._has_warned:
                self._has_warned = True
                _log.warning("Results are not kept on disk: %s", error)

    @property
    def _largest(self) -> float:
        return _LARGEST * self.max_bytes

    def _path(self, text: str) -> Path:
        return self.folder / f"{hashlib.blake2b(text.encode(), digest_size=20).hexdigest()}.npz"

    def _store(self, path: Path, text: str, arrays: Sequence[np.ndarray]) -> None:
        members = {f"array{number}": array for number, array in enumerate(arrays)}
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as part:
            try:
                save = cast(Callable[..., None], np.savez)
                save(part, **{_TEXT: np.frombuffer(text.encode(), np.uint8)}, **members)
                part.close()
                # In one step: a thread or process that reads it meanwhile reads a whole file.
                os.replace(part.name, path)
            except BaseException:
                Path(part.name).unlink(missing_ok=True)
                raise
        with self._lock:
            self._n_bytes += path.stat().st_size + _FILE_BYTES

    def _cut_back(self) -> None:
        """Remove the files unused for longest where all together exceed the limit."""
        with self._lock:
            if self._n_bytes <= self.max_bytes and time.monotonic() - self._counted < _RECOUNT_S:
                return
            self._counted = time.monotonic()
            found: list[tuple[float, int, str]] = []
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    status = entry.stat(follow_symlinks=False)
                    if entry.name.endswith(".npz"):
                        found.append((status.st_mtime, status.st_size + _FILE_BYTES, entry.path))
                    elif entry.name.endswith(".part") and time.time() - status.st_mtime > _STALE_S:
                        Path(entry.path).unlink(missing_ok=True)
            self._n_bytes = sum(size for _, size, _ in found)
            if self._n_bytes > self.max_bytes:
                for _, size, path in sorted(found):
                    if self._n_bytes <= _CUT_BACK * self.max_bytes:
                        break
                    Path(path).unlink(missing_ok=True)
                    self._n_bytes -= size


class _NotStoredError(Exception):
    """A key or a result that has no place in a file."""


# --- keys -------------------------------------------------------------------------------------------------------------


@functools.cache
def _version() -> str:
    """Return a hash of the code that computes, and of the machine, whose seconds are part of some results."""
    found = hashlib.blake2b(digest_size=16)
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    packages = [f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "scipy", "scikit-learn")]
    machine = [platform.python_version(), platform.machine(), platform.node(), str(os.cpu_count())]
    found.update("\n".join([__version__, *packages, *machine]).encode())
    return found.hexdigest()


def _key_text(key: Hashable) -> str:
    return json.dumps([_version(), _named(key)], ensure_ascii=False)


def _named(value: Any) -> Any:
    """Return a part of a key as JSON, the same in every process.

    Raises
    ------
    _NotStoredError
        If it belongs to an upload, or is of a type that is not known here.
    """
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, Dataset):
        return {"data": _fingerprint(value)}
    if isinstance(value, tuple):
        return [_named(item) for item in cast(tuple[Any, ...], value)]
    if isinstance(value, MapSpec):
        spec = cast(MapSpec[Any], value)
        return {"map": _name_of(spec.cls), "params": {name: _named(item) for name, item in spec.params.items()}}
    if isinstance(value, type) or callable(value):
        return {"name": _name_of(value)}
    if is_dataclass(value):
        if getattr(value, "owner", ""):
            raise _NotStoredError
        # Data are told apart by their contents, which no comparison of keys in memory looks at.
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        compared = {field.name for field in fields(value) if field.compare}
        told = {name: part for name, part in parts.items() if name in compared or isinstance(part, Dataset)}
        return {"class": _name_of(type(value)), **{name: _named(part) for name, part in told.items()}}
    raise _NotStoredError


def _name_of(value: Any) -> str:
    """Return the name of a class or function of a module, by which another process finds the same."""
    name = f"{value.__module__}:{value.__qualname__}" if hasattr(value, "__qualname__") else ""
    if not name or _found(name) is not value:
        raise _NotStoredError
    return name


def _found(name: str) -> Any:
    """Return the object of a name in a module that is loaded, or None if there is none."""
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    return found


_fingerprints: weakref.WeakKeyDictionary[Dataset, str] = weakref.WeakKeyDictionary()


def _fingerprint(dataset: Dataset) -> str:
    """Return a hash of a data set's contents, computed once."""
    known = _fingerprints.get(dataset)
    if known is not None:
        return known
    found = hashlib.blake2b(digest_size=20)
    for field in fields(dataset):
        value = None if field.name == "origin" else getattr(dataset, field.name)
        if isinstance(value, np.ndarray):
            if value.dtype.hasobject:
                raise _NotStoredError
            found.update(f"{value.dtype.str} {value.shape}".encode())
            found.update(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)
        else:
            found.update(repr(value).encode())
    _fingerprints[dataset] = found.hexdigest()
    return found.hexdigest()


# --- results ----------------------------------------------------------------------------------------------------------


def _packed(value: Any, arrays: list[np.ndarray]) -> Any:
    """Return a result as JSON that refers to `arrays`, to which its arrays are added.

    Types are compared exactly, so that a result has the same types when it is read.

    Raises
    ------
    _NotStoredError
        If part of it is anything but numbers, text, arrays, containers, and dataclasses of rfviz.
    """
    kind: Any = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is np.ndarray or isinstance(value, np.generic):
        array = np.asarray(value)
        if array.dtype.hasobject:
            raise _NotStoredError
        arrays.append(array)
        return {"array" if kind is np.ndarray else "number": len(arrays) - 1}
    if kind in (tuple, list):
        return {kind.__name__: [_packed(item, arrays) for item in value]}
    if kind is dict:
        return {"dict": [[_packed(item, arrays) for item in pair] for pair in value.items()]}
    if isinstance(value, type):
        return {"type": _name_of(value)}
    if _is_ours(kind) and not getattr(value, "is_transient", False):
        held = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
        return {"class": _name_of(kind), "fields": {name: _packed(item, arrays) for name, item in held.items()}}
    raise _NotStoredError


def _unpacked(value: Any, arrays: Sequence[np.ndarray]) -> Any:
    """Return the result that :func:`_packed` has described."""
    if not isinstance(value, dict):
        return value
    match cast(dict[str, Any], value):
        case {"array": int(number)}:
            return arrays[number]
        case {"number": int(number)}:
            return arrays[number][()]
        case {"tuple": [*items]}:
            return tuple(_unpacked(item, arrays) for item in items)
        case {"list": [*items]}:
            return [_unpacked(item, arrays) for item in items]
        case {"dict": [*pairs]}:
            return {_unpacked(key, arrays): _unpacked(item, arrays) for key, item in pairs}
        case {"type": str(name)}:
            return _class(name, lambda kind: _is_rfviz(kind) or issubclass(kind, Warning))
        case {"class": str(name), "fields": dict(held)}:
            held = cast(dict[str, Any], held)
            return _class(name, _is_ours)(**{part: _unpacked(item, arrays) for part, item in held.items()})
        case _:
            raise ValueError("it holds what no result is made of")


def _class(name: str, is_allowed: Callable[[type], bool]) -> type:
    """Return a class that is loaded and allowed."""
    found = _found(name)
    if isinstance(found, type) and is_allowed(found):
        return found
    raise ValueError(f"it names {name}")


def _is_rfviz(kind: type) -> bool:
    return kind.__module__.startswith("rfviz.")


def _is_ours(kind: type) -> bool:
    return is_dataclass(kind) and _is_rfviz(kind)


def _read(path: Path, text: str) -> tuple[Any, Messages]:
    with np.load(path, allow_pickle=False) as held:
        if sum(member.file_size for member in held.zip.infolist()) > path.stat().st_size:
            raise ValueError("its members are compressed")
        arrays = [held[f"array{number}"] for number in range(len(held.files) - 1)]
        body = json.loads(held[_TEXT].tobytes())
    if body["key"] != text:
        raise ValueError("it is the result of something else")
    return _unpacked(body["result"], arrays), _unpacked(body["warnings"], arrays)
