"""Rows of a Zarr store of unknown origin: its metadata are checked before anything is decoded, and no pickle is read.

Metadata name the codecs that decode the chunks. One of them, ``pickle``, runs any code that a chunk holds, and others
can be installed: only those of a list are used. The metadata that were checked are those that Zarr gets; it reads none
itself.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rfviz.datasets import memory
from rfviz.datasets.files.content import File, reading
from rfviz.datasets.wording import one_line
from rfviz.errors import DataError

__all__ = ["SUFFIX", "ZarrRows", "is_store", "zarr_rows"]

#: Ending of the name of a folder that is a store.
SUFFIX = ".zarr"
_METADATA = ("zarr.json", ".zarray")  # of an array, of formats 3 and 2
_MOST_METADATA_BYTES = 1_000_000
# Compression, order and check sums; by their names without "numcodecs.", which some have in format 3.
_CODECS = frozenset((
    "blosc", "bz2", "gzip", "lz4", "lzma", "zlib", "zstd", "shuffle", "bytes", "endian", "transpose",
    "sharding_indexed", "adler32", "crc32", "crc32c", "fletcher32",
))  # fmt: skip
_TYPES = "biufUS"
_TEXTS = ("fixed_length_utf32", "null_terminated_bytes")  # of format 3; its numbers have the names of NumPy
# Cells that are decoded at a time, in whole chunks; rows of which there must be room for at least so many.
_BAND_CELLS, _FEWEST = 4_000_000, 1000
_CHECK_SUMS = 64  # bytes that filters may add to a chunk


def is_store(path: Path) -> bool:
    """Return whether a folder is named as a Zarr store."""
    return path.suffix.lower() == SUFFIX and path.is_dir()


class ZarrRows:
    """An array of a Zarr store, of which rows are read as from a memory map.

    The last chunks that were decoded are held: a chunk may have more rows than a block.

    Parameters
    ----------
    array : zarr.Array
    path : Path
        Where it lies.
    is_blosc : bool
        Whether Blosc has compressed its chunks.

    Attributes
    ----------
    note : str
        Says how many chunks are not stored, whose cells have a fill value; may be empty.
    """

    def __init__(self, array: Any, path: Path, is_blosc: bool) -> None:
        self._array, self._path, self._is_blosc = array, path, is_blosc
        self._file = file = _file(path)
        self.shape, self.dtype = tuple(array.shape), array.dtype.newbyteorder("=")
        chunk_rows = array.chunks[0]
        wanted = _BAND_CELLS // max(self.shape[1] if self.ndim > 1 else 1, 1)
        self._step = chunk_rows * max(wanted // chunk_rows, 1)
        self._start, self._held = 0, np.empty((0, *self.shape[1:]), self.dtype)
        self.note = ""
        chunks = math.prod(-(-n // chunk) for n, chunk in zip(self.shape, array.shards or array.chunks, strict=True))
        stored = _n_stored(path)
        if chunks and not stored:
            raise DataError(f"{file.name} holds no chunk of its {len(self):,} rows. Copy or write the store again.")
        if stored < chunks:
            fill = one_line(array.fill_value, 20)
            self.note = f"{chunks - stored:,} of {chunks:,} chunks of {file.name} are not stored, and read as {fill!r}"

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def __getitem__(self, rows: slice) -> np.ndarray:
        start, stop, _ = rows.indices(len(self))
        taken = []
        while start < stop:
            if not self._start <= start < self._start + len(self._held):
                self._start = start - start % self._step
                with reading(self._file, "a Zarr array", "Copy or write the store again"):
                    self._check_chunks(self._start, min(self._start + self._step, len(self)))
                    held = self._array[self._start : self._start + self._step]
                self._held = np.asarray(held, dtype=self.dtype)
            taken.append(self._held[start - self._start : stop - self._start])
            start += len(taken[-1])
        return taken[0] if len(taken) == 1 else np.concatenate([self._held[:0], *taken])

    def _check_chunks(self, start: int, stop: int) -> None:
        """Refuse chunks of Blosc that are cut short: it reads beyond their end, and gives what it finds there."""
        if not self._is_blosc:
            return
        sizes = [(start, stop), *((0, n) for n in self.shape[1:])]
        chunks = self._array.chunks
        places = [range(low // n, -(-high // n)) for (low, high), n in zip(sizes, chunks, strict=True)]
        most = math.prod(chunks) * self.dtype.itemsize + _CHECK_SUMS
        for place in itertools.product(*places):
            chunk = File.at(self._path / self._array.metadata.encode_chunk_key(place))
            try:
                head = chunk.head(16)
            except FileNotFoundError:
                continue
            n_unpacked, n_packed = (int.from_bytes(head[at : at + 4], "little") for at in (4, 12))
            if n_packed != chunk.n_bytes or n_unpacked > most:
                raise DataError(
                    f"{self._file.name} is cut short or altered in its chunk {chunk.name}. "
                    "Copy or write the store again."
                )


def zarr_rows(path: Path) -> ZarrRows:
    """Return the rows of an array of a Zarr store.

    Parameters
    ----------
    path : Path
        The array within its store.

    Raises
    ------
    DataError
        If there is no such array, it is damaged, uses a codec that is not known to be safe, or holds anything but
        numbers, booleans and fixed-length text; or Zarr is not installed.
    MemoryBudgetError
        If the chunks of some rows would not fit into the memory limit.
    """
    file = _file(path)
    with reading(file, "a Zarr array", "Write the store again"):
        metadata = _metadata(path, file)
        is_blosc = _check_codecs(metadata, file)
        _check_type(metadata, file)
        array = _opened(path, metadata, file)
        if not array.ndim:
            raise DataError(f"{file.name} is a single value. Write an array with one row per sample.")
        _check_size(array, file)
        return ZarrRows(array, path, is_blosc)


def _file(path: Path) -> File:
    """Return an array as a file that is named with its store."""
    return File(f"{path.parent.name}/{path.name}", path)


def _metadata(path: Path, file: File) -> dict[str, Any]:
    """Read the metadata of an array."""
    found = next((path / name for name in _METADATA if (path / name).is_file()), None)
    if found is None:
        raise DataError(
            f"{path.parent.name} has no array {one_line(path.name, 40)!r}. Write a Zarr group with X, rows of numbers, "
            "and perhaps y, their labels."
        )
    if found.stat().st_size > _MOST_METADATA_BYTES:
        raise DataError(
            f"{file.name} has more than {memory.size_text(_MOST_METADATA_BYTES)} of metadata. Leave attributes out."
        )
    metadata = json.loads(found.read_text(encoding="utf-8"))
    is_array = isinstance(metadata, dict) and (
        metadata.get("zarr_format") == 2
        if found.name == _METADATA[1]
        else metadata.get("zarr_format") == 3 and metadata.get("node_type") == "array"
    )
    if not is_array:
        raise DataError(f"{file.name}/{found.name} does not describe a Zarr array of format 2 or 3. Write it again.")
    return metadata


def _check_codecs(metadata: dict[str, Any], file: File) -> bool:
    """Refuse codecs that are not in the list, and return whether Blosc was the last when chunks were written."""
    names = [name.removeprefix("numcodecs.") for name in _codecs(metadata)]
    is_blosc = names[-1:] == ["blosc"] and "sharding_indexed" not in names
    for name in names:
        if name not in _CODECS or (name == "blosc" and (not is_blosc or names.count(name) > 1)):
            why = ", which can run any code" if name == "pickle" else ""
            why = " within other codecs, where it cannot be checked" if name == "blosc" else why
            raise DataError(
                f"{file.name} is written with {one_line(name, 40)!r}{why}. Write numbers with a usual compression, "
                "such as zstd, and no filters."
            )
    return is_blosc


def _codecs(metadata: dict[str, Any]) -> Iterator[str]:
    """Yield the names of all codecs of an array, also of those within others."""
    found = [*(metadata.get("filters") or []), metadata.get("compressor")]  # of format 2
    for codec in (*found, *metadata.get("codecs", []), *metadata.get("index_codecs", [])):
        if isinstance(codec, dict):
            yield str(codec.get("id", codec.get("name")))
            yield from _codecs(codec.get("configuration") or {})
        elif codec is not None:
            yield str(codec)


def _check_type(metadata: dict[str, Any], file: File) -> None:
    """Refuse types but numbers, booleans and fixed-length text."""
    given = metadata.get("dtype", metadata.get("data_type"))
    name = given.get("name") if isinstance(given, dict) else given
    try:
        is_known = isinstance(name, str) and (name in _TEXTS or np.dtype(name).kind in _TYPES)
    except TypeError:
        is_known = False
    if not is_known:
        raise DataError(
            f"{file.name} has the type {one_line(name, 40)}. Write real numbers, booleans or fixed-length text "
            "(.astype(str))."
        )


def _opened(path: Path, metadata: dict[str, Any], file: File) -> Any:
    """Return the array of Zarr with these metadata."""
    try:
        from zarr import Array
        from zarr.storage import LocalStore, StorePath
    except ImportError:
        raise DataError(f"{file.name} needs the package zarr, version 3, to be read: pip install 'zarr>=3'.") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that text of fixed length is not yet in the specification of format 3
        return Array.from_dict(StorePath(LocalStore(path, read_only=True)), metadata)


def _n_stored(path: Path) -> int:
    """Return how many chunks of an array are stored; those of fill values alone need not be."""
    return sum(name[0] != "." and name != _METADATA[0] for *_, names in os.walk(path) for name in names)


def _check_size(array: Any, file: File) -> None:
    """Refuse chunks that do not fit: all those of some rows are decoded at a time."""
    rows, row_bytes = array.chunks[0], array.dtype.itemsize
    for length, chunk in zip(array.shape[1:], array.chunks[1:], strict=True):
        row_bytes *= -(-length // chunk) * chunk
    needed = 2 * max(rows, min(_FEWEST, array.shape[0])) * row_bytes
    memory.check(needed, f"{file.name}, in chunks of {rows:,} rows,", "Write smaller chunks")
