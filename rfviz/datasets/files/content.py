"""Files as bytes in memory or at a path: of which format they are, and archives checked before anything is expanded.

Nothing here writes a file or uses a name from an archive as a path.
"""

from __future__ import annotations

import gzip
import hashlib
import io
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

__all__ = ["MAX_BYTES", "File", "format_of", "open_archive", "reading", "unpacked"]

#: Bytes of an upload at most; files of the data folder may have more.
MAX_BYTES = 200 * 1024**2
_FORMATS = {
    ".csv": "text",
    ".tsv": "text",
    ".txt": "text",
    ".data": "text",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".npz": "npz",
    ".zip": "zip",
}
_TITLES = {
    "text": "text", "json": "text", "parquet": "a Parquet file", "arrow": "an Arrow file",
    "sqlite": "an SQLite database", "excel": "an Excel workbook", "npz": "an .npz file", "zip": "a ZIP archive",
}  # fmt: skip
# Which formats begin so, besides text; the first is meant where the name says nothing else.
_MARKS = {
    b"PK\x03\x04": ("zip", "npz", "excel"),
    b"PK\x05\x06": ("zip", "npz", "excel"),
    b"PAR1": ("parquet",),
    b"ARROW1": ("arrow",),
    b"SQLite format 3\0": ("sqlite",),
}
# Formats that people try, by their first bytes; none of them is read.
_FOREIGN = (
    (b"\x93NUMPY", "a single NumPy array. Save it as np.savez_compressed(path, X=X, y=y)"),
    (b"\x1f\x8b", "compressed with gzip. Unpack it first, or name it .csv.gz"),
    (b"7z\xbc\xaf", "a 7z archive. Make a ZIP archive instead"),
    (b"Rar!", "a RAR archive. Make a ZIP archive instead"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook, or one with a password. Save it as .xlsx without a password"),
    (b"\x89HDF", "an HDF5 file. Save the arrays with np.savez_compressed"),
    (b"FEA1", "a Feather file of the first version. Save it again, or as Parquet"),
    (b"%PDF", "a PDF document. Save the table as CSV"),
    (b"\x89PNG", "one image. Put all images into a ZIP archive"),
    (b"\xff\xd8\xff", "one image. Put all images into a ZIP archive"),
    (b"\x80\x04\x95", "a Python pickle, which can run any code and is never read. Save the data as CSV or .npz"),
    (b"\x80\x05\x95", "a Python pickle, which can run any code and is never read. Save the data as CSV or .npz"),
)
# To list the entries of a larger archive alone would take gigabytes.
_MAX_MEMBERS, _MAX_DIRECTORY_BYTES = 50_000, 20_000_000
# PNG and JPEG hardly shrink. Arrays of zeros shrink a thousandfold; the memory limit alone bounds them.
_MAX_RATIO, _SMALL_BYTES = 100, 100_000
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


def format_of(file: File) -> str:
    """Return ``"text"``, ``"parquet"``, ``"excel"`` and so on, on which the first bytes and the name must agree.

    Raises
    ------
    DataError
        If the file is empty, its format is not supported, or its bytes are of another format than its name.
    """
    with reading(file, "a file of data", "Choose another one"):
        start = file.head(16)
    if not start:
        raise DataError(f"{file.name} is empty: it has 0 bytes. Choose a file that holds data.")
    if file.suffix in (".xls", ".xlsb", ".ods"):
        raise DataError(f"{file.name} is a workbook of a kind that is not read. Save it as .xlsx, or as 'CSV UTF-8'.")
    for mark, advice in _FOREIGN:
        if start.startswith(mark):
            raise DataError(f"{file.name} is {advice}.")
    named = _FORMATS.get(file.suffix)
    if named is None:
        raise DataError(
            f"{file.name} cannot be read: its name ends in none of {', '.join(_FORMATS)} and .csv.gz. Save a table as "
            "CSV or Parquet, arrays as .npz, and images in a ZIP archive."
        )
    fitting = next((formats for mark, formats in _MARKS.items() if start.startswith(mark)), ("text", "json"))
    if named not in fitting:
        raise DataError(
            f"{file.name} is named like {_TITLES[named]}, but its bytes are those of {_TITLES[fitting[0]]}. "
            "Rename it, or save it again in the format of its name."
        )
    return named


def unpacked(file: File) -> File:
    """Return the file that a file named ``.csv.gz`` holds, or the file itself.

    Raises
    ------
    DataError
        If it is damaged, or holds more than :data:`MAX_BYTES`.
    """
    if file.suffix != ".gz" or not file.head(2).startswith(b"\x1f\x8b"):
        return file
    inner = file.name[: -len(".gz")]
    if PurePosixPath(inner).suffix.lower() not in (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson"):
        raise DataError(
            f"{file.name} is compressed with gzip, as only tables in text (.csv.gz) may be. Unpack it first."
        )
    with reading(file, "compressed with gzip", "Compress it again"), file.open() as packed, gzip.open(packed) as stream:
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise DataError(
            f"{file.name} expands to more than {memory.size_text(MAX_BYTES)}, and a file may have at most that. "
            "Save fewer rows."
        )
    return File(inner, content)


@contextmanager
def open_archive(file: File, images: bool, workbook: bool = False) -> Generator[zipfile.ZipFile, None, None]:
    """Open a ZIP archive after checking its table of contents.

    Parameters
    ----------
    file : File
    images : bool
        Whether it holds images: then no member may have shrunk a hundredfold, as no photograph does, and all of them,
        expanded, must fit into the memory limit.
    workbook : bool
        Whether it holds a workbook.

    Raises
    ------
    DataError
        If it is damaged, or has too many members, or one that is encrypted, a link, an archive itself, named like a
        path out of the archive, or expands too far.
    MemoryBudgetError
        If the images, expanded, are above the memory limit.
    """
    what, remedy = ("an .npz file", _SAVE_AGAIN)
    if images:
        what, remedy = "a ZIP archive", "Copy it again, or make the archive again"
    elif workbook:
        what, remedy = "a workbook", "Save it again as .xlsx"
    with reading(file, what, remedy):
        _check_directory(file, remedy)
        with file.open() as stream, zipfile.ZipFile(stream) as archive:
            members = archive.infolist()
            if len(members) > _MAX_MEMBERS:
                raise DataError(_too_many(file, len(members)))
            for member in members:
                _check_member(file, member, images)
            if images:
                expanded = sum(member.file_size for member in members)
                memory.check(expanded, f"{file.name}, expanded,", "Put fewer or smaller files into it")
            yield archive


_SAVE_AGAIN = "Copy it again, or write it with numpy.savez_compressed"


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
    if n_members > _MAX_MEMBERS or size > _MAX_DIRECTORY_BYTES:
        raise DataError(_too_many(file, n_members))


def _too_many(file: File, n: int) -> str:
    return f"{file.name} lists {n:,} files, and at most {_MAX_MEMBERS:,} are read. Put fewer of them into the archive."


def _check_member(file: File, member: zipfile.ZipInfo, images: bool) -> None:
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
    elif images and member.file_size > max(_MAX_RATIO * member.compress_size, _SMALL_BYTES):
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
    file : File
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
    # (Pillow), KeyError, RecursionError. An exception by which a progress callback stops the work is no Exception.
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            why = f"could not be read: {error.strerror}. Check the file and its permissions."
        else:
            why = f"is damaged, or not {what} ({reason(error)}). {remedy}."
        raise DataError(f"{file.name} {why}") from None
