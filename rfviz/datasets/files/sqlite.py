"""A table of an SQLite database → a pandas table. It is only read: none of its views, triggers and formulas run."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote

from rfviz.datasets.files.content import File, check_table, reading
from rfviz.datasets.files.frames import without_loss
from rfviz.datasets.wording import one_line
from rfviz.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_sqlite", "sqlite_layout", "sqlite_tables"]

# Bytes of one cell at most.
_LONGEST_CELL = 10_000_000


def sqlite_tables(file: File) -> tuple[str, ...]:
    """Return the names of the tables, those of the most rows first.

    Raises
    ------
    DataError
        If the file is damaged, or no table has rows.
    """
    with _opened(file) as database:
        found = database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
            "AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY rowid"
        ).fetchall()
        sizes = {str(name): _n_rows(database, str(name)) for (name,) in found}
    names = tuple(sorted((name for name in sizes if sizes[name]), key=lambda name: -sizes[name]))
    if not names:
        raise DataError(f"{file.name} has no table with rows. Choose another database.")
    return names


def sqlite_layout(file: File, table: str) -> tuple[tuple[str, ...], int]:
    """Return the names of the columns that a table stores, and the number of its rows."""
    with _opened(file) as database:
        # Computed columns are not among them: a short formula can keep the machine busy for minutes.
        found = database.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return tuple(str(name) for (name,) in found), _n_rows(database, table)


def read_sqlite(file: File, table: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read a table, in the order in which it is stored; columns of bytes, and computed ones, are left out.

    Raises
    ------
    DataError
        If the file is damaged, or there is nothing but bytes.
    MemoryBudgetError
        If it would not fit into the memory limit.
    """
    import pandas as pd

    names, n_rows = sqlite_layout(file, table)
    check_table(file, n_rows, len(names), max(100 * n_rows * len(names), 4 * file.n_bytes))
    with _opened(file) as database:
        rows = database.execute(f"SELECT {', '.join(map(_quoted, names))} FROM {_quoted(table)}").fetchall()
    cells = dict(zip(names, zip(*rows, strict=True), strict=True))
    frame = pd.DataFrame({name: without_loss(pd.Series(column), column) for name, column in cells.items()})
    places = range(frame.shape[1])
    is_bytes = [frame.iloc[:, place].map(lambda cell: isinstance(cell, bytes)).any() for place in places]
    out = [one_line(names[place], 30) for place in places if is_bytes[place]]
    if len(out) == len(names):
        raise DataError(f"{file.name}: the table {one_line(table, 40)!r} holds nothing but bytes. Choose another.")
    frame = frame.loc[:, [not one for one in is_bytes]]
    return frame, (f"Columns of bytes are left out: {one_line(', '.join(out), 80)}.",) if out else ()


@contextmanager
def _opened(file: File) -> Generator[sqlite3.Connection, None, None]:
    with reading(file, "an SQLite database", "Copy it again"):
        if isinstance(file.content, bytes):
            database = sqlite3.connect(":memory:")
            database.deserialize(file.content)
        else:  # which other programs may be writing: it is neither locked nor changed
            database = sqlite3.connect(f"file:{quote(str(file.content.resolve()))}?mode=ro&immutable=1", uri=True)
        try:
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_CELL)
            for rule in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON"):
                database.execute(f"PRAGMA {rule}")
            database.text_factory = lambda cell: cell.decode("utf-8", "replace")
            yield database
        finally:
            database.close()


def _n_rows(database: sqlite3.Connection, table: str) -> int:
    return int(database.execute(f"SELECT count(*) FROM {_quoted(table)}").fetchone()[0])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
