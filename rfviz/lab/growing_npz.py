"""An NPZ file of arrays that grow by rows: how many there will be, only the end tells."""

from __future__ import annotations

import io
import shutil
import struct
import tempfile
import zipfile
import zlib
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np

__all__ = ["GrowingNpz"]

# Where the check sum lies in the header of a member of a ZIP archive.
_CHECK_SUM_AT = 14
_PIECE = 1 << 22


class _Part:
    """One array: where its numbers go, and how many rows there are."""

    def __init__(self, stream: Any, first: np.ndarray) -> None:
        self.stream, self.length = stream, 0
        self._dtype, self._shape = first.dtype, first.shape[1:]

    def append(self, rows: np.ndarray) -> None:
        self.stream.write(np.ascontiguousarray(rows, dtype=self._dtype).tobytes())
        self.length += len(rows)

    def header(self, length: int) -> bytes:
        """Return the header for so many rows, of the same length for any number: NumPy leaves room for it."""
        header = {
            "descr": np.lib.format.dtype_to_descr(self._dtype),
            "fortran_order": False,
            "shape": (length, *self._shape),
        }
        stream = io.BytesIO()
        np.lib.format.write_array_header_2_0(stream, header)
        return stream.getvalue()


class GrowingNpz:
    """Write arrays to an NPZ file as their rows come, which :func:`numpy.load` opens once the context ends.

    The rows of one array go to their place in the file at once; those of others, which should be small, wait in
    temporary files.

    Parameters
    ----------
    target : binary file
        Open for writing and reading.
    large : str
        The array whose rows do not wait.
    n_expected : int
        Its number of rows, if it is as expected: else the file is read once more at the end, for its check sum.
    folder : Path, optional
        Where temporary files lie, which have no name there; by default the others wait in memory.
    """

    def __init__(self, target: BinaryIO, large: str, n_expected: int, folder: Path | None = None) -> None:
        self._target, self._large, self._n_expected, self._folder = target, large, n_expected, folder
        self._parts: dict[str, _Part] = {}

    def __enter__(self) -> GrowingNpz:
        self._spools = ExitStack()
        self._archive = zipfile.ZipFile(self._target, "w", zipfile.ZIP_STORED, allowZip64=True)
        self._member = self._open(self._large)
        self._start = self._target.tell()
        return self

    def append(self, name: str, rows: np.ndarray) -> None:
        """Append rows to an array."""
        if name not in self._parts:
            self._parts[name] = part = _Part(self._stream(name), rows)
            if name == self._large:
                self._member.write(part.header(self._n_expected))
        self._parts[name].append(rows)

    def length(self, name: str) -> int:
        """Return the number of rows of an array."""
        return self._parts[name].length if name in self._parts else 0

    def leave_out(self, name: str) -> None:
        """Drop one of the arrays that wait."""
        del self._parts[name]

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        with self._spools:
            if kind is None:
                self._finish()
                return
            with suppress(OSError):
                self._member.close()
            with suppress(OSError):
                self._archive.close()

    def _open(self, name: str) -> Any:
        # Without the time of day: the same arrays are the same file.
        return self._archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True)

    def _stream(self, name: str) -> Any:
        if name == self._large:
            return self._member
        if self._folder is None:
            return io.BytesIO()
        return self._spools.enter_context(tempfile.TemporaryFile(dir=self._folder))

    def _finish(self) -> None:
        with self._archive:
            self._member.close()
            large = self._parts.pop(self._large)
            if large.length != self._n_expected:
                self._correct(large)
            for name, part in self._parts.items():
                part.stream.seek(0)
                with self._open(name) as member:
                    member.write(part.header(part.length))
                    shutil.copyfileobj(part.stream, member, _PIECE)

    def _correct(self, large: _Part) -> None:
        """Write the number of rows into the header, and the check sum of the array into that of the archive."""
        self._target.seek(self._start)
        self._target.write(large.header(large.length))
        info = self._archive.getinfo(f"{self._large}.npy")
        self._target.seek(self._start)
        left, info.CRC = info.file_size, 0
        while left:
            piece = self._target.read(min(left, _PIECE))
            left -= len(piece)
            info.CRC = zlib.crc32(piece, info.CRC)
        self._target.seek(info.header_offset + _CHECK_SUM_AT)
        self._target.write(struct.pack("<L", info.CRC))
