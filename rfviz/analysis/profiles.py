"""Profiles of tables: small files that another table is compared with later, without the rows of the first one."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rfviz.analysis.drift import DriftProfile
from rfviz.datasets.files.table import CATEGORY, NUMBER
from rfviz.datasets.wording import one_line
from rfviz.errors import DataError
from rfviz.progress import Progress, silent

if TYPE_CHECKING:
    from rfviz.datasets.files.upload import Upload

__all__ = ["TableProfile", "read_compared", "read_profile", "unpack_compared"]

_FORMAT = 1
_MARK, _ABOUT = "rfviz_profile", "about"
# Far above any profile, far below what could exhaust memory.
_MOST_BYTES, _MOST_EXPANDED = 8_000_000, 100_000_000
_AGAIN = "Make it again: rfviz profile FILE -o PROFILE.npz"


@dataclass(frozen=True, eq=False)
class TableProfile:
    """What a comparison needs of a table, and no row of it.

    Attributes
    ----------
    name : str
        Of the file of the profile; before there is one, as `of`.
    of : str
        The name of the table that it was made of.
    names : tuple of str
        The columns of numbers and of categories that it knows.
    words : dict of str to tuple of str
        Of columns of categories the words that count for themselves; all others count as one.
    drift : DriftProfile
        Of these columns.
    digest : str
        SHA-256 of the file's bytes; empty before there is one.
    """

    name: str
    of: str
    names: tuple[str, ...]
    words: dict[str, tuple[str, ...]]
    drift: DriftProfile
    digest: str = ""

    @property
    def n_rows(self) -> int:
        return self.drift.n_rows

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def kind(self, name: str) -> str:
        """Return the kind of a column."""
        return CATEGORY if name in self.words else NUMBER

    @property
    def joint(self) -> tuple[str, ...]:
        """The columns whose combination can be compared."""
        return tuple(name for name, is_in in zip(self.names, self.drift.is_joint, strict=True) if is_in)

    def only(self, names: Sequence[str]) -> TableProfile:
        """Return the profile of some columns; of their combination only if all it is made of are there."""
        drift = self.drift.only([self.names.index(name) for name in names])
        words = {name: self.words[name] for name in names if name in self.words}
        return replace(self, names=tuple(names), words=words, drift=drift)

    def to_bytes(self) -> bytes:
        """Return its file: compressed arrays, as ``numpy.load`` reads them."""
        about = {"of": self.of, "names": self.names, "words": self.words}
        text = np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), dtype=np.uint8)
        file = io.BytesIO()
        arrays: dict[str, Any] = {_MARK: np.array(_FORMAT), _ABOUT: text, **self.drift.arrays()}
        np.savez_compressed(file, **arrays)
        return file.getvalue()

    def save(self, path: str | Path) -> None:
        """Write it to a file, whose name should end in ``.npz``."""
        Path(path).expanduser().write_bytes(self.to_bytes())


def read_compared(path: str | Path, progress: Progress = silent) -> Upload | TableProfile:
    """Read a file that another one is compared with: a table, or the profile of one.

    Raises
    ------
    DataError, MemoryBudgetError
        As :func:`rfviz.datasets.files.upload.read_file` and :func:`unpack_compared`.
    """
    path = Path(path)
    if path.suffix.lower() == ".npz" and path.is_file() and path.stat().st_size <= _MOST_BYTES:
        return unpack_compared(path.name, path.read_bytes())
    from rfviz.datasets.files.upload import read_file  # the readers of all kinds of files

    return read_file(path, progress=progress)


def read_profile(path: str | Path) -> TableProfile:
    """Read a profile.

    Raises
    ------
    DataError
        If the file is not there, or is not a profile.
    """
    path = Path(path)
    found = read_compared(path)
    if isinstance(found, TableProfile):
        return found
    raise DataError(f"{path.name} is a table and not a profile of one. {_AGAIN}.")


def unpack_compared(name: str, data: bytes) -> Upload | TableProfile:
    """Read the bytes of a file that another one is compared with; see :func:`read_compared`.

    Raises
    ------
    DataError
        If it is a profile of another version, or a damaged one; or as :func:`rfviz.datasets.files.read_upload`.
    MemoryBudgetError
        If a table would not fit into the memory limit.
    """
    name = one_line(Path(name).name, 80)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        sizes = {}
    if f"{_MARK}.npy" not in sizes:
        from rfviz.datasets.files.upload import read_upload

        return read_upload(name, data)
    if len(data) > _MOST_BYTES or sum(sizes.values()) > _MOST_EXPANDED:
        raise DataError(f"{name} is larger than a profile ever is. {_AGAIN}.")
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            number, arrays = file[_MARK], {key: file[key] for key in file.files if key != _MARK}
    except (ValueError, OSError, EOFError, KeyError, SyntaxError, MemoryError, zipfile.BadZipFile, zlib.error):
        raise DataError(f"{name} is a damaged profile. {_AGAIN}.") from None
    if number.shape != () or number.dtype.kind != "i" or int(number) != _FORMAT:
        raise DataError(
            f"{name} is a profile of format {one_line(str(number), 20)}, and this version reads format {_FORMAT}. "
            f"{_AGAIN}."
        )
    try:
        drift = DriftProfile.of_arrays(arrays)
        of, names, words = _about(arrays[_ABOUT])
    except DataError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DataError(f"{name} is a damaged profile. {_AGAIN}.") from None
    if len(names) != drift.n_columns or [column in words for column in names] != drift.is_word.tolist():
        raise DataError(f"{name} is a damaged profile: its columns are not those that it names. {_AGAIN}.")
    return TableProfile(name, of, names, words, drift, hashlib.sha256(data).hexdigest())


def _about(text: np.ndarray) -> tuple[str, tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Return the name of the table, its columns, and their words.

    Raises
    ------
    ValueError, KeyError, TypeError, AttributeError
        If the text is not that of a profile.
    """
    found: Any = json.loads(text.tobytes().decode())
    names, words = tuple(map(_text, found["names"])), found["words"]
    if not isinstance(words, Mapping) or len(set(names)) < len(names) or any(len(w) > 99 for w in words.values()):
        raise ValueError("names or words of no profile")
    return one_line(_text(found["of"]), 80), names, {name: tuple(map(_text, words[name])) for name in words}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a name is text")
    return value
