"""Files as bytes in memory or at a path, and the checks before anything in them is expanded.

Nothing here writes a file or uses a name from an archive as a path.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import struct
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from rfviz.datasets import memory
from rfviz.datasets.wording import one_line, reason
from rfviz.errors import DataError, MemoryBudgetError

__all__ = [
    "IMAGES",
    "MAX_BYTES",
    "MAX_COLUMNS",
    "MAX_MEMBERS",
    "File",
    "bytes_of_table",
    "check_columns",
    "check_table",
    "open_archive",
    "reading",
    "unpacked",
]

#: Bytes of an upload at most; files of the data folder may have more.
MAX_BYTES = 200 * 1024**2
#: Columns of an upload at most; files of the data folder may have more.
MAX_COLUMNS = 20_000
#: Files of an archive at most: to list the entries of a larger one alone would take gigabytes.
MAX_MEMBERS, _MAX_DIRECTORY_BYTES = 50_000, 20_000_000
# PNG and JPEG hardly shrink. Arrays of zeros shrink a thousandfold; the memory limit alone bounds them.
_MAX_RATIO, _SMALL_BYTES = 100, 100_000
#: Endings of the names of images.
IMAGES = (".png", ".jpg", ".jpeg")
# Endings of the names of compressed files, with the bytes with which such files begin.
_COMPRESSED = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\0"}
_TITLES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz"}
# Its highest standard setting takes 65 MB.
_XZ_BYTES = 100_000_000
_ARCHIVES = (".zip", ".npz", ".gz", ".7z", ".rar", ".tar", ".bz2", ".xz", ".jar", ".zst")


@dataclass(frozen=True, eq=False)
class File:
    """A file in memory or at a path.

    Attributes
    ----------
    name : str
        On one line, without folders.
    content : bytes or Path
    """

    name: str
    content: bytes | Path

    @classmethod
    def at(cls, path: Path) -> File:
        """Return the file at a path."""
        return cls(path.name, path)

    @classmethod
    def uploaded(cls, name: str, data: bytes) -> File:
        """Return an upload under a name of at most 80 characters that can be shown.

        Raises
        ------
        DataError
            If it is above :data:`MAX_BYTES`.
        """
        plain = one_line(str(name).replace("\\", "/").rsplit("/", 1)[-1], 4000)
        stem, dot, suffix = plain.rpartition(".")
        # The suffix decides on the format, so the cut is made before it.
        shown = f"{one_line(stem, 60)}.{one_line(suffix, 12)}" if dot else one_line(plain, 72)
        file = cls(shown or "file", bytes(data))
        if file.n_bytes > MAX_BYTES:
            raise DataError(
                f"{file.name} has {memory.size_text(file.n_bytes)}, and a file may have at most "
                f"{memory.size_text(MAX_BYTES)}. Save fewer rows, or put it into the data folder (RFVIZ_DATA)."
            )
        return file

    @property
    def is_upload(self) -> bool:
        return isinstance(self.content, bytes)

    @property
    def suffix(self) -> str:
        path = PurePosixPath(self.name)
        return (path.suffix or path.name).lower()  # ".csv" is a suffix without a stem

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem or "data"

    @property
    def n_bytes(self) -> int:
        return len(self.content) if isinstance(self.content, bytes) else self.content.stat().st_size

    @property
    def digest(self) -> str:
        """Return the SHA-256 of an upload in hexadecimal; empty for a path, which may hold gigabytes."""
        return hashlib.sha256(self.content).hexdigest() if isinstance(self.content, bytes) else ""

    def open(self) -> BinaryIO:
        """Open the file for reading; bytes in memory are not copied."""
        return io.BytesIO(self.content) if isinstance(self.content, bytes) else self.content.open("rb")

    def head(self, n_bytes: int) -> bytes:
        """Return the first bytes."""
        with self.open() as stream:
            return stream.read(n_bytes)

    def tail(self, n_bytes: int) -> bytes:
        """Return the last bytes."""
        with self.open() as stream:
            stream.seek(max(self.n_bytes - n_bytes, 0))
            return stream.read(n_bytes)

    def blocks(self, n_bytes: int | None = None) -> Iterator[bytes]:
        """Yield the bytes, or about the first `n_bytes`, in pieces of a megabyte."""
        n_read = 0
        with self.open() as stream:
            while (n_bytes is None or n_read < n_bytes) and (block := stream.read(1 << 20)):
                n_read += len(block)
                yield block


def check_columns(file: File, n_columns: int) -> None:
    """Refuse an upload of too many columns.

    Raises
    ------
    DataError
        If it has more than :data:`MAX_COLUMNS`.
    """
    if file.is_upload and n_columns > MAX_COLUMNS:
        raise DataError(
            f"{file.name} has {n_columns:,} columns, and at most {MAX_COLUMNS:,} are read. Leave some out, or save "
            "the numbers as X of an .npz file."
        )


def check_table(file: File, n_rows: int, n_columns: int, n_bytes: int, what: str = "rows") -> None:
    """Refuse a table of too many columns, or one that would not fit into memory, before it is read.

    Parameters
    ----------
    n_bytes : int
        As :func:`bytes_of_table` gives them.
    what : str
        What `n_rows` counts.

    Raises
    ------
    DataError
        If an upload has more than :data:`MAX_COLUMNS` columns.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    check_columns(file, n_columns)
    memory.check(n_bytes, f"{file.name} ({n_rows:,} {what})", "Save fewer rows or columns")


def bytes_of_table(file: File, n_rows: int, n_columns: int, held: int) -> int:
    """Return the memory that a table takes while it is read, at least `held` bytes."""
    # A cell of a number: its text, a pointer to it and its value, twice. An upload may consist of short words, and each
    # of its columns is described. Words take more memory than their length.
    return max(n_rows * n_columns * (40 if file.is_upload else 20), held)


def unpacked(file: File) -> tuple[File, tuple[str, ...]]:
    """Return the file that a compressed one holds, or the file itself, and a note where its name does not say it.

    Raises
    ------
    DataError
        If it is damaged, or holds more than :data:`MAX_BYTES`.
    """
    start = file.head(6)
    how = next((suffix for suffix, mark in _COMPRESSED.items() if start.startswith(mark)), "")
    inner = file.name[: -len(file.suffix)] if file.suffix in _COMPRESSED else file.name
    inner = f"{inner[: -len('.tgz')]}.tar" if file.suffix == ".tgz" else inner
    if not how:
        note = "It is not compressed, although its name says so."
        return (file, ()) if file.suffix not in _COMPRESSED else (File(inner, file.content), (note,))
    with reading(file, f"compressed with {_TITLES[how]}", "Compress it again"), file.open() as packed:
        content = _expanded(packed, how)
    if len(content) > MAX_BYTES:
        raise DataError(
            f"{file.name} expands to more than {memory.size_text(MAX_BYTES)}, and a file may have at most that. "
            "Save fewer rows."
        )
    note = f"It is compressed with {_TITLES[how]}, which its name does not say."
    return File(inner, content), (note,) if inner == file.name else ()


def _expanded(packed: BinaryIO, how: str) -> bytes:
    """Return what compressed bytes hold, cut beyond :data:`MAX_BYTES`."""
    if how == ".gz":
        with gzip.open(packed) as stream:
            return stream.read(MAX_BYTES + 1)
    if how == ".bz2":
        with bz2.open(packed) as stream:
            return stream.read(MAX_BYTES + 1)
    # An altered file may announce that it needs gigabytes to be expanded, and lzma.open knows no limit.
    found, left = b"", packed.read()
    while left and len(found) <= MAX_BYTES:
        expanding = lzma.LZMADecompressor(memlimit=_XZ_BYTES)
        found += expanding.decompress(left, MAX_BYTES + 1 - len(found))
        if not expanding.eof and len(found) <= MAX_BYTES:
            raise EOFError("it is cut short")
        left = expanding.unused_data.lstrip(b"\0")
    return found


@contextmanager
def open_archive(file: File, what: str, remedy: str) -> Generator[zipfile.ZipFile, None, None]:
    """Open a ZIP archive, or a file that is one, after checking its table of contents.

    Parameters
    ----------
    what : str
        Its format, with an article.
    remedy : str
        What to do if it is damaged, a verb phrase.

    Raises
    ------
    DataError
        If it is damaged, or has too many members, or one that is encrypted, a link, an archive itself, named like a
        path out of the archive, or an image that has shrunk a hundredfold, as no photograph does.
    """
    with reading(file, what, remedy):
        _check_directory(file, remedy)
        with file.open() as stream, zipfile.ZipFile(stream) as archive:
            members = archive.infolist()
            if len(members) > MAX_MEMBERS:
                raise DataError(_too_many(file, len(members)))
            for member in members:
                _check_member(file, member)
            yield archive


def _check_directory(file: File, remedy: str) -> None:
    """Refuse a table of contents that is too large, before Python builds an object for each entry."""
    tail = file.tail(65_557)
    start = tail.rfind(b"PK\x05\x06")
    if start < 0 or start + 22 > len(tail):
        raise DataError(
            f"{file.name} is damaged or cut short: a ZIP archive must have its table of contents at the end. {remedy}."
        )
    n_members, size = struct.unpack_from("<HI", tail, start + 10)
    wide = tail.rfind(b"PK\x06\x06", max(start - 200, 0), start)
    if 0 <= wide <= len(tail) - 56:
        n_members, size = struct.unpack_from("<QQ", tail, wide + 32)
    if n_members > MAX_MEMBERS or size > _MAX_DIRECTORY_BYTES:
        raise DataError(_too_many(file, n_members))


def _too_many(file: File, n: int) -> str:
    return f"{file.name} lists {n:,} files, and at most {MAX_MEMBERS:,} are read. Put fewer of them into the archive."


def _check_member(file: File, member: zipfile.ZipInfo) -> None:
    parts = member.filename.replace("\\", "/").split("/")
    wrong = ""
    if member.filename.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]:
        wrong = "is named like a path out of the archive"
    elif member.flag_bits & 0x1:
        wrong = "is encrypted"
    elif member.create_system == 3 and (member.external_attr >> 16) & 0o170000 == 0o120000:
        wrong = "is a link to another file"
    elif parts[-1].lower().endswith(_ARCHIVES):
        wrong = "is an archive itself"
    elif parts[-1].lower().endswith(IMAGES) and member.file_size > max(_MAX_RATIO * member.compress_size, _SMALL_BYTES):
        ratio = member.file_size / max(member.compress_size, 1)
        wrong = f"expands {ratio:,.0f}-fold, and at most {_MAX_RATIO}-fold is allowed"
    if wrong:
        raise DataError(
            f"{file.name} is refused: its member {one_line(member.filename, 60)!r} {wrong}. Make the archive again "
            "from plain files, without a password."
        )


@contextmanager
def reading(file: File, what: str, remedy: str) -> Generator[None, None, None]:
    """Turn whatever a damaged file raises in a parser into one sentence.

    Parameters
    ----------
    what : str
        Its format, with an article.
    remedy : str
        A verb phrase.
    """
    try:
        yield
    except (DataError, MemoryBudgetError):
        raise
    except MemoryError:
        raise MemoryBudgetError(f"{file.name} does not fit into the computer's memory. Save fewer rows.") from None
    except FileNotFoundError:
        raise DataError(f"{file.name} was removed or renamed. Put it back, or choose another file.") from None
    # Parsers of other libraries fail in many ways on altered bytes: zlib.error, struct.error, ArrowInvalid, SyntaxError
    # (Pillow), KeyError, RecursionError. An exception by which a progress callback stops the work is not an Exception.
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            why = f"could not be read: {error.strerror}. Check the file and its permissions."
        else:
            why = f"is damaged, or not {what} ({reason(error)}). {remedy}."
        raise DataError(f"{file.name} {why}") from None
