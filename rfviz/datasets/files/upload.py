r"""Reading one file: looked at first, then prepared by choices, then a :class:`Dataset` like any other.

>>> from rfviz.datasets.files import read_upload
>>> upload = read_upload("flowers.csv", b"length,width,kind\n5.1,3.5,a\n4.9,3.0,b\n6.3,3.3,a\n5.8,2.7,b\n")
>>> [(column.name, column.kind) for column in upload.columns]
[('length', 'number'), ('width', 'number'), ('kind', 'category')]
>>> upload.prepare().target_names
('a', 'b')
"""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from rfviz.datasets.base import Dataset, NamedProfile
from rfviz.datasets.files.content import MAX_BYTES, File, reading, unpacked
from rfviz.datasets.files.formats import format_of
from rfviz.datasets.files.images import Pictures
from rfviz.datasets.files.meta import Meta
from rfviz.datasets.files.parts import parts_of, read_parts, sample_size
from rfviz.datasets.files.preparation import Preparation
from rfviz.datasets.files.prepare import image_shape, prepare
from rfviz.datasets.files.statistics import TableStatistics
from rfviz.datasets.files.suggest import suggest
from rfviz.datasets.files.table import Column, Table, table_of_frame
from rfviz.datasets.memory import size_text
from rfviz.datasets.rows import FileRows
from rfviz.datasets.wording import counted, drawn_note, one_line
from rfviz.errors import DataError, MemoryBudgetError
from rfviz.progress import Progress, silent

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "SUFFIXES",
    "Upload",
    "compare_with",
    "header_of",
    "read_file",
    "read_path",
    "read_upload",
    "upload_of_frame",
]

#: Endings of the names of files that are read.
SUFFIXES = (
    "csv", "tsv", "txt", "data", "dat", "gz", "bz2", "xz", "tgz", "tar", "json", "jsonl", "ndjson", "geojson", "arff",
    "libsvm", "svm", "parquet", "feather", "arrow", "xlsx", "sqlite", "db", "dta", "npz", "zip",
)  # fmt: skip
_FEWEST_ROWS = 3
# Of two letters at least, which the drives of Windows do not have; a path holds one of its two slashes.
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/+")
# Rows drawn from the last tables in parts, by folder, stamp and number.
_held: dict[tuple[Path, str, int], Upload] = {}
_MOST_HELD = 2


@dataclass(frozen=True, eq=False)
class Upload:
    """A file that was read, before anything is computed from it.

    Attributes
    ----------
    name, stem : str
        Name of the file on one line, with and without its suffix.
    n_bytes : int
        Size of the file.
    digest : str
        SHA-256 of its bytes; empty for a file of the data folder.
    table : Table
        The columns, and the images of a file of images.
    notes : tuple of str
        Conclusions, and parts that were passed over.
    source : str
        Where the data come from, for :attr:`Dataset.provenance`.
    openml : int or None
        OpenML's number, where they come from there.
    part : str
        The table of a database, or the sheet of a workbook, that was read; empty for other files.
    parts : tuple of str
        All of them.
    file : File or None
        Where the others can be read, if there are any.
    """

    name: str
    stem: str
    n_bytes: int
    digest: str
    table: Table
    notes: tuple[str, ...]
    source: str
    openml: int | None = None
    part: str = ""
    parts: tuple[str, ...] = ()
    file: File | None = field(default=None, repr=False)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.table.columns

    @property
    def pictures(self) -> Pictures | None:
        return self.table.pictures

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @cached_property
    def suggestion(self) -> Preparation:
        """Return a preparation to begin with."""
        return suggest(self.table)

    @property
    def facts(self) -> str:
        """Return one line on what the file holds."""
        size = size_text(self.n_bytes)
        if self.pictures is None:
            return f"{self.n_rows:,} rows, {len(self.table.names):,} columns, {size}"
        low, high = self.pictures.sizes.min(axis=0), self.pictures.sizes.max(axis=0)
        sizes = f"{low[0]}×{low[1]}" + (f" to {high[0]}×{high[1]}" if (low != high).any() else "")
        return f"{self.n_rows:,} images of {sizes} pixels, {'in colour' if self.pictures.in_colour else 'grey'}, {size}"

    def other(self, part: str) -> Upload:
        """Read another table of the same file.

        Raises
        ------
        DataError
            If there is none of that name, or it holds nothing.
        """
        if self.file is None:
            raise DataError(f"{self.name} holds a single table. Use it as it is.")
        return _read(self.file, self.source, Meta(), part)

    def shape_of(self, preparation: Preparation) -> tuple[int, ...] | None:
        """Return the shape of an image under this preparation, or None if there are no images."""
        return image_shape(self.table, preparation)

    def balance(self, name: str, most: int = 12) -> pd.DataFrame:
        """Count the rows of each value of a column, the most frequent first: columns ``value``, ``rows``, ``share``.

        Raises
        ------
        DataError
            If there is no such column, or it holds free text.
        """
        import pandas as pd

        values = self.table.values(name) if name in self.table else None
        if values is None:
            raise DataError(f"The column {name!r} has no values to count. Choose one of numbers or categories.")
        counts = pd.Series(values).value_counts()
        shown = counts.iloc[:most]
        names = [f"{v:g}" if isinstance(v, float) else str(v) for v in shown.index]
        found = pd.DataFrame({"value": names, "rows": shown.to_numpy()})
        if len(counts) > most:
            found.loc[len(found)] = [f"{len(counts) - most:,} more", int(counts.iloc[most:].sum())]
        return found.assign(share=found["rows"] / max(found["rows"].sum(), 1))

    def prepare(self, preparation: Preparation | None = None, progress: Progress | None = None) -> Dataset:
        """Return the data set that these choices make; without any, those of :attr:`suggestion`.

        Raises
        ------
        DataError
            If they leave too little, or an image is damaged.
        MemoryBudgetError
            If it would not fit into the memory limit.
        """
        try:
            return prepare(self.table, preparation or self.suggestion, self.stem, self.source, self.notes, progress)
        except MemoryBudgetError:
            raise
        except MemoryError:
            raise MemoryBudgetError(
                f"{self.name} does not fit into the computer's memory. Keep fewer rows or columns."
            ) from None


def compare_with(dataset: Dataset, other: Upload | NamedProfile) -> Dataset:
    """Return a data set of a file that knows another file, or the profile of one, to be compared with.

    Raises
    ------
    DataError
        If one of them holds images.
    """
    pictures = other.pictures if isinstance(other, Upload) else None
    if dataset.origin is None or dataset.image_shape or pictures is not None:
        raise DataError("Only tables are compared. Give two files of rows and columns.")
    table = other.table if isinstance(other, Upload) else other
    return replace(dataset, origin=replace(dataset.origin, other=table, other_name=other.name))


def read_file(path: str | Path, table: str = "", progress: Progress = silent) -> Upload:
    """Read a file of the user's own; one above :data:`MAX_BYTES` must hold numbers, but for its label.

    A folder of Parquet files, or of ``X.npy`` and ``y.npy``, is one table, of which rows are drawn where it is large;
    see :mod:`rfviz.datasets.files.parts`.

    Parameters
    ----------
    path : str or Path
    table : str
        The table of a database, or the sheet of a workbook; by default the largest table, or the first sheet.
    progress : callable
        Told how many rows of a table in parts are read.

    Raises
    ------
    DataError, MemoryBudgetError
        As :func:`read_upload`, and where there is no such file.
    """
    path = Path(path)
    if address := _ADDRESS.match(path.as_posix()):
        rest = path.as_posix()[address.end() :]
        raise DataError(
            f"{address[1]}://{rest} is an address, and only files of this computer are read. "
            + ("Give the path alone." if address[1] == "file" else "Download it, and give the path of the file.")
        )
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode) or (stat.S_ISREG(status.st_mode) and status.st_size > MAX_BYTES):
            what = "folder" if path.is_dir() else "file"
            return read_path(path, f"Your {what} {path.name}", Meta(table=table), progress)
        if not stat.S_ISREG(status.st_mode):  # whose end may never come
            raise DataError(
                f"{path} is not a file but a pipe or a device. Save what it gives as a file, and give that."
            )
        return read_upload(path.name, path.read_bytes(), table=table)
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}). Give a file or a folder that exists.") from None


def read_upload(name: str, data: bytes, source: str = "", table: str = "") -> Upload:
    """Read a file in memory; nothing is written to disk.

    Parameters
    ----------
    name : str
        Its name, whose suffix must fit its bytes; folders in it are ignored.
    source : str
        Where it comes from, as a part of a sentence; "Your file …" by default.
    table : str
        As :func:`read_file` takes it.

    Raises
    ------
    DataError
        If it is damaged, too large, of another format than its name says, or holds no table, arrays or images.
    MemoryBudgetError
        If it would not fit into the memory limit once expanded.
    """
    file = File.uploaded(name, data)
    return _read(file, source or f"Your file {file.name}", Meta(), table)


def read_path(path: Path, source: str, meta: Meta, progress: Progress = silent) -> Upload:
    """Read a file of the data folder, which may be larger than an upload if it holds numbers, or a table in parts.

    Parameters
    ----------
    source : str
        Where it comes from, as a part of a sentence.
    meta : Meta
        Names for classes and nameless columns.
    progress : callable
        Told how many rows of a table in parts are read.

    Raises
    ------
    DataError, MemoryBudgetError
        As :func:`read_upload`.
    """
    if (parts := parts_of(path)) is not None:
        return _of_parts(path, parts, source, meta, progress)
    return _read(File.at(path), source, meta, meta.table)


def _of_parts(path: Path, rows: FileRows, source: str, meta: Meta, progress: Progress) -> Upload:
    """Read a table in parts, or take it from the last that were read: it is asked for with every number of rows."""
    key = (path.resolve(), rows.stamp, sample_size(rows.n_rows, len(rows.columns)))
    if key not in _held:
        table, notes = read_parts(rows, meta, progress)
        if table.n_rows < _FEWEST_ROWS:
            raise DataError(_too_few(rows.name, table.n_rows))
        while len(_held) >= _MOST_HELD:
            _held.pop(next(iter(_held)), None)
        _held[key] = Upload(rows.name, path.stem, rows.n_bytes, "", table, notes, source)
    return replace(_held[key], source=source)


def upload_of_frame(
    frame: pd.DataFrame, name: str = "table", whole: TableStatistics | None = None, notes: tuple[str, ...] = ()
) -> Upload:
    """Return a table in memory as a file that was read; `whole` tells of all rows where these were drawn from more.

    Raises
    ------
    DataError
        If it has fewer than three rows.
    """
    if len(frame) < _FEWEST_ROWS:
        raise DataError(_too_few(name, len(frame)))
    n_bytes = int(frame.memory_usage(deep=False).sum())
    # Lists and the like cannot be counted; as text they can.
    odd = {place: series for place, (_, series) in enumerate(frame.items()) if not _is_hashable(series)}
    if odd:
        frame = frame.copy(deep=False)
        for place, series in odd.items():
            frame.isetitem(place, series.astype(object).map(str, na_action="ignore"))
    table = replace(table_of_frame(frame), whole=whole)
    notes += () if whole is None else (drawn_note(len(frame), whole.n_rows),)
    return Upload(name, name, n_bytes, "", table, notes, "A table in memory")


def _is_hashable(series: pd.Series) -> bool:
    """Return whether the cells of a column can be counted, as lists, arrays and tuples of them cannot."""
    import pandas as pd

    try:
        if isinstance(series.dtype, pd.ArrowDtype):
            import pyarrow as pa

            return not pa.types.is_nested(series.dtype.pyarrow_dtype)
        for cell in series if series.dtype == object else ():
            hash(cell)
    except TypeError:
        return False
    return True


def _too_few(name: str, n: int) -> str:
    return f"{name} has {counted(n, 'row')}, and at least {_FEWEST_ROWS} are needed. Choose a file with more samples."


def header_of(file: File, table: str = "") -> tuple[tuple[str, ...], int | None]:
    """Return the names of the columns of a table, and the number of rows where the header tells it.

    Raises
    ------
    DataError
        If the file is damaged or holds no table.
    """
    found = format_of(file)
    return found.header(file, found.part_of(file, table)[0])


def _read(file: File, source: str, meta: Meta, wanted: str = "") -> Upload:
    with reading(file, "a table, arrays or images", "Save it again"):
        inner, about = unpacked(file)
        found = format_of(inner)
        part, parts = found.part_of(inner, wanted)
        table, notes = found.table(inner, meta, part)
        notes = (*about, *notes)
        if len(parts) > 1:
            notes = (f"It holds {len(parts):,} tables, of which “{one_line(part, 40)}” is read.", *notes)
        if table.n_rows < _FEWEST_ROWS:
            raise DataError(_too_few(f"{file.name} (“{one_line(part, 40)}”)" if part else file.name, table.n_rows))
        several = inner if len(parts) > 1 else None
        return Upload(
            file.name, inner.stem, file.n_bytes, file.digest, table, notes, source, None, part, parts, several
        )
