"""Files that somebody hands over: looked at first, then prepared by choices, then a :class:`Dataset` like any other.

>>> from rfviz.datasets import upload
>>> taken = upload.take("flowers.csv", b"length,width,kind\\n5.1,3.5,a\\n4.9,3.0,b\\n6.3,3.3,a\\n5.8,2.7,b\\n")
>>> [(column.name, column.kind) for column in taken.columns]
[('length', 'number'), ('width', 'number'), ('kind', 'category')]
>>> taken.prepare().target_names
('a', 'b')

CSV (commas, semicolons or tabs), Parquet, ``.npz`` (never with pickles) and ZIP archives of PNG or JPEG images are
taken. Nothing is written to disk, no name inside a file is used as a path, and sizes are bounded by bytes and by what
they expand to (:mod:`rfviz.datasets._content`, :func:`rfviz.datasets.memory_limit`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rfviz.datasets import _images_zip, _npz
from rfviz.datasets._columns import CATEGORY, DATE, NUMBER, Column, Table, tidy
from rfviz.datasets._content import MAX_BYTES, Content, archive, kind_of, worded
from rfviz.datasets._csv_text import MAX_COLUMNS, read_text
from rfviz.datasets._images_zip import Pictures, common_shape
from rfviz.datasets._limits import size_text
from rfviz.datasets._parquet import read_parquet
from rfviz.datasets._preparation import Preparation
from rfviz.datasets._prepare import prepare_images, prepare_table, suggested
from rfviz.datasets._table import _LABELS, _ORDERS
from rfviz.datasets.base import Dataset, Progress
from rfviz.errors import DataError, MemoryBudgetError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MAX_BYTES", "SUFFIXES", "Preparation", "Upload", "take"]

SUFFIXES = ("csv", "tsv", "txt", "parquet", "npz", "zip")
FOLDER, NUMBER_IN_NAME = "folder", "number in the name"
# A last column of so few words is a guess worth making.
_LIKELY_CLASSES = 20


@dataclass(frozen=True, eq=False)
class Upload:
    """A file that was understood, before anything is computed from it.

    Attributes
    ----------
    name : str
        Of the file, on one line.
    stem : str
        Without its ending.
    n_bytes : int
        Of the file.
    digest : str
        SHA-256 of its bytes.
    table : Table
        The columns; of images, their folder and the number in their name where there are any.
    pictures : Pictures or None
        The images.
    notes : tuple of str
        What was concluded or passed over.
    suggestion : Preparation
        What to begin with.
    n_train : int or None
        Rows before it are for training, where the file says so.
    source : str
        Where the data come from, for :attr:`Dataset.provenance`.
    openml : int or None
        OpenML's number, where they come from there.
    """

    name: str
    stem: str
    n_bytes: int
    digest: str
    table: Table
    pictures: Pictures | None
    notes: tuple[str, ...]
    suggestion: Preparation
    n_train: int | None = None
    source: str = ""
    openml: int | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.table.columns

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @property
    def facts(self) -> str:
        """One line: what and how much."""
        size = size_text(self.n_bytes)
        if self.pictures is None:
            return f"{self.n_rows:,} rows, {len(self.columns):,} columns, {size}"
        low, high = self.pictures.sizes.min(axis=0), self.pictures.sizes.max(axis=0)
        sizes = f"{low[0]}×{low[1]}" + (f" to {high[0]}×{high[1]}" if (low != high).any() else "")
        return f"{self.n_rows:,} images of {sizes} pixels, {'in colour' if self.pictures.in_colour else 'grey'}, {size}"

    def shape_of(self, how: Preparation) -> tuple[int, ...] | None:
        """Shape of an image under this preparation; None where there are no images."""
        if self.pictures is None:
            return None
        colour = self.pictures.in_colour if how.colour == "auto" else how.colour == "colour"
        shape = common_shape(self.pictures, how)
        return (*shape, 3) if colour else shape

    def balance(self, name: str, most: int = 12) -> pd.DataFrame:
        """Rows of each value of a column, the most frequent first: columns ``value``, ``rows`` and ``share``.

        Raises
        ------
        DataError
            If there is no such column, or it holds free text.
        """
        import pandas as pd

        values = self.table.values.get(name)
        if values is None:
            raise DataError(f"The column {name!r} has no values to count. Choose one of numbers or categories.")
        counts = pd.Series(values).value_counts()
        shown = counts.iloc[:most]
        names = [f"{v:g}" if isinstance(v, float) else str(v) for v in shown.index]
        found = pd.DataFrame({"value": names, "rows": shown.to_numpy()})
        if len(counts) > most:
            found.loc[len(found)] = [f"{len(counts) - most:,} more", int(counts.iloc[most:].sum())]
        return found.assign(share=found["rows"] / max(found["rows"].sum(), 1))

    def prepare(self, how: Preparation | None = None, progress: Progress | None = None) -> Dataset:
        """The data set that these choices make.

        Raises
        ------
        DataError
            If they leave too little, or an image is damaged: which, and what to do.
        MemoryBudgetError
            If it would not fit into the memory limit.
        """
        how = how or self.suggestion
        try:
            if self.pictures is None:
                return prepare_table(self.table, how, self.stem, self.source, self.n_train, self.notes)
            shape = self.shape_of(how)

            def decode(rows: np.ndarray) -> np.ndarray:
                return self.pictures.decode(rows, shape[:2], len(shape) == 3, progress)

            return prepare_images(self.table, how, self.stem, self.source, shape, decode, self.n_train, self.notes)
        except MemoryBudgetError:
            raise
        except MemoryError:
            raise MemoryBudgetError(
                f"{self.name} does not fit into the computer's memory. Keep fewer rows or columns."
            ) from None


def take(name: str, data: bytes, source: str = "") -> Upload:
    """Look at a file.

    Parameters
    ----------
    name : str
        Its name, whose ending must fit its bytes; folders in it are ignored.
    data : bytes
    source : str
        Where it comes from, as a part of a sentence; "Your file …" where nothing is given.

    Raises
    ------
    DataError
        If it is damaged, of another format than its name says, or holds no table, arrays or images: why, in a sentence.
    MemoryBudgetError
        If it would not fit into the memory limit once expanded.
    """
    content = Content.of(name, data)
    kind = kind_of(content)
    pictures, n_train = None, None
    if kind == "zip":
        pictures, notes = _images_zip.index_archive(content)
        frame = _frame_of(pictures)
    elif kind == "npz":
        with archive(content, most_ratio=False):
            frame, pictures, n_train, notes = _arrays(content)
    else:
        frame, notes = read_text(content) if kind == "text" else read_parquet(content)
    with worded(content, "a table", "Save it again"):
        table = tidy(frame)
    if table.n_rows < 3:
        raise DataError(f"{content.name} has {table.n_rows} row{'s' * (table.n_rows != 1)}, and at least 3 are needed. "
                        "Choose a file with more samples.")  # fmt: skip
    return Upload(
        content.name, content.stem, len(content.data), content.digest, table, pictures, tuple(notes),
        suggested(table, _likely_label(table), _likely_order(table), pictures is not None), n_train,
        source or f"Your file {content.name}",
    )  # fmt: skip


def _arrays(content: Content) -> tuple[pd.DataFrame, Pictures | None, int | None, tuple[str, ...]]:
    """The arrays of an .npz file as columns, or as images beside their columns."""
    import pandas as pd

    raw = _npz.read(content)
    columns: dict[str, np.ndarray] = {}
    if raw.y is not None:
        columns["y"] = np.char.decode(raw.y, "utf-8", "replace") if raw.y.dtype.kind == "S" else raw.y
    if raw.order is not None:
        columns["order"] = raw.order
    if raw.image_shape is not None:
        pixels = raw.X.reshape(len(raw.X), *raw.image_shape)
        return pd.DataFrame(columns, index=range(len(pixels))), _images_zip.Stored(pixels), raw.n_train, raw.notes
    if raw.X.shape[1] > MAX_COLUMNS:
        raise DataError(f"{content.name} has {raw.X.shape[1]:,} columns, and at most {MAX_COLUMNS:,} are shown "
                        "and prepared here. Put it into the data folder (RFVIZ_DATA), or save fewer.")  # fmt: skip
    frame = pd.DataFrame(raw.X, columns=[f"x{place}" for place in range(1, raw.X.shape[1] + 1)], copy=False)
    return frame.assign(**columns), None, raw.n_train, raw.notes


def _frame_of(pictures: _images_zip.Zipped) -> pd.DataFrame:
    """What the names of images say: folders as classes, numbers as an order."""
    import pandas as pd

    columns: dict[str, object] = {}
    if len(set(pictures.folders)) > 1:
        columns[FOLDER] = list(pictures.folders)
    numbers = _images_zip.numbers_in(pictures.names)
    if numbers is not None:
        columns[NUMBER_IN_NAME] = numbers
    return pd.DataFrame(columns, index=range(len(pictures.names)))


def _likely_label(table: Table) -> str | None:
    """A column that is named like a label, or whose words look like classes."""
    usable = {c.name.strip().lower(): c for c in reversed(table.columns) if c.kind in (NUMBER, CATEGORY)}
    for name in (*_LABELS, FOLDER):
        if name in usable and usable[name].n_distinct > 1:
            return usable[name].name
    last = table.columns[-1] if table.columns else None
    if last is not None and last.kind == CATEGORY and 2 <= last.n_distinct <= _LIKELY_CLASSES:
        return last.name
    return None


def _likely_order(table: Table) -> str | None:
    usable = {c.name.strip().lower(): c.name for c in reversed(table.columns) if c.kind in (NUMBER, DATE)}
    return next((usable[name] for name in (*_ORDERS, NUMBER_IN_NAME) if name in usable), None)
