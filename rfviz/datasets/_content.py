"""A file that somebody handed over, as bytes in memory: what it is, by its first bytes, and archives looked at twice.

Nothing here writes a file or takes a name from an archive for a path.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rfviz.datasets import _limits
from rfviz.datasets._text import one_line, reason
from rfviz.errors import DataError, MemoryBudgetError

__all__ = ["KINDS", "MAX_BYTES", "Content", "archive", "kind_of", "opened", "worded"]

#: Bytes of a file that is taken at all; the laboratory's own limit of uploads is the same.
MAX_BYTES = 200 * 1024**2
KINDS = {
    ".csv": "text", ".tsv": "text", ".txt": "text", ".parquet": "parquet", ".pq": "parquet", ".npz": "npz",
    ".zip": "zip",
}  # fmt: skip
_NAMES = {"text": "text", "parquet": "a Parquet file", "npz": "an .npz file", "zip": "a ZIP archive"}
# What people try, by its first bytes; none of it is read.
_OTHERS = (
    (b"\x93NUMPY", "a single NumPy array. Save it as np.savez_compressed(path, X=X, y=y)"),
    (b"\x1f\x8b", "compressed with gzip. Unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive. Make a ZIP archive instead"),
    (b"Rar!", "a RAR archive. Make a ZIP archive instead"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook. Save the sheet as 'CSV UTF-8'"),
    (b"\x89HDF", "an HDF5 file. Save the arrays with np.savez_compressed"),
    (b"%PDF", "a PDF document. Save the table as CSV"),
    (b"\x89PNG", "one image. Put all images into a ZIP archive"),
    (b"\xff\xd8\xff", "one image. Put all images into a ZIP archive"),
    (b"\x80\x04\x95", "a Python pickle, which can run any code and is never read. Save the data as CSV or .npz"),
    (b"\x80\x05\x95", "a Python pickle, which can run any code and is never read. Save the data as CSV or .npz"),
)
# An archive of more entries than this is not looked into: to list them alone would take gigabytes.
_MOST_MEMBERS, _DIRECTORY_BYTES = 50_000, 20_000_000
# PNG and JPEG hardly shrink; arrays of zeros shrink a thousandfold and are bounded by the memory limit alone.
_MOST_RATIO, _SMALL = 100, 100_000
_NESTED = (".zip", ".npz", ".gz", ".7z", ".rar", ".tar", ".bz2", ".xz", ".jar", ".zst")


@dataclass(frozen=True, eq=False)
class Content:
    """A file in memory; it opens like a path where only ``open("rb")`` and ``name`` are asked for.

    Attributes
    ----------
    name : str
        As given, on one line of at most 80 characters, without folders.
    data : bytes
    """

    name: str
    data: bytes

    @classmethod
    def of(cls, name: str, data: bytes) -> Content:
        """The file under a name that can be shown.

        Raises
        ------
        DataError
            If it is empty or above :data:`MAX_BYTES`.
        """
        plain = one_line(str(name).replace("\\", "/").rsplit("/", 1)[-1], 200)
        stem, dot, suffix = plain.rpartition(".")
        # The end decides what it is, so it is the middle that is cut.
        shown = f"{one_line(stem, 60)}.{one_line(suffix, 12)}" if dot else one_line(plain, 72)
        content = cls(shown or "file", bytes(data))
        if not content.data:
            raise DataError(f"{content.name} is empty: it has 0 bytes. Choose a file that holds data.")
        if len(content.data) > MAX_BYTES:
            raise DataError(
                f"{content.name} has {_limits.size_text(len(content.data))}, and a file may have at most "
                f"{_limits.size_text(MAX_BYTES)}. Save fewer rows, or put it into the data folder (RFVIZ_DATA)."
            )
        return content

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.name).suffix.lower()

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem or "data"

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes, in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()

    def open(self) -> io.BytesIO:
        """A reader of the bytes, which are not copied."""
        return io.BytesIO(self.data)


def opened(source: Path | Content) -> Path | io.BytesIO:
    """What a reader of archives takes: the path, or the bytes of a file in memory."""
    return source.open() if isinstance(source, Content) else source


def kind_of(content: Content) -> str:
    """``"text"``, ``"parquet"``, ``"npz"`` or ``"zip"``, which the bytes and the name must both say.

    Raises
    ------
    DataError
        If the name ends in nothing that is read, or the bytes are of another kind.
    """
    if content.suffix in (".xlsx", ".xls", ".ods"):
        raise DataError(f"{content.name} is a workbook, which is not read. Save its sheet as 'CSV UTF-8'.")
    kind = KINDS.get(content.suffix)
    for start, what in _OTHERS:
        if content.data.startswith(start):
            raise DataError(f"{content.name} is {what}.")
    if kind is None:
        raise DataError(
            f"{content.name} cannot be read: the name must end in {', '.join(KINDS)}. Save a table as CSV or Parquet, "
            "arrays as .npz, and images in a ZIP archive."
        )
    found = _by_bytes(content)
    if found != kind and not (found == "zip" and kind == "npz"):
        raise DataError(
            f"{content.name} is named like {_NAMES[kind]}, but its bytes are those of {_NAMES[found]}. "
            "Rename it, or save it again in the format of its name."
        )
    return kind


def _by_bytes(content: Content) -> str:
    if content.data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return "zip"
    return "parquet" if content.data[:4] == b"PAR1" else "text"


@contextmanager
def archive(content: Content, most_ratio: bool = True) -> Iterator[zipfile.ZipFile]:
    """The ZIP archive in `content`, opened after its table of contents was found harmless.

    Parameters
    ----------
    content : Content
    most_ratio : bool
        Whether to refuse members that shrank a hundredfold, as no photograph does.

    Raises
    ------
    DataError
        If it is damaged, or has too many members, or one that is encrypted, a link, an archive itself, named like a
        path out of the archive, or expands too far: which, and what to do.
    MemoryBudgetError
        If all of it, expanded, is above the memory limit.
    """
    with worded(content, "a ZIP archive", "Make the archive again"):
        _check_directory(content)
        with zipfile.ZipFile(content.open()) as opened:
            members = opened.infolist()
            if len(members) > _MOST_MEMBERS:
                raise DataError(_too_many(content, len(members)))
            for member in members:
                _check_member(content, member, most_ratio)
            expanded = sum(member.file_size for member in members)
            _limits.check(expanded, f"{content.name}, expanded,", "Put fewer or smaller files into it")
            yield opened


def _check_directory(content: Content) -> None:
    """Refuse a table of contents that would not fit, before Python builds an object for each entry."""
    start = content.data.rfind(b"PK\x05\x06", max(len(content.data) - 65_557, 0))
    if start < 0 or start + 22 > len(content.data):
        raise DataError(f"{content.name} is damaged or cut short: a ZIP archive must have its table of contents at the "
                        "end. Copy it again, or make the archive again.")  # fmt: skip
    n_members, size = struct.unpack_from("<HI", content.data, start + 10)
    wide = content.data.rfind(b"PK\x06\x06", max(start - 200, 0), start)
    if 0 <= wide <= len(content.data) - 56:
        n_members, size = struct.unpack_from("<QQ", content.data, wide + 32)
    if n_members > _MOST_MEMBERS or size > _DIRECTORY_BYTES:
        raise DataError(_too_many(content, n_members))


def _too_many(content: Content, n: int) -> str:
    return (
        f"{content.name} lists {n:,} files, and at most {_MOST_MEMBERS:,} are read. Put fewer of them into the archive."
    )


def _check_member(content: Content, member: zipfile.ZipInfo, most_ratio: bool) -> None:
    name = one_line(member.filename, 60)
    parts = member.filename.replace("\\", "/").split("/")
    wrong = ""
    if member.filename.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]:
        wrong = "is named like a path out of the archive"
    elif member.flag_bits & 0x1:
        wrong = "is encrypted"
    elif member.create_system == 3 and (member.external_attr >> 16) & 0o170000 == 0o120000:
        wrong = "is a link to another file"
    elif parts[-1].lower().endswith(_NESTED):
        wrong = "is an archive itself"
    elif most_ratio and member.file_size > max(_MOST_RATIO * member.compress_size, _SMALL):
        ratio = member.file_size / max(member.compress_size, 1)
        wrong = f"expands {ratio:,.0f}-fold, and at most {_MOST_RATIO}-fold is allowed"
    if wrong:
        raise DataError(
            f"{content.name} is refused: its member {name!r} {wrong}. Make the archive again from plain files, "
            "without a password."
        )


@contextmanager
def worded(content: Content, what: str, remedy: str) -> Iterator[None]:
    """Turn whatever a damaged file provokes in a reader into one sentence."""
    try:
        yield
    except (DataError, MemoryBudgetError):
        raise
    except MemoryError:
        raise MemoryBudgetError(f"{content.name} does not fit into the computer's memory. Save fewer rows.") from None
    # Readers of other libraries fail in many ways on altered bytes: zlib.error, struct.error, ArrowInvalid, SyntaxError
    # (Pillow), KeyError, RecursionError. Whatever a callback of ours raises to stop is no Exception.
    except Exception as error:
        raise DataError(f"{content.name} is damaged, or not {what} ({reason(error)}). {remedy}.") from None
