"""Tables in a ZIP or tar archive, which is never unpacked: one of them is read, in memory, under its own name."""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import IO

from rfviz.datasets import memory
from rfviz.datasets.files.content import IMAGES, MAX_BYTES, MAX_MEMBERS, File, open_archive, reading
from rfviz.datasets.wording import counted, one_line
from rfviz.errors import DataError

__all__ = ["is_litter", "member_of", "tables_in", "zip_names"]

_LITTER = ("thumbs.db", "desktop.ini")
_ABOUT = ("readme", "licence", "license")
_REMEDY = "Copy it again, or make the archive again"
# Fewer images than these make no data set.
_FEWEST_IMAGES = 3


def is_litter(name: str) -> bool:
    """Return whether a member of an archive is what a system adds to a folder."""
    parts = name.replace("\\", "/").split("/")
    return "__MACOSX" in parts or parts[-1].startswith(".") or parts[-1].lower() in _LITTER


def zip_names(file: File) -> tuple[str, ...]:
    """Return the names of all members of a ZIP archive; empty if it is damaged or refused."""
    try:
        with open_archive(file, "a ZIP archive", _REMEDY) as archive:
            return tuple(archive.namelist())
    except DataError:
        return ()


def tables_in(file: File, suffixes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the tables in an archive, the largest first; empty if it holds images.

    A few images among as many tables or more are pictures of these, not data.

    Parameters
    ----------
    suffixes : tuple of str
        Of the names of tables.

    Raises
    ------
    DataError
        If the archive is damaged or refused, or a tar archive holds no table.
    """
    with _opened(file) as (sizes, _):
        names = [name for name in sizes if not is_litter(name)]
    tables = [name for name in names if PurePosixPath(name.lower()).suffix in suffixes]
    tables = [name for name in tables if not PurePosixPath(name.lower()).name.startswith(_ABOUT)]
    n_images = sum(name.lower().endswith(IMAGES) for name in names)
    if n_images >= max(len(tables), _FEWEST_IMAGES) and _is_zip(file):
        return ()
    if not tables and not _is_zip(file):
        held = f"it holds {one_line(', '.join(names[:3]), 80)}" if names else "it is empty"
        raise DataError(f"{file.name} holds no table ({held}). Put a table into it, or images into a ZIP archive.")
    return tuple(sorted(tables, key=lambda name: -sizes[name]))


def member_of(file: File, name: str) -> tuple[File, tuple[str, ...]]:
    """Return one member of an archive as a file, and a note on it.

    Raises
    ------
    DataError
        If it is damaged, or holds more than :data:`MAX_BYTES`.
    """
    with _opened(file) as (sizes, opened), opened(name) as stream:
        memory.check(min(sizes[name], MAX_BYTES), f"{file.name}, expanded,", "Put a smaller file into it")
        content = stream.read(MAX_BYTES + 1)
        n_others = sum(not is_litter(other) for other in sizes) - 1
    shown = one_line(name, 60)
    if len(content) > MAX_BYTES:
        raise DataError(
            f"{file.name}: its file {shown!r} expands to more than {memory.size_text(MAX_BYTES)}, and a file may have "
            "at most that. Save fewer rows."
        )
    others = f"; {counted(n_others, 'other file')} skipped" if n_others else ""
    return File(one_line(PurePosixPath(name).name, 72), content), (f"Of the archive, “{shown}” is read{others}.",)


@contextmanager
def _opened(file: File) -> Generator[tuple[dict[str, int], Callable[[str], IO[bytes]]], None, None]:
    """Give the sizes of the members of an archive by name, and how one of them is opened."""
    if _is_zip(file):
        with open_archive(file, "a ZIP archive", _REMEDY) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            yield {member.filename: member.file_size for member in members}, archive.open
        return
    with reading(file, "a tar archive", _REMEDY), file.open() as stream, tarfile.open(fileobj=stream, mode="r:") as tar:
        found = _tar_members(file, tar)
        yield {name: member.size for name, member in found.items()}, lambda name: _file_in(tar, found[name])


def _tar_members(file: File, tar: tarfile.TarFile) -> dict[str, tarfile.TarInfo]:
    """Return the plain files in a tar archive, in which each member must lie behind the last one."""
    found: dict[str, tarfile.TarInfo] = {}
    last = -1
    for _ in range(MAX_MEMBERS):
        member = tar.next()
        if member is None:
            return found
        if member.offset <= last or member.size < 0:
            raise DataError(f"{file.name} is damaged: its files overlap. {_REMEDY}.")
        last = member.offset
        # Sparse ones announce zeros that the archive does not hold.
        if member.isreg() and not member.issparse():
            found[member.name] = member
    raise DataError(f"{file.name} holds {MAX_MEMBERS:,} files or more. Put fewer of them into the archive.")


def _file_in(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    stream = tar.extractfile(member)
    assert stream is not None  # of a plain file
    return stream


def _is_zip(file: File) -> bool:
    return file.head(2) == b"PK"
