"""The formats of files that are read: how each is told by its name and its first bytes, and what reads it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rfviz.datasets.files.archive import member_of, tables_in, zip_names
from rfviz.datasets.files.arff import arff_layout, read_arff
from rfviz.datasets.files.arrow import arrow_layout, parquet_layout, read_arrow, read_parquet
from rfviz.datasets.files.content import MAX_BYTES, MAX_COLUMNS, File, reading
from rfviz.datasets.files.excel import excel_layout, excel_sheets, read_excel
from rfviz.datasets.files.images import numbers_in, read_zip
from rfviz.datasets.files.json_rows import read_json
from rfviz.datasets.files.libsvm import is_libsvm, libsvm_layout, read_libsvm
from rfviz.datasets.files.meta import Meta
from rfviz.datasets.files.npz import read_npz
from rfviz.datasets.files.sqlite import read_sqlite, sqlite_layout, sqlite_tables
from rfviz.datasets.files.stata import MARKS as STATA
from rfviz.datasets.files.stata import read_stata, stata_layout
from rfviz.datasets.files.suggest import FOLDER, LABELS, NUMBER_IN_NAME, first_named
from rfviz.datasets.files.table import Table, table_of_frame
from rfviz.datasets.files.text import read_text, text_layout
from rfviz.datasets.memory import size_text
from rfviz.datasets.wording import one_line
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FORMATS", "Format", "format_of"]


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes
    ----------
    title : str
        With an article.
    suffixes : tuple of str
        Of names of such files.
    read : callable
        ``read(file, meta, part) -> (table or DataFrame, notes)``.
    header : callable
        ``header(file, part) -> (names, n_rows)``: the names of the columns, and the number of rows where it is told.
    marks : tuple of bytes
        With which such files begin; empty for text.
    parts : callable, optional
        ``parts(file) -> names`` of the tables or sheets that a file holds, the one that is read by default first.
    marked_at : int
        The place of the mark among the bytes.
    """

    title: str
    suffixes: tuple[str, ...]
    read: Callable[[File, Meta, str], tuple[pd.DataFrame | Table, tuple[str, ...]]]
    header: Callable[[File, str], tuple[tuple[str, ...], int | None]]
    marks: tuple[bytes, ...] = ()
    parts: Callable[[File], tuple[str, ...]] | None = None
    marked_at: int = 0

    def part_of(self, file: File, wanted: str) -> tuple[str, tuple[str, ...]]:
        """Return the table of a file that is read, empty if the format holds a single one, and all of them.

        Raises
        ------
        DataError
            If there is none of that name.
        """
        parts = self.parts(file) if self.parts is not None else ()
        if wanted and wanted not in parts:
            known = (
                f"Known: {one_line(', '.join(parts), 160)}" if parts else "It holds a single one: leave the name out"
            )
            raise DataError(f"{file.name} has no table or sheet {one_line(wanted, 40)!r}. {known}.")
        return wanted or next(iter(parts), ""), parts

    def table(self, file: File, meta: Meta, part: str) -> tuple[Table, tuple[str, ...]]:
        """Read a table of a file, and return it with the notes of its reader."""
        found, notes = self.read(file, meta, part)
        if isinstance(found, Table):
            return found, notes
        if file.n_bytes > MAX_BYTES:
            _refuse_words(file, found)
        return table_of_frame(found, meta.class_names), notes


def _text_header(file: File, part: str = "") -> tuple[tuple[str, ...], None]:
    layout = text_layout(file)
    return layout.header[layout.n_row_names :] or ("",) * layout.n_columns, None


def _read_arrays(file: File, meta: Meta, part: str) -> tuple[Table, tuple[str, ...]]:
    arrays = read_npz(file)
    if file.is_upload and arrays.image_shape is None and arrays.X.shape[1] > MAX_COLUMNS:
        raise DataError(
            f"{file.name} has {arrays.X.shape[1]:,} columns, and at most {MAX_COLUMNS:,} are shown and prepared "
            "here. Put it into the data folder (RFVIZ_DATA), or save fewer."
        )
    return replace(arrays, feature_names=meta.feature_names, class_names=meta.class_names).table(), arrays.notes


def _read_images(file: File, meta: Meta, part: str) -> tuple[Table, tuple[str, ...]]:
    """Read what the names of images say: folders as classes, numbers as an order."""
    import pandas as pd

    pictures, notes = read_zip(file)
    columns: dict[str, object] = {}
    if len(set(pictures.folders)) > 1:
        columns[FOLDER] = list(pictures.folders)
    numbers = numbers_in(pictures.names)
    if numbers is not None:
        columns[NUMBER_IN_NAME] = numbers
    table = table_of_frame(pd.DataFrame(columns, index=range(len(pictures.names))))
    if pictures.n_train is not None:
        n_test = len(pictures.names) - pictures.n_train
        notes += (
            f"Its folders tell {pictures.n_train:,} images for training, which come first, from {n_test:,} others.",
        )
    return replace(table, pictures=pictures, n_train=pictures.n_train), notes


def _refuse_words(file: File, frame: pd.DataFrame) -> None:
    """Refuse words and dates in a large file: they take many times the memory of its numbers."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    label = first_named(map(str, frame.columns), LABELS)
    words = [name for name, kind in frame.dtypes.items() if not (is_numeric_dtype(kind) or is_bool_dtype(kind))]
    words = [name for name in words if str(name) != label]
    if words:
        examples = [f"{one_line(name, 40)!r} (such as {one_line(frame[name].iloc[0], 30)!r})" for name in words[:4]]
        more = f" and {len(words) - 4} more" if len(words) > 4 else ""
        raise DataError(
            f"{file.name} has {size_text(file.n_bytes)}, and above {size_text(MAX_BYTES)} only numbers are read, but "
            f"these columns hold text or dates: {', '.join(examples)}{more}. Drop them, encode them as numbers, or "
            "leave unknown cells empty; name the column of labels 'label'."
        )


def _zip_parts(file: File) -> tuple[str, ...]:
    return tables_in(file, _SUFFIXES_OF_TABLES)


def _read_archive(file: File, meta: Meta, part: str) -> tuple[Table, tuple[str, ...]]:
    """Read a table of an archive, or the images that it holds."""
    if not part:
        return _read_images(file, meta, part)
    inner, notes = member_of(file, part)
    found = format_of(inner)
    table, more = found.table(inner, meta, found.part_of(inner, "")[0])
    return table, (*notes, *more)


def _archive_header(file: File, part: str) -> tuple[tuple[str, ...], int | None]:
    if not part:
        return (), None
    inner, _ = member_of(file, part)
    found = format_of(inner)
    return found.header(inner, found.part_of(inner, "")[0])


_PK = (b"PK\x03\x04", b"PK\x05\x06")
#: All formats, by name.
FORMATS = {
    "text": Format(
        "text",
        (".csv", ".tsv", ".tab", ".txt", ".data", ".dat"),
        lambda file, meta, part: read_text(file, meta.feature_names),
        _text_header,
    ),
    "json": Format(
        "text", (".json", ".jsonl", ".ndjson", ".geojson"), lambda file, meta, part: read_json(file), _text_header
    ),
    "arff": Format("text", (".arff",), lambda file, meta, part: read_arff(file), arff_layout),
    "libsvm": Format(
        "text", (".libsvm", ".svm", ".svmlight"), lambda file, meta, part: read_libsvm(file), libsvm_layout
    ),
    "parquet": Format(
        "a Parquet file",
        (".parquet", ".pq"),
        lambda file, meta, part: read_parquet(file),
        lambda file, part: parquet_layout(file),
        (b"PAR1",),
    ),
    "arrow": Format(
        "an Arrow file",
        (".feather", ".arrow", ".arrows", ".ipc"),
        lambda file, meta, part: read_arrow(file),
        lambda file, part: arrow_layout(file),
        (b"ARROW1", b"\xff\xff\xff\xff"),
    ),
    "excel": Format(
        "an Excel workbook",
        (".xlsx", ".xlsm"),
        lambda file, meta, part: read_excel(file, part),
        excel_layout,
        _PK,
        excel_sheets,
    ),
    "sqlite": Format(
        "an SQLite database",
        (".sqlite", ".sqlite3", ".db"),
        lambda file, meta, part: read_sqlite(file, part),
        sqlite_layout,
        (b"SQLite format 3\0",),
        sqlite_tables,
    ),
    "stata": Format("a Stata file", (".dta",), lambda file, meta, part: read_stata(file), stata_layout, STATA),
    "npz": Format("an .npz file", (".npz",), _read_arrays, _text_header, _PK),
    "zip": Format("a ZIP archive", (".zip",), _read_archive, _archive_header, _PK, _zip_parts),
    "tar": Format("a tar archive", (".tar",), _read_archive, _archive_header, (b"ustar",), _zip_parts, 257),
}
_SUFFIXES_OF_TABLES = tuple(
    suffix for name, one in FORMATS.items() if name not in ("npz", "zip", "tar") for suffix in one.suffixes
)
# Formats that people try, by their first bytes; none of them is read.
_FOREIGN = (
    (b"\x93NUMPY", "a single NumPy array. Save it as np.savez_compressed(path, X=X, y=y)"),
    (b"\x1f\x8b", "compressed twice. Unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed with Zstandard. Unpack it first, or compress it with gzip"),
    (b"7z\xbc\xaf", "a 7z archive. Make a ZIP archive instead"),
    (b"Rar!", "a RAR archive. Make a ZIP archive instead"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook, or one with a password. Save it as .xlsx without a password"),
    (b"\x89HDF", "an HDF5 file. Save the arrays with np.savez_compressed"),
    (b"FEA1", "a Feather file of the first version. Save it again, or as Parquet"),
    (b"$FL", "an SPSS file. Save it as CSV or as a Stata file (.dta) in SPSS, or by pandas.read_spss in Python"),
    (b"%PDF", "a PDF document. Save the table as CSV"),
    (b"{\\rtf", "a document in Rich Text Format. Save the table as CSV"),
    (b"\x89PNG", "one image. Put all images into a ZIP archive"),
    (b"\xff\xd8\xff", "one image. Put all images into a ZIP archive"),
    (b"\x80\x04\x95", "a Python pickle, which can run any code and is never read. Save the data as CSV or .npz"),
    (
        b"version https://git-lfs",
        "a pointer of Git LFS, which stands for the file. Fetch the file itself (git lfs pull)",
    ),
    (b"\x80\x05\x95", "a Python pickle, which can run any code and is never read. Save the data as CSV or .npz"),
)


# Texts that are told by how they begin, after blanks; none of them is read.
_FOREIGN_TEXT = (
    (
        re.compile(rb"<!doctype html|<html", re.IGNORECASE),
        "a web page (HTML), perhaps one that asks to sign in. Download the file itself, or save the table as CSV",
    ),
    (re.compile(rb"<\?xml", re.IGNORECASE), "an XML document. Save the table as CSV"),
)
_HEAD_BYTES = 1 << 16


def format_of(file: File) -> Format:
    """Return the format of a file, on which its first bytes and its name must agree.

    Raises
    ------
    DataError
        If the file is empty, its format is not supported, or its bytes are of another format than its name.
    """
    with reading(file, "a file of data", "Choose another one"):
        start = file.head(_HEAD_BYTES)
    if not start:
        raise DataError(f"{file.name} is empty: it has 0 bytes. Choose a file that holds data.")
    text = start.removeprefix(codecs.BOM_UTF8).lstrip()
    foreign = [advice for mark, advice in _FOREIGN if start.startswith(mark)]
    foreign += [advice for pattern, advice in _FOREIGN_TEXT if pattern.match(text)]
    if foreign:
        raise DataError(f"{file.name} is {foreign[0]}.")
    if file.suffix in (".xls", ".xlsb", ".ods"):
        raise DataError(f"{file.name} is a workbook of a kind that is not read. Save it as .xlsx, or as 'CSV UTF-8'.")
    fitting = _fitting(file, start)
    named = next((one for one in FORMATS.values() if file.suffix in one.suffixes), None)
    if FORMATS["text"] in fitting and named in (None, FORMATS["text"]) and is_libsvm(start):
        return FORMATS["libsvm"]
    if named is None:
        suffixes = ", ".join(suffix for one in FORMATS.values() for suffix in one.suffixes)
        raise DataError(
            f"{file.name} cannot be read: its name ends in none of {suffixes}. Save a table as CSV or Parquet, arrays "
            "as .npz, and images in a ZIP archive."
        )
    if named not in fitting:
        raise DataError(
            f"{file.name} is named like {named.title}, but its bytes are those of {fitting[-1].title}. "
            "Rename it, or save it again in the format of its name."
        )
    return named


def _fitting(file: File, start: bytes) -> list[Format]:
    """Return the formats that the bytes of a file can be of, those of text if no mark tells."""
    fitting = [one for one in FORMATS.values() if one.marks and start[one.marked_at :].startswith(one.marks)]
    if FORMATS["zip"] in fitting and (names := zip_names(file)):
        if all(name.endswith(".npy") for name in names):
            return [FORMATS["npz"]]
        if "[Content_Types].xml" in names and not any(name.startswith(("word/", "ppt/")) for name in names):
            return [FORMATS["excel"]]
        return [FORMATS["npz"], FORMATS["zip"]] if any(name.endswith(".npy") for name in names) else [FORMATS["zip"]]
    return fitting or [one for one in FORMATS.values() if not one.marks]
