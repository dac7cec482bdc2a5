"""ARFF, the format of Weka → a pandas table: names and types of the columns, then rows of cells between commas."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from rfviz.datasets import memory
from rfviz.datasets.files.content import File, check_columns, reading
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["arff_layout", "read_arff"]

# Bytes of memory that a byte of the file may take as a cell.
_EXPANDS = 6
_ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\s{]+)\s*(.+)", re.IGNORECASE)
_NUMERIC = ("numeric", "real", "integer")


def arff_layout(file: File, part: str = "") -> tuple[tuple[str, ...], None]:
    """Return the names of the columns; how many rows there are the head does not say."""
    with reading(file, "an ARFF file", "Save it as CSV"):
        return tuple(_head(file)[0]), None


def read_arff(file: File) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read numbers, and words as they are written, of rows that list all their cells; ``?`` is missing.

    Raises
    ------
    DataError
        If it is damaged, or its rows list only cells that are not zero.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    import pandas as pd

    memory.check(_EXPANDS * file.n_bytes, file.name, "Save fewer rows, or Parquet")
    with reading(file, "an ARFF file", "Save it as CSV"):
        names, rows = _head(file)
        check_columns(file, len(names))
        if rows.lstrip().startswith("{"):
            raise DataError(f"{file.name} is sparse ARFF, which is not read. Save it as CSV, or in LIBSVM's format.")
        quote = "'" if re.search(r"(^|,)\s*'", rows[: 1 << 20], re.MULTILINE) else '"'
        frame = pd.read_csv(
            io.StringIO(rows),
            header=None,
            names=range(len(names) + 1),  # one more, which a separator at the end of each row makes
            index_col=False,
            dtype={place: str for place, kind in enumerate(names.values()) if kind not in _NUMERIC},
            keep_default_na=False,
            na_values=["?", ""],
            quotechar=quote,
            escapechar="\\",
            comment="%",
            skipinitialspace=True,
            low_memory=False,
        )
        if frame.pop(len(names)).notna().any():
            raise DataError(
                f"{file.name} has rows of more cells than it has lines @attribute. Add one for each column."
            )
    for place, series in frame.items():
        if series.dtype.kind not in "fiub":
            frame[place] = series.str.strip()
    return frame.set_axis([*names], axis=1), ()


def _head(file: File) -> tuple[dict[str, str], str]:
    """Return the types of the columns by name, and the lines of the rows."""
    with file.open() as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace")
        kinds: dict[str, str] = {}
        for line in text:
            if line.lower().startswith("@data"):
                break
            if found := _ATTRIBUTE.match(line.strip()):
                name = found[1]
                name = re.sub(r"\\(.)", r"\1", name[1:-1]) if name[0] in "'\"" else name
                if name in kinds:
                    raise DataError(f"{file.name} has two columns named {name[:40]!r}. Give each a name of its own.")
                kinds[name] = found[2].strip().lower()
        if not kinds:
            raise DataError(
                f"{file.name} has no line @attribute, which an ARFF file has for each column. Save it as CSV."
            )
        return kinds, text.read()
